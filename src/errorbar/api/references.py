"""Systems under a common gold, an independent one, references of their own and the closest of N: ``references``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Unpack

from errorbar.api.arguments import (
    ArgumentDoc,
    Beta,
    SentenceMetric,
    public,
    refuse_without_intervals,
    resampling,
    sentence_metric,
)
from errorbar.api.inputs import Comparing, Gold, Loaded, ReadingOptions, Systems, load, usual_metric
from errorbar.api.own_references import (
    References,
    check_same,
    check_seen,
    drop_idle,
    match_references,
    merge_editors,
    note_kinds,
    note_unequal_numbers,
    read_groups,
)
from errorbar.api.reference_cost import (
    EditCost,
    SavedTime,
    cost_record,
    cost_table,
    edit_costs,
    saved_times,
    time_record,
    time_table,
)
from errorbar.api.score_result import measure_column
from errorbar.api.signatures import made_by
from errorbar.core.corpus import ContentHash, Corpus, Hypothesis, reference_records
from errorbar.core.estimate import BootstrapMethod, value_or_none
from errorbar.core.labels import format_count, join_words
from errorbar.core.problems import Problem, UsageError
from errorbar.formats.look import Source
from errorbar.formats.reference import named_files
from errorbar.formats.times import FROM_SOURCE, EditingTime, read_times
from errorbar.metrics.base import Metric, Opaque
from errorbar.metrics.edit_metric import EditMetric
from errorbar.metrics.golds import (
    CLOSEST,
    COMMON,
    COMMON_TEXT,
    GOLDS,
    INDEPENDENT,
    OWN,
    GoldComparison,
    GoldPair,
    GoldScore,
    GoldStatistics,
    TurnedPair,
    are_of_texts,
    as_texts,
    choose_closest,
    closest_references,
    compare_golds,
    mean_alone,
)
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import attributes, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

NAMES = {
    COMMON: "the common gold",
    COMMON_TEXT: "the common gold as text",
    INDEPENDENT: "the independent reference",
    OWN: "their own references",
}
"""Golds as sentences name them."""
MOST_TURNED = 5
"""Sentences on pairs that stand below the table; JSON has all of them."""
ReferenceOf = Annotated[
    Mapping[str, Source | Corpus | Sequence[Source] | Mapping[str, Source]] | str | Sequence[str],
    ArgumentDoc(
        (),
        "Reference that an editor made of one system's output, SYSTEM=FILE or SYSTEM=EDITOR=FILE (M2, JSONL or text); "
        "every system needs one. In Python also ``{system: paths}`` or ``{system: Corpus}``.",
    ),
]


@dataclass(frozen=True, slots=True, repr=False)
class ReferencesResult(Result):
    """Systems under several golds.

    Attributes:
        found: Scores under each gold, what it changes beside the common gold, and every pair of systems under each.
        metric: What was computed.
        golds: The golds in their order; the common one first.
        n_closest: How many references the closest one was chosen of; 0: none was.
        alone: Of each system the main measure against one of these N references, on average; empty: there are none.
        costs: The words that editors changed, of each system with own references.
        times: The time that each output saves, where editors' times are known.
        confidence: Confidence level of the intervals; tests use 1 minus this.
        unit: What is resampled: ``document`` or ``sentence``.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    found: GoldComparison
    metric: Metric
    golds: Sequence[str]
    n_closest: int
    alone: Sequence[float]
    costs: Sequence[EditCost]
    times: Sequence[SavedTime]
    confidence: float
    unit: str
    signature: str
    notes: Sequence[Problem] = ()

    @property
    def scores(self) -> Sequence[GoldScore]:
        """Of each gold and system, golds outermost."""
        return self.found.scores

    @property
    def pairs(self) -> Sequence[GoldPair]:
        """Of each gold every pair of systems, golds outermost."""
        return self.found.pairs

    @property
    def turned(self) -> Sequence[TurnedPair]:
        """The pairs whose order is not the same under the common gold and another."""
        return self.found.turned

    def sentences(self) -> list[str]:
        """Changes of the order of systems under other golds, a sentence for each pair whose order they change."""
        names = {**NAMES, CLOSEST: f"the closest of {self.n_closest}"}
        sentences = []
        for pair in self.turned:
            before, after = (pair.beside, pair.gold) if pair.turn != "won" else (pair.gold, pair.beside)
            text = f"{pair.ahead} is ahead of {pair.other} under {names[before]}, "
            text += f"and behind under {names[after]}" if pair.turn == "reversed" else f"not under {names[after]}"
            sentences.append(f"{text}.")
        return sentences

    def to_dict(self) -> dict[str, object]:
        """Scores of each gold and system, every pair under each gold, and the pairs whose order depends on it."""
        return {
            "metric": str(self.metric.spec),
            "golds": list(self.golds),
            "closest_of": self.n_closest or None,
            "one_of": list(map(value_or_none, self.alone)),
            "scores": [_score_record(score) for score in self.scores],
            "pairs": [
                {
                    **{"gold": pair.gold, "first": pair.first, "second": pair.second},
                    **{"difference": value_record(pair.difference), "p": pair.p, "ahead": pair.ahead or None},
                }
                for pair in self.pairs
            ],
            "turned": [attributes(pair, "gold", "beside", "ahead", "other", "turn") for pair in self.turned],
            "cost": [cost_record(cost) for cost in self.costs],
            "time": [time_record(time) for time in self.times],
            "unit": self.unit,
            "signature": self.signature,
        }

    def tables(self) -> list[Table]:
        """The main measure under all golds side by side, all measures, what editors changed, and the time saved."""
        tables = [self.side_by_side(), *([self.measure_table()] if len(self.metric.measures) > 1 else [])]
        tables += [cost_table(self.costs, self.confidence)] if self.costs else []
        return [*tables, *([time_table(self.times, self.confidence)] if self.times else [])]

    def side_by_side(self) -> Table:
        """A row for each system, the best under the last gold first: its main measure, rank and change by gold."""
        by_gold = {gold: [score for score in self.scores if score.gold == gold] for gold in self.golds}
        measure = self.metric.measures[self.metric.main]
        columns = [Column("system")]
        for gold in self.golds:
            if gold == CLOSEST:
                columns.append(measure_column(measure)._replace(title=f"one of {self.n_closest}", key="one_of"))
            columns.append(measure_column(measure)._replace(title=self._title(gold), key=gold))
            columns.append(Column("rank", "count", f"{gold}_rank"))
            if by_gold[gold][0].beside:
                changed = measure_column(measure)._replace(title="change", key=f"{gold}_change", signed=True)
                columns.append(changed)
            if gold == OWN and self._over_editors:
                columns.append(changed._replace(title="texts+editors", key="own_change_over_editors", interval="only"))
        rows: list[list[Cell]] = []
        last = by_gold[self.golds[-1]]
        for k in sorted(range(len(last)), key=lambda at: last[at].rank or len(last) + 1):
            row: list[Cell] = [last[k].system]
            for gold in self.golds:
                score = by_gold[gold][k]
                row += [self.alone[k]] if gold == CLOSEST else []
                row += [score.estimates[measure.name], score.rank]
                row += [score.changes[measure.name]] if score.beside else []
                if gold == OWN and self._over_editors:
                    both = score.change_over_editors
                    row.append(None if both is None else both.interval_or_reason)
            rows.append(row)
        turned = self.sentences()
        notes = turned[:MOST_TURNED]
        if len(turned) > MOST_TURNED:
            more = format_count(len(turned) - MOST_TURNED, "more pairs")
            notes.append(f"and {more} for which it depends on the gold who is ahead: JSON")
        notes += [*self._legend(), f"signature {self.signature}"]
        return Table(columns, rows, f"{measure.title} by gold", "golds", notes, self.confidence)

    def measure_table(self) -> Table:
        """A row for each system and gold with every measure."""
        columns = [Column("system"), Column("gold"), Column("references", "count")]
        columns += [measure_column(measure) for measure in self.metric.measures]
        columns.append(Column("rank", "count"))
        n = len(self.scores) // len(self.golds)
        rows: list[list[Cell]] = []
        for k in range(n):
            for score in self.scores[k::n]:
                values = [score.estimates[measure.name] for measure in self.metric.measures]
                rows.append([score.system, self._title(score.gold), score.n_references, *values, score.rank])
        return Table(columns, rows, "Every measure", "measures", level=self.confidence)

    @property
    def _over_editors(self) -> bool:
        return any(score.over_editors is not None for score in self.scores)

    def _title(self, gold: str) -> str:
        return {CLOSEST: f"closest of {self.n_closest}", COMMON_TEXT: "common as text"}.get(gold, gold)

    def _legend(self) -> list[str]:
        level, measure = f"{100 * (1 - self.confidence):.3g}%", self.metric.measures[self.metric.main].title
        beside = [NAMES[gold] for gold in dict.fromkeys(score.beside for score in self.scores) if gold]
        lines = [f"change: {measure} under this gold minus {measure} under {' or '.join(beside)}"] if beside else []
        if any(estimate.interval for score in self.scores for estimate in score.estimates.values()):
            lines.append(
                f"intervals are over {self.unit}s, with these references; of changes and pairs they are paired"
            )
        if any(pair.p is not None for pair in self.pairs):
            lines.append(f"ahead: the difference is significant at the {level} level, adjusted for all pairs (max-T)")
        numbers = {
            gold: sorted({score.n_references for score in self.scores if score.gold == gold})
            for gold in self.golds
            if gold not in (COMMON_TEXT, CLOSEST)
        }
        if len({number for own in numbers.values() for number in own}) > 1:
            shown = [f"{gold} {own[0]}" + f" to {own[-1]}" * (len(own) > 1) for gold, own in numbers.items()]
            lines.append(
                f"references of a sentence: {', '.join(shown)}; more are an advantage where a metric takes the best one"
            )
        if COMMON_TEXT in self.golds:
            lines.append(
                "common as text: edits are made of the annotators' texts, as those of references that are texts"
            )
        if OWN in self.golds:
            own = [score for score in self.scores if score.gold == OWN]
            alone = [score.system for score in own if score.n_references == 1]
            whose = " a system" if len(alone) == len(own) else f" of {join_words(alone)}"
            lines += [f"own references are of one editor{whose}, and editors may differ in strictness"] * bool(alone)
        if self._over_editors:
            lines.append("texts+editors: the change with other texts and other editors, the common gold as it is")
        if CLOSEST in self.golds:
            lines += [
                f"closest of {self.n_closest}: of each sentence the reference that scores the system best, "
                "a choice that favors systems",
                f"one of {self.n_closest}: against a single one of them, on average",
            ]
        return lines


