"""How far annotators, or raters, agree."""

from __future__ import annotations

from math import ceil, floor

from errorbar.agreement.report import TITLES, AgreementReport
from errorbar.core.estimate import Estimate
from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.charts.grid import HeatCell, RowNames, heat_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import at_ends, drawn
from errorbar.studies.model import CorpusStudy, CrowdStudy, Study
from errorbar.tables.shown import DASH, percent
from errorbar.tables.table import Column, Table

MOST_RATERS = 25  # raters in the matrix; the table has every pair


def agreement(study: Study) -> Section | None:
    """Coefficients and the matrix of pairs, or None where there is one annotator only."""
    if not isinstance(study, CorpusStudy | CrowdStudy) or study.agreement is None:
        return None
    report, level = study.agreement.report, study.confidence_level
    who = "annotators" if isinstance(study, CorpusStudy) else "raters"
    blocks: list[Block] = [_coefficients(report, level)]
    if len(report.pairwise) > 1:
        blocks.append(_matrix(report, who, level))
    of = " Every token is a question: is it in an edit?" if isinstance(study, CorpusStudy) else ""
    shares = ", ".join(f"{label} {percent(value)}%" for label, value in report.prevalence.items())
    facts = (
        f"{report.n_items:,} items, {report.n_raters} {who}, {report.n_judgments:,} judgments, {report.n_missing:,} "
        f"missing.{of} Shares of the labels: {shares}."
    )
    blocks.append(Prose([facts, *(f"{line[:1].upper()}{line[1:].removesuffix('.')}." for line in report.remarks)]))
    return Section("agreement", f"How far {who} agree", blocks)


def _coefficients(report: AgreementReport, level: float) -> Chart:
    named = {title: report.coefficients[key] for key, title in TITLES.items() if key in report.coefficients}
    specific = {f"specific agreement: {label}": estimate for label, estimate in report.specific.items()}
    columns = [Column("coefficient"), Column("value", "number", interval="beside")]
    rows = [*named.items(), *specific.items()]
    table = Table(columns, rows, "Coefficients of agreement", "agreement-coefficients", (), level)
    text = "1 is perfect agreement and 0 is chance level (except for observed agreement)."
    dots = [Dot(title, *drawn(estimate, "number")) for title, estimate in named.items()]
    spec = dot_chart(dots, Axis("coefficient", "number"), top=1.0)
    return Chart("agreement-chart", "Coefficients of agreement", text, spec, table)


def _sentence(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.undefined})" if estimate.undefined else "undefined"
    ends = estimate.interval
    return f"{estimate.value:.4f}" + ("" if ends is None else f" ({ends.low:.4f} to {ends.high:.4f})")


def _matrix(report: AgreementReport, who: str, level: float) -> Chart:
    one = who.removesuffix("s")
    names = list(dict.fromkeys(name for pair in report.pairwise for name in pair.table.raters))
    kappas = {pair.table.raters: pair.kappa.estimate for pair in report.pairwise}
    shown = names[:MOST_RATERS]
    cells = []
    for k, row in enumerate(shown[1:], 1):
        for column in shown[:k]:
            estimate = kappas.get((row, column)) or kappas.get((column, row))
            value = None if estimate is None else estimate.value
            text = DASH if value is None else f"{value:.2f}"
            cells.append(HeatCell(row, column, value, text, "" if estimate is None else _sentence(estimate)))
    known = sorted((e.value, pair) for pair, e in kappas.items() if e.value is not None)
    text = f"Each cell is a pair of {who}; colors run from the pair that agrees least to the one that agrees most."
    if len({value for value, _ in known}) > 1:
        most, least = at_ends((value, f"{first} and {second}") for value, (first, second) in known)
        first = f"{who.capitalize()} {most[0]}" if len(most) == 1 else f"{len(most)} pairs"
        last = f", {least[0]} least" if len(least) == 1 else f"; {len(least)} other pairs agree least"
        text += f" {first} agree most{last}."
    elif not known:
        text = "No pair has a value."
    if len(shown) < len(names):
        text += f" The chart shows the first {len(shown)} of {len(names)}, the table every pair."
    ends = [value for value, _ in known] or [0.0]
    domain = (floor(20 * ends[0]) / 20, max(ceil(20 * ends[-1]), floor(20 * ends[0]) + 1) / 20)
    spec = heat_chart(cells, RowNames(one), column_title="and", value_title="Cohen's kappa", domain=domain)
    rows = [(*p.table.raters, p.table.n_items, p.kappa.observed, p.kappa.estimate) for p in report.pairwise]
    columns = [Column("first"), Column("second"), Column("items", "count"), Column("observed", "number")]
    columns.append(Column("Cohen's kappa", "number", "kappa", interval="beside"))
    table = Table(columns, rows, f"Every pair of {who}", "agreement-pairs", (), level)
    return Chart("agreement-matrix", f"Cohen's kappa of every pair of {who}", text, spec, table)
