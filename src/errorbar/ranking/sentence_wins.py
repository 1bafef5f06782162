"""Systems ranked sentence by sentence: whose output of a sentence a metric scores higher, and what these wins become.

Humans compare outputs of a sentence, and rankings are made of these wins; a metric usually averages or adds up first.
Made alike, the two agree better.

Formula
    Of each sentence every two systems are compared: the larger score wins, equal ones tie. ``expected-wins``: as of
    judgments (errorbar.ranking.wins), ties ignored. ``trueskill``: all pairs of the first sentence, then of the second
    and so on, each moving the beliefs by the equations of errorbar.ranking.wins with μ 0, σ .5, β .25, τ 0 and a
    probability .25 of a draw; the score is μ.
    The score of a sentence is the share of the other systems that it beats, less the share that beats it.
Conventions
    A sentence counts for the systems that have a score of it. TrueSkill depends on the order of sentences and systems:
    the comparisons are far from independent, and each moves the beliefs much. Within a sentence pairs come in the order
    of the systems. Beliefs become so sure that later sentences hardly move them; ``expected-wins`` has no such trouble.
Source
    Goto, Sakai & Watanabe 2025, "Rethinking Evaluation Metrics for Grammatical Error Correction: Why Use a Different
    Evaluation Process than Human?" (arXiv:2502.09416), and their program gec-metrics, with whose TrueSkill the tests
    compare.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import erfc, exp, pi, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.core.rankings import MetricScores
from errorbar.ranking.wins import Counts, Skill, expected_wins
from errorbar.stats.resampling import NORMAL

Aggregation = Literal["corpus", "expected-wins", "trueskill"]
SKILL = Skill(mu=0.0, sigma=0.5, beta=0.25, tau=0.0, draw=0.25)
_LEAST = 1e-290
_ROOT = sqrt(2 * pi)


def aggregate_sentences(scores: MetricScores, how: Aggregation) -> MetricScores:
    """The metric with scores of systems that are made of wins by sentence; ``corpus``: as it is.

    Raises:
        UsageError: If it has no scores of sentences.
    """
    if how == "corpus":
        return scores
    if not scores.sentences:
        message = f"{scores.metric} has no scores of sentences, of which wins are counted"
        fix = "use scores with the column sentence, or leave --aggregate out"
        raise UsageError(Problem("meta-sentences", message, Place(scores.metric), fix=fix))
    systems = list(scores.systems)
    table = np.array([[row.get(system, np.nan) for system in systems] for row in scores.sentences.values()])
    outcomes = compare_outputs(table)
    values = trueskill_means(outcomes) if how == "trueskill" else expected_wins(_count(outcomes))
    others = np.maximum(np.count_nonzero(~np.isnan(outcomes), axis=2), 1)
    shares = np.nansum(outcomes, axis=2) / others
    sentences = {
        name: {system: share for system, share in zip(systems, row, strict=True) if system in known}
        for (name, known), row in zip(scores.sentences.items(), shares.tolist(), strict=True)
    }
    known = {system: value for system, value in zip(systems, values.tolist(), strict=True) if not np.isnan(value)}
    return replace(scores, metric=f"{scores.metric} {how}", systems=known, sentences=sentences)


def compare_outputs(table: Floats) -> Floats:
    """1 where the row's system has the larger score of a sentence, -1 where the smaller, 0 for ties; NaN without both.

    Shape (sentences, systems) to (sentences, systems, systems), NaN on the diagonal.
    """
    outcomes = np.sign(table[:, :, None] - table[:, None, :])
    outcomes[:, range(table.shape[1]), range(table.shape[1])] = np.nan
    return outcomes


def _count(outcomes: Floats) -> Counts:
    return Counts((outcomes > 0).sum(axis=0).astype(np.float64), (outcomes == 0).sum(axis=0).astype(np.float64))


def trueskill_means(outcomes: Floats, skill: Skill = SKILL) -> Floats:
    """The means of the beliefs after all sentences in their order; shape (systems,).

    The scalar twin of ``errorbar.ranking.wins.play`` for one order without growth: ten times as fast for it.
    """
    n = outcomes.shape[1]
    mu, variance = [skill.mu] * n, [skill.sigma**2] * n
    edge = sqrt(2) * skill.beta * NORMAL.inv_cdf((1 + skill.draw) / 2)
    noise, pairs = 2 * skill.beta**2, list(combinations(range(n), 2))
    columns = tuple(np.array(pairs, np.int64).reshape(-1, 2).T)
    for row in outcomes[:, columns[0], columns[1]].tolist():
        for (first, second), outcome in zip(pairs, row, strict=True):
            if outcome != outcome:  # noqa: PLR0124 - NaN: one has no score
                continue
            better, worse = (second, first) if outcome < 0 else (first, second)
            square = noise + variance[better] + variance[worse]
            c = sqrt(square)
            v, w = _moves((mu[better] - mu[worse]) / c, edge / c, tied=outcome == 0)
            for system, sign in ((better, 1), (worse, -1)):
                mu[system] += sign * variance[system] / c * v
                variance[system] *= 1 - variance[system] / square * w
    return np.array(mu, np.float64)


def rate_replicates(
    outcomes: Floats,
    units: Ints,
    swapped: NDArray[np.bool_] | None = None,
    pair: tuple[int, int] = (0, 0),
    skill: Skill = SKILL,
) -> Floats:
    """The means of the beliefs after the sentences of each replicate, in the order of its row; (replicates, systems).

    Args:
        outcomes: As of ``compare_outputs``; shape (sentences, systems, systems).
        units: Sentences of each replicate, -1 for none; shape (replicates or 1, n).
        swapped: In which sentences of a replicate the two systems have changed places; shape (replicates, sentences).
        pair: These two.
        skill: The parameters.
    """
    n_replicates = len(units) if swapped is None else len(swapped)
    try:
        from errorbar.ranking import _skill  # noqa: PLC0415 - absent without a compiler
    except ImportError:
        rows = np.broadcast_to(units, (n_replicates, units.shape[1]))
        played = (
            _outcomes_of(outcomes, row[row >= 0], None if swapped is None else swapped[k], pair)
            for k, row in enumerate(rows)
        )
        return np.stack([trueskill_means(one, skill) for one in played])
    means = np.empty((n_replicates, outcomes.shape[1]))
    places = np.zeros((0, 0), np.uint8) if swapped is None else np.ascontiguousarray(swapped, np.uint8)
    edge = sqrt(2) * skill.beta * NORMAL.inv_cdf((1 + skill.draw) / 2)
    whole = np.ascontiguousarray(np.where(np.isnan(outcomes), 2, outcomes), np.int8)
    rows = np.ascontiguousarray(units, np.int64)
    _skill.rate_replicates(whole, rows, places, *pair, skill.mu, skill.sigma**2, 2 * skill.beta**2, edge, means)
    return means


def _outcomes_of(outcomes: Floats, row: Ints, swapped: NDArray[np.bool_] | None, pair: tuple[int, int]) -> Floats:
    """The outcomes of a replicate's sentences, of two systems with their places changed where they are swapped."""
    selected = outcomes[row]
    if swapped is None:
        return selected
    seats = np.arange(outcomes.shape[1])
    seats[list(pair)] = pair[::-1]
    changed = selected[:, seats][:, :, seats]
    return np.where(swapped[row][:, None, None], changed, selected)


def _moves(t: float, edge: float, *, tied: bool) -> tuple[float, float]:
    """By what (v and w) a mean and a variance move: of a normal number of mean t beyond or within the edge."""
    low = -edge - t if tied else edge - t
    dense_low = exp(-low * low / 2) / _ROOT
    if not tied:
        mass = erfc(low / sqrt(2)) / 2
        if mass < _LEAST:
            return low, 1.0
        v = dense_low / mass
        return v, v * (v - low)
    high = edge - t
    dense_high = exp(-high * high / 2) / _ROOT
    near, far = (low, high) if low > 0 else (-high, -low)  # the side where the subtraction loses nothing
    mass = (erfc(near / sqrt(2)) - erfc(far / sqrt(2))) / 2
    if mass < _LEAST:
        return (low if low > 0 else high), 1.0
    v = (dense_low - dense_high) / mass
    return v, v * v + (high * dense_high - low * dense_low) / mass
