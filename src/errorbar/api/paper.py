"""Text that goes into a paper: a sentence, the caption of the table, and what to say of the judges.

Conventions
    Of several systems the sentence of scores is about the best, that of a comparison about the first two of the
    ranking. One decimal of percent, three of other measures; more where a difference, or an end of its interval, is
    not 0 and would read so. Of the intervals the widest is given, over texts and judges where judges are random, or why
    there is none. What only the author knows stands in square brackets.
Source
    docs/paper.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Literal, NamedTuple

from errorbar.core.estimate import Estimate, Interval, Undefined, value_or_none
from errorbar.core.labels import format_count, join_words
from errorbar.core.problems import visible
from errorbar.core.spec import split_spec
from errorbar.metrics.base import Measure
from errorbar.metrics.scores import JudgedScore, Score, signature_lines
from errorbar.tables.plain import attributes, interval_record
from errorbar.tables.table import Cell, Column, p_text
from errorbar.version import __version__

if TYPE_CHECKING:
    from errorbar.metrics.comparison import Comparison
    from errorbar.metrics.judges import JudgeRule, JudgeSets
    from errorbar.stats.two_way import TwoWay


TITLE = "texts+judges"
"""Heading of intervals over both."""
RUNS_TITLE = "texts+runs"
"""Heading of intervals over texts and runs, where judges are fixed."""


def judge_columns(scores: Sequence[Score], measures: Sequence[Measure]) -> list[tuple[Column, Callable[[Score], Cell]]]:
    """Columns of intervals over texts and judges: people see that of the measure that ranks systems."""
    known = [score.judges for score in scores if score.judges is not None]
    if not known:
        return []
    mains = {score.main for score in scores}
    several = not all(judged.sets.whole for judged in known)
    beside: Literal["beside", "only"] = "beside" if several else "only"
    columns: list[tuple[Column, Callable[[Score], Cell]]] = []
    for measure in measures:

        def cell(score: Score, name: str = measure.name) -> Cell:
            if score.judges is None or name not in score.judges.measures:
                return None
            estimate = score.judges.measures[name].estimate
            return estimate if several else estimate.interval_or_reason

        rule = known[0].sets.rule
        title = f"{measure.title}, {judges_text(rule)}" if several else heading(rule)
        only: Literal["", "data"] = "" if measure.name in mains else "data"
        columns.append((Column(title, measure.kind, f"{measure.name}_judges", interval=beside, only=only), cell))
    return columns


def judges_text(rule: JudgeRule) -> str:
    """``2 judges``: how many a set has."""
    return f"{rule.k} {rule.who}{'s' * (rule.k > 1)}"


def heading(rule: JudgeRule) -> str:
    """``texts+judges``, or ``texts+editors``: what the wider intervals are over."""
    return TITLE if rule.who == "judge" else f"texts+{rule.who}s"


def sets_column(measure: Measure, rule: JudgeRule) -> Column:
    """The column of values against sets of judges that are not all of them."""
    return Column(f"{measure.title}, {judges_text(rule)}", measure.kind, f"{measure.name}_judges")


def judge_lines(scores: Sequence[Score]) -> list[str]:
    """The lines that say what the two intervals are, one for each way; none without intervals."""
    known = [score for score in scores if any(estimate.interval is not None for estimate in score.estimates.values())]
    rules = {score.judges.sets.rule: score for score in known if score.judges is not None}
    return list(dict.fromkeys(judge_line(rule, level_of(score)) for rule, score in rules.items()))


def editors_line(editors: Mapping[str, int]) -> str:
    """The line on references that were made for each system, by how many editors."""
    numbers = set(editors.values())
    if len(numbers) == 1:
        by = f"by {format_count(max(numbers), 'editors')} each"
    else:
        by = ", ".join(f"{system} by {format_count(n, 'editors')}" for system, n in editors.items())
    single = "; one editor does not show how editors vary: numbers hold for these, who need not be equally strict"
    return f"references were made for each system of its own output, {by}{single * (1 in numbers)}"


def level_of(score: Score) -> float:
    """The confidence level of a score's intervals."""
    levels = (
        estimate.interval.confidence_level for estimate in score.estimates.values() if estimate.interval is not None
    )
    return next(levels, 0.95)


