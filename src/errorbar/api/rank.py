"""Systems ranked from human judgments: ``errorbar rank`` and ``errorbar.rank``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Unpack

from errorbar.api.arguments import ArgumentDoc, Drawing, Lenient, Useless, public, refuse_without_intervals, resampling
from errorbar.core.labels import format_count
from errorbar.core.problems import Problem, Problems, UsageError
from errorbar.core.rankings import Comparisons
from errorbar.formats.look import Source
from errorbar.formats.rankings import read_rankings
from errorbar.ranking.judged_pairs import JudgeAgreement, judge_agreement
from errorbar.ranking.ranked import (
    METHODS,
    Method,
    PairVerdict,
    RankingResult,
    decide_pairs,
    rank_systems,
    ranking_notes,
    signature,
)
from errorbar.ranking.wins import By, head_to_head
from errorbar.stats.resampling import Resampling, makes_usual_intervals
from errorbar.tables.plain import as_text, attributes, interval_record, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

_PAIR = ("first", "second", "wins", "losses", "ties")


class RankingDraws(Drawing, total=False):
    """How judgments are drawn."""

    by: Annotated[By, ArgumentDoc("item", "What of the judgments is drawn as one.")]
    progress: Annotated[
        Callable[[int], None] | None, ArgumentDoc(None, "Is told how many resamples TrueSkill has gone through.")
    ]


class RankingOptions(RankingDraws, total=False):
    """How systems are ranked."""

    lenient: Lenient


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(Result):
    """Systems ranked by one or several methods.

    Attributes:
        all_comparisons: All comparisons that were read.
        comparisons: Those that rank: all, or those of different texts.
        rankings: By each method.
        judges: Agreement between judges, and of judges with themselves.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
        pairs: Which pairs are decided however often one looked; None: nobody asked.
        by: What intervals and rank ranges are over, besides these judges.
    """

    all_comparisons: Comparisons
    comparisons: Comparisons
    rankings: Sequence[RankingResult]
    judges: tuple[JudgeAgreement, JudgeAgreement]
    signature: str
    notes: Sequence[Problem] = ()
    pairs: Sequence[PairVerdict] | None = None
    by: By = "item"

    def to_dict(self) -> dict[str, object]:
        """Rankings, wins of each pair of systems that was compared, and agreement."""
        return {
            **_counts(self.all_comparisons),
            "identical_left_out": self.comparisons is not self.all_comparisons,
            "rankings": [_record(ranking) for ranking in self.rankings],
            "head_to_head": [dict(zip(_PAIR, row, strict=True)) for row in head_to_head(self.comparisons)],
            "anytime": None if self.pairs is None else [_pair_record(pair) for pair in self.pairs],
            "judges": dict(zip(("inter", "intra"), map(_agreement, self.judges), strict=True)),
            "signature": self.signature,
        }

    def tables(self) -> list[Table]:
        """The systems, best first, of one method after the other; then the pairs, if they were asked for."""
        several = len(self.rankings) > 1
        ranged = any(len(ranking.resampled) for ranking in self.rankings)
        rows: list[list[Cell]] = []
        for result in self.rankings:
            for system in result.systems:
                span = str(system.low) if system.low == system.high else f"{system.low}–{system.high}"
                ranks = [system.rank or None, span, system.low, system.high]
                rows.append([result.method, system.system, system.cluster, *ranks, system.score])
        columns = [Column("method", only="" if several else "data"), Column("system")]
        columns += [Column("cluster", "count", only="" if ranged else "data"), Column("rank", "count")]
        columns += [Column("rank range", "count", only="shown"), Column("rank low", "count", only="data")]
        columns += [Column("rank high", "count", only="data"), Column("score", "number", digits=3)]
        if not ranged:
            columns = [column for column in columns if column.title != "rank range"]
            rows = [[*row[:4], *row[5:]] for row in rows]
        notes = [] if several else [f"method {self.rankings[0].method}"]
        notes += [f"intervals and rank ranges: other {self.by}s, these judges"] if ranged else []
        notes += [_describe(self.all_comparisons), *_agreements(self.judges), f"signature {self.signature}"]
        return [Table(columns, rows, "Ranking", "ranking", notes), *self._pairs()]

    def _pairs(self) -> list[Table]:
        if self.pairs is None:
            return []
        columns = [Column(name, "count" if at > 1 else "text") for at, name in enumerate(_PAIR)]
        columns += [Column("win rate", "percent", "win_rate", interval="beside"), Column("adjusted p", "p", "p")]
        columns += [Column("p_unadjusted", "p", only="data"), Column("better")]
        rows: list[list[Cell]] = [
            [*(getattr(pair, name) for name in _PAIR), pair.share, pair.p, pair.p_unadjusted, pair.better or "open"]
            for pair in self.pairs
        ]
        done = sum(bool(pair.better) for pair in self.pairs)
        notes = [
            f"{done} of {len(self.pairs)} pairs are decided and need no more judgments; ties are left out",
            "intervals and p-values hold at every look, whenever one stops; p adjusted for all pairs (Holm)",
        ]
        return [Table(columns, rows, "Pairs", "pairs", notes)]


@dataclass(frozen=True, slots=True, repr=False)
class HeadToHead(Result):
    """Wins, losses and ties of each pair of systems that was compared."""

    all_comparisons: Comparisons
    comparisons: Comparisons
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The pairs."""
        pairs = [dict(zip(_PAIR, row, strict=True)) for row in head_to_head(self.comparisons)]
        return {**_counts(self.all_comparisons), "head_to_head": pairs}

    def tables(self) -> list[Table]:
        """A row for each pair."""
        columns = [Column(name, "count" if at > 1 else "text") for at, name in enumerate(_PAIR)]
        rows = head_to_head(self.comparisons)
        return [Table(columns, rows, "Head to head", "head-to-head", [_describe(self.all_comparisons)])]


