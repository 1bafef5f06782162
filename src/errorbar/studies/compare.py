"""Is one system better than another: what ``errorbar compare`` and ``errorbar.compare`` compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.core.errors import Problem
from errorbar.core.estimate import Interval, Undefined
from errorbar.edits.admission import Admission
from errorbar.formats.opening import Source
from errorbar.formats.reference import Unmarked
from errorbar.metrics.base import Metric
from errorbar.metrics.comparison import Comparison, Pair, Ranked, System, compare_systems, warn_hopeless
from errorbar.metrics.registry import DEFAULT, parse_metric
from errorbar.metrics.swaps import Adjust, SwapPlan
from errorbar.stats.resampling import Method, Resampling
from errorbar.studies.inputs import Gold, Loaded, ReadingOptions, Systems, load
from errorbar.studies.score_result import measure_column
from errorbar.studies.significance import group_legend, pair_table, result, verdict
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

FEW = 3
"""Systems whose pairs are always shown: there are no more pairs than systems."""


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Result):
    """Systems compared with each other.

    Attributes:
        found: The comparison.
        confidence: Confidence level; tests are at the level that it leaves.
        unit: What is resampled and swapped: ``document`` or ``sentence``.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    found: Comparison
    confidence: float
    unit: str
    signature: str
    notes: Sequence[Problem] = ()

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return 1 - self.confidence

    @property
    def pairs(self) -> Sequence[Pair]:
        """Every pair of systems."""
        return self.found.pairs

    def ranking(self) -> list[Ranked]:
        """The systems, the best first, with letters for what is significant."""
        return self.found.ranking(self.alpha)

    def to_dict(self) -> dict[str, object]:
        """Systems in the order of the input, and every pair."""
        names = ["system", *(measure.name for measure in self.found.measures)]
        rows = [
            (name, map(_known, row)) for name, row in zip(self.found.names, self.found.scores.tolist(), strict=True)
        ]
        return {
            "systems": [dict(zip(names, (name, *row), strict=True)) for name, row in rows],
            "pairs": [_record(pair, self.alpha) for pair in self.found.pairs],
            "adjust": self.found.testing.adjust,
            "swaps": self.found.testing.number(len(self.found.names), self.alpha),
            "unit": self.unit,
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """The systems; of two or three, every pair too."""
        several = len(self.found.names) > FEW
        return [self.system_table()] if several else [self.system_table(), self.pair_table()]

    def system_table(self) -> Table:
        """The systems, the best first."""
        ranking = self.ranking()
        unknown = any(one.undecided for one in ranking)
        columns = [
            Column("", key="letter"),
            Column("system"),
            *map(measure_column, self.found.measures),
            Column("significantly better than", key="better_than"),
            Column("undecided", only="" if unknown else "data"),
            Column("group"),
        ]
        rows: list[list[Cell]] = [
            [one.letter, one.name, *one.scores, " ".join(one.better), " ".join(one.undecided), one.group]
            for one in ranking
        ]
        few = len(self.found.names) <= FEW
        notes = [*group_legend(self.found, self.alpha), *([] if few else [f"signature {self.signature}"])]
        return Table(columns, rows, name="systems", notes=notes)

    def pair_table(self) -> Table:
        """Every pair: its difference with an interval, its p-values, and what the corpus can show."""
        made = pair_table(self.found, self.confidence)
        sign = self.found.measures[self.found.main].sign
        one = len(self.pairs) == 1
        said = [f"{verdict(self.pairs[0], self.alpha, self.unit, sign)}."] if one else []
        return Table(made.columns, made.rows, "", made.name, [*said, *made.notes, f"signature {self.signature}"])


def compare(
    gold: Gold,
    systems: Systems,
    metric: Metric | str = DEFAULT,
    *,
    adjust: Adjust = "max-t",
    swaps: int | None = None,
    ci: bool | None = None,
    ci_method: Method = "bca",
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    unmarked: Unmarked = "auto",
    documents: Source | None = None,
    as_written: bool = False,
    lenient: bool = False,
    force: bool = False,
    retokenize: bool = False,
    jobs: int = 1,
) -> Compared:
    """Tell whether systems differ by more than chance, on the same corpus.

    Args:
        gold: The reference, as for ``score``.
        systems: At least two systems, as for ``score``.
        metric: What is computed; its main measure is compared.
        adjust: How p-values are adjusted for the number of pairs: ``max-t`` or ``holm``.
        swaps: How many random ways to swap; None: as many as the level asks for.
        ci: Make intervals of differences; None: yes.
        ci_method: ``bca``, ``percentile`` or ``basic``.
        resamples: How many resamples.
        confidence: Confidence level, a fraction; tests are at the level that it leaves.
        seed: Of the random streams.
        unmarked: Who looked at a sentence of M2 without any A line.
        documents: NUCLE SGML that tells the document of each sentence.
        as_written: Keep reference edits as they are written.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        force: Take a text that is not a correction of this corpus.
        retokenize: Give lines that look untokenized the source's tokens.
        jobs: How many cores; changes no digit.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there are fewer than two systems, documents or sentences, or an argument will not do.
    """
    parsed = parse_metric(metric, "sentences")
    data = load(gold, systems, ReadingOptions(unmarked, documents, lenient, as_written, Admission(force, retokenize)))
    data.problems.raise_errors()
    data.corpus.need([] if parsed.annotator is None else [parsed.annotator])
    resampling = Resampling(ci_method, resamples, confidence, seed, jobs)
    return compared(data, parsed, resampling, SwapPlan(adjust, swaps), intervals=ci is not False)


def compared(
    data: Loaded, metric: Metric, resampling: Resampling, testing: SwapPlan, *, intervals: bool = True
) -> Compared:
    """Compare what was read; errors are those of ``compare``."""
    measured = [System(system.name, metric.measure(data.corpus, system.lines)) for system in data.systems]
    confidence, unit = resampling.confidence_level, data.documents.unit
    found = compare_systems(metric, measured, data.documents.clusters(), resampling, testing, intervals=intervals)
    data.documents.warn(data.problems, intervals=intervals)
    warn_hopeless(found, 1 - confidence, data.problems, unit=unit)
    by = data.documents.clustering
    drawn = resampling.convention(by) if intervals else f"level:{confidence},by:{by},seed:{resampling.seed}"
    how = drawn, testing.convention(len(measured), 1 - confidence)
    return Compared(found, confidence, unit, data.signature(str(metric.spec), *how), tuple(data.problems.notes))


def _known(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124 - nan


def _record(pair: Pair, alpha: float) -> dict[str, object]:
    interval: dict[str, object] | None
    if isinstance(pair.interval, Interval):
        interval = {"low": pair.interval.low, "high": pair.interval.high, "method": pair.interval.method}
    elif isinstance(pair.interval, Undefined):
        interval = {"low": None, "high": None, "reason": str(pair.interval)}
    else:
        interval = None
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": _known(pair.difference),
        "interval": interval,
        "p_value": pair.test.p_value,
        "p_adjusted": pair.p_adjusted,
        "p_at_floor": pair.test.at_floor,
        "p_adjusted_at_floor": pair.at_floor,
        "smallest_p_adjusted": pair.smallest_p,
        "result": result(pair, alpha),
        "exact": pair.test.exact,
        "n_replicates": pair.test.n_replicates,
        "undefined": None if pair.test.undefined is None else str(pair.test.undefined),
        "power_at_one_point": pair.power.power,
        "detectable_difference": pair.power.detectable,
        "units_needed_for_one_point": pair.power.units_needed,
    }
