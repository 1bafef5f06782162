"""Expectation-maximisation over the hidden true labels, the same loop for every model of a rater."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.crowd.answers import Floats
from errorbar.crowd.votes import Votes

LEAST = 1e-300
"""Stands for a probability of 0 in logarithms."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where one run of EM ended.

    Attributes:
        name: Where it began.
        log_likelihood: Of the judgments, without the prior.
        objective: What was maximised: the log-likelihood plus the log-density of the prior, up to a constant.
        n_iterations: Passes made.
        converged: Whether it ended because nothing changed any more.
    """

    name: str
    log_likelihood: float
    objective: float
    n_iterations: int
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The best of several runs.

    Attributes:
        truth: Probability of each label, NaN where nobody judged; shape (items, labels).
        marginals: Share of each true label; shape (labels,).
        rates: Probability that a rater says a label given the truth; shape (raters, truth, said).
        starts: Every run, in the order run.
        best: Number of the run that was kept.
    """

    truth: Floats
    marginals: Floats
    rates: Floats
    starts: tuple[Start, ...]
    best: int

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood of the run that was kept."""
        return self.starts[self.best].log_likelihood


def fit(
    votes: Votes,
    estimate: Callable[[Floats], Floats],
    penalty: Callable[[Floats], float],
    starts: list[tuple[str, Floats]],
    *,
    tolerance: float,
    max_iterations: int,
) -> Fit:
    """Run EM from every start and keep the run with the largest objective.

    Args:
        votes: Who said what.
        estimate: Makes rates of the expected counts of what was said given the truth, both (raters, truth, said).
        penalty: Log-density of the prior of some rates, up to a constant.
        starts: Name and probabilities of the true labels at each start.
        tolerance: Stop when a pass adds less than this times the number of items to the objective.
        max_iterations: Stop after so many passes, converged or not.

    Raises:
        UsageError: If there is no start, or the tolerance or the number of passes is not positive.
    """
    if not starts or tolerance <= 0 or max_iterations < 1:
        what = f"{len(starts)} starts, tolerance {tolerance:g}, {max_iterations} passes"
        raise UsageError(Problem("crowd-em", what, expected="all above 0"))
    runs = [_run(votes, estimate, penalty, name, truth, tolerance, max_iterations) for name, truth in starts]
    best = max(range(len(runs)), key=lambda number: runs[number][0].objective)
    _, truth, marginals, rates = runs[best]
    truth = np.where(votes.judged[:, None], truth, np.nan)
    return Fit(truth, marginals, rates, tuple(run[0] for run in runs), best)


def _run(
    votes: Votes,
    estimate: Callable[[Floats], Floats],
    penalty: Callable[[Floats], float],
    name: str,
    truth: Floats,
    tolerance: float,
    max_iterations: int,
) -> tuple[Start, Floats, Floats, Floats]:
    judged = votes.judged
    n = int(judged.sum())
    before = -np.inf
    number = 0
    converged = False
    while number < max_iterations and not converged:
        number += 1
        marginals = truth[judged].sum(axis=0) / n
        rates = estimate(votes.said_given(np.where(judged[:, None], truth, 0.0)))
        joint = votes.evidence(np.log(np.maximum(rates, LEAST))) + np.log(np.maximum(marginals, LEAST))
        top = joint.max(axis=1, keepdims=True)
        truth = np.exp(joint - top)
        total = truth.sum(axis=1, keepdims=True)
        truth /= total
        likelihood = float((top + np.log(total))[judged].sum())
        objective = likelihood + penalty(rates)
        converged = bool(objective - before < tolerance * n)
        before = objective
    return Start(name, likelihood, objective, number, converged), truth, marginals, rates