def judge_line(rule: JudgeRule, level: float) -> str:
    """The line that says what the two intervals are."""
    how = "" if rule.population is None else f", leaning on how {rule.population.described} vary"
    label = f"{heading(rule)}:" if rule.k == rule.n_judges else f"{judges_text(rule)}: against any {rule.k} of them,"
    return f"{100 * level:g}% CI: other texts, {_these(rule)}; {label} other texts and other {rule.who}s{how}"


def _these(rule: JudgeRule) -> str:
    if rule.who == "editor":  # of whom another system may have others
        return "these editors"
    return "this judge" if rule.n_judges == 1 else f"these {rule.n_judges} judges"


def runs_line(level: float) -> str:
    """The line that says what the two intervals are where judges are fixed and a system has several runs."""
    return f"{100 * level:g}% CI: other texts, these runs; {RUNS_TITLE}: other texts and other runs, these judges"


def run_variances_record(components: TwoWay | None) -> dict[str, object]:
    """The components over texts and runs, as fractions squared; all None where they are not known."""
    if components is None:
        return dict.fromkeys(("variance_texts", "variance_runs", "df"))
    return {"variance_texts": components.texts, "variance_runs": components.runs, "df": components.df}


def judges_record(judged: JudgedScore) -> dict[str, object]:
    """The score with judges drawn anew, as JSON has it."""
    measures = {
        name: {
            "value": joint.estimate.value,
            "interval": interval_record(joint.estimate),
            **variances_record(joint.components),
            "variance_judges_unbiased": joint.unbiased,
        }
        for name, joint in judged.measures.items()
    }
    return {**sets_record(judged.sets), "measures": measures}


def sets_record(sets: JudgeSets) -> dict[str, object]:
    """How judges are drawn anew, as JSON has it."""
    rule = sets.rule
    population = None if rule.population is None else rule.population.name
    drawn = attributes(sets, "groups", "n_sets", "exact")
    return {**attributes(rule, "k", "n_judges"), "population": population, **drawn}


def variances_record(components: TwoWay | None) -> dict[str, object]:
    """The components of a variance, as fractions squared; all None where they are not known."""
    if components is None:
        return dict.fromkeys(("variance_texts", "variance_judges", "variance_both", "df"))
    return {
        "variance_texts": components.texts,
        "variance_judges": components.judges,
        "variance_both": value_or_none(components.both),
        **({"variance_runs": components.runs} if components.runs else {}),
        "df": components.df,
    }


def run_columns(scores: Sequence[Score], measures: Sequence[Measure]) -> list[tuple[Column, Callable[[Score], Cell]]]:
    """Intervals over runs where judges are fixed, how many runs there are, and how they vary; none of single runs."""
    several = [score for score in scores if score.runs]
    if not several:
        return []
    mains = {score.main for score in several}
    columns: list[tuple[Column, Callable[[Score], Cell]]] = []
    for measure in measures if any(score.over_runs is not None for score in several) else ():
        title = RUNS_TITLE if len(mains) == 1 else f"{measure.title}, {RUNS_TITLE}"
        only: Literal["", "data"] = "" if measure.name in mains else "data"
        column = Column(title, measure.kind, f"{measure.name}_runs", interval="only", only=only)

        def cell(score: Score, name: str = measure.name) -> Cell:
            known = None if score.over_runs is None else score.over_runs.get(name)
            return None if known is None else known.estimate.interval_or_reason

        columns.append((column, cell))
    main = next(measure for measure in several[0].measures if measure.name == several[0].main)
    return [
        *columns,
        (Column("runs", "count"), lambda score: max(1, len(score.runs))),
        (Column("SD of runs", main.kind, f"{main.name}_runs_sd"), lambda score: score.run_deviation(score.main)),
    ]


