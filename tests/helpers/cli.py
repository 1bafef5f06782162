"""Running the command line inside the test process, as the console script would."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from errorbar.cli.main import run


@dataclass(frozen=True)
class Outcome:
    """What a run left behind: the exit code, the data (stdout) and the talk (stderr)."""

    code: int
    out: str
    err: str

    @property
    def notes(self) -> str:
        """The talk without the text for a paper, which ``score`` and ``compare`` end with."""
        return self.err.partition("\nFor a paper:\n")[0]


@dataclass(frozen=True)
class CommandLine:
    """``errorbar("score", "--gold", ...)`` runs a command; no subprocess, so that a test run stays fast.

    Tests see every note, as ``--notes`` shows them; ``every_note`` false: the line on them that users see.
    """

    monkeypatch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]
    every_note: bool = True

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        self.monkeypatch.setattr(sys, "argv", ["errorbar", *["--notes"] * self.every_note, *map(str, arguments)])
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = self.capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Outcome(ended.value.code, out, err)
