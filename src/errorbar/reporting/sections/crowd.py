"""Systems against a crowd: how far it agrees, and how systems do where it agrees more or less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from errorbar.api.corpus_results import CorpusStudy, CrowdStudy, SampleStudy, Study
from errorbar.api.detect import DetectorResult, DetectorStudy, HardItem, Marked, WordConfusion
from errorbar.core.estimate import Estimate
from errorbar.core.labels import listed
from errorbar.metrics.crowd_weighted import TRUTHS, CurvePoint, Sweep, Truth
from errorbar.reporting.blocks import Block, Chart, ItemList, Prose, Section, Spec, WordInContext
from errorbar.reporting.charts.curves import MOST_COLORED, LinePoint, band_chart, line_chart
from errorbar.reporting.charts.rows import Dot, HeatCell, RowNames, bar_chart, dot_chart, heat_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import drawn, in_sentence, plural, points, slug
from errorbar.tables.shown import cell_text, percent
from errorbar.tables.table import Cell, Column, Kind, Table

MOST_DRAWN = 120
SHARED = 6  # columns in front of the values in the table of errorbar curve
Take = Callable[[CurvePoint], Estimate]
CURVES: Mapping[str, tuple[str, Take, str]] = {
    "crowd-kappa": ("Kappa", lambda p: p.kappa, "kappa"),
    "crowd-youden": ("Youden's J", lambda p: p.youden, "youden"),
    "crowd-kappa-at": ("Kappa at {}", lambda p: p.kappa_at, "kappa_at"),
    "crowd-odds": ("Log odds ratio", lambda p: p.log_odds, "log_odds"),
}
"""Name of the chart to its title, what it shows, and its column in the table of ``errorbar curve``."""
ABOUT_CURVES = (
    "As only items on which the crowd agrees more are kept, the share of errors among them changes, and kappa changes "
    "with it even where a system errs as often as before. Compare systems on different data by Youden's J, the odds "
    "ratio, or kappa at one share of errors ({}), which do not depend on it."
)


def crowd(study: Study) -> Section | None:
    """The crowd and the systems, or None where there are no judgments."""
    if not isinstance(study, CrowdStudy):
        return None
    blocks: list[Block] = [_histogram(study)]
    if study.scores.rows:
        at = f"{study.curves.reference_prevalence:g}"
        curves = [_curve(study, name, title.format(at), take, key) for name, (title, take, key) in CURVES.items()]
        blocks += [_scores(study), _bins(study), Prose([ABOUT_CURVES.format(at)]), *curves]
    return Section("crowd", "Against the crowd", blocks)


def _span(low: float, high: float) -> str:
    return f"{low:g}–{high:g}"


def _histogram(study: CrowdStudy) -> Chart:
    counts = {_span(*edges): n for edges, n in study.histogram.items()}
    total = sum(counts.values())
    rows = [(name, n, n / total if total else None) for name, n in counts.items()]
    columns = [Column("majority"), Column("items", "count"), Column("%", "percent", "share")]
    notes = ["a range holds its low edge, the last one also its high edge"]
    table = Table(columns, rows, "Items by share of the majority", "crowd-agreement", notes)
    text = "Items by the share of raters who agree with the majority: those on the right are clear to everybody, those "
    text += "on the left divide the crowd."
    spec = bar_chart(counts, x_title="share of the majority", y_title="items")
    return Chart("crowd-histogram", "Agreement of the crowd", text, spec, table, "half")


def _scores(study: CrowdStudy) -> Chart:
    rows = study.scores.rows
    name = f"F{rows[0].score.beta:g}"
    made = study.scores.tables()[0]
    title = "Scores against the crowd, in percent"
    table = Table(made.columns, made.rows, title, "crowd-scores-values", made.notes[:1], study.confidence_level)
    dots = [Dot(row.system, *drawn(row.score.f), series=row.score.estimand) for row in rows]
    text = "Weighted by the share of raters, and by what most of them say: where the two are apart, the score depends "
    text += "on items that divide the crowd"
    spec = dot_chart(dots, Axis(f"{name} (percent)"), name_title="system", series_title="estimand")
    return Chart("crowd-scores", f"{name} against the crowd", text + ".", spec, table, "half")


def _bins(study: CrowdStudy) -> Chart:
    every = [(one.system, part, _span(part.low, part.high)) for one in study.curves.systems for part in one.bins]
    made = study.curves.tables()[0]
    title = "P and R by agreement, in percent"
    table = Table(made.columns, made.rows, title, "crowd-bins-values", made.notes, study.confidence_level)
    dots = [
        Dot(f"{system} at {span}", *drawn(estimate), series=measure)
        for system, part, span in every
        if (score := part.scores.get("weighted")) is not None
        for measure, estimate in (("P", score.precision), ("R", score.recall))
    ]
    shown, cut = dots[:MOST_DRAWN], ""
    if len(shown) < len(dots):
        cut = f" The chart shows the first {len(shown)} of {len(dots)} values, the table all."
    text = "Weighted precision and recall on items by agreement: a good system gains as the crowd agrees more"
    spec = dot_chart(shown, Axis("percent"), name_title="system at agreement", series_title="quantity")
    return Chart("crowd-bins", "Precision and recall by agreement", f"{text}.{cut}", spec, table)


def _curve(study: CrowdStudy, name: str, title: str, take: Take, key: str) -> Chart:
    every = [(one.system, p) for one in study.curves.systems for p in one.curve]
    *_, whole = study.curves.tables()
    at = next(k for k, column in enumerate(whole.columns) if column.key == key)
    columns = [*whole.columns[:SHARED], replace(whole.columns[at], title=title, interval="beside")]
    rows = [[*row[:SHARED], row[at]] for row in whole.rows]
    notes = whole.notes[:1]
    table = Table(columns, rows, f"{title} by agreement", f"{name}-values", notes, study.confidence_level)
    text = f"{title} on the items on which at least such a share of the raters agree: further right, only clear items"
    points = [LinePoint(system, p.threshold, *drawn(take(p), "number")) for system, p in every]
    upright = Axis(title, "number", most=None if key == "log_odds" else 1.0)
    spec = line_chart(points, Axis("share of raters who agree, at least", "number"), upright)
    return Chart(name, f"{title} by agreement of the crowd", text + ".", spec, table, "half")


# Estimates from a judged sample, and what more judgments would buy.


COUNTED = ("hits", "misses", "false positives")


def sampling(study: Study) -> Section | None:
    """The estimates, or None where there is no sample."""
    if not isinstance(study, SampleStudy) or not study.systems:
        return None
    blocks: list[Block] = [_estimates(study), _values(study, "number", counted=True)]
    if study.differences:
        blocks.append(_differences(study))
    if study.budget:
        blocks.append(_budget(study))
    return Section("sampling", "Estimates from a sample", blocks)


def _values(study: SampleStudy, kind: Kind, *, counted: bool) -> Table:
    digits = 1 if counted else None
    columns = [
        Column("system"),
        Column("quantity"),
        Column("estimate", kind, digits=digits, interval="beside"),
        Column("by"),
        Column("Bayes", kind, digits=digits, interval="only"),
    ]
    rows: list[list[Cell]] = [
        [one.system, row.name, row.estimate, row.estimate.interval and row.estimate.interval.method, row.bayes]
        for one in study.systems
        for row in one.rows
        if (row.name in COUNTED) is counted
    ]
    if counted:
        return Table(columns, rows, "Items of the whole corpus", "sample-counts")
    notes = [
        f"{study.n_judged:,} of {study.n_items:,} items were judged",
        "by: how the interval was made; Bayes: the interval of a posterior with Jeffreys priors, as a check",
    ]
    return Table(columns, rows, "Estimates for the whole corpus, in percent", "sample-values", notes)


def _estimates(study: SampleStudy) -> Chart:
    text = "Estimated from the judged items for all of them: the bars say how far the whole corpus may be from there"
    rows = ((one.system, row) for one in study.systems for row in one.rows if row.name not in COUNTED)
    dots = [Dot(f"{system}: {row.name}", *drawn(row.estimate)) for system, row in rows]
    spec = dot_chart(dots, Axis("estimate (percent)"), name_title="quantity")
    table = _values(study, "percent", counted=False)
    return Chart("sample-estimates", "Estimates with intervals", text + ".", spec, table)


def _differences(study: SampleStudy) -> Table:
    first, second = (one.system for one in study.systems[:2])
    columns = [Column("quantity"), Column(f"{first} − {second}", "percent", "difference", None, "beside", signed=True)]
    rows = [(apart.name, apart.estimate) for apart in study.differences]
    notes = ["both systems were judged on the same items"]
    return Table(columns, rows, f"{first} against {second}, in points", "sample-differences", notes)


def _budget(study: SampleStudy) -> Chart:
    names = list(dict.fromkeys(name for step in study.budget for name in step.half_widths))
    columns = [Column("judgments", "count"), *(Column(f"± {name}", "percent", name.lower()) for name in names)]
    rows = [(step.n_judgments, *(step.half_widths.get(name) for name in names)) for step in study.budget]
    notes = ["if further items show errors at the rates seen so far; the first row is what was spent"]
    title = "Expected half-widths of intervals, in points"
    table = Table(columns, rows, title, "sample-budget-values", notes)
    shown = [
        LinePoint(name, step.n_judgments, points(step.half_widths.get(name))) for name in names for step in study.budget
    ]
    text = "How far intervals would shrink: where a curve is flat, more judgments buy little"
    spec = line_chart(shown, Axis("judgments", "number"), Axis("half-width (points)"), series_title="quantity")
    return Chart("sample-budget", "What more judgments would buy", text + ".", spec, table)


# Detectors against the judges of the same items: threshold curves, and scores of the flags as they are.


# Detectors word by word: scores of each, what is suggested for which, what annotators write, the hardest items.


MOST_CURVES = 16  # words in one chart by word
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
    drawn_words = [each for each in one.words if each.word][:MOST_CURVES]
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


def _detail(each: WordConfusion) -> str:
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
            blocks.append(ItemList(title, lines, _hard_table(found, items, title, f"detector-{name}-{slug(one.name)}")))
    return blocks


def _line(found: DetectorStudy, each: HardItem, *, linked: Set[str]) -> WordInContext:
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
    return WordInContext(label, ", ".join(facts), None if each.text is None else _around(each.text), link)


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


MOST_LISTED = 4
SHORT: Mapping[Truth, str] = {"any": "any", "majority": "most", "weighted": "share"}
"""What an error is, in a word."""
SAID: Mapping[Truth, str] = {
    "any": "any: what any {} calls one",
    "majority": "most: what most of them do",
    "weighted": "share: the share of them who do",
}
FLAGS = "what is told by word, and the hardest items, are of the flags as they stand in the tables."
ABOUT = {
    1: f"A detector gives items scores and flags some of them. The curve shows every threshold of the scores; {FLAGS}",
    2: "A detector gives items scores and flags some of them. The curves show every threshold of the scores, by two "
    f"answers to what an error is: what any {{judge}} calls one, or the share who do; {FLAGS}",
    3: "A detector gives items scores and flags some of them. The curves show every threshold of the scores, by three "
    f"answers to what an error is: what any {{judge}} calls one, what most do, or the share who do; {FLAGS}",
}
"""By how many answers there are."""
NO_SCORES = "A detector flags some items. No table has a score of every item, so there is no threshold curve."


def detectors(study: Study) -> Section | None:
    """The detectors of a corpus or a crowd, or None where there are none."""
    if not isinstance(study, CorpusStudy | CrowdStudy) or study.detectors is None:
        return None
    found, level = study.detectors, study.confidence_level
    truths = _truths(found)
    about = ABOUT[len(truths)].format(judge=judge(found)) if found.sweeps else NO_SCORES
    blocks: list[Block] = [Prose([about])]
    blocks.append(_detector_scores(found, truths, level))
    blocks += [_threshold_curve(found, truth, level) for truth in truths if truth in found.sweeps]
    shown = best_first(found)[:MOST_COLORED]
    for one in shown:
        blocks += word_scores(found, one, level)
    for one in shown:
        blocks += confusions(one)
    if found.written and any(one.confusions for one in shown):
        blocks.append(written(found))
    units = study.browse.units if isinstance(study, CorpusStudy) and study.browse is not None else ()
    browsed = frozenset(unit.name for unit in units)
    for one in shown:
        blocks += hardest(found, one, linked=browsed)
    if len(shown) < len(found.detectors):
        named = listed([one.name for one in shown])
        what = "highest average precision" if found.sweeps else "first place"
        blocks.append(
            Prose([f"By word, and with their hardest items: the {len(shown)} detectors with the {what}, {named}."])
        )
    return Section("detectors", "Detectors", blocks)


def _truths(found: DetectorStudy) -> Sequence[Truth]:
    """What an error can be: with one judge all answers are one, and of two half are most as well as the share."""
    several: Sequence[Truth] = TRUTHS if found.n_judges > 2 else ("any", "weighted")
    return several if found.n_judges > 1 else several[:1]


def best_first(found: DetectorStudy) -> list[DetectorResult]:
    """Detectors by average precision against what any judge says, then those without."""
    known = {} if not found.sweeps else found.sweeps["any"].systems
    value = {name: sweep.average_precision.value or 0.0 for name, sweep in known.items()}
    return sorted(found.detectors, key=lambda one: -value.get(one.name, -1.0))


def detector_summary(found: DetectorStudy) -> str:
    """A sentence for the beginning of the page; no claim that a difference is real."""
    about = f"{plural(len(found.detectors), 'detector')} judged {plural(found.n_items, 'item')}"
    if not found.sweeps:
        return f"{about}, without scores of every item."
    truth: Truth = "any"
    best = best_first(found)[0].name
    value = in_sentence(found.sweeps[truth].systems[best].average_precision)
    against = _against(found, truth)
    if len(found.sweeps[truth].systems) == 1:
        return f"{about}; the average precision of {best} against {against} is {value}."
    return f"{about}; {best} has the highest average precision against {against}, {value}; no test compared them."


def _against(found: DetectorStudy, truth: Truth) -> str:
    one = judge(found)
    if found.n_judges == 1:
        return f"the {one}"
    return {"any": f"any {one}", "majority": f"most {one}s", "weighted": f"the share of {one}s"}[truth]


def _detector_scores(found: DetectorStudy, truths: Sequence[Truth], level: float) -> Chart:
    """Every detector over all thresholds, and in the table at its own one."""
    table = _table(found, truths, level)
    average = bool(found.sweeps)
    title = "Average precision" if average else "F1 of the flags"
    dots = []
    for one in best_first(found):
        for truth in truths:
            sweep = _sweeps(found, truth).get(one.name)
            value = one.scores[truth].f if not average else None if sweep is None else sweep.average_precision
            if value is not None:
                dots.append(Dot(one.name, *drawn(value), series=SHORT[truth]))
    text = "The detector with the highest value first. The table also has P, R and F1 of the flags as they are."
    if len(truths) > 1:
        text = "Where the points of a detector are far apart, its value depends on what is called an error. " + text
    spec = dot_chart(dots, Axis(f"{title} (percent)"), name_title="detector", series_title="an error is")
    return Chart("detector-scores", title, text, spec, table, "half")


def _table(found: DetectorStudy, truths: Sequence[Truth], level: float) -> Table:
    columns = [Column("detector"), Column("flagged", "count"), Column("an error is", key="truth")]
    columns += [Column("errors", "number", digits=1)]
    columns += [Column(name, "percent", name, interval="beside") for name in ("P", "R", "F1")]
    columns.append(Column("average precision", "percent", "AP", interval="beside"))
    rows: list[list[Cell]] = []
    for one in found.detectors:
        for truth in truths:
            score, sweep = one.scores[truth], _sweeps(found, truth).get(one.name)
            average = None if sweep is None else sweep.average_precision
            start: list[Cell] = [one.name, one.n_flagged, SHORT[truth], score.hits + score.misses]
            rows.append([*start, score.precision, score.recall, score.f, average])
    who = judge(found)
    notes = [
        f"{plural(found.n_items, 'item')}, {plural(found.n_judges, who)}; intervals resample {found.unit}",
        *([f"an error is {listed([SAID[truth].format(who) for truth in truths])}"] if len(truths) > 1 else []),
        "P, R and F1 of the flags; average precision of the scores, whatever the threshold",
    ]
    return Table(columns, rows, "Detectors, in percent", "detector-scores-values", notes, level)


def _sweeps(found: DetectorStudy, truth: Truth) -> Mapping[str, Sweep]:
    return found.sweeps[truth].systems if truth in found.sweeps else {}


def _threshold_curve(found: DetectorStudy, truth: Truth, level: float) -> Chart:
    sweeps = found.sweeps[truth]
    made = sweeps.tables()[1]
    against = _against(found, truth)
    title = f"Precision and recall against {against}"
    table = Table(made.columns, made.rows, f"{title}, in percent", f"detector-curve-{truth}-values", made.notes, level)
    shown = [one.name for one in best_first(found) if one.name in sweeps.systems][:MOST_COLORED]
    dots = [
        LinePoint(name, 100 * point.recall, *drawn(point.precision))
        for name in shown
        for point in sweeps.systems[name].points
    ]
    first = next(iter(sweeps.systems.values()))
    chance = first.errors / first.n_items if first.n_items else None
    text = "As the threshold falls, a detector finds more and is right less often: the higher a curve, the better."
    if chance is not None:
        text += " The dashed line is what chance has at every recall."
    if len(shown) < len(sweeps.systems):
        text += f" The chart shows the best {len(shown)} of {len(sweeps.systems)} detectors, the table all."
    axes = Axis("recall (percent)"), Axis("precision (percent)")
    spec = band_chart(dots, *axes, guide=points(chance), series_title="detector")
    return Chart(f"detector-curve-{truth}", title, text, spec, table, "half")
