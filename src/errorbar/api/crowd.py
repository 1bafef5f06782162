"""Systems against a crowd: the scores of ``errorbar crowd score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple, Unpack, cast

import numpy as np

from errorbar.api.arguments import (
    Beta,
    Confidence,
    Useless,
    Whole,
    metrics_of,
    public,
    refuse_without_intervals,
    resampling,
)
from errorbar.api.inputs import need_systems
from errorbar.api.judgment_input import (
    CrowdJudging,
    CrowdReading,
    JudgmentReading,
    ReadJudgments,
    VotesSource,
    paths_of,
    take_crowd,
)
from errorbar.api.signatures import crowd_signature
from errorbar.core.arrays import Flags, Floats
from errorbar.core.corpus import Hypothesis
from errorbar.core.judgments import Judgments
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError
from errorbar.crowdsourcing.answers import error_codes, error_convention, majority, trust_weighted
from errorbar.crowdsourcing.hidden_labels import dawid_skene
from errorbar.edits.inputs import open_system
from errorbar.edits.items import find_changed_items, split_items
from errorbar.formats.judgments import SystemFlags, read_flags
from errorbar.formats.look import Source, display_name
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.formats.tables import header_of, table_rows
from errorbar.metrics.base import Metric
from errorbar.metrics.crowd_weighted import (
    ESTIMANDS,
    RECALLS,
    Crowd,
    CrowdScore,
    CrowdStatistics,
    Sweep,
    Truth,
    Votes,
    score_kinds,
    sweep_scores,
)
from errorbar.stats.resampling import Resampling, makes_usual_intervals, stream
from errorbar.tables.plain import attributes, estimate_record, records
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

FEW_ERRORS, FEW_CLUSTERS = 10, 10  # below which intervals can be too narrow: docs/measurements/crowd-intervals.md

FlagSource = Source | Mapping[str, bool] | Flags | Sequence[bool]
Systems = Source | Sequence[Source] | Mapping[str, FlagSource]


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """A crowd, as systems are compared with it: the share of errors of each item; what joins every signature."""

    judged: ReadJudgments
    votes: Votes
    metric: Crowd
    conventions: tuple[str, ...]

    @classmethod
    def of(cls, judged: ReadJudgments, metric: Crowd, error: str | Sequence[str], seed: int) -> Against:
        """Find the share of errors of each item."""
        judgments = judged.judgments
        codes = error_codes(judgments.labels, error)
        conventions = error_convention(judgments.labels, codes)
        if metric.shares == "dawid-skene":
            answers, _ = dawid_skene(judgments, stream(seed, "crowd", "dawid-skene"))
            conventions = (*conventions, f"seed:{seed}")
        else:
            answers = majority(judgments) if metric.shares == "votes" else trust_weighted(judgments)
        return cls(judged, Votes(answers.share_of(codes), answers.n_judgments, judged.clusters), metric, conventions)

    @property
    def unit(self) -> str:
        """The name of the units that are resampled."""
        return "items" if self.judged.clusters is None else "essays or sentences"

    def note_few(self, problems: Problems) -> None:
        """Warn that few items are errors to most of the crowd, or that items are of few essays."""
        codes = self.judged.clusters
        n_clusters = FEW_CLUSTERS if codes is None else len(np.unique(np.asarray(codes)[self.votes.n_judgments > 0]))
        if 1 < n_clusters < FEW_CLUSTERS:
            message = f"the judged items are of only {n_clusters} essays or sentences"
            problems.note("crowd-few", f"{message}: intervals may be too narrow", Place(), severity="warning")
        n = int((self.votes.share > 0.5).sum())
        if n < FEW_ERRORS:
            items = {0: "no item an error", 1: "only 1 item an error"}.get(n, f"only {n} items errors")
            message = f"most raters call {items}: intervals of R and F may be too narrow"
            problems.note("crowd-few", message, Place(), severity="warning")

    def counted(self, flags: Flags) -> dict[Crowd, CrowdStatistics]:
        """A system's counts by both estimands."""
        metrics = [replace(self.metric, estimand=estimand) for estimand in ESTIMANDS]
        return {metric: metric.measure(self.votes, flags) for metric in metrics}

    def signature(self, spec: object, flags: Flags | Floats, resampling: Resampling | None) -> str:
        """The signature of everything that can change a digit; ``flags``: the system's flag or score of each item."""
        unit = "item" if self.judged.clusters is None else "cluster"
        conventions = self.conventions if resampling is None else (*self.conventions, resampling.convention(unit))
        return crowd_signature(str(spec), self.judged.judgments, flags, conventions, self.judged.clusters)


