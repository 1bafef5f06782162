"""Tables of ``errorbar score`` that show parts of scores: error types and sentences; computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from errorbar.cli.render import Cell, Table, interval_record, interval_text, percent
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.signature import Signature
from errorbar.metrics.score import Score, TypeRecall


def type_record(row: TypeRecall) -> dict[str, object]:
    """Recall of a type as it stands in JSON output."""
    record: dict[str, object] = {"type": row.type, "recall": row.recall, "correct": row.correct, "gold": row.gold}
    return record if row.interval is None else {**record, "interval": interval_record(row.estimate)}


def type_table(scores: Sequence[Score], style: str) -> Table:
    """Recall of each type, with its interval where asked for; several systems stand side by side."""
    names, labels = row_labels(scores)
    estimates = [row.estimate for score in scores for row in score.by_type]
    asked = any(row.interval is not None for score in scores for row in score.by_type)
    footer = [*no_interval_lines(estimates), *signature_lines(score.type_signature for score in scores)]
    if style == "csv" or len(scores) == 1:
        rows = [
            [*label, row.type, *_recall_cells(row.estimate, style, asked=asked), row.correct, row.gold]
            for label, score in zip(labels, scores, strict=True)
            for row in score.by_type
        ]
        ends = ["recall_low", "recall_high"] if style == "csv" else [interval_title(estimates)]
        columns = [*names, "type", "recall", *(ends if asked else ()), "correct", "gold"]
        return Table(columns, rows, len(names) + 1, footer)
    types = sorted({row.type for score in scores for row in score.by_type})
    recalls = [{row.type: row.estimate for row in score.by_type} for score in scores]
    nothing = Estimate(None, 0)
    grid = [
        [kind, *(c for recall in recalls for c in _recall_cells(recall.get(kind, nothing), style, asked=asked))]
        for kind in types
    ]
    titles = [" ".join(map(str, label)) for label in labels]
    columns = ["type", *(c for title in titles for c in ([title, interval_title(estimates)] if asked else [title]))]
    return Table(
        columns, grid, 1, ["recall in percent; – where the chosen annotators have no edit of the type", *footer]
    )


def _recall_cells(estimate: Estimate, style: str, *, asked: bool) -> list[Cell]:
    if style != "csv":
        return [percent(estimate.value), *([interval_text(estimate)] if asked else ())]
    interval = estimate.interval
    ends = (None, None) if interval is None else (interval.low, interval.high)
    return [estimate.value, *(ends if asked else ())]


def interval_title(estimates: Sequence[Estimate]) -> str:
    """Heading of a column of intervals."""
    level = next((each.interval.confidence_level for each in estimates if each.interval), 0.95)
    return f"{100 * level:g}% CI"


def no_interval_lines(estimates: Sequence[Estimate]) -> list[str]:
    """Why there is no interval where one was asked for."""
    reasons = dict.fromkeys(str(each.no_interval) for each in estimates if each.no_interval is not None)
    return [f"– no interval: {', '.join(reasons)}"] if reasons else []


def sentence_table(scores: Sequence[Score], *, asked: bool) -> Table:
    """Counts of each sentence; there is no interval, and where one was asked for, the footer says why."""
    names, labels = row_labels(scores)
    rows = [
        [*label, row.annotator, row.sentence, *row.counts]
        for label, score in zip(labels, scores, strict=True)
        for row in score.by_sentence
    ]
    columns = [*names, "annotator", "sentence", "correct", "proposed", "gold"]
    footer = [f"no interval of a sentence: {Undefined.ONE_UNIT}"] if asked else []
    return Table(columns, rows, len(names) + 1, [*footer, *signature_lines(score.signature for score in scores)])


def row_labels(scores: Sequence[Score]) -> tuple[list[str], list[list[Cell]]]:
    """The leading columns that tell rows apart."""
    if len({score.metric for score in scores}) == 1:
        return ["system"], [[score.system] for score in scores]
    return ["system", "metric"], [[score.system, score.metric] for score in scores]


def signature_lines(signatures: Iterable[Signature]) -> list[str]:
    """What was computed on which data how, but for the systems' own text."""
    return [f"signature {text}" for text in dict.fromkeys(str(replace(each, hypothesis="…")) for each in signatures)]
