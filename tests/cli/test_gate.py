"""``errorbar compare --fail-if-worse``: the decision, its exit codes, and what CI servers are told."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree

import numpy as np
import pytest
import yaml

import errorbar.demo
from errorbar.api import ComparisonResult
from errorbar.api.compare import decide_losses
from errorbar.cli.compare import SUMMARY, junit_xml, workflow_commands
from errorbar.core import Interval, UsageError
from errorbar.metrics import Measure
from errorbar.stats import paired_bootstrap
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

FAST = ("--resamples", "100", "--quiet", "--judges", "fixed")
N = 12
DEMO = Path(errorbar.demo.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "ci.md"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve sentences with one error each, and systems that correct some of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("gold.m2").write_text("S a b c .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n" * N)
    for name, found in (("most", 11), ("few", 4), ("again", 11), ("none", 0), ("all", N)):
        Path(name).write_text("X b c .\n" * found + "a b c .\n" * (N - found))


def run(errorbar: CommandLine, *words: str) -> tuple[int, dict[str, Any]]:
    done = errorbar("compare", "--gold", "gold.m2", *words, *FAST, "--format", "json")
    return done.code, validated("compare", done.out)


@pytest.fixture(scope="module")
def compared() -> ComparisonResult:
    """The demo's careful system, then one that is worse and one of which nobody knows."""
    systems = {name: DEMO / f"{name}.txt" for name in ("careful", "articles", "greedy")}
    made: ComparisonResult = errorbar.compare(DEMO / "gold.jsonl", systems, resamples=50, fail_if_worse=0.5)
    return made


def decided(compared: ComparisonResult, low: float, high: float, points: float, better: str = "higher") -> str:
    """What the gate says where the interval of new - old is this, in points."""
    found, first = compared.found, compared.pairs[0]
    assert first.t is not None
    interval = Interval(-high / 100, -low / 100, 0.95, "t")  # of old - new
    pair = replace(first, t=first.t._replace(interval=interval), interval=interval)
    measure = Measure("f", "F", better="lower" if better == "lower" else "higher")
    one = replace(found, names=found.names[:2], pairs=(pair,), measures=(measure,), main=0)
    (check,) = decide_losses(one, points, 0.95, "document", 25).checks
    return check.outcome


