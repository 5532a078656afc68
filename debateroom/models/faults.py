"""Turns whatever an SDK or the network raises into CallFailed or NoModel, with a sentence a person understands.

The error's code or type decides first, then the status, then the class (see `fault_table`): an `overloaded_error`
inside a stream has status 200, and a spent quota has status 429. No SDK is imported here.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from ssl import SSLCertVerificationError
from typing import Any, NoReturn

from debateroom import clock
from debateroom.errors import CallFailed, DebateroomError, NoModel, Wording
from debateroom.language import worded
from debateroom.models.fault_table import BY_CLASS, BY_CODE, BY_GENERAL_TYPE, BY_STATUS, BY_TYPE, KINDS
from debateroom.models.quote import safe_line

_SDKS = ("anthropic", "openai")
_NETWORK = ("httpx2", "httpcore2")
_PYTHON = ("builtins", "json", "socket", "ssl", "pydantic", "pydantic_core")
_QUOTED = (
    "invalid", "server", "permission", "region", "residency", "account", "unsupported", "address", "sdk", "spent",
    "too_large", "no_such_model",
)  # fmt: skip
"""Kinds for which the provider's own words help."""


def failed(
    kind: str, *, provider: str, model: str, said: object = None, retry_after: float | None = None
) -> CallFailed | NoModel:
    """The error of one kind (a key of `KINDS`), for `model` at `provider`; `said` is what the provider told.

    The message is one line without keys, whatever the provider sent.
    """
    row = KINDS[kind]
    model = model.removeprefix(f"{provider}:")
    wording = [Wording(f"fault_{kind}", {"model": model, "provider": provider})]
    if kind in _QUOTED and (quote := safe_line(said)):
        wording.append(Wording("fault_said", {"words": quote}))
    hint = _key_hint(provider) if row.cause == "key" else named_hint(row.hint)
    if row.hopeless:
        return worded(NoModel, *wording, hint=hint)
    return worded(CallFailed, *wording, hint=hint, retry=row.retry, retry_after=retry_after, cause=row.cause)


def named_hint(hint: str | None, **figures: object) -> Wording | str | None:
    """A table's hint: the message that it names, or the command that it is."""
    return Wording(hint, figures) if hint and hint.startswith("hint_") else hint


def failed_event(
    code: object, said: object, *, provider: str, model: str, family: object = None
) -> CallFailed | NoModel:
    """The error for a failure reported inside a stream that the SDK passes on as an event, by its code and type."""
    kind = _by_words([code], [family]) or "server"
    return failed(_settled(kind, said), provider=provider, model=model, said=said)


def failed_answer(status: object, error: object, *, provider: str, model: str) -> CallFailed | NoModel:
    """The error that stands in an answer's place as a value: `{"type", "code", "message"}`, with a status or none."""
    told = error if isinstance(error, Mapping) else {}
    details = told.get("details")
    codes = [details.get("error_code") if isinstance(details, Mapping) else None, told.get("code")]
    kind = (
        _by_words(codes, [told.get("type")])
        or (_by_status(status) if type(status) is int and status >= 300 else None)
        or BY_GENERAL_TYPE.get(str(told.get("type")), "server")
    )
    said = told.get("message")
    return failed(_settled(kind, said), provider=provider, model=model, said=said)


def translate(error: Exception, *, provider: str, model: str) -> CallFailed | NoModel | None:
    """What `error` means for a person; None for one that has nothing to do with a call: a bug of ours."""
    kind = kind_of(error)
    if kind is None:
        return None
    said = _said(error)
    headers = getattr(getattr(error, "response", None), "headers", None)
    wait = retry_after(headers) if headers is not None else None
    return failed(_settled(kind, said), provider=provider, model=model, said=said, retry_after=wait)


@contextmanager
def translated(provider: str, model: str) -> Iterator[None]:
    """A block around one call: foreign errors leave it as CallFailed or NoModel, our own ones as they are.

    The foreign error is not kept as the cause: its text can hold the key (a header that was refused, for one).
    """
    try:
        yield
    except DebateroomError:
        raise
    except Exception as error:
        _raise_translated(error, provider, model)


def _raise_translated(error: Exception, provider: str, model: str) -> NoReturn:
    ours = None if _from_our_side(error) else translate(error, provider=provider, model=model)
    if ours is None:
        raise error
    raise ours from None


def kind_of(error: Exception) -> str | None:
    """The kind of `error`, a key of `KINDS` (or `not_found`); None when it is foreign to calls."""
    if _certificate(error):
        return "certificate"
    if type(error).__module__.partition(".")[0] in _SDKS:
        return _by_response(error) or kind_of_class(type(error)) or _by_message(error) or "sdk"
    return kind_of_class(type(error)) or _by_shape(error) or _by_origin(error)


