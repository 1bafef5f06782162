"""``errorbar compare``: is the difference real?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errorbar.cli.admission import admission_options
from errorbar.cli.corpora import CorpusInput, corpus_options, load
from errorbar.cli.options import (
    INPUT,
    as_written_option,
    bootstrap_options,
    format_option,
    lenient_option,
    note_record,
    show_notes,
    swap_options,
)
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.cli.score import make_resampling
from errorbar.core.estimate import Undefined
from errorbar.metrics.registry import DEFAULT, parse_metric

if TYPE_CHECKING:
    from errorbar.edits.admission import Admission
    from errorbar.metrics.comparison import Comparison, Pair
    from errorbar.metrics.swaps import Adjust
    from errorbar.stats.resampling import Method

SCHEMA = "errorbar.compare/1"
FEW = 3
"""Systems whose pairs are always shown: there are no more pairs than systems."""


@click.command("compare")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM SYSTEM...")
@corpus_options
@admission_options
@click.option("--metric", "spec", default=DEFAULT, metavar="SPEC", show_default=True, help="What is computed.")
@click.option(
    "--pairs", is_flag=True, help="Show every pair (difference, interval, p, power) of four systems or more too."
)
@swap_options
@bootstrap_options
@as_written_option
@lenient_option
@format_option
def command(
    systems: tuple[str, ...],
    corpus: CorpusInput,
    admission: Admission,
    spec: str,
    pairs: bool,
    adjust: Adjust,
    swaps: int | None,
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

    Approximate randomization gives p-values, adjusted for the number of pairs; a paired bootstrap gives intervals of
    differences. Essays are swapped and resampled where they are known, else sentences. Of two or three systems every
    pair is shown below the scores; csv has one table, that of the systems, or with --pairs that of the pairs.

    \b
    errorbar compare --gold official-2014.combined.m2 CAMB CUUI AMU
    errorbar compare --gold gold.m2 --documents essays.sgml ours.txt theirs.txt
    """
    from errorbar.metrics.comparison import System, compare_systems
    from errorbar.metrics.floors import warn_hopeless
    from errorbar.metrics.swaps import SwapPlan

    data = load(corpus, systems, lenient=lenient, as_written=as_written, admission=admission)
    data.problems.raise_errors()
    metric = parse_metric(spec)
    measured = [System(system.name, metric.measure(data.corpus, system.lines)) for system in data.systems]
    resampling = make_resampling(ci_method, resamples, confidence, seed, jobs)
    testing, alpha, unit = SwapPlan(adjust, swaps), 1 - confidence, data.documents.unit
    found = compare_systems(metric, measured, data.documents.clusters(), resampling, testing)
    data.documents.warn(data.problems)
    warn_hopeless(found, alpha, data.problems, unit=unit)
    tested = testing.convention(len(measured), alpha)
    signature = data.signature(str(metric.spec), resampling.convention(data.documents.clustering), tested)
    notes = data.problems.notes
    if style == "json":
        show_json(
            {
                "schema": SCHEMA,
                "systems": [
                    dict(zip(("system", "precision", "recall", "f"), (name, *row), strict=True))
                    for name, row in zip(found.names, found.scores.tolist(), strict=True)
                ],
                "pairs": [_record(pair, alpha) for pair in found.pairs],
                "adjust": adjust,
                "swaps": found.n_swaps(alpha),
                "unit": unit,
                "signature": signature,
                "warnings": [note_record(note) for note in notes],
            }
        )
        return
    show_notes(notes)
    if style == "csv":
        tables = [_pair_rows(found, alpha) if pairs else _system_table(found, alpha, style)]
    else:
        tables = [_system_table(found, alpha, style)]
        tables += [_pair_table(found, confidence, unit)] if pairs or len(measured) <= FEW else []
    tables[-1].footer = [*tables[-1].footer, f"signature {signature}"]
    for number, table in enumerate(tables):
        if number:
            click.echo()
        show(table, style)


def _system_table(found: Comparison, alpha: float, style: str) -> Table:
    from errorbar.reporting.pairs import group_legend

    ranking = found.ranking(alpha)
    unknown = style == "csv" or any(one.undecided for one in ranking)
    rows: list[list[Cell]] = [
        [
            one.letter,
            one.name,
            *(one.scores if style == "csv" else map(percent, one.scores)),
            " ".join(one.better),
            *([" ".join(one.undecided)] if unknown else []),
            one.group,
        ]
        for one in ranking
    ]
    columns = ["", "system", "P", "R", "F", "significantly better than", *(["undecided"] if unknown else []), "group"]
    return Table(columns, rows, 2, group_legend(found, alpha))


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
    "p_at_floor",
    "p_adjusted_at_floor",
    "smallest_p_adjusted",
    "result",
)


def _pair_rows(found: Comparison, alpha: float) -> Table:
    """Every pair as data: fractions with all digits."""
    from errorbar.reporting.pairs import result, why_not

    rows: list[list[Cell]] = []
    for pair in found.pairs:
        ends = (None, None) if isinstance(pair.interval, Undefined) else (pair.interval.low, pair.interval.high)
        tested = (pair.test.p_value, str(pair.test.exact).lower(), pair.p_adjusted)
        power = (pair.power.detectable, pair.power.power)
        floor = (str(pair.test.at_floor).lower(), str(pair.at_floor).lower(), pair.smallest_p)
        reason = (why_not(pair), *floor, result(pair, alpha))
        rows.append([pair.first, pair.second, pair.difference, *ends, *tested, *power, *reason])
    return Table(PAIR_COLUMNS, rows, 2)


def _pair_table(found: Comparison, confidence: float, unit: str) -> Table:
    from errorbar.reporting.pairs import PAIR_NOTES, pair_columns, pair_texts, verdict, why_not

    alpha = 1 - confidence
    rows: list[list[Cell]] = [list(pair_texts(pair, alpha)) for pair in found.pairs]
    said = [f"{verdict(found.pairs[0], alpha, unit)}."] if len(found.pairs) == 1 else []
    missing = [f"– {pair.first}, {pair.second}: {reason}" for pair in found.pairs if (reason := why_not(pair))]
    return Table(pair_columns(found, confidence), rows, 2, [*said, *PAIR_NOTES, *missing])


def _record(pair: Pair, alpha: float) -> dict[str, object]:
    from errorbar.reporting.pairs import result

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
        "p_at_floor": pair.test.at_floor,
        "p_adjusted_at_floor": pair.at_floor,
        "smallest_p_adjusted": pair.smallest_p,
        "result": result(pair, alpha),
        "exact": pair.test.exact,
        "n_replicates": pair.test.n_replicates,
        "undefined": None if pair.test.undefined is None else str(pair.test.undefined),
        "power_at_one_point": pair.power.power,
        "detectable_difference": pair.power.detectable,
        "units_needed_for_one_point": pair.power.units_needed,
    }
