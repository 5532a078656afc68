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
_BEGINNINGS = re.compile(r"\.env|id_(?:rsa|dsa|ecdsa|ed25519)(?:$|[._-])|client_secret|service[-_]account.*\.json$")


def is_secret(parts: Iterable[str]) -> bool:
    """Whether a path of these parts is that of a secret, or leads through a folder of such.

    Case does not count: on many disks `.ENV` and `.env` are one file. The blanks and dots that some systems drop at
    the end of a name are left out too.
    """
    return any(_is_secret(part.rstrip(" .").casefold()) for part in parts)


def _is_secret(name: str) -> bool:
    return name in _FOLDERS or name in _FILES or name.endswith(ENDINGS) or bool(_BEGINNINGS.match(name))
