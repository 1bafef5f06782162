"""``errorbar report``: one page that people look at."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import click
from click.core import ParameterSource

from errorbar.cli.command import Former, former
from errorbar.cli.crowd_options import items_option, labels_option, role_option, words_option
from errorbar.cli.intervals import (
    IntervalOptions,
    ci_method_option,
    confidence_option,
    resamples_option,
)
from errorbar.cli.metric_options import missing_as_empty
from errorbar.cli.options import (
    ADJUSTMENTS,
    BOOTSTRAPS,
    INPUT,
    SystemOptions,
    documents_option,
    in_one,
    lenient_option,
    refuse_given,
    seed_option,
    show_notes,
    system_options,
    unmarked_option,
)
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import by_ending, check_output
from errorbar.cli.talk import say
from errorbar.core.errors import InputError, Place, Problem, UsageError, as_options, nearest
from errorbar.core.visible import visible
from errorbar.formats.saving import STANDARD_OUTPUT

if TYPE_CHECKING:
    from errorbar.reporting.export import Kind

ENDINGS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
SHOWN_COMMAND = "errorbar.reporting.command"
"""Key of the context under which another command says how it was called."""
NO_PAGE = "The sentences are left out here; they stand in the page: -o report.html."
BY_NAME = ("gold", "systems", "documents", "unmarked", "judgments", "items", "lenient")
"""Parameters that go to ``errorbar.report`` as they are."""


LABELS = ("error", "ok", "unknown")
SETTINGS: Mapping[str, Callable[[str], str]] = {
    "title": lambda _: "",
    "sentences": lambda text: "" if text in ("yes", "no") else "yes or no",
    "charts": lambda _: "",
    "ceiling-ci": lambda text: "" if text.isdecimal() and int(text) > 1 else "a number of resamples above 1",
    "format": lambda text: "" if text in ENDINGS else " or ".join(ENDINGS),
}
"""What ``--page`` can say: returns what was expected of a value that is not taken, else ""."""


@dataclass(frozen=True, slots=True)
class Adjusted:
    """How p-values are adjusted, and of how many swaps; None: as many as the level asks for."""

    how: Literal["max-t", "holm"]
    swaps: int | None

    def __str__(self) -> str:
        return self.how if self.swaps is None else f"{self.how}(swaps={self.swaps})"


class Adjusting(click.ParamType[Adjusted]):
    """``max-t``, ``holm``, or either with the number of swaps: ``holm(swaps=5000)``."""

    name = "adjust"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Adjusted:
        """Read it, as a spec has it."""
        if isinstance(value, Adjusted):
            return value
        found = re.fullmatch(r"([a-z-]+)(?:\(swaps=([1-9]\d*)\))?", str(value))
        if found is None or found[1] not in ADJUSTMENTS:
            expected = f"{' or '.join(ADJUSTMENTS)}, maybe with a number: 'holm(swaps=5000)'"
            self.fail(f"{value!r} must be {expected}.", param, ctx)
        return Adjusted(cast("Any", found[1]), int(found[2]) if found[2] else None)


def _setting(key: str, said: Sequence[str], value: object) -> list[str]:
    """A setting of the page in addition to others."""
    return [*said, f"{key}={value}"]


def _settings(page: Sequence[str]) -> dict[str, str]:
    """What ``--page`` says by key.

    Raises:
        UsageError: If there is no such key, or a value is not taken.
    """
    found = {}
    for text in page:
        key, equals, value = text.partition("=")
        if key not in SETTINGS or not equals:
            what = f"--page {text} must be one of {', '.join(f'{name}=' for name in SETTINGS)}"
            raise UsageError(Problem("bad-parameter", what, fix=nearest(key, SETTINGS)))
        if expected := SETTINGS[key](value):
            raise UsageError(Problem("bad-parameter", f"--page {key}= must be {expected}, got {value}"))
        found[key] = value
    return found


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
@click.option("--judgments", type=INPUT, metavar="FILE", help="A crowd's judgments: item,rater,label.")
@former("--flags", "systems", lambda said, given: [*said, *given], multiple=True, type=INPUT, metavar="NAME=FILE")
@click.option("--column", multiple=True, metavar="ROLE=NAME", help="Of judgments: rater=worker; repeatable.")
@items_option("What a corpus's annotators judge.  [default: tokens]", None)
@words_option
@labels_option(roles=LABELS)
@role_option("--error")
@former("--ok", "labels", lambda said, label: [*said, f"ok={label}"], metavar="LABEL")
@role_option("--unknown")
@click.option(
    "--sample",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="The key of a judged sample, then its filled-in sets; repeatable.",
)
@former("--sample-key", "sample", lambda said, key: [key, *said], type=INPUT, metavar="FILE")
@former("--judged", "sample", lambda said, sets: [*said, *sets], multiple=True, type=INPUT, metavar="FILE")
@click.option(
    "-o",
    "--out",
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="Write the report to this file: .html, .md or .tex; or '-'.",
)
@click.option(
    "--page",
    multiple=True,
    metavar="KEY=VALUE",
    help="What the page is like; repeatable. title=TEXT; sentences=no leaves them out, for data that may not be passed "
    "on; charts=DIR writes each chart there too, as SVG, PNG and PDF; ceiling-ci=RESAMPLES adds intervals of the human "
    "ceiling; format=html, markdown or latex, where the name of the file does not tell.",
)
@former("--to", "page", partial(_setting, "format"), type=click.Choice(tuple(ENDINGS)))
@former("--title", "page", partial(_setting, "title"))
@former("--charts", "page", partial(_setting, "charts"), metavar="DIR")
@former("--no-browse", "page", lambda said, _: _setting("sentences", said, "no"), is_flag=True)
@former("--ceiling-ci", "page", partial(_setting, "ceiling-ci"), type=click.IntRange(2), metavar="RESAMPLES")
@click.option(
    "--adjust",
    type=Adjusting(),
    default=ADJUSTMENTS[0],
    show_default=True,
    metavar="HOW",
    help="How p-values are adjusted for the number of pairs: max-t, or holm, which takes more swaps; "
    "'holm(swaps=5000)' says how many.",
)
@former("--swaps", "adjust", lambda how, n: f"{how.how}(swaps={n})", type=click.IntRange(1), metavar="N")
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
    page: tuple[str, ...],
    labels: tuple[str, ...],
    sample: tuple[str, ...],
    adjust: Adjusted,
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
        refuse_given(("adjust",), "is about the comparison, and --ci-method closed makes none")
    from errorbar.studies.judgment_input import column_roles, labels_by_role

    made_up, named = _settings(page), labels_by_role({"labels": labels, **dict.fromkeys(LABELS, ())})
    if named[""]:
        what = f"--labels {named[''][0]} must say what the label means"
        raise UsageError(Problem("bad-parameter", what, expected="error=LABEL, ok=LABEL or unknown=LABEL"))
    charts, browse = made_up.get("charts"), made_up.get("sentences", "yes") == "yes"
    kind = cast("Kind", made_up.get("format") or by_ending(out, ENDINGS, "--page=format"))
    check_output(out)
    if charts is not None:
        _check_folder(charts)
    from errorbar.reporting.export import need

    need(kind, pictures=charts is not None)
    start = time.monotonic()
    from errorbar.reporting.make import ON_REQUEST, report

    with progress_bar("steps", 2) as progress:
        made = report(
            metrics=list(given["metrics"]) or None,
            columns=column_roles(given["column"]) or None,
            error=named["error"],
            ok=named["ok"],
            unknown=named["unknown"],
            sample_key=sample[0] if sample else None,
            judged=sample[1:],
            title=made_up.get("title", ""),
            ceiling_ci=int(made_up["ceiling-ci"]) if "ceiling-ci" in made_up else None,
            adjust=adjust.how,
            swaps=adjust.swaps,
            browse=kind == "html" and browse,
            no_sentences=NO_PAGE if browse else ON_REQUEST,
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
        if context.get_parameter_source(name) != ParameterSource.COMMANDLINE or isinstance(parameter, Former):
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
