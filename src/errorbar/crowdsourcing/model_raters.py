"""The kind of rater that a language model is: agreement with people, errors, leanings, and how steady it is.

Formula
    Of item i, n_i people gave c_il times the label l, and s_il is the share of a model's judgments of the item that
    say l. Every measure is a ratio of two sums over items, sum a_i / sum b_i, with e_i = c_i,error:
    agreement: a = sum_l s_il c_il / n_i, b = 1; of people with people a = sum_l c_il (c_il - 1) / (n_i (n_i - 1)).
    sensitivity: a = b s_i,error with b = e_i / n_i; of people a = e_i (e_i - 1) / (n_i (n_i - 1)), which is one person
    against the others. specificity: the same of all that is no error. With true labels b is 1 where the truth is an
    error and 0 elsewhere, and people have a = b e_i / n_i.
    first position, longer output, own family: of the judgments that prefer one of two outputs, the share that prefers
    the upper, the longer one, or the one that a system of the model's family wrote.
    same answer again, same answer in the other order: of all pairs of one model's judgments of one item, with the
    outputs in one order or in two, the share that says the same.
    drift: the mean over items that the model judged at different times of (agreement of the last judgment with people)
    - (that of the first), or with the truth where there is one; drift of errors: of the share that says "error".
    An interval lets items and people vary: the jackknife leaves out one item, and one person with all their judgments,
    and half its width is sqrt(t_I^2 V_I + t_P^2 V_P) (``stats.two_way``). What rests on no person varies over items.
Conventions
    Agreement, sensitivity and specificity are of items with two people or more, so that model and people are measured
    on the same items, and the difference is paired; where no item has two, of all items, and people have no figure. Of
    a person's repeated judgments the first counts. A model's repeated judgments of an item share one vote. Pairs of
    outputs from one ranking are one item where items vary. A share of 0 or 1 shows no spread: it has Wilson's interval
    of as many trials as there are items.
Source
    Ratios of sums and their jackknife: Cochran 1977, Sampling techniques, section 6.17. Human agreement beside the
    model's: Artstein & Poesio 2008. Leanings of models that judge: Zheng et al. 2023, Judging LLM-as-a-judge, section
    3.3 (position, verbosity, self-enhancement).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags, Floats, Ints
from errorbar.core.estimate import Estimate, Interval, Scale, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.two_way import texts_and_runs, two_way

PeopleVary = Literal["random", "fixed"]
SHARE, CHANGE = Scale(0, 1), Scale(-1, 1, cut=True)
NOBODY = Estimate(None, 0, undefined=Undefined.TOO_FEW_RATERS)
NOT_ASKED = Estimate(None, 0, undefined=Undefined.NO_VALUE)
SIDES = ("first", "second")
"""Labels that prefer one of two outputs."""


@dataclass(frozen=True, slots=True, eq=False)
class RatedTable:
    """Judgments of people and of models, and what is known of each judgment and item.

    Attributes:
        judgments: All of them, repeated ones too.
        models: Names of the raters that are models.
        cluster: Of each item what varies as one, e.g. the ranking that pairs are from; shape (items,).
        upper: Code of the label that prefers the output that stood first; -1: not known; shape (judgments,).
        longer: The same for the longer output; -1: they are as long, or not known; shape (items,).
        writers: Of each item who wrote the first and the second output; empty: not known.
        time: When a judgment was given, in seconds; NaN: not known; shape (judgments,).
        groups: Of each column its value for each item; "": none.
    """

    judgments: Judgments
    models: frozenset[str]
    cluster: Ints
    upper: Ints
    longer: Ints
    writers: Sequence[tuple[str, str]]
    time: Floats
    groups: Mapping[str, Sequence[str]]

    @property
    def by_model(self) -> Flags:
        """Which judgments are those of models; shape (judgments,)."""
        return np.isin(np.asarray(self.judgments.raters), sorted(self.models))[self.judgments.rater]


class ModelMeasure(NamedTuple):
    """A measure of a model, the same of people, and by how much the model has more of it."""

    model: str
    measure: str
    group: str  # ``column=value`` of the items that it is about; empty: all
    estimate: Estimate
    people: Estimate
    difference: Estimate
    n_judgments: int  # of the model


class Ratio(NamedTuple):
    """Two sums over clusters of items, and what they are without each person."""

    a: Floats  # shape (clusters,)
    b: Floats
    without: tuple[Floats, Floats] | None = None  # both sums without each person; None: no person matters


class Variation(NamedTuple):
    """The sources of variation that intervals allow for, and their confidence level."""

    people: PeopleVary
    level: float


def measure_models(
    table: RatedTable,
    *,
    errors: Sequence[int] = (),
    truth: Mapping[str, str] | None = None,
    families: Mapping[str, frozenset[str]] | None = None,
    people: PeopleVary = "random",
    confidence_level: float = 0.95,
) -> list[ModelMeasure]:
    """Measure every model, in the order of the table.

    Args:
        table: The judgments.
        errors: Codes of the labels that mean an error; (): nothing is one.
        truth: Item to true label, for sensitivity, specificity and drift; None: what people say.
        families: Of a model the systems of its own family.
        people: Whether intervals let people vary as items do.
        confidence_level: Of the intervals.

    Raises:
        UsageError: If nobody is a model, or nobody a person.
    """
    judgments, by_model = table.judgments, table.by_model
    if not by_model.any():
        message = "no judgment is of a model"
        raise UsageError(Problem("crowd-models", message, fix="say who is one in the column 'rater_kind': model"))
    if by_model.all():
        message = "all judgments are of models: there is nobody to compare them with"
        raise UsageError(Problem("crowd-models", message, expected="judgments of people of the same items"))
    varied = Variation(people, confidence_level)
    crowd = _People(table, errors, truth, varied)
    rows: list[ModelMeasure] = []
    for code, name in enumerate(judgments.raters):
        if name in table.models and (own := np.flatnonzero(judgments.rater == code)).size:
            rows += crowd.compare(name, own)
            rows += _leanings(table, name, own, (families or {}).get(name, frozenset()), varied)
            rows += _steadiness(table, name, own, crowd, varied)
    return rows


@dataclass(frozen=True, slots=True)
class _Counts:
    """People's judgments of items: how many there are, how many say "error", and how many pairs of them agree."""

    n: Floats
    errors: Floats
    agreeing: Floats  # sum_l c (c - 1)


