"""One more judge, or more texts? The interval to expect of each: ``errorbar plan-judging``, ``plan_judging``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite
from typing import Unpack

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Undefined
from errorbar.metrics.base import Metric, lacking
from errorbar.metrics.judge_sets import JudgedValues, Judging, judging_of
from errorbar.metrics.judges import FEW_JUDGES, TWO, JudgePlan, note_parts
from errorbar.metrics.pilots import JudgeAim, Pilot, PilotScore, pilots
from errorbar.stats.resampling import Resampling
from errorbar.studies.door import public, sentence_metric
from errorbar.studies.inputs import Gold, Loaded, ReadingOptions, Systems, Taking, load, need_systems, usual_metric
from errorbar.studies.panels import Panels, asked_judges
from errorbar.studies.plan_judging_result import Design, JudgingPlan, Target
from errorbar.studies.signatures import made_by

DESIGN = re.compile(r"(\d+)x(\d+)")
HOURS = re.compile(r"(\d+(?:\.\d+)?)h")
MORE = 200
MOST_TRIED = 30
"""Judges of a text up to which the best split of a budget is sought."""


BySize = Mapping[int, Sequence[JudgedValues]]
"""Values of systems against sets of as many judges."""
MOST_SIZES = 10
"""Sets of up to so many judges are looked at, and of as many as a design has."""


class TakingWithJudges(Taking, Panels, total=False):
    """How a corpus and systems are read, and how judges are drawn anew."""


@public()
def plan_judging(
    gold: Gold,
    systems: Systems,
    metric: Metric | str | None = None,
    *,
    beta: float | None = None,
    have: str = "",
    more: int = MORE,
    designs: Sequence[str] = (),
    minutes: float | None = None,
    budget: str | None = None,
    difference: float | None = None,
    n_pilots: int = 100,
    confidence: float = 0.95,
    seed: int = 0,
    **shared: Unpack[TakingWithJudges],
) -> JudgingPlan:
    """Plan how many texts to judge by how many judges: the interval to expect of each score and difference.

    Args:
        gold: The reference, as for ``score``: one annotator where it is known how judges vary in the measure, else two.
        systems: Systems, as for ``score``.
        metric: What is computed; its main measure is planned for. None: M2, or ``tokens`` of token labels.
        beta: Weight of recall in F, short for the metric's parameter.
        have: What more is added to, ``"50x2"`` (documents by judges); empty: what the corpus has.
        more: Sentences more, of one of the designs.
        designs: Further designs, such as ``"100x5"``.
        minutes: Minutes that a judge needs for a sentence.
        budget: Judgments of a sentence by a judge for which the best split is sought, or hours, ``"40h"``.
        difference: Points by which two systems truly differ: how likely that is found with each design.
        n_pilots: Pilots of each size whose plans are shown; 0: none.
        confidence: Confidence level of intervals, a fraction.
        seed: Of sets of judges, where there are too many, and of pilots.
        shared: How files are read, and ``judges`` as for ``score``: scores are against all judges of a design, or with
            ``random(k=2)`` against two at a time.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there is one annotator, the metric knows none, or an argument will not do.
    """
    need_systems(systems)
    parsed = sentence_metric(usual_metric(gold, metric), beta, "plan-judging")
    if "annotators" in parsed.lacks:
        raise lacking(parsed, "annotators")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]))
    data.problems.raise_errors()
    for what, value, least in (("more", more, 1), ("n_pilots", n_pilots, 0)):
        if value < least:
            raise UsageError(Problem("bad-parameter", f"{what} must be a whole number from {least}, got {value}"))
    if minutes is not None and minutes <= 0:
        raise UsageError(Problem("bad-parameter", f"minutes must be above 0, got {minutes:g}"))
    apart = _difference(difference, data, parsed)
    aim = JudgeAim(parsed, _judge_plan(asked_judges(shared)))
    measured = [parsed.measure(data.corpus, system.lines) for system in data.systems]
    how = Resampling(confidence_level=confidence, seed=seed)  # says what will not do
    judging = _judging(data, aim, measured[0], how.seed)
    n, m, least = judging.n_texts, len(judging.judges), aim.judges.k or (1 if aim.variances(1) else TWO)
    per_text = len(data.corpus) / n
    first = _design(have, least) if have else (n, m)
    compared = _designs(first, more, per_text) + [_further(each, first, least, per_text) for each in designs]
    spent = None if budget is None else _budget(budget, minutes) / per_text
    sizes = {aim.judges.k} if aim.judges.k else {min(m, one.n_judges) for one in compared}
    every = sizes if aim.judges.k else sizes | {*range(least, min(m, MOST_SIZES) + 1)}
    sizes = sizes if spent is None else every
    values = {k: aim.values(measured, judging, k, how.seed) for k in sorted(sizes)}
    charted = values | {k: aim.values(measured[:1], judging, k, how.seed) for k in sorted(every - sizes)}
    targets = _targets(aim, data, judging, values, charted)
    if spent is not None:
        judges = range(least, MOST_TRIED + 1)
        targets = [replace(one, best=one.best_split(spent, judges, how.confidence_level)) for one in targets]
    tried = _pilots(aim, measured[0], judging, data, how.confidence_level, (n_pilots, how.seed))
    population = aim.judges.rule(parsed, min(m, FEW_JUDGES)).population
    against = "all" if aim.judges.k is None else aim.judges.k
    said = [*made_by(parsed, measured), f"plan:k:{against},{how.confidence_level},by:{data.documents.clustering}"]
    said += [] if population is None else [f"population:{population.convention}"]
    said += [f"groups:{judging.n_left_out}"] if judging.grouped else []
    said += [f"pilots:{n_pilots}"] if n_pilots else []
    drawn = n_pilots or not all(each.panel.exact for own in charted.values() for each in own)
    said += [f"seed:{how.seed}"] if drawn else []
    return JudgingPlan(
        *(parsed.measures[parsed.main], targets, compared, aim.judges.k, data.documents.unit, n, m, per_text, minutes),
        *(None if spent is None else spent * per_text, apart, tried, how.confidence_level),
        *(data.signature(str(parsed.spec), *said), tuple(data.problems.notes)),
    )


def _judge_plan(asked: JudgePlan) -> JudgePlan:
    """Judges drawn anew, by whichever population was asked for."""
    if asked.kind == "fixed":
        what = "a plan is about other judges: --judges=fixed leaves nothing to plan"
        raise UsageError(Problem("bad-judges", what, fix="leave it out"))
    return replace(asked, kind="random")


def _difference(points: float | None, data: Loaded, metric: Metric) -> float | None:
    """The true difference that should be found, in the measure's own unit."""
    if points is None:
        return None
    if not (isfinite(points) and points > 0):
        raise UsageError(Problem("bad-parameter", f"difference must be above 0, got {points:g}"))
    if len(data.systems) < TWO:
        what = "a difference is one of two systems, and there is one"
        raise UsageError(Problem("one-system", what, expected="at least two systems"))
    return points / 100 if metric.measures[metric.main].kind == "percent" else points


