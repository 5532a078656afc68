"""A stand-in for the vendors on loopback: both wire formats over real HTTP, a log of every call, a prompt cache.

    with VendorServer("hello", latency=0.2) as server:  # what can go wrong instead: see `vendor.faults`
        client = anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0)

`reply` is a text, a dict (sent as JSON text), a Reply, a Fault, or a function of the call that gives one of these.
"""

from __future__ import annotations

from vendor.call import Answerer, Call, Fault, Reply, Said
from vendor.script import Place, debate_script, place_of
from vendor.server import VendorServer

__all__ = ["Answerer", "Call", "Fault", "Place", "Reply", "Said", "VendorServer", "debate_script", "place_of"]