class _People:
    """The people of a table, each item once by each of them."""

    def __init__(
        self, table: RatedTable, errors: Sequence[int], truth: Mapping[str, str] | None, varied: Variation
    ) -> None:
        everything = table.judgments
        judged = everything.take(~table.by_model)
        self.table, self.varied, self.errors = table, varied, np.isin(np.arange(len(everything.labels)), list(errors))
        self.judgments = judged.take(judged.settled("first"))
        self.counts = self.judgments.label_weights()
        n, said = self.counts.sum(axis=1), self.counts[:, self.errors].sum(axis=1)
        self.all = _Counts(n, said, (self.counts * (self.counts - 1)).sum(axis=1))
        self.least = 2 if (n >= 2).any() else 1
        self.truth = _true_labels(everything, truth)

    def compare(self, name: str, own: Ints) -> Iterator[ModelMeasure]:
        """Agreement, sensitivity and specificity of a model, of all items and of those of each group."""
        shares = self.shares_of(own)
        for group, mask in self._groups(shares.sum(axis=1) > 0):
            counted = mask & (self.all.n >= self.least)
            n_judgments = int(counted[self.table.judgments.item[own]].sum())
            for measure in ("agreement", *(("sensitivity", "specificity") if self.errors.any() else ())):
                yield self._measured(name, measure, group, shares, mask, n_judgments)

    def shares_of(self, rows: Ints) -> Floats:
        """The share of each label in some judgments of each item, 0 of items without any; shape (items, labels)."""
        weights = replace(self.table.judgments, weight=None).take(rows).label_weights()
        return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1), np.float64)

    def target(self) -> Floats:
        """The share of each label in the truth: that of people, or the true label alone; NaN where there is none."""
        if self.truth is not None:
            known = np.where(self.truth[:, None] >= 0, 0.0, np.nan) + np.zeros(self.counts.shape)
            known[self.truth >= 0, self.truth[self.truth >= 0]] = 1.0
            return known
        n = self.counts.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(self.counts, n, out=np.full(self.counts.shape, np.nan), where=n > 0))

    def _groups(self, judged: Flags) -> Iterator[tuple[str, Flags]]:
        yield "", judged
        for column, values in self.table.groups.items():
            for value in sorted({*values} - {""}):
                mask = np.array([each == value for each in values], np.bool_) & judged
                if mask.any():
                    yield f"{column}={value}", mask

    def _measured(
        self, name: str, measure: str, group: str, shares: Floats, mask: Flags, n_judgments: int
    ) -> ModelMeasure:
        of_model, of_people = self._ratios(measure, shares, mask)
        beside = of_people if self.least > 1 or (self.truth is not None and measure != "agreement") else None
        model, humans, difference = _compared(of_model, beside, self.varied, NOBODY)
        return ModelMeasure(name, measure, group, model, humans, difference, n_judgments)

    def _ratios(self, measure: str, shares: Floats, mask: Flags) -> tuple[Ratio, Ratio]:
        """The sums of a model and of people, and what they are without each person."""
        item = self.judgments.item.astype(np.int64)
        rater, label = self.judgments.rater, self.judgments.label
        same, says = (shares * self.counts).sum(axis=1), shares[:, self.errors].sum(axis=1)
        parts = self._parts(measure, self.all, same, says, np.arange(len(mask)))
        without = _Counts(
            self.all.n[item] - 1,
            self.all.errors[item] - self.errors[label],
            self.all.agreeing[item] - 2 * (self.counts[item, label] - 1),
        )
        left = self._parts(measure, without, same[item] - shares[item, label], says[item], item)
        n_people, n_clusters = len(self.judgments.raters), int(self.table.cluster.max(initial=-1)) + 1
        there = np.bincount(rater, mask[item], minlength=n_people) > 0
        ratios: list[Ratio] = []
        for at in (0, 2):
            sums: list[Floats] = []
            totals: list[Floats] = []
            for part, part_left in zip(parts[at : at + 2], left[at : at + 2], strict=True):
                values = part * mask
                sums.append(_sum_by(self.table.cluster, values, n_clusters))
                change = _sum_by(rater, values[item] - part_left * mask[item], n_people)
                totals.append(values.sum() - change[there])
            of_truth_alone = self.truth is not None and measure != "agreement" and at == 0
            ratios.append(Ratio(sums[0], sums[1], None if of_truth_alone else (totals[0], totals[1])))
        return ratios[0], ratios[1]

    def _parts(self, measure: str, counts: _Counts, same: Floats, says: Floats, item: Ints) -> tuple[Floats, ...]:
        """The a and b of a model, then of people, for items by some counts."""
        n, errors = counts.n, counts.errors
        if self.truth is not None and measure != "agreement":
            known = self.truth[item]
            is_error = (known >= 0) & self.errors[known]
            b = (is_error if measure == "sensitivity" else (known >= 0) & ~is_error).astype(np.float64)
            right, said = (says, errors) if measure == "sensitivity" else (1 - says, n - errors)
            asked = b * (n > 0)
            return b * right, b, asked * said / np.maximum(n, 1), asked
        enough = (n >= self.least).astype(np.float64)
        one, pairs = np.maximum(n, 1), np.maximum(n * (n - 1), 1)
        if measure == "agreement":
            return enough * same / one, enough, enough * counts.agreeing / pairs, enough
        said, right = (errors, says) if measure == "sensitivity" else (n - errors, 1 - says)
        b = enough * said / one
        return b * right, b, enough * said * (said - 1) / pairs, b


