"""``errorbar score``: what is printed where, in which form, and what a user hears when something is wrong.

Intervals have tests of their own, and most calls here ask for none.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

GOLD = """S This are a sentence .
A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||ArtOrDet|||one|||REQUIRED|||-NONE-|||1

S It have no error in second half .
A 1 2|||SVA|||has|||REQUIRED|||-NONE-|||0
A 5 5|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0

"""
GOOD = "This is a sentence .\nIt has no error in second half .\n"
BAD = "This are a sentence .\nIt have no errors in second half .\n"

# By hand. good: sentence 1 matches annotator 0's edit; sentence 2 one of the two edits: C = 2, P = 2, G = 3.
#   P = 100, R = 66.67, F0.5 = 1.25 * 2 / (0.25 * 3 + 2) = 90.91
# bad: sentence 1 proposes nothing: F 0 for both annotators and one edit each, the first is chosen; sentence 2 one
#   wrong edit: C = 0, P = 1, G = 3.


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(GOLD)
    Path("good").write_text(GOOD)
    Path("bad.txt").write_text(BAD)


class TestFormats:
    ARGUMENTS = ("score", "--gold", "gold.m2", "good", "bad.txt", "--no-ci")

    def test_table(self, errorbar: CommandLine) -> None:
        done = errorbar(*self.ARGUMENTS)
        assert (done.code, done.notes) == (0, "")
        rows = [line.split() for line in done.out.splitlines() if line.strip()]
        assert rows[0] == ["system", "P", "R", "F0.5", "correct", "proposed", "gold", "sentences", "hyp"]
        assert rows[2][:8] == ["good", "100.00", "66.67", "90.91", "2", "2", "3", "2"]
        assert rows[3][:8] == ["bad", "0.00", "0.00", "0.00", "0", "1", "3", "2"]
        assert "signature m2|src:" in done.out

    @pytest.mark.parametrize("by", [(), ("--by", "type"), ("--by", "sentence")])
    def test_metrics_of_different_measures_are_one_table_in_csv(self, errorbar: CommandLine, by: Sequence[str]) -> None:
        done = errorbar(*self.ARGUMENTS, "--metric", "m2", "--metric", "behavior", *by, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert {row["metric"] for row in rows} == {"m2", "behavior"}
        assert all(None not in row and None not in row.values() for row in rows)  # as many cells as headings
        assert {row["n_hit"] for row in rows if row["metric"] == "m2"} == {""}
        assert {row["correct"] for row in rows if row["metric"] == "behavior"} == {""}

    def test_json(self, errorbar: CommandLine) -> None:
        done = errorbar(*self.ARGUMENTS, "--format", "json")
        document = json.loads(done.out)
        assert list(document) == ["schema", "rows", "warnings"]
        assert document["schema"] == "errorbar.score/1"
        assert document["warnings"] == []
        good, bad = document["rows"]
        assert (good["system"], bad["system"]) == ("good", "bad")
        assert good["precision"] == 1.0
        assert good["recall"] == pytest.approx(2 / 3)
        assert good["f"] == pytest.approx(10 / 11)
        assert {key: good[key] for key in ("metric", "beta", "n_sentences", "n_annotators", "undefined")} == {
            "metric": "m2",
            "beta": 0.5,
            "n_sentences": 2,
            "n_annotators": 2,
            "undefined": {},
        }
        assert bad["undefined"] == {"f": "precision and recall are both 0"}

    def test_csv(self, errorbar: CommandLine) -> None:
        rows = list(csv.DictReader(io.StringIO(errorbar(*self.ARGUMENTS, "--format", "csv").out)))
        assert [float(row["f"]) for row in rows] == [pytest.approx(10 / 11), 0.0]  # fractions, for programs
        assert [row["system"] for row in rows] == ["good", "bad"]
        assert rows[0]["signature"].startswith("m2|src:")

    def test_tables_list_the_best_first_and_json_the_input(self, errorbar: CommandLine) -> None:
        call = ("score", "--gold", "gold.m2", "bad.txt", "good", "--no-ci")
        for order, names in (((), ["good", "bad"]), (("--order", "input"), ["bad", "good"])):
            lines = errorbar(*call, *order).out.splitlines()
            assert [line.split()[0] for line in lines[2:4]] == names
            rows = csv.DictReader(io.StringIO(errorbar(*call, *order, "--format", "csv").out))
            assert [row["system"] for row in rows] == names
            document = json.loads(errorbar(*call, *order, "--format", "json").out)
            assert [row["system"] for row in document["rows"]] == ["bad", "good"]

    def test_markdown(self, errorbar: CommandLine) -> None:
        lines = errorbar(*self.ARGUMENTS, "--format", "markdown").out.splitlines()
        assert lines[0].startswith("| system | P | R | F0.5 |")
        assert lines[1].startswith("| --- | ---: |")
        assert lines[2].startswith("| good | 100.00 | 66.67 | 90.91 |")

    def test_latex(self, errorbar: CommandLine) -> None:
        out = errorbar(*self.ARGUMENTS, "--format", "latex").out
        assert r"\begin{tabular}{lrrrrrrrl}" in out
        assert "good & 100.00 & 66.67 & 90.91 &" in out

    def test_latex_has_the_text_for_a_paper_ready_to_copy(self, errorbar: CommandLine) -> None:
        errorbar("score", "--gold", "gold.m2", "good", "-o", "scores.tex")
        *_, title, sentence, caption, _ = Path("scores.tex").read_text(encoding="utf-8").splitlines()
        assert title == "% For a paper:"
        assert sentence.startswith(r"% sentence: The F0.5 of good is 90.9 (MaxMatch; ")
        assert r"The 95\% intervals are over texts" in caption
        assert r"signature m2\textbar{}\allowbreak{}src:" in caption  # long words break

    def test_latex_of_another_view_has_no_caption_of_the_scores(self, errorbar: CommandLine) -> None:
        for view in ("type", "sentence"):
            out = errorbar("score", "--gold", "gold.m2", "good", "--by", view, "--no-ci", "--format", "latex").out
            assert "\\begin{tabular}" in out
            assert "For a paper" not in out

    def test_a_value_by_convention_is_marked(self, errorbar: CommandLine) -> None:
        Path("silent").write_text("".join(line[2:] for line in GOLD.splitlines(keepends=True) if line[0] == "S"))
        out = errorbar("score", "--gold", "gold.m2", "silent").out
        assert "100.00*" in out
        assert "* by convention: nothing was proposed" in out


class TestViews:
    def test_by_type(self, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", "gold.m2", "good", "--by", "type", "--no-ci", "--format", "csv").out
        assert list(csv.reader(io.StringIO(out)))[1:] == [
            ["good", "m2", "ArtOrDet", "0.0", "0", "1"],
            ["good", "m2", "SVA", "1.0", "2", "2"],
        ]

    def test_by_type_of_two_systems_is_a_grid(self, errorbar: CommandLine) -> None:
        call = ("score", "--gold", "gold.m2", "good", "bad.txt", "--by", "type", "--no-ci")
        out = errorbar(*call, "--format", "markdown").out
        assert out.splitlines()[0] == "| type | good | bad |"
        assert "| SVA | 100.00 | 0.00 |" in out

    def test_by_sentence(self, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", "gold.m2", "good", "--by", "sentence", "--format", "csv").out
        assert out.splitlines() == [
            "system,metric,annotator,sentence,correct,proposed,gold",
            "good,m2,0,1,1,1,1",
            "good,m2,0,2,1,1,2",
        ]

    def test_json_holds_them_too(self, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", "gold.m2", "good", "--by", "type", "--no-ci", "--format", "json").out
        (row,) = json.loads(out)["rows"]
        assert row["by_type"][1] == {"type": "SVA", "recall": 1.0, "correct": 2, "gold": 2}

    def test_several_metrics_are_told_apart(self, errorbar: CommandLine) -> None:
        out = errorbar(
            "score", "--gold", "gold.m2", "good", "--metric", "m2", "--metric", "m2(beta=1)", "--format", "csv"
        ).out
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [row["metric"] for row in rows] == ["m2", "m2(beta=1)"]
        # With beta = 1, F is twice C over G plus P: four fifths.
        assert [float(row["f"]) for row in rows] == pytest.approx([10 / 11, 0.8])

    def test_one_annotator(self, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", "gold.m2", "good", "--metric", "m2(choose=1)", "--format", "csv")
        (row,) = csv.DictReader(io.StringIO(out.out))
        assert (row["correct"], row["gold"], row["n_sentences"]) == ("0", "1", "1")
        assert "annotator 1 has no line for 1 of 2 sentences" in out.err

    def test_several_references(self, errorbar: CommandLine) -> None:
        Path("other.m2").write_text(GOLD.replace("one", "1"))
        (row,) = json.loads(
            errorbar("score", "--gold", "gold.m2", "--gold", "other.m2", "good", "--format", "json").out
        )["rows"]
        assert row["n_annotators"] == 4

    def test_a_row_can_be_renamed(self, errorbar: CommandLine) -> None:
        (row,) = json.loads(errorbar("score", "--gold", "gold.m2", "mine=good", "--format", "json").out)["rows"]
        assert row["system"] == "mine"

    def test_standard_input_and_gzip(self, errorbar: CommandLine) -> None:
        Path("gold.m2.gz").write_bytes(gzip.compress(GOLD.encode()))
        done = errorbar("score", "--gold", "gold.m2.gz", "-", "--format", "csv", stdin=GOOD.encode())
        plain = errorbar("score", "--gold", "gold.m2", "good", "--format", "csv")
        assert done.out.replace("\n-,", "\ngood,") == plain.out

    @pytest.mark.parametrize("jobs", ["1", "2"])
    @pytest.mark.parametrize(("unmarked", "proposed"), [("official", 2), ("all", 2), ("absent", 1)])
    def test_who_looked_at_an_unmarked_sentence(
        self, errorbar: CommandLine, unmarked: str, proposed: int, jobs: str
    ) -> None:
        """Where nobody looked, what a system changes is no false positive."""
        Path("part.m2").write_text(GOLD + "S Nobody looked here .\n\n")
        Path("eager").write_text("This is a sentence .\nIt have no error in second half .\nNobody looks here .\n")
        call = ("score", "--gold", "part.m2", "eager", "--unmarked", unmarked, "--jobs", jobs)
        (row,) = json.loads(errorbar(*call, "--format", "json").out)["rows"]
        assert (row["correct"], row["proposed"]) == (1, proposed)
        assert f"|unmarked:{unmarked}|" in row["signature"]

    def test_one_signature_for_all_systems_of_a_table(self, errorbar: CommandLine) -> None:
        """It says how was scored; what was scored stands in the column of hashes."""
        out = errorbar("score", "--gold", "gold.m2", "good", "bad.txt").out
        assert [line[:13] for line in out.splitlines() if "signature" in line] == ["signature m2|"]


def broken(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


class TestBadInput:
    """One line on stderr with place and code, nothing on stdout, exit code 2."""

    def refused(self, errorbar: CommandLine, *arguments: str, stdin: bytes = b"") -> str:
        done = errorbar("score", *arguments, stdin=stdin)
        assert done.code == 2
        assert done.out == ""
        (line,) = done.err.splitlines()
        assert line.startswith("error: ")
        return line.removeprefix("error: ")

    def gold(self, errorbar: CommandLine, content: str | bytes, *options: str) -> str:
        return self.refused(errorbar, "--gold", broken("b.m2", content), "good", *options)

    def system(self, errorbar: CommandLine, content: str | bytes, *options: str) -> str:
        return self.refused(errorbar, "--gold", "gold.m2", broken("s", content), *options)

    @pytest.mark.parametrize("options", [(), ("--lenient",)])
    def test_lines_missing_or_left_over(self, errorbar: CommandLine, options: tuple[str, ...]) -> None:
        fix = "(expected 2 lines); one line per sentence; errorbar check looks for the place [line-count]"
        assert self.system(errorbar, "a\n", *options) == f"s: 1 line for 2 sentences of the source {fix}"
        assert self.system(errorbar, GOOD + "x\n", *options) == f"s: 3 lines for 2 sentences of the source {fix}"

    def test_a_blank_last_line(self, errorbar: CommandLine) -> None:
        assert "the last one is blank" in self.system(errorbar, GOOD + "\n")
        done = errorbar("score", "--gold", "gold.m2", "s", "--lenient", "--no-ci", "--format", "csv")
        assert done.code == 0
        assert "s,m2,1.0,0.6666666666666666," in done.out
        assert done.err.startswith("note: s: 3 lines for 2 sentences")

    @pytest.mark.parametrize(
        ("old", "new", "code"),
        [
            ("A 1 2", "A 1 9", "span-outside"),
            ("A 1 2", "A 2 1", "span-backwards"),
            ("A 5 5", "A 1 3", "edit-overlap"),
            ("A 5 5|||ArtOrDet|||the", "A 1 2|||SVA|||has", "edit-duplicate"),
            ("-NONE-|||1", "-NONE-|||one", "m2-annotator"),
        ],
    )
    def test_one_bad_line_of_a_reference(self, errorbar: CommandLine, old: str, new: str, code: str) -> None:
        content = GOLD[::-1].replace(old[::-1], new[::-1], 1)[::-1]  # the last occurrence
        line = self.gold(errorbar, content)
        assert line.startswith("b.m2:")
        assert line.endswith(f"[{code}]")
        done = errorbar("score", "--gold", "b.m2", "good", "--lenient")
        assert done.code == 0
        assert done.err.startswith("note: b.m2:")
        assert f"[{code}]" in done.err

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            ("", "m2-empty"),
            ("<!doctype html>\n<html>", "web-page"),
            ("Just some text .\n", "unknown-format"),
            (b"\x1f\x8b\x08\x00damaged", "gzip-damaged"),
        ],
    )
    @pytest.mark.parametrize("options", [(), ("--lenient",)])
    def test_no_reference(
        self, errorbar: CommandLine, content: str | bytes, code: str, options: tuple[str, ...]
    ) -> None:
        assert self.gold(errorbar, content, *options).endswith(f"[{code}]")

    def test_not_utf8(self, errorbar: CommandLine) -> None:
        line = self.system(errorbar, b"na\xefve\nb\n")
        assert line.startswith("s:1: byte 0xEF at column 3 is not UTF-8")

    @pytest.mark.parametrize(("content", "code"), [("", "hypothesis-empty"), (GOLD, "hypothesis-m2")])
    def test_no_system_output(self, errorbar: CommandLine, content: str, code: str) -> None:
        assert self.system(errorbar, content).endswith(f"[{code}]")

    def test_references_over_different_texts(self, errorbar: CommandLine) -> None:
        other = broken("o.m2", GOLD.replace("sentence", "phrase"))
        line = self.refused(errorbar, "--gold", "gold.m2", "--gold", other, "good")
        assert line.startswith("o.m2:1: the sentence is not that of gold: token 3 is 'phrase'")
        shorter = broken("o.m2", GOLD.split("\n\n", maxsplit=1)[0] + "\n")
        line = self.refused(errorbar, "--gold", "gold.m2", "--gold", shorter, "good")
        assert "(gold: 2, o: 1)" in line

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--gold", "glod.m2", "good"], "glod.m2: no such file; did you mean 'gold.m2'? [no-such-file]"),
            (["--gold", ".", "good"], ".: this is a directory"),
            (["--gold", "gold.m2", "goood"], "goood: no such file; did you mean 'good'?"),
            (["--gold", "-", "-"], "<stdin>: standard input can be read only once"),
            (["--gold", "gold.m2", "good", "--metric", "m3"], "no metric is called 'm3'; known: "),
            (
                ["--gold", "gold.m2", "good", "--metric", "m2(bta=1)"],
                "'m2' has no parameter 'bta'; did you mean",
            ),
            (
                ["--gold", "gold.m2", "good", "--metric", "m2(beta=-1)"],
                "m2: beta must be a number above",
            ),
            (["--gold", "gold.m2", "good", "--metric", "m2(beta=x)"], "m2: beta must be a number, got x"),
            (["--gold", "gold.m2", "good", "--metric", "m2("], "cannot read 'm2('"),
            (["--gold", "gold.m2", "good", "--metric", "m2(choose=7)"], "no annotator '7' in the reference; known: 0"),
            (["--gold", "gold.m2", "good", "--by", "team"], "--by team is for HOO data"),
            (["--gold", "gold.m2", "--gold", "x/gold.m2", "good"], "two reference files are called 'gold'"),
        ],
    )
    def test_misuse(self, errorbar: CommandLine, arguments: list[str], message: str) -> None:
        assert self.refused(errorbar, *arguments).startswith(message)

    def test_every_bad_line_is_listed_at_once(self, errorbar: CommandLine) -> None:
        done = errorbar("score", "--gold", broken("b.m2", GOLD.replace("A 1 2", "A 1 99")), "good")
        assert [line.split(" ")[1] for line in done.err.splitlines()] == ["b.m2:2:", "b.m2:6:"]

    def test_of_many_bad_lines_of_one_kind_some_are_listed_and_all_counted(self, errorbar: CommandLine) -> None:
        Path("bad.m2").write_text(
            GOLD + "".join(f"S b {k}\nA 7 8|||T|||x|||REQUIRED|||-NONE-|||0\n\n" for k in range(7))
        )
        done = errorbar("score", "--gold", "bad.m2", "good")
        assert (done.code, done.out) == (2, "")
        *listed, rest = done.err.splitlines()
        assert [line.rsplit("[")[-1] for line in listed] == ["span-outside]"] * 5
        assert rest == "error: and 2 more of this kind; errorbar check FILE lists all [span-outside]"


class TestMisuseOfTheCommandLine:
    def test_an_unknown_command_is_answered_with_the_nearest(self, errorbar: CommandLine) -> None:
        done = errorbar("scroe")
        assert (done.code, done.out) == (2, "")
        assert "no command 'scroe'; did you mean 'score'?" in done.err

    @pytest.mark.parametrize("arguments", [["good"], ["--gold", "gold.m2"], ["--gold", "gold.m2", "good", "--no"]])
    def test_options_missing_or_unknown(self, errorbar: CommandLine, arguments: list[str]) -> None:
        done = errorbar("score", *arguments)
        assert (done.code, done.out) == (2, "")
        assert "error: " in done.err.lower()

    def test_help(self, errorbar: CommandLine) -> None:
        done = errorbar("score", "--help")
        assert done.code == 0
        for option in ("--gold", "--metric", "--by", "--lenient", "--format"):
            assert option in done.out
        assert "\n  errorbar score --gold official-2014.combined.m2 CAMB AMU CUUI\n" in done.out


class TestTheConsoleScript:
    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        script = Path(sys.executable).with_name("errorbar")
        if not script.exists():
            pytest.skip("the console script is not installed beside this Python")
        return subprocess.run([script, *arguments], capture_output=True, text=True, check=False, timeout=100)

    def test_data_on_stdout(self) -> None:
        done = self.run("score", "--gold", "gold.m2", "good", "--no-ci", "--format", "csv")
        assert (done.returncode, done.stderr) == (0, "")
        assert "good,m2,1.0,0.6666666666666666," in done.stdout

    def test_talk_on_stderr(self) -> None:
        done = self.run("score", "--gold", "gold.m2", "xyz")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "error: xyz: no such file [no-such-file]\n"


# Commands that messages suggest, which a shell takes as they stand: names of files may have spaces in them.


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def suggested(err: str, mark: str) -> list[str]:
    """The words of the command after a mark, as a shell reads them."""
    (line,) = [line for line in err.splitlines() if mark in line]
    return shlex.split(line.partition(mark)[2])


def test_a_task_in_a_folder_with_a_space(errorbar: CommandLine) -> None:
    done = errorbar("demo", "--task", "--save", "my task")
    program, *words = suggested(done.err, "next: ")
    assert (program, words) == ("errorbar", ["task", "run", "my task/task.toml"])
    assert errorbar(*words).code == 0


def test_a_study_in_a_folder_with_a_space(errorbar: CommandLine) -> None:
    errorbar("demo", "--save", "demo")
    done = errorbar("judge", "init", "a b", "--from", "demo/careful.txt")
    assert done.code == 0
    assert suggested(done.err, "next: ") == ["errorbar", "judge", "serve", "a b"]
    missing = errorbar("judge", "status", "no study")
    assert suggested(missing.err.replace("[judge-no-study]", ""), "make one: ") == [
        "errorbar",
        *["judge", "init"],
        "no study",
    ]


@pytest.mark.parametrize("kind", ["gold.jsonl", "gold.m2"])
def test_a_reference_given_as_a_system(errorbar: CommandLine, kind: str) -> None:
    errorbar("demo", "--save", "my demo")
    if kind == "gold.m2":
        assert errorbar("convert", "my demo/gold.jsonl", "-o", f"my demo/{kind}").code == 0
    done = errorbar("score", "--gold", f"my demo/{kind}", f"my demo/{kind}")
    assert done.code == 2
    assert f"'my demo/{kind}'" in done.err.partition("errorbar convert")[2]
