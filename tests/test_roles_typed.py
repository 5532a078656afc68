"""Roles as a user types them: names, framings, models, lists, and the seats they sit on."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom import cli
from debateroom.debating.roles import LONGEST_NAME, RoleSpec, parse_role, parse_roles_list, seat_name
from debateroom.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Critic", RoleSpec("Critic")),
        ("  Critic  ", RoleSpec("Critic")),
        ("Critic: finds failure modes", RoleSpec("Critic", "finds failure modes")),
        ("Critic:finds failure modes", RoleSpec("Critic", "finds failure modes")),
        ("Critic:", RoleSpec("Critic")),
        ("Critic: ratio 2:1, see http://a.example: yes", RoleSpec("Critic", "ratio 2:1, see http://a.example: yes")),
        ("安全工程师：找漏洞：先看登录", RoleSpec("安全工程师", "找漏洞：先看登录")),
        ("Critic@opus", RoleSpec("Critic", None, "opus")),
        ("Critic@openai:gpt-6.2-sol", RoleSpec("Critic", None, "openai:gpt-6.2-sol")),
        (
            "Critic@openai:gpt-6.2-sol: finds failure modes",
            RoleSpec("Critic", "finds failure modes", "openai:gpt-6.2-sol"),
        ),
        ("Critic@openai:qwen:7b: says: no", RoleSpec("Critic", "says: no", "openai:qwen:7b")),
        ("Critic @sonnet: calm", RoleSpec("Critic", "calm", "sonnet")),
        ("Critic@sonnet:", RoleSpec("Critic", None, "sonnet")),
        ("批评者@opus：找漏洞", RoleSpec("批评者", "找漏洞", "opus")),
        ("Critic@scripted:/tmp/my replies.json: x", RoleSpec("Critic", "x", "scripted:/tmp/my replies.json")),
        ("Critic@command:claude", RoleSpec("Critic", None, "command:claude")),
        ("Support: writes to bob@example.org", RoleSpec("Support", "writes to bob@example.org")),
        ("bob@example.org: grumpy", RoleSpec("bob@example.org", "grumpy")),
        ("bob@example.org", RoleSpec("bob@example.org")),
        ("Head of R&D @ Acme: careful", RoleSpec("Head of R&D @ Acme", "careful")),
        ('The "skeptic"', RoleSpec('The "skeptic"')),
        ("Ops \\| Infra", RoleSpec("Ops \\| Infra")),
        ("# Heading", RoleSpec("# Heading")),
        ("{name} {0}", RoleSpec("{name} {0}")),
        ("مهندس", RoleSpec("مهندس")),
    ],
)
def test_a_role_is_read_as_typed(text: str, expected: RoleSpec) -> None:
    """The name ends at the first colon, a model at the first colon before a space; everything else stays."""
    assert parse_role(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no name"),
        ("   ", "no name"),
        (": finds failure modes", "no name"),
        ("：找漏洞", "no name"),
        ("@opus", "no name"),
        ("Critic@", "no model"),
        ("Line\nbreak", "one line"),
        ("Line\r\nbreak: framing", "one line"),
        ("Tab\there", "one line"),
        ("Nul\x00", "one line"),
        ("\x1b[31mRed", "one line"),
        ("Line\u2028separator", "one line"),
        ("Right\u202eleft", "one line"),
        ("Half\ud83d", "one line"),
        ("Critic@op\nus", "one line"),
        ("x" * (LONGEST_NAME + 1), "81 characters"),
    ],
)
def test_a_role_that_cannot_be_shown_is_refused(text: str, message: str) -> None:
    """No name, a name of more than one line, with control characters or too long is a usage error with a hint."""
    with pytest.raises(UsageError, match=message) as refused:
        parse_role(text)
    assert refused.value.exit_code == 2
    assert refused.value.hint is not None
    assert str(refused.value).isprintable()


def test_a_name_of_eighty_characters_is_allowed() -> None:
    """The limit itself is still a name, and a long framing is no name."""
    name = "x" * LONGEST_NAME
    assert parse_role(f"{name}: {'y' * 5000}") == RoleSpec(name, "y" * 5000)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("architect, security engineer, junior dev", ["architect", "security engineer", "junior dev"]),
        ("架构师，安全工程师、初级开发", ["架构师", "安全工程师", "初级开发"]),
        ("Critic,Critic", ["Critic", "Critic"]),
        ('The "skeptic",L\'optimiste', ['The "skeptic"', "L'optimiste"]),
        ("“Sales, EMEA”,«Achats, SI»,Critic", ["Sales, EMEA", "Achats, SI", "Critic"]),
        ('the "fast, cheap" one,Critic', ['the "fast, cheap" one', "Critic"]),
        ('5" screen,Critic', ['5" screen', "Critic"]),
        ("Ops | Infra,Critic", ["Ops | Infra", "Critic"]),
        ("Ops \\| Infra,Critic\\", ["Ops \\| Infra", "Critic\\"]),
        ("**Bold**,# Heading", ["**Bold**", "# Heading"]),
        ("安全工程师,Avocat du diable,مهندس", ["安全工程师", "Avocat du diable", "مهندس"]),
        ("Solo", ["Solo"]),
        (" architect ,, critic, ", ["architect", "critic"]),
    ],
)
def test_a_list_of_roles_is_parted_by_commas_outside_quotes(text: str, names: list[str]) -> None:
    """Commas of either width part; quotes, pipes, back-slashes and markdown stay; a quoted comma does not part."""
    assert [spec.name for spec in parse_roles_list(text)] == names


def test_a_listed_role_may_have_a_model_and_a_framing() -> None:
    """Each item of the list is a role like that of `--role`."""
    assert parse_roles_list("Critic@opus: finds flaws, Lawyer") == [
        RoleSpec("Critic", "finds flaws", "opus"),
        RoleSpec("Lawyer"),
    ]


@pytest.mark.parametrize("text", ["", "  ", ",", "，、,", "Line\nbreak,Critic", "a,:x"])
def test_a_list_without_a_usable_role_is_refused(text: str) -> None:
    """Nothing between the commas, or a role that cannot stand, is a usage error."""
    with pytest.raises(UsageError):
        parse_roles_list(text)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_role_or_a_usage_error(text: str) -> None:
    """Whatever is typed: one printable line as the name, or a usage error; never another one."""
    for read in (parse_role, lambda line: parse_roles_list(line)[0]):
        try:
            spec = read(text)
        except UsageError:
            continue
        assert 0 < len(spec.name) <= LONGEST_NAME
        assert spec.name == spec.name.strip()
        assert not re.search(r"[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]", spec.name)


@pytest.mark.parametrize(
    ("index", "name"),
    [(0, "Agent A"), (25, "Agent Z"), (26, "Agent AA"), (52, "Agent BA"), (701, "Agent ZZ"), (702, "Agent AAA")],
)
def test_seats_are_lettered(index: int, name: str) -> None:
    """Agent A to Agent Z, then Agent AA and on, like the columns of a sheet."""
    assert seat_name(index) == name


def test_a_seat_before_the_first_does_not_exist() -> None:
    """A negative index is a programming error."""
    with pytest.raises(ValueError, match="starts at 0"):
        seat_name(-1)


def test_roles_are_filled_up_to_the_usual_number_of_seats(capsys: pytest.CaptureFixture[str]) -> None:
    """`--add-roles` without `-n`: one role becomes three seats, the given one first."""
    typed = [
        "Queue or loop for jobs?",
        "--role",
        "Bee keeper",
        "--add-roles",
        "--dry-run",
        "--json",
        "--model",
        "opus",
    ]
    assert cli.run(typed) == 0
    seats = json.loads(capsys.readouterr().out)["agents"]
    assert (len(seats), seats[0]["role"]) == (3, "Bee keeper")
