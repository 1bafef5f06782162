"""``errorbar agree``: how far annotators or raters agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errorbar.cli.agree_input import AgreeSource, read_agreement
from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.render import Cell, Table, estimate_record, percent, show, show_json
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.labels import named
from errorbar.core.problems import Problems
from errorbar.formats.judgment_files import LAYOUTS, Layout
from errorbar.formats.reference import UNMARKED, UNMARKED_HELP, Unmarked
from errorbar.studies.judgment_input import JudgmentOptions, column_roles
from errorbar.studies.signatures import agreement_signature

if TYPE_CHECKING:
    from errorbar.agreement import AgreementReport
    from errorbar.agreement.cohen import Weighting
    from errorbar.agreement.krippendorff import Level
    from errorbar.core.judgments import RepeatPolicy
    from errorbar.edits.items import Labels, Projection

SCHEMA = "errorbar.agree/1"
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")
SCALES = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("none", "linear", "quadratic")
REPEATS = ("refuse", "first", "last")
MOST_CELLS = 500_000
"""Cells of joint tables that JSON has."""
MOST_SHOWN = 20
"""Labels in the line of shares."""


@click.command("agree")
@click.argument("files", nargs=-1, type=INPUT, required=True, metavar="FILE...")
@click.option(
    "--items",
    type=click.Choice(PROJECTIONS),
    default="tokens",
    show_default=True,
    help="What annotators of an M2 or JSONL corpus judge; see the docs for insertions.",
)
@click.option(
    "--words", default="prepositions", show_default=True, help="With words: prepositions, articles, or a,b,c."
)
@click.option("--type", "kind", default="", metavar="TYPE", help="Only edits of this error type count.")
@click.option("--labels", type=click.Choice(("error", "type")), default="error", show_default=True, help="Labels.")
@click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence.")
@click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help=UNMARKED_HELP)
@click.option("--layout", type=click.Choice(LAYOUTS), default="auto", show_default=True, help="Of a table.")
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable.")
@click.option("--repeats", type=click.Choice(REPEATS), default="refuse", show_default=True, help="Of one rater.")
@click.option("--unknown", multiple=True, metavar="LABEL", help="A label that means 'cannot say'; repeatable.")
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="nominal",
    show_default=True,
    help="What labels are: names, ranks, numbers, or numbers with a true zero.",
)
@click.option("--order", default="", metavar="A,B", help="The labels from lowest to highest.  [default: as numbers]")
@click.option(
    "--weights",
    type=click.Choice(WEIGHTS),
    help="Of Cohen's kappa.  [default: none for names, linear for ranks, quadratic for numbers]",
)
@click.option("--pairs", is_flag=True, help="Cohen's kappa of every pair.")
@click.option("--confusion", "crossed", is_flag=True, help="Which labels meet.")
@click.option("--resamples", type=click.IntRange(1), default=2000, show_default=True, help="For intervals.")
@seed_option
@lenient_option
@format_option
def command(
    files: tuple[str, ...],
    items: Projection,
    words: str,
    kind: str,
    labels: Labels,
    documents: str | None,
    unmarked: Unmarked,
    layout: Layout,
    columns: tuple[str, ...],
    repeats: RepeatPolicy,
    unknown: tuple[str, ...],
    scale: Level,
    order: str,
    weights: Weighting | None,
    pairs: bool,
    crossed: bool,
    resamples: int,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Tell how far annotators or raters agree.

    FILEs are M2 or errorbar JSONL over the same sentences, whose annotators' edits are turned into judgments of
    tokens (or gaps, sentences, words); or one table of judgments: CSV, JSON lines or Parquet with item, rater and
    label, a column for each rater (--layout wide), or batch results of Mechanical Turk.

    \b
    errorbar agree official-2014.0.m2 official-2014.1.m2
    errorbar agree --items words --words articles 'A*.m2' --lenient
    errorbar agree votes.csv
    errorbar agree ratings.csv --scale ordinal
    """
    from errorbar.agreement import Resampling, agreement_report
    from errorbar.stats.streams import stream

    if pairs and crossed:
        raise UsageError(Problem("two-views", "--pairs and --confusion cannot be combined", fix="give one of them"))
    problems = Problems(lenient=lenient)
    declared = tuple(label for label in order.split(",") if label)
    judged = JudgmentOptions(
        layout, column_roles(columns), (), unknown, repeats, items, words, kind, documents, unmarked
    )
    source = AgreeSource(judged, labels, scale, declared)
    found = read_agreement(files, source, problems)
    report = agreement_report(
        found.judgments,
        level=scale,
        order=found.order,
        weighting=weights,
        unknown=unknown,
        clusters=found.clusters,
        resampling=Resampling(stream(seed, "agreement"), resamples),
    )
    _refuse_views(report, pairs=pairs, crossed=crossed)
    notes = [*problems.notes, *report.notes]
    signature = agreement_signature(
        found.judgments,
        found.how,
        unknown=unknown,
        replicates=resamples,
        seed=seed,
        clusters=found.clusters,
        level=scale,
        weighting=report.weighting,
        order=found.order,
    )
    if style == "json":
        warnings = [note_record(note) for note in notes]
        show_json({"schema": SCHEMA, **_record(report), "signature": signature, "warnings": warnings})
        return
    show_notes(notes)
    if pairs:
        show(_pair_table(report, style), style)
    elif crossed:
        show(_confusion_table(report), style)
    else:
        table = _table(report, style)
        table.footer = [*table.footer, f"signature {signature}"]
        show(table, style)


