"""What raters would write instead, as edits: a corpus of their corrections.

Conventions
    Every rater is an annotator, who looked at the sentences of the items they judged. A sentence is what items have as
    their text. In a cloze test the edit is the rater's words, in order of preference, unless the first is the writer's
    own; in a choice test the candidate that was preferred to the writer's, who preferred one of two systems' said
    nothing of it; in the preposition scheme the prepositions that are named for an incorrect one, none for an
    extraneous one, and optional ones where another is as good. What a rater wrote for one span in several items are
    alternatives; of edits that overlap the first in the text is kept, as M2 holds no others, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from errorbar.core.corpus import Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.texts import overlaps
from errorbar.judging.export_rows import Row
from errorbar.judging.schemes import NOTHING, Scheme, folded, tokens


def corrected_sentences(rows: Iterable[Row], scheme: Scheme, problems: Problems) -> list[Sentence]:
    """The sentences in order of appearance, with each rater's edits; a note says what was left out.

    Raises:
        UsageError: If the scheme asks for no corrections.
    """
    if not gives_corrections(scheme):
        what = f"the scheme {scheme.name} asks for no corrections"
        raise UsageError(Problem("judge-export-kind", what, fix="--to=csv"))
    found: dict[tuple[str, str, str], Sentence] = {}
    said: dict[tuple[str, str, str], dict[str, list[Edit]]] = {}
    for row in rows:
        if row.answer is None or not _of_writer(row, scheme):
            continue
        text, hidden = row.item.text, row.item.hidden
        document = hidden.get("document", "")
        key = hidden.get("sentence", ""), document, text
        found.setdefault(key, Sentence(" ".join(text.split()), document=document))
        said.setdefault(key, {}).setdefault(row.rater, []).extend(_edits(row, scheme, row.answer))
    n_left = 0
    for key, sentence in found.items():
        for rater, edits in said[key].items():
            kept = _apart_from_each_other(edits)
            n_left += len({edit.span for edit in edits}) - len(kept)
            sentence.annotations[rater] = kept
    if n_left:
        told = "1 correction overlaps" if n_left == 1 else f"{n_left:,} corrections overlap"
        what = f"{told} another of the same rater; M2 has the first in the text"
        problems.note("judge-overlap", what, Place(), "--to=csv has every answer")
    return [*found.values()]


def _of_writer(row: Row, scheme: Scheme) -> bool:
    """Whether a judgment is about what the writer wrote: not where two other texts were compared."""
    return scheme.shows != "choice" or _own(row) in row.item.candidates


def _own(row: Row) -> str:
    """What the writer wrote at the place."""
    start, end = row.item.span or (0, len(row.item.text))
    return row.item.text[start:end]


def _apart_from_each_other(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """One edit for each span, with everything that was said for it, in text order; the first of those that overlap."""
    kept: list[Edit] = []
    for _, alike in groupby(sorted(edits, key=lambda edit: edit.span), key=lambda edit: edit.span):
        one, *others = alike
        if kept and overlaps(one, kept[-1]):
            continue
        every = [text for edit in (one, *others) for text in edit.replacements]
        optional = one.optional and all(edit.optional for edit in others)
        kept.append(one._replace(replacements=tuple(dict.fromkeys(every)), optional=optional))
    return tuple(kept)


def gives_corrections(scheme: Scheme) -> bool:
    """Whether answers say what to write instead."""
    return scheme.shows in ("choice", "cloze") or any(each.kind == "words" for each in scheme.questions)


def _edits(row: Row, scheme: Scheme, answer: Mapping[str, Any]) -> list[Edit]:
    item, label = row.item, row.label(scheme)
    start, end = item.span or (0, len(item.text))
    own = _own(row)
    optional = False
    if scheme.shows == "choice":
        said = [item.candidates[("first", "second").index(label)]] if label in ("first", "second") else []
        said = [] if said == [own] else said  # a capital letter may be all that was changed
    elif scheme.shows == "cloze":
        said = ["" if word == NOTHING else word for word in answer[scheme.main]]
    else:
        words = next(question.id for question in scheme.questions if question.kind == "words")
        said, optional = [*answer.get(words, ())], label == "equal"
        said = [""] if label == "extraneous" else said
    if not said or (scheme.shows != "choice" and folded(said[0]) == folded(own)):
        return []
    words_of = item.text[:start], item.text[end:]
    first, last, before, after = _around(item.text, start, end)
    made = [" ".join(f"{before}{_apart(each, words_of)}{after}".split()) for each in said]
    return [Edit(first, last, tuple(dict.fromkeys(made)), optional=optional)]


def _apart(word: str, around: tuple[str, str]) -> str:
    """A word with spaces where the text around it has some."""
    left, right = around
    return f"{' ' if left[-1:].isspace() or not left else ''}{word}{' ' if right[:1].isspace() or not right else ''}"


def _around(text: str, start: int, end: int) -> tuple[int, int, str, str]:
    """The tokens that a span lies in, and what of these stands before and after it."""
    spans = tokens(text)
    if start == end and not any(left < start < right for left, right in spans):
        at = sum(left < start for left, _ in spans)
        return at, at, "", ""
    first = sum(right <= start for _, right in spans)
    last = sum(left < end for left, _ in spans)
    inside = spans[first:last]
    return first, last, text[inside[0][0] : start] if inside else "", text[end : inside[-1][1]] if inside else ""