def _score_record(score: GoldScore) -> dict[str, object]:
    return {
        **{"system": score.system, "gold": score.gold, "n_references": score.n_references, "rank": score.rank},
        "beside": score.beside or None,
        "measures": {name: value_record(estimate) for name, estimate in score.estimates.items()},
        "changes": {name: value_record(estimate) for name, estimate in score.changes.items()},
        "over_editors": None if score.over_editors is None else value_record(score.over_editors),
        "change_over_editors": None if score.change_over_editors is None else value_record(score.change_over_editors),
    }


@public(refuse_without_intervals("ci_method resamples confidence seed"))
def references(
    gold: Gold,
    systems: Systems,
    metric: SentenceMetric = None,
    *,
    reference_of: ReferenceOf = (),
    independent: Source | Corpus | Sequence[Source] = (),
    closest_of: Source | Corpus | Sequence[Source] = (),
    seconds: Source | None = None,
    beta: Beta = None,
    ci_method: BootstrapMethod = "bca",
    **shared: Unpack[Comparing],
) -> ReferencesResult:
    """Score systems under a common gold and under others side by side, with what each gold changes.

    Args:
        systems: Systems, as for ``score``.
        metric: What is computed, e.g. ``m2(beta=1)`` (short: ``beta`` 1). None: m2; tokens of labels.
        independent: References that somebody else wrote from the source, for all systems; repeatable.
        closest_of: References written from the source, of which each system gets the closest one of each sentence; a
            quoted pattern, or several files.
        seconds: Table system,editor,sentence,seconds, for the time that an output saves; the system is 'source' where
            an editor corrected the source itself.
        ci_method: Bootstrap of documents (of sentences where no documents are known).
        ci: Compute confidence intervals and tell who is ahead, or leave them out. None: yes.
        confidence: Confidence level of intervals, a fraction; tests use 1 minus this as their level, e.g. 0.05.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or references are of other sentences.
        UsageError: If there is no gold beside the common one, or a name is that of no system.
    """
    parsed = sentence_metric(usual_metric(gold, metric), beta, "references")
    reading = ReadingOptions.of(shared, [parsed])
    data = load(gold, systems, reading)
    data.problems.raise_errors()
    data.corpus.need([] if parsed.annotator is None else [parsed.annotator])
    names = [system.name for system in data.systems]
    corpora: dict[str, Sequence[Corpus]] = {}
    for name, given in ((INDEPENDENT, independent), (CLOSEST, closest_of)):
        if isinstance(given, Corpus) or given:
            files = given if isinstance(given, Corpus) else named_files(given, name, patterns=True)
            corpora[name] = [_read_references(files, data, reading, name)] * len(names)
    if reference_of:
        corpora[OWN] = read_own_references(reference_of, data, reading)
    if not corpora and seconds is None:
        message = "there is no gold beside the common one"
        fix = "add --reference-of=SYSTEM=FILE, --independent=FILE or --closest-of=FILE"
        raise UsageError(Problem("one-gold", message, fix=fix))
    data.problems.raise_errors()
    times = [] if seconds is None else _read_times(seconds, names, data)
    how = None if shared["ci"] is False else resampling(shared, ci_method, shared["jobs"])
    data.documents.warn(data.problems, intervals=how is not None)
    return compare_loaded_golds(data, parsed, corpora, how, shared["confidence"], times)


