"""Scoring files by one worker or many: which way they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from errorbar.cli.progress import progress_bar
from errorbar.core.corpus import Corpus
from errorbar.core.errors import InputError
from errorbar.core.problems import Problems, in_file_order
from errorbar.execute import choose_executor
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.opening import display_name
from errorbar.formats.reference import NamedFile, Unmarked, read_named, reference_chunks
from errorbar.metrics.base import Metric
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import piece_size, score_pieces, score_stream

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
    jobs: int = 1,
    dask: str | None = None,
) -> list[Score]:
    """Score systems' files against reference files; M2 is cut into pieces that many workers read and measure.

    Problems come in the order of the files and their lines, whoever found them.

    Raises:
        ErrorbarError: As the library functions called here do.
    """
    files = [display_name(file.path) for file in (*references, *systems)]
    wanted = partial(_scores, by_type=by_type, by_sentence=by_sentence, resampling=resampling)
    try:
        scores = wanted(
            references, systems, metrics, problems, unmarked=unmarked, documents=documents, jobs=jobs, dask=dask
        )
    except InputError as error:
        raise InputError(in_file_order(error.problems, files)) from None
    problems.notes = in_file_order(problems.notes, files)
    return scores


def _scores(
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile],
    metrics: Sequence[Metric],
    problems: Problems,
    *,
    by_type: bool,
    by_sentence: bool,
    resampling: Resampling | None,
    unmarked: Unmarked,
    documents: str | None,
    jobs: int,
    dask: str | None,
) -> list[Score]:
    conventions = () if unmarked == "auto" else (f"unmarked:{unmarked}",)
    cuttable = False
    if (jobs > 1 or dask is not None) and documents is None:
        from errorbar.formats.pieces import CutSystem, can_cut, cut_pieces

        cuttable = can_cut(references, systems)
    with choose_executor(jobs, dask) as executor, progress_bar("sentences") as progress:
        if cuttable:
            carry = not executor.sees([file.path for file in (*references, *systems)])
            size = piece_size(len(systems))
            cut = [CutSystem(file, problems, carry=carry) for file in systems]
            pieces = cut_pieces(references, cut, problems, unmarked=unmarked, size=size, carry=carry)
            scored = partial(score_pieces, pieces, cut)
        else:
            readers = [HypothesisReader(file, problems) for file in systems]
            chunks: Iterable[Corpus] = reference_chunks(references, problems, unmarked=unmarked)
            if documents is not None:
                from errorbar.formats.documents import add_documents

                whole = read_named(references, problems, unmarked=unmarked)
                add_documents(whole, documents, problems)
                chunks = [whole]
            scored = partial(score_stream, chunks, readers)
        return scored(
            metrics,
            problems,
            by_type=by_type,
            by_sentence=by_sentence,
            resampling=resampling,
            conventions=conventions,
            progress=progress,
            executor=executor,
        )
