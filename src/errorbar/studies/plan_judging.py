"""One more judge, or more texts? What each would bring: ``errorbar plan-judging`` and ``errorbar.plan_judging``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Unpack

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Undefined
from errorbar.metrics.base import Metric, lacking
from errorbar.metrics.judge_sets import JudgedValues, Judging, judging_of
from errorbar.metrics.judges import FEW_JUDGES, TWO, note_parts
from errorbar.metrics.pairs_over_judges import only
from errorbar.metrics.pilots import Pilot, pilots
from errorbar.stats.decision import Components
from errorbar.stats.resampling import Resampling
from errorbar.studies.door import public, sentence_metric
from errorbar.studies.inputs import Gold, Loaded, ReadingOptions, Systems, Taking, load, need_systems, usual_metric
from errorbar.studies.plan_judging_result import Design, JudgingPlan, Target
from errorbar.studies.signatures import made_by

DESIGN = re.compile(r"(\d+)x(\d+)")
HOURS = re.compile(r"(\d+(?:\.\d+)?)h")
MORE = 200


@public()
def plan_judging(
    gold: Gold,
    systems: Systems,
    metric: Metric | str | None = None,
    *,
    beta: float | None = None,
    k: int | None = None,
    have: str = "",
    more: int = MORE,
    designs: Sequence[str] = (),
    minutes: float | None = None,
    budget: str | None = None,
    n_pilots: int = 100,
    confidence: float = 0.95,
    seed: int = 0,
    **shared: Unpack[Taking],
) -> JudgingPlan:
    """Tell what one more judge would bring, or more sentences, for scores and differences of one's own systems.

    Args:
        gold: The reference with at least two annotators, as for ``score``.
        systems: Systems, as for ``score``.
        metric: What is computed; its main measure is planned for. None: M2, or ``tokens`` of token labels.
        beta: Weight of recall in F, short for the metric's parameter.
        k: Judges that are scored against at a time; None: two.
        have: What more is added to, ``"50x2"`` (documents by judges); empty: what the corpus has.
        more: Sentences more, of one of the designs.
        designs: Further designs, such as ``"100x5"``.
        minutes: Minutes that a judge needs for a sentence.
        budget: Judgments of a sentence by a judge for which the best split is sought, or hours, ``"40h"``.
        n_pilots: Pilots of each size of which predictions are shown; 0: none.
        confidence: Confidence level of half-widths, a fraction.
        seed: Of sets of judges, where there are too many, and of pilots.
        shared: How files are read.

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
    measured = [parsed.measure(data.corpus, system.lines) for system in data.systems]
    how = Resampling(confidence_level=confidence, seed=seed)  # says what will not do
    judging = _judging(data, parsed, measured[0], k, how.seed)
    n, m, own = judging.n_texts, len(judging.judges), judging.panel.k
    per_text = len(data.corpus) / n
    first = _design(have, own) if have else (n, m)
    compared = _designs(first, more, per_text) + [_further(each, first, own, per_text) for each in designs]
    spent = None if budget is None else _budget(budget, minutes)
    values = [only(judging.values(parsed, each), parsed.main) for each in measured]
    names = [system.name for system in data.systems]
    whole = [*zip(names, values, strict=True)]
    whole += [(f"{names[a]} − {names[b]}", values[a] - values[b]) for a, b in combinations(range(len(names)), 2)]
    targets = [_target(name, each, judging, None if spent is None else spent / per_text) for name, each in whole]
    tried = _pilots(parsed, measured[0], judging, data, (n_pilots, how.seed))
    said = [*made_by(parsed, measured), f"plan:k:{own},{how.confidence_level},by:{data.documents.clustering}"]
    said += [f"groups:{judging.n_left_out}"] if judging.grouped else []
    said += [f"seed:{how.seed}"] if n_pilots or not judging.panel.exact else []
    return JudgingPlan(
        *(parsed.measures[parsed.main], targets, compared, own, data.documents.unit, n, m, per_text, minutes, spent),
        *(tried, how.confidence_level, data.signature(str(parsed.spec), *said), tuple(data.problems.notes)),
    )


def _judging(data: Loaded, metric: Metric, statistics: object, k: int | None, seed: int) -> Judging:
    """Who judged what; at least two judges, and two texts, are needed."""
    names, clusters = data.corpus.annotators, data.documents.clusters()
    if len(names) < TWO or metric.annotator is not None:
        what = "a plan needs at least two annotators: one does not show how they vary"
        raise UsageError(
            Problem("one-annotator", what, expected="several --gold files, or one with several annotators")
        )
    if len(set(clusters.tolist())) < TWO:
        what = "a single essay or sentence does not show how they vary"
        raise UsageError(Problem("one-unit", what, expected="at least two"))
    judging = judging_of(metric, statistics, len(names), clusters, min(TWO, len(names)) if k is None else k, seed)
    unit = "group" if judging.grouped else data.documents.unit
    if (n_judges := len(judging.judges)) < FEW_JUDGES:
        code = "two-judges" if n_judges == TWO else "few-judges"
        what = f"{n_judges} judges tell little of how judges vary: the plan is a rough guess"
        data.problems.note(code, what, Place(), fix="plan again as soon as more of them have judged")
    note_parts(judging.looked, [names[i] for i in judging.judges], judging.n_left_out, unit, data.problems)
    return judging


def _target(name: str, values: JudgedValues, judging: Judging, judgments: float | None) -> Target:
    parts = values.components(0)
    if isinstance(parts, Undefined):
        return Target(name, None, None, parts, None, None)
    known = Components.of(parts, judging.n_texts)
    zeta = values.zeta(0) if values.panel.k == TWO else None
    best = None if judgments is None else known.best_split(judgments, values.panel.k)
    return Target(name, parts, known, None, None if zeta is None else float(zeta[-1]), best)


def _pilots(metric: Metric, statistics: object, judging: Judging, data: Loaded, draws: tuple[int, int]) -> list[Pilot]:
    n, m, k = judging.n_texts, len(judging.judges), judging.panel.k
    sizes = [(n, 2), (n // 2, 3), (n, 5)]
    some = [(a, b) for a, b in sizes if draws[0] and max(TWO, k) <= b < m and a >= TWO]
    return pilots(metric, statistics, judging, data.documents.clusters(), some, draws)


def _designs(first: tuple[int, int], more: int, per_text: float) -> list[Design]:
    """What there is; more sentences; one more judge; as many judgments in sentences."""
    n, m = first
    judge = round(n * per_text)
    sentences = judge / m
    return [
        Design(f"{n}×{m}", n, m, 0),
        Design(f"+{more:,} sentences", n + more / per_text, m, more * m),
        Design("+1 judge", n, m + 1, judge),
        Design(f"+{round(sentences):,} sentences", n + sentences / per_text, m, judge),
    ]


def _further(text: str, first: tuple[int, int], k: int, per_text: float) -> Design:
    n, m = _design(text, k)
    return Design(f"{n}×{m}", n, m, max(0, round((n * m - first[0] * first[1]) * per_text)))


def _design(text: str, k: int) -> tuple[int, int]:
    match = DESIGN.fullmatch(text.replace("×", "x"))
    if match is None or int(match[1]) < TWO or int(match[2]) < k:
        must = f"must be texts by judges, such as 50x{max(k, TWO)}, with at least 2 texts and {k} judges"
        what = f"a design {must}, got '{text}'"
        raise UsageError(Problem("bad-design", what))
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
