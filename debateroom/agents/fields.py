"""YAML with the place of every value, so that an error can name file, line and field. No tag builds an object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from debateroom.errors import UsageError

_MOST_VALUES = 20_000
"""Values in one file; aliases of aliases could make millions out of a few lines."""
_DEEPEST = 40
_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Field:
    """One value and where it stands."""

    value: Any
    """Text, number, bool, None, a dict of fields or a list of them."""
    file: Path
    line: int
    """1 and up."""
    name: str
    """Its path in the file, `agents[0].tools`; empty for the whole."""

    def fail(self, what: str, *, hint: str | None = None) -> NoReturn:
        """Raises UsageError with file, line and field before `what`; `hint` is what to do."""
        where = f", {self.name}" if self.name else ""
        raise UsageError(f"{self.file}, line {self.line}{where}: {what}", hint=hint)

    def mapping(self, known: Sequence[str] = (), *, required: Sequence[str] = ()) -> dict[str, Field]:
        """The fields of a mapping, whose keys are among `known` when that is given."""
        if not isinstance(self.value, dict):
            self.fail("this is not a mapping of keys to values")
        for key, field in self.value.items():
            if known and key not in known:
                field.fail(f"there is no such key here; there are {', '.join(known)}")
        for key in required:
            if key not in self.value:
                self.fail(f"the key `{key}` is missing")
        found: dict[str, Field] = self.value
        return found

    def items(self) -> list[Field]:
        """The fields of a list."""
        if not isinstance(self.value, list):
            self.fail("this is not a list")
        found: list[Field] = self.value
        return found

    def text(self) -> str:
        """Text that is not empty, without blanks around it."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.fail("this is not text, or it is empty")
        return self.value.strip()

    def number(self, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not low <= self.value <= high:
            self.fail(f"this is not a number from {low:g} to {high:g}")
        return self.value

    def plain(self) -> Any:
        """The value as JSON could hold it, without the places."""
        if isinstance(self.value, dict):
            return {key: field.plain() for key, field in self.value.items()}
        if isinstance(self.value, list):
            return [field.plain() for field in self.value]
        if not isinstance(self.value, _PLAIN) or (isinstance(self.value, float) and not math.isfinite(self.value)):
            self.fail("this is neither text nor a number; put it between quotation marks")
        return self.value


def read_fields(path: Path) -> Field:
    """The one document in `path`. Raises UsageError with the line for a file that is missing or not YAML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{path} cannot be read: {reason}.") from error
    return parse_fields(text, path)


def parse_fields(text: str, path: Path) -> Field:
    """The one document in `text`, which was read from `path`. Raises UsageError with the line for what is no YAML."""
    try:
        return _Reader(path, text).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise UsageError(f"{path}{where}: this is not YAML that can be read: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        what = str(error).split("\n")[0]
        raise UsageError(f"{path}: this is not YAML that can be read: {what}") from error


class _Reader:
    """Turns the nodes of a document into fields."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._loader = yaml.SafeLoader(text)
        self._values = 0

    def read(self) -> Field:
        try:
            node = self._loader.get_single_node()
            if node is None:
                raise UsageError(f"{self._path}: the file is empty")
            return self._field(node, "", 0)
        finally:
            self._loader.dispose()

    def _field(self, node: Any, name: str, depth: int) -> Field:
        self._values += 1
        at = Field(None, self._path, node.start_mark.line + 1, name)
        if depth > _DEEPEST or self._values > _MOST_VALUES:
            at.fail("there is too much in here")
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _TAGS:
            at.fail(f"the tag {node.tag.removeprefix('tag:yaml.org,2002:')} builds nothing here")
        if isinstance(node, yaml.MappingNode):
            return Field(self._mapping(node, at, depth), at.file, at.line, name)
        if isinstance(node, yaml.SequenceNode):
            items = [self._field(item, f"{name}[{place}]", depth + 1) for place, item in enumerate(node.value)]
            return Field(items, at.file, at.line, name)
        return Field(self._loader.construct_object(node), at.file, at.line, name)

    def _mapping(self, node: Any, at: Field, depth: int) -> Mapping[str, Field]:
        self._loader.flatten_mapping(node)
        fields: dict[str, Field] = {}
        for key_node, value_node in node.value:
            key = self._loader.construct_object(key_node)
            place = Field(key, self._path, key_node.start_mark.line + 1, at.name)
            if not isinstance(key, str):
                place.fail(f"the key {key!r} is not text; put it between quotation marks")
            if key in fields:
                place.fail(f"the key `{key}` stands here twice")
            field = self._field(value_node, f"{at.name}.{key}" if at.name else key, depth + 1)
            fields[key] = Field(field.value, field.file, place.line, field.name)
        return fields
