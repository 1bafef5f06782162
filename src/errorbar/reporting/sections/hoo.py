"""HOO: detection, recognition and correction of runs, best runs of teams, recall by the rows of table 8, variants."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from errorbar.api.corpus_results import HooStudy, Study
from errorbar.core.estimate import Estimate
from errorbar.metrics.hoo import CONDITIONS, MEASURES
from errorbar.metrics.hoo_scoring import best_runs, prf, team_of
from errorbar.metrics.scores import Score
from errorbar.reporting.blocks import Block, Chart, Section
from errorbar.reporting.charts.rows import Dot, HeatCell, RowNames, dot_chart, heat_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import FEW, ranks, scale_estimate, slug
from errorbar.tables.shown import percent
from errorbar.tables.table import Cell, Column, Table

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
