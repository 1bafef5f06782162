"""Which learners run: the compiled ones where there are, else their readable twins."""

from __future__ import annotations

from types import ModuleType

from errorbar.detectors import learning
from errorbar.edits.matching import KERNEL


def kernel() -> ModuleType:
    """The compiled kernel, else ``learning``: the same functions, the same numbers."""
    if KERNEL:
        try:
            from errorbar.detectors import _learn  # noqa: PLC0415 - absent without a compiler
        except ImportError:
            return learning
        return _learn
    return learning
