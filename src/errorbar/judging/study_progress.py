"""How far a study is, and each of its items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from errorbar.core.estimate import Estimate
from errorbar.judging.study_columns import STATES, Ints, StudyColumns
from errorbar.stats.proportion import proportion_estimate


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a study is.

    Attributes:
        n_items: Items for work.
        n_done: Of them with all judgments that are wanted.
        n_open: With some.
        n_untouched: With none.
        n_stopped: Of which no more judgments are wanted, although they have fewer.
        n_gold: Gold items.
        wanted: Judgments that all items together need; of stopped ones those that they have.
        counted: Judgments that count.
        held: Items that raters hold just now.
        extra: Judgments that came when all places were taken.
        aside: Judgments of raters who are excluded.
        skipped: Items that raters skipped.
        raters: Raters who answered anything.
        excluded: Raters who are excluded.
        median_seconds: Of an answer; None: not known.
    """

    n_items: int
    n_done: int
    n_open: int
    n_untouched: int
    n_stopped: int
    n_gold: int
    wanted: int
    counted: int
    held: int
    extra: int
    aside: int
    skipped: int
    raters: int
    excluded: int
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """An item for work.

    Attributes:
        item: Its name.
        state: ``done``, ``open``, ``untouched`` or ``stopped``.
        stopped: Why no more judgments are wanted.
        n_judgments: That count.
        label: The label that most raters gave, the first of several; empty: none.
        share: Its share of the judgments.
        labels: How often each label was given.
    """

    item: str
    state: str
    stopped: str
    n_judgments: int
    label: str
    share: Estimate
    labels: Mapping[str, int]


def progress(study: StudyColumns) -> Progress:
    """How far a study is."""
    k, counts = study.about.rules.raters_per_item, _counts(study)
    stopped = np.array([bool(study.stopped[at]) for at in study.work], np.bool_)
    full = counts >= k
    of_work = (study.round == 0) & ~study.is_gold[study.item]
    states = np.bincount(study.state[of_work], minlength=len(STATES))
    at = {name: int(states[code]) for code, name in enumerate(STATES)}
    aside = int((of_work & study.set_aside).sum())
    answered = np.flatnonzero((study.said >= 0) & (study.round == 0))
    times = study.milliseconds[answered]
    known = times[times > 0]
    return Progress(
        n_items=len(counts),
        n_done=int(full.sum()),
        n_open=int((~full & ~stopped & (counts > 0)).sum()),
        n_untouched=int((~full & ~stopped & (counts == 0)).sum()),
        n_stopped=int((~full & stopped).sum()),
        n_gold=int(study.is_gold.sum()),
        wanted=int(np.where(stopped, np.minimum(counts, k), k).sum()),
        counted=int(np.minimum(counts, k).sum()),
        held=at["open"],
        extra=at["extra"] + at["aside"] - aside,
        aside=aside,
        skipped=at["skipped"],
        raters=len(np.unique(study.rater[answered])),
        excluded=sum(rater.status == "excluded" for rater in study.raters),
        median_seconds=float(np.median(known)) / 1000 if len(known) else None,
    )


def item_figures(
    study: StudyColumns, first: int = 0, most: int | None = None, confidence: float = 0.95
) -> list[ItemFigures]:
    """Items for work in the order of the store, from one on, so many at most."""
    k, counts = study.about.rules.raters_per_item, _counts(study)
    labels: list[dict[str, int]] = [{} for _ in counts]
    place = np.cumsum(~study.is_gold) - 1
    codes = place[study.item[study.judged]] * len(study.labels) + study.label[study.judged]
    for code, times in zip(*(each.tolist() for each in np.unique(codes, return_counts=True)), strict=True):
        labels[code // len(study.labels)][study.labels[code % len(study.labels)]] = times
    found = []
    last = len(counts) if most is None else first + most
    for at in range(first, min(last, len(counts))):
        number, said = int(study.work[at]), labels[at]
        n, best = sum(said.values()), max(said, key=lambda label: said[label], default="")
        why = study.stopped[number]
        state = "done" if counts[at] >= k else "stopped" if why else "open" if counts[at] else "untouched"
        share = proportion_estimate(said.get(best, 0), n, confidence_level=confidence)
        found.append(ItemFigures(study.items[number].name, state, why, int(counts[at]), best, share, said))
    return found


def _counts(study: StudyColumns) -> Ints:
    """Done judgments of each item for work."""
    rows = study.rows()
    counts = np.bincount(study.item[rows], minlength=len(study.items))
    return np.asarray(counts[study.work], np.int64)
