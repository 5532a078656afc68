"""Prompts, reports, labels and roles from the `templates/` folder: rendering and data. No text lives in code."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def folder() -> Path:
    """The templates: inside the installed package, or beside it in a checkout."""
    installed = Path(__file__).parent / "_templates"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "templates"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    return Environment(
        loader=FileSystemLoader(folder(), encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(enabled_extensions=("html", "html.j2"), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )


def add_filters(**filters: Any) -> None:
    """Makes functions available in every template as `value | name`."""
    _environment().filters.update(filters)


def render(name: str, /, **values: Any) -> str:
    """The text of template `name` (a path below `templates/`, with `/`). A missing value is an error."""
    return _environment().get_template(name).render(**values)


@cache
def data(name: str) -> dict[str, Any]:
    """The content of the TOML file `name` below `templates/`. Do not change what comes back."""
    return tomllib.loads((folder() / name).read_text(encoding="utf-8"))
