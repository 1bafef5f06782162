"""``errorbar ceiling``: what humans score, and how near systems come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

import click

from errorbar.cli.command import Option, former
from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.metric_options import beta_option, metric_option
from errorbar.cli.options import INPUT, GoldOptions, SystemOptions, gold_options, lenient_option, system_options
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import output_options, show_result

SCHEMA = "errorbar.ceiling/1"
REPEATS = 100


class Subsets(click.ParamType[tuple[int, int]]):
    """``10`` or ``10x50``: documents of a random subset, and how many subsets."""

    name = "subsets"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Read one number or two."""
        if isinstance(value, tuple):
            return value
        size, times, repeats = str(value).partition("x")
        if not size.isdecimal() or int(size) < 1:
            self.fail(f"{value!r} must be a number of documents such as 10, or with that of subsets 10x50.", param, ctx)
        if times and (not repeats.isdecimal() or int(repeats) < 2):
            self.fail(f"{value!r} must have at least 2 subsets after the x.", param, ctx)
        return int(size), int(repeats or REPEATS)


@click.command("ceiling")
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM...]")
@gold_options
@system_options
@lenient_option
@metric_option
@beta_option
@click.option("--sizes", metavar="A-B", help="Numbers of references, e.g. 1-9 or 2.  [default: all]")
@click.option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    default=1000,
    show_default=True,
    help="Subsets of one size that are enumerated; of more, as many are drawn.",
)
@click.option("--by", type=click.Choice(("type",)), help="Show the recall of each error type at the largest size.")
@former("--by-type", "by", lambda _, __: "type", is_flag=True)
@click.option(
    "--n-documents",
    cls=Option,
    formerly="--essays",
    type=Subsets(),
    metavar="N[xREPEATS]",
    help="Repeat on random subsets of N documents, 100 or as many as REPEATS, e.g. 10x50.",
)
@former(
    "--repeats", "n_documents", lambda found, repeats: f"{found[0]}x{repeats}" if found else f"x{repeats}", type=int
)
@interval_options(default="where they take seconds", resamples=200, elsewhere=("seed",))
@output_options
def command(
    systems: tuple[str, ...],
    gold: GoldOptions,
    taken: SystemOptions,
    lenient: bool,
    spec: str,
    beta: float | None,
    sizes: str | None,
    most: int,
    by: Literal["type"] | None,
    n_documents: tuple[int, int] | None,
    intervals: IntervalOptions,
    style: str,
    output: str | None,
) -> None:
    """Score annotators against each other, and systems beside them, by number of references.

    Each annotator's own text is scored against every subset of the others; a system against every subset of as
    many. The ratio says how much of what a human scores the system reaches.

    \b
    errorbar ceiling --gold 'A*.m2' --lenient CAMB AMU
    errorbar ceiling --gold 'A*.m2' --lenient --n-documents 10 --documents essays.sgml CAMB
    """
    from errorbar.studies.ceiling import ceiling

    how = {name: value for name, value in asdict(intervals).items() if name != "ci_method"}
    with progress_bar("folds of the study") as progress:
        found = ceiling(
            systems=list(systems),
            metric=spec,
            beta=beta,
            sizes=parse_sizes(sizes),
            most=most,
            by=by,
            n_documents=n_documents[0] if n_documents else None,
            repeats=n_documents[1] if n_documents else REPEATS,
            lenient=lenient,
            progress=progress,
            **asdict(gold),
            **asdict(taken),
            **how,
        )
    show_result(found, style, schema=SCHEMA, output=output)


def parse_sizes(text: str | None) -> Sequence[int]:
    """Read ``3`` or ``1-9``; nothing: all sizes."""
    if text is None:
        return ()
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise click.BadParameter(f"{text!r} is neither a number nor a range such as 1-9", param_hint="--sizes")
    if int(first) > int(last or first):
        raise click.BadParameter(f"{text!r} runs backwards; say {last}-{first}", param_hint="--sizes")
    return range(int(first), int(last or first) + 1)
