"""`--mixed`: several models dealt to the seats of one debate, from the settings to what the report says of them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from debates import QUESTION, SYNTHESIS, Serve, chat, run, seat_calls
from vendor import debate_script

from debateroom import activities, resuming, settings
from debateroom.errors import NoModel, UsageError
from debateroom.messages import Entry, Round, Seat, Transcript
from debateroom.models.catalog import resolve, vendor
from debateroom.report.markdown import render

SONNET, GPT = "anthropic:claude-sonnet-5-5", "openai:gpt-6.2-sol"


def test_models_are_dealt_to_the_seats_in_order_and_a_role_keeps_its_own(serve: Serve) -> None:
    """Round robin over the seats that name none; the first of the list judges; each seat is really asked so."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    roles = ("A", f"B@{GPT}", "C", "D", "E")
    outcome = activities.debate(QUESTION, role=roles, rounds=1, mixed=("sonnet", "haiku"))
    found = chat(outcome)
    haiku = "anthropic:claude-haiku-5-5"
    assert [seat["model"] for seat in found["agents"]] == [SONNET, GPT, haiku, SONNET, haiku]
    assert [seat["vendor"] for seat in found["agents"]] == ["anthropic", "openai", *["anthropic"] * 3]
    assert found["model"] == SONNET
    asked = sorted(call.model for call in seat_calls(server))
    assert asked == ["claude-haiku-5-5"] * 2 + ["claude-sonnet-5-5"] * 2 + ["gpt-6.2-sol"]
    assert [call.model for call in server.calls if call.schema] == ["claude-sonnet-5-5"]
    assert "3 models of 2 vendors" in outcome.report.read_text(encoding="utf-8")


