"""``errorbar metrics``: what can be computed."""

from __future__ import annotations

import click

from errorbar.cli.options import format_option
from errorbar.cli.render import Table, show, show_json
from errorbar.core.spec import Parameter

SCHEMA = "errorbar.metrics/1"


@click.command("metrics")
@format_option
def command(style: str) -> None:
    """List the metrics, their parameters and defaults."""
    from errorbar.metrics.hoo import Hoo
    from errorbar.metrics.registry import metric_class, metric_names

    listed: list[tuple[str, str, tuple[Parameter, ...]]] = [
        (cls.name, cls.summary, cls.parameters) for cls in map(metric_class, metric_names())
    ]
    listed.append((Hoo.name, Hoo.summary, (*Hoo.parameters, Hoo.conventions_parameter)))
    if style == "json":
        metrics = [
            {
                "metric": name,
                "summary": summary,
                "parameters": [
                    {"name": p.name, "type": p.kind.__name__, "default": p.default, "doc": p.doc} for p in parameters
                ],
            }
            for name, summary, parameters in listed
        ]
        show_json({"schema": SCHEMA, "metrics": metrics})
        return
    rows: list[list[str | int | None]] = []
    for name, summary, parameters in listed:
        rows.append([name, "", "", summary])
        rows += [["", p.name, str(p.default).lower(), p.doc] for p in parameters]
    footer = ["a spec names what differs from the defaults, e.g. --metric 'm2(beta=1,choose=sentence)'"]
    show(Table(["metric", "parameter", "default", "what it is"], rows, 4, footer), style)
