"""Worker jobs on scripted workers and agents: how they end, and each rule that the runner enforces."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from dialogues import Agent, complete, journal, repair, script

import debateroom
from debateroom import templates
from debateroom.activities import Outcome
from debateroom.errors import AgentFailed, UsageError
from debateroom.room.room import read

BRIEF = """# Purchasing
You look after suppliers.

## Activities
- **Trigger:** an invoice arrives
  **Work:** check the amount of the invoice
  **Beneficiary:** accounting
- **Trigger:** a supplier is needed
  **Work:** find suppliers
  **Beneficiary:** the office

-- END --
This part is private.
"""
MISSION = "Find a supplier of desk lamps in Geneva."
PLAN = {"call": "plan", "response": {"steps": ["look for suppliers", "write them down"]}}
FOUND = ("Luminex, 4 Main Street, sells desk lamps.", ["search_suppliers"])
ASK = "Which supplier sells desk lamps in Geneva, with the source?"
RULES = templates.data("dialogue/en.toml")["worker"]["rules"]
GOOD = complete("Luminex at 4 Main Street sells desk lamps.")


def play(
    folder: Path, agent: Agent, *replies: Any, mission: str = MISSION, brief: str = BRIEF, **more: Any
) -> Outcome:
    (folder / "POSITION.md").write_text(brief, encoding="utf-8")
    planned = any(isinstance(reply, Mapping) and reply.get("call") == "plan" for reply in replies)
    model = script(folder, *(() if planned else (PLAN,)), *replies, first=1)
    more = {"model": model, "active": folder / "active", **more}
    return debateroom.work(mission, brief=folder / "POSITION.md", agent=agent, **more)


def final(outcome: Outcome) -> dict[str, Any]:
    return dict(outcome.transcript.final_output or {})


def aside(outcome: Outcome) -> list[list[str]]:
    """By which rules something was kept back."""
    return [event["why"] for event in journal(outcome.folder, "set_aside")]


def rules(outcome: Outcome) -> list[str]:
    """The findings' rules."""
    return [finding["rule"] for finding in final(outcome)["findings"]]


def test_a_job_delivers(tmp_path: Path) -> None:
    """Plan, request, answer, conclusion: the deliverable is a file too, the plan only in the journal."""
    agent = Agent(FOUND)
    outcome = play(tmp_path, agent, ASK, GOOD, job_id="j-1", description="lamps", max_turns=5)
    wanted = {
        "outcome": "delivered", "success": True, "deliverable": "Luminex at 4 Main Street sells desk lamps.",
        "summary": "Found: all of it. Missing: nothing.", "confidence": 0.7, "iterations": 1, "max_iterations": 5,
        "error": "", "findings": [], "tools": ["search_suppliers"],
    }  # fmt: skip
    assert {key: final(outcome)[key] for key in wanted} == wanted
    assert final(outcome)["duration"] > 0
    assert (outcome.folder / "deliverable.md").read_text() == wanted["deliverable"] + "\n"  # type: ignore[operator]
    assert (outcome.summary["exit_code"], outcome.summary["kind"], outcome.folder.name) == (0, "work", "work")
    assert agent.messages == [
        "[AUTONOMOUS MODE] An orchestrator is driving you. Ask no clarifying questions; come straight to the point, "
        f"no chatter and no courtesies.\n\n{ASK}"
    ]
    assert "write them down" not in outcome.chat.read_text()
    (planned,) = journal(outcome.folder, "planned")
    assert (planned["steps"], planned["goal"]) == (["look for suppliers", "write them down"], MISSION)


