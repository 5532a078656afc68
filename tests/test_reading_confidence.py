"""How sure a seat says it is: what counts as a value, and what must never become one."""

from __future__ import annotations

import pytest

from debateroom.reading.confidence import read_confidence

PLAIN = [
    ("8", 8), ("8.", 8), ("10", 10), ("1", 1), ("8.5", 8.5), ("7.99", 7.99), ("9.25", 9.25), ("**8**", 8), ("`8`", 8),
    ("_8_", 8), ("[8]", 8), ("(8)", 8), ("{8}", 8), ("\"8\"", 8), ("“8”", 8), ("  8  ", 8), ("8!!!", 8), ("- 8", 8), ("• 9", 9),
    ("~8", 8), ("≈ 8", 8), ("8,5", 8.5), ("7,5", 7.5), ("８", 8), ("８．５", 8.5), ("٨", 8), ("𝟖", 8), ("⑧", 8),
    ("8️⃣", 8), ("🔟", 10), ("7½", 7.5), ("8 ¾", 8.75), ("\\boxed{8}", 8), ("$8$", 8), ("**8**/10", 8), ("8**/10**", 8),
]  # fmt: skip
SCALED = [
    ("8/10", 8), ("8 / 10", 8), ("8.5/10", 8.5), ("8,5/10", 8.5), ("10/10", 10), ("10/10!!!", 10), ("8 out of 10", 8),
    ("8 of 10", 8), ("8 sur 10", 8), ("7,5 sur 10", 7.5), ("８／１０", 8), ("8️⃣/🔟", 8), ("85%", 8.5), ("85 %", 8.5), ("85\u202f%", 8.5),
    ("100%", 10), ("10%", 1), ("79.9%", 7.99), ("80 percent", 8), ("80 per cent", 8), ("80 pour cent", 8), ("80/100", 8), ("79/100", 7.9),
    ("4/5", 8), ("16/20", 8), ("8/10 (80%)", 8), ("8 points", 8), ("8 pts", 8), ("8分", 8), ("8 分", 8), ("8.5分", 8.5), ("8成", 8),
    ("8分（满分10分）", 8), ("8 (out of 10)", 8), ("8 on a scale of 1 to 10", 8), ("On a scale of 1-10: 7", 7), ("7 sur une échelle de 1 à 10", 7),
    ("1-10: 7", 7), ("(1-10) 7", 7), ("[1–10] 6", 6), ("百分之八十五", 8.5), ("百分之85", 8.5), ("十分之七", 7), ("满分10分，我给7分", 7),
]  # fmt: skip
RANGES = [
    ("8-9", 8), ("7-8", 7), ("7–8", 7), ("7 — 8", 7), ("7 to 8", 7), ("7 à 8", 7), ("7 or 8", 7), ("7 ou 8", 7), ("between 7 and 8", 7),
    ("entre 7 et 8", 7), ("7到8", 7), ("7至8分", 7), ("7~8", 7), ("介于7和8之间", 7), ("8-9/10", 8), ("8/10-9/10", 8), ("70-80%", 7),
    ("7-8 (depends on load)", 7), ("9, maybe 7", 7), ("七到八", 7), ("七八分", 7), ("8–10", 8), ("from 7 to 9", 7),
]  # fmt: skip
CHANGES = [
    ("7 → 8", 8), ("7 -> 8", 8), ("7 => 8", 8), ("9 → 6", 6), ("7 → 8 → 6", 6), ("7/10 → 8/10", 8), ("up from 7 to 8", 8),
    ("raised from 6 to 8", 8), ("dropped from 9 to 6", 6), ("je passe de 7 à 8", 8), ("从7升到8", 8), ("从9降到6", 6), ("由7变为8", 8),
    ("6 (up from 4)", 6), ("6 (was 9)", 6), ("6, down from 9", 6), ("6 (previously 9)", 6), ("6 (contre 9 au tour précédent)", 6),
    ("6 (avant : 9)", 6), ("6（上一轮是9）", 6), ("6，之前是9", 6), ("was 9, now 6", 6), ("previously 9; now 6", 6), ("9 last round, 6 now", 6),
    ("9 au tour précédent, 6 maintenant", 6), ("之前是9，现在是6", 6), ("now 6 (was 9)", 6), ("still 6", 6), ("remains 7", 7), ("6 instead of 9", 6),
    ("lowered to 6", 6), ("8 (Round 1: 5)", 8), ("Round 2: 8", 8),
]  # fmt: skip
WORDS = [
    ("eight", 8), ("Eight.", 8), ("EIGHT", 8), ("eight out of ten", 8), ("eight (8)", 8), ("seven and a half", 7.5), ("huit", 8),
    ("huit sur dix", 8), ("sept et demi", 7.5), ("八", 8), ("八分", 8), ("八成", 8), ("八点五", 8.5), ("我给八分", 8), ("eighty percent", 8),
    ("eighty-five percent", 8.5), ("quatre-vingts pour cent", 8), ("seven to eight", 7), ("nine because it holds", 9), ("I'd say seven", 7),
]  # fmt: skip
PROSE = [
    ("High (9/10)", 9), ("High (9)", 9), ("High - 9", 9), ("High: 9", 9), ("High, 9", 9), ("High (90%)", 9), ("Very high — 9/10", 9), ("Low (2/10)", 2),
    ("Moderate: 6", 6), ("I'd say 8", 8), ("I would say about 8", 8), ("about 8", 8), ("around 7/10", 7), ("a solid 8", 8),
    ("My confidence is 8", 8), ("my confidence in this is 8/10.", 8), ("I am at 7", 7), ("I'm 80% confident", 8), ("Fairly confident, 7", 7),
    ("8 because the queue survives restarts", 8), ("8 — tested last month", 8), ("8. Ten years of practice speak for it.", 8),
    ("8, as 3 of 4 incidents were this", 8), ("8 since the queue survives 99% of restarts", 8), ("8 The queue is understood.", 8), ("8; would be 9 with tests", 8),
    ("8 (could be 9 with tests)", 8), ("8/10 - would be 10/10 with a rehearsal", 8), ("Élevée (9/10)", 9), ("Environ 8", 8), ("je dirais 7", 7),
    ("Plutôt forte : 8/10", 8), ("8, car la reprise est testée", 8), ("8 parce que 3 pannes sur 4 viennent de là", 8), ("ma confiance est de 8 sur 10", 8),
    ("高（9/10）", 9), ("较高，8分", 8), ("大约8分", 8), ("我给8分", 8), ("8分，因为上个月出过2次故障", 8), ("我的信心是7", 7), ("8左右", 8), ("8/10，理由如下", 8),
    ("not 9 but 6", 6), ("not a 9, a 6", 6),
]  # fmt: skip
OTHERS = [
    ("8 (Agent B: 5, Agent C: 9)", 8), ("6, while Agent B is at 9", 6), ("6 (B: 9)", 6), ("6 (B's 9 is too high)", 6), ("Agent B: 9, mine: 6", 6),
    ("Agent B is at 9; I am at 6", 6), ("6 contre 9 pour l'Agent B", 6), ("6（Agent B：9）", 6), ("乙给了9，我给6", 6), ("5 — lower than Agent B's 9", 5),
    ("Agent A: 7", 7), ("Agent A: 7, Agent B: 9", 7),
]  # fmt: skip
UNKNOWN = [
    "", "   ", "/10", "_/10", "?/10", "N/A", "n/a", "None", "unknown", "High", "Very high", "high confidence", "Not sure", "cannot say", "TBD", "—", "...",
    "0", "0/10", "11", "11/10", "15", "75", "85", "100", "0.8", "0.95", ".9", "-8", "−8", "(-8)", "110%", "0%", "5%", "8%", "8.5%", "1e1", "0x9", "8x", "8th",
    "v8", "#9", "$9", "9€", "9k", "9°", "1O", "8/7", "8/9", "9/9", "8:30", "8.5.1", "8,500", "9 000", "1 0", "9 9", "8 9 10", "1\u200b0", "1**0**", "10⁻¹", "1⁰", "8¹",
    "2024-08-09", "2 out of 3 tests pass", "9 of 10 tests pass", "9/10 tests pass", "9 tests", "9 years of practice", "10 reasons", "8 workers", "ten reasons",
    "one concern remains", "ten-fold gains", "High, based on 9 incidents", "High: it cuts 90% of failures", "High, the retry limit is 9.", "High — cuts failures by 90%.",
    "1-10", "[1-10]", "1 to 10", "0-10", "1–10 scale", "a number from 1 to 10", "out of 10", "sur 10", "de 1 à 10", "1到10", "not 9", "not a 9", "I can't say 9",
    "never 10", "below 9", "less than 9", "under 9", "almost 9", "nearly 10", "just short of 9", "at most 9", "<9", "≤ 9", "pas 9", "moins de 9", "presque 9",
    "不到9", "低于9分", "不是9", "没有9分", "十分有信心", "十分", "十分肯定", "一般", "一定", "高", "很有信心", "无", "未知", "9个理由", "9年经验", "Agent B: 9",
    "Agent B is at 9", "B's 9", "same as Agent B (9)", "9 according to Agent B", "乙的信心：9", "9 for the queue, 3 for the loop", "9/10 for the queue, 3/10 for the plan",
    "Élevée", "inconnue", "aucune", "était 9", "previously 9", "it was 9 before", "9 last round", "上一轮是9", "★★★★☆", "VIII", "👍", "> 10", "> CONFIDENCE: 10",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), PLAIN, ids=repr)
