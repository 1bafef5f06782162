"""Answers by models of raters, Dawid and Skene's and one coin: expectation-maximisation over hidden true labels.

Formula
    The loop is the same for every model of a rater. A pass makes a model θ (marginals, rates) of the probabilities of
    the true labels, and new probabilities of θ. From three models in a row, in logarithms: r = θ₁ - θ₀,
    v = θ₂ - θ₁ - r, s = max(|r| / |v|, 1), and the leap is θ₀ + 2 s r + s² v, scaled to sum to 1.
Conventions
    The first ``PLAIN`` passes never leap, so that the optimum is the one that the start leads to. A leap is a pass
    that counts; it is taken back where it does not raise the objective. A run has converged where a pass that is no
    leap adds less than the tolerance for each item; it ends without that after ``MAX_ITERATIONS`` passes, and says so.
Source
    Dawid and Skene 1979 for the passes; Varadhan and Roland 2008 (SQUAREM) for the leap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from errorbar.core.arrays import Floats
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.crowdsourcing.answers import (
    UNKNOWN,
    Answers,
    leaders,
    majority,
    make_answers,
    need_judgments,
    shares_of,
    trust_weighted,
)

MIN_ITEMS = 20  # judgments a rater must have on average before their errors are modeled (measured in docs/crowd.md)
FREE_RATES = 200_000  # rates of error of all raters that few judgments may be asked for
RATES_OF_ONE = 8  # rates of error for each judgment that many judgments may be asked for
MAX_LABELS = 100  # most labels of which the errors of a rater are described: K labels have K² of them
LEAST = 1e-300  # stands for a probability of 0 in logarithms
N_STARTS = 4
MOST_STARTS = 1000
MAX_ITERATIONS = 200  # most passes of a run unless more are asked for
SAME = 1e-6
"""Runs whose objectives differ by less than this for each item ended at one place: the first of them is the best."""
PLAIN = 20  # passes before the first leap
Model = tuple[Floats, Floats]
"""Marginals and rates."""


def check_labels(judgments: Judgments) -> None:
    """Refuse more labels than a rater's errors can be described for."""
    if len(judgments.labels) > MAX_LABELS:
        message = f"{len(judgments.labels):,} different labels are too many to describe what raters do with each"
        raise UsageError(
            Problem("crowd-many-labels", message, expected=f"at most {MAX_LABELS}", fix="group the labels")
        )


