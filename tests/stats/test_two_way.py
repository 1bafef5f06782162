"""Two-way jackknife: what is known in closed form, the limits, and named reasons in place of silent zeros."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from errorbar.core import Interval, Undefined
from errorbar.stats import TwoWay, VariancePrior, jackknife, judge_variances, lean_less, replication, unbiased_variance
from errorbar.stats.two_way import moderate, nested, two_way

Floats = NDArray[np.float64]
RNG = np.random.default_rng(17)


def of_table(table: Floats, prior: VariancePrior | None = None) -> TwoWay | Undefined:
    """The mean of a table of judges and texts with rows and columns left out."""
    m, n = table.shape
    text = [np.delete(table, e, 1).mean() for e in range(n)]
    judge = [np.delete(table, i, 0).mean() for i in range(m)]
    both = [[np.delete(np.delete(table, i, 0), e, 1).mean() for e in range(n)] for i in range(m)]
    return two_way(table.mean(), text, judge, both, prior=prior)


def test_of_a_mean_the_components_are_those_of_analysis_of_variance() -> None:
    table = RNG.normal(size=(4, 7))
    found = of_table(table)
    assert isinstance(found, TwoWay)
    assert found.judges == pytest.approx(table.mean(axis=1).var(ddof=1) / 4)
    assert found.texts == pytest.approx(table.mean(axis=0).var(ddof=1) / 7)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    assert found.both == pytest.approx((rest**2).sum() / (3 * 6) / (4 * 7))


def test_with_equal_parts_the_degrees_of_freedom_add_up() -> None:
    found = TwoWay(0.5, 2e-4, 2e-4, 0.0, 10, 10, 9.0)
    assert found.df == pytest.approx(18)
    interval = found.interval(0.9)
    assert isinstance(interval, Interval)
    assert (interval.high - interval.low) / 2 == pytest.approx(student.ppf(0.95, 18) * np.sqrt(4e-4))
    assert interval.confidence_level == 0.9


def test_where_judges_vary_little_it_is_the_interval_over_texts() -> None:
    found = TwoWay(0.5, 2e-4, 1e-12, 0.0, 30, 2, 1.0)
    assert found.df == pytest.approx(29, rel=1e-3)


def test_the_p_value_is_that_of_the_interval_that_ends_at_0() -> None:
    found = TwoWay(0.03, 1e-4, 5e-5, 0.0, 20, 5, 4.0)
    interval = found.interval(1 - found.p_value)
    assert isinstance(interval, Interval)
    assert interval.low == pytest.approx(0, abs=1e-9)
    assert TwoWay(-0.03, 1e-4, 5e-5, 0.0, 20, 5, 4.0).p_value == found.p_value


def test_a_p_value_is_never_0() -> None:
    assert 0 < TwoWay(0.97, 1.8e-5, 2e-9, 0.0, 1500, 12, 11.0).p_value < 1e-300


def test_a_prior_counts_for_its_degrees_of_freedom() -> None:
    plain = TwoWay(0.5, 2e-4, 5e-5, 0.0, 10, 2, 1.0)
    found = moderate(plain, VariancePrior(1e-4, 4))
    assert found.judges == pytest.approx((4 * 1e-4 + 5e-5) / 5)
    assert found.judges_df == 5
    assert found.texts == plain.texts
    interval = found.interval(0.95)
    assert isinstance(interval, Interval)
    assert interval.method.endswith("moderated")


@pytest.mark.parametrize(
    ("texts", "judges", "reason"),
    [
        ([0.4, 0.6], [0.5], Undefined.ONE_JUDGE),
        ([0.4, 0.6], [], Undefined.ONE_JUDGE),
        ([0.5], [0.4, 0.6], Undefined.ONE_UNIT),
        ([0.4, 0.6], [0.5, 0.5], Undefined.SAME_JUDGES),
        ([0.5, 0.5], [0.4, 0.6], Undefined.SAME_TEXTS),
        ([0.4, 0.6], [0.5, np.nan], Undefined.WITHOUT_A_JUDGE),
        ([0.4, np.nan], [0.5, 0.6], Undefined.WITHOUT_A_TEXT),
    ],
)
def test_what_cannot_be_known_is_named(texts: list[float], judges: list[float], reason: Undefined) -> None:
    assert two_way(0.5, texts, judges) is reason


def test_no_value_has_no_variance() -> None:
    assert two_way(float("nan"), [0.4, 0.6], [0.4, 0.6]) is Undefined.NO_VALUE


def test_two_judges_who_agree_have_the_variance_of_the_prior() -> None:
    found = two_way(0.5, [0.4, 0.6], [0.5, 0.5], prior=VariancePrior(1e-4, 3))
    assert isinstance(found, TwoWay)
    assert found.judges == pytest.approx(0.75e-4)


def test_one_judge_has_the_variance_of_the_prior_alone() -> None:
    found = two_way(0.5, [0.4, 0.6], [0.0], [[0.0, 0.0]], prior=VariancePrior(1e-4, 3))
    assert isinstance(found, TwoWay)
    assert (found.judges, found.judges_df) == (1e-4, 3)


def test_an_unknown_cell_leaves_the_interval() -> None:
    found = two_way(0.5, [0.4, 0.6], [0.4, 0.6], [[0.4, np.nan], [0.5, 0.6]])
    assert isinstance(found, TwoWay)
    assert np.isnan(found.both)
    assert not found.looks_short
    assert isinstance(found.interval(0.95), Interval)


def test_judges_who_vary_less_than_chance_look_short() -> None:
    assert TwoWay(0.5, 2e-4, 1e-5, 2e-5, 10, 3, 2.0).looks_short
    assert not moderate(TwoWay(0.5, 2e-4, 1e-5, 2e-5, 10, 3, 2.0), VariancePrior(1e-4, 3)).looks_short


def sets(m: int, k: int) -> NDArray[np.uint8]:
    return np.array([[i in some for i in range(m)] for some in combinations(range(m), k)], np.uint8)


def test_the_variance_of_a_mean_of_judges_is_known_without_bias() -> None:
    """A set's score is the mean of its judges: Var U is the variance of judges over m, whatever k."""
    judges = RNG.normal(size=8)
    for k in (1, 2, 3, 4):
        masks = sets(8, k)
        zeta = judge_variances(masks @ judges / k, masks)
        assert zeta is not None
        assert zeta[-1] == pytest.approx(judges.var(ddof=1) / k)
        assert unbiased_variance(zeta, 8) == pytest.approx(judges.var(ddof=1) / 8)