def test_a_bare_number_is_the_value(text: str, value: float) -> None:
    """A number on its own is the confidence, in whatever digits and dress."""
    assert read_confidence(text).value == value


@pytest.mark.parametrize(("text", "value"), SCALED, ids=repr)
def test_the_scale_is_not_the_value(text: str, value: float) -> None:
    """A stated scale converts the value and is never the value itself."""
    assert read_confidence(text).value == value


@pytest.mark.parametrize(("text", "value"), RANGES, ids=repr)
def test_a_range_gives_its_low_end(text: str, value: float) -> None:
    """Of a range the low end counts: the safe reading when a threshold lies inside."""
    assert read_confidence(text).value == value


@pytest.mark.parametrize(("text", "value"), CHANGES, ids=repr)
def test_a_change_gives_the_value_of_now(text: str, value: float) -> None:
    """Of an old and a new value the new one counts, in whatever order they are written."""
    assert read_confidence(text).value == value


@pytest.mark.parametrize(("text", "value"), WORDS, ids=repr)
def test_number_words_are_read(text: str, value: float) -> None:
    """A number written as a word where a value stands is that value."""
    assert read_confidence(text).value == value


@pytest.mark.parametrize(("text", "value"), PROSE, ids=repr)
def test_prose_around_the_value_does_not_hide_it(text: str, value: float) -> None:
    """Words before and after a value leave it readable."""
    assert read_confidence(text).value == value


@pytest.mark.parametrize(("text", "value"), OTHERS, ids=repr)
def test_other_seats_values_are_not_the_speakers(text: str, value: float) -> None:
    """A value said of another seat is never taken."""
    assert read_confidence(text, speaker="Agent A").value == value


@pytest.mark.parametrize("text", UNKNOWN, ids=repr)
def test_what_states_no_value_is_unknown(text: str) -> None:
    """No number, one out of range, one of something else, a denied one: all are unknown, never a default."""
    assert read_confidence(text, speaker="Agent A").value is None


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ("8", ()),
        ("8/10", ("scale",)),
        ("85%", ("scale",)),
        ("8-9", ("range",)),
        ("7 → 8", ("change",)),
        ("eight", ("words",)),
        ("8, because it holds", ("prose",)),
        ("75", ("out_of_range",)),
        ("High", ("unreadable",)),
        ("", ()),
    ],
)
def test_what_was_mended_is_named(text: str, repairs: tuple[str, ...]) -> None:
    """Each way in which the value was not a plain number has its word."""
    assert read_confidence(text).repairs == repairs
