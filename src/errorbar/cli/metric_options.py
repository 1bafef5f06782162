"""``--metric`` and its shorthand ``--beta``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from errorbar.cli.command import Decorator, Shorthand, former, together
from errorbar.cli.options import FiniteRange, option
from errorbar.core.errors import Problem, UsageError


def beta_option(into: str = "metric", *, hidden: bool = False) -> Decorator:
    """``--beta``, which the metrics of a parameter then say; hidden where the help of ``--metric`` names it."""
    return click.option(
        "--beta",
        cls=Shorthand,
        into=into,
        by=with_beta,
        hidden=hidden,
        type=FiniteRange(0, min_open=True),
        metavar="B",
        help="Weight recall B times as much as precision in F; short for the metric's parameter, as in 'm2(beta=1)'.",
    )


def with_beta(said: str | Sequence[str], beta: float) -> str | list[str]:
    """A metric, or several, with the ``--beta`` that was given; refused where a metric has none, or says its own."""
    from errorbar.core.spec import split_spec
    from errorbar.metrics.registry import metric_class

    for spec in [said] if isinstance(said, str) else said:
        name, raw = split_spec(spec)
        if "beta" not in {each.name for each in metric_class(name).parameters}:
            what = f"--beta is for metrics that have an F, and {name} has no parameter 'beta'"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
        if "beta" in raw:
            what = f"--beta {beta:g} and the metric {spec} both say what beta is"
            raise UsageError(Problem("two-choices", what, fix="give one of them"))
    return with_parameter(said or ["m2"], "beta", repr(beta))


def with_parameter(said: str | Sequence[str], parameter: str, value: str) -> str | list[str]:
    """A metric, or several, with one parameter more, or the one they have said otherwise."""
    from errorbar.core.spec import split_spec, write_text

    if not isinstance(said, str):
        return [str(with_parameter(spec, parameter, value)) for spec in said]
    name, raw = split_spec(said)
    parameters = {**raw, parameter: value}.items()
    return f"{name}({','.join(f'{key}={write_text(text)}' for key, text in parameters)})"


metric_options = together(
    option("--metric", default="m2", metavar="SPEC", help="What is computed, e.g. 'm2(beta=1)'."),
    beta_option(),
)
"""Of commands that compute one."""
missing_option = former(
    "--missing-as-empty",
    "metrics",
    lambda specs, _: with_parameter(specs or ["hoo"], "missing", "empty"),
    is_flag=True,
)