def run_lines(scores: Sequence[Score]) -> list[str]:
    """The line that says what a score of several runs is."""
    several = next((score for score in scores if score.runs), None)
    if several is None:
        return []
    parts = ["scores of systems with several runs are means over them"]
    if several.over_runs is not None:
        return [*parts, runs_line(level_of(several))]
    if several.has_intervals:
        parts.append(f"{100 * level_of(several):g}% CI: these runs")
    if any(score.judges is not None for score in scores):
        parts.append(f"{TITLE}: other runs, too")
    return ["; ".join(parts)]


def runs_record(score: Score) -> dict[str, object]:
    """The runs of a system, as JSON has them: deviations and values are fractions."""
    names = list(score.estimates)
    record: dict[str, object] = {
        "n_runs": len(score.runs),
        "standard_deviation": {name: score.run_deviation(name) for name in names},
        "scores": [
            {"run": run.system, **{name: run.estimates[name].value for name in names}, **run.counts}
            for run in score.runs
        ],
    }
    if score.over_runs is not None:
        record["measures"] = {
            name: {
                "value": joint.estimate.value,
                "interval": interval_record(joint.estimate),
                **run_variances_record(joint.components),
            }
            for name, joint in score.over_runs.items()
        }
    return record


NAMES = {"m2": "MaxMatch", "errant": "ERRANT", "gleu": "GLEU", "hoo": "HOO", "tokens": "tokens called wrong"}
"""Metrics as papers call them; any other is called by its spec."""
WHO = "[who they are, and what guidelines they followed]"
MOST_DIGITS = 4


class PaperText(NamedTuple):
    """Text for a paper; ``print`` shows all of it.

    Attributes:
        sentences: The number with its interval, of a comparison the test too; a sentence for each metric.
        captions: A caption for each table.
        judges: What to say of the judges.
    """

    sentences: tuple[str, ...]
    captions: tuple[str, ...]
    judges: str

    def __str__(self) -> str:
        """A line for each sentence and caption, and one on the judges."""
        parts = [*(("sentence", text) for text in self.sentences), *(("caption", text) for text in self.captions)]
        return "\n".join(f"{name}: {visible(text)}" for name, text in [*parts, ("judges", self.judges)])


