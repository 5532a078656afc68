"""The reports of one full scripted debate in each language, compared whole."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

GOLDEN = Path(__file__).parent / "golden"


def make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_make", GOLDEN / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
@pytest.mark.parametrize("name", ["chatroom_report.md", "chatroom_report.html"])
def test_the_report_of_a_full_debate_is_the_golden_one(language: str, name: str) -> None:
    """Both reports of the scripted debate are what `tests/golden/` holds; `python tests/golden/make.py` renews it."""
    golden = (GOLDEN / language / name).read_text(encoding="utf-8")
    assert make().reports(language)[name] == golden
