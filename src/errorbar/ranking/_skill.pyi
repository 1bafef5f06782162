"""Types of the compiled TrueSkill of many replicates; see _skill.pyx."""

import numpy as np
from numpy.typing import NDArray

def rate_replicates(
    outcomes: NDArray[np.int8],
    units: NDArray[np.int64],
    swapped: NDArray[np.uint8],
    one: int,
    other: int,
    mu: float,
    variance: float,
    noise: float,
    edge: float,
    means: NDArray[np.float64],
) -> None: ...
