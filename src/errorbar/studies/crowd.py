"""Systems against a crowd: the scores of ``errorbar crowd score``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from errorbar.core.errors import Problem
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import USUAL, Answers, error_codes, error_convention, majority, trust_weighted
from errorbar.crowdsourcing.rater_models import dawid_skene
from errorbar.metrics.crowd_weighted import (
    ESTIMANDS,
    Crowd,
    CrowdScore,
    CrowdStatistics,
    Flags,
    Shares,
    Ties,
    Votes,
    score_kinds,
)
from errorbar.stats.resampling import Resampling, stream, unasked
from errorbar.studies.flag_input import Systems, read_systems
from errorbar.studies.judgment_input import CrowdReading, Judged, JudgmentOptions, read_crowd
from errorbar.studies.judgment_input import Votes as Given
from errorbar.studies.signatures import crowd_signature
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """A crowd, as systems are compared with it.

    Attributes:
        judged: The judgments.
        votes: Share of errors of each item.
        metric: By what systems are scored, weighted.
        conventions: What joins every signature: which labels mean an error, the seed of the shares.
    """

    judged: Judged
    votes: Votes
    metric: Crowd
    conventions: tuple[str, ...]

    @classmethod
    def of(cls, judged: Judged, metric: Crowd, error: str | Sequence[str], seed: int) -> Against:
        """Find the share of errors of each item.

        Raises:
            UsageError: If no label means an error, or the judgments do not allow the shares.
        """
        judgments = judged.judgments
        codes = error_codes(judgments.labels, error)
        ways: dict[str, Callable[[], Answers]] = {
            "votes": lambda: majority(judgments),
            "trust": lambda: trust_weighted(judgments),
            "dawid-skene": lambda: dawid_skene(judgments, stream(seed, "crowd", "dawid-skene"))[0],
        }
        answers = ways[metric.shares]()
        votes = Votes(answers.share_of(codes), answers.n_judgments, judged.clusters)
        drawn = (f"seed:{seed}",) if metric.shares == "dawid-skene" else ()
        return cls(judged, votes, metric, (*error_convention(judgments.labels, codes), *drawn))

    @property
    def unit(self) -> str:
        """What is resampled."""
        return "items" if self.judged.clusters is None else "essays or sentences"

    def counted(self, flags: Flags) -> dict[Crowd, CrowdStatistics]:
        """A system's counts by both estimands."""
        metrics = [replace(self.metric, estimand=estimand) for estimand in ESTIMANDS]
        return {metric: metric.measure(self.votes, flags) for metric in metrics}

    def signature(self, spec: object, flags: Flags, resampling: Resampling | None) -> str:
        """What can change a digit."""
        unit = "item" if self.judged.clusters is None else "cluster"
        said = self.conventions if resampling is None else (*self.conventions, resampling.convention(unit))
        return crowd_signature(str(spec), self.judged.judgments, flags, said, self.judged.clusters)

    def resampling(self, ci: bool | None, options: Resampling, problems: Problems) -> Resampling | None:
        """How intervals are made; None where none are asked for, or nobody says and there are many items."""
        wanted = unasked(len(self.judged.judgments.items), "items", problems) if ci is None else ci
        return options if wanted else None


