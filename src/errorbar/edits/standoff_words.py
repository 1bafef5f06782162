"""Character edits as edits of whole words; edits that meet in one word become one.

Conventions
    Words are those of ``errorbar.edits.standoff_texts``. An edit that touches part of a word covers the whole word.
    Edits are joined where, one by one, they would not give the text that they give together: where they share a word,
    where their order would change, or where two insertions at one place say the same. The k-th correction of a joined
    edit is made of the k-th ones (of the first one of an edit that has fewer); type and consistency set are the first
    ones given, and it is optional if all are. An edit that overlaps an earlier one is left out of it, as
    ``apply_standoff`` leaves it out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.standoff import StandoffEdit, in_text_order
from errorbar.edits.standoff_texts import WORD, Words
from errorbar.edits.texts import apply_edits

NOWHERE = Place()
MOST_TOGETHER = 100
"""Edits that meet where no white space parts them; three pairs of the 2,281 edits of 2011 do."""
MOST_NEIGHBORS = 50
"""Words that are looked at on either side, where no white space parts them: a text of stops alone has no end."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A character edit, or several joined, as an edit of words.

    Attributes:
        edit: The edit of words; None where only white space changes.
        of: The character edits it is made of, in text order.
        left_out: Those of them that overlap an earlier one, and so take no part in its corrections.
    """

    edit: Edit | None
    of: tuple[StandoffEdit, ...]
    left_out: tuple[StandoffEdit, ...] = ()

    @property
    def start(self) -> int:
        """The first character of its span."""
        return self.of[0].start

    @property
    def end(self) -> int:
        """One past the last character of its span."""
        return max(each.end for each in self.of)


def place_edits(edits: Iterable[StandoffEdit], words: Words, place: Place = NOWHERE) -> list[Placed]:
    """Make edits of words from the character edits of a text.

    Args:
        edits: The edits.
        words: The text.
        place: Where they are from, for messages.

    Returns:
        In text order; none overlap and none stand twice.

    Raises:
        InputError: If too many edits meet in one word.
    """
    placed: list[Placed] = []
    for edit in in_text_order(edits):
        new = Placed(word_edit(edit, words), (edit,))
        while placed and _meet(placed, new, words, place):
            new = _join((*placed.pop().of, *new.of), words)
            if len(new.of) > MOST_TOGETHER:
                raise _too_dense(new, place)
        placed.append(new)
    return placed


def _meet(placed: Sequence[Placed], new: Placed, words: Words, place: Place) -> bool:
    """Whether the new edit must be joined with the last one (and then perhaps with the one before)."""
    if new.edit is not None:
        before = (each.edit for each in reversed(placed) if each.edit is not None)
        for number, edit in enumerate(before):
            if not number and edit.end > new.edit.start:
                return True
            if edit.span != new.edit.span:
                break
            if not edit.is_insertion or _say_the_same(edit, new.edit):
                return True
    # Where no white space parts edits, words may grow together that each edit alone leaves apart.
    chain = [new]
    for each in reversed(placed):
        if any(char.isspace() for char in words.text[each.end : chain[0].start]):
            break
        chain.insert(0, each)
        if len(chain) > MOST_TOGETHER:
            raise _too_dense(new, place)
    if len(chain) == 1:
        return False
    both = _join([edit for each in chain for edit in each.of], words).edit
    apart = [each.edit for each in chain if each.edit is not None]
    every = [*apart, both] if both else apart
    if not every:
        return False
    low, high = min(edit.start for edit in every), max(edit.end for edit in every)
    window = words.tokens[low:high]
    return _applied(window, apart, low) != _applied(window, [both] if both else [], low)


def _say_the_same(first: Edit, second: Edit) -> bool:
    same = first.replacements == second.replacements
    return same or not set(first.replacements).isdisjoint(second.replacements)


def _applied(tokens: Sequence[str], edits: Sequence[Edit], shift: int) -> list[str]:
    moved = [edit._replace(start=edit.start - shift, end=edit.end - shift, type="") for edit in edits]
    return apply_edits(tokens, moved)


def _too_dense(new: Placed, place: Place) -> InputError:
    what = f"more than {MOST_TOGETHER} edits meet where no white space parts them, up to character {new.end}"
    return InputError(Problem("hoo-too-dense", what, place, fix="are edits repeated? words cannot hold so many"))


def _join(edits: Sequence[StandoffEdit], words: Words) -> Placed:
    ordered = in_text_order(edits)
    start, end = ordered[0].start, max(edit.end for edit in ordered)
    kept: list[StandoffEdit] = []
    left_out: list[StandoffEdit] = []
    for edit in ordered:
        applied = [each for each in kept if each.corrections]
        clash = bool(edit.corrections and applied) and edit.start < applied[-1].end
        (left_out if clash else kept).append(edit)
    corrections = []
    for k in range(max(len(edit.corrections) for edit in kept)):
        parts: list[str] = []
        done = start
        for edit in kept:
            if edit.corrections:
                parts += words.text[done : edit.start], edit.corrections[k if k < len(edit.corrections) else 0]
                done = edit.end
        corrections.append("".join([*parts, words.text[done:end]]))
    joined = StandoffEdit(
        "+".join(edit.index for edit in ordered if edit.index),
        start,
        end,
        words.text[start:end],
        tuple(dict.fromkeys(corrections)),
        all(edit.optional for edit in ordered),
        0,
        ordered[0].type,
        next((edit.group for edit in ordered if edit.group), ""),
    )
    return Placed(word_edit(joined, words), ordered, tuple(left_out))


def word_edit(edit: StandoffEdit, words: Words) -> Edit | None:
    """One character edit as an edit of words; None where only white space changes."""
    text, starts, ends = words.text, words.starts, words.ends
    low, high = bisect_right(ends, edit.start), bisect_left(starts, edit.end)
    if low > high:  # an insertion inside of a word
        low, high = high, low
    # Neighbors on each side, as far as no white space parts them, show what the correction grows together with
    # ("model" + "s", "x" + "'a").
    wide_low, wide_high = max(low - 1, 0), min(high + 1, len(starts))
    first, last = wide_low - MOST_NEIGHBORS, wide_high + MOST_NEIGHBORS
    while wide_low > max(first, 0) and ends[wide_low - 1] == starts[wide_low]:
        wide_low -= 1
    while 0 < wide_high < min(last, len(starts)) and ends[wide_high - 1] == starts[wide_high]:
        wide_high += 1
    head = text[starts[wide_low] : edit.start] if wide_low < len(starts) else ""
    tail = text[edit.end : ends[wide_high - 1]] if wide_high else ""
    made = [WORD.findall(head + correction + tail) for correction in edit.corrections]
    if not made:
        wide_low, wide_high = low, high
    while wide_low < low and all(tokens[:1] == [words.tokens[wide_low]] for tokens in made):
        made, wide_low = [tokens[1:] for tokens in made], wide_low + 1
    while wide_high > high and all(tokens[-1:] == [words.tokens[wide_high - 1]] for tokens in made):
        made, wide_high = [tokens[:-1] for tokens in made], wide_high - 1
    replacements = tuple(" ".join(tokens) for tokens in made)
    before = " ".join(words.tokens[wide_low:wide_high])
    if replacements and all(each == before for each in replacements):
        return None
    return Edit(wide_low, wide_high, replacements, edit.type, edit.optional, edit.group, edit.index)
