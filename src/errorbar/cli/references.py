"""``errorbar references``: systems under a common gold and references of their own."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.options import SYSTEMS, options_of
from errorbar.cli.output import OutputOptions, output_options


@click.command("references", cls=Command)
@options_of("errorbar.api.references:references", systems=SYSTEMS)
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """Score systems under a common gold and under others side by side, with what each gold changes.

    An editor makes a reference for a system: changes its output, as little as possible, until it is right. Such
    references are given for every system (--reference-of), or chosen of many written from the source (--closest-of),
    which favors systems.

    \b
    errorbar references --gold gold.m2 --reference-of A=a.edited.txt --reference-of B=b.edited.txt A=a.txt B=b.txt
    errorbar references --gold official.m2 --closest-of 'A*.m2' CAMB CUUI AMU
    """
    from errorbar.api.references import references

    output.show(references(**options), "errorbar.references/1")
