"""The figures of a study as it stands: when it will be complete, its raters, and its items.

Formula
    Forecast, if raters go on as in the last hours: a window of the last w hours (6, or since the first judgment) is cut
    into 12 slices; c judgments came in it, of which s slices have counts with variance v. The rate is c / w, its
    standard error sqrt(max(c, 12 v)) / w: that of independent judgments, or of slices where they come in bursts. With n
    judgments to go the study ends in n / rate hours; its range is that of rate ± t · error, t the 97.5 % quantile of
    Student's t with 11 degrees of freedom.
Conventions
    Too early: fewer than 20 judgments in the window, or a window of less than 10 minutes. Where the lower end of the
    rate is not above 0, no latest end is known. Raters who stop or join change the rate, which the range does not know.
Source
    Our own: a rate of counts over slices of time, whose variance is estimated from the slices themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Estimate, Undefined
from errorbar.crowdsourcing.rater_table import agreement_with_others
from errorbar.judging.items.item import JUDGED
from errorbar.judging.quality import TOGETHER, flag_hasty_answers, has_answer_classes, pauses, trust
from errorbar.judging.study.columns import STATES, StudyColumns
from errorbar.stats.proportion import proportion_estimate

WINDOW_HOURS, SLICES = 6.0, 12
FEWEST, SHORTEST_HOURS = 20, 1 / 6
STUDENT = 2.200985
"""97.5 % quantile of t with SLICES - 1 degrees of freedom."""
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a study will be complete; moments in seconds since 1970.

    Attributes:
        to_go: Judgments that are still wanted.
        per_hour: The rate of the last hours; None: nothing to compute one from.
        window_hours: Which hours those are.
        finish: When it will be complete; None: not known.
        earliest: Low end of the range; None where there is no finish.
        latest: High end; None: not known.
        why: Why there is no finish: ``complete``, ``nobody judged yet``, ``too early`` or ``nobody is at work``.
    """

    to_go: int
    per_hour: float | None = None
    window_hours: float = 0.0
    finish: float | None = None
    earliest: float | None = None
    latest: float | None = None
    why: str = ""


def forecast(at: NDArray[np.float64], to_go: int, now: float) -> Forecast:
    """Tell when a study will be complete.

    Args:
        at: When the judgments that count were given.
        to_go: How many more are wanted.
        now: The moment.
    """
    now = float(now)
    if to_go <= 0:
        return Forecast(0, why="complete")
    known = at[~np.isnan(at)]
    if not len(known):
        return Forecast(to_go, why="nobody judged yet")
    start = max(now - WINDOW_HOURS * HOUR, float(known.min()))
    recent, window = known[known >= start], (now - start) / HOUR
    if not len(recent):
        return Forecast(to_go, 0.0, WINDOW_HOURS, why="nobody is at work")
    rate = len(recent) / window if window > 0 else None
    if rate is None or window < SHORTEST_HOURS or len(recent) < FEWEST:
        return Forecast(to_go, rate, window, why="too early")
    spread = float(np.histogram(recent, SLICES, (start, now))[0].var(ddof=1))
    error = max(len(recent), SLICES * spread) ** 0.5 / window
    low, high = rate - STUDENT * error, rate + STUDENT * error
    latest = now + HOUR * to_go / low if low > 0 else None
    return Forecast(to_go, rate, window, now + HOUR * to_go / rate, now + HOUR * to_go / high, latest)


MOST_MOMENTS = 120
HistoryPoint = tuple[float, int]
"""A moment in seconds since 1970, and the judgments that count by then."""


def history(at: NDArray[np.float64]) -> list[HistoryPoint]:
    """Count judgments at moments that are equally far apart, from the first one to the last."""
    known = np.sort(at[~np.isnan(at)])
    if not len(known):
        return []
    moments = np.linspace(known[0], known[-1], min(MOST_MOMENTS, len(known)))
    moments[-1] = known[-1]
    counts = np.searchsorted(known, moments, side="right")
    return list(zip(moments.tolist(), counts.tolist(), strict=True))


# Every rater of a study: how much, how well, how fast; formulas are those of ``quality``.
#
# Formula
#     Agreement with the rest is that of ``errorbar.crowdsourcing.rater_table``. Judgments an hour: one less than the
#     answers, by the time between the first and the last one; pauses of more than 10 minutes are taken out.
# Conventions
#     Haste and time are of all answers to items of the main round, hidden gold and those that do not count included;
#     agreement with the rest of judgments that count alone.
# Source
#     The figures that crowd studies report; Madnani et al. 2011, section 2, for hidden gold.


