"""``errorbar crowd raters``: whom to keep."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from errorbar.cli.crowd_options import JudgedOptions, judged_options
from errorbar.cli.options import INPUT
from errorbar.cli.show import output_options, show_result

SCHEMA = "errorbar.crowd.raters/1"
RULES = ("sprt", "posterior", "running", "fixed")


@click.command("raters")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option("--gold", type=INPUT, metavar="FILE", help="Table item,label of items whose answer is known.")
@click.option("--rule", type=click.Choice(RULES), default="sprt", show_default=True, help="Keeps or drops.")
@click.option("--good", type=float, default=0.85, show_default=True, help="Accuracy of a rater to keep, for sprt.")
@click.option("--bad", type=float, default=0.60, show_default=True, help="Accuracy of a rater to drop, for sprt.")
@click.option("--threshold", type=float, default=0.70, show_default=True, help="Other rules: accuracy that divides.")
@click.option("--together", is_flag=True, help="Run the rule through all gold items, not for each true label alone.")
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, help="Gold items, for the error rates.")
@click.option("--rates", is_flag=True, help="Error rates of all rules in place of raters.")
@judged_options
@output_options
def command(judgments: str, judged: JudgedOptions, output: str | None, style: str, **options: Any) -> None:
    """Describe raters: how much, how well, how fast, with what leaning; keep, watch or drop.

    Without --gold nobody can be tested and everybody is watched. The error rates of the rule, exact, stand below.

    \b
    errorbar crowd raters votes.csv --gold known.csv
    errorbar crowd raters votes.csv --column seconds=time --rule posterior --gold known.csv
    """
    from errorbar.studies.crowd_raters import crowd_raters

    show_result(crowd_raters(judgments, **options, **asdict(judged)), style, schema=SCHEMA, output=output)
