"""Systems against a crowd: the scores of ``errorbar crowd score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Unpack, cast

import numpy as np

from errorbar.core.corpus import Hypothesis
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import error_codes, error_convention, majority, trust_weighted
from errorbar.crowdsourcing.rater_models import dawid_skene
from errorbar.edits.items import changed_items, split_items
from errorbar.edits.system_edits import open_system
from errorbar.formats.item_tables import SystemFlags, read_flags
from errorbar.formats.look import Source
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.formats.tables import header_of
from errorbar.metrics.base import Floats, Metric
from errorbar.metrics.crowd_weighted import ESTIMANDS, Crowd, CrowdScore, CrowdStatistics, Flags, Votes, score_kinds
from errorbar.stats.resampling import Resampling, stream, unasked
from errorbar.studies.door import metrics_of, public, resampling
from errorbar.studies.inputs import need_systems
from errorbar.studies.judgment_input import CrowdJudging, Judged, paths_of, take_crowd
from errorbar.studies.judgment_input import Votes as GivenVotes
from errorbar.studies.signatures import crowd_signature
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

Given = Source | Mapping[str, bool] | Flags | Sequence[bool]
Systems = Source | Sequence[Source] | Mapping[str, Given]


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """A crowd, as systems are compared with it: the share of errors of each item; what joins every signature."""

    judged: Judged
    votes: Votes
    metric: Crowd
    conventions: tuple[str, ...]

    @classmethod
    def of(cls, judged: Judged, metric: Crowd, error: str | Sequence[str], seed: int) -> Against:
        """Find the share of errors of each item."""
        judgments = judged.judgments
        codes = error_codes(judgments.labels, error)
        said = error_convention(judgments.labels, codes)
        if metric.shares == "dawid-skene":
            answers, _ = dawid_skene(judgments, stream(seed, "crowd", "dawid-skene"))
            said = (*said, f"seed:{seed}")
        else:
            answers = majority(judgments) if metric.shares == "votes" else trust_weighted(judgments)
        return cls(judged, Votes(answers.share_of(codes), answers.n_judgments, judged.clusters), metric, said)

    @property
    def unit(self) -> str:
        """What is resampled."""
        return "items" if self.judged.clusters is None else "essays or sentences"

    def counted(self, flags: Flags) -> dict[Crowd, CrowdStatistics]:
        """A system's counts by both estimands."""
        metrics = [replace(self.metric, estimand=estimand) for estimand in ESTIMANDS]
        return {metric: metric.measure(self.votes, flags) for metric in metrics}

    def signature(self, spec: object, flags: Flags | Floats, resampling: Resampling | None) -> str:
        """What can change a digit; ``flags``: what the system says of each item, be it scores."""
        unit = "item" if self.judged.clusters is None else "cluster"
        said = self.conventions if resampling is None else (*self.conventions, resampling.convention(unit))
        return crowd_signature(str(spec), self.judged.judgments, flags, said, self.judged.clusters)


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
        unit: What was resampled: ``items`` or others.
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
        notes = [
            "weighted: an item counts as the share of raters who call it an error; majority: as most of them do",
            f"intervals resample {self.unit} with all their judgments; judgments are per item",
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
        **{name: getattr(score, name) for name in ("hits", "false_positives", "misses", "true_negatives")},
        "P": estimate_record(score.precision),
        "R": estimate_record(score.recall),
        "F": estimate_record(score.f),
        "beta": score.beta,
        "signature": row.signature,
    }


@public()
def crowd(
    judgments: GivenVotes,
    systems: Systems,
    *,
    metric: Metric | str = "crowd",
    beta: float | None = None,
    **shared: Unpack[CrowdJudging],
) -> CrowdScores:
    """Score systems against a crowd: crowd-weighted and majority hits, misses, false positives, P, R and F.

    Args:
        judgments: A table of judgments in any layout, or an M2 or JSONL corpus whose annotators' edits become
            judgments: a path or paths; or ``Judgments``.
        systems: Tables ``item,flag`` or, with a corpus, one corrected sentence per line: paths, ``name=path``, or a
            mapping of names to paths, to flags of the items in order, or to flags by item.
        metric: What is computed, e.g. ``"crowd(shares=trust,ties=unknown)"``: what the share of an item is (``votes``,
            ``trust`` or ``dawid-skene``), and what a tie is to the majority (``half``, ``unknown``, ``error`` or
            ``ok``).
        beta: Weight of recall in F, short for the metric's parameter.
        shared: How judgments are read and intervals made.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or no label means an error.
    """
    need_systems(systems)
    against, problems, drawn = read_against(judgments, crowd_metric(metric, beta), shared)
    rows = crowd_rows(against, read_systems(systems, against.judged, problems), drawn)
    return CrowdScores(tuple(rows), against.unit, tuple(problems.notes))


