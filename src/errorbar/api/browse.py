"""The sentences of a corpus with every annotator's and every system's edits, ready to be looked at.

Edits are stand-off here whatever the corpus was: half-open spans of characters (Unicode code points) in the text that
is shown, so that one browser serves M2 and HOO data.

Formula
    Disagreement of a sentence: 1 − the mean over all pairs of annotators who looked at it of |A ∩ B| / |A ∪ B|, where A
    and B are their edits (span and replacements); 1 for a pair in which both found nothing.
Conventions
    The text of a sentence is its tokens joined by one space. A span of tokens begins with the first character of its
    first token and ends with the last one of its last; an insertion stands before the token it is made before, at the
    end of the text after the last one. An edit that says nothing about what the text should become (unclear meaning)
    has no replacement. Annotators' edits stand in text order. A system's edits are those that MaxMatch finds against
    the annotator that the metric chose, but that those without a match are shown without the unchanged words at their
    ends; where nobody looked, a smallest set of edits.
Source
    Overlap of sets: Jaccard 1912.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations
from operator import attrgetter
from typing import NamedTuple

from errorbar.core.corpus import Annotation, Corpus, Hypothesis, Sentence
from errorbar.core.edit import Edit
from errorbar.core.problems import InputError
from errorbar.edits.matching import ProposedEdit
from errorbar.edits.texts import extract_edits, whole_edit
from errorbar.metrics.base import Metric


class BrowseEdit(NamedTuple):
    """An edit in a shown text; of a system's, ``matched`` says whether the metric counts it as correct.

    What the last three say of an annotator's edit is not shown, but belongs to it in files.
    """

    start: int
    end: int
    replacements: tuple[str, ...]  # the first is shown in line; empty: wrong, no correction known
    type: str = ""
    optional: bool = False
    matched: bool | None = None
    comment: str = ""
    group: str = ""
    written: tuple[str, ...] = ()  # corrections of an edit of unclear meaning, which has no replacements


@dataclass(frozen=True, slots=True)
class BrowseUnit:
    """A sentence or text; its unique name, of sentences the number from 1, is what links name."""

    name: str
    text: str
    document: str
    annotators: tuple[tuple[BrowseEdit, ...] | None, ...]  # None where that annotator did not look
    systems: tuple[tuple[BrowseEdit, ...], ...]
    counts: tuple[tuple[int, ...], ...]  # correct, proposed and reference edits of each system under the metric
    chosen: tuple[int, ...]  # number of the annotator each system was scored against, -1 where there is none
    disagreement: float | None = None


@dataclass(frozen=True, slots=True)
class Browse:
    """Everything a sentence browser shows: names, and sentences or texts (``unit``) in corpus order.

    ``n_left_out`` counts those that ``most_telling`` left out.
    """

    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    units: Sequence[BrowseUnit]
    unit: str = "sentence"
    n_left_out: int = 0

    def most_telling(self, n_units: int, n_characters: int) -> Browse:
        """Keep the units that say most, in their order: as many as stay within both numbers.

        First come those with most edits that a system missed or made in vain, then those in which annotators differ
        most, then earlier ones. Characters are those of the texts, and ten for each edit.
        """
        units = self.units

        def rank(number: int) -> tuple[float, float, int]:
            unit = units[number]
            known = (counts[:3] for counts in unit.counts if len(counts) >= 3)  # a metric may count something else
            wrong = sum(proposed + reference - 2 * correct for correct, proposed, reference in known)
            return -wrong, -(unit.disagreement or 0.0), number

        def size(unit: BrowseUnit) -> int:
            return len(unit.text) + 10 * sum(len(edits or ()) for edits in (*unit.annotators, *unit.systems))

        if len(units) <= n_units and sum(map(size, units)) <= n_characters:
            return self
        ranked = sorted(range(len(units)), key=rank)[:n_units]
        sizes = accumulate(size(units[number]) for number in ranked)
        kept = sorted(number for number, total in zip(ranked, sizes, strict=True) if total <= n_characters)
        return replace(self, units=[units[number] for number in kept], n_left_out=len(units) - len(kept))


def browse_corpus(corpus: Corpus, systems: Sequence[Hypothesis], metric: Metric) -> Browse:
    """Lay out a corpus and systems for looking at; the metric chooses the annotator of each sentence and counts."""
    column: dict[str | None, int] = {None: -1, **{name: k for k, name in enumerate(corpus.annotators)}}
    counts, chosen, proposed = [], [], []
    for system in systems:
        parts = metric.parts(metric.measure(corpus, system.lines))
        chosen.append([column[name] for name in parts.annotators])
        counts.append([tuple(row) for row in parts.counts.tolist()])
        proposed.append(_system_edits(corpus, system, parts.annotators, metric))
    units = [
        BrowseUnit(
            str(number + 1),
            " ".join(sentence.tokens),
            sentence.document,
            *_browse_edits(sentence, corpus.annotators, [edits[number] for edits in proposed]),
            tuple(table[number] for table in counts),
            tuple(columns[number] for columns in chosen),
            disagreement(list(sentence.annotations.values())),
        )
        for number, sentence in enumerate(corpus.sentences)
    ]
    return Browse(corpus.annotators, tuple(system.name for system in systems), units)


def disagreement(annotations: Sequence[Annotation]) -> float | None:
    """How much annotators of one sentence differ: 1 − mean Jaccard overlap of their edits over pairs.

    Of the edits of everybody who looked; from 0 (all alike) to 1, None with fewer than two annotators.
    """
    if len(annotations) < 2:
        return None
    if not any(annotations):
        return 0.0
    sets = [{(edit.start, edit.end, edit.replacements) for edit in edits} for edits in annotations]
    overlaps = [len(a & b) / len(a | b) if a or b else 1.0 for a, b in combinations(sets, 2)]
    return 1 - sum(overlaps) / len(overlaps)


def _system_edits(
    corpus: Corpus, system: Hypothesis, annotators: Sequence[str | None], metric: Metric
) -> Sequence[Sequence[ProposedEdit]]:
    """The edits that the metric sees; where it sees none or nobody looked, a smallest set."""
    seen = metric.system_edits(corpus, system.lines, annotators)
    edits_by_unit = []
    for unit, name in enumerate(annotators):
        if seen is not None and name is not None:
            edits_by_unit.append(seen[unit])
            continue
        texts = corpus.sentences[unit].tokens, system.lines[unit].split()
        try:
            edits = extract_edits(*texts)
        except InputError:  # texts too long to compare; what is shown is no score
            edits = whole_edit(*texts)
        edits_by_unit.append(tuple(ProposedEdit(edit.start, edit.end, edit.replacements[0], False) for edit in edits))
    return edits_by_unit


def _browse_edits(
    sentence: Sentence, annotators: Sequence[str], proposed: Sequence[Sequence[ProposedEdit]]
) -> tuple[tuple[tuple[BrowseEdit, ...] | None, ...], tuple[tuple[BrowseEdit, ...], ...]]:
    """The edits of annotators and of systems, in characters."""
    tokens = sentence.tokens
    starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
    starts[-1] -= bool(tokens)  # no space follows the last token

    def span(start: int, end: int) -> tuple[int, int]:
        first = starts[start]
        return first, first if start == end else starts[end - 1] + len(tokens[end - 1])

    def browse_edit(edit: Edit) -> BrowseEdit:
        shown = BrowseEdit(*span(edit.start, edit.end), edit.replacements, edit.type, edit.optional)
        if not edit.applicable:
            shown = shown._replace(replacements=(), written=edit.replacements)
        return shown._replace(comment=edit.comment, group=edit.group) if edit.comment or edit.group else shown

    def browse_proposal(edit: ProposedEdit) -> BrowseEdit:
        if edit.start < edit.end and edit.replacement == " ".join(tokens[edit.start : edit.end]):  # called wrong
            return BrowseEdit(*span(edit.start, edit.end), (), matched=edit.matched)
        if edit.matched:
            return BrowseEdit(*span(edit.start, edit.end), (edit.replacement,), matched=True)
        start, end, replacement = _trim_unchanged_ends(tokens, edit)
        return BrowseEdit(*span(start, end), (replacement,), matched=False)

    looked = [sentence.annotations.get(name) for name in annotators]
    by_span = attrgetter("span")
    return (
        tuple(None if edits is None else tuple(map(browse_edit, sorted(edits, key=by_span))) for edits in looked),
        tuple(tuple(map(browse_proposal, edits)) for edits in proposed),
    )


def _trim_unchanged_ends(tokens: Sequence[str], edit: ProposedEdit) -> tuple[int, int, str]:
    """The span and replacement of what an edit changes."""
    start, end, new = edit.start, edit.end, edit.replacement.split()
    while start < end and new and tokens[start] == new[0]:
        start, new = start + 1, new[1:]
    while start < end and new and tokens[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    if start == end and not new:  # it changed nothing but how it is cut into edits
        return edit.start, edit.end, edit.replacement
    return start, end, " ".join(new)
