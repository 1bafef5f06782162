"""A study of a sample holds what ``sample estimate`` prints, and what more judgments would buy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from errorbar.core.errors import UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.sampling import Sample, Strata, budget_for_half_width, pilot_rates
from errorbar.studies import budget_steps, study_sample
from tests.helpers.cli import CommandLine
from tests.studies.examples import document, interval_of, only_ends

STRATA = Strata(("flagged", "unflagged"), np.array([1000, 9000]), np.array([[True, False]]))
SAMPLE = Sample(np.array([150, 450]), np.array([120.0, 18.0]))
COUNTS = ("--counts", "flagged:1000:150:120", "--counts", "unflagged:9000:450:18")


def same(estimate: Estimate, shown: dict[str, Any]) -> None:
    assert estimate.value == shown["value"]
    assert interval_of(estimate) == only_ends(shown["interval"])


def test_the_numbers_of_the_command(errorbar: CommandLine) -> None:
    study = study_sample(STRATA, SAMPLE, Problems(), name="essays", seed=3)
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
    assert budget_for_half_width(STRATA, pilot_rates(STRATA, SAMPLE), recall) <= 6000


def test_a_budget_ends_with_all_items() -> None:
    strata = Strata(("flagged", "unflagged"), np.array([40, 60]), np.array([[True, False]]))
    steps = budget_steps(strata, Sample(np.array([20, 30]), np.array([10.0, 3.0])))
    assert [step.n_judgments for step in steps] == [50, 75, 100]
    assert steps[-1].half_widths == {"P": 0, "R": 0, "F": 0}


def test_a_stratum_that_nobody_judged_is_refused() -> None:
    with pytest.raises(UsageError, match="sample-unseen"):
        budget_steps(STRATA, Sample(np.array([20, 0]), np.array([10.0, 0.0])))


def test_two_systems_differ() -> None:
    flags = np.array([[True, True, False, False], [True, False, True, False]])
    strata = Strata(("both", "a", "b", "none"), np.array([50, 50, 50, 850]), flags, ("a", "b"))
    sample = Sample(np.array([20, 20, 20, 100]), np.array([15.0, 10.0, 5.0, 4.0]))
    study = study_sample(strata, sample, Problems())
    assert [one.system for one in study.systems] == ["a", "b"]
    assert [one.name for one in study.differences] == ["P", "R", "F"]
    one, other = (system["R"].estimate.value for system in study.systems)
    assert one is not None
    assert other is not None
    assert study.differences[1].estimate.value == pytest.approx(one - other)


def test_the_signature_names_what_changes_a_digit() -> None:
    study = study_sample(STRATA, SAMPLE, Problems())
    other = study_sample(STRATA, Sample(SAMPLE.n, SAMPLE.x + 1), Problems())
    assert study.signatures["sample estimate"] != other.signatures["sample estimate"]
    assert "|n:600|" in study.signatures["sample estimate"]
