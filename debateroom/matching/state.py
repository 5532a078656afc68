"""A world's state after a trial against what it should be, path by path."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from debateroom.errors import UsageError
from debateroom.matching import paths
from debateroom.matching.evidence import Evidence, short
from debateroom.matching.paths import DELETED, Tokens
from debateroom.matching.values import as_json, digest, same

Strength = Literal["paths", "paths_only", "hash"]
STRENGTHS = ("paths", "paths_only", "hash")
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


class Difference(NamedTuple):
    """One path that does not hold what it should."""

    path: str
    kind: Literal["value", "changed"]
    """`value`: something else was expected there; `changed`: nothing was to change there, and it did."""
    wanted: Any
    """What should be there; DELETED when nothing."""
    actual: Any
    """What is there; DELETED when nothing."""

    def __str__(self) -> str:
        return f"{self.path or '/'}: {_shown(self.wanted)} ≠ {_shown(self.actual)}"


def _shown(value: Any) -> str:
    return "∅" if value is DELETED else short(value)


@dataclass(frozen=True, slots=True)
class StateMatch:
    """How a state compares with the expected one."""

    ok: bool
    differences: tuple[Difference, ...]
    """Every path that differs, in the order of the expected state."""
    digests: tuple[str, str] | None = None
    """SHA-256 of the expected and of the actual state, with the strength `hash`."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The differences (`value`, `changed`) as `wanted ≠ actual`, `∅` for nothing; then the hashes (`hash`)."""
        found = tuple(Evidence(each.kind, str(each)) for each in self.differences)
        if self.ok or self.digests is None:
            return found
        return (*found, Evidence("hash", " ≠ ".join(each[:12] for each in self.digests)))


def compare_state(
    initial: Any, final: Any, expected: Mapping[str, Any] | str, *, strength: Strength = "paths"
) -> StateMatch:
    """Whether `final` is what was expected of a world that began as `initial`, with the differences path by path.

    `expected` holds values by path, dotted or JSON Pointer; `paths.DELETED`, in JSON `{"$deleted": true}`, where
    there must be nothing; the path `""` is the whole state. Strengths: `paths` looks at these paths only;
    `paths_only` also that nothing else differs from `initial`; `hash` compares the SHA-256 of the canonical JSON of
    `final` with that of `initial` changed as expected, or with `expected` itself when it is a hash (`sha256:…`).
    Raises UsageError for a path that cannot be one in this world.

    >>> before = {"orders": {"W1": {"status": "processing", "paid": 25}}}
    >>> after = {"orders": {"W1": {"status": "cancelled", "paid": 0}}}
    >>> compare_state(before, after, {"orders.W1.status": "cancelled"}, strength="paths").ok
    True
    >>> for each in compare_state(before, after, {"orders.W1.status": "cancelled"}, strength="paths_only").evidence:
    ...     print(each)
    changed: orders.W1.paid: 25 ≠ 0
    """
    if strength not in STRENGTHS:
        raise UsageError(f"the strength is paths, paths_only or hash, not {strength!r}")
    if isinstance(expected, str):
        return _by_digest(final, expected, strength)
    initial, final = as_json(initial), as_json(final)
    wanted = [
        (paths.tokens(path, final, initial), DELETED if paths.is_deleted(value) else as_json(value))
        for path, value in expected.items()
    ]
    if strength == "paths":
        differences = tuple(_unequal(keys, value, final) for keys, value in wanted if not _holds(final, keys, value))
        return StateMatch(not differences, differences)
    target = changed(initial, wanted)
    differences = _all_differences(initial, target, final, [keys for keys, _ in wanted])
    if strength == "hash":
        digests = (digest(target), digest(final))
        return StateMatch(digests[0] == digests[1], differences, digests)
    return StateMatch(not differences, differences)


def changed(initial: Any, wanted: list[tuple[Tokens, Any]]) -> Any:
    """`initial` as it should be in the end; the outer paths first, and what is deleted last, from the back."""
    target = copy.deepcopy(initial)
    for keys, value in sorted(wanted, key=lambda each: len(each[0])):
        if value is not DELETED:
            target = paths.put(target, keys, copy.deepcopy(value))
    gone = [keys for keys, value in wanted if value is DELETED]
    for keys in sorted(gone, key=lambda each: [(part.isdigit(), part.zfill(9)) for part in each], reverse=True):
        target = paths.put(target, keys, DELETED)
    return target


def _holds(state: Any, keys: Tokens, value: Any) -> bool:
    found = paths.look_up(state, keys)
    return found is value if DELETED in (found, value) else same(found, value)


def _unequal(keys: Tokens, value: Any, state: Any) -> Difference:
    return Difference(paths.written(keys), "value", value, paths.look_up(state, keys))


def _all_differences(initial: Any, target: Any, final: Any, expected: list[Tokens]) -> tuple[Difference, ...]:
    """Every leaf in which the two differ: first those of the target, then those that only `final` has."""
    ends = dict.fromkeys(keys for state in (target, final) for keys, _ in paths.leaves(state))
    found = []
    for keys in ends:
        wanted, actual = paths.look_up(target, keys), paths.look_up(final, keys)
        if _inner(wanted) or _inner(actual) or _holds(final, keys, wanted):
            continue
        asked = any(keys[: len(path)] == path or path[: len(keys)] == keys for path in expected)
        found.append(Difference(paths.written(keys), "value" if asked else "changed", wanted, actual))
    return tuple(found) or _whole(target, final)


def _inner(value: Any) -> bool:
    """Whether the paths below it say more than it does."""
    return isinstance(value, Mapping | list | tuple) and bool(value)


def _whole(target: Any, final: Any) -> tuple[Difference, ...]:
    """The rare rest: two states that differ in no leaf, such as a text in the place of an object."""
    return () if same(target, final) else (Difference("", "value", target, final),)


def _by_digest(final: Any, expected: str, strength: Strength) -> StateMatch:
    known = _HASH.fullmatch(expected.strip().lower())
    if strength != "hash" or known is None:
        raise UsageError("a text is expected with the strength hash only, and is 64 hexadecimal digits")
    digests = (known[1], digest(final))
    return StateMatch(digests[0] == digests[1], (), digests)
