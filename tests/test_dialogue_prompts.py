"""Every rule of the two prompts that this was made after stands in ours, in each language, in our own words."""

from __future__ import annotations

import re

import pytest

from debateroom import templates
from debateroom.language import LANGUAGES
from debateroom.reading.triggers import read_trigger

# rule: (English, French, Chinese); each a piece of our prompt
SIMULATOR = {
    "the user is out of the loop": ("The User takes no part", "Il ne participe pas à la suite", "之后不再参与"),
    "the agent has the tools and is tested": ("The Agent is the one under test", "C'est lui qui est mis à l'épreuve", "被测试的是代理"),
    "the simulator drives by the brief and judges": ("lead the Agent turn by turn through <simulation_brief>", "conduis l'Agent tour après tour selon <simulation_brief>", "按照 <simulation_brief> 一轮一轮地引导代理"),
    "mission: are the goals reached in a realistic conversation": ("in a realistic conversation", "dans une conversation réaliste", "在真实的对话中"),
    "flow: receive the answer": ("You receive the Agent's answer", "Tu reçois la réponse de l'Agent", "你收到代理的回答"),
    "flow: judge it by the brief": ("You judge that answer by <simulation_brief>", "Tu juges cette réponse d'après <simulation_brief>", "你按照 <simulation_brief> 评判这个回答"),
    "flow: end, or go on as the person": ("Not yet: write the next message of the person", "Pas encore : écris le prochain message de la personne", "尚未达到：写出这个人的下一条消息"),
    "the first message is the agent's answer": ("already the Agent's answer to the opening question", "déjà la réponse de l'Agent à la question d'ouverture", "已经是代理对开场问题的回答"),
    "natural language, no jargon, no repetition": ("no jargon, nothing said twice", "pas de jargon, rien deux fois", "不用行话，不重复"),
    "ignores the agent's inside and tools": ("You know nothing of how the Agent works inside", "Tu ne sais rien du fonctionnement interne", "你完全不知道代理内部如何运作"),
    "never repeats the agent's answer": ("Do not say back to the Agent", "Ne redis pas à l'Agent", "不要把代理刚说过的话再说给它听"),
    "judges by the goals": ("Judge by the goals in <simulation_brief>", "Juge d'après les objectifs de <simulation_brief>", "按 <simulation_brief> 的目标评判"),
    "checks the tools in the execution context": ("check in <execution-context> which tools", "vérifie dans <execution-context> quels outils", "在 <execution-context> 中核对哪些工具"),
    "the judge is silent": ("The judge is silent", "Le juge se tait", "评判者不出声"),
    "extra criteria": ("Also required:\nCRITERIA", "Exigé en outre :\nCRITERIA", "另外要求：\nCRITERIA"),
    "one message a turn": ("One message a turn", "Un seul message par tour", "每轮只写一条消息"),
    "does not anticipate the agent": ("Do not write the Agent's next answer", "N'écris pas la prochaine réponse de l'Agent", "不要替代理写出下一个回答"),
    "makes up no results": ("make up no results", "n'invente aucun résultat", "不要编造结果"),
    "knows only the persona and the answers": ("All you know is in <persona_user>", "Tout ce que tu sais se trouve dans <persona_user>", "你所知道的一切都在 <persona_user>"),
    "asked for more: does not know": ("say that you do not know", "dis que tu ne sais pas", "说你不知道"),
    "no search strategy": ("Never propose how to search", "Ne propose jamais une façon de chercher", "绝不建议如何搜索"),
    "no spelling variant": ("another spelling", "une autre orthographe", "另一种写法"),
    "no technical method": ("a technical method", "une méthode technique", "技术方法"),
    "takes an offered next step before ending": ("take it before you end", "saisis-la avant de terminer", "先采用它，再考虑结束"),
    "copies references exactly": ("copied exactly, character by character", "recopiés exactement, caractère par caractère", "逐字原样照抄"),
    "not found: ends at once": ("end at once with [DONE]", "termine aussitôt par [DONE]", "立即以 [DONE] 结束"),
    "not found: judges the effort": ("searched with reasonable effort", "cherché avec un effort raisonnable", "是否作了合理的搜索努力"),
    "not found: sends it back with no ideas": ("Do not send it back to search with ideas", "Ne le renvoie pas chercher avec tes idées", "不要带着你的主意让它再去搜索"),
    "a customer, not an expert": ("you are a customer, not an expert", "tu es un client, pas un expert", "你是顾客，不是系统专家"),
    "no names of tools": ("Name an internal tool (resolveXxx, lookupXxx, searchXxx", "Nommer un outil interne (resolveXxx, lookupXxx, searchXxx", "提到内部工具的名称（resolveXxx、lookupXxx、searchXxx"),
    "does not show that it is a test": ("Let it be seen that you are a test", "Laisser voir que tu es un test", "让人看出你是测试"),
    "makes up no facts": ("Make up facts that <persona_user> does not hold", "Inventer des faits que <persona_user> ne contient pas", "编造 <persona_user> 中没有的事实"),
    "does not correct a compact reference": ("Turn a compact reference into a \"corrected\"", "Changer une référence compacte en une référence « corrigée »", "把紧凑的编号改成“更正过”"),
    "no failure before the agent could try": ("Declare failure before the Agent could try", "Déclarer l'échec avant que l'Agent ait pu tenter", "在代理还没有机会尝试回答之前就宣布失败"),
    "does not deny an answer that is there": ("Claim that the Agent did not answer while its message is there", "Prétendre que l'Agent n'a pas répondu alors que son message est là", "代理的消息明明在那里，却声称代理没有回答"),
    "context: turn": ("`turn` is this turn", "`turn` est le tour actuel", "`turn` 是当前轮次"),
    "context: maxTurns": ("`maxTurns` all there are", "`maxTurns` leur nombre total", "`maxTurns` 是总轮数"),
    "context: turnsRemaining": ("`turnsRemaining` what is left", "`turnsRemaining` ce qui reste", "`turnsRemaining` 是剩余轮数"),
    "context: tools, exact names": ("`tools` the exact names of the tools the Agent executed", "`tools` les noms exacts des outils que l'Agent a exécutés", "`tools` 是代理本轮所执行工具的确切名称"),
    "few turns: ask what decides": ("ask what decides the goals directly", "demande ce qui décide directement des objectifs", "直接问能决定目标的问题"),
    "a tool that is listed was executed": ("a tool that stands in it was really executed", "un outil qui y figure a réellement été exécuté", "列在其中的工具确实被执行过"),
    "GED and M-Files are the resolve and lookup tools": ("`GED` = `M-Files` are the same thing as tools called `resolve*`, `lookupMfiles*`", "`GED` = `M-Files` désignent la même chose que les outils nommés `resolve*`, `lookupMfiles*`", "`GED` = `M-Files` 视为同一事物，等同于名为 `resolve*`, `lookupMfiles*` 的工具"),
    "invents no tool results": ("Invent no tool results", "N'invente aucun résultat d'outil", "不编造工具的结果"),
    "a visible answer is judged": ("An answer that is there is judged", "Une réponse présente est jugée", "回答在那里就要评判"),
    "trigger, then JSON": ("write [DONE] and right after it the JSON", "écris [DONE] et juste après le JSON", "写 [DONE]，紧接着写 JSON"),
    "else only the next message": ("Otherwise write only the next message", "Sinon, écris seulement le prochain message", "否则只写给代理的下一条消息"),
    "goals reached in the first turn": ("Goals reached, even in the first turn", "Objectifs atteints, même dès le premier tour", "目标已达到，哪怕是第一轮"),
    "0 left: judge this turn's answer first": ("`turnsRemaining` is 0: first judge the answer you received in this turn", "`turnsRemaining` vaut 0 : juge d'abord la réponse reçue à ce tour", "`turnsRemaining` 为 0：先评判本轮收到的回答"),
    "0 left: else the limit is the error": ('{"success": false, "error": "turn limit reached"}',) * 3,
    "0 left: never passes the answer over": ("Never pass over that answer", "N'ignore jamais cette réponse", "绝不因为轮次用完而忽略那个回答"),
    "1 left: one question that decides, or the end": ("`turnsRemaining` is 1: ask one question that decides", "`turnsRemaining` vaut 1 : pose une seule question décisive", "`turnsRemaining` 为 1：只问一个决定性的问题"),
    "going in circles is a failure": ("The Agent goes in circles: [DONE] with success false", "L'Agent tourne en rond : [DONE] avec success false", "代理原地打转：[DONE]，success 为 false"),
    "no end before judging": ("No [DONE] before you have judged", "Pas de [DONE] avant d'avoir jugé", "在评判代理的回答之前不用 [DONE]"),
    "form of a success": ('{"success": true, "explain": "...", "error": ""}',) * 3,
    "form of a failure": ('{"success": false, "explain": "...", "error": "why it failed"}', '{"success": false, "explain": "...", "error": "raison de l\'échec"}', '{"success": false, "explain": "...", "error": "失败的原因"}'),
    "success is whether the goals are reached": ("`success`: whether the goals are reached", "`success` : les objectifs sont-ils atteints", "`success`：目标是否达到"),
    "explain is what went well": ("`explain`: what the Agent did well", "`explain` : ce que l'Agent a bien fait", "`explain`：代理做对了什么"),
    "error is empty on success": ("why it failed; empty on success", "la raison de l'échec ; vide en cas de succès", "失败的原因；成功时为空"),
    "the brief": ("<simulation_brief>\nGOALS\n</simulation_brief>",) * 3,
    "nothing but JSON after the trigger": ("nothing but valid JSON follows [DONE]", "rien d'autre que du JSON valide ne suit [DONE]", "[DONE] 之后只能是有效的 JSON"),
    "no text before or after": ("no other text before or after", "aucun autre texte ne le précède ni ne le suit", "前后没有任何其他文字"),
    "own instructions at the end": ("INSTRUCTIONS",) * 3,
}  # fmt: skip
WORKER = {
    "the user is away and never asked": ("never ask the User anything and wait for nothing", "ne lui demande jamais rien et n'attends rien de lui", "绝不向用户提任何问题，也不等待用户提供任何东西"),
    "the agent carries out requests": ("has the company's tools and carries out your requests", "dispose des outils de l'entreprise et exécute tes demandes", "代理拥有公司的工具，执行你的请求"),
    "the worker drives turn by turn": ("lead the Agent turn by turn until the mission", "conduis l'Agent tour après tour jusqu'à l'accomplissement de la mission", "一轮一轮地引导代理，直到完成"),
    "capabilities": ("<agent_capabilities>\n- Looks things up.\n</agent_capabilities>",) * 3,
    "no technical names": ("Never name a tool by its technical name", "Ne désigne jamais un outil par son nom technique", "绝不用技术名称称呼工具"),
    "asks in plain words by capability": ("Ask in plain words for what a capability describes", "Demande en mots simples ce que décrit une capacité", "用平常的话请求某项能力所描述的事"),
    "the brief is the position": ("This is your position", "Voici ta fiche de poste", "这是你的岗位说明"),
    "keeps within it, triggers first": ("let its triggers decide what comes first", "laisse ses déclencheurs décider de ce qui passe en premier", "让其中的触发条件决定先做什么"),
    "explicit intent: verb and object": ("states an intent (a verb and its object)", "énonce une intention (un verbe et son objet)", "说出了意图（动词加宾语）"),
    "else the trigger that fits best": ("go through the `Trigger:` of each activity", "parcours le `Déclencheur:` de chaque activité", "逐个查看 <worker_brief> 中各项活动的 `触发:`"),
    "its work is the goal": ("its `Work:` is your goal", "son `Travail:` est ton objectif", "它的 `工作:` 是你的目标"),
    "its beneficiary is the recipient": ("its `Beneficiary:` is whom it is for", "son `Bénéficiaire:` est le destinataire", "它的 `受益人:` 是收件人"),
    "plan of two or three steps, never sent": ("never sent to the Agent", "n'est jamais envoyé à l'Agent", "绝不发给代理"),
    "first request: step 1, sourced, no preamble": ("asking for a source, without preamble and without numbering", "demandant une source, sans préambule ni numérotation", "要求给出来源，没有开场白，没有编号"),
    "mission by driving the agent": ("Do what <worker_brief> asks in this mission", "Accomplis ce que <worker_brief> demande dans cette mission", "完成 <worker_brief> 在本次任务中的要求"),
    "one request, tools, answer": ("Each turn you send one request, the Agent uses its tools and answers", "À chaque tour tu envoies une demande, l'Agent utilise ses outils et répond", "每轮你发出一个请求，代理使用工具并作答"),
    "the deliverable is for the user": ("The final deliverable is for the User", "Le livrable final est destiné à l'Utilisateur", "最终成果交给用户"),
    "weighs: sourced or deduced": ("does it come from a source (a tool was executed) or was it deduced", "vient-elle d'une source (un outil a été exécuté) ou est-elle déduite", "它有来源（执行了工具）还是推断出来的"),
    "weighs: does it cover the request": ("Does it cover what you asked", "Couvre-t-elle ta demande", "它是否覆盖了你的请求"),
    "plans what is missing, inside": ("See what exact piece is still missing", "Vois quel élément précis manque encore", "看清目标还缺哪一项具体信息"),
    "nothing missing: prepares the end": ("If nothing is missing, prepare [WORKER_COMPLETE]", "Si rien ne manque, prépare [WORKER_COMPLETE]", "如果什么都不缺，就准备 [WORKER_COMPLETE]"),
    "acts: one direct request": ("Send one direct request", "Envoie une seule demande directe", "只发一个直接的请求"),
    "without a tool: asks for the source": ("An answer without an executed tool is deduced: ask for its source", "Une réponse sans outil exécuté est déduite : demande sa source", "没有执行工具的回答是推断：要求给出来源"),
    "never rephrases an answered request": ("Never rephrase a request that the Agent has answered", "Ne reformule jamais une demande à laquelle l'Agent a répondu", "绝不换个说法重复代理已经回答过的请求"),
    "factual, short, neutral": ("Factual, short, neutral", "Factuel, court, neutre", "实事求是，简短，中立"),
    "no chatter": ("no chatter, no courtesies", "pas de bavardage, pas de politesses", "不闲聊，不客套"),
    "key points only": ("Only the key points of the request", "Seulement les points clés de la demande", "只写请求的要点"),
    "no opinion, no repetition of the agent": ("no opinion, and no repeating of what the Agent just said", "pas d'opinion, et pas de redite de ce que l'Agent vient de dire", "不发表意见，不复述代理刚说过的话"),
    "never shows reasoning, plan or steps": ("Never show your reasoning, your plan or your steps", "Ne montre jamais ton raisonnement, ton plan ni tes étapes", "绝不暴露你的推理、计划或步骤"),
    "style of the deliverable": ("<persona_result>\nStyle of the final deliverable for the User:\nSTYLE", "<persona_result>\nStyle du livrable final pour l'Utilisateur :\nSTYLE", "<persona_result>\n交给用户的最终成果的风格：\nSTYLE"),
    "one request a turn": ("One request a turn", "Une seule demande par tour", "每轮一个请求"),
    "does not anticipate": ("Do not write the Agent's next answer, and make up no results", "N'écris pas la prochaine réponse de l'Agent et n'invente aucun résultat", "不要替代理写出下一个回答，也不要编造结果"),
    "knows only the mission, the brief, the answers": ("All you know is in the mission", "Tout ce que tu sais se trouve dans la mission", "你所知道的一切都在任务"),
    "a tool the agent mentions is left out": ("leave its name out and give only the result", "tais son nom et ne donne que le résultat", "不写它的名称，只给出结果"),
    "asked for what it lacks: wider, category, options": ("wider, by category, or for a list of options", "plus large, par catégorie, ou une liste d'options", "放宽范围、按类别查找，或列出选项"),
    "asked again: the lead is exhausted": ("that lead is exhausted: take another or end", "cette piste est épuisée : prends-en une autre ou termine", "这条线索已用尽：换一条或者结束"),
    "uses an offered next step": ("offers a next step or another way, use it before you end", "propose une étape suivante ou une autre voie, utilise-la avant de terminer", "代理提出下一步或另一条路时，先采用它"),
    "partial only without a concrete lead": ("only when no concrete lead is left", "que s'il ne reste aucune piste concrète", "只有在没有任何具体线索可走时"),
    "no end before it is concrete and useful": ("until the deliverable is concrete and of direct use", "tant que le livrable n'est pas concret et directement utile", "在成果具体且对用户直接有用之前"),
    "a block: missing, why, supply": ("says what is missing, why it blocks, and what would have to be supplied", "dit ce qui manque, pourquoi cela bloque et ce qu'il faudrait fournir", "说明缺什么、为什么受阻、要继续需要提供什么"),
    "no progress: the same answer": ("nearly the same answer as in its last turn", "presque la même réponse qu'à son tour précédent", "代理的回答与上一轮几乎相同"),
    "no progress: the same question": ("asks the same question for clarification again", "pose de nouveau la même question de clarification", "代理再次提出同一个澄清问题"),
    "no progress: nothing found twice": ("finds nothing for the second time on the same request", "ne trouve rien pour la deuxième fois sur la même demande", "代理对同一请求第二次一无所获"),
    "then: together what there is, and what is missing": ("say in `summary` what is missing", "dis dans `summary` ce qui manque", "在 `summary` 中说明还缺什么"),
    "makes up no data": ("make up data (amounts, addresses, IBANs, references, names of suppliers)", "inventer des données (montants, adresses, IBAN, références, noms de prestataires)", "编造数据（金额、地址、IBAN、编号、供应商名称）"),
    "no nothing-found before a search": ('conclude "nothing found" before the Agent has searched', "conclure « rien trouvé » avant que l'Agent ait cherché", "在代理搜索之前就断言“未找到”"),
    "no fictitious action": ("an action that is fictitious or impossible", "une action fictive ou impossible", "虚构或不可能的行动"),
    "context": ("`turn` is this turn, `maxTurns` all there are, `turnsRemaining` what is left", "`turn` est le tour actuel, `maxTurns` leur nombre total, `turnsRemaining` ce qui reste", "`turn` 是当前轮次，`maxTurns` 是总轮数，`turnsRemaining` 是剩余轮数"),
    "few turns: works on the deliverable": ("With few turns left, work on the deliverable", "S'il reste peu de tours, travaille au livrable", "剩余轮次不多时，专注于成果"),
    "last turn: must conclude": ("when `turnsRemaining` is 1 or less you must end with [WORKER_COMPLETE]", "quand `turnsRemaining` vaut 1 ou moins, tu dois terminer par [WORKER_COMPLETE]", "`turnsRemaining` 为 1 或更少时，你必须以 [WORKER_COMPLETE] 结束"),
    "last turn: useful fallback": ("your best hypotheses, named as such, options, and a concrete plan of action", "tes meilleures hypothèses, désignées comme telles, des options et un plan d'action concret", "标明为假设的最佳假设、可选方案和具体的行动计划"),
    "last turn: asks for no other": ("Do not ask for another turn", "Ne demande pas de tour supplémentaire", "不要再要一轮"),
    "makes up no facts": ("Make up no facts", "N'invente aucun fait", "不编造事实"),
    "uncertain goes into the summary": ("What is uncertain or incomplete is said in `summary`", "Ce qui est incertain ou incomplet est dit dans `summary`", "不确定或不完整之处写进 `summary`"),
    "check: not empty, not only JSON": ("The deliverable is not empty and not only JSON", "Le livrable n'est ni vide ni du JSON seul", "成果不为空，也不只是 JSON"),
    "check: summary has both": ("The summary says what was found and what is missing", "Le résumé dit ce qui a été trouvé et ce qui manque", "总结说明找到了什么、还缺什么"),
    "check: honest confidence": ("The confidence reflects the gaps honestly", "La confiance reflète honnêtement les lacunes", "信心如实反映缺口"),
    "check: nothing made up": ("Nothing in the deliverable is made up", "Rien dans le livrable n'est inventé", "成果中没有编造的内容"),
    "trigger, then JSON": ("write [WORKER_COMPLETE] and right after it the JSON", "écris [WORKER_COMPLETE] et juste après le JSON", "写 [WORKER_COMPLETE]，紧接着写 JSON"),
    "else only the next request": ("Otherwise write only your next request", "Sinon, écris seulement ta prochaine demande", "否则只写给代理的下一个请求"),
    "form": ('{"deliverable": "...", "summary": "...", "confidence": 0.0}',) * 3,
    "the whole deliverable, not compressed": ("the whole result (text, data, report), not compressed", "le résultat entier (texte, données, rapport), non abrégé", "完整的结果（文字、数据、报告），不压缩"),
    "summary: done and missing": ("`summary`: what is done and what is missing", "`summary` : ce qui est fait et ce qui manque", "`summary`：完成了什么，还缺什么"),
    "confidence 0 to 1": ("an honest estimate from 0.0 to 1.0", "une estimation honnête de 0.0 à 1.0", "0.0 到 1.0 的如实估计"),
    "partial is called partial": ("A partial result is called partial in `summary`", "Un résultat partiel est dit partiel dans `summary`", "部分成果要在 `summary` 中写明"),
    "forbidden ends": ('"instruction sent", "to do", or an empty deliverable', "« instruction envoyée », « à faire », ou un livrable vide", "“指令已发送”、“待办”，或空的成果"),
    "nothing but JSON after the trigger": ("nothing but valid JSON follows [WORKER_COMPLETE]", "rien d'autre que du JSON valide ne suit [WORKER_COMPLETE]", "[WORKER_COMPLETE] 之后只能是有效的 JSON"),
}  # fmt: skip


