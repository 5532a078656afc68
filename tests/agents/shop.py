"""A small shop as the world of an agent: a database of orders, in memory for each session, or in the file `SHOP_DB`.

Its rules: a shipped order cannot be cancelled or changed, a refund is at most what was paid and not yet refunded.
"""

from __future__ import annotations

import copy
import json
import os
import threading
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

    Args:
        order_id: The order's number.
        item: The item's name as the order has it.
        quantity: How many there shall be.
    """
    with _changing:
        world = orders(session)
        order = _order(world, order_id)
        if order["status"] != "processing":
            raise Refused(f"order {order_id} is {order['status']} and can no longer be changed")
        line = next((line for line in order["items"] if line["item"].casefold() == item.strip().casefold()), None)
        if line is None or quantity < 0:
            raise Refused(f"order {order_id} has no {item!r} of which there could be {quantity}")
        line["quantity"] = quantity
        order["items"] = [line for line in order["items"] if line["quantity"]]
        _keep(session, world)
    return f"Order {order_id} now has {quantity} of {line['item']}."


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
