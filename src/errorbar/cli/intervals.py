"""Options about intervals and comparisons, the same in every command that has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, cast

import click

from errorbar.cli.options import Command, Decorator, anywhere_options, in_one, jobs_option, refuse_given, seed_option

OF_INTERVALS = ("ci_method", "resamples", "confidence", "seed")


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """What the shared options say about intervals, by the names of the public functions' arguments.

    Attributes:
        ci: Whether there are intervals; None: up to 20,000 sentences or items.
        confidence: Their level, a fraction.
        resamples: Number of resamples.
        seed: Seed of the random streams.
        jobs: Number of processes; where there can be a cluster, maybe its address.
        ci_method: ``bca``, ``percentile``, ``basic``, or ``closed`` where there is a formula.
    """

    ci: bool | None = None
    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 0
    jobs: Any = 1
    ci_method: Literal["bca", "percentile", "basic", "closed"] = "bca"


confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    metavar="LEVEL",
    default=0.95,
    show_default=True,
    help="Confidence level of intervals.",
)


def resamples_option_of(default: int) -> Decorator:
    """``--resamples`` with a usual number of its own."""
    return click.option(
        "--resamples",
        type=click.IntRange(1),
        metavar="N",
        default=default,
        show_default=True,
        help="Number of resamples that intervals rest on.",
    )


resamples_option = resamples_option_of(2000)


def interval_options(
    *,
    methods: Sequence[str] = (),
    jobs: bool = True,
    cluster: bool = False,
    default: str = "up to 20,000 sentences",
    elsewhere: Sequence[str] = (),
    resamples: int = 2000,
) -> Callable[[Command], Command]:
    """Make a decorator: the command gets an ``IntervalOptions``, ``intervals``.

    Args:
        methods: What ``--ci-method`` may say, the default first, e.g. ``BOOTSTRAPS``; none: no such option.
        jobs: Whether the command can use several processes.
        cluster: Whether these can be those of a Dask cluster.
        default: What there is where neither is given.
        resamples: Their usual number.
        elsewhere: Those of ``OF_INTERVALS`` that are about something else too, and of use beside ``--no-ci``.
    """
    switch = click.option(
        "--ci/--no-ci", default=None, help=f"Compute confidence intervals, or none.  [default: {default}]"
    )
    options: list[Decorator] = [switch, confidence_option, resamples_option_of(resamples), seed_option]
    if methods:
        options.append(ci_method_option(methods))
    if jobs:
        options.append(anywhere_options if cluster else jobs_option)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def checked(*args: Any, intervals: IntervalOptions, **given: Any) -> Any:
            _refuse_useless(intervals, [name for name in OF_INTERVALS if name not in elsewhere])
            return command(*args, intervals=intervals, **given)

        return in_one("intervals", IntervalOptions, *options)(cast("Command", checked))

    return decorate


def _refuse_useless(intervals: IntervalOptions, of_intervals: Sequence[str]) -> None:
    """Refuse options of intervals where there are none, and those of draws where there is a formula."""
    if intervals.ci is False:
        refuse_given(of_intervals, "is about intervals, and --no-ci asks for none")
    elif intervals.ci_method == "closed":
        drawn = [name for name in of_intervals if name in ("resamples", "seed")]
        refuse_given(drawn, "is about random draws, and --ci-method closed makes none")


def ci_method_option(methods: Sequence[str]) -> Decorator:
    """``--ci-method``."""
    text = "Bootstrap of documents (of sentences where no documents are known)"
    text += ", or closed formulas." if "closed" in methods else "."
    return click.option("--ci-method", type=click.Choice(methods), default=methods[0], show_default=True, help=text)
