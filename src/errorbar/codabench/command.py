"""``errorbar task bundle``: a shared task as a competition on Codabench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errorbar.cli.command import Command, OutputPath, progress_bar, say, show_lines, show_notes
from errorbar.cli.options import INPUT, options_of
from errorbar.cli.task import CACHE, TASK, exit_for
from errorbar.formats.saving import STANDARD_OUTPUT


@click.command("bundle", cls=Command, short_help="Write a competition that Codabench takes as it is.")
@options_of(
    "errorbar.codabench.bundle:bundle_task",
    task=TASK,
    out={"names": ("-o", "--output", "--out"), "type": OutputPath(path_type=Path), "metavar": "ZIP"},
    wheels={"names": ("--wheel",), "type": INPUT, "metavar": "FILE"},
    pages=None,
    cache=CACHE,
)
@click.option("--tables-only", is_flag=True, help="Boards of known runs are tables in Markdown and LaTeX, no pages.")
def write_bundle(out: Path, tables_only: bool, **options: Any) -> None:
    """Write a competition bundle: settings, pages, leaderboard, scoring program, gold edits, starting kit, image.

    Upload the zip to Codabench; README.md in it says how the image is built. Scores there are those of task run, digit
    by digit. What a competition says beside the task stands in the table [codabench] of TASK.toml.

    \b
    errorbar task bundle task.toml -o bundle.zip
    errorbar task bundle task.toml -o bundle.zip --wheel errorbar-0.1.0-cp312-cp312-linux_x86_64.whl
    """
    from errorbar.codabench.bundle import bundle_task

    with progress_bar("runs") as progress:
        bundled = bundle_task(out=out, pages=not tables_only, progress=progress, **options)
    show_notes(bundled.notes)
    if str(out) != STANDARD_OUTPUT:
        show_lines(*bundled.files)
    say(f"{out}: ranks by {bundled.columns[0]}; README.md in it says what comes next")
    exit_for(bundled.results)
