"""Transcripts for tests: debates as they really look, each with something that goes wrong or right in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from debateroom.language import LABELS
from debateroom.messages import Entry, Failure, Kind, Round, Seat, Transcript, Usage
from debateroom.room.transcript import from_json

GOLDEN = Path(__file__).parent / "golden"
STARTED = "2026-11-30T14:05:00+01:00"
OPENING = ("position", "reasoning", "proposal", "concerns", "confidence")
DEBATE = ("agreements", "disagreements", "refined_proposal", "endorses", "confidence")


def reply(kind: Kind, *texts: str, language: str = "en") -> str:
    """A reply as asked: each label with its text."""
    colon = {"en": ": ", "fr": " : ", "zh": "："}[language]
    keys = OPENING if kind == "opening" else DEBATE
    return "\n".join(f"{LABELS[language][key]}{colon}{text}" for key, text in zip(keys, texts, strict=True))


def entry(seat: Seat, kind: Kind, *texts: str, language: str = "en", **values: Any) -> Entry:
    """An entry whose confidence and endorsement are what its reply states."""
    confidence = float(texts[-1].split("/")[0]) if texts[-1] else None
    endorses = texts[-2] if kind == "debate" and texts[-2] else None
    stated: dict[str, Any] = {"confidence": confidence, "endorses": endorses}
    return Entry(
        seat.name, seat.role, reply(kind, *texts, language=language), model=seat.model, **{**stated, **values}
    )


def seats(*roles: str, model: str = "anthropic:claude-sonnet-5-5", vendor: str = "anthropic") -> tuple[Seat, ...]:
    """Seats `Agent A` … with these roles."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return tuple(
        Seat(f"Agent {letter}", role, f"argues as {role}", model, vendor)
        for letter, role in zip(letters, roles, strict=False)
    )


def debate(language: str) -> Transcript:
    """The full scripted debate of `tests/golden/` in one language."""
    return from_json(json.loads((GOLDEN / language / "chat.json").read_text(encoding="utf-8")))


def consensus() -> Transcript:
    """Four seats, four of five rounds, three changes of mind, agreement at the end."""
    return debate("en")


def left_behind() -> Transcript:
    """What the original skill leaves: no version, a context object, a second key for rounds, a free synthesis."""
    opening = "POSITION : {}\nRAISONNEMENT : Parce que.\nPROPOSITION : {}\nPRÉOCCUPATIONS : Le temps."
    later = "ACCORDS : Oui.\nDÉSACCORDS : Non.\nPROPOSITION AFFINÉE : {}\nCONFIANCE : {}"
    roles = {"Agent A": "Architecte", "Agent B": "Pragmatique"}
    return from_json(
        {
            "problem": "Faut-il une file d'attente ou une simple boucle pour les courriels ?",
            "context": {"volume": "300 par heure"},
            "agents": [{"name": name, "role": role, "framing": "…"} for name, role in roles.items()],
            "rounds": [
                {
                    "round": 1,
                    "entries": [
                        {"agent": name, "role": role, "response": opening.format("Ma position.", "La mienne.")}
                        for name, role in roles.items()
                    ],
                }
            ],
            "rounds_r2": [
                {"agent": "Agent A", "role": "Architecte", "response": later.format("Une table.", "8/10")},
                {"agent": "Agent B", "role": "Pragmatique", "response": "D'accord avec la table."},
            ],
            "final_output": {
                "consensus": "Une table Postgres suffit.",
                "désaccords clés": ["Le délai acceptable"],
                "action recommandée": "Construire la table.",
                "prochaine étape": "Mesurer.",
            },
        }
    )