@dataclass(frozen=True, slots=True)
class CrowdRow:
    """A system against the crowd by one estimand."""

    system: str
    score: CrowdScore
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class CrowdScores(Result):
    """Each system against a crowd by both estimands.

    Attributes:
        rows: A score of each system and estimand.
        unit: What intervals take for independent: ``items`` or others.
        notes: Warnings and repairs.
    """

    rows: tuple[CrowdRow, ...]
    unit: str
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """Every row with its counts, P, R, F and signature."""
        return {"rows": [_record(row) for row in self.rows]}

    def tables(self) -> list[Table]:
        """One table."""
        f_name = f"F{self.rows[0].score.beta:g}" if self.rows else "F"
        columns = [*map(Column, ("system", "estimand", "judgments")), Column("items", "count")]
        columns += [Column(name, "number", name, 1) for name in ("hits", "FP", "misses")]
        columns += [Column(name, "percent", name) for name in ("P", "R", f_name)]
        body: list[list[Cell]] = []
        for system, s in ((row.system, row.score) for row in self.rows):
            start: list[Cell] = [system, s.estimand, judgments_text(s.n_judgments), s.n_items]
            body.append([*start, s.hits, s.false_positives, s.misses, s.precision, s.recall, s.f])
        with_intervals = any(row.score.f.interval_or_reason is not None for row in self.rows)
        notes = [
            "weighted: an item counts as the share of raters who call it an error; majority: as most of them do",
            f"intervals are for other {self.unit} and these raters; " * with_intervals + "judgments are per item",
        ]
        return [Table(columns, body, "Scores against the crowd", "crowd-score", notes)]


def judgments_text(k: tuple[int, float, int]) -> str:
    """Judgments of an item: one number where all have the same, else smallest, mean and largest."""
    low, mean, high = k
    return str(low) if low == high else f"{low}–{high}, mean {mean:.1f}"


def _record(row: CrowdRow) -> dict[str, object]:
    score = row.score
    return {
        "system": row.system,
        "estimand": score.estimand,
        "n_items": score.n_items,
        "n_judgments": dict(zip(("least", "mean", "most"), score.n_judgments, strict=True)),
        **attributes(score, "hits", "false_positives", "misses", "true_negatives"),
        "P": estimate_record(score.precision),
        "R": estimate_record(score.recall),
        "F": estimate_record(score.f),
        "beta": score.beta,
        "signature": row.signature,
    }


@public(
    refuse_without_intervals("confidence"),
    Useless(
        "seed",
        "starts dawid-skene, and {metric} has other shares",
        lambda arguments: "dawid-skene" not in str(arguments["metric"]),
    ),
)
def crowd(
    judgments: VotesSource,
    systems: Systems,
    *,
    metric: Metric | str = "crowd",
    beta: Beta = None,
    ci: bool = True,
    confidence: Confidence = 0.95,
    seed: Whole = 0,
    **shared: Unpack[CrowdReading],
) -> CrowdScores:
    """Score systems against a crowd: crowd-weighted and majority hits, misses, false positives, P, R and F.

    Args:
        judgments: A table of judgments in any layout, or an M2 or JSONL corpus whose annotators' edits become
            judgments: a path or paths; or ``Judgments``.
        systems: Tables ``item,flag`` or, with a corpus, one corrected sentence per line: paths, ``name=path``, or a
            mapping of names to paths, to flags of the items in order, or to flags by item.
        metric: What is computed, e.g. ``crowd(shares=trust,ties=unknown)``: what the share of an item is (votes, trust,
            dawid-skene), and what a tie is to the majority (half, unknown, error, ok).
        ci: Compute confidence intervals, or leave them out.
        confidence: Confidence level of intervals, a fraction.
        seed: Seed of the starts of dawid-skene.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or no label means an error.
    """
    need_systems(systems)
    against, problems = read_against(judgments, crowd_metric(metric, beta), shared, seed)
    flags = read_systems(systems, against.judged, problems)
    if ci:
        against.note_few(problems)
    rows = crowd_rows(against, flags, confidence if ci else None)
    return CrowdScores(tuple(rows), against.unit, tuple(problems.notes))


