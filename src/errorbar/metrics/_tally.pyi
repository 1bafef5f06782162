"""Types of the compiled sums by type; see _tally.pyx."""

import numpy as np
from numpy.typing import NDArray

def add_chosen(
    units: NDArray[np.int64],
    columns: NDArray[np.int32],
    width: int,
    starts: NDArray[np.int64],
    types: NDArray[np.int64],
    counts: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None: ...
