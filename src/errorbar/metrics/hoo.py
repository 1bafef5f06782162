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

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags, Floats, divide
from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.estimate import Undefined
from errorbar.core.labels import error_types
from errorbar.core.problems import InputError, Place, Problem, UsageError, nearest
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
from errorbar.edits.standoff_runs import redecompose
from errorbar.metrics.base import Folded, Measure, Metric, Selection, UnitParts

# HOO alignment: which gold edits a system's edits detect, recognize and correct, in one fragment.
#
# Formula
#     A system edit s aligns with a gold edit g strictly if both have the same span, leniently if the spans overlap:
#     start(s) < end(g) and start(g) < end(s), which for an insertion says that it stands inside of the other's span.
#     g is detected if some s aligns with it in either way, recognized if some s aligns strictly, corrected if the
#     correction of such an s is one of g's. Gold edits without an alignment are missing, system edits spurious.
# Conventions
#     Only the first correction of a system edit counts. Everything else is a parameter (errorbar.metrics.hoo).
# Source
#     Dale & Kilgarriff 2011, section 3; where the paper is silent, docs/design/hoo.md says what was chosen and why.


# What the HOO metric keeps per fragment, the rates made of it, and the rows of table 8 that error codes count in.
#
# Formula, conventions and source are those of ``errorbar.metrics.hoo``. The 13 rows are data
# (``core/inventories/hoo.json``: the row stands before the colon of a code's description).


