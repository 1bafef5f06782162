"""The agreement of metrics with a human ranking: ``errorbar meta`` and ``errorbar.meta``."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from os import PathLike
from typing import Annotated, Any, Unpack

import numpy as np

from errorbar.api.arguments import Bounds, Metrics, Useless, metrics_of, public, refuse_without_intervals
from errorbar.api.inputs import Gold, ReadingOptions, Systems, Taking, load, need_systems, system_list, usual_metric
from errorbar.api.rank import RankingDraws, ranking_resampling
from errorbar.api.rated_systems import main_values_of, sentence_values
from errorbar.api.recorded_scores import check_scores, hash_scores, read_tables
from errorbar.api.signatures import made_by
from errorbar.core.arrays import Floats
from errorbar.core.corpus import Hypothesis
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest
from errorbar.core.rankings import Comparisons, MetricScores, order_sentences, sentence_means
from errorbar.formats.look import Source, display_name
from errorbar.formats.metric_scores import read_metric_scores
from errorbar.formats.rankings import is_ranking, read_rankings
from errorbar.metrics.base import Metric
from errorbar.metrics.folding import Documents
from errorbar.metrics.swaps import swap_chances
from errorbar.ranking.judged_pairs import PairwiseAccuracy, pairwise_accuracy
from errorbar.ranking.metric_agreement import (
    HumanScores,
    JudgedPairs,
    MetricAgreement,
    MetricTest,
    SoftAccuracy,
    common_systems,
    compare_metrics,
    human_scores,
    metric_agreement,
    plain_scores,
    sentence_chances,
    soft_accuracies,
)
from errorbar.ranking.ranked import Method, signature
from errorbar.ranking.sentence_wins import Aggregation, aggregate_sentences
from errorbar.stats.paired import WAYS
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import as_text, attributes, interval_record, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.version import __version__

Scores = Source | MetricScores


@dataclass(frozen=True, slots=True)
class RecordedScores:
    """A metric whose scores are known."""

    scores: MetricScores

    def signature_of(self, seed: int, how: Aggregation = "corpus") -> str | None:
        """The signature for soft accuracy: scores of sentences, and ways to swap them; None: there are none."""
        if not self.scores.sentences:
            return None
        n = len(self.scores.sentences)
        content = hash_scores(self.scores, ordered=how == "trueskill")
        return f"recorded|scores:{content}|n:{n}|by:sentence,seed:{seed}|p:one-sided,{WAYS}|v:{__version__}"

    def chances(self, systems: Sequence[str], seed: int) -> Floats | None:
        """How sure it is of each pair, from scores of sentences; None: there are none."""
        return sentence_chances(self.scores.sentences, systems, seed) if self.scores.sentences else None

    def part(self, kept: Container[str]) -> RecordedScores:
        """The metric on some sentences: a system's score moves as the mean of its sentences does; NaN without any."""
        own = self.scores.sentences
        some = {name: row for name, row in own.items() if name in kept}
        if len(some) == len(own):
            return self
        before, after = sentence_means(own), sentence_means(some)
        moved = {
            system: score + after.get(system, np.nan) - before[system] if system in before else score
            for system, score in self.scores.systems.items()
        }
        return RecordedScores(replace(self.scores, systems=moved, sentences=some))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedScores(RecordedScores):
    """A metric that was computed here."""

    metric: Metric
    statistics: dict[str, Any]  # what it keeps of each system
    documents: Documents
    signature: str
    first_sentence: int  # what the humans call it

    def signature_of(self, seed: int, how: Aggregation = "corpus") -> str | None:
        """The signature of the scores that were computed."""
        return self.signature

    def chances(self, systems: Sequence[str], seed: int) -> Floats | None:
        """How sure it is of each pair, from swapping the outputs of documents or sentences."""
        kept = [self.statistics[system] for system in systems]
        return swap_chances(self.metric.resampled, kept, self.documents.clusters(), seed)

    def part(self, kept: Container[str]) -> RecordedScores:
        """The metric on some sentences, computed of what it keeps of them."""
        codes = self.documents.clusters()
        units = np.array([at for at in range(len(codes)) if str(at + self.first_sentence) in kept], np.int64)
        documents = Documents()
        documents.add_names([str(code) for code in codes[units].tolist()])
        statistics = {system: one.take(units) for system, one in self.statistics.items()}
        sign = self.metric.measures[self.metric.main].sign
        systems = {
            name: sign * float(main_values_of(self.metric, self.metric.fold(one))[0])
            for name, one in statistics.items()
        }
        sentences = {name: row for name, row in self.scores.sentences.items() if name in kept}
        return replace(
            self,
            scores=replace(self.scores, systems=systems, sentences=sentences),
            statistics=statistics,
            documents=documents,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WinsBySentence(RecordedScores):
    """A metric whose scores of systems are made of wins by sentence."""

    source: RecordedScores
    how: Aggregation

    def signature_of(self, seed: int, how: Aggregation = "corpus") -> str | None:
        """The metric's own, and what its wins became."""
        own = self.source.signature_of(seed, self.how)
        return None if own is None else f"|wins:{self.how}|v:".join(own.rsplit("|v:", 1))

    def part(self, kept: Container[str]) -> RecordedScores:
        """The wins in some sentences; no score where there are none."""
        source = self.source.part(kept)
        if not source.scores.sentences:
            return RecordedScores(replace(self.scores, systems={}, sentences={}))
        return aggregate_source(source, self.how)


def aggregate_source(source: RecordedScores, how: Aggregation) -> RecordedScores:
    """The metric with scores of systems that are made as ``how`` says."""
    if how == "corpus":
        return source
    return WinsBySentence(aggregate_sentences(source.scores, how), source=source, how=how)


@dataclass(frozen=True, slots=True)
class Outputs:
    """The reference and the outputs that metrics are computed from."""

    gold: Gold
    systems: Systems
    metrics: Sequence[Metric]
    reading: ReadingOptions
    first_sentence: int  # what the humans call it
    seed: int

    @property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return [str(metric.spec) for metric in self.metrics]

    def compute(self, ranked: Iterable[str], problems: Problems) -> list[RecordedScores]:
        """Score systems, whose names must be those that humans ranked, by every metric."""
        need_systems(self.systems)
        outputs = system_list(self.systems)
        if not problems.lenient:  # in the end all metrics are asked for all systems, but measuring may take minutes
            _refuse_other_systems([output.name for output in outputs], list(ranked), problems)
        named = {output.name: output.lines if isinstance(output, Hypothesis) else output.path for output in outputs}
        data = load(self.gold, named, self.reading)
        problems.take(data.problems.notes)
        computed: list[RecordedScores] = []
        for metric in self.metrics:
            data.corpus.need([] if metric.annotator is None else [metric.annotator])
            measuring = data.with_systems(metric)
            kept = {system.name: measuring.measure(data.corpus, system.lines) for system in data.systems}
            by = f"by:{data.documents.clustering},seed:{self.seed}"
            how = *made_by(measuring, kept.values()), by, f"p:one-sided,{WAYS}"
            signature = data.signature(str(metric.spec), *how)
            scores = _scores(measuring, kept, self.first_sentence)
            computed.append(
                ComputedScores(
                    scores,
                    metric=measuring,
                    statistics=kept,
                    documents=data.documents,
                    signature=signature,
                    first_sentence=self.first_sentence,
                )
            )
        return computed


def read_scores(
    scores: Scores | Sequence[Scores], betas: Sequence[float], first_sentence: int, problems: Problems
) -> list[RecordedScores]:
    """Metrics of files, ``name=path`` naming one; or of what is in memory."""
    tables: list[MetricScores] = []
    for table in [scores] if isinstance(scores, str | PathLike | MetricScores) else scores:
        tables += read_tables(table, problems, betas=betas, first_sentence=first_sentence)
    return list(map(RecordedScores, tables))


def _refuse_other_systems(outputs: Sequence[str], ranked: Sequence[str], problems: Problems) -> None:
    """Name every system that only one side has."""
    for system in ranked:
        if system not in outputs:
            message, hint = f"there is no output of '{system}', which humans ranked", nearest(system, outputs)
            problems.error("meta-missing-system", message, Place(), fix=hint)
    for system in outputs:
        if system not in ranked:
            message, hint = f"no human ranked '{system}'", nearest(system, ranked)
            problems.error("meta-unknown-system", message, Place(), fix=hint)
    problems.raise_errors()


def _scores(metric: Metric, kept: dict[str, Any], first_sentence: int) -> MetricScores:
    """Scores of systems, and of each of their sentences alone; higher is better."""
    sign = metric.measures[metric.main].sign
    systems: dict[str, float] = {}
    sentences: dict[str, dict[str, float]] = {}
    for system, statistics in kept.items():
        value = float(main_values_of(metric, metric.fold(statistics))[0])
        if not np.isnan(value):
            systems[system] = sign * value
        for number, score in enumerate((sign * sentence_values(metric, statistics)).tolist(), first_sentence):
            if not np.isnan(score):
                sentences.setdefault(str(number), {})[system] = score
    return MetricScores(str(metric.spec), systems, order_sentences(sentences))


SOFT = "soft-pairwise-accuracy"
ACCURACIES = ("calibrated", "plain", "decided")
TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall-b": "Kendall"}


@dataclass(frozen=True, slots=True, repr=False)
class MetaEvaluation(Result):
    """How metrics agree with humans.

    Attributes:
        human: The human scores of the systems, best first.
        method: How judgments became scores, and with the signature None where the humans gave scores.
        agreements: Correlations of each metric with the humans, with windows of neighbors if they were asked for.
        soft: Soft pairwise accuracy of each metric.
        window: Systems in a window; 0: none.
        by_sentence: Pairwise accuracy of each metric with scores of sentences, if it was asked for.
        tests: Each pair of metrics.
        signature: What was computed on which data how.
        signatures: Of each metric that was computed here, or has soft accuracy from recorded scores of sentences;
            None: its scores of systems were taken as they are.
        notes: Warnings and repairs.
    """

    human: HumanScores
    method: Method | None
    agreements: Sequence[MetricAgreement]
    soft: Sequence[SoftAccuracy]
    window: int
    by_sentence: Sequence[PairwiseAccuracy] | None
    tests: Sequence[MetricTest]
    signature: str | None
    signatures: Mapping[str, str | None]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Everything, tests and windows too."""
        human = dict(zip(self.human.systems, self.human.scores.tolist(), strict=True))
        return {
            "human": {"method": self.method, "scores": human},
            "metrics": [
                {
                    **_record(agreement),
                    "soft_pairwise_accuracy": _soft_record(soft.accuracy),
                    "signature": self.signatures[agreement.metric],
                }
                for agreement, soft in zip(self.agreements, self.soft, strict=True)
            ],
            "window": self.window,
            "sentences": [*map(_accuracy_record, self.by_sentence or ())],
            "tests": [*map(_test_record, self.tests)],
            "signature": self.signature,
        }

    def tables(self) -> list[Table]:
        """A row for each metric and correlation, with an interval over systems and one over judgments."""
        judged = self.human.subsampled is not None
        n = len(self.human.systems)
        has_soft = any(soft.accuracy.value is not None for soft in self.soft)
        rows: list[list[Cell]] = []
        for agreement, soft in zip(self.agreements, self.soft, strict=True):
            for kind, estimate in agreement.correlations.items():
                over_judges = agreement.judged.get(kind)
                judgments = None if over_judges is None else over_judges.interval_or_reason
                rows.append([agreement.metric, kind, TITLES[kind], n, estimate, judgments, agreement.p_values[kind]])
            if has_soft:
                accuracy = soft.accuracy
                bare = replace(accuracy, interval=None, no_interval=None)
                rows.append([agreement.metric, SOFT, "SPA", accuracy.n_units, bare, accuracy.interval_or_reason, None])
        beside = any(
            correlation.interval for agreement in self.agreements for correlation in agreement.correlations.values()
        )
        notes = [f"{n} systems{'; the interval beside a value is over systems' * beside}"]
        if not has_soft:
            notes += ["no soft pairwise accuracy (SPA): humans or metrics have scores of systems alone"]
        else:
            pairs = f"the {n * (n - 1) // 2} pairs" if n > 2 else "the only pair"
            notes += [f"SPA: soft pairwise accuracy over {pairs} of systems"]
        if self.method is not None:
            notes += [f"human scores: {self.method}", str(self.signature)]
        notes += filter(None, self.signatures.values())
        columns = [Column("metric"), Column("correlation", only="data")]
        columns += [Column("correlation", key="title", only="shown")]
        columns += [Column("n", "count", only="data"), Column("value", "number", digits=3)]
        columns += [Column("over judgments", "number", "judgments", 3, "only", only="" if judged else "data")]
        columns += [Column("p", "p")]
        return [Table(columns, rows, "Correlations with humans", "correlations", notes)]

    def window_table(self) -> Table:
        """A row for each metric and window of neighbors in the human ranking."""
        systems, window = self.human.systems, self.window
        rows: list[list[Cell]] = [
            [
                agreement.metric,
                f"{at + 1}–{at + window}",
                " ".join(systems[at : at + window]),
                *(agreement.windows[kind][at] for kind in agreement.windows),
            ]
            for agreement in self.agreements
            for at in range(len(systems) - window + 1)
        ]
        columns = [Column(name) for name in ("metric", "places", "systems")]
        columns += [Column(title, "number", kind.replace("-", "_"), 3) for kind, title in TITLES.items()]
        notes = [f"windows of {window} neighbors in the human ranking; so few systems say little: see the intervals"]
        return Table(columns, rows, "Windows of neighbors", "windows", notes)

    def sentence_table(self) -> Table:
        """A row for each metric with scores of sentences."""
        rows: list[list[Cell]] = [
            [
                *(accuracy.metric, accuracy.calibrated.n_units, accuracy.n_ties, accuracy.n_metric_ties),
                *(accuracy.threshold, accuracy.calibrated, accuracy.plain, accuracy.decided),
            ]
            for accuracy in self.by_sentence or ()
        ]
        columns = [Column("metric"), *(Column(name, "count") for name in ("comparisons", "ties", "metric ties"))]
        columns += [Column("threshold", "number", digits=3), *(Column(name, "percent") for name in ACCURACIES)]
        notes = [
            "calibrated: ties within the threshold; plain: equal scores only; decided: without the judges' ties",
            "the threshold is fitted to the same comparisons, and calibrated is too high; the interval allows for it",
        ]
        return Table(columns, rows, "Pairwise accuracy of sentence scores", "sentences", notes)

    def test_table(self) -> Table:
        """A row for each pair of metrics: Williams' test, and what swapping their scores shows."""
        rows: list[list[Cell]] = []
        for test in self.tests:
            williams = test.williams
            row: list[Cell] = [test.first, test.second, williams.undefined or williams.t, williams.p_value]
            for swap in test.permutation.values():
                row += [swap.difference, swap.p_value]
            rows.append(row)
        columns = [Column("first"), Column("second"), Column("Williams t", "number", digits=3), Column("p", "p")]
        for kind, title in TITLES.items():
            key = kind.replace("-", "_")
            columns += [Column(f"Δ {title}", "number", f"{key}_difference", 3, signed=True)]
            columns += [Column("p (swap)", "p", f"{key}_p")]
        swapped = ", ".join(sorted({test.swapped for test in self.tests}))
        notes = [f"swapped: {swapped}; p-values are not corrected for the number of tests"]
        if "both" in swapped:
            notes.append("swaps of sentences ask about these systems on other texts, Williams about other systems")
        return Table(columns, rows, "Tests between metrics", "tests", notes)


def _record(agreement: MetricAgreement) -> dict[str, object]:
    correlations = [
        {
            "kind": kind,
            **value_record(estimate),
            "interval_judgments": interval_record(agreement.judged[kind]) if kind in agreement.judged else None,
            "p_value": agreement.p_values[kind],
            "windows": [*map(value_record, agreement.windows[kind])],
        }
        for kind, estimate in agreement.correlations.items()
    ]
    return {"metric": agreement.metric, "correlations": correlations}


def _soft_record(accuracy: Estimate) -> dict[str, object]:
    record = value_record(accuracy)
    judgments = record.pop("interval")
    return {**record, "interval_judgments": judgments if accuracy.interval or accuracy.no_interval else None}


def _accuracy_record(accuracy: PairwiseAccuracy) -> dict[str, object]:
    facts = attributes(accuracy, "metric", "threshold", "n_ties", "n_metric_ties", "n_left_out")
    return facts | {name: value_record(getattr(accuracy, name)) for name in ACCURACIES}


def _test_record(test: MetricTest) -> dict[str, object]:
    williams = test.williams
    return {
        **attributes(test, "first", "second", "swapped"),
        "williams": {
            "t": williams.t if williams.t is None or isfinite(williams.t) else None,
            **attributes(williams, "df", "p_value"),
            "undefined": as_text(williams.undefined),
        },
        "permutation": [
            {
                "kind": kind,
                **attributes(swap, "difference", "p_value", "n_replicates", "exact"),
                "undefined": as_text(swap.undefined),
            }
            for kind, swap in test.permutation.items()
        ],
    }


class MetaOptions(RankingDraws, Taking, total=False):
    """How judgments are drawn, and a corpus and systems read."""


RecallWeight = Annotated[float, Bounds(0, 1000, "low")]


NO_GOLD = Useless(
    "source tokens essays unmarked documents as_written force retokenize",
    "is about outputs that are scored here, and there is no --gold",
    lambda arguments: arguments["gold"] is None,
)


@public(refuse_without_intervals("resamples confidence"), NO_GOLD)
def meta(
    human: Source | Comparisons | MetricScores,
    scores: Scores | Sequence[Scores] = (),
    *,
    gold: Gold | None = None,
    systems: Systems = (),
    metric: Metrics = None,
    method: Method = "expected-wins",
    beta: RecallWeight | Sequence[RecallWeight] = (),
    aggregate: Aggregation | Sequence[Aggregation] = "corpus",
    sentences: bool = False,
    first_sentence: Annotated[int, Bounds(-1_000_000_000, 1_000_000_000)] = 1,
    tests: bool = True,
    permutations: int = 10_000,
    window: int = 0,
    **shared: Unpack[MetaOptions],
) -> MetaEvaluation:
    """Tell how metrics agree with a human ranking: recorded scores, metrics computed here, or both.

    Args:
        human: How humans ranked the systems: judgments as ``rank`` takes them, or a table of systems and scores.
        scores: Scores of metrics: tables (system, score, maybe metric and sentence), JSON of ``errorbar score``, or
            lines of a system and its score. ``name=path`` names a metric; or ``MetricScores``. Higher must be better.
        gold: Reference (M2 or JSONL; with ``source`` a text), with which metrics are computed; the arguments are
            SYSTEMS then.
        systems: The outputs that are scored, as for ``score``, named as humans ranked them.
        metric: What is computed of SYSTEMS. None: m2, where there is a reference. Its main measure is compared.
        method: How judgments become scores.
        beta: Also compute F with this beta of SCORES that have precision and recall.
        aggregate: How scores of sentences become those of systems: as the metric does, or by their wins against other
            systems' outputs, sentence by sentence, as judgments do.
        sentences: Compare sentence scores with the judgments too.
        first_sentence: How HUMAN numbers the first sentence. Those of ``errorbar score``, of the reference and of a
            table that numbers all lines begin with 1.
        tests: Test every two metrics: does one agree better than the other?
        permutations: Ways to swap their scores.
        window: Correlate in windows of so many neighbors too.
        ci: Compute confidence intervals, or leave them out. None: up to 20,000 items. False: nor those over systems,
            which are a formula.
        lenient: Repair faults of the input where that is possible and report each repair, or stop at them. Systems that
            not all have are left out.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or humans and metrics do not speak of the same systems.
        UsageError: If two metrics have one name, or arguments do not fit.
    """
    problems, by, seed = Problems(lenient=shared["lenient"]), shared["by"], shared["seed"]
    outputs = _outputs(gold, systems, metric, shared, first_sentence)
    human_data = read_human(human, problems)
    betas = [beta] if isinstance(beta, float | int) else beta
    compared = read_scores(scores, betas, first_sentence, problems)
    _refuse_same_names([*(outputs.names if outputs else ()), *(metric.scores.metric for metric in compared)])
    if outputs is not None:
        compared = [*outputs.compute(human_data.systems, problems), *compared]
    ways: Sequence[Aggregation] = [aggregate] if isinstance(aggregate, str) else aggregate
    compared = [aggregate_source(source, way) for source in compared for way in dict.fromkeys(ways or ("corpus",))]
    metrics = [source.scores for source in compared]
    _refuse_same_names([one.metric for one in metrics])
    how, signed, chosen = None, None, None
    if isinstance(human_data, Comparisons):
        how, chosen = ranking_resampling(human_data, shared, problems), method
        everybody = human_scores(human_data, method, how, by=by, seed=seed, progress=shared["progress"])
    else:
        everybody = plain_scores(human_data.systems)
    common = common_systems(everybody, metrics, problems)
    level = shared["confidence"]
    agreements = [metric_agreement(common, table, window=window, confidence_level=level) for table in metrics]
    if shared["ci"] is False:
        agreements = list(map(_bare, agreements))
    accuracies = None
    if sentences:
        judged = _judged_sentences(human_data, metrics)
        accuracies = [pairwise_accuracy(judged, table, how, by=by) for table in metrics if table.sentences]
        fix = "see --first-sentence, if the numbers of sentences differ"
        for accuracy in accuracies:
            if n := accuracy.n_left_out:
                message = f"{accuracy.metric} lacks scores for {n:,} comparisons; they are left out"
                problems.note("meta-left-out", message, Place(), fix=fix)
    pairs = combinations(metrics, 2) if tests else ()
    tested = [compare_metrics(common, *pair, replicates=permutations, seed=seed) for pair in pairs]
    soft = _soft(human_data, common.systems, compared, how, shared)
    signatures: dict[str, str | None] = {}
    for source, of_metric in zip(compared, soft, strict=True):
        is_signed = of_metric.accuracy.value is not None or isinstance(source, ComputedScores)
        signatures[source.scores.metric] = source.signature_of(seed) if is_signed else None
    if isinstance(human_data, Comparisons):
        swapped = any(of_metric.accuracy.value is not None for of_metric in soft)
        interval = "subsamples+percentile" if sentences else "subsamples"
        signed = signature(human_data, [method], how, by, seed, swapped=swapped, interval=interval)
    return MetaEvaluation(
        *(common, chosen, agreements, soft, window, accuracies, tested, signed),
        signatures,
        tuple(problems.notes),
    )


def _outputs(
    gold: Gold | None, systems: Systems, metric: Metrics, shared: MetaOptions, first_sentence: int
) -> Outputs | None:
    """The outputs that metrics are computed from; None without a reference."""
    if gold is None:
        for name, value in (("systems", systems), ("metric", metric)):
            if value is not None and value != ():
                message = f"{name} are given, and no reference to compute a metric with"
                raise UsageError(Problem("meta-no-gold", message, fix="add --gold"))
        return None
    metrics = metrics_of(usual_metric(gold, metric), None, "sentences")
    return Outputs(gold, systems, metrics, ReadingOptions.of(shared, metrics), first_sentence, shared["seed"])


def _soft(
    human: Comparisons | MetricScores,
    systems: Sequence[str],
    metrics: Sequence[RecordedScores],
    how: Resampling | None,
    shared: MetaOptions,
) -> list[SoftAccuracy]:
    seed = shared["seed"]
    own: JudgedPairs | Floats | None = None
    if isinstance(human, Comparisons):
        own = JudgedPairs(human, systems, shared["by"])
    else:
        own = RecordedScores(human).chances(systems, seed)
    chances = {metric.scores.metric: None if own is None else metric.chances(systems, seed) for metric in metrics}
    return soft_accuracies(own, chances, how)


def _bare(agreement: MetricAgreement) -> MetricAgreement:

    def bare(estimate: Estimate) -> Estimate:
        return replace(estimate, interval=None, no_interval=None)

    correlations = {kind: bare(correlation) for kind, correlation in agreement.correlations.items()}
    windows = {kind: tuple(map(bare, window)) for kind, window in agreement.windows.items()}
    return replace(agreement, correlations=correlations, windows=windows)


def read_human(human: Source | Comparisons | MetricScores, problems: Problems) -> Comparisons | MetricScores:
    """The judgments, if there are any, or scores."""
    if isinstance(human, Comparisons):
        return human
    if isinstance(human, MetricScores):
        return check_scores(human, problems)
    if is_ranking(human):
        return read_rankings(human, problems)
    columns = read_metric_scores(human, problems)
    if len(columns) > 1:
        message = f"{len(columns)} columns of human scores: {', '.join(column.metric for column in columns)}"
        fix = "put each in a file of its own"
        raise UsageError(Problem("meta-human", message, Place(display_name(human)), "one", fix))
    return columns[0]


def _refuse_same_names(names: Sequence[str]) -> None:
    """Refuse two metrics of one name, and none at all, before anything is computed."""
    for name in names:
        if names.count(name) > 1:
            message = f"two metrics are called '{name}'"
            raise UsageError(Problem("meta-same-name", message, fix="name a file of scores: name=path"))
    if not names:
        raise UsageError(Problem("no-systems", "there is no metric to look at", expected="at least one"))


def _judged_sentences(human: Comparisons | MetricScores, metrics: Sequence[MetricScores]) -> Comparisons:
    if not isinstance(human, Comparisons):
        message = "scores of sentences are compared with judgments, and HUMAN has scores of systems"
        raise UsageError(Problem("meta-sentences", message, fix="name a file of judgments"))
    if not any(metric.sentences for metric in metrics):
        message = "no metric has scores of sentences"
        fix = "use errorbar score --by sentence --format json, or a table with the column sentence"
        raise UsageError(Problem("meta-sentences", message, fix=fix))
    return human
