"""The report, undefined cases, and what is said about bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from errorbar import Judgments, Resampling
from errorbar.agreement import (
    PairTable,
    agreement_report,
    alpha_kernel,
    cohen_kappa,
    drop_unknown_labels,
    item_counts,
    kernel_of,
    krippendorff_alpha,
    pair_table,
    pairwise_agreement,
)
from errorbar.agreement.coefficients import (
    EXPECTED,
    Kernel,
    bennett_s,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    scott_pi,
    specific_agreement,
    specific_kernel,
)
from errorbar.agreement.cohen import agreement_weights, cohen_kernel
from errorbar.agreement.krippendorff import LEVELS
from errorbar.agreement.report import prevalence_and_bias
from errorbar.core import Estimate, Interval, Undefined, UsageError
from tests.agreement.examples import FIVE, KRIPPENDORFF, PREPOSITION_RATERS, SMALL, TRAP
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require


def resampling(seed: int = 1, n: int = 500, level: float = 0.95) -> Resampling:
    return Resampling("percentile", n, level, seed)


def test_one_label_is_undefined_and_says_so() -> None:
    judgments = Judgments.from_matrix([["ok", "ok"], ["ok", "ok"]], labels=("ok", "error"))
    report = agreement_report(judgments, resampling=resampling())
    for name in ("krippendorff", "fleiss", "scott", "cohen"):
        assert report.coefficients[name].value is None
        assert report.coefficients[name].undefined is Undefined.ONE_LABEL
    # With "error" declared as a possible answer, these two have a chance agreement below 1.
    assert report.coefficients["gwet"].value == 1
    assert report.coefficients["bennett"].value == 1
    assert report.coefficients["bennett"].interval is None
    assert report.coefficients["bennett"].no_interval is Undefined.NO_VARIATION
    assert report.specific["error"].undefined is Undefined.LABEL_NOT_USED
    assert report.specific["ok"].value == 1


def test_a_single_possible_label() -> None:
    judgments = Judgments.from_matrix([["ok", "ok"], ["ok", "ok"]])
    assert gwet_ac1(judgments).undefined is Undefined.ONE_LABEL
    assert bennett_s(judgments).undefined is Undefined.ONE_LABEL


@pytest.mark.parametrize("coefficient", [krippendorff_alpha, fleiss_kappa, gwet_ac1, bennett_s, conger_kappa])
def test_no_item_judged_twice(coefficient: Callable[..., Estimate]) -> None:
    judgments = Judgments.from_matrix([["a", None], [None, "b"]])
    found = coefficient(judgments, resampling=resampling())
    assert (found.value, found.n_units, found.undefined) == (None, 0, Undefined.TOO_FEW_RATERS)


@pytest.mark.parametrize("coefficient", [krippendorff_alpha, fleiss_kappa, gwet_ac1, bennett_s, conger_kappa])
def test_no_judgment_at_all(coefficient: Callable[..., Estimate]) -> None:
    assert coefficient(Judgments.from_columns([], [], [])).undefined is Undefined.TOO_FEW_RATERS


def test_items_that_nobody_judged_change_nothing() -> None:
    some = Judgments.from_matrix([["a", "a"], ["a", "b"], ["b", "b"]])
    more = Judgments.from_matrix([["a", "a"], [None, None], ["a", "b"], ["b", "b"], [None, None]])
    clusters = ([0, 1, 1], [0, 7, 1, 1, 8])
    for coefficient in (krippendorff_alpha, conger_kappa, gwet_ac1):
        assert coefficient(some, resampling=resampling()) == coefficient(more, resampling=resampling())
    first, second = (
        agreement_report(judgments, clusters=groups, resampling=resampling())
        for judgments, groups in zip((some, more), clusters, strict=True)
    )
    assert first.coefficients == second.coefficients
    kappas = [
        conger_kappa(judgments, clusters=groups, resampling=resampling())
        for judgments, groups in zip((some, more), clusters, strict=True)
    ]
    assert kappas[0] == kappas[1]
    assert kappas[0].n_clusters == 2


def test_one_cluster_has_no_interval() -> None:
    judgments = Judgments.from_matrix([["a", "a"], ["a", "b"], ["b", "b"], ["b", "a"]] * 3)
    one_cluster, two_clusters = (
        krippendorff_alpha(item_counts(judgments, [*[0] * 6, *[last] * 6]), resampling=resampling()) for last in (0, 1)
    )
    assert (one_cluster.interval, one_cluster.no_interval) == (None, Undefined.ONE_UNIT)
    assert two_clusters.interval is not None


def test_how_much_is_held_at_a_time_changes_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    clusters = np.arange(12) // 3
    tables = [item_counts(KRIPPENDORFF), item_counts(KRIPPENDORFF, clusters)]
    before = [krippendorff_alpha(table, resampling=resampling()) for table in tables]
    monkeypatch.setattr("errorbar.stats.resampling.MOST_HELD", 30)
    assert [krippendorff_alpha(table, resampling=resampling()) for table in tables] == before
    assert all(alpha.interval is not None for alpha in before)


def test_no_common_item() -> None:
    judgments = Judgments.from_matrix([["a", None], [None, "b"]])
    kappa = pairwise_agreement(judgments)[0].kappa
    assert kappa.estimate.undefined is Undefined.TOO_FEW_RATERS
    assert (kappa.observed, kappa.standard_error, kappa.maximum) == (None, None, None)
    assert prevalence_and_bias(pair_table(judgments, "1", "2")).prevalence == {}


def test_one_item_has_no_interval() -> None:
    found = krippendorff_alpha(Judgments.from_matrix([["a", "b"]]), resampling=resampling())
    assert found.value == 0
    assert (found.interval, found.no_interval) == (None, Undefined.ONE_UNIT)


def test_perfect_agreement_has_no_interval_of_width_zero() -> None:
    kappa = cohen_kappa(PairTable.of([[5, 0], [0, 5]]))
    assert kappa.estimate.value == 1
    assert (kappa.estimate.interval, kappa.estimate.no_interval) == (None, Undefined.ZERO_WIDTH)


def test_clustered_items_get_no_closed_form() -> None:
    judgments = Judgments.from_matrix([["a", "a"], ["a", "b"], ["b", "b"], ["b", "a"]])
    table = pair_table(judgments, "1", "2", [0, 0, 1, 1])
    assert cohen_kappa(table).estimate.no_interval is Undefined.DEPENDENT_UNITS
    assert cohen_kappa(table, resampling=resampling()).estimate.n_clusters == 2
    assert pairwise_agreement(judgments, clusters=[0, 0, 1, 1])[0].kappa.estimate.interval is None


def test_clusters_widen_the_interval() -> None:
    """Every item stands ten times in its cluster: the same agreement, a tenth of the information."""
    generator = np.random.default_rng(3)
    rows = [[str(a), str(a if generator.random() < 0.8 else 1 - a)] for a in generator.integers(0, 2, 60)]
    judgments = Judgments.from_matrix([row for row in rows for _ in range(10)])
    clusters = np.repeat(np.arange(60), 10)
    widths = []
    for groups in (None, clusters):
        report = agreement_report(judgments, clusters=groups, resampling=resampling(n=2000))
        for estimate in (report.coefficients["krippendorff"], report.coefficients["cohen"]):
            assert estimate.interval is not None
            widths.append(estimate.interval.high - estimate.interval.low)
    assert widths[2] / widths[0] == pytest.approx(10**0.5, rel=0.15)
    assert widths[3] / widths[1] == pytest.approx(10**0.5, rel=0.15)


def test_bootstrap_of_the_preposition_raters() -> None:
    """An independent bootstrap of the same table gave .542 to .709."""
    found = require(cohen_kappa(PREPOSITION_RATERS, resampling=resampling(n=4000)).estimate.interval)
    assert (found.low, found.high) == pytest.approx((0.542, 0.709), abs=0.006)
    assert found.method == "bootstrap-percentile"


def kernels_of_krippendorffs_example() -> dict[str, Kernel]:
    table = item_counts(KRIPPENDORFF)
    made: dict[str, Kernel] = {f"alpha {level}": alpha_kernel(table, level, FIVE) for level in LEVELS}
    made |= {name: kernel_of(name, table) for name in EXPECTED}
    return made | {"specific": specific_kernel(table)}


def test_many_resamples_at_once_are_each_alone() -> None:
    kernels = kernels_of_krippendorffs_example()
    weights = np.random.default_rng(4).integers(0, 4, (6, len(item_counts(KRIPPENDORFF).units.frequency))).astype(float)
    cells = np.random.default_rng(5).integers(0, 9, (6, 9)).astype(float)
    for weighting in ("none", "linear", "quadratic"):
        kernel = cohen_kernel(np.arange(9), agreement_weights("abc", weighting, "abc"))
        np.testing.assert_allclose(kernel(cells), [kernel(row[None])[0] for row in cells], rtol=1e-12)
    for kernel in kernels.values():
        np.testing.assert_allclose(kernel(weights), [kernel(row[None])[0] for row in weights], rtol=1e-12)


def test_a_resample_is_the_coefficient_of_its_items() -> None:
    """Every row of the counts as often as the resample holds it, against judgments that are written out so often."""
    rows: list[list[int | None]] = [[1, 1, 2], [2, 2, 2], [1, 3, None], [3, 3, None]]
    times = [2, 1, 0, 3]
    table = item_counts(Judgments.from_matrix(rows, labels=("1", "2", "3")))
    drawn = Judgments.from_matrix(
        [row for row, n in zip(rows, times, strict=True) for _ in range(n)], labels=("1", "2", "3")
    )
    # Rows of the counts are those of the matrix in another order.
    of_row = {tuple(row.count(k) for k in (1, 2, 3)): n for row, n in zip(rows, times, strict=True)}
    weights = np.array([[of_row[tuple(int(n) for n in counts)] for counts in table.counts.toarray()]], float)
    for level in LEVELS:
        found = alpha_kernel(table, level, ("1", "2", "3"))(weights)[0]
        assert found == pytest.approx(krippendorff_alpha(drawn, level=level, order=("1", "2", "3")).value)
    assert kernel_of("fleiss", table)(weights)[0] == pytest.approx(fleiss_kappa(drawn).value)
    assert kernel_of("gwet", table)(weights)[0] == pytest.approx(gwet_ac1(drawn).value)


def test_every_coefficient_takes_the_resampling() -> None:
    assert scott_pi(SMALL, resampling=resampling()).interval == fleiss_kappa(SMALL, resampling=resampling()).interval
    assert scott_pi(SMALL, resampling=resampling()).interval is not None
    found = specific_agreement(SMALL, resampling=resampling())
    assert all(agreement.interval is not None for agreement in found.values())
    assert conger_kappa(KRIPPENDORFF, resampling=resampling()).interval is not None
    rows = [[str(a), str(b)] for a in (0, 1) for b in (0, 1) for _ in range(int(SMALL.counts[a, b]))]
    report = agreement_report(Judgments.from_matrix(rows), resampling=resampling())
    assert report.coefficients["scott"].interval is not None
    unpaired = specific_agreement(Judgments.from_matrix([["a", None], [None, "b"]]))
    assert {agreement.undefined for agreement in unpaired.values()} == {Undefined.TOO_FEW_RATERS}


def test_clustered_pairs_without_a_common_item_stay_undefined() -> None:
    rows = [["a", "a", None], ["a", "b", None], ["b", "b", None], ["b", "b", None], [None, "a", "b"], [None, "b", "b"]]
    pairs = pairwise_agreement(Judgments.from_matrix(rows * 5), clusters=range(30), resampling=resampling(level=0.9))
    assert [pair.kappa.estimate.undefined for pair in pairs] == [None, Undefined.TOO_FEW_RATERS, None]
    assert pairs[1].kappa.estimate.interval is None
    first = pairs[0].kappa.estimate
    assert first.interval is not None
    assert first.n_clusters == 30
    plain = pairwise_agreement(Judgments.from_matrix(rows * 5), resampling=resampling(level=0.5))
    closed = require(plain[0].kappa.estimate.interval)
    assert (closed.confidence_level, closed.method) == (0.5, "closed form")


def test_a_rater_who_said_nothing_plays_no_part_in_congers_kappa() -> None:
    whole = Judgments.from_matrix([["a", "a", "b"], ["a", "b", "b"], ["b", "b", "a"], ["a", "a", "a"]])
    for silent in range(3):
        some = whole.take(whole.rater != silent)
        assert some.raters == whole.raters
        others = some.only([name for k, name in enumerate(whole.raters) if k != silent])
        # Two raters who judged every item: Cohen's kappa.
        pair = pair_table(others, others.raters[0], others.raters[1])
        assert conger_kappa(some).value == pytest.approx(cohen_kappa(pair).estimate.value)


def test_many_labels_change_nothing_but_their_number() -> None:
    rows: list[list[str | None]] = [list("aab"), list("abb"), list("aab"), list("bbb"), ["a", None, "b"]]
    few, many = (
        Judgments.from_matrix(rows, labels=labels) for labels in (("a", "b"), ("a", "b", *map(str, range(70))))
    )
    assert krippendorff_alpha(many).value == pytest.approx(krippendorff_alpha(few).value)
    assert fleiss_kappa(many).value == pytest.approx(fleiss_kappa(few).value)
    table = item_counts(many)
    # Two items were judged alike, a, a and b: four patterns of five items.
    assert sorted(table.units.frequency.tolist()) == [1, 1, 1, 2]
    assert table.counts.shape == (4, 72)


def test_interval_alpha_of_large_numbers_keeps_its_digits() -> None:
    small = [[0, 1], [1, 1], [2, 2], [3, 1]]
    large = [[value + 10**8 for value in row] for row in small]
    expected = krippendorff_alpha(Judgments.from_matrix(small), level="interval").value
    assert krippendorff_alpha(Judgments.from_matrix(large), level="interval").value == pytest.approx(
        expected, rel=1e-12
    )


def test_same_seed_same_interval() -> None:
    first, second = (agreement_report(KRIPPENDORFF, resampling=resampling(5)) for _ in range(2))
    assert first.coefficients == second.coefficients
    assert first.specific == second.specific
    assert agreement_report(KRIPPENDORFF, resampling=resampling(6)).coefficients != first.coefficients


def test_report_counts() -> None:
    report = agreement_report(KRIPPENDORFF)
    # 12 units, of which one has a single value; 4 observers, 41 values, 7 missing (Krippendorff 2011).
    assert (report.n_items, report.n_paired, report.n_raters) == (12, 11, 4)
    assert (report.n_judgments, report.n_missing) == (41, 7)
    assert len(report.pairwise) == 6
    assert report.pair is None
    assert [note.code for note in report.notes] == ["agreement-single"]
    assert sum(report.prevalence.values()) == pytest.approx(1)
    assert report.confusion is not None
    # The coincidence matrix holds the 40 values that can be paired (Krippendorff 2011).
    assert report.confusion.counts.sum() == pytest.approx(40)
    assert np.nansum(report.confusion.shares(), axis=1) == pytest.approx(1)


def test_unknown_is_a_missing_judgment() -> None:
    rows = [["a", "a", "?"], ["a", "b", "b"], ["b", "?", "b"], ["b", "b", "b"]]
    kept, notes = drop_unknown_labels(Judgments.from_matrix(rows), ["?"])
    report = agreement_report(kept)
    without = [[None if value == "?" else value for value in row] for row in rows]
    assert report.coefficients == agreement_report(Judgments.from_matrix(without)).coefficients
    assert ([note.code for note in notes], report.notes) == (["agreement-unknown"], ())


def test_weights_and_silent_raters_are_mentioned() -> None:
    judgments = Judgments.from_columns("112233", "ababac", "xxxyyy", [1, 1, 0.5, 1, 1, 1])
    report = agreement_report(judgments.take(judgments.item < 2))
    assert report.n_raters == 2
    assert [note.code for note in report.notes] == ["agreement-absent", "agreement-weights"]


def test_paradoxes_are_explained_where_they_bite() -> None:
    trap = prevalence_and_bias(TRAP)
    assert len(trap.remarks) == 1
    assert "'0' is 0.972 of the judgments of the items that both judged" in trap.remarks[0]
    # Feinstein and Cicchetti's second paradox: margins that differ raise kappa.
    biased = prevalence_and_bias(PairTable.of([[25, 35], [5, 35]]))
    assert len(biased.remarks) == 1
    assert "different frequencies" in biased.remarks[0]
    assert biased.bias["0"] == pytest.approx(0.30)
    assert prevalence_and_bias(SMALL).remarks == ()
    # A_o .7, q .75, A_e .625: π is .2 and S .4, just enough to be said; at A_o .5, q .7: -.190 and 0, it is not.
    assert "corrected for chance it is 0.200" in prevalence_and_bias(PairTable.of([[12, 0], [6, 2]])).remarks[0]
    assert all("by chance" not in text for text in prevalence_and_bias(PairTable.of([[9, 0], [10, 1]])).remarks)
    # A_o .65: κ = .12 / .47 and π = .08875 / .43875, so bias adds .053; at A_o .4 it adds .047.
    assert "raises it by 0.053 to 0.255" in prevalence_and_bias(PairTable.of([[3, 1], [6, 10]])).remarks[0]
    assert prevalence_and_bias(PairTable.of([[3, 4], [8, 5]])).remarks == ()


def test_the_remarks_of_two_raters_are_those_of_the_report() -> None:
    rows = [["0", "0"]] * 25 + [["0", "1"]] * 35 + [["1", "0"]] * 5 + [["1", "1"]] * 35
    report = agreement_report(Judgments.from_matrix(rows))
    assert report.pair is not None
    assert report.pair.bias["0"] == pytest.approx(0.30)
    assert report.remarks == report.pair.remarks
    assert "different frequencies" in report.remarks[0]
    # Of three raters nothing is said about bias, but about prevalence.
    third = agreement_report(
        Judgments.from_matrix([[*row, row[0]] for row in [["0", "0"]] * 60 + [["0", "1"], ["1", "0"]]])
    )
    assert third.pair is None
    assert "'0' is 0.98" in third.remarks[0]


def test_as_many_raters_as_a_matrix_holds() -> None:
    for n, pairs, codes in ((50, 1225, []), (51, 0, ["agreement-pairs"])):
        report = agreement_report(Judgments.from_matrix([["a"] * n, ["b"] * n]))
        assert len(report.pairwise) == pairs
        assert [note.code for note in report.notes] == codes


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as caught:
        call()
    return caught.value.code


def test_bad_use_has_a_name() -> None:
    table = Judgments.from_matrix([["a", "b"], ["b", "b"]])
    repeated = Judgments.from_columns("1122", "rrrs", "abab")
    assert code_of(lambda: agreement_report(table.only(["1"]))) == "agreement-one-rater"
    assert code_of(lambda: agreement_report(table, level="ordinal")) == "agreement-order"
    assert code_of(lambda: krippendorff_alpha(table, level="ordinal", order=["a"])) == "agreement-order"
    assert code_of(lambda: krippendorff_alpha(table, level="interval")) == "agreement-numbers"
    assert code_of(lambda: krippendorff_alpha(Judgments.from_matrix([[-1, 2]]), level="ratio")) == "agreement-numbers"
    assert code_of(lambda: krippendorff_alpha(table, level="numinal")) == "agreement-level"  # type: ignore[arg-type]  # wrong on purpose
    assert code_of(lambda: cohen_kappa(SMALL, weighting="linear")) == "agreement-order"
    assert code_of(lambda: cohen_kappa(SMALL, weighting="cubic")) == "agreement-weighting"  # type: ignore[arg-type]  # wrong on purpose
    assert code_of(lambda: krippendorff_alpha(repeated)) == "agreement-repeated"
    assert code_of(lambda: pair_table(repeated, "r", "s")) == "agreement-repeated"
    assert code_of(lambda: pairwise_agreement(repeated)) == "agreement-repeated"
    assert code_of(lambda: pair_table(table, "1", "9")) == "judgments-unknown"
    assert code_of(lambda: pair_table(table, "1", "1")) == "agreement-table"
    assert code_of(lambda: PairTable.of([[1, 2]])) == "agreement-table"
    assert code_of(lambda: PairTable.of([[1, -2], [0, 1]])) == "agreement-table"
    assert code_of(lambda: item_counts(table, [1])) == "agreement-clusters"
    assert code_of(lambda: pairwise_agreement(table, clusters=[1])) == "agreement-clusters"
    assert code_of(lambda: fleiss_kappa(SMALL, resampling=Resampling("closed"))) == "interval-method"
    assert cohen_kappa(SMALL, resampling=Resampling("closed")) == cohen_kappa(SMALL)
    crowd = Judgments.from_columns(range(5000), range(5000), "ab" * 2500)
    assert code_of(lambda: pairwise_agreement(crowd)) == "agreement-raters"
    assert [note.code for note in agreement_report(crowd).notes] == ["agreement-single", "agreement-pairs"]


def test_a_million_judgments() -> None:
    """How long it takes is measured by benchmarks/annotators.py."""
    n_items = 200_000
    generator = np.random.default_rng(0)
    label = (generator.random(5 * n_items) < 0.2).astype(np.int32)
    item = np.repeat(np.arange(n_items, dtype=np.int32), 5)
    rater = np.tile(np.arange(5, dtype=np.int32), n_items)
    judgments = Judgments(item, rater, label, tuple(map(str, range(n_items))), tuple("abcde"), ("ok", "error"))
    alpha = krippendorff_alpha(judgments)
    # Raters who do not look agree by chance alone; the standard error is about 1/sqrt(10 pairs * 200,000 items).
    assert alpha.value == pytest.approx(0, abs=0.005)
    assert specific_agreement(judgments)["error"].value == pytest.approx(0.2, abs=0.005)


def covers(estimate: Estimate, truth: float) -> bool:
    """Whether the interval contains the truth; without an interval it does not."""
    return estimate.interval is not None and estimate.interval.low <= truth <= estimate.interval.high


# True joint shares and the kappa they make: .4 .1 .2 .3 has A_o = .7, A_e = .5·.6 + .5·.4 = .5, kappa = .4; a rare
# label, .03 .02 .03 .92, has A_o = .95, A_e = .05·.06 + .95·.94 = .896, kappa = .054 / .104.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "truth", "n_items", "closed_form", "bootstrap"),
    [
        ((0.4, 0.1, 0.2, 0.3), 0.4, 50, 0.938, 0.942),
        ((0.4, 0.1, 0.2, 0.3), 0.4, 200, 0.946, 0.944),
        ((0.03, 0.02, 0.03, 0.92), 0.054 / 0.104, 200, 0.915, 0.937),
        ((0.03, 0.02, 0.03, 0.92), 0.054 / 0.104, 1000, 0.950, 0.948),
    ],
)
def test_coverage_of_intervals(
    shares: tuple[float, ...], truth: float, n_items: int, closed_form: float, bootstrap: float
) -> None:
    """How often 95 % intervals of Cohen's kappa contain the truth (20,000 samples: docs/measurements/agreement.md).

    Tolerance: three binomial standard errors of 4,000 samples.
    """
    generator = np.random.default_rng(12)
    closed = drawn = 0
    for seed in range(4_000):
        table = PairTable.of(generator.multinomial(n_items, shares).reshape(2, 2).tolist())
        closed += covers(cohen_kappa(table).estimate, truth)
        drawn += covers(cohen_kappa(table, resampling=Resampling("percentile", 500, seed=seed)).estimate, truth)
    assert (closed / 4_000, drawn / 4_000) == pytest.approx((closed_form, bootstrap), abs=0.012)


def test_bca_leaves_out_every_item_in_turn() -> None:
    """The jackknife by kinds of items, and by clusters, is that of single items and clusters."""
    rows = [["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"], ["a", "a"], ["b", "a"]] * 4
    resampling_ = Resampling(replicates=400)
    for clusters in (None, np.arange(24) // 2):
        table = item_counts(Judgments.from_matrix(rows), clusters)
        groups = np.arange(24) if clusters is None else clusters
        without = [
            krippendorff_alpha(Judgments.from_matrix([row for k, row in enumerate(rows) if groups[k] != out])).value
            for out in np.unique(groups)
        ]
        kernel = alpha_kernel(table, "nominal")
        value = float(kernel(table.units.frequency[None])[0])
        drawn = [kernel(weights) for draw in table.units.draws(resampling_, "agreement") for weights in draw()]
        expected = resampling_.interval(value, np.concatenate(drawn), np.array(without, float))
        assert isinstance(expected, Interval)
        found = require(krippendorff_alpha(table, resampling=resampling_).interval)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
        assert found.method == "bootstrap-bca"


def test_workers_change_no_digit() -> None:
    judgments = Judgments.from_matrix([["a", "a", "b"], ["a", "b", "b"], ["b", "b", "b"], ["b", "a", None]] * 9)
    for clusters in (None, np.arange(36) // 3):
        alone, shared = (
            agreement_report(judgments, clusters=clusters, resampling=Resampling(replicates=2100, jobs=jobs))
            for jobs in (1, 2)
        )
        assert alone.coefficients == shared.coefficients
        assert alone.specific == shared.specific
        assert [pair.kappa for pair in alone.pairwise] == [pair.kappa for pair in shared.pairwise]


def test_scotts_pi_of_a_report_is_that_of_the_items_both_judged() -> None:
    rows: list[list[object]] = [["a", "a"], ["a", "b"], ["b", "b"], ["a", None], [None, "a"], ["a", None]] * 3
    judgments = Judgments.from_matrix(rows)
    found = agreement_report(judgments, resampling=resampling()).coefficients["scott"]
    alone = scott_pi(pair_table(judgments, "1", "2"))
    assert found.value == pytest.approx(alone.value)
    assert found.value != pytest.approx(fleiss_kappa(judgments).value)
    assert found.n_units == alone.n_units == 9


# What agreement says of single cases and of files that are no JSON, and an interval by Student's t.


def test_interval_by_students_t() -> None:
    """irrCAC takes t with n - 1 degrees of freedom: .546197 to .713236, wider than ours by .00008."""
    kappa = cohen_kappa(PREPOSITION_RATERS)
    assert kappa.estimate.value is not None
    assert kappa.standard_error is not None
    half = stats.t.ppf(0.975, PREPOSITION_RATERS.n_items - 1) * kappa.standard_error
    value = kappa.estimate.value
    assert (value - half, value + half) == pytest.approx((0.546197, 0.713236), abs=1.5e-6)
    assert kappa.estimate.interval is not None
    assert kappa.estimate.interval.high < value + half < kappa.estimate.interval.high + 1e-4


def test_one_is_said_as_one() -> None:
    rows = [["E", "E", None], ["O", "E", None], ["O", None, None], ["O", "unsure", None]]
    kept, (note,) = drop_unknown_labels(Judgments.from_matrix(rows), ["unsure"])
    assert note.what == "1 judgment has a label that means unknown; it counts as not given"
    notes = [note.what for note in agreement_report(kept).notes]
    assert "2 items have one judgment, which says nothing about agreement" in notes
    del rows[3]
    notes = [note.what for note in agreement_report(Judgments.from_matrix(rows)).notes]
    assert "1 item has one judgment, which says nothing about agreement" in notes
    for others, said in (("c", "1 rater judged nothing and is"), ("cd", "2 raters judged nothing and are")):
        table = Judgments.from_columns("1122" + "3" * len(others), "abab" + others, "x" * (4 + len(others)))
        (note,) = agreement_report(table.take(table.item < 2)).notes
        assert note.what == f"{said} left out"
    alone, nobody = Judgments.from_matrix([["E", "unsure"], ["O", None]]), Judgments.from_matrix([["unsure", "unsure"]])
    for table, who in ((alone, "only rater '1'"), (nobody, "nobody")):
        with pytest.raises(UsageError, match=f"{who} judged anything"):
            agreement_report(table.without(["unsure"]))
    with pytest.raises(UsageError, match="1 judgment repeats an item"):
        krippendorff_alpha(Judgments.from_columns("xxxy", "aabb", "EOEE"))


@pytest.mark.parametrize("text", ['{"a":' * 100_000, '{"a":' + "9" * 5_000 + "}", '{"rater": '])
def test_a_first_line_that_is_no_json_is_one_line(text: str, tmp_path: Path, errorbar: CommandLine) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text(text + "\n", encoding="utf-8")
    done = errorbar("agree", path)
    assert done.code == 2
    assert "votes.jsonl:1" in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1
