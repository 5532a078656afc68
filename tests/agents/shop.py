"""A small shop as the world of an agent: a database of orders, in memory for each session, or in the file `SHOP_DB`.

Its rules: a shipped order cannot be cancelled or changed, a refund is at most what was paid and not yet refunded, an
item may be exchanged for one of the same kind and price. `ShopWorld` is the shop as the world of an evaluation.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ORDERS: dict[str, dict[str, Any]] = {
    "W1001": {
        "customer": "Ada Byron",
        "status": "processing",
        "items": [{"item": "desk lamp", "quantity": 1}],
        "amount": 40.0,
        "refunded": 0.0,
        "notes": [],
    },
    "W1002": {
        "customer": "Ada Byron",
        "status": "shipped",
        "items": [{"item": "office chair", "quantity": 2}],
        "amount": 180.0,
        "refunded": 0.0,
        "notes": [],
    },
    "W1003": {
        "customer": "Chen Wei",
        "status": "delivered",
        "items": [{"item": "notebook", "quantity": 10}],
        "amount": 25.0,
        "refunded": 0.0,
        "notes": [],
    },
}
"""What every session begins with."""
KINDS = (
    {"linear keyboard", "tactile keyboard", "clicky keyboard"},
    {"blue scarf", "red scarf", "green scarf"},
    {"blue schoolbag", "red schoolbag"},
)
"""Items of one kind and price."""

_worlds: dict[str, dict[str, Any]] = {}
_changing = threading.RLock()  # protects _worlds and the file: an agent calls several tools at once


class Refused(Exception):
    """The shop's rules do not allow it."""


def reset(session: str = "") -> None:
    """The orders of a session as they were in the beginning."""
    with _changing:
        _keep(session, copy.deepcopy(ORDERS))


def orders(session: str = "") -> dict[str, Any]:
    """The orders of a session as they are now."""
    with _changing:
        if path := os.environ.get("SHOP_DB"):
            return json.loads(Path(path).read_text()) if Path(path).exists() else copy.deepcopy(ORDERS)
        return _worlds.setdefault(session, copy.deepcopy(ORDERS))


def get_order(order_id: str, *, session: str = "") -> dict[str, Any]:
    """Look up one order: customer, status, items, amount, refunds and notes.

    Args:
        order_id: The order's number, W and four digits.
    """
    return {"order_id": order_id, **_order(orders(session), order_id)}


def list_orders(customer: str, *, session: str = "") -> list[dict[str, Any]]:
    """List the orders of a customer with their numbers and status.

    Args:
        customer: The customer's full name.
    """
    wanted = customer.strip().casefold()
    return [
        {"order_id": number, "status": order["status"], "amount": order["amount"]}
        for number, order in orders(session).items()
        if order["customer"].casefold() == wanted
    ]


def cancel_order(order_id: str, reason: str, *, session: str = "") -> str:
    """Cancel an order that has not been shipped.

    Args:
        order_id: The order's number.
        reason: Why the customer cancels.
    """
    with _changing:
        world = orders(session)
        order = _order(world, order_id)
        if order["status"] != "processing":
            raise Refused(f"order {order_id} is {order['status']} and can no longer be cancelled")
        order["status"] = "cancelled"
        order["notes"].append(f"cancelled: {reason}")
        _keep(session, world)
    return f"Order {order_id} is cancelled."


def refund(order_id: str, amount: float, *, session: str = "") -> str:
    """Pay back money for an order, at most what was paid and not yet refunded.

    Args:
        order_id: The order's number.
        amount: Euros to pay back.
    """
    with _changing:
        world = orders(session)
        order = _order(world, order_id)
        left = order["amount"] - order["refunded"]
        if not 0 < amount <= left:
            raise Refused(f"a refund for order {order_id} is more than 0 and at most {left:.2f} euros")
        order["refunded"] += amount
        _keep(session, world)
    return f"{amount:.2f} euros of order {order_id} are paid back."


def add_note(order_id: str, note: str, *, session: str = "") -> str:
    """Write a note for colleagues on an order.

    Args:
        order_id: The order's number.
        note: What they should know.
    """
    with _changing:
        world = orders(session)
        _order(world, order_id)["notes"].append(note)
        _keep(session, world)
    return f"The note stands on order {order_id}."


def change_item(order_id: str, item: str, quantity: int, *, session: str = "") -> str:
    """Change how many of an item an order has, before it is shipped; 0 takes the item off.

    Keyboards, scarves and schoolbags can be exchanged: put the new one on, and take the old one off.

    Args:
        order_id: The order's number.
        item: The item's name as the order has it, or that of another one of the same kind and price.
        quantity: How many there shall be.
    """
    with _changing:
        world = orders(session)
        order = _order(world, order_id)
        if order["status"] != "processing":
            raise Refused(f"order {order_id} is {order['status']} and can no longer be changed")
        wanted = item.strip().casefold()
        line = next((line for line in order["items"] if line["item"].casefold() == wanted), None)
        if line is None and _exchangeable(wanted, order):
            order["items"].append(line := {"item": wanted, "quantity": 0})
        if line is None or quantity < 0:
            raise Refused(f"order {order_id} has no {item!r} of which there could be {quantity}")
        line["quantity"] = quantity
        order["items"] = [line for line in order["items"] if line["quantity"]]
        _keep(session, world)
    return f"Order {order_id} now has {quantity} of {line['item']}."


class ShopWorld:
    """The shop of one trial, for `--world python:shop:ShopWorld`."""

    def __init__(self, session: str = "") -> None:
        """`session` is the one that the agent's tools get."""
        self._session = session

    def reset(self, initial: Any, seed: int) -> None:
        """The orders of a task, `{"orders": {"W1": {customer, status, items: {name: quantity}, amount}}}`.

        None is the shop's own orders. The shop draws nothing at random: every `seed` gives the same.
        """
        with _changing:
            _keep(self._session, copy.deepcopy(ORDERS) if initial is None else _begun(initial["orders"]))

    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The shop's tools in this trial's session."""
        tools = (get_order, list_orders, cancel_order, refund, add_note, change_item)
        return {tool.__name__: functools.partial(tool, session=self._session) for tool in tools}

    def state(self) -> Any:
        """The orders; of the notes only how many there are, because an agent words them as it likes."""
        return {
            "orders": {
                number: {
                    **order,
                    "items": {line["item"]: line["quantity"] for line in order["items"]},
                    "notes": len(order["notes"]),
                }
                for number, order in orders(self._session).items()
            }
        }


def _begun(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        number: {
            "refunded": 0,
            "notes": [],
            **order,
            "items": [{"item": item, "quantity": quantity} for item, quantity in order["items"].items()],
        }
        for number, order in given.items()
    }


def _exchangeable(item: str, order: Mapping[str, Any]) -> bool:
    """Whether the item is of one kind with something on the order; an order that was emptied takes any kind."""
    there = {line["item"] for line in order["items"]}
    return any(item in kind and (not there or kind & there) for kind in KINDS)


def _order(world: dict[str, Any], order_id: str) -> dict[str, Any]:
    order = world.get(order_id.strip().lstrip("#").upper())
    if order is None:
        raise Refused(f"there is no order {order_id}")
    return order


def _keep(session: str, world: dict[str, Any]) -> None:
    if path := os.environ.get("SHOP_DB"):
        Path(path).write_text(json.dumps(world, indent=1))
    else:
        _worlds[session] = world