def deadlock() -> Transcript:
    """Three rounds to the end: a seat that died, a reply off topic, one cut, one without confidence, no agreement."""
    a, b, c, d = room = seats("Optimist", "Skeptic", "Synthesizer", "Devil's advocate")
    room = (*room[:3], replace(d, model="openai:gpt-6.2-sol", vendor="openai"))
    d = room[3]
    rounds = (
        Round(
            1,
            (
                entry(
                    a,
                    "opening",
                    "Enter the market now.",
                    "Two rivals are asleep.",
                    "Launch in Lyon in May.",
                    "Cash.",
                    "9",
                ),
                entry(
                    b,
                    "opening",
                    "Wait a year.",
                    "Nobody measured demand.",
                    "Ten pilots first.",
                    "We may be late.",
                    "7",
                ),
                entry(c, "opening", "Enter small.", "A pilot is a launch.", "One city, one team.", "Focus.", ""),
                entry(d, "opening", "Sell the idea.", "We lack the licence.", "License it out.", "Price.", "5"),
            ),
        ),
        Round(
            2,
            (
                entry(a, "debate", "One city is right.", "A year is too long.", "Lyon in May.", "Agent A", "8"),
                entry(b, "debate", "Small is better.", "May is too soon.", "Ten pilots.", "Agent B", "8"),
                entry(c, "debate", "Both have a point.", "None.", "One city after three pilots.", "", "7"),
                entry(d, "debate", "x", "x", "My favourite pasta recipe is …", "", "10", off_topic=True),
            ),
        ),
        Round(
            3,
            (
                entry(
                    a, "debate", "Pilots are fine.", "In parallel!", "Lyon in May.", "Agent A", "8", finish="length"
                ),
                entry(
                    b, "debate", "Lyon is fine.", "After the pilots.", "Ten pilots.", "Agent B", "9", repaired=True
                ),
                entry(c, "debate", "Three pilots.", "The date.", "Three pilots, then Lyon.", "Agent B", ""),
            ),
            failures=(Failure(d.name, d.role, "no answer within 120 s (openai:gpt-6.2-sol)"),),
        ),
    )
    return Transcript(
        problem="Should we enter the French market this year or wait?",
        agents=room,
        rounds=rounds,
        final_output={
            "summary": "After three rounds nobody’s proposal convinced the others: the Optimist wants Lyon in May, "
            "the Skeptic ten pilots first, and the Synthesizer would sign the Skeptic’s with fewer pilots.",
            "outcome": "deadlock",
            "consensus": ["Start in one city."],
            "disagreements": [
                {
                    "question": "When",
                    "sides": [{"agents": ["Agent A"], "claim": "May"}, {"agents": ["Agent B"], "claim": "later"}],
                }
            ],
            "recommended_action": "Run three pilots now and decide in March.",
            "sharpest_disagreement": "Is being late worse than being wrong?",
            "unresolved_risks": [{"risk": "No licence.", "raised_by": "Agent D"}],
            "mind_changes": [],
            "highlights": [],
            "opening_vote": {"Agent A": 1, "Agent B": 1, "Agent C": 1, "Agent D": 1},
            "final_vote": {"Agent A": ["Agent A"], "Agent B": ["Agent B", "Agent C"], "": ["Agent D"]},
            "effective_agents": 3,
            "excluded": [{"agent": "Agent D", "round": 2, "reason": "a recipe, not an answer"}],
            "synthesized_by": "extract",
            "extract_because": "",
            "unsupported": 2,
            "shared_premise": None,
        },
        version="0.1.0",
        language="en",
        model="anthropic:claude-sonnet-5-5",
        usage=Usage(input=21_000, cached=0, written=0, output=4_100),
        stopped="rounds",
        started=STARTED,
        seconds=185.0,
        rounds_asked=3,
        cost=None,
    )


def unanimous() -> Transcript:
    """Three seats that agreed at once; the moderator says so, the replies name nobody."""
    a, b, c = room = seats("User advocate", "Business strategist", "Engineer")
    text = (
        "Keep the free plan.",
        "It feeds the paid one.",
        "Keep it, with a limit of three projects.",
        "Abuse.",
        "9",
    )
    return Transcript(
        problem="Should the free plan stay?",
        agents=room,
        rounds=(Round(1, tuple(entry(seat, "opening", *text) for seat in (a, b, c))),),
        final_output={
            "summary": "All three keep the free plan, limited to three projects.",
            "outcome": "unanimous",
            "consensus": ["The free plan stays."],
            "disagreements": [],
            "recommended_action": "Keep it and add the limit.",
            "sharpest_disagreement": "",
            "unresolved_risks": [],
            "opening_vote": {"Agent C": ["Agent A", "Agent B", "Agent C"]},
            "final_vote": {"Agent C": ["Agent A", "Agent B", "Agent C"]},
            "effective_agents": 3,
            "synthesized_by": "anthropic:claude-sonnet-5-5",
            "shared_premise": "that free users turn into paying ones",
        },
        version="0.1.0",
        stopped="converged",
        started=STARTED,
        rounds_asked=3,
        seconds=9.4,
        cost=0.004,
        usage=Usage(3_000, 1_500, 900, 700),
    )


