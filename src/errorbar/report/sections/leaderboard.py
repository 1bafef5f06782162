"""Systems by F, with intervals and groups that cannot be told apart; every pair beside it."""

from __future__ import annotations

from errorbar.core.estimate import Undefined
from errorbar.metrics.comparison import Pair
from errorbar.report.charts import Dot, dot_chart
from errorbar.report.model import Block, Cell, Chart, Prose, Section, Shown, Table
from errorbar.report.sections.figures import (
    DASH,
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
from errorbar.report.sections.ranking import ranked
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
        blocks += [_how(study), _pairs(study)]
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
    if grouped:
        notes.append(f"systems that share a group letter cannot be told apart at the {_alpha(study):.2g} level")
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
        text += " Letters behind the bars: systems that share one cannot be told apart."
    spec = dot_chart(dots, title=f"{name} (percent)", name_title="system")
    title = f"{name} with {100 * study.confidence_level:g}% intervals"
    return Chart("leaderboard-chart", title, text, spec, score_table(study))


def _how(study: CorpusStudy) -> Prose:
    return Prose(
        [
            f"Each pair of systems was compared by swapping their output at random, {study.unit} by {study.unit}; "
            "p-values are adjusted for the number of pairs (Holm). Systems that share a group letter differ by no more "
            f"than chance may explain, at the {_alpha(study):.2g} level. That is no proof that they are equal, and it "
            "need not be transitive: a system may share letters with two that do differ."
        ]
    )


def _pairs(study: CorpusStudy) -> Table:
    assert study.comparison is not None
    pairs = study.comparison.pairs
    notes = [
        "F diff: F of the first less F of the second, in points",
        "detectable: the difference in points of F that such a corpus shows with 80% power; power at 1: how often it "
        "shows a difference of one point",
    ]
    if len(pairs) > MOST_PAIRS:
        best = study.scores[ranked(study)[0]].system
        notes.append(f"only pairs with {best}, the system with the highest F, of all {len(pairs):,} pairs")
        pairs = tuple(pair for pair in pairs if best in (pair.first, pair.second))
    rows = [_pair(pair) for pair in pairs]
    missing = dict.fromkeys(
        str(why)
        for p in pairs
        for why in (p.test.undefined, p.interval if isinstance(p.interval, Undefined) else None, p.power.undefined)
        if why
    )
    notes += [f"– {why}" for why in missing]
    ci = interval_heading(study.confidence_level)
    columns = ["first", "second", "F diff", ci, "p", "p (Holm)", "detectable", "power at 1"]
    return Table("pairs", "Every pair of systems", columns, rows, 2, notes)


def _pair(pair: Pair) -> list[Cell]:
    interval, power, detectable = pair.interval, pair.power.power, pair.power.detectable
    ends = Shown(DASH)
    if not isinstance(interval, Undefined):
        ends = Shown(f"{100 * interval.low:+.2f} to {100 * interval.high:+.2f}", interval.low)
    p = DASH if pair.test.p_value is None else f"{pair.test.p_value:.4f}"
    adjusted = DASH if pair.p_adjusted is None else f"{pair.p_adjusted:.4f}"
    return [
        pair.first,
        pair.second,
        Shown(f"{100 * pair.difference:+.2f}", pair.difference),
        ends,
        Shown(p + (" exact" if pair.test.exact else ""), pair.test.p_value),
        Shown(adjusted, pair.p_adjusted),
        Shown(DASH if detectable is None else f"{100 * detectable:.2f}", detectable),
        Shown(DASH if power is None else f"{100 * power:.0f}%", power),
    ]


def _alpha(study: CorpusStudy) -> float:
    return 1 - study.confidence_level
