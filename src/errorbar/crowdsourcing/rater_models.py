"""Raters and hidden true labels: a table of errors for each rater (Dawid and Skene), or one accuracy (one coin).

Formula
    T_ij: probability that item i is truly j; n^w_il: times rater w said l of item i.
    π_j = mean_i T_ij; θ^w_jl = (Σ_i T_ij n^w_il + a_jl) / Σ_l (...); T_ij ∝ π_j Π_w Π_l (θ^w_jl)^{n^w_il}.
    a_jj = ``diagonal`` and a_jl = ``off_diagonal`` are pseudo-counts, the mode under a Dirichlet prior of a + 1.
    One coin: right with one probability whatever the true label, wrong evenly among the K - 1 others: θ^w_jl = a_w if
    l = j, else (1 - a_w) / (K - 1); a_w = (Σ_ij T_ij n^w_ij + right) / (n^w + right + wrong), ``right`` and ``wrong``
    the diagonal and off-diagonal pseudo-counts, the mode under Beta(right + 1, wrong + 1).
    log-likelihood = Σ_i log Σ_j π_j Π_w Π_l (θ^w_jl)^{n^w_il}.
Conventions
    EM from several starts (vote shares, majority, random); the run with the largest penalised likelihood is kept
    and all are reported, since local optima are real. With both pseudo-counts 0 this is maximum likelihood: a true
    label that never occurs under a rater then has equal rates. Refused below 20 judgments of a rater on average.
    Labels are only named by their rates: the prior's diagonal keeps them from changing places. A rater without
    judgments has accuracy 1/2 where the pseudo-counts are 0.
Source
    Dawid and Skene 1979, equations 2.3 to 2.5 and 2.7; one coin: the same, reduced to one parameter, which is the
    homogeneous model of Snow et al. 2008 and others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import UNKNOWN, Answers, Floats, make_answers
from errorbar.crowdsourcing.em import LEAST, MIN_ITEMS, Fit, Runs, Votes, fit


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a rater before they judge, in judgments of items of each true label.

    Attributes:
        diagonal: Judgments that were right.
        off_diagonal: Judgments that gave each wrong label.

    Raises:
        UsageError: If one is negative.
    """

    diagonal: float = 2.0
    off_diagonal: float = 0.5

    def __post_init__(self) -> None:
        if not (0 <= self.diagonal < np.inf and 0 <= self.off_diagonal < np.inf):
            what = f"the prior is {self.diagonal} and {self.off_diagonal}"
            raise UsageError(Problem("crowd-prior", what, expected="pseudo-counts of at least 0"))

    def counts(self, n_labels: int) -> Floats:
        """The pseudo-counts; shape (labels, labels)."""
        return np.where(np.eye(n_labels, dtype=np.bool_), self.diagonal, self.off_diagonal).astype(np.float64)


def dawid_skene(
    judgments: Judgments,
    generator: np.random.Generator,
    *,
    prior: Prior | None = None,
    ties: str = UNKNOWN,
    min_items: float = MIN_ITEMS,
    runs: Runs | None = None,
) -> tuple[Answers, Fit]:
    """Estimate the true labels and every rater's table of errors.

    Args:
        judgments: The judgments; repeated ones count as often.
        generator: The stream for random starts.
        prior: Pseudo-counts; None: the default.
        ties: ``unknown``, or the label that wins a tie it takes part in.
        min_items: Fewest judgments of a rater, on average, that are accepted.
        runs: How EM is run; None: the defaults.

    Raises:
        UsageError: If there is one rater or label only, judgments are too few, or an option is out of range.
    """
    votes = Votes(judgments, min_items)
    extra = (prior or Prior()).counts(votes.n_labels)

    def estimate(said: Floats) -> Floats:
        with_prior = said + extra
        total = with_prior.sum(axis=2, keepdims=True)
        rates: Floats = np.full(with_prior.shape, 1 / votes.n_labels)
        np.divide(with_prior, total, out=rates, where=total > 0)
        return rates

    def penalty(rates: Floats) -> float:
        return float((np.log(np.maximum(rates, LEAST)) * extra).sum()) if extra.any() else 0.0

    made = fit(votes, estimate, penalty, generator, runs or Runs())
    return make_answers(judgments, made.truth, ties), made


def one_coin(
    judgments: Judgments,
    generator: np.random.Generator,
    *,
    prior: Prior | None = None,
    ties: str = UNKNOWN,
    min_items: float = MIN_ITEMS,
    runs: Runs | None = None,
) -> tuple[Answers, Fit]:
    """Estimate the true labels and every rater's accuracy, ``rates[:, 0, 0]`` of the fit; else as ``dawid_skene``."""
    votes = Votes(judgments, min_items)
    believed = prior or Prior()
    same = np.eye(votes.n_labels, dtype=np.bool_)

    def estimate(said: Floats) -> Floats:
        right = said[:, same].sum(axis=1) + believed.diagonal
        total = said.sum(axis=(1, 2)) + believed.diagonal + believed.off_diagonal
        accuracy = np.divide(right, total, out=np.full(len(right), 0.5), where=total > 0)[:, None, None]
        return np.asarray(np.where(same, accuracy, (1 - accuracy) / (votes.n_labels - 1)), np.float64)

    def penalty(rates: Floats) -> float:
        accuracy = np.maximum(rates[:, 0, 0], LEAST)
        wrong = np.maximum(1 - rates[:, 0, 0], LEAST)
        return float(believed.diagonal * np.log(accuracy).sum() + believed.off_diagonal * np.log(wrong).sum())

    made = fit(votes, estimate, penalty, generator, runs or Runs())
    return make_answers(judgments, made.truth, ties), made
