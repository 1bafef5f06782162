"""Can a rater tell gold items from the others, by anything that reaches the browser but the text itself?

The harness's texts are drawn from one urn for both kinds, so whatever differs between them is a leak. Each feature is
tested by itself (Mann-Whitney, chi-squared), then all together by a linear discriminant on items that it has not seen.
A leak is what chance would show once in ten thousand runs. What belongs to an item (its markup, its hash) is counted
once for each item, however many raters saw it: forty raters who see the same gold item are not forty witnesses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, chisquare, mannwhitneyu

from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import Stored

ALPHA = 1e-4
TAG = re.compile(r"<[^>]*>")
VALUE = re.compile(r"[0-9]+|[A-Za-z0-9_-]{12,}")

Seen = Mapping[str, Any]
OF_ITEM: dict[str, Callable[[Seen], float]] = {
    "length of the markup": lambda seen: seen["length"],
    "number of tags": lambda seen: seen["tags"],
    "value of the text's hash": lambda seen: int(seen["text_hash"], 16),
}
OF_REPLY: dict[str, Callable[[Seen], float]] = {
    "length of the token": lambda seen: len(seen["assignment"]),
    "value of the token": lambda seen: sum(ord(c) / 128 ** (i + 1) for i, c in enumerate(seen["assignment"][:8])),
    "place among the items of a reply": lambda seen: seen["place"],
    "time of the reply": lambda seen: seen["seconds"],
    "length of the reply's headers": lambda seen: seen["headers"],
}
KINDS: dict[str, Callable[[Seen], str]] = {
    "tags": lambda seen: seen["shape"],
    "names of the fields": lambda seen: " ".join(seen["keys"]),
    "round": lambda seen: seen["round"],
}


def shape_of(html: str) -> str:
    """The tags of a fragment, with whatever is counted or named at random left out."""
    return "".join(VALUE.sub("#", tag) for tag in TAG.findall(html))


def labelled(history: History, stored: Stored) -> list[tuple[Seen, bool]]:
    """What raters saw in the main round, and whether it was gold."""
    gold = {row["id"] for row in stored.item if row["kind"] == "gold"}
    kind = {row["token"]: row["item"] in gold for row in stored.assignment if row["round"] == "main"}
    return [(op.data, kind[op.data["assignment"]]) for op in history.of("seen") if op.data["assignment"] in kind]


def gold_cannot_be_told(history: History, stored: Stored) -> list[str]:
    """No feature, nor all of them together, tells gold."""
    shown = labelled(history, stored)
    once = list({seen["text_hash"]: (seen, gold) for seen, gold in shown}.values())
    n_gold = sum(gold for _, gold in once)
    if n_gold < 20 or len(once) - n_gold < 20:
        return [f"{n_gold} gold items among {len(once)} are too few to tell"]
    faults = []
    for rows, features in ((once, OF_ITEM), (shown, OF_REPLY)):
        is_gold = np.array([gold for _, gold in rows])
        for name, feature in features.items():
            values = np.array([feature(each) for each, _ in rows], dtype=float)
            p = mannwhitneyu(values[is_gold], values[~is_gold]).pvalue if np.ptp(values) else 1.0
            if p < ALPHA:
                faults.append(f"gold is told by the {name} (p = {p:.1e})")
    for name, sort in KINDS.items():
        counts = Counter((sort(each), gold) for each, gold in once)
        sorts = sorted({each for each, _ in counts})
        if len(sorts) > 1:
            p = chi2_contingency([[counts[each, gold] for each in sorts] for gold in (False, True)]).pvalue
            if p < ALPHA:
                faults.append(f"gold is told by the {name} (p = {p:.1e})")
    every = (OF_ITEM | OF_REPLY).values()
    table = np.array([[feature(each) for feature in every] for each, _ in once], dtype=float)
    area, p = together(table, np.array([gold for _, gold in once]))
    if p < ALPHA:
        faults.append(f"gold is told by all features together (area under the curve {area:.3f}, p = {p:.1e})")
    return faults


def together(features: NDArray[np.float64], is_gold: NDArray[np.bool_]) -> tuple[float, float]:
    """A least-squares discriminant of half of the items, used on the other half: its area under the curve, and p."""
    spread = features.std(axis=0)
    scaled = (features - features.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    scaled = np.column_stack([scaled, scaled**2, np.ones(len(scaled))])
    half = np.random.default_rng(0).random(len(scaled)) < 0.5
    weights, *_ = np.linalg.lstsq(scaled[half], is_gold[half].astype(float), rcond=None)
    score, truth = scaled[~half] @ weights, is_gold[~half]
    test = mannwhitneyu(score[truth], score[~truth], alternative="greater")
    return float(test.statistic) / (truth.sum() * (~truth).sum()), float(test.pvalue)


def place_in_page_is_uniform(history: History, stored: Stored, page: int) -> list[str]:
    """Of pages with one gold item, where it stands: each place as often as the others."""
    streams: dict[str, list[bool]] = defaultdict(list)
    gold = {row["id"] for row in stored.item if row["kind"] == "gold"}
    order = sorted((row for row in stored.assignment if row["round"] == "main"), key=lambda row: row["seq"])
    for row in order:
        streams[row["rater"]].append(row["item"] in gold)
    del history
    counts = [0] * page
    for stream in streams.values():
        for start in range(0, len(stream) - page + 1, page):
            here = stream[start : start + page]
            if sum(here) == 1:
                counts[here.index(True)] += 1
    return uniform(counts)


def uniform(counts: Sequence[int]) -> list[str]:
    if sum(counts) < 5 * len(counts):
        return [f"{sum(counts)} pages with a gold item are too few to tell"]
    p = chisquare(counts).pvalue
    return [f"gold stands at the places of a page {list(counts)} times (p = {p:.1e})"] if p < ALPHA else []
