"""``errorbar crowd aggregate``: answers from judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click
import numpy as np

from errorbar.cli.crowd_input import CrowdSource, crowd_options, read_crowd, signature
from errorbar.cli.crowd_stream import read_streamed, refuse_streaming, stream_option, write_answers
from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.render import Cell, Table, show, show_json
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.aggregate import METHODS, Comparison, Method, aggregate, answer_name
from errorbar.crowdsourcing.answers import UNKNOWN
from errorbar.crowdsourcing.dawid_skene import Prior
from errorbar.crowdsourcing.em import MAX_ITERATIONS, N_STARTS, Runs
from errorbar.crowdsourcing.votes import MIN_ITEMS
from errorbar.stats.streams import stream

SCHEMA = "errorbar.crowd.aggregate/1"
PRIOR = (2.0, 0.5)


@click.command("aggregate")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option("--method", "methods", type=click.Choice(METHODS), multiple=True, help="Repeatable.  [default: all]")
@click.option("--ties", default=UNKNOWN, show_default=True, metavar="LABEL", help="The label that wins ties.")
@click.option("--prior", type=(float, float), default=PRIOR, show_default=True, help="Pseudo-counts: right, wrong.")
@click.option("--starts", type=click.IntRange(1), default=N_STARTS, show_default=True, help="Of EM.")
@click.option("--min-items", type=float, default=MIN_ITEMS, show_default=True, help="Judgments of a rater, on average.")
@click.option("--passes", type=click.IntRange(1), default=MAX_ITERATIONS, show_default=True, help="Of EM, at most.")
@stream_option
@click.option("--differing", is_flag=True, help="Only the items on which methods differ.")
@click.option("--summary", is_flag=True, help="Counts of answers and runs of EM in place of items.")
@crowd_options
@seed_option
@lenient_option
@format_option
def command(
    judgments: str,
    methods: tuple[Method, ...],
    ties: str,
    prior: tuple[float, float],
    starts: int,
    min_items: float,
    passes: int,
    streamed: bool,
    differing: bool,
    summary: bool,
    source: CrowdSource,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Turn judgments into answers: majority, trust-weighted, one-coin and Dawid-Skene next to each other.

    Each row is an item with its number of judgments and, for each method, the answer and its share or probability.
    With --stream only the majority: the other methods need all judgments at once.

    \b
    errorbar crowd aggregate votes.csv --differing
    errorbar crowd aggregate votes.csv --method dawid-skene --format csv > answers.csv
    """
    problems = Problems(lenient=lenient)
    if streamed:
        given = {
            "--differing": differing,
            "--prior": prior != PRIOR,
            "--starts": starts != N_STARTS,
            "--min-items": min_items != MIN_ITEMS,
            "--passes": passes != MAX_ITERATIONS,
        }
        for option in (name for name, useless in given.items() if useless):
            what = f"{option} is about methods that need all judgments at once, and --stream is the majority alone"
            raise UsageError(Problem("useless-option", what, fix="leave one of them out"))
        _majority(judgments, methods, source, problems, ties=ties, summary=summary, style=style)
        return
    crowd = read_crowd(judgments, source, problems)

    def run(wanted: Sequence[Method]) -> Comparison:
        return aggregate(
            crowd.judgments,
            stream(seed, "crowd", "aggregate"),
            methods=wanted,
            prior=Prior(*prior),
            ties=ties,
            min_items=min_items,
            runs=Runs(n_starts=starts, max_iterations=passes),
        )

    try:
        made = run(methods or METHODS)
    except UsageError as error:
        if methods:
            raise
        # Not asked for by name: what does not apply here is said, and the majority is shown all the same.
        problems.notes += [replace(problem, severity="warning") for problem in error.problems]
        made = run(["majority"])
    for name, fit in made.fits.items():
        if not fit.starts[fit.best].converged:
            what = f"{name} had not converged after {fit.starts[fit.best].n_iterations} passes"
            problems.note("crowd-not-converged", what, Place(), fix="raise --passes, or trust the majority more")
    chosen = list(made.differing) if differing else range(len(crowd.judgments.items))
    if style == "json":
        spec = f"aggregate(methods={'+'.join(made.answers)},prior={prior[0]:g}+{prior[1]:g},ties={ties})"
        conventions = [f"seed:{seed}", *([f"starts:{starts}"] if starts != N_STARTS else [])]
        conventions += [f"passes:{passes}"] if passes != MAX_ITERATIONS else []
        _print_json(made, [] if summary else chosen, signature(spec, crowd, None, conventions), problems)
        return
    show_notes(problems.notes)
    show(_summary_table(made) if summary else _item_table(made, chosen, style), style)


