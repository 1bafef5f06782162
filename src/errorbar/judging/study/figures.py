"""The figures of a study: when it will be complete, its raters, its items, and how far raters agree.

When a study will be complete.

Formula
    Forecast, if raters go on as lately: a window of the last w hours is cut into 12 slices, where w is the third part
    of the time since the first judgment, at least 10 minutes and at most 6 hours, so that how a study began says
    nothing of how it goes on; c judgments came in it, of which s slices have counts with variance v. The rate is c / w,
    its standard error sqrt(max(c, 12 v)) / w: that of independent judgments, or of slices where they come in bursts.
    With n judgments to go the study ends in n / rate hours; its range is that of rate ± t · error, t the 97.5 %
    quantile of Student's t with 11 degrees of freedom.
Conventions
    No end is expected where nobody judged in the last 15 minutes, or where the raters who take part and those who may
    still come by open links can give fewer judgments than are wanted (``coming_judgments``).
    Too early: fewer than 20 judgments in the window, or a window of less than 10 minutes. Where the lower end of the
    rate is not above 0, no latest end is known. Raters who stop or join change the rate, which the range does not know.
Source
    Our own: a rate of counts over slices of time, whose variance is estimated from the slices themselves.

How far the raters agree with each other and with its gold, and how systems do against them.

Formula
    Those of ``errorbar.agreement`` and ``errorbar.metrics.crowd_weighted``.
Conventions
    Agreement is of judgments that count, of items for work; Unknown is a judgment not given. Intervals resample items
    with all their judgments, but for Cohen's kappa, which has its closed form. Kappa between raters is Cohen's of two
    raters, Fleiss' of more. Against gold every answer to a hidden gold item is one: what the rater said, and the class
    of the item; a right answer is one of the class. Its interval resamples raters with all their gold answers. A
    system's flags are a hidden column of the items that is called ``flag``, ``flagged`` or ``flag:NAME`` (or with
    another sign than the colon) and says yes or no of every item for work; or they are passed. Labels that mean an
    error are called Error, Extraneous or Incorrect.
Source
    The papers that ``errorbar.agreement`` and ``errorbar.metrics.crowd_weighted`` name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import MAX_LABELS, estimates, item_counts, kernel_of, pair_table
from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.krippendorff import alpha_kernel
from errorbar.api.crowd import Against, Systems, read_systems
from errorbar.api.judgment_input import JudgmentOptions, ReadJudgments
from errorbar.core.arrays import Floats, Ints
from errorbar.core.corpus import ContentHash
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.labels import natural_order, usual_order
from errorbar.core.problems import Place, Problems
from errorbar.crowdsourcing.rater_table import agreement_with_others
from errorbar.formats.judgments import NO, SET, YES
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.quality import TOGETHER, flag_hasty_answers, has_answer_classes, pauses, trust
from errorbar.judging.scheme import JUDGED
from errorbar.judging.study.columns import ROUNDS, STATES, StudyColumns
from errorbar.judging.study.rules import StudyRules
from errorbar.metrics.crowd_weighted import Crowd, CrowdScore, score_kinds
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling

WINDOW_HOURS, PARTS, SLICES = 6.0, 3, 12
FEWEST, SHORTEST_HOURS = 20, 1 / 6
IDLE_SECONDS = 900.0
"""Without a judgment for so long, nobody is at work."""
STUDENT = 2.200985
"""97.5 % quantile of t with SLICES - 1 degrees of freedom."""
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a study will be complete; moments in seconds since 1970.

    Attributes:
        to_go: Judgments that are still wanted.
        per_hour: The rate in the window; None: nothing to compute one from.
        window_hours: How long the window is.
        finish: When it will be complete; None: not known.
        earliest: Low end of the range; None where there is no finish.
        latest: High end; None: not known.
        why: Why there is no finish: ``complete``, ``nobody judged yet``, ``too few raters``, ``too early``, ``nobody is
            at work`` or ``paused``.
        last: When the last judgment was given; None: none was.
        coming: Judgments that can come at most, by raters who take part and by open links.
    """

    to_go: int
    per_hour: float | None = None
    window_hours: float = 0.0
    finish: float | None = None
    earliest: float | None = None
    latest: float | None = None
    why: str = ""
    last: float | None = None
    coming: int = 0


