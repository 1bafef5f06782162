"""How metrics agree with a human ranking: what ``errorbar meta`` and ``errorbar.meta`` compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from os import PathLike
from typing import Unpack

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.formats.metric_scores import read_metric_scores
from errorbar.formats.opening import Source, display_name, rereadable
from errorbar.formats.ranking_files import is_ranking, read_rankings
from errorbar.ranking.judged_pairs import pairwise_accuracy
from errorbar.ranking.metric_agreement import (
    MetricAgreement,
    common_systems,
    compare_metrics,
    human_scores,
    metric_agreement,
    plain_scores,
)
from errorbar.ranking.ranked import METHODS, Method, rank_systems, signature
from errorbar.studies.door import public
from errorbar.studies.meta_result import MetaEvaluation
from errorbar.studies.rank import Ranked, drawn

Scores = Source | MetricScores


@public()
def meta(
    human: Source | Comparisons | MetricScores,
    scores: Scores | Sequence[Scores],
    *,
    method: Method = METHODS[0],
    beta: float | Sequence[float] = (),
    sentences: bool = False,
    first_sentence: int = 1,
    tests: bool = True,
    permutations: int = 10_000,
    window: int = 0,
    **shared: Unpack[Ranked],
) -> MetaEvaluation:
    """Tell how metrics agree with a human ranking.

    Args:
        human: Judgments as ``rank`` takes them, or a table of systems and scores, or such scores.
        scores: Tables (system, score, maybe metric and sentence), JSON of ``errorbar score``, or lines of a system and
            its score; ``name=path`` names a metric; or ``MetricScores``. Higher must be better.
        method: How judgments become scores.
        beta: Further F with these betas, where a file has precision and recall.
        sentences: Compare sentence scores with the judgments too.
        first_sentence: How the judgments number the first sentence of ``errorbar score``.
        tests: Test every two metrics: does one agree better than the other?
        permutations: Ways to swap their scores.
        window: Correlate in windows of so many neighbors too.
        ci: Whether to make intervals over judgments; None: of up to 20,000 items. False: nor those over systems, which
            are a formula.
        lenient: Repair what can be repaired and note it; systems that not all have are left out.
        shared: How intervals are made.

    Raises:
        InputError: If a file is bad, or humans and metrics do not speak of the same systems.
        UsageError: If two metrics have one name, or arguments do not fit.
    """
    problems, by, seed = Problems(lenient=shared["lenient"]), shared["by"], shared["seed"]
    found = _human(human, problems)
    betas = [beta] if isinstance(beta, float | int) else beta
    metrics = _metrics(scores, betas, first_sentence, problems)
    how, signed, chosen = None, None, None
    if isinstance(found, Comparisons):
        how, chosen = drawn(found, shared, problems), method
        signed = signature(found, [method], how, by, seed)
        ranked = rank_systems(found, [method], how, by=by, seed=seed, progress=shared["progress"])
        everybody = human_scores(ranked[0])
    else:
        everybody = plain_scores(found.systems)
    common = common_systems(everybody, metrics, problems)
    level = shared["confidence"]
    agreements = [metric_agreement(common, each, window=window, confidence_level=level) for each in metrics]
    if shared["ci"] is False:
        agreements = list(map(_bare, agreements))
    accuracies = None
    if sentences:
        judged = _judged_sentences(found, metrics)
        accuracies = [pairwise_accuracy(judged, each, how, by=by) for each in metrics if each.sentences]
        for left in (each for each in accuracies if each.n_left_out):
            what = f"{left.metric} lacks scores for {left.n_left_out:,} comparisons; they are left out"
            problems.note(
                "meta-left-out", what, Place(), fix="see --first-sentence, if the numbers of sentences differ"
            )
    pairs = combinations(metrics, 2) if tests else ()
    tested = [compare_metrics(common, *pair, replicates=permutations, seed=seed) for pair in pairs]
    return MetaEvaluation(common, chosen, agreements, window, accuracies, tested, signed, tuple(problems.notes))


def _bare(agreement: MetricAgreement) -> MetricAgreement:
    """Without intervals."""

    def bare(estimate: Estimate) -> Estimate:
        return replace(estimate, interval=None, no_interval=None)

    correlations = {kind: bare(each) for kind, each in agreement.correlations.items()}
    windows = {kind: tuple(map(bare, each)) for kind, each in agreement.windows.items()}
    return replace(agreement, correlations=correlations, windows=windows)


def _human(human: Source | Comparisons | MetricScores, problems: Problems) -> Comparisons | MetricScores:
    """The judgments, if there are any, or scores."""
    if isinstance(human, Comparisons | MetricScores):
        return human
    again = rereadable(human)
    if is_ranking(again):
        return read_rankings(again, problems)
    found = read_metric_scores(again, problems)
    if len(found) > 1:
        what = f"{len(found)} columns of human scores: {', '.join(each.metric for each in found)}"
        fix = "put each in a file of its own"
        raise UsageError(Problem("meta-human", what, Place(display_name(human)), "one", fix))
    return found[0]


def _metrics(
    scores: Scores | Sequence[Scores], betas: Sequence[float], first_sentence: int, problems: Problems
) -> list[MetricScores]:
    metrics: dict[str, MetricScores] = {}
    for given in [scores] if isinstance(scores, str | PathLike | MetricScores) else scores:
        path = ""
        if isinstance(given, MetricScores):
            found = [given]
        else:
            name, equals, path = str(given).partition("=")
            name, path = (name, path) if equals else ("", name)
            found = read_metric_scores(path, problems, name=name or None, betas=betas, first_sentence=first_sentence)
        for each in found:
            if each.metric in metrics:
                what = f"two metrics are called '{each.metric}'"
                raise UsageError(Problem("meta-same-name", what, Place(path), fix="name one: name=path"))
            metrics[each.metric] = each
    if not metrics:
        raise UsageError(Problem("no-systems", "there is no metric to look at", expected="at least one"))
    return list(metrics.values())


def _judged_sentences(human: Comparisons | MetricScores, metrics: Sequence[MetricScores]) -> Comparisons:
    """The judgments that sentence scores are compared with."""
    if not isinstance(human, Comparisons):
        what = "--sentences compares with judgments, and HUMAN has scores of systems"
        raise UsageError(Problem("meta-sentences", what, fix="name a file of judgments"))
    if not any(each.sentences for each in metrics):
        what = "no metric has scores of sentences"
        fix = "use errorbar score --by sentence --format json, or a table with the column sentence"
        raise UsageError(Problem("meta-sentences", what, fix=fix))
    return human
