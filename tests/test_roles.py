"""The catalogue behind a role's bare name, and the default roles by domain."""

from __future__ import annotations

import pytest

from debateroom import templates
from debateroom.debating.roles import RoleSpec, assign, fill, find_role, parse_roles_list
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
@pytest.mark.parametrize(
    ("domain", "attacked"), [("software", "critic"), ("product", "engineer"), ("strategy", "skeptic")]
)
def test_past_the_end_of_a_set_further_critics_attack_the_first_ones_case(
    domain: str, attacked: str, language: str
) -> None:
    """`Critic 2`, `Critic 3` and so on in every domain, each framed against another role; names never repeat."""
    size = len(templates.data("roles/sets.toml")[domain]["order"])
    roles = assign(domain, language, 2 * size)
    catalogue = templates.data(f"roles/{language}.toml")["roles"]
    critics = roles[size:]
    assert [spec.name for spec in critics] == [f"{catalogue['critic']['name']} {n}" for n in range(2, size + 2)]
    assert catalogue[attacked]["name"] in (critics[0].framing or "")
    assert len({spec.framing for spec in roles}) == 2 * size


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
    """A given `Critic 2` keeps its name to itself when the defaults come to their further critics."""
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
