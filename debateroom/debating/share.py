"""How much of the debate's tokens each single answer gets: how many answers there are, and who is asked again.

An answer is one call, far less than a debate. So each is asked, with all its drafts before it, to criticise itself
and to be written anew, until all together have used about as many tokens as the debate had. Reading what was said
before is most of a debate's tokens, and so it is here. Pure: what calls come to is measured by the caller.
"""

from __future__ import annotations

from collections.abc import Mapping


def answers(wanted: int, target: float, *, first: float, vote: float) -> int:
    """How many single answers the `target` tokens hold, `wanted` at most and 1 at least.

    `first` are the tokens of one answer's first call, `vote` those of the question that counts them. A target that
    is not known, 0, holds all.
    """
    return wanted if target <= 0 else max(1, min(wanted, round((target - vote) / first)))


def again(left: float, calls: Mapping[int, float]) -> list[int]:
    """Which answers are asked again now: as many as bring the total nearer to the target, in the order of `calls`.

    `left` are the tokens up to the target, `calls` what asking each answer again comes to; 0 is not known.
    """
    chosen = []
    for number, size in calls.items():
        if 0 < size <= 2 * left:  # then the total ends nearer to the target than without it
            chosen.append(number)
            left -= size
    return sorted(chosen)