class TestDecision:
    @pytest.mark.parametrize(
        ("low", "high", "outcome"),
        [
            (-3, -0.75, "worse"),
            (-3, -0.5, "loss not excluded"),  # lies not below, but at it
            (-1.2, 0.4, "loss not excluded"),
            (-0.5, 0.4, "loss excluded"),
            (0.2, 0.4, "loss excluded"),
        ],
    )
    def test_by_the_whole_interval(self, compared: ComparisonResult, low: float, high: float, outcome: str) -> None:
        assert decided(compared, low, high, 0.5) == outcome

    def test_where_lower_is_better(self, compared: ComparisonResult) -> None:
        assert decided(compared, 0.75, 3, 0.5, "lower") == "worse"
        assert decided(compared, -3, -0.75, 0.5, "lower") == "loss excluded"
        assert decided(compared, -0.4, 1.2, 0.5, "lower") == "loss not excluded"

    def test_new_less_old_though_the_table_of_pairs_has_old_less_new(self, compared: ComparisonResult) -> None:
        assert compared.gate is not None
        articles, greedy = compared.gate.checks
        verdict = compared.pairs[0].verdict
        assert isinstance(verdict.interval, Interval)
        assert isinstance(articles.interval, Interval)
        assert articles.change == -verdict.difference < 0
        assert (articles.interval.low, articles.interval.high) == (-verdict.interval.high, -verdict.interval.low)
        assert [articles.outcome, greedy.outcome] == ["worse", "loss not excluded"]
        assert compared.gate.over == "texts and judges"
        assert "such a loss cannot be excluded" in greedy.sentence
        assert greedy.sentence.endswith("more documents or judges would tell.")

    def test_of_systems_swapped_the_loss_is_a_gain(self, errorbar: CommandLine) -> None:
        code, document = run(errorbar, "most", "few", "--fail-if-worse", "0.5")
        assert (code, document["gate"]["failed"], document["gate"]["over"]) == (1, True, "texts")
        code, document = run(errorbar, "few", "most", "--fail-if-worse", "0.5")
        assert (code, document["gate"]["checks"][0]["outcome"]) == (0, "loss excluded")

    def test_every_other_system_beside_the_first(self, errorbar: CommandLine) -> None:
        code, document = run(errorbar, "few", "none", "most", "again", "--fail-if-worse", "0")
        assert code == 1
        assert [each["system"] for each in document["gate"]["checks"]] == ["none", "most", "again"]

    @pytest.mark.parametrize("n", [24, 25])
    def test_an_interval_over_few_texts_alone_is_called_too_narrow(self, errorbar: CommandLine, n: int) -> None:
        rows = [f"{system},{k},{(k * 7 + at) % 3}" for at, system in enumerate(("old", "new")) for k in range(n)]
        Path("it.csv").write_text("\n".join(["system,sentence,score", *rows]))
        done = errorbar(
            "compare", "--scores", "it.csv", "--fail-if-worse", "9", "--resamples", "100", "--format", "json"
        )
        (check,) = validated("compare", done.out)["gate"]["checks"]
        assert ("over texts, too narrow for only 24 sentences:" in check["sentence"]) == (n == 24)

    @pytest.mark.parametrize(("n", "stopped"), [(5, 0.08), (20, 0.04), (80, 0.025)])
    def test_how_many_are_stopped_of_those_that_lose_just_so_much(self, n: int, stopped: float) -> None:
        """As the page says, of differences from a normal distribution; the standard error of .04 is .006."""
        rng, n_worse = np.random.default_rng(1), 0
        for _ in range(1000):
            values, weights = rng.normal(size=n), rng.multinomial(n, np.full(n, 1 / n), 500) / n
            one_out = (values.sum() - values) / (n - 1)
            interval = paired_bootstrap(float(values.mean()), weights @ values, jackknife=one_out).interval
            n_worse += isinstance(interval, Interval) and interval.high < 0
        assert n_worse / 1000 == pytest.approx(stopped, abs=0.015)

    def test_of_several_runs_the_interval_is_over_them_too(self, errorbar: CommandLine) -> None:
        Path("fair").write_text("X b c .\n" * 6 + "a b c .\n" * 6)
        code, document = run(errorbar, "old=most,all", "new=few,fair", "--fail-if-worse", "0.5")
        (check,) = document["gate"]["checks"]
        assert document["gate"]["over"] == "texts and runs"
        assert check["interval"] == {**check["interval"], **{"low": -document["pairs"][0]["runs"]["interval"]["high"]}}
        assert code == (check["interval"]["high"] < -0.005)
        assert "more sentences or runs" in check["sentence"] or code

    def test_of_one_judge_the_interval_is_over_judges_too(self, errorbar: CommandLine) -> None:
        """Whether few is worse than most by another judge is less sure than by this one."""
        done = errorbar("compare", "--gold", "gold.m2", "most", "few", "--fail-if-worse", "0.5", "--format", "json")
        (check,) = validated("compare", done.out)["gate"]["checks"]
        assert (done.code, check["outcome"]) == (0, "loss not excluded")
        assert "over texts and judges" in check["sentence"]
        assert check["sentence"].endswith("more sentences or judges would tell.")

    def test_a_measure_in_another_unit_than_percent(self, compared: ComparisonResult) -> None:
        measures = (Measure("f", "F", "number"),)
        found = decide_losses(replace(compared.found, measures=measures, main=0), 0.5, 0.95, "document", 25)
        assert (found.allowed, found.amount) == (0.5, "0.5 of F")