def crowd_metric(metric: Metric | str, beta: float | None = None) -> Crowd:
    """The metric of a crowd; both estimands are computed anyway."""
    (parsed,) = metrics_of(metric, beta, "judgments")
    if not isinstance(parsed, Crowd):
        message = f"'{parsed.name}' has other measures than those of the crowd"
        raise UsageError(Problem("unknown-metric", message, fix="--metric=crowd"))
    return replace(parsed, estimand="weighted")


def read_against(judgments: VotesSource, metric: Crowd, options: CrowdReading, seed: int) -> tuple[Against, Problems]:
    """A crowd to be compared with, and the notebook of its reading."""
    judged, problems = take_crowd(judgments, options)
    if judged.drawn:
        message = "these judgments are of a drawn set, in which flagged items have another share than in the corpus"
        fix = "scores of the corpus: errorbar sample estimate, with the key of the set"
        headline = "the judgments are of a drawn set: these are not scores of the corpus"
        problems.note("crowd-drawn", message, Place(), fix=fix, headline=headline)
    return Against.of(judged, metric, judged.options.error, seed), problems


def read_resampled(
    judgments: VotesSource, metric: Crowd, options: CrowdJudging
) -> tuple[Against, Problems, Resampling | None]:
    """As ``read_against``, and how bands are made, if any are."""
    drawn = resampling(options, jobs=options["jobs"])
    against, problems = read_against(judgments, metric, options, options["seed"])
    ci, n = options["ci"], len(against.judged.judgments.items)
    return against, problems, drawn if (makes_usual_intervals(n, "items", problems) if ci is None else ci) else None


def crowd_rows(against: Against, systems: Mapping[str, Flags], confidence_level: float | None) -> list[CrowdRow]:
    """Every system by both estimands; None: without intervals."""
    closed = None if confidence_level is None else Resampling("closed", confidence_level=confidence_level)
    return [
        CrowdRow(name, score_kinds(metric, table, resampling=closed), against.signature(metric.spec, flags, closed))
        for name, flags in systems.items()
        for metric, table in against.counted(flags).items()
    ]


def read_systems(systems: Systems, crowd: ReadJudgments, problems: Problems) -> dict[str, Flags]:
    """Every system's flag for each item of a crowd: name to flags of shape (items,); errors are those of ``crowd``."""
    by_name = _by_name(systems) if systems else {}
    return {name: _read_flags_of(name, source, crowd, problems) for name, source in by_name.items()}


def _by_name(systems: Any) -> Mapping[str, Any]:  # noqa: ANN401 - paths, or a mapping of names to what a system is
    """Systems by name; a path may have one: ``name=path``."""
    if isinstance(systems, Mapping):
        return systems
    files = [NamedFile.parse(path) for path in paths_of(systems, "systems")]
    refuse_same_names(files, "systems")
    return {file.name: file.path for file in files}


def _read_flags_of(name: str, source: FlagSource, crowd: ReadJudgments, problems: Problems) -> Flags:
    if isinstance(source, str | PathLike):
        return _read_file(name, str(source), crowd, problems)
    if isinstance(source, Mapping):
        return _order_flags(source, crowd.judgments.items, name, problems)
    flags, n_items = np.asarray(source), len(crowd.judgments.items)
    if flags.dtype != np.bool_ or flags.shape != (n_items,):
        message = f"the flags of '{name}' must be {n_items} truth values, got {flags.shape} {flags.dtype}"
        raise UsageError(Problem("wrong-type", message))
    return cast("Flags", flags)


