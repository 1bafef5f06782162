"""What every test may ask for: the research corpora, where they are, and the command line."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.helpers.browser import launched
from tests.helpers.cli import CommandLine
from tests.helpers.once import once

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
SLOW_TIMES = 6
"""A slow test, one in a browser, or of an installation, may take so many times as long as others."""

# The same examples on every machine and every day, but for what ``pytest_configure`` takes out; `--hypothesis-profile
# thorough` draws five times as many, as CI does with the slow tests, and `explore` looks for new ones.
settings.register_profile(
    "default", max_examples=20, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=100)
settings.register_profile("explore", settings.get_profile("thorough"), derandomize=False)
settings.load_profile("default")

# A shell starts what it runs in the background with SIGINT ignored, and children take that over: programs that the
# tests interrupt would not notice. ``nohup`` does the same with SIGHUP.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# Looking for cycles after every 700 objects took a seventh of the time; commands do so even more seldom in processes of
# their own, where garbage of hours does not add up.
gc.set_threshold(50_000, 10, 20)


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Draw no constants of loaded modules: which are loaded hangs on what ran before in the same process."""
    if settings().derandomize:
        providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "end the process that runs a test after so many seconds, with the stacks of its threads"
    parser.addoption(
        "--limit", type=float, default=300.0, help=f"{help_text}; {SLOW_TIMES} times as many if it is slow"
    )
    parser.addoption(
        "--record-pages", action="store_true", help="write what commands print into the pages: tests.pages"
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def limit_seconds(item: pytest.Item) -> Generator[None, object, object]:
    """End a test that hangs, also inside a call of C that holds Python's lock.

    A worker of xdist that ends has failed its test and ends the run. Each phase has a limit of its own, as pytest takes
    a limit back when a test fails.
    """
    is_slow = any(item.get_closest_marker(name) for name in ("slow", "browser", "install"))
    seconds = item.config.getoption("--limit") * (SLOW_TIMES if is_slow else 1)
    faulthandler.dump_traceback_later(seconds, exit=True, file=item.config.stash[fault_handler_stderr_fd_key])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


pytest_runtest_setup = pytest_runtest_call = pytest_runtest_teardown = limit_seconds


def pytest_collection_finish() -> None:
    """Leave what collecting has made out of every later garbage collection: hundreds of thousands of objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def few_resamples_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests draw few resamples to be quick, and are not warned of them."""
    monkeypatch.setattr("errorbar.cli.options.FEW", 0)


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
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes of a run: what is dear to make is made once, by ``once``."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def trained(data: Path, shared_folder: Path) -> Path:
    """Every part of the models that the pages of detectors are about, for slow tests: 90 seconds and 1.5 GB."""
    folder = shared_folder / "trained"
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
    with once(folder) as first:
        if first:
            subprocess.run([*map(str, words)], check=True, capture_output=True, timeout=1500)
    return folder


@pytest.fixture
def errorbar(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, run inside this process."""
    return CommandLine(monkeypatch, capfd)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Chromium, one for every test that looks at a page: of reports and of judging."""
    with launched() as browser:
        yield browser
