"""Many workers: results in order, failures not swallowed."""

from __future__ import annotations

import threading
import time

import pytest

from errorbar.execute import run


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_results_come_in_the_order_of_the_pieces(jobs: int) -> None:
    def work(piece: int) -> int:
        time.sleep(0.002 * (piece % 3))
        return piece * piece

    assert list(run(work, range(20), jobs)) == [k * k for k in range(20)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_to_do(jobs: int) -> None:
    assert list(run(str, [], jobs)) == []


def test_pieces_run_at_the_same_time() -> None:
    barrier = threading.Barrier(2, timeout=10)
    assert len(list(run(lambda _: barrier.wait(), [1, 2], 2))) == 2  # each waits for the other


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_is_raised_and_ends_the_work(jobs: int) -> None:
    done: list[int] = []

    def work(piece: int) -> int:
        if piece == 1:
            raise ValueError("piece 1")
        time.sleep(0.002)
        done.append(piece)
        return piece

    results = run(work, range(200), jobs)
    assert next(results) == 0
    with pytest.raises(ValueError, match="piece 1"):
        next(results)
    assert len(done) < 200  # what had not begun was given up
