"""Types of the compiled choice by F of four places; see _rounded.pyx."""

import numpy as np
from numpy.typing import NDArray

def in_ten_thousandths(values: NDArray[np.float64]) -> list[float]: ...
