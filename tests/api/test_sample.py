"""A study of a sample holds what ``sample estimate`` prints, and what more judgments would buy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from errorbar import Problems
from errorbar.api import study_sample
from errorbar.api.corpus_results import budget_steps
from errorbar.api.sample import estimation
from errorbar.core import Estimate, Place, UsageError
from errorbar.sampling import Aim, Estimation, Sample, Strata, budget_for_half_width
from errorbar.sampling.plan import expected_precision
from errorbar.version import __version__
from tests.api.examples import document, interval_of, only_ends
from tests.helpers.cli import CommandLine

STRATA = Strata(("flagged", "unflagged"), np.array([1000, 9000]), np.array([[True, False]]))
SAMPLE = Sample(np.array([150, 450]), np.array([120.0, 18.0]))
PAIR = Strata(
    ("both", "a", "b", "none"),
    np.array([50, 50, 50, 850]),
    np.array([[True, True, False, False], [True, False, True, False]]),
    ("a", "b"),
)
JUDGED = Sample(np.array([20, 20, 20, 100]), np.array([15.0, 10.0, 5.0, 4.0]))
HOW = Estimation(seed=0)
COUNTS = ("--counts", "flagged:1000:150:120", "--counts", "unflagged:9000:450:18")


def same(estimate: Estimate, shown: dict[str, Any]) -> None:
    assert estimate.value == shown["value"]
    assert interval_of(estimate) == only_ends(shown["interval"])


def test_the_numbers_of_the_command(errorbar: CommandLine) -> None:
    study = study_sample(estimation(STRATA, SAMPLE, Estimation(seed=3)), "essays")
    printed = document(errorbar, "sample", "estimate", *COUNTS, "--seed", 3)
    (system,) = study.systems
    shown = {row["name"]: row for row in printed["systems"][0]["estimates"]}
    for name in ("hits", "misses", "false positives", "P", "R", "F"):
        same(system[name].estimate, shown[name])
    assert (study.n_items, study.n_judged, list(study.differences)) == (10_000, 600, [])


def test_budgets_narrow_intervals() -> None:
    steps = budget_steps(STRATA, SAMPLE)
    assert [step.n_judgments for step in steps] == [600, 900, 1200, 1800, 3000, 6000]
    for name in ("P", "R", "F"):
        widths = [step.half_widths[name] for step in steps]
        assert None not in widths
        assert widths == sorted(widths, key=lambda width: -(width or 0))
    recall = steps[-1].half_widths["R"]
    assert recall is not None
    assert budget_for_half_width(STRATA, SAMPLE.rates(STRATA), recall) == pytest.approx(6000, rel=0.005)


def test_of_two_systems_the_wider_half_width_is_given() -> None:
    now = expected_precision(PAIR, JUDGED.rates(PAIR), JUDGED.n, Aim())
    given = budget_steps(PAIR, JUDGED)[0].half_widths
    for name in ("P", "R", "F"):
        first, second = (each.half_width for each in now if each.name == name)
        assert first != second
        assert given[name] == max(first, second)


def test_level_and_beta_reach_every_budget() -> None:
    usual, narrow = budget_steps(STRATA, SAMPLE), budget_steps(STRATA, SAMPLE, Aim(confidence_level=0.8))
    for wide, step in zip(usual, narrow, strict=True):
        # Quantiles of the normal distribution: 1.2816 and 1.9600.
        assert step.half_widths["P"] == pytest.approx((wide.half_widths["P"] or 0) * 1.2816 / 1.96, abs=1.5 / 1000)
    other = budget_steps(STRATA, SAMPLE, Aim(beta=0.5))
    assert other[0].half_widths["P"] == usual[0].half_widths["P"]
    assert all(a.half_widths["F"] != b.half_widths["F"] for a, b in zip(usual, other, strict=True))
    study = study_sample(estimation(STRATA, SAMPLE, Estimation(0.5, confidence_level=0.8)))
    assert list(study.budget) == budget_steps(STRATA, SAMPLE, Aim(beta=0.5, confidence_level=0.8))


def test_a_budget_ends_with_all_items() -> None:
    strata = Strata(("flagged", "unflagged"), np.array([40, 60]), np.array([[True, False]]))
    steps = budget_steps(strata, Sample(np.array([20, 30]), np.array([10.0, 3.0])))
    assert [step.n_judgments for step in steps] == [50, 75, 100]
    assert steps[-1].half_widths == {"P": 0, "R": 0, "F": 0}


def test_a_stratum_that_nobody_judged_is_refused() -> None:
    with pytest.raises(UsageError, match="sample-unseen"):
        budget_steps(STRATA, Sample(np.array([20, 0]), np.array([10.0, 0.0])))


def test_two_systems_differ() -> None:
    study = study_sample(estimation(PAIR, JUDGED, HOW))
    assert [one.system for one in study.systems] == ["a", "b"]
    assert [difference.name for difference in study.differences] == ["P", "R", "F"]
    one, other = (system["R"].estimate.value for system in study.systems)
    assert one is not None
    assert other is not None
    assert study.differences[1].estimate.value == pytest.approx(one - other)


def test_the_signature_names_what_changes_a_digit() -> None:
    study = study_sample(estimation(STRATA, SAMPLE, HOW))
    other = study_sample(estimation(STRATA, Sample(SAMPLE.n, SAMPLE.x + 1), HOW))
    assert study.signatures["sample estimate"] != other.signatures["sample estimate"]
    assert "|n:600|" in study.signatures["sample estimate"]


def test_the_parts_of_the_signature() -> None:
    study = study_sample(estimation(STRATA, SAMPLE, Estimation(0.5, "wald", 0.9, 4)))
    head, judged, *rest = study.signatures["sample estimate"].split("|")
    assert (head, judged.split(":")[0]) == ("sample(beta=0.5,method=wald)", "judged")
    assert rest == ["n:600", "ci:0.9", "seed:4", f"v:{__version__}"]


@pytest.mark.parametrize(
    ("strata", "sample"),
    [
        (Strata(("flagged", "rest"), STRATA.sizes, STRATA.flags), SAMPLE),
        (Strata(STRATA.names, STRATA.sizes + 1, STRATA.flags), SAMPLE),
        (Strata(STRATA.names, STRATA.sizes, ~STRATA.flags), SAMPLE),
        (Strata(STRATA.names, STRATA.sizes, STRATA.flags, ("other",)), SAMPLE),
        (STRATA, Sample(SAMPLE.n + np.array([1, -1]), SAMPLE.x)),
        (STRATA, Sample(SAMPLE.n, SAMPLE.x + np.array([1, -1]))),
    ],
)
def test_strata_and_what_was_judged_are_in_the_hash(strata: Strata, sample: Sample) -> None:
    before, after = (
        study_sample(estimation(a, b, HOW)).signatures["sample estimate"]
        for a, b in ((STRATA, SAMPLE), (strata, sample))
    )
    assert [a == b for a, b in zip(before.split("|"), after.split("|"), strict=True)] == [True, False, *[True] * 4]


def test_notes_before_and_those_of_the_estimates_once() -> None:
    problems = Problems()
    problems.note("before", "said by the reader", Place("file"))
    few = Sample(np.array([150, 450]), np.array([120.0, 2.0]))
    codes = [note.code for note in study_sample(estimation(STRATA, few, HOW, notes=problems.notes)).notes]
    assert codes[0] == "before"
    assert "sample-few" in codes[1:]
    assert len(codes) == len(set(codes)) > 1
