"""One input: made of a seed, read, and what came of it."""

from __future__ import annotations

import json
import resource
import shutil
import time
import traceback
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random

from errorbar import ErrorbarError
from tests.fuzz.checked import is_checked
from tests.fuzz.readers import Reader, shape_of
from tests.fuzz.seeds import Case
from tests.fuzz.shapes import mutate

MOST_KILOBYTES = 500 * 1024
"""Of the whole process, the interpreter and every library included."""
MEASURED_AGAIN = 4
"""What seemed slow is read once more, unless it took so many seconds: a busy machine is not the reader's fault."""


class Outcome(StrEnum):
    """What can come of an input."""

    READ = "read"
    PLACED = "error, placed"
    UNPLACED = "error, no place"
    INTERNAL = "internal"
    SLOW = "slow"
    LARGE = "large"

    @property
    def failed(self) -> bool:
        """Whether no input may come to this."""
        return self in (Outcome.INTERNAL, Outcome.SLOW, Outcome.LARGE)


@dataclass(frozen=True, slots=True)
class Trial:
    """An input and how it is read.

    Attributes:
        name: Reader, seed and number; it names the input for good, as long as seeds and mutations stay as they are.
        files: What is read.
        lenient: Whether what can be mended is mended.
    """

    name: str
    files: Case
    lenient: bool


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an input.

    Attributes:
        outcome: What.
        kind: Failures of one kind are counted together: where the exception was raised.
        detail: The traceback, seconds or bytes.
    """

    outcome: Outcome
    kind: str = ""
    detail: str = ""


@cache
def cases_of(reader: Reader) -> list[Case]:
    """The reader's seeds, made once."""
    return reader.seeds()


def make_trial(reader: Reader, seed: int, number: int) -> Trial:
    """The input of a number: the same on every machine that has the same seeds."""
    name = f"{reader.name}-{seed}-{number}"
    rng = Random(name)
    files = dict(rng.choice(cases_of(reader)))
    lenient = rng.random() < 0.5
    changed = rng.choice(list(files)[: 1 if rng.random() < 0.5 else None])
    files[changed] = mutate(rng, files[changed], reader.shape or shape_of(changed))
    return Trial(name, files, lenient)


def run_trial(reader: Reader, trial: Trial, folder: Path) -> Result:
    """Read an input in a folder, which is emptied before and after."""
    shutil.rmtree(folder, ignore_errors=True)
    place(reader, trial.files, folder)
    before = peak()
    result, seconds = _measured(reader, trial, folder)
    if reader.most_seconds < seconds < MEASURED_AGAIN:
        seconds = min(seconds, _measured(reader, trial, folder)[1])
    shutil.rmtree(folder, ignore_errors=True)
    if is_checked() and not result.outcome.failed:
        return result  # its time and memory are those of the checks
    if result.outcome is Outcome.LARGE or (peak() > MOST_KILOBYTES and peak() > before):
        return Result(Outcome.LARGE, reader.name, f"{peak() // 1024:,} MB, {seconds:.2f} s; {result.detail}")
    if seconds > reader.most_seconds:
        return Result(Outcome.SLOW, reader.name, f"{seconds:.2f} s, {peak() // 1024:,} MB; {result.detail}")
    return result


def place(reader: Reader, files: Case, folder: Path) -> None:
    """Write files into a folder, and beside them what is always there."""
    for name, content in {**(reader.fixed or {}), **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def peak() -> int:
    """Most memory that this process ever had, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _measured(reader: Reader, trial: Trial, folder: Path) -> tuple[Result, float]:
    start = time.process_time()
    result = _read(reader, trial, folder)
    return result, time.process_time() - start


def _read(reader: Reader, trial: Trial, folder: Path) -> Result:
    try:
        reader.read(folder, trial.lenient)
    except ErrorbarError as error:
        placed = all(str(problem.place) for problem in error.problems)
        return Result(Outcome.PLACED if placed else Outcome.UNPLACED, error.code, str(error)[:500])
    except MemoryError:
        return Result(Outcome.LARGE, reader.name, "MemoryError")
    except BaseException as error:  # noqa: BLE001 - that is what we look for; C extensions panic in their own ways
        last = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in last if "/errorbar/" in frame.filename] or list(last)
        at = f"{Path(ours[-1].filename).name}:{ours[-1].name}"
        return Result(Outcome.INTERNAL, f"{type(error).__name__} in {at}", _last_lines(error))
    return Result(Outcome.READ)


def _last_lines(error: BaseException) -> str:
    lines = "".join(traceback.format_exception(error, limit=-6)).splitlines()
    return "\n".join(line[:300] for line in lines)


def save(trial: Trial, reader: Reader, result: Result, folder: Path) -> Path:
    """Keep an input that failed; ``python -m tests.fuzz FOLDER`` reads it again."""
    kept = folder / trial.name
    for name, content in trial.files.items():
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(content)
    about = {"reader": reader.name, "lenient": trial.lenient, "files": list(trial.files), "outcome": result.outcome}
    (kept / "trial.json").write_text(json.dumps(about), encoding="utf-8")
    (kept / "why.txt").write_text(f"{result.outcome}: {result.kind}\n{result.detail}\n", "utf-8", "backslashreplace")
    return kept


def saved(folder: Path) -> tuple[str, Trial]:
    """The reader's name and the input that was kept in a folder."""
    about = json.loads((folder / "trial.json").read_text(encoding="utf-8"))
    files = {name: (folder / name).read_bytes() for name in about["files"]}
    return about["reader"], Trial(folder.name, files, about["lenient"])
