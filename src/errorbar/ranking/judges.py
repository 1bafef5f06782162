"""How far judges agree, with each other and with themselves, on who is better.

Formula
    A pair of texts of one sentence that was compared twice agrees where both said the same: better, worse or tie.
    κ = (A_o − A_e)/(1 − A_e): A_o the share of such pairs of answers that agree, A_e = q² + 2 ((1 − q)/2)², q the share
    of ties among the answers in these pairs.
Conventions
    All pairs of answers of all pairs of judges (or, for a judge with themself, of all judges) are pooled; each counts
    once. Systems that wrote the same text are compared as systems, as the rankings are expanded; comparisons of
    identical texts, which nobody was asked, are left out. By chance either system of a pair is as likely to win, so
    that kappa does not depend on which of the two is named first.
Source
    Bojar et al. 2013, Findings of the WMT, section 3.1 (A_e of the three answers).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.rankings import Comparisons

TIE = 1
"""Where ties are counted, between the two ways to win."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of judges.

    Attributes:
        kappa: Kappa; units are pairs of answers.
        observed: A_o; None without pairs.
        expected: A_e; None without pairs.
    """

    kappa: Estimate
    observed: float | None
    expected: float | None


def judge_agreement(comparisons: Comparisons) -> tuple[JudgeAgreement, JudgeAgreement]:
    """Agreement between judges, and of judges with themselves."""
    kept = ~comparisons.identical
    one, two = comparisons.first[kept], comparisons.second[kept]
    swap = one > two
    answer = np.where(swap, -comparisons.outcome[kept], comparisons.outcome[kept]) + 1
    size = np.int64(len(comparisons.systems))
    pair = (np.minimum(one, two) * size + np.maximum(one, two)).astype(np.int64)
    question = comparisons.sentence[kept] * size * size + pair
    judge = comparisons.judge[kept].astype(np.int64)
    everybody = _answers(question, answer)
    alone = _answers(question * len(comparisons.judges) + judge, answer)
    others = _agreement(everybody[0] - alone[0], everybody[1] - alone[1], everybody[2] - alone[2])
    return others, _agreement(*alone)


def _answers(question: NDArray[np.int64], answer: NDArray[np.int64]) -> tuple[float, float, NDArray[np.float64]]:
    """Pairs of answers to one question, those that agree, and how often each answer stands in them."""
    _, code = np.unique(question, return_inverse=True)
    table = np.bincount(code * 3 + answer, minlength=3 * (int(code.max(initial=-1)) + 1)).reshape(-1, 3)
    table = table.astype(np.float64)
    n = table.sum(axis=1)
    pairs = float((n * (n - 1) / 2).sum())
    equal = float((table * (table - 1) / 2).sum())
    return pairs, equal, (table * (n - 1)[:, None]).sum(axis=0)


def _agreement(pairs: float, equal: float, answers: NDArray[np.float64]) -> JudgeAgreement:
    if not pairs:
        return JudgeAgreement(Estimate(None, 0, undefined=Undefined.TOO_FEW_RATERS), None, None)
    observed = equal / pairs
    tied = float(answers[TIE] / answers.sum())
    expected = tied**2 + (1 - tied) ** 2 / 2
    if expected >= 1:
        return JudgeAgreement(Estimate(None, int(pairs), undefined=Undefined.ONE_LABEL), observed, expected)
    return JudgeAgreement(Estimate((observed - expected) / (1 - expected), int(pairs)), observed, expected)
