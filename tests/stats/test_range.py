"""Intervals inside the range of a measure: where ends can lie, what says too little, and coverage."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from errorbar import Resampling
from errorbar.core import Interval, Scale, Undefined
from errorbar.stats import TwoWay

SHARE, RATIO, ANYWHERE = Scale(0.0, 1.0), Scale(0.0), Scale()
MEASURED = Path(__file__).resolve().parents[2] / "tests/measured/judges.md"
N_TEXTS, N_EDITS, SD_JUDGE, SD_TEXT = 30, 8, 0.6, 0.8
TABLE_CORPORA, TABLE_SEED = 4000, 20261123


def wide(value: float, half: float, *, judges: float = 0.999) -> TwoWay:
    """A score of two judges, whose plain interval at 95 % would be value -+ half, or a little less."""
    variance = (half / 12.7062) ** 2
    return TwoWay(value, variance * (1 - judges), variance * judges, 0.0, 30, 2, 1.0)


def test_the_delta_method_on_logits_by_hand() -> None:
    """U = .8, half .1: logit .8 = log 4, slope 1 / .16, so log 4 -+ .625; back: 4 e^-.625 / (1 + 4 e^-.625)."""
    assert SHARE.ends(0.8, 0.1) == pytest.approx((expit(log(4) - 0.625), expit(log(4) + 0.625)))
    assert SHARE.ends(0.8, 0.1) == pytest.approx((0.681635, 0.881978), abs=5e-6)
    assert Scale(-1.0, 3.0).ends(2.2, 0.4) == pytest.approx(tuple(4 * end - 1 for end in SHARE.ends(0.8, 0.1) or ()))
    assert RATIO.ends(0.8, 0.1) == pytest.approx((0.8 * np.exp(-0.125), 0.8 * np.exp(0.125)))
    assert ANYWHERE.ends(0.8, 0.1) == pytest.approx((0.7, 0.9))


@given(st.floats(0, 1), st.floats(0, 1e6))
def test_no_end_leaves_the_range(value: float, half: float) -> None:
    for scale in (SHARE, SHARE.of_differences, RATIO):
        if (ends := scale.ends(value, half)) is not None:
            assert scale.low <= ends[0] <= value * (1 + 1e-9)
            assert value * (1 - 1e-9) <= ends[1] <= scale.high


def test_an_ordinary_interval_hardly_moves() -> None:
    """CAMB against two at a time of ten: 37.77 -+ 2.26 (JUDGES.md, section 1)."""
    assert SHARE.ends(0.377692, 0.02262) == pytest.approx((0.377692 - 0.02262, 0.377692 + 0.02262), abs=3e-4)


@pytest.mark.parametrize(("value", "half"), [(0.5454, 0.9014), (0.98290, 1.7562)])
def test_two_judges_who_leave_everything_open_are_too_few(value: float, half: float) -> None:
    """GLEU -35.60 to +144.68 and F0.5 -77.33 to +273.91 were printed."""
    assert wide(value, half).interval(0.95, SHARE) is Undefined.TOO_FEW_JUDGES
    assert wide(value, half, judges=0.001).interval(0.95, SHARE) is not Undefined.TOO_FEW_JUDGES


def test_the_reason_names_what_adds_most() -> None:
    texts = TwoWay(0.5, 0.2, 1e-9, 0.0, 3, 10, 9.0)
    assert texts.interval(0.95, SHARE) is Undefined.TOO_FEW_TEXTS
    runs = TwoWay(0.5, 1e-4, 1e-4, 0.0, 30, 10, 9.0, runs=0.1, runs_df=1.0)
    assert runs.interval(0.95, SHARE) is Undefined.TOO_FEW_RUNS
    assert TwoWay(0.5, 1e-4, 1.0, 0.0, 30, 3, 2.0).interval(0.95, RATIO) is Undefined.TOO_FEW_JUDGES


@pytest.mark.parametrize("value", [0.0, 1.0, 1.2])
def test_the_end_of_a_range_is_named(value: float) -> None:
    assert TwoWay(value, 1e-4, 1e-4, 0.0, 30, 5, 4.0).interval(0.95, SHARE) is Undefined.AT_AN_END
    assert isinstance(TwoWay(value, 1e-4, 1e-4, 0.0, 30, 5, 4.0).interval(0.95), Interval)


@given(st.floats(-0.999, 0.999), st.floats(1e-6, 0.5), st.floats(1e-6, 0.5), st.integers(2, 10))
def test_the_interval_of_a_difference_holds_0_where_p_says_so(
    value: float, texts: float, judges: float, m: int
) -> None:
    found = TwoWay(value, texts, judges, 0.0, 30, m, float(m - 1))
    interval = found.interval(0.95, SHARE.of_differences)
    if isinstance(interval, Interval) and abs(found.p_value - 0.05) > 1e-9:
        assert (interval.low > 0 or interval.high < 0) == (found.p_value < 0.05)
        assert -1 <= interval.low <= interval.high <= 1


def test_an_interval_is_drawn_out_to_a_narrower_one() -> None:
    """IPN: 15.14-23.82 over texts and judges beside 16.43-24.61 over texts alone."""
    over_both = Interval(0.1514, 0.2382, 0.95, "two-way jackknife, t")
    made = over_both.covering(Interval(0.1643, 0.2461, 0.95, "bootstrap-bca"))
    assert (made.low, made.high) == (0.1514, 0.2461)
    assert made.method == "two-way jackknife, t, drawn out to bootstrap-bca"
    assert over_both.covering(Interval(0.16, 0.23, 0.95, "bootstrap-bca")) is over_both
    assert over_both.covering(Undefined.ONE_UNIT) is over_both.covering(None) is over_both


def test_a_basic_interval_is_cut_at_the_range() -> None:
    how, drawn = Resampling("basic", 100), np.linspace(0.6, 1.0, 100)
    plain, inside = how.interval(0.95, drawn), how.interval(0.95, drawn, scale=SHARE)
    assert isinstance(plain, Interval)
    assert isinstance(inside, Interval)
    assert plain.high > 1
    assert (inside.low, inside.high) == (plain.low, 1.0)


@dataclass(frozen=True, slots=True)
class Shares:
    """Of simulated corpora: what the page shows of a mean and a number of judges."""

    plain: float
    outside: float
    inside: float
    refused: float
    widths: tuple[float, float]

    def row(self, mean: float, m: int) -> str:
        """A row of the page's table."""
        shares = [f"{each:.3f}".removeprefix("0") for each in (self.plain, self.outside, self.inside, self.refused)]
        half = ", ".join(f"{50 * each:.1f}" for each in self.widths)
        return f"| {100 * mean:.0f} %, {m} | {' | '.join(shares)} | {half} |"


