"""What every test may ask for: the research corpora, where they are, and the command line."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.helpers.browser import launched
from tests.helpers.cli import CommandLine
from tests.helpers.once import once
from tests.helpers.times import read_slow_tests
from tests.helpers.watcher import Watcher

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
SLOW_TIMES = 10
"""A slow or measured test, one in a browser, or of an installation, may take so many times as long as others."""
OTHERS = (
    *(".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__", "build"),
    *("dask-scratch-space", "pymp-", ".org.chromium.", "errorbar-"),
)
"""Beginnings of the names of what tools keep, which may run beside the tests, of what Dask, Python and Chromium use
until the process ends, and of exports that servers wrote when a test killed them."""

LONGEST = (
    *("judging/test_checker_crashes.py", "judging/test_checker_run.py", "fuzz/test_fuzz.py", "cli/test_ways_in.py"),
    *("test_docs.py", "judging/test_claims.py", "judging/test_recurrent_failures.py", "judging/test_submissions.py"),
    *("metrics/test_contracts.py", "metrics/test_resampling.py", "sampling/test_coverage.py"),
)
"""The files that take longest come first, so that no worker is left alone with one at the end."""

# The same examples on every machine and every day, but for what ``pytest_configure`` takes out; `--hypothesis-profile
# thorough` draws ten times as many, as CI does with the slow tests, and `explore` looks for new ones.
settings.register_profile(
    "default", max_examples=10, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
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
    help_text = "end a test after so many seconds, with its processes and the stacks of their threads"
    parser.addoption(
        "--limit", type=float, default=180.0, help=f"{help_text}; {SLOW_TIMES} times as many if it is slow"
    )
    parser.addoption(
        "--record-pages", action="store_true", help="write what commands print into the pages: tests.pages"
    )


class Entries:
    """A folder's entries, and the test after which each was first seen."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._changed = folder, -1
        self._tests = dict.fromkeys(folder.iterdir(), "")

    def note(self, test: str) -> None:
        """Look for new entries if the folder has changed, which costs microseconds."""
        changed = self._folder.stat().st_mtime_ns
        if changed != self._changed:
            self._changed = changed
            for path in self._folder.iterdir():
                self._tests.setdefault(path, test)

    def left(self) -> list[str]:
        """Describe what tests left in the folder."""
        self.note("the end of the run")
        return [
            f"{path}, which {test} left"
            for path, test in self._tests.items()
            if test and path.exists() and not path.name.startswith(OTHERS)
        ]


@dataclass(frozen=True)
class Run:
    """A run of tests in this process, and what watches it."""

    watcher: Watcher
    folders: tuple[Entries, ...]


RUN = pytest.StashKey[Run]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start what ends tests that hang; with xdist, in each of its workers."""
    if not session.config.getoption("numprocesses", None):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # what failed tests wrote is kept there
        watcher = Watcher(session.config.stash[fault_handler_stderr_fd_key])
        session.config.stash[RUN] = Run(watcher, (Entries(watcher.folder), Entries(ROOT)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End a test that hangs: a worker of xdist that ends has failed its test and ends the run."""
    run = item.config.stash[RUN]
    is_slow = any(item.get_closest_marker(name) for name in ("slow", "measured", "browser", "install"))
    seconds = item.config.getoption("--limit") * (SLOW_TIMES if is_slow else 1)
    run.watcher.limit(item.nodeid, seconds)
    result = yield
    for folder in run.folders:
        folder.note(item.nodeid)
    return result


def pytest_enter_pdb(config: pytest.Config) -> None:
    """Give whoever debugs a test as long as they like."""
    config.stash[RUN].watcher.limit("", float("inf"))


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left(pytestconfig: pytest.Config) -> Iterator[None]:
    """Fail at the end of a run whose tests left processes or files, and name the tests."""
    yield
    run = pytestconfig.stash[RUN]
    left = [*run.watcher.left_processes(), *(line for folder in run.folders for line in folder.left())]
    assert not left, "\n".join(("tests left something behind:", *left))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what was measured to take long, unless it is measured anew (tests.helpers.times); longest files first."""
    slow = frozenset[str]() if config.pluginmanager.has_plugin("tests.helpers.times") else read_slow_tests()
    for item in items:
        if item.nodeid.partition("[")[0] in slow:
            item.add_marker("slow")
    tests = Path(__file__).parent
    places = {tests / name: place for place, name in enumerate(LONGEST)}
    sizes = Counter(item.path for item in items)
    items.sort(key=lambda item: (places.get(item.path, len(LONGEST)), -sizes[item.path]))


def pytest_collection_finish() -> None:
    """Leave what collecting has made out of every later garbage collection: hundreds of thousands of objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def few_resamples_pass() -> Iterator[None]:
    """Tests draw few resamples to be quick, and are not warned of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("errorbar.cli.options.FEW", 0)
        yield


@pytest.fixture(autouse=True)
def studies_deal_alike(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let studies of this process deal items in the same order in each run: so figures of them are always the same."""
    if find_spec("sqlalchemy") is not None:
        monkeypatch.setattr("errorbar.judging.random_tokens._unpredictable", Random(request.node.nodeid))


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
    """Every part of the models that the pages of detectors are about, for measured tests: four minutes and 1.5 GB."""
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