def test_the_journal_tells_the_job_as_it_goes(tmp_path: Path) -> None:
    """`worker_started, worker_iteration, worker_completed` with the fields that listeners know."""
    seen: list[Mapping[str, Any]] = []
    outcome = play(tmp_path, Agent(FOUND), ASK, GOOD, job_id="j", description="d", max_turns=5, on_event=seen.append)
    told = [event for event in journal(outcome.folder) if event["event"].startswith("worker_")]
    assert told == [event for event in seen if event["event"].startswith("worker_")]
    for event in told:
        event.pop("at")
    assert told == [
        {"event": "worker_started", "jobId": "j", "maxIterations": 5, "description": "d"},
        {"event": "worker_iteration", "iteration": 1, "maxIterations": 5, "query": ASK},
        {
            "event": "worker_completed", "success": True, "summary": "Found: all of it. Missing: nothing.",
            "iterations": 1, "duration": final(outcome)["duration"],
        },
    ]  # fmt: skip


def test_a_broken_agent_breaks_the_job(tmp_path: Path) -> None:
    """`worker_failed` says so; exit code 1, resumable, no deliverable."""
    with pytest.raises(AgentFailed):
        play(tmp_path, Agent(AgentFailed("it crashed")), ASK)
    folder = tmp_path / "active" / "work"
    (failed,) = journal(folder, "worker_failed")
    assert (failed["error"], failed["iterations"]) == ("it crashed", 0)
    assert read(folder).transcript.status == "failed"
    assert not (folder / "deliverable.md").exists()


@pytest.mark.parametrize(
    ("mission", "goal", "recipient", "source"),
    [
        (MISSION, MISSION, "", "mission"),
        ("Merci de trouver un fournisseur.", "Merci de trouver un fournisseur.", "", "mission"),
        ("请查找日内瓦的供应商。", "请查找日内瓦的供应商。", "", "mission"),
        ("Invoice 2210 from Luminex, CHF 410", "check the amount of the invoice", "accounting", "trigger"),
        ("From: Eva\nSubject: new supplier\n\nSend me a lamp.", "find suppliers", "the office", "trigger"),
        ("the weather is fine today", "the weather is fine today", "", "none"),
    ],
)  # fmt: skip
def test_an_explicit_intent_wins_else_the_best_trigger(
    tmp_path: Path, mission: str, goal: str, recipient: str, source: str
) -> None:
    """The trigger's work is the goal, its beneficiary the recipient; a forwarded mail states no intent of its own."""
    outcome = play(tmp_path, Agent(FOUND), ASK, GOOD, mission=mission)
    (planned,) = journal(outcome.folder, "planned")
    assert (planned["goal"], planned["recipient"], planned["source"]) == (goal, recipient, source)


@pytest.mark.parametrize(
    ("request_text", "rule"),
    [
        ("", "empty_message"),
        ("Use search_suppliers for desk lamps in Geneva.", "tool_name"),
        ("My plan is to look for suppliers. Which ones sell lamps?", "plan"),
        ("Étape 1 : quels fournisseurs vendent des lampes ?", "plan"),
        ("1. Which suppliers sell lamps?", "numbering"),
        ("Which suppliers sell lamps? What do they cost?", "second_request"),
        ("List the suppliers of lamps, and also give their addresses.", "second_request"),
        ("列出台灯供应商，然后给出他们的地址。", "second_request"),
        ("Send me the invoices and give me the addresses.", "second_request"),
        ("Ask the user which lamp it should be.", "asks_user"),
        ("Which supplier in Geneva sells lamp QX-4471?", "made_up"),
    ],
)  # fmt: skip
def test_a_request_that_breaks_a_rule_is_written_again(tmp_path: Path, request_text: str, rule: str) -> None:
    """It reaches nobody; the worker is told why and writes another."""
    agent = Agent(FOUND)
    outcome = play(tmp_path, agent, request_text, repair(ASK), GOOD)
    assert [why[0] for why in aside(outcome)] == [rule]
    assert [message.endswith(ASK) for message in agent.messages] == [True]
    assert final(outcome)["outcome"] == "delivered"


def test_what_breaks_a_rule_of_form_twice_is_mended(tmp_path: Path) -> None:
    """Only the first request goes, without numbering and names of tools, and the finding is kept."""
    agent = Agent(FOUND)
    stubborn = "1. Look for lamps with search_suppliers.\n2. Give their addresses."
    outcome = play(tmp_path, agent, stubborn, repair(stubborn), GOOD)
    assert agent.messages[0].endswith("\n\nLook for lamps with the function meant for it.")
    assert {"numbering", "second_request", "tool_name"} <= set(rules(outcome))