@public(
    refuse_without_intervals("resamples confidence"),
    Useless(
        "by resamples", "is about rank ranges, and --anytime leaves them out", lambda arguments: arguments["anytime"]
    ),
    Useless(
        "systems lenient",
        "is about a file, and these judgments are in memory",
        lambda arguments: isinstance(arguments["judgments"], Comparisons),
    ),
)
def rank(
    judgments: Source | Comparisons,
    method: Method | Literal["all"] | Sequence[Method | Literal["all"]] = "expected-wins",
    *,
    systems: str | Sequence[str] = (),
    without_identical: bool = False,
    anytime: bool = False,
    **shared: Unpack[RankingOptions],
) -> Ranking:
    """Rank systems from human rankings or pairs.

    Args:
        judgments: XML as the WMT's annotation tool writes it, or CSV of pairs or rankings; or ``Comparisons``.
        method: Method of ranking. Empty: expected-wins.
        systems: The systems there are; another name is refused. In Python a list, or names between commas.
        without_identical: Leave out ties of systems that wrote the same text.
        anytime: Say which pairs are decided, by intervals that hold however often one looks. Rank ranges and clusters,
            which do not, are then left out.
        ci: Compute confidence intervals, or leave them out. None: up to 20,000 items. They go with rank
            ranges and clusters.
        resamples: Number of resamples that intervals rest on. It is the number of runs of ``trueskill-wmt``, too.
        shared: How intervals are made.

    Raises:
        InputError: If the file is bad.
        UsageError: If there is no such method, or nothing was compared.
    """
    if anytime and shared["ci"]:
        message = "--anytime and --ci: rank ranges and clusters hold for one look that was fixed beforehand"
        raise UsageError(Problem("two-choices", message, fix="give one of them"))
    all_comparisons, problems = _read_comparisons(judgments, systems, shared["lenient"])
    comparisons = all_comparisons.without_identical() if without_identical else all_comparisons
    chosen = [method] if isinstance(method, str) else list(dict.fromkeys(method)) or [METHODS[0]]
    methods = METHODS if "all" in chosen else [name for name in chosen if name != "all"]
    by, seed = shared["by"], shared["seed"]
    how = None if anytime else ranking_resampling(all_comparisons, shared, problems)
    results = rank_systems(comparisons, methods, how, by=by, seed=seed, progress=shared["progress"])
    notes = (*problems.notes, *ranking_notes(comparisons, results))
    signed = signature(comparisons, methods, how, by, seed)
    pairs = decide_pairs(comparisons, confidence_level=shared["confidence"]) if anytime else None
    return Ranking(all_comparisons, comparisons, results, judge_agreement(all_comparisons), signed, notes, pairs, by)


