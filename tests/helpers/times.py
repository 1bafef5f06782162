"""The processor time of every test, and the list of those that `make test` leaves to CI: ``tests/slow_tests.txt``.

``make slow-tests`` runs these and all others that have no mark of their own, and writes the list anew: functions whose
cases take longer than ``MOST`` seconds each, or ``MOST_TOGETHER`` together, children included. ``KEPT`` stay with
`make test`, however long they take: each is the broadest of its subject.
"""

from __future__ import annotations

import os
import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

LIST = Path(__file__).parents[1] / "slow_tests.txt"
MOST, MOST_TOGETHER = 0.08, 0.5
KEPT = frozenset(
    (
        "tests/cli/test_compare.py::TestOutput::test_json",
        "tests/cli/test_score.py::TestTheConsoleScript::test_data_on_stdout",
        "tests/cli/test_score.py::TestTheConsoleScript::test_talk_on_stderr",
        "tests/golden/test_golden.py::test_the_bundled_corpus",
        "tests/judging/test_manager_front.py::test_the_desk_of_a_study_from_its_first_link_to_its_close",
        "tests/judging/test_recurrent_failures.py::test_raters_who_claim_at_once_never_exceed_k",
        "tests/oracle/test_bryant_ng2015.py::test_camb_against_one_annotator",
        "tests/oracle/test_conll2014_tables.py::test_tables_7_and_8_the_official_ranking",
        "tests/oracle/test_errant.py::test_every_count",
        "tests/oracle/test_gleu.py::test_conll2014",
        "tests/reporting/test_cli.py::test_demo_report",
        "tests/test_layers.py::test_assert_statements_only_narrow_types",
        "tests/test_layers.py::test_few_functions_have_many_parameters",
        "tests/test_layers.py::test_imports_go_downward_only",
        "tests/test_layers.py::test_no_lines_stand_twice",
        "tests/test_layers.py::test_the_help_of_every_command_loads_nothing_heavy",
    )
)
USED = pytest.StashKey[float]()
HEAD = """\
# Tests that `make test` leaves to CI, which has them with the slow ones: their cases take more than {} seconds of
# processor time each, or {} together. Written by `make slow-tests`.
"""


def read_slow_tests() -> frozenset[str]:
    """The functions of the list, as pytest names them without their parameters."""
    return frozenset(line for line in LIST.read_text(encoding="utf-8").splitlines() if line[:1] != "#")


def seconds_used() -> float:
    """Processor time of this process and of its children that ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell how much was used since the last phase of a test ended, in the report that a worker sends."""
    report = yield
    used = seconds_used()
    report.user_properties.append(("processor", used - item.config.stash.get(USED, used)))
    item.config.stash[USED] = used
    return report


class Times:
    """Sums the seconds of cases and writes the list."""

    def __init__(self) -> None:
        self._cases: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the seconds of a phase to its test."""
        for name, seconds in report.user_properties[-1:]:
            if name == "processor" and isinstance(seconds, float):
                self._cases[report.nodeid.partition("[")[0]][report.nodeid] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the list, and say what is left."""
        together = {name: sum(cases.values()) for name, cases in self._cases.items()}
        slow = sorted(
            name
            for name, seconds in together.items()
            if name not in KEPT and (seconds > MOST_TOGETHER or seconds / len(self._cases[name]) > MOST)
        )
        LIST.write_text(HEAD.format(MOST, MOST_TOGETHER) + "".join(f"{name}\n" for name in slow), encoding="utf-8")
        n_cases = sum(map(len, self._cases.values()))
        left = sum(seconds for name, seconds in together.items() if name not in slow)
        line = f"{n_cases:,} tests took {sum(together.values()):.0f} s, those that are not slow {left:.0f} s"
        terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    """Sum in the process that starts the workers, or in the only one."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Times())
