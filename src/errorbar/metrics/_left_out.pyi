"""Types of the compiled fold with stretches left out; see _left_out.pyx."""

import numpy as np
from numpy.typing import NDArray

def fold_left_out(
    counts: NDArray[np.int32],
    present: NDArray[np.uint8],
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
    masks: NDArray[np.uint8],
    beta: float,
    totals: NDArray[np.int64],
    n_units: NDArray[np.int64],
) -> bool: ...
