"""The findings of studies in which raters write edits: how many, how alike, and what a system's edits did to them.

Formula
    Edits of 100 tokens: 100 Σ edits / Σ tokens, over all judgments. Two raters of an item make the same edit where span
    and first correction are the same; agreement is F of two raters against each other, 2 Σ same / Σ (edits of both),
    over all pairs of raters of an item: F1, whichever of the two is taken for the reference. Of a system's edits a
    rater makes one too where the span is the same and one of the corrections is the system's; the share is of all its
    edits, each counted for every rater of its item. Seconds of a token: Σ seconds / Σ tokens, where the time is known.
    Effect of proposals: the figure of the items that came with a system's edits minus that of those that came without.
    Intervals resample the items, of both kinds together, each with all its judgments.
Conventions
    Types do not count. Where nobody made an edit there is no agreement to speak of, and such items add nothing to it.
    Which items came without was drawn before anybody saw them (``edits_kind``), so that the two kinds differ by chance
    and by what was shown alone; what the system would have proposed is known of both.
Source
    Ours. Fort and Sagot 2010, Influence of pre-annotation on POS-tagged corpus development, LAW IV, compare texts that
    annotators got with and without a program's annotation in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from errorbar.agreement.coefficients import Kernel, estimates
from errorbar.agreement.label_counts import ratio
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Undefined
from errorbar.core.judgments import Judgments
from errorbar.edits.texts import extract_edits
from errorbar.judging.analysis.findings import FigureKind, Finding, count_figure
from errorbar.judging.edits_kind import BLANK, PROPOSALS, SHOWN
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.items.sources import SAYS
from errorbar.judging.study.columns import StudyColumns
from errorbar.stats.resampling import Resampling, Units

Answer = list[Mapping[str, Any]]
MEASURES: Mapping[str, FigureKind] = {
    "edits of 100 tokens": "number",
    "no error": "percent",
    "agreement of two raters": "percent",
    "seconds of a token": "number",
    "the system's edits made": "percent",
}
"""The figures, each a ratio of two sums over items."""


def edits_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, level: float, accuracy: float | None
) -> Iterator[Finding]:
    """Figures of all items; where a system's edits were shown with some of them, of both kinds and the difference."""
    del judgments, level, accuracy
    rows, main = study.judged, study.about.scheme.main
    answers: dict[int, list[tuple[Answer, float]]] = {}
    for at, number, milliseconds in zip(
        study.item[rows].tolist(), study.answer_number[rows].tolist(), study.milliseconds[rows].tolist(), strict=True
    ):
        answers.setdefault(at, []).append((study.answers[number][main], milliseconds / 1000))
    whole_items = [study.items[at].whole for at in answers]
    items = [item for item in whole_items if item is not None]
    table = np.array([_sums(item, own) for item, own in zip(items, answers.values(), strict=True)], np.float64)
    kinds = np.array([item.hidden.get(PROPOSALS, "") for item in items])
    yield from _figures("edits", {"all items": np.ones(len(kinds))}, table, intervals)
    if {*kinds.tolist()} == {SHOWN, BLANK}:
        groups = {kind: (kinds == kind).astype(np.float64) for kind in (SHOWN, BLANK)}
        yield from _figures("proposals", groups, table, intervals)


def _figures(
    section: str, groups: Mapping[str, Floats], table: Floats, intervals: Resampling | None
) -> Iterator[Finding]:
    """The figures of each group of items, and of two groups their difference; what no item has is left out."""
    kernels: dict[str, Kernel] = {}
    measures = [measure for n, measure in enumerate(MEASURES) if table[:, 2 * n + 1].any()]
    for measure in measures:
        n = list(MEASURES).index(measure)
        for group, belongs in groups.items():
            kernels[f"{group}\t{measure}"] = _ratio_kernel(table[:, 2 * n] * belongs, table[:, 2 * n + 1] * belongs)
        if len(groups) == 2:
            first, second = (kernels[f"{group}\t{measure}"] for group in groups)
            kernels[f"difference\t{measure}"] = _difference_kernel(first, second)
    units = Units(np.ones(len(table)))
    results = estimates(units, kernels, len(table), Undefined.NO_UNITS, intervals)
    for group, belongs in groups.items():
        yield Finding(section, group, "items", count_figure(belongs.sum()), "count")
    for name, (estimate, *_) in results.items():
        group, _, measure = name.partition("\t")
        yield Finding(section, group, measure, estimate, MEASURES[measure])


def _ratio_kernel(above: Floats, below: Floats) -> Kernel:
    return lambda weights: ratio(weights @ above, weights @ below)


def _difference_kernel(first: Kernel, second: Kernel) -> Kernel:
    return lambda weights: first(weights) - second(weights)


def _sums(item: JudgedItem, given: list[tuple[Answer, float]]) -> list[float]:
    """The share of an item in the two sums of each figure, in the order of ``MEASURES``."""
    tokens = item.text.split()
    edits = [{(edit["start"], edit["end"], edit["corrections"][0]) for edit in answer} for answer, _ in given]
    pairs = list(combinations(edits, 2))
    same = 2 * sum(len(one & other) for one, other in pairs)
    of_both = sum(len(one) + len(other) for one, other in pairs)
    times = [seconds for _, seconds in given if seconds > 0]
    proposed = {
        (edit.start, edit.end, edit.replacements[0])
        for name, text in item.hidden.items()
        if name.startswith(SAYS)
        for edit in extract_edits(tokens, text.split())
    }
    every = [
        {(edit["start"], edit["end"], text) for edit in answer for text in edit["corrections"]} for answer, _ in given
    ]
    n_made = sum(len(proposed & texts) for texts in every)
    n_edits, n_empty = sum(map(len, edits)), sum(not own for own in edits)
    sums = (100 * n_edits, len(tokens) * len(given), n_empty, len(given), same, of_both)
    return [*sums, sum(times), len(tokens) * len(times), n_made, len(proposed) * len(given)]
