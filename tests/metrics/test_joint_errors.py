"""How often a comparison of equal systems finds a difference, and replication: parts of docs/judge-tests.md."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from errorbar.metrics.population_fit import JudgedText
from errorbar.metrics.populations import known_population
from tests.helpers.equal_systems import draw_equal_systems, read_texts

STRONG, ANNOTATORS = ("CAMB", "CUUI", "AMU", "POST", "NTHU"), (5, 6, 7, 8, 9)
CORPORA = 400


@cache
def texts(data: Path, kind: str) -> list[JudgedText]:
    return read_texts(data, STRONG if kind == "2014" else (), ANNOTATORS if kind == "annotators" else (), 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["2014", "annotators"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_equal_systems_are_rarely_found_to_differ(data: Path, kind: str, k: int) -> None:
    """At most .05 and two standard errors; annotators have five others as judges, and three of them are most."""
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
