"""``errorbar score``: systems against annotators."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command, progress_bar
from errorbar.cli.options import SYSTEMS, options_of
from errorbar.cli.output import OutputOptions, output_options


@click.command("score", cls=Command)
@options_of("errorbar.api.score:score", systems=SYSTEMS)
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """Score systems against one or several annotators.

    A SYSTEM is a file with one corrected sentence per line, or name=file; '-' is standard input. Gzipped files are read
    as they are. Systems of the metrics errant and behavior can be M2 or JSONL, too, those of tokens also token labels.
    Text for a paper follows the table, on standard error.

    \b
    errorbar score --gold official-2014.combined.m2 CAMB AMU CUUI
    errorbar score --gold A1.m2 --gold A2.m2 --metric 'm2(beta=1)' mine=output.txt
    errorbar score --source dev.src --reference dev.ref0 --reference dev.ref1 --metric gleu mine=output.txt
    errorbar score --metric hoo --gold Gold/ team=corrected_texts/
    """
    from errorbar.api.score import score

    with progress_bar("sentences") as progress:
        result = score(progress=progress, **options)
    output.show(result, result.schema, for_paper=result.for_paper if options["by"] is None else None)
