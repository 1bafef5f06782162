"""Every rater of a study: how much, how well, how fast; formulas are those of ``rater_quality``.

Formula
    Agreement with the rest is that of ``errorbar.crowdsourcing.rater_table``. Judgments an hour: one less than the
    answers, by the time between the first and the last one; pauses of more than 10 minutes are taken out.
Conventions
    Haste and time are of all answers to items of the main round, hidden gold and those that do not count included;
    agreement with the rest of judgments that count alone.
Source
    The figures that crowd studies report; Madnani et al. 2011, section 2, for hidden gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from errorbar.core.estimate import Estimate, Undefined
from errorbar.crowdsourcing.rater_table import agreement_with_others
from errorbar.judging.exchange import JUDGED
from errorbar.judging.rater_quality import classed, hasty, pauses, trust
from errorbar.judging.sequential import TOGETHER
from errorbar.judging.study_columns import Floats, Ints, StudyColumns
from errorbar.stats.proportion import proportion_estimate

PAUSE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """What is known of a rater.

    Attributes:
        rater: The name.
        status: ``active`` or ``excluded``.
        excluded: Why.
        quiz: ``due``, ``passed`` or ``failed``.
        n_judgments: Answers to items for work, of whatever state.
        n_counted: Those that count.
        gold: The share of right answers to hidden gold items.
        gold_by_class: The same for each class.
        trust: The smoothed share.
        rest: Mean agreement with the other raters of the same items; None: nobody else judged them.
        n_rest: Judgments that this is of.
        median_seconds: Of an answer; None: not known.
        per_hour: Answers an hour while at work; None: fewer than two.
        n_hasty: Answers given too fast to have read the text.
        n_pauses: Runs of three such.
        repeats: Share of repeated items answered alike both times.
        top: Share of the upper candidate among answers that chose a side; None where there are no sides.
        last: When the last answer was given, in seconds since 1970; None: there is none.
    """

    rater: str
    status: str
    excluded: str
    quiz: str
    n_judgments: int
    n_counted: int
    gold: Estimate
    gold_by_class: Mapping[str, Estimate]
    trust: float
    rest: float | None
    n_rest: int
    median_seconds: float | None
    per_hour: float | None
    n_hasty: int
    n_pauses: int
    repeats: Estimate
    top: Estimate | None
    last: float | None


def rater_figures(study: StudyColumns, confidence: float = 0.95) -> list[RaterFigures]:
    """All raters of a study, in the order in which they came."""
    n = len(study.raters)
    answered = study.rows("main", *JUDGED)
    answered = answered[np.lexsort((study.at[answered], study.rater[answered]))]
    runs = np.split(answered, np.searchsorted(study.rater[answered], np.arange(1, n)))
    words = np.array([item.n_words for item in study.items], np.int64)
    texts = np.array([item.text_number for item in study.items], np.int64)
    counted = np.bincount(study.rater[study.judged], minlength=n)
    rest, n_rest = _rest(study)
    gold, alike = _gold(study), _repeats(study)
    reversible = study.about.scheme.reversible

    def share(rows: Ints) -> Estimate:
        return proportion_estimate(int(rows.sum()), len(rows), confidence_level=confidence)

    found = []
    for code, (rater, rows) in enumerate(zip(study.raters, runs, strict=False)):  # of nobody there is one empty run
        took, asked = study.milliseconds[rows], study.item[rows]
        flags = hasty(took, words[asked], texts[asked])
        known = took[took > 0]
        tested = gold[gold[:, 0] == code]
        every = tested[:, 2]
        classes = {_class(study, each): tested[tested[:, 1] == each, 2] for each in np.unique(tested[:, 1]).tolist()}
        figures = RaterFigures(
            rater=rater.name,
            status=rater.status,
            excluded=rater.excluded,
            quiz=rater.quiz,
            n_judgments=int((~study.is_gold[study.item[rows]]).sum()),
            n_counted=int(counted[code]),
            gold=share(every) if len(every) else Estimate(None, 0, undefined=Undefined.NO_GOLD),
            gold_by_class={name: share(classes[name]) for name in sorted(classes)},
            trust=trust(int(every.sum()), len(every)),
            rest=float(rest[code]) if n_rest[code] else None,
            n_rest=int(n_rest[code]),
            median_seconds=float(np.median(known)) / 1000 if len(known) else None,
            per_hour=_per_hour(study.at[rows]),
            n_hasty=int(flags.sum()),
            n_pauses=pauses(flags),
            repeats=share(alike[alike[:, 0] == code, 1]),
            top=share(_tops(study, rows)) if reversible else None,
            last=float(study.at[rows[-1]]) if len(rows) else None,
        )
        found.append(figures)
    return found


def _per_hour(at: Floats) -> float | None:
    gaps = np.diff(at)
    gaps = gaps[gaps <= PAUSE_SECONDS]
    return 3600 * len(gaps) / float(gaps.sum()) if gaps.sum() > 0 else None


def _rest(study: StudyColumns) -> tuple[Floats, Ints]:
    """Of each rater the mean agreement with others, and of how many judgments; shape (raters,)."""
    n = len(study.raters)
    table = study.judgments(study.judged)
    share = agreement_with_others(table)
    known = ~np.isnan(share)
    n_rest = np.bincount(table.rater[known], minlength=n)
    total = np.bincount(table.rater[known], share[known], minlength=n)
    return total / np.maximum(n_rest, 1), n_rest.astype(np.int64)


def _gold(study: StudyColumns) -> Ints:
    """Rater, item that its class is of, and whether right, of the gold answers that count; shape (answers, 3)."""
    rows = study.tested
    first: dict[str, int] = {}
    of_class = [first.setdefault(item.gold, at) for at, item in enumerate(study.items)]
    if not classed(study.about.scheme):
        of_class = [-1] * len(of_class)
    columns = study.rater[rows], np.array(of_class, np.int64)[study.item[rows]], study.right
    table = np.stack(columns, axis=1)
    return np.asarray(table[study.right >= 0], np.int64)


def _class(study: StudyColumns, at: int) -> str:
    return TOGETHER if at < 0 else study.items[at].gold


def _repeats(study: StudyColumns) -> Ints:
    """Rater, and whether both answers were alike, of every repeated item; shape (repeats, 2)."""
    pairs = _pairs(study, study.rows("main", *JUDGED), study.rows("repeat", *JUDGED))
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def _pairs(study: StudyColumns, rows: Ints, again: Ints) -> Iterator[tuple[int, int]]:
    if not len(again):
        return
    n = len(study.raters)
    keys = study.item[rows] * n + study.rater[rows]
    order = np.argsort(keys)
    keys, rows = keys[order], rows[order]
    wanted = study.item[again] * n + study.rater[again]
    place = np.searchsorted(keys, wanted)
    for at, key, row in zip(place.tolist(), wanted.tolist(), again.tolist(), strict=True):
        if at < len(keys) and keys[at] == key:
            yield int(study.rater[row]), int(study.label[rows[at]] == study.label[row])


def _tops(study: StudyColumns, rows: Ints) -> Ints:
    """Whether the upper candidate was chosen, of the answers that chose a side."""
    first, second = (study.labels.index(side) for side in ("first", "second"))
    label = study.label[rows]
    sided = (label == first) | (label == second)
    return np.asarray((label[sided] == first) != study.reversed[rows[sided]], np.int64)
