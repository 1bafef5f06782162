"""``--metric``, and ``--beta`` in short."""

from __future__ import annotations

from collections.abc import Sequence

import click

from errorbar.cli.command import Decorator, former, together
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


def with_parameter(said: str | Sequence[str], parameter: str, value: str) -> str | list[str]:
    """A metric, or several, with one parameter more, or the one they have said otherwise."""
    from errorbar.studies.door import with_parameter as made

    return made(said, parameter, value) if isinstance(said, str) else [made(each, parameter, value) for each in said]


metric_options = together(
    click.option(
        "--metric",
        metavar="SPEC",
        help="What is computed, e.g. 'm2(beta=1)' (short: --beta 1).  [default: m2; tokens of labels]",
    ),
    beta_option(hidden=True),
)
"""Of commands that compute one."""
missing_option = former(
    "--missing-as-empty",
    "metric",
    lambda specs, _: with_parameter(specs or ["hoo"], "missing", "empty"),
    is_flag=True,
)