def _read_file(name: str, path: str, crowd: ReadJudgments, problems: Problems) -> Flags:
    """The flags that a table gives or, of a system that corrects, flags of the items that its edits change."""
    corpus = crowd.corpus
    if corpus is None or {"item", "flag"} <= {*header_of(path)}:
        return flags_of_items(read_flags(path, problems, path), crowd.judgments.items, problems)
    reader = open_system(path, name, problems)
    lines = reader.take_for(corpus.sentences)
    reader.finish(len(corpus))
    problems.raise_errors()
    items, words = split_items(crowd.options.items)
    flags: Flags = find_changed_items(corpus, [Hypothesis(name, lines)], items, words=words)[1][0]
    return flags


def flags_of_items(table: SystemFlags, items: Sequence[str], problems: Problems) -> Flags:
    """A table's flag of each judged item; one without is an ``InputError``, or repaired."""
    return _order_flags(table.flags, items, table.name, problems)


def _order_flags(flags: Mapping[str, bool], items: Sequence[str], name: str, problems: Problems) -> Flags:
    judged, flags = set(items), {item.strip(): flag for item, flag in flags.items()}
    others = [item for item in flags if item not in judged]
    if others:
        message = f"{len(others):,} items of the system were not judged, first '{others[0]}'; they do not count"
        if len(others) == 1:
            message = f"1 item of the system was not judged, '{others[0]}'; it does not count"
        problems.note("crowd-not-judged", message, Place(name))
    lacking = [item for item in items if item not in flags]
    if lacking:
        message = f"{len(lacking):,} of {len(items):,} judged items have no flag, first '{lacking[0]}'"
        repair = "they count as not flagged"
        if len(lacking) == 1:
            message, repair = f"the judged item '{lacking[0]}' has no flag", "it counts as not flagged"
        problems.repairable("crowd-no-flag", message, Place(name), repair=repair)
        problems.raise_errors()
    return np.fromiter((flags.get(item, False) for item in items), np.bool_, len(items))


class DrawnItem(NamedTuple):
    """An item of an annotation set."""

    text: str
    set: str  # the name of the set


