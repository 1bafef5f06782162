"""A reader's notebook: collects problems instead of stopping at the first."""

from __future__ import annotations

from errorbar.core.errors import InputError, Place, Problem, Severity


class Problems:
    """Collects what a reader finds, up to a limit, and refuses the input once at the end.

    In strict mode (the default) every error refuses the input. In lenient mode errors that have a defined
    repair are mended and kept as notes of severity ``repaired``; the others refuse the input all the same.

    Args:
        lenient: Mend what can be mended.
        limit: How many errors are collected before reading stops.
    """

    def __init__(self, *, lenient: bool = False, limit: int = 50) -> None:
        self.lenient = lenient
        self.limit = limit
        self.errors: list[Problem] = []
        self.notes: list[Problem] = []

    def error(self, code: str, what: str, place: Place, *, expected: str = "", fix: str = "") -> None:
        """Record an error that no mode can mend.

        Raises:
            InputError: When the limit is reached.
        """
        self.errors.append(Problem(code, what, place, expected, fix))
        if len(self.errors) >= self.limit:
            self.raise_errors()

    def repairable(self, code: str, what: str, place: Place, *, repair: str, expected: str = "") -> None:
        """Record an error that lenient reading mends; ``repair`` says how, as a past participle phrase.

        Raises:
            InputError: In strict mode, when the limit is reached.
        """
        if self.lenient:
            self.notes.append(Problem(code, what, place, expected, f"repaired: {repair}", "repaired"))
        else:
            self.error(code, what, place, expected=expected, fix=f"correct it or use --lenient ({repair})")

    def note(self, code: str, what: str, place: Place, *, fix: str = "", severity: Severity = "warning") -> None:
        """Record something that a user should know and that does not stop the reading."""
        self.notes.append(Problem(code, what, place, "", fix, severity))

    def raise_errors(self) -> None:
        """Refuse the input if any error was recorded.

        Raises:
            InputError: With every error recorded so far.
        """
        if self.errors:
            raise InputError(self.errors)
