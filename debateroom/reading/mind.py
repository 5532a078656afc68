"""Whether a seat says in words that it changed its mind; denied, imagined and other seats' changes do not count."""

from __future__ import annotations

import re

_QUOTED = re.compile(r'"[^"\n]{0,300}"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|「[^」\n]{0,300}」')
_SENTENCE = re.compile(r"[^.!?。！？；;\n]{1,600}[.!?。！？；;\n]?")

_ENGLISH = re.compile(
    r"\bchang(?:ed|ing|es)\s+my\s+(?:mind|view|position|stance|opinion|vote)\b|\bI\s+(?:hereby\s+|now\s+|"
    r"do\s+)?change\s+my\s+(?:mind|vote|position)\b"
    r"|\bI\s+did\s+change\s+my\s+mind\b|\b(?:shifted|switched|reversed|flipped)\s+my\s+(?:view|position|stance|"
    r"opinion|vote)\b"
    r"|\bmy\s+(?:mind|view|position|opinion|stance)\s+(?:has\s+|is\s+)?(?:now\s+|since\s+)?(?:changed|shifted|"
    r"flipped|reversed)\b"
    r"|\b(?:convinced|persuaded)\s+me\b|\bwon\s+me\s+over\b|\bI(?:['’]m|\s+am|\s+was|"
    r"\s+have\s+been)\s+(?:now\s+)?(?:convinced|persuaded|won\s+over)\s+by\b"
    r"|\bI\s+was\s+wrong\b|\bI\s+stand\s+corrected\b|\bI\s+had\s+a\s+change\s+of\s+(?:mind|heart)\b"
    r"|\bI\s+no\s+longer\s+(?:think|believe|support|hold|back|defend|favou?r|insist)\b"
    r"|\bI\s+(?:hereby\s+|now\s+)?(?:withdraw|abandon|retract)\s+my\s+(?:\w+\s+)?(?:position|proposal|view|claim)\b"
    r"|\bI(?:['’]ve|\s+have)?\s+(?:now\s+)?(?:come\s+around|came\s+around|switch(?:ed)?\s+to|mov(?:e|"
    r"ed)\s+over\s+to)\b"
    r"|\bI(?:\s+now)?\s+side\s+with\b|\bI\s+(?:\w+\s+){1,6}?and\s+switch\s+to\b|\bI(?:['’]ve|"
    r"\s+have)?\s+switch(?:ed)?\s+sides\b"
    r"|\bmind\s+changed\s*[:?]\s*yes\b",
    re.IGNORECASE,
)
_FRENCH = re.compile(
    r"\bj['’]ai\s+(?:\w+\s+)?changé\s+(?:d['’](?:avis|opinion)|de\s+(?:position|camp)|mon\s+(?:avis|vote)|"
    r"ma\s+position)"
    r"|\bje\s+change\s+(?:donc\s+|ici\s+)?(?:d['’]avis|d['’]opinion|de\s+position)|\bm['’](?:a|"
    r"ont)\s+(?:\w+\s+)?(?:convaincue?|persuadée?)\b"
    r"|\bm['’](?:a|ont)\s+(?:\w+\s+)?fait\s+changer\s+d['’]avis|\bje\s+me\s+suis\s+trompée?\b|\bj['’]avais\s+tort\b"
    r"|\bje\s+me\s+(?:rallie|range)\s+(?:\w+\s+)?(?:à|au|derrière)\b|"
    r"\bje\s+retire\s+(?:donc\s+)?ma\s+(?:proposition|position)\b"
    r"|\bje\s+suis\s+(?:désormais\s+|maintenant\s+)?(?:convaincue?|persuadée?)\s+par\b"
    r"|\bje\s+(?:renonce\s+à|abandonne)\s+ma\s+(?:proposition|position)\b"
    r"|\bchangement\s+d['’]avis\s*[:?]\s*oui\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:改变|改變|转变|轉變|改)了?我?的?(?:原来的|之前的|最初的)?(?:主意|看法|观点|觀點|立场|立場|想法|意见|"
    r"意見)了?|(?:说服|說服)了?我|被[^。，！？\n]{1,20}(?:说服|說服)"
    r"|我(?:之前|先前|原来|当初|最初)?的?(?:想法|判断|看法)?是?错了?的?(?=[。，,！；\n]|$)|我收回(?:之前|先前|原来|"
    r"自己)?的?|我(?:现在)?转而(?:支持|赞成|采用)|我不再(?:认为|坚持|支持|主张)"
)
_DENIED = re.compile(
    r"\b(?:not|never|nothing|nobody|none|neither|nor|hardly|barely|without|fail(?:ed|s)?|yet to|no (?:one|reason|"
    r"argument|evidence|reply|point)|"
    r"would|could|might|may|should|must|can|will|if|until|unless|whether|almost|nearly|what might|"
    r"ne|pas|jamais|rien|aucune?|personne|sans|si|pourrait|ferait|faudrait|presque|failli)\b|n['’](?:t|a|ai|ont|"
    r"avais)\b"
    r"|没|沒|未|并非|尚|无法|難以|难以|如果|若|除非|可能|将会|才会|会不会|是否|几乎|差点|不(?:会|能|足以|曾)|无人|"
    r"没人",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\bnot only\b|\bnon seulement\b|不仅|不但", re.IGNORECASE)
_ANSWERED_NO = re.compile(r"\s*[:：?？]\s*(?:no\b|non\b|not\b|none\b|否|没有|没|無|无)|\s*\?", re.IGNORECASE)
_SOMEONE_ELSE = re.compile(r"[甲乙丙丁]|他|她|对方|Agent\s?[A-Z]|(?<![A-Za-z])[A-Z](?![A-Za-z])")


def changed_mind(text: str) -> bool:
    """Whether `text`, a seat's own words, says so: *I changed my mind*, *B m'a convaincu*, *我改变主意了*."""
    plain = _QUOTED.sub(" ", text)
    for sentence in _SENTENCE.finditer(plain):
        said = sentence.group()
        if any(_says(said, match) for pattern in (_ENGLISH, _FRENCH) for match in pattern.finditer(said)):
            return True
        if any(_says(said, match) and _is_mine(said, match) for match in _CHINESE.finditer(said)):
            return True
    return False


def _says(sentence: str, match: re.Match[str]) -> bool:
    before = _NOT_ONLY.sub(" ", sentence[: match.start()])
    return not _DENIED.search(before[-90:] + "\n" + match.group()) and not _ANSWERED_NO.match(sentence, match.end())


def _is_mine(sentence: str, match: re.Match[str]) -> bool:
    """Whether the writer is the one who changed: *我* nearer than any other person, or named in the phrase."""
    if match.group().startswith("我") or match.group().endswith("我") or "我" in match.group():
        return True
    clause = sentence[: match.start()]
    mine = clause.rfind("我")
    if match.group().startswith("被"):
        return mine >= 0 or not clause.strip("，, ")
    return mine >= 0 and not _SOMEONE_ELSE.search(clause, mine)