COLUMNS = ("gold", "system", "detected", "recognized", "corrected", "missing_optional", "missing_mandatory", "spurious")
GOLD, SYSTEM, DETECTED, RECOGNIZED, CORRECTED, MISSING_OPTIONAL, MISSING_MANDATORY, SPURIOUS = range(len(COLUMNS))
MEASURES = ("detection", "recognition", "correction")
CONDITIONS = ("no bonus", "bonus")
FIGURES = ("precision", "recall", "f")
OTHER = "Other"
TYPE_COLUMNS = ("gold", "detected", "recognized", "corrected")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The alignment of every edit of a fragment; flags of gold edits, but for the last two."""

    detected: Flags  # with an alignment
    recognized: Flags  # with a strict one
    corrected: Flags  # with a strict one that offers one of their corrections
    optional: Flags
    forgiven: Flags  # missing and optional: what the bonus adds
    n_corrected: int  # corrections that count
    spurious: Flags  # system edits without an alignment
    fitting: Flags  # system edits whose correction counts


@dataclass(frozen=True, slots=True)
class HooStatistics:
    """Counts per fragment."""

    counts: NDArray[np.int64]  # in the order of COLUMNS; shape (units, columns)
    types: tuple[str, ...]  # ascending
    by_type: NDArray[np.int64]  # gold edits in the order of TYPE_COLUMNS; shape (units, types, 4)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, units: NDArray[np.int64] | slice) -> HooStatistics:
        """The statistics of some fragments."""
        return HooStatistics(self.counts[units], self.types, self.by_type[units])


@cache
def row_names() -> tuple[str, ...]:
    """The rows of table 8 in its order."""
    return tuple(dict.fromkeys(_table().values()))


@cache
def read_overrides(text: str) -> dict[str, str]:
    """Read error codes and the rows they count in, ``ID=Noun;AS=Verb``.

    Raises:
        UsageError: If a row does not exist.
    """
    overrides = {}
    for part in filter(None, text.split(";")):
        code, _, row = (word.strip() for word in part.partition("="))
        if row not in row_names():
            message = f"type {code}: no row of the table is called '{row}'"
            raise UsageError(Problem("hoo-row", message, fix=nearest(row, row_names())))
        overrides[code] = row
    return overrides


def count_rows(codes: Iterable[str]) -> dict[str, int]:
    """How many codes each row holds, rows in the order of the table; unknown ones are in ``Other``."""
    counts = Counter(_table().get(code, OTHER) for code in codes)
    return {row: counts[row] for row in row_names()}


@cache
def _table() -> dict[str, str]:
    return {code: description.partition(":")[0] for code, description in error_types().items()}


def by_row(statistics: HooStatistics, overrides: dict[str, str]) -> NDArray[np.int64]:
    """Counts of gold edits by row instead of by code; shape (units, rows, 4)."""
    summed, rows = np.zeros((len(statistics), len(row_names()), len(TYPE_COLUMNS)), np.int64), _table() | overrides
    for at, code in enumerate(statistics.types):
        summed[:, row_names().index(rows.get(code, OTHER))] += statistics.by_type[:, at]
    return summed


def collect(gold: Sequence[Fragment], aligned: Sequence[tuple[Alignment, int]]) -> HooStatistics:
    """Count what became of the edits of each fragment, from its alignment and how many edits the system has there."""
    types = tuple(sorted({edit.type for fragment in gold for edit in fragment.edits}))
    column = {kind: at for at, kind in enumerate(types)}
    counts = np.zeros((len(gold), len(COLUMNS)), np.int64)
    by_type = np.zeros((len(gold), len(types), len(TYPE_COLUMNS)), np.int64)
    for unit, (fragment, (alignment, n_system)) in enumerate(zip(gold, aligned, strict=True)):
        missing = ~alignment.detected
        counts[unit] = (
            len(fragment.edits),
            n_system,
            alignment.detected.sum(),
            alignment.recognized.sum(),
            alignment.n_corrected,
            alignment.forgiven.sum(),
            (missing & ~alignment.optional).sum(),
            alignment.spurious.sum(),
        )
        kinds = np.array([column[edit.type] for edit in fragment.edits], np.int64)
        flags = np.stack([np.ones_like(missing), alignment.detected, alignment.recognized, alignment.corrected], axis=1)
        np.add.at(by_type[unit], kinds, flags.astype(np.int64))
    return HooStatistics(counts, types, by_type)


def join(parts: Sequence[HooStatistics]) -> HooStatistics:
    """Put the counts of consecutive fragments together."""
    types = tuple(sorted({kind for part in parts for kind in part.types}))
    column = {kind: at for at, kind in enumerate(types)}
    by_type = np.zeros((sum(map(len, parts)), len(types), len(TYPE_COLUMNS)), np.int64)
    at = 0
    for part in parts:
        by_type[at : at + len(part), [column[kind] for kind in part.types]] = part.by_type
        at += len(part)
    counts = np.concatenate([np.zeros((0, len(COLUMNS)), np.int64), *(part.counts for part in parts)])
    return HooStatistics(counts, types, by_type)


def measure_name(condition: str, measure: str, figure: str) -> str:
    """The name of one of the 18 figures: ``correction_f``, ``correction_f_bonus``."""
    return f"{measure}_{figure}{'_bonus' if condition == CONDITIONS[1] else ''}"


def quotients(counts: Floats | NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """The numerator of P and R of counts in the order of COLUMNS, then what P divides by, then R.

    Each of shape (rows, 2 conditions, 3 measures).
    """
    numbers = np.asarray(counts, np.float64)
    bonus = numbers[:, MISSING_OPTIONAL, None, None] * np.array([0, 1])[:, None]
    proposed = np.stack([numbers[:, SPURIOUS] + numbers[:, DETECTED], numbers[:, SYSTEM], numbers[:, SYSTEM]], axis=1)
    numerators = numbers[:, None, [DETECTED, RECOGNIZED, CORRECTED]]
    wanted = np.broadcast_to(numbers[:, GOLD, None, None], (len(numbers), 2, 3))
    return numerators + bonus, proposed[:, None] + bonus, wanted


def rates(counts: Floats | NDArray[np.int64], empty: float, unrecognized: float, beta: float) -> Floats:
    """P, R and F of counts in the order of COLUMNS; shape (rows, 2 conditions, 3 measures, 3 figures).

    Where it is 0/0, P or R is ``empty``; F of recognition and correction is ``unrecognized`` where both are 0/0 = 1.
    F is 0 where P = R = 0. Rates are not cut at 1.
    """
    numerators, *below = quotients(counts)
    p, r = (np.divide(numerators, of, out=np.full_like(numerators, empty), where=of > 0) for of in below)
    under = beta * beta * p + r
    f = np.divide((1 + beta * beta) * p * r, under, out=np.zeros_like(p), where=under > 0)
    f[:, :, 1:][numerators[:, :, 1:] == 0] *= unrecognized  # without a hit F is 0, or 1 where P = R = 0/0 = 1
    return np.stack([p, r, f], axis=-1)


MOST_PAIRS = 250_000  # of one fragment; where no annotator's edits overlap there are about as many as edits
Numbers = NDArray[np.int64]
_OPTIONAL: dict[str, Callable[[StandoffEdit], bool]] = {
    "any": lambda edit: True,
    "first": lambda edit: edit.null_at == 0,
    "replacement": lambda edit: "" not in edit.corrections,
}
"""Which edits with a null correction are optional."""


@dataclass(frozen=True, slots=True)
class AlignmentRules:
    """The rules of alignment: those parameters of ``errorbar.metrics.hoo.Hoo`` that its map knows, described there."""

    corrected: str = "gold"
    insertion: str = "inside"
    one_character: bool = False
    sides: str = "together"
    case: str = "exact"
    edge_space: bool = False
    optional: str = "any"
    unknown: str = "reject"
    csets: str = "apart"

    def folded(self, text: str) -> str:
        """A correction as it is compared."""
        return text.lower() if self.case == "ignore" else text


@dataclass(slots=True)
class _Pairs:
    """The pairs of a gold edit g and a system edit s that stand at one place, and what is known of each."""

    g: Numbers
    s: Numbers
    spans: Numbers  # where g and s start and end, in this order; shape (4, pairs)
    strict: Flags
    lenient: Flags  # they align, strictly or leniently
    from_system: Flags  # they align, seen from the system's side
    fits: Flags  # they align strictly, and the correction is one of the gold edit's


def _mark_edits(numbers: Numbers, n: int) -> Flags:
    """Flags of n edits, up for those numbers."""
    marked = np.zeros(n, np.bool_)
    marked[numbers] = True
    return marked


def align(gold: Fragment, system: Sequence[StandoffEdit], rules: AlignmentRules) -> Alignment:
    """Align a system's edits with the gold edits of a fragment.

    Raises:
        InputError: If ``edge_space`` needs the source text and the fragment has none, or too many edits overlap.
    """
    edits, n_gold, n_system = gold.edits, len(gold.edits), len(system)
    optional = np.array([edit.optional and _OPTIONAL[rules.optional](edit) for edit in edits], bool)
    pairs, accept = _overlapping(gold, system, rules), rules.unknown == "accept"
    if rules.insertion in ("touch", "text"):
        _touch(edits, system, rules, pairs)
    wanted = [frozenset(rules.folded(text) for text in edit.corrections) for edit in edits]
    corrections = [rules.folded(edit.corrections[0]) if edit.corrections else None for edit in system]
    for k in np.flatnonzero(pairs.strict).tolist():
        g = pairs.g[k]
        pairs.fits[k] = accept if edits[g].unknown else corrections[pairs.s[k]] in wanted[g]
    if rules.edge_space:
        _edge_space(gold, system, rules, pairs)
        pairs.lenient |= pairs.strict
        pairs.from_system |= pairs.strict
    if rules.csets == "together":
        failed = _failed_sets(edits, system, pairs, rules)
        pairs.fits[np.isin(pairs.g, failed)] = False
    detected, recognized, corrected = (
        _mark_edits(pairs.g[flags], n_gold) for flags in (pairs.lenient, pairs.strict, pairs.fits)
    )
    forgiven = optional & ~detected
    if rules.csets == "together":
        for members in _sets(edits):
            forgiven[members] &= not detected[members].any()  # a set is left as it is as a whole
    fitting = _mark_edits(pairs.s[pairs.fits], n_system)
    counted = int(fitting.sum()) if rules.corrected == "system" else int(corrected.sum())
    met = pairs.s[pairs.from_system if rules.sides == "apart" else pairs.lenient]
    return Alignment(detected, recognized, corrected, optional, forgiven, counted, ~_mark_edits(met, n_system), fitting)


def _overlapping(gold: Fragment, system: Sequence[StandoffEdit], rules: AlignmentRules) -> _Pairs:
    """Pairs near each other, those of one span and those that overlap marked."""
    g, s = near_pairs(gold, system, 1 if rules.edge_space else 0)
    start, end, s_start, s_end = spans = np.concatenate([_spans(gold.edits)[:, g], _spans(system)[:, s]])
    same = (start == s_start) & (end == s_end)
    overlap = (start < s_end) & (s_start < end)
    if rules.insertion == "same":
        overlap &= (start < end) & (s_start < s_end)
    lenient = same | overlap
    return _Pairs(g, s, spans, same, lenient, lenient.copy(), np.zeros_like(same))


def _spans(edits: Sequence[StandoffEdit]) -> Numbers:
    """Where edits start and end; shape (2, edits)."""
    return np.array([(edit.start, edit.end) for edit in edits], np.int64).reshape(-1, 2).T


def near_pairs(gold: Fragment, system: Sequence[StandoffEdit], slack: int) -> tuple[Numbers, Numbers]:
    """Find the pairs whose spans overlap, touch, or leave no more than ``slack`` characters between them.

    Takes time in proportion to the edits and the pairs. These are numbers of a gold and a system edit, in this order.

    Raises:
        InputError: If there are more than ``MOST_PAIRS``.
    """
    (start, end), (s_start, s_end) = _spans(gold.edits), _spans(system)
    by_start, s_by_start = np.argsort(start, kind="stable"), np.argsort(s_start, kind="stable")
    # System edits that start within a gold edit's span, and gold edits whose start lies behind a system edit's.
    starts, s_starts = start[by_start], s_start[s_by_start]
    inner = np.searchsorted(s_starts, start - slack, "left"), np.searchsorted(s_starts, end + slack, "right")
    outer = np.searchsorted(starts, s_start + slack, "right"), np.searchsorted(starts, s_end + slack, "right")
    total = int(sum((high - low).sum() for low, high in (inner, outer)))
    if total > MOST_PAIRS:
        message = f"fragment {gold.name}: {total:,} pairs of a gold and a system edit overlap or touch"
        expected = f"no more than {MOST_PAIRS:,}"
        raise InputError(Problem("hoo-too-dense", message, Place(gold.file), expected, "are edits repeated?"))
    inner_g, inner_s = _ranges(*inner)
    outer_s, outer_g = _ranges(*outer)
    g = np.concatenate([inner_g, by_start[outer_g]])
    s = np.concatenate([s_by_start[inner_s], outer_s])
    order = np.lexsort((s, g))
    return g[order], s[order]


def _ranges(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers from each low to its high, and whose range each is of."""
    sizes = high - low
    owner = np.repeat(np.arange(len(low)), sizes)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + low[owner]


