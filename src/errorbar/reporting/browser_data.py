"""The sentence browser's data as compact columns.

Every text stands once. Within a unit every edit stands once, and annotators and systems name it by its number: most
edits are shared by several of them. Offsets count UTF-16 code units, as the strings of a web page do.

The columns (``templates/pool.js`` reads them):

- ``texts``, ``names``, ``documents`` (number into ``documentNames``), ``disagreement``: one per unit;
- ``edits``: per unit five numbers for each edit: start, length, replacements, type, and 1 where it is optional;
- ``words`` are replacements, ``replacements`` are lists of numbers of them, ``types`` the error types;
- ``annotations``: per unit and annotator the numbers of the edits, or 0 where the annotator did not look;
- ``proposals``: per unit and system three times the number of the edit, plus 1 where it matched and 2 where not;
- ``asides``: unit, annotator, number of the edit among theirs, and what is not shown: comment, consistency set, and
  what was written as the correction where the edit has none to show, else null;
- ``first``: numbers of the systems that are shown before anybody chooses;
- ``counts``: per unit and system correct, proposed and reference edits; ``chosen``: the annotators scored against.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from errorbar.studies.browse import Browse, BrowseEdit

Key = TypeVar("Key", bound=Hashable)

_BASIC = 0xFFFF  # characters above take two UTF-16 code units
_MARKS = {None: 0, True: 1, False: 2}


class _Numbers(dict[Key, int]):
    """Gives each different thing a number, in the order of first use."""

    def __missing__(self, key: Key) -> int:
        self[key] = len(self)
        return self[key]


def browser_data(browse: Browse, first: Sequence[str] = ()) -> Mapping[str, object]:
    """The columns that the module's docstring lists, ready for JSON; ``first`` names systems that are shown first."""
    words: _Numbers[str] = _Numbers()
    replacements: _Numbers[tuple[int, ...]] = _Numbers()
    types: _Numbers[str] = _Numbers()
    documents: _Numbers[str] = _Numbers()
    edits, annotations, proposals, asides = [], [], [], []
    for at_unit, unit in enumerate(browse.units):
        pool: _Numbers[tuple[int, int, int, int, int]] = _Numbers()
        at = _offsets(unit.text)

        def number(edit: BrowseEdit) -> int:
            texts = replacements[tuple(words[text] for text in edit.replacements)]
            start, end = (edit.start, edit.end) if at is None else (at[edit.start], at[edit.end])  # noqa: B023
            return pool[start, end - start, texts, types[edit.type], int(edit.optional)]  # noqa: B023

        annotations.append([0 if e is None else [number(edit) for edit in e] for e in unit.annotators])
        proposals.append([[3 * number(edit) + _MARKS[edit.matched] for edit in system] for system in unit.systems])
        edits.append([value for edit in pool for value in edit])
        for annotator, said in enumerate(unit.annotators):
            for place, edit in enumerate(said or ()):
                if edit.comment or edit.group or edit.written:
                    aside = edit.comment, edit.group, edit.written or None
                    asides.append([at_unit, annotator, place, *aside])
    return {
        "unit": browse.unit,
        "annotators": browse.annotators,
        "systems": browse.systems,
        "first": [browse.systems.index(name) for name in first],
        "names": [unit.name for unit in browse.units],
        "texts": [unit.text for unit in browse.units],
        "documents": [documents[unit.document] for unit in browse.units],
        "documentNames": list(documents),
        # Three digits are more than the page shows.
        "disagreement": [None if (d := unit.disagreement) is None else round(d, 3) for unit in browse.units],
        "words": list(words),
        "replacements": list(replacements),
        "types": list(types),
        "edits": edits,
        "annotations": annotations,
        "proposals": proposals,
        "asides": asides,
        "counts": [[value for counts in unit.counts for value in counts] for unit in browse.units],
        "chosen": [unit.chosen for unit in browse.units],
    }


def _offsets(text: str) -> list[int] | None:
    """UTF-16 offset of every character and of the end; None where they are the characters' own."""
    if not text or max(text) <= chr(_BASIC):
        return None
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + 1 + (ord(character) > _BASIC))
    return offsets