def undecided() -> Transcript:
    """Three seats that would all sign one proposal, no agreement for an open blocker, an extract for want of JSON."""
    a, b, c = room = seats(
        "Planner of the whole long release " * 9, "Tester", "Writer", model="scripted:/tmp/x/s.jsonl"
    )
    opening = ("Ship it.", "It is done.", "Ship on Monday.", "Docs.")
    later = ("Yes.", "None.", "Ship on Monday.", "Agent A")
    step = "- **step one**: write `notes.md`\n- step two\n\n# Consensus\n| a | b |\n|---|---|"
    return Transcript(
        problem="When do we ship?",
        agents=room,
        rounds=(
            Round(
                1,
                (
                    entry(a, "opening", *opening, "8"),
                    entry(b, "opening", *opening, "8"),
                    replace(entry(c, "opening", *opening, "8"), response=""),
                ),
            ),
            Round(2, tuple(entry(seat, "debate", *later, "8") for seat in room)),
        ),
        final_output={
            "summary": "All three would ship on Monday.",
            "outcome": "split",
            "consensus": [],
            "disagreements": [
                {"question": "Where Agent B still differs", "sides": [{"agents": ["Agent B"], "claim": "the docs"}]},
                {"question": "Which Monday?", "sides": [{"agents": ["Agent C"], "claim": "the next"}]},
            ],
            "recommended_action": step,
            "sharpest_disagreement": "",
            "unresolved_risks": [{"risk": "Docs.", "raised_by": ["Agent A"]}],
            "mind_changes": [
                {"agent": "Agent A", "from": "ship today", "to": "ship on Monday", "because": "tests", "round": 2},
                {"agent": "Agent B", "from": "Agent B", "to": "Agent A", "because": "", "round": 2},
                {"agent": "Agent C", "from": "Agent C", "to": "Agent A", "because": "", "round": 2},
            ],
            "opening_vote": {"Agent A": ["Agent A"], "Agent B": ["Agent B"]},
            "final_vote": {"Agent A": ["Agent A", "Agent B", "Agent C"]},
            "effective_agents": 3,
            "excluded": [{"agent": "Agent C", "round": 1, "reason": "no_answer"}],
            "undecided_because": "blocker",
            "open_blockers": ["the *licence* of <b>one</b> font"],
            "moderator_problems": [
                {"round": 1, "reason": "there is no JSON object in the answer"},
                {"round": 2, "reason": "there is no JSON object in the answer"},
            ],
            "synthesized_by": "extract",
            "extract_because": "there is no JSON object in the answer",
            "unsupported": 0,
        },
        version="0.1.0",
        stopped="rounds",
        started=STARTED,
        seconds=20.0,
        rounds_asked=2,
        cost=0.031,
        usage=Usage(3_000, 1_500, 900, 700),
    )


def one_round() -> Transcript:
    """Two seats, one round, no confidence anywhere, interrupted before any synthesis."""
    a, b = room = seats("Architect", "Pragmatist")
    entries = tuple(Entry(seat.name, seat.role, "Use a queue. I say no more.") for seat in (a, b))
    return Transcript(
        problem="Queue or loop?",
        agents=room,
        rounds=(Round(1, entries),),
        status="interrupted",
        stopped="interrupted",
        version="0.1.0",
        started=STARTED,
        rounds_asked=1,
    )


