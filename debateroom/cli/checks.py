"""What `debateroom doctor` looks at, one function a line. Nothing is fetched, and nobody is asked unless `live`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from debateroom.errors import CallFailed, DebateroomError, NoModel
from debateroom.models.fault_table import KINDS

if TYPE_CHECKING:
    from debateroom.messages import Model
    from debateroom.models.pull import ModelFile
    from debateroom.models.registry import Models

State = Literal["ok", "not set up", "broken"]
LIMIT = 1024
"""Tokens that the answer to a live call may have, thinking included."""
PATIENCE = 20.0
"""Seconds a live call may take, unless the caller says otherwise."""
_VERSION_PATIENCE = 10.0
"""Seconds a program has to tell its version."""
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, and what came of it."""

    name: str
    state: State
    detail: str
    """For people, on one line."""
    next: str | None = None
    """The command to run next; None when there is nothing to do."""
    version: str | None = None
    """Of the SDK or the program."""
    key: str | None = None
    """Where the key comes from: a variable or a file's path. Never the key."""
    url: str | None = None
    """Where the provider is reached."""
    live: bool | None = None
    """Whether it answered; None when it was not asked."""


def everything(
    models: Models, *, live: bool, seconds: float = PATIENCE, file: ModelFile | None = None
) -> Iterator[Check]:
    """Every check in order, each as soon as it and those before it are made.

    With `live` what is set up is asked for a few words, all at once, each for so many `seconds` at most.
    """
    from debateroom.models.assistants import assistants

    looks: list[Callable[[], Check]] = [
        partial(provider, "anthropic", models),
        partial(provider, "openai", models),
        partial(embedded, file),
        *(partial(program, name) for name in assistants()),
    ]
    # no `with`: leaving it would wait for a server that says nothing, and Ctrl-C may not
    pool = ThreadPoolExecutor(max_workers=len(looks), thread_name_prefix="check")
    try:
        checks = [pool.submit(look) for look in looks]
        if live:
            made = [look.result() for look in checks]
            checks = [pool.submit(_asked, check, _opened(check, models), seconds) for check in made]
        for check in checks:
            yield check.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    yield default()
    yield from folders()


def provider(name: str, models: Models) -> Check:
    """A provider on the web: its SDK, where its key comes from, where it is reached."""
    from debateroom.models.addresses import address, asks_for_no_key, without_secrets

    try:
        sdk = version(name)
    except PackageNotFoundError:
        return Check(name, "broken", "its SDK is not installed", next=f"pip install {name}")
    try:
        url, key = address(name, models.settings.url(name)), models.keys.list()[name]
    except DebateroomError as error:
        return Check(name, "broken", str(error), next=error.hint, version=sdk)
    wrong = models.keys.trouble(name)
    if wrong is not None:
        return Check(name, "broken", str(wrong), next=wrong.hint, version=sdk)
    shown = without_secrets(url)
    ready = key is not None or asks_for_no_key(name, url)
    detail = f"{f'key from {key}' if key else 'no key needed' if ready else 'no key'}, SDK {sdk}, {shown}"
    following = None if ready else f"debateroom keys set {name}"
    return Check(name, "ok" if ready else "not set up", detail, following, version=sdk, key=key, url=shown)


def embedded(file: ModelFile | None = None) -> Check:
    """The embedded model: the extra, and its file, which is hashed in full."""
    from debateroom.models import pull
    from debateroom.models.registry import embedded_installed

    model = file or pull.OFFICIAL
    installed = embedded_installed()
    here = pull.location(model).exists()
    if here:
        try:
            path = pull.verify(model=model)
        except NoModel as error:
            return Check("embedded", "broken", str(error), next=error.hint)
    if not installed:
        told = "the extra is not installed" + ("; the model's file is here" if here else "")
        return Check("embedded", "not set up", told, next='pip install "debateroom[embedded]"')
    found = version("xllamacpp")
    if not here:
        told = f"xllamacpp {found}; the model's file is not here yet, {model.size / 1e6:,.0f} MB"
        return Check("embedded", "not set up", told, next="debateroom models pull", version=found)
    return Check("embedded", "ok", f"xllamacpp {found}, the official file, verified: {path}", version=found)


