"""``errorbar demo``: the main job on the bundled corpus."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from errorbar.cli.command import Command, former
from errorbar.cli.options import format_option
from errorbar.cli.score import command as score
from errorbar.cli.score import one_view
from errorbar.cli.talk import tell
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.demo import demo_files

PAGE = "demo-report.html"
TITLE = "errorbar demo: four systems, three annotators"


@click.command("demo")
@click.option(
    "--by",
    type=click.Choice(("type", "sentence")),
    help="Show the recall of each error type, or the counts and chosen annotator of each sentence.",
)
@former("--by-type", "by", partial(one_view, "type"), is_flag=True)
@former("--by-sentence", "by", partial(one_view, "sentence"), is_flag=True)
@click.option("--save", type=click.Path(path_type=Path), metavar="DIR", help="Write the corpus there and stop.")
@click.option("--report", is_flag=True, help="Make the page of `errorbar report` instead.")
@click.option("-o", "--out", default=PAGE, show_default=True, metavar="FILE", help="With --report: .html, .md or .tex.")
@format_option
@click.pass_context
def command(context: click.Context, by: str | None, save: Path | None, report: bool, out: str, style: str) -> None:
    """Score four systems against three annotators, on a small corpus inside the package.

    \b
    errorbar demo
    errorbar demo --report -o demo-report.html
    errorbar demo --save demo && errorbar score --gold demo/gold.jsonl demo/careful.txt
    """
    if not report and out != PAGE:
        what = "-o names the page that --report makes"
        raise UsageError(Problem("useless-option", what, fix="add --report"))
    with demo_files() as (gold, systems):
        if report:
            _report(context, gold, systems, out)
            return
        if save is not None:
            _save(save, [gold, *systems])
            return
        arguments = ["--gold", str(gold), *map(str, systems), "--format", style]
        arguments += [] if by is None else ["--by", by]
        Command.of(score).main(arguments, standalone_mode=False, parent=context)
        if style == "table":
            tell("The same on files of your own: errorbar score --gold GOLD.m2 SYSTEM...")


def _report(context: click.Context, gold: Path, systems: list[Path], out: str) -> None:
    from errorbar.cli.report import SHOWN_COMMAND, command_line
    from errorbar.cli.report import command as report

    context.meta[SHOWN_COMMAND] = command_line(context)  # not where the package happens to keep the files
    arguments = ["--gold", f"demo={gold}", "--page", f"title={TITLE}", "-o", out, *map(str, systems)]
    Command.of(report).main(arguments, standalone_mode=False, parent=context)
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
