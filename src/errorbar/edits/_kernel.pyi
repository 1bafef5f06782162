"""Types of the compiled door; see _kernel.pyx."""

import numpy as np
from numpy.typing import NDArray

class LargeSpace: ...

def workspace() -> LargeSpace: ...
def match_pairs(
    w: LargeSpace,
    source: NDArray[np.int32],
    source_off: NDArray[np.int64],
    hypothesis: NDArray[np.int32],
    hypothesis_off: NDArray[np.int64],
    present: NDArray[np.uint8],
    edit_off: NDArray[np.int64],
    edit_start: NDArray[np.int32],
    edit_end: NDArray[np.int32],
    edit_alt: NDArray[np.int64],
    alt_off: NDArray[np.int64],
    alt_tok: NDArray[np.int32],
    max_unchanged: int,
    arc_limit: int,
    cell_limit: int,
    state_limit: int,
    fold_off: NDArray[np.int64],
    folded: NDArray[np.int32],
    counts: NDArray[np.int32],
    matched: NDArray[np.uint8],
    large: NDArray[np.uint8],
    edits: NDArray[np.int32] | None = None,
    edits_off: NDArray[np.int64] | None = None,
) -> int: ...
