"""``errorbar meta``: how metrics agree with a human ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from errorbar.cli.command import Command, progress_bar
from errorbar.cli.options import INPUT, options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.problems import Problem, UsageError

SHOWN = r"sentences|tests|(tests|window)=[1-9][0-9]{0,8}"
MOST = 10_000_000
"""Ways to swap."""


@click.command("meta", cls=Command)
@click.argument("files", nargs=-1, type=INPUT, metavar="[HUMAN SCORES...|SYSTEM...]")
@options_of(
    "errorbar.api.meta:meta",
    human={"required": False, "help": "HUMAN, where no argument is."},
    scores={"help": "SCORES too; repeatable."},
    documents={"hidden": True},
    gold={"required": False},
    systems=None,
    beta={"hidden": False},
    sentences=None,
    **dict.fromkeys(("tests", "permutations", "window", "progress", "unmarked", "as_written")),
)
@click.option(
    "--show",
    multiple=True,
    metavar="WHAT",
    help="Show another table; repeatable. 'sentences': pairwise accuracy of sentence scores, ties calibrated; 'tests': "
    "whether one metric agrees better than another, by Williams and by swapping scores in 10,000 ways ('tests=N': in "
    "N); 'window=N': correlations in windows of N neighbors.",
)
@click.option(
    "--all",
    "rankings",
    type=INPUT,
    metavar="FILE",
    help="All human rankings that a TOML file lists, each with its metrics, subsets of systems and windows: agreement "
    "over other systems, texts and judges, and which claims 'one metric is better' hold.",
)
@output_options
def command(
    files: Sequence[str],
    human: str | None,
    show: Sequence[str],
    rankings: str | None,
    output: OutputOptions,
    **options: Any,
) -> None:
    """Tell how metrics agree with a human ranking.

    HUMAN is a file of judgments, as errorbar rank reads them, or a table with the columns system and score. SCORES are
    tables (system, score, maybe metric and sentence), JSON of errorbar score, or lines of a system and its score;
    name=path names a metric. Higher must be better. With --gold, metrics are computed of SYSTEMS, corrected texts that
    are called as humans called them.

    \b
    errorbar meta judgments.xml scores.m2 scores.bleu --beta 0.25 --show tests
    errorbar meta --human judgments.xml --gold gold.m2 --metric m2 --metric gleu AMU CAMB CUUI
    errorbar meta --human judgments.xml --gold gold.m2 --scores scores.bleu AMU CAMB CUUI
    errorbar meta --all rankings.toml
    """
    if rankings is not None:
        _show_observatory(rankings, files, output, options)
        return
    asked = _parse_tables(show)
    if output.style == "csv" and len(asked) > 1:
        message = "--show asks for several tables, and CSV holds one"
        raise UsageError(Problem("meta-one-table", message, fix="ask for one at a time, or use --format json"))
    if options["gold"]:
        options["systems"] = files
    else:
        why = "is about SYSTEMS, of which metrics are computed with a reference"
        refuse_given(("metric", "source", "documents", "force", "retokenize"), why, "add --gold, or leave it out")
        options |= {"gold": None, "metric": None}
        human, files = (files[0], files[1:]) if human is None and files else (human, files)
        options["scores"] += tuple(files)
    if not options["scores"]:
        refuse_given(("beta",), "is about SCORES, and there are none", "leave it out, or name a metric: 'm2(beta=1)'")
    if human is None:
        message = "nothing says how humans ranked the systems"
        raise UsageError(Problem("meta-human", message, fix="name a file of judgments or scores: --human FILE"))
    from errorbar.api.meta import meta

    swaps = asked.get("tests")
    window, sentences = asked.get("window") or 0, "sentences" in asked
    with progress_bar("resamples", options.get("resamples", 0)) as progress:
        result = meta(
            human,
            sentences=sentences,
            tests=swaps is not None or output.style == "json",
            permutations=swaps or 10_000,
            window=window,
            progress=progress,
            **options,
        )
    if result.method is None:
        refuse_given(("method", "by", "ci", "resamples"), "is about judgments, and HUMAN has scores of systems")
    tables = ((sentences, result.sentence_table), (swaps is not None, result.test_table), (window, result.window_table))
    output.show(result, "errorbar.meta/1", [table() for wanted, table in tables if wanted] or None)


def _show_observatory(rankings: str, files: Sequence[str], output: OutputOptions, options: dict[str, Any]) -> None:
    """Show every ranking of a file, which says itself what is compared with what."""
    kept = ("lenient", "confidence", "seed")
    context = click.get_current_context()
    others = [name for name in context.params if name in options and name not in kept] + ["human", "show"]
    refuse_given(others, "is not used with --all", "write it into the file, or leave it out")
    if files:
        message = f"--all and {files[0]}: the file says which rankings, systems and scores there are"
        raise UsageError(Problem("two-choices", message, fix="leave one of them out"))
    from errorbar.api.observatory import observe

    output.show(observe(rankings, **{name: options[name] for name in kept}), "errorbar.observatory/1")


def _parse_tables(show: Sequence[str]) -> dict[str, int]:
    """The tables that were asked for, each with its number: of ways to swap, or of neighbors; 0 where none is said."""
    numbers = {}
    for text in show:
        key, _, number = text.partition("=")
        if not re.fullmatch(SHOWN, text) or int(number or 1) > MOST:
            message = f"--show must be sentences, tests, tests=N or window=N, with N of 1 to {MOST:,}, got '{text}'"
            raise UsageError(Problem("bad-parameter", message))
        numbers[key] = int(number or 0)
    return numbers
