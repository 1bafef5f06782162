"""Annotators and raters: how far they agree, what they score under the same metric, and how near systems come.

Beside them: what references that were made for systems change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from errorbar.agreement.report import TITLES, AgreementReport
from errorbar.api.ceiling import CeilingResult
from errorbar.api.corpus_results import CorpusStudy, CrowdStudy, Study
from errorbar.api.paper import TITLE
from errorbar.api.pools import pool_ceiling_table, pool_comparison_tables, pool_tables
from errorbar.api.references import MOST_TURNED, ReferencesResult
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate, Undefined, value_or_none
from errorbar.metrics.ceiling import Ceiling, CeilingIntervals, Row
from errorbar.metrics.golds import OWN
from errorbar.reporting.blocks import Block, Chart, Prose, Section, Spec
from errorbar.reporting.charts.plane import MOST_COLORED, LinePoint, line_chart
from errorbar.reporting.charts.rows import Dot, HeatCell, RowNames, dot_chart, heat_chart
from errorbar.reporting.charts.vega import Axis, Ends
from errorbar.reporting.sections.figures import (
    as_sentence,
    axis,
    count_noun,
    find_extremes,
    human_text,
    phrase_estimate,
    scale_estimate,
)
from errorbar.tables.table import DASH, Cell, Column, Kind, Table, percent

MOST_RATERS = 25  # raters in the matrix; the table has every pair


def pools(study: Study) -> Section | None:
    """Systems, humans and agreement in pools of judges, or None where there are no pools."""
    if not isinstance(study, CorpusStudy) or not any(score.pools for score in study.scores):
        return None
    about = "Judges who belong together make a pool. Every interval below says which pool it speaks for."
    tables = pool_tables(study.scores)
    if study.comparison is not None and study.comparison.pools is not None:
        tables += pool_comparison_tables(study.comparison.pools)[1:]
    if study.ceiling is not None and study.ceiling.pools is not None:
        tables.append(pool_ceiling_table(study.ceiling.pools, study.confidence_level))
    if study.agreement is not None and study.agreement.pools:
        tables.append(study.agreement.pool_table())
    blocks: list[Block] = [Prose([about])]
    names, told = [score.system for score in study.scores], list[str]()
    for number, table in enumerate(tables):
        blocks += [
            replace(table, name=f"pools-{number}", notes=()),
            Prose([as_sentence(note, names) for note in table.notes if note not in told]),
        ]
        told += table.notes
    return Section("pools", "Pools of judges", blocks)


def agreement(study: Study) -> Section | None:
    """Coefficients and the matrix of pairs, or None where there is one annotator only."""
    if not isinstance(study, CorpusStudy | CrowdStudy) or study.agreement is None:
        return None
    report, level = study.agreement.report, study.confidence_level
    who = "annotators" if isinstance(study, CorpusStudy) else "raters"
    blocks: list[Block] = [_coefficients(report, level)]
    if len(report.pairwise) > 1:
        blocks.append(_matrix(report, who, level))
    of = " Every token is a question: is it in an edit?" if isinstance(study, CorpusStudy) else ""
    shares = ", ".join(f"{label} {percent(value)}%" for label, value in report.prevalence.items())
    facts = (
        f"{report.n_items:,} items, {report.n_raters} {who}, {report.n_judgments:,} judgments, {report.n_missing:,} "
        f"missing.{of} Shares of the labels: {shares}."
    )
    blocks.append(Prose([facts, *map(as_sentence, report.remarks)]))
    return Section("agreement", f"How far {who} agree", blocks)


def _coefficients(report: AgreementReport, level: float) -> Chart:
    named = {title: report.coefficients[key] for key, title in TITLES.items() if key in report.coefficients}
    specific = {f"specific agreement: {label}": estimate for label, estimate in report.specific.items()}
    columns = [Column("coefficient"), Column("value", "number", interval="beside")]
    rows = [*named.items(), *specific.items()]
    table = Table(columns, rows, "Coefficients of agreement", "agreement-coefficients", (), level)
    text = "1 is perfect agreement and 0 is chance level (except for observed agreement)."
    dots = [Dot(title, *scale_estimate(estimate, "number")) for title, estimate in named.items()]
    spec = dot_chart(dots, Axis("coefficient", "number"), top=1.0)
    return Chart("agreement-chart", "Coefficients of agreement", text, spec, table)


def _sentence(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.undefined})" if estimate.undefined else "undefined"
    ends = estimate.interval
    return f"{estimate.value:.4f}" + ("" if ends is None else f" ({ends.low:.4f} to {ends.high:.4f})")


def _matrix(report: AgreementReport, who: str, level: float) -> Chart:
    singular = who.removesuffix("s")
    names = list(dict.fromkeys(name for pair in report.pairwise for name in pair.table.raters))
    kappas = {pair.table.raters: pair.kappa.estimate for pair in report.pairwise}
    shown = names[:MOST_RATERS]
    cells = []
    for k, row in enumerate(shown[1:], 1):
        for column in shown[:k]:
            estimate = kappas.get((row, column)) or kappas.get((column, row))
            value = None if estimate is None else estimate.value
            text = DASH if value is None else f"{value:.2f}"
            cells.append(HeatCell(row, column, value, text, "" if estimate is None else _sentence(estimate)))
    known = sorted((e.value, pair) for pair, e in kappas.items() if e.value is not None)
    text = f"Each cell is a pair of {who}; colors run from the pair that agrees least to the one that agrees most."
    if len({value for value, _ in known}) > 1:
        most, least = find_extremes((value, f"{first} and {second}") for value, (first, second) in known)
        first = f"{who.capitalize()} {most[0]}" if len(most) == 1 else f"{len(most)} pairs"
        last = f", {least[0]} least" if len(least) == 1 else f"; {len(least)} other pairs agree least"
        text += f" {first} agree most{last}."
    elif not known:
        text = "No pair has a value."
    if len(shown) < len(names):
        text += f" The chart shows the first {len(shown)} of {len(names)}, the table every pair."
    ends = [value for value, _ in known] or [0.0]
    domain = (floor(20 * ends[0]) / 20, max(ceil(20 * ends[-1]), floor(20 * ends[0]) + 1) / 20)
    spec = heat_chart(cells, RowNames(singular), column_title="and", value_title="Cohen's kappa", domain=domain)
    rows = [(*p.table.raters, p.table.n_items, p.kappa.observed, p.kappa.estimate) for p in report.pairwise]
    columns = [Column("first"), Column("second"), Column("items", "count"), Column("observed", "number")]
    columns.append(Column("Cohen's kappa", "number", "kappa", interval="beside"))
    table = Table(columns, rows, f"Every pair of {who}", "agreement-pairs", (), level)
    return Chart("agreement-matrix", f"Cohen's kappa of every pair of {who}", text, spec, table)


HUMAN = "human"
MOST_SYSTEMS = 40


class Curve(NamedTuple):
    """A name, and a value for each number of references."""

    name: str
    estimates: Sequence[Estimate]
    judged: Row | None = None  # intervals over texts and judges, or why there are none

    def point(self, k: int, kind: Kind) -> tuple[float | None, float | None, float | None, Ends | None]:
        """A value and the ends of its intervals, for a chart."""
        outer = None
        if self.judged is not None:
            _, *ends = scale_estimate(self.estimates[k].with_interval(self.judged[k]), kind)
            outer = (ends[0], ends[1]) if ends[0] is not None and ends[1] is not None else None
        return *scale_estimate(self.estimates[k], kind), outer


def ceiling(study: Study) -> Section | None:
    """The curves, or None where there is one annotator only."""
    if not isinstance(study, CorpusStudy) or study.ceiling is None:
        return None
    result = study.ceiling
    blocks: list[Block] = [_prose(result), _scores(result)]
    if result.found.systems:
        blocks.append(_ratios(result))
    return Section("ceiling", "How far from a human", blocks)


def _prose(result: CeilingResult) -> Prose:
    by_size, bare = result.found, ""
    if result.intervals is None:
        bare = " No intervals were computed; they are made on request."
    elif result.why_none is not None:
        bare = f" There are no intervals: {result.why_none}."
    else:
        if result.judged is not None:
            bare = " Thick bars: other texts, these judges; thin bars: other texts and other judges."
        if Undefined.ON_REQUEST in result.intervals.human:
            bare += f" Intervals are at {by_size.sizes[-1]} references; those at fewer are made on request."
    n_references = count_noun(by_size.sizes[-1], "reference")
    human = f"Against {n_references} a human scores {by_size.measures[by_size.main].title} {human_text(result)}."
    some = "" if all(by_size.exact) else " Where there are too many subsets, as many as the table says were drawn."
    text = (
        f"Each of the {len(by_size.annotators)} annotators' own corrected text is scored like a system's against every "
        f"subset of the others, and each system against subsets of the same size."
        f"{_growth_sentence(by_size)}{_leave_out_sentence(by_size)}{some}{bare}"
    )
    return Prose([human, text])


def _is_rising(by_size: Ceiling) -> bool:
    """True if more references raise the main measure of somebody and lower nobody's, as far as tables show it.

    It holds where references are pooled or the best is chosen, and not of GLEU, which averages over them.
    """
    curves = [by_size.human[:, by_size.main], *by_size.scores[:, :, by_size.main]]
    steps = np.diff(np.round(np.stack(curves), 4), axis=1)
    return bool((steps > 0).any() and not (steps < 0).any())


def _growth_sentence(by_size: Ceiling) -> str:
    """Why scores with different numbers of references do not compare."""
    why = "More references raise scores" if _is_rising(by_size) else "Scores change with the number of references"
    return f" {why}, so only scores against the same number of references can be compared."


def _leave_out_sentence(by_size: Ceiling) -> str:
    """Why there is a reference fewer here than in the leaderboard."""
    n = len(by_size.annotators)
    if by_size.sizes[-1] != n - 1 or not by_size.systems:
        return ""
    others = f"the other {n - 1}" if n > 2 else "the other one"
    return (
        f" A human is scored against {others}, never against their own corrections: so systems are scored against at "
        f"most {count_noun(n - 1, 'reference')} here, and their scores are not those of the leaderboard, where all {n} "
        "annotators are references."
    )


def _curve(result: CeilingResult, name: str, values: Floats, of: Callable[[CeilingIntervals], Row]) -> Curve:
    over, judged = (None if ends is None else of(ends) for ends in (result.intervals, result.judged))
    estimates = [Estimate(value_or_none(value), 0) for value in values.tolist()]
    if over is not None:
        estimates = [estimate.with_interval(ends) for estimate, ends in zip(estimates, over, strict=True)]
    return Curve(name, estimates, judged)


def _system_curves(
    result: CeilingResult, values: Floats, of: Callable[[CeilingIntervals], Sequence[Row]]
) -> list[Curve]:
    """A curve of each system, the best first."""
    names = result.found.systems
    return [_curve(result, names[s], values[s], partial(_nth, of, s)) for s in _order_systems(result.found)]


def _nth(of: Callable[[CeilingIntervals], Sequence[Row]], s: int, over: CeilingIntervals) -> Row:
    return of(over)[s]


def _order_systems(by_size: Ceiling) -> list[int]:
    main, sign = by_size.main, by_size.measures[by_size.main].sign
    return sorted(range(len(by_size.systems)), key=lambda s: -sign * float(by_size.scores[s, -1, main]))


def _table(result: CeilingResult, column: Column, name: str, curves: Sequence[Curve], notes: list[str]) -> Table:
    columns, by_size = [Column("references")], result.found
    for curve in curves:
        columns.append(column._replace(title=curve.name, key=curve.name))
        if curve.judged is not None:
            columns.append(Column(TITLE, column.kind, f"{curve.name}_judges", interval="only"))
    rows: list[list[Cell]] = []
    for k, (size, n, exact) in enumerate(zip(by_size.sizes, by_size.n_subsets, by_size.exact, strict=True)):
        row: list[Cell] = [f"{size} ({count_noun(n, 'subset')}{'' if exact else ' drawn'})"]
        for curve in curves:
            row += [curve.estimates[k], *([] if curve.judged is None else [curve.judged[k]])]
        rows.append(row)
    return Table(columns, rows, column.title, name, [*notes, *result.interval_notes()])


def _scores(result: CeilingResult) -> Chart:
    by_size, measure = result.found, result.found.measures[result.found.main]
    name, main = measure.title, by_size.main
    curves = [_curve(result, HUMAN, by_size.human[:, main], lambda over: over.human)]
    curves += _system_curves(result, by_size.scores[:, :, main], lambda over: over.systems)
    unit = " percent" if measure.kind == "percent" else ""
    text = "A human scored like a system, against the others."
    if len(by_size.sizes) > 1:
        why = (
            "More references raise the curves" if _is_rising(by_size) else "Scores change with the number of references"
        )
        text = f"{why}: compare curves only at the same number of references."
    if by_size.systems:
        best, last = max(measure.sign * by_size.scores[:, -1, main]), measure.sign * by_size.human[-1, main]
        text += " The gap to the human line is what a system could still gain"
        text += "." if best >= last or len(by_size.systems) == 1 else f"; {curves[1].name} comes closest."
    notes = [f"{name}{' in' * bool(unit)}{unit}: mean over annotators and subsets"]
    table = _table(result, Column(f"{name} of humans and systems", measure.kind), "ceiling-scores", curves, notes)
    spec = _draw_curves(by_size, curves, axis(measure), human=HUMAN)
    title = f"{name} of humans and systems by number of references"
    return Chart("ceiling-curves", title, text + _cut_sentence(len(by_size.systems)), spec, table)


def _ratios(result: CeilingResult) -> Chart:
    by_size, curves = result.found, _system_curves(result, result.found.ratio, lambda over: over.ratios)
    name = by_size.measures[by_size.main].title.rstrip("0123456789.")
    text = (
        f"{name} of a system as a share of what a human scores against the same number of references: 100 is a human."
    )
    if len(by_size.sizes) > 1:
        text += " A flat curve is a share that does not depend on how many references there are."
    text += _cut_sentence(len(curves))
    notes = [f"system {name} over human {name} against the same number of references, in percent"]
    notes += by_size.ratio_notes()
    column = Column(f"System {name} over human {name}, in percent", "percent")
    table = _table(result, column, "ceiling-ratios", curves, notes)
    spec = _draw_curves(by_size, curves, Axis(f"share of human {name} (percent)"), guide=100.0)
    return Chart("ceiling-ratio", "How much of what a human scores", text, spec, table)


def _draw_curves(
    by_size: Ceiling, curves: Sequence[Curve], y: Axis, *, human: str = "", guide: float | None = None
) -> Spec:
    """Curves by number of references; rows where there is only one number."""
    shown = curves[: MOST_SYSTEMS + 1]
    if len(by_size.sizes) == 1:
        dots = [
            Dot(curve.name, value, low, high, outer=outer)
            for curve in shown
            for value, low, high, outer in [curve.point(0, y.kind)]
        ]
        alone = Axis(f"{y.title}, {count_noun(by_size.sizes[0], 'reference')}", y.kind)
        return dot_chart(dots, alone, name_title="who")
    points = [
        LinePoint(curve.name, size, *curve.point(k, y.kind)) for curve in shown for k, size in enumerate(by_size.sizes)
    ]
    return line_chart(points, Axis("references", "count"), y, human=human, guide=guide)


def _cut_sentence(n: int) -> str:
    """A sentence on what a chart of many systems leaves out; empty where it shows all."""
    text = f" The chart shows the best {MOST_SYSTEMS} of {n} systems, the table all." if n > MOST_SYSTEMS else ""
    return f"{text} The best {MOST_COLORED} have colors, the others are gray." if n > MOST_COLORED else text


ABOUT = (
    "An editor changed each system's output, as little as possible, until it was right. Against that reference of its "
    "own a system gets every valid correction counted, also those that no annotator made. The change is that of the "
    "score beside the annotators' references, on the same sentences."
)
AHEAD = (
    "Who is ahead is tested here over texts, with these references; the tests of the leaderboard may be over other "
    "judges as well, and then find fewer differences."
)


def references(study: Study) -> Section | None:
    """The section on own references, or None where there are none."""
    if not isinstance(study, CorpusStudy) or study.references is None:
        return None
    result = study.references
    turned = result.sentences()
    table, *others = result.tables()
    n_told = min(len(turned), MOST_TURNED + 1)  # the sentences, and how many more there are, open the notes
    table = replace(table, name="references-golds", notes=table.notes[n_told:])
    others = [replace(other, name=f"references-{other.name}") for other in others]
    prose = [ABOUT, *turned[:MOST_TURNED]]
    if len(turned) > MOST_TURNED:
        prose.append(_further(len(turned) - MOST_TURNED))
    prose += [AHEAD] * bool(turned)
    blocks: list[Block] = [Prose(prose), table, *others]
    return Section("references", "References made for the systems", blocks)


def references_sentence(result: ReferencesResult) -> str:
    """The sentence of the summary: who is ahead under one gold alone, or the score of one system; empty: not known."""
    own, sentences = [score for score in result.scores if score.gold == OWN], result.sentences()
    if len(own) == 1:
        measure = result.metric.measures[result.metric.main]
        value = phrase_estimate(own[0].estimates[measure.name], measure.kind)
        return f"Against references of its own {own[0].system} scores {measure.title} {value}."
    if not any(pair.is_known for pair in result.pairs):
        return ""
    if not sentences:
        return "Against references of their own no two systems change places, as far as differences are significant."
    return f"{sentences[0]} {_further(len(sentences) - 1)}" if len(sentences) > 1 else sentences[0]


def _further(n: int) -> str:
    return f"For {count_noun(n, 'more pair')}, too, it depends on the references who is significantly ahead."
