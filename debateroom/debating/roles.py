"""Roles of the seats: what a user typed, the catalogue behind a bare name, and the defaults by domain. Pure.

The catalogue is data: `templates/roles/<language>.toml` holds names, aliases and framings, `sets.toml` the
default order per domain.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from debateroom import templates
from debateroom.errors import UsageError
from debateroom.language import LANGUAGES

LONGEST_NAME = 80
"""Characters a role's name may have."""
FALLBACK = "strategy"
"""Whose default roles serve a question outside the three domains."""

_CRITIC = "critic"
"""The role that seats past the end of a domain's defaults have: `Critic 2`."""
_HINT = 'write a role as "Name: framing", "Name", or "Name@provider:model: framing"'
_COLON = re.compile("[:：]")
_MODEL_END = re.compile(r":(?=\s|$)|：")
_PROVIDER = re.compile(r"[a-z]+:")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_QUOTES = {'"': '"', "“": "”", "«": "»", "「": "」", "『": "』"}
_SEPARATORS = ",，、"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ARTICLE = re.compile(r"^(?:(?:an?|the|une?|le|la|les) |l )")
_HAN_GAP = re.compile(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])")


@dataclass(frozen=True, slots=True)
class RoleSpec:
    """A role as asked for, or as filled in by `assign`."""

    name: str
    """As typed, ends trimmed."""
    framing: str | None = None
    """What the role optimises for and what it attacks; None until `assign` fills it in."""
    model: str | None = None
    """`provider:model` or an alias, when this seat has a model of its own."""


def parse_role(text: str) -> RoleSpec:
    """The role of `--role`: `"Name"`, `"Name: framing"` or `"Name@model: framing"`.

    The name ends at the first colon, full width or not; a model ends at the first colon followed by a space,
    since `provider:model` holds one. An e-mail address, or an `@` after the name's colon, is no model.
    Raises UsageError for a name that is empty, longer than `LONGEST_NAME` or not on one line.
    """
    text = text.strip()
    own_model = _split_model(text)
    if own_model is not None:
        name, model, framing = own_model
        if not model:
            raise UsageError(f"the role {_shown(name)} has no model after the @", hint=_HINT)
        _refuse_unprintable(model, "a model's name")
        return RoleSpec(_checked_name(name), framing, model)
    colon = _COLON.search(text)
    if colon is None:
        return RoleSpec(_checked_name(text))
    return RoleSpec(_checked_name(text[: colon.start()]), text[colon.end() :].strip() or None)


def parse_roles_list(text: str) -> list[RoleSpec]:
    """The roles of `--roles`, in order: parted by commas (`,`, `，`, `、`) outside quotes.

    Quotes stay as typed, except around a whole name that holds a comma. Empty items are passed over.
    Raises UsageError when nothing is left, or for a role that `parse_role` refuses.
    """
    specs = [parse_role(item) for item in _items(text) if item]
    if not specs:
        raise UsageError(
            "--roles names no role", hint='for example --roles "architect, security engineer, junior dev"'
        )
    return specs


def seat_name(index: int) -> str:
    """`Agent A` for 0, `Agent Z` for 25, `Agent AA` for 26, in every language."""
    if index < 0:
        raise ValueError("a seat's index starts at 0")
    letters, rest = "", index + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"Agent {letters}"


def assign(
    domain: str | None, language: str, count: int, given: Sequence[RoleSpec] = (), add: bool = False
) -> list[RoleSpec]:
    """The roles of a room in seat order, each with its framing.

    Given roles are used exactly as they are, even twice, and decide how many there are; with `add` the defaults
    of `domain` fill the room up to `count`, without those that are there under any of their names. Without given
    roles the defaults serve in order. A domain of None means the strategy roles.
    """
    roles = [fill(spec, language) for spec in given]
    if given and not add:
        return roles
    taken = {found for spec in given if (found := find_role(spec.name))}
    names = {_normal(spec.name) for spec in given}
    for role, number in _defaults(domain or FALLBACK):
        if len(roles) >= count:
            break
        spec = _default(role, number, language)
        if (number == 1 and role in taken) or _normal(spec.name) in names:
            continue
        roles.append(spec)
    return roles


