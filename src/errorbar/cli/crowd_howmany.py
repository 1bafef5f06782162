"""``errorbar crowd howmany``: how many raters equal an expert."""

from __future__ import annotations

import click

from errorbar.cli.crowd_input import CrowdSource, crowd_options, read_crowd
from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.howmany import HowMany, against_experts, how_many
from errorbar.formats.flags import read_answers
from errorbar.stats.streams import stream

SCHEMA = "errorbar.crowd.howmany/1"


@click.command("howmany")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option(
    "--experts", default="", metavar="A,B", help="Raters of JUDGMENTS who are experts; the rest is the crowd."
)
@click.option("--truth", type=INPUT, metavar="FILE", help="Table item,label of expert answers.")
@click.option("--draws", type=click.IntRange(1), default=200, show_default=True, help="Subsets drawn for kappa.")
@crowd_options
@seed_option
@lenient_option
@format_option
def command(
    judgments: str,
    experts: str,
    truth: str | None,
    draws: int,
    source: CrowdSource,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Tell how many raters equal an expert: accuracy (exact) and kappa of the majority of k, and the expert's line.

    \b
    errorbar crowd howmany votes.csv --truth expert.csv
    errorbar crowd howmany votes.csv --experts anna,ben,carla
    """
    if bool(experts) == bool(truth):
        what = "the crowd needs somebody to be compared with"
        raise UsageError(Problem("howmany-truth", what, expected="either --experts or --truth"))
    problems = Problems(lenient=lenient)
    crowd = read_crowd(judgments, source, problems)
    generator = stream(seed, "crowd", "howmany")
    if truth:
        found = how_many(crowd.judgments, [read_answers(truth, problems)], generator, n_draws=draws)
    else:
        names = [name for name in experts.split(",") if name]
        found = against_experts(crowd.judgments, names, generator, n_draws=draws)
    if style == "json":
        document = {
            "schema": SCHEMA,
            "curve": [
                {
                    "k": p.k,
                    "n_items": p.n_items,
                    "accuracy": p.accuracy,
                    "kappa": p.kappa,
                    "kappa_low": p.low,
                    "kappa_high": p.high,
                }
                for p in found.curve
            ],
            "n_experts": found.n_experts,
            "expert_accuracy": found.expert_accuracy,
            "expert_kappa": found.expert_kappa,
            "enough": found.enough,
            "enough_kappa": found.enough_kappa,
            "seed": seed,
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    show(_table(found, style), style)


def _table(found: HowMany, style: str) -> Table:
    rows: list[list[Cell]] = []
    for p in found.curve:
        kappa: list[Cell] = [p.kappa, p.low, p.high]
        if style != "csv":
            draws = "–" if p.low is None or p.high is None else f"{p.low:.4f}–{p.high:.4f}"
            kappa = ["–" if p.kappa is None else f"{p.kappa:.4f}", draws]
        rows.append([f"majority of {p.k}", p.n_items, p.accuracy if style == "csv" else percent(p.accuracy), *kappa])
    columns = ["", "items", "accuracy", *(["kappa", "low", "high"] if style == "csv" else ["kappa", "95% of draws"])]
    if found.expert_accuracy is None:
        line = "no expert line: it takes two experts, as one alone is the truth"
    else:
        kappa_text = "–" if found.expert_kappa is None else f"{found.expert_kappa:.4f}"
        line = (
            f"an expert against the other experts, mean of {found.n_experts}: accuracy "
            f"{percent(found.expert_accuracy)}, kappa {kappa_text}"
        )
    reached = f"as good as an expert from k = {found.enough or '–'} (accuracy), {found.enough_kappa or '–'} (kappa)"
    return Table(columns, rows, 1, [line, *([reached] if found.n_experts > 1 else [])])
