"""Every pair of systems: half a square of differences, or a sentence on two; and where interval and test disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan
from typing import Final, Literal

from errorbar.core.estimate import Interval
from errorbar.metrics.base import Measure
from errorbar.metrics.comparison import LEAST_TEXTS, Comparison, Pair
from errorbar.reporting.blocks import Block, Fold, Matrix, PairCell, Prose
from errorbar.reporting.sections.figures import MOST_NAMED
from errorbar.studies.compare import Compared
from errorbar.studies.model import CorpusStudy
from errorbar.studies.over_judges import these
from errorbar.studies.significance import (
    ADJUSTED,
    NOT_COMPARABLE,
    NOT_SIGNIFICANT,
    SAME,
    SIGNIFICANT,
    UNDECIDED,
    level_text,
    pair_table,
    result,
    tested_how,
    verdict,
    why_not,
)
from errorbar.tables.shown import cell_text, interval_text, p_text
from errorbar.tables.table import Column, Table

MOST_PAIRS = 105  # pairs in matrix and table (15 systems); of more, the best systems and those with the best
MOST_SYSTEMS = 15
Look = Literal["significant", "not", "undecided", "none"]
LOOKS: Final[Mapping[str, tuple[Look, str]]] = {
    SIGNIFICANT: ("significant", "significant"),
    NOT_SIGNIFICANT: ("not", "n.s."),
    UNDECIDED: ("undecided", "undecided"),
    SAME: ("none", "same"),
    NOT_COMPARABLE: ("none", "no value"),
}
"""What the test says to the look of a cell, and to the word in it."""


def pair_blocks(study: CorpusStudy, compared: Compared, how: Prose) -> list[Block]:
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


def _order(compared: Compared) -> list[str]:
    """The systems, the best first, by what the pairs are about."""
    return [row.name for row in compared.ranking()]


def _matrix(compared: Compared) -> Matrix:
    found, order = compared.found, _order(compared)
    pairs = {frozenset((pair.first, pair.second)): pair for pair in found.pairs}
    shown = order[:MOST_SYSTEMS] if len(found.pairs) > MOST_PAIRS else order
    cells = {pair: _cell(compared, pair[0], pairs[frozenset(pair)]) for pair in combinations(shown, 2)}
    measure, level = _measure(found), level_text(compared.alpha)
    name = measure.title.rstrip("0123456789.")
    points = ", in points" if measure.kind == "percent" else ""
    said = {cell.verdict for cell in cells.values()}
    marks = [f"significant, on a shade: at the {level} level ({tested_how(found)} over all {len(found.pairs):,} pairs)"]
    marks += ["n.s.: not significant"] if LOOKS[NOT_SIGNIFICANT][1] in said else []
    marks += ["undecided: no difference could have been significant"] if UNDECIDED in said else []
    marks += ["same: the two score alike everywhere"] if LOOKS[SAME][1] in said else []
    notes = [
        f"{name} of the row's system minus {name} of the column's{points}; the best system has the first row.",
        f"{'; '.join(marks)}. Interval and p-value of a pair show where the pointer or the focus is; arrow keys move.",
    ]
    if len(shown) < len(order):
        notes.append(f"The best {len(shown)} of {len(order):,} systems.")
    return Matrix(f"Every pair of systems: differences of {measure.title}", "pair-matrix", shown, cells, notes)


def _cell(compared: Compared, row: str, pair: Pair) -> PairCell:
    said = result(pair)
    look, word = LOOKS[said]
    column = Column("", _measure(compared.found).kind, signed=True)
    turned = pair.first != row
    value = -pair.decisive_difference if turned else pair.decisive_difference
    facts = {
        f"{100 * ends.confidence_level:g}% interval{over}": interval_text(_turned(ends, turned), column)
        for over, ends in _ends(compared.found, pair)
    }
    facts |= {f"p ({how})": text for how, text in _p_values(compared.found, pair)}
    if not facts and (why := why_not(pair)):
        facts["no interval and no p-value"] = why
    other = pair.first if turned else pair.second
    return PairCell(
        cell_text(value, column), look, word, {"of": f"{row} minus {other}", "the test says": said, **facts}
    )


def _turned(ends: Interval, turned: bool) -> Interval:
    return replace(ends, low=-ends.high, high=-ends.low) if turned else ends


def _measure(found: Comparison) -> Measure:
    return found.measures[found.main]


def _ends(found: Comparison, pair: Pair) -> list[tuple[str, Interval]]:
    """The intervals of a difference, each with what it is over."""
    own = [(" over texts" if found.over else "", pair.interval)]
    judged = [] if pair.judged is None else [(f" over {found.over}", pair.judged.interval)]
    return [(over, ends) for over, ends in (*own, *judged) if isinstance(ends, Interval)]


def _p_values(found: Comparison, pair: Pair) -> list[tuple[str, str]]:
    """The adjusted p-values of a pair, the one that decides first."""
    decides = [] if pair.p is None else [(tested_how(found), p_text(pair.p, at_most=pair.p_at_floor))]
    if pair.judged is None or pair.p_swaps is None:
        return decides
    swaps = f"{ADJUSTED[found.testing.adjust]}, {these(found)}", p_text(pair.p_swaps, at_most=pair.at_floor)
    return [*decides, swaps]


def pair_sentence(compared: Compared) -> str:
    """Of two systems the difference, its intervals, the p-value that decides, and what follows."""
    found = compared.found
    (pair,) = found.pairs
    measure = _measure(found)
    conclusion = verdict(pair, compared.unit, measure.sign)
    value = pair.decisive_difference
    if isnan(value):
        return f"{conclusion}."
    turned = value < 0
    row, other = (pair.second, pair.first) if turned else (pair.first, pair.second)
    column = Column("", measure.kind, signed=True)
    size = cell_text(abs(value), replace(column, signed=False))
    unit = " points" if measure.kind == "percent" else ""
    intervals = [f"{interval_text(_turned(ends, turned), column)}{over}" for over, ends in _ends(found, pair)]
    level = f"{100 * compared.confidence:g}% interval{'s' * (len(intervals) > 1)} of the difference "
    beside = [level + " and ".join(intervals)] if intervals else []
    beside += [f"p {'' if text.startswith('≤') else '= '}{text} by {how}" for how, text in _p_values(found, pair)[:1]]
    behind = f" ({'; '.join(beside)})" if beside else ""
    if not value:
        return f"{measure.title} of {row} is that of {other}{behind}. {conclusion}."
    return f"{measure.title} of {row} is {size}{unit} higher than that of {other}{behind}. {conclusion}."


def why_apart(compared: Compared) -> list[str]:
    """For each way in which an interval of a difference and the test disagree, a sentence that says why."""
    found = compared.found
    apart: dict[str, list[Pair]] = {}
    for pair in found.pairs:
        if reason := _reason(found, pair):
            apart.setdefault(reason, []).append(pair)
    return [_sentence(compared, reason, pairs) for reason, pairs in apart.items()]


def _reason(found: Comparison, pair: Pair) -> str:
    said = result(pair)
    if said not in (SIGNIFICANT, NOT_SIGNIFICANT):
        return ""
    apart = {over: ends.low > 0 or ends.high < 0 for over, ends in _ends(found, pair)}
    if all(each == (said == SIGNIFICANT) for each in apart.values()):
        return ""
    if said == SIGNIFICANT:
        return "kept" if found.over else "swaps reject"
    wider = apart.get(f" over {found.over}") if found.over else True
    if wider and pair.p_unadjusted is not None and pair.p_unadjusted <= pair.alpha:
        return "adjusted"
    if wider and pair.judged is not None and pair.judged.beside_swaps:
        return "few"
    return "narrow" if found.over else "resampled"


def _sentence(compared: Compared, reason: str, pairs: Sequence[Pair]) -> str:
    found, n = compared.found, len(compared.found.pairs)
    over, kept = found.over, found.over.removeprefix("texts").lstrip(", ").removeprefix("and ")
    interval = f"{100 * compared.confidence:g}% interval of the difference"
    why = {
        "adjusted": f"the {interval}{f' over {over}' * bool(over)} leaves out 0, yet the test does not "
        f"reject: the interval is of one pair alone, and the test is adjusted for all {n:,} pairs, since "
        "among so many some interval leaves out 0 by chance",
        "few": f"the {interval} over {over} leaves out 0, yet the test does not reject: of fewer than "
        f"{LEAST_TEXTS} texts it rejects only where swaps of the two outputs do so too",
        "narrow": f"the {interval} over texts leaves out 0, yet the test does not reject: that interval "
        f"takes the {kept} as they are, and the test asks what other {kept} would give too",
        "kept": f"the {interval} over texts holds 0, yet the test rejects: that interval takes the "
        f"{kept} as they are, and the test, over {over}, estimates how the two vary in another way",
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
