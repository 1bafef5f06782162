"""``errorbar report``: one page that people look at."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from errorbar.cli.command import former
from errorbar.cli.crowd_options import PROJECTIONS
from errorbar.cli.intervals import (
    IntervalOptions,
    ci_method_option,
    confidence_option,
    resamples_option,
)
from errorbar.cli.metric_options import missing_as_empty
from errorbar.cli.options import (
    BOOTSTRAPS,
    INPUT,
    SystemOptions,
    documents_option,
    in_one,
    lenient_option,
    refuse_given,
    seed_option,
    show_notes,
    swap_options,
    system_options,
    unmarked_option,
)
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import by_ending, check_output
from errorbar.cli.talk import say
from errorbar.core.errors import InputError, Place, Problem, as_options
from errorbar.core.visible import visible
from errorbar.formats.saving import STANDARD_OUTPUT

if TYPE_CHECKING:
    from errorbar.reporting.export import Kind

ENDINGS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
SHOWN_COMMAND = "errorbar.reporting.command"
"""Key of the context under which another command says how it was called."""
NO_PAGE = "The sentences are left out here; they stand in the page: -o report.html."
BY_NAME = (
    *("gold", "systems", "documents", "unmarked", "ceiling_ci", "judgments", "flags"),
    *("items", "words", "ok", "unknown", "sample_key", "judged", "title", "adjust", "swaps", "lenient"),
)
"""Parameters that go to ``errorbar.report`` as they are."""


def all_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# A report computes everything at once, for somebody who waits for it.
_jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=all_cores,
    show_default="all cores",
    help="Number of processes to use; no digit depends on it.",
)


@click.command("report")
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM...]")
@click.option(
    "--gold",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="Reference, a quoted pattern, a HOO folder, or a name of errorbar.toml; repeatable.",
)
@click.option("--metric", "metrics", multiple=True, metavar="SPEC", help="The first is the main one.  [default: m2]")
@unmarked_option
@documents_option
@former("--source", "documents", lambda _, folder: folder, type=INPUT, metavar="FOLDER")
@former("--missing-as-empty", "metrics", missing_as_empty, is_flag=True)
@click.option("--ceiling-ci", type=click.IntRange(2), metavar="RESAMPLES", help="Intervals of the human ceiling too.")
@click.option("--judgments", type=INPUT, metavar="FILE", help="A crowd's judgments: item,rater,label.")
@click.option(
    "--flags", multiple=True, type=INPUT, metavar="NAME=FILE", help="A system's flags: item,flag; repeatable."
)
@click.option("--column", multiple=True, metavar="ROLE=NAME", help="Of judgments: rater=worker; repeatable.")
@click.option("--items", type=click.Choice(PROJECTIONS), help="What a corpus's annotators judge.  [default: tokens]")
@click.option("--words", metavar="WORDS", help="With --items words: prepositions (the default), articles, or a,b,c.")
@click.option(
    "--error",
    multiple=True,
    metavar="LABEL",
    help="A label that means an error, or a rule such as '<4'; repeatable.  [default: error]",
)
@click.option("--ok", metavar="LABEL", help="Of a sample: the label that means no error.  [default: ok]")
@click.option("--unknown", multiple=True, metavar="LABEL", help="A label that means 'cannot say'; repeatable.")
@click.option("--sample-key", type=INPUT, metavar="FILE", help="The key of a judged sample.")
@click.option(
    "--judged", multiple=True, type=INPUT, metavar="FILE", help="The filled-in sets of the sample; repeatable."
)
@click.option(
    "-o",
    "--out",
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="Write the report to this file: .html, .md or .tex; or '-'.",
)
@click.option(
    "--to", type=click.Choice(tuple(ENDINGS)), help="What to write, where the name of the file does not tell."
)
@click.option("--title", default="", help="Title of the report.")
@click.option("--charts", metavar="DIR", help="Write each chart there too, as SVG, PNG and PDF.")
@click.option("--no-browse", is_flag=True, help="Leave the sentences out, for data that may not be passed on.")
@swap_options
@in_one(
    "intervals",
    IntervalOptions,
    ci_method_option((*BOOTSTRAPS, "closed")),
    resamples_option,
    confidence_option,
    seed_option,
    _jobs_option,
)
@system_options
@lenient_option
@click.pass_context
def command(
    context: click.Context,
    /,
    intervals: IntervalOptions,
    taken: SystemOptions,
    out: str,
    to: str | None,
    charts: str | None,
    no_browse: bool,
    **given: Any,
) -> None:
    """Put everything about systems and annotators on one page that needs no network.

    Scores with intervals, comparison, error types, human ceiling, agreement and every sentence; of a crowd's
    judgments and of a judged sample as well. Several kinds of data stand in one page.

    \b
    errorbar report --gold 'A*.m2' --lenient CAMB AMU CUUI -o report.html
    errorbar report --judgments votes.csv mine=flags.csv -o crowd.html
    """
    if intervals.ci_method == "closed":
        refuse_given(("swaps", "adjust"), "is about the comparison, and --ci-method closed makes none")
    kind = cast("Kind", to or by_ending(out, ENDINGS, "--to"))
    check_output(out)
    if charts is not None:
        _check_folder(charts)
    from errorbar.reporting.export import need

    need(kind, pictures=charts is not None)
    start = time.monotonic()
    from errorbar.reporting.make import ON_REQUEST, report
    from errorbar.studies.judgment_input import column_roles

    with progress_bar("steps", 2) as progress:
        made = report(
            metrics=list(given["metrics"]) or None,
            columns=column_roles(given["column"]) or None,
            error=given["error"],
            browse=kind == "html" and not no_browse,
            no_sentences=ON_REQUEST if no_browse else NO_PAGE,
            command=str(context.meta.get(SHOWN_COMMAND) or command_line(context)),
            ci_method=intervals.ci_method,
            resamples=intervals.resamples,
            confidence=intervals.confidence,
            seed=intervals.seed,
            jobs=intervals.jobs,
            force=taken.force,
            retokenize=taken.retokenize,
            warn=lambda note: show_notes([note]),
            **{name: given[name] for name in BY_NAME},
        )
        progress(1)
        show_notes(list(made.notes))
        for missing in made.missing:
            say(f"note: {missing.line(as_options)}")
        size = made.save(out, kind)
        drawn = made.save_charts(charts) if charts is not None else []
    seconds = time.monotonic() - start
    beside = f", {len(drawn)} files of charts in {charts}" if drawn else ""
    where = "standard output" if out == STANDARD_OUTPUT else out
    said = f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
    say(f"{where}: {said} in {seconds:.1f} s{beside}")


def command_line(context: click.Context) -> str:
    """The command that was given, in a form that a shell takes: options that were not given are left out.

    On one line, whatever the files are called: a page shows it to be copied.
    """
    words, arguments = ["errorbar", str(context.info_name)], []
    for parameter in context.command.params:
        name = str(parameter.name)
        handed_over = name not in context.params  # an old option, whose matter another one says
        if handed_over or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
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


def _check_folder(folder: str) -> None:
    path = Path(folder)
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        what = "no folder for the charts can be made here"
        raise InputError(Problem("cannot-write", what, Place(folder), fix="name another folder"))