def fill(spec: RoleSpec, language: str) -> RoleSpec:
    """`spec` with a framing in `language`: its own, else the catalogue's, else a general one for its name."""
    if spec.framing:
        return spec
    catalogue = _catalogue(language)
    found = find_role(spec.name)
    framing = catalogue["roles"][found]["framing"] if found else _named(catalogue["general"], spec.name)
    return replace(spec, framing=framing)


def find_role(name: str) -> str | None:
    """The catalogue's key for a role called `name` in any of the languages; None when it is not there.

    Case, accents, hyphens and a leading article do not count.
    """
    return _aliases().get(_normal(name))


def _split_model(text: str) -> tuple[str, str, str | None] | None:
    """Name, model and framing when an `@` in the name gives a model; None when there is none."""
    name, mark, rest = text.partition("@")
    if not mark or _COLON.search(name) or not rest or rest[0].isspace():
        return (name, "", None) if mark and not rest and not _COLON.search(name) else None
    end = _MODEL_END.search(rest)
    model, framing = (rest[: end.start()], rest[end.end() :].strip()) if end else (rest, "")
    if re.search(r"\s", model) and not _PROVIDER.match(model):
        return None
    if _EMAIL.fullmatch(f"{name}@{model}"):
        return None
    return name, model.strip(), framing or None


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise UsageError("a role has no name", hint=_HINT)
    _refuse_unprintable(name, "a role's name")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"a role's name has {len(name)} characters, at most {LONGEST_NAME} are allowed", hint=_HINT)
    return name


def _refuse_unprintable(text: str, what: str) -> None:
    """Raises UsageError for line breaks, control characters and marks that turn the writing direction."""
    for char in text:
        if char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
            raise UsageError(f"{what} must fit on one line: {_shown(text)} holds U+{ord(char):04X}", hint=_HINT)


def _shown(text: str) -> str:
    return ascii(text) if len(text) <= LONGEST_NAME else ascii(text[:LONGEST_NAME]) + "…"


def _items(text: str) -> Iterator[str]:
    """The parts of a list between separators that stand outside quotes."""
    start = at = 0
    while at < len(text):
        closing = _QUOTES.get(text[at])
        end = text.find(closing, at + 1) if closing else -1
        if end > 0:
            at = end
        elif text[at] in _SEPARATORS:
            yield _unquoted(text[start:at].strip())
            start = at + 1
        at += 1
    yield _unquoted(text[start:].strip())


def _unquoted(item: str) -> str:
    """`item` without quotes around the whole of it that only protect a comma."""
    inside = item[1:-1]
    whole = len(item) > 1 and _QUOTES.get(item[0]) == item[-1] and item[-1] not in inside
    return inside.strip() if whole and any(char in inside for char in _SEPARATORS) else item


def _defaults(domain: str) -> Iterator[tuple[str, int]]:
    """Keys of the default roles, each with 1; then without end those whose case a further critic attacks, from 2."""
    chosen = templates.data("roles/sets.toml")[domain]
    order = [entry["id"] for entry in chosen["order"]]
    yield from ((role, 1) for role in order)
    first = order.index(chosen["again"])
    yield from zip(itertools.cycle(order[first:] + order[:first]), itertools.count(2), strict=False)


def _default(role: str, number: int, language: str) -> RoleSpec:
    catalogue = _catalogue(language)
    name, framing = catalogue["roles"][role]["name"], catalogue["roles"][role]["framing"]
    if number == 1:
        return RoleSpec(name, framing)
    return RoleSpec(f"{catalogue['roles'][_CRITIC]['name']} {number}", _named(catalogue["again"], name))


def _named(template: str, name: str) -> str:
    # not str.format: a name may hold braces
    return template.replace("{name}", name)


def _catalogue(language: str) -> Mapping[str, Any]:
    return templates.data(f"roles/{language}.toml")


@cache
def _aliases() -> dict[str, str]:
    """Every name of every role in every language, normalised, to its key. English wins where two roles share one."""
    found: dict[str, str] = {}
    for language in LANGUAGES:
        for key, role in _catalogue(language)["roles"].items():
            for name in (role["name"], *role["aliases"]):
                found.setdefault(_normal(name), key)
    return found


def _normal(name: str) -> str:
    """A role's name without case, accents, punctuation and article: `L'Ingénieur-sécurité` → `ingenieur securite`."""
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(char)
    )
    words = re.sub(r"[\W_]+", " ", plain).strip()
    return _ARTICLE.sub("", _HAN_GAP.sub("", words))
