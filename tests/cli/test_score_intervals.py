"""``errorbar score`` with its intervals, the same in every form, and what is refused where there are none."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

N = 9
GOLD = "S a b c .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n" * N
ESSAYS = "".join(
    f'<DOC nid="{k}">\n<TEXT>\n<P>\n{"a b c. " * 3}\n</P>\n</TEXT>\n'
    '<ANNOTATION teacher_id="0">\n</ANNOTATION>\n</DOC>\n'
    for k in range(N // 3)
)
LINES = {"1": "X b c .", "0": "a b c .", "w": "a b Y ."}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(GOLD)
    Path("essays.sgml").write_text(ESSAYS)
    for name, marks in (("good", "11101w110"), ("poor", "w0010w100"), ("copy", "0" * 9)):
        Path(name).write_text("".join(LINES[mark] + "\n" for mark in marks))


def run(errorbar: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    done = errorbar("score", "--gold", "gold.m2", *arguments, "--format", "json")
    assert (done.code, done.err) == (0, "")
    rows: list[dict[str, Any]] = validated("score", done.out)["rows"]
    return rows


def test_json(errorbar: CommandLine) -> None:
    good, poor = run(errorbar, "good", "poor", "--ci", "--confidence", "0.9")
    for row in (good, poor):
        for name in ("precision", "recall", "f"):
            interval = row["intervals"][name]
            assert 0 <= interval["low"] < row[name] < interval["high"] <= 1
            assert (interval["confidence_level"], interval["method"]) == (0.9, "bootstrap-bca")
        assert "|ci:bca,0.9,2000,by:sentence,seed:0|" in row["signature"]


def test_there_are_intervals_by_default(errorbar: CommandLine) -> None:
    assert run(errorbar, "good", "poor") == run(errorbar, "good", "poor", "--ci")


def test_without_them_nothing_else_changes(errorbar: CommandLine) -> None:
    (plain,), (row,) = run(errorbar, "good", "--no-ci"), run(errorbar, "good", "--ci")
    assert "intervals" not in plain
    assert "|ci:" not in plain["signature"]
    assert "judges" not in plain
    del row["intervals"], row["judges"], row["signature"], plain["signature"]
    assert row == plain


def test_documents_are_the_clusters(errorbar: CommandLine) -> None:
    (alone,), (row,) = run(errorbar, "good", "--ci"), run(errorbar, "good", "--ci", "--documents", "essays.sgml")
    assert ",by:document:" in row["signature"]
    assert row["f"] == alone["f"]
    assert row["intervals"] != alone["intervals"]


def test_a_value_that_cannot_vary_names_the_reason(errorbar: CommandLine) -> None:
    (row,) = run(errorbar, "copy", "--ci")
    assert row["intervals"]["f"] == {"low": None, "high": None, "reason": "all resamples give the same value"}
    assert (
        "– no interval: all resamples give the same value" in errorbar("score", "--gold", "gold.m2", "copy", "--ci").out
    )


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_one_sentence_names_the_reason(errorbar: CommandLine, method: str) -> None:
    Path("gold.m2").write_text(GOLD[: len(GOLD) // N])
    Path("good").write_text("X b c .\n")
    (row,) = run(errorbar, "good", "--ci", "--ci-method", method)
    assert row["intervals"]["f"]["reason"] == "a single unit does not show how units vary"


def test_the_closed_formula_has_no_seed(errorbar: CommandLine) -> None:
    (row,) = run(errorbar, "good", "--ci", "--ci-method", "closed")
    assert "|ci:closed,0.95|" in row["signature"]
    # Wilson's interval of 6 of 7: (6 + z²/2 ± z √(6 · 1/7 + z²/4)) / (7 + z²), z = 1.95996.
    z = 1.959963984540054
    ends = [(6 + z * z / 2 + sign * z * (6 / 7 + z * z / 4) ** 0.5) / (7 + z * z) for sign in (-1, 1)]
    assert [row["intervals"]["precision"][end] for end in ("low", "high")] == pytest.approx(ends)


def test_csv_has_columns_for_the_ends(errorbar: CommandLine) -> None:
    done = errorbar("score", "--gold", "gold.m2", "good", "copy", "--ci", "--format", "csv")
    good, copy = csv.DictReader(io.StringIO(done.out))
    (row, _) = run(errorbar, "good", "copy", "--ci")
    assert float(good["f_low"]) == row["intervals"]["f"]["low"]
    assert copy["f_low"] == ""


def test_table(errorbar: CommandLine) -> None:
    done = errorbar("score", "--gold", "gold.m2", "good", "--ci", "--confidence", "0.9")
    assert " ".join(done.out.split()).startswith("system P 90% CI R 90% CI F0.5 90% CI texts+judges")
    (row,) = run(errorbar, "good", "--ci", "--confidence", "0.9")
    interval = row["intervals"]["f"]
    assert f"{100 * interval['low']:.2f}–{100 * interval['high']:.2f}" in done.out


def test_workers_change_no_digit_and_seeds_do(errorbar: CommandLine) -> None:
    arguments = ("score", "--gold", "gold.m2", "good", "poor", "--ci", "--resamples", "2100", "--format", "json")
    one = errorbar(*arguments).out
    assert errorbar(*arguments).out == one
    assert errorbar(*arguments, "--jobs", "2").out == one
    other = json.loads(errorbar(*arguments, "--seed", "4", "--ci-method", "percentile").out)
    again = json.loads(errorbar(*arguments, "--seed", "5", "--ci-method", "percentile").out)
    assert other["rows"][1]["intervals"] != again["rows"][1]["intervals"] or other["rows"][0] != again["rows"][0]
    assert ",seed:4|" in other["rows"][0]["signature"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--documents", "nowhere.sgml"], "nowhere.sgml: no such file"),
        (["--confidence", "95"], "95"),
        (["--resamples", "0"], "0"),
        (["--ci-method", "bcaa"], "bcaa"),
    ],
)
def test_misuse(errorbar: CommandLine, arguments: list[str], message: str) -> None:
    done = errorbar("score", "--gold", "gold.m2", "good", "--ci", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    "option", [("--resamples", "9"), ("--confidence", "0.9"), ("--ci-method", "basic"), ("--seed", "3")]
)
def test_interval_options_without_intervals_are_refused(errorbar: CommandLine, option: tuple[str, str]) -> None:
    done = errorbar("score", "--gold", "gold.m2", "good", "--no-ci", *option)
    assert (done.code, done.out) == (2, "")
    why = "is about intervals, and --no-ci asks for none; leave it out"
    assert done.err == f"error: {option[0]} {why} [useless-option]\n"
    done = errorbar("score", "--gold", "gold.m2", "good", "--by", "sentence", *option)
    assert (done.code, done.out) == (2, "")
    why = "is about intervals, and --by sentence has none; add --ci, or leave it out"
    assert done.err == f"error: {option[0]} {why} [useless-option]\n"
    for there in ((), ("--ci",), ("--ci", "--by", "sentence")):
        assert errorbar("score", "--gold", "gold.m2", "good", *there, *option).code == 0


class TestByType:
    """``--ci`` used to be dropped silently with ``--by type``."""

    TWO = "S a b c .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\nA 2 3|||Noun|||Z|||REQUIRED|||-NONE-|||0\n\n"

    @pytest.fixture(autouse=True)
    def types(self) -> None:
        Path("gold.m2").write_text(GOLD[: 8 * len(GOLD) // N] + self.TWO)

    def test_json(self, errorbar: CommandLine) -> None:
        (row,) = run(errorbar, "good", "--ci", "--by", "type", "--confidence", "0.9")
        det, noun = row["by_type"]
        assert det["interval"]["low"] < det["recall"] < det["interval"]["high"]
        assert (det["interval"]["confidence_level"], det["interval"]["method"]) == (0.9, "bootstrap-bca")
        assert noun["interval"] == {"low": None, "high": None, "reason": "a single unit does not show how units vary"}
        assert [set(each) for each in run(errorbar, "good", "--by", "type", "--no-ci")[0]["by_type"]] == [
            {"type", "recall", "correct", "gold"}
        ] * 2

    @pytest.mark.parametrize("style", ["table", "markdown", "latex"])
    def test_one_system(self, errorbar: CommandLine, style: str) -> None:
        ends = run(errorbar, "good", "--ci", "--by", "type")[0]["by_type"][0]["interval"]
        out = errorbar("score", "--gold", "gold.m2", "good", "--ci", "--by", "type", "--format", style).out
        assert f"{100 * ends['low']:.2f}–{100 * ends['high']:.2f}" in out
        assert "95\\% CI" in out if style == "latex" else "95% CI" in out
        assert "– no interval: a single unit does not show how units vary" in out

    def test_several_systems_stand_side_by_side(self, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", "gold.m2", "good", "poor", "--ci", "--by", "type").out
        rows = [" ".join(line.split()) for line in out.splitlines()]
        ends = [row["by_type"][0]["interval"] for row in run(errorbar, "good", "poor", "--ci", "--by", "type")]
        said = [f"{100 * each['low']:.2f}–{100 * each['high']:.2f}" for each in ends]
        assert rows[0] == "type good 95% CI poor 95% CI"
        assert [rows[2].split()[k] for k in (2, 4)] == said

    def test_csv(self, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", "gold.m2", "good", "--ci", "--by", "type", "--format", "csv").out
        det, noun = csv.DictReader(io.StringIO(out))
        interval = run(errorbar, "good", "--ci", "--by", "type")[0]["by_type"][0]["interval"]
        assert (float(det["recall_low"]), float(det["recall_high"])) == (interval["low"], interval["high"])
        assert (noun["recall_low"], noun["recall_high"]) == ("", "")


def test_by_sentence_says_why_there_is_none(errorbar: CommandLine) -> None:
    """The words are those of fragments in HOO."""
    (row,) = run(errorbar, "good", "--ci", "--by", "sentence")
    assert {each["no_interval"] for each in row["by_sentence"]} == {"a single unit does not show how units vary"}
    out = errorbar("score", "--gold", "gold.m2", "good", "--ci", "--by", "sentence").out
    assert "no interval of a sentence: a single unit does not show how units vary" in out
    assert "no interval" not in errorbar("score", "--gold", "gold.m2", "good", "--by", "sentence").out


@pytest.mark.parametrize("option", [("--resamples", "10"), ("--seed", "4")])
def test_options_of_draws_are_refused_beside_closed_formulas(errorbar: CommandLine, option: tuple[str, str]) -> None:
    """They passed, and nothing came of them."""
    done = errorbar("score", "--gold", "gold.m2", "good", "--ci", "--ci-method", "closed", *option)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: {option[0]} is about random draws, and --ci-method closed makes none; leave it out [useless-option]\n"
    )
    assert errorbar("score", "--gold", "gold.m2", "good", "--ci", *option).code == 0


def test_a_precision_above_one_has_no_closed_interval(errorbar: CommandLine, tmp_path: Path) -> None:
    """A reference edit that stands twice is met twice by one edit: P = 2, which is no proportion."""
    edit = "A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "gold.m2").write_text(f"S He go home .\n{edit}{edit}\n" * 3)
    (tmp_path / "it.txt").write_text("He goes home .\n" * 3)
    call = ("score", "--gold", tmp_path / "gold.m2", tmp_path / "it.txt", "--lenient", "--as-written")
    done = errorbar(*call, "--ci-method", "closed")
    row = next(line for line in done.out.splitlines() if " it " in line)
    assert row.split()[1:3] == ["200.00", "–"]
    assert "more is correct than was proposed" in done.out