def _majority(
    path: str,
    methods: tuple[Method, ...],
    source: CrowdSource,
    problems: Problems,
    *,
    ties: str,
    summary: bool,
    style: str,
) -> None:
    """``--stream``."""
    if wrong := [name for name in methods if name != "majority"]:
        refuse_streaming(
            f"--method {wrong[0]} needs all judgments at once, which is not possible", "leave out --stream"
        )
    found = read_streamed(path, source, problems, ties)
    made = Comparison({"majority": found.answers}, {}, ())
    items = range(len(found.answers.items))
    if style == "json":
        sign = found.signature(f"aggregate(methods=majority,ties={ties})", ())
        _print_json(made, [] if summary else items, sign, problems)
        return
    show_notes(problems.notes)
    if summary:
        show(_summary_table(made), style)
    elif style == "csv":
        write_answers(found.answers)
    else:
        show(_item_table(made, items, style), style)


def _print_json(made: Comparison, items: Sequence[int], sign: str, problems: Problems) -> None:
    document = {
        "schema": SCHEMA,
        "summary": _summary(made),
        "items": [_item(made, number) for number in items],
        "n_differing": len(made.differing),
        "signature": sign,
        "warnings": [note_record(note) for note in problems.notes],
    }
    show_json(document)


def _share(made: Comparison, name: str, item: int) -> float | None:
    row = made.answers[name].shares[item]
    return None if np.isnan(row).any() else float(row.max(initial=0.0))


def _item_table(made: Comparison, chosen: range | list[int], style: str) -> Table:
    columns = ["item", *made.answers, "judgments", *(f"{name} share" for name in made.answers)]
    rows: list[list[Cell]] = []
    first = made.answers["majority"]
    for item in chosen:
        shares = [_share(made, name, item) for name in made.answers]
        texts: list[Cell] = [s if style == "csv" else "–" if s is None else f"{s:.4f}" for s in shares]
        names = [answer_name(answers, item) for answers in made.answers.values()]
        rows.append([first.items[item], *names, int(first.n_judgments[item]), *texts])
    footer = [f"{len(made.differing):,} of {len(first.items):,} items get different answers"]
    return Table(columns, rows, 1 + len(made.answers), footer)


def _summary_table(made: Comparison) -> Table:
    labels = made.answers["majority"].labels
    columns = ["method", *labels, UNKNOWN, "differ from majority", "log-likelihood", "best start", "runs", "passes"]
    rows: list[list[Cell]] = []
    base = made.answers["majority"].answer
    for name, answers in made.answers.items():
        counts = [int((answers.answer == code).sum()) for code in range(len(labels))]
        fit = made.fits.get(name)
        runs = "–" if fit is None else "; ".join(f"{run.objective:.3f}" for run in fit.starts)
        passes = "–"
        if fit is not None:
            passes = "; ".join(f"{run.n_iterations}{'' if run.converged else '+'}" for run in fit.starts)
        likelihood = "–" if fit is None else f"{fit.log_likelihood:.3f}"
        best = "–" if fit is None else fit.starts[fit.best].name
        row: list[Cell] = [name, *counts, int((answers.answer < 0).sum())]
        rows.append([*row, int((answers.answer != base).sum()), likelihood, best, runs, passes])
    footer = [
        "runs: log-likelihood plus log-prior (less a constant) that each start of EM ended at; the largest is best",
        "passes: of each run; + where it had not converged",
    ]
    return Table(columns, rows, 1, footer if made.fits else [])


def _summary(made: Comparison) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, answers in made.answers.items():
        counts = {label: int((answers.answer == code).sum()) for code, label in enumerate(answers.labels)}
        fit = made.fits.get(name)
        record: dict[str, object] = {"answers": {**counts, UNKNOWN: int((answers.answer < 0).sum())}}
        if fit is not None:
            record["marginals"] = dict(zip(answers.labels, fit.marginals.tolist(), strict=True))
            record["best"] = fit.best
            record["starts"] = [
                {
                    "name": run.name,
                    "log_likelihood": run.log_likelihood,
                    "objective": run.objective,
                    "n_iterations": run.n_iterations,
                    "converged": run.converged,
                }
                for run in fit.starts
            ]
        found[name] = record
    return found


def _item(made: Comparison, item: int) -> dict[str, object]:
    first = made.answers["majority"]
    answers = {
        name: {"answer": answer_name(answers, item), "share": _share(made, name, item)}
        for name, answers in made.answers.items()
    }
    return {"item": first.items[item], "n_judgments": int(first.n_judgments[item]), **answers}
