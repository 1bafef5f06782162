"""How often equal systems are found to differ, and replication: parts of docs/measurements/judge-tests.md."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from errorbar.metrics import JudgedText
from errorbar.metrics.over_judges import USUAL, USUAL_OF_ONE
from errorbar.metrics.populations import known_population
from tests.helpers.equal_systems import draw_equal_systems, log_loss, read_texts, split_halves
from tests.helpers.page_rows import rows_of_page

STRONG, ANNOTATORS = ("CAMB", "CUUI", "AMU", "POST", "NTHU"), (5, 6, 7, 8, 9)
TWELVE = (*STRONG, "IITB", "IPN", "PKU", "RAC", "SJTU", "UFC", "UMC")
CORPORA = 200


@cache
def texts(data: Path, kind: str) -> list[JudgedText]:
    if kind == "fifteen":
        return read_texts(data, TWELVE, ANNOTATORS[:3], 3)
    return read_texts(data, STRONG if kind == "2014" else (), ANNOTATORS if kind == "annotators" else (), 3)


@cache
def judged_by_ten(data: Path, kind: str) -> list[JudgedText]:
    """The same systems, or all ten annotators, each scored against the other nine."""
    if kind == "2014":
        return texts(data, kind)
    return [text for i in range(10) for text in read_texts(data, (), (i,), 2)]


@pytest.mark.parametrize(
    ("kind", "k"), rows_of_page(product(("2014", "annotators", "fifteen"), (1, 2, 3)), in_ci=(1, 3, 8))
)
def test_equal_systems_are_rarely_found_to_differ(data: Path, kind: str, k: int) -> None:
    """At most .05 and two standard errors; annotators have five others as judges (beside twelve of 2014: seven)."""
    known = known_population().find("m2", "f", k)
    rng = np.random.default_rng([k, len(kind)])
    wrong = np.zeros(2)
    for _ in range(CORPORA):
        corpus = draw_equal_systems(texts(data, kind), k, known, rng)
        wrong += [p.min() <= 0.05 for p in corpus.p_values(500, rng)]
    assert (wrong / CORPORA <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / CORPORA)).all(), wrong


@pytest.mark.slow
def test_two_judges_alone_err_too_often(data: Path) -> None:
    """Without a population Holm's adjustment of the plain t is what a population mends; long tails mend it, too."""
    rng = np.random.default_rng(8)
    wrong = np.zeros(2)
    for _ in range(CORPORA):
        corpus = draw_equal_systems(texts(data, "annotators"), 2, None, rng)
        wrong += [p.min() <= 0.05 for p in corpus.p_values(500, rng)]
    by_max_t, by_holm = wrong / CORPORA
    assert by_max_t <= 0.05
    assert by_holm >= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["2014", "annotators"])
@pytest.mark.parametrize("k", [1, 2])
def test_replication_comes_true(data: Path, kind: str, k: int) -> None:
    """Off by .05 at most in the mean over tenths of the trials, and with a smaller loss than the measure before."""
    known = known_population().find("m2", "f", k)
    assert known is not None
    share = USUAL_OF_ONE if k == 1 else USUAL
    halves = split_halves(
        judged_by_ten(data, kind), k, 60 if kind == "annotators" else 200, known, share, np.random.default_rng(k)
    )
    tenths = np.array_split(np.argsort(halves.predicted), 10)
    off = [abs(halves.predicted[own].mean() - halves.came_true[own].mean()) for own in tenths]
    assert np.mean(off) <= 0.05
    assert log_loss(halves.predicted, halves.came_true) < log_loss(halves.before, halves.came_true)
