"""Recall of each error type: which errors a system finds and which it misses."""

from __future__ import annotations

from errorbar.metrics.score import Score, TypeRecall
from errorbar.reporting.charts import HeatCell, heat_chart
from errorbar.reporting.charts.build import percent_top
from errorbar.reporting.model import Cell, Chart, Section, Shown, Table
from errorbar.reporting.sections.figures import DASH, percent, plural, points, share
from errorbar.reporting.sections.ranking import ranked
from errorbar.studies.model import CorpusStudy, Study

MOST_SYSTEMS = 16
MOST_TYPES = 40


def types(study: Study) -> Section | None:
    """The heat map, or None where types were not counted or there are none."""
    if not isinstance(study, CorpusStudy):
        return None
    scores = [study.scores[k] for k in ranked(study)]
    tables = [{row.type: row for row in score.by_type} for score in scores]
    names = sorted({name for table in tables for name in table})
    if not names:
        return None
    gold = {name: [table[name].gold for table in tables if name in table] for name in names}
    names.sort(key=lambda name: (-max(gold[name]), name))
    return Section("types", "Error types", [_chart(scores, tables, names, gold), _counts(scores, tables, names)])


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _chart(
    scores: list[Score], tables: list[dict[str, TypeRecall]], names: list[str], gold: dict[str, list[int]]
) -> Chart:
    shown, systems = names[:MOST_TYPES], scores[:MOST_SYSTEMS]
    cells = []
    for name in shown:
        for score, counted in zip(systems, tables, strict=False):
            row = counted.get(name)
            value = None if row is None else row.recall
            text = DASH if value is None else f"{100 * value:.0f}"
            detail = DASH if row is None else f"{percent(value)}: {row.correct:,} of {row.gold:,}"
            cells.append(HeatCell(f"{name} ({_range(gold[name])})", score.system, points(value), text, detail))
    top = percent_top([cell.value for cell in cells])
    spec = heat_chart(
        cells, row_title="type (edits)", column_title="system", value_title="recall (percent)", domain=(0, top)
    )
    recalls: list[list[Cell]] = [
        [name, Shown(_range(gold[name]), max(gold[name])), *(_recall(table.get(name)) for table in tables)]
        for name in names
    ]
    frequent = names[0]
    values = [(table[frequent].recall, s.system) for s, table in zip(scores, tables, strict=True) if frequent in table]
    known = [(value, system) for value, system in values if value is not None]
    text = f"Recall of {plural(len(names), 'error type')} by {plural(len(scores), 'system')}, frequent types first. "
    if known:
        (high, best), (low, worst) = max(known), min(known)
        text += f"The most frequent type, {frequent}: "
        text += f"{percent(high)} percent ({best})" + (f" down to {percent(low)} ({worst})." if len(known) > 1 else ".")
    if len(shown) < len(names) or len(systems) < len(scores):
        text += (
            f" The chart shows the {len(shown)} most frequent types and the best {len(systems)} systems, the table all."
        )
    if any(len(set(numbers)) > 1 for numbers in gold.values()):
        text += (
            " Beside a type: its edits in the reference, from the fewest to the most that a system was scored against."
        )
    notes = ["recall in percent; – where the chosen annotators have no edit of the type"]
    if any(len(set(numbers)) > 1 for numbers in gold.values()):
        notes.append("edits: smallest and largest number, since systems are scored against different annotators")
    table = Table("type-recall", "Recall by type", ["type", "edits", *(s.system for s in scores)], recalls, 1, notes)
    return Chart("type-recall-map", "Recall by error type", text, spec, table)


def _recall(row: TypeRecall | None) -> Shown:
    return share(None if row is None else row.recall)


def _counts(scores: list[Score], tables: list[dict[str, TypeRecall]], names: list[str]) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            *(
                Shown(DASH)
                if (row := table.get(name)) is None
                else Shown(f"{row.correct:,} / {row.gold:,}", row.correct)
                for table in tables
            ),
        ]
        for name in names
    ]
    title = "Edits found, of all edits of the type"
    return Table("type-counts", title, ["type", *(score.system for score in scores)], rows, 1)