def program(name: str) -> Check:
    """An assistant's program, by the version that it tells."""
    import shutil
    import threading

    from debateroom.models.assistants import assistants, environment
    from debateroom.models.processes import Programs, TooMuch

    row, path = assistants()[name], shutil.which(name)
    label = f"command:{name}"
    if path is None:
        return Check(label, "not set up", f"no program {name} on the PATH", next=row.install)
    programs = Programs(threading.Event())
    try:
        with programs.scratch() as folder:
            ran = programs.run(
                [path, "--version"],
                folder=folder,
                environment=environment({}, folder / "empty", name),
                seconds=_VERSION_PATIENCE,
                most=_MIB,
            )
    except (OSError, TimeoutError, TooMuch) as error:
        said = "it did not tell its version in time" if isinstance(error, TimeoutError) else "it cannot be started"
        return Check(label, "broken", f"{path}: {said}", next=row.install)
    from debateroom.models.quote import safe_line

    told = safe_line(ran.out) or safe_line(ran.err)
    if ran.code != 0:
        return Check(label, "broken", f"{path} --version ended with exit code {ran.code}: {told}", next=row.install)
    return Check(label, "ok", f"{told}, {path}", version=told)


def default() -> Check:
    """The model that a debate would use now, and why."""
    from debateroom import settings
    from debateroom.language import say
    from debateroom.models.registry import choose_default

    try:
        wanted = settings.load({}).model
        chosen = choose_default(wanted)
    except DebateroomError as error:
        state: State = "not set up" if isinstance(error, NoModel) else "broken"
        return Check("default model", state, str(error), next=error.hint)
    named = "named in the settings" if wanted and wanted != "auto" else "there is a key for it"
    reason = chosen.reason
    told = f"{chosen.name}. {say('en', reason.key, **reason.figures)}" if reason else f"{chosen.name}, {named}"
    return Check("default model", "ok", told)


def folders() -> Iterator[Check]:
    """Where debateroom writes: rooms, keys and settings, the embedded model."""
    from platformdirs import user_cache_path, user_config_path

    from debateroom import settings

    try:
        rooms = settings.load({}).active
    except DebateroomError:
        rooms = Path("active")
    yield folder("rooms", rooms.absolute(), "debateroom … --active DIR")
    yield folder("config", user_config_path("debateroom"), None)
    yield folder("cache", user_cache_path("debateroom"), None)


def folder(name: str, path: Path, otherwise: str | None) -> Check:
    """A folder that must be writable, or that can be made."""
    there = next(place for place in (path, *path.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        following = otherwise or f"make {there} writable"
        return Check(name, "broken", f"{path} cannot be written: {error.strerror}", next=following)
    return Check(name, "ok", str(path) if there == path else f"{path}, made when needed")


def _opened(check: Check, models: Models) -> Model | DebateroomError | None:
    """The model to ask, opened on the main thread; None where nothing is set up, the error where it cannot be."""
    if check.state != "ok":
        return None
    try:
        return models.open(_model(check))
    except DebateroomError as error:
        return error


def _asked(check: Check, model: Model | DebateroomError | None, seconds: float) -> Check:
    """`check` after a short call, in a worker thread; as it is where there is no model to ask."""
    from debateroom.messages import Request

    if model is None:
        return check
    try:
        if isinstance(model, DebateroomError):
            raise model
        request = Request(own="Answer with the one word: ready", max_tokens=LIMIT, timeout=seconds)
        answer = model.ask(request)
    except DebateroomError as error:
        if isinstance(error, NoModel) and error.hint == _NO_SUCH_MODEL:
            detail = f"{check.detail}; it answers, and has not the model that was asked for: {error}"
            return replace(
                check, detail=detail, next=f"--model {check.name}:NAME, with a name that it knows", live=True
            )
        if isinstance(error, CallFailed) and error.cause in _REACHED:
            return replace(check, detail=f"{check.detail}; it is reached: {error}", live=True)
        # a program that nobody has logged in to was not set up by anybody
        logged_out = isinstance(error, NoModel) and error.hint in _logins()
        state: State = "not set up" if logged_out else "broken"
        return replace(check, state=state, detail=f"{check.detail}; {error}", next=error.hint, live=False)
    return replace(check, detail=f"{check.detail}; {answer.model} answered in {answer.seconds:.1f} s", live=True)


def _logins() -> set[str]:
    from debateroom.models.assistants import assistants

    return {row.login for row in assistants().values()}


_NO_SUCH_MODEL = KINDS["no_such_model"].hint
_REACHED = {"rate_limit", "thought_out"}
"""Causes of failed calls that show that a provider answers."""


def _model(check: Check) -> str:
    """The model to ask: the one of the settings where it is this provider's, else the vendor's own."""
    from debateroom import settings
    from debateroom.models import catalog
    from debateroom.models.registry import resolve

    if check.name not in catalog.web_providers():
        return check.name
    try:
        wanted = settings.load({}).model
        if wanted and wanted != "auto" and resolve(wanted).provider == check.name:
            return wanted
    except DebateroomError:
        pass  # said on the line of the default model
    return "haiku" if check.name == "anthropic" else "gpt"
