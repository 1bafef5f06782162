"""Recall of each error type, or what a metric gives in its place; and the meaning of the codes of types.

Source of the codes, whose words are ours
    NUCLE: Dahlmeier, Ng and Wu 2013, and table 1 of Ng et al. 2014.
    ERRANT, whose codes are made of parts: Bryant, Felice and Briscoe 2017, section 3 and appendix A.

Runs of HOO have theirs here: detection, recognition and correction, best runs of teams, recall by the rows of table 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from errorbar.api.browse import Browse
from errorbar.api.corpus_results import CorpusStudy, HooStudy, Study
from errorbar.core.estimate import Estimate
from errorbar.core.labels import error_types, join_words
from errorbar.metrics.hoo import CONDITIONS, MEASURES
from errorbar.metrics.hoo_scoring import best_runs, prf, team_of
from errorbar.metrics.scores import Score, TypeScore
from errorbar.reporting.blocks import Block, Chart, Section
from errorbar.reporting.charts.rows import Dot, HeatCell, RowNames, dot_chart, heat_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import (
    FEW,
    TWO,
    find_extremes,
    points,
    rank_systems,
    ranks,
    scale_estimate,
    slug,
)
from errorbar.tables.table import DASH, Cell, Column, Table, interval_text, percent

NUCLE = error_types("nucle")
OPERATIONS: Mapping[str, str] = {"M": "missing", "U": "unnecessary", "R": "replaced"}
CATEGORIES: Mapping[str, str] = {
    "ADJ": "adjective",
    "ADJ:FORM": "form of an adjective",
    "ADV": "adverb",
    "CONJ": "conjunction",
    "CONTR": "contraction",
    "DET": "determiner",
    "MORPH": "word of the same root",
    "NOUN": "noun",
    "NOUN:INFL": "inflection of a noun",
    "NOUN:NUM": "noun number",
    "NOUN:POSS": "possessive of a noun",
    "ORTH": "capital letters or spaces",
    "OTHER": "other errors",
    "PART": "particle",
    "PREP": "preposition",
    "PRON": "pronoun",
    "PUNCT": "punctuation",
    "SPELL": "spelling",
    "UNK": "no correction known",
    "VERB": "verb",
    "VERB:FORM": "verb form",
    "VERB:INFL": "inflection of a verb",
    "VERB:SVA": "agreement of subject and verb",
    "VERB:TENSE": "verb tense",
    "WO": "word order",
}


def spell_code(code: str) -> str:
    """The meaning of a code; empty where neither scheme has it."""
    if code in NUCLE:
        return NUCLE[code]
    operation, _, category = code.partition(":")
    if code in ("UNK", *OPERATIONS):
        return OPERATIONS.get(code, "no correction known")
    if operation in OPERATIONS and category in CATEGORIES:
        return f"{CATEGORIES[category]}, {OPERATIONS[operation]}"
    return CATEGORIES.get(code, "")


def code_key(codes: Iterable[str]) -> dict[str, str]:
    """The meaning of each code that is known."""
    return {code: words for code in codes if (words := spell_code(code))}


MOST_SYSTEMS = 16
MOST_TYPES = 40
MOST_MISSED = 3
NO_EDIT = "in percent; – where the chosen annotators have no edit of the type"
RANGES = "edits: smallest and largest number, since systems are scored against different annotators"

Found = Mapping[str, Mapping[str, TypeScore]]  # system, best first, to error type to its score


def types(study: Study) -> Section | None:
    """The heat map, or None where types were not counted or there are none."""
    if not isinstance(study, CorpusStudy):
        return None
    scores = [study.scores[k] for k in rank_systems(study)]
    by_system = {score.system: {row.type: row for row in score.by_type} for score in scores}
    gold: dict[str, list[int]] = {}
    for rows in by_system.values():
        for row in rows.values():
            gold.setdefault(row.type, []).append(row.counts["gold"])
    if not gold:
        return None
    names = sorted(gold, key=lambda name: (-max(gold[name]), name))
    edits = {name: "–".join(f"{n:,}" for n in sorted({min(gold[name]), max(gold[name])})) for name in names}
    counts = [(*_named(name, names), *(_counts(rows.get(name)) for rows in by_system.values())) for name in names]
    columns = [*_name_columns(names), *(Column(system, key=system) for system in by_system)]
    table = Table(columns, counts, "Edits found, of all edits of the type", "type-counts")
    return Section("types", "Error types", [_chart(by_system, edits, study.browse), _missed(by_system, names), table])


def _missed(by_system: Found, names: Sequence[str]) -> Table:
    """For each system the types of which it misses most edits; of alike numbers the most frequent type first."""
    rows = []
    for system, scores in by_system.items():
        missed = {name: row.counts["gold"] - count_found(row) for name in names if (row := scores.get(name))}
        most = [name for name in sorted(missed, key=lambda name: -missed[name]) if missed[name]][:MOST_MISSED]
        texts = [f"{_spell_type(name)}: {missed[name]:,} of {scores[name].counts['gold']:,}" for name in most]
        rows.append((system, sum(missed.values()), "; ".join(texts) or DASH))
    columns = [Column("system"), Column("edits missed", "count", key="missed"), Column("most of them", key="most")]
    return Table(columns, rows, "What each system misses most", "type-missed")


def _spell_type(name: str) -> str:
    """The words of a type with its code, where there are any; else the type itself."""
    return f"{words} ({name})" if (words := spell_code(name)) else name


def _name_columns(names: Sequence[str]) -> list[Column]:
    """The columns of a type: its code, and its name where the code has one."""
    return [Column("type"), *([Column("that is", key="meaning")] if code_key(names) else [])]


def _named(name: str, names: Sequence[str]) -> tuple[str, ...]:
    return (name, spell_code(name) or DASH) if code_key(names) else (name,)


def _counts(row: TypeScore | None) -> str | None:
    return None if row is None else f"{count_found(row):,} / {row.counts['gold']:,}"


def count_found(row: TypeScore) -> int:
    """The number of edits found: the first count of every metric."""
    return next(iter(row.counts.values()))


def type_measure(row: TypeScore) -> str:
    """The measure that is shown: the share that was found."""
    return "recall" if "recall" in row.estimates else next(iter(row.estimates))


def count_browsed(browse: Browse) -> Counter[tuple[str, str]]:
    """Edits that the sentence browser has, by the system that is scored against them and by type."""
    counts = Counter[tuple[str, str]]()
    for unit in browse.units:
        for system, chosen in zip(browse.systems, unit.chosen, strict=True):
            edits = unit.annotators[chosen] if chosen >= 0 else None
            counts.update((system, edit.type) for edit in edits or ())
    return counts


def _cell(name: str, system: str, row: TypeScore | None, there: Mapping[tuple[str, str], int]) -> HeatCell:
    if row is None:
        return HeatCell(name, system, None, DASH, DASH)
    # A metric that makes edits of its own may call them otherwise: then there is no way to the sentences.
    known = row.counts["gold"] and there.get((system, name)) == row.counts["gold"]
    estimate, gold = row[type_measure(row)], row.counts["gold"]
    verdict = "missed" if count_found(row) < gold else "found"
    asks = {"system": system, "type": name, "verdict": verdict} if known else None
    ends = "" if estimate.interval is None else f" ({interval_text(estimate.interval, Column('', 'percent'))})"
    detail = f"{percent(estimate.value)}{ends}: {count_found(row):,} of {gold:,}"
    return HeatCell(name, system, points(estimate.value), percent(estimate.value, 0), detail, gold < FEW, asks)


def _chart(by_system: Found, edits: Mapping[str, str], browse: Browse | None) -> Chart:
    names = list(edits)
    shown, systems = names[:MOST_TYPES], list(by_system)[:MOST_SYSTEMS]
    there: Mapping[tuple[str, str], int] = {} if browse is None else count_browsed(browse)
    cells = [_cell(name, system, by_system[system].get(name), there) for name in shown for system in systems]
    recall = next(type_measure(row) for rows in by_system.values() for row in rows.values())
    hint = (
        "A click on a cell, or Enter, opens the sentences in which the system missed such an edit."
        if any(cell.asks for cell in cells)
        else ""
    )
    rows_are = RowNames("type", code_key(shown), edits, "edits")
    spec = heat_chart(cells, rows_are, column_title="system", value_title=f"{recall} (percent)")
    title = recall.capitalize()
    text = f"{title} in percent, frequent types and the best systems first: along a row who finds a type, down a "
    text += "column what a system misses."
    often = [(rows[names[0]][recall].value, system) for system, rows in by_system.items() if names[0] in rows]
    known = [(value, system) for value, system in often if value is not None]
    if len({value for value, _ in known}) > 1:
        most, least = find_extremes(known)
        finds, kind = "finds" if len(most) == 1 else "find", spell_code(names[0]) or names[0]
        ends = " more than " if len(known) == TWO else " most and ", "" if len(known) == TWO else " least"
        text += f" Of the most frequent, {kind}, {join_words(most)} {finds}{ends[0]}{join_words(least)}{ends[1]}."
    if any(cell.few for cell in cells):
        text += f" Faded: fewer than {FEW} edits, too few to compare."
    if len(shown) < len(names) or len(systems) < len(by_system):
        text += (
            f" The chart shows the {len(shown)} most frequent types and the best {len(systems)} systems, the table all."
        )
    if any("–" in edits[name] for name in shown):
        text += (
            " Beside a type, where there is room: its edits in the reference, from the fewest to the most that a system"
            " was scored against."
        )
    ranges = any("–" in text_of_edits for text_of_edits in edits.values())
    columns = [*_name_columns(names), Column("edits")]
    columns += [Column(system, "percent", system, interval="hidden") for system in by_system]
    rows: list[list[Cell]] = []
    for name in names:
        parts = (table.get(name) for table in by_system.values())
        rows.append([*_named(name, names), edits[name], *(None if row is None else row[recall].value for row in parts)])
    notes = [f"{recall} {NO_EDIT}", *([RANGES] if ranges else [])]
    table = Table(columns, rows, f"{title} by type", "type-recall", notes)
    return Chart("type-recall-map", f"{title} by error type", text, spec, table, key=code_key(names), hint=hint)


PLAIN, BONUS = CONDITIONS
CORRECTION = MEASURES[-1]
MOST_RUNS, MOST_MOVED = 25, 10
TITLES = {PLAIN: "without bonus", BONUS: "with bonus"}
NAMES = {PLAIN: "hoo-plain", BONUS: "hoo-bonus"}
FLATTERED = (
    "the run with the highest F of each team; picking the best of several runs flatters a team with many, and its "
    "interval does not know of it"
)


def hoo(study: Study) -> Section | None:
    """The runs, or None where the data is not HOO's."""
    if not isinstance(study, HooStudy) or not study.scores:
        return None
    blocks: list[Block] = [_scores(study, condition) for condition in CONDITIONS]
    if len({team_of(score.system) for score in study.scores}) < len(study.scores):
        blocks.append(_best(study))
    if any(gold for rows in study.recall.values() for gold, *_ in rows.values()):
        blocks.append(_recall(study))
    blocks += [_variant(study, spec, scores) for spec, scores in study.variants.items()]
    return Section("hoo", "Runs against HOO gold edits", blocks)


