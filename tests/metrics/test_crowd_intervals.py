"""Intervals of scores against a crowd: Wilson's of sums, how often they hold, and the warnings where they may not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from errorbar import Judgments, Resampling, crowd
from errorbar.core import Interval, Undefined
from errorbar.metrics import Estimand
from errorbar.stats import Units, cluster_table, proportion_bounds, ratio_interval
from errorbar.stats.resampling import z_value
from tests.helpers.crowd import crowd_score
from tests.helpers.page_rows import rows_of_page
from tests.metrics.crowd_runs import ESSAYS, SETTINGS, coverage, coverage_of_essays, essays_row, row

MEASURED = (Path(__file__).parents[1] / "measured/crowd-intervals.md").read_text(encoding="utf-8")
CLOSED = Resampling("closed")
PART = st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.3, 1, 2]))


def interval(
    above: Sequence[float], below: Sequence[float], clusters: Sequence[int] | None = None, level: float = 0.95
) -> Interval | Undefined:
    n = len(above)
    units = Units(np.ones(n), cluster_table(np.arange(n), n, None if clusters is None else np.array(clusters), n))
    return ratio_interval(np.array(above, np.float64), np.array(below, np.float64), units, confidence_level=level)


@pytest.mark.parametrize(("x", "n"), [(0, 5), (3, 5), (5, 5), (7, 30), (400, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_of_whole_votes_it_is_wilsons_with_t_inside_the_exact_one(x: int, n: int, level: float) -> None:
    """By hand: residuals are 1 - p of x items and -p of the others, and z² more of ½."""
    p, z = x / n, z_value(level)
    square, fourth = n * p * (1 - p) + z * z / 4, n * p * (1 - p) * (p**3 + (1 - p) ** 3) + z * z / 16
    t = student.ppf((1 + level) / 2, square**2 / fourth)
    middle, half = (x + t * t / 2) / (n + t * t), t * np.sqrt(n * p * (1 - p) + t * t / 4) / (n + t * t)
    low, high = proportion_bounds(x, n, method="clopper-pearson", confidence_level=level)
    found = interval([1] * x + [0] * (n - x), [1] * n, level=level)
    assert isinstance(found, Interval)
    expected = max(middle - half, float(low)), min(middle + half, float(high))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@given(st.lists(PART, min_size=2, max_size=20), st.sampled_from([0.01, 3.0]))
def test_it_holds_the_value_inside_0_and_1(rows: list[tuple[float, float]], scale: float) -> None:
    """Neither the scale of the parts nor clusters of one item each change it, and kinds are items."""
    above, below = [share * part for share, part in rows], [part for _, part in rows]
    found = interval(above, below)
    if sum(part > 0 for part in below) < 2:
        assert found is (Undefined.ONE_UNIT if sum(below) else Undefined.NO_UNITS)
        return
    assert isinstance(found, Interval)
    assert 0 <= found.low <= sum(above) / sum(below) <= found.high <= 1
    assert found.high - found.low > 0.05
    kinds, frequency = np.unique(np.array(rows), axis=0, return_counts=True)
    by_kind = ratio_interval(kinds[:, 0] * kinds[:, 1], kinds[:, 1], Units(frequency.astype(np.float64)))
    others = (
        interval([scale * part for part in above], [scale * part for part in below]),
        interval(above, below, list(range(len(rows)))),
        by_kind,
    )
    for other in others:
        assert isinstance(other, Interval)
        assert (other.low, other.high) == pytest.approx((found.low, found.high), abs=1e-9)


@pytest.mark.parametrize("n", [49, 1000, 10**9])
def test_it_ends_at_1_where_all_is_right(n: int) -> None:
    """Not in the bit below, where an interval would not hold its value."""
    found = ratio_interval(np.ones(1), np.ones(1), Units(np.array([float(n)])))
    assert isinstance(found, Interval)
    assert found.high == 1


def test_items_that_are_alike_and_one_essay() -> None:
    """Five items on which two of three raters agree; essays that are each wholly right count as one item each."""
    alike = crowd_score(np.full(5, 2 / 3), np.ones(5, np.bool_), np.full(5, 3), resampling=CLOSED).precision
    assert alike.interval is not None
    assert alike.interval.low < 0.4
    assert alike.interval.high > 0.85
    right = interval([1] * 12, [1] * 12)
    of_three, of_one = (interval([1] * 12, [1] * 12, [k // size for k in range(12)]) for size in (4, 12))
    assert isinstance(right, Interval)
    assert isinstance(of_three, Interval)
    assert of_three == interval([1] * 3, [1] * 3)
    assert of_three.low < right.low - 0.2
    assert of_one is Undefined.ONE_UNIT


def test_essays_that_differ_widen_it() -> None:
    """Half of ten essays are right and half wrong in all of their ten items: as wide as of ten items, not of 100."""
    above, below = [float(k // 10 % 2) for k in range(100)], [1.0] * 100
    ten, found = interval([0, 1] * 5, [1.0] * 10), interval(above, below, [k // 10 for k in range(100)])
    assert isinstance(ten, Interval)
    assert isinstance(found, Interval)
    assert (found.low, found.high) == pytest.approx((ten.low, ten.high), abs=1e-12)


def test_scores_need_no_seed_and_hold_more_often_than_bootstraps() -> None:
    """P of some three flagged items: bootstraps have an interval half as often; essays: R in .96 against .83."""
    share, held, _ = coverage("many errors", 3, 10, "weighted", runs=200)
    assert share["closed"][0] > share["bca"][0] + 0.3
    assert held["closed"].min() > 0.93
    assert held["closed"][0] > held["bca"][0] + 0.05
    share, held, _ = coverage_of_essays(5, 0.5, runs=150)
    assert held["closed"].min() > 0.9 > held["bca"].min()


def judgments(n_errors: int, n: int = 300) -> Judgments:
    return Judgments.from_matrix([("error", "error", "ok")] * n_errors + [("error", "ok", "ok")] * (n - n_errors))


@pytest.mark.parametrize(
    ("n", "words"), [(0, "no item an error"), (1, "only 1 item an error"), (9, "only 9 items errors"), (10, None)]
)
def test_few_errors_are_named(n: int, words: str | None) -> None:
    flags = {"s": np.arange(300) % 3 == 0}
    notes = [note.what for note in crowd(judgments(n), flags).notes if note.code == "crowd-few"]
    expected = f"most raters call {words}: intervals of R and F may be too narrow"
    assert notes == ([] if words is None else [expected])
    assert "crowd-few" not in {note.code for note in crowd(judgments(n), flags, ci=False).notes}


@pytest.mark.parametrize(("n", "warned"), [(1, False), (2, True), (9, True), (10, False)])
def test_few_essays_or_sentences_are_named(tmp_path: Path, n: int, warned: bool) -> None:
    (tmp_path / "gold.m2").write_text("S a b c d\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n" * n, encoding="utf-8")
    (tmp_path / "system.txt").write_text("a x c d\n" * n, encoding="utf-8")
    result = crowd(tmp_path / "gold.m2", tmp_path / "system.txt")
    named = f"the judged items are of only {n} essays or sentences: intervals may be too narrow"
    assert (named in [note.what for note in result.notes]) is warned
    assert (result.rows[0].score.precision.interval is None) is (n == 1)


@pytest.mark.parametrize(("name", "n_raters", "n", "estimand"), rows_of_page(SETTINGS))
def test_every_row_of_the_page(name: str, n_raters: int, n: int, estimand: Estimand) -> None:
    assert row(name, n_raters, n, estimand) in MEASURED


@pytest.mark.parametrize(("n", "spread"), rows_of_page(ESSAYS))
def test_every_row_of_essays(n: int, spread: float) -> None:
    assert essays_row(n, spread) in MEASURED
