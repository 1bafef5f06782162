"""What the raters and the nemesis did, as they saw it: the only thing, beside the store, that checkers look at."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

Phase = Literal["invoke", "ok", "refused", "unknown", "info"]
"""``unknown``: no answer came, or one that says nothing (the connection broke, 503): it may have happened, or may
happen yet. It stays unknown: nobody looks later and writes down what turned out."""


@dataclass(frozen=True, slots=True)
class Op:
    """One line.

    Attributes:
        at: Seconds since the run began, by the harness's monotonic clock.
        who: ``rater-7``, ``manager``, ``nemesis``.
        what: ``join``, ``claim``, ``answer``, ``exclude``, ``readmit``, ``backup`` or what the nemesis did.
        phase: Of the operation.
        call: Number of the request; its completion has the same.
        data: What was sent or came back; of an answer one line for each submission.
    """

    at: float
    who: str
    what: str
    phase: Phase
    call: int
    data: Mapping[str, Any] = field(default_factory=dict)


class History:
    """Collects lines, and writes each as it comes, so that a harness that dies leaves what it saw."""

    def __init__(self, file: Path | None = None) -> None:
        self.ops: list[Op] = []
        self._began = time.monotonic()
        self._calls = 0
        self._file: IO[str] | None = file.open("w", encoding="utf-8") if file else None

    def call(self) -> int:
        self._calls += 1
        return self._calls

    def add(self, who: str, what: str, phase: Phase, call: int = 0, /, **data: object) -> None:
        op = Op(round(time.monotonic() - self._began, 6), who, what, phase, call, data)
        self.ops.append(op)
        if self._file:
            self._file.write(json.dumps(asdict(op), ensure_ascii=False) + "\n")

    def of(self, what: str, phase: Phase | None = None) -> Iterator[Op]:
        return (each for each in self.ops if each.what == what and phase in (None, each.phase))

    def close(self) -> None:
        if self._file:
            self._file.close()

    @classmethod
    def load(cls, file: Path) -> History:
        made = cls()
        with file.open(encoding="utf-8") as lines:
            made.ops = [Op(**json.loads(line)) for line in lines]
        return made
