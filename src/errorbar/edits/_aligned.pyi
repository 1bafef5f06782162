"""Types of the compiled alignment; see _aligned.pyx."""

import numpy as np
from numpy.typing import NDArray

Step = tuple[str, int, int, int, int]

def align(
    ours: NDArray[np.uint64],
    our_texts: list[str],
    theirs: NDArray[np.uint64],
    their_texts: list[str],
    content: NDArray[np.uint64],
) -> list[Step]: ...