def compare_loaded_golds(
    data: Loaded,
    metric: Metric,
    golds: Mapping[str, Sequence[Corpus]],
    how: Resampling | None,
    level: float,
    times: Sequence[EditingTime] = (),
) -> ReferencesResult:
    """Compare golds that were read, each a corpus for each system; beside them stands the corpus of the data.

    Raises:
        UsageError: If the metric is against one annotator, whom other golds do not have.
    """
    if golds and metric.annotator is not None:
        message = f"the metric {metric.spec} names an annotator of the common gold, and other golds are by others"
        fix = "leave the annotator out of the metric; --gold=FILE gives the references of one alone"
        raise UsageError(Problem("two-choices", message, fix=fix))
    corpora = {COMMON: [data.corpus] * len(data.systems), **golds}
    whose = {NAMES.get(gold, gold): own[0] for gold, own in corpora.items() if gold != OWN}
    names = [system.name for system in data.systems]
    own = dict(zip(names, golds.get(OWN, ()), strict=False))
    check_seen({**whose, **own}, data.problems)
    smallest = ReadingOptions().for_metrics([metric]).smallest
    note_kinds({**whose, **own} if are_of_texts(data.corpus) else own, smallest, data.problems)
    of_intervals = None if how is None else level
    costs = edit_costs(corpora[OWN], data.systems, data.documents, of_intervals) if OWN in corpora else []
    saved = saved_times(times, data.corpus, names, of_intervals, data.problems)
    n_closest = len(corpora[CLOSEST][0].annotators) if CLOSEST in corpora else 0
    measured, alone = _measure_golds(corpora, data, metric)
    comparison = compare_golds(metric, measured, names, data.documents, how)
    conventions = [*made_by(metric, measured[0].statistics)]
    conventions += [_gold_convention(gold.name, corpora[gold.name]) for gold in measured[1:]]
    conventions += [_times_convention(times)] if times else []
    conventions += [] if how is None else [how.convention(data.documents.clustering)]
    return ReferencesResult(
        *(comparison, metric, [gold.name for gold in measured], n_closest, alone, costs, saved),
        *(level, data.documents.unit, data.signature(str(metric.spec), *conventions), tuple(data.problems.notes)),
    )