def test_sets_that_all_overlap_tell_nothing_of_fresh_ones() -> None:
    masks = sets(5, 3)
    assert judge_variances(RNG.normal(size=len(masks)), masks) is None


def test_the_variance_is_unbiased_for_scores_that_are_no_means() -> None:
    """The largest of k judges: over many draws the mean of the estimates is the variance of U."""
    m, k, rounds = 5, 2, 4000
    masks = sets(m, k)
    us, estimates = [], []
    for _ in range(rounds):
        judges = RNG.normal(size=m)
        scores = np.where(masks > 0, judges, -np.inf).max(axis=1)
        zeta = judge_variances(scores, masks)
        assert zeta is not None
        us.append(scores.mean())
        estimates.append(unbiased_variance(zeta, m))
    error = np.hypot(np.std(estimates) / np.sqrt(rounds), np.var(us) * np.sqrt(2 / rounds))
    assert np.mean(estimates) == pytest.approx(np.var(us), abs=4 * error)


def test_the_same_order_is_even_at_0_and_surer_the_larger_the_difference() -> None:
    assert replication(0.0, 1.0, 10) == 0.5
    assert replication(2.0, 2.0, 10) == pytest.approx(student.cdf(1.0, 10))
    assert replication(-0.1, 1e-4, 10) < 0.01
    assert jackknife([1.0, 1.0]) == 0.0


