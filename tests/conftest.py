"""What every test may ask for: the research corpora, where they are, and the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
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


@pytest.fixture(scope="session")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every part of the models that the pages of detectors are about, for slow tests: 90 seconds and 1.5 GB."""
    folder = tmp_path_factory.mktemp("trained") / "models"
    text = data / "openstax_ccby_text" / "*.txt"  # the license among them
    bank = data / "ud_english_ewt" / "en_ewt-ud-train.rebuilt.conllu"
    words = [
        sys.executable,
        "-m",
        "errorbar",
        "train",
        text,
        "--treebank",
        bank,
        "--license",
        "CC BY 4.0",
        "-o",
        folder,
    ]
    subprocess.run([*map(str, words)], check=True, capture_output=True)
    return folder


@pytest.fixture
def errorbar(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, run inside this process."""
    return CommandLine(monkeypatch, capfd)
