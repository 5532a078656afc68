"""Which files nobody means to hand to a model: keys, passwords, `.env`, what version control keeps. By name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".kube",
        ".docker",
        ".gcloud",
        ".password-store",
    }
)
"""What stands in them is not looked at at all."""
_FILES = frozenset(
    {
        ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials",
        ".dockercfg", ".vault_pass", ".vault-token", "credentials", "credentials.json", "credentials.toml",
        "secrets", "secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml", "secrets.env",
    }
)  # fmt: skip
ENDINGS = (
    ".pem", ".key", ".p12", ".pfx", ".jks", ".ppk", ".kdbx", ".keystore", ".gpg", ".asc", ".age", ".tfstate",
    ".tfstate.backup", ".env",
)  # fmt: skip
"""How the names of key files and the like end."""
_BEGIN = (
    ".env*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "client_secret*", "service-account*",
    "service_account*",
)  # fmt: skip
"""How they begin."""


def is_secret(parts: Iterable[str]) -> bool:
    """Whether a path of these parts is that of a secret, or leads through a folder of such.

    Case does not count: on many disks `.ENV` and `.env` are one file. The blanks and dots that some systems drop at
    the end of a name are left out too.
    """
    return any(_is_secret(part.rstrip(" .").casefold()) for part in parts)


def _is_secret(name: str) -> bool:
    beginnings = tuple(begin.removesuffix("*") for begin in _BEGIN)
    return name in _FOLDERS or name in _FILES or name.endswith(ENDINGS) or name.startswith(beginnings)


def globs() -> tuple[str, ...]:
    """The same as patterns for programs that know no other way, in small letters and in capitals."""
    folders = [f"**/{name}/**" for name in sorted(_FOLDERS)]
    files = [f"**/{name}" for name in (*sorted(_FILES), *(f"*{ending}" for ending in ENDINGS), *_BEGIN)]
    return tuple(dict.fromkeys(each for pattern in (*folders, *files) for each in (pattern, pattern.upper())))


def expression() -> str:
    """The same as a regular expression for a path between quotation marks, in any language's dialect."""
    folders = [f'[/"]{_any_case(name)}["/]' for name in sorted(_FOLDERS)]
    files = [f'[/"]{_any_case(name)}"' for name in sorted(_FILES)]
    endings = [f'{_any_case(ending)}"' for ending in ENDINGS]
    beginnings = [f'[/"]{_any_case(begin.replace("*", ""))}' for begin in _BEGIN]
    return "|".join([*folders, *files, *endings, *beginnings])


def _any_case(name: str) -> str:
    return "".join(f"[{mark}{mark.upper()}]" if mark.isalpha() else re.escape(mark) for mark in name)
