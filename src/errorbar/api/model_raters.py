"""The public function that tells what kind of rater a language model is, beside the people who judged the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from errorbar.api.arguments import Confidence, Lenient, public
from errorbar.api.crowd_answers import AnswerSource
from errorbar.api.judgment_input import column_roles, labels_by_role, paths_of
from errorbar.core.judgments import Judgments
from errorbar.core.labels import natural_order, usual_order
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest
from errorbar.crowdsourcing.answers import USUAL, error_codes
from errorbar.crowdsourcing.model_raters import SIDES, ModelMeasure, PeopleVary, RatedTable, measure_models
from errorbar.formats.judgments import read_answers
from errorbar.formats.look import Source
from errorbar.formats.model_rows import ModelRows, collect_rows
from errorbar.formats.reference import expand_files
from errorbar.formats.tables import TableFields, table_rows
from errorbar.tables.plain import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from errorbar.core.arrays import Ints

MixedTable = Source | Sequence[Source] | Sequence[Mapping[str, object]]
"""A table of people's and models' judgments: paths, or a dictionary for each row."""
NOTES = {
    "agreement": "agreement: with a person who judged the same item; people: with each other",
    "sensitivity": "sensitivity, specificity: an item counts as the share of people who call it an error",
    "first position": "first position, longer output, own family: of judgments that prefer one output, those for this",
    "same answer again": "same answer: of two judgments of one item by the same rater",
    "drift": "drift: from the first to the last judgment of an item; of agreement, and of saying error",
}


@dataclass(frozen=True, slots=True, repr=False)
class ModelRaters(Result):
    """What kind of rater each model is.

    Attributes:
        measures: Every measure of every model, beside that of people.
        people: Whether intervals let people vary as items do.
        by_truth: Whether sensitivity, specificity and drift are measured by true labels.
        level: The confidence level.
        notes: Warnings and repairs.
    """

    measures: Sequence[ModelMeasure]
    people: PeopleVary
    by_truth: bool
    level: float
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every measure."""
        measures = [
            {
                "model": row.model,
                "measure": row.measure,
                "group": row.group,
                "value": estimate_record(row.estimate),
                "people": estimate_record(row.people),
                "difference": estimate_record(row.difference),
                "n_judgments": row.n_judgments,
            }
            for row in self.measures
        ]
        return {"measures": measures, "people_vary": self.people == "random", "by_truth": self.by_truth}

    def tables(self) -> list[Table]:
        """One table."""
        columns = [Column("model"), Column("measure"), Column("of", "text", "group"), Column("judgments", "count")]
        columns += [Column("items", "count")]
        columns += [Column("value", "percent", interval="beside"), Column("people", "percent", interval="beside")]
        columns += [Column("difference", "percent", interval="beside", signed=True)]
        rows: list[list[Cell]] = []
        for row in self.measures:
            start: list[Cell] = [row.model, row.measure, row.group or "all", row.n_judgments, row.estimate.n_units]
            rows.append([*start, row.estimate, row.people, row.difference])
        there = {row.measure for row in self.measures}
        notes = [note for measure, note in NOTES.items() if measure in there]
        if self.by_truth:
            notes[1:2] = ["sensitivity, specificity, drift: by the true labels of --gold"]
        both = "items and people" if self.people == "random" else "items"
        notes.append(f"intervals let {both} vary; the truth is what people say: no figure here is one about the texts")
        return [Table(columns, rows, "Models as raters", "models", notes, self.level)]


@public()
def crowd_models(
    judgments: MixedTable,
    *,
    gold: AnswerSource | None = None,
    about: Source | None = None,
    by: str | Sequence[str] = (),
    family: str | Sequence[str] = (),
    people: PeopleVary = "random",
    column: Mapping[str, str] | str | Sequence[str] = (),
    labels: str | Sequence[str] = (),
    error: str | Sequence[str] = (),
    unknown: str | Sequence[str] = (),
    confidence: Confidence = 0.95,
    lenient: Lenient = False,
) -> ModelRaters:
    """Tell what kind of rater each model is: agreement with people, errors, leanings, steadiness, with intervals.

    Args:
        judgments: Tables item, rater, label, rater_kind, of people and of models. In Python also a dictionary for each
            row.
        gold: Table item,label of true labels, for sensitivity, specificity and drift. None: what people say.
        about: Table of the items with stratum, type, candidate1, candidate2, or a study's export as JSON lines.
        by: Column that groups items; repeatable. Empty: stratum and type, where there are such columns.
        family: Systems of a model's own family, MODEL=SYSTEM,SYSTEM, whose outputs it may prefer.
        people: Whether intervals let people vary as items do, or keep those who judged.
        column: Name of a column: of the item, rater or label, e.g. rater=worker.
        labels: What labels mean, as ROLE=LABEL (error=: an error, also a rule such as '<4'; unknown=: 'cannot say').
        error: Labels that mean an error, in any case, or rules about numbers such as ``<4``. Empty: ``error``.
        unknown: Labels that mean "cannot say"; they count as not given.
        confidence: Confidence level of intervals, a fraction.

    Raises:
        InputError: If a file is bad.
        UsageError: If nobody is a model, or nobody a person, or an option does not fit.
    """
    roles = labels_by_role({"labels": labels, "error": error, "unknown": unknown})
    problems, names = Problems(lenient=lenient), column_roles(column)
    groups = [name for name in ([by] if isinstance(by, str) else by) if name]
    table = collect_rows(
        _rows(judgments, names, problems),
        problems,
        columns=names,
        unknown=roles["unknown"],
        groups=groups,
        about=about,
    )
    problems.raise_errors()
    rated = _rated(table)
    known = gold if gold is None or isinstance(gold, Mapping) else read_answers(gold, problems)
    measures = measure_models(
        rated,
        errors=_errors(rated.judgments.labels, roles["error"]),
        truth=known,
        families=_families(family, rated.models),
        people=people,
        confidence_level=confidence,
    )
    return ModelRaters(measures, people, known is not None, confidence, tuple(problems.notes))


