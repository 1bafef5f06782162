"""What every test may ask for: the research corpora, where they are, and the command line."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.cli import CommandLine

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"

# The same examples on every machine and every day; `--hypothesis-profile explore` looks for new ones.
settings.register_profile("default", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")

# A shell starts what it runs in the background with SIGINT ignored, and children take that over: programs that the
# tests interrupt would not notice.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _folder(name: str, probe: str) -> Path:
    folder = SHARED / name
    if not (folder / probe).exists():
        pytest.skip(f"needs the research corpora: no {probe} in ../shared/{name} beside the repository")
    return folder


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of research corpora, which are not part of the repository."""
    return _folder("data", "conll14/noalt/official-2014.combined.m2")


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of the papers' tables, as CSV."""
    return _folder("published", "conll2014_table07_no_alternatives.csv")


@pytest.fixture
def errorbar(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, run inside this process."""
    return CommandLine(monkeypatch, capfd)