def test_with_mixed_the_model_only_judges_and_concludes(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """The table of a dry run has every seat's model, the moderator's, and a price that needs all of them."""
    serve("unused")
    code, out, _ = run(capsys, QUESTION, "--mixed", "haiku, gpt", "--model", "opus", "-r", "1", "--dry-run", "--json")
    plan = json.loads(out)
    assert code == 0
    assert [seat["model"] for seat in plan["agents"]] == [
        "anthropic:claude-haiku-5-5",
        GPT,
        "anthropic:claude-haiku-5-5",
    ]
    assert plan["moderator"] == "anthropic:claude-opus-5-5"
    dearer = run(capsys, QUESTION, "--mixed", "opus,gpt", "--model", "opus", "-r", "1", "--dry-run", "--json")[1]
    assert json.loads(dearer)["all_rounds"]["cost"] > plan["all_rounds"]["cost"]
    mixed = run(capsys, QUESTION, "--mixed", "haiku,openai:none", "-r", "1", "--dry-run", "--budget", "1")
    assert (mixed[0], "--budget needs a price for openai:none" in mixed[2]) == (2, True)


def test_the_first_of_the_list_that_may_judge_is_the_moderator(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The embedded model judges nobody."""
    code, out, _ = run(capsys, QUESTION, "--mixed", "embedded,gpt", "-n", "2", "--dry-run", "--json")
    assert (code, json.loads(out)["moderator"]) == (0, GPT)


@pytest.mark.parametrize("given", ["", "sonnet,,gpt", "sonnet,", " "])
def test_an_empty_name_is_refused(here: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    """With what was given and how it is meant."""
    code, _, err = run(capsys, QUESTION, "--mixed", given, "--dry-run")
    assert code == 2
    assert "holds an empty name" in err
    assert "--mixed sonnet,gpt" in err


def test_an_unknown_name_is_refused_also_where_no_seat_is_left_for_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 4, as for `--model`, with a name that is close."""
    code, _, err = run(capsys, QUESTION, "-n", "2", "--mixed", "sonnet,gpt,sonet", "--dry-run")
    assert code == 4
    assert "There is no model called 'sonet'. Did you mean sonnet?" in err
    with pytest.raises(NoModel):
        activities.debate(QUESTION, mixed="nope")


def test_it_is_a_setting_and_one_model_from_nearer_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text is parted at its commas, a list is taken as it is; `--model` alone means that model on every seat."""
    (tmp_path / "debateroom.toml").write_text('mixed = ["sonnet", "command:a, b"]\nmodel = "opus"\n')
    chosen = settings.load({}, folder=tmp_path)
    assert (chosen.mixed, chosen.model) == (("sonnet", "command:a, b"), "opus")
    assert settings.load({"model": "gpt"}, folder=tmp_path).mixed == ()
    assert settings.load({"model": "gpt", "mixed": "opus,gpt"}, folder=tmp_path).mixed == ("opus", "gpt")
    monkeypatch.setenv("DEBATEROOM_MIXED", "haiku, gpt")
    assert settings.load({}, folder=tmp_path).mixed == ("haiku", "gpt")
    with pytest.raises(UsageError, match="--mixed is 3"):
        settings.load({"mixed": 3}, folder=tmp_path)


def trust_of(*models: str, silent: int = 0) -> str:
    """What the report says of the models of seats, the last `silent` of which never answered."""
    agents = tuple(Seat(f"Agent {'ABCD'[n]}", "x", "", name, vendor(resolve(name))) for n, name in enumerate(models))
    spoke = agents[: len(agents) - silent]
    said = tuple(Entry(seat.name, "x", "y", model=seat.model.partition(":")[2]) for seat in spoke)
    text = render(Transcript("?", agents=agents, rounds=(Round(1, said),), version="1"))
    return next(line for line in text.splitlines() if line.startswith("**How far"))


def test_the_report_says_how_alike_the_models_are_whatever_their_endpoints_call_them() -> None:
    """One model under two names is one, several of one maker weigh less, and an unknown maker is none."""
    gateway = "openai:anthropic/claude-sonnet-5-5"
    for models, expected in (
        ((SONNET, SONNET), "one model for all agents: agreement weighs less"),
        ((SONNET, gateway), "one model for all agents: agreement weighs less"),
        ((SONNET, "openai:anthropic/claude-opus-5-5"), "2 models of one vendor: agreement weighs less"),
        ((SONNET, GPT, gateway), "2 models of 2 vendors"),
        (("openai:llama-4", "openai:deepseek-r1-distill-llama-8b"), "2 models of one vendor: agreement weighs less"),
        ((SONNET, "openai:deepseek-r1-distill-llama-8b"), "2 models of 3 vendors"),
        ((SONNET, "openai:some-model"), "2 models, not all of a known vendor"),
    ):
        assert expected in trust_of(*models)
    assert "one model for all agents" in trust_of(SONNET, SONNET, GPT, silent=1), "a seat that said nothing is none"


def test_a_mixed_room_goes_on_with_the_models_it_was_started_with(serve: Serve) -> None:
    """The journal holds every seat's model, so a resume deals nothing again."""
    server = serve(debate_script(synthesis=SYNTHESIS))
    done = activities.debate(QUESTION, agents=2, rounds=1, mixed=("gpt", "sonnet"))
    journal = done.folder / "journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    kept = [
        item for item in events if item["event"] in ("room_opened", "round_started") or item.get("agent") == "Agent A"
    ]
    journal.write_text("".join(json.dumps(item) + "\n" for item in kept))
    before = len(server.calls)
    again = resuming.resume(done.folder, settings.load({"mixed": "haiku"}))
    assert [call.model for call in server.calls[before:]] == ["claude-sonnet-5-5", "gpt-6.2-sol"]
    assert [seat.model for seat in again.transcript.agents] == [GPT, SONNET]


def test_the_readme_shows_what_a_dry_run_prints(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its table of seats is the one of the command above it."""
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    shown = next(block for block in readme.split("```\n") if "--mixed sonnet,gpt --dry-run | head -5" in block)
    command, *table = shown.splitlines()
    words = shlex.split(command.removeprefix("$ debateroom ").partition(" | ")[0])
    assert run(capsys, *words)[1].splitlines()[:5] == table


def test_a_stated_maker_counts_in_a_debate_without_a_judge(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """The report warns of one vendor; a statement that contradicts, or names no model of it, is refused."""
    serve(debate_script(synthesis=SYNTHESIS))
    given = ("--mixed", "sonnet,openai:mystery", "-r", "1", "-q")
    assert run(capsys, QUESTION, *given, "--vendor", "openai:mystery=Anthropic")[0] == 0
    report = Path("active/chatroom/chatroom_report.md").read_text(encoding="utf-8")
    assert "2 models of one vendor: agreement weighs less" in report
    code, _, err = run(capsys, QUESTION, *given, "--vendor", "sonnet=openai")
    assert (code, "is made by anthropic, not by openai" in err) == (2, True)
    code, _, err = run(capsys, QUESTION, *given, "--vendor", "openai:mistery=anthropic")
    assert (code, "--vendor names openai:mistery, and neither a seat nor the judge is that model" in err) == (2, True)


def test_a_vendor_of_the_settings_need_not_be_in_every_debate(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file may state the makers of all models that somebody uses."""
    serve(debate_script(synthesis=SYNTHESIS))
    Path("debateroom.toml").write_text('vendor = ["openai:mystery=acme"]')
    assert run(capsys, QUESTION, "-r", "1", "--dry-run")[0] == 0


@pytest.mark.parametrize("option", [("--judge", "gpt"), ("--rubric", "rubric.md"), ("--seed", "0")])
@pytest.mark.parametrize("decide", [(), ("--decide", "vote")])
def test_options_of_a_judge_are_refused_where_none_decides(
    here: Path, capsys: pytest.CaptureFixture[str], option: tuple[str, str], decide: tuple[str, ...]
) -> None:
    """Else they would be taken for done."""
    code, _, err = run(capsys, QUESTION, *option, *decide, "--dry-run")
    assert (code, f"{option[0]} does nothing here: no judge decides" in err, "--decide judge" in err) == (
        2,
        True,
        True,
    )
