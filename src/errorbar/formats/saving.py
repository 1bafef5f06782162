"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from typing import IO, cast

from errorbar.core.problems import InputError, Place, Problem, UsageError, visible
from errorbar.formats.look import Source, cannot_keep, is_input, is_there

PICTURE_ENDINGS = (".svg", ".png", ".pdf")
STANDARD_OUTPUT = "-"
STUDY_FILES = ("study.toml", "secrets.json")  # that the folder of a judging study has
TASK_FILE = "task.toml"  # as the file of a shared task is called
_TASK_KEYS = ("gold", "source", "annotators", "documents", "submissions", "file", "terms", "pages", "logo")
"""Keys under which a task names files that people wrote or handed in."""
PREFIX = ".errorbar-"  # what the names of unfinished files start with, where they need one
_IN_MEMORY = 1 << 26  # bytes that are kept in memory before standard output is buffered on disk


def save_lines(lines: Iterable[str], target: str, *, private: bool = False, end: str = "\n") -> None:
    """Write lines to a file, or to standard output (``-``), once the last one is known: until then nothing changes.

    A ``private`` file can be read by its owner alone, from its first moment on.

    A name that ends in ``.gz`` is compressed, the same bytes for the same lines. ``end`` stands behind each line.
    """

    def fill(stream: IO[bytes]) -> None:
        for number, line in enumerate(lines, 1):
            try:
                stream.write(f"{line}{end}".encode())
            except UnicodeEncodeError as error:
                message = f"character {error.start + 1} of output line {number} is half of a surrogate pair, not text"
                problem = Problem("not-unicode", message, expected="Unicode text", fix="correct the input")
                raise InputError(problem) from None

    _save(target, fill, private=private)


def save_bytes(content: bytes, target: str) -> None:
    """Write bytes to a file, or to standard output (``-``), whole or not at all, as ``save_lines`` does."""
    _save(target, lambda stream: stream.write(content))


def _save(target: str, fill: Callable[[IO[bytes]], object], *, private: bool = False) -> None:
    """Let ``fill`` write beside the target, then move it into its place; a link stays, and what it names is written."""
    if is_stream(target):
        _save_late(target, fill)
        return
    refuse_input(target)
    try:
        path = Path(os.path.realpath(target))
        for number, wrong in ((errno.ELOOP, path.is_symlink()), (errno.EISDIR, path.is_dir())):
            if wrong:
                raise OSError(number, os.strerror(number))
        with _beside(path, private=private) as temporary:
            if target.endswith(".gz"):
                import gzip  # noqa: PLC0415 - most files are not gzipped

                with gzip.GzipFile("", "wb", fileobj=temporary, mtime=0) as packed:
                    fill(cast("IO[bytes]", packed))
            else:
                fill(temporary)
    except OSError as error:
        raise cannot_write(target, "written", error) from None


def refuse_input(target: Source) -> None:
    """Refuse to write over a file that is read or that a shared task names, or into the folder of a judging study.

    Every output is looked at before the work where a command names it, and again when it is saved: a receipt, a chart
    or a page of a folder has no option of its own.

    Raises:
        UsageError: If an input, a task or a study would be harmed.
    """
    name = os.fspath(target)
    if name == STANDARD_OUTPUT:
        return
    place = Place(name)
    if is_input(name):
        message = "the output would overwrite an input"
        raise UsageError(Problem("output-over-input", message, place, fix="name another file"))
    path = Path(os.path.realpath(name))
    for folder in path.parents:
        if all((folder / file).exists() for file in STUDY_FILES):
            message = f"the output would lie in {folder}, the folder of a judging study"
            raise UsageError(Problem("output-in-study", message, place, fix="name a place outside the study"))
    if is_there(path):
        for folder in path.parents:
            if path in _files_of_task(folder):
                message = f"the output would overwrite a file of the task in {folder / TASK_FILE}"
                fix = "name another file, or delete this one first"
                raise UsageError(Problem("output-in-task", message, place, fix=fix))


def _files_of_task(folder: Path) -> set[Path]:
    """The file of a task and those that it names; nothing where there is no task, or a file that is none."""
    file = folder / TASK_FILE
    if not file.is_file():
        return set()
    import tomllib  # noqa: PLC0415 - few outputs lie beside a task

    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {Path(os.path.realpath(file))}
    patterns = [str(folder / name) for name in _named_files(document)]
    names = [name for pattern in patterns for name in (pattern, *glob(pattern))]  # noqa: PTH207 - also absolute ones
    return {Path(os.path.realpath(name)) for name in (str(file), *names)}


