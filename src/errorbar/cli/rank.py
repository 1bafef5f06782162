"""``errorbar rank``: systems from human rankings or pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell, Table, interval_record, show, show_json

if TYPE_CHECKING:
    from errorbar.core.estimate import Estimate
    from errorbar.core.rankings import Comparisons
    from errorbar.ranking import JudgeAgreement, RankingResult
    from errorbar.ranking.counts import By
    from errorbar.ranking.rank import Method

SCHEMA = "errorbar.rank/1"
METHODS: tuple[Method, ...] = (
    "expected-wins",
    "expected-wins-half-ties",
    "bradley-terry",
    "bradley-terry-no-ties",
    "trueskill",
    "trueskill-original",
    "trueskill-wmt",
)
BY = ("item", "sentence", "comparison")


@click.command("rank")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option(
    "--method",
    "methods",
    type=click.Choice((*METHODS, "all")),
    multiple=True,
    help="How to rank; repeatable. [default: expected-wins]",
)
@click.option("--systems", default="", metavar="A,B,C", help="The systems there are; another name is refused.")
@click.option("--without-identical", is_flag=True, help="Leave out ties of systems that wrote the same text.")
@click.option("--head-to-head", is_flag=True, help="Wins, losses and ties of each pair.")
@click.option("--by", type=click.Choice(BY), default="item", show_default=True, help="What is drawn as one.")
@click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="For intervals.")
@click.option(
    "--confidence", type=click.FloatRange(0.5, 1, max_open=True), default=0.95, show_default=True, help="Of intervals."
)
@seed_option
@lenient_option
@format_option
def command(
    judgments: str,
    methods: tuple[Method | Literal["all"], ...],
    systems: str,
    without_identical: bool,
    head_to_head: bool,
    by: By,
    resamples: int,
    confidence: float,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Rank systems from human rankings or pairs.

    JUDGMENTS is XML as the WMT's annotation tool writes it, or CSV: pairs (system1, system2, winner), rankings in rows
    (item, system, rank) or in columns (system1Id, system1rank, ...).

    \b
    errorbar rank judgments.xml
    errorbar rank judgments.xml --method all --without-identical
    errorbar rank pairs.csv --method bradley-terry --head-to-head
    """
    from errorbar.core.problems import Problems
    from errorbar.formats.rankings import read_rankings
    from errorbar.ranking import Resamples, judge_agreement, rank_systems
    from errorbar.ranking import without_identical as different_texts
    from errorbar.ranking.rank import no_scores, signature

    problems = Problems(lenient=lenient)
    names = [name.strip() for name in systems.split(",") if name.strip()]
    given = read_rankings(judgments, problems, systems=names)
    comparisons = different_texts(given) if without_identical else given
    named = tuple(method for method in dict.fromkeys(methods) if method != "all")
    chosen = METHODS if "all" in methods else named or METHODS[:1]
    how = Resamples(resamples, seed, by, confidence)
    with progress_bar("resamples", resamples) as progress:
        results = rank_systems(comparisons, chosen, how, progress=progress)
    notes = [*problems.notes, *no_scores(results)]
    signed = signature(comparisons, how)
    agreement = judge_agreement(given)
    if style == "json":
        document = {
            "schema": SCHEMA,
            **_counts(given),
            "identical_left_out": without_identical,
            "rankings": [_record(result) for result in results],
            "head_to_head": _pairs(comparisons),
            "judges": {"inter": _agreement_record(agreement[0]), "intra": _agreement_record(agreement[1])},
            "signature": signed,
            "warnings": [note_record(note) for note in notes],
        }
        show_json(document)
        return
    show_notes(notes)
    if head_to_head:
        rows: list[list[Cell]] = [
            [each["first"], each["second"], each["wins"], each["losses"], each["ties"]] for each in _pairs(comparisons)
        ]
        show(Table(["first", "second", "wins", "losses", "ties"], rows, 2, [_ties(given)]), style)
        return
    _show(results, style, confidence, [_ties(given), *_judges(agreement), f"signature {signed}"])


