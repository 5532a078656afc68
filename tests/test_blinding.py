"""Answers are made alike before they are judged: no mark of a house, no writer's name, and nothing they say lost."""

from __future__ import annotations

import pytest

from debateroom.debating.blinding import alike

TASKS = {
    "en": "How should our background jobs run?",
    "fr": "Nos tâches de fond : file ou boucle ?",
    "zh": "后台任务应该用队列还是循环？",
}


def blind(text: str, *, language: str = "en", about: str = "") -> str:
    seats = ["Agent A", "Agent B", "Agent AB"]
    return alike(text, language=language, about=about or TASKS[language], seats=seats)


def test_formats_come_to_one() -> None:
    """Headings, bold, bullets, numbers, rules, quotes and pictures before a line are habits of a house."""
    one = "## Use a queue 🚀\n\n**Why**: it *holds* __all of it__ — “safe”…\n* one\n• two\n\n---\n1) first\n> quote\n"
    other = 'Use a queue\n\nWhy: it holds all of it - "safe"...\n- one\n- two\n\n1. first\nquote'
    assert blind(one) == blind(other) == other


@pytest.mark.parametrize(
    ("text", "left"),
    [
        # introductions
        ("I'm ChatGPT. Use a queue.", "I'm [a model]. Use a queue."),
        ("I am Claude Opus 4.5, made by Anthropic. A loop.", "I am [a model], made by [a model]. A loop."),
        ("As a model trained by OpenAI, I would queue.", "As a model trained by [a model], I would queue."),
        ("As Gemini, built by Google, I say so.", "As [a model], built by [a model], I say so."),
        ("I'm Grok, built by xAI. A loop.", "I'm [a model], built by [a model]. A loop."),
        ("I'm Doubao from ByteDance.", "I'm [a model] from [a model]."),
        ("Hi! I'm Copilot from Microsoft.", "Hi! I'm [a model] from [a model]."),
        ("I was trained by Google.", "I was trained by [a model]."),
        ("My name is Claude. A queue.", "My name is [a model]. A queue."),
        ("Speaking as Claude, a queue.", "Speaking as [a model], a queue."),
        ("I, Claude, think so.", "I, [a model], think so."),
        ("I am Opus, and I use Google Cloud.", "I am [a model], and I use Google Cloud."),
        ("I’m Claude – an AI assistant.", "I'm [a model] - an AI assistant."),
        ("As an assistant made by Anthropic, I queue.", "As an assistant made by [a model], I queue."),
        ("I'm an AI model developed by Meta. A loop.", "I'm an AI model developed by [a model]. A loop."),
        ("I am command-r, by Cohere.", "I am [a model], by [a model]."),
        ("Claude here: use a queue.", "[a model] here: use a queue."),
        ("Hello, this is Claude. A queue.", "Hello, this is [a model]. A queue."),
        ("This is ChatGPT speaking: use a queue.", "This is [a model] speaking: use a queue."),
        ("Being Claude, I prefer queues.", "Being [a model], I prefer queues."),
        ("OpenAI trained me to say queue.", "[a model] trained me to say queue."),
        ("My creators at Anthropic taught me queues.", "My creators at [a model] taught me queues."),
        # headings and labels
        ("## Claude's Answer\n\nUse a queue.", "[a model]'s Answer\n\nUse a queue."),
        ("My answer (Claude): a queue.", "My answer ([a model]): a queue."),
        ("Claude\n=====\n\nUse a queue.", "Use a queue."),
        ("# Claude\n\nUse a queue.", "Use a queue."),
        ("## Gemini 3 Pro (Google)\nUse a queue.", "Use a queue."),
        ("[Claude]\nUse a queue.", "Use a queue."),
        ("Model: gpt-6.2-sol\n\nUse a queue.", "Use a queue."),
        ("Claude: use a queue", "[a model]: use a queue"),
        ("**Claude:** use a queue.", "[a model]: use a queue."),
        ("claude-sonnet-5-5 says: queue", "[a model] says: queue"),
        ("Claude thinks: queue.", "[a model] thinks: queue."),
        ("(Claude) A queue.", "([a model]) A queue."),
        ("Claude's answer: a queue.", "[a model]'s answer: a queue."),
        ("Answer by Claude: a queue.", "Answer by [a model]: a queue."),
        ("### Response from GPT-6\nA queue.", "A queue."),
        ("C-l-a-u-d-e says queue", "[a model] says queue"),
        ("Cl\u00adaude says queue.", "[a model] says queue."),
        ("Ｃｌａｕｄｅ says queue.", "[a model] says queue."),
        ("Cl\u0430ude says queue.", "[a model] says queue."),
        ("Clàude says queue.", "[a model] says queue."),
        ("Use a queue; the other is by GPT-6.2-sol.", "Use a queue; the other is by [a model]."),
        # signatures and trailers
        ("Use a queue.\n\nBest,\nClaude", "Use a queue."),
        ("Use a queue.\n\nBest regards,\n\nClaude Opus 4.5\n(Anthropic)", "Use a queue."),
        ("Use a queue.\n\nYours sincerely, Gemini", "Use a queue."),
        ("Use a queue.\n\nThanks!\nYour AI assistant", "Use a queue."),
        ("Use a queue.\n\n— Claude", "Use a queue."),
        ("Use a queue.\n\nCheers from Claude!", "Use a queue."),
        ("Use a queue.\n\n/Claude", "Use a queue."),
        ("Use a queue.\n--Claude", "Use a queue."),
        ("Use a queue.\n\n**— Your assistant**", "Use a queue."),
        ("Use a queue.\n- GPT-6.2-sol", "Use a queue."),
        ("Use a queue.\n\nClaude", "Use a queue."),
        ("Use a queue.\n\n_Claude_", "Use a queue."),
        ("Use a queue.\n\nChatGPT, your AI assistant", "Use a queue."),
        ("Use a queue. -- Claude", "Use a queue."),
        ("Use a queue. (Claude)", "Use a queue."),
        ("Use a queue.\n\nSigned: Claude", "Use a queue."),
        ("Use a queue.\n\nCo-Authored-By: Claude <noreply@anthropic.com>", "Use a queue."),
        ("Use a queue.\n\n🤖 Generated with [Claude Code](https://claude.example/code)", "Use a queue."),
        ("This response was generated by Claude.\nUse a queue.", "Use a queue."),
        ("Written by Claude (Anthropic)\n\nUse a queue.", "Use a queue."),
        # with nothing else there
        ("Best,\nClaude", "Best,\n[a model]"),
        ("(Claude)", "([a model])"),
        ("# Claude", "[a model]"),
        # other seats
        ("As Agent AB said to Agent A.", "As [another agent] said to [another agent]."),
        ("<think>I am Grok</think>Use a queue.", "Use a queue."),
    ],
)  # fmt: skip
def test_english_answers_lose_their_writer(text: str, left: str) -> None:
    """By form and place: introductions, labels, signatures and trailers; whatever letters spell the name."""
    assert blind(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Je suis Claude. Une file.", "Je suis [un modèle]. Une file."),
        ("Je suis Gemini, créé par Google.", "Je suis [un modèle], créé par [un modèle]."),
        ("Je m’appelle Claude.", "Je m'appelle [un modèle]."),
        ("Moi, Claude, je dis file.", "Moi, [un modèle], je dis file."),
        ("En tant que modèle de Mistral AI, boucle.", "En tant que modèle de [un modèle], boucle."),
        ("Voici la réponse de Claude : une file.", "Voici la réponse de [un modèle] : une file."),
        ("Claude : une file.", "[un modèle] : une file."),
        ("Réponse de Claude : une file.", "Réponse de [un modèle] : une file."),
        ("Une file.\n\nCordialement,\nClaude", "Une file."),
        ("Une file.\n\nBien à vous,\n— Claude", "Une file."),
        ("Une file.\n\nBien cordialement, Le Chat (Mistral AI)", "Une file."),
        ("Une file. — Claude", "Une file."),
        ("Une file.\n\nVotre assistant", "Une file.\n\nVotre assistant"),
    ],
)  # fmt: skip
def test_french_answers_lose_their_writer(text: str, left: str) -> None:
    """The same in French; what could be anybody stays."""
    assert blind(text, language="fr") == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("我是豆包，由字节跳动开发。用队列。", "我是[某个模型]，由[某个模型]开发。用队列。"),
        ("我是谷歌的Gemini。", "我是[某个模型]的[某个模型]。"),
        ("我是混元，腾讯的模型。", "我是[某个模型]，[某个模型]的模型。"),
        ("我是通义千问（Qwen），阿里云开发的。", "我是[某个模型]（[某个模型]），[某个模型]开发的。"),
        ("我是深度求索公司的模型。", "我是[某个模型]公司的模型。"),
        ("我是由OpenAI训练的语言模型。", "我是由[某个模型]训练的语言模型。"),
        ("我叫Claude。用队列。", "我叫[某个模型]。用队列。"),
        ("作为文心一言，我建议队列。", "作为[某个模型]，我建议队列。"),
        ("作为阿里云开发的大模型通义千问，我建议队列。", "作为[某个模型]开发的大模型[某个模型]，我建议队列。"),
        ("我是百度开发的文心一言。", "我是[某个模型]开发的[某个模型]。"),
        ("用队列。\n\n豆包 敬上", "用队列。"),
        ("豆包：用队列。", "[某个模型]：用队列。"),
        ("克劳德认为应该用队列。", "[某个模型]认为应该用队列。"),
        ("Claude的回答：用队列。", "[某个模型]的回答：用队列。"),
        ("用队列。\n\n此致，\nClaude", "用队列。"),
        ("用队列。\n\n—— Claude", "用队列。"),
        ("用队列。\n\n您的AI助手\nKimi", "用队列。"),
    ],
)  # fmt: skip
def test_chinese_answers_lose_their_writer(text: str, left: str) -> None:
    """The same in Chinese, where nothing stands around a name."""
    assert blind(text, language="zh") == left


