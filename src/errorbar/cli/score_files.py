"""Scoring files by one worker or many: which way they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from errorbar.cli.progress import progress_bar
from errorbar.core.corpus import Corpus
from errorbar.core.errors import InputError
from errorbar.core.problems import Problems, in_file_order
from errorbar.edits.admission import Admission
from errorbar.execute import choose_executor
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.opening import display_name
from errorbar.formats.reference import NamedFile, Unmarked, read_named, reading_conventions, reference_chunks
from errorbar.metrics.base import Metric
from errorbar.metrics.measuring import Piece
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import Ending, corpus_pieces, piece_size, score_pieces

if TYPE_CHECKING:
    from errorbar.metrics.resampling import Resampling


def score_files(
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile],
    metrics: Sequence[Metric],
    problems: Problems,
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    unmarked: Unmarked = "auto",
    documents: str | None = None,
    admission: Admission = Admission(),  # noqa: B008 - frozen
    jobs: int = 1,
    dask: str | None = None,
) -> list[Score]:
    """Score systems' files against reference files; M2 is cut into pieces that many workers read and measure.

    Problems come in the order of the files and their lines, whoever found them.

    Raises:
        ErrorbarError: As the library functions called here do.
    """
    conventions = reading_conventions(unmarked, as_written=problems.as_written)
    cuttable = False
    if (jobs > 1 or dask is not None) and documents is None:
        from errorbar.formats.pieces import CutSystem, can_cut, cut_pieces

        cuttable = can_cut(references, systems)
    files = [display_name(file.path) for file in (*references, *systems)]
    pieces: Iterable[Piece]
    endings: Sequence[Ending]
    with (
        _in_file_order(problems, files),
        choose_executor(jobs, dask) as executor,
        progress_bar("sentences") as progress,
    ):
        if cuttable:
            carry = not executor.sees([file.path for file in (*references, *systems)])
            size = piece_size(len(systems))
            endings = cut = [CutSystem(file, problems, carry=carry) for file in systems]
            pieces = cut_pieces(references, cut, problems, unmarked=unmarked, size=size, carry=carry)
        else:
            endings = readers = [HypothesisReader(file, problems) for file in systems]
            chunks: Iterable[Corpus] = reference_chunks(references, problems, unmarked=unmarked)
            if documents is not None:
                from errorbar.formats.documents import add_documents

                whole = read_named(references, problems, unmarked=unmarked)
                add_documents(whole, documents, problems)
                chunks = [whole]
            pieces = corpus_pieces(chunks, readers, executor)
        return score_pieces(
            pieces,
            endings,
            metrics,
            problems,
            by_type=by_type,
            by_sentence=by_sentence,
            resampling=resampling,
            conventions=conventions,
            admission=admission,
            progress=progress,
            executor=executor,
        )


@contextmanager
def _in_file_order(problems: Problems, files: Sequence[str]) -> Iterator[None]:
    """Put what was found, or was the end of it, in the order of files and lines."""
    try:
        yield
    except InputError as error:
        raise InputError(in_file_order(error.problems, files)) from None
    problems.notes = in_file_order(problems.notes, files)