def simulator(language: str) -> str:
    return templates.render(
        f"prompts/{language}/simulator.j2", fence="said-1", opening="OPENING", persona="PERSONA", criteria="CRITERIA",
        goals="GOALS", equivalences=[("`GED` = `M-Files`", "`resolve*`, `lookupMfiles*`")], instructions="INSTRUCTIONS",
    )  # fmt: skip


def worker(language: str) -> str:
    return templates.render(
        f"prompts/{language}/worker.j2", fence="said-1", brief="BRIEF", capabilities="- Looks things up.",
        persona="STYLE", goal="GOAL", recipient="RECIPIENT",
    )  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("table", "prompt"), [(SIMULATOR, simulator), (WORKER, worker)], ids=["simulator", "worker"])
def test_every_rule_stands_in_the_prompt(table: dict[str, tuple[str, ...]], prompt: object, language: str) -> None:
    """No rule is lost in any language."""
    text = prompt(language)  # type: ignore[operator]
    missing = [rule for rule, words in table.items() if words[LANGUAGES.index(language)] not in text]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_languages_do_not_mix(language: str) -> None:
    """Chinese characters only in Chinese, and in it hardly a word of another language beside names and tags."""
    for prompt in (simulator, worker):
        text = prompt(language)
        han = len(re.findall("[\u4e00-\u9fff]", text))
        assert (han > 800) if language == "zh" else han == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_optional_part_leaves_no_trace(language: str) -> None:
    """Without opening, criteria and instructions the prompt says nothing about them."""
    text = templates.render(
        f"prompts/{language}/simulator.j2", fence="f", opening="", persona="P", criteria="", goals="G",
        equivalences=[], instructions="",
    )  # fmt: skip
    assert "\n\n\n" not in text
    assert not text.rstrip().endswith(":")


