"""Tables and JSON records of the ``sample`` commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from errorbar.cli.render import Cell, Table, interval_record, percent
from errorbar.core.estimate import Estimate, Interval

if TYPE_CHECKING:
    from errorbar.sampling import Assisted, Cost, Design, PairedDifference, Plan, Sample, SampleEstimates, Strata

COUNTED = ("hits", "misses", "false positives")


def plan_table(plan: Plan, cost: Cost) -> Table:
    """The allocation; what to expect stands below."""
    rows: list[list[Cell]] = [
        [name, f"{size:,}", f"{n:,}", percent(rate)]
        for name, size, n, rate in zip(
            plan.strata.names, plan.strata.sizes.tolist(), plan.n.tolist(), plan.rates.tolist(), strict=True
        )
    ]
    rows.append(["all", f"{int(plan.strata.sizes.sum()):,}", f"{cost.items:,}", "–"])
    columns = ["stratum", "items", "to judge", "supposed errors %"]
    if plan.costs is not None:
        columns.append("cost of one")
        for row, one in zip(rows, [*(f"{c:g}" for c in plan.costs.tolist()), "–"], strict=True):
            row.append(one)
    several = len(plan.strata.systems) > 1
    footer = [
        f"expected {one.system + ' ' if several else ''}{one.name} {percent(one.value)} ± {percent(one.half_width)}"
        for one in plan.expected
    ]
    spent = [f"{cost.judgments:,} judgments"]
    if plan.costs is not None:
        spent.append(f"cost {plan.spent:,g}")
    if cost.money is not None:
        spent.append(f"price {cost.money:,.2f}")
    if cost.hours is not None:
        spent.append(f"{cost.hours:.1f} hours")
    of = "the difference of " if several else ""
    footer += [", ".join(spent), f"best for {of}{plan.target} if the supposed errors are right; 95 % intervals"]
    return Table(columns, rows, 1, footer)


def plan_record(plan: Plan, cost: Cost) -> dict[str, object]:
    """A plan as JSON."""
    return {
        "target": plan.target,
        "strata": _strata(plan.strata, plan.n.tolist(), plan.rates.tolist()),
        "expected": [
            {
                "system": one.system,
                "name": one.name,
                "value": one.value,
                "standard_error": one.standard_error,
                "half_width": one.half_width,
            }
            for one in plan.expected
        ],
        "cost": {"items": cost.items, "judgments": cost.judgments, "money": cost.money, "hours": cost.hours},
        "costs": None if plan.costs is None else plan.costs.tolist(),
        "spent": plan.spent,
    }


def _strata(strata: Strata, n: Sequence[int], rates: Sequence[float]) -> list[dict[str, object]]:
    rows = zip(strata.names, strata.sizes.tolist(), n, rates, strict=True)
    return [{"name": name, "size": size, "n": count, "rate": rate} for name, size, count, rate in rows]


def design_table(plan: Plan, designs: Sequence[Design]) -> Table:
    """Designs with half-widths in percent."""
    rows: list[list[Cell]] = [
        [one.name, " + ".join(f"{n:.0f}" for n in one.n), *(percent(half) for half in one.half_widths)]
        for one in designs
    ]
    footer = [
        f"half-widths of 95 % intervals with {int(plan.n.sum()):,} judged items, if the supposed errors are right"
    ]
    return Table(["design", "judged by stratum", "± P", "± R", "± F"], rows, 2, footer)


def designs_record(plan: Plan, designs: Sequence[Design]) -> dict[str, object]:
    """Designs as JSON."""
    return {
        "strata": list(plan.strata.names),
        "designs": [
            {"name": one.name, "n": list(one.n), "half_widths": dict(zip("PRF", one.half_widths, strict=True))}
            for one in designs
        ],
    }


def estimates_table(
    strata: Strata,
    sample: Sample,
    found: Sequence[SampleEstimates],
    differences: Sequence[PairedDifference],
    assisted: Assisted | None,
    truth: str,
) -> Table:
    """Estimates with both intervals; the cells stand below."""
    rows: list[list[Cell]] = []
    several = len(found) > 1
    for one in found:
        for row in one.rows:
            counted = row.name in COUNTED
            name = f"{one.system}: {row.name}" if several else row.name
            method = "–" if row.estimate.interval is None else row.estimate.interval.method
            value = _number(row.estimate.value, counted)
            rows.append([name, value, _ends(row.estimate.interval, counted), method, _ends(row.bayes, counted)])
    for apart in differences:
        value = "–" if apart.estimate.value is None else f"{100 * apart.estimate.value:+.2f}"
        name = f"{apart.name}, {strata.systems[0]} − {strata.systems[1]}"
        rows.append([name, value, _ends(apart.estimate.interval, False, sign="+"), "wald", "–"])
    level = next(
        (row.estimate.interval.confidence_level for one in found for row in one.rows if row.estimate.interval), 0.95
    )
    counts = zip(strata.names, strata.sizes.tolist(), sample.n.tolist(), sample.x.tolist(), strict=True)
    footer = [f"{name}: {x:g} errors in {n:,} of {size:,} items" for name, size, n, x in counts]
    footer.append(f"truth: {truth} of the raters of an item; percent, items for hits, misses, false positives")
    if assisted is not None:
        trust = ", ".join(
            f"{name} {value:.2f}" for name, value in zip(strata.names, assisted.trust.tolist(), strict=True)
        )
        footer.append(f"with votes of {sum(assisted.voted):,} items; trust in them: {trust}")
    return Table(["", "estimate", f"{100 * level:g}% CI", "by", "Bayes"], rows, 1, footer)


def estimates_record(
    strata: Strata,
    sample: Sample,
    found: Sequence[SampleEstimates],
    differences: Sequence[PairedDifference],
    assisted: Assisted | None,
    truth: str,
) -> dict[str, object]:
    """Estimates as JSON."""
    rows = zip(strata.names, strata.sizes.tolist(), sample.n.tolist(), sample.x.tolist(), strict=True)
    return {
        "truth": truth,
        "strata": [{"name": name, "size": size, "judged": n, "errors": x} for name, size, n, x in rows],
        "systems": [
            {
                "system": one.system,
                "estimates": [
                    {"name": row.name, **_estimate(row.estimate, row.standard_error), "bayes": _interval(row.bayes)}
                    for row in one.rows
                ],
            }
            for one in found
        ],
        "differences": [{"name": one.name, **_estimate(one.estimate, one.standard_error)} for one in differences],
        "votes": None if assisted is None else {"items": list(assisted.voted), "trust": assisted.trust.tolist()},
    }


def _estimate(estimate: Estimate, error: float | None) -> dict[str, object]:
    return {
        "value": estimate.value,
        "n_units": estimate.n_units,
        "standard_error": error,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate),
    }


def _interval(interval: Interval | None) -> dict[str, object] | None:
    return None if interval is None else {"low": interval.low, "high": interval.high}


def _number(value: float | None, counted: bool) -> str:
    return "–" if value is None else f"{value:,.1f}" if counted else percent(value)


def _ends(interval: Interval | None, counted: bool, sign: str = "") -> str:
    if interval is None:
        return "–"
    if counted:
        return f"{interval.low:,.1f}–{interval.high:,.1f}"
    return f"{100 * interval.low:{sign}.2f}–{100 * interval.high:{sign}.2f}"