def _touch(gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], rules: AlignmentRules, pairs: _Pairs) -> None:
    """Insertions at the edge of a span."""
    start, end, s_start, s_end = pairs.spans
    touches = (start <= s_end) & (s_start <= end) & ((start == end) ^ (s_start == s_end))
    for k in np.flatnonzero(touches & ~pairs.lenient).tolist():
        gold_edit, whole = gold[pairs.g[k]], system[pairs.s[k]]
        other = whole._replace(corrections=whole.corrections[:1])
        point, span = (gold_edit, other) if gold_edit.is_insertion else (other, gold_edit)
        if rules.insertion == "text" and not _same_at_edge(point, span):
            continue
        pairs.lenient[k] = True
        # Seen from the system's side, only the system's own insertion is compared with the other's text.
        pairs.from_system[k] = rules.insertion == "touch" or other.is_insertion
        pairs.strict[k] = rules.one_character and span.end - span.start == 1


def _same_at_edge(point: StandoffEdit, span: StandoffEdit) -> bool:
    """Whether one of the span's corrections begins (or ends) with a text of the insertion at its start (or end).

    White space counts: ``a `` is the end of ``Such a ``, where the span takes the space along.
    """
    texts = tuple(text for text in point.corrections if text)
    agrees = str.startswith if point.start == span.start else str.endswith
    return any(agrees(whole, texts) for whole in span.corrections)


