import numpy as np
from numpy.typing import NDArray

def score_runs(
    word: NDArray[np.int32],
    log10_prob: NDArray[np.float32],
    first: NDArray[np.int32],
    log10_backoff: NDArray[np.float32],
    order: int,
    ids: NDArray[np.int32],
    starts: NDArray[np.uint8],
    out: NDArray[np.float64],
) -> None: ...
