"""``errorbar report``: one page that people look at."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from errorbar.cli.command import OUTPUT, Command, command_line, progress_bar, say, show_notes
from errorbar.cli.config import Config, find_config
from errorbar.cli.options import INPUT, options_of
from errorbar.cli.output import by_ending, check_output
from errorbar.core.problems import InputError, Place, Problem, UsageError, nearest
from errorbar.formats.saving import STANDARD_OUTPUT, is_stream, receipt_name

if TYPE_CHECKING:
    from errorbar.reporting.export import Kind

ENDINGS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
SHOWN_COMMAND = "errorbar.reporting.command"
"""Key of the context under which another command says how it was called."""
NO_PAGE = "The sentences are left out here; they stand in the page: -o report.html."
SETTINGS: Mapping[str, Callable[[str], str]] = {
    "title": lambda _: "",
    "sentences": lambda text: "" if text in ("yes", "no", "all") or text.isdecimal() else "yes, no, all or a number",
    "attacks": lambda text: "" if text in ("yes", "no") else "yes or no",
    "charts": lambda _: "",
    "image": lambda text: "" if re.match("https?://", text) else "an address that begins with https://",
    "receipt": lambda text: "" if text in ("yes", "no") else "yes or no",
    "ceiling-ci": lambda text: "" if text.isdecimal() and int(text) > 1 else "a number of resamples above 1",
    "format": lambda text: "" if text in ENDINGS else " or ".join(ENDINGS),
}
"""The settings of ``--page``, each with a check that returns what was expected of a refused value, else ""."""


def _most_sentences(setting: str) -> int | None:
    """How many sentences a page has; None: the limit that holds where nothing is said."""
    return sys.maxsize if setting == "all" else int(setting) if setting.isdecimal() else None


def _adjustment(text: str) -> dict[str, Any]:
    """``max-t``, ``holm``, or either with the number of swaps, ``holm(swaps=5000)``, as a spec has it."""
    from errorbar.stats.multiple import ADJUSTMENTS

    match = re.fullmatch(rf"({'|'.join(ADJUSTMENTS)})(?:\(swaps=([1-9]\d*)\))?", text)
    if match is None:
        message = f"--adjust must be {' or '.join(ADJUSTMENTS)}, maybe with a number: 'holm(swaps=5000)', got '{text}'"
        raise UsageError(Problem("bad-parameter", message))
    return {"adjust": match[1], "swaps": int(match[2]) if match[2] else None}


def _settings(page: Sequence[str]) -> dict[str, str]:
    """The settings of ``--page`` by key; other keys and values are refused."""
    settings = {}
    for text in page:
        key, equals, value = text.partition("=")
        if key not in SETTINGS or not equals:
            message = f"--page {text} must be one of {', '.join(f'{name}=' for name in SETTINGS)}"
            raise UsageError(Problem("bad-parameter", message, fix=nearest(key, SETTINGS)))
        if expected := SETTINGS[key](value):
            raise UsageError(Problem("bad-parameter", f"--page {key}= must be {expected}, got {value}"))
        settings[key] = value
    return settings


def all_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prepare_page(command: Any) -> Any:
    """Make the command see that it can write its page, and start what draws charts, before what computes is loaded."""

    @wraps(command)
    def prepared(out: str, page: Sequence[str], card: str | None, **options: Any) -> Any:
        from errorbar.reporting.export import need

        settings = _settings(page)
        kind = cast("Kind", settings.get("format") or by_ending(out, ENDINGS, "--page=format"))
        if _has_receipt(out, settings):
            check_output(receipt_name(out))
        if "charts" in settings:
            _check_folder(settings["charts"])
        if card is not None:
            by_ending(card, {"png": (".png",)}, "")
        need(kind, pictures="charts" in settings or card is not None)
        if kind == "html":
            from errorbar.reporting.charts.vega import wake

            wake()
        return command(out=out, kind=kind, settings=settings, card=card, **options)

    return prepared


def _has_receipt(out: str, settings: Mapping[str, str]) -> bool:
    return settings.get("receipt", "yes") == "yes" and not is_stream(out)


@click.command("report", cls=Command)
@prepare_page
@options_of(
    "errorbar.reporting.make:report",
    systems={"argument": "[SYSTEM...]"},
    judgments={"multiple": False},
    assist={"hidden": True},
    drawn_from={"hidden": True},
    column={"hidden": True},
    unmarked={"hidden": True},
    force={"hidden": True},
    adjust={
        "type": str,
        "hidden": True,
        "metavar": "HOW",
        "help": "How p-values are adjusted for the number of pairs: max-t, or holm, which takes more swaps; "
        "'holm(swaps=5000)' says how many.",
    },
    jobs={"default": all_cores, "show_default": "all cores"},  # it computes everything at once, for somebody who waits
    **dict.fromkeys(("sample_key", "judged", "error", "ok", "unknown", "type", "ceiling_ci", "swaps")),
    **dict.fromkeys(("title", "browse", "attacks", "no_sentences", "most_sentences", "command", "image")),
)
@click.option(
    "--sample",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="The key of a judged sample, then its filled-in sets; repeatable.",
)
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    default="report.html",
    type=OUTPUT,
    show_default=True,
    metavar="FILE",
    help="Write the report to this file: .html, .md or .tex; or '-'.",
)
@click.option(
    "--card",
    type=OUTPUT,
    metavar="FILE.png",
    help="Write headline and leaderboard there too, as a picture of 1200 x 630 to show beside a link.",
)
@click.option(
    "--page",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the page; repeatable. title=TEXT; sentences=no leaves them out, for data that may not be passed "
    "on; sentences=all, or a number, shows more or fewer than the 5,000 that say most; attacks=no leaves out the "
    "attacks on the metrics; charts=DIR writes each chart there too, as SVG, PNG and PDF; image=https://… is where "
    "the picture of --card will be, for pages that show links; receipt=no leaves no receipt beside the page; "
    "ceiling-ci=RESAMPLES makes the ceiling's intervals over texts by a bootstrap; "
    "format=html, markdown or latex says the format of a file whose name does not.",
)
def command(
    out: str,
    kind: Kind,
    settings: Mapping[str, str],
    sample: tuple[str, ...],
    card: str | None = None,
    adjust: str = "max-t",
    **options: Any,
) -> None:
    """Put everything about systems and annotators on one page that needs no network.

    Scores with intervals, comparison, error types, human ceiling, agreement and every sentence; of a crowd's
    judgments and of a judged sample as well. Several kinds of data stand in one page. A table that 'errorbar detect'
    wrote is a detector: threshold curves, scores by word, the hardest items. P-values of swaps, of these judges, are
    adjusted for the number of pairs by max-T, or as --adjust holm or 'holm(swaps=5000)' says.

    \b
    errorbar report --gold 'A*.m2' --lenient CAMB AMU CUUI -o report.html
    errorbar report --gold 'A*.m2' --lenient me=me.csv --labels type=Prep -o detectors.html
    errorbar report --judgments votes.csv mine=flags.csv -o crowd.html
    """
    from errorbar.receipts.receipt import receipt_of_report
    from errorbar.reporting.make import ON_REQUEST, report

    start, context, charts = time.monotonic(), click.get_current_context(), settings.get("charts")
    browse = settings.get("sentences", "yes") != "no"
    arguments = options | _adjustment(adjust)
    arguments |= {
        "sample_key": sample[0] if sample else None,
        "judged": sample[1:],
        "ceiling_ci": int(settings["ceiling-ci"]) if "ceiling-ci" in settings else None,
        "browse": kind == "html" and browse,
        "most_sentences": _most_sentences(settings.get("sentences", "yes")),
        "attacks": settings.get("attacks", "yes") == "yes",
        "image": settings.get("image", ""),
    }
    with progress_bar("steps", 2) as progress:
        result = report(
            title=settings.get("title") or ("" if sample else _choose_configured_data(find_config(context), options)),
            no_sentences=NO_PAGE if browse else ON_REQUEST,
            command=str(context.meta.get(SHOWN_COMMAND) or command_line(context)),
            warn=lambda note: show_notes([note]),
            **arguments,
        )
        progress(1)
        show_notes([*result.notes, *(replace(missing, severity="repaired") for missing in result.missing)])
        receipt = receipt_of_report(arguments, result, out) if _has_receipt(out, settings) else None
        size = (result if receipt is None else receipt.on_page(result, out)).save(out, kind)
        if receipt is not None:
            receipt.save(out)
        drawn = result.save_charts(charts) if charts is not None else []
        if card is not None:
            result.save_card(card)
    seconds = time.monotonic() - start
    beside = f", {len(drawn)} files of charts in {charts}" if drawn else ""
    beside += f", card {card}" if card is not None else ""
    where = "standard output" if out == STANDARD_OUTPUT else out
    size_text = f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
    say(f"{where}: {size_text} in {seconds:.1f} s{beside}")


def _choose_configured_data(config: Config, options: Mapping[str, Any]) -> str:
    """The name that errorbar.toml has for the only data; empty where it has none."""
    if options.get("judgments"):
        return ""
    return next((name for name, files in config.corpora.items() if tuple(files) == tuple(options["gold"])), "")


def _check_folder(folder: str) -> None:
    path = Path(folder)
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        message = "no folder for the charts can be made here"
        raise InputError(Problem("cannot-write", message, Place(folder), fix="name another folder"))
