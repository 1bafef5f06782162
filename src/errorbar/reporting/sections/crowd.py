"""Systems against a crowd, estimates from a judged sample, and detectors against the judges of the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from errorbar.api.corpus_results import CorpusStudy, CrowdStudy, SampleStudy, Study
from errorbar.api.detector_study import DetectorResult, DetectorStudy, HardItem, Marked, WordConfusion
from errorbar.core.estimate import Estimate
from errorbar.core.labels import join_words
from errorbar.metrics.crowd_weighted import TRUTHS, CurvePoint, Sweep, Truth
from errorbar.reporting.blocks import Block, Chart, ItemList, Prose, Section, Spec, WordInContext
from errorbar.reporting.charts.plane import MOST_COLORED, LinePoint, band_chart, line_chart
from errorbar.reporting.charts.rows import Dot, HeatCell, RowNames, bar_chart, dot_chart, heat_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import count_noun, phrase_estimate, points, scale_estimate, slug
from errorbar.tables.table import Cell, Column, Kind, Table, cell_text, percent

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
    values = study.scores.tables()[0]
    title = "Scores against the crowd, in percent"
    table = Table(values.columns, values.rows, title, "crowd-scores-values", values.notes[:1], study.confidence_level)
    dots = [Dot(row.system, *scale_estimate(row.score.f), series=row.score.estimand) for row in rows]
    text = "Weighted by the share of raters, and by what most of them say: where the two are apart, the score depends "
    text += "on items that divide the crowd"
    spec = dot_chart(dots, Axis(f"{name} (percent)"), name_title="system", series_title="estimand")
    return Chart("crowd-scores", f"{name} against the crowd", text + ".", spec, table, "half")


def _bins(study: CrowdStudy) -> Chart:
    every = [
        (system.system, part, _span(part.low, part.high)) for system in study.curves.systems for part in system.bins
    ]
    values = study.curves.tables()[0]
    title = "P and R by agreement, in percent"
    table = Table(values.columns, values.rows, title, "crowd-bins-values", values.notes, study.confidence_level)
    dots = [
        Dot(f"{system} at {span}", *scale_estimate(estimate), series=measure)
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
    every = [(system.system, p) for system in study.curves.systems for p in system.curve]
    *_, whole = study.curves.tables()
    at = next(k for k, column in enumerate(whole.columns) if column.key == key)
    columns = [*whole.columns[:SHARED], whole.columns[at]._replace(title=title, interval="beside")]
    rows = [[*row[:SHARED], row[at]] for row in whole.rows]
    notes = whole.notes[:1]
    table = Table(columns, rows, f"{title} by agreement", f"{name}-values", notes, study.confidence_level)
    text = f"{title} on the items on which at least such a share of the raters agree: further right, only clear items"
    points = [LinePoint(system, p.threshold, *scale_estimate(take(p), "number")) for system, p in every]
    upright = Axis(title, "number", most=None if key == "log_odds" else 1.0)
    spec = line_chart(points, Axis("share of raters who agree, at least", "number"), upright)
    return Chart(name, f"{title} by agreement of the crowd", text + ".", spec, table, "half")


ABOUT_MODELS = (
    "Language models that judged the same items. They are no part of the crowd: every score against it, and its "
    "agreement, rest on people alone. What a model says is shown beside what people say of each other, and is never "
    "the truth."
)
OF_ALL = ("agreement", "sensitivity", "specificity")
LEANINGS = ("first position", "longer output", "own family")


def models(study: Study) -> Section | None:
    """Language models as raters, or None where none judged."""
    if not isinstance(study, CrowdStudy) or study.models is None:
        return None
    rated = study.models
    whole, *others = rated.tables()
    table = replace(whole, name="model-raters", title="Models as raters, in percent")
    several = len({row.model for row in rated.measures}) > 1
    dots: list[Dot] = []
    for row in rated.measures:
        if not row.group and row.measure in (*OF_ALL, *LEANINGS):
            people = f"people beside {row.model}" if several else "people"
            dots.append(Dot(row.measure, *scale_estimate(row.estimate), series=row.model))
            if row.people.value is not None:
                dots.append(Dot(row.measure, *scale_estimate(row.people), series=people, role="human"))
    text = "Each model beside the people who judged the same items: agreement with people, and how often it calls an "
    text += "error one and leaves alone what is none, each measured by what people say."
    spec = dot_chart(dots, Axis("percent"), name_title="measure", series_title="rater", top=100)
    blocks: list[Block] = [Prose([ABOUT_MODELS]), Chart("models-chart", "Models and people", text, spec, table)]
    return Section("models", "Language models as raters", [*blocks, *others])


COUNTED = ("hits", "misses", "false positives")


def sampling(study: Study) -> Section | None:
    """The estimates, or None where there is no sample."""
    if not isinstance(study, SampleStudy) or not study.systems:
        return None
    blocks: list[Block] = [_estimates(study), _values(study, "number", counted=True)]
    if study.differences:
        blocks.append(_differences(study))
    if study.assistance is not None:
        blocks.append(study.assistance)
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
        [system.system, row.name, row.estimate, row.estimate.interval and row.estimate.interval.method, row.bayes]
        for system in study.systems
        for row in system.rows
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
    rows = ((system.system, row) for system in study.systems for row in system.rows if row.name not in COUNTED)
    dots = [Dot(f"{system}: {row.name}", *scale_estimate(row.estimate)) for system, row in rows]
    spec = dot_chart(dots, Axis("estimate (percent)"), name_title="quantity")
    table = _values(study, "percent", counted=False)
    return Chart("sample-estimates", "Estimates with intervals", text + ".", spec, table)


def _differences(study: SampleStudy) -> Table:
    first, second = (system.system for system in study.systems[:2])
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


MOST_CURVES = 16  # words in one chart by word
MOST_ROWS, MOST_COLUMNS = 14, 12  # words in one grid
MOST_AROUND = 30  # words of a sentence on each side of what is marked
NOTHING, OTHERS = "(nothing)", "other words"
SCORE = Column("score", "number", digits=2)
BY_WORD: Mapping[Truth, str] = {"any": "any", "weighted": "share"}
"""The truths that words are scored against in tables, and the words behind their headings."""


def judge(study: DetectorStudy) -> str:
    """The noun for a judge of the items: annotator or rater."""
    return "annotator" if study.annotated else "rater"


def word_scores(study: DetectorStudy, detector: DetectorResult, level: float) -> list[Block]:
    """P and R of each written word; nothing where it is not known what is written."""
    if not detector.words:
        return []
    truths = [truth for truth in BY_WORD if truth == "any" or study.n_judges > 1]
    columns = [Column("word"), *(Column(name, "count") for name in ("items", "flagged"))]
    for truth in truths:
        behind = f", {BY_WORD[truth]}" if len(truths) > 1 else ""
        columns.append(Column(f"errors{behind}", "number", f"errors_{truth}", digits=1))
        columns += [Column(f"{name}{behind}", "percent", f"{name}_{truth}", interval="beside") for name in ("P", "R")]
    rows: list[list[Cell]] = []
    for word in detector.words:
        row: list[Cell] = [word.word or OTHERS, word.scores["any"].n_items, word.n_flagged]
        for truth in truths:
            score = word.scores[truth]
            row += [score.hits + score.misses, score.precision, score.recall]
        rows.append(row)
    meaning = f"any: what any {judge(study)} calls an error; share: the share who do"
    notes = [*([meaning] if len(truths) > 1 else []), f"intervals are for other {study.unit} that have the word"]
    name = slug(detector.name)
    table = Table(
        columns, rows, f"{detector.name}: P and R by word, in percent", f"detector-words-{name}-values", notes, level
    )
    drawn_words = [word for word in detector.words if word.word][:MOST_CURVES]
    dots = [
        Dot(f"{word.word} ({word.scores['any'].n_items:,})", *scale_estimate(estimate), series=measure)
        for word in drawn_words
        for measure, estimate in (("P", word.scores["any"].precision), ("R", word.scores["any"].recall))
    ]
    text = f"Precision and recall of {detector.name} on each word, beside it how often it is judged, against what any "
    text += f"{judge(study)} calls an error; frequent words first."
    if len(drawn_words) < len(detector.words):
        text += f" The chart shows {count_noun(len(drawn_words), 'word')}, the table all."
    spec = dot_chart(dots, Axis("percent"), name_title="word", series_title="quantity", top=100.0)
    return [
        Chart(f"detector-words-{name}", f"{detector.name}: precision and recall by word", text, spec, table, "half")
    ]


def confusions(detector: DetectorResult) -> list[Block]:
    """A grid of written and suggested words; nothing where every suggestion is to leave a word out."""
    if not any(pair.suggested for pair in detector.confusions):
        return []
    annotated = detector.confusions[0].n_agreed is not None
    counts = {(pair.written, pair.suggested): pair.n_flagged for pair in detector.confusions}
    details = {(pair.written, pair.suggested): _detail(pair) for pair in detector.confusions}
    columns = [Column("written"), Column("suggested"), Column("flagged", "count"), Column("marked", "count")]
    columns += [Column("agreed", "count")] * annotated
    rows = [
        (pair.written, pair.suggested or NOTHING, pair.n_flagged, pair.n_marked, *([pair.n_agreed] * annotated))
        for pair in detector.confusions
    ]
    notes = ["marked: of the flagged, what somebody calls an error"]
    notes += ["agreed: of the flagged, where an annotator writes what is suggested"] * annotated
    name = slug(detector.name)
    title = f"{detector.name}: what is written and what is suggested"
    table = Table(columns, rows, title, f"detector-confusion-{name}-values", notes)
    first = detector.confusions[0]
    text = f"Flagged items of {detector.name}, the written word in rows, the suggestion in columns. Most frequent: "
    text += f"{first.written} → {first.suggested or NOTHING}."
    if annotated:
        agreed = sum(pair.n_agreed or 0 for pair in detector.confusions)
        text += f" An annotator writes the suggestion in {agreed:,} of {detector.n_flagged:,} flagged items."
    chart = _grid(counts, details, "suggested")
    return [Chart(f"detector-confusion-{name}", title, text, chart, table)]


def _detail(pair: WordConfusion) -> str:
    agreed = "" if pair.n_agreed is None else f", {pair.n_agreed:,} as an annotator writes it"
    return f"{pair.n_flagged:,} flagged, {pair.n_marked:,} of them marked{agreed}"


def chart_written_words(study: DetectorStudy) -> Chart:
    """A grid of judged words and the words that annotators write in their place."""
    pairs = sorted(study.written.items(), key=lambda pair: (-pair[1], pair[0]))
    columns = [Column("written"), Column("annotators write"), Column("judgments", "count")]
    rows = [(word, other or NOTHING, n) for (word, other), n in pairs]
    notes = [
        "a judgment is one annotator's; what an edit of several words makes of a word is found by alignment, and can "
        "be the word itself"
    ]
    title = "What annotators write in the place of a word"
    table = Table(columns, rows, title, "detector-written-values", notes)
    (word, other), _ = pairs[0]
    text = f"Judgments of {count_noun(study.n_judges, 'annotator')}, the written word in rows, what they write in "
    text += f"columns. Most frequent: {word} → {other or NOTHING}."
    details = {pair: count_noun(n, "judgment") for pair, n in pairs}
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
    has_others = len(by_column) > len(columns)
    for row in rows:
        for column in columns:
            n = counts.get((row, column), 0)
            detail = details.get((row, column), "none")
            cells.append(_cell(row, column or NOTHING, n, detail))
        if has_others:
            n = sum(m for (name, column), m in counts.items() if name == row and column not in columns)
            cells.append(_cell(row, OTHERS, n, f"{n:,}" if n else "none"))
    most = max((cell.value or 0.0 for cell in cells), default=1.0)
    words = RowNames("written", behind={row: f"{by_row[row]:,}" for row in rows}, counted="in all")
    return heat_chart(cells, words, column_title=column_title, value_title="number", domain=(0.0, most))


def _cell(row: str, column: str, n: int, detail: str) -> HeatCell:
    return HeatCell(row, column, float(n) if n else None, f"{n:,}" if n else "", detail)


def hardest(study: DetectorStudy, detector: DetectorResult, *, linked: Set[str]) -> list[Block]:
    """False alarms and misses, each as a list to look at; ``linked`` names sentences that the page shows."""
    order = "the highest score first, " * any(item.score is not None for item in detector.false_alarms)
    kinds = (
        ("false-alarms", detector.false_alarms, detector.n_false_alarms, f"flagged, {order}and no {{}} marks it"),
        ("misses", detector.misses, detector.n_misses, "not flagged, and more than half of the {}s mark it"),
    )
    blocks: list[Block] = []
    for name, items, n, about_kind in kinds:
        if items:
            about = about_kind.format(judge(study))
            if study.n_judges == 1:
                about = about.replace("more than half of the", "the").replace("s mark", " marks")
            title = f"{detector.name}: {name.replace('-', ' ')}, {about} ({len(items):,} of {n:,})"
            lines = [_line(study, item, linked=linked) for item in items]
            blocks.append(
                ItemList(title, lines, _hard_table(study, items, title, f"detector-{name}-{slug(detector.name)}"))
            )
    return blocks


def _line(study: DetectorStudy, item: HardItem, *, linked: Set[str]) -> WordInContext:
    facts = [] if item.text is not None or not item.word else [f"“{item.word}”"]
    if item.score is not None:
        facts.append(f"score {cell_text(item.score, SCORE)}")
    if item.suggestion is not None:
        facts.append(f"suggests “{item.suggestion}”" if item.suggestion else "suggests to leave it out")
    facts.append(f"marked by {_judges(study, item)}")
    if corrections := _instead(item):
        facts.append(f"they write {corrections}")
    link = f"s{item.sentence}" if str(item.sentence) in linked else ""
    label = f"Sentence {item.sentence}" if item.sentence else f"Item {item.item}"
    return WordInContext(label, ", ".join(facts), None if item.text is None else _around(item.text), link)


def _around(text: Marked) -> Marked:
    """The words around what is marked: some sentences of learners fill a page."""
    before, word, after = text
    left, right = before.split(), after.split()
    if len(left) > MOST_AROUND:
        before = " ".join(["…", *left[-MOST_AROUND:]])
    if len(right) > MOST_AROUND:
        after = " ".join([*right[:MOST_AROUND], "…"])
    return before, word, after


def _judges(study: DetectorStudy, item: HardItem) -> str:
    n = item.share * item.n_judges
    whole = (
        f"{round(n):,}" if abs(n - round(n)) < 1e-6 else percent(item.share, 0) + " percent"
    )  # votes may have weights
    return f"{whole} of {count_noun(item.n_judges, judge(study))}"


def _instead(item: HardItem) -> str:
    words = sorted(item.written.items(), key=lambda pair: (-pair[1], pair[0]))
    return join_words([f"“{word}” ({n})" if word else f"nothing ({n})" for word, n in words]) if words else ""


def _hard_table(study: DetectorStudy, items: Sequence[HardItem], title: str, name: str) -> Table:
    columns = [Column("item"), Column("word"), Column("suggestion"), SCORE]
    columns += [Column(f"{judge(study)}s who mark it"), *([Column("they write")] if study.annotated else [])]
    rows: list[list[Cell]] = []
    for item in items:
        suggestion = None if item.suggestion is None else item.suggestion or NOTHING
        row: list[Cell] = [item.item, item.word, suggestion, item.score, _judges(study, item)]
        rows.append([*row, *([_instead(item)] if study.annotated else [])])
    return Table(columns, rows, title, name)


MOST_LISTED = 4
SHORT: Mapping[Truth, str] = {"any": "any", "majority": "most", "weighted": "share"}
"""The definition of an error, in a word."""
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
    results, level = study.detectors, study.confidence_level
    several: Sequence[Truth] = TRUTHS if results.n_judges > 2 else ("any", "weighted")
    truths = several if results.n_judges > 1 else several[:1]
    about = ABOUT[len(truths)].format(judge=judge(results)) if results.sweeps else NO_SCORES
    blocks: list[Block] = [Prose([about])]
    blocks.append(_detector_scores(results, truths, level))
    blocks += [_threshold_curve(results, truth, level) for truth in truths if truth in results.sweeps]
    shown = best_first(results)[:MOST_COLORED]
    for detector in shown:
        blocks += word_scores(results, detector, level)
    for detector in shown:
        blocks += confusions(detector)
    if results.written and any(detector.confusions for detector in shown):
        blocks.append(chart_written_words(results))
    units = study.browse.units if isinstance(study, CorpusStudy) and study.browse is not None else ()
    browsed = frozenset(unit.name for unit in units)
    for detector in shown:
        blocks += hardest(results, detector, linked=browsed)
    if len(shown) < len(results.detectors):
        named = join_words([detector.name for detector in shown])
        order = "highest average precision" if results.sweeps else "first place"
        blocks.append(
            Prose([f"By word, and with their hardest items: the {len(shown)} detectors with the {order}, {named}."])
        )
    return Section("detectors", "Detectors", blocks)


def best_first(study: DetectorStudy) -> list[DetectorResult]:
    """Detectors by average precision against what any judge says, then those without."""
    known = {} if not study.sweeps else study.sweeps["any"].systems
    value = {name: sweep.average_precision.value or 0.0 for name, sweep in known.items()}
    return sorted(study.detectors, key=lambda detector: -value.get(detector.name, -1.0))


def detector_summary(study: DetectorStudy) -> str:
    """A sentence for the beginning of the page; no claim that a difference is real."""
    about = f"{count_noun(len(study.detectors), 'detector')} judged {count_noun(study.n_items, 'item')}"
    if not study.sweeps:
        return f"{about}, without scores of every item."
    truth: Truth = "any"
    best = best_first(study)[0].name
    value = phrase_estimate(study.sweeps[truth].systems[best].average_precision)
    against = _against(study, truth)
    if len(study.sweeps[truth].systems) == 1:
        return f"{about}; the average precision of {best} against {against} is {value}."
    return f"{about}; {best} has the highest average precision against {against}, {value}; no test compared them."


def _against(study: DetectorStudy, truth: Truth) -> str:
    singular = judge(study)
    if study.n_judges == 1:
        return f"the {singular}"
    return {"any": f"any {singular}", "majority": f"most {singular}s", "weighted": f"the share of {singular}s"}[truth]


def _detector_scores(study: DetectorStudy, truths: Sequence[Truth], level: float) -> Chart:
    """The scores of every detector over all thresholds, and, in the table, at its own threshold."""
    table = _table(study, truths, level)
    average = bool(study.sweeps)
    title = "Average precision" if average else "F1 of the flags"
    dots = []
    for detector in best_first(study):
        for truth in truths:
            sweep = _sweeps(study, truth).get(detector.name)
            value = detector.scores[truth].f if not average else None if sweep is None else sweep.average_precision
            if value is not None:
                dots.append(Dot(detector.name, *scale_estimate(value), series=SHORT[truth]))
    text = "The detector with the highest value first. The table also has P, R and F1 of the flags as they are."
    if len(truths) > 1:
        text = "Where the points of a detector are far apart, its value depends on what is called an error. " + text
    spec = dot_chart(dots, Axis(f"{title} (percent)"), name_title="detector", series_title="an error is")
    return Chart("detector-scores", title, text, spec, table, "half")


def _table(study: DetectorStudy, truths: Sequence[Truth], level: float) -> Table:
    columns = [Column("detector"), Column("flagged", "count"), Column("an error is", key="truth")]
    columns += [Column("errors", "number", digits=1)]
    columns += [Column(name, "percent", name, interval="beside") for name in ("P", "R", "F1")]
    columns.append(Column("average precision", "percent", "AP", interval="beside"))
    rows: list[list[Cell]] = []
    for detector in study.detectors:
        for truth in truths:
            score, sweep = detector.scores[truth], _sweeps(study, truth).get(detector.name)
            average = None if sweep is None else sweep.average_precision
            start: list[Cell] = [detector.name, detector.n_flagged, SHORT[truth], score.hits + score.misses]
            rows.append([*start, score.precision, score.recall, score.f, average])
    who = judge(study)
    notes = [
        f"{count_noun(study.n_items, 'item')}, {count_noun(study.n_judges, who)}; intervals are for other {study.unit}",
        *([f"an error is {join_words([SAID[truth].format(who) for truth in truths])}"] if len(truths) > 1 else []),
        "P, R and F1 of the flags; average precision of the scores, whatever the threshold",
    ]
    return Table(columns, rows, "Detectors, in percent", "detector-scores-values", notes, level)


def _sweeps(study: DetectorStudy, truth: Truth) -> Mapping[str, Sweep]:
    return study.sweeps[truth].systems if truth in study.sweeps else {}


def _threshold_curve(study: DetectorStudy, truth: Truth, level: float) -> Chart:
    sweeps = study.sweeps[truth]
    values = sweeps.tables()[1]
    against = _against(study, truth)
    title = f"Precision and recall against {against}"
    table = Table(
        values.columns, values.rows, f"{title}, in percent", f"detector-curve-{truth}-values", values.notes, level
    )
    shown = [detector.name for detector in best_first(study) if detector.name in sweeps.systems][:MOST_COLORED]
    dots = [
        LinePoint(name, 100 * point.recall, *scale_estimate(point.precision))
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
