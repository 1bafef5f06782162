"""Where the corpora of a study are: a folder given by the user, or the cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem

_FOLDERS = {
    "conll2014": "conll14",
    "conll2014-systems": "conll14_systems/official_submissions",
    "bryant-ng2015": "bn2015_10gec",
}


@dataclass(frozen=True, slots=True)
class Sources:
    """Finds files of corpora.

    Attributes:
        data: A folder that holds ``conll14``, ``conll14_systems`` and ``bn2015_10gec``; None: the cache of
            ``errorbar data``.
    """

    data: Path | None = None

    def file(self, corpus: str, name: str) -> Path:
        """The path of a file of a corpus.

        Raises:
            InputError: If it is not there.
        """
        if self.data is None:
            from errorbar.datasets import path  # noqa: PLC0415 - only for the cache

            found = path(corpus) / name
        else:
            found = self.data / _FOLDERS[corpus] / name
        if not found.is_file():
            fix = f"errorbar data fetch {corpus}, or name a folder that has it: --data DIR"
            raise InputError(Problem("no-corpus", f"the corpus '{corpus}' is not here", Place(str(found)), fix=fix))
        return found

    def lines(self, corpus: str, name: str) -> list[str]:
        """A system's sentences."""
        return self.file(corpus, name).read_bytes().decode().removesuffix("\n").split("\n")
