"""The clock of leases, sessions and invites: the machine's, which tests of the protocol may set forward and back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

VARIABLE = "ERRORBAR_JUDGE_CLOCK"


def study_clock() -> Callable[[], float]:
    """``time.time``; where ``ERRORBAR_JUDGE_CLOCK`` names a file, plus the seconds in it, read at every look.

    Only for tests: all workers of a server see one clock, and it jumps while they run.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return time.time
    file = Path(named)
    return lambda: time.time() + float(file.read_text(encoding="ascii") or 0)
