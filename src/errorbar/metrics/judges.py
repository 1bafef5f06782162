"""Whether judges are drawn anew in intervals, by which rule, and what is to be said of it.

Conventions
    Of up to five judges the variance over judges is moderated by that of a population of judges, where it is known of
    the measure (errorbar.metrics.populations); of three or more it is taken as it is where it is not. One or two judges
    of whom no population is known are fixed, and so are those of a metric that knows no single annotators; a note says
    so. The population that comes with errorbar is of scores by word: those by character lean on it only if it is named.
    ``random(k=2)``: scores against two judges, whoever they are; without k all of them. ``random(population=FILE)``: a
    population of one's own, made by ``errorbar judges fit``; ``random(population=none)``: none.
Source
    docs/judges.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.core.spec import split_spec
from errorbar.metrics.base import Folded, Measure, Metric, Opaque, Selection
from errorbar.metrics.populations import MOST_JUDGES, JudgePopulation, JudgeVariances, known_population

TWO, FEW_JUDGES = 2, 5
"""So few do not show how judges vary; with fewer than that, intervals over judges are rough."""
LEAST_JUDGES = 3
"""Of a ceiling so many must be left, one left out, for a human and somebody to score against."""
EXPECTED = "fixed, random, random(k=2) or random(population=FILE)"


Who = Literal["judge", "editor"]
"""A judge of all systems, or an editor of one: who made its references of its own output."""


class JudgePlan(NamedTuple):
    """The plan for judges that was asked for."""

    kind: Literal["auto", "random", "fixed"] = "auto"
    k: int | None = None  # judges of a set; None: all
    population: JudgePopulation | Literal["known", "none"] = "known"
    who: Who = "judge"
    by_word: bool = True  # tokens are words, as they are of the population that comes with errorbar

    def for_editors(self) -> JudgePlan:
        """The plan for editors of a system: drawn anew from two on, with no prior, for none is known of editors."""
        return self._replace(kind="fixed" if self.kind == "fixed" else "random", population="none", who="editor")

    def rule(self, metric: Metric, n_judges: int) -> JudgeRule:
        """Choose the rule for a metric and so many judges."""
        k = n_judges if self.k is None else self.k
        why = "" if self.kind == "fixed" else self._why_fixed(metric, n_judges, k)
        if self.kind == "fixed" or why:
            return JudgeRule(k, n_judges, why, who=self.who)
        population = self._population(metric, n_judges, k)
        small = population is None and n_judges <= MOST_JUDGES and self.who == "judge"
        unknown = self._unknown(metric, k) if small else ""
        if isinstance(self.population, JudgePopulation) and n_judges > MOST_JUDGES:
            message = f"the population {self.population.name} has no effect with {n_judges} judges"
            why = f"from {MOST_JUDGES + 1} on they speak for themselves"
            raise UsageError(Problem("useless-option", f"{message}: {why}", fix="--judges=random"))
        spec = str(metric.spec)
        return JudgeRule(k, n_judges, random=True, population=population, spec=spec, unknown=unknown, who=self.who)

    def _population(self, metric: Metric, n_judges: int, k: int) -> JudgePopulation | None:
        """The population that the main measure's variance leans on; None: on none."""
        return None if n_judges > MOST_JUDGES or self.variances(metric, k) is None else self._judges_known

    @property
    def _judges_known(self) -> JudgePopulation | None:
        """The population that takes part wherever it is known how a measure varies over it."""
        if self.population == "none" or (self.population == "known" and not self.by_word):
            return None
        return known_population() if self.population == "known" else self.population

    def variances(self, metric: Metric, k: int) -> JudgeVariances | None:
        """How the main measure varies over sets of k judges of the population; None where that is not known."""
        population = self._judges_known
        spec, measure = str(metric.spec), metric.measures[metric.main].name
        return None if population is None else population.find(spec, measure, k)

    def _why_fixed(self, metric: Metric, n_judges: int, k: int) -> str:
        """Why judges cannot be drawn anew; empty where they can."""
        if "annotators" in metric.lacks:
            return f"{metric.name} knows no single judges, {metric.lacks['annotators']}"
        if metric.annotator is not None:
            return f"{metric.spec} scores against one judge alone"
        if self._population(metric, n_judges, k) is not None:
            return ""
        if self.who == "editor":
            return "one editor does not show how editors vary" if n_judges < TWO else ""
        unknown = f"and {self._unknown(metric, k)}"
        if n_judges < TWO:
            return f"{Undefined.ONE_JUDGE}, {unknown}"
        alone = n_judges > TWO or (self.kind == "random" and not isinstance(self.population, JudgePopulation))
        return "" if alone else f"two judges, {unknown}"

    def _unknown(self, metric: Metric, k: int) -> str:
        """Why variances lean on no population."""
        if self.population == "none":
            return "intervals are to lean on no population"
        if isinstance(self.population, JudgePopulation):
            return f"the population {self.population.name} has no constants of {metric.spec} against sets of {k}"
        if not self.by_word:
            return "no population is known that says how others vary in scores by character"
        return f"no population is known that says how others vary in {metric.spec}"


