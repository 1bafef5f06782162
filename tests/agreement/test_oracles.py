"""Coefficients against values that others computed.

Where no other source is named, the value was computed with the library in brackets and entered here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from errorbar.agreement import PairTable, Weighting, cohen_kappa, krippendorff_alpha, observed_agreement
from errorbar.agreement.coefficients import (
    bennett_s,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    scott_pi,
    specific_agreement,
)
from errorbar.core import Estimate, Undefined
from tests.agreement.examples import FIVE, KRIPPENDORFF, PREPOSITION_RATERS, SMALL, TEXTBOOK, TRAP, WEB
from tests.helpers.expectations import require

SIX_DIGITS = 5.1e-7


def merged(*groups: tuple[int, ...]) -> PairTable:
    """The prepositions table with labels merged, or left out where no group has them."""
    counts = PREPOSITION_RATERS.counts
    return PairTable.of([[int(sum(counts[i, j] for i in a for j in b)) for b in groups] for a in groups])


@pytest.mark.parametrize(
    ("groups", "agreement", "kappa", "digits"),
    [
        # scikit-learn cohen_kappa_score = statsmodels = irrCAC, six digits. The paper prints .952 and .630.
        (((0,), (1,), (2,)), 0.952096, 0.629717, SIX_DIGITS),
        (((0, 1), (2,)), 0.952844, 0.630524, SIX_DIGITS),
        (((0,), (1, 2)), 0.991766, 0.751370, SIX_DIGITS),
        (((1,), (0, 2)), 0.959581, 0.587555, SIX_DIGITS),
        # The same libraries, to the digits recorded: one label left out.
        (((1,), (2,)), 0.9595, 0.592, 5.1e-4),
        (((0,), (2,)), 0.9919, 0.769, 5.1e-4),
        (((0,), (1,)), 0.9833, 0.960, 5.1e-4),
    ],
)
def test_preposition_raters(groups: tuple[tuple[int, ...], ...], agreement: float, kappa: float, digits: float) -> None:
    table = merged(*groups)
    assert observed_agreement(table).value == pytest.approx(agreement, abs=min(digits, 5.1e-5))
    assert cohen_kappa(table).estimate.value == pytest.approx(kappa, abs=digits)


def test_preposition_raters_as_published() -> None:
    """Tetreault and Chodorow 2008: agreement .952, kappa .630, from the three labels unmerged."""
    assert f"{observed_agreement(PREPOSITION_RATERS).value:.3f}" == "0.952"
    assert f"{cohen_kappa(PREPOSITION_RATERS).estimate.value:.3f}" == "0.630"


def test_preposition_raters_errors_and_interval() -> None:
    """statsmodels cohens_kappa: standard errors, interval, maximum."""
    kappa = cohen_kappa(PREPOSITION_RATERS)
    assert kappa.standard_error == pytest.approx(0.042574, abs=SIX_DIGITS)
    assert kappa.maximum == pytest.approx(0.930572, abs=SIX_DIGITS)
    assert kappa.estimate.interval is not None
    assert kappa.estimate.interval.low == pytest.approx(0.546272, abs=SIX_DIGITS)
    assert kappa.estimate.interval.high == pytest.approx(0.713161, abs=SIX_DIGITS)


@pytest.mark.parametrize(
    ("weighting", "value", "error"), [("linear", 0.655420, 0.043371), ("quadratic", 0.685179, 0.048751)]
)
def test_weighted_kappa(weighting: Literal["linear", "quadratic"], value: float, error: float) -> None:
    """statsmodels cohens_kappa with weights."""
    kappa = cohen_kappa(PREPOSITION_RATERS, weighting=weighting, order=PREPOSITION_RATERS.labels)
    assert kappa.estimate.value == pytest.approx(value, abs=SIX_DIGITS)
    assert kappa.standard_error == pytest.approx(error, abs=SIX_DIGITS)
    assert kappa.maximum is None


def test_preposition_raters_other_coefficients() -> None:
    """irrCAC: pi, alpha, AC1, Brennan-Prediger (= S)."""
    assert scott_pi(PREPOSITION_RATERS).value == pytest.approx(0.629610, abs=SIX_DIGITS)
    assert krippendorff_alpha(PREPOSITION_RATERS).value == pytest.approx(0.629749, abs=SIX_DIGITS)
    assert gwet_ac1(PREPOSITION_RATERS).value == pytest.approx(0.948784, abs=SIX_DIGITS)
    assert bennett_s(PREPOSITION_RATERS).value == pytest.approx(0.928144, abs=SIX_DIGITS)


def test_preposition_raters_specific_agreement() -> None:
    """2·1213 / (1250 + 1239) = .9747; for errors, both kinds as one, 2·60 / (86 + 97) = .6557."""
    assert specific_agreement(PREPOSITION_RATERS)["ok"].value == pytest.approx(0.9747, abs=5.1e-5)
    assert specific_agreement(merged((0, 1), (2,)))["0"].value == pytest.approx(0.6557, abs=5.1e-5)


def test_small_table() -> None:
    """[[20,5],[10,15]]: statsmodels cohens_kappa; pi and AC1 irrCAC; S = 2·.7 - 1."""
    kappa = cohen_kappa(SMALL)
    assert kappa.observed == pytest.approx(0.70)
    assert kappa.estimate.value == pytest.approx(0.40)
    assert kappa.standard_error == pytest.approx(0.126996, abs=SIX_DIGITS)
    assert kappa.estimate.interval is not None
    assert kappa.estimate.interval.low == pytest.approx(0.151092, abs=SIX_DIGITS)
    assert kappa.estimate.interval.high == pytest.approx(0.648908, abs=SIX_DIGITS)
    assert scott_pi(SMALL).value == pytest.approx(0.393939, abs=SIX_DIGITS)
    assert gwet_ac1(SMALL).value == pytest.approx(0.405941, abs=SIX_DIGITS)
    assert bennett_s(SMALL).value == pytest.approx(0.40)


def test_prevalence_trap() -> None:
    """[[118,5],[2,0]], Feinstein and Cicchetti 1990; coefficients irrCAC."""
    assert observed_agreement(TRAP).value == pytest.approx(0.944)
    assert cohen_kappa(TRAP).estimate.value == pytest.approx(-0.023392, abs=SIX_DIGITS)
    assert scott_pi(TRAP).value == pytest.approx(-0.028807, abs=SIX_DIGITS)
    assert gwet_ac1(TRAP).value == pytest.approx(0.940776, abs=SIX_DIGITS)
    assert bennett_s(TRAP).value == pytest.approx(0.888)


@pytest.mark.parametrize("table", [SMALL, TRAP])
def test_byrt_decomposition(table: PairTable) -> None:
    """Byrt, Bishop and Carlin 1993: kappa = (S - PI² + BI²) / (1 - PI² + BI²)."""
    (both, first), (second, neither) = table.proportions()
    s = require(bennett_s(table).value)
    shift = (first - second) ** 2 - (both - neither) ** 2
    assert cohen_kappa(table).estimate.value == pytest.approx((s + shift) / (1 + shift))


def test_textbook_table() -> None:
    """Fleiss 1971 (statsmodels fleiss_kappa, methods fleiss and randolph): the well-known .210."""
    assert fleiss_kappa(TEXTBOOK).value == pytest.approx(0.209931, abs=SIX_DIGITS)
    assert bennett_s(TEXTBOOK).value == pytest.approx(0.222527, abs=SIX_DIGITS)


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
)
def test_krippendorff_2011(level: Literal["nominal", "ordinal", "interval", "ratio"], alpha: float) -> None:
    """Krippendorff 2011 prints .743, .815, .849, .797; six digits from the package krippendorff 0.9.0."""
    assert krippendorff_alpha(KRIPPENDORFF, level=level, order=FIVE).value == pytest.approx(alpha, abs=SIX_DIGITS)


def test_krippendorff_web_example() -> None:
    """Wikipedia prints .691 and .811; six digits from the package krippendorff 0.9.0."""
    assert krippendorff_alpha(WEB).value == pytest.approx(0.691358, abs=SIX_DIGITS)
    assert krippendorff_alpha(WEB, level="interval").value == pytest.approx(0.810845, abs=SIX_DIGITS)


@pytest.mark.parametrize(
    ("coefficient", "value"),
    [(gwet_ac1, 0.775444), (fleiss_kappa, 0.761169), (conger_kappa, 0.762067), (bennett_s, 0.772727)],
)
def test_varying_raters(coefficient: Callable[..., Estimate], value: float) -> None:
    """The judgments of Krippendorff 2011 under the other coefficients: irrCAC 0.4.4."""
    assert coefficient(KRIPPENDORFF).value == pytest.approx(value, abs=SIX_DIGITS)


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
@pytest.mark.parametrize(("a", "c"), [(5, 2), (118, 7), (3, 1), (41, 17)])
def test_one_label_of_a_rater_leaves_no_error_of_rounding(a: int, c: int, weighting: Weighting) -> None:
    """Kappa is 0 whatever the other rater says, so its variance is 0 and there is no interval of zero width."""
    found = cohen_kappa(PairTable.of([[a, 0], [c, 0]]), weighting=weighting, order=("0", "1"))
    assert found.estimate.value == pytest.approx(0, abs=1e-12)
    assert found.standard_error == 0
    assert found.estimate.no_interval is Undefined.ZERO_WIDTH
