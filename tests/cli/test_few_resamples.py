"""Intervals of a handful of resamples are nonsense, those of 10^12 never end, and the command says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

WARNING = "warning: --resamples {}: intervals of so few are too rough to rely on; {} are usual [few-resamples]"
CALLS = {
    "score --gold demo/gold.jsonl demo/careful.txt --ci": 2000,
    "compare --gold demo/gold.jsonl demo/careful.txt demo/greedy.txt": 2000,
    "agree demo/gold.jsonl": 2000,
    "ceiling --gold demo/gold.jsonl --ci": 200,
}


@pytest.fixture(autouse=True)
def few_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere but in tests."""
    monkeypatch.setattr("errorbar.cli.options.FEW", 100)


@pytest.mark.parametrize("call", CALLS)
def test_few_resamples_are_warned_of(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    for few in (1, 99):
        done = errorbar(*call.split(), "--resamples", few)
        assert done.code == 0
        assert done.err.splitlines().count(WARNING.format(few, CALLS[call])) == 1
    assert "few-resamples" not in errorbar(*call.split(), "--resamples", 100).err
    assert "few-resamples" not in errorbar("--quiet", *call.split(), "--resamples", 5).err


@pytest.mark.parametrize("call", CALLS)
def test_high_levels_need_more_resamples(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """As many beyond each end as 100 resamples have at 95 %: 5,000 at 99.9 %."""
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    done = errorbar(*call.split(), "--resamples", 400, "--confidence", 0.999)
    start = "warning: --resamples 400: too few for --confidence 0.999: its intervals are too short"
    assert f"{start}; take 5,000 or more [few-resamples]" in done.err.splitlines()
    assert "few-resamples" not in errorbar(*call.split(), "--resamples", 500, "--confidence", 0.99).err
    assert "few-resamples" not in errorbar(*call.split(), "--resamples", 100, "--confidence", 0.8).err


@pytest.mark.parametrize("call", ["agree demo/gold.jsonl --judges random", "ceiling --gold demo/gold.jsonl"])
def test_a_jackknife_needs_none(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    assert "few-resamples" not in errorbar(*call.split(), "--confidence", 0.9999).err


@pytest.mark.parametrize("call", [*CALLS, "report --gold demo/gold.jsonl demo/careful.txt"])
def test_more_than_can_be_drawn_are_refused_by_every_command(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.chdir(tmp_path)
    errorbar("demo", "--save", "demo")
    done = errorbar(*call.split(), "--resamples", 10**12)
    said = "error: the number of resamples must be at most 1,000,000, got 1,000,000,000,000 [replicates]"
    assert (done.code, done.out, done.err.splitlines()[-1]) == (2, "", said)


@pytest.mark.parametrize("without", ["--no-ci", "--ci-method closed"])
def test_where_none_are_drawn_there_is_the_refusal_alone(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: str
) -> None:
    monkeypatch.chdir(tmp_path)
    errorbar("demo", "--save", "demo")
    call = "score --gold demo/gold.jsonl demo/careful.txt --resamples 5"
    (line,) = errorbar(*call.split(), *without.split()).err.splitlines()
    assert line.endswith("[useless-option]")
