"""Helpers of all sections: numbers and lists as sentences and charts show them, and the order of systems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

from errorbar.api.ceiling import CeilingResult
from errorbar.api.corpus_results import CorpusStudy
from errorbar.api.significance import cell_estimate
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.labels import join_words
from errorbar.metrics.base import Measure
from errorbar.metrics.scores import Score
from errorbar.reporting.charts.vega import Axis
from errorbar.tables.table import Column, Kind, cell_text, interval_text

FEW = 20  # edits of a type: what is found of fewer is faded
UNTESTED = "No test was run, so which differences are real is not known."
MOST_NAMED = 5  # names in one list of a sentence; more are counted
MOST_LISTED = 4  # the same in headline and summary
TWO, UNCLEAR = 2, 2
"""Annotators without whose like nothing shows how humans vary; ends of a share of a human so many times apart."""


def points(value: float | None) -> float | None:
    """A fraction in percent, for a chart."""
    return None if value is None else 100 * value


def scale_estimate(estimate: Estimate, kind: Kind = "percent") -> tuple[float | None, float | None, float | None]:
    """A value and the ends of its interval, for a chart."""
    factor = 100 if kind == "percent" else 1
    value, ends = estimate.value, estimate.interval
    low_high = (None, None) if ends is None else (factor * ends.low, factor * ends.high)
    return None if value is None else factor * value, *low_high


def axis(measure: Measure) -> Axis:
    """The axis of a measure."""
    return Axis(f"{measure.title} (percent)" if measure.kind == "percent" else measure.title, measure.kind)


def as_sentence(line: str, names: Sequence[str] = ()) -> str:
    """A line as a sentence; if it begins with one of the names, that is left as it is."""
    start = line[:1] if line.startswith(tuple(names)) else line[:1].upper()
    return f"{start}{line[1:].removesuffix('.')}."


def value_text(value: float | None, kind: Kind = "percent") -> str:
    """A value as tables show it."""
    return cell_text(value, Column("", kind))


def phrase_estimate(estimate: Estimate, kind: Kind = "percent", wider: Interval | None = None) -> str:
    """``37.33 (95% interval 35.90–38.80)``; no interval where it has none; the reason where it has no value.

    With the interval over texts and judges: ``37.33 (95% intervals 35.90–38.80 over texts, 32.10–42.56 over texts and
    judges)``.
    """
    if estimate.value is None:
        return f"undefined ({estimate.undefined})" if estimate.undefined else "undefined"
    return f"{value_text(estimate.value, kind)}{ends_text(estimate.interval, Column('', kind), wider)}"


def ends_text(ends: Interval | None, column: Column, wider: Interval | None = None, sign: str = "") -> str:
    """`` (95% interval 35.90–38.80)``, with a space before it; nothing where there is none; ``sign`` behind ends."""
    if ends is None:
        return ""
    level, own = f"{100 * ends.confidence_level:g}%", f"{interval_text(ends, column)}{sign}"
    if wider is None:
        return f" ({level} interval {own})"
    return f" ({level} intervals {own} over texts, {interval_text(wider, column)}{sign} over texts and judges)"


def human_text(result: CeilingResult) -> str:
    """What a human scores against the most references, with its intervals."""
    by_size = result.found
    measure = by_size.measures[by_size.main]
    parts = (result.intervals, result.judged)
    ends, wider = (None if part is None else _interval_or_none(part.human[-1]) for part in parts)
    return phrase_estimate(cell_estimate(by_size.human[-1, by_size.main], ends), measure.kind, wider)


def judges_interval(score: Score) -> Interval | None:
    """The interval of the main measure over texts and judges, where a set of judges is all those of the score."""
    if score.judges is None or not score.judges.sets.whole:
        return None
    return score.judges.measures[score.main].estimate.interval


def find_extremes(values: Iterable[tuple[float, str]]) -> tuple[list[str], list[str]]:
    """The names with the highest value and with the lowest: several where values are equal."""
    known = list(values)
    high, low = (end(value for value, _ in known) for end in (max, min))
    return [name for value, name in known if value == high], [name for value, name in known if value == low]


def superlative(better: Literal["higher", "lower"], n: int) -> str:
    """``highest``, or of two ``higher``; ``lowest`` or ``lower`` where less is better."""
    return ("higher" if better == "higher" else "lower") if n == 2 else "highest" if better == "higher" else "lowest"


def of_all_text(n: int, noun: str) -> str:
    """``of 3 systems``, and ``of the two systems``."""
    return f"of the two {noun}s" if n == 2 else f"of {count_noun(n, noun)}"


def count_noun(number: int, noun: str) -> str:
    """``1 system``, ``2 systems``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def main_measure(score: Score) -> Measure:
    """The measure that ranks systems."""
    return next(measure for measure in score.measures if measure.name == score.main)


def percent_note(measures: Sequence[Measure]) -> list[str]:
    """The measures that are in percent, as the note of a table; empty where none is."""
    names = [measure.title.rstrip("0123456789.") for measure in measures if measure.kind == "percent"]
    return [f"{join_words(names)} in percent"] if names else []


def comparable_scores(study: CorpusStudy) -> dict[str, Sequence[Score]]:
    """Scores under those other specs that have the main metric's main measure; no other can be set against it."""
    title = study.metric.measures[study.metric.main].title
    others = study.others.items()
    return {spec: scores for spec, scores in others if scores and main_measure(scores[0]).title == title}


def rank_systems(study: CorpusStudy) -> list[int]:
    """Numbers of the systems from the best to the worst; of equal ones the first comes first."""
    return sorted(range(len(study.scores)), key=lambda k: study.scores[k].rank_key)


def ranks(values: Sequence[float | None], sign: float = 1.0) -> list[int | None]:
    """Rank of each value, 1 for the best; equal ones share the better rank; ``sign`` is -1 where lower is better."""
    known = sorted(-sign * v for v in values if v is not None)
    return [None if v is None else known.index(-sign * v) + 1 for v in values]


@dataclass(frozen=True, slots=True)
class HumanShare:
    """The score of a system as a share of what humans score against the same, largest number of references.

    Attributes:
        value: The share.
        ends: Its interval over texts; None: there is none.
        wider: Its interval over texts and judges; None: there is none.
        n_humans: How many annotators there are.
        lower_is_better: A share above 1 is worse than a human.
    """

    value: float
    ends: Interval | None
    wider: Interval | None
    n_humans: int
    lower_is_better: bool

    @property
    def is_unclear(self) -> bool:
        """True if the annotators do not show what a human scores."""
        far = self.wider is not None and self.wider.high > UNCLEAR * self.wider.low
        return self.n_humans == TWO or far


def human_share(study: CorpusStudy, system: str) -> HumanShare | None:
    """Find the share of a human that a system reaches; None where there is none."""
    if study.ceiling is None or system not in study.ceiling.found.systems:
        return None
    by_size, at = study.ceiling.found, study.ceiling.found.systems.index(system)
    if isnan(value := float(by_size.ratio[at, -1])):
        return None
    parts = (study.ceiling.intervals, study.ceiling.judged)
    ends, wider = (None if part is None else _interval_or_none(part.ratios[at][-1]) for part in parts)
    lower = by_size.measures[by_size.main].better == "lower"
    return HumanShare(value, ends, wider, len(by_size.annotators), lower)


def _interval_or_none(ends: Interval | Undefined) -> Interval | None:
    return ends if isinstance(ends, Interval) else None
