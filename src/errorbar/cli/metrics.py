"""``errorbar metrics``: what can be computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from errorbar.cli.show import output_options, show_result
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

if TYPE_CHECKING:
    from errorbar.core.errors import Problem
    from errorbar.metrics.base import Metric

SCHEMA = "errorbar.metrics/1"


@dataclass(frozen=True, slots=True, repr=False)
class MetricList(Result):
    """The metrics that are installed, with what can be said in their specs."""

    metrics: tuple[type[Metric], ...]
    notes: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Name, summary and parameters of each."""
        return {
            "metrics": [
                {
                    "metric": metric.name,
                    "summary": metric.summary,
                    "parameters": [
                        {
                            "name": each.name,
                            "type": each.kind.__name__,
                            "default": each.default,
                            "doc": each.doc,
                            "aliases": list(each.aliases),
                        }
                        for each in (*metric.parameters, *metric.shorthands)
                    ],
                }
                for metric in self.metrics
            ]
        }

    def tables(self) -> tuple[Table]:
        """A row for each metric, and one for each of its parameters below it."""
        rows: list[list[str]] = []
        for metric in self.metrics:
            rows.append([metric.name, "", "", metric.summary])
            for each in (*metric.parameters, *metric.shorthands):
                also = f" (also: {', '.join(each.aliases)})" if each.aliases else ""
                rows.append(["", each.name, str(each.default).lower(), f"{each.doc}{also}"])
        columns = [Column("metric"), Column("parameter"), Column("default"), Column("what it is")]
        note = "A spec names what differs from the defaults, e.g. --metric 'm2(beta=1,choose=sentence)'."
        return (Table(columns, rows, notes=[note]),)


@click.command("metrics")
@output_options
def command(style: str, output: str | None) -> None:
    """List the metrics, their parameters and defaults."""
    from errorbar.metrics.registry import metric_class, metric_names

    found = MetricList(tuple(map(metric_class, metric_names())))
    show_result(found, style, schema=SCHEMA, output=output)
