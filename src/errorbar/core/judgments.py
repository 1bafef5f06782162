"""Judgments: who said what about which item, as columns of integer codes; one that is absent has no row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.labels import is_missing
from errorbar.core.problems import Problem, UsageError, nearest, wrong_type

Codes = NDArray[np.int32]
RepeatPolicy = Literal["refuse", "first", "last", "keep"]
POLICIES: tuple[RepeatPolicy, ...] = get_args(RepeatPolicy)
ABSTENTIONS = ("unknown", "cannot-tell")
"""The labels by which the shipped schemes of ``errorbar judge`` say "cannot say"; maybe nobody gave them."""
MAX_CELLS = 200_000_000  # of the largest dense table that is made: 1.6 GB
FREE_CELLS, CELLS_OF_ONE = 5_000_000, 32  # that few judgments may take; for each, those of a larger table, mostly empty


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """A table of judgments, one row each, in the order given.

    Attributes:
        item: Code of the item, an index into ``items``; shape (judgments,), as the next three.
        rater: Code of the rater.
        label: Code of the label.
        items: Names of the items.
        raters: Names of the raters.
        labels: Names of the labels. Labels nobody used count as possible answers where a formula needs their number.
        weight: How much each judgment counts, e.g. a trust; None: each counts 1.

    Raises:
        UsageError: If the columns differ in length, a code is outside its vocabulary, a vocabulary names
            something twice or not at all, or a weight is negative or not finite.
    """

    item: Codes
    rater: Codes
    label: Codes
    items: tuple[str, ...]
    raters: tuple[str, ...]
    labels: tuple[str, ...]
    weight: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for kind, codes, names in self._columns():
            if not isinstance(codes, np.ndarray):
                raise wrong_type(f"the column '{kind}'", "an array of codes, or see from_columns", codes)
            if codes.ndim != 1 or len(codes) != len(self.item):
                raise _unfit(f"the column '{kind}' has shape {codes.shape}", f"shape ({len(self.item)},)")
            if len(codes) and not (codes.min() >= 0 and codes.max() < len(names)):
                raise _unfit(f"a code of '{kind}' is outside its {len(names)} names", f"0 to {len(names) - 1}")
            if len(set(names)) < len(names) or "" in names:
                raise _unfit(f"a name of '{kind}' is empty or stands twice", "different names that are not empty")
        if self.weight is not None:
            if self.weight.shape != self.item.shape:
                raise _unfit(f"the column 'weight' has shape {self.weight.shape}", f"shape {self.item.shape}")
            if not (np.isfinite(self.weight).all() and (self.weight >= 0).all()):
                raise _unfit("a weight is negative or not finite", "finite weights of at least 0")

    def _columns(self) -> Iterator[tuple[str, Codes, tuple[str, ...]]]:
        yield "item", self.item, self.items
        yield "rater", self.rater, self.raters
        yield "label", self.label, self.labels

    def __len__(self) -> int:
        return len(self.item)

    def __eq__(self, other: object) -> bool:
        """Whether they are the same rows in the same order, with the same vocabularies."""
        if not isinstance(other, Judgments):
            return NotImplemented
        pairs = [*zip(self._columns(), other._columns(), strict=True)]
        own, others = (np.ones(len(one)) if one.weight is None else one.weight for one in (self, other))
        same = all(names == known and np.array_equal(a, b) for (_, a, names), (_, b, known) in pairs)
        return same and np.array_equal(own, others)

    def __hash__(self) -> int:
        return hash((self.items, self.raters, self.labels, len(self)))

    @classmethod
    def from_columns(
        cls,
        item: Iterable[object],
        rater: Iterable[object],
        label: Iterable[object],
        weight: Iterable[float] | None = None,
        *,
        labels: Sequence[str] = (),
    ) -> Judgments:
        """Make judgments of columns: lists, numpy arrays, or columns of a pandas or polars frame.

        Names are what ``str`` makes of the values, without white space around it, coded in order of appearance;
        ``labels`` get the first codes, in this order, to declare possible or ordered ones. A row whose label is None,
        NaN or "" is a missing judgment: it makes its item and rater known and is not kept. Among whole numbers 1.0 is
        1, as in a column with missing ones.

        Raises:
            UsageError: As the class does.
        """
        for column_name, column in (("item", item), ("rater", rater), ("label", label)):
            if not isinstance(column, Iterable):
                raise wrong_type(f"the column '{column_name}'", "a list of values", column)
        item_names: dict[str, int] = {}
        rater_names: dict[str, int] = {}
        label_names = {name: code for code, name in enumerate(labels)}
        item_codes = _encode(_named("item", item), item_names)
        rater_codes = _encode(_named("rater", rater), rater_names)
        values = label_texts(label)
        if not len(item_codes) == len(rater_codes) == len(values):
            lengths = f"{len(item_codes)}, {len(rater_codes)} and {len(values)}"
            raise _unfit(f"the columns item, rater and label have {lengths} rows", "columns of one length")
        weights = None if weight is None else column_numbers("weight", weight)
        if weights is not None and len(weights) != len(values):
            raise _unfit(f"the column 'weight' has {len(weights)} rows", f"{len(values)} rows")
        labeled = np.array([value is not None for value in values], np.bool_)
        codes = (
            item_codes[labeled],
            rater_codes[labeled],
            _encode((each for each in values if each is not None), label_names),
        )
        names = tuple(item_names), tuple(rater_names), tuple(label_names)
        return cls(*codes, *names, None if weights is None else weights[labeled])

    @classmethod
    def from_matrix(
        cls, rows: Sequence[Sequence[object]], *, raters: Sequence[str] = (), labels: Sequence[str] = ()
    ) -> Judgments:
        """Make judgments of a table with one row per item and one column per rater; None is a missing judgment."""
        rows = [_listed("a row of the table", row) for row in _listed("the table", rows)]
        width = len(raters) or (len(rows[0]) if rows else 0)
        if any(len(row) != width for row in rows):
            raise _unfit("the rows of the table differ in length", f"{width} raters in each")
        names = list(raters) or [str(number) for number in range(1, width + 1)]
        items = [number for number in range(1, len(rows) + 1) for _ in range(width)]
        return cls.from_columns(items, names * len(rows), [value for row in rows for value in row], labels=labels)

    @classmethod
    def joined(cls, tables: Sequence[Judgments]) -> Judgments:
        """The judgments of several tables one after the other; what has one name is one item, rater or label."""
        columns: list[Codes] = []
        vocabularies: list[tuple[str, ...]] = []
        for same in zip(*(table._columns() for table in tables), strict=True):
            known: dict[str, int] = {}
            columns.append(np.concatenate([_encode(names, known)[codes] for _, codes, names in same]))
            vocabularies.append(tuple(known))
        weights = [table.weight for table in tables if table.weight is not None]
        if weights and len(weights) < len(tables):
            raise _unfit("some tables have weights and some have none", "weights in all or in none")
        (item, rater, label), (items, raters, labels) = columns, vocabularies
        return cls(item, rater, label, items, raters, labels, np.concatenate(weights) if weights else None)

    def to_columns(self) -> dict[str, list[str] | list[float]]:
        """The judgments as named columns, ready for ``pandas.DataFrame`` or ``polars.DataFrame``."""
        weight = {} if self.weight is None else {"weight": self.weight.tolist()}
        return {name: [names[code] for code in codes.tolist()] for name, codes, names in self._columns()} | weight

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Judgments:
        """Some judgments, by a mask or row numbers; every name stays known."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, item=self.item[rows], rater=self.rater[rows], label=self.label[rows], weight=weight)

    def arranged(self, raters: Sequence[str], labels: Sequence[str]) -> tuple[Judgments, NDArray[np.int64]]:
        """The same judgments with all raters and labels in another order, by item and then rater; and the row each had.

        Where the order of rows and files is to change no digit, nothing may depend on who came first.
        """
        rater = _encode(self.raters, {name: at for at, name in enumerate(raters)})[self.rater]
        label = _encode(self.labels, {name: at for at, name in enumerate(labels)})[self.label]
        rows = np.argsort(self.item.astype(np.int64) * max(len(raters), 1) + rater, kind="stable")
        known = replace(self, rater=rater, raters=tuple(raters), label=label, labels=tuple(labels))
        return known.take(rows), rows

    def only(self, raters: Sequence[str]) -> Judgments:
        """The judgments of some raters, in the order given; every item stays known."""
        new = np.full(len(self.raters), -1, np.int32)
        known = {name: code for code, name in enumerate(self.raters)}
        for code, name in enumerate(raters):
            new[known[name] if name in known else code_of(name, self.raters, "rater")] = code
        kept = self.take(new[self.rater] >= 0)
        return replace(kept, rater=new[kept.rater], raters=tuple(raters))

    def without(self, labels: Sequence[str]) -> Judgments:
        """The judgments without some labels, e.g. "Unknown", which then count as not given.

        Raises:
            UsageError: If no judgment has or may have such a label, and no shipped scheme either (``ABSTENTIONS``).
        """
        known = [name for name in labels if name in self.labels or name not in ABSTENTIONS]
        stays = ~np.isin(np.arange(len(self.labels)), [code_of(name, self.labels, "label") for name in known])
        kept = self.take(stays[self.label])
        names = tuple(name for name, stay in zip(self.labels, stays, strict=True) if stay)
        return replace(kept, label=(np.cumsum(stays, dtype=np.int32) - 1)[kept.label], labels=names)

    def n_repeated(self) -> int:
        """How many judgments repeat an item that the same rater had judged before."""
        pairs = np.sort(self._pairs())
        return int((pairs[1:] == pairs[:-1]).sum())

    def first_rows(self) -> NDArray[np.int64]:
        """Of each judgment the row where the same rater judged the same item first; shape (judgments,)."""
        _, first, group = np.unique(self._pairs(), return_index=True, return_inverse=True)
        return np.asarray(first[group], np.int64)

    def _pairs(self) -> NDArray[np.int64]:
        return self.item.astype(np.int64) * len(self.raters) + self.rater

    def settled(self, policy: RepeatPolicy) -> NDArray[np.bool_]:
        """Which judgments to keep of repeated ones, shape (judgments,); ``keep``: all; ``refuse``: an error."""
        if policy not in POLICIES:
            message = f"no policy for repeated judgments is called '{policy}'"
            raise UsageError(Problem("crowd-repeats", message, fix=nearest(policy, POLICIES)))
        n = 0 if policy == "keep" else self.n_repeated()
        if not n:
            return np.ones(len(self), np.bool_)
        if policy == "last":
            return self.take(np.arange(len(self))[::-1]).settled("first")[::-1]
        kept = np.asarray(self.first_rows() == np.arange(len(self)), np.bool_)
        if policy == "refuse":
            row = int(np.flatnonzero(~kept)[0])
            who, item = self.raters[self.rater[row]], self.items[self.item[row]]
            repeated = "1 judgment repeats" if n == 1 else f"{n:,} judgments repeat"
            message = f"{repeated} an item that the same rater had judged before, first: '{who}' of '{item}'"
            raise UsageError(Problem("crowd-repeats", message, fix="choose first, last or keep (--repeats)"))
        return kept

    def label_weights(self) -> NDArray[np.float64]:
        """Total weight of each label of each item; shape (items, labels), unless that is far more than judgments."""
        n_items, n_labels = len(self.items), len(self.labels)
        most = min(MAX_CELLS, max(FREE_CELLS, CELLS_OF_ONE * len(self)))
        if n_items * n_labels > most:
            message = f"a table of {n_items:,} items and {n_labels:,} labels has more than {most:,} cells"
            raise UsageError(Problem("judgments-large", message, fix="judge in parts, or group the labels"))
        cells = self.item.astype(np.int64) * n_labels + self.label
        summed = np.bincount(cells, self.weight, minlength=n_items * n_labels)
        return summed.reshape(n_items, n_labels).astype(np.float64)


