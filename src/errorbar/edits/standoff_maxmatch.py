"""MaxMatch for stand-off edits: what a system changed is cut anew, so that it agrees best with the gold edits.

The HOO paper's own remark: systems are penalized for cutting the same changes into other edits than annotators.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from errorbar.core.edit import Edit, Fragment, StandoffEdit, in_text_order
from errorbar.core.errors import InputError, Place, Problem
from errorbar.edits.maxmatch import max_match
from errorbar.edits.standoff_texts import apply_standoff

# Squares of the tokens of stretches that are searched (the mean of both sides), in all, and more for each character.
MOST_CELLS, CELLS_A_CHARACTER = 400_000, 10
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_SPACE = "\u2423"  # stands for white space in tokens, which the search separates by spaces


def redecompose(gold: Fragment, system: Sequence[StandoffEdit], *, max_unchanged: int = 2) -> list[StandoffEdit]:
    """Cut a system's changes into the edits that agree best with the gold edits.

    Stretches are searched: the spans of gold and system edits, joined where no more than ``max_unchanged`` words lie
    between them. White space counts as a token, so that spans are exact. Edits that overlap make no text and stay as
    they are. Without a text, or with stretches too long to be searched, an ``InputError``.
    """
    text = gold.text
    if text is None:
        what = f"fragment {gold.name} has no source text, which matching=maxmatch needs"
        raise InputError(Problem("hoo-no-text", what, Place(gold.file), fix="--documents=FOLDER"))
    if not system:
        return []
    found: list[StandoffEdit] = []
    clear = _apart([edit for edit in system if edit.corrections and edit.end <= len(text)])
    left = MOST_CELLS + CELLS_A_CHARACTER * len(text)
    for low, high, theirs, mine in _stretches(text, gold.edits, system, max_unchanged):
        known = [edit for edit in mine if edit in clear]
        found += [edit for edit in mine if edit not in clear]  # also those that change no text
        if theirs and known:
            n_tokens = _n_tokens(text[low:high])
            gained = sum(_n_tokens(edit.corrections[0]) - _n_tokens(text[edit.start : edit.end]) for edit in known)
            n_tokens += max(gained, 0) // 2  # as many on both sides: a short one beside a long one is found no sooner
            left -= n_tokens * n_tokens
            if left < 0:
                what = f"fragment {gold.name}: its edits lie too close together, {n_tokens:,} tokens of them from"
                what += f" character {low} on"
                place = Place(gold.file)
                raise InputError(Problem("hoo-too-dense", what, place, "stretches of some hundred", "matching=edits"))
            anew = list(_search(text, low, high, theirs, known, max_unchanged))
            # The search merges neighbors that touch, so the edits as they were can agree better.
            known = max(known, anew, key=lambda edits: _agreeing(edits, theirs))
        found += known
    return sorted(found, key=lambda edit: (edit.start, edit.end))


def _n_tokens(text: str) -> int:
    return sum(1 for _ in _TOKEN.finditer(text))


def _apart(edits: Sequence[StandoffEdit]) -> set[StandoffEdit]:
    """Those that overlap no other one."""
    ordered = in_text_order(edits)
    reach = [0, *accumulate((edit.end for edit in ordered), max)]  # of all edits before each
    free = [edit.start >= before for edit, before in zip(ordered, reach, strict=False)]
    return {edit for edit, left, right in zip(ordered, free, [*free[1:], True], strict=True) if left and right}


def _stretches(
    text: str, gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], max_unchanged: int
) -> Iterator[tuple[int, int, list[StandoffEdit], list[StandoffEdit]]]:
    """Where edits lie close together, and the edits of either side there, in the order given."""
    ends: dict[int, int] = {}  # of each stretch, by its start
    low = high = -1
    for start, end in sorted((edit.start, edit.end) for edit in (*gold, *system)):
        if low < 0 or (start > high and len(text[high:start].split()) > max_unchanged):
            low, high = start, end
        ends[low] = high = max(high, end)
    starts = list(ends)
    dealt: dict[int, tuple[list[StandoffEdit], list[StandoffEdit]]] = {low: ([], []) for low in starts}
    for side, edits in enumerate((gold, system)):
        for edit in edits:
            dealt[starts[bisect_right(starts, edit.start) - 1]][side].append(edit)
    for low, (theirs, mine) in dealt.items():
        yield low, ends[low], theirs, mine


def _agreeing(edits: Sequence[StandoffEdit], gold: Sequence[StandoffEdit]) -> int:
    said = {(edit.start, edit.end, edit.corrections[0]) for edit in edits}
    return sum(any((edit.start, edit.end, text) in said for text in edit.corrections) for edit in gold)


def _search(
    text: str, low: int, high: int, gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], max_unchanged: int
) -> Iterator[StandoffEdit]:
    moved = [edit._replace(start=edit.start - low, end=edit.end - low) for edit in system]
    after = apply_standoff(text[low:high], moved)
    borders = {edit.start for edit in (*gold, *system)} | {edit.end for edit in (*gold, *system)}
    # The tokens of the stretch, which is also cut where an edit begins or ends.
    ends = {found.end() for found in _TOKEN.finditer(text, low, high)}
    offsets = [low, *sorted(at for at in ends | borders if low < at <= high)]
    tokens = [_code(text[a:b]) for a, b in pairwise(offsets)]
    number = {offset: at for at, offset in enumerate(offsets)}
    reference = [Edit(number[edit.start], number[edit.end], tuple(map(_coded, edit.corrections))) for edit in gold]
    # Between two words stands a token of white space: k unchanged words are up to 2k + 1 unchanged tokens.
    match = max_match(tokens, _coded(after).split(), reference, max_unchanged=2 * max_unchanged + 1)
    for edit in match.proposed:
        start, end = offsets[edit.start], offsets[edit.end]
        said = "".join(_decode(token) for token in edit.replacements[0].split())
        yield StandoffEdit("", start, end, text[start:end], (said,))


def _coded(text: str) -> str:
    return " ".join(_code(token) for token in _TOKEN.findall(text))


def _code(token: str) -> str:
    return _SPACE + token.encode("utf-8").hex() if token.isspace() else token


def _decode(token: str) -> str:
    return bytes.fromhex(token[1:]).decode("utf-8") if token.startswith(_SPACE) and len(token) > 1 else token
