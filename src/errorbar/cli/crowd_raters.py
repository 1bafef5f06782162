"""``errorbar crowd raters``: whom to keep."""

from __future__ import annotations

import click

from errorbar.cli.crowd_input import CrowdSource, crowd_options, read_crowd
from errorbar.cli.crowd_score import cells, headings
from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, show_notes
from errorbar.cli.render import Cell, Table, estimate_record, percent, show, show_json
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.gold import Characteristic, Fixed, Posterior, Rule, Running, Sprt, characteristic
from errorbar.crowdsourcing.raters import RaterRow, rater_rows
from errorbar.formats.flags import read_answers

SCHEMA = "errorbar.crowd.raters/1"
RULES: dict[str, type[Sprt] | type[Posterior] | type[Running] | type[Fixed]] = {
    "sprt": Sprt,
    "posterior": Posterior,
    "running": Running,
    "fixed": Fixed,
}


@click.command("raters")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option("--gold", type=INPUT, metavar="FILE", help="Table item,label of items whose answer is known.")
@click.option("--rule", type=click.Choice(list(RULES)), default="sprt", show_default=True, help="Keeps or drops.")
@click.option("--good", type=float, default=0.85, show_default=True, help="sprt: accuracy to keep.")
@click.option("--bad", type=float, default=0.60, show_default=True, help="sprt: accuracy to drop.")
@click.option("--threshold", type=float, default=0.70, show_default=True, help="Other rules: accuracy that divides.")
@click.option("--together", is_flag=True, help="Run the rule through all gold items, not for each true label alone.")
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, help="Gold items, for the error rates.")
@click.option("--rates", "only_rates", is_flag=True, help="Error rates of all rules in place of raters.")
@crowd_options
@lenient_option
@format_option
def command(
    judgments: str,
    gold: str | None,
    rule: str,
    good: float,
    bad: float,
    threshold: float,
    together: bool,
    most: int,
    only_rates: bool,
    source: CrowdSource,
    lenient: bool,
    style: str,
) -> None:
    """Describe raters: how much, how well, how fast, with what leaning; keep, watch or drop.

    Without --gold nobody can be tested and everybody is watched. The error rates of the rule, exact, stand below.

    \b
    errorbar crowd raters votes.csv --gold known.csv
    errorbar crowd raters votes.csv --column seconds=time --rule posterior --gold known.csv
    """
    problems = Problems(lenient=lenient)
    rules: dict[str, Rule] = {
        "sprt": Sprt(good, bad),
        "posterior": Posterior(threshold),
        "running": Running(threshold),
        "fixed": Fixed(threshold),
    }
    accuracies = (good, bad, 0.5)
    rates = [
        characteristic(made, accuracy, most)
        for name, made in rules.items()
        for accuracy in accuracies
        if only_rates or name == rule
    ]
    crowd = read_crowd(judgments, source, problems)
    known = None if gold is None else read_answers(gold, problems)
    rows = rater_rows(crowd.judgments, known, rule=rules[rule], per_label=not together, seconds=crowd.seconds)
    if style == "json":
        document = {
            "schema": SCHEMA,
            "rule": rules[rule].name,
            "rates": [_rate_record(rate) for rate in rates],
            "raters": [_record(row) for row in rows],
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    show(_rate_table(rates) if only_rates else _table(rows, crowd.judgments.labels, rates, style), style)


def _table(rows: list[RaterRow], labels: tuple[str, ...], rates: list[Characteristic], style: str) -> Table:
    tested = [label for label in labels if any(label in row.gold_by_label for row in rows)]
    columns = ["rater", "verdict", "judgments", "gold", *headings("right", style)]
    columns += [heading for label in tested for heading in headings(label, style)]
    columns += ["trust", "rest", *(f"bias {label}" for label in labels), "seconds"]
    body: list[list[Cell]] = []
    for row in rows:
        cell: list[Cell] = [row.rater, str(row.verdict), row.n_judgments, row.gold.n_units, *cells(row.gold, style)]
        for label in tested:
            cell += cells(row.gold_by_label[label], style)
        bias = [row.bias[label] if row.bias else None for label in labels]
        numbers = [row.trust, row.rest, *bias]
        cell += list(numbers) if style == "csv" else [percent(number) for number in numbers]
        seconds = row.median_seconds
        body.append([*cell, seconds if style == "csv" or seconds is None else f"{seconds:g}"])
    kept = ", ".join(
        f"{verdict} {sum(row.verdict == verdict for row in rows)}" for verdict in ("keep", "watch", "drop")
    )
    footer = [
        f"{kept} of {len(rows)} raters",
        *(
            f"{rate.rule} drops {percent(rate.drop)}% and keeps {percent(rate.keep)}% of raters with accuracy "
            f"{rate.accuracy:g} within {rate.most} gold items of a class"
            for rate in rates
        ),
    ]
    return Table(columns, body, 2, footer)


def _rate_table(rates: list[Characteristic]) -> Table:
    columns = ["rule", "true accuracy", "keep %", "drop %", "gold items", "gold items of the dropped"]
    rows: list[list[Cell]] = [
        [
            rate.rule,
            f"{rate.accuracy:g}",
            percent(rate.keep),
            percent(rate.drop),
            f"{rate.mean_items:.1f}",
            f"{rate.mean_items_dropped:.1f}" if rate.drop else "–",
        ]
        for rate in rates
    ]
    return Table(columns, rows, 1, ["exact; who is neither kept nor dropped is watched"])


def _rate_record(rate: Characteristic) -> dict[str, object]:
    return {
        "rule": rate.rule,
        "accuracy": rate.accuracy,
        "most": rate.most,
        "keep": rate.keep,
        "drop": rate.drop,
        "mean_items": rate.mean_items,
        "mean_items_dropped": rate.mean_items_dropped if rate.drop else None,
    }


def _record(row: RaterRow) -> dict[str, object]:
    return {
        "rater": row.rater,
        "verdict": str(row.verdict),
        "verdict_by_label": {label: str(verdict) for label, verdict in row.by_label.items()},
        "n_judgments": row.n_judgments,
        "gold": estimate_record(row.gold),
        "gold_by_label": {label: estimate_record(estimate) for label, estimate in row.gold_by_label.items()},
        "trust": row.trust,
        "rest": row.rest,
        "n_rest": row.n_rest,
        "bias": row.bias,
        "median_seconds": row.median_seconds,
    }
