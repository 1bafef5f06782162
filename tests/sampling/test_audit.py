"""Audited precision from counts by stratum: formulas, limits, sizes and coverage."""

from __future__ import annotations

from math import comb, isclose, sqrt

import numpy as np
import pytest
from scipy.special import betaincinv

from errorbar.api import ValidityRule
from errorbar.api.audit import _with_judged
from errorbar.core import Undefined
from errorbar.sampling import Sample
from errorbar.sampling.audit import (
    AuditAnswers,
    AuditStrata,
    OfficialCounts,
    audit_allocation,
    audit_budget,
    audit_half_widths,
    estimate_audit,
    order_key,
)
from errorbar.sampling.intervals import unlike_bound
from tests.helpers.expectations import expect_refusal, require
from tests.sampling.audit_runs import Audits, audit_coverage, judged_anew

TWO = AuditStrata(
    ("a + b", "a", "b"),
    np.array([20, 300, 200]),
    np.array([[True, True, False], [True, False, True]]),
    (OfficialCounts("a", 280, 600, 1200), OfficialCounts("b", 180, 400, 1200)),
)
N, X = np.array([10, 100, 80]), np.array([6.0, 25.0, 30.0])
JUDGED = AuditAnswers(Sample(N, X))


def test_values_are_the_formula() -> None:
    systems, (difference,) = estimate_audit(TWO, JUDGED)
    a, b = systems
    assert a.valid == pytest.approx(12 + 75)
    assert a.precision.value == pytest.approx((280 + 87) / 600)
    assert b.precision.value == pytest.approx((180 + 12 + 75) / 400)
    assert difference.audited.value == pytest.approx(367 / 600 - 267 / 400)
    assert difference.official == pytest.approx(280 / 600 - 180 / 400)
    assert a.official[1] == a.system.correct / 1200
    assert a.recall_if_new == pytest.approx(367 / 1287)
    assert a.recall_if_other == pytest.approx(367 / 1200)
    p, r = 367 / 600, 280 / 1200
    assert a.f.value == pytest.approx(1.25 * p * r / (0.25 * p + r))
    made = require(a.precision.interval)
    s = [x / n * (1 - x / n) * n / (n - 1) for n, x in zip((10, 100), (6, 25), strict=True)]
    error = sqrt(20**2 * (1 / 10 - 1 / 20) * s[0] + 300**2 * (1 / 100 - 1 / 300) * s[1]) / 600
    assert made.high - made.low == pytest.approx(2 * 1.959964 * error, rel=0.01)  # smoothing adds little
    assert a.f.interval is not None
    assert a.f.value is not None
    assert a.f.interval.low < a.f.value < a.f.interval.high


def test_a_shared_edit_moves_both_systems_and_hardly_their_difference() -> None:
    weights = TWO.weights()
    assert weights[0, 0] - weights[1, 0] == pytest.approx(1 / 600 - 1 / 400)


def test_everything_judged_has_no_interval() -> None:
    systems, _ = estimate_audit(TWO, AuditAnswers(Sample(TWO.sizes, np.array([10.0, 60.0, 70.0]))))
    assert systems[0].precision.value == pytest.approx((280 + 70) / 600)
    assert systems[0].precision.no_interval is Undefined.ZERO_WIDTH


@pytest.mark.parametrize("x", [np.zeros(3), N.astype(np.float64)])
def test_all_alike_still_has_width(x: np.ndarray) -> None:
    for system in estimate_audit(TWO, AuditAnswers(Sample(N, x)))[0]:
        made = require(system.precision.interval)
        assert system.precision.value is not None
        assert made.low <= system.precision.value + 1e-12
        assert made.high > made.low


def test_one_judged_edit_of_a_stratum() -> None:
    systems, _ = estimate_audit(TWO, AuditAnswers(Sample.of([1, 1, 1], [1.0, 0.0, 0.0])))
    assert all(system.precision.interval is not None for system in systems)


def test_a_stratum_without_a_judgment_is_taken_for_like_the_others_and_widens() -> None:
    """Of which nobody could tell anything: 20 edits with the share of all judged ones, as if all were alike."""
    systems, _ = estimate_audit(TWO, AuditAnswers(Sample.of([0, 100, 80], [0.0, 25.0, 30.0])))
    assert systems[0].valid == pytest.approx(75 + 20 * 55 / 180)
    known, unknown = estimate_audit(TWO, JUDGED)[0][0].precision.interval, systems[0].precision.interval
    assert known is not None
    assert unknown is not None
    assert unknown.high - unknown.low > known.high - known.low


