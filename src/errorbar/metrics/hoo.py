"""HOO: detection, recognition and correction of stand-off edits, with and without the bonus for optional ones.

Formula
    Over the fragments, G = gold edits, S = system edits, U = spurious system edits, H = gold edits that are detected
    (or recognized, or corrected), O = optional gold edits that are missing. Without bonus R = H / G, and P is
    H / (U + H) for detection, H / S for recognition and correction. With bonus O is added to H and to what P divides
    by: R = (H + O) / G, P = (H + O) / (U + H + O) or (H + O) / (S + O). F = (1 + beta²) P R / (beta² P + R).
Conventions
    0/0 is 1 for every P and R. F is 0 where P = R = 0, and for recognition and correction wherever nothing is
    recognized. H counts gold edits, so two gold edits at one place met by one system edit can make P of recognition
    and correction exceed 1: it is not cut. P of detection cannot. O is the same for all three measures. Recall by
    error type pools counts whatever ``aggregate`` says. Every choice is a parameter; ``conventions`` names sets of
    them.
Source
    Dale & Kilgarriff 2011, section 3, equations 1 to 9 and footnotes 2 to 4; docs/design/hoo.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Undefined
from errorbar.core.spec import Parameter, Spec, Value, check_value, make_spec, read_parameters
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.edits.standoff_maxmatch import redecompose
from errorbar.metrics.base import Floats, Folded, Measure, Metric, Selection, UnitParts
from errorbar.metrics.hoo_align import Rules, align
from errorbar.metrics.hoo_counts import (
    COLUMNS,
    TYPE_COLUMNS,
    HooStatistics,
    collect,
    join,
    quotients,
    rates,
    read_overrides,
    row_names,
    row_of,
)

MEASURES = ("detection", "recognition", "correction")
CONDITIONS = ("no bonus", "bonus")
FIGURES = ("precision", "recall", "f")
N_VALUES = len(CONDITIONS) * len(MEASURES) * len(FIGURES)
GOLD_NAME = "gold"
"""What the annotators of HOO are called, who worked as one."""

PAPER = "paper"
CONVENTIONS: Mapping[str, Mapping[str, Value]] = {
    PAPER: {},
    "hoo2011-tool": {
        "aggregate": "mean",
        "empty": "zero",
        "corrected": "system",
        "insertion": "text",
        "one_character": True,
        "sides": "apart",
        "optional": "replacement",
        "unknown": "accept",
    },
    "hoo2012-tool": {
        "unrecognized": "one",
        "insertion": "text",
        "one_character": True,
        "sides": "apart",
        "case": "ignore",
        "edge_space": True,
        "optional": "replacement",
        "unknown": "accept",
    },
}
"""What the organizers' tools do where they differ from the paper, as parameters (HOO.md describes them)."""


class _OneOf:
    def __init__(self, *names: str) -> None:
        self.names = names

    def __call__(self, value: Value) -> str:
        return "" if value in self.names else " or ".join(self.names)


def _positive(value: Value) -> str:
    return "" if isinstance(value, float) and 0 < value < float("inf") else "a number above 0"


def _small_count(value: Value) -> str:
    return "" if isinstance(value, int) and 0 <= value <= 100 else "a whole number from 0 to 100"


def _known_rows(value: Value) -> str:
    read_overrides(str(value))
    return ""


def _choice(name: str, doc: str, *values: str, aliases: tuple[str, ...] = ()) -> Parameter:
    """A parameter that is one of some words, by default the first."""
    return Parameter(name, str, values[0], doc, _OneOf(*values), aliases)


def measure_name(condition: str, measure: str, figure: str) -> str:
    """The name of one of the 18 figures: ``correction_f``, ``correction_f_bonus``."""
    return f"{measure}_{figure}{'_bonus' if condition == CONDITIONS[1] else ''}"


