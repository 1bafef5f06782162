"""Corpora simulated from real outputs and annotators: of equal systems, and halves that predict each other.

Equal on average over judges and texts: essays are drawn with replacement and a set of judges is drawn, as in
docs/measurements/judge-populations.md; a score is what a set gives plus influences of the drawn essays. Of each pair
the difference of the means over all sets is taken off, and what a set adds is stretched to the variance over fresh
sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from errorbar import M2, Problems
from errorbar.api import ReadingOptions, load
from errorbar.core import Floats
from errorbar.edits import corrected_text
from errorbar.metrics import JudgedText, JudgeVariances, choose_sets, judge_text
from errorbar.metrics.population_fit import common_sets, fresh_variance
from errorbar.stats import (
    JointSpread,
    TwoWay,
    VariancePrior,
    adjust,
    jackknife,
    lean_less,
    max_t_p_values,
    moderated_variance,
    replication,
)
from errorbar.stats.two_way import moderate
from tests.helpers.expectations import require

F = 2


def read_texts(data: Path, systems: Sequence[str], annotators: Sequence[int], largest: int) -> list[JudgedText]:
    """Outputs of 2014 and texts of annotators, scored against all sets of up to so many of the other annotators."""
    files = [data / f"bn2015_10gec/A{i}.m2" for i in range(1, 11)]
    folder = data / "conll14_systems/official_submissions"
    options = ReadingOptions(documents=data / "conll14/noalt/official-2014.0.sgml", lenient=True)
    read = load(files, [folder / name for name in systems or ["CAMB"]], options)
    sentences, names = read.corpus.sentences, read.corpus.annotators
    outputs = {(own.name, -1): list(own.lines) for own in read.systems if own.name in systems}
    for i in annotators:
        outputs[f"A{i + 1}", i] = [corrected_text(sentence, names[i], Problems()) for sentence in sentences]
    sets = choose_sets([i for i in range(10) if i not in annotators], largest)
    groups = read.documents.clusters()
    return [
        judge_text(M2(), M2().measure(read.corpus, lines), name, sets, groups, 10)[F] for name, lines in outputs.items()
    ]


@dataclass(frozen=True, slots=True)
class EqualSystems:
    """One corpus: how systems vary together, and the parts of the t of every pair."""

    spread: JointSpread
    found: list[TwoWay]  # of the pairs, in the order of ``combinations``

    def p_values(self, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Adjusted by max-t as ``compare`` does it, and by Holm."""
        n = self.spread.texts.shape[1]
        alone = np.array([own.p_value for own in self.found])
        t = np.array([abs(own.value) / np.sqrt(own.variance) for own in self.found])
        p, _ = max_t_p_values(self.spread, list(combinations(range(n), 2)), t, iter([(draws, rng)]))
        return np.maximum(p, alone), adjust(alone, method="holm")


def draw_equal_systems(
    texts: Sequence[JudgedText], k: int, known: JudgeVariances | None, rng: np.random.Generator
) -> EqualSystems:
    """Draw a corpus of as many essays and k judges."""
    sets = [judges for judges in common_sets(texts[0], None, k) if all(judges in text.sets for text in texts)]
    n, picked = texts[0].influence.shape[1], sets[int(rng.integers(len(sets)))]
    essays = rng.integers(n, size=n)
    influence = np.stack([text.influence[text.sets[picked]][essays] for text in texts], axis=1)
    smaller = [picked[:i] + picked[i + 1 :] for i in range(k)] if k > 1 else []
    without = [
        [text.values[text.sets[judges]] + text.influence[text.sets[judges]][essays].mean() for text in texts]
        for judges in smaller
    ]
    over_judges = np.array(without) if without else np.zeros((1, len(texts)))
    scores = [text.values[text.sets[picked]] + own for text, own in zip(texts, influence.mean(axis=0), strict=True)]
    e = (influence - influence.mean(axis=0)) / np.sqrt(n * (n - 1))
    a = np.sqrt((k - 1) / k) * (over_judges - over_judges.mean(axis=0))
    sigma, df, over_texts = a.T @ a, k - 1.0, np.sum(e**2, axis=0)
    priors = np.zeros((len(texts), len(texts)))
    if known is not None:
        of_systems = [known.of_score(float(np.clip(score, 0, 1)), k, k) for score in scores]
        np.fill_diagonal(priors, of_systems)
    found = []
    for i, j in combinations(range(len(texts)), 2):
        fresh = require(fresh_variance(texts[i], texts[j], k))
        rows = np.array([[text.sets[judges] for judges in sets] for text in (texts[i], texts[j])])
        apart = texts[i].values[rows[0]] - texts[j].values[rows[1]]
        own = apart[sets.index(picked)] - apart.mean()
        value = own * np.sqrt(fresh.variance / apart.var()) + (influence[:, i] - influence[:, j]).mean()
        parts = TwoWay(
            float(value), float(np.sum((e[:, i] - e[:, j]) ** 2)), jackknife(over_judges[:, i] - over_judges[:, j]),
            0.0, n, k, df,
        )  # fmt: skip
        if known is not None:
            three = float(over_texts[i]), float(over_texts[j]), parts.texts
            variance = known.of_difference(of_systems[i], of_systems[j], three)
            priors[i, j] = priors[j, i] = (of_systems[i] + of_systems[j] - variance) / 2
            parts = moderate(parts, VariancePrior(variance, known.df))
        found.append(parts)
    if known is not None:
        sigma, df = moderated_variance(sigma, k - 1, priors, known.df), k - 1 + known.df
    none = np.zeros(len(texts))
    return EqualSystems(JointSpread(e, sigma, df, none, none, moderated=known is not None), found)


