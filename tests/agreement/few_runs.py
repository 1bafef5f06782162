"""How often intervals of alpha hold the truth where errors are rare: a table of docs/measurements/agreement.md.

An item is an error with the chance ``rate``. A rater says what it is with the chance ``sure``, else "error" with the
chance ``rate``, so that two raters who both guess agree by chance alone: the true alpha is ``sure`` squared.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar import Judgments, Resampling
from errorbar.agreement import agreement_report
from errorbar.stats import stream

SEED, RUNS = 265, 1000
Method = Literal["percentile", "bca"]
METHODS: tuple[Method, ...] = ("percentile", "bca")
SETTINGS = (  # items, raters, rate, sure
    (10, 3, 0.4, 0.7),
    (30, 2, 0.3, 0.7),
    (30, 5, 0.05, 0.7),
    (100, 3, 0.03, 0.7),
    (200, 3, 0.03, 0.7),
    (300, 2, 0.1, 0.9),
    (1000, 2, 0.01, 0.6),
)


def judge(n: int, n_raters: int, rate: float, sure: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Whether each rater calls each item an error; shape (items, raters)."""
    truth, guess = rng.random((n, 1)) < rate, rng.random((n, n_raters)) < rate
    return np.where(rng.random((n, n_raters)) < sure, truth, guess)


def coverage(
    n: int, n_raters: int, rate: float, sure: float, method: Method = "bca", runs: int = RUNS
) -> tuple[float, float, float]:
    """Of the runs the share with an interval of alpha; of these the share that hold the truth; the median width."""
    rng, widths, held = stream(SEED, "few", n, n_raters), [], 0
    expected = sure * sure  # two raters covary as the truth does with itself, if both say what it is
    for _ in range(runs):
        said = np.where(judge(n, n_raters, rate, sure, rng), "error", "ok")
        judgments = Judgments.from_matrix(said.tolist(), labels=("ok", "error"))
        interval = agreement_report(judgments, resampling=Resampling(method, 500)).coefficients["krippendorff"].interval
        if interval is not None:
            widths.append(interval.high - interval.low)
            held += interval.low <= expected <= interval.high
    return len(widths) / runs, held / len(widths), float(np.median(widths))


def row(n: int, n_raters: int, rate: float, sure: float) -> str:
    """A row of the page; the fourth cell is how many items are expected to have somebody's "error"."""
    runs = [coverage(n, n_raters, rate, sure, method) for method in METHODS]
    ok_ok, ok_error = sure + (1 - sure) * (1 - rate), (1 - sure) * (1 - rate)  # chances to say "ok" of either kind
    others = n * (1 - (1 - rate) * ok_ok**n_raters - rate * ok_error**n_raters)
    cells = [f"{n:,}", str(n_raters), f"{100 * rate:g} %", f"{others:.0f}", f"{runs[0][0]:.2f}"]
    return f"| {' | '.join([*cells, *(f'{held:.3f}, {width:.2f}' for _, held, width in runs)])} |"


if __name__ == "__main__":
    for setting in SETTINGS:
        print(row(*setting), flush=True)  # noqa: T201
