"""Options about intervals, the same in every command that has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

import click

from errorbar.cli.command import Decorator, together
from errorbar.cli.options import choice, cluster_options, jobs_option, option, refuse_given, seed_option
from errorbar.cli.talk import say
from errorbar.core.errors import Problem, as_options

FEW = 100
"""Of fewer resamples the ends of an interval are one or two draws."""
OF_INTERVALS = ("ci_method", "resamples", "confidence", "seed")


def resamples_option(default: int = 2000) -> Decorator:
    """``--resamples`` with the usual number of a command; fewer than ``FEW`` are warned of."""
    asked = option(
        "--resamples", type=click.IntRange(1), default=default, help="Number of resamples that intervals rest on."
    )

    def decorate(command: Any) -> Any:
        @wraps(command)
        def warned(**given: Any) -> Any:
            drawn = given.get("ci") is not False and given.get("ci_method") != "closed"
            if drawn and given["resamples"] < FEW:
                what = f"--resamples={given['resamples']}: intervals of so few are too rough to rely on"
                problem = Problem("few-resamples", what, fix=f"{default} are usual")
                say(f"warning: {problem.line(as_options)}")
            return command(**given)

        return asked(warned)

    return decorate


confidence_option = option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    metavar="LEVEL",
    default=0.95,
    help="Confidence level of intervals.",
)


def ci_method_option(methods: Sequence[str]) -> Decorator:
    """``--ci-method``."""
    text = "Bootstrap of documents (of sentences where no documents are known)"
    return choice("--ci-method", methods, text + (", or closed formulas." if "closed" in methods else "."))


def interval_options(
    *,
    methods: Sequence[str] = (),
    jobs: bool = True,
    cluster: bool = False,
    default: str = "up to 20,000 sentences",
    elsewhere: Sequence[str] = (),
    resamples: int = 2000,
) -> Decorator:
    """Make a decorator: ``--ci/--no-ci`` and what goes with it; what ``--no-ci`` makes useless is refused.

    Those of ``OF_INTERVALS`` that are ``elsewhere`` are about something else too; ``cluster``: of Dask, with ``jobs``.
    """
    switch = click.option(
        "--ci/--no-ci", default=None, help=f"Compute confidence intervals, or none.  [default: {default}]"
    )
    options = [switch, confidence_option, resamples_option(resamples), seed_option]
    options += [ci_method_option(methods)] if methods else []
    options += [cluster_options if cluster else jobs_option] if jobs else []
    of_intervals = [name for name in OF_INTERVALS if name not in elsewhere]

    def decorate(command: Any) -> Any:
        @wraps(command)
        def checked(**given: Any) -> Any:
            if given["ci"] is False:
                refuse_given(of_intervals, "is about intervals, and --no-ci asks for none")
            elif given.get("ci_method") == "closed":
                refuse_given(("resamples", "seed"), "is about random draws, and --ci-method closed makes none")
            return command(**given)

        return together(*options)(checked)

    return decorate
