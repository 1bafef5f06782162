"""Intervals over raters: against the definition, and by how often they hold what a population of raters agrees on."""

from __future__ import annotations

from math import atanh, tanh
from pathlib import Path

import numpy as np
import pytest

from errorbar import Judgments, Resampling, agree
from errorbar.agreement import agreement_report, observed_agreement
from errorbar.core import Undefined, UsageError
from errorbar.stats import TwoWay
from errorbar.stats.two_way import two_way
from tests.agreement.rater_runs import NAMES, POPULATIONS, SIZES, coverage, row
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require
from tests.helpers.page_rows import rows_of_page

MEASURED = (Path(__file__).parents[1] / "measured/agreement.md").read_text(encoding="utf-8")
HOW = Resampling("percentile", 100)
RANDOM = ("--judges", "random")


def four_raters(n: int = 40, seed: int = 1) -> Judgments:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    said = np.where(rng.random((4, n)) < 0.8, truth, ~truth)
    return Judgments.from_matrix(np.where(said.T, "error", "ok").tolist())


def test_the_definition() -> None:
    """Observed agreement without each item and each rater, recomputed from the judgments."""
    judgments = four_raters()
    value = observed_agreement(judgments).value
    items, raters = range(len(judgments.items)), judgments.raters
    without_item = [observed_agreement(judgments.take(judgments.item != item)).value for item in items]
    without_rater = [observed_agreement(judgments.only([r for r in raters if r != rater])).value for rater in raters]
    found = two_way(float(value or 0), np.array(without_item, float), np.array(without_rater, float))
    assert isinstance(found, TwoWay)
    x = 2 * found.value - 1
    half = 2 * found.half_width(0.95) / (1 - x * x)
    interval = require(agreement_report(judgments, resampling=HOW, judges="random").coefficients["observed"].interval)
    assert interval.low == pytest.approx((tanh(atanh(x) - half) + 1) / 2)
    assert interval.high == pytest.approx((tanh(atanh(x) + half) + 1) / 2)


def test_random_raters_widen_and_values_stay() -> None:
    fixed, random = (agree(four_raters(200), judges=judges) for judges in ("fixed", "random"))
    for name, estimate in random.report.coefficients.items():
        other = fixed.report.coefficients[name]
        assert estimate.value == other.value
        assert estimate.interval is not None
        assert other.interval is not None
        assert estimate.interval.high - estimate.interval.low > other.interval.high - other.interval.low
    assert "|judges:random|" in random.signature
    assert "judges" not in fixed.signature
    assert (fixed.to_dict()["judges"], random.to_dict()["judges"]) == ("fixed", "random")


def test_two_raters_cannot_show_how_raters_differ() -> None:
    two = four_raters().only(["1", "2"])
    report = agreement_report(two, resampling=HOW, judges="random")
    assert report.coefficients["krippendorff"].no_interval is Undefined.WITHOUT_A_JUDGE


def test_perfect_agreement_has_no_interval() -> None:
    same = Judgments.from_matrix([["error", "ok", "ok", "error"]] * 3)
    report = agreement_report(same, resampling=HOW, judges="random")
    assert report.coefficients["observed"].interval is None


def test_another_word_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of fixed or random"):
        agree(four_raters(), judges="randm")  # type: ignore[arg-type]  # wrong on purpose


def test_the_command_says_what_intervals_are_over(errorbar: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    judgments = four_raters()
    rows = zip(judgments.item.tolist(), judgments.rater.tolist(), judgments.label.tolist(), strict=True)
    lines = [f"i{item},r{rater},{judgments.labels[label]}" for item, rater, label in rows]
    path.write_text("\n".join(["item,rater,label", *lines, ""]), encoding="utf-8")
    fixed, random, neither = (errorbar("agree", str(path), *words).out for words in ((), RANDOM, ("--no-ci",)))
    assert "intervals: other items, these 4 raters; --judges=random: other raters too" in fixed
    assert "intervals: other items and other raters" in random
    assert "intervals:" not in neither


@pytest.mark.parametrize(
    ("population", "size"),
    rows_of_page(((name, size) for size in SIZES for name in POPULATIONS), in_ci=range(len(POPULATIONS))),
)
def test_intervals_hold_what_the_population_agrees_on(population: str, size: tuple[int, int]) -> None:
    line = row(population, *size)
    assert line in MEASURED
    # .90 but for chance: 200 runs have a standard error of .021.
    assert all(float(cell) >= 0.90 - 2 * 0.021 for cell in line.split("|")[4:-1])


def test_these_raters_say_little_of_others() -> None:
    """What the page says of fixed raters, in fewer runs."""
    found = coverage("errors frequent, raters differ", 3, 1000, "fixed", runs=12)
    assert max(found[name] for name in NAMES) < 0.7
