"""Python callables by name, `module:function`, from a file's own folder or from what is installed."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

_BINDING = ("globals", "exec", "eval", "setattr", "vars", "__dict__", "__getattr__", "modules")
"""Names with which a module may get names that stand nowhere in it."""


class NoSuchCallable(Exception):
    """A name that leads to nothing that can be called; the message says where it ends."""


def find_callable(reference: str, folder: Path) -> Callable[..., Any]:
    """The callable that `module:name` (or `module:Class.method`) means; `module` may lie in `folder`.

    One file is one module however often it is named, so what it holds is shared. Raises NoSuchCallable.
    """
    name, colon, path = reference.strip().partition(":")
    if not colon or not name or not path:
        raise NoSuchCallable(f"{reference!r} is not written as module:function")
    try:
        found: Any = _module(name, folder)
    except ImportError as error:
        raise NoSuchCallable(f"the module {name} cannot be imported: {error}") from error
    except Exception as error:  # whatever a module of the user's does while it is loaded
        raise NoSuchCallable(
            f"the module {name} fails while it is loaded: {type(error).__name__}: {error}"
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise NoSuchCallable(f"the module {name} has no {path}")
        found = getattr(found, part)
    if not callable(found):
        raise NoSuchCallable(f"{path} in {name} is nothing that can be called")
    return found  # type: ignore[no-any-return]


def lacks(reference: str, folder: Path) -> str:
    """Why `module:name` surely leads to nothing, seen without running anything; empty when it may lead somewhere."""
    name, _, path = reference.strip().partition(":")
    file = _in_folder(name, folder)
    if file is None:
        return "" if _is_somewhere(name.partition(".")[0], folder) else f"there is no module {name}"
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        return f"the module {name} is not Python that can be read: {error}"
    return "" if _may_bind(tree, path.partition(".")[0]) else f"the module {name} has no {path}"


def _is_somewhere(name: str, folder: Path) -> bool:
    """Whether a module is loaded or installed, or a folder that may hold some."""
    try:
        return (folder / name).is_dir() or name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _may_bind(tree: ast.Module, name: str) -> bool:
    """Whether anything in a module may give it `name`; what it does by other means than names is not known."""
    for node in ast.walk(tree):
        known = [str(getattr(node, key, "")).partition(".")[0] for key in ("name", "asname", "id", "attr")]
        if {name, "*", *_BINDING} & set(known):
            return True
    return False


def next_step(reference: str, folder: Path) -> str:
    """What to do about a callable that is not there."""
    name = reference.strip().partition(":")[0]
    return f"put {name.replace('.', '/')}.py into {folder}, install what it needs, or mend the name"


def _module(name: str, folder: Path) -> ModuleType:
    path = _in_folder(name, folder)
    if path is None:
        return importlib.import_module(name)
    loaded = sys.modules.get(name)
    if loaded is not None and _is_from(loaded, path):
        return loaded
    # a module of that name from elsewhere is left alone: this one then has a name of its own
    own = name if loaded is None else f"_debateroom_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    return sys.modules[own] if own in sys.modules else _load(own, path, folder)


def _in_folder(name: str, folder: Path) -> Path | None:
    base = folder.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path.resolve()
    return None


def _is_from(module: ModuleType, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve() == path


def _load(name: str, path: Path, folder: Path) -> ModuleType:
    if str(folder.resolve()) not in sys.path:
        sys.path.append(str(folder.resolve()))  # its neighbours; at the end, so that it hides nothing
    if "." in name:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
