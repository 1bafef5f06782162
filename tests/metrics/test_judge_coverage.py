"""Coverage of intervals over texts and judges: tables of docs/measurements/judges.md with other random numbers."""

from __future__ import annotations

import re
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.fitted_judges import CHECK_SEED, FIT_CORPORA, real_components, simulated_components
from tests.helpers.page_rows import rows_of_page
from tests.helpers.synthetic_judges import Coverage, World, coverage

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/measurements/judges.md"
MEASURED = ROOT / "tests/measured/judges.md"
TABLE_CORPORA, CORPORA, FEWER_CORPORA, TABLE_SEED, SEED = 2000, 1000, 400, 20261122, 7
"""What the page shows is of ``TABLE_SEED``, and checked with others; two rows in CI, with fewer."""
STUDY_CORPORA = 1200
"""At least so many had the other study for each row."""
Pair = tuple[float, float]
ROWS = [(2, 1), (2, 2), (3, 2), (3, 3), (5, 2), (5, 5), (10, 2), (10, 10)]


@cache
def world(data: Path) -> World:
    return World.read(data)


@cache
def page() -> dict[tuple[int, int], tuple[Pair | None, ...]]:
    """Essays alone, texts and judges, moderated, and the other study's two; of F and of the difference."""
    rows = {}
    for line in MEASURED.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\| (\d+), (\d+) \|(.*)\|$", line):
            cells = found[3].split("|")
            shares = [re.findall(r"\.\d{3}", cell) for cell in cells[:3] + cells[4:]]
            rows[int(found[1]), int(found[2])] = tuple(
                (float(each[0]), float(each[1])) if each else None for each in shares
            )
    assert list(rows) == ROWS
    return rows


def apart(one: float, other: float, n_one: int, n_other: int) -> float:
    """How many standard errors two simulated shares differ by."""
    return abs(one - other) / sqrt(one * (1 - one) / n_one + other * (1 - other) / n_other)


def test_the_page_says_which_rows_are_not_those_of_the_other_study() -> None:
    """More than two standard errors apart, of 16 figures and 6 moderated ones."""
    differ = set()
    for row, (_, both, moderated, study, study_moderated) in page().items():
        for name, ours, theirs in (("", both, study), (" moderated", moderated, study_moderated)):
            if ours is not None and theirs is not None:
                for what, one, other in zip("FD", ours, theirs, strict=True):
                    if apart(one, other, TABLE_CORPORA, STUDY_CORPORA) > 2:
                        differ.add(f"{row[0]}, {row[1]}: {what}{name}")
    said = re.search(r"by more than two standard errors: `(.*?)`", PAGE.read_text(encoding="utf-8"))
    assert said is not None
    assert differ == set(said[1].split("; "))


def test_from_three_judges_on_the_page_has_at_least_93() -> None:
    assert all(min(both) >= 0.93 for (m, _), (_, both, *_) in page().items() if m >= 3 and both)


@pytest.mark.slow
def test_the_judges_resemble_the_ten(data: Path) -> None:
    """What the standard deviations were fitted to, with other random numbers."""
    found = simulated_components(world(data), 100, CHECK_SEED)
    off = np.abs(found.mean - real_components(world(data)))
    error = found.error * sqrt(1 + 100 / FIT_CORPORA)  # of both simulations: the fit rests on one, too
    assert (off[:3] <= 3 * error[:3]).all(), found


@pytest.mark.parametrize(
    ("m", "k", "corpora"),
    rows_of_page(
        [*((*row, FEWER_CORPORA) for row in (ROWS[0], ROWS[2])), *((*row, CORPORA) for row in ROWS)], in_ci=(0, 1)
    ),
)
def test_coverage_is_that_of_the_page(data: Path, m: int, k: int, corpora: int) -> None:
    own = world(data)
    texts, both, moderated, *_ = page()[m, k]
    found = coverage(own.draw, m, k, corpora, seed=SEED, priors=own.priors(m, k) if moderated else None)
    for ours, said in ((found.texts, texts), (found.both, both), (found.moderated, moderated)):
        if ours is not None and said is not None:
            for one, other in zip(ours, said, strict=True):
                assert apart(one, other, corpora, TABLE_CORPORA) <= 3
    assert found.texts[0] < found.both[0]  # judges as they are cover less
    assert m < 3 or min(found.both) >= 0.93 - 2 * found.error


@pytest.mark.parametrize("m", rows_of_page([2, 3, 5]))
def test_judges_of_one_source(data: Path, m: int) -> None:
    """The stress case, which the page and the warning name: from two judges the interval covers too little."""
    own = world(data)
    found: Coverage = coverage(own.draw_shared, m, 2, CORPORA, seed=SEED, priors=own.priors(m, 2))
    said = re.search(rf"\| {m} of one source \|(.*)\|", MEASURED.read_text(encoding="utf-8"))
    assert said is not None
    shown = [float(each) for each in re.findall(r"\.\d{3}", said[1])]
    assert found.moderated is not None
    for one, other in zip((*found.texts, *found.both, *found.moderated), shown, strict=True):
        assert apart(one, other, CORPORA, TABLE_CORPORA) <= 3
    if m == 2:
        assert found.both[0] < found.moderated[0] < 0.93