def _named_files(value: object, *, is_file: bool = False) -> Iterator[str]:
    """The texts below the keys that name files."""
    if isinstance(value, str):
        if is_file and "\0" not in value:
            yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _named_files(inner, is_file=is_file or key in _TASK_KEYS)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_files(inner, is_file=is_file)


def refuse_unwritable(target: str) -> None:
    """Refuse a file that cannot be written, before minutes of work: an ``InputError``."""
    path = Path(target)
    if is_stream(target):
        return
    hindrances = (
        (path.is_dir(), "this is a folder", "name a file"),
        (not path.parent.is_dir(), f"there is no folder {path.parent}", "make it, or name another place"),
        (not os.access(path.parent, os.W_OK), f"the folder {path.parent} cannot be written", "name another place"),
    )
    for hindered, message, fix in hindrances:
        if hindered:
            raise InputError(Problem("cannot-write", message, Place(target), fix=fix))


def receipt_name(output: str) -> str:
    """Where the receipt of an output stands: ``report.receipt.json`` beside ``report.html``."""
    path = Path(output)
    return str(path.with_name(f"{path.stem}.receipt.json"))


def is_stream(target: str) -> bool:
    """Whether standard output, a pipe or a device stands there, under whatever name: it is written to, not replaced."""
    if target == STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(target).st_mode  # noqa: PTH116 - /dev/stdout leads to a pipe that has no path to resolve
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _beside(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A new file, which takes the place of ``path`` when it is whole.

    It has no name where the system allows (Linux, most file systems), so that nothing stays of one whose writer is
    killed; elsewhere it is ``.errorbar-...`` in the same folder.
    """
    name = ""
    try:
        number = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600 if private else 0o666)
    except (AttributeError, OSError):
        from tempfile import mkstemp  # noqa: PLC0415 - slow, and most systems do without

        number, name = mkstemp(prefix=PREFIX, dir=path.parent)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o600 if private else 0o666 & ~mask)
    try:
        with os.fdopen(number, "wb") as stream:
            yield stream
            stream.flush()
            if not name:
                name = str(path.parent / f"{PREFIX}{os.urandom(8).hex()}")
                # A folder makes Python use linkat, which can follow the link that stands for the open file.
                os.link(f"/proc/self/fd/{number}", name, src_dir_fd=number, follow_symlinks=True)
        if path.exists() and not private:
            Path(name).chmod(path.stat().st_mode & 0o777)
        Path(name).replace(path)
    finally:
        if name:
            Path(name).unlink(missing_ok=True)  # it has been moved


def _save_late(target: str, fill: Callable[[IO[bytes]], object]) -> None:
    """Write to what cannot be replaced, such as standard output, when everything is known."""
    from shutil import copyfileobj  # noqa: PLC0415 - slow, and few commands write files
    from tempfile import SpooledTemporaryFile  # noqa: PLC0415 - as above

    spool = cast("IO[bytes]", SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115 - closed below
    try:
        try:
            fill(spool)
            spool.seek(0)
        except OSError as error:
            raise cannot_keep(target, error) from None
        if target == STANDARD_OUTPUT:
            if sys.stdout.isatty():
                sys.stdout.buffer.writelines(map(_harmless, spool))
            else:
                copyfileobj(spool, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        try:
            with Path(target).open("wb") as stream:
                copyfileobj(spool, stream)
        except OSError as error:
            raise cannot_write(target, "written", error) from None
    finally:
        with suppress(OSError):  # what could not be written is tried again
            spool.close()


def _harmless(line: bytes) -> bytes:
    """Write a line's control characters as escapes: a terminal would obey them."""
    text = line.decode(errors="backslashreplace").removesuffix("\n")
    return "\t".join(map(visible, text.split("\t"))).encode() + b"\n" * line.endswith(b"\n")


def cannot_write(target: str, done: str, error: OSError) -> InputError:
    """The error for what cannot be written or made."""
    return InputError(Problem("cannot-write", f"cannot be {done}: {error.strerror or error}", Place(target)))
