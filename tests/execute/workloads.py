"""Work for other processes, which find it by name."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from errorbar.core import InputError, Place, Problem
from errorbar.formats.reference import PieceContents, TextPiece


def square(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    return number * number


def process(_: int) -> int:
    return os.getpid()


def refuse_seven(number: int) -> int:
    if number == 7:
        raise InputError([Problem("line-count", "seven", Place("file", 7)), Problem("line-count", "again")])
    return number


def fail_at_seven(number: int) -> int:
    if number == 7:
        raise ZeroDivisionError("seven")
    return number


@dataclass(frozen=True)
class Dying:
    """Kills the process that works on piece 5, so many times."""

    folder: Path
    times: int

    def __call__(self, number: int) -> int:
        if number == 5:
            kill_once(self.folder, self.times)
        return number * number


@dataclass(frozen=True)
class DyingPiece:
    """A piece of a corpus whose first reader is killed."""

    piece: TextPiece
    folder: Path

    def read(self) -> PieceContents:
        kill_once(self.folder, 1)
        return self.piece.read()


def kill_once(folder: Path, times: int) -> None:
    """Kill this process unless that was done often enough; every death leaves a file."""
    for number in range(times):
        try:
            (folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)