def order_runs(scores: Sequence[Score], condition: str = PLAIN) -> list[Score]:
    """Runs by F of correction, best first."""
    return sorted(scores, key=lambda score: -(prf(score, condition, CORRECTION).f.value or 0.0))


def plain_f(score: Score, measure: str = CORRECTION) -> Estimate:
    """F of a run without bonus."""
    return prf(score, PLAIN, measure).f


def prf_columns() -> list[Column]:
    """P, R and F in percent."""
    return [Column(name, "percent") for name in "PRF"]


def _scores(study: HooStudy, condition: str) -> Chart:
    ordered = order_runs(study.scores, condition)
    name, title = NAMES[condition], TITLES[condition]
    notes = ["intervals resample fragments"]
    if condition == BONUS:
        notes.insert(0, "with bonus: missing optional edits count as found")
    columns = [Column("run"), Column("measure"), *prf_columns()]
    every = product(ordered, MEASURES)
    rows: list[list[Cell]] = [[score.system, measure, *prf(score, condition, measure)] for score, measure in every]
    table = Table(columns, rows, f"P, R and F {title}, in percent", f"{name}-values", notes, study.confidence_level)
    shown = product(ordered[:MOST_RUNS], MEASURES)
    dots = [
        Dot(score.system, *scale_estimate(prf(score, condition, measure).f), series=measure) for score, measure in shown
    ]
    text = f"F {title}, runs sorted by correction: a wide step from detection to correction is a run that sees "
    text += "errors and does not know what to write."
    spec = dot_chart(dots, Axis("F (percent)"), name_title="run", series_title="measure")
    return Chart(name, f"F {title}", text + _cut_sentence(len(ordered)), spec, table)