def test_nothing_proposed() -> None:
    strata = AuditStrata(
        ("a",), np.array([5]), np.array([[True], [False]]), (OfficialCounts("a", 1, 6, 9), OfficialCounts("b", 0, 0, 9))
    )
    systems, (difference,) = estimate_audit(strata, AuditAnswers(Sample.of([3], [1.0])))
    assert systems[1].precision.undefined is Undefined.NOTHING_PROPOSED
    assert difference.audited.value is None


@pytest.mark.parametrize(("n", "x"), [([0, 0, 0], [0, 0, 0]), ([21, 5, 5], [0, 1, 1]), ([5, 5, 5], [6, 1, 1])])
def test_counts_that_do_not_fit(n: list[int], x: list[float]) -> None:
    with expect_refusal("audit-counts"):
        estimate_audit(TWO, AuditAnswers(Sample.of(n, x)))


def test_budget_is_the_smallest_that_is_enough() -> None:
    n = audit_budget(TWO, 0.03)
    assert (audit_half_widths(TWO, n) <= 0.03).all()
    assert not (audit_half_widths(TWO, audit_allocation(TWO, int(n.sum()) - 1)) <= 0.03).all()
    assert audit_allocation(TWO, 10**6).tolist() == TWO.sizes.tolist()


def test_a_budget_is_that_of_the_textbook() -> None:
    """Cochran 1977, chapter 4: n₀ = z² p (1 - p) / h² with h = w P / u, and n = n₀ / (1 + n₀ / u)."""
    strata = AuditStrata(("a",), np.array([1067]), np.array([[True]]), (OfficialCounts("a", 950, 2017, 4217),))
    first = 1.959964**2 / 4 / (0.03 * 2017 / 1067) ** 2
    assert abs(first / (1 + first / 1067) - audit_budget(strata, 0.03).sum()) <= 1


def test_the_order_depends_on_names_and_seed_alone() -> None:
    assert order_key(0, "x") == order_key(0, "x")
    assert order_key(0, "x") != order_key(1, "x")


ALONE = AuditStrata(
    ("a", "b"),
    np.array([960, 60]),
    np.eye(2, dtype=np.bool_),
    (OfficialCounts("a", 980, 1940, 3000), OfficialCounts("b", 40, 100, 3000)),
)


def test_a_difference_knows_what_is_exact_of_one_system() -> None:
    """None of b's 15 judged edits is valid, so that up to 12 of its 60 may be: by square-and-add, the rest is a's."""
    heard = AuditAnswers(Sample.of([150, 15], [30.0, 0.0]))
    (a, b), (difference,) = estimate_audit(ALONE, heard)
    of_a, of_b, both = a.precision.interval, b.precision.interval, difference.audited.interval
    assert of_a is not None
    assert of_b is not None
    assert both is not None
    unlike = max(m for m in range(46) if comb(60 - m, 15) / comb(60, 15) >= 0.025)
    assert (of_b.low, of_b.high) == pytest.approx((0.4, 0.4 + unlike / 100))
    rates = [30.5 / 151, 0.5 / 16]
    middle = [980 / 1940 + (30 + 810 * rates[0]) / 1940, 0.4 + 45 * rates[1] / 100]
    below = sqrt((middle[0] - of_a.low) ** 2 + (of_b.high - middle[1]) ** 2)
    assert both.low == pytest.approx(middle[0] - middle[1] - below)
    assert both.method == "square-and-add, exact where all alike"


@pytest.mark.parametrize(
    ("strata", "valid", "n"),
    [
        (ALONE, [200, 3], [150, 15]),  # the difference was held in .80
        (
            AuditStrata(
                ("a", "b", "a + b"),
                np.array([1500, 300, 20]),
                np.array([[1, 0, 1], [0, 1, 1]], np.bool_),
                (OfficialCounts("a", 980, 2500, 3000), OfficialCounts("b", 300, 620, 3000)),
            ),
            [300, 25, 10],  # b in .82
            [150, 20, 8],
        ),
    ],
)
def test_coverage_of_a_small_system_beside_a_large_one(strata: AuditStrata, valid: list[int], n: list[int]) -> None:
    found = audit_coverage(strata, np.array(valid), np.array(n), 500)
    assert all(share > 0.9 for share in found.values()), found


def test_degrees_of_freedom_are_of_the_edits_of_the_system() -> None:
    """Twenty of b's edits and a thousand of a's: b's interval over judges has 19 degrees of freedom."""
    strata = AuditStrata(
        ("a", "b"),
        np.array([2000, 40]),
        np.eye(2, dtype=np.bool_),
        (OfficialCounts("a", 9, 2009, 9), OfficialCounts("b", 9, 49, 9)),
    )
    left = [AuditAnswers(Sample.of([1000, 20], [500.0, 8.0]))] * 2
    for system in estimate_audit(strata, AuditAnswers(Sample.of([1000, 20], [500.0, 8.0])), without=left)[0]:
        alone, both = system.precision.interval, system.judges.interval
        assert alone is not None
        assert both is not None
        df = 999 if system.system.name == "a" else 19
        tail = betaincinv(df / 2, 0.5, 0.05)
        assert (both.high - both.low) / (alone.high - alone.low) == pytest.approx(
            sqrt(df * (1 - tail) / tail) / 1.959964, abs=2e-6
        )


