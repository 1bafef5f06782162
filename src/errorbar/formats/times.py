"""How long editors took: a table with the columns system, editor, sentence and seconds; CSV, JSON lines, Parquet.

A row is one editor's work on one sentence. The system is ``source`` where they corrected the source itself. Sentences
are counted from 1, as they stand in the reference.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from errorbar.core.problems import Place, Problems, nearest
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import finite, table_rows

FROM_SOURCE = "source"
COLUMNS = ("system", "editor", "sentence", "seconds")


@dataclass(frozen=True, slots=True)
class EditingTime:
    """One editor's work on one sentence of a system, or of the source."""

    system: str
    editor: str
    sentence: int  # counted from 0
    seconds: float


def read_times(path: Source, systems: Collection[str], n_sentences: int, problems: Problems) -> list[EditingTime]:
    """Read the times of editors; the caller raises the problems."""
    times: dict[tuple[str, str, int], EditingTime] = {}
    known = (*systems, FROM_SOURCE)
    for row, place in table_rows(path, problems, COLUMNS):
        system, editor, number, seconds = row["system"], row["editor"], row["sentence"], finite(row["seconds"])
        if system not in known:
            expected = f"a system that is scored, or {FROM_SOURCE}"
            problems.error("times-system", f"no system is called '{system}'", place, expected, nearest(system, known))
        elif not editor:
            problems.error("times-editor", "the row does not say who edited", place, "a name of the editor")
        elif not (number.isdecimal() and 1 <= int(number) <= n_sentences):
            message, expected = f"the sentence is {number!r}", f"a number from 1 to {n_sentences:,}"
            problems.error("times-sentence", message, place, expected)
        elif seconds is None or seconds <= 0:
            message = f"the time is {row['seconds']!r}"
            problems.repairable("times-seconds", message, place, "the row is left out", "a number of seconds above 0")
        else:
            key = system, editor, int(number) - 1
            if key in times:
                message = f"{editor} edited sentence {number} of {system} twice"
                problems.repairable("times-twice", message, place, "the first row is kept")
            times.setdefault(key, EditingTime(*key, seconds))
    if not times and not problems.errors:
        problems.error("times-empty", "the file has no time", Place(display_name(path)), "a row of each sentence")
    return list(times.values())
