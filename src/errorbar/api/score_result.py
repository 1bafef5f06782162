"""The result of ``errorbar.score``: scores of systems, with their records and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal

from errorbar.api.paper import (
    PaperText,
    editors_line,
    judge_columns,
    judge_lines,
    judges_record,
    run_columns,
    run_lines,
    runs_record,
    scores_for_paper,
)
from errorbar.core.estimate import Estimate, Undefined, value_or_none
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.metrics.base import Measure
from errorbar.metrics.scores import Score, TypeScore, signature_lines
from errorbar.tables.plain import interval_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

Order = Literal["best", "input"]
SHORT_HASH = 8
"""Digits of a hypothesis hash shown in tables, so that a row fits in 80 columns; JSON and CSV have all."""


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Result):
    """Scores of systems, in the order given, metric by metric.

    Attributes:
        scores: The scores.
        notes: Warnings and repairs.
        by_type: Scores by error type were asked for.
        by_sentence: The parts of sentences, or of fragments, were asked for.
        order: ``best`` first, or as in the ``input``: how tables list systems.
    """

    schema: ClassVar[str] = "errorbar.score/1"
    scores: Sequence[Score]
    notes: Sequence[Problem] = ()
    by_type: bool = False
    by_sentence: bool = False
    order: Order = "best"

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __contains__(self, which: object) -> bool:
        """Whether a score, a system or a system and its metric is among these."""
        return any(which in (score, score.system, (score.system, score.metric)) for score in self.scores)

    def __getitem__(self, which: int | str | tuple[str, str]) -> Score:
        """A score by its number, the name of its system, or those of its system and its metric.

        Raises:
            UsageError: If there is none of that name, or there are several.
        """
        if not isinstance(which, str | tuple):
            return self.scores[which]
        system, metric = (which, "") if isinstance(which, str) else which
        own = [score for score in self.scores if score.system == system]
        if not own:
            message = f"there is no score of a system '{system}'"
            known = dict.fromkeys(score.system for score in self.scores)
            raise UsageError(Problem("unknown-system", message, fix=nearest(system, known)))
        matches = [score for score in own if metric in ("", score.metric)]
        matches = matches or [score for score in own if score.metric.partition("(")[0] == metric]
        if len(matches) == 1:
            return matches[0]
        choices = ", ".join(f'["{system}", "{score.metric}"]' for score in matches or own)
        message = (
            f"'{system}' has scores of {len(matches)} metrics" if matches else f"'{system}' has no score of '{metric}'"
        )
        raise UsageError(Problem("which-metric", message, fix=f"take one of {choices}"))

    def to_dict(self) -> dict[str, object]:
        """Rows of all scores, in the order of the input."""
        return {"rows": [self._record(score) for score in self.scores]}

    def tables(self) -> Sequence[Table]:
        """Scores, a table for the metrics of the same measures; or error types, or sentences."""
        if self.by_sentence:
            kinds = _alike(self.scores, lambda score: (*score.counts, *score.estimates))
            return [self._sentence_table(scores, f"units{k or ''}") for k, scores in enumerate(kinds)]
        if self.by_type:
            if len(self.scores) == 1:
                return self.type_rows()
            return [_types_side_by_side(scores, f"types{k or ''}") for k, scores in enumerate(self._type_kinds())]
        kinds = _alike(self._ordered(), lambda score: tuple(score.estimates))
        tables = [_score_table(scores, f"scores{k or ''}") for k, scores in enumerate(kinds)]
        if not any(score.pools for score in self.scores):
            return tables
        from errorbar.api.pools import pool_tables  # noqa: PLC0415 - few results have pools

        for k, scores in enumerate(kinds):
            tables += pool_tables(scores, f"pools{k or ''}", merged_measures(scores))
        return tables

    def data_tables(self) -> Sequence[Table]:
        """Of error types a row for each system and type, not a column for each system."""
        return self.type_rows() if self.by_type else self.tables()

    def for_paper(self) -> PaperText:
        """Text for a paper: a sentence on the best system for each metric, captions, and what to say of the judges."""
        kinds = _alike(self._ordered(), lambda score: tuple(score.estimates))
        return scores_for_paper([(scores, merged_measures(scores)) for scores in kinds])

    def _ordered(self) -> list[Score]:
        """In the order of tables; scores of several metrics stay apart."""
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
            "undefined": {name: str(why) for name, estimate in score.estimates.items() if (why := estimate.undefined)},
            "signature": str(score.type_signature if self.by_type else score.signature),
        }
        if score.main != "f":
            record["main"] = score.main
        if lower := [measure.name for measure in score.measures if measure.better == "lower"]:
            record["lower_is_better"] = lower
        if score.has_intervals:
            record["intervals"] = {name: interval_record(estimate) for name, estimate in score.estimates.items()}
        if score.judges is not None:
            record["judges"] = judges_record(score.judges)
        if score.pools is not None:
            from errorbar.api.pools import pools_record  # noqa: PLC0415 - few results have pools

            record["pools"] = pools_record(score)
        if score.own:
            record["editors"] = list(score.annotators)
        if score.runs:
            record["runs"] = runs_record(score)
        if self.by_type:
            record["by_type"] = [_type_record(row, with_intervals=score.has_intervals) for row in score.by_type]
        if self.by_sentence:
            no_interval = {"no_interval": str(Undefined.ONE_UNIT)} if score.has_intervals else {}
            record[f"by_{score.unit}"] = [
                {score.unit: row.unit, "annotator": row.annotator, **row.counts, **values, **no_interval}
                for row in score.by_unit
                for values in [{name: value_or_none(value) for name, value in row.values.items()}]
            ]
        return record

    @staticmethod
    def _sentence_table(scores: Sequence[Score], name: str) -> Table:
        first = scores[0]
        names, labels = row_labels(scores)
        kinds = {measure.name: measure for measure in first.measures}
        values = [kinds[name] for name in next((list(row.values) for row in first.by_unit), [])]
        counts = [Column(name, "count") for name in (first.unit, *first.counts)]
        columns = [*names, Column("annotator"), *counts, *map(measure_column, values)]
        rows: list[list[Cell]] = [
            [*label, row.annotator, row.unit, *row.counts.values(), *row.values.values()]
            for label, score in zip(labels, scores, strict=True)
            for row in score.by_unit
        ]
        notes = [f"no interval of a {first.unit}: {Undefined.ONE_UNIT}"] if first.has_intervals else []
        return Table(columns, rows, name=name, notes=[*notes, *signature_lines(scores)], series="units")

    def type_rows(self) -> list[Table]:
        """A row for each system and type with all that is known of it; a table for metrics that give the same."""
        return [_type_table(scores, f"types{k or ''}") for k, scores in enumerate(self._type_kinds())]

    def _type_kinds(self) -> list[list[Score]]:
        return _alike(self._ordered(), lambda score: tuple(measure.name for measure in _type_measures([score])))


def _alike(scores: Sequence[Score], key: Callable[[Score], tuple[str, ...]]) -> list[list[Score]]:
    kinds: dict[tuple[str, ...], list[Score]] = {}
    for score in scores:
        kinds.setdefault(key(score), []).append(score)
    return list(kinds.values())


def _score_table(scores: Sequence[Score], table: str) -> Table:
    """Values of each score, with intervals where they were asked for and counts where they were not."""
    names, labels = row_labels(scores)
    only: Literal["", "data"] = "data" if any(score.has_intervals for score in scores) else ""
    measures = merged_measures(scores)
    counts = list(dict.fromkeys(name for score in scores for name in score.counts))
    judged = [*judge_columns(scores, measures), *run_columns(scores, measures)]
    columns = [
        *names,
        *map(measure_column, measures),
        *(column for column, _ in judged),
        *(Column(count, "count", only=only) for count in counts),
        Column(f"{scores[0].unit}s", "count", key=f"n_{scores[0].unit}s", only="data" if judged else ""),
        Column("hyp", key="hypothesis", only=only),
        Column("signature", only="data"),
    ]
    rows: list[list[Cell]] = [
        [
            *label,
            *(score.estimates.get(measure.name) for measure in measures),
            *(cell(score) for _, cell in judged),
            *(score.counts.get(count) for count in counts),
            *(score.n_units, score.signature.hypothesis[:SHORT_HASH], str(score.signature)),
        ]
        for label, score in zip(labels, scores, strict=True)
    ]
    own = {score.system: len(score.annotators) for score in scores if score.own}
    notes = [*judge_lines(scores), *run_lines(scores), *([editors_line(own)] if own else []), *signature_lines(scores)]
    return Table(columns, rows, name=table, notes=notes, series="scores")


def measure_column(measure: Measure) -> Column:
    """The column of a measure."""
    return Column(measure.title, measure.kind, measure.name)


def _type_table(scores: Sequence[Score], name: str) -> Table:
    names, labels = row_labels(scores)
    counts = next((list(row.counts) for score in scores for row in score.by_type), [])
    columns = [*names, Column("type"), *map(measure_column, _type_measures(scores))]
    rows: list[list[Cell]] = [
        [*label, row.type, *row.estimates.values(), *row.counts.values()]
        for label, score in zip(labels, scores, strict=True)
        for row in score.by_type
    ]
    columns += [Column(count, "count") for count in counts]
    return Table(columns, rows, name=name, notes=signature_lines(scores, types=True), series="types")


def _types_side_by_side(scores: Sequence[Score], name: str) -> Table:
    """A row for each type, and a column for each system and measure."""
    measures = _type_measures(scores)
    several = len({score.metric for score in scores}) > 1
    columns, by_system = [Column("type")], []
    for score in scores:
        title = f"{score.system} {score.metric}" if several else score.system
        short = len(measures) == 1
        columns += [Column(title if short else f"{title} {measure.title}", measure.kind) for measure in measures]
        by_system.append({row.type: row.estimates for row in score.by_type})
    nothing = dict.fromkeys((measure.name for measure in measures), Estimate(None, 0))
    rows: list[list[Cell]] = [
        [kind, *(estimate for own in by_system for estimate in own.get(kind, nothing).values())]
        for kind in sorted({kind for own in by_system for kind in own})
    ]
    titles = "/".join(measure.title for measure in measures)
    notes = [f"{titles} in percent; – where the chosen annotators have no edit of the type"]
    return Table(columns, rows, name=name, notes=[*notes, *signature_lines(scores, types=True)])


def merged_measures(scores: Sequence[Score]) -> list[Measure]:
    """The measures of all scores, once each; titles that differ (F0.5, F1) become the shorter common one."""
    merged: dict[str, Measure] = {}
    for measure in chain.from_iterable(score.measures for score in scores):
        known = merged.setdefault(measure.name, measure)
        if known.title != measure.title:
            merged[measure.name] = known._replace(title=known.title.rstrip("0123456789."))
    return list(merged.values())


def _type_measures(scores: Sequence[Score]) -> list[Measure]:
    names = {name for score in scores for row in score.by_type for name in row.estimates}
    return [measure._replace(title=measure.name) for measure in merged_measures(scores) if measure.name in names]


def row_labels(scores: Sequence[Score], title: str = "system") -> tuple[list[Column], list[list[Cell]]]:
    """The leading columns that tell rows apart."""
    several = len({score.metric for score in scores}) > 1
    columns = [Column(title), Column("metric", only="" if several else "data")]
    return columns, [[score.system, score.metric] for score in scores]


def _type_record(row: TypeScore, *, with_intervals: bool) -> dict[str, object]:
    values = {name: estimate.value for name, estimate in row.estimates.items()}
    record: dict[str, object] = {"type": row.type, **values, **row.counts}
    if with_intervals and len(row.estimates) == 1:
        record["interval"] = interval_record(next(iter(row.estimates.values())))
    elif with_intervals:
        record["intervals"] = {name: interval_record(estimate) for name, estimate in row.estimates.items()}
    return record
