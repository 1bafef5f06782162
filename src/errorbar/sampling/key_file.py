"""Files that tell what a set of items was drawn from: JSON of a named format, of samples and of audits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from errorbar.core.errors import InputError, Place, Problem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """Attributes: what its files say that they are; ``drawn``: sample or audit; ``code``: of errors."""

    name: str
    version: int
    drawn: str
    code: str

    @property
    def record(self) -> dict[str, object]:
        """How a file begins."""
        return {"format": self.name, "version": self.version}

    def parse(self, record: Any, place: Place, parse: Callable[[Mapping[str, Any]], T]) -> T:  # noqa: ANN401 - of JSON
        """What ``parse`` makes of a file's JSON.

        Raises:
            InputError: If it is no key of this kind, or not whole.
        """
        if not isinstance(record, dict) or not self.record.items() <= record.items():
            what = f"this is not the key of {'an' if self.drawn[0] in 'aeiou' else 'a'} {self.drawn}"
            fix = f"name the file that 'errorbar {self.drawn} draw --key' wrote"
            expected = f"JSON of the format {self.name}, version {self.version}"
            raise InputError(Problem(self.code, what, place, expected, fix))
        try:
            return parse(record)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            what = f"the key is not whole: {type(error).__name__} at {error}"
            raise InputError(Problem(self.code, what, place, fix=f"draw the {self.drawn} again")) from None
