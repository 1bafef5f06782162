"""``errorbar sample``: plan, draw and estimate from a few hundred judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command, progress_bar, show_notes, tell
from errorbar.cli.main import Group
from errorbar.cli.options import options_of
from errorbar.cli.output import OutputOptions, output_options

FLAGS: Mapping[str, Any] = {"argument": "[FLAGS]...", "required": False}
CORPUS: Mapping[str, Any] = {"names": ("--corpus",), "multiple": False}
COSTS: dict[str, Any] = {"type": str, "multiple": False, "default": "", "metavar": "A,B"}
BETA: Mapping[str, Any] = {"hidden": False}
HIDDEN: dict[str, Any] = {"hidden": True}
NO_ROLES: dict[str, None] = dict.fromkeys(("error", "ok", "unknown"))
"""Roles of labels, which are arguments in Python alone: here ``--labels`` says them."""


@click.group("sample", cls=Group)
def command() -> None:
    """Plan a sample, draw it blind, and estimate P, R and F of a whole corpus.

    FLAGS are tables of item, flag and maybe score (CSV, JSON lines, gzipped or not), one for each of one or two
    systems; with --corpus, the systems' outputs, whose changes are the flags.

    \b
    errorbar sample plan flags.csv --budget 300
    errorbar sample draw flags.csv --budget 300 --out set.csv --key key.json
    errorbar sample estimate judged.csv --key key.json
    errorbar sample rehearse flags.csv --judged votes.csv --budget 300
    """


@command.command("plan", cls=Command, short_help="Say how many items to judge.")
@options_of(
    "errorbar.api.sample:sample_plan",
    flags=FLAGS,
    corpus=CORPUS,
    beta=BETA,
    costs=COSTS | HIDDEN,
    after={"metavar": "KEY"},
    **dict.fromkeys(("bands", "floor", "minutes", "labels"), HIDDEN),
    **NO_ROLES,
)
@output_options
def plan(output: OutputOptions, **options: Any) -> None:
    """Say how many items of which stratum to judge, how sure that makes you, and what it costs.

    \b
    errorbar sample plan flags.csv --budget 300 --price 0.02
    errorbar sample plan --flagged 1000 --unflagged 9000 --half-width 0.05 --looks 5
    errorbar sample plan flags.csv --half-width 0.05 --after pilot.json --judged pilot-done.csv --assist model.csv
    """
    from errorbar.api.sample import sample_plan

    output.show(sample_plan(**options), "errorbar.sample.plan/1")


@command.command("compare", cls=Command, short_help="Compare designs at one budget.")
@options_of(
    "errorbar.api.sample:sample_plan",
    flags=FLAGS,
    corpus=CORPUS,
    beta=BETA,
    costs=COSTS,
    **dict.fromkeys(("raters", "price", "minutes", "looks")),
    **dict.fromkeys(("after", "judged", "assist", "seal", "labels"), HIDDEN),
    **NO_ROLES,
)
@output_options
def compare(output: OutputOptions, **options: Any) -> None:
    """Say what the same budget gives with other designs: what stratifying buys.

    \b
    errorbar sample compare flags.csv --budget 300
    """
    from errorbar.api.sample import sample_plan

    output.show(sample_plan(**options).compare(), "errorbar.sample.compare/1")


@command.command("draw", cls=Command, short_help="Draw items for blind judging.")
@options_of(
    "errorbar.api.sample:sample_draw",
    flags=FLAGS,
    corpus=CORPUS,
    beta=BETA,
    costs=COSTS,
    after={"metavar": "KEY"},
    **NO_ROLES,
)
@click.option(
    "--out", required=True, type=OUTPUT, metavar="FILE", help="The annotation set: .csv or .jsonl, maybe .gz."
)
@click.option("--key", required=True, type=OUTPUT, metavar="FILE", help="The private key, a new file.")
def draw(out: str, key: str, **options: Any) -> None:
    """Draw items and write them blind and shuffled; the key tells the strata and stays private.

    \b
    errorbar sample draw flags.csv --budget 60 --out pilot.csv --key pilot.json
    errorbar sample draw flags.csv --budget 300 --after pilot.json --judged pilot-done.csv \\
      --out rest.csv --key key.json
    """
    from errorbar.api.sample import sample_draw
    from errorbar.api.sample_results import refuse_names

    refuse_names(out, key)  # before the work
    result = sample_draw(**options)
    show_notes(result.notes)
    result.save(out, key)
    drawn = result.key.rounds[-1]
    tell(f"set {drawn.name}: {len(drawn.items)} items written to {out}, their key to {key}")


@command.command("estimate", cls=Command, short_help="Estimate P, R and F of the corpus.")
@options_of(
    "errorbar.api.sample:sample_estimate",
    judgments={"argument": "[JUDGMENTS]..."},
    counts={"metavar": "SIDE:N:n:x"},
    corpus=CORPUS,
    beta=BETA,
    looks={"metavar": "K/N"},
    **NO_ROLES,
)
@output_options
def estimate(output: OutputOptions, **options: Any) -> None:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    \b
    errorbar sample estimate judged.csv --key key.json
    errorbar sample estimate judged-so-far.csv --key key.json --anytime --half-width 0.05
    errorbar sample estimate --counts flagged:1000:750:600 --counts unflagged:9000:1500:450
    """
    from errorbar.api.sample import sample_estimate

    output.show(sample_estimate(**options), "errorbar.sample.estimate/1")


@command.command("rehearse", cls=Command, short_help="Draw many samples of a corpus that is judged whole.")
@options_of(
    "errorbar.api.sample:sample_rehearse",
    flags=FLAGS,
    corpus=CORPUS,
    beta=BETA,
    budget={"required": True, "help": "Number of items of a sample."},
    half_width=None,
    costs=None,
    **NO_ROLES,
)
@output_options
def rehearse(output: OutputOptions, **options: Any) -> None:
    """Draw many samples of a corpus that is judged whole: bias, spread and coverage of what they tell.

    \b
    errorbar sample rehearse flags.csv --judged votes.csv --budget 500
    errorbar sample rehearse flags.csv --judged votes.csv --budget 500 --truth graded --raters 3
    """
    from errorbar.api.sample import sample_rehearse

    with progress_bar("samples", options["repetitions"]) as progress:
        result = sample_rehearse(progress=progress, **options)
    output.show(result, "errorbar.sample.rehearse/1")