@dataclass(frozen=True, slots=True)
class Hoo(Rules, Metric):
    """The HOO metric. ``Hoo()`` is the paper's reading; ``named_conventions`` gives the others.

    Attributes:
        beta: Weight of recall against precision.
        matching: ``edits`` as given, or ``maxmatch``: the decomposition that agrees best with the gold edits.
        max_unchanged: How many unchanged words an edit of ``maxmatch`` may span.
        aggregate: ``pooled`` counts of the data set, or the ``mean`` of the fragments' scores.
        empty: What 0/0 is for P and R: ``one`` or ``zero``.
        unrecognized: What F of recognition and correction is where there are no edits at all and P = R = 0/0 = 1:
            ``zero``, as nothing is recognized, or ``one``.
        by: Error types are the rows of table 8 (``row``), or the codes of the gold edits (``code``).
        missing: A fragment that a run lacks is an error (``refuse``), or taken for nothing proposed (``empty``).
        rows: Codes that count in other rows, e.g. ``ID=Noun;AS=Verb``.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "hoo"
    summary: ClassVar[str] = "HOO: detection, recognition and correction of stand-off edits, with and without bonus"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("beta", float, 1.0, "Weight of recall against precision in F.", _positive),
        _choice("matching", "A system's edits as given, or maxmatch.", "edits", "maxmatch"),
        Parameter("max_unchanged", int, 2, "How many unchanged words an edit of maxmatch may span.", _small_count),
        _choice("aggregate", "Pooled counts, or the mean of fragments.", "pooled", "mean"),
        _choice("empty", "What 0/0 is for P and R.", "one", "zero"),
        _choice("unrecognized", "F of recognition and correction where P and R are 0/0 = 1.", "zero", "one"),
        _choice("corrected", "Which edits count as corrected.", "gold", "system", aliases=("counted",)),
        _choice("insertion", "When an insertion aligns with a span.", "inside", "touch", "same", "text"),
        Parameter("one_character", bool, False, "An insertion at the edge of one character aligns strictly."),
        _choice("sides", "How spurious edits are found.", "together", "apart"),
        _choice("case", "How corrections are compared.", "exact", "ignore"),
        Parameter("edge_space", bool, False, "Edits that differ in a space at an edge can be the same."),
        _choice("optional", "Which edits are optional.", "any", "first", "replacement"),
        _choice("unknown", "Corrections where none is known.", "reject", "accept"),
        _choice("csets", "How consistency sets are scored.", "apart", "together"),
        _choice("by", "Error types: the rows of table 8, or the codes of the gold edits.", "row", "code"),
        _choice("missing", "A fragment that a run lacks: refused, or taken for nothing proposed.", "refuse", "empty"),
        Parameter("rows", str, "", "Codes that count in other rows of table 8, e.g. ID=Noun;AS=Verb.", _known_rows),
    )
    conventions_parameter: ClassVar[Parameter] = _choice(
        "conventions", f"A named set of these: {', '.join(CONVENTIONS)}.", *CONVENTIONS
    )
    shorthands: ClassVar = (conventions_parameter,)
    fold_only = frozenset({"beta", "aggregate", "empty", "unrecognized", "by", "missing", "rows"})
    reads = "fragments"
    counted = COLUMNS
    type_counted = TYPE_COLUMNS
    type_measures = tuple(f"{measure}_recall" for measure in MEASURES)
    additive = True
    lacks: ClassVar = {
        "annotators": "the annotators of HOO worked as one",
        "closed": "no formula gives intervals of HOO scores",
    }

    beta: float = 1.0
    matching: str = "edits"
    max_unchanged: int = 2
    aggregate: str = "pooled"
    empty: str = "one"
    unrecognized: str = "zero"
    by: str = "row"
    missing: str = "refuse"
    rows: str = ""

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> Hoo:
        """The metric of a spec's parameters, as they are written; others than those given are of ``conventions``.

        Raises:
            UsageError: If a parameter is unknown, or its value will not do.
        """
        given = dict(raw)
        called = str(check_value(cls.name, cls.conventions_parameter, given.pop("conventions", PAPER)))
        # The parameters are declared with the types of the fields, and read_parameters keeps to them.
        return cls(**read_parameters(cls.name, cls._defaults(called), given))  # type: ignore[arg-type]

    @classmethod
    def _defaults(cls, conventions: str) -> tuple[Parameter, ...]:
        """The parameters with the defaults of a named set."""
        values = CONVENTIONS[conventions]
        return tuple(replace(p, default=values.get(p.name, p.default)) for p in cls.parameters)

    @property
    def spec(self) -> Spec:
        """The shortest spec: the named conventions that leave the fewest parameters to say."""
        values = {each.name: getattr(self, each.name) for each in self.parameters}
        specs = [(name, make_spec(self.name, self._defaults(name), values).parameters) for name in CONVENTIONS]
        named = [((("conventions", name),) if name != PAPER else ()) + said for name, said in specs]
        return Spec(self.name, min(named, key=len))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """P, R and F of detection, recognition and correction, without and with bonus."""
        return tuple(
            Measure(measure_name(condition, measure, figure), figure[0].upper(), group=f"{measure}, {condition}")
            for condition in CONDITIONS
            for measure in MEASURES
            for figure in FIGURES
        )

    @property
    def main(self) -> int:
        """F of correction without bonus."""
        return 8

    def measure(
        self, reference: Sequence[Fragment], output: Sequence[Sequence[StandoffEdit]], *, by_type: bool = True
    ) -> HooStatistics:
        """The map: counts per fragment.

        Args:
            reference: The fragments with their gold edits.
            output: A system's edits of each of them.
            by_type: Error types are counted whether asked for or not: it costs nothing.

        Raises:
            InputError: If a parameter needs source texts and a fragment has none.
        """
        del by_type
        pairs = list(zip(reference, output, strict=True))
        if self.matching == "maxmatch":
            pairs = [(one, redecompose(one, edits, max_unchanged=self.max_unchanged)) for one, edits in pairs]
        return collect(reference, [(align(one, edits, self), len(edits)) for one, edits in pairs])

    def join(self, parts: Sequence[HooStatistics]) -> HooStatistics:
        """Put the counts of consecutive fragments together; types are joined by name."""
        return join(parts)

    def fold(
        self, statistics: HooStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """P, R and F of each replicate, of pooled counts or as means of the fragments' figures."""
        weights = (selection or Selection()).as_weights(len(statistics))
        counts, n_units = weights @ statistics.counts.astype(np.float64), weights.sum(axis=1)
        if start is not None:
            counts, n_units = counts + start.counts, n_units + start.n_units
        if self.aggregate == "pooled":
            values = self._rates(counts)
        else:
            sums = weights @ self._rates(statistics.counts)
            if start is not None:
                sums = sums + np.where(start.n_units > 0, start.values.T, 0.0).T * start.n_units[:, None]
            values = sums / np.maximum(n_units, 1)[:, None]
        values[n_units == 0] = np.nan
        return Folded(values, np.rint(counts).astype(np.int64), np.rint(n_units).astype(np.int64))

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills P, R and F of each measure; F rests on what fills P or R."""
        if not folded.n_units[0]:
            return [Undefined.NO_UNITS] * N_VALUES
        of = quotients(folded.counts[:1])
        above_0 = (folded.values[0].reshape(2, 3, 3) > 0).any(axis=2)
        found: list[Undefined | None] = []
        for c, m in np.ndindex(2, 3):
            no_p = None if of.proposed[0, c, m] else Undefined.NOTHING_PROPOSED
            no_r = None if of.wanted[0, c, m] else Undefined.NOTHING_IN_REFERENCE
            no_f = Undefined.NO_EDITS if no_p and no_r else no_p or no_r
            found += [no_p, no_r, no_f or (None if above_0[c, m] else Undefined.NOTHING_CORRECT)]
        return found

    def differ(self, first: HooStatistics, second: HooStatistics) -> NDArray[np.bool_]:
        """In which fragments the counts of two systems differ."""
        changed: NDArray[np.bool_] = (first.counts != second.counts).any(axis=1)
        return changed

    def parts(self, statistics: HooStatistics, *, start: Folded | None = None) -> UnitParts:
        """The counts of each fragment, and P, R and F of it alone."""
        del start  # fragments do not depend on each other
        counts = statistics.counts
        return UnitParts([GOLD_NAME] * len(counts), counts, self._rates(counts))

    def types(self, statistics: HooStatistics) -> tuple[str, ...]:
        """The rows of table 8 in its order, or the error codes of the gold edits."""
        return statistics.types if self.by == "code" else row_names()

    def fold_types(
        self, statistics: HooStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> NDArray[np.int64]:
        """Gold, detected, recognized and corrected edits of each type; systems' edits have no types."""
        del start
        weights = (selection or Selection()).as_weights(len(statistics))
        by_type = self._by_type(statistics)
        counts: Floats = np.tensordot(weights, by_type.astype(np.float64), axes=1)
        return np.rint(counts).astype(np.int64)

    def type_values(self, counts: NDArray[np.int64]) -> Floats:
        """Recall of detection, recognition and correction."""
        found, gold = counts[..., 1:], counts[..., :1]
        values = np.full(found.shape, np.nan)
        np.divide(found, gold, out=values, where=gold > 0)
        return values

    def type_units(self, statistics: HooStatistics) -> NDArray[np.int64]:
        """Fragments that have a gold edit of a type, and the type."""
        return np.argwhere(self._by_type(statistics)[..., 0] > 0)

    def _by_type(self, statistics: HooStatistics) -> NDArray[np.int64]:
        """Counts by row or code; shape (units, types, 4)."""
        if self.by == "code":
            return statistics.by_type
        overrides, names = read_overrides(self.rows), row_names()
        summed = np.zeros((len(statistics), len(names), len(TYPE_COLUMNS)), np.int64)
        for at, code in enumerate(statistics.types):
            summed[:, names.index(row_of(code, overrides))] += statistics.by_type[:, at]
        return summed

    def _rates(self, counts: Floats | NDArray[np.int64]) -> Floats:
        made = rates(counts, float(self.empty == "one"), float(self.unrecognized == "one"), self.beta)
        return made.reshape(len(counts), N_VALUES)


def named_conventions(name: str) -> Hoo:
    """The metric with a named set of parameters: ``paper``, ``hoo2011-tool`` or ``hoo2012-tool``.

    Raises:
        UsageError: If there is no such set.
    """
    return Hoo.read({"conventions": name})