def _cut_sentence(n: int) -> str:
    return f" The chart shows the best {MOST_RUNS} runs, the table all." if n > MOST_RUNS else ""


def _best(study: HooStudy) -> Table:
    columns = [*map(Column, ("measure", "condition", "team", "run")), *prf_columns()]
    rows: list[list[Cell]] = [
        [measure, TITLES[condition], team, score.system, *prf(score, condition, measure)]
        for condition, measure, team, score in best_runs(study.scores)
    ]
    return Table(columns, rows, "Best run of each team", "hoo-best", [FLATTERED], study.confidence_level)


def _recall(study: HooStudy) -> Chart:
    recall = study.recall
    runs = [score.system for score in order_runs(study.scores)]
    gold = {row: counts[0] for run in runs for row, counts in recall[run].items()}
    names = sorted((row for row in gold if gold[row]), key=lambda row: -gold[row])
    columns = [
        Column("run"),
        Column("type"),
        Column("gold", "count"),
        *(Column(measure, "percent") for measure in MEASURES),
    ]
    rows: list[list[Cell]] = []
    cells = {}
    for run, row in product(runs, names):
        total, *counts = recall[run][row]
        rows.append([run, row, total, *(part / total for part in counts)])
        shares = zip(MEASURES, counts, strict=True)
        detail = ", ".join(f"{measure} {percent(k / total)} ({k} of {total})" for measure, k in shares)
        corrected = counts[-1] / total
        cells[run, row] = HeatCell(row, run, 100 * corrected, percent(corrected, 0), detail, total < FEW)
    empty = [row for row in gold if not gold[row]]
    notes = [f"no gold edit: {', '.join(empty)}"] if empty else []
    table = Table(columns, rows, "Recall by type, in percent", "hoo-recall-values", notes)
    shown = [cells[run, row] for row in names for run in runs[:MOST_RUNS]]
    title = "correction recall (percent)"
    rows_are = RowNames("type", behind={row: f"{n:,}" for row, n in gold.items()}, counted="gold edits")
    spec = heat_chart(shown, rows_are, column_title="run", value_title=title)
    text = "Recall of correction by the rows of table 8 of the HOO 2011 paper, frequent types first: along a row who "
    text += "corrects a type, down a column what a run leaves. "
    text += f"Faded: fewer than {FEW} edits, too few to compare." if any(cell.few for cell in shown) else ""
    text = f"{text.rstrip()}{_cut_sentence(len(runs))}"
    return Chart("hoo-recall", "Recall by type of error", text, spec, table)


