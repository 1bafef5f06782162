"""Scores of texts in memory, without the defaults of the public function."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar import Corpus, Hypothesis, Problems, Resampling, Score
from errorbar.core import CorrectedSentence, Estimate, Interval, Undefined
from errorbar.edits import Admission, extract_edits
from errorbar.execute import Executor
from errorbar.metrics import Metric, ScoringPlan, TypeScore, parse_metrics, score_corpus


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
    if any(metric.takes_edits for metric in parse_metrics(metrics)):
        systems = [Hypothesis(system.name, with_edits(corpus, system.lines)) for system in systems]
    plan = ScoringPlan(parse_metrics(metrics), by_type, by_sentence, resampling, admission=Admission(force))
    return score_corpus(corpus, systems, plan, Problems() if problems is None else problems, executor=executor)


def with_edits(corpus: Corpus, lines: Sequence[str]) -> list[CorrectedSentence]:
    """The sentences of a system with their edits, those of the minimal aligner where they have none."""
    return [
        line
        if isinstance(line, CorrectedSentence)
        else CorrectedSentence(line, extract_edits(sentence.tokens, line.split()))
        for sentence, line in zip(corpus.sentences, lines, strict=True)
    ]


def counts_of(system_score: Score) -> tuple[float, ...]:
    """The counts of a score, in the order of its metric."""
    return tuple(system_score.counts.values())


def type_score(kind: str, correct: int, gold: int, interval: Interval | Undefined | None = None) -> TypeScore:
    """The recall of an error type."""
    made = Estimate(correct / gold, gold) if gold else Estimate(None, 0, undefined=Undefined.NOTHING_IN_REFERENCE)
    return TypeScore(
        kind,
        {"correct": correct, "gold": gold},
        {"recall": made if interval is None else made.with_interval(interval)},
    )
