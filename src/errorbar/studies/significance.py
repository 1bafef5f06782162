"""What is said of pairs of systems, in the same words and tables by ``errorbar compare`` and by a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.metrics.comparison import LEAST_TEXTS, POINT, Comparison, Pair
from errorbar.studies.over_judges import again_cells, again_columns, judged_cells, judged_columns, judged_notes, these
from errorbar.tables.table import Cell, Column, PValue, Table

ADJUSTED = {"max-t": "max-T", "holm": "Holm"}
SIGNIFICANT, NOT_SIGNIFICANT, UNDECIDED, SAME = "significant", "not significant", "undecided", "score alike"
NOT_COMPARABLE = "not comparable"
MOST_NAMED = 5
"""Pairs that a note names; further ones are counted."""


def level_text(alpha: float) -> str:
    """``5%``."""
    return f"{100 * alpha:.3g}%"


def result(pair: Pair) -> str:
    """What the test says of a pair, in a word or two."""
    if pair.p_swaps is None:
        return NOT_COMPARABLE if pair.test.undefined is Undefined.NOT_COMPARABLE else SAME
    if pair.significant:
        return SIGNIFICANT
    return UNDECIDED if pair.undecided else NOT_SIGNIFICANT


def verdict(pair: Pair, unit: str, sign: float = 1.0) -> str:
    """What the test says of a pair, in a sentence without its full stop; ``sign`` is that of the measure."""
    ahead = pair.decisive_difference * sign >= 0
    better, other = (pair.first, pair.second) if ahead else (pair.second, pair.first)
    at = f"at the {level_text(pair.alpha)} level"
    said = {
        SIGNIFICANT: f"{better} is significantly better than {other} {at}",
        NOT_SIGNIFICANT: f"{better} is not significantly better than {other} {at}",
        UNDECIDED: f"Whether {better} is better than {other} is undecided: {why_undecided(pair, unit)} {at}",
        SAME: f"{better} and {other} score alike in every {unit}",
        NOT_COMPARABLE: f"{pair.first} and {pair.second} cannot be compared: the value of one of them is undefined",
    }
    return said[result(pair)]


def why_undecided(pair: Pair, unit: str) -> str:
    """Why a pair is undecided."""
    if pair.judged is None or pair.hopeless:
        return hopeless(unit)
    over = "texts and judges" if pair.judged.n_sets else "texts and runs"
    return f"{unknown(over)} ({pair.judged.interval}), so that nothing can be said"


def why_some_are_undecided(found: Comparison, hopeless: str) -> str:
    """Why pairs of a comparison are undecided, for one reason or two; ``hopeless``: how the first is said."""
    by_swaps, by_t = (any(getattr(pair, why) for pair in found.pairs) for why in ("hopeless", "unknown"))
    return ", or ".join([*[hopeless] * by_swaps, *[unknown(found.over)] * by_t])


def unknown(over: str) -> str:
    """Why a pair is undecided of which the t says nothing."""
    return f"how they vary over {over} is not known"


def hopeless(unit: str) -> str:
    """Why a pair is undecided."""
    return f"with these {unit}s and swaps no difference, however large, could be significant"


def group_legend(found: Comparison) -> list[str]:
    """How to read group letters."""
    lines = [
        f"systems that share a group letter do not differ significantly at the {level_text(found.alpha)} level "
        f"({tested_how(found)} over all pairs); that does not make them equal"
    ]
    if any(pair.undecided for pair in found.pairs):
        why = why_some_are_undecided(found, "no difference, however large, could be significant")
        lines.append(f"?: the system has undecided pairs, of which nothing can be said: {why}")
    return lines


def tested_how(found: Comparison) -> str:
    """What p-values are adjusted by, and what they are over where judges, or runs, are drawn anew."""
    if not found.over:
        return ADJUSTED[found.testing.adjust]
    return f"t over {found.over}{' and swaps' * found.beside_swaps}, {adjusted_by(found)}"


def adjusted_by(found: Comparison) -> str:
    """What p-values that decide are adjusted by."""
    return ADJUSTED["holm" if found.runs and found.judges is None else found.testing.adjust]


def pair_table(found: Comparison, confidence: float, pairs: Sequence[Pair] | None = None) -> Table:
    """A row for each pair: the difference, its interval, p-values, what the test says, and its power.

    Tests are at the level that the confidence leaves; ``pairs`` are those to show, None: all.
    """
    measure = found.measures[found.main]
    name = measure.title.rstrip("0123456789.")
    with_intervals = any(pair.interval for pair in found.pairs)
    beside: Literal["beside", "hidden"] = "beside" if with_intervals else "hidden"
    point = f"{POINT:g}" if measure.kind == "number" else "1"  # a point of a measure that is shown in percent
    less: Literal["", "data"] = "data" if found.over else ""
    alone: Literal["", "data"] = "data" if found.over or len(found.pairs) == 1 else ""
    columns = [
        Column("first"),
        Column("second"),
        Column(f"{name} diff", measure.kind, "difference", signed=True, interval=beside),
        *judged_columns(found, measure, intervals=with_intervals),
        Column("p", "p"),
        Column("p_at_floor", only="data"),
        Column("p unadjusted", "p", only=alone),
        *again_columns(found),
        Column(f"p, {these(found)}", kind="p", key="p_swaps", only="data"),
        Column("p_swaps_at_floor", only="data"),
        Column("p_swaps_unadjusted", "p", only="data"),
        Column("p_swaps_unadjusted_at_floor", only="data"),
        Column("smallest_p_swaps", "p", only="data"),
        Column("exact", only="data"),
        Column(f"at {level_text(found.alpha)}", key="result"),
        Column("detectable", measure.kind, "detectable_difference", only=less),
        Column(f"power at {point}, %", "percent", "power_at_one_point", digits=0, only=less),
        Column("reason", only="data"),
    ]
    percent = measure.kind != "number"
    points = "in points " if percent else ""
    notes = [
        f"{name} diff: {name} of the first minus {name} of the second{', in points' if percent else ''}",
        f"detectable: the difference {points}of {name} that such a corpus shows with 80% power; "
        f"power at {point}: how often it shows a difference of {'one point' if percent else point}",
    ]
    notes[1:] = [*p_notes(found), *(notes[1:] if not found.over else [])]
    if found.over:
        notes[1:1] = judged_notes(found, confidence if with_intervals else None)
    if with_intervals and len(found.pairs) > 1:
        notes.append(f"intervals are of one pair alone; only p is adjusted for the {len(found.pairs):,} pairs")
    shown = found.pairs if pairs is None else pairs
    missing: dict[str, list[str]] = {}
    for pair in shown:
        missing.setdefault(why_not(pair), []).append(f"{pair.first}, {pair.second}")
    notes += [f"– {_first(those)}: {why}" for why, those in missing.items() if why]
    rows = [_row(pair, single=len(found.pairs) == 1) for pair in shown]
    return Table(columns, rows, "Every pair of systems", "pairs", notes)


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return "; ".join(names[:MOST_NAMED]) + more


def p_notes(found: Comparison) -> list[str]:
    """What p-values are of."""
    few = f"; of fewer than {LEAST_TEXTS} texts no smaller than that of the swaps" * found.beside_swaps
    few += " of scores against all judges" * (
        found.beside_swaps and found.judges is not None and not found.judges.whole
    )
    if found.over:
        return [
            f"p: of no difference over {found.over} (t, {adjusted_by(found)}{few}); that of swaps, with "
            f"{these(found)}, is in JSON and CSV"
        ]
    n = len(found.pairs)
    more = f", adjusted for all {n:,} pairs, which decides; p unadjusted: of one pair alone" if n > 1 else ""
    return [f"p: by swaps of the two outputs ({ADJUSTED[found.testing.adjust]}){more}"]


def _row(pair: Pair, *, single: bool) -> list[Cell]:
    """The cells of a pair; of a single one p is that of the test alone."""
    test = pair.test
    exact = test.exact and pair.p_swaps is not None and pair.judged is None
    # Why there is no interval stands among the other reasons.
    difference = Estimate(pair.difference, 0, pair.interval if isinstance(pair.interval, Interval) else None)
    return [
        *(pair.first, pair.second, difference, *judged_cells(pair)),
        *(PValue(pair.p, pair.p_at_floor, exact and single), pair.p_at_floor),
        PValue(pair.p_unadjusted, test.at_floor and pair.judged is None, exact),
        *(*again_cells(pair), PValue(pair.p_swaps, pair.at_floor), pair.at_floor),
        *(test.p_value, test.at_floor, pair.smallest_p, test.exact),
        *(result(pair), pair.power.detectable, pair.power.power, why_not(pair)),
    ]


def why_not(pair: Pair) -> str:
    """Why something of a pair is missing."""
    interval = pair.interval if isinstance(pair.interval, Undefined) else None
    judged = pair.judged.interval if pair.judged is not None else None
    judged = judged if isinstance(judged, Undefined) and pair.test.undefined is None else None
    reasons = (pair.test.undefined, interval, pair.power.undefined, judged)
    return ", ".join(dict.fromkeys(str(why) for why in reasons if why))
