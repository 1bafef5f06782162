"""Whether the compiled kernel is there, and why not."""

from __future__ import annotations

import os
from importlib.util import find_spec

SWITCH = "ERRORBAR_KERNEL"
"""Environment variable: ``off`` makes the readable twins serve even where the kernel is compiled."""

COMPILED = find_spec("errorbar.edits._kernel") is not None
KERNEL = COMPILED and os.environ.get(SWITCH, "").lower() != "off"


def explain() -> str:
    """Say which implementation is active and why."""
    if KERNEL:
        return "compiled kernel"
    if COMPILED:
        return f"readable twin, because {SWITCH}=off"
    return "readable twin, because no C compiler was found when errorbar was installed (same numbers, slower)"
