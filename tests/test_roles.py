"""Roles: what a user types, the catalogue behind a bare name, and the defaults by domain."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debateroom import templates
from debateroom.debating.roles import (
    LONGEST_NAME,
    RoleSpec,
    assign,
    fill,
    find_role,
    parse_role,
    parse_roles_list,
    seat_name,
)
from debateroom.errors import UsageError
from debateroom.language import LANGUAGES

DOMAINS = ("software", "product", "strategy")
FIRST_THREE = {
    ("software", "en"): ["Architect", "Pragmatist", "Critic"],
    ("software", "fr"): ["Architecte", "Pragmatique", "Critique"],
    ("software", "zh"): ["架构师", "务实派", "批评者"],
    ("product", "en"): ["User advocate", "Business strategist", "Engineer"],
    ("product", "fr"): ["Défenseur de l'utilisateur", "Stratège d'entreprise", "Ingénieur"],
    ("product", "zh"): ["用户代言人", "商业战略家", "工程师"],
    ("strategy", "en"): ["Optimist", "Skeptic", "Synthesizer"],
    ("strategy", "fr"): ["Optimiste", "Sceptique", "Synthétiseur"],
    ("strategy", "zh"): ["乐观者", "怀疑者", "综合者"],
}
FACTS = {
    "architect": {
        "en": ["systems", "interfaces", "scalability", "long-term", "maintainability"],
        "fr": ["systèmes", "interfaces", "évolutivité", "maintenabilité", "long terme"],
        "zh": ["系统", "接口", "可扩展", "长期", "可维护"],
    },
    "pragmatist": {
        "en": ["shipping fast", "least complexity", "good enough"],
        "fr": ["livrer vite", "complexité minimale", "assez bonnes"],
        "zh": ["快速交付", "复杂度最低", "够用就好"],
    },
    "critic": {
        "en": ["edge cases", "failure modes", "security holes", "assumptions"],
        "fr": ["cas limites", "modes de défaillance", "failles de sécurité", "hypothèses"],
        "zh": ["边界情况", "失效模式", "安全漏洞", "假设"],
    },
    "user_advocate": {
        "en": ["user experience", "simplicity", "delight"],
        "fr": ["UX", "simplicité", "plaisir"],
        "zh": ["用户体验", "简单", "愉快"],
    },
    "business_strategist": {
        "en": ["revenue", "growth", "competitive advantage"],
        "fr": ["chiffre d'affaires", "croissance", "avantage concurrentiel"],
        "zh": ["营收", "增长", "竞争优势"],
    },
    "engineer": {
        "en": ["technical feasibility", "cost"],
        "fr": ["faisabilité technique", "coût"],
        "zh": ["技术可行性", "成本"],
    },
    "optimist": {
        "en": ["opportunity", "potential", "reasons to act"],
        "fr": ["opportunités", "potentiel", "raisons d'agir"],
        "zh": ["机会", "潜力", "行动的理由"],
    },
    "skeptic": {
        "en": ["risks", "downsides", "reasons to wait"],
        "fr": ["risques", "inconvénients", "raisons d'attendre"],
        "zh": ["风险", "弊端", "等待的理由"],
    },
    "synthesizer": {
        "en": ["middle way", "both views"],
        "fr": ["voie du milieu", "deux perspectives"],
        "zh": ["中间道路", "双方的看法"],
    },
}
"""What the source of the first nine roles says of each; no framing may lose one of these."""
AIM_AND_TARGET = {"en": ("optimises for", "attacks"), "fr": ("optimise pour", "attaque"), "zh": ("力求", "质疑")}


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


@pytest.mark.parametrize(("domain", "language"), FIRST_THREE)
def test_each_set_begins_with_its_three_roles(domain: str, language: str) -> None:
    """The defaults of a domain are its three classic roles, named in the language of the debate."""
    roles = assign(domain, language, 3)
    assert [spec.name for spec in roles] == FIRST_THREE[domain, language]
    assert all(spec.framing and spec.model is None for spec in roles)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("role", FACTS)
def test_a_framing_keeps_every_fact_of_its_role(role: str, language: str) -> None:
    """What each of the nine classic roles stands for is in its framing, in every language."""
    framing = templates.data(f"roles/{language}.toml")["roles"][role]["framing"]
    assert [fact for fact in FACTS[role][language] if fact not in framing] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_framing_says_what_it_wants_and_what_it_attacks(language: str) -> None:
    """Also the general one, and the one of a second Critic."""
    catalogue = templates.data(f"roles/{language}.toml")
    aim, target = AIM_AND_TARGET[language]
    framings = {key: role["framing"] for key, role in catalogue["roles"].items()}
    framings |= {"general": catalogue["general"], "again": catalogue["again"]}
    assert [key for key, framing in framings.items() if not -1 < framing.find(aim) < framing.rfind(target)] == []
    assert len(set(framings.values())) == len(framings)


def test_the_catalogue_is_the_same_in_every_language() -> None:
    """The same roles, and no name or alias that means two of them, across languages."""
    catalogues = {language: templates.data(f"roles/{language}.toml")["roles"] for language in LANGUAGES}
    assert len({frozenset(roles) for roles in catalogues.values()}) == 1
    wrong = [
        (language, key, name)
        for language, roles in catalogues.items()
        for key, role in roles.items()
        for name in (role["name"], *role["aliases"])
        if find_role(name) != key
    ]
    assert wrong == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_set_goes_on_with_roles_that_pull_against_earlier_ones(domain: str) -> None:
    """At least eight different roles, and each after the first names one before it that it opposes."""
    order = templates.data("roles/sets.toml")[domain]["order"]
    names = [entry["id"] for entry in order]
    assert len(names) == len(set(names)) >= 8
    assert [entry["id"] for at, entry in enumerate(order[1:], 1) if entry["against"] not in names[:at]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_past_the_end_of_a_set_a_second_critic_attacks_the_first(language: str) -> None:
    """`Critic 2` comes after the last default role, framed against the first Critic; names never repeat."""
    size = len(templates.data("roles/sets.toml")["software"]["order"])
    roles = assign("software", language, 3 * size)
    critic = FIRST_THREE["software", language][2]
    assert roles[size].name == f"{critic} 2"
    assert critic in (roles[size].framing or "")
    assert roles[2 * size].name == f"{critic} 3"
    assert len({spec.name for spec in roles}) == 3 * size


def test_a_question_outside_the_three_domains_gets_the_strategy_roles() -> None:
    """Domain None is served by Optimist, Skeptic, Synthesizer."""
    assert assign(None, "en", 4) == assign("strategy", "en", 4)


def test_given_roles_are_used_exactly_and_none_is_added() -> None:
    """Names, framings, models and order as typed, even twice the same; the count does not matter."""
    given_roles = [RoleSpec("Critic", "mine", "opus"), RoleSpec("Critic"), RoleSpec("Bee keeper")]
    roles = assign("software", "en", 7, given_roles)
    assert [(spec.name, spec.model) for spec in roles] == [("Critic", "opus"), ("Critic", None), ("Bee keeper", None)]
    assert roles[0].framing == "mine"
    assert roles[1] == fill(RoleSpec("Critic"), "en")
    assert "Bee keeper" in (roles[2].framing or "")


def test_add_fills_up_with_the_defaults_that_are_missing() -> None:
    """Defaults follow the given roles, without those that are there under another name or in another language."""
    roles = assign("software", "en", 5, parse_roles_list("Critique, software architect"), add=True)
    assert [spec.name for spec in roles] == [
        "Critique",
        "software architect",
        "Pragmatist",
        "Operator",
        "Junior developer",
    ]


def test_add_never_repeats_a_name() -> None:
    """A given `Critic 2` keeps its name to itself when the defaults run into their second lap."""
    roles = assign("software", "en", 25, [RoleSpec("Critic 2", "mine")], add=True)
    assert len({spec.name for spec in roles}) == 25
    assert roles[0] == RoleSpec("Critic 2", "mine")


def test_add_takes_no_given_role_away() -> None:
    """More given roles than seats: all stay."""
    assert len(assign("software", "en", 1, parse_roles_list("a,b,c"), add=True)) == 3


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("security engineer", "security_engineer"),
        ("Security Engineer", "security_engineer"),
        ("SECURITY-ENGINEER", "security_engineer"),
        ("a security engineer", "security_engineer"),
        ("ingénieur sécurité", "security_engineer"),
        ("ingenieur securite", "security_engineer"),
        ("Ingénieure sécurité", "security_engineer"),
        ("un ingénieur sécurité", "security_engineer"),
        ("安全工程师", "security_engineer"),
        ("junior dev", "junior_developer"),
        ("développeur junior", "junior_developer"),
        ("développeuse junior", "junior_developer"),
        ("初级程序员", "junior_developer"),
        ("senior developer", "senior_developer"),
        ("SRE", "operator"),
        ("DevOps 工程师", "operator"),
        ("DevOps工程师", "operator"),
        ("DBA", "dba"),
        ("QA", "tester"),
        ("front-end developer", "frontend_developer"),
        ("Frontend developer", "frontend_developer"),
        ("développeur front-end", "frontend_developer"),
        ("前端工程师", "frontend_developer"),
        ("backend dev", "backend_developer"),
        ("PM", "product_manager"),
        ("UX designer", "designer"),
        ("CFO", "finance"),
        ("directrice financière", "finance"),
        ("lawyer", "lawyer"),
        ("avocat", "lawyer"),
        ("avocat du diable", "devils_advocate"),
        ("Devil’s advocate", "devils_advocate"),
        ("l'architecte", "architect"),
        ("HR", "hr"),
        ("客服", "customer_support"),
        ("investor", "investor"),
        ("chercheuse", "researcher"),
        ("economist", "economist"),
        ("ethicist", "ethicist"),
        ("历史学家", "historian"),
        ("marketer", "marketer"),
        ("sales", "sales"),
        ("data engineer", "data_engineer"),
        ("customer", "customer"),
        ("bee keeper", None),
        ("مهندس", None),
        ("***", None),
    ],
)
def test_a_role_is_found_by_any_of_its_names(name: str, role: str | None) -> None:
    """Case, accents, hyphens, articles and the language of the name do not matter."""
    assert find_role(name) == role


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bare_name_gets_its_framing_in_the_language_of_the_debate(language: str) -> None:
    """The name stays as typed, whatever language it is in; the framing is the debate's."""
    framing = templates.data(f"roles/{language}.toml")["roles"]["security_engineer"]["framing"]
    for name in ("Security engineer", "ingénieur sécurité", "安全工程师"):
        assert fill(RoleSpec(name, None, "opus"), language) == RoleSpec(name, framing, "opus")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unknown_name_gets_the_general_framing_with_its_name(language: str) -> None:
    """The name is put in as it is, braces and all."""
    spec = fill(RoleSpec("Bee {keeper} {0}"), language)
    general = templates.data(f"roles/{language}.toml")["general"]
    assert spec.framing == general.replace("{name}", "Bee {keeper} {0}")
    assert "{name}" not in spec.framing