def code_of(name: str, names: Sequence[str], what: str) -> int:
    """The code of a name; what it is a name of is for the message where it is none."""
    if name not in names:
        raise UsageError(Problem("judgments-unknown", f"no {what} '{name}' in the judgments", fix=nearest(name, names)))
    return list(names).index(name)


def _encode(values: Iterable[object], names: dict[str, int]) -> Codes:
    return np.fromiter((names.setdefault(str(value), len(names)) for value in values), np.int32)


def label_texts(values: Iterable[object]) -> list[str | None]:
    """Labels as texts without white space around them, None where one is missing; among whole numbers 1.0 is 1."""
    listed = [value.strip() if isinstance(value, str) else value for value in values]
    kinds = {*map(type, listed)} - {bool}
    if any(issubclass(kind, Integral) for kind in kinds) and any(issubclass(kind, float) for kind in kinds):
        listed = [int(value) if isinstance(value, float) and value.is_integer() else value for value in listed]
    return [None if is_missing(value) or value == "" else str(value) for value in listed]


def column_numbers(name: str, values: Iterable[Any]) -> NDArray[np.float64]:
    """A column of numbers, NaN where one is missing."""
    try:
        return np.array([None if is_missing(value) else float(value) for value in values], np.float64)
    except (TypeError, ValueError):
        raise _unfit(f"the column '{name}' has something else than numbers", "a number in each row") from None


def _listed(what: str, values: object) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise wrong_type(what, "a list", values)
    return [*values]


def _named(kind: str, values: Iterable[object]) -> Iterator[object]:
    for number, value in enumerate(values, 1):
        name = value.strip() if isinstance(value, str) else value
        if is_missing(name) or name == "":
            raise _unfit(f"row {number} has no {kind}", "a name in each row")
        yield name


def _unfit(what: str, expected: str) -> UsageError:
    return UsageError(Problem("judgments-unfit", what, expected=expected))