def kind_of_class(cls: type[BaseException]) -> str | None:
    """The kind that an exception's class alone decides, its bases included; None when the table has none."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] in _SDKS + _NETWORK + _PYTHON and base.__name__ in BY_CLASS:
            return BY_CLASS[base.__name__]
    return None


def _by_response(error: Exception) -> str | None:
    """The kind by what the provider answered: code, type, status, general type."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    told = inner if isinstance(inner, Mapping) else {}
    families = [getattr(error, "type", None), told.get("type")]
    codes = [
        getattr(error, "error_code", None),
        getattr(error, "code", None),
        told.get("code"),
        told.get("error_code"),
    ]
    status = getattr(error, "status_code", None)
    return (
        _by_words(codes, families)
        or (_by_status(status) if isinstance(status, int) and status >= 300 else None)
        or next((BY_GENERAL_TYPE[str(word)] for word in families if str(word) in BY_GENERAL_TYPE), None)
        or ("server" if body is not None and kind_of_class(type(error)) is None else None)
    )


def _by_words(codes: list[object], families: list[object]) -> str | None:
    """The kind by code, then by type. Compatible servers put statuses where the vendor has words."""
    for word in codes:
        if str(word) in BY_CODE:
            return BY_CODE[str(word)]
    for word in [*families, *codes]:
        if str(word) in BY_TYPE:
            return BY_TYPE[str(word)]
    numbers = [int(str(word)) for word in codes if re.fullmatch(r"[3-5]\d\d", str(word))]
    if numbers:
        return _by_status(numbers[0])
    return next((BY_GENERAL_TYPE[str(word)] for word in codes if str(word) in BY_GENERAL_TYPE), None)


def _by_status(status: int) -> str:
    if status in BY_STATUS:
        return BY_STATUS[status]
    return "server" if status >= 500 else "invalid" if status >= 400 else "page"


def _settled(kind: str, said: object) -> str:
    """`kind`, made exact where only the provider's words tell: what is missing, and a credit that is used up."""
    words = str(said or "").lower()
    if kind == "not_found":
        return "no_such_model" if "model" in words else "address"
    if kind == "invalid" and "credit balance" in words:
        return "spent"
    if kind == "invalid" and ("prompt is too long" in words or "maximum context length" in words):
        return "too_large"
    return kind


def _by_message(error: Exception) -> str | None:
    """The base class of the openai SDK stands for many things; the missing key is the one that people meet."""
    words = str(error).lower()
    return "no_key" if "api_key" in words or "credentials" in words else None


def _by_shape(error: Exception) -> str | None:
    """The kind of Python's own errors: the traces of an answer that has not the shape of one."""
    words = str(error)
    if isinstance(error, TypeError) and "authentication" in words:
        return "no_key"
    if isinstance(error, AttributeError | TypeError) and "'NoneType' object" in words:
        return "empty"
    if isinstance(error, AttributeError | TypeError) and ("'str' object" in words or "string indices" in words):
        return "page"
    return None


def _by_origin(error: Exception) -> str | None:
    """`sdk` for anything else that was raised inside an SDK or the libraries under it."""
    trace, name = error.__traceback__, ""
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return "sdk" if name.partition(".")[0] in (*_SDKS, *_NETWORK, "h11", "pydantic") else None


def _certificate(error: BaseException) -> bool:
    seen: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in seen:
        if isinstance(step, SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(step):
            return True
        seen.append(step)
        step = step.__cause__ or step.__context__
    return False


def _from_our_side(error: Exception) -> bool:
    """Whether debateroom outside `models` raised it, as a callback that takes the text may: a bug there."""
    trace = error.__traceback__
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__", ""))
        if name.startswith("debateroom.") and not name.startswith("debateroom.models"):
            return True
        trace = trace.tb_next
    return False


def _said(error: Exception) -> object:
    """The provider's own words: the message inside the body, else the error's text."""
    body: Any = getattr(error, "body", None)
    for _ in range(3):
        if isinstance(body, str):
            return body
        if not isinstance(body, Mapping):
            break
        body = body.get("message") or body.get("error")
    return str(error)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); None when not said."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, (moment - clock.now()).total_seconds())


def _key_hint(provider: str) -> Wording | str:
    """The command that mends a key. A variable in the environment goes before the stored key: it is named first."""
    if provider not in _SDKS:
        return Wording("hint_key_elsewhere")
    variable = f"{provider.upper()}_API_KEY"
    if os.environ.get(variable):
        return Wording("hint_key_variable", {"variable": variable, "provider": provider})
    return f"debateroom keys set {provider}"
