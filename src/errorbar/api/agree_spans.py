"""The agreement of annotators on spans: ``errorbar agree --spans`` and ``errorbar.agree_spans``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Unpack

import numpy as np

from errorbar.agreement.coefficients import Kernel, estimates, left_out_values
from errorbar.agreement.gamma import GammaCounts
from errorbar.agreement.unitizing import AdjustInterval, UnitizingCounts
from errorbar.api.arguments import (
    ArgumentDoc,
    Lenient,
    UnmarkedRule,
    Working,
    public,
    refuse_without_intervals,
    resampling,
)
from errorbar.api.judgment_input import Files, labels_by_role, paths_of
from errorbar.api.read import read_corpus
from errorbar.core.arrays import Ints
from errorbar.core.corpus import ContentHash, Corpus
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.labels import format_count, natural_order, usual_order
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest
from errorbar.core.spans import SpannedText, merge_spans, spans_of_corpus
from errorbar.formats.judgments import is_corpus
from errorbar.formats.look import Source, display_name
from errorbar.formats.reference import expand_files
from errorbar.formats.spans import is_span_table, read_span_table
from errorbar.metrics.folding import Documents
from errorbar.stats.resampling import Resampling, Units, cluster_table, stream
from errorbar.tables.plain import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.version import __version__

SpansSource = Files | Corpus
TITLES = {"alpha": "unitizing alpha", "gamma": "gamma"}
"""The coefficients, by their keys."""


class SpanReading(Working, total=False):
    """How spans are read, and intervals made."""

    labels: Annotated[
        str | Sequence[str],
        ArgumentDoc((), "``type``: spans agree only if their types do; ``type=A,B``: only spans of these types count."),
    ]
    documents: Annotated[
        Source | None, ArgumentDoc(None, "NUCLE SGML that tells which document each sentence is from.")
    ]
    unmarked: UnmarkedRule
    lenient: Lenient


@dataclass(frozen=True, slots=True)
class SpanCoefficients:
    """Alpha and gamma of some spans.

    Attributes:
        n_spans: How many spans there are, of all annotators.
        values: Of the annotations, by coefficient.
        against: Of those that they are compared with; empty: there are none.
        differences: The first less the second.
        gamma_of_pairs: Whether gamma aligns the spans of each two annotators, as those of all are too close.
    """

    n_spans: int
    values: Mapping[str, Estimate]
    against: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    gamma_of_pairs: bool = False

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        parts = {"coefficients": self.values, "against": self.against, "differences": self.differences}
        records = {
            part: {name: estimate_record(estimate) for name, estimate in by_name.items()}
            for part, by_name in parts.items()
        }
        return {"n_spans": self.n_spans, **records, **({"gamma_of_pairs": True} if self.gamma_of_pairs else {})}


@dataclass(frozen=True, slots=True, repr=False)
class SpanAgreementResult(Result):
    """The agreement of annotators on spans.

    Attributes:
        spans: Of all spans together.
        types: Of the spans of each type alone; empty: spans have no types.
        n_texts: Texts that count.
        annotators: Their names.
        precision: Half-width of a 95 % interval for the disorder that gamma expects by chance, relative to it.
        n_draws: Random annotations that this disorder is the mean of.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
        intervals: Whether intervals were asked for.
    """

    spans: SpanCoefficients
    types: Mapping[str, SpanCoefficients]
    n_texts: int
    annotators: Sequence[str]
    precision: float
    n_draws: int
    signature: str
    notes: Sequence[Problem] = ()
    intervals: bool = True

    def to_dict(self) -> dict[str, object]:
        """Coefficients of all spans and of those of each type."""
        return {
            "n_texts": self.n_texts,
            "annotators": list(self.annotators),
            **self.spans.to_dict(),
            "types": {kind: row.to_dict() for kind, row in self.types.items()},
            "chance": {"n_draws": self.n_draws, "precision": self.precision},
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """The coefficients of all spans; then, where spans have types, those of each type."""
        return [self._table(), *([self._type_table()] if self.types else [])]

    def _table(self) -> Table:
        row, compared = self.spans, bool(self.spans.differences)
        columns = [Column("", key="coefficient"), self._estimates("value")]
        if compared:
            columns += [self._estimates("against"), self._estimates("difference", signed=True)]
        titles = TITLES | ({"gamma": "gamma of pairs"} if row.gamma_of_pairs else {})
        rows: list[list[Cell]] = [
            [title, *(part[name] for part in (row.values, row.against, row.differences) if part)]
            for name, title in titles.items()
        ]
        chance = (
            f"gamma: chance is the mean of {self.n_draws:,} random annotations, within {self.precision:.1%} of itself"
        )
        notes = [
            f"{format_count(self.n_texts, 'texts')}, {len(self.annotators)} annotators, "
            f"{format_count(row.n_spans, 'spans')}",
            *([chance] if self.n_draws else []),
            *(["intervals: other texts, these annotators"] if self.intervals else []),
            *(["difference: value less against, of the same texts"] if compared else []),
            f"signature {self.signature}",
        ]
        return Table(columns, rows, name="spans", notes=notes)

    def _type_table(self) -> Table:
        compared = bool(self.spans.differences)
        columns = [Column("type"), Column("spans", "count")]
        columns += [self._estimates(title, name) for name, title in TITLES.items()]
        if compared:
            columns += [
                self._estimates(f"{title}: difference", f"{name}_difference", signed=True)
                for name, title in TITLES.items()
            ]
        rows: list[list[Cell]] = [
            [
                f"{kind or '(no type)'}{' (pairs)' if row.gamma_of_pairs else ''}",
                row.n_spans,
                *row.values.values(),
                *row.differences.values(),
            ]
            for kind, row in self.types.items()
        ]
        return Table(columns, rows, "Agreement on the spans of each type", "types")

    def _estimates(self, title: str, key: str = "", *, signed: bool = False) -> Column:
        return Column(title, "number", key, interval="beside" if self.intervals else "", signed=signed)


@public(refuse_without_intervals("resamples confidence"))
def agree_spans(
    annotations: SpansSource, *, against: SpansSource | None = None, **shared: Unpack[SpanReading]
) -> SpanAgreementResult:
    """Compute unitizing alpha and gamma: do annotators mark the same stretches of texts?

    Args:
        annotations: One or several M2 or JSONL files over the same sentences, or token labels (TSV), whose edits or
            runs of incorrect tokens are spans; a table of spans (CSV, JSON lines, Parquet) with item, rater, start, end
            and maybe label, length and document; or a ``Corpus``.
        against: Other annotations of the same texts, e.g. by other annotators: the differences of both agreements get
            intervals, of the same resampled texts.
        ci: Compute confidence intervals, or leave them out. None: yes.
        shared: How spans are read and intervals made.

    Raises:
        InputError: If a file is bad.
        UsageError: If no text has two annotators, or both annotations are not of the same texts.
    """
    problems = Problems(lenient=shared["lenient"])
    roles = labels_by_role({"labels": shared["labels"], "type": ""})
    if bad := [label for label in roles[""] if label != "type"]:
        message = f"--labels={bad[0]} has no meaning for spans"
        raise UsageError(Problem("useless-option", message, expected="type, or type=A,B", fix="leave it out"))
    typed = bool(roles[""])
    sides = [_read_spans(source, shared, problems) for source in (annotations, against) if source is not None]
    texts = _texts_in_common(sides, problems)
    texts = [_count_types(side, roles["type"]) for side in texts]
    how = None if shared["ci"] is False else resampling(shared, "bca", shared["jobs"])
    work = _SpanAgreement(texts, how, shared["seed"])
    whole = work.measure(typed=typed)
    kinds = usual_order(sorted({s.type for text in chain(*texts) for spans in text.spans.values() for s in spans}))
    parts = {kind: work.of_type(kind) for kind in kinds} if any(kinds) else {}
    by_type = {kind: part.measure(typed=False) for kind, part in parts.items()}
    work.documents.warn(problems, intervals=how is not None)
    if unaligned := next((part.unaligned for part in (work, *parts.values()) if part.unaligned), ""):
        fix = "for one gamma of all annotators name the files of fewer, e.g. of two or three"
        problems.note("spans-alignment", f"gamma is that of pairs of annotators: {unaligned}", Place(), fix)
    if work.n_merged:
        message = f"{work.n_merged:,} spans of one annotator overlap others of theirs"
        problems.note("spans-overlap", message, Place(), "those of a type are joined, as one span")
    conventions = ["types" if typed else "spans", *(f"type={kind}" for kind in roles["type"])]
    annotators = natural_order({name for text in texts[0] for name in text.spans})
    return SpanAgreementResult(
        whole,
        by_type,
        len(texts[0]),
        annotators,
        work.precision,
        work.n_draws,
        _signature(texts, ",".join(conventions), work),
        problems.notes,
        how is not None,
    )


def _read_spans(source: SpansSource, shared: SpanReading, problems: Problems) -> list[SpannedText]:
    """The texts of a corpus or of a table of spans."""
    if isinstance(source, Corpus):
        return spans_of_corpus(
            read_corpus(source, problems, documents=shared["documents"], unmarked=shared["unmarked"])
        )
    files = expand_files(paths_of(source, "annotations"))
    if is_corpus(files[0].path):
        names = [f"{file.name}={file.path}" for file in files]
        corpus = read_corpus(names, problems, documents=shared["documents"], unmarked=shared["unmarked"])
        return spans_of_corpus(corpus)
    texts: dict[str, SpannedText] = {}
    for file in files:
        if not is_span_table(file.path):
            message = "the table has no spans: item, rater, start and end"
            fix = "agree without --spans measures agreement of labels"
            raise UsageError(Problem("spans-column", message, Place(display_name(file.path)), fix=fix))
        for text in read_span_table(file.path, problems):
            known = texts.setdefault(text.name, text)
            if known is text:
                continue
            if twice := [name for name in text.spans if name in known.spans]:
                message = f"annotator {twice[0]} has text '{text.name}' in two files"
                raise UsageError(
                    Problem("spans-twice", message, Place(display_name(file.path)), fix="give one of them")
                )
            length = max(known.length, text.length)
            texts[text.name] = replace(known, length=length, spans={**known.spans, **text.spans})
    return [*texts.values()]


def _texts_in_common(sides: Sequence[list[SpannedText]], problems: Problems) -> list[list[SpannedText]]:
    """The texts that two annotators or more looked at, on both sides."""
    by_name = [{text.name: text for text in side} for side in sides]
    for other in by_name[1:]:
        if missing := next((name for name in (*by_name[0], *other) if (name in by_name[0]) is not (name in other)), ""):
            message = f"text {missing} is in one of the two annotations alone"
            raise UsageError(Problem("spans-texts", message, expected="annotations of the same texts"))
        for name, text in by_name[0].items():
            if other[name].length != text.length:
                message = f"text {name} has {text.length} places here and {other[name].length} in --against"
                raise UsageError(Problem("spans-texts", message, expected="annotations of the same texts"))
    kept = [name for name in natural_order(by_name[0]) if all(len(side[name].spans) > 1 for side in by_name)]
    if not kept:
        message = "no text has two annotators"
        fix = "name the files of two annotators" if len(by_name[0]) else ""
        raise UsageError(Problem("spans-one-annotator", message, fix=fix))
    if gone := len(by_name[0]) - len(kept):
        one = "1 text has" if gone == 1 else f"{gone:,} texts have"
        problems.note("spans-single", f"{one} one annotator, or none, and say nothing about agreement", Place())
    # Who came first in a file changes no digit.
    return [
        [
            replace(side[name], spans={own: side[name].spans[own] for own in natural_order(side[name].spans)})
            for name in kept
        ]
        for side in by_name
    ]


def _count_types(texts: Sequence[SpannedText], types: Sequence[str]) -> list[SpannedText]:
    """The texts with the spans of some types alone; none named: of all."""
    if not types:
        return list(texts)
    used = {span.type for text in texts for spans in text.spans.values() for span in spans}
    if not used & {*types}:
        message = f"no annotator used the type {' or '.join(types)}"
        raise UsageError(Problem("items-type", message, fix=nearest(types[0], sorted(used - {""})) if used else ""))
    return [
        replace(text, spans={name: tuple(s for s in spans if s.type in types) for name, spans in text.spans.items()})
        for text in texts
    ]


class _SpanAgreement:
    """Coefficients of spans on one side or two, all from the same resamples of texts."""

    def __init__(self, sides: Sequence[Sequence[SpannedText]], how: Resampling | None, seed: int) -> None:
        self.sides, self.how, self.seed = sides, how, seed
        self.documents = Documents("text")
        self.documents.add_names([text.document for text in sides[0]])
        self.kind = ""
        self.n_merged = self.n_draws = 0
        self.unaligned = ""
        self.precision = 0.0

    def of_type(self, kind: str) -> _SpanAgreement:
        """That of the spans of a type."""
        other = _SpanAgreement(
            [_count_types(side, (kind,)) if _has(side, kind) else _emptied(side) for side in self.sides],
            self.how,
            self.seed,
        )
        other.kind = kind
        return other

    def measure(self, *, typed: bool) -> SpanCoefficients:
        """Alpha and gamma with intervals; untyped, spans of all types are alike."""
        texts = self.sides[0]
        rows = np.arange(len(texts), dtype=np.int64)
        clusters = self.documents.clusters() if self.documents.unit == "document" else None
        units = Units(np.ones(len(texts)), cluster_table(rows, len(texts), clusters, len(texts)))
        kernels: dict[str, Kernel] = {}
        adjust: dict[str, AdjustInterval] = {}
        sides: list[list[SpannedText]] = []
        n_spans, width = [], 1
        for number, side in enumerate(self.sides):
            merged = [self._merge(text, typed=typed) for text in side]
            n_spans.append(sum(len(spans) for text in merged for spans in text.spans.values()))
            kinds = sorted({span.type for text in merged for spans in text.spans.values() for span in spans})
            counts = UnitizingCounts(merged)
            kernels[f"alpha {number}"] = counts.kernel(kinds)
            if adjust_interval := counts.adjust_interval(kinds, clusters):
                adjust[f"alpha {number}"] = adjust_interval
            sides.append(merged)
        for number, gamma in enumerate(self._gammas(sides, clusters)):
            kernels[f"gamma {number}"] = gamma.kernel()
            width = max(width, gamma.width)
            self.precision, self.n_draws = max(self.precision, gamma.precision), max(self.n_draws, gamma.n_draws)
        parts = ["0"]
        if len(self.sides) > 1:
            parts += ["1", "difference"]
            for name in TITLES:
                kernels[f"{name} difference"] = _difference(kernels[f"{name} 0"], kernels[f"{name} 1"])
        values = estimates(units, kernels, len(texts), Undefined.NO_SPANS, self.how, width)
        for name, draw_out in adjust.items():
            values[name] = [_adjusted(values[name][0], units, kernels[name], draw_out)]
        first, second, difference = (
            {name: values[f"{name} {part}"][0] for name in TITLES if part in parts} for part in ("0", "1", "difference")
        )
        return SpanCoefficients(n_spans[0], first, second, difference, bool(self.unaligned))

    def _gammas(self, sides: Sequence[Sequence[SpannedText]], clusters: Ints | None) -> list[GammaCounts]:
        """Gamma of each side, with one chance on both; of pairs on both where one has too many ways to align spans."""

        def count(*, pairs: bool) -> list[GammaCounts]:
            streams = (stream(self.seed, "gamma", self.kind) for _ in sides)
            return [GammaCounts(side, rng, clusters, pairs=pairs) for side, rng in zip(sides, streams, strict=True)]

        try:
            return count(pairs=False)
        except UsageError as error:
            self.unaligned = error.problems[0].what
            return count(pairs=True)

    def _merge(self, text: SpannedText, *, typed: bool) -> SpannedText:
        spans = {}
        for name, own in text.spans.items():
            spans[name] = merge_spans(own if typed else (span._replace(type="") for span in own))
            self.n_merged += len(own) - len(spans[name])
        return replace(text, spans=spans)


def _has(texts: Sequence[SpannedText], kind: str) -> bool:
    return any(span.type == kind for text in texts for spans in text.spans.values() for span in spans)


def _emptied(texts: Sequence[SpannedText]) -> list[SpannedText]:
    return [replace(text, spans=dict.fromkeys(text.spans, ())) for text in texts]


def _adjusted(estimate: Estimate, units: Units, kernel: Kernel, adjust: AdjustInterval) -> Estimate:
    """The estimate with a better interval, if it has one."""
    if estimate.value is None or not isinstance(estimate.interval, Interval):
        return estimate
    without, times = left_out_values(units, kernel, 1)
    interval = adjust(estimate.value, estimate.interval, np.repeat(without[:, 0], times))
    return estimate.with_interval(interval, n_clusters=units.n_clusters)


def _difference(first: Kernel, second: Kernel) -> Kernel:
    return lambda weights: first(weights) - second(weights)


def _signature(texts: Sequence[Sequence[SpannedText]], how: str, work: _SpanAgreement) -> str:
    """The same for the same spans in whatever order they come."""
    parts = [f"agree-spans({how})"]
    for side in texts:
        content = ContentHash()
        content.add(
            json.dumps([text.name, text.length, sorted((name, sorted(spans)) for name, spans in text.spans.items())])
            for text in sorted(side, key=lambda text: text.name)
        )
        parts.append(f"spans:{content.short()}")
    drawn = f"seed:{work.seed}" if work.how is None else work.how.convention(work.documents.clustering)
    return "|".join([*parts, f"n:{len(texts[0])}", drawn, f"v:{__version__}"])
