"""How scores over texts and judges are shown: one column of tables, the fields of JSON, and the words about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.metrics.base import Measure
from errorbar.metrics.judges import JudgeRule, JudgeSets
from errorbar.metrics.scored import JudgedScore, Score
from errorbar.stats.two_way import TwoWay
from errorbar.tables.records import interval_record
from errorbar.tables.table import Cell, Column

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
    several = not all(each.sets.whole for each in known)
    made: list[tuple[Column, Callable[[Score], Cell]]] = []
    for measure in measures:
        shown = measure.name in mains
        title = f"{measure.title}, {judges_text(known[0].sets.rule)}" if several else TITLE
        column = Column(
            title,
            measure.kind,
            f"{measure.name}_judges",
            interval="beside" if several else "only",
            only="" if shown else "data",
        )
        made.append((column, _cell(measure.name, whole=several)))
    return made


def _cell(name: str, *, whole: bool) -> Callable[[Score], Cell]:
    def cell(score: Score) -> Cell:
        if score.judges is None or name not in score.judges.measures:
            return None
        estimate = score.judges.measures[name].estimate
        return estimate if whole else interval_of(estimate)

    return cell


def interval_of(estimate: Estimate) -> Interval | Undefined | None:
    """An interval, or why there is none."""
    return estimate.interval if estimate.interval is not None else estimate.no_interval


def judges_text(rule: JudgeRule) -> str:
    """``2 judges``: how many a set has."""
    return f"{rule.k} judge{'s' * (rule.k > 1)}"


def sets_column(measure: Measure, rule: JudgeRule) -> Column:
    """The column of values against sets of judges that are not all of them."""
    return Column(f"{measure.title}, {judges_text(rule)}", measure.kind, f"{measure.name}_judges")


def judge_lines(scores: Sequence[Score]) -> list[str]:
    """What the two intervals are, in a line for each way; nothing where there is none."""
    known = [score for score in scores if any(one.interval is not None for one in score.estimates.values())]
    rules = {score.judges.sets.rule: score for score in known if score.judges is not None}
    return [judge_line(rule, level_of(score)) for rule, score in rules.items()]


def level_of(score: Score) -> float:
    """The confidence level of a score's intervals."""
    levels = (one.interval.confidence_level for one in score.estimates.values() if one.interval is not None)
    return next(levels, 0.95)


def judge_line(rule: JudgeRule, level: float) -> str:
    """What the two intervals are."""
    how = "" if rule.population is None else f", leaning on how {rule.population.described} vary"
    label = f"{TITLE}:" if rule.k == rule.n_judges else f"{judges_text(rule)}: against any {rule.k} of them,"
    return f"{100 * level:g}% CI: other texts, {_these(rule)}; {label} other texts and other judges{how}"


def _these(rule: JudgeRule) -> str:
    return "this judge" if rule.n_judges == 1 else f"these {rule.n_judges} judges"


def runs_line(level: float) -> str:
    """What the two intervals are where judges are fixed and a system has several runs."""
    return f"{100 * level:g}% CI: other texts, these runs; {RUNS_TITLE}: other texts and other runs, these judges"


def run_variances_record(found: TwoWay | None) -> dict[str, object]:
    """The components over texts and runs, as fractions squared; all None where they are not known."""
    names = "variance_texts", "variance_runs", "df"
    return dict.fromkeys(names) if found is None else dict(zip(names, (found.texts, found.runs, found.df), strict=True))


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
    own: dict[str, object] = {"k": rule.k, "n_judges": rule.n_judges}
    own["population"] = None if rule.population is None else rule.population.name
    return {**own, "groups": sets.groups, "n_sets": sets.n_sets, "exact": sets.exact}


def variances_record(found: TwoWay | None) -> dict[str, object]:
    """The components of a variance, as fractions squared; all None where they are not known."""
    if found is None:
        return dict.fromkeys(("variance_texts", "variance_judges", "variance_both", "df"))
    both = None if isnan(found.both) else found.both
    return {
        "variance_texts": found.texts,
        "variance_judges": found.judges,
        "variance_both": both,
        **({"variance_runs": found.runs} if found.runs else {}),
        "df": found.df,
    }
