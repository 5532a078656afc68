"""Which of the three languages a text is written in."""

from __future__ import annotations

import time

import pytest

from debateroom.language import amount, detect_language

ENGLISH = [
    "queue vs loop?",
    "performance",
    "tabs or spaces?",
    "React or Vue?",
    "on prem or cloud?",
    "our P&L is red, cut or raise?",
    "A four page style guide?",
    "Postgres vs MySQL ?",
    "resume parser in Go or Rust?",
    "résumé parser in Go or Rust?",
    "Should we open an office in Côte d'Ivoire?",
    "We don't know: is it's worth what we'd pay?",
]
FRENCH = [
    "Kafka ou RabbitMQ ?",
    "Améliorer le site",
    "Recruter un CTO ?",
    "Monolithe ou microservices",
    "Que faire ?",
    "on recrute ?",
    "Aide-moi",
    "l’API REST ou GraphQL ?",
    "J'hesite entre Go et Rust pour notre API gateway",
    "Nos devs veulent TypeScript, on y va ?",
    "tabulations ou espaces ?",
    "Ça rame",
]
CHINESE = [
    "怎么办",
    "用 Go 还是 Rust？",
    "Go 还是 Rust",
    "Kafka 或 RabbitMQ",
    "React vs Vue 哪个好",
    "我们的 Kubernetes cluster 要不要从 EKS 迁移到 GKE？",
    "API gateway 选 Kong 还是 Envoy",
    "微服務還是單體？",
]


@pytest.mark.parametrize(
    ("text", "language"),
    [(text, "en") for text in ENGLISH] + [(text, "fr") for text in FRENCH] + [(text, "zh") for text in CHINESE],
)
def test_a_short_question_is_enough(text: str, language: str) -> None:
    """A question of a few words, with product names in it, is in the language of its other words."""
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "   ", "???", "--help", "42", "🙂", "SELECT 1;", "\ud800"])
def test_english_is_the_default(text: str) -> None:
    """A text that speaks no language is taken for English."""
    assert detect_language(text) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "¿Debemos usar Kafka o RabbitMQ para la cola de mensajes?",
        "Deve-se usar uma fila ou um laço?",
        "Dobbiamo usare una coda o un ciclo?",
        "Sollen wir eine Queue oder eine Schleife nehmen?",
        "キューとループのどちらを使うべきですか？",
        "큐와 루프 중 무엇을 쓸까요?",
    ],
)
def test_a_fourth_language_is_answered_in_english(text: str) -> None:
    """Spanish, Portuguese, Italian, German, Japanese and Korean are neither French nor Chinese."""
    assert detect_language(text) == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What does 内卷 mean for our hiring?", "en"),
        ("Should we use 队列 or loops in the docs?", "en"),
        ("is `le_total de la facture` a good name for this?", "en"),
        ("Should we link to https://example.org/le/guide/des/prix from the page?", "en"),
        ("Faut-il renommer `get_the_total_of_all` ?", "fr"),
        ("要不要把 `should_we_do_it_or_not` 改名？", "zh"),
        ("我们 should we 用队列还是循环？", "zh"),
    ],
)
def test_code_and_quoted_words_do_not_decide(text: str, language: str) -> None:
    """Code, addresses and a foreign word inside a sentence leave the sentence's language as it is."""
    assert detect_language(text) == language


def test_a_huge_text_is_told_in_a_moment() -> None:
    """Only the beginning is looked at, so that a pasted log costs no time, whatever it holds."""
    started = time.perf_counter()
    for text in ("a@" * 100_000, "/a" * 100_000, "`" * 200_000, "x" * 200_000, "l'" * 100_000):
        assert detect_language(text) in ("en", "fr")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("dollars", "written"),
    [(0, "0.00"), (2, "2.00"), (1234.567, "1,234.57"), (0.5, "0.50"), (0.12345, "0.12"), (0.05, "0.05"),
     (0.0456, "0.046"), (0.001, "0.001"), (0.00123, "0.0012"), (0.0000004, "0.0000004")],
)  # fmt: skip
def test_an_amount_is_never_written_as_nothing(dollars: float, written: str) -> None:
    """At least two decimals, and two figures of what is less than a cent."""
    assert amount("en", dollars) == written
    assert amount("fr", 0.0456) == "0,046"
