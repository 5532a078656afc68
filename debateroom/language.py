"""The three languages debateroom speaks, and the labels a reply carries in each."""

from __future__ import annotations

from collections.abc import Mapping

from debateroom import templates
from debateroom.messages import Kind

LANGUAGES = ("en", "fr", "zh")

SECTIONS: Mapping[Kind, tuple[str, ...]] = {
    "opening": ("position", "reasoning", "proposal", "concerns", "confidence"),
    "debate": ("agreements", "disagreements", "refined_proposal", "endorses", "confidence"),
}
"""Keys of the sections asked for, in order: the English label, lower case, with underscores."""

LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "position": "POSITION",
        "reasoning": "REASONING",
        "proposal": "PROPOSAL",
        "concerns": "CONCERNS",
        "agreements": "AGREEMENTS",
        "disagreements": "DISAGREEMENTS",
        "refined_proposal": "REFINED PROPOSAL",
        "endorses": "ENDORSES",
        "confidence": "CONFIDENCE",
    },
    "fr": {
        "position": "POSITION",
        "reasoning": "RAISONNEMENT",
        "proposal": "PROPOSITION",
        "concerns": "PRÉOCCUPATIONS",
        "agreements": "ACCORDS",
        "disagreements": "DÉSACCORDS",
        "refined_proposal": "PROPOSITION AFFINÉE",
        "endorses": "SOUTIENT",
        "confidence": "CONFIANCE",
    },
    "zh": {
        "position": "立场",
        "reasoning": "理由",
        "proposal": "提案",
        "concerns": "顾虑",
        "agreements": "共识",
        "disagreements": "分歧",
        "refined_proposal": "修订提案",
        "endorses": "支持",
        "confidence": "信心",
    },
}
"""The label of each section as prompts ask for it and replies carry it."""


def say(language: str, key: str, /, **values: object) -> str:
    """A message to the user in `language`, from `templates/labels/<language>.toml`, with `{name}` filled in."""
    text: str = templates.data(f"labels/{language}.toml")[key]
    return text.format(**values) if values else text
