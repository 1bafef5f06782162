"""P, R and F from counts, with the official scorer's empty cases, each with its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import Undefined
from tests.helpers.counts import Counts

N = Undefined


@pytest.mark.parametrize(
    ("counts", "precision", "recall", "f"),
    [
        # F0.5 = 1.25 P R / (0.25 P + R)
        (Counts(1, 2, 4), 0.5, 0.25, 0.15625 / 0.375),
        (Counts(3, 3, 3), 1.0, 1.0, 1.0),
        (Counts(0, 2, 4), 0.0, 0.0, 0.0),
        (Counts(0, 0, 4), 1.0, 0.0, 0.0),
        (Counts(0, 2, 0), 0.0, 1.0, 0.0),
        (Counts(0, 0, 0), 1.0, 1.0, 1.0),
    ],
)
def test_values(counts: Counts, precision: float, recall: float, f: float) -> None:
    assert (counts.precision, counts.recall) == (precision, recall)
    assert counts.f(0.5) == pytest.approx(f)


@pytest.mark.parametrize(
    ("counts", "reasons"),
    [
        (Counts(1, 2, 4), (None, None, None)),
        (Counts(0, 0, 4), (N.NOTHING_PROPOSED, None, N.NOTHING_CORRECT)),
        (Counts(0, 2, 0), (None, N.NOTHING_IN_REFERENCE, N.NOTHING_CORRECT)),
        (Counts(0, 0, 0), (N.NOTHING_PROPOSED, N.NOTHING_IN_REFERENCE, N.NOTHING_PROPOSED)),
        (Counts(0, 2, 4), (None, None, N.NOTHING_CORRECT)),
    ],
)
def test_reasons(counts: Counts, reasons: tuple[Undefined | None, ...]) -> None:
    assert tuple(estimate.undefined for estimate in counts.estimates(0.5, 3)) == reasons


def test_without_a_unit_there_is_no_value() -> None:
    for estimate in Counts(0, 0, 0).estimates(0.5, 0):
        assert (estimate.value, estimate.undefined) == (None, N.NO_UNITS)


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50), st.floats(0.1, 10))
def test_f_lies_between_precision_and_recall(correct: int, more: int, others: int, beta: float) -> None:
    counts = Counts(correct, correct + more, correct + others)
    low, high = sorted((counts.precision, counts.recall))
    assert low - 1e-12 <= counts.f(beta) <= high + 1e-12
    # The same in counts: F = (1 + beta²) C / (beta² G + P_n)
    b2 = beta * beta
    assert counts.f(beta) == pytest.approx((1 + b2) * correct / (b2 * counts.gold + counts.proposed))