@dataclass(frozen=True, slots=True)
class CrowdRow:
    """A system against the crowd by one estimand.

    Attributes:
        system: The system's name.
        score: What it scores.
        signature: What was computed on which data how.
    """

    system: str
    score: CrowdScore
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class CrowdScores(Result):
    """Systems against a crowd.

    Attributes:
        rows: Each system by both estimands.
        unit: What was resampled: ``items``, or ``essays or sentences``.
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
        parts = [Column(name, "number", name, 1) for name in ("hits", "FP", "misses")]
        values = [Column(title, "percent", key) for title, key in (("P", "P"), ("R", "R"), (f_name, f_name))]
        columns = [*_START, Column("items", "count"), *parts, *values]
        body: list[list[Cell]] = []
        for row in self.rows:
            s = row.score
            start: list[Cell] = [row.system, s.estimand, judgments_text(s.n_judgments), s.n_items]
            body.append([*start, s.hits, s.false_positives, s.misses, s.precision, s.recall, s.f])
        notes = [
            "weighted: an item counts as the share of raters who call it an error; majority: as most of them do",
            f"intervals resample {self.unit} with all their judgments; judgments are per item",
        ]
        return [Table(columns, body, "Scores against the crowd", "crowd-score", notes)]


_START = (Column("system"), Column("estimand"), Column("judgments"))


def judgments_text(k: tuple[int, float, int]) -> str:
    """Judgments of an item: one number where all have the same, else smallest, mean and largest."""
    low, mean, high = k
    return str(low) if low == high else f"{low}–{high}, mean {mean:.1f}"


def _record(row: CrowdRow) -> dict[str, object]:
    score = row.score
    low, mean, high = score.n_judgments
    return {
        "system": row.system,
        "estimand": score.estimand,
        "n_items": score.n_items,
        "n_judgments": {"least": low, "mean": mean, "most": high},
        "hits": score.hits,
        "false_positives": score.false_positives,
        "misses": score.misses,
        "true_negatives": score.true_negatives,
        "P": estimate_record(score.precision),
        "R": estimate_record(score.recall),
        "F": estimate_record(score.f),
        "beta": score.beta,
        "signature": row.signature,
    }


def crowd(
    judgments: Given,
    systems: Systems,
    *,
    error: str | Sequence[str] = USUAL,
    shares: Shares = "votes",
    ties: Ties = "half",
    beta: float = 1.0,
    ci: bool | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    **reading: Unpack[CrowdReading],
) -> CrowdScores:
    """Score systems against a crowd: crowd-weighted and majority hits, misses, false positives, P, R and F.

    Args:
        judgments: A table of judgments in any layout, or an M2 or JSONL corpus whose annotators' edits become
            judgments: a path or paths; or ``Judgments``.
        systems: Tables ``item,flag`` or, with a corpus, one corrected sentence per line: paths, ``name=path``, or a
            mapping of names to paths, to flags of the items in order, or to flags by item.
        error: The labels that mean an error, in any case, or rules about numbers such as ``<4``.
        shares: What the share of an item is: ``votes``, ``trust`` or ``dawid-skene``.
        ties: What a tie is to the majority: ``half``, ``unknown``, ``error`` or ``ok``.
        beta: Weight of recall in F.
        ci: Whether to make intervals; None: up to 20,000 items.
        confidence: Their level, a fraction.
        resamples: How many resamples they rest on.
        seed: Of the random streams.
        jobs: How many cores; changes no digit.
        reading: How judgments are read, as the attributes of ``JudgmentOptions``, e.g. ``layout="wide"``,
            ``columns={"rater": "worker"}``, ``unknown=["skip"]``, ``items="words:articles"``, ``lenient=True``.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or no label means an error.
    """
    options = JudgmentOptions(**reading)
    problems = Problems(lenient=options.lenient)
    metric, asked = Crowd(beta, "weighted", shares, ties), Resampling("percentile", resamples, confidence, seed, jobs)
    against = Against.of(read_crowd(judgments, options, problems), metric, error, seed)
    found = read_systems(systems, against.judged, problems)
    rows = crowd_rows(against, found, against.resampling(ci, asked, problems))
    return CrowdScores(tuple(rows), against.unit, tuple(problems.notes))


def crowd_rows(against: Against, systems: Mapping[str, Flags], resampling: Resampling | None) -> list[CrowdRow]:
    """Every system by both estimands."""
    return [
        CrowdRow(
            name,
            score_kinds(metric, table, resampling=resampling),
            against.signature(metric.spec, flags, resampling),
        )
        for name, flags in systems.items()
        for metric, table in against.counted(flags).items()
    ]


def untied(against: Against, flags: Flags) -> CrowdStatistics:
    """The counts of the curve, which leaves ties out and counts them, whatever they are to the scores."""
    return replace(against.metric, estimand="majority", ties="half").measure(against.votes, flags)