class JudgeRule(NamedTuple):
    """The rule for judges of a metric."""

    k: int  # judges of a set
    n_judges: int
    why_fixed: str = ""
    random: bool = False
    population: JudgePopulation | None = None  # what variances lean on; None: they are taken as they are
    unknown: str = ""  # why they lean on none, of so few judges that they might
    spec: str = ""  # of the metric
    who: Who = "judge"

    @property
    def shows_judges(self) -> bool:
        """Whether there are enough judges to show how judges vary."""
        return self.n_judges >= FEW_JUDGES

    @property
    def moderated(self) -> bool:
        """Whether a population takes part."""
        return self.population is not None

    def variances(self, measure: Measure) -> JudgeVariances | None:
        """How a measure varies over judges of the population; None where nobody knows, or none takes part."""
        return None if self.population is None else self.population.find(self.spec, measure.name, self.k)

    def note(self, problems: Problems, whose: str = "", points: float | None = None) -> None:
        """Say what a reader of the interval must know, and what would help.

        ``whose`` the intervals are; ``points``: by how many other judges may move the scores, where that is known.
        """
        ways = "errorbar plan-judging shows how much another judge would help"
        if not self.random:
            if self.why_fixed and (self.who == "judge" or self.n_judges >= TWO):  # of one editor the table says it
                message = f"{whose or 'the'} intervals are over texts alone: {self.why_fixed}"
                fix = "let others judge the same texts" if self.n_judges < 2 else "--judges=fixed keeps silent about it"
                headline = f"{whose or 'the'} intervals are over texts alone, not over judges"
                problems.note("judges-fixed", message, Place(), fix=fix, headline=headline)
            return
        if self.shows_judges:
            return
        code = {1: "one-judge", 2: "two-judges"}.get(self.n_judges, "few-judges")
        who = self.who
        message = {1: f"one {who} does not show how {who}s vary", 2: f"two {who}s hardly show how {who}s vary"}.get(
            self.n_judges, f"{self.n_judges} {who}s are few"
        )
        headline = f"{message}: intervals lean on how others vary" if self.population is not None else ""
        if points:
            others = {1: f"one {who}: another", 2: f"two {who}s: their choice"}.get(
                self.n_judges, f"{self.n_judges} {who}s: their choice"
            )
            headline = f"{others} may move these scores by some {points:.0f} points"
        if self.population is not None:
            own = f"{whose} " if whose else ""
            message += f": {own}intervals over judges lean on how {self.population.described} vary"
            more = {1: "a second judge about halves them", 2: "a third judge makes them some sixth shorter"}
            measured = not self.population.digest and self.k == self.n_judges
            shorter = more.get(self.n_judges if measured else 0, "another judge makes them shorter")
            problems.note(code, message, Place(), fix=f"{shorter}; {ways}", headline=headline)
            return
        if who == "editor":
            problems.note(code, f"{message}: intervals over editors are wide", Place(), fix="add another editor")
            return
        rests = "rest on one degree of freedom, and cover less than they say" if self.n_judges == TWO else "are rough"
        message += f", and {self.unknown}" * bool(self.unknown)
        message += f": {whose + ' ' if whose else ''}intervals over judges {rests}"
        problems.note(code, message, Place(), fix=f"add another judge; {ways}", headline=headline)


