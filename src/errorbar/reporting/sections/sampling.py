"""Estimates from a judged sample, and what more judgments would buy."""

from __future__ import annotations

from errorbar.core.estimate import Interval
from errorbar.reporting.charts import Dot, LinePoint, dot_chart, line_chart
from errorbar.reporting.model import Block, Cell, Chart, Section, Shown, Table
from errorbar.reporting.sections.figures import (
    DASH,
    Ends,
    count,
    ends_cell,
    in_sentence,
    interval_heading,
    low_high,
    percent,
    points,
    reasons,
    share,
)
from errorbar.studies.model import SampleStudy, Study

COUNTED = ("hits", "misses", "false positives")


def sampling(study: Study) -> Section | None:
    """The estimates, or None where there is no sample."""
    if not isinstance(study, SampleStudy) or not study.systems:
        return None
    blocks: list[Block] = [_estimates(study)]
    if study.differences:
        blocks.append(_differences(study))
    if study.budget:
        blocks.append(_budget(study))
    return Section("sampling", "Estimates from a sample", blocks)


def _level(study: SampleStudy) -> float:
    every = (row.estimate.interval for one in study.systems for row in one.rows)
    return next((interval.confidence_level for interval in every if interval), 0.95)


def _number(value: float | None, counted: bool) -> Shown:
    if not counted:
        return share(value)
    return Shown(DASH if value is None else f"{value:,.1f}", value)


def _ends(ends: Ends, counted: bool) -> Shown:
    if not counted:
        return ends_cell(ends)
    return Shown(f"{ends.low:,.1f}–{ends.high:,.1f}", ends.low) if isinstance(ends, Interval) else Shown(DASH)


def _estimates(study: SampleStudy) -> Chart:
    rows: list[list[Cell]] = []
    dots = []
    for one in study.systems:
        for row in one.rows:
            counted = row.name in COUNTED
            method = DASH if row.estimate.interval is None else row.estimate.interval.method
            values = [_number(row.estimate.value, counted), _ends(row.estimate.interval, counted)]
            rows.append([one.system, row.name, *values, method, _ends(row.bayes, counted)])
            if not counted:
                low, high = low_high(row.estimate.interval)
                dots.append(Dot(f"{one.system}: {row.name}", points(row.estimate.value), low, high))
    columns = ["system", "quantity", "estimate", interval_heading(_level(study)), "by", "Bayes"]
    notes = [
        f"{study.n_judged:,} of {study.n_items:,} items were judged",
        "percent; hits, misses and false positives are numbers of items of the whole corpus",
        "by: how the interval was made; Bayes: the interval of a posterior with Jeffreys priors, as a check",
        *reasons([row.estimate for one in study.systems for row in one.rows]),
    ]
    table = Table("sample-values", "Estimates for the whole corpus", columns, rows, 2, notes)
    text = f"P, R and F of the whole corpus of {study.n_items:,} items, estimated from {study.n_judged:,}. "
    text += "; ".join(
        f"{one.system}: " + ", ".join(f"{name} {in_sentence(one[name].estimate)}" for name in ("P", "R", "F"))
        for one in study.systems
    )
    spec = dot_chart(dots, title="estimate (percent)", name_title="quantity")
    return Chart("sample-estimates", "Estimates with intervals", text + ".", spec, table)


def _differences(study: SampleStudy) -> Table:
    rows: list[list[Cell]] = []
    for apart in study.differences:
        value, ends = apart.estimate.value, apart.estimate.interval
        shown = DASH if value is None else f"{100 * value:+.2f}"
        interval = DASH if ends is None else f"{100 * ends.low:+.2f} to {100 * ends.high:+.2f}"
        rows.append([apart.name, Shown(shown, value), Shown(interval, ends.low if ends else None)])
    first, second = (one.system for one in study.systems[:2])
    columns = ["quantity", f"{first} − {second}", interval_heading(_level(study))]
    notes = ["both systems were judged on the same items", *reasons([apart.estimate for apart in study.differences])]
    return Table("sample-differences", f"{first} against {second}, in points", columns, rows, 1, notes)


def _budget(study: SampleStudy) -> Chart:
    names = list(dict.fromkeys(name for step in study.budget for name in step.half_widths))
    rows: list[list[Cell]] = [
        [count(step.n_judgments), *(share(step.half_widths.get(name)) for name in names)] for step in study.budget
    ]
    table = Table(
        "sample-budget-values",
        "Expected half-widths of intervals, in points",
        ["judgments", *(f"± {name}" for name in names)],
        rows,
        0,
        ["if further items show errors at the rates seen so far; the first row is what was spent"],
    )
    drawn = [
        LinePoint(name, step.n_judgments, points(step.half_widths.get(name))) for name in names for step in study.budget
    ]
    first, last = study.budget[0], study.budget[-1]
    text = "Expected half-width of the intervals by number of judgments. " + "; ".join(
        f"{name}: ± {percent(first.half_widths.get(name))} points with {first.n_judgments:,}"
        + (f", ± {percent(last.half_widths.get(name))} with {last.n_judgments:,}" if len(study.budget) > 1 else "")
        for name in names
    )
    spec = line_chart(
        drawn, x_title="judgments", y_title="half-width (points)", whole=False, height=220, series_title="quantity"
    )
    return Chart("sample-budget", "What more judgments would buy", text + ".", spec, table)