def _rows(
    judgments: MixedTable, names: Mapping[str, str], problems: Problems
) -> Iterator[tuple[Mapping[str, str], Place]]:
    if isinstance(judgments, list | tuple) and judgments and isinstance(judgments[0], Mapping):
        for row in cast("Sequence[Mapping[str, object]]", judgments):
            yield {str(key): "" if value is None else str(value) for key, value in row.items()}, Place()
        return
    roles = {names.get(role, role): role for role in ("item", "rater", "label")}
    wanted = TableFields(tuple(roles), roles, "judgments", "judgments-header")
    for file in expand_files(paths_of(cast("Source | Sequence[Source]", judgments))):
        yield from table_rows(file.path, problems, wanted)


def _rated(table: ModelRows) -> RatedTable:
    """The judgments as arrays; items, raters and labels in an order that no row decides."""
    rows = sorted(table.rows, key=lambda row: (row.item, row.rater))
    first = [side for side in SIDES if any(row.label == side for row in rows)]
    judged = Judgments.from_columns(
        [row.item for row in rows], [row.rater for row in rows], [row.label for row in rows], labels=first
    )
    order = natural_order(judged.raters), (*first, *usual_order([name for name in judged.labels if name not in first]))
    judged, at = judged.arranged(*order)
    sides = {name: code for code, name in enumerate(judged.labels) if name in SIDES}
    clusters: dict[str, int] = {}
    of_item = {row.item: row for row in rows}
    known = [of_item[name] for name in judged.items]
    longer = [_longer(table, row.cluster, row.writers, sides) for row in known]
    return RatedTable(
        judged,
        table.models & {*judged.raters},
        np.array([clusters.setdefault(row.cluster, len(clusters)) for row in known], np.int64),
        _codes([rows[number].top for number in at], sides),
        np.array(longer, np.int64),
        [row.writers for row in known],
        np.array([rows[number].at for number in at], np.float64),
        {name: [values.get(row.cluster, "") for row in known] for name, values in table.groups.items()},
    )


def _codes(names: Iterable[str], sides: Mapping[str, int]) -> Ints:
    return np.array([sides.get(name, -1) for name in names], np.int64)


def _longer(table: ModelRows, cluster: str, writers: tuple[str, str], sides: Mapping[str, int]) -> int:
    """The code of the label that prefers the longer output; -1: they are as long, or not known."""
    outputs = table.outputs.get(cluster)
    if outputs is None:
        return -1
    lengths = outputs.pair
    if all(name in outputs.lengths for name in writers):
        lengths = outputs.lengths[writers[0]], outputs.lengths[writers[1]]
    if lengths is None or lengths[0] == lengths[1]:
        return -1
    return sides.get(SIDES[lengths[1] > lengths[0]], -1)


def _errors(labels: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """The codes of labels that mean an error; none where nobody names one and no label is called so."""
    if not wanted and USUAL not in {label.lower() for label in labels}:
        return []
    return error_codes(labels, wanted)


def _families(families: str | Sequence[str], models: frozenset[str]) -> dict[str, frozenset[str]]:
    """The systems of each model's family; a model may be named without its hash."""
    known = {short: model for model in models for short in (model, model.removeprefix("model:").partition("@")[0])}
    named: dict[str, frozenset[str]] = {}
    for text in [families] if isinstance(families, str) else families:
        if not text:
            continue
        model, equals, systems = text.partition("=")
        if not equals or model not in known:
            message = f"--family={text}"
            raise UsageError(
                Problem("crowd-models", message, expected="MODEL=SYSTEM,SYSTEM", fix=nearest(model, [*known]))
            )
        named[known[model]] = frozenset(filter(None, systems.split(",")))
    return named