class TestExitCodes:
    def test_identical_systems_pass(self, errorbar: CommandLine) -> None:
        code, document = run(errorbar, "most", "again", "--fail-if-worse", "0")
        (check,) = document["gate"]["checks"]
        assert (code, check["outcome"], check["change"]) == (0, "score alike", 0)

    def test_without_an_interval_nothing_is_decided_and_that_is_no_pass(self, errorbar: CommandLine) -> None:
        done = errorbar("compare", "--gold", "gold.m2", "all", "none", "--fail-if-worse", "0.5", *FAST, "--junit", "j")
        assert done.code == 2
        assert "not decided: there is no interval (all resamples give the same value)" in done.out
        assert done.err.startswith("error: there is no interval to decide by: none")
        assert done.err.endswith("[gate-undecided]\n")
        assert Tree.parse("j").getroot().attrib["errors"] == "1"

    def test_another_that_is_worse_says_more_than_one_that_is_not_decided(self, errorbar: CommandLine) -> None:
        assert run(errorbar, "all", "none", "few", "--fail-if-worse", "0.5")[0] == 1

    def test_broken_input_is_not_worse(self, errorbar: CommandLine) -> None:
        Path("short").write_text("a b c .\n")
        assert errorbar("compare", "--gold", "gold.m2", "most", "short", "--fail-if-worse", "0.5").code == 2
        Path("one.m2").write_text("S a b c .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n")
        Path("x").write_text("X b c .\n")
        done = errorbar("compare", "--gold", "one.m2", "old=short", "x", "--fail-if-worse", "0.5")
        assert (done.code, "[one-unit]" in done.err) == (2, True)

    def test_a_reference_at_which_nobody_looked_lets_nobody_pass(self, errorbar: CommandLine) -> None:
        """All systems would score alike against it."""
        Path("nobody.m2").write_text("S a b c .\n\nS d e f .\n\n")
        Path("old").write_text("a b c .\nd e f .\n")
        Path("new").write_text("X b c .\nX e f .\n")
        call = ("--gold", "nobody.m2", "--unmarked", "absent", "new")
        done = errorbar("compare", *call, "old", "--fail-if-worse", "0.5")
        assert (done.code, done.out, "[one-unit]" in done.err) == (2, "", True)
        scored = errorbar("score", *call)
        assert (scored.code, "No annotator looked" in scored.err, "recorded" in scored.err) == (0, True, False)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (
                ("--fail-if-worse", "0.5", "--no-ci"),
                "--fail-if-worse decides by an interval, and --no-ci asks for none",
            ),
            (("--junit", "x.xml"), "--junit is about what --fail-if-worse decides; give --fail-if-worse too"),
            (("--github",), "--github is about what --fail-if-worse decides; give --fail-if-worse too"),
            (("--fail-if-worse", "1", "--junit", "a.txt", "-o", "./a.txt"), "--junit and -o name the same file"),
            (("--fail-if-worse", "1", "--junit", "most"), "the output would overwrite an input"),
            (("--fail-if-worse", "-1"), "-1.0 is not in the range x>=0"),
        ],
    )
    def test_what_cannot_be(self, errorbar: CommandLine, words: tuple[str, ...], message: str) -> None:
        done = errorbar("compare", "--gold", "gold.m2", "most", "few", *words)
        assert (done.code, message in done.err) == (2, True), done.err

    @pytest.mark.parametrize("points", [-1, float("nan"), float("inf")])
    def test_a_loss_is_a_number_of_points(self, points: float) -> None:
        with pytest.raises(UsageError, match="fail_if_worse must be at least 0, got"):
            errorbar.compare("gold.m2", ["most", "few"], fail_if_worse=points)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("how", "stream"),
        [
            ((), "stdout"),
            (("--github",), "stdout"),
            ((), "stderr"),
            (("--github", "--format", "json"), "stderr"),
            (("-o", "r.json"), "stderr"),
        ],
    )
    def test_a_reader_who_has_seen_enough_changes_nothing(
        self, how: tuple[str, ...], stream: str, tmp_path: Path
    ) -> None:
        words = ("compare", "--gold", "gold.m2", "most", "few", "--fail-if-worse", "0.5", *FAST, *how)
        summary = tmp_path / "summary.md"
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [sys.executable, "-m", "errorbar", *words, "--junit", "j.xml"],
            stdout=writer if stream == "stdout" else subprocess.PIPE,
            stderr=writer if stream == "stderr" else subprocess.PIPE,
            env={**os.environ, SUMMARY: str(summary)},
            cwd=tmp_path,
            check=False,
            timeout=1500,
        )
        os.close(writer)
        assert done.returncode == 1
        assert (tmp_path / "j.xml").exists()
        assert summary.exists() == ("--github" in how)
        if stream == "stderr" and "-o" not in how:
            assert b"few" in done.stdout


