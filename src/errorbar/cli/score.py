"""``errorbar score``: systems against annotators."""

from __future__ import annotations

from dataclasses import asdict, replace

import click

from errorbar.cli.intervals import OF_INTERVALS, IntervalOptions, interval_options
from errorbar.cli.metric_options import beta_option, with_beta
from errorbar.cli.options import (
    BOOTSTRAPS,
    INPUT,
    GoldOptions,
    SystemOptions,
    dask_option,
    gold_options,
    lenient_option,
    order_option,
    refuse_given,
    system_options,
)
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import output_options, show_result


@click.command("score")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@gold_options
@system_options
@lenient_option
@click.option("--metric", "specs", multiple=True, metavar="SPEC", help="E.g. 'm2(beta=1)'; repeatable.  [default: m2]")
@beta_option
@click.option("--annotator", metavar="NAME", help="Score against this annotator alone.")
@click.option("--by-type", is_flag=True, help="Show the scores of each error type.")
@click.option("--by-sentence", "--by-fragment", is_flag=True, help="Show the part of each sentence or fragment.")
@order_option
@interval_options(methods=(*BOOTSTRAPS, "closed"))
@dask_option
@output_options
@click.option("--source", type=INPUT, metavar="FOLDER", help="HOO: the source texts, if not in Raw beside Gold.")
@click.option("--types", type=INPUT, metavar="FILE", help="HOO: JSON that counts error types in other rows.")
@click.option("--best", is_flag=True, help="HOO: the best run of each team and measure.")
@click.option("--missing-as-empty", is_flag=True, help="HOO: a fragment that a run lacks counts as nothing proposed.")
def command(
    systems: tuple[str, ...],
    gold: GoldOptions,
    taken: SystemOptions,
    lenient: bool,
    specs: tuple[str, ...],
    beta: float | None,
    annotator: str | None,
    by_type: bool,
    by_sentence: bool,
    order: str,
    intervals: IntervalOptions,
    dask: str | None,
    style: str,
    output: str | None,
    source: str | None,
    types: str | None,
    best: bool,
    missing_as_empty: bool,
) -> None:
    """Score systems against one or several annotators.

    A SYSTEM is a file with one corrected sentence per line, or name=file; '-' is standard input. Gzipped files
    are read as they are.

    \b
    errorbar score --gold official-2014.combined.m2 CAMB AMU CUUI
    errorbar score --gold A1.m2 --gold A2.m2 --metric 'm2(beta=1)' mine=output.txt
    errorbar score --metric hoo --gold Gold/ team=corrected_texts/
    """
    if by_sentence and intervals.ci is None:
        refuse_given(OF_INTERVALS, "is about intervals, and --by-sentence has none", "add --ci, or leave it out")
    from errorbar.formats.hoo_detect import FragmentOptions
    from errorbar.studies.score import score

    with progress_bar("sentences") as progress:
        found = score(
            systems=list(systems),
            metrics=with_beta(specs, beta),
            annotator=annotator,
            by_type=by_type,
            by_sentence=by_sentence,
            lenient=lenient,
            dask=dask,
            progress=progress,
            fragments=FragmentOptions(source, types, missing_as_empty, best),
            **asdict(gold),
            **asdict(taken),
            **asdict(intervals),
        )
    found = replace(found, order=order)
    rows = [found.type_rows()] if by_type and style == "csv" else None
    show_result(found, style, schema=found.schema, output=output, tables=rows)
