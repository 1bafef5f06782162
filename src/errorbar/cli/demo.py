"""``errorbar demo``: the main job on the bundled corpus, on a crowd's judgments or on HOO files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from errorbar.cli.command import OUTPUT, Command, OutputPath, be_quiet, command_line, is_quiet, tell
from errorbar.cli.options import refuse_given
from errorbar.cli.output import format_option
from errorbar.core.problems import Place, Problem, UsageError, shell_words
from errorbar.demo import CROWD, EDITED, HOO, demo_files, demo_folder

PAGE = "demo-report.html"
TASK_RUNS = ("alpha-1", "alpha-2", "beta-1")
DEVELOPMENT = 30
"""Sentences of the corpus that are the development data of a task."""


class DemoCorpus(NamedTuple):
    """The corpus that a demo scores."""

    files: Mapping[str, Path]  # by their paths in the folder that --save names
    score: tuple[str, ...]  # the arguments of the first score
    report: tuple[str, ...]
    title: str  # of the page
    rough: str  # what the intervals of so small a corpus are worth, in place of the usual warnings
    following: tuple[str, ...]  # commands to type next
    yours: str  # the same command for files of one's own


@contextmanager
def _sentences() -> Iterator[DemoCorpus]:
    with demo_files() as (gold, systems):
        texts = tuple(map(str, systems))
        yield DemoCorpus(
            {file.name: file for file in (gold, *systems)},
            ("--gold", str(gold), *texts),
            ("--gold", f"demo={gold}", *texts),
            "errorbar demo: four systems, three annotators",
            "six essays and three judges are few, so these intervals are rough [few-documents, few-judges]",
            ("errorbar demo --save demo", "errorbar compare --gold demo/gold.jsonl demo/careful.txt demo/greedy.txt"),
            "--gold GOLD.m2 SYSTEM...",
        )


@contextmanager
def _crowd() -> Iterator[DemoCorpus]:
    with demo_folder(CROWD) as folder:
        votes, *tables = (str(folder / f"{name}.csv") for name in ("votes", "careful", "greedy", "detector"))
        yield DemoCorpus(
            {file.name: file for file in sorted(folder.glob("*.*"))},
            (votes, *tables),
            ("--judgments", f"prepositions={votes}", *tables),
            "errorbar demo: three systems, a crowd of eighteen",
            "",
            ("errorbar demo --crowd --save crowd", "errorbar crowd raters crowd/votes.csv --gold crowd/gold.csv"),
            "JUDGMENTS.csv FLAGS.csv...",
        )


@contextmanager
def _hoo() -> Iterator[DemoCorpus]:
    with demo_folder(HOO) as folder:
        runs = (str(folder / "careful"), str(folder / "greedy"))
        files = sorted(each for each in folder.rglob("*") if each.suffix in (".txt", ".xml"))
        yield DemoCorpus(
            {str(file.relative_to(folder)): file for file in files},
            ("--metric", "hoo", "--gold", str(folder), *runs),
            ("--metric", "hoo", "--gold", str(folder), *runs),
            "errorbar demo: two runs on HOO files",
            "eight short texts and one annotator are few, so these intervals are rough [judges-fixed]",
            (
                "errorbar demo --hoo --save hoo",
                "errorbar score --metric hoo --gold hoo --by type hoo/careful hoo/greedy",
            ),
            "--metric hoo --gold FOLDER RUN...",
        )


@click.command("demo", cls=Command)
@click.option("--crowd", is_flag=True, help="Judgments by a crowd, and what three systems flag, in place of edits.")
@click.option("--hoo", is_flag=True, help="Texts and stand-off edits in the format of HOO 2011.")
@click.option(
    "--edited", is_flag=True, help="With --save: what editors made of three systems' outputs, and how long they took."
)
@click.option("--task", is_flag=True, help="With --save: a shared task on the corpus, with three runs of two teams.")
@click.option(
    "--by",
    type=click.Choice(("type", "sentence")),
    help="Show the recall of each error type, or the counts and chosen annotator of each sentence.",
)
@click.option(
    "--save", type=OutputPath(is_file=False, path_type=Path), metavar="DIR", help="Write the files there and stop."
)
@click.option("--report", is_flag=True, help=f"Make the page of `errorbar report` instead, {PAGE} unless -o names it.")
@click.option(
    "-o", "--output", "--out", "file", type=OUTPUT, metavar="FILE", help="Write the scores, or the page, to this file."
)
@format_option
@click.pass_context
def command(
    context: click.Context,
    crowd: bool,
    hoo: bool,
    edited: bool,
    task: bool,
    by: str | None,
    save: Path | None,
    report: bool,
    file: str | None,
    style: str,
) -> None:
    """Score three systems and the unchanged source against three annotators, on a small corpus inside the package.

    \b
    errorbar demo
    errorbar demo --report -o demo-report.html
    errorbar demo --save demo && errorbar score --gold demo/gold.jsonl demo/careful.txt
    errorbar demo --crowd
    errorbar demo --hoo --save hoo
    errorbar demo --edited --save edited
    errorbar demo --task --save spring && errorbar task run spring/task.toml
    """
    if crowd + hoo + edited + task > 1:
        refuse_given(("hoo", "edited", "task"), "is not for the data that is also named")
    if (task or edited) and save is None:
        message = f"the files of {'a task' if task else 'editors'} must go somewhere"
        raise UsageError(Problem("no-argument", message, fix="name a folder: --save=DIR"))
    if crowd or hoo:
        refuse_given(("by",), "is of the corpus of sentences, without --crowd and --hoo")
    if save is not None:
        refuse_given(("by", "report", "file", "style"), "is about what is shown, and --save shows nothing")
    elif report:
        refuse_given(("by", "style"), "is about the table of scores, and --report makes a page")
    if task and save is not None:
        _save_task(context, save)
        return
    if edited and save is not None:
        with demo_folder(EDITED) as folder:
            _save(save, {file.name: file for file in sorted(folder.glob("*.*"))})
        return
    with _crowd() if crowd else _hoo() if hoo else _sentences() as corpus:
        if save is not None:
            _save(save, corpus.files)
        elif report:
            _report(context, corpus, file or PAGE)
        else:
            values = {"--by": by, "-o": file, "--format": None if file and _usual(context, "style") else style}
            options = [word for name, value in values.items() if value is not None for word in (name, value)]
            _score(context, corpus, options, crowd=crowd)


def _usual(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT


def _score(context: click.Context, corpus: DemoCorpus, options: list[str], *, crowd: bool) -> None:
    from errorbar.cli.crowd import score as crowd_score
    from errorbar.cli.score import command as score

    quiet = is_quiet()
    be_quiet(context)  # the warnings of this corpus are always the same, and the line below says what they say
    command = crowd_score if crowd else score
    command.main([*corpus.score, *options], standalone_mode=False, parent=context)
    if quiet:
        return
    if corpus.rough and "sentence" not in options:
        tell(f"note: {corpus.rough}")
    if "table" in options:
        for line in ("Next:", *(f"  {each}" for each in corpus.following)):
            tell(line)
        tell(f"The same on files of your own: errorbar {'crowd score' if crowd else 'score'} {corpus.yours}")


def _report(context: click.Context, corpus: DemoCorpus, out: str) -> None:
    from errorbar.cli.report import SHOWN_COMMAND
    from errorbar.cli.report import command as report

    context.meta[SHOWN_COMMAND] = command_line(context)  # not where the package happens to keep the files
    arguments = [*corpus.report, "--page", f"title={corpus.title}", "-o", out]
    report.main(arguments, standalone_mode=False, parent=context)
    if out != "-":
        yours = corpus.yours.replace("JUDGMENTS.csv", "--judgments JUDGMENTS.csv")
        tell(f"The same on files of your own: errorbar report {yours}")


def _save_task(context: click.Context, folder: Path) -> None:
    """Write the task of docs/shared-task.md: thirty sentences for development, all for the test."""
    from errorbar.cli.convert import command as convert
    from errorbar.tasks.config import FILE, write_template

    write_template(folder)
    with demo_files() as (gold, systems):
        texts = dict(zip(TASK_RUNS, systems, strict=False))
        _save(folder / "submissions", {f"{run.partition('-')[0]}/{run}.txt": file for run, file in texts.items()})
        few = gold.read_text(encoding="utf-8").splitlines(keepends=True)[: 1 + DEVELOPMENT]
        (folder / "data" / "dev.jsonl").write_text("".join(few), encoding="utf-8")
        be_quiet(context)  # what M2 does not hold, essays and writers, no command of a task asks for
        for name, corpus in (("dev", folder / "data" / "dev.jsonl"), ("test", gold)):
            for arguments in (("-o", f"{name}.m2"), ("--to", "text", "-o", f"{name}.txt")):
                *options, out = arguments
                words = [str(corpus), *options, str(folder / "data" / out)]
                convert.main(words, standalone_mode=False, parent=context)
    tell(f"next: errorbar task run {shell_words(folder / FILE)}")


def _save(folder: Path, files: Mapping[str, Path]) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(Problem("not-empty", "this is a file", Place(str(folder)), fix="name a new folder"))
    for name, file in files.items():
        there = folder / name
        if there.exists() and there.read_bytes() != file.read_bytes():
            message = "another file of that name is there"
            raise UsageError(Problem("not-empty", message, Place(str(there)), fix="name a new folder"))
    for name, file in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file.read_bytes())
    tell(f"{len(files)} files in {folder}")
