"""Systems against annotators: what ``errorbar score`` and ``errorbar.score`` compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.edits.admission import Admission
from errorbar.execute import choose_executor, read_jobs
from errorbar.formats.hoo_detect import wants_hoo
from errorbar.formats.opening import Source
from errorbar.formats.reference import Unmarked
from errorbar.metrics.base import Measure, Metric, lacking
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.score import Score, TypeScore, signature_lines
from errorbar.metrics.scoring import Plan, score_pieces
from errorbar.stats.resampling import MOST_UNASKED, Method, Resampling
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, read_pieces
from errorbar.tables.records import interval_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from errorbar.studies.hoo_scores import HooScores

SHORT_HASH = 8
"""Digits of a hypothesis hash shown in tables, so that a row fits in 80 columns; JSON and CSV have all."""


View = Literal["type", "sentence", "fragment", "team"]


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Result):
    """Scores of systems, in the order given, metric by metric.

    Attributes:
        scores: The scores.
        notes: Warnings and repairs.
        by_type: Scores by error type were asked for.
        by_sentence: The parts of sentences were asked for.
        order: ``best`` first, or as in the ``input``: how tables list systems.
    """

    scores: Sequence[Score]
    notes: Sequence[Problem] = ()
    by_type: bool = False
    by_sentence: bool = False
    order: str = "best"

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __getitem__(self, which: int | str) -> Score:
        """A score by its number, or the first of a system by its name."""
        if isinstance(which, int):
            return self.scores[which]
        for score in self.scores:
            if score.system == which:
                return score
        raise KeyError(which)

    def to_dict(self) -> dict[str, object]:
        """Rows of all scores, in the order of the input."""
        return {"rows": [self._record(score) for score in self.scores]}

    def tables(self) -> Sequence[Table]:
        """Scores, a table for the metrics of the same measures; or error types, or sentences."""
        if self.by_sentence:
            return [self._sentence_table()]
        if self.by_type:
            return [self._types_side_by_side() if len(self.scores) > 1 else self.type_rows()]
        kinds: dict[tuple[str, ...], list[Score]] = {}
        for score in self._ordered():
            kinds.setdefault(tuple(score.estimates), []).append(score)
        return [score_table(scores, name=f"scores{k or ''}") for k, scores in enumerate(kinds.values())]

    def _ordered(self) -> list[Score]:
        """The best first; scores of several metrics stay apart."""
        if self.order == "input":
            return list(self.scores)
        specs = list(dict.fromkeys(score.metric for score in self.scores))
        return sorted(self.scores, key=lambda score: (specs.index(score.metric), score.rank_key))

    def _record(self, score: Score) -> dict[str, object]:
        record: dict[str, object] = {
            "system": score.system,
            "metric": score.metric,
            **{name: estimate.value for name, estimate in score.estimates.items()},
            **({} if score.beta is None else {"beta": score.beta}),
            **score.counts,
            f"n_{score.unit}s": score.n_units,
            "n_annotators": len(score.annotators),
            "undefined": {
                name: str(estimate.undefined)
                for name, estimate in score.estimates.items()
                if estimate.undefined is not None
            },
            "signature": str(score.type_signature if self.by_type else score.signature),
        }
        lower = [measure.name for measure in score.measures if measure.better == "lower"]
        if score.main != "f":
            record["main"] = score.main
        if lower:
            record["lower_is_better"] = lower
        if score.has_intervals:
            record["intervals"] = {name: interval_record(estimate) for name, estimate in score.estimates.items()}
        if self.by_type:
            record["by_type"] = [_type_record(row, asked=score.has_intervals) for row in score.by_type]
        if self.by_sentence:
            why = {"no_interval": str(Undefined.ONE_UNIT)} if score.has_intervals else {}
            record[f"by_{score.unit}"] = [
                {score.unit: row.unit, "annotator": row.annotator, **row.counts, **row.values, **why}
                for row in score.by_unit
            ]
        return record

    def _sentence_table(self) -> Table:
        first = self.scores[0]
        names, labels = row_labels(self.scores)
        kinds = {measure.name: measure for measure in first.measures}
        values = [kinds[name] for name in next((list(row.values) for row in first.by_unit), [])]
        columns = [
            *names,
            Column("annotator"),
            Column(first.unit, "count"),
            *(Column(name, "count") for name in first.counts),
            *map(measure_column, values),
        ]
        rows: list[list[Cell]] = [
            [*label, row.annotator, row.unit, *row.counts.values(), *row.values.values()]
            for label, score in zip(labels, self.scores, strict=True)
            for row in score.by_unit
        ]
        notes = [f"no interval of a {first.unit}: {Undefined.ONE_UNIT}"] if first.has_intervals else []
        return Table(columns, rows, name="units", notes=[*notes, *signature_lines(self.scores)])

    def type_rows(self) -> Table:
        """A row for each system and type, with everything that is known of it."""
        scores = self._ordered()
        names, labels = row_labels(scores)
        counts = next((list(row.counts) for score in scores for row in score.by_type), [])
        columns = [*names, Column("type"), *map(measure_column, _type_measures(scores))]
        rows: list[list[Cell]] = [
            [*label, row.type, *row.estimates.values(), *row.counts.values()]
            for label, score in zip(labels, scores, strict=True)
            for row in score.by_type
        ]
        columns += [Column(one, "count") for one in counts]
        return Table(columns, rows, name="types", notes=signature_lines(scores, types=True))

    def _types_side_by_side(self) -> Table:
        """A row for each type, and a column for each system and measure."""
        scores = self._ordered()
        measures = _type_measures(scores)
        several = len({score.metric for score in scores}) > 1
        columns, found = [Column("type")], []
        for score in scores:
            title = f"{score.system} {score.metric}" if several else score.system
            short = len(measures) == 1
            columns += [Column(title if short else f"{title} {one.title}", one.kind) for one in measures]
            found.append({row.type: row.estimates for row in score.by_type})
        nothing = dict.fromkeys((measure.name for measure in measures), Estimate(None, 0))
        rows: list[list[Cell]] = [
            [kind, *(estimate for own in found for estimate in own.get(kind, nothing).values())]
            for kind in sorted({kind for own in found for kind in own})
        ]
        said = "/".join(measure.title for measure in measures)
        notes = [f"{said} in percent; – where the chosen annotators have no edit of the type"]
        return Table(columns, rows, name="types", notes=[*notes, *signature_lines(scores, types=True)])


def score(
    gold: Gold,
    systems: Systems,
    metrics: Metric | str | Sequence[Metric | str] | None = None,
    *,
    by: View | None = None,
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
    jobs: int | str = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Scores | HooScores:
    """Score systems against one or several annotators.

    Args:
        gold: The reference: a path or several over the same sentences, ``name=path``, a pattern, or a ``Corpus``; or
            one file or folder of HOO edits, for which systems are runs: folders of edits or corrected texts.
        systems: Paths, ``name=path``, ``{name: path}``, or ``Hypothesis`` objects.
        metrics: What to compute: metrics, or specs such as ``"m2(beta=1)"``; None: M2, or HOO of HOO data.
        by: Also scores of each error ``type``, or the part of each ``sentence`` (``fragment`` of HOO data); of HOO data
            also ``team``: the best run of each.
        ci: Make confidence intervals; None: up to 20,000 sentences, and not beside parts of sentences.
        ci_method: ``bca``, ``percentile`` or ``basic`` (bootstrap over documents, or sentences where no documents are
            known), or ``closed`` (formulas).
        resamples: How many resamples.
        confidence: Confidence level, a fraction.
        seed: Of the random streams.
        unmarked: Who looked at a sentence of M2 without any A line.
        documents: NUCLE SGML that tells the document of each sentence; of HOO data the source texts, where these are
            not in ``Raw`` beside ``Gold``.
        as_written: Keep reference edits as they are written.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        force: Take a text that is not a correction of this corpus.
        retokenize: Give lines that look untokenized the source's tokens.
        jobs: How many cores; or the address of a Dask scheduler to work on, or ``local`` or ``local:N``, a Dask cluster
            of this machine. Changes no digit.
        progress: Is told the number of sentences done.

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a file is bad, or a system has another number of sentences than the source or is no correction.
        UsageError: If an argument will not do, or a metric cannot give what is asked for.
    """
    if by not in (None, *get_args(View)):
        what = f"by must be one of {', '.join(get_args(View))}, got {by!r}"
        raise UsageError(Problem("bad-parameter", what))
    by_type, by_sentence = by == "type", by in ("sentence", "fragment")
    wanted = not by_sentence if ci is None else ci
    processes, dask = read_jobs(jobs)
    resampling = Resampling(ci_method, resamples, confidence, seed, processes) if wanted else None
    reading = ReadingOptions(unmarked, documents, lenient, as_written, Admission(force, retokenize))
    most = MOST_UNASKED if ci is None else None
    if wants_hoo(gold, metrics):
        from errorbar.studies.hoo_scores import Runs, score_hoo  # noqa: PLC0415 - another kind of data

        unused = {"--unmarked": unmarked != "auto", "--as-written": as_written}
        for name, value in {**unused, "--force": force, "--retokenize": retokenize}.items():
            if value:
                what = f"{name} has no meaning for HOO data"
                raise UsageError(Problem("useless-option", what, fix="leave it out"))
        runs = Runs(gold, systems, None if documents is None else str(documents), lenient, processes, dask)
        found = score_hoo(runs, metrics, resampling=resampling, most=most, progress=progress)
        return replace(found, by_type=by_type, by_fragment=by_sentence, best=by == "team")
    if by == "team":
        fix = "leave it out, or score a HOO folder"
        raise UsageError(Problem("useless-option", "--by=team is for HOO data", fix=fix))
    parsed = parse_metrics(metrics, "sentences")
    for metric in parsed:
        if by_type and "types" in metric.lacks:
            raise lacking(metric, "types")
    with choose_executor(processes, dask) as executor, read_pieces(gold, systems, reading, executor) as read:
        plan = Plan(
            parsed,
            by_type,
            by_sentence,
            resampling,
            tuple(each for each in read.conventions if each not in read.admission.conventions),
            read.admission,
            most=most,
        )
        scores = score_pieces(read.pieces, read.systems, plan, read.problems, progress=progress, executor=executor)
    return Scores(scores, tuple(read.problems.notes), by_type, by_sentence)


def score_table(scores: Sequence[Score], *, name: str = "", title: str = "") -> Table:
    """Values of each score, with intervals where they were asked for and counts where they were not."""
    names, labels = row_labels(scores)
    asked = any(score.has_intervals for score in scores)
    measures = merged_measures(scores)
    counts = list(dict.fromkeys(name for score in scores for name in score.counts))
    unit = scores[0].unit if scores else "sentence"
    columns = [
        *names,
        *map(measure_column, measures),
        *(Column(one, "count", only="data" if asked else "") for one in counts),
        Column(f"{unit}s", "count", key=f"n_{unit}s"),
        Column("hyp", key="hypothesis", only="data" if asked else ""),
        Column("signature", only="data"),
    ]
    rows: list[list[Cell]] = [
        [
            *label,
            *(score.estimates.get(measure.name) for measure in measures),
            *(score.counts.get(one) for one in counts),
            score.n_units,
            score.signature.hypothesis[:SHORT_HASH],
            str(score.signature),
        ]
        for label, score in zip(labels, scores, strict=True)
    ]
    return Table(columns, rows, title, name, signature_lines(scores))


def measure_column(measure: Measure) -> Column:
    """The column of a measure."""
    return Column(measure.title, measure.kind, measure.name)


def merged_measures(scores: Sequence[Score]) -> list[Measure]:
    """The measures of all scores, once each; titles that differ (F0.5, F1) become the shorter common one."""
    found: dict[str, Measure] = {}
    for measure in (each for score in scores for each in score.measures):
        known = found.setdefault(measure.name, measure)
        if known.title != measure.title:
            found[measure.name] = replace(known, title=known.title.rstrip("0123456789."))
    return list(found.values())


def _type_measures(scores: Sequence[Score]) -> list[Measure]:
    given = {name for score in scores for row in score.by_type for name in row.estimates}
    return [replace(one, title=one.name) for one in merged_measures(scores) if one.name in given]


def row_labels(scores: Sequence[Score]) -> tuple[list[Column], list[list[Cell]]]:
    """The leading columns that tell rows apart."""
    several = len({score.metric for score in scores}) > 1
    columns = [Column("system"), Column("metric", only="" if several else "data")]
    return columns, [[score.system, score.metric] for score in scores]


def _type_record(row: TypeScore, *, asked: bool) -> dict[str, object]:
    values = {name: estimate.value for name, estimate in row.estimates.items()}
    record: dict[str, object] = {"type": row.type, **values, **row.counts}
    if asked and len(row.estimates) == 1:
        record["interval"] = interval_record(next(iter(row.estimates.values())))
    elif asked:
        record["intervals"] = {name: interval_record(estimate) for name, estimate in row.estimates.items()}
    return record
