"""Intervals of recall by type: every resample scored on its own, as a corpus, gives the same numbers."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from errorbar import M2, Corpus, Hypothesis, Resampling
from errorbar.core import Interval, Undefined
from errorbar.metrics import TypeScore
from errorbar.stats import bootstrap_interval, draw_resamples, left_out_units, proportion_interval
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.scoring import score

# Two annotators with different types; "Once" stands in one sentence, "Never" in none that is chosen.
FIRST = sentence("a b c", {"0": [edit(0, 1, "X", kind="Det")], "1": [edit(1, 2, "Y", kind="Prep")]})
SECOND = sentence("a b c", {"0": [edit(0, 1, "X", kind="Det"), edit(2, 3, "Z", kind="Verb")]})
THIRD = sentence("a b c", {"0": [edit(1, 2, "Q", kind="Once")], "1": []})
REFERENCE = corpus(*[FIRST, SECOND, SECOND, FIRST] * 3, THIRD)
LINES = ["X b c", "a b Z", "X b c", "a Y c"] * 3 + ["a Q c"]
N = len(LINES)


def by_type(resampling: Resampling, reference: Corpus = REFERENCE) -> dict[str, TypeScore]:
    (found,) = score(reference, [Hypothesis("it", LINES)], [M2()], by_type=True, resampling=resampling)
    return {row.type: row for row in found.by_type}


def interval(row: TypeScore) -> Interval | Undefined | None:
    return row["recall"].interval or row["recall"].no_interval


def recalls(rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]], kind: str) -> list[float]:
    """Each row of units is a corpus of its own."""
    found = []
    for row in rows:
        units = row[row >= 0]
        part = Corpus([REFERENCE.sentences[unit] for unit in units], REFERENCE.annotators)
        (one,) = score(part, [Hypothesis("it", [LINES[unit] for unit in units])], [M2()], by_type=True)
        value = {each.type: each["recall"].value for each in one.by_type}.get(kind)
        found.append(np.nan if value is None else value)
    return found


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_the_interval_is_that_of_scored_resamples(method: Literal["bca", "percentile", "basic"]) -> None:
    resampling = Resampling(method, 60, seed=3)
    found = by_type(resampling)
    clusters = np.arange(N)
    rows = np.concatenate([draw() for draw in draw_resamples(clusters, resampling, "bootstrap")])
    for kind in ("Det", "Prep", "Verb"):
        expected = bootstrap_interval(
            found[kind]["recall"].value or 0.0,
            recalls(rows, kind),
            jackknife=recalls(left_out_units(clusters), kind),
            method=method,
        )
        assert interval(found[kind]) == expected
        assert isinstance(expected, Interval) == (kind != "Prep"), kind  # which is chosen only where it is matched


def test_documents_are_resampled_where_they_are_known() -> None:
    for at, each in enumerate(REFERENCE.sentences):
        each.document = f"essay {at // 2}"
    try:
        together = by_type(Resampling("percentile", 200))
    finally:
        for each in REFERENCE.sentences:
            each.document = ""
    assert interval(together["Verb"]) != interval(by_type(Resampling("percentile", 200))["Verb"])


def test_reasons_are_named() -> None:
    found = by_type(Resampling("percentile", 100))
    assert interval(found["Once"]) is Undefined.ONE_UNIT
    never = corpus(*REFERENCE.sentences[:-1], sentence("a b c", {"0": [], "1": [edit(0, 3, "no", kind="Never")]}))
    row = by_type(Resampling("percentile", 100), never)["Never"]
    assert (row["recall"].value, interval(row)) == (
        None,
        Undefined.NOTHING_IN_REFERENCE,
    )
    alone = Corpus(REFERENCE.sentences[:1], REFERENCE.annotators)
    (one,) = score(alone, [Hypothesis("it", LINES[:1])], [M2()], by_type=True, resampling=Resampling())
    assert [interval(row) for row in one.by_type if row.counts["gold"]] == [Undefined.ONE_UNIT]


def test_closed_is_wilsons_interval() -> None:
    for row in by_type(Resampling("closed")).values():
        expected = (
            proportion_interval(row.counts["correct"], row.counts["gold"])
            if row.counts["gold"]
            else Undefined.NOTHING_IN_REFERENCE
        )
        assert interval(row) == expected


def test_without_a_resampling_there_is_none() -> None:
    (found,) = score(REFERENCE, [Hypothesis("it", LINES)], [M2()], by_type=True)
    assert [interval(row) for row in found.by_type] == [None] * len(found.by_type)


@pytest.mark.parametrize("jobs", [2, 3])
def test_workers_change_nothing(jobs: int) -> None:
    assert by_type(Resampling("bca", 2100)) == by_type(Resampling("bca", 2100, jobs=jobs))