def test_coverage() -> None:
    found = audit_coverage(TWO, np.array([11, 80, 60]), np.array([10, 110, 80]), 500)
    assert all(share > 0.92 for share in found.values()), found
    assert isclose(len(found), 3)


def test_shares_of_one_rater_are_of_raters_without_end_where_all_are_alike_too() -> None:
    """All 30 edits were judged, by one rater each, none of them valid: what others find is as of a binomial."""
    strata = AuditStrata(("a",), np.array([30]), np.array([[True]]), (OfficialCounts("a", 70, 100, 200),))
    heard = AuditAnswers(Sample(np.array([30]), np.zeros(1), corrected=np.zeros(1)))
    made = require(estimate_audit(strata, heard)[0][0].precision.interval)
    assert made.low == pytest.approx(0.7)
    assert made.high == pytest.approx(0.7 + 0.3 * (1 - 0.025 ** (1 / 30)), abs=0.002)


@pytest.mark.parametrize("size", [40, 84, 300])
def test_where_all_are_alike_the_bound_is_the_exact_one(size: int) -> None:
    n = 30
    bound = int(unlike_bound(np.array([size]), np.array([n]), np.array([1.0]), 0.95))
    chances = [comb(size - m, n) / comb(size, n) for m in (bound, bound + 1)]
    assert chances[0] >= 0.025 > chances[1]


def test_the_bound_of_several_strata_is_none_too_small() -> None:
    """Against every pair of numbers of unlike items."""
    sizes, n, weights = (30, 20), (10, 4), (1.0, 2.0)

    def chance(m: tuple[int, int]) -> float:
        pairs = zip(sizes, n, m, strict=True)
        return float(np.prod([comb(N - M, k) / comb(N, k) for N, k, M in pairs]))

    kept = [(a, b) for a in range(21) for b in range(17) if chance((a, b)) >= 0.025]
    largest = max(a * weights[0] + b * weights[1] for a, b in kept)
    bound = unlike_bound(np.array(sizes), np.array(n), np.array(weights), 0.95)
    assert largest <= bound <= largest + max(weights)
    assert unlike_bound(np.array(sizes), np.array([0, 20]), np.array(weights), 0.95) == 30
    assert unlike_bound(np.array(sizes), np.array(sizes), np.array(weights), 0.95) == 0


def test_judges_widen_the_interval_by_the_jackknife() -> None:
    """One stratum; three judges, without whom 28, 30 and 32 of 100 are valid."""
    strata = AuditStrata(("a",), np.array([400]), np.array([[True]]), (OfficialCounts("a", 600, 1000, 2000),))
    left = [AuditAnswers(Sample.of([100], [x])) for x in (28.0, 30.0, 32.0)]
    (system,), _ = estimate_audit(strata, AuditAnswers(Sample.of([100], [30.0])), without=left)
    made = require(system.judges.interval)
    p = np.array([0.6 + 0.4 * share for share in (0.28, 0.3, 0.32)])
    judges = 2 / 3 * ((p - p.mean()) ** 2).sum()
    rate = 30.5 / 101
    edits = 400**2 * (1 / 100 - 1 / 400) * rate * (1 - rate) * 100 / 99 / 1000**2
    freedom = (edits + judges) ** 2 / (edits**2 / 99 + judges**2 / 2)
    tail = betaincinv(freedom / 2, 0.5, 0.05)
    t = sqrt(freedom * (1 - tail) / tail)
    assert made.high - made.low == pytest.approx(2 * t * sqrt(edits + judges))
    assert made.method == "edits + jackknife over judges, t"


def test_one_judge_says_nothing_of_others() -> None:
    assert all(system.judges.no_interval is Undefined.ONE_JUDGE for system in estimate_audit(TWO, JUDGED)[0])


def test_a_small_budget_lowers_the_floor_and_one_that_is_too_small_is_refused() -> None:
    many = AuditStrata(tuple("abcdef"), np.full(6, 10), np.eye(6, dtype=np.bool_), (OfficialCounts("a", 1, 99, 9),) * 6)
    assert audit_allocation(many, 13).min() == 2
    assert audit_allocation(many, 6).tolist() == [1] * 6
    with expect_refusal("sample-budget"):
        audit_allocation(many, 5)


