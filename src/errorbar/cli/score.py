"""``errorbar score``: systems against annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import click

from errorbar.cli.command import former
from errorbar.cli.intervals import OF_INTERVALS, IntervalOptions, interval_options
from errorbar.cli.metric_options import beta_option, missing_as_empty, with_parameter
from errorbar.cli.options import (
    BOOTSTRAPS,
    INPUT,
    GoldOptions,
    SystemOptions,
    gold_options,
    lenient_option,
    order_option,
    refuse_given,
    system_options,
)
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import output_options, show_result
from errorbar.core.errors import Problem, UsageError

if TYPE_CHECKING:
    from errorbar.studies.score import View
    from errorbar.studies.score_result import Order

VIEWS = ("type", "sentence", "fragment", "team")


# What old options are in the words of those that say it now


def one_view(view: str, other: str | None, _: bool) -> str:
    """``--by-type`` and its like as ``--by``."""
    if other is not None and {view, other} != {"sentence", "fragment"}:
        what = f"--by {other} and --by {view} cannot be combined"
        raise UsageError(Problem("two-views", what, fix="give one of them"))
    return view


def against(specs: Sequence[str], annotator: str) -> list[str]:
    """``--annotator`` as metrics that score against one alone."""
    from errorbar.metrics.registry import parse_metrics

    return [str(metric.against(annotator).spec) for metric in parse_metrics(list(specs))]


def in_rows(specs: Sequence[str], path: str) -> list[str]:
    """``--types`` as metrics that count types in the rows of a file."""
    from errorbar.studies.hoo_scores import rows_of

    return with_parameter(specs or ["hoo"], "rows", rows_of(path))


@click.command("score")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@gold_options
@system_options
@lenient_option
@click.option("--metric", "specs", multiple=True, metavar="SPEC", help="E.g. 'm2(beta=1)'; repeatable.  [default: m2]")
@beta_option
@former("--annotator", "specs", against, metavar="NAME")
@click.option(
    "--by",
    type=click.Choice(VIEWS),
    help="Show the scores of each error type, the part of each sentence (of HOO data: fragment), or, of HOO data, the "
    "best run of each team.",
)
@former("--by-type", "by", partial(one_view, "type"), is_flag=True)
@former("--by-sentence", "by", partial(one_view, "sentence"), is_flag=True)
@former("--by-fragment", "by", partial(one_view, "fragment"), is_flag=True)
@former("--best", "by", partial(one_view, "team"), is_flag=True)
@order_option
@interval_options(methods=(*BOOTSTRAPS, "closed"), cluster=True)
@output_options
@former("--source", "documents", lambda _, folder: folder, type=INPUT, metavar="FOLDER")
@former("--types", "specs", in_rows, type=INPUT, metavar="FILE")
@former("--missing-as-empty", "specs", missing_as_empty, is_flag=True)
def command(
    systems: tuple[str, ...],
    gold: GoldOptions,
    taken: SystemOptions,
    lenient: bool,
    specs: tuple[str, ...],
    beta: float | None,
    by: View | None,
    order: Order,
    intervals: IntervalOptions,
    style: str,
    output: str | None,
) -> None:
    """Score systems against one or several annotators.

    A SYSTEM is a file with one corrected sentence per line, or name=file; '-' is standard input. Gzipped files
    are read as they are.

    \b
    errorbar score --gold official-2014.combined.m2 CAMB AMU CUUI
    errorbar score --gold A1.m2 --gold A2.m2 --metric 'm2(beta=1)' mine=output.txt
    errorbar score --metric hoo --gold Gold/ team=corrected_texts/
    """
    if by in ("sentence", "fragment") and intervals.ci is None:
        refuse_given(OF_INTERVALS, f"is about intervals, and --by {by} has none", "add --ci, or leave it out")
    from errorbar.studies.score import score

    with progress_bar("sentences") as progress:
        found = score(
            systems=list(systems),
            metric=specs,
            beta=beta,
            by=by,
            order=order,
            lenient=lenient,
            progress=progress,
            **asdict(gold),
            **asdict(taken),
            **asdict(intervals),
        )
    rows = [found.type_rows()] if by == "type" and style == "csv" else None
    show_result(found, style, schema=found.schema, output=output, tables=rows)
