"""Constants of how judges vary, for corpora of few: ``errorbar judges fit`` and ``errorbar.fit_judges``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from os import PathLike
from typing import Annotated, Any, ClassVar, Unpack
from urllib.parse import quote

import numpy as np

from errorbar.api.arguments import Beta, Bounds, Confidence, Count, Metrics, Whole, public, sentence_metric
from errorbar.api.inputs import Gold, Loaded, ReadingOptions, Systems, Taking, load, usual_metric
from errorbar.core.estimate import value_or_none
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest
from errorbar.formats.saving import save_lines
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.ceiling import StudyPlan, prepare_study
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS
from errorbar.metrics.population_fit import (
    DF,
    EXPONENT,
    SMALL,
    Coverage,
    CoverageSimulation,
    FreshVariance,
    JudgedText,
    choose_sets,
    cover,
    fit_constants,
    fit_slope,
    judge_text,
)
from errorbar.metrics.populations import FORMAT, MOST_JUDGES, SQUARED_POINT, VERSION, JudgeVariances, population_of
from errorbar.stats.resampling import Resampling, left_out_groups
from errorbar.tables.plain import attributes
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

LEAST_ANNOTATORS, LEAST_TEXTS, LEAST_SYSTEMS = 3, 2, 3
SCORES = "scores of systems, annotators among them"


@dataclass(frozen=True, slots=True)
class FitPlan:
    """How constants are fitted, and how the coverage of intervals with them is simulated."""

    up_to: int  # judges for whom there are constants
    floor: float | None  # squared points; None: it is fitted
    exponent: float
    df: float
    held_out: frozenset[str]
    draws: int
    resampling: Resampling  # level, seed and jobs of the simulation

    def __post_init__(self) -> None:
        """Refuse numbers that will not do: ``UsageError``."""
        for title, value, least, most in (("draws", self.draws, 0, None), ("up_to", self.up_to, 1, MOST_JUDGES)):
            if value < least or (most is not None and value > most):
                limits = f"{least}{'' if most is None else f' to {most}'}"
                raise UsageError(Problem("bad-parameter", f"{title} must be a whole number from {limits}, got {value}"))

    def conventions(self, clustering: str) -> list[str]:
        """How it is named in a signature."""
        floor = "fitted" if self.floor is None else f"{self.floor:g}"
        held_out = ",".join(quote(name, safe=" ") for name in sorted(self.held_out))
        return [
            f"judges:fit,k:{self.up_to},floor:{floor},exponent:{self.exponent:g},df:{self.df:g}",
            *([f"held-out:{held_out}"] if held_out else []),
            f"by:{clustering}",
            f"draws:{self.draws},{self.resampling.confidence_level}",
            f"seed:{self.resampling.seed}",
        ]


@dataclass(frozen=True, slots=True)
class FittedText:
    """A text of the fit, and how its score varies over fresh sets of judges."""

    name: str
    annotator: bool  # written by one of the judges, and scored against the others
    held_out: bool
    small: bool  # too small to show how judges vary
    by_judges: dict[int, FreshVariance | None]

    @property
    def fitted(self) -> bool:
        """Whether the constants are of it, too."""
        return not (self.held_out or self.small)

    def shows(self, k: int) -> bool:
        """Whether the constant of so many judges is of it, too."""
        fresh = self.by_judges[k]
        return self.fitted and fresh is not None and fresh.variance > 0


@dataclass(frozen=True, slots=True)
class CoverageGroup:
    """How often intervals of a kind hold the truth."""

    k: int
    difference: bool
    held_out: bool  # a system that was held out takes part
    intervals: tuple[Coverage, ...]
    small: frozenset[str]

    @property
    def mean(self) -> float:
        """The mean share over scores, or differences, that have intervals."""
        return _summarize_known(np.mean, [interval.holds for interval in self.intervals])

    @property
    def worst(self) -> Coverage | None:
        """The interval that holds the truth least often, small systems left out."""
        large = (interval for interval in self.intervals if not self.small & {*interval.names})
        known = (interval for interval in large if not isnan(interval.holds))
        return min(known, key=lambda interval: interval.holds, default=None)

    @property
    def half_width(self) -> float:
        """The median of median half-widths."""
        return _summarize_known(np.median, [interval.half_width for interval in self.intervals])


@dataclass(frozen=True, slots=True)
class FittedMeasure:
    """The constants of a measure, and what they are worth."""

    spec: str
    measure: Measure
    variances: JudgeVariances | None  # None: no system is large enough
    slope: float | None  # the exponent that the fitted systems alone would give
    texts: Sequence[FittedText]
    coverage: Sequence[CoverageGroup]


@dataclass(frozen=True, slots=True, repr=False)
class JudgeFit(Result):
    """Constants of a population of judges, for ``--judges 'random(population=FILE)'``.

    Attributes:
        name: Of the population.
        described: Who the judges are.
        measures: What was fitted, and how often intervals with it hold the truth.
        n_judges: How many judges the corpus has.
        n_texts: How many documents, or sentences.
        unit: ``document`` or ``sentence``.
        confidence: Confidence level of the simulated intervals.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    schema: ClassVar[str] = "errorbar.judges.fit/1"
    name: str
    described: str
    measures: Sequence[FittedMeasure]
    n_judges: int
    n_texts: int
    unit: str
    confidence: float
    signature: str
    notes: Sequence[Problem] = ()

    @property
    def population(self) -> dict[str, object]:
        """The population as its file has it."""
        tables = [self._table(fit, fit.variances) for fit in self.measures if fit.variances is not None]
        return {"format": FORMAT, "version": VERSION, "name": self.name, "described": self.described, "tables": tables}

    def _table(self, fitted: FittedMeasure, known: JudgeVariances) -> dict[str, object]:
        return {
            **attributes(known, "metric", "measure", "floor", "exponent", "df"),
            "constants": {str(k): value for k, value in known.constants.items()},
            **{kind: [text.name for text in fitted.texts if getattr(text, kind)] for kind in ("fitted", "held_out")},
            "too_small": [text.name for text in fitted.texts if text.small and not text.held_out],
            **attributes(self, "n_judges", "n_texts", "signature"),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the population to a file."""
        save_lines([json.dumps(self.population, ensure_ascii=False, indent=1)], str(path))

    def to_dict(self) -> dict[str, object]:
        """The population, the variances that it is made of, and the coverage of its intervals."""
        return {
            "population": self.population,
            "confidence_level": self.confidence,
            "measures": [
                {
                    "metric": fit.spec,
                    "measure": fit.measure.name,
                    "slope": fit.slope,
                    "systems": [_text_record(text) for text in fit.texts],
                    "coverage": [_coverage_record(group) for group in fit.coverage],
                }
                for fit in self.measures
            ],
            **attributes(self, "n_judges", "n_texts", "unit", "signature"),
        }

    def tables(self) -> Sequence[Table]:
        """Constants; how often intervals hold the truth; variances of every system."""
        tables = []
        for fit in self.measures:
            title = f"{fit.spec} {fit.measure.title}"
            tables += [self._constants(fit, title), self._coverage(fit, title), _variances(fit, title)]
        return [table for table in tables if table.rows]

    def printed_tables(self) -> Sequence[Table]:
        """Constants and coverage."""
        return [table for table in self.tables() if not table.name.startswith("variances")]

    def _constants(self, fitted: FittedMeasure, title: str) -> Table:
        known = fitted.variances
        if known is None:
            return Table([], [])
        columns = [Column("judges", "count"), Column("c", "number", digits=2), Column("systems", "count")]
        columns += [Column("SD at 40 %", "number", digits=2), Column("from above", "count")]
        rows: list[list[Cell]] = []
        for k, value in known.constants.items():
            shown = [fresh for text in fitted.texts if text.shows(k) and (fresh := text.by_judges[k]) is not None]
            deviation = (known.of_score(0.4, k, k) / SQUARED_POINT) ** 0.5
            rows.append([k, value, len(shown), deviation, sum(fresh.from_above for fresh in shown)])
        notes = [
            f"{title}: variance over judges, in squared points: {known.floor:g} + c F²; of a difference (s²_A + s²_B) "
            f"r^{known.exponent:g}; it counts for {known.df:g} degrees of freedom",
        ]
        if fitted.slope is not None:
            notes.append(f"these systems alone would give the exponent {fitted.slope:.2f}")
        small = [text.name for text in fitted.texts if text.small]
        if small:
            notes.append(f"too small to show how judges vary: {', '.join(small)}")
        return Table(columns, rows, name=f"constants {title}", notes=[*notes, f"signature {self.signature}"])

    def _coverage(self, fitted: FittedMeasure, title: str) -> Table:
        columns = [
            *(Column("judges", "count"), Column("of"), Column("systems"), Column("n", "count")),
            *(Column("held, %", "percent", "holds"), Column("worst, %", "percent", "worst"), Column("worst of")),
            Column("±", fitted.measure.kind, "half_width"),
        ]
        rows: list[list[Cell]] = []
        for group in fitted.coverage:
            worst = group.worst
            kind, systems = ("difference" if group.difference else "score"), "held out" if group.held_out else "fitted"
            share, names = (None, "–") if worst is None else (worst.holds, " − ".join(worst.names))
            rows.append([group.k, kind, systems, len(group.intervals), group.mean, share, names, group.half_width])
        note = (
            f"{title}: how often {100 * self.confidence:g}% intervals hold the truth, {self.unit}s redrawn and judges "
            "drawn, simulated; worst: of systems that are not too small"
        )
        return Table(columns, rows, name=f"coverage {title}", notes=[note])


@public()
def fit_judges(
    gold: Gold,
    systems: Systems = (),
    metric: Metrics = None,
    *,
    beta: Beta = None,
    name: str = "own",
    described: str = "",
    hold_out: Sequence[str] = (),
    up_to: Annotated[int, Bounds(1, 5)] = MOST_JUDGES,
    floor: Annotated[float, Bounds(0, 1e6, "low")] | None = None,
    exponent: Annotated[float, Bounds(0, 10)] = EXPONENT,
    df: Annotated[float, Bounds(1, 1000)] = DF,
    draws: Whole = 1000,
    confidence: Confidence = 0.95,
    seed: Whole = 0,
    jobs: Count = 1,
    **shared: Unpack[Taking],
) -> JudgeFit:
    """Fit how scores vary over the judges of a corpus, so that corpora of few judges can lean on it.

    Args:
        systems: Systems, as for ``score``; the more they differ in kind, the better.
        metric: What is computed. None: m2; tokens of labels.
        name: Name of the population, which signatures show. It has letters, digits and hyphens.
        described: Description of the judges for use in a sentence, e.g. "ten teachers of English". Empty: their
            number and "judges of the reference".
        hold_out: A system, or an annotator's text, that takes no part in the fit and shows what it is worth.
        up_to: The most judges for whom constants are made. At most 5.
        floor: The least variance, squared points. None: fitted, as half the geometric mean over systems
            against two judges.
        exponent: How a difference's variance falls with that over texts.
        df: Degrees of freedom that the variance counts for.
        draws: Simulated corpora for each system and pair; 0: none.
        confidence: Confidence level of intervals, a fraction.
        seed: Seed of everything random. The simulation draws, and sets of judges are drawn where there are too many.
        jobs: Number of processes to use; no digit depends on it.
        shared: How files are read.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there are fewer than three annotators, the metric knows none, or an argument will not do.
    """
    metrics = _parse_metrics(usual_metric(gold, metric), beta)
    resampling = Resampling(confidence_level=confidence, seed=seed, jobs=jobs)
    plan = FitPlan(up_to, floor, exponent, df, frozenset(hold_out), draws, resampling)
    _check_population(name, described, plan)
    data = load(gold, systems, ReadingOptions.of(shared, metrics))
    data.problems.raise_errors()
    _refuse_too_few(data, hold_out)
    n_judges = len(data.corpus.annotators)
    described = described or f"the {n_judges} judges of {data.corpus.name or 'the reference'}"
    measures = [fit for parsed in metrics for fit in _fit(data, parsed, plan)]
    if not any(fit.variances for fit in measures):
        raise UsageError(_nothing_to_fit(measures))
    _note_few(measures, data.problems)
    documents, specs = data.documents, " ".join(str(parsed.spec) for parsed in metrics)
    return JudgeFit(
        *(name, described, measures, n_judges, documents.n_clusters, documents.unit, confidence),
        data.signature(specs, *plan.conventions(documents.clustering)),
        tuple(data.problems.notes),
    )


def _parse_metrics(metric: Metrics, beta: float | None) -> list[Metric]:
    several = list(metric) if isinstance(metric, list | tuple) else [metric]
    metrics = [sentence_metric(spec, beta, "judges fit") for spec in several or [None]]
    for spec, times in Counter(str(parsed.spec) for parsed in metrics).items():
        if times > 1:
            raise UsageError(Problem("two-choices", f"the metric {spec} is named twice", fix="name it once"))
    return metrics


def _check_population(name: str, described: str, plan: FitPlan) -> None:
    """Refuse a population whose file could not be read again."""
    constants: dict[str, object] = {"metric": "m2", "measure": "f", "constants": {"1": 1.0}}
    constants |= {"exponent": plan.exponent, "df": plan.df} | ({} if plan.floor is None else {"floor": plan.floor})
    named = {"format": FORMAT, "version": VERSION, "name": name, "described": described or "judges of the reference"}
    for tables, code in (([], "bad-population"), ([constants], "bad-parameter")):
        try:
            population_of({**named, "tables": tables})
        except ValueError as error:
            where = f"the population cannot be called '{name}': " if not tables else ""
            raise UsageError(Problem(code, f"{where}{error}")) from None


def _refuse_too_few(data: Loaded, hold_out: Sequence[str]) -> None:
    """Refuse too few annotators or texts, and names to hold out that are of nobody."""
    names = data.corpus.annotators
    if len(names) < LEAST_ANNOTATORS:
        message = f"constants of judges need at least three annotators, got {len(names)}"
        raise UsageError(
            Problem("one-annotator", message, expected="several --gold files, or one with several annotators")
        )
    if data.documents.n_clusters < LEAST_TEXTS:
        message = "a single essay or sentence does not show how they vary"
        raise UsageError(Problem("one-unit", message, expected="at least two"))
    known = [*names, *(system.name for system in data.systems)]
    for name in hold_out:
        if name not in known:
            raise UsageError(
                Problem("unknown-system", f"there is no system '{name}' to hold out", fix=nearest(name, known))
            )


def _nothing_to_fit(fitted: Sequence[FittedMeasure]) -> Problem:
    """Why no measure has constants."""
    texts = [text for fit in fitted for text in fit.texts]
    if not texts:
        message, fix = "constants are fitted to measures in percent that are better higher, and there is none", ""
    elif all(text.held_out for text in texts):
        message, fix = "no system is left to fit: all of them, annotators' texts too, are held out", "hold out fewer"
    elif any(text.fitted for text in texts):
        message = "judges agree fully: scores large enough to show how they vary are the same against each of them"
        fix = "give judges who annotated independently"
    else:
        message = (
            "no system to fit is large enough to say how judges vary: its error over texts is above 8 % of the score"
        )
        fix = "give more texts, or systems that find more"
    return Problem("nothing-to-fit", message, fix=fix)


def _note_few(fitted: Sequence[FittedMeasure], problems: Problems) -> None:
    for fit in fitted:
        few: dict[tuple[str, ...], list[str]] = {}
        for k in fit.variances.constants if fit.variances else ():
            names = tuple(text.name for text in fit.texts if text.shows(k))
            if len(names) < LEAST_SYSTEMS:
                few.setdefault(names, []).append(str(k))
        for names, sizes in few.items():
            judges = f"{' and '.join(sizes)} judge{'s' * (sizes != ['1'])}"
            message = (
                f"constants of {fit.spec} {fit.measure.title} against {judges} rest on {' and '.join(names)} alone"
            )
            problems.note("few-systems-fit", message, Place(), fix="give more systems, of different kinds")


def _fit(data: Loaded, metric: Metric, plan: FitPlan) -> Iterator[FittedMeasure]:
    """Fit every measure of a metric that is a share of something, and better where it is higher."""
    options = StudyPlan((1,), jobs=plan.resampling.jobs, force=True)
    study = prepare_study(data.corpus, data.systems, metric, data.problems, options)
    groups = left_out_groups(data.documents.clusters(), MOST_TEXTS, GROUPS)
    n = len(study.annotators)
    largest = min(plan.up_to, n - 1)
    sets = choose_sets(range(n), largest, plan.resampling.seed)
    judged = [
        judge_text(metric, text.statistics, (text.name, text.author), sets, groups, n)
        for text in (*study.humans, *study.systems)
    ]
    for measure, texts in zip(metric.measures, zip(*judged, strict=True), strict=True):
        if measure.kind == "percent" and measure.better == "higher":
            yield _fit_measure(str(metric.spec), measure, texts, largest, plan)


def _fit_measure(
    spec: str, measure: Measure, texts: Sequence[JudgedText], largest: int, plan: FitPlan
) -> FittedMeasure:
    """Fit one measure, against sets of up to the largest number of judges, and simulate the coverage."""
    small = frozenset(text.name for text in texts if not text.size() < SMALL)
    used = [text for text in texts if text.name not in small | plan.held_out]
    variances = fit_constants(
        used, largest, floor=plan.floor, exponent=plan.exponent, df=plan.df, named=(spec, measure.name)
    )
    fitted = [
        FittedText(
            text.name,
            text.author >= 0,
            text.name in plan.held_out,
            text.name in small,
            {k: text.fresh_variance(k) for k in range(1, largest + 1)},
        )
        for text in texts
    ]
    coverage = [*_simulate(texts, variances, small, measure, plan)] if variances is not None and plan.draws else []
    return FittedMeasure(spec, measure, variances, fit_slope(used, largest), fitted, coverage)


def _simulate(
    texts: Sequence[JudgedText], variances: JudgeVariances, small: frozenset[str], measure: Measure, plan: FitPlan
) -> Iterator[CoverageGroup]:
    """Simulate how often intervals hold the truth, of fitted systems and of those held out."""
    simulation = CoverageSimulation(texts, plan.draws, plan.resampling.seed)
    scores: list[tuple[JudgedText, JudgedText | None]] = [(text, None) for text in texts]
    differences: list[tuple[JudgedText, JudgedText | None]] = [*combinations(texts, 2)]
    for k in variances.constants:
        for is_difference, targets in ((False, scores), (True, differences)):
            covered = [
                cover(draws, variances, k, plan.resampling.confidence_level, measure.scale)
                for first, second in targets
                if (draws := simulation.draw(first, second, k)) is not None
            ]
            for held_out in (False, True):
                group = tuple(interval for interval in covered if bool(plan.held_out & {*interval.names}) == held_out)
                if group:
                    yield CoverageGroup(k, is_difference, held_out, group, small)


def _summarize_known(summary: Callable[[list[float]], Any], values: Sequence[float]) -> float:
    """A summary of the values that are known; NaN where none is."""
    known = [value for value in values if not isnan(value)]
    return float(summary(known)) if known else float("nan")


def _text_record(text: FittedText) -> dict[str, object]:
    return {
        **attributes(text, "name", "annotator", "held_out", "small"),
        "variances": [
            {"k": k, **attributes(fresh, "mean", "variance", "from_above")}
            for k, fresh in text.by_judges.items()
            if fresh is not None
        ],
    }


def _coverage_record(group: CoverageGroup) -> dict[str, object]:
    return {
        "k": group.k,
        "of": "difference" if group.difference else "score",
        "held_out": group.held_out,
        "holds": value_or_none(group.mean),
        "half_width": value_or_none(group.half_width),
        "intervals": [
            {
                "names": [*interval.names],
                **{"holds": value_or_none(interval.holds), "half_width": value_or_none(interval.half_width)},
                "given": interval.given,
            }
            for interval in group.intervals
        ],
    }


def _variances(fitted: FittedMeasure, title: str) -> Table:
    """The variances over fresh judges of every system, in squared points."""
    sizes = sorted({k for text in fitted.texts for k in text.by_judges})
    columns = [Column("system"), Column("part")]
    columns += [Column(f"{fitted.measure.title}, {k}", fitted.measure.kind, f"mean_{k}") for k in sizes]
    columns += [Column(f"ζ{k}", "number", f"zeta_{k}", digits=2) for k in sizes]
    rows: list[list[Cell]] = []
    for text in fitted.texts:
        known = [text.by_judges[k] for k in sizes]
        part = "held out" if text.held_out else "too small" if text.small else "fitted"
        row: list[Cell] = [text.name, part, *(None if fresh is None else fresh.mean for fresh in known)]
        rows.append([*row, *(None if fresh is None else fresh.variance / SQUARED_POINT for fresh in known)])
    note = f"{title}: means against sets of 1 to {sizes[-1]} judges, and variances over fresh sets in squared points"
    return Table(columns, rows, name=f"variances {title}", notes=[note])
