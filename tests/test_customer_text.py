"""What a simulated customer may say, in three languages: what it knows in any spelling, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom.evaluation.customer_data import data_in, even
from debateroom.evaluation.customer_text import check_customer_style, check_customer_text

ALLOWED = (
    "你是 Yusuf，要把订单 o_99812 改成 clicky 键盘。邮编 19122，手机号 13800001XXX，上周三下午下的单，2026年3月5日。",
    "You paid 199 euros and want 5000 back. Phone +33 6 12 34 56 78, e-mail ada@example.org. Parcel W1001.",
    "Or 555-010-2233.",
)
FORBIDDEN = (
    "ada@hidden.org",
    "o_77001",
    "1,250 euros",
    "2025-12-24",
    "blue",
    "孙子",
    "06 99 88 77 66",
    "Éloïse",
    "rice cooker",
)


def said(text: str) -> list[tuple[str, str, str]]:
    """The findings on a message, as plain tuples."""
    found = check_customer_text(text, allowed=ALLOWED, forbidden_values=FORBIDDEN)
    return [(each.rule, each.kind, each.text) for each in found]


@pytest.mark.parametrize(
    "text",
    [
        "订单号是o_99812，邮编19122。",
        "退我五千块！",
        "我要“clicky”的",
        "我手机是13800001XXX，上星期三下的单",
        "三月五日买的",
        "邮编一九一二二",
        "尾号 5678",
        "It is O-99812, the parcel is W 1001.",
        "order 99812, #1001",
        "I paid €199.00 and want 5,000 euros.",
        "Je veux 5 000 € pour la commande du 5 mars 2026.",
        "C'était mercredi dernier, le 05/03/2026.",
        "on March 5th, last Wednesday",
        "on the fifth of March, le cinq mars, March the fifth",
        "I want five thousand euros. J'ai payé cent quatre-vingt-dix-neuf euros.",
        "I paid a hundred and ninety-nine euros, not one euro more!",
        "one may ask a hundred times, deux fois",
        "06 12 34 56 78",
        "0033612345678",
        "ada at example dot org",
        "ADA@Example.org, please.",
        "It came at 18:30, 100% broken, all 2 of it, the 2nd time; you may 5 times try.",
        "my iPhone 15 and a 4K TV, MP3, B2B",
        "1 9 1 2 2",
        "bluetooth",
        "I called 100 times, j'ai attendu 120 jours, 打了200次",
        "(555) 010-2233, 5550102233, +1 555 010 2233",
        "",
    ],
)
def test_what_it_knows_may_be_said_in_any_spelling(text: str) -> None:
    """Another separator, currency sign, order of a date, numerals, the last digits: it is the same thing."""
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "quote"),
    [
        ("订单号是o_99813。", "id", "o_99813"),
        ("退我六千块", "amount", "6000块"),
        ("要赔偿5万元", "amount", "50000元"),
        ("上周四买的", "date", "上周四"),
        ("三月六号买的", "date", "3月6号"),
        ("手机13800001234", "phone", "13800001234"),
        ("他说“马上退款”", "quote", "马上退款"),
        ("邮箱bob@other.net", "email", "bob@other.net"),
        ("Order W1002, please.", "id", "W1002"),
        ("number 99813", "id", "99813"),
        ("SKU EHGLP3", "id", "EHGLP3"),
        ("I want 250 dollars", "amount", "250 dollars"),
        ("Je veux 4 000 €", "amount", "4 000 €"),
        ("call 06 12 34 56 79", "phone", "06 12 34 56 79"),
        ("on March 6th", "date", "March 6th"),
        ("le 5 mars 2025", "date", "5 mars 2025"),
        ("le 06/03/2026", "date", "06/03/2026"),
        ("jeudi dernier", "date", "jeudi dernier"),
        ("on Friday at 5pm", "date", "on Friday"),
        ("He said “it ships today”", "quote", "it ships today"),
        ("Il a dit « c'est parti »", "quote", "c'est parti"),
        ("bob at other dot net", "email", "bob at other dot net"),
        ("I paid two hundred euros", "amount", "200 euros"),
        ("J'ai payé quatre-vingt-onze euros", "amount", "91 euros"),
        ("soixante-dix mille euros", "amount", "70000 euros"),
        ("commandé le six mars", "date", "6 mars"),
        ("on the twenty-first of March", "date", "21 of March"),
        ("1001 euros", "amount", "1001 euros"),
        ("99812 euros", "amount", "99812 euros"),
        ("parcel W1001X", "id", "W1001X"),
    ],
)
def test_what_it_was_never_given_is_invented(text: str, kind: str, quote: str) -> None:
    """E-mails, phones, ids, amounts, dates, quotations, in each language."""
    assert said(text) == [("invented", kind, quote)]


@pytest.mark.parametrize(
    "text",
    [
        "投诉到12315",
        "不退款我就打12315",
        "1987年我就在这儿了，2019那年也是，快退款吧",
        "上周三下雨，退款的事急不急",
        "I'll call 911!",
        "J'habite ici depuis 1987",
        "I have lived here since 1987, you know.",
        "back in the 1990s",
        "on Sunday my daughter comes",
        "It rained on Monday. Last Friday too, all day long",
        "上周三下了好大的雨",
        "I live in room 302, upstairs",
        "我住3楼302室",
        'she calls it the "good" scarf',
        "那条“漂亮”的围巾",
        "since COVID-19",
    ],
)
def test_small_talk_invents_nothing(text: str) -> None:
    """A year, a weekday, a number that anybody may call, a room, an adjective in quotation marks."""
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "quote"),
    [
        ("订单号是12315", "id", "12315"),
        ("my order is 911", "id", "911"),
        ("The order number is 1987.", "id", "1987"),
        ("It's 1987.", "id", "1987"),
        ("I ordered it in 1987", "id", "1987"),
        ("Oh, it was on Sunday, I think", "date", "on Sunday"),
        ("it arrived last Friday", "date", "last Friday"),
        ("大概是上周四吧", "date", "上周四"),
        ("Deliver it to room 302", "id", "302"),
        ('The "ErgoMax" one', "quote", "ErgoMax"),
        ('the product is "silent"', "quote", "silent"),
        ('Your colleague told me "yes"', "quote", "yes"),
        ("那个叫“小白”的", "quote", "小白"),
        ("It was 1987, order W1987", "id", "W1987"),
    ],
)
def test_where_it_stands_for_something_of_the_errand_it_is_invented(text: str, kind: str, quote: str) -> None:
    """Beside a word of the errand, or as the whole answer."""
    assert ("invented", kind, quote) in said(text)


@pytest.mark.parametrize(
    ("text", "kind", "quote"),
    [
        ("It is ADA@hidden.org", "email", "ADA@hidden.org"),
        ("ada [at] hidden [dot] org", "email", "ada [at] hidden [dot] org"),
        ("the order is O-77001", "id", "O-77001"),
        ("the order is 77001", "id", "77001"),
        ("1.250,00 €", "amount", "1.250,00 €"),
        ("付了一千二百五十元", "amount", "1250元"),
        ("I paid 1250", "id", "1250"),
        ("on 24 December", "date", "24 December"),
        ("12月24日", "date", "12月24日"),
        ("+33 6 99 88 77 66", "phone", "+33 6 99 88 77 66"),
        ("It's the BLUE one", "value", "blue"),
        ("给我孙子买的", "value", "孙子"),
        ("pour Eloise", "value", "Éloïse"),
        ("one thousand two hundred and fifty euros", "amount", "1250 euros"),
        ("ada at hidden.org", "value", "ada@hidden.org"),
        ("the rice-cooker", "value", "rice cooker"),
        ("给我孙 子", "value", "孙子"),
    ],
)
def test_a_forbidden_value_is_a_leak_in_any_spelling(text: str, kind: str, quote: str) -> None:
    """Be it said in part, in another form, or without its accents."""
    assert said(text) == [("leak", kind, quote)]


def test_a_forbidden_value_stays_forbidden_when_it_is_known() -> None:
    """The agent may have said it: the customer still does not remember."""
    found = check_customer_text("W1001!", allowed=["Is it W1001?"], forbidden_values=["W1001"])
    assert [(each.rule, each.text) for each in found] == [("leak", "W1001")]
    assert check_customer_text("W1001!", allowed="It is W1001.", forbidden_values=["", "  "]) == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("亲，麻烦查一下。好的！谢谢。", []),
        ("一。二。三。四。", ["length"]),
        ("Hello Mr. Smith, it cost 3.50 euros. Really?! Tell me...", []),
        ("One. Two. Three. Four", ["length"]),
        ("Fine 👍", ["emoji"]),
        ("❤️", ["emoji"]),
        ("Wait — what…?", []),
    ],
)
def test_style(text: str, kinds: list[str]) -> None:
    """More than three sentences, or an emoji."""
    assert [each.kind for each in check_customer_style(text)] == kinds


WORDS = st.sampled_from(
    ["W1001", "o_99812", "199 €", "5,000 euros", "ada@example.org", "+33 6 12 34 56 78", "2026-03-05",
     "5 mars", "三千元", "13800001234", "“a b”", "last Friday", "#77", "hello", "订单"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(WORDS, max_size=6), st.lists(WORDS, min_size=1, max_size=3))
def test_whoever_repeats_what_is_allowed_invents_nothing(words: list[str], forbidden: list[str]) -> None:
    """Word for word, nothing is invented, in whatever order; and of what is forbidden nothing gets through."""
    text = " , ".join(words)
    assert check_customer_text(text, allowed=words, forbidden_values=[]) == []
    leaks = check_customer_text(" , ".join(forbidden), allowed=words, forbidden_values=forbidden)
    assert leaks
    assert all(each.rule == "leak" for each in leaks)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises, and one form is the form of itself."""
    data_in(text)
    check_customer_style(text)
    assert even(even(text)) == even(text)