def _refuse_views(report: AgreementReport, *, pairs: bool, crossed: bool) -> None:
    if pairs and report.weighting is None:
        what = "--pairs is Cohen's kappa of every pair, which has no weights for ratios"
        raise UsageError(Problem("agreement-weighting", what, fix="choose another --scale"))
    asked = {"agreement-pairs": pairs, "agreement-labels": crossed}
    for note in (note for note in report.notes if asked.get(note.code)):
        raise UsageError(Problem(note.code, note.what, fix="choose raters, or group the labels"))


def _cells(estimate: Estimate, style: str) -> list[Cell]:
    """A value and its interval, or why there is none; all digits for programs that read CSV."""
    if style == "csv":
        interval, reason = estimate.interval, estimate.undefined or estimate.no_interval
        ends = (None, None) if interval is None else (interval.low, interval.high)
        return [estimate.value, *ends, "" if reason is None else str(reason)]
    value = "–" if estimate.value is None else f"{estimate.value:.4f}"
    if estimate.interval is None:
        reason = estimate.undefined or estimate.no_interval
        return [value, "–" if reason is None else str(reason)]
    return [value, f"{estimate.interval.low:.4f} to {estimate.interval.high:.4f}"]


def _headings(name: str, style: str) -> list[str]:
    return [name, "low", "high", "reason"] if style == "csv" else [name, "95% CI"]


def _table(report: AgreementReport, style: str) -> Table:
    from errorbar.agreement.titles import TITLES

    rows: list[list[Cell]] = [
        [_title(name, title, report), *_cells(report.coefficients[name], style)]
        for name, title in TITLES.items()
        if name in report.coefficients
    ]
    rows += [[f"specific agreement: {label}", *_cells(estimate, style)] for label, estimate in report.specific.items()]
    footer = [
        f"{report.n_items:,} items, {report.n_raters} raters, {report.n_judgments:,} judgments, "
        f"{report.n_missing:,} missing",
        f"shares of the judgments: {_shares(report)}",
        *report.remarks,
    ]
    return Table(["coefficient" if style == "csv" else "", *_headings("value", style)], rows, 1, footer)


def _title(name: str, title: str, report: AgreementReport) -> str:
    if report.level != "nominal" and name == "krippendorff":
        return f"{title}, {report.level}"
    return f"{title}, {report.weighting} weights" if name == "cohen" and report.weighting != "none" else title


def _shares(report: AgreementReport) -> str:
    known = list(report.prevalence.items())
    if len(known) <= MOST_SHOWN:
        return ", ".join(f"{named([label])} {percent(share)}%" for label, share in known)
    known.sort(key=lambda pair: -pair[1])
    shown = ", ".join(f"{named([label])} {percent(share)}%" for label, share in known[:MOST_SHOWN])
    return f"{shown} and {len(known) - MOST_SHOWN:,} rarer labels"


def _pair_table(report: AgreementReport, style: str) -> Table:
    rows: list[list[Cell]] = []
    for pair in report.pairwise:
        first, second = pair.table.raters
        observed: Cell = pair.kappa.observed
        if style != "csv":
            observed = "–" if pair.kappa.observed is None else f"{pair.kappa.observed:.4f}"
        rows.append([first, second, int(pair.table.counts.sum()), observed, *_cells(pair.kappa.estimate, style)])
    kappa = "Cohen's kappa" if report.weighting == "none" else f"Cohen's kappa, {report.weighting} weights"
    return Table(["first", "second", "items", "observed", *_headings(kappa, style)], rows, 2)


def _confusion_table(report: AgreementReport) -> Table:
    assert report.confusion is not None  # else the view was refused
    labels = report.confusion.labels
    rows: list[list[Cell]] = [
        [label, *(f"{value:g}" for value in row)]
        for label, row in zip(labels, report.confusion.counts.tolist(), strict=True)
    ]
    footer = ["ordered pairs of judgments of one item; with more than two raters each item weighs as its judgments"]
    return Table(["", *labels], rows, 1, footer)


def _record(report: AgreementReport) -> dict[str, object]:
    crossed = report.confusion
    counted = sum(pair.table.counts.size for pair in report.pairwise) <= MOST_CELLS
    return {
        "scale": report.level,
        "weights": report.weighting,
        "n_items": report.n_items,
        "n_raters": report.n_raters,
        "n_judgments": report.n_judgments,
        "n_missing": report.n_missing,
        "coefficients": {name: estimate_record(estimate) for name, estimate in report.coefficients.items()},
        "specific": {label: estimate_record(estimate) for label, estimate in report.specific.items()},
        "prevalence": dict(report.prevalence),
        "pairs": [
            {
                "first": pair.table.raters[0],
                "second": pair.table.raters[1],
                "n_items": int(pair.table.counts.sum()),
                "observed": pair.kappa.observed,
                "expected": pair.kappa.expected,
                "kappa": estimate_record(pair.kappa.estimate),
                "kappa_max": pair.kappa.maximum,
                "counts": pair.table.counts.tolist() if counted else None,
            }
            for pair in report.pairwise
        ],
        "confusion": crossed and {"labels": list(crossed.labels), "counts": crossed.counts.tolist()},
        "remarks": list(report.remarks),
    }
