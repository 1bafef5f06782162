"""``errorbar compare``: is the difference real?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errorbar.cli.corpora import CorpusInput, corpus_options, load
from errorbar.cli.options import (
    as_written_option,
    bootstrap_options,
    format_option,
    lenient_option,
    note_record,
    show_notes,
)
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.cli.score import make_resampling
from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.registry import DEFAULT, parse_metric

if TYPE_CHECKING:
    from errorbar.metrics.comparison import Comparison, Pair
    from errorbar.metrics.resampling import Method

SCHEMA = "errorbar.compare/1"


@click.command("compare")
@click.argument("systems", nargs=-1, type=click.Path(), required=True, metavar="SYSTEM SYSTEM...")
@corpus_options
@click.option("--metric", "spec", default=DEFAULT, metavar="SPEC", show_default=True, help="What is computed.")
@click.option("--pairs", is_flag=True, help="Show every pair: difference, interval, p, power.")
@bootstrap_options
@as_written_option
@lenient_option
@format_option
def command(
    systems: tuple[str, ...],
    corpus: CorpusInput,
    spec: str,
    pairs: bool,
    ci_method: Method,
    resamples: int,
    confidence: float,
    seed: int,
    jobs: int,
    as_written: bool,
    lenient: bool,
    style: str,
) -> None:
    """Tell whether systems differ by more than chance, on the same corpus.

    Approximate randomization gives p-values, adjusted for the number of pairs (Holm); a paired bootstrap gives
    intervals of differences. Essays are swapped and resampled where they are known, else sentences.

    \b
    errorbar compare --gold official-2014.combined.m2 CAMB CUUI AMU
    errorbar compare --gold gold.m2 --documents essays.sgml --pairs ours.txt theirs.txt
    """
    from errorbar.metrics.comparison import System, compare_systems, warn_hopeless

    data = load(corpus, systems, lenient=lenient, as_written=as_written)
    data.problems.raise_errors()
    metric = parse_metric(spec)
    measured = [System(system.name, metric.measure(data.corpus, system.lines)) for system in data.systems]
    resampling = make_resampling(ci_method, resamples, confidence, seed, jobs)
    found = compare_systems(metric, measured, data.documents.clusters(), resampling)
    data.documents.warn(data.problems)
    warn_hopeless(found, 1 - confidence, data.problems)
    signature = data.signature(str(metric.spec), resampling.convention(data.documents.clustering))
    notes = data.problems.notes
    if style == "json":
        show_json(
            {
                "schema": SCHEMA,
                "systems": [
                    dict(zip(("system", "precision", "recall", "f"), (name, *row), strict=True))
                    for name, row in zip(found.names, found.scores.tolist(), strict=True)
                ],
                "pairs": [_record(pair) for pair in found.pairs],
                "unit": data.documents.unit,
                "signature": signature,
                "warnings": [note_record(note) for note in notes],
            }
        )
        return
    show_notes(notes)
    if not pairs:
        table = _system_table(found, 1 - confidence, style)
    else:
        table = _pair_rows(found) if style == "csv" else _pair_table(found, confidence)
    table.footer = [*table.footer, f"signature {signature}"]
    show(table, style)


def _system_table(found: Comparison, alpha: float, style: str) -> Table:
    rows: list[list[Cell]] = [
        [
            one.letter,
            one.name,
            *(one.scores if style == "csv" else map(percent, one.scores)),
            " ".join(one.better),
            one.group,
        ]
        for one in found.ranking(alpha)
    ]
    columns = ["", "system", "P", "R", "F", "significantly better than", "group"]
    footer = [f"systems that share a group letter cannot be told apart at the {alpha:.2g} level (Holm over all pairs)"]
    return Table(columns, rows, 2, footer)


PAIR_COLUMNS = (
    "first",
    "second",
    "difference",
    "low",
    "high",
    "p_value",
    "exact",
    "p_adjusted",
    "detectable_difference",
    "power_at_one_point",
    "reason",
)


def _pair_rows(found: Comparison) -> Table:
    """Every pair as data: fractions with all digits."""
    rows: list[list[Cell]] = []
    for pair in found.pairs:
        ends = (None, None) if isinstance(pair.interval, Undefined) else (pair.interval.low, pair.interval.high)
        tested = (pair.test.p_value, str(pair.test.exact).lower(), pair.p_adjusted)
        power = (pair.power.detectable, pair.power.power)
        rows.append([pair.first, pair.second, pair.difference, *ends, *tested, *power, _why_not(pair)])
    return Table(PAIR_COLUMNS, rows, 2)


def _pair_table(found: Comparison, confidence: float) -> Table:
    rows: list[list[Cell]] = []
    for pair in found.pairs:
        interval = "–" if isinstance(pair.interval, Undefined) else _ends(pair.interval)
        power = pair.power.power
        detectable = pair.power.detectable
        rows.append(
            [
                pair.first,
                pair.second,
                f"{100 * pair.difference:+.2f}",
                interval,
                _p(pair.test.p_value) + ("" if not pair.test.exact else " exact"),
                _p(pair.p_adjusted),
                "–" if detectable is None else f"{100 * detectable:.2f}",
                "–" if power is None else f"{100 * power:.0f}%",
            ]
        )
    columns = ["first", "second", "F diff", f"{100 * confidence:g}% CI", "p", "p (Holm)", "detectable", "power at 1"]
    footer = [
        "detectable: the difference in points of F that such a corpus shows with 80% power; "
        "power at 1: how often it shows a difference of one point"
    ]
    footer += [f"– {pair.first}, {pair.second}: {reason}" for pair in found.pairs if (reason := _why_not(pair))]
    return Table(columns, rows, 2, footer)


def _why_not(pair: Pair) -> str:
    """Why something of a pair is missing."""
    interval = pair.interval if isinstance(pair.interval, Undefined) else None
    return ", ".join(dict.fromkeys(str(why) for why in (pair.test.undefined, interval, pair.power.undefined) if why))


def _ends(interval: Interval) -> str:
    return f"{100 * interval.low:+.2f} to {100 * interval.high:+.2f}"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _record(pair: Pair) -> dict[str, object]:
    interval: object
    if isinstance(pair.interval, Undefined):
        interval = {"low": None, "high": None, "reason": str(pair.interval)}
    else:
        interval = {"low": pair.interval.low, "high": pair.interval.high, "method": pair.interval.method}
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": pair.difference,
        "interval": interval,
        "p_value": pair.test.p_value,
        "p_adjusted": pair.p_adjusted,
        "exact": pair.test.exact,
        "n_replicates": pair.test.n_replicates,
        "undefined": None if pair.test.undefined is None else str(pair.test.undefined),
        "power_at_one_point": pair.power.power,
        "detectable_difference": pair.power.detectable,
        "units_needed_for_one_point": pair.power.units_needed,
    }
