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
    label that never occurs under a rater then has equal rates. Refused below 20 judgments of a
    rater on average, of items that others judged too; those of other items say nothing about a rater.
    Labels are only named by their rates: the prior's diagonal keeps them from changing places. A rater without
    judgments has accuracy 1/2 where the pseudo-counts are 0.
Source
    Dawid and Skene 1979, equations 2.3 to 2.5 and 2.7; one coin: the same, reduced to one parameter, which is the
    homogeneous model of Snow et al. 2008 and others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import UNKNOWN, Answers, Floats, majority, make_answers, trust_weighted
from errorbar.crowdsourcing.em import LEAST, MIN_ITEMS, Fit, Likelihood, Runs, Votes, fit

Method = Literal["majority", "trust", "one-coin", "dawid-skene"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a rater before they judge, in judgments of items of each true label; at least 0 each."""

    diagonal: float = 2.0  # judgments that were right
    off_diagonal: float = 0.5  # judgments that gave each wrong label

    def __post_init__(self) -> None:
        if not (0 <= self.diagonal < np.inf and 0 <= self.off_diagonal < np.inf):
            what = f"the prior is {self.diagonal} and {self.off_diagonal}"
            raise UsageError(Problem("crowd-prior", what, expected="pseudo-counts of at least 0"))


@dataclass(frozen=True, slots=True)
class Modeling:
    """How raters are modeled; with fewer judgments of shared items than ``min_items`` on average they are not."""

    prior: Prior = field(default_factory=Prior)
    runs: Runs = field(default_factory=Runs)
    min_items: float = MIN_ITEMS


def dawid_skene(
    judgments: Judgments, generator: np.random.Generator, how: Modeling | None = None, *, ties: str = UNKNOWN
) -> tuple[Answers, Fit]:
    """Estimate the true labels and every rater's table of errors; ``generator`` is for random starts.

    Raises:
        UsageError: If there is one rater or label only, or judgments are too few.
    """
    how = how or Modeling()
    votes = Votes(judgments, how.min_items)
    right = np.eye(votes.n_labels, dtype=np.bool_)
    extra = np.where(right, how.prior.diagonal, how.prior.off_diagonal).astype(np.float64)

    def estimate(said: Floats) -> Floats:
        with_prior = said + extra
        total = with_prior.sum(axis=2, keepdims=True)
        even = np.full(with_prior.shape, 1 / votes.n_labels)
        return np.asarray(np.divide(with_prior, total, out=even, where=total > 0))

    def penalty(rates: Floats) -> float:
        return float((np.log(np.maximum(rates, LEAST)) * extra).sum()) if extra.any() else 0.0

    made = fit(votes, Likelihood(estimate, penalty), generator, how.runs)
    return make_answers(judgments, made.truth, ties), made


def one_coin(
    judgments: Judgments, generator: np.random.Generator, how: Modeling | None = None, *, ties: str = UNKNOWN
) -> tuple[Answers, Fit]:
    """Estimate the true labels and every rater's accuracy, ``rates[:, 0, 0]`` of the fit; else as ``dawid_skene``."""
    how = how or Modeling()
    votes, prior = Votes(judgments, how.min_items), how.prior
    same = np.eye(votes.n_labels, dtype=np.bool_)

    def estimate(said: Floats) -> Floats:
        right = said[:, same].sum(axis=1) + prior.diagonal
        total = said.sum(axis=(1, 2)) + prior.diagonal + prior.off_diagonal
        accuracy = np.divide(right, total, out=np.full(len(right), 0.5), where=total > 0)[:, None, None]
        return np.asarray(np.where(same, accuracy, (1 - accuracy) / (votes.n_labels - 1)), np.float64)

    def penalty(rates: Floats) -> float:
        accuracy, wrong = (np.log(np.maximum(rate, LEAST)).sum() for rate in (rates[:, 0, 0], 1 - rates[:, 0, 0]))
        return float(prior.diagonal * accuracy + prior.off_diagonal * wrong)

    made = fit(votes, Likelihood(estimate, penalty), generator, how.runs)
    return make_answers(judgments, made.truth, ties), made


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What several methods say, each by its name; the majority is always among them."""

    answers: Mapping[str, Answers]
    fits: Mapping[str, Fit]  # of those that use EM
    differing: tuple[int, ...]  # items that do not get one answer from all, counting "no answer" as one; ascending


def aggregate(
    judgments: Judgments,
    generator: np.random.Generator,
    methods: Sequence[Method] = METHODS,
    *,
    how: Modeling | None = None,
    trust: Mapping[str, float] | None = None,
    ties: str = UNKNOWN,
) -> Comparison:
    """Aggregate by the majority and by other methods; ``trust`` is as of ``trust_weighted``."""
    if wrong := [name for name in methods if name not in METHODS]:
        what = f"no method is called '{wrong[0]}'"
        raise UsageError(Problem("crowd-method", what, fix=nearest(wrong[0], METHODS)))
    answers, fits = {"majority": majority(judgments, ties=ties)}, dict[str, Fit]()
    for name in methods:
        if name == "trust":
            answers[name] = trust_weighted(judgments, trust, ties=ties)
        elif name != "majority":
            model = one_coin if name == "one-coin" else dawid_skene
            answers[name], fits[name] = model(judgments, generator, how, ties=ties)
    codes = np.stack([made.answer for made in answers.values()])
    judged = answers["majority"].n_judgments > 0
    return Comparison(answers, fits, tuple(np.flatnonzero((codes != codes[0]).any(axis=0) & judged).tolist()))
