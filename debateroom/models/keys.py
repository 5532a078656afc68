"""Keys of the vendors: from the environment, else from a file that only its owner can read. Never logged or shown."""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from debateroom import files
from debateroom.errors import NoModel, UsageError, Wording
from debateroom.language import worded
from debateroom.models import catalog, quote


class Keys:
    """Looks keys up and keeps them. Its text shows no key."""

    def __init__(self, file: Path | None = None, *, environment: Mapping[str, str] | None = None) -> None:
        self._file = file
        self._environment = os.environ if environment is None else environment

    def __repr__(self) -> str:
        return f"Keys({str(self.path())!r})"

    def path(self) -> Path:
        """The keys file: `keys.toml` in the user's configuration folder, unless another one was given."""
        if self._file is None:
            from platformdirs import user_config_path

            self._file = user_config_path("debateroom") / "keys.toml"
        return self._file

    def get(self, provider: str) -> str | None:
        """The key of `anthropic` or `openai`, or None. The environment goes before the file.

        Raises NoModel for a file that others can read, or that cannot be read at all, and for a key that no header
        can hold: no server would ever see it.
        """
        variable = catalog.provider(provider).key_variable
        found = self._environment.get(variable, "").strip()
        key = found or self._stored().get(provider) or None
        if key is None:
            return None
        for part in (key, *key.split()):
            quote.hide(part)
        if not (key.isascii() and key.isprintable()):
            again = Wording("hint_key_variable", {"variable": variable, "provider": provider})
            source = variable if found else self.path()
            hint = again if found else f"debateroom keys set {provider}"
            raise worded(NoModel, Wording("key_unusable", {"source": source}), hint=hint)
        return key

    def trouble(self, provider: str) -> NoModel | None:
        """Why the key of a provider cannot be used although one may be there; None when nothing is in the way."""
        try:
            self.get(provider)
        except NoModel as error:
            return error
        return None

    def hide(self) -> None:
        """Has every key that is here left out of all that is shown and written, also those that nobody asks for."""
        for name in catalog.web_providers():
            with contextlib.suppress(NoModel):  # a file that cannot be read matters to who needs a key
                self.get(name)

    def require(self, provider: str) -> str:
        """The key of a provider. Raises NoModel with the command that sets it when there is none."""
        found = self.get(provider)
        if found is None:
            variable = catalog.provider(provider).key_variable
            raise NoModel(
                f"There is no key for {provider}: {variable} is not set, and {self.path()} has none.",
                hint=f"debateroom keys set {provider}",
            )
        return found

    def set(self, provider: str, value: str) -> Path:
        """The file in which the key now is, readable by its owner only.

        Raises UsageError for what is no key, NoModel when the file cannot be written.
        """
        _check(provider, value)
        stored = {**self._stored(), provider: value.strip()}
        text = "".join(f'{name} = "{key}"\n' for name, key in sorted(stored.items()))
        try:
            files.write_private(self.path(), text.encode())
        except OSError as error:
            raise NoModel(f"The keys file {self.path()} cannot be written: {error.strerror}.") from error
        return self.path()

    def list(self) -> dict[str, str | None]:
        """Each provider and where its key comes from: the variable, the file's path, or None. Never the key.

        None also for a key that cannot be used (see `trouble`).
        """
        return {name: self._source(name) for name in catalog.web_providers()}

    def _source(self, provider: str) -> str | None:
        variable = catalog.provider(provider).key_variable
        if self.trouble(provider) is not None or self.get(provider) is None:
            return None
        return variable if self._environment.get(variable, "").strip() else str(self.path())

    def _stored(self) -> dict[str, str]:
        path = self.path()
        try:
            private = files.is_private(path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise NoModel(f"The keys file {path} cannot be read: {error.strerror}.") from error
        if not private:
            raise NoModel(f"Others on this machine can read the keys in {path}.", hint=f"chmod 600 {path}")
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            # the parser's message quotes the line, and the line may hold a key
            raise NoModel(f"The keys file {path} is not valid TOML.", hint=f"edit or delete {path}") from None
        return {name: value.strip() for name, value in content.items() if isinstance(value, str)}


def _check(provider: str, value: str) -> None:
    if provider not in catalog.web_providers():
        known = " and ".join(catalog.web_providers())
        raise UsageError(f"There is no provider {provider!r} that takes a key; {known} do.")
    key = value.strip()
    if not key or not key.isascii() or not key.isprintable() or any(mark in key for mark in "\"' \\"):
        raise UsageError("A key is one word of printable ASCII characters; nothing was stored.")
