"""Types of the compiled fold; see _fold.pyx."""

import numpy as np
from numpy.typing import NDArray

def fold_replicates(
    counts: NDArray[np.int32],
    present: NDArray[np.uint8],
    units: NDArray[np.int64],
    slots: NDArray[np.int64],
    swaps: NDArray[np.uint8],
    packed_swaps: NDArray[np.uint8],
    masks: NDArray[np.uint8],
    beta: float,
    running: bool,
    rounded: bool,
    totals: NDArray[np.int64],
    n_units: NDArray[np.int64],
    chosen: NDArray[np.int32],
) -> None: ...
