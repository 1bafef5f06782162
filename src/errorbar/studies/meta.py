"""How metrics agree with a human ranking: what ``errorbar meta`` and ``errorbar.meta`` compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Unpack

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.formats.look import Source, display_name
from errorbar.formats.metric_scores import read_metric_scores
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
from errorbar.ranking.ranked import METHODS, Method, signature
from errorbar.ranking.soft_accuracy import JudgedPairs, SoftAccuracy, soft_accuracies
from errorbar.ranking.wins import Floats
from errorbar.stats.resampling import Resampling
from errorbar.studies.door import Metrics, metrics_of, public
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, Taking, usual_metric
from errorbar.studies.meta_metrics import Computed, Outputs, Recorded, Scores, read_scores
from errorbar.studies.meta_result import MetaEvaluation
from errorbar.studies.rank import Judged, drawn


class Agreeing(Judged, Taking, total=False):
    """How judgments are drawn, and a corpus and systems read."""


@public()
def meta(
    human: Source | Comparisons | MetricScores,
    scores: Scores | Sequence[Scores] = (),
    *,
    gold: Gold | None = None,
    systems: Systems = (),
    metric: Metrics = None,
    method: Method = METHODS[0],
    beta: float | Sequence[float] = (),
    sentences: bool = False,
    first_sentence: int = 1,
    tests: bool = True,
    permutations: int = 10_000,
    window: int = 0,
    **shared: Unpack[Agreeing],
) -> MetaEvaluation:
    """Tell how metrics agree with a human ranking: recorded scores, metrics computed here, or both.

    Args:
        human: Judgments as ``rank`` takes them, or a table of systems and scores, or such scores.
        scores: Tables (system, score, maybe metric and sentence), JSON of ``errorbar score``, or lines of a system and
            its score; ``name=path`` names a metric; or ``MetricScores``. Higher must be better.
        gold: The reference that metrics are computed with, as for ``score``; None: none is.
        systems: The outputs that are scored, as for ``score``, named as humans ranked them.
        metric: What to compute, one or several; None: M2, where there is a reference. Its main measure is compared.
        method: How judgments become scores.
        beta: Further F with these betas, where a file has precision and recall.
        sentences: Compare sentence scores with the judgments too.
        first_sentence: How the judgments number the first sentence of ``errorbar score`` and of the reference.
        tests: Test every two metrics: does one agree better than the other?
        permutations: Ways to swap their scores.
        window: Correlate in windows of so many neighbors too.
        ci: Whether to make intervals over judgments; None: of up to 20,000 items. False: nor those over systems, which
            are a formula.
        lenient: Repair what can be repaired and note it; systems that not all have are left out.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or humans and metrics do not speak of the same systems.
        UsageError: If two metrics have one name, or arguments do not fit.
    """
    problems, by, seed = Problems(lenient=shared["lenient"]), shared["by"], shared["seed"]
    outputs = _outputs(gold, systems, metric, shared, first_sentence)
    found = _human(human, problems)
    betas = [beta] if isinstance(beta, float | int) else beta
    compared = read_scores(scores, betas, first_sentence, problems)
    _see_names([*([] if outputs is None else outputs.names), *(each.scores.metric for each in compared)])
    if outputs is not None:
        compared = [*outputs.compute(found.systems, problems), *compared]
    metrics = [each.scores for each in compared]
    how, signed, chosen = None, None, None
    if isinstance(found, Comparisons):
        how, chosen = drawn(found, shared, problems), method
        everybody = human_scores(found, method, how, by=by, seed=seed, progress=shared["progress"])
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
    soft = _soft(found, common.systems, compared, how, shared)
    softly = [each.accuracy.value is not None for each in soft]
    if isinstance(found, Comparisons):
        interval = "subsamples+percentile" if sentences else "subsamples"
        signed = signature(found, [method], how, by, seed, swapped=any(softly), interval=interval)
    return MetaEvaluation(
        common,
        chosen,
        agreements,
        soft,
        window,
        accuracies,
        tested,
        signed,
        {
            each.scores.metric: each.signed(seed) if known or isinstance(each, Computed) else None
            for each, known in zip(compared, softly, strict=True)
        },
        tuple(problems.notes),
    )


def _outputs(
    gold: Gold | None, systems: Systems, metric: Metrics, shared: Agreeing, first_sentence: int
) -> Outputs | None:
    """What metrics are computed from, or None."""
    if gold is None:
        for name, given in (("systems", systems), ("metric", metric)):
            if given is not None and given != ():
                what = f"{name} are given, and no reference to compute a metric with"
                raise UsageError(Problem("meta-no-gold", what, fix="add --gold"))
        return None
    metrics = metrics_of(usual_metric(gold, metric), None, "sentences")
    return Outputs(gold, systems, metrics, ReadingOptions.of(shared, metrics), first_sentence, shared["seed"])


def _soft(
    human: Comparisons | MetricScores,
    systems: Sequence[str],
    metrics: Sequence[Recorded],
    how: Resampling | None,
    shared: Agreeing,
) -> list[SoftAccuracy]:
    """Soft pairwise accuracy of each metric."""
    seed = shared["seed"]
    own: JudgedPairs | Floats | None = None
    if isinstance(human, Comparisons):
        own = JudgedPairs(human, systems, shared["by"])
    else:
        own = Recorded(human).chances(systems, seed)
    chances = {each.scores.metric: None if own is None else each.chances(systems, seed) for each in metrics}
    return soft_accuracies(own, chances, how)


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
    if is_ranking(human):
        return read_rankings(human, problems)
    found = read_metric_scores(human, problems)
    if len(found) > 1:
        what = f"{len(found)} columns of human scores: {', '.join(each.metric for each in found)}"
        fix = "put each in a file of its own"
        raise UsageError(Problem("meta-human", what, Place(display_name(human)), "one", fix))
    return found[0]


def _see_names(names: Sequence[str]) -> None:
    """See that there is a metric, and that each has a name of its own, before anything is computed."""
    for name in names:
        if names.count(name) > 1:
            what = f"two metrics are called '{name}'"
            raise UsageError(Problem("meta-same-name", what, fix="name a file of scores: name=path"))
    if not names:
        raise UsageError(Problem("no-systems", "there is no metric to look at", expected="at least one"))


def _judged_sentences(human: Comparisons | MetricScores, metrics: Sequence[MetricScores]) -> Comparisons:
    """The judgments that sentence scores are compared with."""
    if not isinstance(human, Comparisons):
        what = "scores of sentences are compared with judgments, and HUMAN has scores of systems"
        raise UsageError(Problem("meta-sentences", what, fix="name a file of judgments"))
    if not any(each.sentences for each in metrics):
        what = "no metric has scores of sentences"
        fix = "use errorbar score --by sentence --format json, or a table with the column sentence"
        raise UsageError(Problem("meta-sentences", what, fix=fix))
    return human
