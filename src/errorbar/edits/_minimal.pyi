"""Types of the compiled minimal alignment; see _minimal.pyx."""

from collections.abc import Sequence

def align(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int, int, int]]: ...
