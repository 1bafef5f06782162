"""Cutting a text file into stretches of whole units, without understanding them: for whoever reads them elsewhere.

A unit is a line, or a sentence of an M2 file with its A lines. Cutting takes a fiftieth of the time of reading, so
that one process can feed many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines, byte_blocks, open_bytes, packed_stream

BLOCK = 1 << 20
"""Bytes read at a time."""
LONGEST_SENTENCE = 1 << 27
"""Bytes from one S line to the next that are held; a line may have half as many."""
_BOM = b"\xef\xbb\xbf"
_S, _SPACE, _LF, _CR = b"S \n\r"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive units of a file: their bytes, or where these are.

    Attributes:
        path: The file.
        start: Where the stretch starts, in bytes.
        size: Its length in bytes.
        lines_before: Lines of the file before it.
        separated: Whether a blank line ended the sentence before it.
        data: The bytes; None: to be read from the file.
    """

    path: str
    start: int
    size: int
    lines_before: int
    separated: bool
    data: bytes | None

    def read(self) -> bytes:
        """The bytes.

        Raises:
            InputError: If the file cannot be read here, or is no longer as long.
        """
        if self.data is not None:
            return self.data
        try:
            with Path(self.path).open("rb") as stream:
                stream.seek(self.start)
                data = stream.read(self.size)
        except OSError as error:
            what = f"cannot be read by a worker: {error.strerror}"
            raise InputError(Problem("cannot-open", what, Place(self.path))) from None
        if len(data) < self.size:
            what = "has become shorter while it was read"
            raise InputError(Problem("file-changed", what, Place(self.path), fix="run again"))
        return data

    def lines(self, problems: Problems) -> Lines:
        """Its lines, which know where in the file they stand."""
        return Lines(self.path, problems, cut=[self.read()], before=self.lines_before)


class Cutter:
    """Cuts a file into stretches, one after the other; its memory is that of one stretch.

    Args:
        path: The file, gzipped or not.
        sentences: A unit is a sentence of M2 rather than a line.
        carry: Stretches hold their bytes, for workers who do not see the file; gzipped files always do.
    """

    def __init__(self, path: str, *, sentences: bool, carry: bool) -> None:
        self.path = path
        self.sentences = sentences
        self._blocks = byte_blocks(path, size=BLOCK)
        with open_bytes(path) as stream:
            self.carry = carry or packed_stream(stream) is not None
        self._buffer = b""
        self._scanned = 0
        self._starts: NDArray[np.int64] = np.empty(0, np.int64)
        self._offset = self._lines = 0
        self._separated = True
        self._ended = False

    def take(self, size: int) -> tuple[Stretch, int]:
        """The next ``size`` units, or as many as there are, and their number."""
        while len(self._starts) <= size and not self._ended:
            self._fill()
        n = min(size, len(self._starts))
        end = int(self._starts[n]) if len(self._starts) > n else len(self._buffer)
        data = self._buffer[:end]
        stretch = Stretch(self.path, self._offset, end, self._lines, self._separated, data if self.carry else None)
        if n and self.sentences:
            self._separated = _ends_block(data[int(self._starts[n - 1]) :])
        self._buffer = self._buffer[end:]
        self._starts = self._starts[n:] - end
        self._scanned -= end
        self._offset += end
        self._lines += data.count(b"\n")
        return stretch, n

    def rest(self) -> Iterator[bytes]:
        """The bytes of what was not taken, in blocks that end with lines."""
        while True:
            stretch, n = self.take(1 << 14)
            if not n:
                return
            yield stretch.read()

    def close(self) -> None:
        """Close the file."""
        self._blocks.close()

    def _fill(self) -> None:
        block = next(self._blocks, b"")
        self._ended = not block
        self._buffer += block
        end = len(self._buffer)
        if self._ended:
            return
        # What ends without a line feed still is a line; the second byte is for looking ahead.
        tail = b"\n" if block.endswith(b"\n") else b"\n\n"
        self._starts = np.append(self._starts, self._find(block + tail, end))
        self._scanned = end
        if end - int(self._starts[-1] if len(self._starts) else 0) > LONGEST_SENTENCE:
            what = f"a sentence whose A lines have more than {LONGEST_SENTENCE:,} bytes"
            place = Place(self.path, self._lines + self._buffer.count(b"\n"))
            raise InputError(
                Problem("sentence-too-long", what, place, "S lines", "or read it by one process: --jobs 1")
            )

    def _find(self, text: bytes, end: int) -> NDArray[np.int64]:
        """Where units start, in lines that are complete."""
        characters = np.frombuffer(text, np.uint8)
        starts = np.append(0, np.flatnonzero(characters[: end - self._scanned - 1] == _LF) + 1)
        if self.sentences:
            first = characters[starts]
            if not self._offset and not self._scanned and text.startswith(_BOM):
                starts[0] = len(_BOM)
                first = characters[starts]
            starts = starts[first == _S]
            second = characters[starts + 1]
            alone = second == _LF
            alone[second == _CR] = characters[starts[second == _CR] + 2] == _LF
            starts = starts[(second == _SPACE) | alone]
            if not self._offset and not len(self._starts) and len(starts):
                starts[0] = 0  # what is before the first sentence goes with it
        return starts + self._scanned


def _ends_block(sentence: bytes) -> bool:
    """Whether there is a blank line after the last S line, as the reader of M2 tells both."""
    for line in reversed(sentence.removeprefix(_BOM).split(b"\n")[:-1]):
        text = line.decode(errors="replace").removesuffix("\r")
        if not text or text.isspace():
            return True
        if text[:2] in ("S ", "S"):
            break
    return False
