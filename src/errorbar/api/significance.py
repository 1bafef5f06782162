"""Pairs of systems in ``errorbar compare`` and in reports: their table, and the fields of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any, Literal

from errorbar.api.paper import judge_line, judges_text, run_variances_record, runs_line, variances_record
from errorbar.core.estimate import Estimate, Interval, Undefined, value_or_none
from errorbar.metrics.base import Measure
from errorbar.metrics.comparison import POINT, Comparison, DecidingTest, Pair, level_text
from errorbar.tables.plain import as_text, attributes, interval_record
from errorbar.tables.table import Column, PValue, Table

MOST_NAMED = 5
"""Pairs that a note names; further ones are counted."""
Shown = Literal["", "data"]


def pair_table(
    comparison: Comparison,
    confidence: float,
    pairs: Sequence[Pair] | None = None,
    *,
    swaps_in: str = "in JSON and CSV",
) -> Table:
    """A row for each pair: the difference, its interval, p-values, the result, and the power.

    ``pairs`` are those to show, None: all; ``swaps_in`` says where p-values of swaps stand that are not shown.
    """
    test, measure, n_pairs = comparison.test, comparison.measure, len(comparison.pairs)
    name, percent, point = _short(measure), measure.kind != "number", _point(measure)
    with_intervals = any(pair.interval for pair in comparison.pairs)
    notes = [f"{name} diff: {name} of the first minus {name} of the second{', in points' * percent}"]
    notes += _wider_notes(test, confidence if with_intervals else None)
    notes.append(test.p_note(comparison.adjusted_for, swaps_in))
    shown = comparison.pairs if pairs is None else pairs
    if not test.by_t:
        none = any(pair.power.detectable is None and pair.power.power is not None for pair in shown)
        notes.append(
            f"detectable: the difference {'in points ' * percent}of {name} that such a corpus shows with 80% power"
            f"{' (–: none is large enough)' * none}; power at {point}: how often it shows a difference of "
            f"{'one point' if percent else point}"
        )
    if with_intervals and n_pairs > 1:
        notes.append(f"intervals are of one pair alone; only p is adjusted for {comparison.adjusted_for}")
    missing: dict[str, list[str]] = {}
    for pair in shown:
        missing.setdefault(pair.why_missing(), []).append(f"{pair.first}, {pair.second}")
    notes += [f"– {_first(names)}: {why}" for why, names in missing.items() if why]
    columns = _columns(test, measure, n_pairs, intervals=with_intervals)
    cells = (_cells(pair, n_pairs) for pair in shown)
    rows = [[by_key[column.key or column.title] for column in columns] for by_key in cells]
    return Table(columns, rows, "Every pair of systems", "pairs", notes)


def _columns(test: DecidingTest, measure: Measure, n_pairs: int, *, intervals: bool) -> list[Column]:
    """Every column; power is of swaps, and shown to people where these decide alone."""
    beside: Literal["beside", "hidden"] = "beside" if intervals else "hidden"
    power: Shown = "data" if test.by_t else ""
    alone: Shown = "data" if test.by_t or n_pairs == 1 else ""
    name, kind = _short(measure), measure.kind
    columns = [Column("first"), Column("second")]
    columns += [Column(f"{name} diff", kind, "difference", signed=True, interval=beside)]
    if test.by_t and test.smaller_sets is None:
        title, key = "+".join(test.over[:2]), f"difference_{test.over[1]}"
        columns += [Column(title, kind, key, signed=True, interval="only", only="" if intervals else "data")]
    elif test.by_t and test.smaller_sets is not None:
        title = f"{name} diff, {judges_text(test.smaller_sets.rule)}"
        columns += [Column(title, kind, f"difference_{test.over[1]}", signed=True, interval=beside)]
    columns += [Column("p", "p"), Column("p_at_floor", only="data")]
    columns += [Column("p unadjusted", "p", "p_unadjusted", only=alone)]
    if test.judges is not None:
        columns += [Column("again, %", "percent", "replication", digits=0, chance=True)]
        columns += [Column("sets_won", "count", only="data")] if test.judges.rule.who == "judge" else []
    return [
        *columns,
        Column(f"p, {test.these}", "p", "p_swaps", only="data"),
        Column("p_swaps_at_floor", only="data"),
        Column("p_swaps_unadjusted", "p", only="data"),
        Column("p_swaps_unadjusted_at_floor", only="data"),
        Column("smallest_p_swaps", "p", only="data"),
        Column("exact", only="data"),
        Column(f"at {level_text(test.alpha)}", key="result"),
        Column("detectable", kind, "detectable_difference", only=power),
        Column(f"power at {_point(measure)}, %", "percent", "power_at_one_point", digits=0, only=power),
        Column("reason", only="data"),
    ]


def _cells(pair: Pair, n_pairs: int) -> dict[str, Any]:
    """The cells of a pair by the key of their column: those of JSON, but that intervals and p-values are whole."""
    verdict, test, t = pair.verdict, pair.test, pair.t
    # Why there is no interval over texts stands among the other reasons.
    interval = pair.interval if isinstance(pair.interval, Interval) else None
    cells = pair_record(pair) | {
        "difference": Estimate(pair.difference, 0, interval),
        "p": PValue(
            pair.p, verdict.at_floor, verdict.exact and n_pairs == 1
        ),  # of a single pair that of the test alone
        "p_unadjusted": PValue(verdict.p_unadjusted, verdict.unadjusted_at_floor, verdict.exact),
        "p_swaps": PValue(pair.p_swaps, pair.swaps.at_floor),
        "replication": None if t is None else t.replication,
        "sets_won": None if t is None else t.sets_won,
        "reason": pair.why_missing(),
    }
    if test.by_t:
        both = cell_estimate(verdict.difference, verdict.interval)
        cells[f"difference_{test.over[1]}"] = verdict.interval if test.smaller_sets is None else both
    return cells


def _wider_notes(test: DecidingTest, confidence: float | None) -> list[str]:
    """The notes on those columns; of intervals too where a confidence is given."""
    if test.judges is None:
        return [runs_line(confidence)] if test.by_t and confidence is not None else []
    runs = ", other runs, too" * ("runs" in test.over)
    return [
        *([] if confidence is None else [judge_line(test.judges.rule, confidence) + runs]),
        f"again: how likely the first is better on as many other texts by as many other {test.judges.rule.who}s",
    ]


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
    """The title without the beta of F; the name of a metric that was recorded may end in digits."""
    return measure.title if measure.kind == "number" else measure.title.rstrip("0123456789.")


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
        "difference": value_or_none(pair.difference),
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
        record |= {"replication": t.replication}
        record |= {"sets_won": t.sets_won, "n_sets": judges.n_sets} if judges.rule.who == "judge" else {}
    return {pair.test.over[1]: record}
