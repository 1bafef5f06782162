"""Systems by F, with intervals and groups that do not differ significantly; every pair beside it."""

from __future__ import annotations

from errorbar.core.estimate import Undefined
from errorbar.metrics.comparison import Comparison, Pair
from errorbar.reporting.charts import Dot, dot_chart
from errorbar.reporting.model import Block, Cell, Chart, Prose, Section, Shown, Table
from errorbar.reporting.pairs import (
    ADJUSTED,
    PAIR_NOTES,
    group_legend,
    hopeless,
    level_text,
    pair_columns,
    pair_texts,
    why_not,
)
from errorbar.reporting.sections.figures import (
    count,
    ends_cell,
    estimate_cell,
    f_name,
    in_sentence,
    interval_heading,
    low_high,
    plural,
    points,
    reasons,
)
from errorbar.reporting.sections.ranking import ranked
from errorbar.stats.letters import UNDECIDED
from errorbar.studies.model import CorpusStudy, Study

MOST_DRAWN = 40
"""Systems in the chart; the table has all."""
MOST_PAIRS = 105
"""Pairs in the table (15 systems); of more, those with the best system."""


def leaderboard(study: Study) -> Section | None:
    """The leaderboard of a corpus, or None where there is no system."""
    if not isinstance(study, CorpusStudy) or not study.scores:
        return None
    blocks: list[Block] = [_chart(study)]
    if study.comparison is not None and len(study.scores) > 1:
        blocks += [_how(study, study.comparison), _pairs(study, study.comparison)]
    elif len(study.scores) > 1:
        blocks.append(
            Prose(["The systems were not compared with a test, so nothing here says which differences are real."])
        )
    return Section("leaderboard", "Leaderboard", blocks)


def score_table(study: CorpusStudy) -> Table:
    """P, R and F with intervals, as ``errorbar score --ci`` prints them, best first."""
    ci = interval_heading(study.confidence_level)
    columns = ["system", "P", ci, "R", ci, f_name(study.scores[0].beta), ci, "correct", "proposed", "gold"]
    grouped = any(study.groups)
    rows: list[list[Cell]] = []
    for k in ranked(study):
        score = study.scores[k]
        cells: list[Cell] = [score.system]
        for estimate in (score.precision, score.recall, score.f):
            cells += [estimate_cell(estimate), ends_cell(estimate.interval)]
        cells += [count(score.counts.correct), count(score.counts.proposed), count(score.counts.gold)]
        rows.append([*cells, *([Shown(study.groups[k], float(len(rows)))] if grouped else [])])
    every = [e for score in study.scores for e in (score.precision, score.recall, score.f)]
    notes = reasons(every)
    if any(e.interval is not None and e.interval.method.startswith("bootstrap") for e in every):
        notes.append(f"intervals resample by {study.unit}")
    if grouped and study.comparison is not None:
        notes += group_legend(study.comparison, _alpha(study))
    return Table("scores", "Scores, in percent", [*columns, *(["group"] if grouped else [])], rows, 1, notes)


def _chart(study: CorpusStudy) -> Chart:
    order = ranked(study)
    shown = order[:MOST_DRAWN]
    name = f_name(study.scores[0].beta)
    dots = []
    for k in shown:
        score = study.scores[k]
        low, high = low_high(score.f.interval)
        dots.append(Dot(score.system, points(score.f.value), low, high, study.groups[k] if study.groups else ""))
    best, last = study.scores[order[0]], study.scores[order[-1]]
    text = f"{name} of {plural(len(order), 'system')} as points with intervals as bars, best first. "
    text += f"{best.system}: {in_sentence(best.f)}"
    text += f"; last, {last.system}: {in_sentence(last.f)}." if len(order) > 1 else "."
    if len(shown) < len(order):
        text += f" The chart shows the best {len(shown)} of them, the table all."
    if any(study.groups) and len(order) > 1:
        text += " Letters behind the bars: systems that share one do not differ significantly."
        if any(UNDECIDED in group for group in study.groups):
            text += " A question mark: no difference from some other system could have been significant."
    spec = dot_chart(dots, title=f"{name} (percent)", name_title="system")
    title = f"{name} with {100 * study.confidence_level:g}% intervals"
    return Chart("leaderboard-chart", title, text, spec, score_table(study))


def _how(study: CorpusStudy, found: Comparison) -> Prose:
    alpha = _alpha(study)
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
    pairs = found.pairs
    notes = list(PAIR_NOTES)
    if len(pairs) > MOST_PAIRS:
        best = study.scores[ranked(study)[0]].system
        notes.append(f"only pairs with {best}, the system with the highest F, of all {len(pairs):,} pairs")
        pairs = tuple(pair for pair in pairs if best in (pair.first, pair.second))
    alpha = _alpha(study)
    rows = [_pair(pair, alpha) for pair in pairs]
    notes += [f"– {why}" for why in dict.fromkeys(map(why_not, pairs)) if why]
    columns = pair_columns(found, study.confidence_level)
    return Table("pairs", "Every pair of systems", columns, rows, 2, notes)


def _pair(pair: Pair, alpha: float) -> list[Cell]:
    """The texts of a pair with the numbers that columns are sorted by."""
    low = None if isinstance(pair.interval, Undefined) else pair.interval.low
    values = (pair.difference, low, pair.test.p_value, pair.p_adjusted, None, pair.power.detectable, pair.power.power)
    first, second, *texts = pair_texts(pair, alpha)
    shown: list[Cell] = [Shown(text, value) for text, value in zip(texts, values, strict=True)]
    shown[4] = texts[4]  # a word
    return [first, second, *shown]


def _alpha(study: CorpusStudy) -> float:
    return 1 - study.confidence_level
