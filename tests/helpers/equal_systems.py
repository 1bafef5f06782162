"""Corpora in which systems are equal on average over judges and texts, simulated from real outputs and annotators.

Essays are drawn with replacement and a set of judges is drawn, as in docs/judge-populations.md: a score is what a set
gives plus influences of the drawn essays. Of each pair the difference of the means over all sets is taken off, and
what a set adds is stretched to the variance over fresh sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from errorbar.core.problems import Problems
from errorbar.edits.texts import corrected_text
from errorbar.metrics.base import Floats
from errorbar.metrics.m2 import M2
from errorbar.metrics.population_fit import JudgedText, choose_sets, common_sets, fresh_variance, judge_text
from errorbar.metrics.populations import JudgeVariances
from errorbar.stats.multiple import adjust
from errorbar.stats.simultaneous import JointSpread, max_t_p_values
from errorbar.stats.two_way import Prior, TwoWay, jackknife, moderate, moderated_variance
from errorbar.studies.inputs import ReadingOptions, load

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
        fresh = fresh_variance(texts[i], texts[j], k)
        assert fresh is not None
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
            parts = moderate(parts, Prior(variance, known.df))
        found.append(parts)
    if known is not None:
        sigma, df = moderated_variance(sigma, k - 1, priors, known.df), k - 1 + known.df
    none = np.zeros(len(texts))
    return EqualSystems(JointSpread(e, sigma, df, none, none, moderated=known is not None), found)
