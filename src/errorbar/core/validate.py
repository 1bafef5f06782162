"""What must hold of one annotator's edits of one sentence, whatever file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from errorbar.core.edit import UNCLEAR, Edit
from errorbar.core.errors import Place, shortened
from errorbar.core.problems import Problems


def check_span(start: int, end: int, n_tokens: int, place: Place, problems: Problems) -> bool:
    """Whether a span lies in a sentence; if not, record why (lenient reading drops the edit)."""
    if 0 <= start <= end <= n_tokens:
        return True
    span = shortened(f"{start} {end}")
    expected, repair = f"0 <= start <= end <= {n_tokens}", "the edit is dropped"
    if start > end:
        what = f"the span {span} runs backwards"
        problems.repairable("span-backwards", what, place, expected=expected, repair=repair)
    else:
        what = f"the span {span} is outside the sentence of {n_tokens} tokens"
        problems.repairable("span-outside", what, place, expected=expected, repair=repair)
    return False


def check_white_space(replacements: Iterable[str], place: Place, problems: Problems) -> bool:
    """Whether corrections are tokens joined by one space; if not, note it: compared as written, they match nothing."""
    odd = [text for text in replacements if " ".join(text.split()) != text]
    for text in odd:
        what = f"the correction {text!r} has other white space than one space between two words; nothing matches it"
        problems.note("edit-white-space", what, place)
    return not odd


def check_annotation(
    edits: list[Edit], tokens: list[str], place_of: Callable[[int], Place], problems: Problems
) -> list[Edit]:
    """Look for edits that overlap, repeat, change nothing or stand out of order.

    Overlap: the spans share a token, an insertion lies strictly inside a span, or two edits replace the same
    span. Several insertions at one point do not overlap; they apply in the order given.

    Args:
        edits: One annotator's edits, spans inside the sentence.
        tokens: The sentence.
        place_of: Where the edit of an index stands.
        problems: Where problems are recorded.

    Returns:
        The edits in text order. In lenient mode without the repeated ones; overlapping ones are kept, as a
        scorer can match at most one of them. Where edits are read as they are written, the same edits.
    """
    tidy = True
    last_start = last_end = -1
    before: tuple[str, ...] = ()
    n_here = 1
    for index, (start, end, replacements, kind, _, _, _) in enumerate(edits):
        if (tokens[start] if end - start == 1 else " ".join(tokens[start:end])) in replacements and kind != UNCLEAR:
            what = f"the edit {start} {end} ({kind}) changes nothing; it counts in recall, nothing matches it"
            problems.note("edit-no-change", what, place_of(index))
        n_here = n_here + 1 if start == last_start and end == last_end else 1
        if start < last_end or (n_here > 1 and (start < end or n_here > 2 or share(before, replacements))):
            tidy = False
        last_start, before = start, replacements
        last_end = end if end > last_end else last_end
    return edits if tidy else _mend(edits, place_of, problems)


def _mend(edits: list[Edit], place_of: Callable[[int], Place], problems: Problems) -> list[Edit]:
    order = sorted(range(len(edits)), key=lambda i: edits[i].span)
    if order != list(range(len(edits))):
        read = "kept so, and matches are lost" if problems.as_written else "they are read in text order"
        note = f"the edits of one annotator are not in text order; {read}"
        problems.note("edits-unsorted", note, place_of(0))
    kept: list[Edit] = []
    said: dict[tuple[int, int], dict[str | None, int]] = {}  # of each span: what stands there, in which kept edit first
    wide = 0  # where among the kept ones the first one stands that reaches beyond the current point
    for i in order:
        edit, place = edits[i], place_of(i)
        here = said.setdefault(edit.span, {})
        # One hypothesis edit would match both, and count twice.
        texts = edit.replacements or (None,)
        twin = min((here[text] for text in texts if text in here), default=-1)
        if twin >= 0:
            first = kept[twin]
            what = f"the edit {edit.start} {edit.end} stands twice for one annotator ({first.type}, {edit.type})"
            if problems.as_written:
                problems.note("edit-duplicate", f"{what}; what matches it counts twice", place)
            else:
                problems.repairable("edit-duplicate", what, place, repair="the second is dropped")
                if problems.lenient:
                    continue
        else:
            # In text order, whatever starts earlier and ends later overlaps; an insertion does not.
            while wide < len(kept) and kept[wide].end <= edit.start:
                wide += 1
            if wide < len(kept):
                what = f"the edit {edit.start} {edit.end} overlaps the edit {kept[wide].start} {kept[wide].end}"
                what += " of the same annotator"
                repair = "both are kept; at most one can match"
                if problems.as_written:
                    problems.note("edit-overlap", f"{what}; {repair}", place)
                else:
                    problems.repairable("edit-overlap", what, place, repair=repair)
        for text in texts:
            here.setdefault(text, len(kept))
        kept.append(edit)
    return edits if problems.as_written else kept


def share(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two edits of one span say the same: the same corrections, perhaps none, or one in common."""
    return first == second or not set(first).isdisjoint(second)
