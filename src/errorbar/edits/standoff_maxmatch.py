"""MaxMatch for stand-off edits: of all decompositions of what a system changed, the one that agrees best with gold.

The paper's own remark: a system is penalized for cutting the same changes into other edits than the annotators. Here
the changes are cut anew, so that as many gold edits as possible come out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.edits.maxmatch import max_match
from errorbar.edits.standoff_texts import apply_standoff

MOST_CELLS, CELLS_A_CHARACTER = 400_000, 10
"""Squares of the tokens of stretches that are searched (the mean of both sides), in all, and more for each character of
the text."""
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_SPACE = "\u2423"
"""Stands for white space in tokens, which the search separates by spaces."""


def redecompose(gold: Fragment, system: Sequence[StandoffEdit], *, max_unchanged: int = 2) -> list[StandoffEdit]:
    """Cut a system's changes into the edits that agree best with the gold edits.

    The text is searched stretch by stretch: stretches are the spans of gold and system edits, joined where no more
    than ``max_unchanged`` words lie between them. White space counts as a token, so that spans are exact. No text is
    made of edits that overlap, so these stay as they are.

    Args:
        gold: The gold edits and the source text.
        system: The system's edits of it.
        max_unchanged: How many unchanged words an edit may span.

    Raises:
        InputError: If the fragment has no text, or its stretches are too long to be searched.
    """
    text = gold.text
    if text is None:
        what = f"fragment {gold.name} has no source text, which matching=maxmatch needs"
        raise InputError(Problem("hoo-no-text", what, Place(gold.file), fix="--documents=FOLDER"))
    if not system:
        return []
    found: list[StandoffEdit] = []
    clear = set(_apart([edit for edit in system if edit.corrections and edit.end <= len(text)]))
    left = MOST_CELLS + CELLS_A_CHARACTER * len(text)
    stretches = list(_stretches(text, [*gold.edits, *system], max_unchanged))
    for (low, high), mine, theirs in zip(
        stretches, _dealt(system, stretches), _dealt(gold.edits, stretches), strict=True
    ):
        known = [edit for edit in mine if edit in clear]
        found += [edit for edit in mine if edit not in clear]  # also those that change no text
        if theirs and known:
            n_tokens = _n_tokens(text[low:high])
            gained = sum(_n_tokens(edit.corrections[0]) - _n_tokens(text[edit.start : edit.end]) for edit in known)
            n_tokens += max(gained, 0) // 2  # as many on both sides: a short one beside a long one is found no sooner
            left -= n_tokens * n_tokens
            if left < 0:
                raise _too_dense(gold, n_tokens, low)
            anew = list(_search(text, low, high, theirs, known, max_unchanged))
            # The search merges neighbors that touch, so the edits as they were can agree better.
            known = max(known, anew, key=lambda edits: _agreeing(edits, theirs))
        found += known
    return sorted(found, key=lambda edit: (edit.start, edit.end))


def _n_tokens(text: str) -> int:
    return sum(1 for _ in _TOKEN.finditer(text))


def _too_dense(gold: Fragment, n_tokens: int, low: int) -> InputError:
    what = (
        f"fragment {gold.name}: its edits lie too close together, {n_tokens:,} tokens of them from character {low} on"
    )
    return InputError(Problem("hoo-too-dense", what, Place(gold.file), "stretches of some hundred", "matching=edits"))


def _dealt(edits: Sequence[StandoffEdit], stretches: Sequence[tuple[int, int]]) -> list[list[StandoffEdit]]:
    """The edits of each stretch, in the order given; no two stretches touch, and each edit is in one."""
    starts = [low for low, _ in stretches]
    dealt: list[list[StandoffEdit]] = [[] for _ in stretches]
    for edit in edits:
        dealt[bisect_right(starts, edit.start) - 1].append(edit)
    return dealt


def _apart(edits: Sequence[StandoffEdit]) -> Iterator[StandoffEdit]:
    """Those that overlap no other one."""
    reach, last, alone = 0, None, True
    for edit in in_text_order(edits):
        if edit.start < reach:
            alone = False
        else:
            if last is not None and alone:
                yield last
            last, alone = edit, True
        reach = max(reach, edit.end)
    if last is not None and alone:
        yield last


def _agreeing(edits: Sequence[StandoffEdit], gold: Sequence[StandoffEdit]) -> int:
    said = {(edit.start, edit.end, edit.corrections[0]) for edit in edits}
    return sum(any((edit.start, edit.end, text) in said for text in edit.corrections) for edit in gold)


def _stretches(text: str, edits: Sequence[StandoffEdit], max_unchanged: int) -> Iterator[tuple[int, int]]:
    low = high = -1
    for start, end in sorted((edit.start, edit.end) for edit in edits):
        if low >= 0 and (start <= high or len(text[high:start].split()) <= max_unchanged):
            high = max(high, end)
            continue
        if low >= 0:
            yield low, high
        low, high = start, end
    if low >= 0:
        yield low, high


def _search(
    text: str, low: int, high: int, gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], max_unchanged: int
) -> Iterator[StandoffEdit]:
    moved = [edit._replace(start=edit.start - low, end=edit.end - low) for edit in system]
    after = apply_standoff(text[low:high], moved)
    borders = {edit.start for edit in (*gold, *system)} | {edit.end for edit in (*gold, *system)}
    ends = _token_ends(text, low, high, borders)
    tokens = [_code(text[a:b]) for a, b in zip([low, *ends], ends, strict=False)]
    number = {end: at for at, end in enumerate([low, *ends])}
    reference = [
        Edit(number[edit.start], number[edit.end], tuple(_coded(each) for each in edit.corrections)) for edit in gold
    ]
    offsets = [low, *ends]
    # Between two words stands a token of white space: k unchanged words are up to 2k + 1 unchanged tokens.
    match = max_match(tokens, _coded(after).split(), reference, max_unchanged=2 * max_unchanged + 1)
    for edit in match.proposed:
        start, end = offsets[edit.start], offsets[edit.end]
        said = "".join(_decode(token) for token in edit.replacements[0].split())
        yield StandoffEdit("", start, end, text[start:end], (said,))


def _token_ends(text: str, low: int, high: int, borders: set[int]) -> list[int]:
    """Ends of the tokens of a stretch, which is also cut where an edit begins or ends."""
    ends = {match.end() for match in _TOKEN.finditer(text, low, high)}
    return sorted(at for at in ends | borders if low < at <= high)


def _coded(text: str) -> str:
    return " ".join(_code(token) for token in _TOKEN.findall(text))


def _code(token: str) -> str:
    return _SPACE + token.encode("utf-8").hex() if token.isspace() else token


def _decode(token: str) -> str:
    return bytes.fromhex(token[1:]).decode("utf-8") if token.startswith(_SPACE) and len(token) > 1 else token