def _judging(data: Loaded, aim: JudgeAim, statistics: object, seed: int) -> Judging:
    """Who judged what; two texts are needed, and two judges where nobody knows how judges vary."""
    names, clusters = data.corpus.annotators, data.documents.clusters()
    least = 1 if aim.variances(1) and aim.judges.k in (None, 1) else TWO
    if len(names) < least or aim.metric.annotator is not None:
        what = "a plan needs at least two annotators: one does not show how they vary"
        raise UsageError(
            Problem("one-annotator", what, expected="several --gold files, or one with several annotators")
        )
    if len(set(clusters.tolist())) < TWO:
        what = "a single essay or sentence does not show how they vary"
        raise UsageError(Problem("one-unit", what, expected="at least two"))
    judging = judging_of(aim.metric, statistics, len(names), clusters, aim.judges.k, seed)
    unit = "group" if judging.grouped else data.documents.unit
    if (n_judges := len(judging.judges)) < FEW_JUDGES:
        code = {1: "one-judge", TWO: "two-judges"}.get(n_judges, "few-judges")
        who = "one judge does not show" if n_judges == 1 else f"{n_judges} judges hardly show"
        what = f"{who} how judges vary: the plan is rough"
        data.problems.note(code, what, Place(), fix="plan again as soon as more of them have judged")
    note_parts(judging.looked, [names[i] for i in judging.judges], judging.n_left_out, unit, data.problems)
    return judging


