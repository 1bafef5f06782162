"""Systems by F, with intervals and groups that do not differ significantly; every pair beside it."""

from __future__ import annotations

from dataclasses import replace

from errorbar.metrics.comparison import Comparison
from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.sections.figures import axis, drawn, in_sentence, plural
from errorbar.reporting.sections.ranking import main_measure, ranked
from errorbar.stats.letters import UNDECIDED
from errorbar.studies.model import CorpusStudy, Study
from errorbar.studies.score_result import measure_column
from errorbar.studies.significance import ADJUSTED, group_legend, hopeless, level_text, pair_table
from errorbar.tables.table import Cell, Column, Table

MOST_DRAWN = 40
"""Systems in the chart; the table has all."""
MOST_PAIRS = 105
"""Pairs in the table (15 systems); of more, those with the best system."""
UNTESTED = "The systems were not compared with a test, so nothing here says which differences are real."


def leaderboard(study: Study) -> Section | None:
    """The leaderboard of a corpus, or None where there is no system."""
    if not isinstance(study, CorpusStudy) or not study.scores:
        return None
    blocks: list[Block] = [_chart(study)]
    if len(study.scores) > 1:
        compared = study.comparison
        blocks += [Prose([UNTESTED])] if compared is None else _tested(study, compared.found)
    return Section("leaderboard", "Leaderboard", blocks)


def score_table(study: CorpusStudy) -> Table:
    """Every measure with its interval, and its counts; best first."""
    first = study.scores[0]
    counts = [Column(name, "count") for name in first.counts]
    columns = [Column("system"), *map(measure_column, first.measures), *counts]
    grouped = any(study.groups)
    rows: list[list[Cell]] = []
    for k in ranked(study):
        score = study.scores[k]
        rows.append([score.system, *score.estimates.values(), *score.counts.values()])
        rows[-1] += [study.groups[k]] if grouped else []
    notes = []
    every = [estimate.interval for score in study.scores for estimate in score.estimates.values()]
    if any(interval is not None and interval.method.startswith("bootstrap") for interval in every):
        notes.append(f"intervals resample by {study.unit}")
    if grouped and study.comparison is not None:
        notes += group_legend(study.comparison.found, 1 - study.confidence_level)
    return Table(
        [*columns, *([Column("group")] if grouped else [])],
        rows,
        "Scores, in percent",
        "scores",
        notes,
        study.confidence_level,
    )


def _chart(study: CorpusStudy) -> Chart:
    order = ranked(study)
    shown = order[:MOST_DRAWN]
    measure = main_measure(study.scores[0])
    name, kind = measure.title, measure.kind
    dots = [
        Dot(score.system, *drawn(score[score.main], kind), study.groups[k] if study.groups else "")
        for k in shown
        for score in (study.scores[k],)
    ]
    best, last = study.scores[order[0]], study.scores[order[-1]]
    text = f"{name} of {plural(len(order), 'system')} as points with intervals as bars, best first. "
    text += f"{best.system}: {in_sentence(best[best.main], kind)}"
    text += f"; last, {last.system}: {in_sentence(last[last.main], kind)}." if len(order) > 1 else "."
    if len(shown) < len(order):
        text += f" The chart shows the best {len(shown)} of them, the table all."
    if any(study.groups) and len(order) > 1:
        text += " Letters behind the bars: systems that share one do not differ significantly."
        if any(UNDECIDED in group for group in study.groups):
            text += " A question mark: no difference from some other system could have been significant."
    spec = dot_chart(dots, axis(measure), name_title="system")
    title = f"{name} with {100 * study.confidence_level:g}% intervals"
    return Chart("leaderboard-chart", title, text, spec, score_table(study))


def _tested(study: CorpusStudy, found: Comparison) -> list[Block]:
    return [_how(study, found), _pairs(study, found)]


def _how(study: CorpusStudy, found: Comparison) -> Prose:
    alpha = 1 - study.confidence_level
    text = (
        f"Each pair of systems was compared by swapping their output at random, {study.unit} by {study.unit}; "
        f"p-values are adjusted for the number of pairs ({ADJUSTED[found.testing.adjust]}). Systems that share a group "
        f"letter differ by no more than chance may explain, at the {level_text(alpha)} level. That is no proof that "
        "they are equal, and it need not be transitive: a system may share letters with two that do differ."
    )
    many = sum(pair.undecided(alpha) for pair in found.pairs)
    if many:
        text += (
            f" {plural(many, 'pair')} of {len(found.pairs):,} {'is' if many == 1 else 'are'} undecided: "
            f"{hopeless(study.unit)}. Their systems share no letter, and a question mark stands behind those they have."
        )
    return Prose([text])


def _pairs(study: CorpusStudy, found: Comparison) -> Table:
    if len(found.pairs) <= MOST_PAIRS:
        return pair_table(found, study.confidence_level)
    best = study.scores[ranked(study)[0]].system
    table = pair_table(
        found, study.confidence_level, [pair for pair in found.pairs if best in (pair.first, pair.second)]
    )
    note = f"only pairs with {best}, the best system, of all {len(found.pairs):,} pairs"
    return replace(table, notes=[*table.notes, note])
