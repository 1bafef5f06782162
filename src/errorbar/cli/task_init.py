"""``errorbar task init``: a task to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.cli.talk import show_lines

if TYPE_CHECKING:
    from errorbar.tasks.config import Kind


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--kind", type=click.Choice(("m2", "hoo")), default="m2", show_default=True, help="What the data is.")
def command(folder: Path, kind: Kind) -> None:
    """Write a commented task.toml and the folders that it names into FOLDER; nothing is overwritten.

    \b
    errorbar task init spring
    errorbar task init --kind hoo pilot
    """
    from errorbar.tasks.config import write_template

    for path in write_template(folder, kind):
        show_lines(f"{path}{'/' if path.is_dir() else ''}")
