"""Gold items: those whose answer is known, of the items themselves or brought along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from errorbar.core.errors import Place, nearest, shortened
from errorbar.core.problems import Problems
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import table_rows
from errorbar.judging.item_rows import Row, item_of, name_of
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import SIDES, Scheme, folded

ANSWERS = ("answer", "answers", "label")
_EXPLANATION = "explanation"
UNEVEN = 0.75
"""From this share of one class on, a rater who always says it may pass for a good one."""


def with_gold(items: Sequence[JudgedItem], path: Source, scheme: Scheme, problems: Problems) -> list[JudgedItem]:
    """The items with those of a table of gold: columns ``item``, ``answer``, and ``explanation`` or none.

    Several right answers stand between ``|``. A row that names one of the items makes it gold; one with a ``text``
    brings an item of its own. What is wrong is recorded, with its line.
    """
    made = {item.name: item for item in items}
    lines: dict[str, int] = {}
    for row, place in table_rows(path, problems):
        if not lines and not ({*ANSWERS} & {*row}):
            fix = nearest("answer", [each for each in row if each][:50])
            problems.error("table-column", "no column 'answer'", place, "item, answer, explanation", fix)
            problems.raise_errors()
        name = name_of(row)
        if not name or name in lines:
            what = (
                f"gold item '{shortened(name)}' stands in line {lines[name]} too" if name else "the row names no item"
            )
            problems.error("judge-item-twice" if name else "judge-item-name", what, place)
            continue
        lines[name] = place.line
        if (gold := _gold(row, made, scheme, place, problems)) is not None:
            made[name] = gold
    if not lines and not problems.errors:
        problems.error("judge-gold", "there is no gold item in the file", Place(display_name(path)))
    found = [*made.values()]
    _note_balance([item for item in found if item.kind == "gold"], scheme, Place(display_name(path)), problems)
    return found


def _gold(
    row: Row, items: dict[str, JudgedItem], scheme: Scheme, place: Place, problems: Problems
) -> JudgedItem | None:
    name, known = name_of(row), items.get(name_of(row))
    answers = _answers(row, scheme, place, problems)
    if row.get("text", "").strip() or (known is None and "candidate1" in row):
        given = {key: value for key, value in row.items() if key not in (*ANSWERS, _EXPLANATION)}
        own = item_of(given, scheme, place, problems)
        if own is None:
            return None
        if known is not None and own.asked() != known.asked():
            what = f"gold item '{shortened(name)}' has another text or span than the item of that name"
            problems.error("judge-gold", what, place, fix="name it otherwise, or leave its text out")
            return None
        known = known or own
    if known is None:
        what = f"gold for '{shortened(name)}', which is no item"
        problems.error("judge-gold", what, place, fix=_near(name, items))
        return None
    return replace(known, kind="gold", answers=answers, explanation=row.get(_EXPLANATION, "").strip())


def _near(name: str, items: dict[str, JudgedItem]) -> str:
    """The item that may be meant; not every name of many."""
    said = nearest(name, list(items)[:5000])
    return said if said.startswith("did") else "give it a text of its own, or correct the name"


def _answers(row: Row, scheme: Scheme, place: Place, problems: Problems) -> tuple[str, ...]:
    """The right answers as labels of the scheme; in a choice test ``first`` and ``second`` name the candidates."""
    said = next((row[key] for key in ANSWERS if row.get(key, "").strip()), "").strip()
    labels = scheme.labels()
    found: list[str] = []
    for each in filter(None, map(str.strip, said.split("|"))):
        same = [label for label in labels if folded(label) == folded(each)]
        if labels and not same:
            name = shortened(name_of(row))
            sides = " (first is candidate1, wherever it stands)" if scheme.reversible and each in SIDES else ""
            what = f"the answer '{shortened(each)}' of gold item '{name}' is none of the scheme{sides}"
            problems.error("judge-gold", what, place, ", ".join(labels), nearest(each, labels))
        found.append(same[0] if same else each)
    if not found:
        what = f"gold item '{shortened(name_of(row))}' has no answer"
        problems.error("judge-gold", what, place, ", ".join(labels) or "a word")
    return tuple(dict.fromkeys(found))


def _note_balance(gold: Sequence[JudgedItem], scheme: Scheme, place: Place, problems: Problems) -> None:
    """Warn where always saying the same would pass: raters are tested by class, and each needs gold items."""
    labels = [label for label in scheme.labels() if label not in scheme.abstaining()]
    counts = Counter(item.answers[0] for item in gold if item.answers)
    if not labels or not counts:
        return
    (most, n), total = counts.most_common(1)[0], counts.total()
    if n > UNEVEN * total and total > 1:
        what = f"{n} of {total} gold items have the answer '{most}': who always says so passes most of them"
        problems.note("judge-gold-uneven", what, place, "give about as many of each answer")
