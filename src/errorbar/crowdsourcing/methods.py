"""Several ways to aggregate the same judgments, next to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import NO_ANSWER, UNKNOWN, Answers, majority, trust_weighted
from errorbar.crowdsourcing.em import MIN_ITEMS, Fit, Runs
from errorbar.crowdsourcing.rater_models import Prior, dawid_skene, one_coin

Method = Literal["majority", "trust", "one-coin", "dawid-skene"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What several methods say; the majority is always among them.

    Attributes:
        answers: Method to its answers.
        fits: Method to what EM found, for those that use it.
        differing: Items that do not get one answer from all methods, counting "no answer" as one; ascending.
    """

    answers: Mapping[str, Answers]
    fits: Mapping[str, Fit]
    differing: tuple[int, ...]


def aggregate(
    judgments: Judgments,
    generator: np.random.Generator,
    *,
    methods: Sequence[Method] = METHODS,
    trust: Mapping[str, float] | None = None,
    prior: Prior | None = None,
    ties: str = UNKNOWN,
    min_items: float = MIN_ITEMS,
    runs: Runs | None = None,
) -> Comparison:
    """Aggregate by the majority and by other methods.

    The majority is added where it is missing; ``trust`` is as of ``trust_weighted``, what
    follows it as of ``dawid_skene``.

    Raises:
        UsageError: If a method is unknown, or as the methods do.
    """
    for name in methods:
        if name not in METHODS:
            raise UsageError(Problem("crowd-method", f"no method is called '{name}'", fix=nearest(name, METHODS)))
    answers = {"majority": majority(judgments, ties=ties)}
    fits: dict[str, Fit] = {}
    for name in methods:
        if name == "trust":
            answers[name] = trust_weighted(judgments, trust, ties=ties)
        elif name != "majority":
            model = one_coin if name == "one-coin" else dawid_skene
            answers[name], fits[name] = model(
                judgments,
                generator,
                prior=prior,
                ties=ties,
                min_items=min_items,
                runs=runs,
            )
    codes = np.stack([made.answer for made in answers.values()])
    judged = answers["majority"].n_judgments > 0
    return Comparison(answers, fits, tuple(np.flatnonzero((codes != codes[0]).any(axis=0) & judged).tolist()))


def answer_name(answers: Answers, item: int) -> str:
    """The answer to an item in words, ``unknown`` where there is none."""
    code = int(answers.answer[item])
    return UNKNOWN if code == NO_ANSWER else answers.labels[code]
