"""How long editors took: a table with the columns system, editor, sentence and seconds; CSV, JSON lines, Parquet.

A row is one editor's work on one sentence. The system is ``source`` where they corrected the source itself. Sentences
are counted from 1, as they stand in the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from errorbar.core.labels import format_count, whole_number
from errorbar.core.problems import Place, Problems, nearest, shorten_text
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
    others: Counter[str] = Counter()
    known = (*systems, FROM_SOURCE)
    for row, place in table_rows(path, problems, COLUMNS):
        system, editor, number, seconds = row["system"], row["editor"], row["sentence"], finite(row["seconds"])
        if system not in known:
            others[system] += 1
        elif not editor:
            problems.error("times-editor", "the row does not say who edited", place, "a name of the editor")
        elif not 1 <= (whole_number(number) or 0) <= n_sentences:
            message, expected = f"the sentence is {shorten_text(repr(number))}", f"a number from 1 to {n_sentences:,}"
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
    for system, count in others.items():
        message = f"{format_count(count, 'rows')} of '{system}', which is not scored, do not count"
        problems.note("times-system", message, Place(display_name(path)), nearest(system, known))
    if all(time.system == FROM_SOURCE for time in times.values()) and not problems.errors:
        message, expected = "the file has no time of a system that is scored", "a row for each sentence and editor"
        problems.error("times-empty", message, Place(display_name(path)), expected)
    return list(times.values())