def _edge_space(gold: Fragment, system: Sequence[StandoffEdit], rules: AlignmentRules, pairs: _Pairs) -> None:
    """Pairs of edits whose spans differ by no more than a space at each edge.

    They are the same extent if both replace something. Their corrections, and the extents of insertions, are compared
    by the text that the edits make of the characters under either span.
    """
    text = gold.text
    if text is None:
        message = f"fragment {gold.name} has no source text, which edge_space=true compares edits by"
        raise InputError(Problem("hoo-no-text", message, Place(gold.file), fix="--source=FOLDER"))
    near = (np.abs(pairs.spans[:2] - pairs.spans[2:]) <= 1).all(axis=0) & ~pairs.strict
    for k in np.flatnonzero(near).tolist():
        one, other = gold.edits[pairs.g[k]], system[pairs.s[k]]
        low, high = min(one.start, other.start), max(one.end, other.end)
        if (text[low : max(one.start, other.start)] + text[min(one.end, other.end) : high]).strip():
            continue
        spelled, wordings = (
            {rules.folded(text[low : edit.start] + each + text[edit.end : high]) for each in corrections}
            for edit, corrections in ((one, one.corrections), (other, other.corrections[:1]))
        )
        equal = bool(spelled & wordings)
        pairs.strict[k] = equal or not (one.is_insertion or other.is_insertion)
        pairs.fits[k] = equal or (one.unknown and rules.unknown == "accept" and bool(pairs.strict[k]))


