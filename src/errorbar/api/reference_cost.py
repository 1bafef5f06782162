"""The cost of own references: the words that editors changed, and the seconds that a system's output saves them.

Formula
    HTER = Σ edits / Σ words: over the sentences of a system and its editors, edits is the smallest number of words that
    are inserted, deleted or replaced to turn the output into the editor's reference, words the length of the reference.
    Saved time = 1 - (S_o / W_o) / (S_s / W_s): S are seconds from the output (o) and from the source (s), W words of
    the source sentences that were edited. Intervals are jackknives over clusters with a t (errorbar.stats.two_way):
    those of HTER over sentences (documents, where they are known), those of saved time over editors; with one editor
    over sentences.
Conventions
    A word is what stands between white space. Each inserted, deleted or replaced word is one edit. The TER of Snover et
    al. also moves phrases, at one edit each; here a moved phrase counts as its deleted and inserted words, so that HTER
    is never below theirs. A sentence that the editor left as it is counts with its words.
    Paired: only sentences with times both from the source and from the output count, whoever the editors were; an
    editor who did both is one cluster. The median is over the times of these sentences.
Source
    Snover, Dorr, Schwartz, Micciulla & Makhoul 2006 (HTER); Cochran 1977, section 6.17 (ratios of sums).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints, divide
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Estimate, Interval, Scale, Undefined
from errorbar.core.problems import Place, Problems
from errorbar.edits.texts import corrected_texts, extract_edits
from errorbar.formats.times import FROM_SOURCE, EditingTime
from errorbar.metrics.folding import Documents
from errorbar.stats.two_way import clustered_interval
from errorbar.tables.plain import value_record
from errorbar.tables.table import Cell, Column, Table

RATIO = Scale(0.0)
"""The range of ratios of sums: above 0."""
_OF_EDITORS = {
    Undefined.WITHOUT_A_TEXT: Undefined.WITHOUT_A_JUDGE,
    Undefined.SAME_TEXTS: Undefined.SAME_JUDGES,
    Undefined.TOO_FEW_TEXTS: Undefined.TOO_FEW_JUDGES,
}
"""Reasons why there is no interval, where clusters are editors."""


@dataclass(frozen=True, slots=True)
class EditCost:
    """The words that editors changed to make a system's own references.

    Attributes:
        system: The system's name.
        n_editors: How many editors made its references.
        edits: Words that were inserted, deleted or replaced, over all editors.
        words: Words of the references, over all editors.
        touched: Share of sentences that editors changed.
        hter: Edits per word of the references, with its interval over texts.
    """

    system: str
    n_editors: int
    edits: int
    words: int
    touched: float | None
    hter: Estimate


@dataclass(frozen=True, slots=True)
class SavedTime:
    """The seconds that editors needed from the source and from a system's output, of the same sentences.

    Attributes:
        system: The system's name.
        n_sentences: Sentences with times of both.
        n_editors: Editors of these, of either.
        from_source: Seconds per sentence that were corrected from the source.
        from_output: Seconds per sentence that were corrected from the output.
        median_source: Median seconds from the source.
        median_output: Median seconds from the output.
        saved: Share of the time that the output saves, with its interval.
        over: What the interval is over: ``editors``, or with one editor ``sentences``.
    """

    system: str
    n_sentences: int
    n_editors: int
    from_source: float | None
    from_output: float | None
    median_source: float | None
    median_output: float | None
    saved: Estimate
    over: str


def count_word_edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """The smallest number of words to insert, delete or replace so that the output becomes the reference."""
    edits = extract_edits(output, reference)
    return sum(max(edit.end - edit.start, len((edit.replacements or ("",))[0].split())) for edit in edits)


def edit_costs(
    corpora: Sequence[Corpus], systems: Sequence[Hypothesis], documents: Documents, level: float | None
) -> list[EditCost]:
    """The words that editors changed, of each system, with intervals where a level is given.

    ``corpora`` are the own references of each.
    """
    clusters = documents.clusters()
    return [
        _edit_cost(corpus, system, clusters, level, documents) for corpus, system in zip(corpora, systems, strict=True)
    ]


def _edit_cost(
    corpus: Corpus, system: Hypothesis, clusters: Ints, level: float | None, documents: Documents
) -> EditCost:
    problems = Problems(lenient=True)  # edits that overlap were told where they were read
    texts = corrected_texts(corpus, problems)
    rows: list[tuple[int, int, int]] = []  # sentence, edits, words
    for number, (sentence, line) in enumerate(zip(corpus.sentences, system.lines, strict=True)):
        for editor in sentence.annotations:
            output, reference = line.split(), texts[editor][number].split()
            n_edits = 0 if output == reference else count_word_edits(output, reference)
            rows.append((number, n_edits, len(reference)))
    table = np.array(rows, np.int64).reshape(-1, 3)
    edits, words = int(table[:, 1].sum()), int(table[:, 2].sum())
    n_clusters = documents.n_clusters if documents.unit == "document" else None
    bare = Estimate(None, len(np.unique(table[:, 0])), n_clusters=n_clusters, undefined=Undefined.NOTHING_IN_REFERENCE)
    hter = _estimate(bare, _sum_clusters(table[:, 1:], clusters[table[:, 0]]), _ratio, level)
    touched = float(np.mean(table[:, 1] > 0)) if rows else None
    return EditCost(system.name, len(corpus.annotators), edits, words, touched, hter)


def saved_times(
    times: Sequence[EditingTime], corpus: Corpus, systems: Sequence[str], level: float | None, problems: Problems
) -> list[SavedTime]:
    """The time that each system with times saves, with intervals where a level is given.

    A note counts the rows that are not paired.
    """
    rows = []
    n_alone = 0
    for system in systems:
        own = [time for time in times if time.system == system]
        if not own:
            continue
        source = [time for time in times if time.system == FROM_SOURCE]
        both = {time.sentence for time in own} & {time.sentence for time in source}
        n_alone += sum(time.sentence not in both for time in own)
        paired = [[time for time in side if time.sentence in both] for side in (source, own)]
        rows.append(_saved_time(system, paired[0], paired[1], corpus, level))
    if n_alone:
        message = f"{n_alone:,} times from outputs are of sentences without a time from the source, and do not count"
        problems.note("times-unpaired", message, Place(), "let somebody correct the same sentences from the source")
    return rows


def _saved_time(
    system: str, source: Sequence[EditingTime], own: Sequence[EditingTime], corpus: Corpus, level: float | None
) -> SavedTime:
    editors = sorted({time.editor for time in (*source, *own)})
    over = "editors" if len(editors) > 1 else "sentences"
    rows = [(0, time) for time in source] + [(2, time) for time in own]
    sums: dict[object, Floats] = {}
    for column, time in rows:
        cluster = time.editor if over == "editors" else time.sentence
        words = max(1, len(corpus.sentences[time.sentence].tokens))
        sums.setdefault(cluster, np.zeros(4))[column : column + 2] += time.seconds, words
    known = np.array([*sums.values()]).reshape(-1, 4)
    n_sentences = len({time.sentence for time in own})
    bare = Estimate(None, n_sentences, n_clusters=len(sums), undefined=Undefined.NOT_PAIRED)
    saved = _turned(_estimate(bare, known, _share_of_time, level))
    if saved.no_interval is not None and over == "editors":
        saved = replace(saved, no_interval=_OF_EDITORS.get(saved.no_interval, saved.no_interval))
    seconds = [[time.seconds for time in side] for side in (source, own)]
    means, medians = ([float(average(side)) if side else None for side in seconds] for average in (np.mean, np.median))
    return SavedTime(system, n_sentences, len(editors), means[0], means[1], medians[0], medians[1], saved, over)


def _estimate(bare: Estimate, sums: Floats, formula: Callable[[Floats], Floats], level: float | None) -> Estimate:
    """The value of sums over clusters, with its interval if a level is given; ``bare`` where there is no value."""
    value = float(formula(sums.sum(axis=0)))
    if np.isnan(value):
        return bare
    estimate = replace(bare, value=value, undefined=None)
    if level is None:
        return estimate
    return estimate.with_interval(clustered_interval(sums, formula, level, RATIO)[1], n_clusters=bare.n_clusters)


def _turned(share: Estimate) -> Estimate:
    """1 less a share."""
    interval = share.interval
    if interval is not None:
        interval = Interval(1 - interval.high, 1 - interval.low, interval.confidence_level, interval.method)
    return replace(share, value=None if share.value is None else 1 - share.value, interval=interval)


def _ratio(sums: Floats) -> Floats:
    return divide(sums[..., 0], sums[..., 1])


def _share_of_time(sums: Floats) -> Floats:
    """The time a word takes from the output, as a share of that from the source."""
    return divide(divide(sums[..., 2], sums[..., 3]), _ratio(sums))


def _sum_clusters(values: NDArray[np.int64], clusters: Ints) -> Floats:
    _, code = np.unique(clusters, return_inverse=True)
    return np.stack([np.bincount(code, column) for column in values.T], axis=1)


def cost_table(costs: Sequence[EditCost], level: float) -> Table:
    """A row for each system: what editors changed."""
    columns = [Column("system"), Column("editors", "count"), Column("sentences changed", "percent", "touched")]
    columns += [Column("words changed", "count", "edits"), Column("words", "count")]
    columns.append(Column("HTER", "percent"))
    rows: list[list[Cell]] = [
        [cost.system, cost.n_editors, cost.touched, cost.edits, cost.words, cost.hter] for cost in costs
    ]
    note = "HTER: inserted, deleted and replaced words of an output per word of its own reference, without moves"
    return Table(columns, rows, "What editors changed", "cost", [note], level)


def time_table(times: Sequence[SavedTime], level: float) -> Table:
    """A row for each system: the time that editors needed."""
    columns = [Column("system"), Column("editors", "count"), Column("sentences", "count")]
    for title in ("s from source", "s from output", "median from source", "median from output"):
        columns.append(Column(title, "number", digits=1))
    columns.append(Column("saved", "percent", signed=True))
    rows: list[list[Cell]] = [
        [
            *(time.system, time.n_editors, time.n_sentences, time.from_source, time.from_output),
            *(time.median_source, time.median_output, time.saved),
        ]
        for time in times
    ]
    over = dict.fromkeys(time.over for time in times if time.saved.interval_or_reason is not None)
    notes = [
        "saved: of the time that a word of the source takes, what the output saves; the same sentences from source and "
        f"output{'; intervals over ' * bool(over)}{' or '.join(over)}"
    ]
    if "sentences" in over:
        notes.append("one editor does not show how editors vary: that interval is over sentences, of this editor alone")
    return Table(columns, rows, "What an output saves", "time", notes, level)


def cost_record(cost: EditCost) -> dict[str, object]:
    """The words that editors changed, as JSON has them."""
    return {
        **{"system": cost.system, "n_editors": cost.n_editors, "edits": cost.edits, "words": cost.words},
        **{"touched": cost.touched, "hter": value_record(cost.hter)},
    }


def time_record(time: SavedTime) -> dict[str, object]:
    """The time that an output saves, as JSON has it."""
    return {
        **{"system": time.system, "n_sentences": time.n_sentences, "n_editors": time.n_editors},
        **{"from_source": time.from_source, "from_output": time.from_output},
        **{"median_source": time.median_source, "median_output": time.median_output},
        **{"saved": value_record(time.saved), "over": time.over},
    }
