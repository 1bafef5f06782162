"""Numbers of the statistics notes, sections 1.2, 3 and 4, that no other file of this folder holds.

Some numbers of section 4 belong to programs and methods that errorbar does not have, so nothing here can give them:

* crowd-kit's Dawid and Skene (-192.909 after its 4 passes, posteriors off by up to .0209) and its one-coin model (.9886
  for t3): the ends of that package's own stopping rule. errorbar's values are -192.8909 and 1.0 (``test_aggregate``).
* GLAD (.2256 for t3; accuracy .986) and MACE (.2168; .992): models of item difficulty and of spamming, left to an extra
  package, as they need iterative optimization that gained at most half a percent in the notes' own simulation.
* The running times of all of them: those of one machine.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar import Judgments
from errorbar.crowdsourcing import EMRuns, Modeling, RaterPrior, aggregate, dawid_skene, majority
from errorbar.crowdsourcing.hidden_labels import EMVotes
from errorbar.metrics.crowd_weighted import rates
from errorbar.testing import biased, simulate, spammer
from tests.agreement.examples import PREPOSITION_RATERS
from tests.crowdsourcing.examples import patients, toy
from tests.helpers.crowd import crowd_score


def scored(errors: int, fine: int, hits: int, wrong: int) -> tuple[float | None, float | None]:
    """P and R of a detector that flags some errors and some that are none."""
    share = np.repeat([1.0, 1.0, 0.0, 0.0], [hits, errors - hits, wrong, fine - wrong])
    flag = np.repeat([True, False, True, False], [hits, errors - hits, wrong, fine - wrong])
    found = crowd_score(share, flag, np.ones(len(share), np.int64))
    return found.precision.value, found.recall.value


@pytest.mark.parametrize(("percent", "precision"), [(1, 0.168), (5, 0.513), (10, 0.690), (20, 0.833), (50, 0.952)])
def test_precision_of_one_detector_by_prevalence(percent: int, precision: float) -> None:
    # Section 3: Se .6, Sp .97; of 10,000 items so many percent are errors.
    errors = 100 * percent
    hits, wrong = 6 * errors // 10, 3 * (10_000 - errors) // 100
    found, recall = scored(errors, 10_000 - errors, hits, wrong)
    assert found == pytest.approx(precision, abs=5e-4)
    assert recall == pytest.approx(0.6)
    table = np.array([[hits, wrong, errors - hits, 10_000 - errors - wrong]], np.float64)
    assert rates(table, 0.1).youden[0] == pytest.approx(0.57)
    assert rates(table, 0.1).kappa_at[0] == pytest.approx(0.604953, abs=5e-7)


def test_the_second_rater_scored_against_the_first() -> None:
    # Section 1.2: P .619, R .698, the human ceiling; errors of both kinds are one.
    counts = PREPOSITION_RATERS.counts
    both, first, second = int(counts[:2, :2].sum()), int(counts[:2].sum()), int(counts[:, :2].sum())
    assert scored(first, int(counts.sum()) - first, both, second - both) == pytest.approx((0.619, 0.698), abs=5e-4)


def test_where_the_majority_start_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # Section 4: marginals .3997 .4670 .1111 .0222 and -193.9746, against .3996 .4220 .1118 .0667 and -192.8909.
    both = EMVotes.starts

    def majority_only(votes: EMVotes, n: int, rng: np.random.Generator) -> list[tuple[str, NDArray[np.float64]]]:
        return both(votes, n, rng)[1:]

    monkeypatch.setattr(EMVotes, "starts", majority_only)
    _, fit = dawid_skene(patients(), np.random.default_rng(1), Modeling(prior=RaterPrior(0, 0), runs=EMRuns(2)))
    assert [start.name for start in fit.starts] == ["majority"]
    assert fit.marginals == pytest.approx([0.3997, 0.4670, 0.1111, 0.0222], abs=5e-5)
    assert fit.log_likelihood == pytest.approx(-193.9746, abs=5e-5)


def test_methods_that_errorbar_lacks_stay_with_the_majority() -> None:
    # The toy's t3 is E, O, O: GLAD .2256 and MACE .2168 for E. The majority, which always stands beside a model: 1/3.
    answers = majority(toy())
    assert answers.shares[2] == pytest.approx([1 / 3, 2 / 3])
    assert answers.labels[answers.answer[2]] == "O"


@pytest.mark.slow
def test_accuracy_of_methods_by_simulation() -> None:
    """500 items, 60 raters, 20 judgments each, 15 % errors, 10 % spammers.

    Section 4: majority .986, weighted by agreement .990, one coin .986, Dawid and Skene 1.000. It does not give the
    raters' own rates; .68 of errors and .95 of the rest reproduce its majority.
    """
    found: dict[str, list[float]] = {}
    for seed in range(10):
        raters = [biased(0.68, 0.95)] * 54 + [spammer()] * 6
        made = simulate(raters, np.random.default_rng(seed), n_items=500, per_item=20, prevalence=0.15)
        for name, answers in aggregate(made.judgments, np.random.default_rng(0)).answers.items():
            found.setdefault(name, []).append(float((answers.answer == made.truth).mean()))
    mean = {name: float(np.mean(values)) for name, values in found.items()}
    assert mean["majority"] == pytest.approx(0.986, abs=0.004)
    assert mean["trust"] == pytest.approx(0.990, abs=0.004)
    assert mean["one-coin"] == pytest.approx(0.986, abs=0.004)
    assert mean["dawid-skene"] == pytest.approx(1.0, abs=0.002)


def test_an_even_number_of_judgments_can_tie() -> None:
    # Section 4: a package decides ties by the order of labels; here they have no answer, whatever the order.
    for labels in ("EO", "OE"):
        table = Judgments.from_columns("xxyy", "abab", ["E", "O", "O", "E"], labels=labels)
        assert majority(table).answer.tolist() == [-1, -1]
