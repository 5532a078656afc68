"""Which addresses are nobody's public server: the special ranges of IPv4 and IPv6, and what hides an address in one.

From IANA's registries of special-purpose addresses. Python's `is_global` is not enough: it lets through what leads to
an IPv4 address by translation or tunnel (NAT64, 6to4, `::127.0.0.1`), multicast, and what clouds use for themselves.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network

_REFUSED = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by carriers; also a cloud's metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's platform address: public by its number, reached from inside only
            "169.254.0.0/16",  # link-local; most clouds' metadata
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; a cloud's metadata
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
            "2001::/23",  # protocol assignments, Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: any IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)
_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is given out as public; what lies outside is loopback, private, link-local, multicast, mapped."""


def refusing(address: IPv4Address | IPv6Address) -> str | None:
    """The range because of which `address` is not asked, as `10.0.0.0/8`; `≠ 2000::/3` for one that lies outside.

    None for a public one.
    """
    for network in _REFUSED:
        if address.version == network.version and address in network:
            return str(network)
    if address.version == 6 and address not in _UNICAST:
        return f"≠ {_UNICAST}"
    return None