@pytest.mark.parametrize(
    "text",
    [
        # code
        "Run `2**3**2`, then `__init__.py` of `claude -p`.",
        "```\nx = a ** b ** c  # I am GPT-5, **bold**\n* 2\n```",
        "Use it:\n\n    x = **y**  # by Claude\n    __all__ = [1]\n\nand stop.",
        "Use `<|im_end|>` as a stop token. Then the rest of the advice.",
        "``a ` b`` and `c",
        # what looks like marks
        "2**3**2 = 512, not 64",
        "Put it in __init__.py, and set __name__.",
        "print(a**b, c**d)",
        "**kwargs and *args, then **opts",
        "__all__ = [1]; __name__",
        "glob **/*.py and **/*.md, or **/src/**",
        "a*b*c equals c*b*a; x = y ** 2 and z ** 3",
        "snake_case_name and _private_ stay",
        "p < q > r and <b>bold</b>, $a_1$ and $b_1$",
        "An é 😀 stays.",
        # thinking that is spoken of
        "Use a queue. <think> then the rest of the advice",
        "<think>unclosed: use a queue",
        "Set User: root in the unit. Then go.\n\nUser: you\nrest",
        "Use a loop:\n\n-- never that, use a queue.",
        "Use a queue.\n\n-- and monitor it",
        "What do you do when it is full? Drop.",
        "Let me know when it is full: add an alert.",
        # names that are no writer's
        "pip install openai",
        "import anthropic; model='gpt-4o'",
        "provider: openai\nmodel: gpt-4o",
        "Sonnet 18 by Shakespeare",
        "Opus 27 by Beethoven",
        "Command-R? no: command -r works.",
        "Write a haiku; the mistral blows; a llama spits; Claude Monet painted; meta data of the codex.",
        "Claude Shannon: entropy.",
        "A GUID partition table (GPT) by Gemini Street.",
        "Amazon and Google offer queues, and Meta wrote one.",
        "We use OpenAI's API and Claude Code in CI.",
        "Google Cloud Tasks, made by Google, is best.",
        "As Claude Monet said, paint.",
        "This text was written by Claude Debussy.",
        "I am from Google's hometown.",
        "As an AI team at Google found, retry.",
        "I recommend Claude Opus 4.5, not GPT-6.",
        "I am sure that Gemini 3 was a spacecraft.",
        "The code that was generated by Claude needs a review.",
        "Castor is in:\n\nGemini",
        "- Orion\n- Gemini",
        "Gemini",
        "GPT",
        "Claude: dear.\nDeepSeek: cheap.",
        "Claude\nClaude is a French name.",
        "Source: OpenAI",
        "Sincerely held beliefs differ.",
        "Thanks! Best regards are not a plan.",
        "Regards to the queue: fine.\n\nThanks!",
    ],
)
def test_what_an_answer_says_stays_word_for_word(text: str) -> None:
    """Code, what only looks like a mark or a tag, and names of which nothing says that they are the writer's."""
    assert blind(text) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Mistral est un vent, Opus une œuvre.", "fr"),
        ("Nous utilisons Claude et l'API d'OpenAI.", "fr"),
        ("Le livre de Claude Simon.", "fr"),
        ("Merci de votre patience.", "fr"),
        ("我们使用谷歌的队列和Claude。", "zh"),
        ("早餐吃豆包，晚上看星火。", "zh"),
        ("混元是古代的说法。", "zh"),
        ("谢谢大家的建议。", "zh"),
    ],
)
def test_other_languages_stay_word_for_word(text: str, language: str) -> None:
    """The same in French and Chinese."""
    assert blind(text, language=language) == text


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Take Claude Opus 4.5, not GPT-6; OpenAI bills by token.", "Claude or gpt for our OpenAI account?"),
        ("Claude: it is the better one.", "Claude or gpt?"),
        ("Claude", "Which language model writes best?"),
        ("Claude recommends less.", "Read CLAUDE.md."),
    ],
)
def test_what_the_task_is_about_stays(text: str, about: str) -> None:
    """Who asks about models gets answers about them."""
    assert blind(text, about=about) == text


