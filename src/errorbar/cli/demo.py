"""``errorbar demo``: the main job on the bundled corpus."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from errorbar.cli.command import Command, command_line, former
from errorbar.cli.options import refuse_given
from errorbar.cli.score import command as score
from errorbar.cli.score import one_view
from errorbar.cli.show import format_option
from errorbar.cli.talk import tell
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.demo import demo_files

PAGE = "demo-report.html"
TITLE = "errorbar demo: four systems, three annotators"


@click.command("demo", cls=Command)
@click.option(
    "--by",
    type=click.Choice(("type", "sentence")),
    help="Show the recall of each error type, or the counts and chosen annotator of each sentence.",
)
@former("--by-type", "by", partial(one_view, "type"), is_flag=True)
@former("--by-sentence", "by", partial(one_view, "sentence"), is_flag=True)
@click.option("--save", type=click.Path(path_type=Path), metavar="DIR", help="Write the corpus there and stop.")
@click.option("--report", is_flag=True, help=f"Make the page of `errorbar report` instead, {PAGE} unless -o names it.")
@click.option("-o", "--output", "--out", "file", metavar="FILE", help="Write the scores, or the page, to this file.")
@format_option
@click.pass_context
def command(
    context: click.Context, by: str | None, save: Path | None, report: bool, file: str | None, style: str
) -> None:
    """Score three systems and the unchanged source against three annotators, on a small corpus inside the package.

    \b
    errorbar demo
    errorbar demo --report -o demo-report.html
    errorbar demo --save demo && errorbar score --gold demo/gold.jsonl demo/careful.txt
    """
    if save is not None:
        refuse_given(("by", "report", "file", "style"), "is about what is shown, and --save shows nothing")
    elif report:
        refuse_given(("by", "style"), "is about the table of scores, and --report makes a page")
    with demo_files() as (gold, systems):
        if save is not None:
            _save(save, [gold, *systems])
        elif report:
            _report(context, gold, systems, file or PAGE)
        else:
            arguments = ["--gold", str(gold), *map(str, systems)]
            given = {"--by": by, "-o": file, "--format": None if file and _usual(context, "style") else style}
            arguments += [word for name, value in given.items() if value is not None for word in (name, value)]
            score.main(arguments, standalone_mode=False, parent=context)
            if style == "table":
                tell("The same on files of your own: errorbar score --gold GOLD.m2 SYSTEM...")


def _usual(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT


def _report(context: click.Context, gold: Path, systems: list[Path], out: str) -> None:
    from errorbar.cli.report import SHOWN_COMMAND
    from errorbar.cli.report import command as report

    context.meta[SHOWN_COMMAND] = command_line(context)  # not where the package happens to keep the files
    arguments = ["--gold", f"demo={gold}", "--page", f"title={TITLE}", "-o", out, *map(str, systems)]
    report.main(arguments, standalone_mode=False, parent=context)
    if out != "-":
        tell("The same on files of your own: errorbar report --gold GOLD.m2 SYSTEM...")


def _save(folder: Path, files: list[Path]) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(Problem("not-empty", "this is a file", Place(str(folder)), fix="name a new folder"))
    for file in files:
        there = folder / file.name
        if there.exists() and there.read_bytes() != file.read_bytes():
            what = "another file of that name is there"
            raise UsageError(Problem("not-empty", what, Place(str(there)), fix="name a new folder"))
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        (folder / file.name).write_bytes(file.read_bytes())
    tell(f"{len(files)} files in {folder}")
