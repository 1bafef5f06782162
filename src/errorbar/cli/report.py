"""``errorbar report``: one page that people look at."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from errorbar.cli.admission import admission_options
from errorbar.cli.agree import PROJECTIONS
from errorbar.cli.options import INPUT, lenient_option, refuse_given, resampling_options, show_notes, swap_options
from errorbar.cli.progress import progress_bar
from errorbar.cli.talk import tell
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.visible import visible
from errorbar.formats.reference import UNMARKED, UNMARKED_HELP, Unmarked

if TYPE_CHECKING:
    from errorbar.edits.admission import Admission
    from errorbar.metrics.swaps import Adjust
    from errorbar.reporting import Report
    from errorbar.stats.resampling import Method

KINDS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
STANDARD_OUTPUT = "-"
SHOWN_COMMAND = "errorbar.reporting.command"
"""Key of the context under which another command says how it was called."""
EPOCH = "SOURCE_DATE_EPOCH"


@click.command("report")
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM...]")
@click.option("--gold", type=INPUT, multiple=True, metavar="FILE", help="Reference, or a HOO folder; repeatable.")
@click.option("--metric", "specs", multiple=True, metavar="SPEC", help="The first is the main one.  [default: m2]")
@click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML: the essay of each sentence.")
@click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help=UNMARKED_HELP)
@click.option("--source", type=INPUT, metavar="FOLDER", help="HOO: the source texts, if not in Raw beside Gold.")
@click.option("--missing-as-empty", is_flag=True, help="HOO: a fragment that a run lacks counts as nothing proposed.")
@click.option("--ceiling-ci", type=click.IntRange(2), metavar="RESAMPLES", help="Intervals of the human ceiling too.")
@click.option("--judgments", type=INPUT, metavar="FILE", help="A crowd's judgments: item,rater,label.")
@click.option(
    "--flags",
    "flag_files",
    multiple=True,
    type=INPUT,
    metavar="NAME=FILE",
    help="A system's flags: item,flag; repeatable.",
)
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Of judgments: rater=worker; repeatable.")
@click.option("--items", type=click.Choice(PROJECTIONS), help="What a corpus's annotators judge.  [default: tokens]")
@click.option("--words", metavar="WORDS", help="With --items words: prepositions (the default), articles, or a,b,c.")
@click.option(
    "--error",
    "errors",
    multiple=True,
    metavar="LABEL",
    help="A label that means an error, or a rule such as '<4'; repeatable.  [default: error]",
)
@click.option("--ok", "ok", metavar="LABEL", help="Of a sample: the label that means no error.  [default: ok]")
@click.option("--unknown", multiple=True, metavar="LABEL", help="A label that means 'cannot say'; repeatable.")
@click.option("--sample-key", type=INPUT, metavar="FILE", help="The key of a judged sample.")
@click.option(
    "--judged", multiple=True, type=INPUT, metavar="FILE", help="The filled-in sets of the sample; repeatable."
)
@click.option(
    "-o", "--out", default="report.html", show_default=True, metavar="FILE", help=".html, .md or .tex; or '-'."
)
@click.option("--to", type=click.Choice(tuple(KINDS)), help="What to write, where the name of the file does not tell.")
@click.option("--title", default="", help="Title of the report.")
@click.option("--charts", metavar="DIR", help="Write each chart there too, as SVG, PNG and PDF.")
@click.option("--no-browse", is_flag=True, help="Leave the sentences out, for data that may not be passed on.")
@swap_options
@resampling_options
@admission_options
@lenient_option
@click.pass_context
def command(
    context: click.Context,
    systems: tuple[str, ...],
    gold: tuple[str, ...],
    specs: tuple[str, ...],
    documents: str | None,
    unmarked: Unmarked,
    source: str | None,
    missing_as_empty: bool,
    ceiling_ci: int | None,
    judgments: str | None,
    flag_files: tuple[str, ...],
    columns: tuple[str, ...],
    items: str | None,
    words: str | None,
    errors: tuple[str, ...],
    ok: str | None,
    unknown: tuple[str, ...],
    sample_key: str | None,
    judged: tuple[str, ...],
    out: str,
    to: str | None,
    title: str,
    charts: str | None,
    no_browse: bool,
    adjust: Adjust,
    swaps: int | None,
    ci_method: Method,
    resamples: int,
    confidence: float,
    seed: int,
    jobs: int,
    admission: Admission,
    lenient: bool,
) -> None:
    """Put everything about systems and annotators on one page that needs no network.

    Scores with intervals, comparison, error types, human ceiling, agreement and every sentence; of a crowd's
    judgments and of a judged sample as well. Several kinds of data stand in one page.

    \b
    errorbar report --gold 'A*.m2' --lenient CAMB AMU CUUI -o report.html
    errorbar report --judgments votes.csv mine=flags.csv -o crowd.html
    """
    from errorbar.cli.report_input import ReportInput, refuse_overwriting, studies
    from errorbar.metrics.swaps import SwapPlan
    from errorbar.stats.resampling import Resampling

    if ci_method == "closed":
        refuse_given(("swaps", "adjust"), "is about the comparison, and --ci-method closed makes none")
    kind = output_kind(out, to)
    _check_target(out)
    if charts is not None:
        _check_folder(charts)
    _need(kind, charts)
    start = time.monotonic()
    asked = ReportInput(
        systems=systems,
        gold=gold,
        specs=specs,
        documents=documents,
        unmarked=unmarked,
        source=source,
        missing_as_empty=missing_as_empty,
        ceiling_resamples=ceiling_ci,
        judgments=judgments,
        flags=flag_files,
        columns=columns,
        items=items,
        words=words,
        errors=errors,
        ok=ok,
        unknown=unknown,
        sample_key=sample_key,
        judged=judged,
        browse=not no_browse and kind == "html",
        admission=admission,
        lenient=lenient,
        resampling=Resampling(ci_method, resamples, confidence, seed, jobs),
        testing=SwapPlan(adjust, swaps),
    )
    refuse_overwriting(asked, out)
    with progress_bar("steps", 3) as progress:
        found = studies(asked, progress)
        from errorbar.reporting.sections import build_report, left_out
        from errorbar.reporting.sections.figures import listed

        notes = [note for study in found for note in study.notes]
        name = title or f"Report on {listed(list(dict.fromkeys(study.name for study in found)))}"
        shown = str(context.meta.get(SHOWN_COMMAND) or command_line(context))
        report = build_report(found, title=name, command=shown, date=_today(), no_sentences=_why_none(no_browse, kind))
        progress(2)
        show_notes(list(dict.fromkeys(notes)))
        for missing in left_out(found):
            tell(f"note: {missing}")
        size = write(report, out, kind)
        drawn = []
        if charts is not None:
            from errorbar.reporting.export import save_charts

            drawn = save_charts(report, charts)
    seconds = time.monotonic() - start
    beside = f", {len(drawn)} files of charts in {charts}" if drawn else ""
    where = "standard output" if out == STANDARD_OUTPUT else out
    tell(f"{where}: {_size(size)} in {seconds:.1f} s{beside}")


def all_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


for option in command.params:
    # A report computes everything at once, for somebody who waits for it.
    if isinstance(option, click.Option) and option.name == "jobs":
        option.default, option.show_default = all_cores, "all cores"


def _why_none(no_browse: bool, kind: str) -> str:
    """Why there are no sentences; empty where there are."""
    if no_browse:
        return "The sentences were left out on request (--no-browse), for data that may not be passed on."
    return "" if kind == "html" else "The sentences are left out here; they stand in the page: -o report.html."


def output_kind(out: str, to: str | None) -> str:
    """What to write: as asked for, or as the ending says.

    Raises:
        UsageError: If neither tells.
    """
    if to is not None:
        return to
    found = next((kind for kind, endings in KINDS.items() if out.lower().endswith(endings)), None)
    if found is None:
        what = f"nothing says what '{out}' is to be"
        fix = "name a file that ends in .html, .md or .tex, or give --to"
        raise UsageError(Problem("report-format", what, fix=fix))
    return found


def write(report: Report, out: str, kind: str) -> int:
    """Write a report, whole or not at all; its size in bytes.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If a library is missing.
    """
    if kind == "html":
        from errorbar.reporting.page import save_page

        return save_page(report, out)
    from errorbar.formats.saving import save_lines
    from errorbar.reporting.latex import latex
    from errorbar.reporting.markdown import markdown

    text = (markdown if kind == "markdown" else latex)(report)
    save_lines([text.removesuffix("\n")], out)
    return len(text.encode())


def command_line(context: click.Context) -> str:
    """The command that was given, in a form that a shell takes: options that were not given are left out.

    On one line, whatever the files are called: a page shows it to be copied.
    """
    words, arguments = ["errorbar", str(context.info_name)], []
    for parameter in context.command.params:
        name = str(parameter.name)
        if context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        values = list(value) if isinstance(value, tuple) else [value]
        if isinstance(parameter, click.Argument):
            arguments += [str(each) for each in values]
        elif isinstance(value, bool):
            words.append((parameter.opts if value else parameter.secondary_opts)[-1])
        else:
            words += [word for each in values for word in (_longest(parameter.opts), str(each))]
    if any(each.startswith("-") and each != STANDARD_OUTPUT for each in arguments):
        words.append("--")
    return visible(shlex.join([*words, *arguments]))


def _longest(names: Sequence[str]) -> str:
    return max(names, key=len)


def _need(kind: str, charts: str | None) -> None:
    from errorbar.reporting import extras

    if kind == "html":
        extras.need(extras.PAGE, "a page")
    elif charts is not None:
        extras.need(extras.FILES, "drawing charts into files")
    else:
        extras.need(extras.CHARTS, "a report")


def _check_target(out: str) -> None:
    """See that the target can be written before minutes of work.

    Raises:
        InputError: If not.
    """
    path = Path(out)
    if out == STANDARD_OUTPUT or (path.exists() and not path.is_file() and not path.is_dir()):
        return
    if path.is_dir():
        what = "this is a folder"
        raise InputError(Problem("cannot-write", what, Place(out), "a file", "name a file, e.g. report.html"))
    if not path.parent.is_dir():
        what = f"there is no folder {path.parent}"
        raise InputError(Problem("cannot-write", what, Place(out), fix="make it, or name another place"))
    if not os.access(path.parent, os.W_OK):
        what = f"the folder {path.parent} cannot be written"
        raise InputError(Problem("cannot-write", what, Place(out), fix="name another place"))


def _check_folder(folder: str) -> None:
    path = Path(folder)
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        what = "no folder for the charts can be made here"
        raise InputError(Problem("cannot-write", what, Place(folder), fix="name another folder"))


def _today() -> str:
    """The date of the report; that of SOURCE_DATE_EPOCH where builds must not differ by day."""
    fixed = os.environ.get(EPOCH, "")
    return str(datetime.fromtimestamp(int(fixed), UTC).date() if fixed.isdecimal() else date.today())


def _size(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 1e5 else f"{number / 1e3:.1f} kB"
