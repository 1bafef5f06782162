"""``errorbar metrics``: what can be computed."""

from __future__ import annotations

import click

from errorbar.cli.command import Command
from errorbar.cli.output import OutputOptions, output_options
from errorbar.tables.table import Column, Table


@click.command("metrics", cls=Command)
@output_options
def command(output: OutputOptions) -> None:
    """List the metrics, their parameters and defaults."""
    from errorbar.metrics.registry import metric_class, metric_names

    records: list[dict[str, object]] = []
    rows: list[list[str]] = []
    for metric in map(metric_class, metric_names()):
        parameters = (*metric.parameters, *metric.shorthands)
        described = [
            {"name": p.name, "type": p.kind.__name__, "default": p.default, "doc": p.doc, "aliases": list(p.aliases)}
            for p in parameters
        ]
        records.append({"metric": metric.name, "summary": metric.summary, "parameters": described})
        rows.append([metric.name, "", "", metric.summary])
        for each in parameters:
            also = f" (also: {', '.join(each.aliases)})" if each.aliases else ""
            rows.append(["", each.name, str(each.default).lower(), f"{each.doc}{also}"])
    columns = [Column("metric"), Column("parameter"), Column("default"), Column("what it is")]
    note = "A spec names what differs from the defaults, e.g. --metric 'm2(beta=1,choose=sentence)'."
    output.listing({"metrics": records}, "errorbar.metrics/1", Table(columns, rows, notes=[note]))
