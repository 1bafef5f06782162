"""``errorbar agree``: how far annotators or raters agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import numpy as np

from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.render import Cell, Table, estimate_record, percent, show, show_json
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.formats.documents import add_documents
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.opening import Lines
from errorbar.formats.reference import UNMARKED, Unmarked, expand_files, read_named
from errorbar.studies.signatures import GIVEN, agreement_signature

if TYPE_CHECKING:
    from errorbar.agreement import AgreementReport
    from errorbar.core.judgments import Judgments
    from errorbar.edits.items import Labels, Projection

SCHEMA = "errorbar.agree/1"
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")


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
@click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help="Who looked at unmarked sentences.")
@click.option("--unknown", multiple=True, metavar="LABEL", help="A label that means 'cannot say'; repeatable.")
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
    unknown: tuple[str, ...],
    pairs: bool,
    crossed: bool,
    resamples: int,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Tell how far annotators or raters agree.

    FILEs are M2 or errorbar JSONL over the same sentences, whose annotators' edits are turned into judgments of
    tokens (or gaps, sentences, words); or one table of judgments, CSV or JSON lines with item, rater and label.

    \b
    errorbar agree official-2014.0.m2 official-2014.1.m2
    errorbar agree --items words --words articles 'A*.m2' --lenient
    errorbar agree votes.csv
    """
    from errorbar.agreement import Resampling, agreement_report
    from errorbar.stats.streams import stream

    if pairs and crossed:
        raise UsageError(Problem("two-views", "--pairs and --confusion cannot be combined", fix="give one of them"))
    problems = Problems(lenient=lenient)
    projected = Projected(items, words, kind, labels, documents, unmarked)
    judgments, clusters = _read(files, projected, problems)
    resampling = Resampling(stream(seed, "agreement"), resamples)
    report = agreement_report(judgments, unknown=unknown, clusters=clusters, resampling=resampling)
    notes = [*problems.notes, *report.notes]
    signature = _signature(judgments, projected, unknown, resamples, seed, by_cluster=clusters is not None)
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


def _signature(
    judgments: Judgments, options: Projected, unknown: Sequence[str], resamples: int, seed: int, *, by_cluster: bool
) -> str:
    """What was computed on which judgments how; they hold all that a digit depends on."""
    words = f",words={options.words}" if options.items == "words" else ""
    kind = f",type={options.kind}" if options.kind else ""
    projected = f"items={options.items}{words}{kind},labels={options.labels}"
    how = projected if by_cluster else GIVEN
    unit = "cluster" if by_cluster else "item"
    return agreement_signature(judgments, how, unknown=unknown, replicates=resamples, seed=seed, unit=unit)


@dataclass(frozen=True, slots=True)
class Projected:
    """What the options say about making judgments of edits."""

    items: Projection
    words: str
    kind: str
    labels: Labels
    documents: str | None
    unmarked: Unmarked

    def refuse(self) -> None:
        """A table of judgments needs none of it."""
        given = {
            "--items": self.items != "tokens",
            "--words": self.words != "prepositions",
            "--type": bool(self.kind),
            "--labels": self.labels != "error",
            "--documents": self.documents is not None,
            "--unmarked": self.unmarked != "auto",
        }
        for option, useless in given.items():
            if useless:
                what = f"{option} says how edits become judgments, and this file has judgments"
                raise UsageError(Problem("useless-option", what, fix="leave it out"))


def _read(
    files: Sequence[str], options: Projected, problems: Problems
) -> tuple[Judgments, np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None]:
    from errorbar.edits.items import WORD_CLASSES, edit_items

    named = expand_files(files)
    first = Lines(named[0].path, problems).peek()
    if _is_judgments(first):
        from errorbar.formats.judgments import read_judgments

        options.refuse()
        if len(named) > 1:
            what = "judgments come in one file"
            raise UsageError(Problem("several-judgments", what, fix="join the files into one table"))
        return read_judgments(named[0].path, problems), None
    corpus = read_named(named, problems, unmarked=options.unmarked)
    if options.documents is not None:
        add_documents(corpus, options.documents, problems)
    words = options.words
    chosen = words if words in WORD_CLASSES else [word for word in words.split(",") if word]
    made = edit_items(corpus, options.items, words=chosen, type=options.kind, labels=options.labels)
    problems.notes += made.notes()
    return made.judgments, made.clusters


def _is_judgments(first: str) -> bool:
    if first.startswith("{"):
        try:
            row = parse_json(first)
        except NotJsonError:
            return False  # the reader of corpora says what is wrong
        return isinstance(row, dict) and "rater" in row
    # Anything that is neither M2 nor a page is a table; its reader names the columns it needs.
    return (
        bool(first)
        and not first.startswith(("S ", "A ", "<"))
        and first != "S"
        and any(sign in first for sign in ",;\t")
    )


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
        [title, *_cells(report.coefficients[name], style)]
        for name, title in TITLES.items()
        if name in report.coefficients
    ]
    rows += [[f"specific agreement: {label}", *_cells(estimate, style)] for label, estimate in report.specific.items()]
    shares = ", ".join(f"{label} {percent(share)}%" for label, share in report.prevalence.items())
    footer = [
        f"{report.n_items:,} items, {report.n_raters} raters, {report.n_judgments:,} judgments, "
        f"{report.n_missing:,} missing",
        f"prevalence: {shares}",
        *report.remarks,
    ]
    return Table(["coefficient" if style == "csv" else "", *_headings("value", style)], rows, 1, footer)


def _pair_table(report: AgreementReport, style: str) -> Table:
    rows: list[list[Cell]] = []
    for pair in report.pairwise:
        first, second = pair.table.raters
        observed: Cell = pair.kappa.observed
        if style != "csv":
            observed = "–" if pair.kappa.observed is None else f"{pair.kappa.observed:.4f}"
        rows.append([first, second, int(pair.table.counts.sum()), observed, *_cells(pair.kappa.estimate, style)])
    return Table(["first", "second", "items", "observed", *_headings("Cohen's kappa", style)], rows, 2)


def _confusion_table(report: AgreementReport) -> Table:
    labels = report.confusion.labels
    rows: list[list[Cell]] = [
        [label, *(f"{value:g}" for value in row)]
        for label, row in zip(labels, report.confusion.counts.tolist(), strict=True)
    ]
    footer = ["ordered pairs of judgments of one item; with more than two raters each item weighs as its judgments"]
    return Table(["", *labels], rows, 1, footer)


def _record(report: AgreementReport) -> dict[str, object]:
    return {
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
                "counts": pair.table.counts.tolist(),
            }
            for pair in report.pairwise
        ],
        "confusion": {"labels": list(report.confusion.labels), "counts": report.confusion.counts.tolist()},
        "remarks": list(report.remarks),
    }