def _true_labels(judgments: Judgments, truth: Mapping[str, str] | None) -> Ints | None:
    """Code of each item's true label, -1 where it is not known; None: no truth is given."""
    if truth is None:
        return None
    codes = {name: code for code, name in enumerate(judgments.labels)}
    if wrong := [label for item, label in truth.items() if label not in codes and item in {*judgments.items}]:
        message = f"the true label '{wrong[0]}' is not one of the judgments'"
        raise UsageError(Problem("crowd-gold", message, fix=nearest(wrong[0], codes)))
    known = np.array([codes.get(truth.get(item, ""), -1) for item in judgments.items], np.int64)
    if (known < 0).all():
        message = f"none of the {len(truth)} gold items was judged"
        raise UsageError(Problem("crowd-gold", message, fix="check that both files call items by the same names"))
    return known


def _compared(
    model: Ratio, people: Ratio | None, varied: Variation, none: Estimate = NOT_ASKED
) -> tuple[Estimate, Estimate, Estimate]:
    """Estimates of a model's ratio, of people's, and of the difference; ``none`` where people have no figure."""
    of_model = _estimate([model], varied)
    if people is None:
        return of_model, none, none
    return of_model, _estimate([people], varied), _estimate([model, people], varied, CHANGE)


def _estimate(ratios: Sequence[Ratio], varied: Variation, scale: Scale = SHARE) -> Estimate:
    """A ratio, or the first minus the second, with its interval over items, and over people where they matter."""
    value, without_cluster, without_person = 0.0, np.zeros(1), np.zeros(1)
    counted = np.logical_or.reduce([ratio.b > 0 for ratio in ratios])
    n, vary = int(counted.sum()), False
    for ratio, sign in zip(ratios, (1, -1), strict=False):
        if not ratio.b.sum():
            return Estimate(None, n, undefined=Undefined.NO_UNITS)
        value += sign * float(ratio.a.sum() / ratio.b.sum())
        without_cluster = without_cluster + sign * _divide(
            ratio.a.sum() - ratio.a[counted], ratio.b.sum() - ratio.b[counted]
        )
        if ratio.without is not None and varied.people == "random":
            vary = True
            without_person = without_person + sign * _divide(*ratio.without)
        else:
            without_person = without_person + sign * float(ratio.a.sum() / ratio.b.sum())
    value = min(max(value, -1.0), 1.0)
    estimate = Estimate(value, n)
    if scale is SHARE and min(value, 1 - value) < 1e-12:
        return estimate.with_interval(proportion_interval(round(value) * n, n, confidence_level=varied.level))
    if vary:
        spread = two_way(value, without_cluster, without_person, few=True)
    else:
        spread = texts_and_runs(value, without_cluster, 0.0, np.inf)
    if isinstance(spread, Undefined):
        return estimate.with_interval(spread)
    interval = spread.interval(varied.level, scale)
    if isinstance(interval, Interval):
        interval = interval._replace(method="jackknife over items and people, t" if vary else "jackknife over items, t")
    return estimate.with_interval(interval)