def forecast(at: NDArray[np.float64], to_go: int, now: float, coming: int | None = None) -> Forecast:
    """Tell when a study will be complete.

    Args:
        at: When the judgments that count were given.
        to_go: How many more are wanted.
        now: The moment.
        coming: How many can come at most; None: as many as are wanted.
    """
    now = float(now)
    if to_go <= 0:
        return Forecast(0, why="complete")
    known, coming = at[~np.isnan(at)], to_go if coming is None else coming
    if not len(known):
        return Forecast(to_go, coming=coming, why="nobody judged yet")
    first, last = float(known.min()), float(known.max())
    start = max(first, now - min(max((now - first) / PARTS, SHORTEST_HOURS * HOUR), WINDOW_HOURS * HOUR))
    recent, window = known[known >= start], (now - start) / HOUR
    rate = len(recent) / window if window > 0 else None
    known_so_far = Forecast(to_go, rate, window, last=last, coming=coming)
    if coming < to_go:
        return replace(known_so_far, why="too few raters")
    if now - last > IDLE_SECONDS:
        return replace(known_so_far, why="nobody is at work")
    if rate is None or window < SHORTEST_HOURS or len(recent) < FEWEST:
        return replace(known_so_far, why="too early")
    spread = float(np.histogram(recent, SLICES, (start, now))[0].var(ddof=1))
    error = max(len(recent), SLICES * spread) ** 0.5 / window
    low, high = rate - STUDENT * error, rate + STUDENT * error
    latest = now + HOUR * to_go / low if low > 0 else None
    finish, earliest = now + HOUR * to_go / rate, now + HOUR * to_go / high
    return replace(known_so_far, finish=finish, earliest=earliest, latest=latest)


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
    counted = np.bincount(study.rater[study.judged], minlength=n)
    rest_agreement, n_rest = _rest(study)
    gold, alike = _collect_gold_answers(study), _repeats(study)
    reversible = study.about.scheme.reversible

    def share(rows: Ints) -> Estimate:
        return proportion_estimate(int(rows.sum()), len(rows), confidence_level=confidence)

    all_figures = []
    for code, (rater, (rows, flags)) in enumerate(zip(study.raters, _flagged_answers(study), strict=True)):
        took = study.milliseconds[rows]
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


def _flagged_answers(study: StudyColumns) -> Iterator[tuple[Ints, NDArray[np.bool_]]]:
    """Of each rater the answers of the main round in their order, and which of them came too fast."""
    answered = study.rows("main", *JUDGED)
    answered = answered[np.lexsort((study.at[answered], study.rater[answered]))]
    words = np.array([item.n_words for item in study.items], np.int64)
    texts = np.array([item.text_number for item in study.items], np.int64)
    runs = np.split(answered, np.searchsorted(study.rater[answered], np.arange(1, len(study.raters))))
    for rows in runs[: len(study.raters)]:  # of nobody there is one empty run
        asked = study.item[rows]
        yield rows, flag_hasty_answers(study.milliseconds[rows], words[asked], texts[asked])


def haste_of_raters(study: StudyColumns) -> dict[str, tuple[Floats, NDArray[np.bool_]]]:
    """By the name of a rater when each answer came, in their order, and whether it came too fast."""
    flagged = zip(study.raters, _flagged_answers(study), strict=True)
    return {rater.name: (study.at[rows], flags) for rater, (rows, flags) in flagged}


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
        n_stopped: Of which no more judgments are wanted, although they have fewer; those of a paused study are not.
        n_gold: Gold items.
        wanted: Judgments that all items together need; of stopped ones those that they have.
        of_one_more: How many of the others one more rater could give at most.
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
    of_one_more: int
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
    k, counts, stopped = study.about.rules.raters_per_item, _counts(study), _stopped(study)
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
        of_one_more=_most_of_a_rater(study.about.rules, _most_items(study, ~full & ~stopped), int(study.is_gold.sum())),
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


def _stopped(study: StudyColumns) -> NDArray[np.bool_]:
    """Which items for work are stopped for good, which a pause of the study is not; shape (items for work,)."""
    reasons = [study.stopped[at] for at in study.work.tolist()]
    return np.array([bool(why) and (study.decided or not why.startswith(HALTED)) for why in reasons], np.bool_)


