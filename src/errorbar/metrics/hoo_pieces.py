"""HOO data counted in pieces: whoever works on a piece reads the files of its fragments and keeps only their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, edits_digest, hash_of_digests, text_digest
from errorbar.edits.standoff_reading import Edits, FragmentPiece, say_missing
from errorbar.execute.executor import Executor, Serial
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_score import HooCounts, RunCounts
from errorbar.metrics.hoo_statistics import HooStatistics, join

Digests = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class RunPart:
    """What was counted of a run in a piece.

    Attributes:
        problems: What reading it found.
        hypothesis: A digest of its edits for each fragment.
        statistics: Counts under each metric; none where anything of the piece is wrong.
    """

    problems: Problems
    hypothesis: Digests
    statistics: list[HooStatistics]


@dataclass(frozen=True, slots=True)
class PieceCounts:
    """What was counted in a piece.

    Attributes:
        problems: What reading the gold edits and the source texts found.
        source: A digest of the source text for each fragment.
        reference: A digest of the gold edits for each fragment.
        runs: What was counted of every run.
    """

    problems: Problems
    source: Digests
    reference: Digests
    runs: list[RunPart]


@dataclass(frozen=True, slots=True)
class Counting:
    """The work on a piece.

    Attributes:
        metrics: What to count.
    """

    metrics: tuple[Hoo, ...]

    def __call__(self, piece: FragmentPiece) -> PieceCounts:
        """Read a piece and count.

        Raises:
            InputError: If a file cannot be opened, or is not XML; or a metric needs a source text and there is none.
        """
        read = piece.read()
        sound = not read.problems.errors and not any(found.errors for found in read.run_problems)
        metrics = self.metrics if sound else ()
        return PieceCounts(
            read.problems,
            {one.name: text_digest(one.text) for one in read.gold},
            {one.name: edits_digest(one.edits) for one in read.gold},
            [
                self._part(read.gold, said, found, metrics)
                for said, found in zip(read.runs, read.run_problems, strict=True)
            ],
        )

    @staticmethod
    def _part(gold: Sequence[Fragment], said: Sequence[Edits], problems: Problems, metrics: Sequence[Hoo]) -> RunPart:
        return RunPart(
            problems,
            {one.name: edits_digest(own) for one, own in zip(gold, said, strict=True)},
            [metric.measure(gold, said) for metric in metrics],
        )


@dataclass(slots=True)
class _Whole:
    """What the pieces so far say of a run."""

    name: str
    found: list[Problems] = field(default_factory=list)
    hypothesis: Digests = field(default_factory=dict)
    parts: list[list[HooStatistics]] = field(default_factory=list)

    def add(self, part: RunPart) -> None:
        self.found.append(part.problems)
        self.hypothesis |= part.hypothesis
        self.parts.append(part.statistics)

    def counts(self, metrics: Sequence[Hoo]) -> list[RunCounts]:
        hypothesis = hash_of_digests(self.hypothesis)
        joined = [join([part[at] for part in self.parts]) for at in range(len(metrics))]
        self.parts.clear()  # as large again
        return [RunCounts(self.name, *each, hypothesis) for each in zip(metrics, joined, strict=True)]


def count_pieces(
    pieces: Iterable[FragmentPiece],
    runs: Mapping[str, Sequence[str]],
    metrics: Sequence[Hoo],
    problems: Problems,
    *,
    missing_as_empty: bool = False,
    progress: Callable[[int], object] = lambda _: None,
    executor: Executor | None = None,
) -> HooCounts:
    """Count runs against gold edits, each piece read by whoever the executor gives it to.

    The number of workers changes no count, hash or message. The size of the pieces changes no count or hash, only which
    problems are named where reading stops early: at the limit of errors, or at a file that cannot be read.

    Args:
        pieces: The fragments, in order (``errorbar.edits.standoff_pieces.cut_fragments``).
        runs: The runs' names, each with the fragments that it lacks.
        metrics: What to count.
        problems: Where problems are recorded, after those that it has: of the gold edits first, then of each run.
        missing_as_empty: Take a fragment that a run lacks for one without edits, and note it.
        progress: Told how many fragments are done.
        executor: Who does the work; None: this process.

    Raises:
        InputError: If anything is wrong with a file, a run lacks a fragment, or a metric needs a source text and there
            is none.
    """
    source: Digests = {}
    reference: Digests = {}
    whole = [_Whole(name) for name in runs]
    n_errors = 0
    for counted in (executor or Serial()).map_ordered(Counting(tuple(metrics)), pieces):
        problems.collect(counted.problems)
        source |= counted.source
        reference |= counted.reference
        for run, part in zip(whole, counted.runs, strict=True):
            run.add(part)
            n_errors += len(part.problems.errors)
        progress(len(source))
        if n_errors >= problems.limit:
            break  # nobody reads more of them
    for run in whole:
        for found in run.found:
            problems.collect(found)
        say_missing(run.name, runs[run.name], problems, as_empty=missing_as_empty)
    problems.raise_errors()
    counts = [each for run in whole for each in run.counts(metrics)]
    return HooCounts(len(source), hash_of_digests(source), hash_of_digests(reference), counts)