@pytest.mark.parametrize(
    ("judged", "drawn", "taken"),
    [
        ("110000", 2, 2),  # what was planned is there
        ("111100", 2, 4),  # and more of it
        ("000000", 3, 3),
        ("101100", 3, 5),  # on to one that is to be judged
        ("101000", 4, 4),
        ("101111", 3, 6),
    ],
)
def test_what_was_judged_earlier_is_taken_along(judged: str, drawn: int, taken: int) -> None:
    assert _with_judged([digit == "1" for digit in judged], drawn) == taken


@pytest.mark.parametrize(
    ("rule", "truths"),
    [
        ("majority", [0, 0, 1, 1]),
        ("any", [0, 1, 1, 1]),
        ("all", [0, 0, 0, 1]),
        ("2", [0, 0, 1, 1]),
        ("graded", [0, 0.5, 2 / 3, 1]),
    ],
)
def test_rules(rule: str, truths: list[float]) -> None:
    found = ValidityRule.of(rule).truths(np.array([0, 1, 2, 2]), np.array([1, 2, 3, 2]))
    assert found.tolist() == pytest.approx(truths)


def test_a_tie_is_a_half_where_a_judge_is_left_out() -> None:
    """Of the first edit and the third; nobody is left out of those of the second."""
    short = np.array([True, False, True])
    assert ValidityRule.of("majority").truths(np.array([1, 1, 2]), np.array([2, 2, 3]), short).tolist() == [
        0.5,
        0.0,
        1.0,
    ]


def test_where_a_judge_is_left_out_a_number_of_raters_can_be_reached_by_a_further_one() -> None:
    """Two must say so: one of one who is left does, one of three, none of one, and two of two."""
    valid, told = np.array([1, 1, 0, 2]), np.array([1, 3, 1, 2])
    found = ValidityRule.of("2").truths(valid, told, np.ones(4, np.bool_))
    assert found.tolist() == pytest.approx([1, 1 / 3, 0, 1])
    assert ValidityRule.of("2").truths(valid, told).tolist() == [0, 0, 0, 1]
    for rule in ("any", "1"):  # a further one changes nothing where nobody says so
        assert ValidityRule.of(rule).truths(valid, told, np.ones(4, np.bool_)).tolist() == [1, 1, 0, 1]


@pytest.mark.slow
def test_judged_edits_that_are_taken_along_shift_nothing() -> None:
    """Nine of ten edits of a stratum were judged earlier, and a fifth of them is valid; of the others seven of ten."""
    rng = np.random.default_rng(3)
    early = np.arange(400) < 360
    y = np.concatenate([np.arange(360) % 5 == 0, np.arange(40) % 10 < 7]).astype(np.float64)
    shares = []
    for _ in range(8000):
        order = rng.permutation(400)
        shares.append(y[order[: _with_judged(early[order].tolist(), 20)]].mean())
    assert abs(np.mean(shares) - y.mean()) < 0.005  # .013 if runs of judged ones end before one that is to be judged


FIVE = (600, 250, 100, 35, 15)


@pytest.mark.slow
@pytest.mark.parametrize(
    "audits",
    [
        Audits(0.2, 0.2),  # audited precision .36
        Audits(0.47, 0.22),
        Audits(0.2, 0.6, FIVE),
        Audits(0.75, 0.8, FIVE),  # .95
        Audits(0.47, 0.22, FIVE, accuracy=0.9),
        Audits(0.2, 0.2, FIVE, accuracy=0.7),
        Audits(0.47, 0.22, FIVE, accuracy=0.5),  # votes that say nothing
        Audits(0.75, 0.8, FIVE, accuracy=0.3),  # and such as mislead
    ],
)
def test_coverage_of_two_hundred_edits(audits: Audits) -> None:
    held, _ = audits.coverage(2000)
    assert held >= 0.93


@pytest.mark.slow
def test_good_votes_make_intervals_narrower_and_useless_ones_hardly_wider() -> None:
    alone, good, useless = (Audits(0.47, 0.22, FIVE, proxy).coverage(400)[1] for proxy in (None, 0.9, 0.5))
    assert good < 0.85 * alone
    assert useless < 1.03 * alone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judges", "rule", "least"),
    [
        (2, "majority", 0.89),
        (3, "majority", 0.88),
        (3, "graded", 0.9),
        (5, "majority", 0.92),
        (5, "graded", 0.93),
        (8, "any", 0.93),
    ],
)
def test_coverage_where_judges_are_drawn_anew(judges: int, rule: str, least: float) -> None:
    """Two and three judges are too few for the jackknife, and the result says so; edits alone miss far more."""
    edits, both = judged_anew(judges, rule, 1000)
    assert both >= least
    assert edits < 0.8
