"""What humans score against each other, and how near systems come: ``errorbar ceiling`` and ``errorbar.ceiling``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Unpack

import numpy as np

from errorbar.ceilings import Ceiling, Study, StudyPlan, prepare_study
from errorbar.ceilings import ceiling as fold_ceiling
from errorbar.ceilings.spread import (
    CeilingIntervals,
    EssaySpread,
    TypeRow,
    ceiling_intervals,
    essay_spread,
    known,
    type_rows,
)
from errorbar.ceilings.study import MOST
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.metrics.base import Floats, Metric
from errorbar.stats.resampling import Resampling
from errorbar.studies.door import Progress, public, resampling, sentence_metric
from errorbar.studies.inputs import Comparing, Gold, Loaded, ReadingOptions, Systems, load, usual_metric
from errorbar.studies.signatures import made_by, types_convention
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

RESAMPLES = 200
"""Usual number of resamples: each folds every text against every subset of annotators."""
MOST_FOLDED = 400_000_000
"""Sentences in all folds up to which intervals are made unasked: some seconds."""


@dataclass(frozen=True, slots=True)
class Subsets:
    """What of the data humans and systems are scored on; the attributes are arguments of ``ceiling``."""

    sizes: Sequence[int] = ()
    most: int = MOST
    n_documents: int | None = None
    repeats: int = 100
    by_type: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class CeilingResult(Result):
    """What humans score by number of references, and systems beside them.

    Attributes:
        found: The scores of humans and systems, and their ratios.
        intervals: Their intervals; None: not asked for.
        spread: The same on random subsets of the essays; None: not asked for.
        by_type: The scores of each error type; None: not asked for.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    found: Ceiling
    intervals: CeilingIntervals | None
    spread: EssaySpread | None
    by_type: Sequence[TypeRow] | None
    signature: str
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """A row for each number of references, recall by type, and the spread over documents."""
        types = [
            {"type": one.type, "human": one.human, "systems": dict(zip(self.found.systems, one.systems, strict=True))}
            for one in self.by_type or ()
        ]
        return {
            "rows": [self._record(k) for k in range(len(self.found.sizes))],
            "by_type": types,
            "essays": None if self.spread is None else self._spread_record(self.spread),
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """By number of references, or by type; then the spread over documents."""
        main = self._table() if self.by_type is None else self._type_table(self.by_type)
        return [main] if self.spread is None else [main, *self._spread_tables(self.spread)]

    def _record(self, k: int) -> dict[str, object]:
        found, names = self.found, [measure.name for measure in self.found.measures]
        main = names[found.main]
        systems: dict[str, dict[str, object]] = {}
        for s, name in enumerate(found.systems):
            own: dict[str, object] = {**_named(names, found.scores[s, k]), "ratio": known(found.ratio[s, k])}
            if own["ratio"] is None:
                own["undefined"] = {"ratio": found.no_ratio(s, k)}
            if self.intervals is not None:
                own["ratio_interval"] = _ends(self.intervals.ratios[s][k])
                own[f"{main}_interval"] = _ends(self.intervals.systems[s][k])
            systems[name] = own
        record: dict[str, object] = {
            "n_references": found.sizes[k],
            "n_subsets": found.n_subsets[k],
            "exact": found.exact[k],
            "human": _named(names, found.human[k]),
            "annotators": _named(found.annotators, found.humans[:, k, found.main]),
            "systems": systems,
        }
        return record if self.intervals is None else {**record, "human_interval": _ends(self.intervals.human[k])}

    def _spread_record(self, spread: EssaySpread) -> dict[str, object]:
        ratios = [[list(map(known, row)) for row in system] for system in spread.ratios.swapaxes(0, 1)]
        return {
            "n_essays": spread.n_essays,
            "n_available": spread.n_available,
            "human_f": spread.human.tolist(),
            "ratios": dict(zip(self.found.systems, ratios, strict=True)),
        }

    def _table(self) -> Table:
        found, intervals = self.found, self.intervals
        measure = found.measures[found.main]
        columns = [Column("references", "text"), Column("subsets", "text", only="shown")]
        columns += [Column("subsets", "count", only="data"), Column("exact", only="data")]
        columns.append(Column("human", measure.kind))
        for name in found.systems:
            columns += [Column(name, measure.kind), _of_human(name)]
        rows: list[list[Cell]] = []
        for k, size in enumerate(found.sizes):
            drawn = f"{found.n_subsets[k]}{'' if found.exact[k] else ' drawn'}"
            human = _estimate(found.human[k, found.main], None if intervals is None else intervals.human[k])
            row: list[Cell] = [size, drawn, found.n_subsets[k], found.exact[k], human]
            for s in range(len(found.systems)):
                value = known(found.scores[s, k, found.main])
                row += [value, _estimate(found.ratio[s, k], None if intervals is None else intervals.ratios[s][k])]
            rows.append(row)
        title = measure.title.rstrip("0123456789.")
        note = f"{title} of {len(found.annotators)} annotators, each against subsets of the others, and of systems"
        notes = [note, *found.ratio_notes(), f"signature {self.signature}"]
        return Table(columns, rows, name="ceiling", notes=notes)

    def _type_table(self, types: Sequence[TypeRow]) -> Table:
        columns = [Column("type"), Column("human", "percent")]
        for name in self.found.systems:
            columns += [Column(name, "percent"), _of_human(name)]
        rows: list[list[Cell]] = [
            [one.type, one.human, *(value for pair in zip(one.systems, one.ratios, strict=True) for value in pair)]
            for one in types
        ]
        note = f"recall by type against {self.found.sizes[-1]} references, in percent; – where there is nothing to find"
        return Table(columns, rows, name="types", notes=[note, f"signature {self.signature}"])

    def _spread_tables(self, spread: EssaySpread) -> list[Table]:
        """One table, or one for the human score and one for ratios where only these are in percent."""
        found = self.found
        measure = found.measures[found.main]
        title = measure.title.rstrip("0123456789.")
        names = [f"human {title}", *(_of_human(name).title for name in found.systems)]
        whole = np.concatenate([found.human[None, :, found.main], found.ratio])
        rows: list[list[Cell]] = []
        for name, values, summaries in zip(names, whole.tolist(), spread.summaries(), strict=True):
            for size, value, one in zip(found.sizes, values, summaries, strict=True):
                rows.append([name, size, known(value), *one])
        note = f"{len(spread.human)} random subsets of {spread.n_essays} of the {spread.n_available} documents"
        n = len(rows) if measure.kind == "percent" else len(found.sizes)
        parts = [("documents", measure.kind, rows[:n]), ("document-ratios", "percent", rows[n:])]
        start = [Column("what"), Column("references", "text")]
        shown = ("all documents", "lowest", "5%", "median", "95%", "highest", "SD")
        return [
            Table([*start, *(Column(one, kind) for one in shown)], part, name=name, notes=[note])
            for name, kind, part in parts
            if part
        ]


@public(resamples=RESAMPLES)
def ceiling(
    gold: Gold,
    systems: Systems = (),
    metric: Metric | str | None = None,
    *,
    beta: float | None = None,
    sizes: int | Sequence[int] = (),
    most: int = MOST,
    by: Literal["type"] | None = None,
    n_documents: int | None = None,
    repeats: int = 100,
    progress: Progress = lambda _: None,
    **shared: Unpack[Comparing],
) -> CeilingResult:
    """Score annotators against each other, and systems beside them, by number of references.

    Args:
        gold: The reference with at least two annotators, as for ``score``.
        systems: Systems, as for ``score``.
        metric: What is computed; the ratio is of its main measure. None: M2, or ``tokens`` of token labels.
        beta: Weight of recall in F, short for the metric's parameter.
        sizes: Numbers of references; none: 1 to one less than there are annotators.
        most: Subsets of one size that are enumerated; of more, as many are drawn.
        by: ``type``: also recall of each error type at the largest size.
        n_documents: Repeat on random subsets of so many documents; None: do not.
        repeats: How many such subsets.
        progress: Is told how many resamples, or then subsets, are done.
        ci: Whether to make percentile intervals; every resample folds the whole study. None: where that takes seconds,
            which depends on the numbers of sentences, texts, subsets and resamples alone.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or edits of one annotator overlap.
        UsageError: If there is one annotator, the metric knows none, or an argument will not do.
    """
    for what, value in {"most": most, "n_documents": n_documents, "repeats": repeats}.items():
        if value is not None and value < 1:
            raise UsageError(Problem("bad-parameter", f"{what} must be a whole number from 1, got {value!r}"))
    parsed = sentence_metric(usual_metric(gold, metric), beta, "ceiling")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]))
    wanted = Subsets([sizes] if isinstance(sizes, int) else sizes, most, n_documents, repeats, by == "type")
    return reached(data, parsed, resampling(shared, jobs=shared["jobs"]), wanted, shared["ci"], progress)


