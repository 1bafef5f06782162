"""``--metric``, and ``--beta`` in short."""

from __future__ import annotations

import click

from errorbar.cli.command import Decorator, together
from errorbar.cli.options import FiniteRange


def beta_option(*, hidden: bool = False) -> Decorator:
    """``--beta``; hidden where the help of ``--metric`` names it."""
    return click.option(
        "--beta",
        hidden=hidden,
        type=FiniteRange(0, min_open=True),
        metavar="B",
        help="Weight recall B times as much as precision in F; short for the metric's parameter, as in 'm2(beta=1)'.",
    )


metric_options = together(
    click.option(
        "--metric",
        metavar="SPEC",
        help="What is computed, e.g. 'm2(beta=1)' (short: --beta 1).  [default: m2; tokens of labels]",
    ),
    beta_option(hidden=True),
)
"""Of commands that compute one."""
