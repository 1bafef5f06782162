"""What must hold of one annotator's edits of one sentence, whatever file they come from."""

from __future__ import annotations

from errorbar.core.edit import Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems


def check_span(start: int, end: int, n_tokens: int, place: Place, problems: Problems) -> bool:
    """Whether a span lies in a sentence; if not, record why (lenient reading drops the edit)."""
    if 0 <= start <= end <= n_tokens:
        return True
    if start > end:
        what, code = f"the span {start} {end} runs backwards", "span-backwards"
    else:
        what, code = f"the span {start} {end} is outside the sentence of {n_tokens} tokens", "span-outside"
    problems.repairable(code, what, place, expected=f"0 <= start <= end <= {n_tokens}", repair="the edit is dropped")
    return False


def check_annotation(edits: list[Edit], tokens: list[str], places: list[Place], problems: Problems) -> list[Edit]:
    """Look for edits that overlap, repeat, change nothing or stand out of order.

    Overlap: the spans share a token, an insertion lies strictly inside a span, or two edits replace the same
    span. Several insertions at one point do not overlap; they apply in the order given.

    Returns:
        The edits in text order. In lenient mode without the repeated ones; overlapping ones are kept, as a
        scorer can match at most one of them.
    """
    kept: list[Edit] = []
    last_end = 0
    tidy = True
    for edit, place in zip(edits, places, strict=True):
        _note_no_change(edit, tokens, place, problems)
        if tidy and (edit.start < last_end or (kept and edit.span == kept[-1].span)):
            tidy = False
        last_end = max(last_end, edit.end)
        kept.append(edit)
    return kept if tidy else _mend(edits, places, problems)


def _mend(edits: list[Edit], places: list[Place], problems: Problems) -> list[Edit]:
    order = sorted(range(len(edits)), key=lambda i: edits[i].span)
    if order != list(range(len(edits))):
        note = "the edits of one annotator are not in text order; they are read in text order"
        problems.note("edits-unsorted", note, places[0])
    kept: list[Edit] = []
    for i in order:
        edit, place = edits[i], places[i]
        twin = next((k for k in kept if k.span == edit.span and k.replacements == edit.replacements), None)
        if twin is not None:
            what = f"the edit {edit.start} {edit.end} stands twice for one annotator ({twin.type}, {edit.type})"
            problems.repairable("edit-duplicate", what, place, repair="the second is dropped")
            if problems.lenient:
                continue
        else:
            rival = next((k for k in kept if _overlap(k, edit)), None)
            if rival is not None:
                what = f"the edit {edit.start} {edit.end} overlaps the edit {rival.start} {rival.end}"
                what += " of the same annotator"
                problems.repairable("edit-overlap", what, place, repair="both are kept; at most one can match")
        kept.append(edit)
    return kept


def _overlap(first: Edit, second: Edit) -> bool:
    if first.is_insertion and second.is_insertion:
        return False
    if first.is_insertion or second.is_insertion:
        point, span = (first, second) if first.is_insertion else (second, first)
        return span.start < point.start < span.end
    return first.start < second.end and second.start < first.end


def _note_no_change(edit: Edit, tokens: list[str], place: Place, problems: Problems) -> None:
    if edit.replacements and edit.applicable and " ".join(tokens[edit.start : edit.end]) in edit.replacements:
        what = (
            f"the edit {edit.start} {edit.end} ({edit.type}) changes nothing; it counts in recall, nothing matches it"
        )
        problems.note("edit-no-change", what, place)
