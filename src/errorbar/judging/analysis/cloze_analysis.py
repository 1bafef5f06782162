"""Cloze tests: how often raters write what the writer wrote, before and after other good words count.

Formula
    Every pair of writer, raters and systems: the share of items where both have the same word, and Cohen's kappa over
    all words. Accuracy of a rater before: their first word is the writer's; after: one of their words is.
Conventions
    Words are compared in NFC and without the difference of capital letters; a gap that needs nothing is the word ∅. A
    system's word is a hidden column ``says:NAME``, or one that begins with ``system`` or ``word``; ``word`` itself is
    the writer's, as it tells the span of a table's items.
Source
    Tetreault and Chodorow 2008, section 4 and table 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.label_counts import MAX_LABELS, pair_table
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.judging.analysis.findings import Finding, count, used_labels
from errorbar.judging.corpus_questions import SAYS
from errorbar.judging.schemes import NOTHING, folded
from errorbar.judging.study_columns import StudyColumns
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling

WRITER = "writer"
MOST_PAIRED = 20
"""Raters, at most, of whom all pairs are shown; of more, each with the writer and the systems."""


def cloze_findings(study: StudyColumns, drawn: Resampling | None, confidence: float) -> Iterator[Finding]:
    """Pairs, and accuracy of each rater."""
    table, others = _words(study)
    present = [table.raters[code] for code in np.unique(table.rater)]
    raters = [name for name in present if name not in others]
    pairs = [*combinations(others, 2), *product(others, raters)]
    pairs += combinations(raters, 2) if len(raters) <= MOST_PAIRED else ()
    for first, second in pairs:
        of = f"{first} and {second}"
        crossed = used_labels(table.only([first, second]))
        if len(crossed.labels) > MAX_LABELS:
            yield Finding("pairs", of, "kappa", Estimate(None, len(crossed), undefined=Undefined.TOO_FEW_UNITS))
            continue
        kappa = cohen_kappa(pair_table(crossed, first, second), resampling=drawn)
        if not kappa.estimate.n_units:
            continue
        n = kappa.estimate.n_units
        same = proportion_estimate(round((kappa.observed or 0) * n), n, confidence_level=confidence)
        yield Finding("pairs", of, "items", count(n), "count")
        yield Finding("pairs", of, "agreement", same, "percent")
        yield Finding("pairs", of, "kappa", kappa.estimate)
    yield from _accuracy(study, confidence)


def _words(study: StudyColumns) -> tuple[Judgments, list[str]]:
    """First words of raters, the writer and systems; and who of these is no rater."""
    rows = study.judged
    items = [study.items[at].name for at in study.item[rows].tolist()]
    raters = [study.raters[at].name for at in study.rater[rows].tolist()]
    words = [study.labels[at] for at in study.label[rows].tolist()]
    known = {rater.name for rater in study.raters}
    others = dict[str, str]()  # column to its name in the table, which is no rater's
    for at in study.work.tolist():
        item = study.items[at]
        told = {WRITER: written(study, at)}
        told |= {column: folded(word) or NOTHING for column, word in item.hidden.items() if _of_system(column)}
        for column, word in told.items():
            name = column.removeprefix(SAYS)
            others.setdefault(column, f"{name} (no rater)" if name in known else name)
            items.append(item.name)
            raters.append(others[column])
            words.append(word)
    return Judgments.from_columns(items, raters, words), [*others.values()]


def _of_system(column: str) -> bool:
    """Whether a hidden column is what a system wrote."""
    return column.startswith(SAYS) or (column.casefold().startswith(("system", "word")) and column != "word")


def written(study: StudyColumns, at: int) -> str:
    """The writer's word of an item."""
    whole = study.items[at].whole
    if whole is None or whole.span is None:
        return NOTHING
    return folded(whole.text[slice(*whole.span)]) or NOTHING


def _accuracy(study: StudyColumns, confidence: float) -> Iterator[Finding]:
    main = study.about.scheme.main
    scores: dict[str, list[tuple[bool, bool]]] = {}
    for row in study.judged.tolist():
        said = study.answers[int(study.said[row])].get(main) or []
        words = [folded(each) for each in said] if isinstance(said, list) else [folded(str(said))]
        wanted = written(study, int(study.item[row]))
        who = study.raters[int(study.rater[row])].name
        scores.setdefault(who, []).append((words[:1] == [wanted], wanted in words))
    everyone = [each for some in scores.values() for each in some]
    for who, each in {"all raters": everyone, **scores}.items():
        for name, at in (("before", 0), ("after", 1)):
            share = proportion_estimate(sum(x[at] for x in each), len(each), confidence_level=confidence)
            yield Finding("accuracy", who, name, share, "percent")