def _variant(study: HooStudy, spec: str, scores: Sequence[Score]) -> Table:
    other = {score.system: score for score in scores}
    both = [(score, other[score.system]) for score in order_runs(study.scores) if score.system in other]
    rows: list[list[Cell]] = []
    moved: list[str] = []
    for measure in MEASURES:
        before, after = ([prf(pair[k], PLAIN, measure).f.value for pair in both] for k in (0, 1))
        for (score, _), a, b, rank, new in zip(both, before, after, ranks(before), ranks(after), strict=True):
            rows.append([score.system, measure, a, rank, b, new, None if a is None or b is None else b - a])
            if rank != new:
                moved.append(f"{score.system} ({measure})")
    note = f"the rank differs: {', '.join(moved[:MOST_MOVED])}" if moved else "no rank differs"
    if len(moved) > MOST_MOVED:
        note += f" and {len(moved) - MOST_MOVED} more"
    columns = [
        Column("run"),
        Column("measure"),
        *(Column("F", "percent"), Column("rank", "count")),
        *(Column("new F", "percent"), Column("new rank", "count")),
        Column("change", "percent", signed=True),
    ]
    title = f"{study.scores[0].signature.spec} against {spec}: F without bonus, in percent"
    return Table(columns, rows, title, f"hoo-{slug(spec)}", [f"new: under {spec}", note])
