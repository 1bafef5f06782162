"""Types of arrays, and division without warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]
Ints = NDArray[np.int64]


def divide(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """Quotients, NaN where the divisor is not above 0."""
    nowhere = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    return np.asarray(np.divide(above, below, out=nowhere, where=below > 0), np.float64)
