"""``errorbar ceiling``: what humans score, and how near systems come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from errorbar.cli.command import Command, progress_bar
from errorbar.cli.options import options_of
from errorbar.cli.output import OutputOptions, output_options

REPEATS = 100


class SubsetsType(click.ParamType[tuple[int, int]]):
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


class Sizes(click.ParamType[Sequence[int]]):
    """``3`` or ``1-9``: numbers of references."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Sequence[int]:
        """Read one number or two."""
        if isinstance(value, tuple | range):
            return value
        first, dash, last = str(value).partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            self.fail(f"{value!r} is neither a number nor a range such as 1-9", param, ctx)
        if int(first) > int(last or first):
            self.fail(f"{value!r} runs backwards; say {last}-{first}", param, ctx)
        return range(int(first), int(last or first) + 1)


@click.command("ceiling", cls=Command)
@options_of(
    "errorbar.api.ceiling:ceiling",
    systems={"argument": "[SYSTEM...]"},
    sizes={"type": Sizes(), "metavar": "A-B", "multiple": False},
    most={"hidden": True},
    n_documents={"type": SubsetsType(), "metavar": "N[xREPEATS]"},
    repeats=None,
)
@output_options
def command(n_documents: tuple[int, int] | None, output: OutputOptions, **options: Any) -> None:
    """Score annotators against each other, and systems beside them, by number of references.

    Each annotator's own text is scored against every subset of the others; a system against every subset of as
    many. The ratio says how much of what a human scores the system reaches.

    \b
    errorbar ceiling --gold 'A*.m2' --lenient CAMB AMU
    errorbar ceiling --gold 'A*.m2' --lenient --n-documents 10 --documents essays.sgml CAMB
    """
    from errorbar.api.ceiling import ceiling

    size, repeats = n_documents or (None, REPEATS)
    with progress_bar("folds of the study") as progress:
        result = ceiling(n_documents=size, repeats=repeats, progress=progress, **options)
    output.show(result, "errorbar.ceiling/1")