class ScoredData(NamedTuple):
    """The data that systems were scored on, and the metric, as a caption names them."""

    metric: str  # the spec; of recorded scores their name, which can be any text
    n_units: int
    n_documents: int | None  # None: not known, or each unit is its own
    n_annotators: int
    unit: str = "sentence"
    editors: tuple[int, ...] = ()  # how many each system has, where references were made for each; empty: one gold

    @classmethod
    def of(cls, score: Score) -> ScoredData:
        """That of a score."""
        n_documents = score.estimate.n_clusters
        known = None if n_documents == score.n_units else n_documents
        n = len(score.annotators)
        return cls(score.metric, score.n_units, known, n, score.unit, (n,) if score.own else ())

    @property
    def recorded(self) -> bool:
        """Whether there are scores without a reference, and not a reference at which nobody looked."""
        return not self.n_annotators and self.n_units > 0

    @property
    def metric_name(self) -> str:
        """``MaxMatch``, or ``MaxMatch, m2(beta=1)``; of recorded scores their name."""
        if self.recorded:
            return self.metric
        name, parameters = split_spec(self.metric)
        if name not in NAMES:
            return self.metric
        return f"{NAMES[name]}, {self.metric}" if parameters else NAMES[name]

    @property
    def annotators(self) -> str:
        """``3 annotators``; of HOO data, whose annotators worked as one, ``the gold edits``."""
        if self.editors and min(self.editors) < max(self.editors):
            return f"{min(self.editors)} to {max(self.editors)} editors"
        if self.unit == "fragment":
            return "the gold edits"
        return format_count(self.n_annotators, "editors" if self.editors else "annotators")

    @property
    def size(self) -> str:
        """``63 sentences in 6 documents``."""
        where = "" if self.n_documents is None else f" in {format_count(self.n_documents, 'documents')}"
        return format_count(self.n_units, f"{self.unit}s") + where

    def caption(self, measures: Sequence[Measure], n_systems: int, metrics: str = "") -> str:
        """The caption of a table: ``P, R and F0.5 in percent (MaxMatch) of 2 systems against 3 annotators on ...``."""
        titles = join_words(list(dict.fromkeys(measure.title for measure in measures)))
        percent = " in percent" * all(measure.kind == "percent" for measure in measures)
        metric = metrics or self.metric_name
        named = f" ({metric})" if metric != titles else ""
        against = f"against {self.annotators}" if not self.recorded else "by recorded scores"
        if self.editors:
            against = f"against references made of its own output by {self.annotators}"
        data = f"{format_count(n_systems, 'systems')}{', each' * bool(self.editors)} {against} on {self.size}"
        text = f"{titles}{percent}{named} of {data}"
        lower = [measure.title for measure in measures if measure.better == "lower"]
        return f"{text}. Of {join_words(lower)}, lower is better" if lower else text

    def judges(self, sets: JudgeSets | None, corrected: str = "Each output was") -> str:
        """The words for the judges, who were drawn anew in sets, or fixed; ``corrected``: what editors corrected."""
        if self.unit == "fragment":
            return f"The gold edits are by [how many] annotators {WHO}, who worked as one: how they vary is not known."
        if not self.n_annotators:
            recorded = "The scores were recorded by [the package and its version, the model and its revision]."
            return recorded if self.recorded else "No annotator looked at any of the texts."
        single = self.n_annotators == 1
        who, judges = ("editor", "editors") if self.editors else ("annotator", "judges")
        text = f"The reference{' is' if single else 's are'} by {self.annotators} {WHO}"
        if self.editors:
            text = f"{corrected} corrected, as little as possible, by {self.annotators} {WHO}"
        if sets is None and single:
            return f"{text}: nothing is known of how others would have {'corrected it' if self.editors else 'judged'}."
        if sets is None:
            return f"{text}. All numbers are for these {who}s; they say nothing of others."
        text += f". Intervals and tests over texts and {judges} hold for other {who}s of this kind, too."
        population = sets.rule.population
        if sets.rule.shows_judges and population is None:
            return text
        text += f" One {who} does not show" if single else f" So few {who}s show only roughly"
        leaning = "" if population is None else f": intervals lean on how {population.described} vary"
        return f"{text} how {who}s vary{leaning}."


def scores_for_paper(tables: Sequence[tuple[Sequence[Score], Sequence[Measure]]]) -> PaperText:
    """The text of scores: of those of each table, with the measures that it shows."""
    scores = [score for group, _ in tables for score in group]
    specs = dict.fromkeys(score.metric for score in scores)
    sentences = [_score_sentence([score for score in scores if score.metric == spec]) for spec in specs]
    judges = dict.fromkeys(ScoredData.of(score).judges(_sets(score), *_corrected(score, scores)) for score in scores)
    captions = [_score_caption(group, measures) for group, measures in tables]
    return PaperText(tuple(sentences), tuple(captions), " ".join(judges))


def comparison_for_paper(comparison: Comparison, data: ScoredData, unit: str, signature: str) -> PaperText:
    """The text of a comparison, in which documents or sentences (``unit``) were swapped and resampled."""
    legend = [f"{line[0].upper()}{line[1:]}" for line in comparison.group_legend()]
    lines = [data.caption(comparison.measures, len(comparison.names)), *legend, _made_with([f"signature {signature}"])]
    return PaperText((_pair_sentence(comparison, unit),), (". ".join(lines),), data.judges(comparison.test.judges))


