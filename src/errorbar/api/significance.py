"""How pairs of systems are shown by ``errorbar compare`` and by a report: their table, and the fields of JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Literal

from errorbar.api.paper import judge_line, judges_text, run_variances_record, runs_line, variances_record
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.metrics.base import Measure
from errorbar.metrics.comparison import POINT, Comparison, DecidingTest, Pair, level_text
from errorbar.tables.plain import as_text, attributes, interval_record
from errorbar.tables.table import Cell, Column, PValue, Table

MOST_NAMED = 5
"""Pairs that a note names; further ones are counted."""
PairColumn = tuple[Column, Callable[[Pair], Cell]]
"""A column of pairs, and what gives the cell of a pair."""
Shown = Literal["", "data"]


def pair_table(comparison: Comparison, confidence: float, pairs: Sequence[Pair] | None = None) -> Table:
    """A row for each pair: the difference, its interval, p-values, the result, and the power.

    ``pairs`` are those to show, None: all.
    """
    test, measure, n_pairs = comparison.test, comparison.measure, len(comparison.pairs)
    name, percent, point = _short(measure), measure.kind != "number", _point(measure)
    with_intervals = any(pair.interval for pair in comparison.pairs)
    notes = [f"{name} diff: {name} of the first minus {name} of the second{', in points' * percent}"]
    notes += _wider_notes(test, confidence if with_intervals else None)
    notes.append(test.p_note(n_pairs))
    if not test.by_t:
        notes.append(
            f"detectable: the difference {'in points ' * percent}of {name} that such a corpus shows with 80% power; "
            f"power at {point}: how often it shows a difference of {'one point' if percent else point}"
        )
    if with_intervals and n_pairs > 1:
        notes.append(f"intervals are of one pair alone; only p is adjusted for the {n_pairs:,} pairs")
    shown = comparison.pairs if pairs is None else pairs
    missing: dict[str, list[str]] = {}
    for pair in shown:
        missing.setdefault(pair.why_missing(), []).append(f"{pair.first}, {pair.second}")
    notes += [f"– {_first(names)}: {why}" for why, names in missing.items() if why]
    columns = _columns(test, measure, n_pairs, intervals=with_intervals)
    rows = [[cell(pair) for _, cell in columns] for pair in shown]
    return Table([column for column, _ in columns], rows, "Every pair of systems", "pairs", notes)


def _columns(test: DecidingTest, measure: Measure, n_pairs: int, *, intervals: bool) -> list[PairColumn]:
    """Every column; power is of swaps, and shown to people where these decide alone."""
    beside: Literal["beside", "hidden"] = "beside" if intervals else "hidden"
    power: Shown = "data" if test.by_t else ""
    alone: Shown = "data" if test.by_t or n_pairs == 1 else ""
    at_point = f"power at {_point(measure)}, %"

    def p_cell(pair: Pair) -> PValue:  # of a single pair p is that of the test alone
        return PValue(pair.p, pair.verdict.at_floor, pair.verdict.exact and n_pairs == 1)

    def p_alone(pair: Pair) -> PValue:
        return PValue(pair.verdict.p_unadjusted, pair.verdict.unadjusted_at_floor, pair.verdict.exact)

    return [
        (Column("first"), lambda pair: pair.first),
        (Column("second"), lambda pair: pair.second),
        (Column(f"{_short(measure)} diff", measure.kind, "difference", signed=True, interval=beside), _difference),
        *_wider_columns(test, measure, intervals=intervals),
        (Column("p", "p"), p_cell),
        (Column("p_at_floor", only="data"), lambda pair: pair.verdict.at_floor),
        (Column("p unadjusted", "p", only=alone), p_alone),
        *_again_columns(test),
        (
            Column(f"p, {test.these}", kind="p", key="p_swaps", only="data"),
            lambda pair: PValue(pair.p_swaps, pair.swaps.at_floor),
        ),
        (Column("p_swaps_at_floor", only="data"), lambda pair: pair.swaps.at_floor),
        (Column("p_swaps_unadjusted", "p", only="data"), lambda pair: pair.swaps.alone.p_value),
        (Column("p_swaps_unadjusted_at_floor", only="data"), lambda pair: pair.swaps.alone.at_floor),
        (Column("smallest_p_swaps", "p", only="data"), lambda pair: pair.swaps.smallest_p),
        (Column("exact", only="data"), lambda pair: pair.swaps.alone.exact),
        (Column(f"at {level_text(test.alpha)}", key="result"), lambda pair: pair.verdict.result),
        (Column("detectable", measure.kind, "detectable_difference", only=power), lambda pair: pair.power.detectable),
        (Column(at_point, "percent", "power_at_one_point", digits=0, only=power), lambda pair: pair.power.power),
        (Column("reason", only="data"), Pair.why_missing),
    ]


def _wider_columns(test: DecidingTest, measure: Measure, *, intervals: bool) -> list[PairColumn]:
    """The interval over judges or runs, against smaller sets of judges with the difference that it is of."""
    if not test.by_t:
        return []
    key = f"difference_{test.over[1]}"
    if test.smaller_sets is None:
        only: Shown = "" if intervals else "data"
        column = Column("+".join(test.over[:2]), measure.kind, key, signed=True, interval="only", only=only)
        return [(column, lambda pair: pair.verdict.interval)]
    title = f"{_short(measure)} diff, {judges_text(test.smaller_sets.rule)}"
    beside: Literal["beside", "hidden"] = "beside" if intervals else "hidden"
    return [(Column(title, measure.kind, key, signed=True, interval=beside), _wider_cell)]


def _again_columns(test: DecidingTest) -> list[PairColumn]:
    """How likely the order of a pair is the same elsewhere; nothing where judges are fixed."""
    if test.judges is None:
        return []
    return [
        (
            Column("again, %", "percent", "replication", digits=0, chance=True),
            lambda pair: None if pair.t is None else pair.t.replication,
        ),
        (Column("sets_won", "count", only="data"), lambda pair: None if pair.t is None else pair.t.sets_won),
    ]


def _wider_notes(test: DecidingTest, confidence: float | None) -> list[str]:
    """The notes on those columns; of intervals too where a confidence is given."""
    if test.judges is None:
        return [runs_line(confidence)] if test.by_t and confidence is not None else []
    runs = ", other runs, too" * ("runs" in test.over)
    return [
        *([] if confidence is None else [judge_line(test.judges.rule, confidence) + runs]),
        "again: how likely the first is better on as many other texts by as many other judges",
    ]


def _difference(pair: Pair) -> Estimate:
    """The difference over texts; why there is no interval stands among the other reasons."""
    return Estimate(pair.difference, 0, pair.interval if isinstance(pair.interval, Interval) else None)


def _wider_cell(pair: Pair) -> Estimate:
    return cell_estimate(pair.verdict.difference, pair.verdict.interval)


def cell_estimate(value: float | None, interval: Interval | Undefined | None) -> Estimate:
    """The estimate of a cell, from a value (NaN: none) and its interval, if any was asked for."""
    estimate = Estimate(None if value is None or isnan(value) else value, 0)
    return estimate if interval is None else estimate.with_interval(interval)


def ends_record(interval: Interval | Undefined | None) -> dict[str, object] | None:
    """An interval with its method, or why there is none, as JSON has it."""
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "reason": str(interval)}
    return None if interval is None else attributes(interval, "low", "high", "method")


def _short(measure: Measure) -> str:
    return measure.title.rstrip("0123456789.")


def _point(measure: Measure) -> str:
    """The difference whose power is shown: a point of a measure that is shown in percent."""
    return f"{POINT:g}" if measure.kind == "number" else "1"


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return "; ".join(names[:MOST_NAMED]) + more


def pair_record(pair: Pair) -> dict[str, object]:
    """The pair as JSON has it."""
    verdict, swaps, alone = pair.verdict, pair.swaps, pair.swaps.alone
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": None if isnan(pair.difference) else pair.difference,
        "interval": ends_record(pair.interval),
        "p": verdict.p,
        "p_at_floor": verdict.at_floor,
        "p_unadjusted": verdict.p_unadjusted,
        "result": verdict.result,
        "p_swaps": swaps.p,
        "p_swaps_at_floor": swaps.at_floor,
        "p_swaps_unadjusted": alone.p_value,
        "p_swaps_unadjusted_at_floor": alone.at_floor,
        "smallest_p_swaps": swaps.smallest_p,
        "exact": alone.exact,
        "n_replicates": alone.n_replicates,
        "undefined": as_text(alone.undefined),
        "power_at_one_point": pair.power.power,
        "detectable_difference": pair.power.detectable,
        "units_needed_for_one_point": pair.power.units_needed,
        **_t_record(pair),
    }


def _t_record(pair: Pair) -> dict[str, object]:
    """The verdict of the t, under the name of what is drawn anew beside texts; nothing where swaps decide."""
    t, verdict, judges = pair.t, pair.verdict, pair.test.judges
    if t is None:
        return {}
    estimate = cell_estimate(verdict.difference, verdict.interval)
    record = {
        "value": estimate.value,
        "interval": interval_record(estimate),
        **(run_variances_record(t.components) if judges is None else variances_record(t.components)),
        "p": verdict.p,
        "p_unadjusted": verdict.p_unadjusted,
        "swaps_bound_p": verdict.rule == "larger",
    }
    if judges is not None:
        record |= {"sets_won": t.sets_won, "n_sets": judges.n_sets, "replication": t.replication}
    return {pair.test.over[1]: record}