def _divide(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.divide(a, b, out=np.full(np.shape(a), np.nan), where=b > 1e-9), np.float64)


def _leanings(
    table: RatedTable, name: str, own: Ints, family: frozenset[str], varied: Variation
) -> Iterator[ModelMeasure]:
    """The share of preferences for the upper, the longer and the own family's output, of the model and of people."""
    judgments = table.judgments
    sides = [judgments.labels.index(side) if side in judgments.labels else -1 for side in SIDES]
    own_side = np.full(len(judgments.items), -1, np.int64)
    if family:
        for at, names in enumerate(table.writers):
            ours = [bool(family & {*writers.split("|")}) for writers in names]
            if ours[0] != ours[1]:
                own_side[at] = sides[ours.index(True)]
    targets = {
        "first position": table.upper,
        "longer output": table.longer[judgments.item],
        "own family": own_side[judgments.item],
    }
    for measure, target in targets.items():
        counted = np.isin(judgments.label, sides) & (target >= 0)
        rows = own[counted[own]]
        if rows.size:
            chosen = judgments.label == target
            same_items = np.isin(judgments.item, np.unique(judgments.item[rows]))
            humans = np.flatnonzero(counted & same_items & ~table.by_model)
            of_people = _row_ratio(table, humans, chosen, people=True) if humans.size else None
            compared = _compared(_row_ratio(table, rows, chosen), of_people, varied)
            yield ModelMeasure(name, measure, "", *compared, rows.size)