def test_what_drivers_are_told_has_the_same_places_in_every_language() -> None:
    """A note that lacks a place to fill would fail in one language only."""

    def places(value: object, path: str = "") -> dict[str, list[str]]:
        if isinstance(value, dict):
            return {
                key: found for name, item in value.items() for key, found in places(item, f"{path}.{name}").items()
            }
        return {path: sorted(re.findall(r"(?<!\{)\{(\w+)\}", str(value)))}

    english = places(templates.data("dialogue/en.toml"))
    for language in LANGUAGES:
        assert places(templates.data(f"dialogue/{language}.toml")) == english


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_small_model_is_told_the_same_in_short(language: str) -> None:
    """A third of the words, all that the run gives, and an example of the end that is read as one."""
    short = {
        "simulator": templates.render(
            f"prompts/{language}/simulator_short.j2", fence="said-1", opening="OPENING", persona="PERSONA",
            criteria="CRITERIA", goals="GOALS", equivalences=[("`GED` = `M-Files`", "`resolve*`")],
            instructions="INSTRUCTIONS",
        ),
        "worker": templates.render(
            f"prompts/{language}/worker_short.j2", fence="said-1", brief="BRIEF", capabilities="- Looks things up.",
            persona="STYLE", goal="GOAL", recipient="RECIPIENT",
        ),
    }  # fmt: skip
    given = {
        "simulator": (
            "<said-1>",
            "OPENING",
            "PERSONA",
            "CRITERIA",
            "GOALS",
            "`M-Files`",
            "`resolve*`",
            "INSTRUCTIONS",
        ),
        "worker": ("<said-1>", "BRIEF", "STYLE", "GOAL"),
    }
    for who, whole in (("simulator", simulator(language)), ("worker", worker(language))):
        text = short[who]
        assert [part for part in given[who] if part not in text] == []
        assert len(text) < 0.45 * len(whole)
        end = next(line for line in reversed(text.splitlines()) if line.startswith("{"))
        token, protocol, kind = {
            "simulator": ("[DONE]", "done", "done"), "worker": ("[WORKER_COMPLETE]", "worker", "worker_complete"),
        }[who]  # fmt: skip
        assert f"{token}\n{end}" in text
        assert read_trigger(f"{token}\n{end}", protocol=protocol, speaker=who).kind == kind
    assert (len(re.findall("[\u4e00-\u9fff]", "".join(short.values()))) > 300) is (language == "zh")
