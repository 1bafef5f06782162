"""What judges said of each stratum of an audit, and how far those who could not tell may move it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from errorbar.sampling.audit_plan import AuditStrata
from errorbar.sampling.frame import Floats
from errorbar.sampling.prediction_powered import Assisted
from errorbar.sampling.totals import Sample

Ends = tuple[float | None, float | None]
"""The lowest and the highest value; None where undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """What judges said of each stratum, and what cheap votes add to it."""

    sample: Sample
    assisted: Assisted | None = None


def plain_totals(strata: AuditStrata, heard: Heard) -> Floats:
    """Valid edits of each stratum."""
    n, x = heard.sample.n, heard.sample.x
    found = strata.sizes * np.where(n > 0, x / np.maximum(n, 1), x.sum() / n.sum())
    if heard.assisted is None:
        return np.asarray(found)
    return np.where(np.isnan(heard.assisted.totals), found, np.clip(heard.assisted.totals, 0, strata.sizes))


def extreme_values(strata: AuditStrata, heard: Sequence[Heard]) -> tuple[list[Ends], list[Ends]]:
    """The lowest and highest audited precision of every system, and difference of every two, over what may be found.

    Each stratum has the fewest valid edits of what was ``heard``, or the most, whichever makes the value extreme.
    """
    totals = np.array([plain_totals(strata, one) for one in heard])
    low, high = totals.min(axis=0), totals.max(axis=0)
    weights, systems = strata.weights(), strata.systems

    def ends(base: float, weight: Floats) -> Ends:
        up, down = np.maximum(weight, 0.0), np.maximum(-weight, 0.0)
        return base + float(up @ low - down @ high), base + float(up @ high - down @ low)

    base = [system.correct / system.proposed if system.proposed else None for system in systems]
    alone = [(None, None) if each is None else ends(each, weights[at]) for at, each in enumerate(base)]
    pairs = list[Ends]()
    for one, two in combinations(range(len(systems)), 2):
        first, second = base[one], base[two]
        known = first is not None and second is not None
        pairs.append(ends((first or 0.0) - (second or 0.0), weights[one] - weights[two]) if known else (None, None))
    return alone, pairs