def test_two_requests_that_are_joined_are_mended_too(tmp_path: Path) -> None:
    """Insisted on, the first of them goes."""
    agent = Agent(FOUND)
    both = "Please list the suppliers of lamps and send me the invoices of May."
    play(tmp_path, agent, both, repair(both), GOOD)
    assert agent.messages[0].endswith("\n\nPlease list the suppliers of lamps")


def test_a_repeated_request_is_refused_and_then_ends_the_job(tmp_path: Path) -> None:
    """Asked a second time in other words it goes to nobody; insisting ends in a partial deliverable."""
    agent = Agent(FOUND, ("Their price is 40.", ["get_price"]))
    second = "Which supplier of desk lamps sells in Geneva?"
    outcome = play(
        tmp_path, agent, ASK, "Desk lamps in Geneva: which supplier sells?", repair("What is their price?"), GOOD
    )
    assert (aside(outcome), len(agent.messages)) == ([["repeated_request"]], 2)
    end = complete("Luminex sells desk lamps.", "Found: one supplier. Missing: its price.")
    stuck = play(tmp_path, Agent(FOUND), ASK, second, repair(second), repair(end))
    assert (final(stuck)["outcome"], stuck.transcript.stopped) == ("partial", "no_progress")
    assert stuck.summary["exit_code"] == 3


def test_an_answer_without_a_tool_is_deduced_and_its_source_asked_for(tmp_path: Path) -> None:
    """Concluding on it is refused once, and no rule when the source was asked for."""
    agent = Agent("Luminex at 4 Main Street sells desk lamps, I believe.", FOUND)
    outcome = play(
        tmp_path, agent, ASK.replace(", with the source", ""), GOOD, repair("What is the source of that?"), GOOD
    )
    assert (aside(outcome), final(outcome)["outcome"]) == ([["deduced"]], "delivered")
    stays = play(
        tmp_path,
        Agent("Luminex at 4 Main Street sells desk lamps."),
        "Which supplier sells lamps?",
        GOOD,
        repair(GOOD),
    )
    assert (final(stays)["outcome"], rules(stays)) == ("partial", ["deduced"])


NOT_FOUND = ("I searched, no supplier was found.", ["search_suppliers"])
PARTIAL = complete("There is no supplier in the list.", "Partial. Searched the list; missing: a supplier.")


def test_an_offer_is_tried_before_a_partial_end(tmp_path: Path) -> None:
    """What the agent offers next is used first."""
    agent = Agent(("Not found in Geneva. Shall I look in Lausanne?", ["search"]), FOUND)
    outcome = play(tmp_path, agent, ASK, PARTIAL, repair("Yes, look in Lausanne."), GOOD)
    assert (aside(outcome), len(agent.messages)) == ([["untried_offer"]], 2)


def test_a_place_that_nobody_named_is_flagged(tmp_path: Path) -> None:
    """A plain word with a capital letter, as small models make them up; what an answer or the mission has is not."""
    end = complete("Luminex at 4 Main Street sells desk lamps, delivered from Lausanne to Geneva.")
    outcome = play(tmp_path, Agent(FOUND), ASK, end)
    assert [(each["rule"], each["quote"]) for each in final(outcome)["findings"]] == [
        ("unsupported_name", "Lausanne")
    ]


def test_an_offer_of_an_earlier_turn_is_tried_too(tmp_path: Path) -> None:
    """Passed over for another request, it is still there before a partial end."""
    agent = Agent(
        ("Not found in Geneva. Shall I look in Lausanne?", ["search"]),
        ("All other chairs are sold out.", ["s"]),
        FOUND,
    )
    outcome = play(tmp_path, agent, ASK, "All other chairs?", PARTIAL, repair("Look in Lausanne."), GOOD)
    assert (aside(outcome), len(agent.messages)) == ([["untried_offer"]], 3)


