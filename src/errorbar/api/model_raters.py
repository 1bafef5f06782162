"""The public function that tells what kind of rater a language model is, beside the people who judged the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from errorbar.api.arguments import Confidence, Lenient, public
from errorbar.api.crowd_answers import AnswerSource
from errorbar.api.judgment_input import column_roles, labels_by_role, paths_of
from errorbar.core.arrays import Flags, Floats, Ints
from errorbar.core.estimate import Estimate
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
from errorbar.sampling.prediction_powered import (
    FEWEST,
    StratumVotes,
    best_trust,
    guarded_square,
    is_too_few,
    ppi_mean,
)
from errorbar.stats.resampling import z_value
from errorbar.tables.plain import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

MixedTable = Source | Sequence[Source] | Sequence[Mapping[str, object]]
"""A table of people's and models' judgments: paths, or a dictionary for each row."""
NOTES = {
    "agreement": "agreement: with a person who judged the same item; people: with each other",
    "sensitivity": "sensitivity, specificity: an item counts as the share of people who call it an error",
    "first position": "first position, longer output, own family: of judgments that prefer one output, those for this",
    "same answer again": "same answer: of two judgments of one item by the same rater",
    "drift": "drift: from the first to the last judgment of an item; of agreement, and of saying error",
}


@dataclass(frozen=True, slots=True)
class AssistedShare:
    """The share of errors that people would find, without a model and with it.

    Attributes:
        model: The model.
        people: By people alone, of the items that both judged.
        assisted: With what the model says of further items; None: it judged no others.
        model_only: What the model says of all its items: no estimate of what people would say.
        trust: How far the model was used, from 0, not at all, to 1.
        n_further: Items that the model alone judged.
    """

    model: str
    people: Estimate
    assisted: Estimate | None
    model_only: Estimate
    trust: float
    n_further: int


@dataclass(frozen=True, slots=True, repr=False)
class ModelRaters(Result):
    """The kind of rater that each model is.

    Attributes:
        measures: Every measure of every model, beside that of people.
        shares: The share of errors without and with each model, where a label means an error.
        people: Whether intervals let people vary as items do.
        by_truth: Whether sensitivity, specificity and drift are measured by true labels.
        level: The confidence level.
        notes: Warnings and repairs.
    """

    measures: Sequence[ModelMeasure]
    shares: Sequence[AssistedShare]
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
        shares = [
            {
                "model": row.model,
                "people": estimate_record(row.people),
                "assisted": None if row.assisted is None else estimate_record(row.assisted),
                "model_only": estimate_record(row.model_only),
                "trust": row.trust,
                "n_further": row.n_further,
            }
            for row in self.shares
        ]
        about = {"people_vary": self.people == "random", "by_truth": self.by_truth}
        return {"measures": measures, "shares": shares, **about}

    def tables(self) -> list[Table]:
        """The measures, and shares of errors."""
        columns = [Column("model"), Column("measure"), Column("of", "text", "group"), Column("judgments", "count")]
        columns += [Column("items", "count")]
        columns += [Column("value", "percent", interval="beside"), Column("people", "percent", interval="beside")]
        columns += [Column("difference", "percent", interval="beside", signed=True)]
        rows: list[list[Cell]] = []
        for row in self.measures:
            start: list[Cell] = [row.model, row.measure, row.group or "all", row.n_judgments, row.estimate.n_units]
            rows.append([*start, row.estimate, row.people, row.difference])
        there = {row.measure for row in self.measures}
        by_truth = (
            {"sensitivity": "sensitivity, specificity, drift: by the true labels of --gold"} if self.by_truth else {}
        )
        notes = [note for measure, note in {**NOTES, **by_truth}.items() if measure in there]
        both = "items and people" if self.people == "random" else "items"
        notes.append(f"intervals let {both} vary")
        measures = Table(columns, rows, "Models as raters", "models", notes, self.level)
        return [measures, self._share_table()] if self.shares else [measures]

    def _share_table(self) -> Table:
        columns = [Column("model"), Column("estimate"), Column("items", "count"), Column("further", "count")]
        columns += [Column("errors", "percent", interval="beside"), Column("trust", "number", digits=2)]
        rows: list[list[Cell]] = []
        for row in self.shares:
            rows.append([row.model, "people alone", row.people.n_units, None, row.people, None])
            if row.assisted is not None:
                rows.append([row.model, "people and model", row.people.n_units, row.n_further, row.assisted, row.trust])
            rows.append([row.model, "model-only", row.model_only.n_units, None, row.model_only, None])
        notes = [
            "the share of errors that people would find in all items, if those that they judged are a random part",
            "model-only: what the model says, whose bias no interval holds; it is no estimate of what people would say",
            "trust: how far the model is used",
        ]
        return Table(columns, rows, "The share of errors without and with a model", "model-shares", notes, self.level)


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
    errors = _errors(rated.judgments.labels, roles["error"])
    measures = measure_models(
        rated,
        errors=errors,
        truth=known,
        families=_families(family, rated.models),
        people=people,
        confidence_level=confidence,
    )
    shares = [*_assisted_shares(rated, errors, confidence)] if errors else []
    return ModelRaters(measures, shares, people, known is not None, confidence, tuple(problems.notes))


def _assisted_shares(table: RatedTable, errors: Sequence[int], level: float) -> Iterator[AssistedShare]:
    """The share of errors, for each model; items vary, and one that several people judged counts as their share."""
    by_model, judgments = table.by_model, table.judgments
    is_error = np.isin(judgments.label, errors).astype(np.float64)

    def share_of(rows: Flags) -> Floats:
        n = np.bincount(judgments.item[rows], minlength=len(judgments.items))
        sums = np.bincount(judgments.item[rows], is_error[rows], minlength=len(judgments.items))
        return np.asarray(np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0), np.float64)

    people = share_of(~by_model)
    for code, name in enumerate(judgments.raters):
        if name not in table.models:
            continue
        shares = share_of(judgments.rater == code)
        both, alone = ~np.isnan(people) & ~np.isnan(shares), np.isnan(people) & ~np.isnan(shares)
        if both.sum() < 2:
            continue
        every, further = shares[~np.isnan(shares)], shares[alone]
        only = Estimate(float(every.mean()), len(every))  # without an interval: its bias would be in none
        labels = StratumVotes(people[both], shares[both], every, len(every))
        own, helped, trust = _careful_share(labels, further, 0.0, level), None, 0.0
        if len(further) > 1:
            trust = _trust(labels, further)
            helped = _careful_share(labels, further, trust, level)
            if _width(helped) >= _width(own):
                helped, trust = own, 0.0
        yield AssistedShare(name, own, helped, only, trust, len(further))


def _width(share: Estimate) -> float:
    return 1.0 if share.interval is None else share.interval.high - share.interval.low


def _trust(part: StratumVotes, further: Floats) -> float:
    """How far a model is trusted: not at all where too few labels show how it errs."""
    if len(part.labels) < FEWEST or is_too_few(part.labels):
        return 0.0
    return min(max(best_trust(part.labels, part.cheap, further), 0.0), 1.0)


def _careful_share(part: StratumVotes, further: Floats, trust: float, level: float) -> Estimate:
    """The share of errors with a normal interval whose variance is guarded, as that of estimates of samples is."""
    ends = further if trust else part.cheap
    mean = ppi_mean(part.labels, part.cheap, ends, trust=trust, confidence_level=level, divisor="n - 1").estimate
    if mean.interval is None or mean.value is None:
        return _within_shares(mean)
    square = guarded_square(part.labels, part.cheap, part.voted, trust) / len(part.labels)
    half = z_value(level) * float(np.sqrt(square + trust**2 * ends.var(ddof=1) / len(ends)))
    return _within_shares(mean.with_interval(mean.interval._replace(low=mean.value - half, high=mean.value + half)))


def _within_shares(estimate: Estimate) -> Estimate:
    """An estimate of a share, cut at 0 and 1, where no share is beyond."""
    value, interval = estimate.value, estimate.interval
    if interval is not None:
        interval = interval._replace(low=max(interval.low, 0.0), high=min(interval.high, 1.0))
    return replace(estimate, value=None if value is None else min(max(value, 0.0), 1.0), interval=interval)


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
