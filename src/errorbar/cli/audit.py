"""``errorbar audit``: draw edits that match no annotator, and estimate precision with those that judges find valid."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command, show_notes, tell
from errorbar.cli.main import Group
from errorbar.cli.options import GOLD, INPUT, SYSTEMS, option, options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.labels import format_count


@click.group("audit", cls=Group)
def command() -> None:
    """Ask judges about edits that match no annotator: precision as it would be if the annotators had missed nothing.

    \b
    errorbar audit draw --gold gold.m2 ours.txt theirs.txt --out set.csv --key key.json
    errorbar audit estimate judged.csv --key key.json
    """


@command.command("draw", cls=Command, short_help="Draw edits for blind judging.")
@options_of(
    "errorbar.api.audit:audit_draw",
    systems=SYSTEMS,
    metric={"multiple": False},
    documents=None,
    as_written=None,
)
@click.option(
    "--out", required=True, type=OUTPUT, metavar="FILE", help="The set for raters: .csv or .jsonl, maybe .gz."
)
@click.option("--key", required=True, type=OUTPUT, metavar="FILE", help="The private key, a new file.")
def draw(out: str, key: str, **options: Any) -> None:
    """Draw edits that match no annotator, each cut to what it changes, and write them blind and shuffled.

    One sample serves all systems. What earlier audits judged (--judged, with the same --seed) is not asked again.

    \b
    errorbar audit draw --gold gold.m2 ours.txt theirs.txt --half-width 0.03 --out set.csv --key key.json
    errorbar audit draw --gold gold.m2 new.txt --judged set-done.csv --out more.csv --key more.json
    """
    from errorbar.api.audit import audit_draw
    from errorbar.api.sample_results import refuse_names

    refuse_names(out, key)  # before the work
    result = audit_draw(**options)
    show_notes(result.notes)
    result.save(out, key)
    reused = sum(result.key.n) - len(result.asked)
    tell(f"set {result.key.name}: {len(result.asked)} edits written to {out}, their key to {key}")
    if reused:
        tell(f"{format_count(reused, 'edits')} more {'was' if reused == 1 else 'were'} judged in earlier audits")
    for system, half in zip(result.key.frame.strata.systems, result.half_widths, strict=True):
        tell(f"audited precision of {system.name}: expected half-width {100 * half:.2f}")


@command.command("estimate", cls=Command, short_help="Estimate audited precision.")
@options_of("errorbar.api.audit:audit_estimate", judgments={"argument": "JUDGMENTS..."}, valid={"metavar": "RULE"})
@click.option(
    "--alternatives",
    type=OUTPUT,
    metavar="FILE",
    help="Write answers with the valid edits for 'errorbar task alternatives', .m2 or .jsonl; needs --gold.",
)
@option(
    "--better",
    type=click.IntRange(0),
    default=1,
    help="With --alternatives: also write answers with corrections that so many raters gave as better; 0: none.",
)
@click.option(
    *GOLD,
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="With --alternatives: the reference that was audited; repeatable.",
)
@output_options
def estimate(
    output: OutputOptions,
    alternatives: str | None,
    gold: tuple[str, ...],
    better: int,
    **options: Any,
) -> None:
    """Estimate the precision that systems have if edits that judges find valid count as right.

    JUDGMENTS are filled-in sets, of this audit and of earlier ones; labels are valid, not-valid and cannot-tell.

    \b
    errorbar audit estimate judged.csv --key key.json
    errorbar audit estimate judged.csv --key key.json --assist crowd.csv
    errorbar audit estimate judged.csv --key key.json --gold gold.m2 --alternatives answers.m2
    """
    from errorbar.api.audit import audit_estimate
    from errorbar.core.problems import Problem, UsageError

    if (alternatives is None) == bool(gold):
        message = "--gold without --alternatives" if gold else "--alternatives without --gold"
        raise UsageError(Problem("audit-alternatives", message, fix="give both, or neither"))
    if alternatives is None:
        refuse_given(("better",), "is about --alternatives", "add --alternatives, or leave it out")
    result = audit_estimate(**options)
    if alternatives is not None:
        from errorbar.api.audit_edits import save_answers
        from errorbar.api.read import read_corpus

        corpus = read_corpus(list(gold), lenient=options["lenient"])
        n = save_answers(result.alternatives(corpus, better=better), alternatives)
        tell(f"{n} answers written to {alternatives}")
    output.show(result, "errorbar.audit.estimate/1")
