"""Detectors word by word: scores of each, what is suggested for which, what annotators write, the hardest items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from errorbar.core.labels import listed
from errorbar.metrics.threshold_sweep import Truth
from errorbar.reporting.blocks import Block, Chart, Item, Items, Spec
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.charts.grid import HeatCell, RowNames, heat_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import drawn, plural, slug
from errorbar.studies.detector_result import Confusion, DetectorResult, DetectorStudy, HardItem, Marked
from errorbar.tables.shown import cell_text, percent
from errorbar.tables.table import Cell, Column, Table

MOST_DRAWN = 16  # words in one chart by word
MOST_ROWS, MOST_COLUMNS = 14, 12  # words in one grid
MOST_AROUND = 30  # words of a sentence on each side of what is marked
NOTHING, OTHERS = "(nothing)", "other words"
SCORE = Column("score", "number", digits=2)
BY_WORD: Mapping[Truth, str] = {"any": "any", "weighted": "share"}
"""What a word is scored against in tables, and what is put behind the heading."""


def judge(found: DetectorStudy) -> str:
    """What one of those who judge is called."""
    return "annotator" if found.annotated else "rater"


def word_scores(found: DetectorStudy, one: DetectorResult, level: float) -> list[Block]:
    """P and R of each written word; nothing where it is not known what is written."""
    if not one.words:
        return []
    truths = [truth for truth in BY_WORD if truth == "any" or found.n_judges > 1]
    columns = [Column("word"), *(Column(name, "count") for name in ("items", "flagged"))]
    for truth in truths:
        behind = f", {BY_WORD[truth]}" if len(truths) > 1 else ""
        columns.append(Column(f"errors{behind}", "number", f"errors_{truth}", digits=1))
        columns += [Column(f"{name}{behind}", "percent", f"{name}_{truth}", interval="beside") for name in ("P", "R")]
    rows: list[list[Cell]] = []
    for each in one.words:
        row: list[Cell] = [each.word or OTHERS, each.scores["any"].n_items, each.n_flagged]
        for truth in truths:
            score = each.scores[truth]
            row += [score.hits + score.misses, score.precision, score.recall]
        rows.append(row)
    said = f"any: what any {judge(found)} calls an error; share: the share who do"
    notes = [*([said] if len(truths) > 1 else []), f"intervals resample {found.unit} that have the word"]
    name = slug(one.name)
    table = Table(
        columns, rows, f"{one.name}: P and R by word, in percent", f"detector-words-{name}-values", notes, level
    )
    drawn_words = [each for each in one.words if each.word][:MOST_DRAWN]
    dots = [
        Dot(f"{each.word} ({each.scores['any'].n_items:,})", *drawn(estimate), series=measure)
        for each in drawn_words
        for measure, estimate in (("P", each.scores["any"].precision), ("R", each.scores["any"].recall))
    ]
    text = f"Precision and recall of {one.name} on each word, beside it how often it is judged, against what any "
    text += f"{judge(found)} calls an error; frequent words first."
    if len(drawn_words) < len(one.words):
        text += f" The chart shows {plural(len(drawn_words), 'word')}, the table all."
    spec = dot_chart(dots, Axis("percent"), name_title="word", series_title="quantity", top=100.0)
    return [Chart(f"detector-words-{name}", f"{one.name}: precision and recall by word", text, spec, table, "half")]


def confusions(one: DetectorResult) -> list[Block]:
    """What is written and what is suggested; nothing where nothing else than leaving out is."""
    if not any(each.suggested for each in one.confusions):
        return []
    annotated = one.confusions[0].n_agreed is not None
    counts = {(each.written, each.suggested): each.n_flagged for each in one.confusions}
    details = {(each.written, each.suggested): _detail(each) for each in one.confusions}
    columns = [Column("written"), Column("suggested"), Column("flagged", "count"), Column("marked", "count")]
    columns += [Column("agreed", "count")] * annotated
    rows = [
        (each.written, each.suggested or NOTHING, each.n_flagged, each.n_marked, *([each.n_agreed] * annotated))
        for each in one.confusions
    ]
    notes = ["marked: of the flagged, what somebody calls an error"]
    notes += ["agreed: of the flagged, where an annotator writes what is suggested"] * annotated
    name = slug(one.name)
    title = f"{one.name}: what is written and what is suggested"
    table = Table(columns, rows, title, f"detector-confusion-{name}-values", notes)
    first = one.confusions[0]
    text = f"Flagged items of {one.name}, the written word in rows, the suggestion in columns. Most frequent: "
    text += f"{first.written} → {first.suggested or NOTHING}."
    if annotated:
        agreed = sum(each.n_agreed or 0 for each in one.confusions)
        text += f" An annotator writes the suggestion in {agreed:,} of {one.n_flagged:,} flagged items."
    chart = _grid(counts, details, "suggested")
    return [Chart(f"detector-confusion-{name}", title, text, chart, table)]


def _detail(each: Confusion) -> str:
    agreed = "" if each.n_agreed is None else f", {each.n_agreed:,} as an annotator writes it"
    return f"{each.n_flagged:,} flagged, {each.n_marked:,} of them marked{agreed}"


def written(found: DetectorStudy) -> Chart:
    """What annotators write in the place of the judged words."""
    pairs = sorted(found.written.items(), key=lambda pair: (-pair[1], pair[0]))
    columns = [Column("written"), Column("annotators write"), Column("judgments", "count")]
    rows = [(word, other or NOTHING, n) for (word, other), n in pairs]
    notes = [
        "a judgment is one annotator's; what an edit of several words makes of a word is found by alignment, and can "
        "be the word itself"
    ]
    title = "What annotators write in the place of a word"
    table = Table(columns, rows, title, "detector-written-values", notes)
    (word, other), _ = pairs[0]
    text = f"Judgments of {plural(found.n_judges, 'annotator')}, the written word in rows, what they write in columns. "
    text += f"Most frequent: {word} → {other or NOTHING}."
    details = {pair: plural(n, "judgment") for pair, n in pairs}
    return Chart("detector-written", title, text, _grid(dict(pairs), details, "annotators write"), table)


def _grid(counts: Mapping[tuple[str, str], int], details: Mapping[tuple[str, str], str], column_title: str) -> Spec:
    """Counts as a grid: the most frequent rows and columns, the others of a row in one column."""
    by_row, by_column = Counter[str](), Counter[str]()
    for (row, column), n in counts.items():
        by_row[row] += n
        by_column[column] += n
    rows = [row for row, _ in by_row.most_common(MOST_ROWS)]
    columns = [column for column, _ in by_column.most_common(MOST_COLUMNS)]
    cells: list[HeatCell] = []
    rest = len(by_column) > len(columns)
    for row in rows:
        for column in columns:
            n = counts.get((row, column), 0)
            said = details.get((row, column), "none")
            cells.append(_cell(row, column or NOTHING, n, said))
        if rest:
            n = sum(m for (one, column), m in counts.items() if one == row and column not in columns)
            cells.append(_cell(row, OTHERS, n, f"{n:,}" if n else "none"))
    most = max((cell.value or 0.0 for cell in cells), default=1.0)
    words = RowNames("written", behind={row: f"{by_row[row]:,}" for row in rows}, counted="in all")
    return heat_chart(cells, words, column_title=column_title, value_title="number", domain=(0.0, most))


def _cell(row: str, column: str, n: int, detail: str) -> HeatCell:
    return HeatCell(row, column, float(n) if n else None, f"{n:,}" if n else "", detail)


def hardest(found: DetectorStudy, one: DetectorResult, *, linked: Set[str]) -> list[Block]:
    """False alarms and misses, each as a list to look at; ``linked`` names sentences that the page shows."""
    order = "the highest score first, " * any(each.score is not None for each in one.false_alarms)
    kinds = (
        ("false-alarms", one.false_alarms, one.n_false_alarms, f"flagged, {order}and no {{}} marks it"),
        ("misses", one.misses, one.n_misses, "not flagged, and more than half of the {}s mark it"),
    )
    blocks: list[Block] = []
    for name, items, n, said in kinds:
        if items:
            about = said.format(judge(found))
            if found.n_judges == 1:
                about = about.replace("more than half of the", "the").replace("s mark", " marks")
            title = f"{one.name}: {name.replace('-', ' ')}, {about} ({len(items):,} of {n:,})"
            lines = [_line(found, each, linked=linked) for each in items]
            blocks.append(Items(title, lines, _hard_table(found, items, title, f"detector-{name}-{slug(one.name)}")))
    return blocks


def _line(found: DetectorStudy, each: HardItem, *, linked: Set[str]) -> Item:
    facts = [] if each.text is not None or not each.word else [f"“{each.word}”"]
    if each.score is not None:
        facts.append(f"score {cell_text(each.score, SCORE)}")
    if each.suggestion is not None:
        facts.append(f"suggests “{each.suggestion}”" if each.suggestion else "suggests to leave it out")
    facts.append(f"marked by {_judges(found, each)}")
    if said := _instead(each):
        facts.append(f"they write {said}")
    link = f"s{each.sentence}" if str(each.sentence) in linked else ""
    label = f"Sentence {each.sentence}" if each.sentence else f"Item {each.item}"
    return Item(label, ", ".join(facts), None if each.text is None else _around(each.text), link)


def _around(text: Marked) -> Marked:
    """The words around what is marked: some sentences of learners fill a page."""
    before, word, after = text
    left, right = before.split(), after.split()
    if len(left) > MOST_AROUND:
        before = " ".join(["…", *left[-MOST_AROUND:]])
    if len(right) > MOST_AROUND:
        after = " ".join([*right[:MOST_AROUND], "…"])
    return before, word, after


def _judges(found: DetectorStudy, each: HardItem) -> str:
    n = each.share * each.n_judges
    whole = (
        f"{round(n):,}" if abs(n - round(n)) < 1e-6 else percent(each.share, 0) + " percent"
    )  # votes may have weights
    return f"{whole} of {plural(each.n_judges, judge(found))}"


def _instead(each: HardItem) -> str:
    said = sorted(each.written.items(), key=lambda pair: (-pair[1], pair[0]))
    return listed([f"“{word}” ({n})" if word else f"nothing ({n})" for word, n in said]) if said else ""


def _hard_table(found: DetectorStudy, items: Sequence[HardItem], title: str, name: str) -> Table:
    columns = [Column("item"), Column("word"), Column("suggestion"), SCORE]
    columns += [Column(f"{judge(found)}s who mark it"), *([Column("they write")] if found.annotated else [])]
    rows: list[list[Cell]] = []
    for each in items:
        suggestion = None if each.suggestion is None else each.suggestion or NOTHING
        row: list[Cell] = [each.item, each.word, suggestion, each.score, _judges(found, each)]
        rows.append([*row, *([_instead(each)] if found.annotated else [])])
    return Table(columns, rows, title, name)