def _targets(aim: JudgeAim, data: Loaded, judging: Judging, values: BySize, of_first: BySize) -> list[Target]:
    """Every system, and every difference of two; the first, which is drawn, against sets of more sizes."""
    names = [system.name for system in data.systems]
    targets = []
    for group in [*((a,) for a in range(len(names))), *combinations(range(len(names)), 2)]:
        known = of_first if group == (0,) else values
        scores = {k: PilotScore.of(aim, [each[a] for a in group], judging) for k, each in known.items()}
        usable = {k: score for k, score in scores.items() if isinstance(score, PilotScore)}
        why = next((score for score in scores.values() if isinstance(score, Undefined)), None)
        targets.append(Target(" − ".join(names[a] for a in group), aim, usable, why))
    return targets


def _pilots(
    aim: JudgeAim, statistics: object, judging: Judging, data: Loaded, level: float, draws: tuple[int, int]
) -> list[Pilot]:
    n, m = judging.n_texts, len(judging.judges)
    sizes = [(n, 2), (n // 2, 3), (n, 5)]
    some = [(a, b) for a, b in sizes if draws[0] and (aim.judges.k or TWO) <= b < m and a >= TWO]
    return pilots(aim, statistics, judging, data.documents.clusters(), some, level, draws)


def _designs(first: tuple[int, int], more: int, per_text: float) -> list[Design]:
    """What there is; more sentences; one more judge; as many judgments in sentences, where they make one."""
    n, m = first
    judge = round(n * per_text)
    sentences = judge / m
    designs = [
        Design(f"{n}×{m}", n, m, 0),
        Design(f"+{more:,} sentences", n + more / per_text, m, more * m),
        Design("+1 judge", n, m + 1, judge),
    ]
    if not round(sentences):
        return designs
    return [*designs, Design(f"+{round(sentences):,} sentences", n + sentences / per_text, m, judge)]


def _further(text: str, first: tuple[int, int], least: int, per_text: float) -> Design:
    n, m = _design(text, least)
    return Design(f"{n}×{m}", n, m, max(0, round((n * m - first[0] * first[1]) * per_text)))


def _design(text: str, least: int) -> tuple[int, int]:
    match = DESIGN.fullmatch(text.replace("×", "x"))
    if match is None or int(match[1]) < TWO or int(match[2]) < least:
        judges = f"{least} judge{'s' * (least > 1)}"
        must = f"must be texts by judges, such as 50x{max(least, TWO)}, with at least 2 texts and {judges}"
        raise UsageError(Problem("bad-design", f"a design {must}, got '{text}'"))
    return int(match[1]), int(match[2])


def _budget(text: str, minutes: float | None) -> float:
    """Judgments of a sentence by a judge."""
    hours = HOURS.fullmatch(text)
    if hours and minutes is None:
        what = "a budget in hours needs the minutes that a judge takes for a sentence"
        raise UsageError(Problem("bad-budget", what, fix="add --minutes=C"))
    if hours and minutes is not None and float(hours[1]) > 0:
        return float(hours[1]) * 60 / minutes
    if not text.isdecimal() or int(text) < 1:
        what = f"the budget must be a number of judgments of a sentence, or hours such as 40h, got '{text}'"
        raise UsageError(Problem("bad-budget", what))
    return float(text)