class JudgeSets(NamedTuple):
    """How judges were drawn anew."""

    rule: JudgeRule
    groups: int | None  # texts are left out in so many groups; None: one by one
    n_sets: int  # of judges that were scored against
    exact: bool  # those are all there are

    @property
    def whole(self) -> bool:
        """Whether a set is everybody: then values are those against all judges."""
        return self.rule.k == self.rule.n_judges

    def convention(self, seed: int) -> str:
        """How it is named in a signature."""
        rule = self.rule
        parts = [f"{rule.who}s:random,k:{rule.k}"]
        parts += [] if rule.population is None else [f"population:{rule.population.convention}"]
        parts += [] if self.groups is None else [f"groups:{self.groups}"]
        parts += [] if self.exact else [f"sets:drawn,{seed}"]
        return ",".join(parts)


def note_parts(looked: Sequence[int], names: Sequence[str], n_texts: int, unit: str, problems: Problems) -> None:
    """Say that judges looked at parts only."""
    parts = [(name, n) for name, n in zip(names, looked, strict=True) if n < n_texts]
    if not parts:
        return
    first = ", ".join(f"{name} at {n:,}" for name, n in parts[:3]) + (", …" if len(parts) > 3 else "")
    message = (
        f"{len(parts)} of {len(names)} judges looked at parts of the corpus ({first} of {n_texts:,} {unit}s): how "
        "judges vary and how texts do can hardly be told apart"
    )
    fix = "give each annotator's own file if they looked at all of it (a merged one may lack them), or --judges=fixed"
    headline = f"{len(parts)} of {len(names)} judges looked at parts of the corpus"
    problems.note("judges-parts", message, Place(), fix=fix, headline=headline)


def note_short(who: Sequence[str], problems: Problems) -> None:
    """Say of what the variance over judges came out too small to be true."""
    if who:
        named = ", ".join(who[:3]) + (f" and {len(who) - 3} more" if len(who) > 3 else "")
        message = (
            f"judges differ less than texts alone would make them differ: intervals of {named} are likely too short"
        )
        headline = f"intervals over judges of {named} are likely too short"
        problems.note("judges-short", message, Place(), fix="more judges make them reliable", headline=headline)


def read_judges(text: str | None) -> tuple[JudgePlan, str]:
    """Read ``--judges`` and the file of the population that it names; ``UsageError`` if it cannot be read."""
    if text is None:
        return JudgePlan(), ""
    try:
        name, parameters = split_spec(text)
    except UsageError:
        raise _unreadable(text) from None
    if name not in ("fixed", "random") or set(parameters) - {"k", "population"} or (name == "fixed" and parameters):
        raise _unreadable(text)
    k, population = parameters.get("k", "all"), parameters.get("population", "known")
    if (k != "all" and not (k.isascii() and k.isdecimal() and int(k[:9]) > 0 and len(k) < 9)) or not population:
        raise _unreadable(text)
    own = population not in ("known", "none", known_population().name)
    kept: Literal["known", "none"] = "none" if population == "none" else "known"
    plan = JudgePlan("random" if name == "random" else "fixed", None if k == "all" else int(k), kept)
    return plan, population if own else ""


def _unreadable(text: str) -> UsageError:
    message = f"--judges must be {EXPECTED}, got '{text}'"
    return UsageError(
        Problem(
            "bad-judges",
            message,
            fix="k: judges of a set; population: a file of 'errorbar judges fit', bn2015, or none",
        )
    )


# Systems of several runs, e.g. from other seeds: their mean, and how it varies over runs.
#
# Formula The value of a system with R runs is the mean of the runs' values, of everything that is folded: resamples,
# what is left out, sets of judges, swaps. Its variance over runs is V_R = s^2/R, s^2 that of the runs' values with R -
# 1 degrees of freedom: the jackknife over runs, beside those over texts and judges. Conventions Where two systems are
# swapped, run r of one meets run r of the other; who has fewer runs begins again. Counts are those of single runs,
# which have their own scores. Runs are taken for independent. Source errorbar.stats.two_way; docs/judges.md.


Measured = tuple[Metric, Callable[[], Opaque]]
"""A metric, and what makes the statistics of a system, or of its runs."""


