"""Run independent pieces of work on several cores.

The kernels release Python's lock, so threads are enough and nothing is copied. Each piece gets everything it needs,
random streams included, and results come back in the order of the pieces: the number of workers changes no digit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def run(work: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int = 1) -> Iterator[Result]:
    """Yield the results of all pieces, in order.

    Args:
        work: What to do with a piece.
        pieces: The pieces.
        jobs: How many are worked on at the same time.
    """
    if jobs <= 1 or len(pieces) <= 1:
        yield from map(work, pieces)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only for several workers

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, piece) for piece in pieces]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