def test_an_alternative_is_tried_before_a_partial_end(tmp_path: Path) -> None:
    """Wider, by category, or a list of options; after that a partial end is one."""
    agent = Agent(NOT_FOUND, ("There is no other category either, none found.", ["search"]))
    outcome = play(tmp_path, agent, ASK, PARTIAL, repair("List all categories of lighting."), PARTIAL)
    assert aside(outcome) == [["untried_alternative"]]
    assert (final(outcome)["outcome"], final(outcome)["success"], outcome.summary["exit_code"]) == (
        "partial",
        False,
        3,
    )


BLOCKED = ("I cannot continue without the contract number.", ["get_contract"])


def test_a_block_says_what_why_and_what_to_supply(tmp_path: Path) -> None:
    """A bare `blocked` is refused; the three parts are a good partial end."""
    bare = complete("Blocked.", "Partial: found nothing to go on; the contract number is missing.")
    whole = complete(
        "The contract number is missing. The search cannot go on because it is the key. Please provide it.",
        "Partial: found the register; the contract number is missing.",
    )
    agent = Agent(NOT_FOUND, BLOCKED)
    outcome = play(tmp_path, agent, ASK, "List all contracts.", bare, repair(whole))
    assert aside(outcome) == [["block"]]
    assert (final(outcome)["outcome"], "block" in rules(outcome)) == ("partial", False)


@pytest.mark.parametrize(
    ("end", "rule"),
    [
        (complete('{"suppliers": ["Luminex"]}'), "only_json"),
        (complete("Instruction sent."), "forbidden_end"),
        (complete("À faire"), "forbidden_end"),
        (complete("TODO"), "forbidden_end"),
        (complete("A FAIRE"), "forbidden_end"),
        (complete("null"), "only_json"),
        (complete('"x"'), "only_json"),
        (complete("…"), "empty_deliverable"),
        (complete("指令已发送。"), "forbidden_end"),
        (complete("Nothing."), "forbidden_end"),
        (complete("Rien"), "forbidden_end"),
        (complete("I have sent an e-mail to Luminex."), "impossible_action"),
        (complete("J'ai réservé la salle."), "impossible_action"),
        (complete("The order has been refunded to the customer."), "impossible_action"),
        (complete("La commande a été remboursée."), "impossible_action"),
        (complete("Order placed."), "impossible_action"),
        (complete("I will contact the supplier."), "forbidden_end"),
        (complete("Je vais contacter le fournisseur."), "forbidden_end"),
        (complete("我会联系供应商。"), "forbidden_end"),
        (complete("I have asked the agent to look for suppliers."), "forbidden_end"),
        (complete("Next step: call Luminex."), "forbidden_end"),
        (complete("下一步：联系 Luminex。"), "forbidden_end"),
    ],
)
def test_what_is_no_deliverable_is_refused(tmp_path: Path, end: str, rule: str) -> None:
    """Sent back once; given again it is a refused deliverable, success false, exit code 3."""
    outcome = play(tmp_path, Agent(FOUND), ASK, end, repair(GOOD))
    assert (rule in aside(outcome)[0], len(aside(outcome)), final(outcome)["outcome"]) == (True, 1, "delivered")
    stays = play(tmp_path, Agent(FOUND), ASK, end, repair(end))
    assert (final(stays)["outcome"], final(stays)["success"]) == ("refused", False)
    assert (rule in rules(stays), stays.summary["exit_code"], final(stays)["error"] != "") == (True, 3, True)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Eva, I will be in Geneva on Monday. I will look at the lamps of Luminex then.",
        "Luminex sells desk lamps.\nNext step: ask Luminex for a price.",
        "The order was paid by card, the shop says.",
        "Luminex, à Genève, vend des lampes. Il faut demander le prix.",
    ],
)
def test_a_result_that_names_what_comes_next_is_one(tmp_path: Path, text: str) -> None:
    """Only what is announced and nothing else is no deliverable; a draft may promise something."""
    agent = Agent(("Luminex, Geneva, sells desk lamps. The order was paid by card.", ["search_suppliers"]))
    assert final(play(tmp_path, agent, ASK, complete(text)))["outcome"] == "delivered"


