"""Imports point down: a module may import from its own package or from a lower floor, never up or sideways."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "debateroom"

FLOORS = {
    "__init__": 0, "errors": 0, "messages": 0, "clock": 0,
    "tokens": 0, "interruption": 0, "terminal": 0, "secrecy": 0, "validation": 0,
    "files": 1, "context": 1, "templates": 1, "language": 1, "settings": 1, "reading": 1,
    "models": 2, "project": 2, "outbound": 2, "matching": 2,
    "agents": 3, "room": 3,
    "debating": 4, "dialogue": 4,
    "report": 5, "wake": 5,
    "evaluation": 6, "playbooks": 6,
    "activities": 7, "doors": 7,
    "dialogues": 8, "coordinating": 8, "evaluations": 8, "concluding": 8, "resuming": 9,
    "batch": 10, "cli": 11, "__main__": 12,
}  # fmt: skip
FREE = {1}
"""Single modules and the pure readers share floor 1 and may use one another, as long as no circle comes of it."""
HEAVY = {
    "anthropic": "models", "openai": "models", "xllamacpp": "models", "httpx2": "models", "genai_prices": "models",
    "jinja2": "templates", "rich": "nowhere", "markdown_it": "report", "starlette": "doors", "uvicorn": "doors",
    "tenacity": "models", "filelock": "room", "yaml": "agents", "jsonschema": "nowhere",
    "distributed": "nowhere", "nacl": "nowhere", "nh3": "nowhere", "regex": "nowhere",
}  # fmt: skip
"""Libraries that cost time to import, and the only place that may import them at a module's top: even there
they are imported late, inside the function that needs them, unless the module itself is loaded late."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def part(name: str) -> str:
    pieces = name.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def top_level_imports(path: Path) -> list[str]:
    """Names of modules that importing `path` imports; those under TYPE_CHECKING and inside functions left out."""
    names: list[str] = []
    queue: list[ast.stmt] = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "debateroom":
                names += [f"debateroom.{alias.name}" for alias in node.names]
            else:
                names.append(node.module or "")
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            queue += node.orelse
        elif isinstance(node, ast.If | ast.Try | ast.With):
            queue += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    """A module imports from floors below it, or from its own package."""
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert own in FLOORS, f"{own} has no floor: give it one in this file and in the README"
    for name in top_level_imports(path):
        if not name.startswith("debateroom"):
            continue
        other = part(name)
        if other.startswith("_"):
            continue
        assert other in FLOORS, f"{path}: {name} has no floor"
        same = FLOORS[own] == FLOORS[other]
        assert FLOORS[other] < FLOORS[own] or own == other or (same and FLOORS[own] in FREE), (
            f"{path.relative_to(PACKAGE)} (floor {FLOORS[own]}) imports {name} (floor {FLOORS[other]})"
        )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_are_imported_late(path: Path) -> None:
    """SDKs, jinja2 and rich never load because a module was imported for another reason."""
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name in top_level_imports(path):
        owner = HEAVY.get(name.split(".")[0])
        assert owner is None or owner == own, f"{path.relative_to(PACKAGE)} imports {name} at its top"
