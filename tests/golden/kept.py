"""What is kept of a command's result, and how it is recorded.

``python -m tests.golden.kept demo`` (or ``shared``, with names of calls to record only those) records again what was
meant to change; the changelog lists every digit that did, with its reason.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.golden.calls import DEMO, SHARED
from tests.golden.files import link_shared, write_demo

FOLDER = Path(__file__).parent
DATA = FOLDER.parents[2] / "shared" / "data"
TEXTS = ("report", "convert")
"""Commands that write texts, not a result with ``--format``."""
EPOCH = {"SOURCE_DATE_EPOCH": "1795348800"}
"""Reports are dated so, whenever they are made."""
NAMES = 24
"""Longer strings are kept as a hash: what could be a sentence is not kept."""


def words(call: tuple[str, ...], files: dict[str, str]) -> list[str]:
    """The words of a call, ``{name}`` replaced by the file."""
    given = [files[word[1:-1]] if word.startswith("{") else word.format_map(files) for word in call]
    return given if call[0] in TEXTS else [*given, "--format", "json"]


def kept(out: str, *, whole: bool) -> Any:  # noqa: ANN401 - what JSON holds
    """What is kept of an output: all of it, or its numbers, short words, and hashes of longer texts."""
    try:
        document = json.loads(out)
    except ValueError:
        lines = out.splitlines()
        return lines if whole else {"lines": len(lines), "sha256": _hash(out)}
    return document if whole else _hashed(document)


def _hashed(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    if isinstance(value, dict):
        return {key: _hashed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_hashed(inner) for inner in value]
    return _hash(value) if isinstance(value, str) and len(value) > NAMES else value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def main(corpus: str, *names: str) -> None:
    """Record the calls of a corpus."""
    calls = {"demo": DEMO, "shared": SHARED}[corpus]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_demo(folder) if corpus == "demo" else link_shared(folder, DATA)
        for call in names or calls:
            command = [sys.executable, "-m", "errorbar", *words(calls[call], files)]
            own = {**os.environ, **EPOCH}
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, env=own, timeout=1500
            )
            if done.returncode not in (0, 1):
                raise SystemExit(f"{call}: {done.stderr}")
            target = FOLDER / corpus / f"{call}.json"
            target.parent.mkdir(exist_ok=True)
            text = json.dumps(kept(done.stdout, whole=corpus == "demo"), ensure_ascii=False, indent=1)
            target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