class TestOtherOutputs:
    def test_a_file_for_the_result_leaves_the_sentence(self, errorbar: CommandLine) -> None:
        words = ("compare", "--gold", "gold.m2", "most", "few", "--fail-if-worse", "0.5", *FAST)
        done = errorbar(*words, "-o", "r.json")
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("few is worse than most by more than 0.5 points of F0.5: F0.5 changes by -")
        assert errorbar(*words, "--format", "csv").out.startswith("number,system,")

    def test_junit(self, compared: ComparisonResult) -> None:
        assert compared.gate is not None
        checks = [replace(compared.gate.checks[0], system="a\x1b[1m]]>&\ufffe", sentence="\x07 <b>\n\ud800")]
        suites = Tree.fromstring(junit_xml(replace(compared.gate, checks=checks), compared.signature))
        (suite,) = suites
        assert {**suites.attrib, "name": ""} == {**suite.attrib, "name": ""}
        assert [suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")] == ["1", "1", "0", "0"]
        (case,) = suite.findall("testcase")
        assert case.attrib["classname"] == "errorbar.compare"
        assert case.attrib["name"].startswith(r"a\x1b[1m]]>&\ufffe is not worse than careful")
        (failure,) = case.findall("failure")
        assert failure.attrib == {"type": "worse", "message": r"\x07 <b>\n\ud800"}

    def test_annotations_are_one_line_each_whatever_names_hold(self, compared: ComparisonResult) -> None:
        assert compared.gate is not None
        hostile = replace(compared.gate.checks[1], sentence="50%\r\n::error::x, y: z")
        measure = Measure("f", "F:1,\n2%")
        made = workflow_commands(replace(compared.gate, measure=measure, checks=[compared.gate.checks[0], hostile]))
        assert made[0].startswith(
            "::error title=errorbar%3A loss of more than 0.5 points of F%3A1%2C\\n2%25?::articles"
        )
        assert made[1].partition("?::") == (made[1].partition("?::")[0], "?::", r"50%25\r\n::error::x, y: z")
        assert made[1].startswith("::warning title=")

    def test_github_gets_annotations_and_a_summary(
        self, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = ("compare", "--gold", "gold.m2", "most", "few", "--fail-if-worse", "0.5", *FAST, "--github")
        assert errorbar(*words).out.startswith("::error title=errorbar%3A")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
        Path("summary.md").write_text("before\n")
        done = errorbar(*words, "--format", "json")
        assert (done.code, done.err.startswith("::error title=")) == (1, True)
        validated("compare", done.out)
        text = Path("summary.md").read_text()
        assert text.startswith("before\n## errorbar compare\n\n**few is worse than most by more than 0.5 points")
        assert "| few |" in text
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder")
        assert errorbar(*words).code == 2


def workflows() -> list[dict[Any, Any]]:
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)]


def test_the_workflows_of_the_page_are_what_the_servers_know() -> None:
    github, gitlab = workflows()
    assert github[True] == "pull_request"  # YAML 1.1 reads the key `on` so, and GitHub's parser does not
    steps = github["jobs"]["gate"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert gitlab["gate"]["artifacts"]["reports"]["junit"] == "errorbar.xml"
    assert all(isinstance(line, str) for line in gitlab["gate"]["script"])


@pytest.mark.slow
@pytest.mark.parametrize(("new", "code"), [("articles", 1), ("careful", 0)])
def test_the_commands_of_the_page_run(new: str, code: int, tmp_path: Path) -> None:
    """In a repository as the page says, with the demo's texts; installing is tested elsewhere."""
    for name, file in (("data/gold.jsonl", "gold.jsonl"), ("outputs/test.txt", "careful.txt")):
        (tmp_path / name).parent.mkdir()
        shutil.copy(DEMO / file, tmp_path / name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "BASE": "main", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    environment["GITHUB_STEP_SUMMARY"] = str(tmp_path / "summary.md")

    def shell(script: str) -> int:
        done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=environment, check=False, timeout=1500)
        return done.returncode

    author = "-c user.name=n -c user.email=n@example.org"
    made = f"git init -q -b main && git add . && git {author} commit -qm old && git remote add origin . && git fetch -q"
    assert shell(made) == 0
    (tmp_path / "outputs/test.txt").write_bytes((DEMO / f"{new}.txt").read_bytes())
    github, gitlab = workflows()
    steps = [step["run"] for step in github["jobs"]["gate"]["steps"] if "run" in step]
    for script in (steps, gitlab["gate"]["script"]):
        install, *commands = script
        assert install.startswith("pip install wheels/")
        assert [shell(command) for command in commands] == [0] * (len(commands) - 1) + [code]
        assert Tree.parse(tmp_path / "errorbar.xml").getroot().attrib["failures"] == str(code)
    assert "## errorbar compare" in (tmp_path / "summary.md").read_text()