def test_an_introduction_is_left_out_whatever_the_task_is_about() -> None:
    """A file of the context may name every model there is; who writes is told by none of that."""
    about = "Read CLAUDE.md, then compare ChatGPT and Gemini."
    assert blind("I'm Claude. Take Gemini 3.", about=about) == "I'm [a model]. Take Gemini 3."
    assert blind("I am ChatGPT, so I know ChatGPT.", about=about) == "I am [a model], so I know ChatGPT."
    assert blind("Take it.\n- Claude Opus 5", about=about) == "Take it."


def test_a_heading_loses_its_marks_and_nothing_else() -> None:
    """What closes it stands apart; a language's name does not."""
    assert blind("## Use a queue ##\n# In C#\n#5 is no heading\n### #") == "Use a queue\nIn C#\n#5 is no heading"


@pytest.mark.parametrize(
    "piece",
    ["___a ", "**a __b ***c ", "#", " # ", "gpt-", "*a", "- ", "1) ", "\n\n— x", "I am ", "`", "` ``", "c-l-a-u-d-e ",
     "by ", "Best,\n", "claude\n", "我是", "ééé ", "\t", "as an ai ai ai ", "<think>"],
)  # fmt: skip
def test_marks_that_never_close_take_no_time(piece: str) -> None:
    """Text of a model is hostile: 40,000 characters of what looks like a mark are read in one go."""
    assert len(blind("# " + piece * (40_000 // len(piece)))) <= 40_000 * 2


def test_invisible_characters_and_thousands_of_lines_are_no_trouble() -> None:
    """Hidden text is not shown to a judge, and long answers take no time."""
    assert blind("Use\u200b a \u202equeue\U000e0041.") == "Use a queue."
    assert len(blind("**bold** _x_ I am GPT-5.\n" * 4_000)) > 40_000