def _show(results: list[RankingResult], style: str, confidence: float, footer: list[str]) -> None:
    several = len(results) > 1
    rows: list[list[Cell]] = []
    for result in results:
        for each in result.systems:
            row: list[Cell] = [result.method] if several else []
            if style == "csv":
                interval = each.score.interval
                ends = [None, None] if interval is None else [interval.low, interval.high]
                rows.append([*row, each.system, each.cluster, each.rank, each.low, each.high, each.score.value, *ends])
                continue
            place = "–" if not each.rank else str(each.rank)
            span = str(each.low) if each.low == each.high else f"{each.low}–{each.high}"
            rows.append([*row, each.system, each.cluster, place, span, *_score(each.score)])
    title = [f"{100 * confidence:g}% CI"]
    columns = ["rank", "rank range", "score", *title]
    if style == "csv":
        columns = ["rank", "rank_low", "rank_high", "score", "low", "high"]
    method = ["method"] if several else []
    lines = footer if several else [f"method {results[0].method}", *footer]
    show(Table([*method, "system", "cluster", *columns], rows, len(method) + 1, lines), style)


def _score(estimate: Estimate) -> list[Cell]:
    if estimate.value is None:
        return ["–", str(estimate.undefined)]
    if estimate.interval is None:
        return [f"{estimate.value:.3f}", str(estimate.no_interval)]
    return [f"{estimate.value:.3f}", f"{estimate.interval.low:.3f} to {estimate.interval.high:.3f}"]


def _counts(comparisons: Comparisons) -> dict[str, object]:
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


def _ties(comparisons: Comparisons) -> str:
    counts = {name: int(str(value)) for name, value in _counts(comparisons).items()}
    n, ties = counts["n_comparisons"], counts["n_ties"]
    text = (
        f"{counts['n_items']:,} items, {n:,} comparisons, {ties:,} ties ({100 * ties / n:.1f}%), "
        f"{counts['n_identical']:,} of them of systems that wrote the same text"
    )
    if counts["n_shown"] == n:
        return text
    shown, shown_ties = counts["n_shown"], counts["n_shown_ties"]
    return f"{text}; judges saw {shown:,} pairs of texts, {shown_ties:,} ties ({100 * shown_ties / shown:.1f}%)"


def _judges(agreement: tuple[JudgeAgreement, JudgeAgreement]) -> list[str]:
    lines = []
    for who, each in zip(("different judges", "one judge, asked again"), agreement, strict=True):
        if each.kappa.value is not None and each.observed is not None:
            lines.append(
                f"{who}: kappa {each.kappa.value:.3f}, observed agreement {each.observed:.3f} "
                f"({each.kappa.n_units:,} pairs of answers)"
            )
    return lines


def _record(result: RankingResult) -> dict[str, object]:
    return {
        "method": result.method,
        "systems": [
            {
                "system": each.system,
                "score": each.score.value,
                "n_comparisons": each.score.n_units,
                "n_clusters": each.score.n_clusters,
                "undefined": None if each.score.undefined is None else str(each.score.undefined),
                "interval": interval_record(each.score),
                "rank": each.rank or None,
                "rank_low": each.low,
                "rank_high": each.high,
                "cluster": each.cluster,
            }
            for each in result.systems
        ],
    }


def _pairs(comparisons: Comparisons) -> list[dict[str, str | int]]:
    from errorbar.ranking import count

    counts = count(comparisons)
    names = comparisons.systems
    return [
        {
            "first": names[a],
            "second": names[b],
            "wins": int(counts.wins[a, b]),
            "losses": int(counts.wins[b, a]),
            "ties": int(counts.ties[a, b]),
        }
        for a in range(len(names))
        for b in range(a + 1, len(names))
    ]


def _agreement_record(agreement: JudgeAgreement) -> dict[str, object]:
    return {
        "kappa": agreement.kappa.value,
        "undefined": None if agreement.kappa.undefined is None else str(agreement.kappa.undefined),
        "observed": agreement.observed,
        "expected": agreement.expected,
        "n_pairs": agreement.kappa.n_units,
    }