def read_own_references(reference_of: object, data: Loaded, reading: ReadingOptions) -> list[Corpus]:
    """The references that were made for each system, in the order of the systems.

    Raises:
        InputError: If a file is bad, or of other sentences.
        UsageError: If a system has no reference, or a name is that of no system.
    """
    own = match_references(reference_of, [system.name for system in data.systems])
    corpora = {name: _read_references(files, data, reading, name) for name, files in own.items()}
    note_unequal_numbers(corpora, data.problems)
    return [*corpora.values()]


def _measure_golds(
    corpora: dict[str, Sequence[Corpus]], data: Loaded, metric: Metric
) -> tuple[list[GoldStatistics], list[float]]:
    """Measure every system under every gold, and against one of the N references of which the closest are chosen.

    ``corpora`` gets the common gold as text, and the closest references.
    """
    texts = [name for name, own in corpora.items() if isinstance(metric, EditMetric) and all(map(are_of_texts, own))]
    if texts and COMMON not in texts:
        corpora[COMMON_TEXT] = [as_texts(data.corpus, data.problems)] * len(data.systems)

    def measure(name: str) -> list[Opaque]:
        pairs = zip(corpora[name], data.systems, strict=True)
        return [metric.measure(corpus, system.lines) for corpus, system in pairs]

    golds: list[GoldStatistics] = []
    alone: list[float] = []
    for name in filter(corpora.__contains__, GOLDS):
        statistics = measure(name)
        if name == CLOSEST:
            every = corpora[name][0]
            alone = [mean_alone(metric, own) for own in statistics]
            corpora[name] = [closest_references(every, choose_closest(metric, every, own)) for own in statistics]
            statistics = measure(name)
        beside = "" if name in (COMMON, COMMON_TEXT) else COMMON
        beside = COMMON_TEXT if beside and name in texts and COMMON_TEXT in corpora else beside
        golds.append(GoldStatistics(name, statistics, [len(corpus.annotators) for corpus in corpora[name]], beside))
    return golds, alone