def reached(
    data: Loaded,
    metric: Metric,
    drawn: Resampling,
    subsets: Subsets = Subsets(),
    ci: bool | None = None,
    progress: Progress = lambda _: None,
) -> CeilingResult:
    """What humans score on what was read; errors are those of ``ceiling``, seed and cores those of the resampling."""
    seed, jobs, most = drawn.seed, drawn.jobs, subsets.most
    plan = StudyPlan(subsets.sizes, most, seed, jobs, subsets.by_type, force=True)  # who read the files looked at them
    study = prepare_study(data.corpus, data.systems, metric, data.problems, plan)
    found = fold_ceiling(study, jobs=jobs)
    intervals = spread = types = None
    how = [*made_by(metric, (text.statistics for text in (*study.humans, *study.systems)))]
    how += [] if all(found.exact) else [f"most:{most}", f"seed:{seed}"]
    if ci if ci is not None else _takes_seconds(study, drawn.replicates, data.problems):
        intervals = ceiling_intervals(study, data.documents.clusters(), drawn, progress)
        data.documents.warn(data.problems)
        how.append(drawn.convention(data.documents.clustering))
    if (n_documents := subsets.n_documents) is not None:
        of, repeats = data.need_documents("--n-documents"), subsets.repeats
        spread = essay_spread(study, of, n_documents, replace(drawn, replicates=repeats), progress)
        how.append(f"documents:{n_documents},{repeats},by:{data.documents.clustering},seed:{seed}")
    if subsets.by_type:
        how += [f"size:{study.sizes[-1]}", types_convention(data.corpus)]
        types = type_rows(study, study.sizes[-1])
    signature = data.signature(str(metric.spec), *how)
    return CeilingResult(found, intervals, spread, types, signature, tuple(data.problems.notes))


def _takes_seconds(study: Study, resamples: int, problems: Problems) -> bool:
    """Whether intervals are made unasked; if not, a note says so."""
    n_folds = sum(len(study.subsets[text.author].masks) for text in (*study.humans, *study.systems)) * resamples
    n_sentences = len(study.humans[0].statistics)
    if n_folds * n_sentences * study.metric.slower <= MOST_FOLDED:
        return True
    what = f"no intervals unless they are asked for: {n_folds:,} folds of {n_sentences:,} sentences take a while"
    problems.note("no-intervals", what, Place(), fix="add --ci")
    return False


def _of_human(name: str) -> Column:
    return Column(f"{name} / human %", "percent", f"{name}_ratio")


def _estimate(value: float, interval: Interval | Undefined | None) -> Estimate:
    made = Estimate(known(value), 0)
    return made if interval is None else made.with_interval(interval)


def _ends(value: Interval | Undefined) -> object:
    return {"reason": str(value)} if isinstance(value, Undefined) else {"low": value.low, "high": value.high}


def _named(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    return dict(zip(names, map(known, values), strict=True))
