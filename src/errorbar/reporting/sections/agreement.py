"""How far annotators, or raters, agree."""

from __future__ import annotations

from errorbar.agreement import AgreementReport
from errorbar.agreement.report import TITLES
from errorbar.core.estimate import Estimate
from errorbar.reporting.charts import Dot, HeatCell, dot_chart, heat_chart
from errorbar.reporting.model import Cell, Chart, Prose, Section, Shown, Table
from errorbar.reporting.sections.figures import DASH, interval_heading, low_high, percent, plain, plural
from errorbar.studies.model import CorpusStudy, CrowdStudy, Study

MOST_RATERS = 25
"""Raters in the matrix; the table has every pair."""


def agreement(study: Study) -> Section | None:
    """Coefficients and the matrix of pairs, or None where there is one annotator only."""
    if not isinstance(study, CorpusStudy | CrowdStudy) or study.agreement is None:
        return None
    report = study.agreement
    who = "annotators" if isinstance(study, CorpusStudy) else "raters"
    blocks: list[Prose | Chart | Table] = [_coefficients(report)]
    if len(report.pairwise) > 1:
        blocks.append(_matrix(report, who))
    blocks.append(Prose([*_facts(report, who, study), *map(_sentence_case, report.remarks)]))
    return Section("agreement", f"How far {who} agree", blocks)


def coefficient_cells(estimate: Estimate) -> list[Cell]:
    """A coefficient and its interval, as ``errorbar agree`` prints them."""
    if estimate.interval is None:
        reason = estimate.undefined or estimate.no_interval
        return [plain(estimate.value, 4), DASH if reason is None else str(reason)]
    ends = estimate.interval
    return [plain(estimate.value, 4), Shown(f"{ends.low:.4f} to {ends.high:.4f}", ends.low)]


def _ci(report: AgreementReport) -> str:
    every = [*report.coefficients.values(), *(pair.kappa.estimate for pair in report.pairwise)]
    return interval_heading(next((e.interval.confidence_level for e in every if e.interval), 0.95))


def _facts(report: AgreementReport, who: str, study: CorpusStudy | CrowdStudy) -> list[str]:
    of = " Every token is a question: is it in an edit?" if isinstance(study, CorpusStudy) else ""
    shares = ", ".join(f"{label} {percent(value)}%" for label, value in report.prevalence.items())
    return [
        f"{report.n_items:,} items, {report.n_raters} {who}, {report.n_judgments:,} judgments, {report.n_missing:,} "
        f"missing.{of} Shares of the labels: {shares}."
    ]


def _sentence_case(remark: str) -> str:
    return f"{remark[:1].upper()}{remark[1:].removesuffix('.')}."


def _coefficients(report: AgreementReport) -> Chart:
    named = [(title, report.coefficients[key]) for key, title in TITLES.items() if key in report.coefficients]
    rows: list[list[Cell]] = [[title, *coefficient_cells(estimate)] for title, estimate in named]
    rows += [[f"specific agreement: {label}", *coefficient_cells(e)] for label, e in report.specific.items()]
    table = Table("agreement-coefficients", "Coefficients of agreement", ["coefficient", "value", _ci(report)], rows, 1)
    dots = [Dot(title, e.value, *low_high(e.interval, 1)) for title, e in named]
    text = "; ".join(f"{title} {_sentence(estimate)}" for title, estimate in named)
    text = f"1 is perfect agreement; 0 is what chance gives, but for observed agreement. Here: {text}."
    spec = _unit_chart(dots)
    return Chart("agreement-chart", "Coefficients of agreement", text, spec, table)


def _unit_chart(dots: list[Dot]) -> dict[str, object]:
    return dict(dot_chart(dots, title="coefficient", name_title="", digits=4, top=1.0))


def _sentence(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.undefined})" if estimate.undefined else "undefined"
    ends = estimate.interval
    return f"{estimate.value:.4f}" + ("" if ends is None else f" ({ends.low:.4f} to {ends.high:.4f})")


def _matrix(report: AgreementReport, who: str) -> Chart:
    names = list(dict.fromkeys(name for pair in report.pairwise for name in pair.table.raters))
    kappas = {pair.table.raters: pair.kappa.estimate for pair in report.pairwise}
    shown = names[:MOST_RATERS]
    cells = []
    for row in shown:
        for column in shown:
            estimate = kappas.get((row, column)) or kappas.get((column, row))
            value = None if estimate is None else estimate.value
            text = "" if row == column else DASH if value is None else f"{value:.2f}"
            cells.append(HeatCell(row, column, value, text, "" if estimate is None else _sentence(estimate)))
    known = sorted((e.value, pair) for pair, e in kappas.items() if e.value is not None)
    text = f"Cohen's kappa of every pair of {plural(len(names), who[:-1])}. "
    if known:
        (low, least), (high, most) = known[0], known[-1]
        text += f"Lowest: {low:.4f} ({least[0]} and {least[1]}); highest: {high:.4f} ({most[0]} and {most[1]})."
    else:
        text += "No pair has a value."
    if len(shown) < len(names):
        text += f" The chart shows the first {len(shown)} of them, the table every pair."
    bottom = min([0.0, *(value for value, _ in known)])
    spec = heat_chart(
        cells, row_title=who[:-1], column_title=who[:-1], value_title="Cohen's kappa", domain=(bottom, 1.0)
    )
    rows: list[list[Cell]] = []
    for pair in report.pairwise:
        n = int(pair.table.counts.sum())
        start: list[Cell] = [*pair.table.raters, Shown(str(n), n), plain(pair.kappa.observed, 4)]
        rows.append([*start, *coefficient_cells(pair.kappa.estimate)])
    columns = ["first", "second", "items", "observed", "Cohen's kappa", _ci(report)]
    table = Table("agreement-pairs", f"Every pair of {who}", columns, rows, 2)
    return Chart("agreement-matrix", f"Cohen's kappa of every pair of {who}", text, spec, table)