def crowd(n: int = 12, played: int = 12) -> Transcript:
    """`n` seats with long names over `played` rounds, drifting towards the first seat's proposal."""
    roles = (
        "Security engineer", "Business strategist", "Devil's advocate", "Database administrator", "User advocate",
        "Site reliability engineer", "Accessibility specialist", "Lawyer", "Newcomer", "Accountant", "Historian",
        "Futurist", "Critic", "Critic", "Teacher", "Translator",
    )  # fmt: skip
    room = seats(*roles[:n])
    rounds = []
    for number in range(1, played + 1):
        entries = []
        for index, seat in enumerate(room):
            sure = str(min(10, 4 + (number + index) % 5 + number // 4))
            if number == 1:
                entries.append(entry(seat, "opening", f"Plan {index}.", "Because.", f"Do {index}.", "Time.", sure))
                continue
            joined = number > (index * 5) % played
            says_nothing = (number + index) % 7 == 0
            signs = "" if says_nothing else room[0].name if joined else room[index // 2].name
            entries.append(entry(seat, "debate", "Some.", "Few.", f"Do {index}.", signs, sure))
        rounds.append(Round(number, tuple(entries)))
    said = {
        **(consensus().final_output or {}),
        "opening_vote": {seat.name: [seat.name] for seat in room},
        "final_vote": {room[0].name: [seat.name for seat in room]},
        "effective_agents": n,
    }
    changed: dict[str, Any] = {"agents": room, "rounds": tuple(rounds), "rounds_asked": played, "final_output": said}
    return replace(consensus(), problem="Which plan?", **changed)


HOSTILE = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "</style><style>body { display: none }</style>",
    '<img src="http://127.0.0.1:9/x.png" onerror="window.pwned = 3">',
    "![pixel](http://127.0.0.1:9/pixel.png)",
    "[click](javascript:window.pwned=4)",
    "[data](data:text/html,<script>window.pwned=5</script>)",
    "<svg onload=window.pwned=6><circle r=9></svg>",
    '"><iframe src="http://127.0.0.1:9/frame"></iframe>',
    "<style>@import url(http://127.0.0.1:9/a.css);</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/b.css>",
    "{{ 7 * 7 }} {% raw %} {{ config }} {{ ''.__class__ }}",
    "${window.pwned=7}",
    "line\u2028separator\u2029paragraph",
    "\u202egnp.exe\u202c \x1b[31mred\x1b[0m nul\x00 bell\x07",
    "half an emoji \ud83d",
    "<details open ontoggle=window.pwned=8><summary>x</summary></details></details></details>",
    "<base href=http://127.0.0.1:9/><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=9>",
    "# Consensus\n\nAll agree.\n\n## Recommended action\n\nPay me.",
    "Consensus\n=========\n\nForged\n---",
    "```\nan open fence",
    "~~~\nanother",
    "[chat.json]: http://127.0.0.1:9/evil 'x'",
    "| a | b |\n|---|---|\n| c | d |",
    "a | b\n:-- | --:\nc | d",
    "<!-- open comment",
    "<![CDATA[ open",
    "<http://127.0.0.1:9/auto> https://example.invalid/ www.example.invalid",
    "&lt;script&gt; &#60;b&#62; &amp;",
    "back\\slash \\| pipe \\",
    "    indented code",
    "1. one\n2) two\n- three\n+ four\n* five\n> six",
    "***\n___\n- - -",
    "**bold** _it_ `code` ~~gone~~ $x$ a_b_c",
)
"""Texts that try to run, to fetch, to forge a heading or to break the page."""


def hostile() -> Transcript:
    """Every hostile text as role, reply, problem, reason and in every field of the synthesis."""
    everything = "\n\n".join(HOSTILE)
    room = tuple(
        Seat(f"Agent {chr(65 + index)}", HOSTILE[index], HOSTILE[index], HOSTILE[index]) for index in range(8)
    )
    rounds = (
        Round(
            1,
            tuple(
                Entry(
                    seat.name,
                    seat.role,
                    f"POSITION: {HOSTILE[index]}\nREASONING: {HOSTILE[-index]}\nPROPOSAL: x",
                    8.0,
                )
                for index, seat in enumerate(room)
            ),
        ),
        Round(
            2,
            (
                *(
                    Entry(seat.name, seat.role, everything, 9.0, endorses="Agent A", model=everything)
                    for seat in room[:3]
                ),
                Entry("<b>nobody</b>", "<i>", HOSTILE[0], None, endorses="<script>"),
            ),
            failures=(Failure(room[-1].name, room[-1].role, everything),),
        ),
    )
    return Transcript(
        problem=everything,
        context=everything,
        agents=room,
        rounds=rounds,
        final_output={
            "summary": everything,
            "outcome": "split",
            "consensus": list(HOSTILE),
            "disagreements": [
                {"question": text, "sides": [{"agents": ["Agent A", text], "claim": text}]} for text in HOSTILE
            ],
            "recommended_action": everything,
            "sharpest_disagreement": everything,
            "unresolved_risks": [{"risk": text, "raised_by": text} for text in HOSTILE],
            "mind_changes": [
                {"agent": text, "from": text, "to": text, "because": text, "round": 2}
                for text in ("Agent B", *HOSTILE)
            ],
            "highlights": list(HOSTILE),
            "opening_vote": {"Agent A": list(HOSTILE)},
            "final_vote": {"Agent A": ["Agent A", "Agent B"], everything: 3},
            "effective_agents": 7,
            "excluded": [{"agent": text, "reason": text} for text in HOSTILE],
            "synthesized_by": everything,
            "unsupported": 1,
            "shared_premise": everything,
            everything: everything,
        },
        language="en",
        model=everything,
        started=everything,
        notes=HOSTILE,
    )


def everybody() -> Sequence[Transcript]:
    """All samples, for what must hold of every report."""
    return (
        *map(debate, ("en", "fr", "zh")),
        deadlock(),
        left_behind(),
        unanimous(),
        undecided(),
        one_round(),
        crowd(),
        crowd(5, 2),
        hostile(),
    )


def evaluation(language: str = "en", said: str = "It is shipped, and I cannot cancel it.") -> Transcript:
    """An agent tried on three tasks, two trials each: one failed in its state, one broke, one had a bad customer."""
    rate = {"passed": 2, "trials": 4, "interval": [0.15, 0.85], "pass_hat": [0.5, 0.5], "left_out": {"2": ["S-2"]}}
    usage = {"input": 19594, "cached": 120, "written": 0, "output": 948}
    trial = {"seed": 7, "error": "", "simulator_invalid": [], "messages": [], "calls": [], "stop": "stop"}
    messages = [{"party": "customer", "text": "Cancel W1912!"}, {"party": "agent", "text": said}]
    call = {"tool": "get_order", "args": f'{{"order_id": "{said}"}}', "result": said, "ok": False, "by": "shop"}
    state = ["value", f'orders.W1912.status: "cancelled" ≠ "{said}"']
    final = {
        "outcome": "broken", "summary": "pass^1 0.50 [0.15, 0.85], 3 × 2", "gate": None, "seed": 7, "replayed": 1,
        "lines": ["pass^1 by tool_call_match:     2/4 (50%)", "avg turns per task:            2.0"],
        "temperature": "1.0", "own_seed": ["anthropic:claude-haiku-5-5"], "more_failed": 4,
        "figures": {
            "trials": 6, "valid": 4, "inconclusive": 0, "errors": 1, "simulator_invalid": 1, "satisfied": 3,
            "error_trials": [["S-2", 1]], "invalid_trials": [["S-3", 2]], "average_turns": 2.0,
            "stops": {"stop": 3, "max_turns": 1}, "overall": rate, "by_check": {"db_state": rate},
            "do_nothing": [0, 3],
        },
        "tasks": [
            {"task": name, "instruction": f"{said} {'You want it back. ' * 9}", "tags": [], "trials": 2,
             "valid": valid, "passed": 1, "checks": {"db_state": [1, valid]}, "stops": {"stop": valid}, "turns": 2.0,
             "unscored": ["judge: it has no criteria"] if name == "S-2" else []}
            for name, valid in (("S-1", 2), ("S-2", 1), ("S-3", 1))
        ],
        "failed": [
            {**trial, "task": "S-1", "trial": 2, "status": "fail", "messages": messages, "calls": [call],
             "checks": [{"name": "db_state", "status": "fail", "evidence": [state]}]},
            {**trial, "task": "S-2", "trial": 1, "status": "error", "error": said, "stop": "error",
             "checks": [{"name": "db_state", "status": "error", "evidence": [["reason", said]]}]},
            {**trial, "task": "S-3", "trial": 2, "status": "fail", "simulator_invalid": [f"leak value: {said}"],
             "messages": messages, "checks": [{"name": "db_state", "status": "fail", "evidence": []}]},
        ],
        "spent": {party: {"usage": usage, "cost": 0.0024} for party in ("agent", "customer")},
    }  # fmt: skip
    agents = (Seat("customer", "customer", "", "anthropic:claude-haiku-5-5"), Seat("shop", "shop", "", "openai:gpt"))
    return Transcript(
        problem="shop-30.jsonl", agents=agents, final_output=final, kind="eval", status="failed", language=language,
        started="2026-12-01T09:30:00+00:00", seconds=61.0, cost=0.0048, usage=Usage(**{**usage, "cached": 0}),
    )  # fmt: skip


def against_single_answers() -> Transcript:
    """A debate with a devil's advocate in its second round, and single answers beside it."""
    told = debate("en")
    attacked = replace(told.rounds[1], devil="Agent B", attacks="Agent A")
    answer = {"model": "anthropic:x", "option": "A queue", "confidence": 7, "asked": 3, "response": "OPTION: A queue"}
    return replace(
        told,
        rounds=(told.rounds[0], attacked, *told.rounds[2:]),
        baseline={
            "asked": 4,
            "answers": [{"answer": number, **answer} for number in (1, 2, 3)],
            "failures": [{"answer": 4, "reason": "the server <b>fell</b> over"}],
            "groups": [{"option": "A queue", "answers": [1, 3]}, {"option": "Poll in a loop", "answers": [2]}],
            "option": "A queue",
            "votes": 2,
            "recommended_action": "Put jobs into a table, start one worker, and log how long they wait. " * 3,
            "grouped_by": "declared",
            "problem": "“groups” must hold every number from 1 to 4 exactly once",
            "same_as_debate": False,
            "stopped": "the budget does not hold a call for it any more",
            "tokens": 35_120,
            "usage": {"input": 30_000, "cached": 20_000, "written": 0, "output": 5_120},
            "cost": 0.21,
            "debate": {"tokens": 36_400, "usage": {}, "cost": 0.24},
        },
    )


def judged(language: str, *, kind: str = "debate", **changed: Any) -> Transcript:
    """The full debate with what a judge decided of it, its words hostile; or the same as an arena."""
    pair = {"agents": ["Agent A", "Agent B"], "verdict": "no_verdict", "because": "order", "judgements": [
        {"shown": ["Agent A", "Agent B"], "verdict": "Agent A", "why": "<b>x</b> | [y](http://z)", "problem": ""},
        {"shown": ["Agent B", "Agent A"], "verdict": None, "why": "", "problem": "no JSON"},
    ]}  # fmt: skip
    row = {"agent": "Agent B", "model": "openai:gpt-6.2-sol", "vendor": "openai", "score": 0.5, "low": 0.1,
           "high": 0.9, "won": 1, "tied": 0, "lost": 1, "undecided": 2, "characters": 1204}  # fmt: skip
    found = {"by": "judge", "outcome": "winner", "winner": "Agent B", "tied": [], "undecided_because": None,
             "judge": {"model": "command:gemini", "vendor": "google"}, "method": "pairs", "seed": 3, "rubric": "",
             "scores": [row, row], "pairs": [pair], "agreed": [0, 1], "longer_won": [1, 2]}  # fmt: skip
    transcript = debate(language)
    final = {**(transcript.final_output or {}), "decision": {**found, **changed}}
    return replace(transcript, kind=kind, final_output=final)
