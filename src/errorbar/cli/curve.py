"""``errorbar curve``: a system along the agreement of the crowd."""

from __future__ import annotations

import click

from errorbar.agreement.resampling import Resampling
from errorbar.cli.crowd_input import CrowdSource, crowd_options
from errorbar.cli.crowd_score import cells, headings, judgments_text
from errorbar.cli.crowd_shares import ShareOptions, read_shares, share_options
from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.render import Cell, Table, estimate_record, percent, show, show_json
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.metrics.crowd import ESTIMANDS, CrowdStatistics, Estimand, Flags, Ties, measure_crowd
from errorbar.metrics.crowd_bins import EDGES, AgreementBin, agreement_bins
from errorbar.metrics.crowd_curve import REFERENCE_PREVALENCE, THRESHOLDS, CurvePoint, kappa_curve
from errorbar.stats.streams import stream

SCHEMA = "errorbar.curve/1"


@click.command("curve")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@click.option("--bins", default=",".join(f"{edge:g}" for edge in EDGES), show_default=True, help="Edges of agreement.")
@click.option(
    "--thresholds", default=",".join(f"{tau:g}" for tau in THRESHOLDS), show_default=True, help="Of the curve."
)
@click.option(
    "--prevalence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=REFERENCE_PREVALENCE,
    show_default=True,
    help="Share of errors that kappa is standardised to.",
)
@click.option("--kappa", is_flag=True, help="The kappa-agreement curve in place of the bins.")
@share_options
@click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="For intervals.")
@crowd_options
@seed_option
@lenient_option
@format_option
def command(
    judgments: str,
    systems: tuple[str, ...],
    bins: str,
    thresholds: str,
    prevalence: float,
    kappa: bool,
    wanted: ShareOptions,
    resamples: int,
    source: CrowdSource,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Follow systems along the agreement of a crowd: P and R by agreement bin, or the kappa-agreement curve.

    Arguments are those of `errorbar crowd score`. JSON has both the bins and the curve.

    \b
    errorbar curve votes.csv mine=flags.csv
    errorbar curve 'A*.m2' CAMB AMU --items words --kappa --lenient
    """
    edges, marks = _numbers(bins, "--bins"), _numbers(thresholds, "--thresholds")
    problems = Problems(lenient=lenient)
    crowd = read_shares(judgments, source, wanted, seed, problems)

    def measure(flags: Flags, estimand: Estimand, ties: Ties) -> CrowdStatistics:
        return measure_crowd(crowd.share, flags, crowd.n_judgments, crowd.clusters, estimand=estimand, ties=ties)

    found, signatures = [], []
    for system in systems:
        name, flags = crowd.flags(system, problems)
        tables = {estimand: measure(flags, estimand, wanted.ties) for estimand in ESTIMANDS}
        in_bins, curve = [], []
        if style == "json" or not kappa:
            resampling = Resampling(stream(seed, "curve", "bins"), resamples)
            in_bins = agreement_bins({str(k): v for k, v in tables.items()}, edges, resampling=resampling)
        if style == "json" or kappa:
            resampling = Resampling(stream(seed, "curve", "kappa"), resamples)
            # The curve leaves ties out and counts them, whatever they are to the bins.
            majority = measure(flags, "majority", "half")
            curve = kappa_curve(majority, marks, reference_prevalence=prevalence, resampling=resampling)
        parts = {
            "bins": "+".join(f"{edge:g}" for edge in edges),
            "thresholds": "+".join(f"{mark:g}" for mark in marks),
            "prevalence": f"{prevalence:g}",
            "shares": wanted.shares,
            "ties": wanted.ties,
        }
        spec = f"curve({','.join(f'{key}={value}' for key, value in parts.items())})"
        signatures.append(crowd.signature(spec, flags, (f"resamples:{resamples}", f"seed:{seed}")))
        found.append((name, in_bins, curve))
    if style == "json":
        rows = [
            {"system": name, "bins": _bin_records(b), "curve": _curve_records(c), "signature": sign}
            for (name, b, c), sign in zip(found, signatures, strict=True)
        ]
        notes = [note_record(note) for note in problems.notes]
        show_json({"schema": SCHEMA, "reference_prevalence": prevalence, "seed": seed, "rows": rows, "warnings": notes})
        return
    show_notes(problems.notes)
    if kappa:
        show(_curve_table([(name, curve) for name, _, curve in found], prevalence, style), style)
    else:
        show(_bin_table([(name, in_bins) for name, in_bins, _ in found], style), style)


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(Problem("curve-numbers", f"{option} {text}", expected="numbers between commas")) from None


def _bin_table(rows: list[tuple[str, list[AgreementBin]]], style: str) -> Table:
    columns = ["system", "agreement", "estimand", "items", "judgments", *headings("P", style), *headings("R", style)]
    body: list[list[Cell]] = []
    for name, bins in rows:
        for part in bins:
            for score in part.scores.values():
                span = f"{part.low:g}–{part.high:g}"
                start: list[Cell] = [name, span, score.estimand, score.n_items, judgments_text(score.n_judgments)]
                body.append([*start, *cells(score.precision, style), *cells(score.recall, style)])
    footer = ["agreement: share of the majority; a bin holds its low edge, the last one also its high edge"]
    return Table(columns, body, 3, footer)


def _curve_table(rows: list[tuple[str, list[CurvePoint]]], prevalence: float, style: str) -> Table:
    names = ["kappa", "Youden J", "log odds ratio", f"kappa at {prevalence:g}"]
    columns = ["system", "agreement", "items", "ties", "kept %", "errors %"]
    columns += [heading for name in names for heading in headings(name, style)]
    body: list[list[Cell]] = []
    for name, points in rows:
        for p in points:
            start: list[Cell] = [
                name,
                f">= {p.threshold:g}",
                p.n_items,
                p.n_ties,
                percent(p.kept),
                percent(p.prevalence),
            ]
            values = (p.kappa, p.youden, p.log_odds, p.kappa_at)
            body.append([*start, *(cell for value in values for cell in _plain(value, style))])
    footer = [
        "ties: items that divide the raters in two halves; they have no majority and are left out",
        "kappa changes with the share of errors: across data compare J, the odds ratio or kappa at one prevalence",
    ]
    return Table(columns, body, 2, footer)


def _plain(estimate: Estimate, style: str) -> list[Cell]:
    if style == "csv":
        return cells(estimate, style)
    value = "–" if estimate.value is None else f"{estimate.value:.3f}"
    interval = estimate.interval
    return [value, "–" if interval is None else f"{interval.low:.3f}–{interval.high:.3f}"]


def _bin_records(bins: list[AgreementBin]) -> list[dict[str, object]]:
    return [
        {
            "low": part.low,
            "high": part.high,
            "n_items": part.n_items,
            **{
                name: {"P": estimate_record(score.precision), "R": estimate_record(score.recall)}
                for name, score in part.scores.items()
            },
        }
        for part in bins
    ]


def _curve_records(curve: list[CurvePoint]) -> list[dict[str, object]]:
    return [
        {
            "threshold": p.threshold,
            "n_items": p.n_items,
            "n_ties": p.n_ties,
            "kept": p.kept,
            "prevalence": p.prevalence,
            "sensitivity": p.sensitivity,
            "specificity": p.specificity,
            "kappa": estimate_record(p.kappa),
            "youden": estimate_record(p.youden),
            "log_odds": estimate_record(p.log_odds),
            "kappa_at": estimate_record(p.kappa_at),
        }
        for p in curve
    ]
