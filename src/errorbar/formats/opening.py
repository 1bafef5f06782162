"""Opening text: lines in UTF-8, however they come, and one clear line for whatever is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.byte_files import BLOCK, LONGEST_LINE, byte_blocks, open_bytes
from errorbar.formats.pipes import STANDARD_INPUT, Source, cannot_keep, display_name, pipes_are_kept, read_once

__all__ = [
    "BLOCK",
    "LONGEST_LINE",
    "STANDARD_INPUT",
    "Lines",
    "Source",
    "decode_lines",
    "display_name",
    "open_bytes",
    "read_once",
    "rereadable",
]

_BOM = "\ufeff"
_WEB_PAGE = ("<!doctype html", "<html")


class Lines:
    """The lines of a UTF-8 file, cut on LF alone, without their LF or CR LF and without a byte order mark.

    U+2028 and its relatives stay inside their line. A byte that is not UTF-8 is an error; lenient reading
    replaces it by U+FFFD. Iterating twice goes on where the first iteration stopped.

    Attributes:
        name: What the file is called in messages.

    Args:
        path: The file.
        problems: Where problems are recorded.
        name: What messages call it; None: the path.
        last: As for ``open_bytes``.
    """

    def __init__(self, path: Source, problems: Problems, name: Source | None = None, *, last: bool = False) -> None:
        self.name = display_name(path if name is None else name)
        self._blocks = _read_blocks(path, self.name, problems, last=last)
        self._ahead: list[str] = []
        self._lines = self._iterate()

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def _iterate(self) -> Iterator[str]:
        for block in self.blocks():
            yield from block

    def blocks(self) -> Iterator[list[str]]:
        """The lines many at a time, for who can take them so; instead of iterating."""
        yield self._ahead
        yield from self._blocks

    def ahead(self, count: int) -> list[str]:
        """The first lines, before any is taken; fewer in a shorter file.

        Raises:
            InputError: If the file cannot be opened.
        """
        while len(self._ahead) < count and self._more():
            pass
        return self._ahead[:count]

    def _more(self) -> bool:
        """Look one block further; False at the end."""
        block = next(self._blocks, None)
        self._ahead += block or ()
        return block is not None

    def peek(self) -> str:
        """The first line that is not blank, before any is taken; ``""`` where there is none.

        Raises:
            InputError: If the file cannot be opened.
        """
        number = 0
        while number < len(self._ahead) or self._more():
            if self._ahead[number].strip():
                return self._ahead[number]
            number += 1
        return ""


def rereadable(path: Source) -> Source:
    """A path that can be opened more than once: a pipe that nobody keeps is copied to a file for the whole process."""
    if pipes_are_kept() or not read_once(path):
        return path
    import atexit  # noqa: PLC0415 - rarely needed
    import tempfile  # noqa: PLC0415

    with open_bytes(path) as pipe:
        try:
            copy = tempfile.NamedTemporaryFile(prefix="errorbar-", delete=False)  # noqa: SIM115 - closed below
            atexit.register(Path(copy.name).unlink, missing_ok=True)
            with copy:
                while block := pipe.read(BLOCK):
                    copy.write(block)
        except OSError as error:
            raise InputError(cannot_keep(display_name(path), error)) from None
    return copy.name


def _read_blocks(path: Source, name: str, problems: Problems, *, last: bool) -> Iterator[list[str]]:
    """Yield lists of lines: decoding and cutting many lines at once is several times faster than one by one."""
    number = 0
    for block in byte_blocks(path, name, last=last):
        lines = decode_lines(block.removesuffix(b"\n"), name, number, problems)
        yield lines
        number += len(lines)


def decode_lines(block: bytes, name: str, number: int, problems: Problems) -> list[str]:
    """Lines of a block that starts after line ``number``, without their ends and without a byte order mark.

    Raises:
        InputError: If the file is a web page, or as ``problems`` does.
    """
    try:
        lines = block.decode().split("\n")
    except UnicodeDecodeError:
        lines = [_decode_line(raw, name, number + i, problems) for i, raw in enumerate(block.split(b"\n"), 1)]
    if b"\r" in block:
        lines = [line.removesuffix("\r") for line in lines]
    if number == 0:
        lines[0] = lines[0].removeprefix(_BOM)
        if lines[0].lower().startswith(_WEB_PAGE):
            raise InputError(_web_page(name))
    return lines


def _decode_line(raw: bytes, name: str, number: int, problems: Problems) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{raw[error.start]:02X} at column {error.start + 1} is not UTF-8"
        problems.repairable("not-utf8", what, Place(name, number), expected="UTF-8 text", repair="replaced by U+FFFD")
        return raw.decode(errors="replace")


def _web_page(name: str) -> Problem:
    return Problem(
        "web-page",
        "this is a web page",
        Place(name, 1),
        "text",
        "download the raw file, not the page that shows it",
    )
