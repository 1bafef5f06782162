"""``errorbar metrics``: what can be computed."""

from __future__ import annotations

import click

from errorbar.cli.options import format_option
from errorbar.cli.render import Table, show, show_json

SCHEMA = "errorbar.metrics/1"


@click.command("metrics")
@format_option
def command(style: str) -> None:
    """List the metrics, their parameters and defaults."""
    from errorbar.metrics.registry import metric_class, metric_names

    classes = [metric_class(name) for name in metric_names()]
    if style == "json":
        metrics = [
            {
                "metric": cls.name,
                "summary": cls.summary,
                "parameters": [
                    {"name": p.name, "type": p.kind.__name__, "default": p.default, "doc": p.doc}
                    for p in cls.parameters
                ],
            }
            for cls in classes
        ]
        show_json({"schema": SCHEMA, "metrics": metrics})
        return
    rows: list[list[str | int | None]] = []
    for cls in classes:
        rows.append([cls.name, "", "", cls.summary])
        rows += [["", p.name, str(p.default).lower(), p.doc] for p in cls.parameters]
    footer = ["a spec names what differs from the defaults, e.g. --metric 'm2(beta=1,choose=sentence)'"]
    show(Table(["metric", "parameter", "default", "what it is"], rows, 4, footer), style)
