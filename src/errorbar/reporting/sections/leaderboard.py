"""Systems of a corpus: by F with groups that do not differ significantly, by precision and recall, by other choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errorbar.core.estimate import Estimate
from errorbar.core.labels import listed
from errorbar.metrics.comparison import Comparison
from errorbar.metrics.scored import Score
from errorbar.metrics.verdicts import hopeless
from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.charts.plane import PlanePoint, plane_chart
from errorbar.reporting.sections.figures import (
    UNTESTED,
    at_ends,
    axis,
    comparable,
    drawn,
    in_percent,
    main_measure,
    over_judges,
    plural,
    ranked,
    ranks,
    slug,
    superlative,
    value_text,
)
from errorbar.reporting.sections.pairs import pair_blocks
from errorbar.stats.multiple import UNDECIDED
from errorbar.studies.model import CorpusStudy, Study
from errorbar.studies.over_judges import judge_columns, judge_lines
from errorbar.studies.score_result import measure_column
from errorbar.tables.table import Cell, Column, Table

MOST_DRAWN = 40  # systems in the chart; the table has all
OPENING = (
    "With several annotators a scorer chooses one for each sentence. The official scorers take the one that gives "
    "the best F over the corpus so far, so the result depends on the order of sentences (choose=running); "
    "choose=sentence takes the best for each sentence alone."
)


def leaderboard(study: Study) -> Section | None:
    """The leaderboard of a corpus, or None where there is no system."""
    if not isinstance(study, CorpusStudy) or not study.scores:
        return None
    blocks: list[Block] = [_chart(study)]
    if len(study.scores) > 1:
        compared = study.comparison
        if compared is None:
            blocks.append(Prose([UNTESTED]))
        else:
            blocks += pair_blocks(study, compared, _how(study, compared.found))
    same = comparable(study)
    blocks += [_other_table(spec, scores) for spec, scores in study.others.items() if spec not in same]
    return Section("leaderboard", "Leaderboard", blocks)


def _chart(study: CorpusStudy) -> Chart:
    order, groups = ranked(study), study.groups
    scores = [study.scores[k] for k in order]
    measure, main = main_measure(scores[0]), scores[0].main
    name, kind = measure.title, measure.kind
    shown = list(zip(scores, order, strict=True))[:MOST_DRAWN]
    dots = [Dot(score.system, *drawn(score[main], kind), groups[k], outer=_outer(score)) for score, k in shown]
    barred = any(dot.low is not None for dot in dots)
    text = "Best first" + "; a bar says how far the score may be from that on other texts" * barred + "."
    if any(dot.outer for dot in dots):
        text = "Best first. Thick bars: other texts, these judges; thin bars: other texts and other judges."
    if len(shown) < len(order):
        text += f" The chart shows the best {len(shown)} of them, the table all."
    if any(groups) and len(order) > 1:
        text += " Letters behind the bars: systems that share one do not differ significantly."
        if any(UNDECIDED in group for group in groups):
            text += " A question mark: no difference from some other system could have been significant."
    title = f"{name} with {100 * study.confidence_level:g}% intervals" if barred else name
    spec = dot_chart(dots, axis(measure), name_title="system")
    return Chart("leaderboard-chart", title, text, spec, _score_table(study, order, groups), open=True)


def _outer(score: Score) -> tuple[float, float] | None:
    """The ends of the interval over texts and judges, for a chart."""
    ends = over_judges(score)
    factor = 100 if main_measure(score).kind == "percent" else 1
    return None if ends is None else (factor * ends.low, factor * ends.high)


def _score_table(study: CorpusStudy, order: Sequence[int], groups: Sequence[str]) -> Table:
    """Every measure with its interval, and its counts; best first."""
    first, grouped = study.scores[0], any(groups)
    judged = judge_columns(study.scores, first.measures)
    columns = [
        Column("system"),
        *map(measure_column, first.measures),
        *(column for column, _ in judged),
        *(Column(name, "count") for name in first.counts),
    ]
    rows: list[list[Cell]] = []
    for k in order:
        score = study.scores[k]
        own = [groups[k]] if grouped else []
        rows.append(
            [
                score.system,
                *score.estimates.values(),
                *(cell(score) for _, cell in judged),
                *score.counts.values(),
                *own,
            ]
        )
    notes = []
    every = [estimate.interval for score in study.scores for estimate in score.estimates.values()]
    if any(interval is not None and interval.method.startswith("bootstrap") for interval in every):
        notes.append(f"intervals resample by {study.unit}")
    notes += judge_lines(study.scores)
    if grouped and study.comparison is not None:
        columns.append(Column("group"))
        notes += study.comparison.found.group_legend()
    return Table(columns, rows, "Scores, in percent", "scores", notes, study.confidence_level)


def _other_table(spec: str, scores: Sequence[Score]) -> Table:
    """Scores under a metric whose values cannot be set against those of the main one; best first."""
    measures = scores[0].measures
    columns = [Column("system"), *(replace(measure_column(each), interval="hidden") for each in measures)]
    rows: list[list[Cell]] = [
        [one.system, *one.estimates.values()] for one in sorted(scores, key=lambda one: one.rank_key)
    ]
    return Table(columns, rows, f"The same systems under {spec}", f"scores-{slug(spec)}", in_percent(measures))


def _how(study: CorpusStudy, comparison: Comparison) -> Prose:
    text = (
        f"Each pair of systems was {comparison.test.description(study.unit)}. Systems that share a group letter differ "
        f"by no more than chance may explain, at {comparison.test.level}. That is no proof that "
        "they are equal, and it need not be transitive: a system may share letters with two that do differ."
    )
    many = sum(pair.undecided for pair in comparison.pairs)
    if many:
        why = comparison.why_undecided(hopeless(study.unit))
        text += (
            f" {plural(many, 'pair')} of {len(comparison.pairs):,} {'is' if many == 1 else 'are'} undecided: "
            f"{why}. Their systems share no letter, and a question mark stands behind those they have."
        )
    return Prose([text])


def precision_recall(study: Study) -> Section | None:
    """The plane with contours of equal F, or None where no system has both P and R."""
    if not isinstance(study, CorpusStudy):
        return None
    every = [study.scores[k] for k in ranked(study)]
    scores = [score for score in every if {"precision", "recall", "f"} <= score.estimates.keys()]
    points = [
        PlanePoint(s.system, 100 * s.precision.value, 100 * s.recall.value, _ends(s.precision), _ends(s.recall))
        for s in scores
        if s.precision.value is not None and s.recall.value is not None
    ]
    if not points:
        return None
    beta = scores[0].beta or 1.0
    name = f"F{beta:g}"
    text = f"Further right finds more, further up is right more often; along a dashed line {name} is the same."
    measured = [s for s in scores if s.precision.undefined is None and s.recall.undefined is None]
    if measured and len(points) > 1:
        text += _leaders(measured)
    filled = [point.name for point in points if point.name not in {score.system for score in measured}]
    if filled:
        text += f" Where nothing was proposed or nothing is in the reference, a convention places {listed(filled)}."
    if len(points) < len(scores):
        text += f" {plural(len(scores) - len(points), 'system')} without a value of P or R cannot be drawn."
    columns = [Column("system"), Column("P", "percent", "precision"), Column("R", "percent", "recall")]
    rows = [(s.system, s.precision, s.recall) for s in scores]
    title = "Precision and recall, in percent"
    table = Table(columns, rows, title, "precision-recall-values", (), study.confidence_level)
    spec = plane_chart(points, beta=beta, f_name=name)
    chart = Chart("precision-recall-plane", f"Precision and recall, with lines of equal {name}", text, spec, table)
    return Section("precision-recall", "Precision and recall", [chart])


def _leaders(scores: Sequence[Score]) -> str:
    """Who has the highest precision and who the highest recall."""
    precise, _ = at_ends((s.precision.value or 0.0, s.system) for s in scores)
    complete, _ = at_ends((s.recall.value or 0.0, s.system) for s in scores)
    n, which = len(scores), superlative("higher", len(scores))
    names = [(precise, "precision"), (complete, "recall")]
    if n == 2 and 2 in (len(precise), len(complete)):  # neither is higher
        said = [f"{'the same' if len(who) == 2 else f'the {which}'} {what}" for who, what in names]
        (first, one), (second, other) = zip((precise, complete), said, strict=True)
        if len(first) == len(second):
            return f" {listed(first)} have {one} and {other}."
        verbs = ["has" if len(who) == 1 else "have" for who in (first, second)]
        return f" {listed(first)} {verbs[0]} {one}; {listed(second)} {verbs[1]} {other}."
    lead = f" {listed(precise)} {'has' if len(precise) == 1 else 'have'} the {which} precision"
    return f"{lead}{' and' if precise == complete else f', {listed(complete)}'} the {which} recall."


def _ends(estimate: Estimate) -> tuple[float, float] | None:
    ends = estimate.interval
    return None if ends is None else (100 * ends.low, 100 * ends.high)


def choices(study: Study) -> Section | None:
    """Where a choice that scorers make differently changes a rank or a digit, or None without such a choice."""
    if not isinstance(study, CorpusStudy) or not (same := comparable(study)):
        return None
    made = [_compare(study, spec, scores) for spec, scores in same.items()]
    opening = [OPENING] if len(study.annotators) > 1 and study.metric.variants() else []
    blocks: list[Block] = [Prose([*opening, *(sentence for _, sentence in made)]), *(table for table, _ in made)]
    return Section("choices", "What the choices change", blocks)


def _compare(study: CorpusStudy, spec: str, scores: Sequence[Score]) -> tuple[Table, str]:
    other = {score.system: score for score in scores}
    every = [study.scores[k] for k in ranked(study)]
    pairs = [(score, other[score.system]) for score in every if score.system in other]
    measure = main_measure(study.scores[0])
    before, after = [one[one.main].value for one, _ in pairs], [two[two.main].value for _, two in pairs]
    apart = [None if a is None or b is None else b - a for a, b in zip(before, after, strict=True)]
    old, new = ranks(before, measure.sign), ranks(after, measure.sign)
    rows: list[list[Cell]] = [
        [one.system, one[one.main], was, *two.estimates.values(), now, change]
        for (one, two), was, now, change in zip(pairs, old, new, apart, strict=True)
    ]
    columns = [
        Column("system"),
        # Intervals of the main metric stand in the leaderboard.
        replace(measure_column(measure), interval="hidden"),
        Column("rank", "count"),
        *(Column(f"new {one.title}", one.kind, f"new_{one.name}", interval="hidden") for one in scores[0].measures),
        Column("new rank", "count"),
        Column("change", measure.kind, signed=True),
    ]
    values = zip(before, after, strict=True)
    n_changed = sum(value_text(a, measure.kind) != value_text(b, measure.kind) for a, b in values)
    moved = [one.system for (one, _), rank, then in zip(pairs, old, new, strict=True) if rank != then]
    most = max((abs(each) for each in apart if each is not None), default=None)
    name, base = measure.title.rstrip("0123456789."), study.scores[0].metric
    sentence = f"{spec} in place of {base} changes no digit of {name} that is shown, and no rank."
    if n_changed:
        size = "" if most is None else f", by up to {value_text(most, measure.kind)} points"
        what_rank = f"and the rank of {listed(moved)}" if moved else "and no rank"
        whose = f"{plural(n_changed, 'system')} of {len(pairs)}"
        sentence = f"{spec} in place of {base} changes {name} of {whose}{size}, {what_rank}."
    notes = [f"new: under {spec}", f"rank: 1 is the best {name}; equal values share it"]
    return Table(columns, rows, f"{base} against {spec}, in percent", f"choice-{slug(spec)}", notes), sentence
