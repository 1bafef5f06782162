"""``--metric`` and its shorthand ``--beta``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from errorbar.cli.options import Command, FiniteRange

metric_option = click.option(
    "--metric", "spec", default="m2", metavar="SPEC", show_default=True, help="What is computed, e.g. 'm2(beta=1)'."
)
"""``--metric``, of commands that compute one."""


def beta_option(command: Command) -> Command:
    """``--beta``: the command gets None or a number."""
    option = click.option(
        "--beta",
        type=FiniteRange(0, min_open=True),
        metavar="B",
        help="Weight recall B times as much as precision in F; short for the metric's parameter, as in 'm2(beta=1)'.",
    )
    return option(command)


def with_parameter(specs: Sequence[str], parameter: str, value: str) -> list[str]:
    """Metrics with one parameter more, or the one they have said otherwise."""
    from errorbar.studies.door import with_parameter as made

    return [made(spec, parameter, value) for spec in specs]


def missing_as_empty(specs: Sequence[str], _: bool) -> list[str]:
    """``--missing-as-empty`` as metrics that take what is missing for empty."""
    return with_parameter(specs or ["hoo"], "missing", "empty")
