"""Every pair of systems: half a square of differences, or a sentence on two; and where interval and test disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan
from typing import Final, Literal

from errorbar.core.estimate import Interval
from errorbar.metrics.comparison import Comparison
from errorbar.metrics.verdicts import LEAST_TEXTS, Pair, PairResult
from errorbar.reporting.blocks import Block, Fold, Matrix, PairCell, Prose
from errorbar.reporting.sections.figures import MOST_NAMED
from errorbar.studies.compare import ComparisonResult
from errorbar.studies.model import CorpusStudy
from errorbar.studies.significance import pair_table
from errorbar.tables.shown import cell_text, interval_text, p_text
from errorbar.tables.table import Column, Table

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
    """What is shown of the pairs; ``how`` says how they were compared."""
    found, apart = compared.found, why_apart(compared)
    more = [Prose(apart)] if apart else []
    if len(found.pairs) == 1:
        return [Prose([pair_sentence(compared), *apart]), how, Fold("The same pair in a table", _table(study, found))]
    label = "The same pairs in a table, with every p-value and with what the corpus can show"
    return [how, _matrix(compared), *more, Fold(label, _table(study, found))]


def _table(study: CorpusStudy, found: Comparison) -> Table:
    if len(found.pairs) <= MOST_PAIRS:
        return pair_table(found, study.confidence_level)
    best = _order(study.comparison)[0] if study.comparison is not None else found.names[0]
    shown = [pair for pair in found.pairs if best in (pair.first, pair.second)]
    table = pair_table(found, study.confidence_level, shown)
    note = f"only pairs with {best}, the best system, of all {len(found.pairs):,} pairs"
    return replace(table, notes=[*table.notes, note])


def _order(compared: ComparisonResult) -> list[str]:
    """The systems, the best first, by what the pairs are about."""
    return [row.name for row in compared.ranking()]


def _matrix(compared: ComparisonResult) -> Matrix:
    found, order = compared.found, _order(compared)
    pairs = {frozenset((pair.first, pair.second)): pair for pair in found.pairs}
    shown = order[:MOST_SYSTEMS] if len(found.pairs) > MOST_PAIRS else order
    cells = {pair: _cell(compared, pair[0], pairs[frozenset(pair)]) for pair in combinations(shown, 2)}
    measure = found.measure
    name = measure.title.rstrip("0123456789.")
    points = ", in points" if measure.kind == "percent" else ""
    words = {cell.verdict for cell in cells.values()}
    over = f"{found.test.name} over all {len(found.pairs):,} pairs"
    marks = [f"significant, on a shade: at {found.test.level} ({over})"]
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
        f"{100 * ends.confidence_level:g}% interval{over}": interval_text(_turned(ends, turned), column)
        for over, ends in _ends(pair).items()
    }
    facts |= {f"p ({test})": text for test, text in _p_values(pair).items()}
    if not facts and (why := pair.why_missing()):
        facts["no interval and no p-value"] = why
    other = pair.first if turned else pair.second
    return PairCell(
        cell_text(value, column), look, word, {"of": f"{row} minus {other}", "the test says": verdict.result, **facts}
    )


def _turned(ends: Interval, turned: bool) -> Interval:
    return replace(ends, low=-ends.high, high=-ends.low) if turned else ends


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
    """Of two systems the difference, its intervals, the p-value that decides, and what follows."""
    found = compared.found
    (pair,) = found.pairs
    measure, value = found.measure, pair.verdict.difference
    conclusion = pair.sentence(compared.unit, measure.sign)
    if isnan(value):
        return f"{conclusion}."
    turned = value < 0
    row, other = (pair.second, pair.first) if turned else (pair.first, pair.second)
    column = Column("", measure.kind, signed=True)
    size = cell_text(abs(value), replace(column, signed=False))
    unit = " points" if measure.kind == "percent" else ""
    intervals = [f"{interval_text(_turned(ends, turned), column)}{over}" for over, ends in _ends(pair).items()]
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
    if all(each == pair.significant for each in leaves_out_0):
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
    test, n = compared.found.test, len(compared.pairs)
    over = test.over_text
    interval = f"{100 * compared.confidence:g}% interval of the difference"
    why = {
        "adjusted": f"the {interval}{f' over {over}' * test.by_t} leaves out 0, yet the test does not "
        f"reject: the interval is of one pair alone, and the test is adjusted for all {n:,} pairs, since "
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
    if n == 1:
        return f"{why[0].upper()}{why[1:]}."
    names = [f"{pair.first} and {pair.second}" for pair in pairs[:MOST_NAMED]]
    names += [f"{len(pairs) - MOST_NAMED:,} more"] if len(pairs) > MOST_NAMED else []
    which = names[0] if len(pairs) == 1 else f"{len(pairs):,} pairs ({'; '.join(names)})"
    return f"Of {which} {why}."
