"""The guard: which web addresses are asked, and at which IP address; the handed cases and what they leave open."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import debateroom
from debateroom.errors import DebateroomError, RefusedURL
from debateroom.language import LANGUAGES, spoken
from debateroom.outbound import guard, ranges

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases" / "ssrf_urls.jsonl").read_text().splitlines()]
PUBLIC = "93.184.215.14"


def answering(*addresses: str) -> Callable[[str], list[str]]:
    """A resolver that knows these for every name."""
    return lambda host: list(addresses)


def unasked(host: str) -> list[str]:
    """A resolver that must not be asked."""
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_handed_case(case: dict[str, Any]) -> None:
    """Each is accepted or refused as the case says, without a network."""
    over = threading.Event()

    def resolve(host: str) -> list[str]:
        answer = case["dns"].get(host, "NXDOMAIN")
        if answer == "NXDOMAIN":
            raise OSError("Name or service not known")
        if answer == "TIMEOUT":
            over.wait(30)
            raise OSError("timed out")
        return list(answer)

    try:
        pinned = guard.check_webhook_url(case["url"], resolve=resolve, seconds=0.2)
    except RefusedURL:
        assert case["expect"]["result"] == "refuse" or "refuse" in case["expect"].get("accept_results", ())
    else:
        assert case["expect"]["result"] == "accept"
        assert pinned.port == 443
        assert pinned.address in {pinned.host, *case["dns"].get(pinned.host, ())}
    finally:
        over.set()


def test_it_gives_the_place_that_was_checked() -> None:
    """Host in lower case, port, and the first of the addresses."""
    pinned = debateroom.check_webhook_url("HTTPS://Hooks.Example.com/A?b#c", resolve=answering(PUBLIC, "1.1.1.1"))
    assert pinned == ("hooks.example.com", 443, PUBLIC)
    assert (pinned.host, pinned.port, pinned.address) == pinned


def test_one_bad_address_among_good_ones_refuses_the_name() -> None:
    """Whichever place it has among the answers."""
    for answers in ([PUBLIC, "10.0.0.1"], ["::1", PUBLIC], [PUBLIC, "2606:4700:4700::1111", "169.254.169.254"]):
        with pytest.raises(RefusedURL, match="no public server's"):
            guard.check_webhook_url("https://hooks.example.com/", resolve=answering(*answers))


@pytest.mark.parametrize(
    "address",
    [
        *("64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:a00:1::", "::127.0.0.1", "::7f00:1", "192.0.0.192", "fec0::1"),
        *(
            "ff0e::1",
            "224.0.0.251",
            "168.63.129.16",
            "100.100.100.200",
            "192.88.99.1",
            "198.19.255.255",
            "2001:db8::1",
        ),
        *(
            "fe80::1%eth0",
            "0.0.0.0",  # noqa: S104 - an answer, nothing is bound
            "240.0.0.1",
            "3fff::1",
            "5f00::1",
            "4000::1",
            "::ffff:8.8.8.8",
            "no address",
            "",
        ),
    ],
)
def test_addresses_that_pass_for_public_ones(address: str) -> None:
    """Those that Python's `is_global` lets through, and those that lead to another one; also what is no address."""
    with pytest.raises(RefusedURL):
        guard.check_webhook_url("https://hooks.example.com/", resolve=answering(address))


@pytest.mark.parametrize("address", ["9.255.255.255", "11.0.0.0", "172.15.255.255", "168.63.129.17", "192.0.1.0",
                                     "223.255.255.255", "2001:200::1", "2a00:1450:4001::1", "2003::1"])  # fmt: skip
def test_the_neighbours_of_refused_ranges_pass(address: str) -> None:
    """A range refuses itself and no more."""
    assert guard.check_webhook_url("https://hooks.example.com/", resolve=answering(address)).address == address


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_what_python_knows_as_not_global_is_refused(address: Any) -> None:
    """Python's list is a lower bound of ours, but for the few blocks of protocol assignments that it lets out."""
    if not address.is_global:
        assert ranges.refusing(address) is not None
    if address.version == 6 and address not in ip_network("2000::/3"):
        assert ranges.refusing(address) is not None