@dataclass(frozen=True, slots=True)
class Halves:
    """Differences on half of the essays by k judges, and on the other half by as many others."""

    predicted: Floats  # that who is ahead on the first is ahead on the second
    before: Floats  # by the measure that errorbar had before: Phi(D / sqrt(V_A + V_E - V_EA))
    came_true: NDArray[np.bool_]


def split_halves(
    texts: Sequence[JudgedText], k: int, n_splits: int, known: JudgeVariances, shares: float, rng: np.random.Generator
) -> Halves:
    """Split essays and judges of every pair of texts, replication leaning on a share of the prior variance."""
    predicted, before, came_true = [], [], []
    for first, second in combinations(texts, 2):
        judges = [i for i in range(10) if i not in (first.author, second.author)]
        for _ in range(n_splits):
            essays, seats = rng.permutation(first.influence.shape[1]), rng.permutation(judges)
            half = len(essays) // 2
            sets = tuple(sorted(map(int, seats[:k]))), tuple(sorted(map(int, seats[k : 2 * k])))
            here, there = essays[:half], essays[half:]

            def score(text: JudgedText, judges: tuple[int, ...], essays: NDArray[np.int64]) -> float:
                row = text.sets[judges]
                return float(text.values[row] + text.influence[row, essays].mean())

            value, again = (
                score(first, own, part) - score(second, own, part)
                for own, part in zip(sets, (here, there), strict=True)
            )
            influences = [text.influence[text.sets[sets[0]], here] for text in (first, second)]
            e1, e2, e = (np.var(own, ddof=1) / half for own in (*influences, influences[0] - influences[1]))
            smaller = [sets[0][:i] + sets[0][i + 1 :] for i in range(k)] if k > 1 else []
            left = np.array([score(first, own, here) - score(second, own, here) for own in smaller] or [0.0])
            both = np.array([(first.influence[first.sets[own], here] - second.influence[second.sets[own], here])
                             for own in smaller] or [np.zeros(half)])  # fmt: skip
            both = both - both.mean(axis=1, keepdims=True)
            both = both - both.mean(axis=0)
            v_ea = (k - 1) / (k * half * (half - 1)) * float(np.sum(both**2))
            parts = TwoWay(value, float(e), jackknife(left), v_ea, half, k, k - 1.0)
            of_first, of_second = (known.of_score(score(text, sets[0], here), k, k) for text in (first, second))
            prior = VariancePrior(known.of_difference(of_first, of_second, (float(e1), float(e2), float(e))), known.df)
            usual = lean_less(moderate(parts, prior), prior, shares)
            predicted.append(replication(abs(value), usual.variance, usual.df))
            before.append(ndtr(abs(value) / np.sqrt(max(parts.judges + parts.texts - v_ea, parts.judges, 1e-12))))
            came_true.append(value * again > 0)
    return Halves(np.array(predicted), np.array(before), np.array(came_true))


def log_loss(predicted: Floats, came_true: NDArray[np.bool_]) -> float:
    """How far predictions are from what came true; less is better."""
    p = np.clip(predicted, 1e-6, 1 - 1e-6)
    return -float(np.mean(np.log(np.where(came_true, p, 1 - p))))
