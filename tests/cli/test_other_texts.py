"""Systems that are not corrections of the source, or not tokenized as it is: every command, and the library."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

import errorbar as package
from errorbar.core import InputError
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.cli import CommandLine
from tests.helpers.untokenized import untokenized

RANDOM = random.Random(12)


def words(n: int) -> str:
    """So many made-up words."""
    return " ".join("".join(RANDOM.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(n))


SOURCE = [f"He have {words(7)} , I do n't {words(3)} ." for _ in range(30)]
GOOD = [line.replace("have", "has") for line in SOURCE]
OTHER = [f"Quite different words : {words(5)} !" for _ in range(30)]
UNTOKENIZED = [untokenized(line) for line in GOOD]
COMMANDS = {
    "score": ["score"],
    "score, two workers": ["score", "--jobs", "2"],
    "score with intervals": ["score", "--ci", "--resamples", "20"],
    "compare": ["compare", "--resamples", "20"],
    "ceiling": ["ceiling"],
    "report": ["report", "--resamples", "20", "--page", "format=markdown", "-o", "-"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    blocks = [f"S {line}\nA 1 2|||SVA|||has|||REQUIRED|||-NONE-|||{who}\n" for line in SOURCE for who in "0"]
    (tmp_path / "gold.m2").write_text("\n".join(blocks))
    (tmp_path / "second.m2").write_text(
        "\n".join(f"S {line}\nA 2 3|||Nn|||x|||REQUIRED|||-NONE-|||0\n" for line in SOURCE)
    )
    for name, lines in {"good": GOOD, "other": OTHER, "raw": UNTOKENIZED, "shuffled": [*GOOD[9:], *GOOD[:9]]}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def gold(folder: Path) -> list[object]:
    return ["--gold", folder / "gold.m2", "--gold", folder / "second.m2"]


@pytest.mark.parametrize("command", COMMANDS)
def test_another_text_is_refused_and_nothing_is_printed(command: str, folder: Path, errorbar: CommandLine) -> None:
    """It was scored without a word: JFLEG's development source against its test set had F0.5 28.68."""
    done = errorbar(*COMMANDS[command], *gold(folder), folder / "good", folder / "other")
    assert (done.code, done.out) == (2, "")
    said = [line for line in done.err.splitlines() if line.startswith("error:")]
    ours, theirs = OTHER[0][:30], SOURCE[0][:30]
    assert said == [
        f"error: other:1: of 30 lines, 30 are unlike the source's (lines 1, 2, 3, 4, 5, ...: '{ours}…' for"
        f" '{theirs}…'): this is not a correction of the source (expected corrected"
        " sentences of the source, in order); check that the file belongs to this source, or use --force"
        " [not-this-source]"
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_taken_by_force_with_a_warning(command: str, folder: Path, errorbar: CommandLine) -> None:
    done = errorbar(*COMMANDS[command], *gold(folder), "--force", folder / "good", folder / "other")
    assert done.code == 0
    assert done.out
    assert done.err.count("[not-this-source]") == 1
    assert "taken all the same, by --force [not-this-source]" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_source_in_another_order_is_scored_with_a_warning(
    command: str, folder: Path, errorbar: CommandLine
) -> None:
    done = errorbar(*COMMANDS[command], *gold(folder), folder / "good", folder / "shuffled")
    assert done.code == 0
    assert done.out
    assert done.err.count("[shuffled-lines]") == 1
    assert "30 of 30 lines are unlike their source lines" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_untokenized_text_is_scored_with_a_warning(command: str, folder: Path, errorbar: CommandLine) -> None:
    done = errorbar(*COMMANDS[command], *gold(folder), folder / "good", folder / "raw")
    assert done.code == 0
    assert done.err.count("[not-tokenized]") == 1
    assert "looks untokenized: of 30 changed lines, 30 (lines 1, 2, 3, 4, 5, ...) join to words" in done.err
    assert "or use --retokenize [not-tokenized]" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_untokenized_text_gets_the_tokens_of_the_source(command: str, folder: Path, errorbar: CommandLine) -> None:
    done = errorbar(*COMMANDS[command], *gold(folder), "--retokenize", folder / "good", folder / "raw")
    assert done.code == 0
    assert "not-tokenized" not in done.err
    assert "note: good: no line looks untokenized; nothing was changed [retokenized]" in done.err
    assert (
        "note: raw: of 30 lines, 30 (lines 1, 2, 3, 4, 5, ...) looked untokenized and got the source's tokens: 90 w"
        in done.err
    )
    assert "|retokenized|" in done.out.replace("\\", "")


@pytest.mark.parametrize("jobs", [1, 2])
def test_retokenized_text_has_the_score_of_the_tokenized_one(jobs: int, folder: Path, errorbar: CommandLine) -> None:
    given = ["score", "--gold", folder / "gold.m2", "--jobs", jobs, "--format", "json", folder / "good", folder / "raw"]
    plain, told = (json.loads(errorbar(*given, *extra).out) for extra in ([], ["--retokenize"]))
    assert [row["f"] for row in plain["rows"]] == [1, pytest.approx(5 / 13)]  # P = 30/90, R = 1
    assert [row["f"] for row in told["rows"]] == [1, 1]
    assert [row["signature"].replace("|retokenized", "") for row in told["rows"]] == [plain["rows"][0]["signature"]] * 2
    assert [note["code"] for note in plain["warnings"]] == ["not-tokenized", "one-judge"]
    assert [note["code"] for note in told["warnings"]] == ["retokenized", "retokenized", "one-judge"]


def test_packed_and_piped_ones_are_no_exception(folder: Path, errorbar: CommandLine) -> None:
    (folder / "other.gz").write_bytes(gzip.compress((folder / "other").read_bytes()))
    assert "[not-this-source]" in errorbar("score", "--gold", folder / "gold.m2", folder / "other.gz").err
    done = errorbar("score", "--gold", folder / "gold.m2", "it=-", stdin=(folder / "other").read_bytes())
    assert (done.code, done.out) == (2, "")
    assert "error: it:1: of 30 lines" in done.err


def test_check_names_all_of_it(folder: Path, errorbar: CommandLine) -> None:
    given = ["check", "--gold", folder / "gold.m2"]
    done = errorbar(*given, folder / "good", folder / "other", folder / "raw", "--format", "json")
    assert done.code == 1
    found = {Path(each["file"]).name: each for each in json.loads(done.out)["files"]}
    said = {name: [(p["severity"], p["code"], p["line"]) for p in each["problems"]] for name, each in found.items()}
    assert said == {
        "good": [],
        "other": [("error", "not-this-source", 1)],
        "raw": [("warning", "not-tokenized", 1)],
    }
    (row,) = (line for line in errorbar(*given, folder / "raw").out.splitlines() if "not-tokenized" in line)
    assert row.endswith("put spaces around tokens, as the source, or use --retokenize")
    assert errorbar(*given, folder / "other", "--force").code == 0
    done = errorbar(*given, folder / "raw", "--retokenize", "--format", "json")
    ((problem,),) = [each["problems"] for each in json.loads(done.out)["files"]]
    assert (done.code, problem["severity"], problem["code"]) == (0, "repaired", "retokenized")
    assert "90 words were cut, the first" in problem["what"]
    done = errorbar("check", folder / "gold.m2", "--force")
    assert (done.code, "[useless-option]" in done.err) == (2, True)


def test_hoo_data_and_reports_without_gold_refuse_the_options(folder: Path, errorbar: CommandLine) -> None:
    (folder / "votes.csv").write_text("item,rater,label\n1,a,ok\n1,b,error\n")
    done = errorbar("report", "--judgments", folder / "votes.csv", "--force", "-o", folder / "r.md")
    assert (done.code, done.err.count("[useless-option]")) == (2, 1)
    done = errorbar("score", "--metric", "hoo", "--gold", folder, folder, "--retokenize")
    assert (done.code, done.err.count("[useless-option]")) == (2, 1)


class TestLibrary:
    CORPUS = corpus(*[sentence(line, {"0": [edit(1, 2, "has")], "1": []}) for line in SOURCE])

    def test_score(self) -> None:
        other, raw = package.Hypothesis("other", OTHER), package.Hypothesis("raw", UNTOKENIZED)
        with pytest.raises(InputError, match=r"belongs to this source, or use force=True \[not-this-source\]"):
            package.score(self.CORPUS, [other], ["m2"])
        scores = package.score(self.CORPUS, [other], ["m2"], force=True, ci=False)
        assert scores[0].counts["correct"] == 0
        assert [str(note).endswith("by force=True [not-this-source]") for note in scores.notes] == [True]
        (found,) = package.score(self.CORPUS, [raw], ["m2"], retokenize=True, ci=False)
        assert found.f.value == 1
        assert found.signature.conventions == ("retokenized",)

    def test_studies(self) -> None:
        from errorbar.metrics import StudyPlan, prepare_study

        other = package.Hypothesis("other", OTHER)
        page = package.report(self.CORPUS, [other], force=True, resamples=20)
        assert [note.code for note in page.notes].count("not-this-source") == 1
        with pytest.raises(InputError, match="not-this-source"):
            prepare_study(self.CORPUS, [other], package.M2(), package.Problems())
        assert prepare_study(self.CORPUS, [other], package.M2(), package.Problems(), StudyPlan(force=True)).systems


def test_published_scores_come_out_with_a_warning(data: Path, errorbar: CommandLine) -> None:
    """Table 7 of CoNLL-2014: NTHU, F0.5 29.92, although its lines 38-43 and 165-167 are those of others."""
    system = data / "conll14_systems/official_submissions/NTHU"
    done = errorbar("score", "--gold", data / "conll14/noalt/official-2014.combined.m2", system, "--no-ci")
    assert done.code == 0
    assert " 29.92 " in done.out
    assert done.notes.count("\n") == 1
    assert "lines 38-43, 165-167 look shifted" in done.err
