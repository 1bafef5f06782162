"""A reader's notebook: collects problems instead of stopping at the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from errorbar.core.errors import InputError, Place, Problem, Severity

_LEFT_OUT = "the row is left out"
MOST_KEPT = 10_000  # notes of one code: some megabytes; the others are counted, so that memory ends somewhere


class Problems:
    """Collects what a reader finds, up to a limit, and refuses the input once at the end.

    In strict mode (the default) every error refuses the input. In lenient mode errors that have a defined
    repair are mended and kept as notes of severity ``repaired``; the others refuse the input all the same.

    Args:
        lenient: Mend what can be mended.
        limit: How many errors are collected before reading stops.
        as_written: Keep each annotator's edits as they stand in the file, in its order and repeated ones too.
        ignored: Codes of what could be mended and does not matter to the caller: it is mended without a word.
    """

    def __init__(
        self, *, lenient: bool = False, limit: int = 50, as_written: bool = False, ignored: Collection[str] = ()
    ) -> None:
        self.lenient = lenient
        self.ignored = ignored
        self.as_written = as_written
        self.limit = limit
        self.errors: list[Problem] = []
        self.notes: list[Problem] = []
        self._kept: Counter[str] = Counter()
        self._rest: dict[str, int] = {}  # by code, where among the notes the one stands that counts the others

    def error(self, code: str, what: str, place: Place, expected: str = "", fix: str = "") -> None:
        """Record an error that no mode can mend; an ``InputError`` when the limit is reached."""
        self.errors.append(Problem(code, what, place, expected, fix))
        if len(self.errors) >= self.limit:
            self.raise_errors()

    def repairable(
        self, code: str, what: str, place: Place, repair: str = _LEFT_OUT, expected: str = "", hint: str = ""
    ) -> None:
        """Record an error that lenient reading mends as ``repair`` says; ``hint``: what was meant, by ``nearest``."""
        if code in self.ignored:
            return
        if self.lenient:
            self.take([Problem(code, what, place, expected, f"repaired: {repair}", "repaired")])
        else:
            said = f"{hint}{' ' if hint.endswith('?') else '; '}" if hint else ""
            self.error(code, what, place, expected=expected, fix=f"{said}correct it or use --lenient ({repair})")

    def note(self, code: str, what: str, place: Place, fix: str = "", severity: Severity = "warning") -> None:
        """Record something that a user should know and that does not stop the reading."""
        self.take([Problem(code, what, place, "", fix, severity)])

    def take(self, notes: Iterable[Problem]) -> None:
        """Keep notes; of each code the first ``MOST_KEPT``, after which one note says how many more there are."""
        for note in notes:
            if not note.others and self._kept[note.code] < MOST_KEPT:
                self._kept[note.code] += 1
                self.notes.append(note)
                continue
            at = self._rest.setdefault(note.code, len(self.notes))
            first = self.notes[at] if at < len(self.notes) else note
            others = (note.others or 1) + (first.others if first is not note else 0)
            what = f"{others:,} more of these, not listed"
            self.notes[at : at + 1] = [Problem(note.code, what, severity=first.severity, others=others)]

    def collect(self, found: Problems) -> None:
        """Take over what was found elsewhere, e.g. by another process that read a piece."""
        self.take(found.notes)
        for each in found.errors:
            self.error(each.code, each.what, each.place, expected=each.expected, fix=each.fix)

    def raise_errors(self) -> None:
        """Refuse the input, with every error recorded so far, if there is any."""
        if self.errors:
            raise InputError(self.errors)


def in_file_order(problems: Iterable[Problem], files: Sequence[str]) -> list[Problem]:
    """Problems by file and line, however many workers found them and in whatever order; those of no file come last."""
    places = {file: number for number, file in enumerate(files)}
    # What was found in one line stays in its order, and so does what is about no line of these files.
    return sorted(
        problems,
        key=lambda each: (places[each.place.file], each.place.line) if each.place.file in places else (len(places), 0),
    )
