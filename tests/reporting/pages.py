"""Shared by tests of the report: reports from files, tables as text, charts drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from errorbar.api import Study
from errorbar.reporting import Chart, Prose, Report, build_report, report
from errorbar.tables import Table
from errorbar.tables.table import Grid, format_table


def compute_studies(**arguments: Any) -> Sequence[Study]:  # noqa: ANN401 - arguments of report
    """Compute the studies of these arguments, from 200 resamples of the seed 7."""
    return report(**{"resamples": 200, "seed": 7, "browse": False, **arguments}).studies


def report_of(parts: Sequence[Study]) -> Report:
    """A report with a fixed command."""
    return build_report(parts, title="Test", command="errorbar report x")


def tables(report: Report) -> dict[str, Grid]:
    """Every table as it is shown, those of charts too, by name."""
    every = [block.table if isinstance(block, Chart) else block for block in report.blocks]
    return {table.name: format_table(table) for table in every if isinstance(table, Table)}


def charts(report: Report) -> dict[str, Chart]:
    """Every chart by name."""
    return {chart.name: chart for chart in report.charts}


def prose(report: Report, section: str) -> str:
    """Every paragraph of a section."""
    (wanted,) = (part for part in report.sections if part.name == section)
    return "\n".join(line for block in wanted.blocks if isinstance(block, Prose) for line in block.paragraphs)


def text_rows(table: Table | Grid) -> list[list[str]]:
    """Cells as they are shown."""
    grid = format_table(table) if isinstance(table, Table) else table
    return [[cell.text for cell in row] for row in grid.rows]


def headings(table: Table) -> list[str]:
    """Headings as they are shown."""
    return list(format_table(table).columns)


def notes(table: Table) -> list[str]:
    """Lines below a table."""
    return list(format_table(table).notes)


def printed(out: str) -> list[list[str]]:
    """Rows of a Markdown table that a command printed, without its heading, as Markdown shows them."""
    lines = [line for line in out.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[2:]]
    return [[re.sub(r"\\(?=[^\w\s])", "", cell.strip()) for cell in row] for row in cells]


def drawn(chart: Chart) -> list[dict[str, Any]]:
    """The rows that a chart draws, without repetition; charts have several layers of the same data."""
    datasets = chart.spec["datasets"]
    assert isinstance(datasets, Mapping)
    return list({json.dumps(row): row for data in datasets.values() for row in data}.values())


def draw(spec: Mapping[str, object]) -> str:
    """The SVG of a specification; fails on one that does not keep to the schema."""
    vl_convert = pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    import altair

    from errorbar.reporting import fixed_width

    altair.LayerChart.validate(dict(spec))
    svg = vl_convert.vegalite_to_svg(json.dumps(fixed_width(spec, 600)))
    assert isinstance(svg, str)
    return svg
