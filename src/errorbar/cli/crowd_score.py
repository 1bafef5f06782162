"""``errorbar crowd score``: a system against the crowd, weighted and by majority."""

from __future__ import annotations

import click

from errorbar.agreement.resampling import Resampling
from errorbar.cli.crowd_input import CrowdSource, crowd_options
from errorbar.cli.crowd_shares import ShareOptions, read_shares, share_options
from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.render import Cell, Table, estimate_record, interval_text, percent, show, show_json
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.metrics.crowd import ESTIMANDS, CrowdScore, crowd_score
from errorbar.stats.streams import stream

SCHEMA = "errorbar.crowd.score/1"


@click.command("score")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@share_options
@click.option("--beta", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="Of F.")
@click.option("--resamples", type=click.IntRange(1), default=2000, show_default=True, help="For intervals.")
@crowd_options
@seed_option
@lenient_option
@format_option
def command(
    judgments: str,
    systems: tuple[str, ...],
    wanted: ShareOptions,
    beta: float,
    resamples: int,
    source: CrowdSource,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Score systems against a crowd: crowd-weighted and majority hits, misses, false positives, P, R and F.

    JUDGMENTS is a table (item, rater, label), batch results, or an M2 or JSONL corpus, whose annotators' edits become
    judgments; a quoted pattern stands for several files. A SYSTEM is a table item,flag, or, with a corpus, one
    corrected sentence per line. With --stream a table of any size is counted block by block.

    \b
    errorbar crowd score votes.csv mine=flags.csv
    errorbar crowd score 'A*.m2' CAMB AMU --items words --lenient
    """
    problems = Problems(lenient=lenient)
    crowd = read_shares(judgments, source, wanted, seed, problems)
    rows = []
    for system in systems:
        name, flags = crowd.flags(system, problems)
        for estimand in ESTIMANDS:
            made = crowd_score(
                crowd.share,
                flags,
                crowd.n_judgments,
                crowd.clusters,
                estimand=estimand,
                ties=wanted.ties,
                beta=beta,
                resampling=Resampling(stream(seed, "crowd", estimand), resamples),
            )
            spec = f"crowd(beta={beta:g},estimand={estimand},shares={wanted.shares},ties={wanted.ties})"
            sign = crowd.signature(spec, flags, (f"resamples:{resamples}", f"seed:{seed}"))
            rows.append((name, made, sign))
    if style == "json":
        record = [{"system": name, **_record(score), "signature": sign} for name, score, sign in rows]
        show_json({"schema": SCHEMA, "rows": record, "warnings": [note_record(note) for note in problems.notes]})
        return
    show_notes(problems.notes)
    unit = "items" if crowd.clusters is None else "essays or sentences"
    show(_table([(name, score) for name, score, _ in rows], unit, style), style)


def judgments_text(k: tuple[int, float, int]) -> str:
    """Judgments of an item: one number where all have the same, else smallest, mean and largest."""
    low, mean, high = k
    return str(low) if low == high else f"{low}–{high}, mean {mean:.1f}"


def cells(estimate: Estimate, style: str) -> list[Cell]:
    """A value and its interval: in percent, or as fractions in CSV."""
    if style != "csv":
        return [percent(estimate.value), interval_text(estimate)]
    interval = estimate.interval
    return [estimate.value, None, None] if interval is None else [estimate.value, interval.low, interval.high]


def headings(name: str, style: str) -> list[str]:
    """Columns of a value and its interval."""
    return [name, f"{name} low", f"{name} high"] if style == "csv" else [name, "95% CI"]


def _table(rows: list[tuple[str, CrowdScore]], unit: str, style: str) -> Table:
    f_name = f"F{rows[0][1].beta:g}"
    columns = ["system", "estimand", "judgments", "items", "hits", "FP", "misses"]
    columns += [heading for name in ("P", "R", f_name) for heading in headings(name, style)]
    body: list[list[Cell]] = []
    for name, score in rows:
        parts = (score.hits, score.false_positives, score.misses)
        counts: list[Cell] = [part if style == "csv" else f"{part:.1f}" for part in parts]
        start: list[Cell] = [name, score.estimand, judgments_text(score.n_judgments), score.n_items, *counts]
        body.append([*start, *(cell for e in (score.precision, score.recall, score.f) for cell in cells(e, style))])
    footer = [
        "weighted: an item counts as the share of raters who call it an error; majority: as most of them do",
        f"intervals resample {unit} with all their judgments; judgments are per item",
    ]
    return Table(columns, body, 3, footer)


def _record(score: CrowdScore) -> dict[str, object]:
    low, mean, high = score.n_judgments
    return {
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
    }