def _score_sentence(scores: Sequence[Score]) -> str:
    """The best system under a metric; no claim that it is better than others."""
    measure, n = next(measure for measure in scores[0].measures if measure.name == scores[0].main), len(scores)
    known = [(value, score) for score in scores if (value := _choose_estimate(score).value) is not None]
    if not known:
        why = next((f": {reason}" for score in scores if (reason := _choose_estimate(score).undefined)), "")
        who = f"{scores[0].system} has no" if n == 1 else f"None of {n:,} systems has any"
        return f"{who} {_title(measure)}{why}."
    value, best = max(known, key=lambda pair: measure.sign * pair[0])
    alike = [score.system for other, score in known if other == value and score is not best]
    title = _title(measure) + _panel(_sets(best))
    text = f"The {title} of {best.system} is {_number(value, measure)}"
    if alike:
        text += f", and so is that of {join_words(alike)}"
    elif len(known) > 1:
        superlative = f"{measure.better.removesuffix('er')}{'er' if len(known) == 2 else 'est'}"
        of = f"{len(known):,} systems{' that have one' if len(known) < n else ''}"
        text = f"Of {of}, {best.system} has the {superlative} {title}, {_number(value, measure)}"
    data, convention = ScoredData.of(best), _choose_estimate(best).undefined
    parts = [data.metric_name] if data.metric_name != measure.title else []
    parts += [f"by convention, since {convention}"] if convention and value else []
    parts += [*_score_intervals(best, measure), *_runs(best, measure), f"{data.size}, {data.annotators}"]
    return f"{text} ({'; '.join(parts)})."


def _choose_estimate(score: Score) -> Estimate:
    """The estimate that a sentence is about: against sets of judges where these are not all."""
    if score.judges is None or score.judges.sets.whole or score.main not in score.judges.measures:
        return score.estimate
    return score.judges.measures[score.main].estimate


def _score_intervals(score: Score, measure: Measure) -> list[str]:
    """The interval over most, or why there is none and the one over texts."""
    over, drawn, runs = "texts", None, bool(score.runs)
    if score.judges is not None:
        judges = f"{score.judges.sets.rule.who}s"
        over = f"texts, {judges} and runs" if runs else f"texts and {judges}"
        drawn = score.judges.measures.get(score.main)
    elif score.over_runs is not None:
        over, drawn = "texts and runs", score.over_runs.get(score.main)
    own = score.estimate
    if drawn is None:
        return [_interval(own.interval or own.no_interval, "texts", measure)]
    wide = drawn.estimate
    shown = [_interval(wide.interval or wide.no_interval, over, measure)]
    if wide.interval is None and own.interval is not None and _choose_estimate(score) is own:
        shown.append(_interval(own.interval, "texts", measure))
    return shown


def _corrected(score: Score, scores: Sequence[Score]) -> list[str]:
    """The systems with as many editors as this one, as a subject; empty if these are all."""
    alike = dict.fromkeys(one.system for one in scores if len(one.annotators) == len(score.annotators))
    names = join_words([*alike])
    return [f"The output{'s' * (len(alike) > 1)} of {names} {'were' if len(alike) > 1 else 'was'}"][
        : len(alike) < len({one.system for one in scores})
    ]


def _runs(score: Score, measure: Measure) -> list[str]:
    """How many runs a score is the mean of, and how they vary."""
    if not score.runs:
        return []
    deviation = score.run_deviation(score.main)
    spread = "" if deviation is None else f", standard deviation {_number(deviation, measure)}"
    return [f"mean of {format_count(len(score.runs), 'runs')}{spread}"]


def _score_caption(scores: Sequence[Score], measures: Sequence[Measure]) -> str:
    """The caption of a table of scores, which says what its intervals are over."""
    data = [ScoredData.of(score) for score in scores]
    metrics = join_words(list(dict.fromkeys(scored.metric_name for scored in data)))
    most = max(data, key=lambda scored: scored.n_annotators)
    most = most._replace(editors=tuple(n for scored in data for n in scored.editors))
    lines = [most.caption(measures, len({score.system for score in scores}), metrics)]
    known = [score for score in scores if any(estimate.interval for estimate in score.estimates.values())]
    if known:
        text = f"The {100 * level_of(known[0]):g}% intervals are over texts"
        sets = next(filter(None, map(_sets, known)), None)
        if sets is not None:
            judges = f"{sets.rule.who}s"
            runs = f", {judges} and runs" if any(score.runs for score in known) else f" and {judges}"
            last = (
                f"those headed {heading(sets.rule)}"
                if sets.whole
                else f"the last column is{_panel(sets)}, with intervals"
            )
            text += f"; {last}{' are' * sets.whole} over texts{runs}"
        elif any(score.over_runs is not None for score in known):
            text += f"; those headed {RUNS_TITLE} are over texts and runs"
        lines.append(text)
    return ". ".join([*lines, _made_with(signature_lines(scores))])