def test_an_empty_deliverable_is_none(tmp_path: Path) -> None:
    """It is asked for once more; given again, the runner puts together what there is."""
    outcome = play(tmp_path, Agent(FOUND), ASK, complete(" \n "), repair(GOOD))
    assert (aside(outcome), final(outcome)["outcome"]) == ([["broken"]], "delivered")
    stays = play(tmp_path, Agent(FOUND), ASK, complete(""), repair(complete("")))
    assert (final(stays)["outcome"], rules(stays)) == ("partial", ["no_conclusion"])
    assert "Luminex" in final(stays)["deliverable"]


def test_an_action_that_a_tool_did_may_be_reported(tmp_path: Path) -> None:
    """The rule is about what no tool of the agent can do."""
    agent = Agent(("Sent to info@luminex.ch.", ["send_mail"]))
    outcome = play(tmp_path, agent, ASK, complete("I have sent an e-mail to info@luminex.ch."))
    assert (aside(outcome), final(outcome)["outcome"]) == ([], "delivered")


def test_nothing_found_before_a_search_is_refused(tmp_path: Path) -> None:
    """No tool was executed: nobody has searched."""
    agent = Agent("Which city do you mean?", FOUND)
    early = complete("No supplier was found.", "Found: nothing. Missing: a supplier.")
    outcome = play(tmp_path, agent, ASK, early, repair("Look in Geneva, any supplier."), GOOD)
    assert ("before_search" in aside(outcome)[0], final(outcome)["outcome"]) == (True, "delivered")


def test_the_summary_says_what_was_found_and_what_is_missing(tmp_path: Path) -> None:
    """One that does not is sent back once; given again it says of nothing that it is whole: a partial deliverable."""
    vague = complete("Luminex sells desk lamps.", "Done. Missing: nothing.")
    outcome = play(tmp_path, Agent(FOUND), ASK, vague, repair(GOOD))
    assert (aside(outcome), rules(outcome)) == ([["summary"]], [])
    stays = play(tmp_path, Agent(FOUND), ASK, vague, repair(vague))
    assert (rules(stays), final(stays)["outcome"], final(stays)["success"]) == (["summary"], "partial", False)
    assert (stays.summary["exit_code"], final(stays)["error"]) == (3, RULES["summary"])
    other = complete("Luminex sells desk lamps. Give me one more turn.")
    stays = play(tmp_path, Agent(FOUND), ASK, other, repair(other))
    assert (rules(stays), final(stays)["outcome"]) == (["asks_turn"], "partial")


def test_the_last_turn_must_conclude(tmp_path: Path) -> None:
    """At `turnsRemaining` 1 a further request goes to nobody."""
    agent = Agent(FOUND, FOUND)
    outcome = play(tmp_path, agent, ASK, "What do they cost?", repair(GOOD), max_turns=2)
    assert (aside(outcome), len(agent.messages), outcome.transcript.stopped) == ([["not_ended"]], 1, "turns")
    assert final(outcome)["outcome"] == "delivered"


def test_a_worker_that_never_concludes_leaves_a_useful_fallback(tmp_path: Path) -> None:
    """The runner puts together what there is: hypotheses, options, a plan; partial, confidence 0."""
    outcome = play(tmp_path, Agent(FOUND), ASK, "What do they cost?", repair("And when?"), max_turns=2)
    assert (final(outcome)["outcome"], final(outcome)["confidence"], outcome.summary["exit_code"]) == (
        "partial",
        0,
        3,
    )
    text = (outcome.folder / "deliverable.md").read_text()
    for part in ("> Luminex, 4 Main Street", "hypothesis", "Options:", "Plan:"):
        assert part in text
    assert rules(outcome) == ["no_conclusion"]


