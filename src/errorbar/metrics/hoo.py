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
    error type pools counts whatever ``aggregate`` says. Choices are parameters; ``conventions`` names sets of them.
Source
    Dale & Kilgarriff 2011, section 3, equations 1 to 9 and footnotes 2 to 4; docs/design/hoo.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.estimate import Undefined
from errorbar.core.spec import (
    Parameter,
    Spec,
    Value,
    beta_parameter,
    check_value,
    make_spec,
    read_parameters,
    unchanged_parameter,
    word_parameter,
)
from errorbar.edits.standoff_maxmatch import redecompose
from errorbar.metrics.base import Floats, Folded, Measure, Metric, Selection, UnitParts
from errorbar.metrics.hoo_align import Rules, align
from errorbar.metrics.hoo_counts import (
    COLUMNS,
    CONDITIONS,
    FIGURES,
    MEASURES,
    TYPE_COLUMNS,
    HooStatistics,
    by_row,
    collect,
    join,
    measure_name,
    quotients,
    rates,
    read_overrides,
    row_names,
)
from errorbar.stats.units import divided

GOLD_NAME = "gold"  # what the annotators of HOO are called, who worked as one
PAPER = "paper"
_TOOLS: Mapping[str, Value] = {
    "insertion": "text",
    "one_character": True,
    "sides": "apart",
    "optional": "replacement",
    "unknown": "accept",
}
CONVENTIONS: Mapping[str, Mapping[str, Value]] = {
    PAPER: {},
    "hoo2011-tool": {**_TOOLS, "aggregate": "mean", "empty": "zero", "corrected": "system"},
    "hoo2012-tool": {**_TOOLS, "unrecognized": "one", "case": "ignore", "edge_space": True},
}
"""What the organizers' tools do where they differ from the paper, as parameters (docs/design/hoo.md)."""


def _known_rows(value: Value) -> str:
    read_overrides(str(value))
    return ""


@dataclass(frozen=True, slots=True)
class Hoo(Rules, Metric):
    """The HOO metric. ``Hoo()`` is the paper's reading; ``Hoo.read({"conventions": name})`` gives the others.

    ``parameters`` says what its fields are, and checks them; docs/metrics/hoo.md says more.
    """

    name: ClassVar[str] = "hoo"
    summary: ClassVar[str] = "HOO: detection, recognition and correction of stand-off edits, with and without bonus"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        beta_parameter(1.0),
        word_parameter("matching", "A system's edits as given, or maxmatch.", "edits", "maxmatch"),
        unchanged_parameter("How many unchanged words an edit of maxmatch may span."),
        word_parameter("aggregate", "Pooled counts, or the mean of fragments.", "pooled", "mean"),
        word_parameter("empty", "What 0/0 is for P and R.", "one", "zero"),
        word_parameter("unrecognized", "F of recognition and correction where P and R are 0/0 = 1.", "zero", "one"),
        word_parameter("corrected", "Which edits count as corrected.", "gold", "system", aliases=("counted",)),
        word_parameter("insertion", "When an insertion aligns with a span.", "inside", "touch", "same", "text"),
        Parameter("one_character", bool, False, "An insertion at the edge of one character aligns strictly."),
        word_parameter("sides", "How spurious edits are found.", "together", "apart"),
        word_parameter("case", "How corrections are compared.", "exact", "ignore"),
        Parameter("edge_space", bool, False, "Edits that differ in a space at an edge can be the same."),
        word_parameter("optional", "Which edits are optional.", "any", "first", "replacement"),
        word_parameter("unknown", "Corrections where none is known.", "reject", "accept"),
        word_parameter("csets", "How consistency sets are scored.", "apart", "together"),
        word_parameter("by", "Error types: the rows of table 8, or the codes of the gold edits.", "row", "code"),
        word_parameter(
            "missing", "A fragment that a run lacks: refused, or taken for nothing proposed.", "refuse", "empty"
        ),
        Parameter("rows", str, "", "Codes that count in other rows of table 8, e.g. ID=Noun;AS=Verb.", _known_rows),
    )
    shorthands: ClassVar = (
        word_parameter("conventions", f"A named set of these: {', '.join(CONVENTIONS)}.", *CONVENTIONS),
    )
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
    def read(cls, raw: Mapping[str, str]) -> Self:
        """The metric of a spec's parameters, as they are written; others than those given are of ``conventions``."""
        given = dict(raw)
        called = str(check_value(cls.name, cls.shorthands[0], given.pop("conventions", PAPER)))
        return cls(**cast("Any", read_parameters(cls.name, cls._defaults(called), given)))

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
            for condition, measure, figure in product(CONDITIONS, MEASURES, FIGURES)
        )

    @property
    def main(self) -> int:
        """F of correction without bonus."""
        return 8

    def measure(
        self, reference: Sequence[Fragment], output: Sequence[Sequence[StandoffEdit]], *, by_type: bool = True
    ) -> HooStatistics:
        """Counts per fragment, always by error type; ``InputError`` where a parameter needs a text that is missing."""
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
            return [Undefined.NO_UNITS] * len(self.measures)
        _, proposed, wanted = quotients(folded.counts[:1])
        above_0 = (folded.values[0].reshape(2, 3, 3) > 0).any(axis=2)
        found: list[Undefined | None] = []
        for c, m in np.ndindex(2, 3):
            no_p = None if proposed[0, c, m] else Undefined.NOTHING_PROPOSED
            no_r = None if wanted[0, c, m] else Undefined.NOTHING_IN_REFERENCE
            no_f = Undefined.NO_EDITS if no_p and no_r else no_p or no_r
            found += [no_p, no_r, no_f or (None if above_0[c, m] else Undefined.NOTHING_CORRECT)]
        return found

    def differ(self, first: HooStatistics, second: HooStatistics) -> NDArray[np.bool_]:
        """In which fragments the counts of two systems differ."""
        return np.asarray((first.counts != second.counts).any(axis=1), np.bool_)

    def parts(self, statistics: HooStatistics, *, start: Folded | None = None) -> UnitParts:
        """The counts of each fragment, and P, R and F of it alone."""
        return UnitParts([GOLD_NAME] * len(statistics), statistics.counts, self._rates(statistics.counts))

    def types(self, statistics: HooStatistics) -> tuple[str, ...]:
        """The rows of table 8 in its order, or the error codes of the gold edits."""
        return statistics.types if self.by == "code" else row_names()

    def fold_types(
        self, statistics: HooStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> NDArray[np.int64]:
        """Gold, detected, recognized and corrected edits of each type; systems' edits have no types."""
        weights = (selection or Selection()).as_weights(len(statistics))
        return np.rint(np.tensordot(weights, self._by_type(statistics).astype(np.float64), axes=1)).astype(np.int64)

    def type_values(self, counts: NDArray[np.int64]) -> Floats:
        """Recall of detection, recognition and correction."""
        return divided(counts[..., 1:], counts[..., :1])

    def type_units(self, statistics: HooStatistics) -> NDArray[np.int64]:
        """Fragments that have a gold edit of a type, and the type."""
        return np.argwhere(self._by_type(statistics)[..., 0] > 0)

    def _by_type(self, statistics: HooStatistics) -> NDArray[np.int64]:
        """Counts by row or code; shape (units, types, 4)."""
        return statistics.by_type if self.by == "code" else by_row(statistics, read_overrides(self.rows))

    def _rates(self, counts: Floats | NDArray[np.int64]) -> Floats:
        made = rates(counts, float(self.empty == "one"), float(self.unrecognized == "one"), self.beta)
        return made.reshape(len(counts), len(self.measures))
