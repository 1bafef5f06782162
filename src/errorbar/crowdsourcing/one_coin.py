"""One coin: a rater is right with one probability, whatever the true label, and errs evenly among the others.

Formula
    θ^w_jl = a_w if l = j, else (1 - a_w) / (K - 1). a_w = (Σ_ij T_ij n^w_ij + right) / (n^w + right + wrong); T and π
    as in the model of Dawid and Skene. ``right`` and ``wrong`` are pseudo-counts, the mode under Beta(right + 1,
    wrong + 1).
Conventions
    As for Dawid and Skene: several starts, refused below 20 judgments of a rater on average, 0 and 0 for maximum
    likelihood, where a rater may come out as never wrong. A rater without judgments is given 1/2.
Source
    Dawid and Skene 1979, reduced to one parameter; the homogeneous model of Snow et al. 2008 and others.
"""

from __future__ import annotations

import numpy as np

from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import UNKNOWN, Answers, Floats, make_answers
from errorbar.crowdsourcing.dawid_skene import Prior
from errorbar.crowdsourcing.em import LEAST, Fit, Runs, fit
from errorbar.crowdsourcing.votes import MIN_ITEMS, Votes


def one_coin(
    judgments: Judgments,
    generator: np.random.Generator,
    *,
    prior: Prior | None = None,
    ties: str = UNKNOWN,
    min_items: float = MIN_ITEMS,
    runs: Runs | None = None,
) -> tuple[Answers, Fit]:
    """Estimate the true labels and every rater's accuracy, ``rates[:, 0, 0]`` of the fit.

    Args:
        judgments: The judgments; repeated ones count as often.
        generator: The stream for random starts.
        prior: Pseudo-counts of right (diagonal) and wrong (off the diagonal) judgments; None: the default.
        ties: ``unknown``, or the label that wins a tie it takes part in.
        min_items: Fewest judgments of a rater, on average, that are accepted.
        runs: How EM is run; None: the defaults.

    Raises:
        UsageError: If there is one rater or label only, judgments are too few, or an option is out of range.
    """
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
    return make_answers("one-coin", judgments, made.truth, ties), made