@dataclass(frozen=True, slots=True, repr=False)
class CrowdJudgments(Result):
    """Judgments, rater by rater.

    Attributes:
        judgments: Who said what of which item, in the order of the rows.
        drawn: The items of the annotation set that was asked for, in its order; None: every item.
        notes: Warnings and repairs.
    """

    judgments: Judgments
    drawn: dict[str, DrawnItem] | None
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every judgment."""
        return {"rows": records(self.every())}

    def tables(self) -> list[Table]:
        """How often each rater gave each label."""
        j = self.judgments
        counts = np.zeros((len(j.raters), len(j.labels)), np.int64)
        np.add.at(counts, (j.rater, j.label), 1)
        columns = [Column("rater"), Column("judgments", "count"), *(Column(label, "count") for label in j.labels)]
        body: list[list[Cell]] = [
            [rater, sum(row), *row] for rater, row in zip(j.raters, counts.tolist(), strict=True) if sum(row)
        ]
        items = len(np.unique(j.item))
        of = f"{items:,} item{'s' * (items != 1)}"
        note = f"{len(j):,} judgment{'s' * (len(j) != 1)} of {of}; csv and json have them all"
        return [Table(columns, body, "Judgments", "raters", [note])]

    def every(self) -> Table:
        """All judgments, as every command that takes judgments reads them; those of a set as filled-in sets are."""
        j, drawn = self.judgments, self.drawn
        weights = [[]] * len(j) if j.weight is None else [[weight] for weight in j.weight.tolist()]
        body: list[list[Cell]] = [
            [item, *(drawn[item] if drawn is not None else ()), j.raters[rater], j.labels[label], *weight]
            for code, rater, label, weight in zip(
                j.item.tolist(), j.rater.tolist(), j.label.tolist(), weights, strict=True
            )
            for item in [j.items[code]]
        ]
        names = ["item", *(DrawnItem._fields if drawn is not None else ()), "rater", "label"]
        columns = [*map(Column, names), *([] if j.weight is None else [Column("weight", "number")])]
        return Table(columns, body, name="judgments")


@public()
def crowd_judgments(
    judgments: VotesSource, *, drawn: Source | None = None, **shared: Unpack[JudgmentReading]
) -> CrowdJudgments:
    """Write judgments as one table of item, rater and label: those of another layout, or of annotators' edits.

    Args:
        judgments: As of ``crowd``.
        drawn: Only the items of this set of 'sample draw', filled in as raters would. They come in its order and with
            its name.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad, or nobody judged an item of the set.
        UsageError: If an option does not fit.
    """
    judged, problems = take_crowd(judgments, shared)
    table = judged.judgments
    known = None if drawn is None else _read_set(drawn, problems)
    place = {item: at for at, item in enumerate(table.items if known is None else known)}
    where = np.array([place.get(item, -1) for item in table.items], np.int64)[table.item]
    rows = np.lexsort((where, table.rater))
    table = table.take(rows[where[rows] >= 0])
    if known is not None:
        _note_missing(table, known, Place(display_name(drawn or "")), problems)
    return CrowdJudgments(table, known, tuple(problems.notes))


def _read_set(path: Source, problems: Problems) -> dict[str, DrawnItem]:
    """The items of an annotation set, each once: it has a row for every rater."""
    items: dict[str, DrawnItem] = {}
    for row, _ in table_rows(path, problems, ("item", "set")):
        items.setdefault(row["item"], DrawnItem(row.get("text", ""), row["set"]))
    problems.raise_errors()
    return items


def _note_missing(judgments: Judgments, drawn: dict[str, DrawnItem], place: Place, problems: Problems) -> None:
    judged = {judgments.items[code] for code in np.unique(judgments.item).tolist()}
    missing = [item for item in drawn if item not in judged]
    if not judged:
        message = f"nobody judged any of its {len(drawn):,} items"
        fix = "items must be called alike: of a corpus --items says what they are"
        raise InputError(Problem("sample-other-set", message, place, fix=fix))
    if missing:
        message = f"{len(missing):,} of its {len(drawn):,} items have no judgment, first '{missing[0]}'"
        problems.note("sample-unjudged", message, place)


_USUAL = Crowd()
ScoreSource = Source | Sequence[Source] | Mapping[str, Source | Mapping[str, float]]


@dataclass(frozen=True, slots=True, repr=False)
class Sweeps(Result):
    """Systems, in the order given, under every threshold of their scores.

    Attributes:
        systems: The sweep of each.
        signatures: What can change a digit of each.
        unit: What intervals resample.
        notes: What was noted on the way.
    """

    systems: Mapping[str, Sweep]
    signatures: Mapping[str, str]
    unit: str
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """Average precision and points of every system."""
        return {"rows": [self._record(name, sweep) for name, sweep in self.systems.items()]}

    def _record(self, name: str, sweep: Sweep) -> dict[str, object]:
        return {
            "system": name,
            **attributes(sweep, "truth", "n_items", "errors"),
            "AP": estimate_record(sweep.average_precision),
            "points": [
                {**attributes(point, "recall", "threshold", "n_flagged"), "P": estimate_record(point.precision)}
                for point in sweep.points
            ],
            "signature": self.signatures[name],
        }

    def tables(self) -> list[Table]:
        """P at each recall, and a line with the average precision of each system."""
        columns = [Column("system"), Column("recall %", "percent", "recall"), Column("threshold", "number", digits=3)]
        columns += [Column("flagged", "count"), Column("P", "percent", "P")]
        body: list[list[Cell]] = [
            [name, point.recall, point.threshold, point.n_flagged, point.precision]
            for name, sweep in self.systems.items()
            for point in sweep.points
        ]
        of_all: list[list[Cell]] = [
            [name, sweep.n_items, sweep.errors, sweep.average_precision] for name, sweep in self.systems.items()
        ]
        whole = [Column("system"), Column("items", "count"), Column("errors", "number", digits=1)]
        truth = next((sweep.truth for sweep in self.systems.values()), "")
        rules = {"any": "one rater says so", "majority": "most raters say so", "weighted": "the share who say so"}
        notes = [f"an error: {rules.get(truth, '')}; intervals resample {self.unit}"]
        return [
            Table([*whole, Column("AP", "percent", "AP")], of_all, "Average precision", "sweep"),
            Table(columns, body, "Precision at recall", "sweep-points", notes),
        ]


@public(refuse_without_intervals("resamples confidence"))
def crowd_sweep(
    judgments: VotesSource,
    systems: ScoreSource,
    *,
    truth: Truth = "weighted",
    recalls: Sequence[float] = RECALLS,
    metric: Metric | str = "crowd",
    **shared: Unpack[CrowdJudging],
) -> Sweeps:
    """Sweep detectors' scores against a crowd: precision at each recall, with a band.

    Args:
        judgments: As of ``crowd``.
        systems: Tables ``item,flag,score`` of detectors, ``name=path``, or ``{name: {item: score}}``.
        truth: An error is the share of raters who say so, what most say, or what any one says.
        recalls: Where precision is wanted. Fractions above 0.
        metric: What is computed, e.g. ``crowd(shares=trust)``: what the share of an item is (votes, trust,
            dawid-skene), as for ``crowd score``.
        shared: How judgments are read and intervals made.

    Raises:
        InputError: If a file is bad, or a judged item has no score.
        UsageError: If an argument does not fit.
    """
    need_systems(systems)
    parsed = crowd_metric(metric)
    _refuse_useless(parsed, truth)
    against, problems, drawn = read_resampled(judgments, parsed, shared)
    items, by_system = against.judged.judgments.items, _read_scores(systems, problems)
    scores = {name: _order_scores(name, values, items, problems) for name, values in by_system.items()}
    problems.raise_errors()
    result = sweeps(against, scores, truth, drawn, recalls)
    return replace(result, notes=tuple(problems.notes))


def sweeps(
    against: Against,
    scores: Mapping[str, Floats],
    truth: Truth,
    drawn: Resampling | None,
    recalls: Sequence[float] = RECALLS,
) -> Sweeps:
    """Sweep scores of each judged item, by system; a ``UsageError`` if one is no number."""
    shares, ties = against.metric.shares, against.metric.ties
    swept = {
        name: sweep_scores(values, against.votes, truth, ties=ties, recalls=recalls, resampling=drawn)
        for name, values in scores.items()
    }
    how = f"truth={truth},shares={shares}" + f",ties={ties}" * (ties != _USUAL.ties)
    spec = f"sweep({how},recalls={'+'.join(f'{recall:g}' for recall in recalls)})"
    signatures = {name: against.signature(spec, values, drawn) for name, values in scores.items()}
    return Sweeps(swept, signatures, against.unit, ())


def _refuse_useless(metric: Crowd, truth: Truth) -> None:
    """Refuse what would change nothing, and what rests on no single rater."""
    message = ""
    if metric.beta != _USUAL.beta:
        message = "beta weighs F, and a sweep has none"
    elif metric.ties != _USUAL.ties and truth != "majority":
        message = f"ties= is about what most raters say (--truth=majority), and --truth is {truth}"
    elif truth == "any" and metric.shares == "dawid-skene":
        message = "shares=dawid-skene gives chances of errors, and of no item is that what one rater says"
    if message:
        raise UsageError(Problem("useless-option", message, fix="leave it out"))


def _read_scores(systems: ScoreSource, problems: Problems) -> dict[str, Mapping[str, float]]:
    return {
        name: source if isinstance(source, Mapping) else read_flags(source, problems, name).scores
        for name, source in _by_name(systems).items()
    }


def _order_scores(name: str, scores: Mapping[str, float], items: Sequence[str], problems: Problems) -> Floats:
    missing = [item for item in items if item not in scores]
    if missing:
        message = f"{len(missing):,} of {len(items):,} judged items have no score, first '{missing[0]}'"
        fix = "a sweep needs the score of every item: a table with the columns item, flag and score"
        problems.error("sweep-no-score", message, Place(name), fix=fix)
    return np.array([scores.get(item, np.nan) for item in items])