@pytest.mark.parametrize(
    "url",
    [
        *("https://hooks.example.com:0/", "https://hooks.example.com:/", "https://hooks.example.com:0443/"),
        *("https://hooks.example.com:443x/", "https://hooks.example.com:٤٤٣/", "https://hooks.example.com:-1/"),
        *("https://hooks.example.com:8443/", "https://hooks.example.com:80/", "https://[2606:4700::1]x/"),
        *("https://hooks.example.com\\@127.0.0.1/", "https://hooks.example.com\n/", "\x00https://hooks.example.com/"),
        *(" https://hooks.example.com/", "https://hooks.example.com/a b", "https://hooks.exam\u200bple.com/"),
        *(
            "https://hooks..example.com/",
            "https://-a.example.com/",
            "https://hooks.example.com./",
            "https://intranet/",
        ),
        *(
            "https://a.localhost/",
            "https://metadata.google.internal/",
            "https://printer.local/",
            "https://é.example/",
        ),
        *(
            "https://1.2.3.4.5/",
            "https://0x7f.0.0.1/",
            "https://1.1.1.0x1/",
            "https://01.1.1.1/",
            "https://1.1.1.1./",
        ),
        *(
            "https://[fe80::1%25eth0]/",
            "https://[::1",
            "https://[1.1.1.1]/",
            "https://@hooks.example.com/",
            "https:/x",
        ),
        *("https:hooks.example.com", "https:///hooks.example.com/", "https://" + "a." * 130 + "com/", "javascript:1"),
        "https://hooks.example.com/" + "a" * 2_048,
    ],
)
def test_spellings_that_another_parser_may_read_otherwise(url: str) -> None:
    """None of them is even looked up, though a resolver would give each a public address."""
    with pytest.raises(RefusedURL):
        guard.check_webhook_url(url, resolve=unasked)


def test_an_ip_address_is_not_looked_up() -> None:
    """It is its own answer, in its shortest form."""
    checked = guard.check_webhook_url("https://[2606:4700:4700:0:0:0:0:1111]:443/", resolve=unasked)
    assert checked == ("2606:4700:4700::1111", 443, "2606:4700:4700::1111")
    assert guard.check_webhook_url("https://1.1.1.1/", resolve=unasked) == ("1.1.1.1", 443, "1.1.1.1")


def test_another_port_needs_to_be_allowed() -> None:
    """Each by its number."""
    url = "https://hooks.example.com:8443/"
    with pytest.raises(RefusedURL, match="8443"):
        guard.check_webhook_url(url, resolve=answering(PUBLIC), ports=(9443,))
    assert guard.check_webhook_url(url, resolve=answering(PUBLIC), ports=(8443,)) == (
        "hooks.example.com",
        8443,
        PUBLIC,
    )


@given(st.text(max_size=60), st.sampled_from(["", "https://", "https://[", "https://a.b:", "https://a.b/"]))
def test_whatever_is_written_it_is_checked_or_refused(text: str, before: str) -> None:
    """No other error, and what passes leads to the one address that the resolver gave, or is a public literal."""
    try:
        pinned = guard.check_webhook_url(before + text, resolve=answering(PUBLIC))
    except RefusedURL:
        return
    assert pinned.address in (PUBLIC, pinned.host)
    assert ranges.refusing(ip_address(pinned.address)) is None


@pytest.mark.parametrize("raised", [OSError("x"), TimeoutError("x"), UnicodeError("x"), KeyError("x")])
def test_a_resolver_that_fails_refuses_the_name(raised: Exception) -> None:
    """As one that knows nothing does."""

    def resolve(host: str) -> list[str]:
        raise raised

    for broken in (resolve, answering()):
        with pytest.raises(guard.Unresolved) as caught:
            guard.check_webhook_url("https://hooks.example.com/", resolve=broken)
        assert isinstance(caught.value, RefusedURL)


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_said_in_three_languages(language: str) -> None:
    """A model or a user reads why, with host and range."""
    with pytest.raises(RefusedURL) as caught:
        guard.check_webhook_url("https://hooks.example.com/", resolve=answering("10.1.2.3"))
    error: DebateroomError = spoken(caught.value, language)
    assert all(part in str(error) for part in ("hooks.example.com", "10.1.2.3", "10.0.0.0/8"))
    assert error.exit_code == 2