def shared_judgments(judgments: Judgments) -> int:
    """Count the judgments of items that two raters or more judged: the others say nothing about raters."""
    pairs = np.unique(judgments.item.astype(np.int64) * len(judgments.raters) + judgments.rater)
    n_raters = np.bincount(pairs // len(judgments.raters), minlength=len(judgments.items))
    return int((n_raters[judgments.item] > 1).sum())


class EMVotes:
    """Who said what, prepared for EM; repeated judgments count as often, weights are not used."""

    def __init__(self, judgments: Judgments, min_items: float) -> None:
        from scipy import sparse  # noqa: PLC0415 - loading it takes a while

        need_judgments(judgments)
        check_labels(judgments)
        self.n_labels, self.n_raters = len(judgments.labels), len(judgments.raters)
        if self.n_labels < 2:
            message = f"every judgment says '{judgments.labels[0]}'"
            fix = "declare the other labels, or use the majority"
            raise UsageError(Problem("crowd-one-label", message, expected="two labels or more", fix=fix))
        present = len(np.unique(judgments.rater))
        if present < 2:
            message = "only one rater judged anything: nothing tells their errors from the truth"
            raise UsageError(Problem("crowd-one-rater", message, expected="two raters or more", fix="use the majority"))
        shared = shared_judgments(judgments)
        if not shared:
            message = "no item was judged by two raters: nothing tells the errors of raters from the truth"
            fix = "let several raters judge the same items, or use the majority"
            raise UsageError(Problem("crowd-no-overlap", message, fix=fix))
        mean = shared / present
        if mean < min_items:
            message = (
                f"{mean:.1f} judgments of a rater on average, of items that others judged too, are too few to model "
            )
            message += "the errors of each"
            fix = "use the majority, or say min_items (--min-items) if you know better"
            raise UsageError(Problem("crowd-few-judgments", message, expected=f"{min_items:g} or more", fix=fix))
        rates = self.n_raters * self.n_labels**2
        if rates > max(FREE_RATES, RATES_OF_ONE * len(judgments)):
            message = f"{self.n_raters:,} raters and {self.n_labels} labels have {rates:,} rates of error"
            expected = f"at most {RATES_OF_ONE} for each judgment"
            raise UsageError(Problem("crowd-many-labels", message, expected=expected, fix="group the labels"))
        column = judgments.rater.astype(np.int64) * self.n_labels + judgments.label
        shape = (len(judgments.items), self.n_raters * self.n_labels)
        # Times each rater gave each label to an item, and the same transposed.
        self.table = sparse.csr_array((np.ones(len(column)), (judgments.item, column)), shape=shape)
        self.by_column = self.table.T.tocsr()
        self.judged = np.bincount(judgments.item, minlength=shape[0]) > 0

    def starts(self, n_starts: int, generator: np.random.Generator) -> list[tuple[str, Floats]]:
        """Where EM starts: the vote shares, the majority, and perturbed vote shares for the rest; (items, labels)."""
        # Columns run over raters and labels; adding up the raters is a product with stacked unit matrices.
        soft = np.nan_to_num(shares_of(np.asarray(self.table @ np.tile(np.eye(self.n_labels), (self.n_raters, 1)))))
        first = leaders(soft) & self.judged[:, None]
        # In a tie the mass is divided: no label wins by its place in the list.
        hard = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
        starting = [("vote shares", soft), ("majority", hard)][:n_starts]
        for number in range(1, n_starts - 1):
            noise = generator.dirichlet(np.ones(self.n_labels), len(soft)) * self.judged[:, None]
            starting.append((f"random {number}", (soft + noise) / 2))
        return starting

    def said_given(self, truth: Floats) -> Floats:
        """Expected times each rater gave each label to items of each true label; shape (raters, truth, said)."""
        sums = np.asarray(self.by_column @ truth).reshape(self.n_raters, self.n_labels, self.n_labels)
        return sums.transpose(0, 2, 1)

    def evidence(self, log_rates: Floats) -> Floats:
        """Log-likelihood of an item's judgments under each true label; shape (items, labels)."""
        return np.asarray(self.table @ log_rates.transpose(0, 2, 1).reshape(-1, self.n_labels))


@dataclass(frozen=True, slots=True)
class EMRuns:
    """How EM is run: how many starts, and when a run ends; raises ``UsageError`` for what is not positive."""

    n_starts: int = N_STARTS  # vote shares, majority, then random ones
    tolerance: float = 1e-9  # a run stops when a pass adds less than this for each item to the objective
    max_iterations: int = MAX_ITERATIONS

    def __post_init__(self) -> None:
        if not 1 <= self.n_starts <= MOST_STARTS or self.tolerance <= 0 or self.max_iterations < 1:
            message = f"{self.n_starts} starts, tolerance {self.tolerance:g}, {self.max_iterations} passes"
            raise UsageError(Problem("crowd-em", message, expected=f"all above 0, at most {MOST_STARTS:,} starts"))


@dataclass(frozen=True, slots=True)
class Start:
    """Where one run of EM ended."""

    name: str
    log_likelihood: float  # of the judgments, without the prior
    objective: float  # what was maximised: with the log-density of the prior, up to a constant
    n_iterations: int
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class EMFit:
    """The best of several runs."""

    truth: Floats  # probability of each label, NaN where nobody judged; (items, labels)
    marginals: Floats  # share of each true label
    rates: Floats  # probability that a rater says a label given the truth; (raters, truth, said)
    starts: tuple[Start, ...]
    best: int  # number of the run that was kept

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood of the run that was kept."""
        return self.starts[self.best].log_likelihood


class Likelihood(NamedTuple):
    """How a kind of rater makes rates of counts, both (raters, truth, said), and their log-prior but for a constant."""

    estimate: Callable[[Floats], Floats]
    penalty: Callable[[Floats], float]


def fit(votes: EMVotes, kind: Likelihood, generator: np.random.Generator, options: EMRuns) -> EMFit:
    """Run EM from every start and keep the run with the largest objective."""
    runs = [_run(votes, kind, *start, options) for start in votes.starts(options.n_starts, generator)]
    highest = max(run[0].objective for run in runs)
    slack = SAME * max(int(votes.judged.sum()), 1)
    best = next(number for number, run in enumerate(runs) if run[0].objective >= highest - slack)
    _, truth, marginals, rates = runs[best]
    truth = np.where(votes.judged[:, None], truth, np.nan)
    return EMFit(truth, marginals, rates, tuple(run[0] for run in runs), best)


def _run(
    votes: EMVotes, kind: Likelihood, name: str, truth: Floats, options: EMRuns
) -> tuple[Start, Floats, Floats, Floats]:
    judged = votes.judged
    n = int(judged.sum())

    def improve_model(truth: Floats) -> Model:
        return truth[judged].sum(axis=0) / n, kind.estimate(votes.said_given(np.where(judged[:, None], truth, 0.0)))

    def explain(model: Model) -> tuple[Floats, float, float]:
        """Probabilities of the true labels, log-likelihood and objective."""
        marginals, rates = model
        joint = votes.evidence(np.log(np.maximum(rates, LEAST))) + np.log(np.maximum(marginals, LEAST))
        top = joint.max(axis=1, keepdims=True)
        truth = np.exp(joint - top)
        total = truth.sum(axis=1, keepdims=True)
        truth /= total
        likelihood = float((top + np.log(total))[judged].sum())
        return truth, likelihood, likelihood + kind.penalty(rates)

    model = improve_model(truth)
    truth, likelihood, objective = explain(model)
    trail = [model]
    number, converged = 1, False
    while number < options.max_iterations and not converged:
        before = objective
        model = improve_model(truth)
        if len(trail) == 2 and number >= PLAIN:
            far = _leap(trail[-2], trail[-1], model)
            explanation = explain(far)
            trail = []
            number += 1
            if explanation[-1] > before:
                model, (truth, likelihood, objective) = far, explanation
                continue
            if number == options.max_iterations:
                break
        truth, likelihood, objective = explain(model)
        number += 1
        trail = [*trail, model][-2:]
        converged = bool(objective - before < options.tolerance * n)
    return Start(name, likelihood, objective, number, converged), truth, *model


def _leap(first: Model, second: Model, third: Model) -> Model:
    """Where three models in a row are heading: squared extrapolation of the logarithms, scaled to probabilities."""
    logs = [[np.log(np.maximum(part, LEAST)) for part in model] for model in (first, second, third)]
    step = [b - a for a, b in zip(logs[0], logs[1], strict=True)]
    bend = [c - b - r for b, c, r in zip(logs[1], logs[2], step, strict=True)]
    bent = sum(float((part**2).sum()) for part in bend)
    length = max(np.sqrt(sum(float((part**2).sum()) for part in step) / bent), 1.0) if bent else 1.0
    tables = []
    for start, r, v in zip(logs[0], step, bend, strict=True):
        far = start + 2 * length * r + length**2 * v
        far = np.exp(far - far.max(axis=-1, keepdims=True))
        tables.append(far / far.sum(axis=-1, keepdims=True))
    return tables[0], tables[1]


# Raters and hidden true labels: a table of errors for each rater (Dawid and Skene), or one accuracy (one coin).
#
# Formula
#     T_ij: probability that item i is truly j; n^w_il: times rater w said l of item i.
#     π_j = mean_i T_ij; θ^w_jl = (Σ_i T_ij n^w_il + a_jl) / Σ_l (...); T_ij ∝ π_j Π_w Π_l (θ^w_jl)^{n^w_il}.
#     a_jj = ``diagonal`` and a_jl = ``off_diagonal`` are pseudo-counts, the mode under a Dirichlet prior of a + 1.
#     One coin: right with one probability whatever the true label, wrong evenly among the K - 1 others: θ^w_jl = a_w if
#     l = j, else (1 - a_w) / (K - 1); a_w = (Σ_ij T_ij n^w_ij + right) / (n^w + right + wrong), ``right`` and ``wrong``
#     the diagonal and off-diagonal pseudo-counts, the mode under Beta(right + 1, wrong + 1).
#     log-likelihood = Σ_i log Σ_j π_j Π_w Π_l (θ^w_jl)^{n^w_il}.
# Conventions
#     EM from several starts (vote shares, majority, random); the run with the largest penalised likelihood is kept
#     and all are reported, since local optima are real. With both pseudo-counts 0 this is maximum likelihood: a true
#     label that never occurs under a rater then has equal rates. Refused below 20 judgments of a
#     rater on average, of items that others judged too; those of other items say nothing about a rater.
#     Labels are only named by their rates: the prior's diagonal keeps them from changing places. A rater without
#     judgments has accuracy 1/2 where the pseudo-counts are 0.
# Source
#     Dawid and Skene 1979, equations 2.3 to 2.5 and 2.7; one coin: the same, reduced to one parameter, which is the
#     homogeneous model of Snow et al. 2008 and others.


Method = Literal["majority", "trust", "one-coin", "dawid-skene"]
METHODS: tuple[Method, ...] = get_args(Method)


PRIOR = (2.0, 0.5)


@dataclass(frozen=True, slots=True)
class RaterPrior:
    """The belief about a rater before they judge, in judgments of items of each true label; at least 0 each."""

    diagonal: float = PRIOR[0]  # judgments that were right
    off_diagonal: float = PRIOR[1]  # judgments that gave each wrong label

    def __post_init__(self) -> None:
        if not (0 <= self.diagonal < np.inf and 0 <= self.off_diagonal < np.inf):
            message = f"the prior is {self.diagonal} and {self.off_diagonal}"
            raise UsageError(Problem("crowd-prior", message, expected="pseudo-counts of at least 0"))


@dataclass(frozen=True, slots=True)
class Modeling:
    """How raters are modeled; with fewer judgments of shared items than ``min_items`` on average they are not."""

    prior: RaterPrior = field(default_factory=RaterPrior)
    runs: EMRuns = field(default_factory=EMRuns)
    min_items: float = MIN_ITEMS


def dawid_skene(
    judgments: Judgments, generator: np.random.Generator, how: Modeling | None = None, *, ties: str = UNKNOWN
) -> tuple[Answers, EMFit]:
    """Estimate the true labels and every rater's table of errors; ``generator`` is for random starts.

    Raises:
        UsageError: If there is one rater or label only, or judgments are too few.
    """
    how = how or Modeling()
    votes = EMVotes(judgments, how.min_items)
    right = np.eye(votes.n_labels, dtype=np.bool_)
    extra = np.where(right, how.prior.diagonal, how.prior.off_diagonal).astype(np.float64)

    def estimate(times_said: Floats) -> Floats:
        with_prior = times_said + extra
        total = with_prior.sum(axis=2, keepdims=True)
        even = np.full(with_prior.shape, 1 / votes.n_labels)
        return np.asarray(np.divide(with_prior, total, out=even, where=total > 0))

    def penalty(rates: Floats) -> float:
        return float((np.log(np.maximum(rates, LEAST)) * extra).sum()) if extra.any() else 0.0

    fitted = fit(votes, Likelihood(estimate, penalty), generator, how.runs)
    return make_answers(judgments, fitted.truth, ties), fitted


def one_coin(
    judgments: Judgments, generator: np.random.Generator, how: Modeling | None = None, *, ties: str = UNKNOWN
) -> tuple[Answers, EMFit]:
    """Estimate the true labels and every rater's accuracy, ``rates[:, 0, 0]`` of the fit; else as ``dawid_skene``."""
    how = how or Modeling()
    votes, prior = EMVotes(judgments, how.min_items), how.prior
    same = np.eye(votes.n_labels, dtype=np.bool_)

    def estimate(times_said: Floats) -> Floats:
        right = times_said[:, same].sum(axis=1) + prior.diagonal
        total = times_said.sum(axis=(1, 2)) + prior.diagonal + prior.off_diagonal
        accuracy = np.divide(right, total, out=np.full(len(right), 0.5), where=total > 0)[:, None, None]
        return np.asarray(np.where(same, accuracy, (1 - accuracy) / (votes.n_labels - 1)), np.float64)

    def penalty(rates: Floats) -> float:
        accuracy, wrong = (np.log(np.maximum(rate, LEAST)).sum() for rate in (rates[:, 0, 0], 1 - rates[:, 0, 0]))
        return float(prior.diagonal * accuracy + prior.off_diagonal * wrong)

    fitted = fit(votes, Likelihood(estimate, penalty), generator, how.runs)
    return make_answers(judgments, fitted.truth, ties), fitted


@dataclass(frozen=True, slots=True, eq=False)
class MethodComparison:
    """The answers of several methods, each by its name; the majority is always among them."""

    answers: Mapping[str, Answers]
    fits: Mapping[str, EMFit]  # of those that use EM
    differing: tuple[int, ...]  # items that do not get one answer from all, counting "no answer" as one; ascending


def aggregate(
    judgments: Judgments,
    generator: np.random.Generator,
    methods: Sequence[Method] = METHODS,
    *,
    how: Modeling | None = None,
    trust: Mapping[str, float] | None = None,
    ties: str = UNKNOWN,
) -> MethodComparison:
    """Aggregate by the majority and by other methods; ``trust`` is as of ``trust_weighted``."""
    if wrong := [name for name in methods if name not in METHODS]:
        message = f"no method is called '{wrong[0]}'"
        raise UsageError(Problem("crowd-method", message, fix=nearest(wrong[0], METHODS)))
    answers, fits = {"majority": majority(judgments, ties=ties)}, dict[str, EMFit]()
    for name in methods:
        if name == "trust":
            answers[name] = trust_weighted(judgments, trust, ties=ties)
        elif name != "majority":
            model = one_coin if name == "one-coin" else dawid_skene
            answers[name], fits[name] = model(judgments, generator, how, ties=ties)
    codes = np.stack([by_method.answer for by_method in answers.values()])
    judged = answers["majority"].n_judgments > 0
    return MethodComparison(answers, fits, tuple(np.flatnonzero((codes != codes[0]).any(axis=0) & judged).tolist()))