def _sets(gold: Sequence[StandoffEdit]) -> Iterator[list[int]]:
    """The gold edits of each consistency set of two or more."""
    sets: dict[str, list[int]] = {}
    for g, edit in enumerate(gold):
        if edit.group:
            sets.setdefault(edit.group, []).append(g)
    return (members for members in sets.values() if len(members) > 1)


def _failed_sets(
    gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], pairs: _Pairs, rules: AlignmentRules
) -> list[int]:
    """Gold edits of sets that are not corrected as a whole, by the same alternative."""
    fitting: dict[int, list[StandoffEdit]] = {}
    for k in np.flatnonzero(pairs.fits).tolist():
        fitting.setdefault(int(pairs.g[k]), []).append(system[pairs.s[k]])

    def plain(text: str) -> str:
        folded = rules.folded(text)
        return folded.strip() if rules.edge_space else folded

    def given(g: int) -> set[int]:
        texts = {plain(edit.corrections[0]) for edit in fitting[g]}
        return {at for at, text in enumerate(gold[g].corrections) if plain(text) in texts}

    failed = []
    for members in _sets(gold):
        whole = all(g in fitting for g in members)
        if whole and len({len(gold[g].corrections) for g in members}) == 1 and gold[members[0]].corrections:
            whole = bool(set.intersection(*map(given, members)))
        failed += [] if whole else members
    return failed


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
"""The ways of the organizers' tools where they differ from the paper, as parameters (docs/design/hoo.md)."""


def _known_rows(value: Value) -> str:
    read_overrides(str(value))
    return ""


@dataclass(frozen=True, slots=True)
class Hoo(AlignmentRules, Metric):
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
        word_parameter("corrected", "Which edits count as corrected.", "gold", "system"),
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
        parameters = dict(raw)
        called = str(check_value(cls.name, cls.shorthands[0], parameters.pop("conventions", PAPER)))
        return cls(**cast("Any", read_parameters(cls.name, cls._defaults(called), parameters)))

    @classmethod
    def _defaults(cls, conventions: str) -> tuple[Parameter, ...]:
        """The parameters with the defaults of a named set."""
        values = CONVENTIONS[conventions]
        return tuple(p._replace(default=values.get(p.name, p.default)) for p in cls.parameters)

    @property
    def spec(self) -> Spec:
        """The shortest spec: the named conventions that leave the fewest parameters to say."""
        values = {each.name: getattr(self, each.name) for each in self.parameters}
        specs = [(name, make_spec(self.name, self._defaults(name), values).parameters) for name in CONVENTIONS]
        named = [((("conventions", name),) if name != PAPER else ()) + settings for name, settings in specs]
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
        undefined: list[Undefined | None] = []
        for c, m in np.ndindex(2, 3):
            no_p = None if proposed[0, c, m] else Undefined.NOTHING_PROPOSED
            no_r = None if wanted[0, c, m] else Undefined.NOTHING_IN_REFERENCE
            no_f = Undefined.NO_EDITS if no_p and no_r else no_p or no_r
            undefined += [no_p, no_r, no_f or (None if above_0[c, m] else Undefined.NOTHING_CORRECT)]
        return undefined

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
        return divide(counts[..., 1:], counts[..., :1])

    def type_units(self, statistics: HooStatistics) -> NDArray[np.int64]:
        """Fragments that have a gold edit of a type, and the type."""
        return np.argwhere(self._by_type(statistics)[..., 0] > 0)

    def _by_type(self, statistics: HooStatistics) -> NDArray[np.int64]:
        """Counts by row or code; shape (units, types, 4)."""
        return statistics.by_type if self.by == "code" else by_row(statistics, read_overrides(self.rows))

    def _rates(self, counts: Floats | NDArray[np.int64]) -> Floats:
        all_rates = rates(counts, float(self.empty == "one"), float(self.unrecognized == "one"), self.beta)
        return all_rates.reshape(len(counts), len(self.measures))
