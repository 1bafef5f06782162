"""Types of the compiled encoding; see _encode.pyx."""

import numpy as np
from numpy.typing import NDArray

from errorbar.core.edit import Edit

def number_tokens(
    texts: list[str], vocabulary: dict[str, int], separator: str | None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def list_columns(
    edits: list[Edit], types: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], list[str]] | None: ...
