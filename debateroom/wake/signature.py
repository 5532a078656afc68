"""The signature of a wake-up call, as Standard Webhooks has it (https://www.standardwebhooks.com, `v1`)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

_SECRET = "whsec_"  # noqa: S105 - how a secret begins, none of its own


def headers(key: str, number: str, moment: int, body: bytes) -> dict[str, str]:
    """The three headers for `body`, sent as message `number` at `moment` (seconds since 1970)."""
    signed = b".".join((number.encode(), str(moment).encode(), body))
    digest = hmac.new(secret_of(key), signed, hashlib.sha256).digest()
    return {
        "webhook-id": number,
        "webhook-timestamp": str(moment),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def secret_of(key: str) -> bytes:
    """What is signed with: the bytes in `whsec_…`, of another key its characters. Raises ValueError."""
    if not key.startswith(_SECRET):
        return key.encode()
    try:
        secret = base64.b64decode(key.removeprefix(_SECRET), validate=True)
    except binascii.Error as error:
        raise ValueError("no base64 behind whsec_") from error
    if not secret:
        raise ValueError("nothing behind whsec_")
    return secret