@pytest.mark.parametrize("n_judges", [1, 2, 5])
def test_leaning_less_is_leaning_on_a_share(n_judges: int) -> None:
    """The degrees of freedom that the prior counts for stay; with its whole share nothing changes."""
    own = TwoWay(0.03, 1e-4, 5e-5 * (n_judges > 1), 0.0, 20, n_judges, n_judges - 1.0)
    found = moderate(own, VariancePrior(4e-4, 3))
    half, whole = (lean_less(found, VariancePrior(4e-4, 3), share) for share in (0.5, 1.0))
    again = moderate(own, VariancePrior(2e-4, 3))
    assert (half.judges, half.judges_df) == pytest.approx((again.judges, again.judges_df))
    assert whole.judges == pytest.approx(found.judges)


# Editors of a system: test values of the definitions of references made for a system, section 5


def without(values: Sequence[float]) -> list[float]:
    """The mean of values without each."""
    return [float(np.mean([*values[:k], *values[k + 1 :]])) for k in range(len(values))]


def without_texts(value: float, variance: float, n: int = 1312) -> Floats:
    """Values without each of n texts, whose jackknife variance is given."""
    return np.asarray(value + np.sqrt(variance / (n - 1)) * np.tile([1.0, -1.0], n // 2))


def test_two_editors_of_a_system() -> None:
    """F of .60 and .64: V_e = .0008, V_e/e = .0004; with V_t = .0001 the s.e. is .02236 of 1.5625 df."""
    found = two_way(0.62, without_texts(0.62, 1e-4), without([0.60, 0.64]), few=True)
    assert isinstance(found, TwoWay)
    assert found.value == 0.62
    assert found.judges == pytest.approx(0.0004)
    assert found.texts == pytest.approx(0.0001)
    assert found.variance**0.5 == pytest.approx(0.02236, abs=5e-6)
    assert found.df == pytest.approx(0.0005**2 / (0.0004**2 / 1 + 0.0001**2 / 1311))
    assert found.df == pytest.approx(1.5625, abs=1e-4)


def test_the_half_width_of_few_editors_is_the_root_of_both_parts() -> None:
    """Howe 1974: each part with its own t; p is that of the interval that ends at 0, and no smaller than by one t."""
    found = two_way(0.05, without_texts(0.05, 1e-4), without([0.04, 0.05, 0.06]), few=True)
    assert isinstance(found, TwoWay)
    both = student.ppf(0.975, 1311) ** 2 * 1e-4 + student.ppf(0.975, 2) ** 2 * 1e-4 / 3
    assert found.half_width(0.95) == pytest.approx(both**0.5)
    assert found.half_width(1 - found.p_value) == pytest.approx(0.05, rel=1e-6)
    assert found.p_value > found._replace(few=False).p_value


def test_editors_who_always_agree_leave_the_interval_over_texts() -> None:
    found = two_way(0.6, without_texts(0.6, 1e-4), [0.6, 0.6], few=True)
    assert isinstance(found, TwoWay)
    assert (found.judges, found.over_texts_alone) == (0, True)
    assert found.half_width(0.95) == pytest.approx(student.ppf(0.975, 1311) * 0.01)
    assert two_way(0.6, without_texts(0.6, 1e-4), [0.6, 0.6]) is Undefined.SAME_JUDGES


def test_the_variances_of_editors_of_two_systems_add_up() -> None:
    """V_e(a)/e_a + V_e(b)/e_b: .0004 of 1 df, and .02 squared over 3 of 2 df, worked out by hand."""
    first, second = [0.60, 0.64], [0.50, 0.52, 0.54]
    found = nested(0.10, without_texts(0.10, 1e-4), without(first), without(second))
    assert isinstance(found, TwoWay)
    b = 0.02**2 / 3
    assert found.judges == pytest.approx(0.0004 + b)
    assert found.df == pytest.approx((0.0005 + b) ** 2 / (0.0004**2 / 1 + b**2 / 2 + 0.0001**2 / 1311))
    assert found.p_value == pytest.approx(2 * student.sf(0.10 / (0.0005 + b) ** 0.5, found.df))
    assert nested(0.1, without_texts(0.1, 1e-4), [0.1], without(second)) is Undefined.ONE_JUDGE