def _most_items(study: StudyColumns, wanted: NDArray[np.bool_]) -> int:
    """How many of the wanted items for work a rater can get: one output of a sentence, whose outputs stand together."""
    n_systems = len(study.about.rules.systems)
    return len(np.unique(study.place[study.work[wanted]] // n_systems)) if n_systems else int(wanted.sum())


def _most_of_a_rater(rules: StudyRules, n_lacking: int, n_gold: int) -> int:
    """The most judgments that a rater who comes now can give of so many items that lack some."""
    n_claims = rules.items_per_rater
    if not n_claims:
        return n_lacking
    return min(n_lacking, n_claims - min(n_gold, n_claims // rules.page * rules.gold_per_page))


def coming_judgments(study: StudyColumns, now: float) -> int:
    """The most judgments of those still wanted that can come: of raters who take part, and by links that are open.

    No rater judges an item twice, or two outputs of a sentence, or more items than the study wants of one; every full
    page of theirs has its gold items. What nobody can give is certain; who can give a judgment may yet stay away.

    Args:
        study: The study.
        now: The moment.
    """
    rules, n = study.about.rules, len(study.raters)
    lack = np.where(_stopped(study), 0, np.maximum(rules.raters_per_item - _counts(study), 0))
    free = study.free_entrances(now)
    if free is None:
        return int(lack.sum())
    takes_part = np.array([rater.status == "active" and not rater.failed for rater in study.raters], np.bool_)
    place, of_gold = np.cumsum(~study.is_gold) - 1, study.is_gold[study.item]
    answered = np.isin(study.state, [STATES.index(state) for state in JUDGED])
    had = (study.round == ROUNDS.index("main")) & (answered | (study.state == STATES.index("skipped"))) & ~of_gold
    lacking = had & (lack[place[study.item]] > 0)
    n_had = np.bincount(place[study.item[had & takes_part[study.rater]]], minlength=len(lack))
    left = (lack > 0).sum() - np.bincount(study.rater[lacking], minlength=n)
    if rules.systems:
        left = np.minimum(left, _most_items(study, lack >= 0) - np.bincount(study.rater[had], minlength=n))
    if rules.items_per_rater:
        judged = np.bincount(study.rater[answered & (study.round != ROUNDS.index("quiz"))], minlength=n)
        unseen = study.is_gold.sum() - np.bincount(study.rater[of_gold], minlength=n)
        pages = np.maximum(rules.items_per_rater // rules.page - -(-judged // rules.page), 0)
        golds = 0 if rules.systems else np.minimum(pages * rules.gold_per_page, unseen)
        left = np.minimum(left, np.maximum(rules.items_per_rater - judged - golds, 0))
    by_raters = int(left[takes_part].sum()) + free * _most_of_a_rater(rules, _most_items(study, lack > 0), 0)
    by_items = int(np.minimum(lack, takes_part.sum() + free - n_had).sum())
    return min(by_raters, by_items)


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


_FLAGS = re.compile(r"(?i)flag(s|ged)?|flag[\W_]+(?P<name>.+)")
ERRORS = ("error", "extraneous", "incorrect")
"""The labels that mean an error."""
DRAWN = ("stratum", "weight", "probability")
"""Hidden columns that tell that items were drawn from strata; ``set`` does too, where ``sample draw`` named it."""


@dataclass(frozen=True, slots=True)
class StudyAgreement:
    """How far raters agree.

    Attributes:
        observed: The share of pairs of judgments of an item that agree.
        alpha: Krippendorff's alpha, nominal.
        kappa: Cohen's kappa of two raters, Fleiss' of more.
        gold: Cohen's kappa of the raters with the gold.
        n_items: Items with a judgment.
        n_paired: Items with two or more.
        n_raters: Raters with a judgment.
        n_judgments: Judgments.
    """

    observed: Estimate
    alpha: Estimate
    kappa: Estimate
    gold: Estimate
    n_items: int
    n_paired: int
    n_raters: int
    n_judgments: int


def study_agreement(study: StudyColumns, intervals: Resampling | None) -> StudyAgreement:
    """Agreement as it stands."""
    return agreement_of(study.judgments(study.judged), gold_kappa(study, intervals), intervals)


def agreement_of(judgments: Judgments, gold: Estimate, intervals: Resampling | None) -> StudyAgreement:
    """Agreement of some judgments; ``gold`` is their kappa with the gold.

    Its intervals are those of ``errorbar agree``, whatever the method of ``intervals``.
    """
    intervals = None if intervals is None else replace(intervals, method="bca")
    if not len(judgments):
        none = Estimate(None, 0, undefined=Undefined.NO_UNITS)
        return StudyAgreement(none, none, none, gold, 0, 0, 0, 0)
    used = [judgments.labels[code] for code in np.unique(judgments.label)]
    # As ``agree`` reads an export: the order of a scheme's labels, or of who came, changes no digit.
    judgments, _ = judgments.arranged(natural_order(judgments.raters), usual_order(used))
    raters = np.unique(judgments.rater)
    table, two = item_counts(judgments), len(raters) == 2 and len(judgments.labels) <= MAX_LABELS
    kernels = {"observed": kernel_of("observed", table), "alpha": alpha_kernel(table, "nominal")}
    kernels["kappa"] = kernel_of("fleiss", table)
    results = estimates(table.units, kernels, table.n_paired, table.reason, intervals, len(table.labels))
    kappa = results["kappa"][0]
    if two:
        first, second = (judgments.raters[code] for code in raters)
        closed = None if intervals is None else Resampling("closed", confidence_level=intervals.confidence_level)
        kappa = cohen_kappa(pair_table(judgments, first, second), resampling=closed).estimate
    n_items = int(table.units.frequency.sum())
    sizes = n_items, table.n_paired, len(raters), len(judgments)
    return StudyAgreement(results["observed"][0], results["alpha"][0], kappa, gold, *sizes)


def gold_kappa(study: StudyColumns, intervals: Resampling | None) -> Estimate:
    """Kappa with the gold of the raters who are not excluded."""
    takes_part = np.array([rater.status != "excluded" for rater in study.raters], np.bool_)
    counts = (study.right >= 0) & takes_part[study.rater[study.tested]]
    rows, right = study.tested[counts], study.right[counts]
    truth = [study.items[item].gold for item in study.item[rows].tolist()]
    labels = [study.labels[label] for label in study.label[rows].tolist()]
    answers = [true if ok else label for true, ok, label in zip(truth, right.tolist(), labels, strict=True)]
    numbers = list(range(len(rows)))
    known = tuple(name for name in study.labels if name not in study.about.scheme.abstaining())
    table = Judgments.from_columns(
        [*numbers, *numbers], ["raters"] * len(rows) + ["gold"] * len(rows), [*answers, *truth], labels=known
    )
    if len(table.labels) > MAX_LABELS or not len(rows):
        why = Undefined.NO_UNITS if len(rows) else Undefined.NO_GOLD
        return Estimate(None, len(rows), undefined=why)
    return cohen_kappa(pair_table(table, "raters", "gold", study.rater[rows]), resampling=intervals).estimate


def error_labels(study: StudyColumns) -> list[int]:
    """Codes of the labels that mean an error; none in a scheme that has no such labels."""
    kept = [label for label in study.labels if label not in study.about.scheme.abstaining()]
    return [code for code, label in enumerate(kept) if label.casefold() in ERRORS]


def hidden_flags(study: StudyColumns, problems: Problems) -> dict[str, NDArray[np.bool_]]:
    """The flags of systems among the hidden columns, for the items for work; a note says which will not do."""
    hidden, flags = _hidden(study), {}
    for name in dict.fromkeys(name for row in hidden for name in row):
        called = _FLAGS.fullmatch(name)
        if called is None:
            continue
        lacking = [at for at, row in enumerate(hidden) if row.get(name, "?").strip().casefold() not in YES | NO]
        if lacking:
            first = study.items[study.work[lacking[0]]].name
            message = f"the column '{name}' says neither yes nor no of {len(lacking):,} of {len(hidden):,} items"
            problems.note("judge-flags", f"{message}, first '{first}'; its system has no score", Place(), "--system")
            continue
        flags[called["name"] or name] = np.array([row[name].strip().casefold() in YES for row in hidden], np.bool_)
    return flags


def _hidden(study: StudyColumns) -> list[Mapping[str, str]]:
    """The hidden columns of the items for work."""
    return [study.items[at].hidden for at in study.work.tolist()]


def system_scores(
    study: StudyColumns,
    systems: Systems | None,
    intervals: Resampling | None,
    problems: Problems,
    *,
    complete: bool = False,
    content: ContentHash | None = None,
) -> list[tuple[str, CrowdScore]]:
    """Every system against the raters by both estimands; none where labels are of another kind, or nothing is judged.

    Args:
        study: The study.
        systems: Their flags; None: those of the hidden columns.
        intervals: How intervals are made.
        problems: Where notes go.
        complete: Few errors are worth a warning: no more judgments are to come.
        content: Takes the flags, for a signature.
    """
    codes = error_labels(study)
    flags = hidden_flags(study, problems) if systems is None else systems
    judgments = study.judgments(study.judged)
    if not codes or not flags or not len(judgments):
        return []
    judged = ReadJudgments(judgments, options=JudgmentOptions())
    names = [judged.judgments.labels[code] for code in codes]
    against = Against.of(judged, Crowd(), names, 0)
    if any({*DRAWN} & row.keys() or SET.fullmatch(row.get("set", "")) for row in _hidden(study)):
        message = "the items were drawn from strata, in which flagged items have another share than in the corpus"
        problems.note("crowd-drawn", message, Place(), fix="scores of the corpus: errorbar sample estimate")
    closed = None if intervals is None else replace(intervals, method="closed")
    if closed is not None and complete:
        against.note_few(problems)
    flags_of = read_systems(flags, judged, problems)
    if content is not None:
        content.add(json.dumps([name, of_items.tolist()]) for name, of_items in flags_of.items())
    return [
        (name, score_kinds(metric, table, resampling=closed))
        for name, of_items in flags_of.items()
        for metric, table in against.counted(of_items).items()
    ]
