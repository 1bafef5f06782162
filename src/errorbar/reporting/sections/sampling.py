"""Estimates from a judged sample, and what more judgments would buy."""

from __future__ import annotations

from errorbar.reporting.blocks import Block, Chart, Section
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.charts.lines import LinePoint, line_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import drawn, points
from errorbar.studies.model import SampleStudy, Study
from errorbar.tables.table import Cell, Column, Kind, Table

COUNTED = ("hits", "misses", "false positives")


def sampling(study: Study) -> Section | None:
    """The estimates, or None where there is no sample."""
    if not isinstance(study, SampleStudy) or not study.systems:
        return None
    blocks: list[Block] = [_estimates(study), _values(study, "number", counted=True)]
    if study.differences:
        blocks.append(_differences(study))
    if study.budget:
        blocks.append(_budget(study))
    return Section("sampling", "Estimates from a sample", blocks)


def _values(study: SampleStudy, kind: Kind, *, counted: bool) -> Table:
    digits = 1 if counted else None
    columns = [
        Column("system"),
        Column("quantity"),
        Column("estimate", kind, digits=digits, interval="beside"),
        Column("by"),
        Column("Bayes", kind, digits=digits, interval="only"),
    ]
    rows: list[list[Cell]] = [
        [one.system, row.name, row.estimate, row.estimate.interval and row.estimate.interval.method, row.bayes]
        for one in study.systems
        for row in one.rows
        if (row.name in COUNTED) is counted
    ]
    if counted:
        return Table(columns, rows, "Items of the whole corpus", "sample-counts")
    notes = [
        f"{study.n_judged:,} of {study.n_items:,} items were judged",
        "by: how the interval was made; Bayes: the interval of a posterior with Jeffreys priors, as a check",
    ]
    return Table(columns, rows, "Estimates for the whole corpus, in percent", "sample-values", notes)


def _estimates(study: SampleStudy) -> Chart:
    text = "Estimated from the judged items for all of them: the bars say how far the whole corpus may be from there"
    rows = ((one.system, row) for one in study.systems for row in one.rows if row.name not in COUNTED)
    dots = [Dot(f"{system}: {row.name}", *drawn(row.estimate)) for system, row in rows]
    spec = dot_chart(dots, Axis("estimate (percent)"), name_title="quantity")
    table = _values(study, "percent", counted=False)
    return Chart("sample-estimates", "Estimates with intervals", text + ".", spec, table)


def _differences(study: SampleStudy) -> Table:
    first, second = (one.system for one in study.systems[:2])
    columns = [Column("quantity"), Column(f"{first} − {second}", "percent", "difference", None, "beside", signed=True)]
    rows = [(apart.name, apart.estimate) for apart in study.differences]
    notes = ["both systems were judged on the same items"]
    return Table(columns, rows, f"{first} against {second}, in points", "sample-differences", notes)


def _budget(study: SampleStudy) -> Chart:
    names = list(dict.fromkeys(name for step in study.budget for name in step.half_widths))
    columns = [Column("judgments", "count"), *(Column(f"± {name}", "percent", name.lower()) for name in names)]
    rows = [(step.n_judgments, *(step.half_widths.get(name) for name in names)) for step in study.budget]
    notes = ["if further items show errors at the rates seen so far; the first row is what was spent"]
    title = "Expected half-widths of intervals, in points"
    table = Table(columns, rows, title, "sample-budget-values", notes)
    shown = [
        LinePoint(name, step.n_judgments, points(step.half_widths.get(name))) for name in names for step in study.budget
    ]
    text = "How far intervals would shrink: where a curve is flat, more judgments buy little"
    spec = line_chart(shown, Axis("judgments", "number"), Axis("half-width (points)"), series_title="quantity")
    return Chart("sample-budget", "What more judgments would buy", text + ".", spec, table)
