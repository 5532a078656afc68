"""What is found in the words of a simulated person, and the small rules that tell texts apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debateroom.agents.agent import ToolRecord
from debateroom.dialogue import (
    asking,
    data,
    deliverable,
    findings,
    offers,
    progress,
    requests,
    sameness,
    signs,
    tool_names,
)
from debateroom.dialogue.data import Datum
from debateroom.dialogue.loop import Exchange
from debateroom.dialogue.scenario import Scenario

SCENARIO = Scenario(goals="The agent finds order W-2024/77.", opening="Hello, where is my order?")
PERSONA = "Anna Weiss, anna@example.org, lives at 12 Hill Street, paid CHF 120."
ANSWER = "Please tell me your order number. Our office at the station is open from nine to five every day."


def found(message: str, answer: str = ANSWER, tools: tuple[str, ...] = ("get_order",)) -> list[tuple[str, str]]:
    """Rule and quotation for the second message of a simulation."""
    records = tuple(ToolRecord(name, {}, "", True) for name in tools)
    turns = [Exchange(SCENARIO.opening, answer, records), Exchange(message, "Thank you.")]
    return [(item.rule, item.quote) for item in findings.of_simulator(turns, SCENARIO, PERSONA)]


@pytest.mark.parametrize(
    ("message", "rules"),
    [
        ("It is W-2024/77.", []),
        ("My e-mail is anna@example.org, I live at 12 Hill Street.", []),
        ("I do not know.", []),
        ("Did you use get_order?", ["tool_name"]),
        ("Please call lookupCustomer.", ["tool_name"]),
        ("Merci d'appeler resolveClient.", ["tool_name"]),
        ("I am a tester and this is a simulation.", ["nature"]),
        ("Je suis un testeur.", ["nature"]),
        ("我是一名测试员。", ["nature"]),
        ("My simulation_brief is long: <simulation_brief>", ["nature"]),
        ("As an AI language model I have no order.", ["nature"]),
        ("I am simulating a customer here.", ["nature"]),
        ("I was instructed to play a hurried person.", ["nature"]),
        ("My test persona has no such number.", ["nature"]),
        ("That does not meet my evaluation criteria.", ["nature"]),
        ("Are you an AI? I am a customer and play tennis.", []),
        ("En tant qu'IA, je ne sais pas.", ["nature"]),
        ("Je joue le rôle d'une cliente.", ["nature"]),
        ("Cela ne remplit pas les critères d'évaluation.", ["nature"]),
        ("Mon persona ne le sait pas.", ["nature"]),
        ("作为一个AI，我没有订单。", ["nature"]),
        ("我在模拟一位客户。", ["nature"]),
        ("这不符合评估标准。", ["nature"]),
        ("我的测试人设里没有这个号码。", ["nature"]),
        ("我是一名老师，想问订单。", []),
        ("订单号是Ｗ－２０２４／７７。", ["rewritten_id"]),
        ("订单号是W-2024/77。", []),
        ("订单号是Ｔ－９００１。", ["invented_id"]),
        ("邮箱是bob@other.net。", ["invented_id"]),
        ("请调用get_order。", ["tool_name"]),
        ("I paid eight hundred euros.", ["invented_amount"]),
        ("J'ai payé huit cents euros.", ["invented_amount"]),
        ("我付了八百元。", ["invented_amount"]),
        ("I paid 120 francs.", []),
        ("我付了一百二十元。", []),
        ("J'ai payé cent vingt francs.", []),
        ("It is W-2024/78-X9.", ["invented_id"]),
        ("Write to bob@other.net.", ["invented_id"]),
        ("It is W2024-77.", ["rewritten_id"]),
        ("It is w-2024/77.", ["rewritten_id"]),
        ("Our office at the station is open from nine to five every day.", ["repeats_agent"]),
        ("Agent: your order is on its way.", ["speaks_for_agent"]),
        ("L'agent : votre commande est en route.", ["speaks_for_agent"]),
        ("代理：您的订单已发货。", ["speaks_for_agent"]),
        ("Could you try searching with another spelling?", ["search_strategy"]),
        ("Essayez de chercher sans les accents.", ["search_strategy"]),
        ("换个写法再搜索试试。", ["search_strategy"]),
    ],
)
def test_findings_on_the_visible_text(message: str, rules: list[str]) -> None:
    """Each rule on one message, in the three languages."""
    assert [rule for rule, _ in found(message)] == rules


def test_an_identifier_of_the_agents_may_be_said_back() -> None:
    """What the agent told may be copied, exactly."""
    assert found("Yes, T-900 is right.", "Is it ticket T-900?") == []
    assert found("Yes, T900 is right.", "Is it ticket T-900?") == [("rewritten_id", "T900")]


def test_an_offer_left_unused() -> None:
    """Giving up while the agent offers a next step is the simulator's fault; at the turn limit it is nobody's."""
    turns = [Exchange(SCENARIO.opening, "Not in this list. Shall I look in the archive?")]
    gave_up = findings.of_simulator(turns, SCENARIO, PERSONA, gave_up=True)
    assert [(item.rule, item.turn, item.quote) for item in gave_up] == [
        ("unused_offer", 1, "Shall I look in the archive")
    ]
    assert findings.of_simulator(turns, SCENARIO, PERSONA) == ()


@pytest.mark.parametrize(
    ("asked", "offer", "later", "left"),
    [
        ("Lamps in Geneva?", "None. Shall I look in Lausanne?", "What do chairs cost?", True),
        ("Lamps in Geneva?", "None. Shall I look in Lausanne?", "Yes, please.", False),
        ("Lamps in Geneva?", "None. Shall I look in Lausanne?", "Look in Lausanne too.", False),
        ("Lamps in Geneva?", "None. Shall I look for lamps in Lausanne?", "And blue lamps?", True),
        ("Lamps in Geneva?", "None. Would you like anything else?", "What do chairs cost?", False),
        ("Lamps in Geneva?", "Some. Shall I go on?", "What do chairs cost?", False),
        ("Des lampes à Genève ?", "Aucune. Voulez-vous que je cherche à Lausanne ?", "Et les chaises ?", True),
        ("Des lampes à Genève ?", "Aucune. Voulez-vous que je cherche à Lausanne ?", "Oui, à Lausanne.", False),
        ("日内瓦有台灯吗？", "没有。要不要我查一下洛桑？", "椅子多少钱？", True),
        ("日内瓦有台灯吗？", "没有。要不要我查一下洛桑？", "查洛桑。", False),
    ],
)
def test_an_offer_of_an_earlier_turn(asked: str, offer: str, later: str, left: bool) -> None:
    """It is left unused unless a later message says yes or asks for what it names; a kind word offers nothing."""
    turns = [Exchange(asked, offer), Exchange(later, "I do not know.")]
    assert [each.turn for each in offers.unused(turns)] == [1] * left


def test_the_words_beside_the_verdict_are_visible_too() -> None:
    """A last sentence to the agent is held to the same rules."""
    turns = [Exchange(SCENARIO.opening, ANSWER)]
    assert [item.rule for item in findings.of_simulator(turns, SCENARIO, PERSONA, closing="I am a tester.")] == [
        "nature"
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Please wait.", "please  WAIT!", True),
        ("Où est-ce ?", "ou est ce", True),
        ("Your order W1001 is on its way.", "Your order W1002 is on its way.", False),
        ("Your order is on its way to you today.", "Your order is on the way to you today.", True),
        ("yes", "yet", False),
        ("", " ", True),
        ("您的订单正在准备中。", "您的订单正在准备中！", True),
    ],
)
def test_near_identical(one: str, other: str, same: bool) -> None:
    """The same in nearly the same words; another figure is another text."""
    assert sameness.near_identical(one, other) is same
    assert sameness.near_identical(other, one) is same


@given(st.text(max_size=200))
def test_a_text_is_near_itself_and_no_rule_fails_on_it(text: str) -> None:
    """Whatever a model writes, the rules read it."""
    assert sameness.near_identical(text, text)
    turn = Exchange(text, text)
    assert progress.stuck([turn, turn]) in ("answer", "question", "nothing")
    findings.of_simulator([turn, turn], SCENARIO, text, closing=text)
    requests.problems(text, [text], [text])
    requests.mended(text, [], "it")
    deliverable.problems(deliverable.Conclusion(text, text, 0.5), deliverable.Job([turn], [], text, 1))
    assert all(data.known_in(datum, text) for datum in data.in_text(text, names=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to a.b@c.org", [("email", "a.b@c.org")]),
        ("CH93 0076 2011 6238 5295 7", [("iban", "CH93 0076 2011 6238 5295 7")]),
        ("it costs CHF 1'200.50 or 30 €", [("amount", "CHF 1'200.50"), ("amount", "30 €")]),
        ("order W1001, ref. AB-2024/7", [("reference", "W1001"), ("reference", "AB-2024/7")]),
        ("at 4 Main Street and rue du Lac 12", [("address", "4 Main Street"), ("address", "rue du Lac 12")]),
        ("call 022 345 67 89", [("number", "022 345 67 89")]),
        ("on the 2nd, at 5pm, 3 times", []),
        ("订单 W1001，人民路12号", [("reference", "W1001"), ("address", "人民路12号")]),
    ],
)
def test_data_in_a_text(text: str, expected: list[tuple[str, str]]) -> None:
    """Amounts, addresses, e-mails, IBANs, references and numbers, each as one kind."""
    assert [(datum.kind, datum.text) for datum in data.in_text(text)] == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The lamps are sold by Luminex in Geneva.", ["Luminex", "Geneva"]),
        ("The Luminex lamp. In May the Swiss shop closes.", ["Luminex"]),
        ("Anna Weiss lives in **Lausanne**, not in Bern.", ["Anna Weiss", "Lausanne", "Bern"]),
        ("Les lampes viennent de Lausanne.", ["Lausanne"]),
        ("Found: two lamps. Missing: the price. Order W1 is late.", []),
        ("IT and CHF are no names; we ship on Monday.", []),
    ],
)
def test_names_in_a_text(text: str, names: list[str]) -> None:
    """One word with a capital letter in the middle of a sentence, or several; months and days are none."""
    assert [datum.text for datum in data.in_text(text, names=True) if datum.kind == "name"] == names


def test_amounts_in_words_are_known_by_their_figure() -> None:
    """Whichever way the one and the other are written."""
    same = [
        ("eight hundred euros", "EUR 800"), ("one thousand two hundred and fifty francs", "CHF 1'250.-"),
        ("quatre-vingt-dix-sept euros", "97 €"), ("deux mille cinq cents francs", "2500"),
        ("soixante et onze euros", "71.00 EUR"), ("八百元", "800元"), ("三万五千元", "35,000"), ("1.5万元", "15000"),
        ("１２００元", "一千二百元"), ("a hundred dollars", "$100"),
    ]  # fmt: skip
    for words, figures in same:
        (datum,) = data.in_text(words)
        assert (datum.kind, datum.text) == ("amount", words)
        assert data.known_in(datum, f"It is {figures}, all in all."), words
        assert not data.known_in(datum, "It is 8.")


@pytest.mark.parametrize(
    ("datum", "text", "known"),
    [
        (Datum("amount", "CHF 1'200.50"), "It is 1200.50 francs.", True),
        (Datum("amount", "CHF 1'200"), "It is 1'200.00 CHF.", True),
        (Datum("amount", "CHF 120"), "It is 1200 CHF.", False),
        (Datum("reference", "W1001"), "order W1001.", True),
        (Datum("reference", "W100"), "order W1001.", False),
    ],
)
def test_known_data(datum: Datum, text: str, known: bool) -> None:
    """The same amount may be written another way; a piece of a reference is not the reference."""
    assert data.known_in(datum, text) is known


@pytest.mark.parametrize(
    ("summary", "gap"),
    [
        ("Found: the price. Missing: nothing.", False),
        ("Found the price; the date is missing.", True),
        ("Tout est fait, rien ne manque.", False),
        ("Trouvé : le prix. Manque : la date.", True),
        ("已找到价格，没有缺少任何内容。", False),
        ("已找到价格，缺少日期。", True),
        ("Everything was found.", False),
    ],
)
def test_a_stated_gap(summary: str, gap: bool) -> None:
    """`Nothing is missing` is none."""
    assert signs.states_gap(summary) is gap


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("Done. Missing: nothing.", False),
        ("All done. Nothing is missing.", False),
        ("The task has been completed successfully; nothing is missing.", True),
        ("The mission is accomplished. Missing: nothing.", False),
        ("Found: Luminex. Missing: nothing.", True),
        ("The order is done and shipped. Missing: nothing.", True),
        ("Done: the supplier is Luminex. Missing: nothing.", True),
        ("Terminé. Manque : rien.", False),
        ("C'est fait. Rien ne manque.", False),
        ("La mission est accomplie, il ne manque rien.", False),
        ("Trouvé : Luminex. Manque : rien.", True),
        ("任务已完成。缺少：无。", False),
        ("已完成，没有缺失。", False),
        ("已找到供应商。缺少：无。", True),
    ],
)
def test_a_summary_that_all_is_done_says_of_nothing_that_it_was_found(summary: str, said: bool) -> None:
    """Only what is beside it counts."""
    assert signs.says_found(summary) is said


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("Everything was found.", True),
        ("I found Luminex; all requested information was obtained.", True),
        ("Luminex was found, nothing else is needed.", True),
        ("Luminex trouvé ; toutes les informations demandées ont été obtenues.", True),
        ("已找到供应商，所有所需信息均已获得。", True),
        ("All suppliers were asked.", False),
        ("Done.", False),
        ("C'est fait.", False),
        ("已完成。", False),
    ],
)
def test_that_nothing_is_missing_may_be_said_in_other_words(summary: str, said: bool) -> None:
    """`All of it was found` says it; that something was done does not."""
    assert signs.shows("no_gap", summary) is said


@pytest.mark.parametrize(
    ("goals", "names"),
    [
        ("uses get_order and `refund`", [("get_order",), ("refund",)]),
        ("uses the tool orderLookup", [("orderLookup",)]),
        ("The agent calls refund().", [("refund",)]),
        ("先调用refund()，再回答", [("refund",)]),
        ("resolve* is called", [("resolve*",)]),
        ("asks for the order_id and the call_date of the iPhone", []),
        ("GED et M-Files", [("resolve*", "lookupMfiles*"), ("resolve*", "lookupMfiles*")]),
        ("the budget is aged", []),
    ],
)
def test_tools_that_goals_name(goals: str, names: list[tuple[str, ...]]) -> None:
    """Words written as programs write them, and business names with equivalences; fields and brands are none."""
    assert list(tool_names.wanted(goals, tool_names.SHIPPED)) == names


@pytest.mark.parametrize(
    ("goals", "names"),
    [
        ("The agent answers without calling refund_order.", []),
        ("It looks the order up with get_order without calling refund_order.", ["get_order"]),
        ("It looks the order up, without ever using the tool `refund_order`.", []),
        ("It must not call cancel_order or refund_order, only get_order.", ["get_order"]),
        ("It doesn't use cancel_order, refund_order or `add_note`; it uses get_order.", ["get_order"]),
        ("get_order is called, not refund_order.", ["get_order"]),
        ("refund_order must never be called.", []),
        ("refund_order isn't used.", []),
        ("It uses get_order instead of list_orders.", ["get_order"]),
        ("It makes no call to refund_order.", []),
        ("It must not ask for data and looks the order up with get_order.", ["get_order"]),
        ("It says that the order was not found with get_order.", ["get_order"]),
        ("It uses not only get_order but also list_orders.", ["get_order", "list_orders"]),
        ("Without asking, it calls get_order.", ["get_order"]),
        ("It calls get_order. It never calls get_order twice.", ["get_order"]),
        ("L'agent répond sans appeler get_order.", []),
        ("Il cherche avec list_orders sans jamais utiliser l'outil get_order ni refund_order.", ["list_orders"]),
        ("Il n'appelle pas refund_order mais get_order.", ["get_order"]),
        ("Il ne doit jamais appeler refund_order.", []),
        ("refund_order n'est pas appelé.", []),
        ("Il ne demande pas le nom et utilise get_order.", ["get_order"]),
        ("Il répond sans passer par la GED.", []),
        ("代理不调用get_order就回答。", []),
        ("不要使用refund_order，只用get_order。", ["get_order"]),
        ("必须调用get_order，禁止调用refund_order和cancel_order。", ["get_order"]),
        ("refund_order不得被调用。", []),
        ("客服说出订单号order_id是多少。", []),
        ("不仅调用get_order，还调用list_orders。", ["get_order", "list_orders"]),
    ],
)
def test_a_tool_that_must_not_be_called_is_not_asked_for(goals: str, names: list[str]) -> None:
    """In three languages, before and behind the name, for whole lists; a `not` about something else is none."""
    assert [group[0] for group in tool_names.wanted(goals, tool_names.SHIPPED)] == names


@pytest.mark.parametrize(
    ("goals", "named"),
    [
        ("The agent must use weather_now.", True),
        ("The agent must use Weather_Now.", True),
        ("必须使用weather_now查询天气", True),
        ("weather_now_old and my_weather_now are gone", False),
        ("It calls the forecast tool.", True),
        ("Il appelle l'outil forecast.", True),
        ("It reads the forecast out.", False),
        ("It calls forecast for Bern.", True),
        ("forecast(city) is made.", True),
        ("“forecast” is executed.", True),
        ("Il utilise forecast.", True),
        ("它必须调用forecast。", True),
        ("It gives a forecast of the week.", False),
        ("It answers without calling forecast.", False),
    ],
)
def test_a_declared_tool_is_named_whatever_its_form(goals: str, named: bool) -> None:
    """Whole words, in any case; a name that is a word like any other must be called a tool."""
    assert bool(tool_names.wanted(goals, {}, ("weather_now", "forecast"))) is named


COURTESIES = (
    "Is there anything else I can help you with?",
    "Puis-je vous aider pour autre chose ?",
    "还有什么可以帮您的吗？",
)


@pytest.mark.parametrize("courtesy", COURTESIES)
def test_a_courteous_closing_is_no_question_again(courtesy: str) -> None:
    """Each turn brings something, and ends with the same kind word."""
    facts = ("The lamp costs CHF 40.", "The chair is sold by Zumstein.", "Delivery takes nine days.")
    exchanges = [Exchange(f"Question {number}", f"{fact} {courtesy}") for number, fact in enumerate(facts)]
    assert (progress.stalled(exchanges), progress.stuck(exchanges)) == ("", "")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I see. Which order is it?", "question"),
        ("The lamp was sent on Monday by Swiss Post. Which order is it?", ""),
    ],
)
def test_a_question_again_beside_news_is_progress(answer: str, why: str) -> None:
    """The same question ends it where nothing else is said."""
    exchanges = [Exchange("Where is it?", "I see. Which order is it?"), Exchange("The lamp.", answer)]
    if not why:
        assert (progress.stalled(exchanges), progress.stuck(exchanges)) == ("", "")
    else:
        assert progress.stalled(exchanges) in ("question", "answer")


@pytest.mark.parametrize(
    ("request_", "asks"),
    [
        ("What is the source of that?", True),
        ("Where did you find this information?", True),
        ("Quelle est votre source ?", True),
        ("D'où tenez-vous ce prix ?", True),
        ("这个信息的来源是什么？", True),
        ("Where is my order?", False),
        ("What is the reference of the lamp?", False),
        ("Please confirm the price of the lamp.", False),
        ("Quelle est la référence de la commande ?", False),
        ("Confirmez la commande.", False),
        ("请确认价格。", False),
    ],
)
def test_only_who_asks_for_the_source_asks_for_it(request_: str, asks: bool) -> None:
    """A place, a reference and a confirmation are other things."""
    assert signs.shows("asks_source", request_) is asks


@pytest.mark.parametrize(
    ("text", "names", "results", "undone"),
    [
        ("The order has been cancelled.", "get_order", '{"status": "cancelled"}', False),
        ("The order has been cancelled.", "get_order", '{"status": "shipped"}', True),
        ("I have cancelled the order.", "get_order", '{"status": "cancelled"}', True),
        ("I have cancelled the order.", "cancel_order", "done", False),
        ("J'ai remboursé le client.", "get_order", "remboursé", True),
        ("我已退款。", "refund", "ok", False),
    ],
)
def test_an_action_is_done_by_a_tool_that_was_executed(text: str, names: str, results: str, undone: bool) -> None:
    """What a tool told about a thing is no claim; what somebody says to have done is one."""
    assert bool(signs.undone_actions(text, names, results)) is undone


@pytest.mark.parametrize(
    "text",
    [
        "The instruction was sent to the agent.",
        "To do: call the supplier tomorrow morning and order the two lamps for the office.",
        "L'instruction a été envoyée à l'agent.",
        "À faire : appeler le fournisseur demain matin et commander les deux lampes du bureau.",
        "指令已发送给代理。",
        "待办：明天上午给供应商打电话，并为办公室订购两盏台灯，然后确认送货日期。",
    ],
)
def test_what_is_still_to_do_is_no_deliverable(text: str) -> None:
    """Whoever it was sent to, and however long it is."""
    assert signs.shows("forbidden_end", text)


def test_a_result_that_speaks_of_sending_is_a_deliverable() -> None:
    """It says more than that something was sent."""
    assert not signs.shows("forbidden_end", "The message was sent to the agent on Monday; it costs CHF 40.")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Find desk lamps in Geneva.", "Find desk chairs in Geneva.", False),
        ("Which supplier in Geneva sells desk lamps?", "Which supplier in Geneva sells desk chairs?", False),
        ("Which supplier in Geneva sells desk lamps?", "Which supplier in Zurich sells desk lamps?", False),
        ("What is the status of order W1001?", "What is the status of order W1002?", False),
        (
            "What is the status of order W1001?",
            "Could you tell me the current status of the order W1001, please?",
            True,
        ),
        ("What is the status of order W1001?", "What is the amount of order W1001?", False),
        (
            "Desk lamps in Geneva: which supplier sells?",
            "Which supplier in Geneva sells desk lamps, with the source?",
            True,
        ),
        (
            "List the suppliers of desk lamps in Geneva.",
            "Please give me a list of desk lamp suppliers in Geneva.",
            True,
        ),
        ("Send me the invoice of May.", "Send me the invoice of June.", False),
        ("Cancel order W1001.", "Refund order W1001.", False),
        ("When will order W1001 be delivered?", "Tell me the delivery date of W1001.", False),
        ("Find desk lamps under 50 euros in Geneva.", "Find desk lamps under 80 euros in Geneva.", False),
        ("Find desk lamps in Geneva", "Find desk lamps in Geneva and their prices", False),
        (
            "Quels fournisseurs vendent des lampes de bureau à Genève ?",
            "Quels fournisseurs vendent des chaises de bureau à Genève ?",
            False,
        ),
        (
            "Quels fournisseurs vendent des lampes de bureau à Genève ?",
            "Pouvez-vous me donner la liste des fournisseurs qui vendent des lampes de bureau à Genève ?",
            True,
        ),
        ("Quel est le statut de la commande W1001 ?", "Indiquez-moi le statut actuel de la commande W1001.", True),
        ("Quel est le statut de la commande W1001 ?", "Quel est le montant de la commande W1001 ?", False),
        ("日内瓦有哪些供应商出售台灯？", "日内瓦有哪些供应商出售椅子？", False),
        ("日内瓦有哪些供应商出售台灯？", "请帮我查一下日内瓦出售台灯的供应商。", True),
        ("日内瓦有哪些供应商出售台灯？", "苏黎世有哪些供应商出售台灯？", False),
        ("请查询订单W1001的状态。", "请告诉我订单W1001的当前状态。", True),
        ("请查询订单W1001的状态。", "请查询订单W1002的状态。", False),
        ("请查询订单W1001的状态。", "请查询订单W1001的金额。", False),
        ("Where is Anna's parcel?", "Where is Bob's parcel?", False),
        ("What is the e-mail address of Luminex?", "What is the postal address of Luminex?", False),
        ("Could you try again?", "Please look once more.", False),
        ("Find the address of Luminex.", "Find the address of Luminor.", False),
        ("Find suppliers of lamps.", "Who can supply lamps?", True),
        ("查日内瓦台灯价格。", "日内瓦的台灯价格是多少？", True),
        ("查日内瓦台灯价格。", "日内瓦的台灯尺寸是多少？", False),
    ],
)
def test_a_request_for_another_thing_is_no_repetition(one: str, other: str, same: bool) -> None:
    """Another object, place, person or figure makes another request; other words that only ask do not."""
    assert asking.same_request(one, other) is asking.same_request(other, one) is same


def test_a_long_message_about_another_thing_is_no_repetition() -> None:
    """Nearly the same letters, and one word that says what else."""
    asks = (
        "Hello, I would like to know whether the {} that I saw in your shop in Geneva last week is still available."
    )
    assert sameness.near_identical(asks.format("lamp"), asks.format("desk"))
    assert not asking.repeated(asks.format("lamp"), asks.format("desk"))
    assert asking.repeated(asks.format("lamp"), asks.format("lamp,"))


@pytest.mark.parametrize(
    ("message", "second"),
    [
        ("Send me the invoices and give me the addresses.", "give me the addresses"),
        ("Hello. Could you cancel the order W1 and refund the deposit of W2?", "refund the deposit of W2"),
        ("List the suppliers in Geneva, and check the stock of lamps.", "check the stock of lamps"),
        ("What is the price of the lamp and where is the shop in Geneva?", "where is the shop in Geneva"),
        ("Envoyez-moi les factures et donnez-moi les adresses.", "donnez-moi les adresses"),
        ("Pouvez-vous m'envoyer les factures et me donner les adresses ?", "me donner les adresses"),
        ("Quel est le prix de la lampe et où est le magasin ?", "où est le magasin"),
        ("请把发票发给我，并且把地址告诉我。", "把地址告诉我"),
        ("列出供应商，同时提供五月的发票。", "提供五月的发票"),
        ("Find the order W1 and tell me the status.", ""),
        ("Look up order W1 and give me its status.", ""),
        ("Which supplier sells desk lamps in Geneva, and what is its address?", ""),
        ("Give me the name and address of the supplier.", ""),
        ("List the suppliers and name the source.", ""),
        ("List the suppliers who sell lamps and give a warranty.", ""),
        ("Show me the order and change history.", ""),
        ("Compare the desk lamps and list them by price.", ""),
        ("Tell me what the lamp costs and when it arrives.", ""),
        ("Give me the orders of May and June.", ""),
        ("Cherchez la commande W1 et donnez-moi le statut.", ""),
        ("Donnez-moi le nom et l'adresse du fournisseur.", ""),
        ("Listez les fournisseurs et indiquez la source.", ""),
        ("Donnez-moi les fournisseurs et leurs adresses.", ""),
        ("查询订单W1，并告诉我状态。", ""),
        ("列出供应商并说明来源。", ""),
        ("请提供供应商的名称和地址。", ""),
        ("列出供应商并给出其地址。", ""),
    ],
)
def test_two_requests_joined_to_one_sentence(message: str, second: str) -> None:
    """Two orders or questions, each with its own object; one that only leads to the other is none."""
    assert requests.second_request(message) == second


@pytest.mark.parametrize(
    "message",
    [
        "Cancel order W1001. Refund it.",
        "Cancel the order W1001. Refund the 40 euros.",
        "Annule la commande W1001. Rembourse-la.",
        "取消订单W1001。退款给客户。",
        "Cancel order W1001 then refund it.",
        "Cancel order W1001 and then refund the customer.",
        "Please look up order W1001 then cancel it",
        "Could you cancel order W1001 then refund it?",
        "Find the order of Ada after that send me the invoice of May",
        "Cancel order W1001 and refund it.",
        "Please cancel W1001 and please refund it",
        "Annule la commande W1001 puis rembourse-la.",
        "Annulez la commande W1001 puis remboursez-la.",
        "Merci d'annuler la commande W1001 puis de la rembourser.",
        "Vérifie la commande W1001 et ensuite annule-la.",
        "S'il vous plaît annulez W1001 puis remboursez le client",
        "Annule la commande W1001 et rembourse-la.",
        "Veuillez annuler la commande W1001 et la rembourser.",
        "取消订单W1001然后退款",
        "请取消订单W1001然后给客户退款。",
        "先取消订单W1001再退款。",
        "取消订单W1001并为其退款。",
        "请把订单W1001取消接着通知客户",
        "查询订单W1001然后取消它。",
        "取消订单W1001并退款",
        "Cancel order W1001, then refund it.",
        "取消订单W1001，然后退款。",
    ],
)
def test_a_second_order_needs_no_comma(message: str) -> None:
    """`then refund it`: what is ordered after something else was ordered, in one sentence or in the next."""
    assert [problem.rule for problem in requests.problems(message, [], [])] == ["second_request"]
    assert requests.problems(requests.mended(message, [], "it"), [], []) == ()


@pytest.mark.parametrize(
    "message",
    [
        "According to my plan, which supplier sells lamps?",
        "Following our plan, look for lamps in Geneva.",
        "As the next step of my plan, list the suppliers.",
        "My next step is the price: what is it?",
        "I plan to compare prices: which suppliers are there?",
        "Selon mon plan, quels fournisseurs vendent des lampes ?",
        "D'après notre plan, quel est le prix ?",
        "Conformément à mon plan d'action, liste les fournisseurs.",
        "Ma prochaine étape est le prix : quel est-il ?",
        "按照我的计划，哪家供应商卖台灯？",
        "根据我们的计划，请列出供应商。",
        "我打算比较价格，有哪些供应商？",
        "我的计划是先查供应商。",
        "The plan is to look for suppliers: which ones sell lamps?",
        "Le plan est de chercher : quels fournisseurs ?",
    ],
)
def test_talk_of_the_own_plan_is_told(message: str) -> None:
    """The agent has no use for it."""
    assert "plan" in [problem.rule for problem in requests.problems(message, [], [])]


@pytest.mark.parametrize(
    "message",
    [
        "If order W1001 has not been shipped then cancel it.",
        "Change the address of order W1. Change only the street.",
        "Return code 4 was shown. What does it mean?",
        "取消的订单有哪些？",
        "How do I cancel an order and then return it?",
        "Can a customer cancel an order then return it?",
        "Which status did order W1001 have before and then after May?",
        "Which orders were placed and then returned in May?",
        "Find the order of Ada then tell me its status.",
        "Find order W1001 and tell me its status.",
        "When was order W1001 cancelled and then refunded?",
        "Create a table of the suppliers and send it to me.",
        "Which supplier sells desk lamps and where is it?",
        "List all orders since then.",
        "Which customers cancel orders that they then pay again?",
        "Send me the change log and the refund policy of the shop.",
        "Which plan does the customer have?",
        "What is the deductible according to the insurance plan?",
        "Is the delivery plan still valid?",
        "Was the order cancelled afterwards?",
        "What does the floor plan show?",
        "Was order W1001 delivered as planned?",
        "What are the next steps in a refund?",
        "Si la commande n'est pas partie puis annulée, quel est son statut ?",
        "Si la commande n'est pas partie, annule la commande.",
        "Quel était le statut de la commande avant puis après mai ?",
        "Comment annuler une commande puis la renvoyer ?",
        "Je ne puis trouver la commande, quel est son statut ?",
        "Trouve la commande d'Ada puis donne-moi son statut.",
        "Vérifie le stock puis la réserve de lampes.",
        "Quel plan le client a-t-il ?",
        "Le plan de livraison est-il encore valable ?",
        "Que dit le plan d'étage ?",
        "取消订单后再退款需要多久？",
        "如果订单没有发货就取消。",
        "订单W1001取消后是否再次退款？",
        "供应商的交货计划是什么？",
        "请再次查询订单W1001的状态。",
        "查询订单W1001的状态和付款方式。",
        "客户的保险计划包括哪些项目？",
        "列出五月取消并退款的订单。",
        "订单W1001是什么时候取消然后退款的？",
        "查询已取消并退款的订单",
    ],
)
def test_one_request_is_sent_as_it_is(message: str) -> None:
    """A condition, a question about an order of things, one that only leads to the other, and plans of others."""
    assert requests.problems(message, [], []) == ()
