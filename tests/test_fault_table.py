"""Every exception that the SDKs and the HTTP library define is in the table, and the table leads somewhere."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from debateroom.models.fault_table import BY_CLASS, BY_CODE, BY_GENERAL_TYPE, BY_STATUS, BY_TYPE, KINDS
from debateroom.models.faults import failed, kind_of, kind_of_class

ROOTS = {
    anthropic.AnthropicError,
    anthropic.APIError,
    anthropic.APIStatusError,
    openai.OpenAIError,
    openai.APIError,
    openai.APIStatusError,
}
"""Bases whose own instances are decided by what they say."""


def subclasses(cls: type[BaseException]) -> Iterator[type[BaseException]]:
    for child in cls.__subclasses__():
        yield child
        yield from subclasses(child)


def sdk_exceptions() -> list[type[Exception]]:
    """Every exception class that either SDK defines, wherever in it."""
    for package in (anthropic, openai):
        root = Path(package.__path__[0])
        for path in root.rglob("*.py"):
            if re.search(
                r"^class \w+\(.*(Error|Exception)\w*\b.*\):", path.read_text(encoding="utf-8"), re.MULTILINE
            ):
                name = ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
                try:
                    importlib.import_module(name)
                except ImportError:  # a part of the SDK whose own extra is not installed cannot raise either
                    continue
    found = {cls for cls in subclasses(Exception) if cls.__module__.partition(".")[0] in ("anthropic", "openai")}
    return sorted(found, key=lambda cls: f"{cls.__module__}.{cls.__qualname__}")  # type: ignore[arg-type]


def status_error(cls: Any, status: int, code: str | None = None) -> Exception:
    """An instance of a status error as the SDK makes it from a response."""
    body: Any = {"type": "error", "error": {"type": "x", "message": "m", "details": {"error_code": code}}}
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://127.0.0.1/"), json=body)
    if cls.__name__ == "OAuthError":
        return cls(response=response, body=body)
    return cls("m", response=response, body=body if "anthropic" in cls.__module__ else body["error"])


def test_every_exception_of_both_sdks_is_in_the_table() -> None:
    """Each class is decided by its status, or by its own row or a base's; none only falls through to the end."""
    classes = sdk_exceptions()
    assert len([cls for cls in classes if issubclass(cls, anthropic.AnthropicError)]) >= 170
    assert len([cls for cls in classes if issubclass(cls, openai.OpenAIError)]) >= 23
    unmapped = []
    for cls in classes:
        if cls in ROOTS:
            continue
        if issubclass(cls, anthropic.APIStatusError | openai.APIStatusError):
            status = getattr(cls, "status_code", 500)
            mapped = status in BY_STATUS and kind_of(status_error(cls, status)) in {*KINDS, "not_found"}
        else:
            mapped = kind_of_class(cls) in KINDS
        if not mapped:
            unmapped.append(cls)
    assert unmapped == []


def test_every_exception_of_the_http_library_is_in_the_table() -> None:
    """In a stream neither SDK wraps all of them, so each has a row or a base with one."""
    bases = (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, httpx2.CookieConflict)
    classes = [cls for base in bases for cls in (base, *subclasses(base)) if cls is not httpx2.HTTPError]
    assert len(classes) >= 25
    assert [cls for cls in classes if cls.__module__.startswith("httpx2") and kind_of_class(cls) not in KINDS] == []


def test_every_row_of_the_tables_leads_to_a_kind() -> None:
    """No table names a kind that does not exist, and every sentence names provider and model."""
    named = {*BY_CODE.values(), *BY_TYPE.values(), *BY_STATUS.values(), *BY_GENERAL_TYPE.values(), *BY_CLASS.values()}
    assert named - {"not_found"} <= set(KINDS)
    for kind in KINDS:
        error = failed(kind, provider="anthropic", model="anthropic:claude-x")
        assert str(error).count("anthropic") == 1
        assert "claude-x" in str(error)


@pytest.mark.parametrize(
    ("status", "codes", "kind"),
    [
        (429, "enforced_spend_limit_reached", "spent"),
        (429, "contract_spend_limit_reached", "spent"),
        (402, "linked_organization_spend_limit_reached", "spent"),
        (429, "ramp_limit_exceeded", "rate_limit"),
        (400, "organization_on_hold", "account"),
        (403, "unsupported_country_region_territory", "region"),
        (503, "cmek_key_unreachable", "overloaded"),
        (529, "compaction_unavailable", "overloaded"),
        (418, None, "invalid"),
        (520, None, "server"),
    ],
)
def test_the_code_decides_before_the_status(status: int, codes: str | None, kind: str) -> None:
    """A spend limit has status 429 like a rate limit; only its code says that asking again is no use."""
    assert kind_of(status_error(anthropic.APIStatusError, status, codes)) == kind


@pytest.mark.parametrize("kind", ["region", "residency", "account"])
def test_where_another_key_does_not_help_none_is_asked_for(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A country that is not served, a key of another region, an account on hold: no call can succeed, key or not."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-set")
    error = failed(kind, provider="openai", model="openai:gpt-x", said="Country, region, or territory not supported")
    assert (error.exit_code, "OPENAI_API_KEY" in str(error.hint), "keys set" in str(error.hint)) == (4, False, False)
    assert str(error).endswith("It said: Country, region, or territory not supported")
