"""P, R, F of many replicates are those of one, bit by bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errorbar.metrics.choice import score_totals
from tests.helpers.counts import Counts
from tests.helpers.effort import draw_examples

count = st.integers(0, 10**6)


@draw_examples(200)
@given(st.lists(st.tuples(count, count, count), min_size=1, max_size=20), st.floats(0.01, 100))
def test_they_equal_the_scalar_formulas(rows: list[tuple[int, int, int]], beta: float) -> None:
    table = score_totals(np.array(rows, np.int64), beta)
    expected = [[c.precision, c.recall, c.f(beta)] for c in (Counts(*row) for row in rows)]
    np.testing.assert_array_equal(table, expected)


def test_empty_cases_follow_the_official_conventions() -> None:
    # Nothing at all; nothing proposed; nothing in the reference; nothing correct.
    totals = np.array([[0, 0, 0], [0, 0, 2], [0, 2, 0], [0, 2, 2]])
    np.testing.assert_array_equal(score_totals(totals, 0.5), [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0]])


def test_any_leading_axes() -> None:
    totals = np.arange(24).reshape(2, 4, 3)
    np.testing.assert_array_equal(score_totals(totals, 1.0)[1, 2], score_totals(totals[1, 2], 1.0))