def crowd_metric(metric: Metric | str, beta: float | None = None) -> Crowd:
    """The metric of a crowd; both estimands are computed anyway."""
    (made,) = metrics_of(metric, beta, "judgments")
    if not isinstance(made, Crowd):
        what = f"'{made.name}' has other measures than those of the crowd"
        raise UsageError(Problem("unknown-metric", what, fix="--metric=crowd"))
    return replace(made, estimand="weighted")


def read_against(
    judgments: GivenVotes, metric: Crowd, given: CrowdJudging
) -> tuple[Against, Problems, Resampling | None]:
    """A crowd to be compared with, the notebook of its reading, and how intervals are made, if any are."""
    drawn = resampling(given, jobs=given["jobs"])
    judged, problems = take_crowd(judgments, given)
    if judged.drawn:
        what = "these judgments are of a drawn set, in which flagged items have another share than in the corpus"
        fix = "scores of the corpus: errorbar sample estimate, with the key of the set"
        problems.note("crowd-drawn", what, Place(), fix=fix)
    against = Against.of(judged, metric, judged.options.error, given["seed"])
    ci, n = given["ci"], len(judged.judgments.items)
    return against, problems, drawn if (unasked(n, "items", problems) if ci is None else ci) else None


def crowd_rows(against: Against, systems: Mapping[str, Flags], drawn: Resampling | None) -> list[CrowdRow]:
    """Every system by both estimands."""
    return [
        CrowdRow(name, score_kinds(metric, table, resampling=drawn), against.signature(metric.spec, flags, drawn))
        for name, flags in systems.items()
        for metric, table in against.counted(flags).items()
    ]


def read_systems(systems: Systems, crowd: Judged, problems: Problems) -> dict[str, Flags]:
    """Every system's flag for each item of a crowd: name to flags of shape (items,); errors are those of ``crowd``."""
    if isinstance(systems, Mapping):
        return {name: _system(name, given, crowd, problems) for name, given in systems.items()}
    named_files = [NamedFile.parse(path) for path in paths_of(systems, "systems")] if systems else []
    refuse_same_names(named_files, "systems")
    return {file.name: _of_file(file, crowd, problems) for file in named_files}


def _system(name: str, given: Given, crowd: Judged, problems: Problems) -> Flags:
    if isinstance(given, str | PathLike):
        return _of_file(NamedFile(str(given), name), crowd, problems)
    if isinstance(given, Mapping):
        return _for_items(given, crowd.judgments.items, name, problems)
    flags, n_items = np.asarray(given), len(crowd.judgments.items)
    if flags.dtype != np.bool_ or flags.shape != (n_items,):
        what = f"the flags of '{name}' must be {n_items} truth values, got {flags.shape} {flags.dtype}"
        raise UsageError(Problem("wrong-type", what))
    return cast("Flags", flags)


def _of_file(file: NamedFile, crowd: Judged, problems: Problems) -> Flags:
    """What a table says or, of a system that corrects, the items that its edits change."""
    path, corpus = str(file.path), crowd.corpus
    if corpus is None or {"item", "flag"} <= {*header_of(path)}:
        return flags_of_items(read_flags(path, problems, path), crowd.judgments.items, problems)
    reader = open_system(path, file.name, problems)
    lines = reader.take_for(corpus.sentences)
    reader.finish(len(corpus))
    problems.raise_errors()
    items, words = split_items(crowd.options.items)
    flags: Flags = changed_items(corpus, [Hypothesis(file.name, lines)], items, words=words)[1][0]
    return flags


def flags_of_items(table: SystemFlags, items: Sequence[str], problems: Problems) -> Flags:
    """A table's flag of each judged item; one without is an ``InputError``, or repaired."""
    return _for_items(table.flags, items, table.name, problems)


def _for_items(given: Mapping[str, bool], items: Sequence[str], name: str, problems: Problems) -> Flags:
    judged = set(items)
    others = [item for item in given if item not in judged]
    if others:
        what = f"{len(others):,} items of the system were not judged, first '{others[0]}'; they do not count"
        if len(others) == 1:
            what = f"1 item of the system was not judged, '{others[0]}'; it does not count"
        problems.note("crowd-not-judged", what, Place(name))
    lacking = [item for item in items if item not in given]
    if lacking:
        what = f"{len(lacking):,} of {len(items):,} judged items have no flag, first '{lacking[0]}'"
        repair = "they count as not flagged"
        if len(lacking) == 1:
            what, repair = f"the judged item '{lacking[0]}' has no flag", "it counts as not flagged"
        problems.repairable("crowd-no-flag", what, Place(name), repair=repair)
        problems.raise_errors()
    return np.fromiter((given.get(item, False) for item in items), np.bool_, len(items))
