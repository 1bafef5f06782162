"""``--metric`` and its shorthand ``--beta``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from errorbar.cli.options import Command, FiniteRange
from errorbar.core.errors import Problem, UsageError

metric_option = click.option(
    "--metric", "spec", default="m2", metavar="SPEC", show_default=True, help="What is computed, e.g. 'm2(beta=1)'."
)
"""``--metric``, of commands that compute one."""


def beta_option(command: Command) -> Command:
    """``--beta``: the command gets None or a number, and hands it to ``with_beta``."""
    option = click.option(
        "--beta",
        type=FiniteRange(0, min_open=True),
        metavar="B",
        help="Weight recall B times as much as precision in F; short for the metric's parameter, as in 'm2(beta=1)'.",
    )
    return option(command)


def with_beta(specs: Sequence[str], beta: float | None) -> list[str]:
    """Metrics with the ``--beta`` that was given.

    Args:
        specs: What ``--metric`` says.
        beta: What ``--beta`` says, or None.

    Raises:
        UsageError: If a metric has no parameter of the name, or its spec says another one.
    """
    if beta is None:
        return list(specs)
    specs = list(specs) or ["m2"]
    from errorbar.core.spec import split_spec
    from errorbar.metrics.registry import metric_class

    for spec in specs:
        name, raw = split_spec(spec)
        if "beta" not in {each.name for each in metric_class(name).parameters}:
            what = f"--beta is for metrics that have an F, and {name} has no parameter 'beta'"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
        if "beta" in raw:
            what = f"--beta {beta:g} and the metric {spec} both say what beta is"
            raise UsageError(Problem("two-choices", what, fix="give one of them"))
    return with_parameter(specs, "beta", repr(beta))


def with_parameter(specs: Sequence[str], parameter: str, value: str) -> list[str]:
    """Metrics with one parameter more, or the one they have said otherwise."""
    from errorbar.core.spec import split_spec, write_text

    made = []
    for spec in specs:
        name, raw = split_spec(spec)
        said = {**raw, parameter: value}
        made.append(f"{name}({','.join(f'{key}={write_text(text)}' for key, text in said.items())})")
    return made


def missing_as_empty(specs: Sequence[str], _: bool) -> list[str]:
    """``--missing-as-empty`` as metrics that take what is missing for empty."""
    return with_parameter(specs or ["hoo"], "missing", "empty")
