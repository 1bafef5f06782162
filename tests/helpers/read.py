"""Reading from a string as if it were a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from errorbar import Problems
from errorbar.formats import Lines


@contextmanager
def lines_of(content: str | bytes, problems: Problems) -> Iterator[Lines]:
    """The lines of a temporary file with this content; for tests that cannot ask for ``tmp_path``."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        yield Lines(str(file), problems)