@pytest.mark.parametrize(("more", "why"), [({"max_turns": 2}, "turns"), ({"timeout": 1e-9}, "deadline")])
def test_a_chinese_room_is_told_in_chinese_why_nobody_concluded(
    tmp_path: Path, more: dict[str, Any], why: str
) -> None:
    """The runner's words are the room's."""
    agent = Agent(("Luminex 出售台灯。", ["search_suppliers"]))
    ask = "日内瓦哪家供应商出售台灯？请注明来源。"
    outcome = play(tmp_path, agent, ask, "价格是多少？", repair("价格是多少？"), mission="查找台灯供应商。", **more)
    reason = templates.data("dialogue/zh.toml")["worker"]["reasons"][why]
    assert reason in final(outcome)["summary"]
    assert not set(final(outcome)["summary"] + final(outcome)["error"]) & set(string.ascii_letters)


def test_a_partial_end_in_the_last_turn_needs_a_fallback(tmp_path: Path) -> None:
    """Hypotheses, options or a plan of action; and no further turn is asked for."""
    thin = complete(
        "Luminex sells lamps. I need one more turn.", "Partial: found one supplier; its price is missing."
    )
    useful = complete("Luminex sells lamps. Next steps: call them.", "Partial: found one; its price is missing.")
    outcome = play(tmp_path, Agent(FOUND), ASK, thin, repair(useful), max_turns=1)
    assert (sorted(aside(outcome)[0]), final(outcome)["outcome"]) == (["asks_turn", "fallback"], "partial")


@pytest.mark.parametrize(
    ("answers", "requests"),
    [
        ([FOUND, FOUND], [ASK, "What do they cost?"]),
        (
            [("Which city do you mean?", ["s"]), ("I have a list. Which city do you mean?", ["s"])],
            [ASK, "Look in any city."],
        ),
        (
            [NOT_FOUND, ("Sorry: still not found, I looked everywhere.", ["s"])],
            ["Suppliers of desk lamps in Geneva?", "All suppliers of desk lamps around Geneva?"],
        ),
    ],
    ids=["answer", "question", "nothing"],
)
def test_no_progress_ends_in_a_partial_deliverable(tmp_path: Path, answers: Any, requests: list[str]) -> None:
    """The same answer twice, the same question twice, nothing found twice on one request."""
    end = complete("Luminex sells desk lamps.")
    outcome = play(tmp_path, Agent(*answers), *requests, end)
    assert (final(outcome)["outcome"], outcome.transcript.stopped) == ("partial", "no_progress")
    assert (final(outcome)["success"], outcome.summary["exit_code"], final(outcome)["turns"]) == (False, 3, 2)


def test_data_that_stands_in_no_answer_is_flagged(tmp_path: Path) -> None:
    """Amounts, addresses, e-mails, IBANs, references, names: what nobody said; and confidence beside a gap."""
    agent = Agent(("Luminex, 4 Main Street, info@luminex.ch, lamp L-100 at CHF 1'200.50.", ["search"]))
    end = complete(
        "Luminex, 4 Main Street, info@luminex.ch: lamp L-100 at 1200.50 CHF. Also write to Jane Miller, "
        "jane@luminex.ch, or pay CHF 99 for L-205 to CH93 0076 2011 6238 5295 7 at 9 Park Street.",
        "Found: one lamp. Missing: the delivery time.", 0.95,
    )  # fmt: skip
    outcome = play(tmp_path, agent, ASK, end)
    assert sorted((finding["rule"], finding["quote"]) for finding in final(outcome)["findings"]) == [
        ("overconfident", "0.95"),
        ("unsupported_address", "9 Park Street"),
        ("unsupported_amount", "CHF 99"),
        ("unsupported_email", "jane@luminex.ch"),
        ("unsupported_iban", "CH93 0076 2011 6238 5295 7"),
        ("unsupported_name", "Jane Miller"),
        ("unsupported_reference", "L-205"),
    ]


