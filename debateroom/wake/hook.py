"""Whom a workspace wakes: the webhook's URL and key, kept encrypted, and never shown again.

The box lies in the workspace's `.debateroom/`, the key that opens it in the user's configuration folder: whoever gets
the workspace, by a copy or by version control, has neither.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from platformdirs import user_config_path

from debateroom import files
from debateroom.errors import DebateroomError, UsageError, Wording
from debateroom.language import worded
from debateroom.models import quote
from debateroom.outbound.guard import check_webhook_url
from debateroom.wake.signature import secret_of
from debateroom.wake.workspace import Workspace

SET = "debateroom wake set --url URL --key -"
PREFIX = "debateroom"
_BOX = "wake.box"
_PREFIXES = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_LONGEST_KEY = 1_000


class WakeUnreadable(DebateroomError):
    """What is kept about the wake-up call cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook. Its text shows neither URL nor key."""

    url: str = field(repr=False)
    key: str = field(repr=False)
    prefix: str = PREFIX
    """What the names of events begin with."""

    @property
    def shown(self) -> str:
        """All of the URL that is ever shown: `https://host/…`."""
        return f"https://{urlsplit(self.url).hostname or '?'}/…"


def checked(url: str, key: str, prefix: str, *, ports: Collection[int] = ()) -> Hook:
    """The hook of these parts. Raises UsageError for what cannot be one, RefusedURL as the guard says.

    A hook of which only the prefix changes is checked as a new one: its name may lead elsewhere by now.
    """
    if not key or len(key) > _LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise worded(UsageError, Wording("wake_bad_key"))
    try:
        secret_of(key)
    except ValueError:
        raise worded(UsageError, Wording("wake_bad_secret")) from None
    if not _PREFIXES.fullmatch(prefix):
        raise worded(UsageError, Wording("wake_bad_prefix"))
    check_webhook_url(url, ports=ports)
    return Hook(url, key, prefix)


def keep(workspace: Workspace, hook: Hook) -> None:
    """Puts `hook` into the workspace's box. Raises WakeUnreadable, RoomError when it cannot be written."""
    from nacl.secret import SecretBox

    workspace.make()
    content = files.dumps({"url": hook.url, "key": hook.key, "prefix": hook.prefix})
    sealed = SecretBox(_key(make=True)).encrypt(content)
    value = {"version": 1, "box": base64.b64encode(sealed).decode()}
    try:
        files.write_private(workspace.own / _BOX, files.dumps(value) + b"\n")
    except OSError as error:
        _unreadable(workspace.own / _BOX, error.strerror or str(error))


def known(workspace: Workspace) -> Hook | None:
    """The workspace's hook; None when none was set. Raises WakeUnreadable."""
    from nacl.exceptions import CryptoError
    from nacl.secret import SecretBox

    path = workspace.own / _BOX
    try:
        sealed = base64.b64decode(json.loads(path.read_bytes())["box"], validate=True)
        content = json.loads(SecretBox(_key()).decrypt(sealed))
        hook = Hook(str(content["url"]), str(content["key"]), str(content["prefix"]))
    except FileNotFoundError:
        return None
    except OSError as error:
        _unreadable(path, error.strerror or str(error))
    except (ValueError, KeyError, TypeError, CryptoError):
        # no cause: a parser's message may quote what was in the box
        raise worded(WakeUnreadable, Wording("wake_box", {"path": path}), hint=SET) from None
    quote.hide(hook.key)
    return hook


def required(workspace: Workspace) -> Hook:
    """The workspace's hook. Raises UsageError with the command that sets one when there is none, WakeUnreadable."""
    hook = known(workspace)
    if hook is None:
        raise worded(UsageError, Wording("wake_none", {"folder": workspace.folder}), hint=SET)
    return hook


def forget(workspace: Workspace) -> bool:
    """Whether there was a hook; there is none any more. Raises WakeUnreadable."""
    path = workspace.own / _BOX
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        _unreadable(path, error.strerror or str(error))
    return True


def key_file() -> Path:
    """Where the key is that opens the boxes of all the user's workspaces: `wake.key`, readable by its owner only."""
    return user_config_path("debateroom") / "wake.key"


def _key(*, make: bool = False) -> bytes:
    """The key's 32 bytes. Raises WakeUnreadable when there is none, or others can read it."""
    path = key_file()
    try:
        if make and not path.exists():
            files.write_private(path, base64.b64encode(os.urandom(32)) + b"\n")
        if not files.is_private(path):
            raise worded(WakeUnreadable, Wording("wake_open_key", {"path": path}), hint=f"chmod 600 {path}")
        key = base64.b64decode(path.read_bytes(), validate=False)
    except FileNotFoundError:
        raise worded(WakeUnreadable, Wording("wake_no_key", {"path": path}), hint=SET) from None
    except (OSError, binascii.Error) as error:
        _unreadable(path, getattr(error, "strerror", None) or type(error).__name__)
    if len(key) != 32:
        raise worded(WakeUnreadable, Wording("wake_no_key", {"path": path}), hint=f"remove {path}, then: {SET}")
    return key


def _unreadable(path: Path, reason: str) -> NoReturn:
    raise worded(WakeUnreadable, Wording("wake_unreadable", {"path": path, "reason": reason})) from None