def _row_ratio(table: RatedTable, rows: Ints, value: Flags | Floats, *, people: bool = False) -> Ratio:
    """The mean of a value over judgments, as sums over clusters, and without each person."""
    judgments, n_clusters = table.judgments, int(table.cluster.max(initial=-1)) + 1
    cluster, own = table.cluster[judgments.item[rows]], value[rows].astype(np.float64)
    ones = np.ones(len(rows))
    a, b = _sum_by(cluster, own, n_clusters), _sum_by(cluster, ones, n_clusters)
    if not people:
        return Ratio(a, b)
    _, person = np.unique(judgments.rater[rows], return_inverse=True)
    n_people = int(person.max()) + 1
    return Ratio(a, b, (own.sum() - _sum_by(person, own, n_people), len(rows) - _sum_by(person, ones, n_people)))


def _sum_by(key: NDArray[np.integer[Any]], values: Floats, n: int) -> Floats:
    """The sums of values by key; shape (n,)."""
    return np.asarray(np.bincount(key, values, minlength=n), np.float64)


def _steadiness(table: RatedTable, name: str, own: Ints, crowd: _People, varied: Variation) -> Iterator[ModelMeasure]:
    """How often a model says the same again, and how its judgments change with time."""
    judgments = table.judgments
    humans = np.flatnonzero(~table.by_model)
    comparisons: dict[str, Callable[[int, int], bool]] = {
        "same answer again": lambda one, two: table.upper[one] == table.upper[two],
        "same answer in the other order": lambda one, two: (
            table.upper[one] != table.upper[two] and min(table.upper[one], table.upper[two]) >= 0
        ),
    }
    for measure, are_compared in comparisons.items():
        repeated = _pair_ratio(table, own, are_compared)
        if repeated.b.any():
            of_people = _pair_ratio(table, humans, are_compared)
            compared = _compared(repeated, of_people if of_people.b.any() else None, varied)
            yield ModelMeasure(name, measure, "", *compared, own.size)
    timed = own[~np.isnan(table.time[own])]
    timed = timed[np.argsort(table.time[timed], kind="stable")]
    anchors = [rows for rows in _split_by(judgments.item[timed], timed) if table.time[rows[0]] < table.time[rows[-1]]]
    if not anchors:
        return
    first, last = (np.array([rows[end] for rows in anchors]) for end in (0, -1))
    right, said = crowd.target()[judgments.item, judgments.label], crowd.errors[judgments.label].astype(np.float64)
    for measure, value in {"drift": right, **({"drift of errors": said} if crowd.errors.any() else {})}.items():
        change = value[last] - value[first]
        known = ~np.isnan(change)
        cluster, n_changes = table.cluster[judgments.item[last[known]]], np.ones(int(known.sum()))
        n = int(cluster.max(initial=-1)) + 1
        drift = _estimate([Ratio(_sum_by(cluster, change[known], n), _sum_by(cluster, n_changes, n))], varied, CHANGE)
        yield ModelMeasure(name, measure, "", drift, NOT_ASKED, NOT_ASKED, sum(map(len, anchors)))


def _split_by(key: NDArray[np.integer[Any]], rows: Ints) -> list[Ints]:
    """Rows of one key together, in the order given, where there are several."""
    order = np.argsort(key, kind="stable")
    parts = np.split(rows[order], np.flatnonzero(np.diff(key[order])) + 1)
    return [part for part in parts if len(part) > 1]


def _pair_ratio(table: RatedTable, rows: Ints, are_compared: Callable[[int, int], bool]) -> Ratio:
    """Pairs of one rater's judgments of one item that say the same, and all such pairs, by cluster."""
    judgments, n_clusters = table.judgments, int(table.cluster.max(initial=-1)) + 1
    a, b = np.zeros(n_clusters), np.zeros(n_clusters)
    for group in _split_by(judgments.item[rows].astype(np.int64) * len(judgments.raters) + judgments.rater[rows], rows):
        for one, two in combinations(group.tolist(), 2):
            if are_compared(one, two):
                at = int(table.cluster[judgments.item[one]])
                a[at] += judgments.label[one] == judgments.label[two]
                b[at] += 1
    return Ratio(a, b)