def test_broken_json_gets_one_repair(tmp_path: Path) -> None:
    """Then the end is the runner's own, partial."""
    broken = "[WORKER_COMPLETE]\nLuminex."
    outcome = play(tmp_path, Agent(FOUND), ASK, broken, repair(GOOD))
    assert (aside(outcome), final(outcome)["outcome"]) == ([["broken"]], "delivered")
    stays = play(tmp_path, Agent(FOUND), ASK, broken, repair(broken))
    assert (final(stays)["outcome"], rules(stays)) == ("partial", ["no_conclusion"])


def test_a_plan_that_cannot_be_read_is_asked_for_once_more(tmp_path: Path) -> None:
    """A worker that gives none works without one."""
    poor = {"call": "plan", "response": "I will just start."}
    outcome = play(tmp_path, Agent(FOUND), poor, PLAN, ASK, GOOD)
    assert [event["steps"] for event in journal(outcome.folder, "planned")] == [
        [],
        ["look for suppliers", "write them down"],
    ]
    assert final(outcome)["outcome"] == "delivered"


def test_a_reference_in_the_summary_that_nobody_gave_is_flagged_too(tmp_path: Path) -> None:
    """The summary is what is read first."""
    end = complete("Luminex at 4 Main Street sells desk lamps.", "Found: lamp QX-4471. Missing: nothing.")
    outcome = play(tmp_path, Agent(FOUND), ASK, end)
    assert "unsupported_reference" in rules(outcome)


def test_capabilities_and_brief_are_in_the_prompt_and_what_follows_the_end_is_not(tmp_path: Path) -> None:
    """`-- END --` ends the brief; an agent of unknown capabilities has `not given`."""
    from debateroom.dialogue import plan as plans
    from debateroom.dialogue import prompts
    from debateroom.room.room import opening_event

    outcome = play(tmp_path, Agent(FOUND, capabilities=("Looks for suppliers.",)), ASK, GOOD)
    told = prompts.system(plans.from_event(opening_event(outcome.folder)))
    assert "- Looks for suppliers." in told
    assert "You look after suppliers." in told
    assert "private" not in (outcome.folder / "journal.jsonl").read_text()
    outcome = play(tmp_path, Agent(FOUND), ASK, GOOD, result_persona="Haiku.")
    told = prompts.system(plans.from_event(opening_event(outcome.folder)))
    assert "<agent_capabilities>\nnot given\n" in told
    assert "Haiku." in told


@pytest.mark.parametrize(("mission", "brief"), [("  ", BRIEF), (MISSION, "-- END --\nall private")])
def test_a_job_needs_a_mission_and_a_brief(tmp_path: Path, mission: str, brief: str) -> None:
    """Without either there is nothing to do; no room is made."""
    with pytest.raises(UsageError):
        play(tmp_path, Agent(FOUND), ASK, mission=mission, brief=brief)
    assert not (tmp_path / "active").exists()


def test_the_autonomous_prefix_stands_before_the_first_request_only(tmp_path: Path) -> None:
    """In the language of the mission."""
    agent = Agent(FOUND, ("Le prix est de 40 francs.", ["get_price"]))
    end = complete("Luminex, 40 francs.", "Trouvé : le prix. Manque : rien.")
    play(
        tmp_path,
        agent,
        "Quels fournisseurs de lampes ?",
        "Quel est leur prix ?",
        end,
        mission="Trouve le prix d'une lampe.",
    )
    assert agent.messages[0].startswith("[MODE AUTONOME] Un orchestrateur te pilote.")
    assert agent.messages[1] == "Quel est leur prix ?"
    assert json.loads((tmp_path / "active/work/chat.json").read_text())["language"] == "fr"


def test_an_answer_stays_deduced_when_its_source_is_not_told(tmp_path: Path) -> None:
    """Asked for, and no tool was executed all the same: the reader is told which answers that are."""
    agent = Agent("Luminex at 4 Main Street sells desk lamps.", "I know it.")
    outcome = play(tmp_path, agent, "Which supplier sells lamps?", "What is the source of that?", GOOD)
    assert [(item["rule"], item["turn"]) for item in final(outcome)["findings"]] == [("deduced", 1)]
