"""Fixtures of every test of the report."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from errorbar.demo import demo_files
from errorbar.reporting import Report
from tests.reporting.pages import compute_studies, report_of


@pytest.fixture(scope="session")
def demo() -> Iterator[tuple[list[str], Report]]:
    """Arguments of the demo corpus, and its report, with 200 resamples and seed 7."""
    with demo_files() as (gold, systems):
        paths = [str(path) for path in systems]
        parts = compute_studies(gold=(str(gold),), systems=tuple(paths), metric=["m2", "m2(beta=1)"], ceiling_ci=20)
        yield ["--gold", str(gold), *paths], report_of(parts)