PAUSE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """A rater's row: judgments, agreement, gold items and time.

    Attributes:
        rater: The name.
        status: ``active``, ``excluded`` or ``withdrawn``.
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
    rest_agreement, n_rest = _rest(study)
    gold, alike = _collect_gold_answers(study), _repeats(study)
    reversible = study.about.scheme.reversible

    def share(rows: Ints) -> Estimate:
        return proportion_estimate(int(rows.sum()), len(rows), confidence_level=confidence)

    all_figures = []
    for code, (rater, rows) in enumerate(zip(study.raters, runs, strict=False)):  # of nobody there is one empty run
        took, asked = study.milliseconds[rows], study.item[rows]
        flags = flag_hasty_answers(took, words[asked], texts[asked])
        known = took[took > 0]
        tested = gold[gold[:, 0] == code]
        every = tested[:, 2]
        classes = {_class(study, item): tested[tested[:, 1] == item, 2] for item in np.unique(tested[:, 1]).tolist()}
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
            rest=float(rest_agreement[code]) if n_rest[code] else None,
            n_rest=int(n_rest[code]),
            median_seconds=float(np.median(known)) / 1000 if len(known) else None,
            per_hour=_per_hour(study.at[rows]),
            n_hasty=int(flags.sum()),
            n_pauses=pauses(flags),
            repeats=share(alike[alike[:, 0] == code, 1]),
            top=share(_tops(study, rows)) if reversible else None,
            last=float(study.at[rows[-1]]) if len(rows) else None,
        )
        all_figures.append(figures)
    return all_figures


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


def _collect_gold_answers(study: StudyColumns) -> Ints:
    """Rater, item that its class is of, and whether right, of the gold answers that count; shape (answers, 3)."""
    rows = study.tested
    first: dict[str, int] = {}
    of_class = [first.setdefault(item.gold, at) for at, item in enumerate(study.items)]
    if not has_answer_classes(study.about.scheme):
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


# How far a study is, and each of its items.


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
        withdrawn: Raters who withdrew.
        forgotten: Raters who were forgotten (``judge_forget``).
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
    withdrawn: int
    forgotten: int
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
    answered = np.flatnonzero((study.answer_number >= 0) & (study.round == 0))
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
        skipped=at["skipped"] - _count_removed(study, of_work),
        raters=len(np.unique(study.rater[answered])),
        excluded=sum(rater.status == "excluded" for rater in study.raters),
        withdrawn=sum(rater.status == "withdrawn" for rater in study.raters),
        forgotten=sum(rater.forgotten for rater in study.raters),
        median_seconds=float(np.median(known)) / 1000 if len(known) else None,
    )


def _count_removed(study: StudyColumns, of_work: NDArray[np.bool_]) -> int:
    """Answers of items for work that were removed as their raters withdrew: they are stored as skipped."""
    if study.about.rules.withdrawal != "remove":
        return 0
    withdrew = np.array([rater.status == "withdrawn" for rater in study.raters], np.bool_)
    skipped = of_work & (study.state == STATES.index("skipped"))
    return int(withdrew[study.rater[skipped]].sum())


def item_figures(
    study: StudyColumns, first: int = 0, most: int | None = None, confidence: float = 0.95
) -> list[ItemFigures]:
    """Items for work in the order of the store, from one on, so many at most."""
    k, counts = study.about.rules.raters_per_item, _counts(study)
    labels: list[dict[str, int]] = [{} for _ in counts]
    place = np.cumsum(~study.is_gold) - 1
    codes = place[study.item[study.judged]] * len(study.labels) + study.label[study.judged]
    for code, times in zip(*(column.tolist() for column in np.unique(codes, return_counts=True)), strict=True):
        labels[code // len(study.labels)][study.labels[code % len(study.labels)]] = times
    figures = []
    last = len(counts) if most is None else first + most
    for at in range(first, min(last, len(counts))):
        number, votes = int(study.work[at]), labels[at]
        n, best = sum(votes.values()), max(votes, key=lambda label: votes[label], default="")
        why = study.stopped[number]
        state = "done" if counts[at] >= k else "stopped" if why else "open" if counts[at] else "untouched"
        share = proportion_estimate(votes.get(best, 0), n, confidence_level=confidence)
        figures.append(ItemFigures(study.items[number].name, state, why, int(counts[at]), best, share, votes))
    return figures


def _counts(study: StudyColumns) -> Ints:
    """Done judgments of each item for work."""
    rows = study.rows()
    counts = np.bincount(study.item[rows], minlength=len(study.items))
    return np.asarray(counts[study.work], np.int64)
