"""The agents' colours: told apart by colour-blind readers, in both themes, and legible under a letter."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from debateroom import templates

# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear RGB.
EYES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
Colour = tuple[float, ...]


def themes() -> list[dict[str, str]]:
    """The colours of the light and of the dark theme, by name."""
    style = (templates.folder() / "reports" / "report.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{([^}]*--c7[^}]*)\}", style)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block)) for block in blocks]


def linear(name: str) -> Colour:
    digits = name[1:] if len(name) == 7 else "".join(digit * 2 for digit in name[1:])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    return tuple(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)


def contrast(one: str, other: str) -> float:
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (high + 0.05) / (low + 0.05)


def seen(name: str, eye: str) -> Colour:
    """The colour in CIELAB as an eye sees it."""
    r, g, b = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, linear(name), strict=True))))
        for row in EYES[eye]
    )
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_no_two_agents_look_alike(theme: dict[str, str]) -> None:
    """Eight colours at least 13 CIELAB units apart for every eye, the first four at least 25."""
    assert len(themes()) == 2
    colours = [theme[f"c{number}"] for number in range(8)]
    for eye in EYES:
        for (i, one), (j, other) in combinations(enumerate(colours), 2):
            apart = sum((a - b) ** 2 for a, b in zip(seen(one, eye), seen(other, eye), strict=True)) ** 0.5
            assert apart >= (25 if max(i, j) < 4 else 13), (eye, one, other)


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_colours_carry_a_letter_and_stand_out_from_the_page(theme: dict[str, str]) -> None:
    """4.5 for the letter on the colour, 3 for the colour on everything it is drawn upon."""
    for number in range(8):
        colour = theme[f"c{number}"]
        assert contrast(colour, theme["on"]) >= 4.5
        assert min(contrast(colour, theme[name]) for name in ("card", "lane", "paper")) >= 3
