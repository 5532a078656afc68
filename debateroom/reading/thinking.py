"""A model's thinking taken out of its reply: tags of several makers, also unbalanced, and channel markers."""

from __future__ import annotations

import re

_NAMES = r"think|thinking|thoughts?|antthinking|seed:think|scratchpad|inner_monologue|reflection"
_TAG = re.compile(
    rf"<\s?(?P<end>/)?\s?(?:{_NAMES})\s?>|\[(?P<end2>/)?THINK\]|◁(?P<end3>/)?think▷"
    r"|<\|(?:begin|(?P<end4>end))_of_thought\|>"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,})",
    re.IGNORECASE | re.MULTILINE,
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s?final[^<\n]{0,40}<\|message\|>", re.IGNORECASE)
_OTHER_CHANNEL = re.compile(r"<\|channel\|>\s?(?:analysis|commentary)", re.IGNORECASE)
_STOP_TOKEN = re.compile(r"<\|(?:im_end|eot_id|end|return|endoftext|end_of_text)\|>|<｜end▁of▁sentence｜>|</s>\s*\Z")
_TOKEN = re.compile(r"<\|[\w ]{1,40}\|>|</?(?:begin|end)_of_solution>")
_LEAKED_CHANNEL = "assistantfinal"
_THOUGHT = re.compile(
    r"[\s*_#]{0,8}(?:thoughts?|thinking|reasoning|pensée|réflexion|raisonnement|思考|想法)[*_]{0,3}\s?[:：]",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"^[ \t*_#]{0,6}(?:user response|response|réponse|用户回复|回复)[*_]{0,3}\s?[:：][*_]{0,3}[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)


def without_thinking(text: str) -> str:
    """What `text` says outside its thinking. Unclosed thinking takes everything after it, a lone closing tag
    everything before it: what a model tried out on the way is not what it says.

    A tag in back-ticks, in a code fence, or in the middle of a sentence is a word, not a tag.
    """
    return _outside_tags(_final_channel(text))


def without_opening_thought(text: str) -> str:
    """`text` without thinking that stands before it and is closed; tags further on are what it says."""
    shown = text.lstrip()
    if shown.startswith("<|channel|>") and (finals := list(_FINAL_CHANNEL.finditer(shown))):
        return shown[finals[-1].end() :]
    depth = 0
    for tag in _TAG.finditer(shown):
        closing = bool(tag["end"] or tag["end2"] or tag["end3"] or tag["end4"])
        if not depth and (tag.start() or tag["fence"] or closing):
            return text
        depth += 0 if tag["fence"] else -1 if closing else 1
        if not depth:
            return shown[tag.end() :] if shown[tag.end() :].strip() else text
    return text


def after_thought(text: str) -> str:
    """What a text says that is written as `Thought: … User Response: …`; another text as it is."""
    said = _SAID.search(text) if _THOUGHT.match(text) else None
    return text[said.end() :] if said else text


def _final_channel(text: str) -> str:
    """The part meant for the reader where a model's channels leaked into its reply."""
    finals = list(_FINAL_CHANNEL.finditer(text))
    if finals:
        text = text[finals[-1].end() :]
    elif other := _OTHER_CHANNEL.search(text):
        text = text[: other.start()]
    elif text.lstrip().startswith("analysis") and _LEAKED_CHANNEL in text:
        text = text.rpartition(_LEAKED_CHANNEL)[2]
    stop = _STOP_TOKEN.search(text)
    if stop and text[: stop.start()].strip():
        text = text[: stop.start()]
    return _TOKEN.sub("", text)


def _outside_tags(text: str) -> str:
    """`text` without what stands between thinking tags; linear in its length."""
    kept: list[str] = []
    at = opened = depth = 0
    fence = ""
    for tag in _TAG.finditer(text):
        if tag["fence"]:
            if not depth:
                fence = _next_fence(fence, tag["fence"], text, tag.end())
            continue
        closing = bool(tag["end"] or tag["end2"] or tag["end3"] or tag["end4"])
        if not depth and (fence or _is_a_word(text, tag)):
            continue
        if not closing:
            if not depth:
                opened = tag.start()
            depth += 1
        elif depth > 1:
            depth -= 1
        elif depth == 1:
            depth = 0
            kept.append(text[at:opened])
            at = tag.end()
        else:
            kept.clear()
            at = tag.end()
    kept.append(text[at:opened] if depth else text[at:])
    return "".join(kept)


def _next_fence(fence: str, mark: str, text: str, end: int) -> str:
    """The fence that is open after a line that starts with `mark`; empty when none is."""
    if not fence:
        return mark
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)]
    return "" if mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip() else fence


def _is_a_word(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag is spoken of: back-ticked, or with words of one sentence on both sides."""
    before, after = text[max(0, tag.start() - 2) : tag.start()], text[tag.end() : tag.end() + 2]
    if before.endswith("`"):
        return True
    spoken_before = len(before) == 2 and before[1] == " " and (before[0].isalnum() or before[0] in "\"',")
    return spoken_before and len(after) == 2 and after[0] in " ,." and (after[1].islower() or after[1] == " ")
