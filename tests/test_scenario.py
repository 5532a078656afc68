"""Scenario files and briefs: what is read, and which errors name file, line and field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debateroom.dialogue import brief, scenario
from debateroom.dialogue.brief import Activity
from debateroom.errors import UsageError
from debateroom.matching.calls import ExpectedCall


def test_yaml_and_json_and_the_old_names(tmp_path: Path) -> None:
    """`testPersona, testGoals, testResult, expectedTools` are read too; a list is a text with one item a line."""
    yaml = tmp_path / "s.yaml"
    yaml.write_text("testPersona: angry\ntestGoals:\n  - first\n  - second\ntestResult: In time.\n")
    old = tmp_path / "s.json"
    value = {"testPersona": "angry", "testGoals": "- first\n- second", "testResult": "In time."}
    old.write_text("\ufeff" + json.dumps(value), encoding="utf-8")
    assert scenario.read(yaml) == scenario.read(old)
    read = scenario.read(old)
    assert (read.persona, read.goals, read.result) == ("angry", "- first\n- second", "In time.")


def test_json_is_read_as_json(tmp_path: Path) -> None:
    """What YAML would read in another way: escapes, tabs, a value that looks like a date."""
    path = tmp_path / "s.json"
    path.write_text('{\n\t"goals":"\\ud83d\\ude00 a\\/b\\tc",\n\t"opening": "2024-01-01"}')
    assert (scenario.read(path).goals, scenario.read(path).opening) == ("😀 a/b\tc", "2024-01-01")


def test_expected_tools_in_every_form() -> None:
    """Names alone, objects, and the older form by name."""
    wanted = (ExpectedCall(tool="get_order", count=1),)
    assert (
        scenario.parse({"goals": "g", "expected_tools": [{"tool": "get_order", "count": 1}]}, "s").expected_tools
        == wanted
    )
    assert scenario.parse({"goals": "g", "expectedTools": {"get_order": {"count": 1}}}, "s").expected_tools == wanted
    assert scenario.parse({"goals": "g", "expected_tools": ["a"]}, "s").expected_tools == (ExpectedCall(tool="a"),)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.yaml", "goals: x\n]", "s.yaml, line 2"),
        ("s.json", '{\n"goals": }', "s.json, line 2"),
        ("s.yaml", "persona: angry", "s.yaml, line 1, goals: it is missing"),
        ("s.yaml", "goals: x\n\nturns: 3", "s.yaml, line 3, turns: there is no such key"),
        ("s.json", '{"goals": "x",\n\t"turns": 3}', "s.json, line 2, turns: there is no such key"),
        ("s.yaml", "testPersona: a\ntestGoals: {a: 1}", "s.yaml, line 2, testGoals: "),
        ("s.yaml", "goals: x\npersona: a\npersona: b", "s.yaml, line 3: the key `persona` stands here twice"),
        ("s.json", '{"goals": "x",\n"goals": "y"}', "s.json, line 2: the key `goals` stands here twice"),
        ("s.json", '{"goals": NaN}', "s.json: it is no valid JSON: NaN"),
        ("s.yaml", "goals: x\nopening: 2024-01-01", "s.yaml, line 2, opening: this is neither text nor a number"),
        ("s.yaml", "goals: x\ntestGoals: y", "say the same thing twice"),
        ("s.yaml", "goals: {a: 1}", "s.yaml, line 1, goals: "),
        ("s.yaml", "goals: x\nbefore: os.system", "s.yaml, line 2, before: it is written python:module:function"),
        ("s.yaml", "goals: x\nbefore: python:nowhere_at_all:f", "s.yaml, line 2, before: the module nowhere_at_all"),
        ("s.json", '{"goals": "x",\n"before": "python:json:f"}', "s.json, line 2, before: the module json has no f"),
        ("s.yaml", "goals: x\nexpected_tools: [{count: -1, tool: a}]", r"line 2, expected_tools\[0\].count"),
        ("s.yaml", "goals: x\nexpectedTools:\n  a:\n    count: -1", "line 4, expectedTools.a.count"),
        ("s.yaml", "just words", "holds no scenario"),
        ("s.yaml", "goals: !!python/object/apply:os.system ['true']", "line 1, goals: the tag python/object/apply"),
    ],
)
def test_an_error_names_file_line_and_field(tmp_path: Path, name: str, text: str, message: str) -> None:
    """The field as the file calls it; nothing in it is run."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        scenario.read(path)


def test_a_missing_or_broken_file(tmp_path: Path) -> None:
    """A path that cannot be read is a usage error with its name."""
    with pytest.raises(UsageError, match="No such file"):
        scenario.read(tmp_path / "nowhere.yaml")
    (tmp_path / "b.yaml").write_bytes(b"goals: \xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        scenario.read(tmp_path / "b.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "Trigger: a mail\nWork: answer it\nBeneficiary: Eva",
        "- **Déclencheur :** a mail\n- **Travail :** answer it\n- **Bénéficiaire :** Eva",
        "### Activité\n1. Declencheur: a mail\n2. Travail: answer it\n3. Beneficiaire: Eva",
        "触发：a mail\n工作：answer it\n受益人：Eva",
    ],
)
def test_activities_in_three_languages(text: str) -> None:
    """`Trigger/Work/Beneficiary`, with the marks of Markdown around them."""
    assert brief.read(text).activities == (Activity("a mail", "answer it", "Eva"),)


def test_a_brief_ends_at_its_mark() -> None:
    """What follows the line `-- END --` is not read; a mention inside a line is no mark."""
    read = brief.read("Position. It ends with -- END -- on a line.\nTrigger: x\n-- END --\nTrigger: y\n-- END --")
    assert read.text == "Position. It ends with -- END -- on a line.\nTrigger: x"
    assert read.activities == (Activity("x"),)


@pytest.mark.parametrize(
    ("mission", "stated"),
    [
        ("Find the price of the lamp.", True),
        ("Hello, could you please list all suppliers?", True),
        ("Trouve le prix de la lampe.", True),
        ("Bonjour, pouvez-vous vérifier la facture ?", True),
        ("Veuillez annuler la commande W1001.", True),
        ("请帮我查询订单 W1001。", True),
        ("The lamp has not come yet.", False),
        ("La lampe n'est pas arrivée.", False),
        ("台灯还没有到。", False),
        ("Invoice 2210, CHF 410", False),
        ("Find", False),
        ("> Please find the invoice attached.", False),
    ],
)
def test_an_explicit_intent_is_a_verb_with_its_object(mission: str, stated: bool) -> None:
    """In three languages, with and without courtesies."""
    assert bool(brief.explicit_intent(mission)) is stated


def test_the_best_trigger_is_the_one_that_shares_most() -> None:
    """None when nothing is shared."""
    activities = (Activity("an invoice arrives"), Activity("a lamp is broken"))
    assert brief.best_trigger("The desk lamp is broken.", activities, "en") == activities[1]
    assert brief.best_trigger("Good weather today.", activities, "en") is None
    assert brief.best_trigger("收到发票", (Activity("灯坏了"), Activity("收到一张发票")), "zh") == Activity(
        "收到一张发票"
    )
