"""A sentence cut where several sets of its edits agree to leave it: chunks that each set changes as a whole or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errorbar.core.edit import Edit
from errorbar.edits.texts import overlaps

Span = tuple[int, int]


def applied(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that say what the text should become, in text order; of those that overlap, the first."""
    kept: list[Edit] = []
    for edit in sorted((each for each in edits if each.applicable), key=lambda each: each.span):
        if not kept or not overlaps(edit, kept[-1]):
            kept.append(edit)
    return kept


def changed_chunks(sides: Iterable[Sequence[Edit]]) -> list[Span]:
    """The chunks that some side changes: the spans of all edits, joined where they overlap or touch."""
    chunks: list[Span] = []
    for start, end in sorted(edit.span for edits in sides for edit in edits):
        if chunks and start <= chunks[-1][1]:
            chunks[-1] = chunks[-1][0], max(end, chunks[-1][1])
        else:
            chunks.append((start, end))
    return chunks


def within(edits: Sequence[Edit], chunk: Span) -> list[Edit]:
    """A side's edits of a chunk."""
    return [edit for edit in edits if chunk[0] <= edit.start and edit.end <= chunk[1]]


def chunk_text(tokens: Sequence[str], chunk: Span, edits: Sequence[Edit]) -> list[str]:
    """What the first alternatives of a side's edits make of a chunk."""
    return [token for one in _pieces(tokens, chunk, edits) for token in one[0]]


def says(tokens: Sequence[str], chunk: Span, edits: Sequence[Edit], text: Sequence[str]) -> bool:
    """Whether some alternatives of a side's edits make this text of a chunk."""
    ends = {0}
    for one in _pieces(tokens, chunk, edits):
        ends = {at + len(said) for at in ends for said in one if list(text[at : at + len(said)]) == said}
    return len(text) in ends


def _pieces(tokens: Sequence[str], chunk: Span, edits: Sequence[Edit]) -> Iterable[list[list[str]]]:
    """The alternatives of each piece of a chunk, edited or not."""
    at = chunk[0]
    for edit in edits:
        yield [list(tokens[at : edit.start])]
        yield [said.split() for said in edit.replacements]
        at = edit.end
    yield [list(tokens[at : chunk[1]])]