def simulated(mean: float, m: int, corpora: int, seed: int) -> Shares:
    """Judges and texts have normal effects on the logit of a share; the truth is its mean over both."""
    rng = np.random.default_rng([seed, round(100 * mean), m])
    truth = float(expit(logit(mean) + rng.normal(0, np.hypot(SD_JUDGE, SD_TEXT), 400_000)).mean())
    chances = expit(
        logit(mean) + rng.normal(0, SD_JUDGE, (corpora, m, 1)) + rng.normal(0, SD_TEXT, (corpora, 1, N_TEXTS))
    )
    tables = rng.binomial(N_EDITS, chances) / N_EDITS
    texts, judges = tables.mean(axis=1).var(axis=1, ddof=1) / N_TEXTS, tables.mean(axis=2).var(axis=1, ddof=1) / m
    counted = np.zeros(4)
    widths: list[tuple[float, float]] = []
    n = 0
    for value, over_texts, over_judges in zip(tables.mean(axis=(1, 2)), texts, judges, strict=True):
        if not (over_texts and over_judges):
            continue  # a reason stands in place of any interval
        n += 1
        found = TwoWay(float(value), float(over_texts), float(over_judges), 0.0, N_TEXTS, m, float(m - 1))
        plain, inside = found.interval(0.95), found.interval(0.95, SHARE)
        assert isinstance(plain, Interval)
        counted[:2] += plain.low <= truth <= plain.high, plain.low < 0 or plain.high > 1
        if isinstance(inside, Interval):
            counted[2] += inside.low <= truth <= inside.high
            widths.append((plain.high - plain.low, inside.high - inside.low))
        else:
            counted[3] += 1
    held, outside, inside_held, refused = (counted / n).tolist()
    median = np.median(np.array(widths), axis=0).tolist()
    return Shares(held, outside, inside_held / (1 - refused), refused, (median[0], median[1]))


ROWS = [(mean, m) for mean in (0.5, 0.8, 0.95, 0.99) for m in (2, 3, 5, 10)]


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "m"), ROWS)
def test_the_page_shows_how_often_they_hold_the_truth(mean: float, m: int) -> None:
    found = simulated(mean, m, TABLE_CORPORA, TABLE_SEED)
    assert found.row(mean, m) in MEASURED.read_text(encoding="utf-8")
    assert m < 3 or found.inside >= max(0.925, found.plain)


def test_from_three_judges_on_the_page_has_at_least_925() -> None:
    """And no row has less on the scale of logits than without it."""
    pattern = re.compile(r"^\| \d+ %, (\d+) \| (\.\d+) \| \.\d+ \| (\.\d+) \|", re.MULTILINE)
    rows = pattern.findall(MEASURED.read_text(encoding="utf-8"))
    assert len(rows) == len(ROWS)
    assert all(float(inside) >= max(0.925, float(plain)) for m, plain, inside in rows if int(m) >= 3)
