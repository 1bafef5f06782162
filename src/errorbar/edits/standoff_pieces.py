"""HOO data cut into pieces that are read elsewhere: what workers of ``errorbar.execute`` are given."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment
from errorbar.edits.standoff_runs import Edits, present_edits
from errorbar.formats.hoo_files import FragmentFiles, RunFiles
from errorbar.formats.hoo_folder import read_fragment, read_run_files

PIECE = 64
"""Files of a piece: a tenth of a second of work, so that a few hundred fragments keep several workers busy."""


@dataclass(frozen=True, slots=True)
class RunReading:
    """What a piece holds of a run.

    Attributes:
        edits: Its edits by fragment; fragments that it lacks are not there.
        problems: What reading it found.
    """

    edits: Mapping[str, Edits]
    problems: Problems


@dataclass(frozen=True, slots=True)
class FragmentReading:
    """What a piece holds.

    Attributes:
        gold: The fragments with their gold edits.
        problems: What reading them found.
        runs: What every run has about them.
    """

    gold: list[Fragment]
    problems: Problems
    runs: list[RunReading]


@dataclass(frozen=True, slots=True)
class FragmentPiece:
    """The files of some fragments, unread.

    Attributes:
        gold: Those of the gold edits and source texts.
        runs: Those of every run, about these fragments alone.
        lenient: Mend what can be mended.
    """

    gold: tuple[FragmentFiles, ...]
    runs: tuple[RunFiles, ...]
    lenient: bool

    def read(self) -> FragmentReading:
        """Read the files, and compare corrected texts with their sources.

        Raises:
            InputError: If a file cannot be opened, or edits are not XML.
        """
        problems = self._notebook()
        gold = [read_fragment(files, problems) for files in self.gold]
        return FragmentReading(gold, problems, [self._read_run(files, gold) for files in self.runs])

    def _read_run(self, files: RunFiles, gold: Sequence[Fragment]) -> RunReading:
        problems = self._notebook()
        run = read_run_files(files, gold, problems)
        return RunReading(present_edits(run, gold, problems), problems)

    def _notebook(self) -> Problems:
        return Problems(lenient=self.lenient, limit=sys.maxsize)  # whoever collects them sets the limit


def cut_fragments(
    gold: Sequence[FragmentFiles], runs: Sequence[RunFiles], *, lenient: bool, carry: bool = False
) -> Iterator[FragmentPiece]:
    """Cut by the number of files, never by that of the workers.

    Args:
        gold: The files of every fragment.
        runs: The files of every run.
        lenient: Mend what can be mended.
        carry: Send what is in the files along, for workers that cannot open them.

    Raises:
        InputError: If a file that is sent along cannot be opened or is too large.
    """
    size = max(1, PIECE // (len(runs) + 1))
    for start in range(0, len(gold), size):
        own = tuple(gold[start : start + size])
        parts = tuple(run.about([one.name for one in own]) for run in runs)
        if carry:
            own, parts = tuple(one.loaded() for one in own), tuple(part.loaded() for part in parts)
        yield FragmentPiece(own, parts, lenient)