@dataclass(frozen=True, slots=True)
class SystemRuns:
    """The statistics of a system's runs."""

    runs: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.runs[0])

    def take(self, units: NDArray[np.int64] | slice) -> SystemRuns:
        """Those of some units."""
        return SystemRuns(tuple(one.take(units) for one in self.runs))

    def cycle_runs(self, n: int) -> tuple[Any, ...]:
        """So many runs, from the first again where there are fewer."""
        return tuple(self.runs[k % len(self.runs)] for k in range(n))


class MeanOfRuns:
    """A metric of systems that have several runs: its values are means over them; all else is the metric's."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == "metric":  # asked for before it is set, by who copies
            raise AttributeError(name)
        return getattr(self.metric, name)

    @property
    def resampled(self) -> Any:  # noqa: ANN401 - stands for a metric
        """The mean of what the metric folds selections as."""
        return self if self.metric.resampled == self.metric else MeanOfRuns(self.metric.resampled)

    def join(self, parts: Sequence[SystemRuns]) -> SystemRuns:
        """Run by run."""
        n = max(len(part.runs) for part in parts)
        return SystemRuns(
            tuple(self.metric.join(every) for every in zip(*(part.cycle_runs(n) for part in parts), strict=True))
        )

    def fold(self, statistics: Opaque, selection: Selection | None = None) -> Folded:
        """The mean of the runs' values; counts are those of the first run."""
        return _mean_of([self.metric.fold(one, selection) for one in runs_of(statistics)])

    def fold_against(self, statistics: Opaque, selection: Selection, masks: NDArray[np.uint8]) -> Folded:
        """The mean of the runs' values against each set of annotators."""
        return _mean_of([self.metric.fold_against(one, selection, masks) for one in runs_of(statistics)])

    def differ(self, first: SystemRuns, second: SystemRuns) -> NDArray[np.bool_]:
        """In which units any two runs that meet differ."""
        n = max(len(first.runs), len(second.runs))
        met = zip(first.cycle_runs(n), second.cycle_runs(n), strict=True)
        return np.asarray(np.any([self.metric.differ(one, other) for one, other in met], axis=0), np.bool_)

    def without_types(self, statistics: SystemRuns) -> SystemRuns:
        """Run by run."""
        return SystemRuns(tuple(map(self.metric.without_types, statistics.runs)))

    def made_by(self, statistics: SystemRuns) -> str:
        """The maker of the edits of texts."""
        return max(map(self.metric.made_by, statistics.runs))


def _mean_of(runs: Sequence[Folded]) -> Folded:
    return Folded(np.mean([run.values for run in runs], axis=0), runs[0].counts, runs[0].n_units)


def mean_of_runs(metric: Metric) -> Metric:
    """The metric of systems with several runs."""
    return cast("Metric", MeanOfRuns(metric))


class RunSpread(NamedTuple):
    """The variance of a value over the runs of a system, or of two whose difference it is."""

    variance: float = 0.0
    df: float = np.inf

    def __sub__(self, other: RunSpread) -> RunSpread:
        """That of the difference of two systems, whose runs have nothing in common."""
        from errorbar.stats.two_way import satterthwaite  # noqa: PLC0415 - few systems have runs

        total = self.variance + other.variance
        if total == 0:
            return RunSpread()
        return RunSpread(total, satterthwaite([(self.variance, self.df), (other.variance, other.df)]))


ONE_RUN = RunSpread()


def spread_of(values: Sequence[float] | Floats) -> RunSpread:
    """That of one value for each run; nothing where there is one run, or a value is missing."""
    runs = np.asarray(values, np.float64)
    if len(runs) < 2 or np.isnan(runs).any():
        return ONE_RUN
    return RunSpread(float(runs.var(ddof=1) / len(runs)), float(len(runs) - 1))


def values_of_runs(statistics: Opaque, value: Callable[[Opaque], Floats]) -> Floats:
    """The values of each run of a system; shape (runs, ...), one row for a system that is not in runs."""
    return np.stack([value(one) for one in runs_of(statistics)])


def runs_of(statistics: Opaque) -> tuple[Any, ...]:
    """The runs of a system, itself where it is not in runs."""
    return statistics.runs if isinstance(statistics, SystemRuns) else (statistics,)