def _pair_sentence(comparison: Comparison, unit: str) -> str:
    """The first two of the ranking: the difference, its interval, and the test."""
    first, second = (row.name for row in comparison.ranking()[:2])
    pair = next(pair for pair in comparison.pairs if {pair.first, pair.second} == {first, second})
    measure, test, verdict = comparison.measure, comparison.test, pair.verdict
    if verdict.result in ("score alike", "not comparable") or isnan(verdict.difference):
        return f"{pair.sentence(unit, measure.sign)}."
    turned = -1 if pair.first == second else 1
    amount, ends = abs(verdict.difference), None if pair.interval is None else verdict.interval
    if isinstance(ends, Interval) and turned * measure.sign < 0:
        ends = ends._replace(low=-ends.high, high=-ends.low)
    digits = _digits([amount, *((ends.low, ends.high) if isinstance(ends, Interval) else ())], measure)
    title = _title(measure) + _panel(test.judges)
    than = f"{_number(amount, measure, digits)}{' points' * (measure.kind == 'percent')} {measure.better} than that of"
    text = f"The {title} of {first} is {than if amount else 'the same as that of'} {second}"
    n = len(comparison.pairs)
    alone = ", not adjusted" if n > 1 and isinstance(ends, Interval) else ""
    text += f" ({_interval(ends, test.over_text, measure, digits)}{alone})"
    if pair.undecided:
        return f"{text}; whether the two differ is undecided: {pair.why_undecided(unit)}."
    p = p_text(verdict.p, at_most=verdict.at_floor)
    p = f"p ≤ {p[1:]}" if p.startswith("≤") else f"p = {p}"
    adjusted = f", adjusted for {comparison.adjusted_for} by {test.adjusted_by}" * (n > 1)
    return f"{text}; the difference is {verdict.result} ({p}, {pair.test_text(unit)}{adjusted})."


def _interval(ends: Interval | Undefined | None, over: str, measure: Measure, digits: int | None = None) -> str:
    if ends is None:
        return "no interval computed"
    if isinstance(ends, Undefined):
        return f"no interval over {over}: {ends}"
    low, high = (_number(end, measure, digits) for end in (ends.low, ends.high))
    return f"{100 * ends.confidence_level:g}% interval over {over} {low} to {high}"


def _number(value: float, measure: Measure, digits: int | None = None) -> str:
    """A value as papers round it; of percent without the sign."""
    digits = _digits([], measure) if digits is None else digits
    return f"{100 * value if measure.kind == 'percent' else value:z,.{digits}f}"


def _digits(values: Sequence[float], measure: Measure) -> int:
    """Digits after the point: the usual ones, or so many that no value but 0 reads 0."""
    usual = 1 if measure.kind == "percent" else 3
    for digits in range(usual, MOST_DIGITS):
        if all(float(_number(value, measure, digits).replace(",", "")) for value in values if value):
            return digits
    return MOST_DIGITS


def _sets(score: Score) -> JudgeSets | None:
    return None if score.judges is None else score.judges.sets


def _panel(sets: JudgeSets | None) -> str:
    """Whom values are against, where these are not all annotators."""
    if sets is None or sets.whole:
        return ""
    who = "editors" if sets.rule.who == "editor" else "annotators"
    return f" against any {sets.rule.k} of {format_count(sets.rule.n_judges, who)}"


def _title(measure: Measure) -> str:
    """``F0.5``; ``F (correction, no bonus)`` of measures that come in groups."""
    return f"{measure.title} ({measure.group})" if measure.group else measure.title


def _made_with(signatures: Sequence[str]) -> str:
    return f"Made with errorbar {__version__}; {'; '.join(signatures)}"
