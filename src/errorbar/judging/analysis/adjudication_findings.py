"""The findings of an adjudication: how far raters agree before, and with what was decided after.

Formula
    Agreement, kappa and alpha are those of ``errorbar.agreement``, of labels: before, of the raters with each other;
    after, of each rater with the adjudicated answer. Upheld: the share of the items that were decided on which a
    rater's answer was accepted, with Wilson's interval.
Conventions
    Items on which no two raters differ count before and after, with what raters said. Before, all items count, after,
    those that have an adjudicated answer. Where several adjudicators decided an item the first answer counts.
Source
    The papers that ``errorbar.agreement`` and ``errorbar.stats.proportion`` name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from errorbar.core.judgments import Judgments
from errorbar.judging.analysis.findings import Finding, agreement_findings, count_figure
from errorbar.judging.answers import label_of, turn_sides
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.study.adjudication import ADJUDICATED, AGREED, Origin, Provenance, answer_provenance
from errorbar.judging.study.columns import StudyColumns
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling


@dataclass(frozen=True, slots=True)
class _Decision:
    """The decision on an item."""

    item: JudgedItem
    label: str
    provenance: Provenance
    upheld: tuple[str, ...]

    @property
    def raters(self) -> set[str]:
        """Who judged it before."""
        return {rater for choice in self.item.choices for rater in choice.raters}


def adjudication_findings(study: StudyColumns, intervals: Resampling | None, level: float) -> Iterator[Finding]:
    """Agreement before and after, what became of the items, and how often each rater was upheld.

    Args:
        study: An adjudication, read whole.
        intervals: How intervals of agreement are made.
        level: Of Wilson's intervals, as a fraction.
    """
    origin, decisions = Origin.from_json(study.about.adjudicated), list(_decisions(study))
    items = [item.whole for item in study.items if item.whole is not None and item.whole.choices]
    before = [
        (item.name, rater, label_of(study.about.scheme, False, choice.answer))
        for item in items
        for choice in item.choices
        for rater in choice.raters
    ]
    yield from agreement_findings("adjudication", "raters, before", _judgments(study, before), intervals)
    decided = [(decision.item.name, ADJUDICATED, decision.label) for decision in decisions]
    names = {name for name, _, _ in decided}
    for rater in origin.raters:
        own = [row for row in before if row[1] == rater and row[0] in names]
        yield from agreement_findings("adjudication", f"{rater}, after", _judgments(study, own + decided), intervals)
    counts = {"agreed": 0, "accepted": 0, "written": 0}
    for decision in decisions:
        counts[decision.provenance] += 1
    for name, count in (counts | {"not yet": len(items) - len(names)}).items():
        yield Finding("decisions", name, "items", count_figure(count), "count")
    contested = [decision for decision in decisions if decision.provenance != "agreed"]
    for rater in origin.raters:
        own_decisions = [decision for decision in contested if rater in decision.raters]
        n_upheld, n = sum(rater in decision.upheld for decision in own_decisions), len(own_decisions)
        yield Finding("upheld", rater, "items", count_figure(n), "count")
        upheld = proportion_estimate(n_upheld, n, confidence_level=level)
        yield Finding("upheld", rater, "upheld", upheld, "percent")


def _decisions(study: StudyColumns) -> Iterator[_Decision]:
    """The items that have an adjudicated answer."""
    scheme = study.about.scheme
    first = {int(study.item[row]): row for row in reversed(study.judged.tolist())}
    for number, facts in enumerate(study.items):
        item = facts.whole
        if item is None or not item.choices:
            continue
        if number in first:
            row = first[number]
            answer = study.answers[study.answer_number[row]]
            answer = turn_sides(scheme, answer) if study.reversed[row] else answer
            provenance, raters = answer_provenance(scheme, item, answer)
        elif study.stopped[number] == AGREED:
            answer, raters, provenance = item.choices[0].answer, item.choices[0].raters, "agreed"
        else:
            continue
        yield _Decision(item, label_of(scheme, False, answer), provenance, raters)


def _judgments(study: StudyColumns, rows: list[tuple[str, str, str]]) -> Judgments:
    """Labels as a table; those that say that one cannot tell are not given."""
    abstaining = study.about.scheme.abstaining()
    kept = [row for row in rows if row[2] and row[2] not in abstaining]
    known = tuple(label for label in study.labels if label not in abstaining)
    items, raters, labels = zip(*kept, strict=True) if kept else ((), (), ())
    return Judgments.from_columns(items, raters, labels, labels=known)
