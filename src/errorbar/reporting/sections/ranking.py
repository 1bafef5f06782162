"""The order of systems, and what a comparison says about the first of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.metrics.base import Measure
from errorbar.metrics.comparison import Pair
from errorbar.metrics.scored import Score
from errorbar.studies.model import CorpusStudy


def main_measure(score: Score) -> Measure:
    """The measure that ranks systems."""
    return next(measure for measure in score.measures if measure.name == score.main)


def ranked(study: CorpusStudy) -> list[int]:
    """Numbers of the systems from the best to the worst; of equal ones the first comes first."""
    return sorted(range(len(study.scores)), key=lambda k: study.scores[k].rank_key)


def ranks(values: Sequence[float | None], sign: float = 1.0) -> list[int | None]:
    """Rank of each value, 1 for the best; equal values share the better rank; None has none.

    Args:
        values: The values.
        sign: 1 where higher is better, else -1.
    """
    known = sorted(-sign * v for v in values if v is not None)
    return [None if v is None else known.index(-sign * v) + 1 for v in values]


@dataclass(frozen=True, slots=True)
class Standing:
    """The first system against each other one, which are named best first.

    Attributes:
        best: Its name.
        better_than: Systems that it is significantly better than.
        not_better: Systems that it is not significantly better than, although it could have been.
        undecided: Systems from which no difference, however large, could have been significant.
        pairs: Its pair with each other system, by name.
    """

    best: str
    better_than: tuple[str, ...]
    not_better: tuple[str, ...]
    undecided: tuple[str, ...]
    pairs: Mapping[str, Pair]


def standing(study: CorpusStudy) -> Standing | None:
    """Where the first system stands by its own pairs; None where nothing was compared.

    Not to differ significantly is not transitive, so only pairs with the first system count, not letters or chains.
    """
    found = study.comparison
    if found is None or len(study.scores) < 2:
        return None
    order = ranked(study)
    best = study.scores[order[0]].system
    pairs = {p.second if p.first == best else p.first: p for p in found.pairs if best in (p.first, p.second)}
    alpha = 1 - study.confidence_level
    others = [study.scores[k].system for k in order[1:]]
    # No other system has a better value, so a significant difference is in its favor.
    better = tuple(name for name in others if pairs[name].significant(alpha))
    undecided = tuple(name for name in others if pairs[name].undecided(alpha))
    rest = tuple(name for name in others if name not in {*better, *undecided})
    return Standing(best, better, rest, undecided, pairs)
