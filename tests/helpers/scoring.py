"""Scores of texts in memory, without the defaults of the public function."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.execute import Executor
from errorbar.metrics.base import Metric
from errorbar.metrics.folding import Plan
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.scored import Score, TypeScore
from errorbar.metrics.scoring import score_corpus
from errorbar.stats.resampling import Resampling


def score(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    metrics: Sequence[Metric | str],
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    problems: Problems | None = None,
    force: bool = False,
    executor: Executor | None = None,
) -> list[Score]:
    """Score systems; no intervals unless they are asked for."""
    plan = Plan(parse_metrics(metrics), by_type, by_sentence, resampling, admission=Admission(force))
    return score_corpus(corpus, systems, plan, Problems() if problems is None else problems, executor=executor)


def counts_of(one: Score) -> tuple[int, ...]:
    """The counts of a score, in the order of its metric."""
    return tuple(one.counts.values())


def type_score(kind: str, correct: int, gold: int, interval: Interval | Undefined | None = None) -> TypeScore:
    """The recall of an error type."""
    made = Estimate(correct / gold, gold) if gold else Estimate(None, 0, undefined=Undefined.NOTHING_IN_REFERENCE)
    return TypeScore(
        kind,
        {"correct": correct, "gold": gold},
        {"recall": made if interval is None else made.with_interval(interval)},
    )
