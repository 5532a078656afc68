"""What agents and their models are told by us, in the agent's language, from `templates/prompts/*/agents.toml`."""

from __future__ import annotations

from debateroom import templates


def say(language: str, key: str, /, **values: object) -> str:
    """The text `key` with its places filled in, without blanks around it."""
    text: str = templates.data(f"prompts/{language}/agents.toml")[key]
    return text.strip("\n").format(**values)
