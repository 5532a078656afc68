"""Messages about the debate: the same ones in all three languages, with the same places to fill, none left over."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from debateroom import templates
from debateroom.cli import batch_lines
from debateroom.debating import deciding
from debateroom.debating.convergence import OBSTACLES
from debateroom.dialogue.simulation import EXIT_CODES
from debateroom.errors import CallFailed
from debateroom.language import LANGUAGES, number, say, spoken
from debateroom.models import complaints, fault_table, faults, retry
from debateroom.models.parcels import What
from debateroom.playbooks import coordinator
from debateroom.playbooks.standing import StepState
from debateroom.room.transcript import STATUSES
from debateroom.wake.delivery import RESULTS

SOURCES = "".join(path.read_text(encoding="utf-8") for path in (Path(templates.__file__).parent).rglob("*.py"))
OUTCOMES = ("unanimous", "consensus", "split", "deadlock")


@pytest.mark.parametrize(
    ("language", "one", "many"),
    [
        ("en", "1 round played", ["0 rounds played", "2 rounds played"]),
        ("fr", "1 tour joué", ["0 tour joué", "2 tours joués"]),
        ("zh", "已进行 1 轮", ["已进行 0 轮", "已进行 2 轮"]),
    ],
)
def test_what_is_counted_is_in_the_right_number(language: str, one: str, many: list[str]) -> None:
    """English knows two forms, French takes the singular for none as well, Chinese has one."""
    assert say(language, "rounds_played", count=1) == one
    assert [say(language, "rounds_played", count=count) for count in (0, 2)] == many


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_messages_with_the_same_places(language: str) -> None:
    """A message that is missing, or lacks a figure, would show in one language only."""
    english, other = templates.data("labels/en.toml"), templates.data(f"labels/{language}.toml")

    def places(message: str | list[str]) -> set[str]:
        return {match.split("!")[0] for match in re.findall(r"\{([\w!]+)\}", "".join(message))}

    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}


def test_no_message_is_left_over() -> None:
    """Each message is asked for somewhere in the code."""
    made = {f"{kind}_{outcome}" for kind in ("finding", "extract", "verdict") for outcome in OUTCOMES}
    made |= {f"verdict_{outcome}" for outcome in (*EXIT_CODES, "delivered", "partial", "refused")}
    made |= {f"why_{obstacle}" for obstacle in OBSTACLES} | {f"status_{status}" for status in STATUSES}
    made |= {f"eval_status_{status}" for status in ("pass", "fail", "inconclusive", "error", "invalid")}
    made |= {"eval_budget", "eval_deadline"}
    made |= {f"wake_{result}" for result in RESULTS}
    made |= {f"verdict_{outcome}" for outcome in coordinator.EXIT_CODES}
    made |= {f"step_{state}" for state in get_args(StepState)} | {"receipt_approved", "receipt_denied"}
    made |= {f"receipt_by_{by}" for by in ("person", "always", "never", "nobody", "long")}
    made |= {f"fault_{kind}" for kind in fault_table.KINDS} | {f"program_{kind}" for kind in complaints.KINDS}
    made |= {f"{kind}_{outcome}" for kind in ("verdict", "arena") for outcome in deciding.EXIT_CODES}
    made |= {f"decision_{by}_{outcome}" for by in ("vote", "judge") for outcome in deciding.EXIT_CODES}
    made |= {f"undecided_{reason}" for reason in deciding.REASONS} | {"finding_vote", "finding_judge"}
    made |= {f"arena_tie_{kind}" for kind in (deciding.EQUAL, deciding.CYCLE, deciding.IDENTICAL)}
    made |= {f"decision_judge_tie_{kind}" for kind in (deciding.CYCLE, deciding.IDENTICAL)}
    made |= {"judged_budget", "judged_deadline"} | {f"batch_{outcome}" for outcome in batch_lines.OUTCOMES}
    made |= {f"provider_batch_{what}" for what in get_args(What)}
    made |= {f"provider_batch_of_{call}" for call in (*batch_lines.BATCHED, "last")}
    assert [key for key in templates.data("labels/en.toml") if f'"{key}"' not in SOURCES and f"'{key}'" not in SOURCES
            and key not in made] == []  # fmt: skip


@pytest.mark.parametrize(
    ("language", "reason", "hint"),
    [
        (
            "en",
            "anthropic has nothing at the address that was called for m. It said: Sign in. Tried 2 times.",
            "check the base URL, and whether this network wants you to sign in first",
        ),
        (
            "fr",
            "anthropic n’a rien à l’adresse appelée pour m. Il a dit : « Sign in. ». Essayé 2 fois.",
            "vérifiez l’URL de base, et si ce réseau demande d’abord de s’identifier",
        ),
        (
            "zh",
            "anthropic 在为 m 调用的地址上什么也没有。对方说：“Sign in.”。共尝试 2 次。",
            "检查基础 URL，以及这个网络是否要求先登录",
        ),
    ],
)
def test_a_fault_is_said_in_the_room_s_language(language: str, reason: str, hint: str) -> None:
    """What went wrong, how often it was tried and what helps are ours to say; a provider's words stay its own."""

    def refused() -> None:
        error = faults.failed("address", provider="anthropic", model="anthropic:m", said="Sign in.")
        assert isinstance(error, CallFailed)
        error.retry = True
        raise error

    with retry.no_sleep(attempts=2), pytest.raises(CallFailed) as caught:
        retry.call_with_retries(refused)
    error = spoken(caught.value, language)
    assert (str(error), error.hint) == (reason, hint)


def test_an_error_that_nobody_worded_stays_as_it_is() -> None:
    """A sentence that exists in one language only is better than none."""
    error = spoken(CallFailed("no such thing", hint="look elsewhere"), "fr")
    assert (str(error), error.hint) == ("no such thing", "look elsewhere")


@pytest.mark.parametrize(
    ("language", "thousands", "money"),
    [("en", "8,300", "0.04"), ("fr", "8\u202f300", "0,04"), ("zh", "8,300", "0.04")],
)
def test_numbers_are_written_as_the_language_writes_them(language: str, thousands: str, money: str) -> None:
    """`8,300` is 8.3 to a French reader."""
    assert (number(language, 8300), number(language, 0.04, 2)) == (thousands, money)
    assert thousands in say(language, "spent_free", input=8300, share=0, output=1)
