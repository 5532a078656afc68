"""What is wrong with a value of a user's, in words: the first thing that pydantic says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

_OWN_WORDS = {"missing": "it is missing", "extra_forbidden": "there is no such key"}


def first_fault(error: ValidationError) -> str:
    """`checks.judge: input should be a valid tuple`: the field, dotted, and what is wrong with it."""
    field, message = fault_of(error)
    return f"{'.'.join(map(str, field)) or 'the whole'}: {message}"


def fault_of(error: ValidationError) -> tuple[tuple[int | str, ...], str]:
    """The field, step by step, and what is wrong with it."""
    first = error.errors(include_url=False, include_input=False)[0]
    message = _OWN_WORDS.get(first["type"], first["msg"].removeprefix("Value error, "))
    return first["loc"], f"{message[:1].lower()}{message[1:]}"
