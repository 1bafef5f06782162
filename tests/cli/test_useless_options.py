"""An option is obeyed or refused, never ignored; and what is asked for is all that is shown."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from errorbar.demo import demo_files
from tests.helpers.cli import CommandLine
from tests.helpers.commands import every_command

HUMAN = "system,score\na,1\nb,2\nc,3\nd,5\n"
METRIC = "system,score\na,1\nb,3\nc,2\nd,4\n"
PAIRS = "item,system1,system2,winner\n" + "".join(
    f"{item},{first},{second},{second if item % 3 else first}\n"
    for item in range(6)
    for first, second in (("a", "b"), ("b", "c"), ("c", "d"))
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Human and metric scores, pairs of systems, flags with wrong values."""
    monkeypatch.chdir(tmp_path)
    Path("human.csv").write_text(HUMAN)
    Path("metric.csv").write_text(METRIC)
    Path("pairs.csv").write_text(PAIRS)
    Path("flags.csv").write_text("item,flag\n" + "".join(f"{item},x\n" for item in range(7)))
    Path("votes.csv").write_text("item,rater,label\n" + "".join(f"{item},r\n" for item in range(7)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("demo --save there --report", "--report is about what is shown, and --save shows nothing"),
        ("demo --save there -o x.json", "-o is about what is shown, and --save shows nothing"),
        ("demo --report --by type", "--by is about the table of scores, and --report makes a page"),
        ("meta human.csv metric.csv --by sentence", "--by is about judgments, and HUMAN has scores of systems"),
        ("meta human.csv metric.csv --resamples 9", "--resamples is about judgments, and HUMAN has scores of systems"),
        ("meta pairs.csv metric.csv --no-ci --confidence 0.9", "--confidence is about intervals, and --no-ci asks for"),
        ("reproduce conll2014 --seed 1", "--seed is about the simulated teams of hoo2011"),
        ("reproduce conll2014 --text flags.csv", "--text is about choosing prepositions in tetreault-chodorow2008"),
        ("reproduce hoo2011 --models m", "--models is about detectors and correctors, and hoo2011 has none"),
        ("reproduce tetreault-chodorow2008 --text flags.csv", "--text needs a tagger; add --models DIR"),
        ("reproduce tetreault-chodorow2008 --chart x.svg", "--chart is about choices in native text, and there is"),
        ("reproduce hoo2011 --all", "--all is about cells that match, and hoo2011 prints every cell"),
        ("crowd mine votes.csv --counts c --build --n 3", "--n is about questions, and --build asks none"),
        ("crowd mine votes.csv --counts c --min-count 3", "--min-count is about --build"),
    ],
)
def test_what_nothing_would_come_of_is_refused(errorbar: CommandLine, call: str, message: str) -> None:
    done = errorbar(*call.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}"), done.err
    assert done.err.endswith("[useless-option]\n")


def test_without_intervals_meta_shows_none(errorbar: CommandLine) -> None:
    assert "95% CI" in errorbar("meta", "pairs.csv", "metric.csv").out
    assert "CI" not in errorbar("meta", "pairs.csv", "metric.csv", "--no-ci").out
    found = json.loads(errorbar("meta", "pairs.csv", "metric.csv", "--no-ci", "--format", "json").out)
    values = found["metrics"][0]["correlations"]
    assert {each["interval"]["low"] for each in values} == {None}
    assert [each["value"] for each in values] != [None] * 3


def test_without_intervals_compare_has_no_column_and_no_warning_of_them(errorbar: CommandLine) -> None:
    with demo_files() as (gold, (one, two, *_)):
        call = ("compare", "--gold", str(gold), str(one), str(two))
        with_them, without = errorbar(*call), errorbar(*call, "--no-ci")
    assert ("95% CI" in with_them.out, "[few-documents]" in with_them.err) == (True, True)
    assert ("95% CI" in without.out, "[few-documents]" in without.err) == (False, False)
    assert without.out.splitlines()[2].split() == with_them.out.splitlines()[2].split()


def test_check_is_named_only_where_it_lists_more(errorbar: CommandLine) -> None:
    assert (
        "and 2 more of this kind; errorbar check FILE lists all [judgments-fields]"
        in errorbar("agree", "votes.csv").err
    )
    assert errorbar("check", "votes.csv").out.count("judgments-fields") == 7
    flags = errorbar("sample", "plan", "flags.csv", "--budget", "3").err
    assert "error: and 2 more of this kind [sample-flag]\n" in flags


def test_all_studies_are_known(errorbar: CommandLine) -> None:
    listed = errorbar("reproduce", "foo").err
    assert "known: conll2014, bryant-ng2015, madnani2011, tetreault-chodorow2008, hoo2011 [unknown-study]" in listed


@pytest.mark.parametrize(("name", "command"), [*every_command()])
def test_what_is_printed_can_go_to_a_file(name: str, command: click.Command) -> None:
    options = [each for each in command.params if isinstance(each, click.Option)]
    if any("--format" in each.opts for each in options) or name in ("convert", "report", "task board"):
        assert any({"-o", "--output"} <= set(each.opts) for each in options), name


@pytest.mark.parametrize("call", ["data list", "demo", "demo --by type", "metrics"])
def test_the_ending_says_how(errorbar: CommandLine, call: str) -> None:
    done = errorbar(*call.split(), "-o", "r.json")
    assert (done.code, done.out) == (0, "")
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["schema"].startswith("errorbar.")
    refused = errorbar(*call.split(), "-o", "r.unknown")
    assert (refused.code, "[output-format]" in refused.err) == (2, True)
