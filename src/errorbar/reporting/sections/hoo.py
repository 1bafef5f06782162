"""HOO: detection, recognition and correction of runs, best runs of teams, recall by the rows of table 8, variants."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.metrics.hoo import CONDITIONS, MEASURES
from errorbar.metrics.hoo_scoring import Prf, best_runs, prf, team_of
from errorbar.metrics.score import Score
from errorbar.reporting.charts import Dot, HeatCell, dot_chart, heat_chart
from errorbar.reporting.charts.build import percent_top
from errorbar.reporting.model import Block, Cell, Chart, Section, Shown, Table
from errorbar.reporting.sections.figures import (
    DASH,
    count,
    ends_cell,
    estimate_cell,
    in_sentence,
    interval_heading,
    low_high,
    percent,
    plural,
    points,
    reasons,
    share,
    slug,
)
from errorbar.reporting.sections.ranking import ranks
from errorbar.studies.model import HooStudy, Study

PLAIN, BONUS = CONDITIONS
CORRECTION = MEASURES[-1]
MOST_RUNS = 25
TITLES = {PLAIN: "without bonus", BONUS: "with bonus"}


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


def by_f(scores: list[Score], condition: str = PLAIN) -> list[Score]:
    """Runs by F of correction, best first."""
    return sorted(scores, key=lambda score: -(prf(score, condition, CORRECTION).f.value or 0.0))


def _cells(figures: Prf) -> list[Cell]:
    return [cell for each in figures for cell in (estimate_cell(each), ends_cell(each.interval))]


def _scores(study: HooStudy, condition: str) -> Chart:
    ordered = by_f(list(study.scores), condition)
    ci = interval_heading(study.confidence_level)
    rows: list[list[Cell]] = [
        [score.system, measure, *_cells(prf(score, condition, measure))] for score in ordered for measure in MEASURES
    ]
    every = [each for score in ordered for measure in MEASURES for each in prf(score, condition, measure)]
    notes = ["intervals resample fragments", *reasons(every)]
    if condition == BONUS:
        notes.insert(0, "with bonus: missing optional edits count as found")
    title = f"P, R and F {TITLES[condition]}, in percent"
    columns = ["run", "measure", "P", ci, "R", ci, "F", ci]
    table = Table(f"hoo-{_word(condition)}-values", title, columns, rows, 2, notes)
    dots = [
        Dot(score.system, points(f.value), *low_high(f.interval), "", measure)
        for score in ordered[:MOST_RUNS]
        for measure in MEASURES
        for f in (prf(score, condition, measure).f,)
    ]
    best = ordered[0]
    text = f"F of {plural(len(ordered), 'run')} {TITLES[condition]}, sorted by correction. {best.system}: "
    text += ", ".join(f"{measure} {in_sentence(prf(best, condition, measure).f)}" for measure in MEASURES) + "."
    if len(ordered) > MOST_RUNS:
        text += f" The chart shows the best {MOST_RUNS} runs, the table all."
    spec = dot_chart(dots, title="F (percent)", name_title="run", series_title="measure")
    return Chart(f"hoo-{_word(condition)}", f"F {TITLES[condition]}", text, spec, table)


def _word(condition: str) -> str:
    return "bonus" if condition == BONUS else "plain"


def _best(study: HooStudy) -> Table:
    ci = interval_heading(study.confidence_level)
    rows: list[list[Cell]] = [
        [measure, TITLES[condition], team, score.system, *_cells(prf(score, condition, measure))]
        for condition, measure, team, score in best_runs(study.scores)
    ]
    columns = ["measure", "condition", "team", "run", "P", ci, "R", ci, "F", ci]
    notes = [
        "the run with the highest F of each team; picking the best of several runs flatters a team with many, and its "
        "interval does not know of it"
    ]
    return Table("hoo-best", "Best run of each team", columns, rows, 4, notes)


def _recall(study: HooStudy) -> Chart:
    runs = [score.system for score in by_f(list(study.scores)) if score.system in study.recall]
    gold = {row: counts[0] for run in runs for row, counts in study.recall[run].items()}
    names = sorted((row for row in gold if gold[row]), key=lambda row: -gold[row])
    rows: list[list[Cell]] = [
        [run, row, count(total), *(share(part / total) for part in found)]
        for run in runs
        for row in names
        for total, *found in (study.recall[run][row],)
    ]
    empty = [row for row in gold if not gold[row]]
    notes = [f"no gold edit: {', '.join(empty)}"] if empty else []
    table = Table("hoo-recall-values", "Recall by type, in percent", ["run", "type", "gold", *MEASURES], rows, 2, notes)
    cells = []
    for row in names:
        for run in runs[:MOST_RUNS]:
            total, *found = study.recall[run][row]
            value = found[-1] / total
            detail = ", ".join(
                f"{m} {percent(k / total)} ({k} of {total})" for m, k in zip(MEASURES, found, strict=True)
            )
            cells.append(HeatCell(f"{row} ({total})", run, 100 * value, f"{100 * value:.0f}", detail))
    top = percent_top([cell.value for cell in cells])
    spec = heat_chart(
        cells,
        row_title="type (gold edits)",
        column_title="run",
        value_title="correction recall (percent)",
        domain=(0, top),
    )
    first = study.recall[runs[0]][names[0]]
    text = "Recall of correction by the rows of table 8 of the HOO 2011 paper, frequent types first, for "
    text += (
        f"{plural(len(runs), 'run')}. {names[0]}, the most frequent: {runs[0]} corrects {first[-1]:,} of {first[0]:,}."
    )
    if len(runs) > MOST_RUNS:
        text += f" The chart shows the best {MOST_RUNS} runs, the table all."
    return Chart("hoo-recall", "Recall by type of error", text, spec, table)


def _variant(study: HooStudy, spec: str, scores: Sequence[Score]) -> Table:
    other = {score.system: score for score in scores}
    rows: list[list[Cell]] = []
    moved: list[str] = []
    ordered = by_f(list(study.scores))
    both = [(score, other[score.system]) for score in ordered if score.system in other]
    for measure in MEASURES:
        before = [prf(one, PLAIN, measure).f.value for one, _ in both]
        after = [prf(two, PLAIN, measure).f.value for _, two in both]
        for (one, _), a, b, rank, new in zip(both, before, after, ranks(before), ranks(after), strict=True):
            change = None if a is None or b is None else b - a
            shown = Shown(DASH if change is None else f"{100 * change:+.2f}", change)
            rows.append([one.system, measure, share(a), _rank(rank), share(b), _rank(new), shown])
            if rank != new:
                moved.append(f"{one.system} ({measure})")
    base = study.scores[0].signature.spec
    note = "no rank differs" if not moved else f"the rank differs: {', '.join(moved[:10])}"
    if len(moved) > 10:
        note += f" and {len(moved) - 10} more"
    columns = ["run", "measure", "F", "rank", "new F", "new rank", "change"]
    notes = [f"new: under {spec}", note]
    return Table(f"hoo-{slug(spec)}", f"{base} against {spec}: F without bonus, in percent", columns, rows, 2, notes)


def _rank(rank: int | None) -> Shown:
    return Shown(DASH if rank is None else str(rank), rank)
