"""A name server on this machine, asked over UDP as any other: each look-up of a name may give another address."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Sequence


class NameServer:
    """Answers every question for an IPv4 address with the next of `addresses`; the last one stays."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.asked: list[str] = []
        self._addresses = list(addresses)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    def resolve(self, host: str) -> list[str]:
        """The addresses that it gives now: a query is sent, an answer read."""
        question = b"".join(bytes([len(label)]) + label.encode() for label in host.split(".")) + b"\0"
        query = struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + question + struct.pack("!2H", 1, 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(10)
            client.sendto(query, self._socket.getsockname())
            answer = client.recv(512)
        (count,) = struct.unpack("!H", answer[6:8])
        records = answer[len(query) :]
        return [socket.inet_ntoa(records[16 * number + 12 : 16 * number + 16]) for number in range(count)]

    def close(self) -> None:
        """Answers no more."""
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                query, whom = self._socket.recvfrom(512)
            except OSError:
                return
            self.asked.append(_name(query[12:]))
            address = self._addresses.pop(0) if len(self._addresses) > 1 else self._addresses[0]
            head = query[:2] + struct.pack("!5H", 0x8180, 1, 1, 0, 0)
            record = struct.pack("!3HIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(address)  # it may be kept for 0 s
            self._socket.sendto(head + query[12:] + record, whom)


def _name(question: bytes) -> str:
    labels, at = [], 0
    while question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode())
        at += 1 + question[at]
    return ".".join(labels)
