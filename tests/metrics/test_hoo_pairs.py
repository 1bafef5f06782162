"""Pairs of gold and system edits at one place: as the definition says, in linear time, with a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.problems import InputError
from errorbar.metrics.hoo import near_pairs
from tests.helpers.standoff import fragment, standoff
from tests.metrics.hoo_examples import scored, three

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), max_size=12)


@given(SPANS, SPANS, st.integers(0, 1))
def test_pairs_are_those_with_no_more_than_the_slack_between_them(
    gold: list[tuple[int, int]], system: list[tuple[int, int]], slack: int
) -> None:
    """Against every pair of numbers, looked at one by one."""
    one = fragment(*(standoff(start, start + length) for start, length in gold))
    said = [standoff(start, start + length) for start, length in system]
    g, s = near_pairs(one, said, slack)
    assert list(zip(g.tolist(), s.tolist(), strict=True)) == [
        (k, n)
        for k, wanted in enumerate(one.edits)
        for n, found in enumerate(said)
        if found.start <= wanted.end + slack and wanted.start <= found.end + slack
    ]


def test_edits_far_apart_make_no_pairs() -> None:
    """50,000 gold and 50,000 system edits: all pairs would be 2.5 billion."""
    edits = tuple(standoff(2 * k, 2 * k + 1, "x") for k in range(50_000))
    g, s = near_pairs(fragment(*edits), edits, 0)
    assert g.tolist() == s.tolist() == list(range(50_000))


@pytest.mark.parametrize("spec", ["hoo", "hoo(insertion=text)", "hoo(conventions=hoo2012-tool)"])
def test_edits_repeated_without_end_are_refused(spec: str) -> None:
    """500 edits at one place against 500 are 250,000 pairs; one more edit is too many."""
    gold = fragment(*[standoff(4, 4, "x")] * 500, text="abc def")
    assert three(scored(gold, [standoff(4, 4, "x")] * 500, spec)) == (500, 500, 500)
    with pytest.raises(InputError, match="fragment 1: 250,500 pairs of a gold and a system edit") as error:
        scored(gold, [standoff(4, 4, "x")] * 501, spec)
    assert error.value.code == "hoo-too-dense"
