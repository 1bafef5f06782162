"""Systems of a corpus: the leaderboard, their pairs, precision and recall, other choices of scorers, and attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan
from typing import Final, Literal

from errorbar.api.attack import AttackRanking, AttackResult, rank_text
from errorbar.api.compare import ComparisonResult
from errorbar.api.corpus_results import CorpusStudy, Study
from errorbar.api.paper import TITLE, editors_line, judge_columns, judge_lines
from errorbar.api.score_result import measure_column
from errorbar.api.significance import pair_table
from errorbar.core.estimate import Estimate, Interval
from errorbar.core.labels import format_count, join_words
from errorbar.core.problems import Problem
from errorbar.metrics.comparison import LEAST_TEXTS, Comparison, Pair, PairResult, hopeless
from errorbar.metrics.scores import Score
from errorbar.reporting.blocks import Block, Card, Chart, Fold, Matrix, PairCell, Prose, Section, Spec
from errorbar.reporting.charts.plane import PlanePoint, plane_chart
from errorbar.reporting.charts.rows import Dot, dot_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import (
    MOST_NAMED,
    UNTESTED,
    HumanShare,
    as_sentence,
    axis,
    comparable_scores,
    count_noun,
    find_extremes,
    human_share,
    human_text,
    judges_interval,
    main_measure,
    percent_note,
    rank_systems,
    ranks,
    scale_estimate,
    slug,
    superlative,
    value_text,
)
from errorbar.stats.multiple import UNDECIDED_MARK
from errorbar.tables.table import Cell, Column, Table, cell_text, interval_text, p_text

MOST_PAIRS = 105  # pairs in matrix and table (15 systems); of more, the best systems and those with the best
MOST_SYSTEMS = 15
Look = Literal["significant", "not", "undecided", "none"]
LOOKS: Final[Mapping[PairResult, tuple[Look, str]]] = {
    "significant": ("significant", "significant"),
    "not significant": ("not", "n.s."),
    "undecided": ("undecided", "undecided"),
    "score alike": ("none", "same"),
    "not comparable": ("none", "no value"),
}
"""The look of a cell, and the word in it, for each result."""


def pair_blocks(study: CorpusStudy, compared: ComparisonResult, how: Prose) -> list[Block]:
    """The blocks on pairs of systems; ``how`` says how they were compared."""
    comparison, apart = compared.found, why_apart(compared)
    more = [Prose(apart)] if apart else []
    if len(comparison.pairs) == 1:
        return [
            Prose([pair_sentence(compared), *apart]),
            how,
            Fold("The same pair in a table", _table(study, comparison)),
        ]
    label = "The same pairs in a table, with every p-value and with what the corpus can show"
    return [how, _matrix(compared), *more, Fold(label, _table(study, comparison))]


def _table(study: CorpusStudy, comparison: Comparison) -> Table:
    level, swaps_in = study.confidence_level, "in JSON, CSV and, on a page, the matrix of pairs"
    if len(comparison.pairs) <= MOST_PAIRS:
        return pair_table(comparison, level, swaps_in=swaps_in)
    best = _order(study.comparison)[0] if study.comparison is not None else comparison.names[0]
    shown = [pair for pair in comparison.pairs if best in (pair.first, pair.second)]
    table = pair_table(comparison, level, shown, swaps_in=swaps_in)
    note = f"only pairs with {best}, the best system, of all {len(comparison.pairs):,} pairs"
    return replace(table, notes=[*table.notes, note])


def _order(compared: ComparisonResult) -> list[str]:
    """The systems, the best first, by what the pairs are about."""
    return [row.name for row in compared.ranking()]


def _matrix(compared: ComparisonResult) -> Matrix:
    comparison, order = compared.found, _order(compared)
    pairs = {frozenset((pair.first, pair.second)): pair for pair in comparison.pairs}
    shown = order[:MOST_SYSTEMS] if len(comparison.pairs) > MOST_PAIRS else order
    cells = {pair: _cell(compared, pair[0], pairs[frozenset(pair)]) for pair in combinations(shown, 2)}
    measure = comparison.measure
    name = measure.title.rstrip("0123456789.")
    points = ", in points" if measure.kind == "percent" else ""
    words = {cell.verdict for cell in cells.values()}
    over = f"{comparison.test.name} over all {len(comparison.pairs):,} pairs"
    marks = [f"significant, on a shade: at {comparison.test.level} ({over})"]
    marks += ["n.s.: not significant"] if "n.s." in words else []
    marks += ["undecided: no difference could have been significant"] if "undecided" in words else []
    marks += ["same: the two score alike everywhere"] if "same" in words else []
    notes = [
        f"{name} of the row's system minus {name} of the column's{points}; the best system has the first row.",
        f"{'; '.join(marks)}. Interval and p-value of a pair show where the pointer or the focus is; arrow keys move.",
    ]
    if len(shown) < len(order):
        notes.append(f"The best {len(shown)} of {len(order):,} systems.")
    return Matrix(f"Every pair of systems: differences of {measure.title}", "pair-matrix", shown, cells, notes)


def _cell(compared: ComparisonResult, row: str, pair: Pair) -> PairCell:
    verdict = pair.verdict
    look, word = LOOKS[verdict.result]
    column = Column("", compared.found.measure.kind, signed=True)
    turned = pair.first != row
    value = -verdict.difference if turned else verdict.difference
    facts = {
        f"{100 * ends.confidence_level:g}% interval{over}": interval_text(_turn_interval(ends, turned), column)
        for over, ends in _ends(pair).items()
    }
    facts |= {f"p ({test})": text for test, text in _p_values(pair).items()}
    if not facts and (why := pair.why_missing()):
        facts["no interval and no p-value"] = why
    other = pair.first if turned else pair.second
    return PairCell(
        cell_text(value, column), look, word, {"of": f"{row} minus {other}", "the test says": verdict.result, **facts}
    )


def _turn_interval(ends: Interval, turned: bool) -> Interval:
    return ends._replace(low=-ends.high, high=-ends.low) if turned else ends


def _ends(pair: Pair) -> dict[str, Interval]:
    """The intervals of a difference, by what they are over; that needs no word where it is texts alone."""
    intervals = {"texts": pair.interval, pair.test.over_text: pair.verdict.interval}
    known = {over: ends for over, ends in intervals.items() if isinstance(ends, Interval)}
    return {f" over {over}" * (len(intervals) > 1): ends for over, ends in known.items()}


def _p_values(pair: Pair) -> dict[str, str]:
    """The adjusted p-values of a pair by their tests, the one that decides first."""
    verdict, test = pair.verdict, pair.test
    decides = {} if verdict.p is None else {test.name: p_text(verdict.p, at_most=verdict.at_floor)}
    swaps = {} if pair.p_swaps is None else {test.swaps_name: p_text(pair.p_swaps, at_most=pair.swaps.at_floor)}
    return decides | swaps


def pair_sentence(compared: ComparisonResult) -> str:
    """The difference of two systems, its intervals, the p-value that decides, and the conclusion, in a sentence."""
    comparison = compared.found
    (pair,) = comparison.pairs
    measure, value = comparison.measure, pair.verdict.difference
    conclusion = pair.sentence(compared.unit, measure.sign)
    if isnan(value):
        return f"{conclusion}."
    turned = value < 0
    row, other = (pair.second, pair.first) if turned else (pair.first, pair.second)
    column = Column("", measure.kind, signed=True)
    size = cell_text(abs(value), column._replace(signed=False))
    unit = " points" if measure.kind == "percent" else ""
    intervals = [f"{interval_text(_turn_interval(ends, turned), column)}{over}" for over, ends in _ends(pair).items()]
    level = f"{100 * compared.confidence:g}% interval{'s' * (len(intervals) > 1)} of the difference "
    beside = [level + " and ".join(intervals)] if intervals else []
    beside += [
        f"p {'' if text.startswith('≤') else '= '}{text} by {test}" for test, text in list(_p_values(pair).items())[:1]
    ]
    behind = f" ({'; '.join(beside)})" if beside else ""
    if not value:
        return f"{measure.title} of {row} is that of {other}{behind}. {conclusion}."
    return f"{measure.title} of {row} is {size}{unit} higher than that of {other}{behind}. {conclusion}."


def why_apart(compared: ComparisonResult) -> list[str]:
    """For each way in which an interval of a difference and the test disagree, a sentence that says why."""
    apart: dict[str, list[Pair]] = {}
    for pair in compared.pairs:
        if reason := _reason(pair):
            apart.setdefault(reason, []).append(pair)
    return [_sentence(compared, reason, pairs) for reason, pairs in apart.items()]


def _reason(pair: Pair) -> str:
    """Why an interval and the test disagree; empty where they do not."""
    verdict, test = pair.verdict, pair.test
    if verdict.result not in ("significant", "not significant"):
        return ""
    leaves_out_0 = [ends.low > 0 or ends.high < 0 for ends in _ends(pair).values()]
    if all(excludes_0 == pair.significant for excludes_0 in leaves_out_0):
        return ""
    if pair.significant:
        return "kept" if test.by_t else "swaps reject"
    ends = verdict.interval
    rejects = not test.by_t or (isinstance(ends, Interval) and (ends.low > 0 or ends.high < 0))
    if rejects and verdict.p_unadjusted is not None and verdict.p_unadjusted <= test.alpha:
        return "adjusted"
    if rejects and verdict.rule == "larger":
        return "few"
    return "narrow" if test.by_t else "resampled"


def _sentence(compared: ComparisonResult, reason: str, pairs: Sequence[Pair]) -> str:
    test = compared.found.test
    over = test.over_text
    interval = f"{100 * compared.confidence:g}% interval of the difference"
    why = {
        "adjusted": f"the {interval}{f' over {over}' * test.by_t} leaves out 0, yet the test does not "
        f"reject: the interval is of one pair alone, and the test is adjusted for {compared.found.adjusted_for}, since "
        "among so many some interval leaves out 0 by chance",
        "few": f"the {interval} over {over} leaves out 0, yet the test does not reject: of fewer than "
        f"{LEAST_TEXTS} texts it rejects only where swaps of the two outputs do so too",
        "narrow": f"the {interval} over texts leaves out 0, yet the test does not reject: that interval "
        f"takes the {test.others} as they are, and the test asks what other {test.others} would give too",
        "kept": f"the {interval} over texts holds 0, yet the test rejects: that interval takes the "
        f"{test.others} as they are, and the test, over {over}, estimates how the two vary in another way",
        "resampled": f"the {interval} leaves out 0, yet the test does not reject: the interval draws "
        "texts anew, the test swaps the outputs of the two; with few texts such intervals are too short; the test "
        "decides",
        "swaps reject": f"the {interval} holds 0, yet the test rejects: the interval draws texts "
        "anew, the test swaps the outputs of the two; where it is close they need not agree, and the test decides",
    }[reason]
    if len(compared.pairs) == 1:
        return as_sentence(why)
    names = [f"{pair.first} and {pair.second}" for pair in pairs[:MOST_NAMED]]
    names += [f"{len(pairs) - MOST_NAMED:,} more"] if len(pairs) > MOST_NAMED else []
    which = names[0] if len(pairs) == 1 else f"{len(pairs):,} pairs ({'; '.join(names)})"
    return f"Of {which} {why}."


SCORES_CHART = "leaderboard-chart"
MOST_ON_CARD = 7  # systems on the share card, which is often shown small
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
    blocks: list[Block] = [*_share_charts(study), _chart(study)]
    if len(study.scores) > 1:
        compared = study.comparison
        if compared is None:
            blocks.append(Prose([UNTESTED]))
        else:
            blocks += pair_blocks(study, compared, _method_prose(study, compared.found))
    same = comparable_scores(study)
    blocks += [_other_table(spec, scores) for spec, scores in study.others.items() if spec not in same]
    return Section("leaderboard", "Leaderboard", blocks)


def _chart(study: CorpusStudy) -> Chart:
    order, groups = rank_systems(study), study.groups
    scores = [study.scores[k] for k in order]
    measure = main_measure(scores[0])
    name = measure.title
    shown = list(zip(scores, order, strict=True))[:MOST_DRAWN]
    dots = [_score_dot(study, k, groups[k]) for _, k in shown]
    barred = any(dot.low is not None for dot in dots)
    who = "editors" if study.editors else "judges"
    bars = _bars_text(wider=any(dot.outer for dot in dots), barred=barred, who=who)
    text = f"Best first. {bars}".rstrip()
    if len(shown) < len(order):
        text += f" The chart shows the best {len(shown)} of them, the table all."
    if any(groups) and len(order) > 1:
        text += " Letters behind the bars: systems that share one do not differ significantly."
        if any(UNDECIDED_MARK in group for group in groups):
            text += " A question mark: no difference from some other system could have been significant."
    title = f"{name} with {100 * study.confidence_level:g}% intervals" if barred else name
    spec = dot_chart(dots, axis(measure), name_title="system")
    warned = {name: "; ".join(note.what for note in notes) for name, notes in _warned(study).items()}
    table = _score_table(study, order, groups)
    return Chart(SCORES_CHART, title, text, spec, table, open=True, warned=warned)


def _warned(study: CorpusStudy) -> dict[str, list[Problem]]:
    """The warnings on each system that has some, the best first."""
    names = [study.scores[k].system for k in rank_systems(study)]
    warnings = [note for note in study.notes if note.kind == "warning"]
    notes = {name: [note for note in warnings if note.place.file == name] for name in names}
    return {name: own for name, own in notes.items() if own}


def _score_dot(study: CorpusStudy, k: int, group: str = "") -> Dot:
    score = study.scores[k]
    own = scale_estimate(score[score.main], main_measure(score).kind)
    return Dot(score.system, *own, group, outer=outer_ends(score))


def _shares(study: CorpusStudy) -> dict[str, HumanShare]:
    """The share of a human of each system, the best first; empty where nothing shows what a human scores."""
    order = [study.scores[k].system for k in rank_systems(study)]
    shares = {name: share for name in order if (share := human_share(study, name)) is not None}
    best = next(iter(shares.values()), None)
    return {} if best is None or best.lower_is_better or best.is_unclear else shares


def _share_charts(study: CorpusStudy) -> list[Chart]:
    """The systems on a scale on which a human is 100; none where nothing shows what a human scores."""
    shares = _shares(study)
    if study.ceiling is None or not shares:
        return []
    references, name = format_count(study.ceiling.found.sizes[-1], "references"), main_measure(study.scores[0]).title
    text = f"What each system scores as a share of what a person scores, {name} against {references} each. "
    text += f"The line is a person, {name} {human_text(study.ceiling)}: the mean of the annotators, each scored "
    text += "against the others."
    judged = any(share.wider for share in shares.values())
    bars = _bars_text(wider=judged, barred=any(share.ends for share in shares.values()))
    text += f" {bars}" * bool(bars)
    columns = [Column("system"), Column("share of a person", "percent", "share")]
    columns += [Column(TITLE, "percent", "share_judges", interval="only")] * judged
    rows: list[list[Cell]] = [["a person", Estimate(1.0, study.n_sentences), *[None] * judged]]
    for system, share in shares.items():
        estimate = Estimate(share.value, study.n_sentences, share.ends)
        rows.append([system, estimate, *[share.wider] * judged])
    title = "How near systems come to a person"
    table = Table(columns, rows, f"{title}, in percent", "human-share-values", (), study.confidence_level)
    return [Chart("human-share", f"{title}: a person is 100", text, _share_spec(shares, name, MOST_DRAWN), table)]


def _share_spec(shares: Mapping[str, HumanShare], name: str, most: int) -> Spec:
    """A row for a person and one for each of the best systems, ``most`` of them."""
    dots = [Dot("a person", 100.0, role="human")]
    for system, share in list(shares.items())[:most]:
        low, high = _percent_ends(share.ends) or (None, None)
        dots.append(Dot(system, 100 * share.value, low, high, outer=_percent_ends(share.wider)))
    title = f"share of a person's {name} (percent){_best_text(most, len(shares))}"
    return dot_chart(dots, Axis(title), name_title="who", guide=100.0)


def _best_text(most: int, n: int) -> str:
    return f", best {most} of {n:,} systems" if n > most else ""


def card_chart(study: Study) -> Card | None:
    """The leaderboard of the share card: shares of a person where there are some, else scores; few rows."""
    if not isinstance(study, CorpusStudy) or not study.scores:
        return None
    measure = main_measure(study.scores[0])
    if shares := _shares(study):
        best = list(shares.values())[:MOST_ON_CARD]
        wider, barred = any(share.wider for share in best), any(share.ends for share in best)
        return Card(_share_spec(shares, measure.title, MOST_ON_CARD), _bars_text(wider=wider, barred=barred))
    order = rank_systems(study)
    own = axis(measure)
    title = f"{own.title}{_best_text(MOST_ON_CARD, len(order))}"
    dots = [_score_dot(study, k) for k in order[:MOST_ON_CARD]]
    bars = _bars_text(
        wider=any(dot.outer for dot in dots),
        barred=any(dot.low is not None for dot in dots),
        who="editors" if study.editors else "judges",
    )
    return Card(dot_chart(dots, own._replace(title=title), name_title="system"), bars)


def _bars_text(*, wider: bool, barred: bool, who: str = "judges") -> str:
    """What bars around values say; empty where there are none."""
    if wider:
        return f"Thick bars: other texts, these {who}; thin bars: other texts and other {who}."
    return "A bar says how far a value may be from that on other texts." if barred else ""


def _percent_ends(ends: Interval | None) -> tuple[float, float] | None:
    return None if ends is None else (100 * ends.low, 100 * ends.high)


def outer_ends(score: Score) -> tuple[float, float] | None:
    """The ends of the interval over texts and judges, for a chart."""
    ends = judges_interval(score)
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
    notes += [*judge_lines(study.scores), *([editors_line(study.editors)] if study.editors else [])]
    if len({score.counts.get("gold") for score in study.scores}) > 1:
        notes.append("gold: edits of the annotators that a system is scored against, chosen for it in each sentence")
    if warned := _warned(study):
        named = [f"{name} ({', '.join(dict.fromkeys(note.code for note in own))})" for name, own in warned.items()]
        notes.append(f"\u26a0\ufe0e there are warnings on {join_words(named)}: see Warnings and repairs")
    if grouped and study.comparison is not None:
        columns.append(Column("group"))
        notes += study.comparison.found.group_legend()
    return Table(columns, rows, "Scores, in percent", "scores", notes, study.confidence_level)


def _other_table(spec: str, scores: Sequence[Score]) -> Table:
    """Scores under a metric whose values cannot be set against those of the main one; best first."""
    measures = scores[0].measures
    columns = [Column("system"), *(measure_column(measure)._replace(interval="hidden") for measure in measures)]
    rows: list[list[Cell]] = [
        [score.system, *score.estimates.values()] for score in sorted(scores, key=lambda score: score.rank_key)
    ]
    return Table(columns, rows, f"The same systems under {spec}", f"scores-{slug(spec)}", percent_note(measures))


def _method_prose(study: CorpusStudy, comparison: Comparison) -> Prose:
    text = (
        f"Each pair of systems was {comparison.test.description(study.unit)} Systems that share a group letter differ "
        f"by no more than chance may explain, at {comparison.test.level}. That is no proof that "
        "they are equal, and it need not be transitive: a system may share letters with two that do differ."
    )
    many = sum(pair.undecided for pair in comparison.pairs)
    if many:
        why = comparison.why_undecided(hopeless(study.unit))
        text += (
            f" {count_noun(many, 'pair')} of {len(comparison.pairs):,} {'is' if many == 1 else 'are'} undecided: "
            f"{why}. Their systems share no letter, and a question mark stands behind those they have."
        )
    return Prose([text])


def precision_recall(study: Study) -> Section | None:
    """The plane with contours of equal F, or None where no system has both P and R."""
    if not isinstance(study, CorpusStudy):
        return None
    every = [study.scores[k] for k in rank_systems(study)]
    scores = [score for score in every if {"precision", "recall", "f"} <= score.estimates.keys()]
    points = [
        PlanePoint(s.system, 100 * s.precision.value, 100 * s.recall.value, _bounds(s.precision), _bounds(s.recall))
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
        text += f" Where nothing was proposed or nothing is in the reference, a convention places {join_words(filled)}."
    if len(points) < len(scores):
        text += f" {count_noun(len(scores) - len(points), 'system')} without a value of P or R cannot be drawn."
    columns = [Column("system"), Column("P", "percent", "precision"), Column("R", "percent", "recall")]
    rows = [(s.system, s.precision, s.recall) for s in scores]
    title = "Precision and recall, in percent"
    table = Table(columns, rows, title, "precision-recall-values", (), study.confidence_level)
    spec = plane_chart(points, beta=beta, f_name=name)
    chart = Chart("precision-recall-plane", f"Precision and recall, with lines of equal {name}", text, spec, table)
    return Section("precision-recall", "Precision and recall", [chart])


def _leaders(scores: Sequence[Score]) -> str:
    """A sentence on the systems with the highest precision and the highest recall."""
    precise, _ = find_extremes((s.precision.value or 0.0, s.system) for s in scores)
    complete, _ = find_extremes((s.recall.value or 0.0, s.system) for s in scores)
    n, which = len(scores), superlative("higher", len(scores))
    names = [(precise, "precision"), (complete, "recall")]
    if n == 2 and 2 in (len(precise), len(complete)):  # neither is higher
        claims = [f"{'the same' if len(who) == 2 else f'the {which}'} {measure}" for who, measure in names]
        (first, first_claim), (second, second_claim) = zip((precise, complete), claims, strict=True)
        if len(first) == len(second):
            return f" {join_words(first)} have {first_claim} and {second_claim}."
        verbs = ["has" if len(who) == 1 else "have" for who in (first, second)]
        return f" {join_words(first)} {verbs[0]} {first_claim}; {join_words(second)} {verbs[1]} {second_claim}."
    lead = f" {join_words(precise)} {'has' if len(precise) == 1 else 'have'} the {which} precision"
    return f"{lead}{' and' if precise == complete else f', {join_words(complete)}'} the {which} recall."


def _bounds(estimate: Estimate) -> tuple[float, float] | None:
    return _percent_ends(estimate.interval)


def choices(study: Study) -> Section | None:
    """The ranks and digits that change where scorers choose differently, or None without such a choice."""
    if not isinstance(study, CorpusStudy) or not (same := comparable_scores(study)):
        return None
    comparisons = [_compare(study, spec, scores) for spec, scores in same.items()]
    opening = [OPENING] if len(study.annotators) > 1 and study.metric.variants() else []
    blocks: list[Block] = [
        Prose([*opening, *(sentence for _, sentence in comparisons)]),
        *(table for table, _ in comparisons),
    ]
    return Section("choices", "What the choices change", blocks)


def _compare(study: CorpusStudy, spec: str, scores: Sequence[Score]) -> tuple[Table, str]:
    other = {score.system: score for score in scores}
    every = [study.scores[k] for k in rank_systems(study)]
    pairs = [(score, other[score.system]) for score in every if score.system in other]
    measure = main_measure(study.scores[0])
    before, after = (
        [score[score.main].value for score, _ in pairs],
        [other_score[other_score.main].value for _, other_score in pairs],
    )
    apart = [None if a is None or b is None else b - a for a, b in zip(before, after, strict=True)]
    old, new = ranks(before, measure.sign), ranks(after, measure.sign)
    rows: list[list[Cell]] = [
        [score.system, score[score.main], was, *other_score.estimates.values(), now, change]
        for (score, other_score), was, now, change in zip(pairs, old, new, apart, strict=True)
    ]
    columns = [
        Column("system"),
        # Intervals of the main metric stand in the leaderboard.
        measure_column(measure)._replace(interval="hidden"),
        Column("rank", "count"),
        *(Column(f"new {own.title}", own.kind, f"new_{own.name}", interval="hidden") for own in scores[0].measures),
        Column("new rank", "count"),
        Column("change", measure.kind, signed=True),
    ]
    values = zip(before, after, strict=True)
    n_changed = sum(value_text(a, measure.kind) != value_text(b, measure.kind) for a, b in values)
    moved = [score.system for (score, _), rank, then in zip(pairs, old, new, strict=True) if rank != then]
    most = max((abs(change) for change in apart if change is not None), default=None)
    name, base = measure.title.rstrip("0123456789."), study.scores[0].metric
    sentence = f"{spec} in place of {base} changes no digit of {name} that is shown, and no rank."
    if n_changed:
        size = "" if most is None else f", by up to {value_text(most, measure.kind)} points"
        what_rank = f"and the rank of {join_words(moved)}" if moved else "and no rank"
        whose = f"{count_noun(n_changed, 'system')} of {len(pairs)}"
        sentence = f"{spec} in place of {base} changes {name} of {whose}{size}, {what_rank}."
    notes = [f"new: under {spec}", f"rank: 1 is the best {name}; equal values share it"]
    return Table(columns, rows, f"{base} against {spec}, in percent", f"choice-{slug(spec)}", notes), sentence


MOST_ATTACKED = 30
ABOUT = (
    "Attacks are systems that nobody would want, made of the corpus itself. Each is ranked alone among the systems of "
    "this page; where one ranks high, the metric can be satisfied without correcting well."
)


def attack(study: Study) -> Section | None:
    """A chart of the main metric, a table of each further one; None where no attack was made."""
    if not isinstance(study, CorpusStudy) or study.attacked is None:
        return None
    attacks = study.attacked
    main, *others = attacks.rankings
    blocks: list[Block] = [Prose([ABOUT, *attacks.summaries()]), _attack_chart(attacks, main)]
    for number, under in enumerate(others):
        blocks.append(_attack_table(attacks, under, f"attacks-{number + 2}"))
    return Section("attacks", "Attacks on the metric", blocks)


def _attack_table(attacks: AttackResult, under: AttackRanking, name: str) -> Table:
    """The attacks under a metric: first those that see no reference, then those that know where errors are."""
    table = attacks.table(under, name, described=True)
    knows = next(at for at, column in enumerate(table.columns) if column.title == "knows")
    rows = sorted(table.rows, key=lambda row: ("nothing", "where", "answers").index(str(row[knows])))
    order = "first those that see no reference, then those that know where errors are, then the annotators' own texts"
    return replace(table, rows=rows, notes=[*percent_note([under.measure]), order, *table.notes])


def _attack_chart(attacks: AttackResult, under: AttackRanking) -> Chart:
    kind, sign = under.measure.kind, under.measure.sign
    known = [system for system in under.systems if system.estimate.value is not None]
    systems = sorted(known, key=lambda system: -sign * (system.estimate.value or 0.0))
    knows = {attack.name: attack.knows for attack in attacks.attacks}
    ranked = [system for system in under.best_first if system.rank is not None]
    told = [system.attack.name for system in ranked if knows[system.attack.name] == "answers"]
    dots = [Dot(system.name, *scale_estimate(system.estimate, kind)) for system in systems[:MOST_ATTACKED]]
    for system in ranked:
        if system.attack.name in told[1:]:
            continue  # of those that hand in what they are scored against the highest one stands for all
        own, note = scale_estimate(system.attack.estimate, kind), rank_text(system, under)
        dots.append(Dot(f"{system.attack.name} (attack)", *own, note=note, role="attack"))
    dots.sort(key=lambda dot: -sign * (dot.value or 0.0))
    text = (
        "Best first; diamonds are attacks, and behind each stands its place among the systems. An attack above systems "
    )
    text += "is one that the metric prefers to their corrections."
    if len(told) > 1:
        text += f" {told[0]} is the highest of {len(told)} that know the answers; the table has all."
    if len(systems) > MOST_ATTACKED:
        text += f" The chart shows the best {MOST_ATTACKED} of {len(systems)} systems."
    table = _attack_table(attacks, under, "attacks-table")
    title = f"{under.measure.title} of attacks among the systems"
    return Chart("attacks-chart", title, text, dot_chart(dots, axis(under.measure), name_title="who"), table)
