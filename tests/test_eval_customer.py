"""The simulated customer: what its prompt says, and each rule by which the runner holds it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialogues import Agent, repair, script
from vendor import Call, Reply, VendorServer
from vendor.faults import HttpError

from debateroom import evaluations
from debateroom.errors import AgentFailed
from debateroom.evaluation.customer import open_question, system
from debateroom.evaluation.dataset import read_task
from debateroom.evaluation.reply import read_reply
from debateroom.evaluation.trial import Trial
from debateroom.language import LANGUAGES

Serve = Callable[..., VendorServer]

RULES = {
    "en": (
        "One message at a time", "flows naturally", "Keep strictly to the situation in your script",
        "Never make up anything that your script does not say", "Do not repeat the script word for word",
        "in your own words", "bit by bit", "answer what the agent asks", "do not pour out everything",
        "write ###STOP###", "handed over to another agent or to a person: write ###TRANSFER###",
        "does not cover: write ###OUT-OF-SCOPE###", "say only that you do not remember", "never make it up",
        "as customers really talk", "nothing that sounds translated", "No emoji", "One to three sentences",
        "about 200 tokens",
    ),
    "fr": (
        "Un seul message à la fois", "coule naturellement", "Tenez-vous strictement à la situation de votre scénario",
        "N'inventez jamais rien", "Ne récitez pas le scénario mot pour mot", "avec vos mots", "peu à peu",
        "répondez à ce que l'agent demande", "sans tout déverser", "écrivez ###STOP###",
        "transfère à un autre agent ou à une personne : écrivez ###TRANSFER###",
        "ne prévoit pas : écrivez ###OUT-OF-SCOPE###", "dites seulement que vous ne vous souvenez pas",
        "n'inventez jamais", "comme parlent de vrais clients", "rien qui sente la traduction", "Pas d'émoji",
        "Une à trois phrases", "environ 200 jetons",
    ),
    "zh": (
        "一次只说一条消息", "自然的对话流", "严格遵循剧本里的场景", "绝对不能编造剧本里没有的信息", "不要逐字复述剧本",
        "用自己的话", "逐步透露", "客服问什么就答什么", "不要一上来把所有信息都倒出来", "输出 ###STOP###",
        "转给其他客服或人工：输出 ###TRANSFER###", "剧本没有覆盖的情况：输出 ###OUT-OF-SCOPE###", "只能说“不记得”“不清楚”",
        "绝对不能编造", "真实顾客的口语（“亲、麻烦、给我”）", "不要翻译腔", "不用 emoji", "1–3 句话", "约 200 个词元",
    ),
}  # fmt: skip
"""The guidelines that a customer is held to, in the words of each prompt."""
NONE = {"en": "(none)", "fr": "(rien)", "zh": "（无）"}
DEFAULT = {"en": "Neutral tone, complete", "fr": "Ton neutre", "zh": "语气中性，信息完整"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_guideline_is_in_the_prompt(language: str) -> None:
    """What the customer may do and may not, when it ends, how it writes."""
    text = system(read_task({"instruction": "Want a refund."}), language)
    assert [rule for rule in RULES[language] if rule not in text] == []
    assert text.count(NONE[language]) == 2
    assert DEFAULT[language] in text
    assert "Want a refund." in text


def test_a_task_is_in_the_prompt_and_unknown_values_are_not() -> None:
    """Persona by its name, what it knows and does not know; the values it must not say would only tempt it."""
    task = read_task({
        "instruction": "Change it.", "known_info": "Order W1.", "unknown_info": "The e-mail.", "persona": "chatty",
        "unknown_values": ["y@example.org"],
    })  # fmt: skip
    text = system(task, "en")
    assert "older person who likes to chat" in text
    assert text.index("Change it.") < text.index("Order W1.") < text.index("The e-mail.")
    assert "y@example.org" not in text


@pytest.mark.parametrize(
    ("written", "text", "token"),
    [
        ("Thanks.", "Thanks.", None),
        ("###STOP###", "", "stop"),
        ("Bye ###TRANSFER###", "Bye", "transfer"),
        ("###OUT-OF-SCOPE### Hm.", "Hm.", "out_of_scope"),
        ("### stop ###", "", "stop"),
        ("＃＃＃STOP＃＃＃", "", "stop"),
        ("Bye. ###STOP", "Bye.", "stop"),
        ('Your form says "###STOP###". Why?', 'Your form says "###STOP###". Why?', None),
        (
            "It printed this:\n```\nlog: ###TRANSFER### 500\n```\nWell?",
            "It printed this:\n```\nlog: ###TRANSFER### 500\n```\nWell?",
            None,
        ),
        ("> ###STOP###\nWhat does that mean?", "> ###STOP###\nWhat does that mean?", None),
        ("<think>Shall I write ###STOP###?</think>Not yet.", "Not yet.", None),
        ("## Stop the parcel", "## Stop the parcel", None),
        ("Please STOP that.", "Please STOP that.", None),
        ("###OUT OF SCOPE### ###STOP###", "", "out_of_scope"),
    ],
)
def test_tokens_are_read(written: str, text: str, token: str | None) -> None:
    """The words beside a token are kept; the first token counts."""
    assert tuple(read_reply(written)) == (text, token)


class Customer:
    """Says one thing after the other, the last one again and again, and keeps what it was asked."""

    def __init__(self, *said: str) -> None:
        self._said = list(said)
        self.asked: list[list[tuple[str, str]]] = []

    def __call__(self, call: Call) -> Reply:
        self.asked.append([(turn["role"], _text(turn["content"])) for turn in call.body["messages"]])
        return Reply(self._said.pop(0) if len(self._said) > 1 else self._said[0])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


TASK = {
    "id": "T",
    "instruction": "Cancel order W1.",
    "known_info": "Your name is Ann.",
    "expected_user_satisfied": True,
}


def play(
    serve: Serve,
    here: Path,
    customer: Customer,
    *answers: Any,
    task: dict[str, Any] | None = None,
    model: str = "haiku",
    **more: Any,
) -> dict[str, Any]:
    """The one trial's result in the journal."""
    serve(customer)
    path = here / "one.jsonl"
    path.write_text(json.dumps({**TASK, **(task or {})}), encoding="utf-8")
    outcome = evaluations.evaluate(
        path, agent=lambda session: Agent(*answers), customer=model, active=here / "active", **more
    )
    events = [
        json.loads(line) for line in (outcome.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    (ended,) = [event for event in events if event["event"] == "trial_finished"]
    kept = [event["kept_back"] for event in events if event["event"] == "trial_said" and event.get("kept_back")]
    found: dict[str, Any] = {**ended["result"], "kept_back": kept, "status": ended["status"]}
    return found


def talk(trial: dict[str, Any]) -> list[str]:
    return [f"{message['party'][0]}: {message['text']}" for message in trial["messages"]]


def test_roles_are_flipped_in_its_own_history(serve: Serve, here: Path) -> None:
    """The agent's words are the user's; what stands beside the token reaches the transcript, and not the agent."""
    customer = Customer("Hello, cancel W1.", "I am Ann.", "Great, bye. ###STOP###")
    trial = play(serve, here, customer, "Who are you?", "It is cancelled.")
    assert talk(trial) == [
        "c: Hello, cancel W1.", "a: Who are you?", "c: I am Ann.", "a: It is cancelled.", "c: Great, bye.",
    ]  # fmt: skip
    assert trial["stop"] == {"cause": "token", "token": "stop", "error": ""}
    assert [role for role, _ in customer.asked[-1]] == ["user", "assistant", "user", "assistant", "user"]
    assert [text for _, text in customer.asked[-1]][1:] == [
        "Hello, cancel W1.", "Who are you?", "I am Ann.", "It is cancelled.",
    ]  # fmt: skip


def test_an_opening_is_said_as_it_stands(serve: Serve, here: Path) -> None:
    """Nobody is asked for it."""
    customer = Customer("Fine. ###STOP###")
    trial = play(serve, here, customer, "Done.", task={"opening": "Hi! Cancel my order."})
    assert talk(trial) == ["c: Hi! Cancel my order.", "a: Done.", "c: Fine."]
    assert len(customer.asked) == 1


def test_the_cap_is_no_satisfied_customer_and_its_last_message_is_sent(serve: Serve, here: Path) -> None:
    """Two messages, two answers, then only a token is still heard."""
    customer = Customer("One thing.", "Another thing.", "A third thing.")
    trial = play(serve, here, customer, "Well.", "Hm, let me see.", task={"max_turns": 2})
    assert talk(trial) == ["c: One thing.", "a: Well.", "c: Another thing.", "a: Hm, let me see."]
    assert (trial["stop"]["cause"], trial["stop"]["token"], trial["status"]) == ("max_turns", None, "fail")


def test_a_stop_after_the_last_answer_is_heard(serve: Serve, here: Path) -> None:
    """The agent that solves it with the last message has a satisfied customer."""
    trial = play(serve, here, Customer("Cancel it.", "###STOP###"), "Done.", task={"max_turns": 1})
    assert (talk(trial), trial["stop"]["token"], trial["status"]) == (["c: Cancel it.", "a: Done."], "stop", "pass")


def test_what_stands_beside_a_late_token_is_heard_and_no_turn(serve: Serve, here: Path) -> None:
    """It is in the transcript; of one message that was allowed, one was sent."""
    trial = play(serve, here, Customer("Cancel it.", "Thanks! ###STOP###"), "Done.", task={"max_turns": 1})
    assert talk(trial) == ["c: Cancel it.", "a: Done.", "c: Thanks!"]
    assert Trial.model_validate({name: trial[name] for name in Trial.model_fields}).turns == 1
    chat = json.loads((here / "active" / "eval" / "chat.json").read_text(encoding="utf-8"))
    assert chat["final_output"]["figures"]["average_turns"] == 1.0


def test_a_model_that_writes_nothing_is_asked_twice_in_all(serve: Serve, here: Path) -> None:
    """Once with the note; the model's layer does not try again by itself. What was paid for is counted."""
    customer = Customer("", "Cancel it.", "Thanks. ###STOP###")
    trial = play(serve, here, customer, "Done.")
    assert (trial["kept_back"], trial["status"], len(customer.asked)) == ([["empty"]], "pass", 3)
    assert "You wrote nothing" in customer.asked[1][-1][1]
    customer = Customer("")
    trial = play(serve, here, customer, "Done.")
    assert (trial["stop"]["error"], len(customer.asked)) == ("the customer wrote nothing twice", 2)
    journal = (here / "active" / "eval" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["usage"]["input"] for line in journal if '"kept_back":["empty"]' in line)


def test_parties_that_turn_in_circles_are_stopped(serve: Serve, here: Path) -> None:
    """Both say again what they said before."""
    trial = play(serve, here, Customer("Cancel my order, please."), "I cannot find your order, sorry.")
    assert (len(trial["messages"]), trial["stop"]["cause"], trial["status"]) == (4, "no_progress", "fail")


SAME = "I am sorry, I cannot do that."
CALM = ("Cancel it.", "No, really.", "But why ever not?", "Thanks. ###STOP###")


def test_an_agent_that_says_the_same_three_times_is_stopped(serve: Serve, here: Path) -> None:
    """Whatever its customer says in between, as long as that is nothing new."""
    trial = play(serve, here, Customer(*CALM), SAME)
    assert (len(trial["messages"]), trial["stop"]["cause"]) == (6, "no_progress")


@pytest.mark.parametrize(
    ("answers", "ended"),
    [
        ([(SAME, ["a"]), (SAME, ["b"]), (SAME, [("b", {"n": 2})])], "token"),
        ([(SAME, ["a"]), (SAME, ["b"]), SAME], "token"),
        ([(SAME, ["a"]), (SAME, ["a"]), (SAME, ["a"])], "no_progress"),
    ],
)
def test_an_agent_that_does_something_else_each_time_goes_on(
    serve: Serve, here: Path, answers: list[Any], ended: str
) -> None:
    """`It is done.` is right of each of three wishes."""
    assert play(serve, here, Customer(*CALM), *answers)["stop"]["cause"] == ended


def test_a_customer_that_tells_something_new_goes_on(serve: Serve, here: Path) -> None:
    """What it was asked for is no circle, though it is asked for more in the same words."""
    customer = Customer("Cancel my order.", "It is W1.", "My code is 19122.", "Thanks. ###STOP###")
    trial = play(serve, here, customer, "Tell me more, please.", task={"known_info": "Your postal code is 19122."})
    assert (len(trial["messages"]), trial["stop"]["cause"]) == (7, "token")


def test_an_empty_message_is_asked_for_once_more_and_then_an_error(serve: Serve, here: Path) -> None:
    """Nothing is made up in its place."""
    said = script(here, "Hi, cancel it.", " ", repair("Thanks. ###STOP###"), first=1)
    trial = play(serve, here, Customer(""), "Done.", model=said)
    assert (trial["kept_back"], trial["status"]) == ([["empty"]], "pass")
    said = script(here, "Hi, cancel it.", " ", repair(" "), first=1)
    trial = play(serve, here, Customer(""), "Done.", model=said)
    assert (trial["stop"]["cause"], trial["stop"]["error"]) == ("error", "the customer wrote nothing twice")


def test_a_stop_on_the_heels_of_a_question_is_sent_back_once(serve: Serve, here: Path) -> None:
    """The second time it stands."""
    customer = Customer("Cancel W1.", "###STOP###", "Yes, do.", "###STOP###")
    trial = play(serve, here, customer, "Shall I cancel W1 now?", "Done. Anything else?")
    assert talk(trial) == ["c: Cancel W1.", "a: Shall I cancel W1 now?", "c: Yes, do.", "a: Done. Anything else?"]
    assert (trial["kept_back"], trial["stop"]["token"]) == ([["premature_stop"]], "stop")
    assert "Shall I cancel W1 now?" in customer.asked[2][-1][1]
    assert [text for _, text in customer.asked[3]][1:] == [
        "Cancel W1.", "Shall I cancel W1 now?", "Yes, do.", "Done. Anything else?",
    ]  # fmt: skip


def test_a_customer_that_never_asks_makes_the_trial_invalid(serve: Serve, here: Path) -> None:
    """It is sent back once; satisfied by nothing, it says nothing about the agent."""
    trial = play(serve, here, Customer("###STOP###"), "Done.")
    assert (trial["kept_back"], talk(trial)) == ([["premature_stop"]], [])
    assert trial["simulator_invalid"] == ["premature_stop: it ended before the agent could answer"]
    trial = play(serve, here, Customer("###STOP###", "Cancel it.", "Thanks. ###STOP###"), "Done.")
    assert (talk(trial)[0], trial["simulator_invalid"], trial["status"]) == ("c: Cancel it.", [], "pass")


@pytest.mark.parametrize(
    "message",
    [
        "Shall I cancel it? (yes/no)",
        "Shall I cancel it? \N{SMILING FACE WITH SMILING EYES}",
        "Shall I cancel it? Thanks!",
        "**Shall I cancel it?**\n\n---",
        "<p>Shall I cancel it?</p>",
        "I can. Shall I cancel it? [y/n] Thank you so much.",
    ],
)
def test_what_stands_behind_a_question_leaves_it_open(message: str) -> None:
    """A bracket, thanks, a sign."""
    assert "Shall I cancel it?" in open_question(message)
    assert open_question(f"{message} It is cancelled now.") == ""


def test_a_stop_before_any_answer_and_one_on_a_question_are_sent_back_once_each(serve: Serve, here: Path) -> None:
    """The one does not use up the other."""
    customer = Customer("###STOP###", "Cancel it.", "###STOP###", "Yes, please.", "Thanks. ###STOP###")
    trial = play(serve, here, customer, "Shall I cancel it? (yes/no)", "Done.")
    assert talk(trial)[2:] == ["c: Yes, please.", "a: Done.", "c: Thanks."]
    assert (trial["kept_back"], trial["status"]) == ([["premature_stop"], ["premature_stop"]], "pass")


@pytest.mark.parametrize(
    ("written", "token"),
    [
        ("You wrote ###STOP###, what is that?", None),
        ("You wrote ###STOP###", None),
        ("###STOP###? What is that?", None),
        ("你写了###STOP###", None),
        ("Thanks! ###STOP###", "stop"),
        ("Thanks!\n\n**###STOP###**\n", "stop"),
        ("That is all. ###STOP", "stop"),
    ],
)
def test_a_token_of_the_agents_is_none_of_the_customers(written: str, token: str | None) -> None:
    """The agent wrote it before: quoted from there it ends nothing, and the agent is asked about it."""
    reply = read_reply(written, ["Write ###STOP### if you like."])
    assert (reply.token, "###STOP" in reply.text) == (token, token is None)


def test_what_its_persona_says_may_be_said(serve: Serve, here: Path) -> None:
    """A text of the dataset may give it something to talk about."""
    task = {"persona": "Proud owner of locomotive LX-4711."}
    trial = play(serve, here, Customer("My LX-4711 runs! Cancel it.", "Bye. ###STOP###"), "Done.", task=task)
    assert (trial["kept_back"], trial["status"]) == ([], "pass")


def test_what_it_cannot_know_is_sent_back_twice_and_then_makes_the_trial_invalid(serve: Serve, here: Path) -> None:
    """Invented data and forbidden values; told what was wrong; out of every pass^k and in the count."""
    customer = Customer("It is order W999.", "Order W998!", "Cancel W1.", "Thanks. ###STOP###")
    trial = play(serve, here, customer, "Done.")
    assert (trial["kept_back"], trial["simulator_invalid"]) == ([["invented"], ["invented"]], [])
    assert "W999" in customer.asked[1][-1][1]
    assert talk(trial)[0] == "c: Cancel W1."
    stubborn = Customer("Mail ann@example.org.", "ann@example.org", "My mail is ann@example.org.", "Bye. ###STOP###")
    trial = play(serve, here, stubborn, "Done.", task={"unknown_values": ["ann@example.org"]})
    assert (trial["kept_back"], trial["simulator_invalid"]) == ([["leak"], ["leak"]], ["leak email: ann@example.org"])
    final = json.loads((here / "active" / "eval" / "chat.json").read_text(encoding="utf-8"))["final_output"]
    assert (final["figures"]["invalid_trials"], final["figures"]["trials"]) == ([["T", 1]], 1)
    assert final["figures"]["overall"]["trials"] == 0


def test_how_a_customer_writes_is_a_finding_and_no_fault(serve: Serve, here: Path) -> None:
    """More than three sentences at once, or an emoji: counted, listed, and the trial counts."""
    opening = {"opening": "One. Two. Three. Four. Five."}

    def figures() -> Any:
        chat = json.loads((here / "active" / "eval" / "chat.json").read_text(encoding="utf-8"))
        return chat["final_output"]["figures"]

    customer = Customer("I waited. A week. For nothing. Really!", "Thanks. ###STOP###")
    trial = play(serve, here, customer, "It is late.", "Done.", task=opening)
    assert (trial["status"], trial["kept_back"], figures()["style"], figures()["valid"]) == ("pass", [], 1, 1)
    page = (here / "active" / "eval" / "chatroom_report.md").read_text(encoding="utf-8")
    assert "style: in 1 trial the customer wrote more than three sentences at once" in page
    play(serve, here, Customer("Thanks \N{SMILING FACE WITH SMILING EYES} ###STOP###"), "Done.", task=opening)
    assert figures()["style"] == 1
    play(serve, here, Customer("Thanks. ###STOP###"), "Done.", task=opening)
    assert figures()["style"] == 0


def test_what_the_agent_said_may_be_said(serve: Serve, here: Path) -> None:
    """The customer learns from it."""
    trial = play(serve, here, Customer("Cancel it.", "Yes, W77.", "Bye. ###STOP###"), "You mean W77?", "Done.")
    assert (trial["kept_back"], trial["status"]) == ([], "pass")


def test_an_agent_that_crashes_is_an_error_with_what_was_said(serve: Serve, here: Path) -> None:
    """No verdict on it."""
    trial = play(serve, here, Customer("Cancel it."), AgentFailed("The agent shop crashed."))
    assert (talk(trial), trial["status"]) == (["c: Cancel it."], "error")
    assert trial["stop"] == {"cause": "error", "token": None, "error": "The agent shop crashed."}


def test_a_compatible_server_is_sent_temperature_and_seed(
    serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.0 and the trial's seed; a vendor's own model keeps its default, and the room says so."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    customer = Customer("Cancel it.", "Bye. ###STOP###")
    server = serve(customer)
    path = here / "one.jsonl"
    path.write_text(json.dumps(TASK), encoding="utf-8")
    outcome = evaluations.evaluate(
        path, agent=lambda session: Agent("Done."), customer="openai:own-model", seed=41, active=here / "active"
    )
    assert {(call.body["temperature"], call.body["seed"]) for call in server.calls} == {(1.0, 41)}
    final = outcome.transcript.final_output or {}
    assert (final["temperature"], final["own_seed"]) == ("1.0", ["scripted:none"])
    assert all(call.body["max_completion_tokens"] == 2000 for call in server.calls)


def test_the_agent_has_the_trials_seed_too(serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each trial its own, the same for both parties; the agent keeps its temperature."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")

    def answer(call: Call) -> Reply:
        said = sum(turn["role"] == "assistant" for turn in call.body["messages"])
        customer = "###STOP###" in call.prompt[0]
        return Reply(("Cancel it." if said == 0 else "Bye. ###STOP###") if customer else "It is cancelled.")

    server = serve(answer)
    path = here / "one.jsonl"
    path.write_text(json.dumps(TASK), encoding="utf-8")
    outcome = evaluations.evaluate(
        path, agent="openai:own-model", customer="openai:own-model", seed=41, trials=2, active=here / "active"
    )
    sent = Counter((call.body["seed"], call.body.get("temperature")) for call in server.calls)
    assert sent == {(41, 1.0): 2, (41, None): 1, (42, 1.0): 2, (42, None): 1}
    assert (outcome.transcript.final_output or {})["own_seed"] == []


def test_a_server_that_refuses_seed_and_temperature_is_named(
    serve: Serve, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked again without them, and what it did not take is in the figures."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    customer = Customer("Cancel it.", "Bye. ###STOP###")

    def answer(call: Call) -> Any:
        refused = next((name for name in ("seed", "temperature") if name in call.body), None)
        return HttpError(400, message=f"unsupported: {refused}") if refused else customer(call)

    serve(answer)
    path = here / "one.jsonl"
    path.write_text(json.dumps(TASK), encoding="utf-8")
    outcome = evaluations.evaluate(
        path, agent=lambda session: Agent("Done."), customer="openai:own-model", seed=41, active=here / "active"
    )
    final = outcome.transcript.final_output or {}
    assert (final["figures"]["overall"]["passed"], final["temperature"]) == (1, "default")
    assert final["own_seed"] == ["openai:own-model", "scripted:none"]
