"""HOO: detection, recognition and correction of stand-off edits, with and without the bonus for optional ones.

Formula
    Over the fragments, G = gold edits, S = system edits, U = spurious system edits, H = gold edits that are detected
    (or recognized, or corrected), O = optional gold edits that are missing. Without bonus R = H / G, and P is
    H / (U + H) for detection, H / S for recognition and correction. With bonus O is added to H and to what P divides
    by: R = (H + O) / G, P = (H + O) / (U + H + O) or (H + O) / (S + O). F = (1 + beta²) P R / (beta² P + R).
Conventions
    0/0 is 1 for every P and R. F is 0 where P = R = 0, and for recognition and correction wherever nothing is
    recognized. H counts gold edits, so two gold edits at one place met by one system edit can make P of recognition
    and correction exceed 1: it is not cut. P of detection cannot. O is the same for all three measures. Every choice
    is a parameter; ``conventions`` names sets of them.
Source
    Dale & Kilgarriff 2011, section 3, equations 1 to 9 and footnotes 2 to 4; docs/design/hoo.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.spec import Parameter, Spec, Value, make_spec, read_parameters, split_spec
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.edits.standoff_maxmatch import redecompose
from errorbar.metrics.hoo_align import Rules, align
from errorbar.metrics.hoo_statistics import HooStatistics, collect, rates

MEASURES = ("detection", "recognition", "correction")
CONDITIONS = ("no bonus", "bonus")
FIGURES = ("precision", "recall", "f")

PAPER = "paper"
CONVENTIONS: Mapping[str, Mapping[str, Value]] = {
    PAPER: {},
    "hoo2011-tool": {
        "aggregate": "mean",
        "empty": "zero",
        "counted": "system",
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


@dataclass(frozen=True, slots=True)
class Hoo:
    """The HOO metric. ``Hoo()`` is the paper's reading; ``named_conventions`` gives the others.

    Attributes:
        beta: Weight of recall against precision.
        matching: ``edits`` as given, or ``maxmatch``: the decomposition that agrees best with the gold edits.
        max_unchanged: How many unchanged words an edit of ``maxmatch`` may span.
        aggregate: ``pooled`` counts of the data set, or the ``mean`` of the fragments' scores.
        empty: What 0/0 is for P and R: ``one`` or ``zero``.
        unrecognized: What F of recognition and correction is where there are no edits at all and P = R = 0/0 = 1:
            ``zero``, as nothing is recognized, or ``one``.
        counted: What counts as corrected: ``gold`` edits or ``system`` edits.
        insertion: When an insertion aligns with a span: ``inside`` of it, at its edge too (``touch``), never
            (``same``: only at the same point), or inside and where the texts agree at the edge (``text``).
        one_character: An insertion that aligns at the edge of a span of one character aligns strictly.
        sides: Spurious edits: seen from both sides ``together`` or from the system's alone (``apart``).
        case: Corrections are compared ``exact`` or with case ignored (``ignore``).
        edge_space: Edits that differ in a space at an edge can be the same edit.
        optional: Optional is an edit with a null correction: ``any``, only as the ``first``, or not in
            an optional deletion (``replacement``).
        unknown: Corrections of edits for which none is known: ``reject`` or ``accept`` all.
        csets: Consistency sets are scored edit by edit (``apart``) or as a whole (``together``).
    """

    name: ClassVar[str] = "hoo"
    summary: ClassVar[str] = "HOO: detection, recognition and correction of stand-off edits, with and without bonus"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("beta", float, 1.0, "Weight of recall against precision in F.", _positive),
        Parameter("matching", str, "edits", "A system's edits as given, or maxmatch.", _OneOf("edits", "maxmatch")),
        Parameter("max_unchanged", int, 2, "How many unchanged words an edit of maxmatch may span.", _small_count),
        Parameter("aggregate", str, "pooled", "Pooled counts, or the mean of fragments.", _OneOf("pooled", "mean")),
        Parameter("empty", str, "one", "What 0/0 is for P and R.", _OneOf("one", "zero")),
        Parameter(
            "unrecognized",
            str,
            "zero",
            "F of recognition and correction where P and R are 0/0 = 1.",
            _OneOf("zero", "one"),
        ),
        Parameter("counted", str, "gold", "Which edits count as corrected.", _OneOf("gold", "system")),
        Parameter(
            "insertion",
            str,
            "inside",
            "When an insertion aligns with a span.",
            _OneOf("inside", "touch", "same", "text"),
        ),
        Parameter("one_character", bool, False, "An insertion at the edge of one character aligns strictly."),
        Parameter("sides", str, "together", "How spurious edits are found.", _OneOf("together", "apart")),
        Parameter("case", str, "exact", "How corrections are compared.", _OneOf("exact", "ignore")),
        Parameter("edge_space", bool, False, "Edits that differ in a space at an edge can be the same."),
        Parameter("optional", str, "any", "Which edits are optional.", _OneOf("any", "first", "replacement")),
        Parameter("unknown", str, "reject", "Corrections where none is known.", _OneOf("reject", "accept")),
        Parameter("csets", str, "apart", "How consistency sets are scored.", _OneOf("apart", "together")),
    )
    conventions_parameter: ClassVar[Parameter] = Parameter(
        "conventions", str, PAPER, f"A named set of these: {', '.join(CONVENTIONS)}.", _OneOf(*CONVENTIONS)
    )

    beta: float = 1.0
    matching: str = "edits"
    max_unchanged: int = 2
    aggregate: str = "pooled"
    empty: str = "one"
    unrecognized: str = "zero"
    counted: str = "gold"
    insertion: str = "inside"
    one_character: bool = False
    sides: str = "together"
    case: str = "exact"
    edge_space: bool = False
    optional: str = "any"
    unknown: str = "reject"
    csets: str = "apart"

    @property
    def spec(self) -> Spec:
        """The shortest spec: the named conventions that leave the fewest parameters to say."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        specs = [make_spec(self.name, _defaults(name), {**values, "conventions": name}) for name in CONVENTIONS]
        named = [
            Spec(spec.name, (*((("conventions", name),) if name != PAPER else ()), *spec.parameters))
            for name, spec in zip(CONVENTIONS, specs, strict=True)
        ]
        return min(named, key=lambda spec: len(spec.parameters))

    @property
    def rules(self) -> Rules:
        """What decides an alignment."""
        return Rules(
            self.insertion,
            self.one_character,
            self.sides == "apart",
            self.case == "ignore",
            self.edge_space,
            self.optional,
            self.unknown == "accept",
            self.csets == "together",
            self.counted == "system",
        )

    def measure(self, gold: Sequence[Fragment], system: Sequence[Sequence[StandoffEdit]]) -> HooStatistics:
        """The map: counts per fragment.

        Args:
            gold: The fragments with their gold edits.
            system: A system's edits of each of them.

        Raises:
            InputError: If a parameter needs source texts and a fragment has none.
        """
        if self.matching == "maxmatch":
            system = [
                redecompose(one, edits, max_unchanged=self.max_unchanged)
                for one, edits in zip(gold, system, strict=True)
            ]
        rules = self.rules
        return collect(gold, [(align(one, edits, rules), len(edits)) for one, edits in zip(gold, system, strict=True)])

    def fold(self, statistics: HooStatistics, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The fold: scores of many resamples in one pass.

        Args:
            statistics: What ``measure`` kept.
            weights: How often each resample holds each fragment; shape (replicates, units). None: each once.

        Returns:
            P, R and F; shape (replicates, 2 conditions, 3 measures, 3), in the order of CONDITIONS, MEASURES and
            FIGURES.
        """
        counts = statistics.counts.astype(np.float64)
        chosen = np.ones((1, len(counts))) if weights is None else weights
        if self.aggregate == "pooled" or not len(counts):
            return self._rates(chosen @ counts)
        sums: NDArray[np.float64] = np.tensordot(chosen, self._rates(counts), axes=1)
        sums /= np.maximum(chosen.sum(1), 1)[:, None, None, None]
        return sums

    def fold_each(self, statistics: HooStatistics) -> NDArray[np.float64]:
        """As ``fold``, for every fragment alone; shape (units, 2, 3, 3)."""
        return self._rates(statistics.counts.astype(np.float64))

    def fold_left_out(self, statistics: HooStatistics) -> NDArray[np.float64]:
        """As ``fold``, for the data set without each fragment in turn; shape (units, 2, 3, 3)."""
        counts = statistics.counts.astype(np.float64)
        if self.aggregate == "pooled":
            return self._rates(counts.sum(axis=0) - counts)
        each = self._rates(counts)
        left_out: NDArray[np.float64] = (each.sum(axis=0) - each) / max(len(each) - 1, 1)
        return left_out

    def _rates(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return rates(counts, float(self.empty == "one"), float(self.unrecognized == "one"), self.beta)


def named_conventions(name: str) -> Hoo:
    """The metric with a named set of parameters: ``paper``, ``hoo2011-tool`` or ``hoo2012-tool``.

    Raises:
        UsageError: If there is no such set.
    """
    return parse_hoo(f'{Hoo.name}(conventions="{name}")')


def parse_hoo(text: str) -> Hoo:
    """Make the metric from its spec, e.g. ``hoo(conventions=hoo2012-tool,case=exact)``.

    Raises:
        UsageError: If the text is no spec of it, or a parameter is unknown or will not do.
    """
    name, raw = split_spec(text)
    if name != Hoo.name:
        what = f"'{name}' does not score stand-off edits"
        raise UsageError(Problem("unknown-metric", what, fix=f"--metric={Hoo.name}"))
    called = raw.pop("conventions", PAPER)
    if called not in CONVENTIONS:
        what = f"{Hoo.name}: conventions={called} will not do"
        raise UsageError(Problem("bad-parameter", what, fix=nearest(called, CONVENTIONS)))
    return _made(read_parameters(Hoo.name, _defaults(called), raw))


def _defaults(conventions: str) -> tuple[Parameter, ...]:
    """The parameters with the defaults of a named set."""
    values = CONVENTIONS[conventions]
    return tuple(Parameter(p.name, p.kind, values.get(p.name, p.default), p.doc, p.check) for p in Hoo.parameters)


def _made(values: Mapping[str, Value]) -> Hoo:
    # The parameters are declared with the types of the fields, and read_parameters keeps to them.
    return Hoo(**values)  # type: ignore[arg-type]
