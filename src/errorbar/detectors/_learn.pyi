"""Types of the compiled learners; see _learn.pyx and, in words, learning.py."""

import numpy as np
from numpy.typing import NDArray

def learn_perceptron(
    rows: NDArray[np.int32],
    right: NDArray[np.int8],
    order: NDArray[np.int64],
    weights: NDArray[np.int32],
    totals: NDArray[np.int64],
    at: int,
) -> int: ...
def learn_tags(
    rows: NDArray[np.int32],
    states: NDArray[np.uint32],
    depths: NDArray[np.int8],
    codes: NDArray[np.uint32],
    right: NDArray[np.int8],
    spans: NDArray[np.int64],
    weights: NDArray[np.int32],
    totals: NDArray[np.int64],
    at: int,
    bits: int,
) -> int: ...
def learn_maxent(
    rows: NDArray[np.int32],
    right: NDArray[np.int8],
    order: NDArray[np.int64],
    weights: NDArray[np.float32],
    squares: NDArray[np.float32],
    rate: float,
) -> float: ...
def add_scores(
    rows: NDArray[np.int32],
    offsets: NDArray[np.int32],
    classes: NDArray[np.int8],
    weights: NDArray[np.float32],
    scores: NDArray[np.float64],
) -> None: ...
def tag_tokens(
    rows: NDArray[np.int32],
    states: NDArray[np.uint32],
    depths: NDArray[np.int8],
    codes: NDArray[np.uint32],
    spans: NDArray[np.int64],
    offsets: NDArray[np.int32],
    classes: NDArray[np.int8],
    weights: NDArray[np.float32],
    tags: NDArray[np.int8],
    bits: int,
) -> None: ...