def _read_times(seconds: Source, systems: Sequence[str], data: Loaded) -> list[EditingTime]:
    """The times of editors."""
    if FROM_SOURCE in systems:
        message = f"a system is called {FROM_SOURCE}, which in times is the text that is corrected"
        raise UsageError(Problem("reserved-name", message, fix="rename it: name=path"))
    times = read_times(seconds, systems, len(data.corpus), data.problems)
    data.problems.raise_errors()
    return times


def _times_convention(times: Sequence[EditingTime]) -> str:
    """The part of a signature that stands for the times of editors, in whatever order they come."""
    content = ContentHash()
    content.add(sorted(repr((time.system, time.editor, time.sentence, time.seconds)) for time in times))
    return f"times:{content.short()}"


def _gold_convention(name: str, corpora: Sequence[Corpus]) -> str:
    """The part of a signature that stands for the references of a gold."""
    content = ContentHash()
    for corpus in {id(corpus): corpus for corpus in corpora}.values():
        content.add(reference_records(corpus))
    return f"{name}:{content.short()}"


def _read_references(references: References, data: Loaded, reading: ReadingOptions, name: str) -> Corpus:
    """References of the sentences of the common gold: annotated files, or texts that correct them line by line."""
    source = Hypothesis("source", [sentence.text for sentence in data.corpus.sentences])
    whole: Corpus | None = None
    for corpus, file, _ in read_groups(references, reading._replace(source=source, documents=None), data.problems):
        check_same(corpus, file, data.corpus, data.corpus.name or "the common gold")
        whole = corpus if whole is None else merge_editors(whole, corpus, name)
    assert whole is not None
    whole = drop_idle(whole)
    data.problems.notes = list(dict.fromkeys(data.problems.notes))  # the same may hold of several systems' files
    return whole