def compare_pairs(
    judgments: Source | Comparisons,
    *,
    systems: str | Sequence[str] = (),
    without_identical: bool = False,
    lenient: bool = False,
) -> HeadToHead:
    """Count wins, losses and ties of each pair of systems; arguments and errors are those of ``rank``."""
    all_comparisons, problems = _read_comparisons(judgments, systems, lenient)
    comparisons = all_comparisons.without_identical() if without_identical else all_comparisons
    return HeadToHead(all_comparisons, comparisons, tuple(problems.notes))


def ranking_resampling(comparisons: Comparisons, options: Drawing, problems: Problems) -> Resampling | None:
    """How judgments are resampled, or None, as ``ci`` asks."""
    how, ci = resampling(options), options["ci"]
    return how if (makes_usual_intervals(len(comparisons.items), "items", problems) if ci is None else ci) else None


def _read_comparisons(
    judgments: Source | Comparisons, systems: str | Sequence[str], lenient: bool
) -> tuple[Comparisons, Problems]:
    problems = Problems(lenient=lenient)
    if isinstance(judgments, Comparisons):
        return judgments, problems
    names = systems.split(",") if isinstance(systems, str) else systems
    return read_rankings(judgments, problems, systems=[name.strip() for name in names if name.strip()]), problems


def _counts(comparisons: Comparisons) -> dict[str, int]:
    tied = comparisons.outcome == 0
    return {
        "n_items": len(comparisons.items),
        "n_judges": len(comparisons.judges),
        "n_sentences": len(comparisons.sentences),
        "n_comparisons": len(comparisons),
        "n_ties": int(tied.sum()),
        "n_identical": int(comparisons.identical.sum()),
        "n_shown": int(comparisons.shown.sum()),
        "n_shown_ties": int((comparisons.shown & tied).sum()),
    }


def _describe(comparisons: Comparisons) -> str:
    """The sentence about how much was judged, and which ties nobody said."""
    counts = _counts(comparisons)
    n, ties = counts["n_comparisons"], counts["n_ties"]
    text = (
        f"{format_count(counts['n_items'], 'items')}, {format_count(n, 'comparisons')}, "
        f"{format_count(ties, 'ties')} ({100 * ties / n:.1f}%), "
        f"{counts['n_identical']:,} of them of systems that wrote the same text"
    )
    shown, shown_ties = counts["n_shown"], counts["n_shown_ties"]
    if shown == n:
        return text
    if not shown:
        return f"{text}; judges saw no two texts"
    share = f"{100 * shown_ties / shown:.1f}%"
    return f"{text}; judges saw {format_count(shown, 'pairs')} of texts, {format_count(shown_ties, 'ties')} ({share})"


def _agreements(judges: Sequence[JudgeAgreement]) -> list[str]:
    return [
        f"{who}: kappa {judge.kappa.value:.3f}, observed agreement {judge.observed:.3f} "
        f"({judge.kappa.n_units:,} pairs of answers)"
        for who, judge in zip(("different judges", "one judge, asked again"), judges, strict=True)
        if judge.kappa.value is not None and judge.observed is not None
    ]


def _agreement(agreement: JudgeAgreement) -> dict[str, object]:
    return {
        "kappa": agreement.kappa.value,
        "undefined": as_text(agreement.kappa.undefined),
        **attributes(agreement, "observed", "expected"),
        "n_pairs": agreement.kappa.n_units,
    }


def _pair_record(pair: PairVerdict) -> dict[str, object]:
    first, rest = attributes(pair, "first", "second"), attributes(pair, "p", "p_unadjusted")
    return {**first, "win_rate": value_record(pair.share), **rest, "better": pair.better or None}


def _record(result: RankingResult) -> dict[str, object]:
    return {
        "method": result.method,
        "parts": [list(part) for part in result.parts],
        "systems": [
            {
                "system": system.system,
                "score": system.score.value,
                "n_comparisons": system.score.n_units,
                "n_clusters": system.score.n_clusters,
                "undefined": as_text(system.score.undefined),
                "interval": interval_record(system.score) if len(result.resampled) else None,
                **{"rank": system.rank or None, "rank_low": system.low or None, "rank_high": system.high or None},
                "cluster": system.cluster or None,
            }
            for system in result.systems
        ],
    }
