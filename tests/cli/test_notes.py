"""Notes that people read: one line on all of them, every one with ``--notes``, and an explanation of each code."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

import errorbar as library
from errorbar.core import Place, Problem, as_options
from errorbar.core.problems import LONGEST_HEADLINE
from tests.helpers.cli import CommandLine
from tests.helpers.codes import codes_by_room
from tests.helpers.expectations import require

ROOT = Path(__file__).parents[2]
SENTENCE = "S a cat sat on mat .\n"
OVERLAPPING = "A 0 1|||Det|||the|||REQUIRED|||-NONE-|||{0}\nA 0 2|||Det|||cats|||REQUIRED|||-NONE-|||{0}\n"
MISSING = "A 4 4|||Det|||the|||REQUIRED|||-NONE-|||{0}\n"
LINK = re.compile(r"\]\(([^)#]+)")


@pytest.fixture
def plain(errorbar: CommandLine) -> CommandLine:
    """The command line as users have it."""
    return replace(errorbar, every_note=False)


@pytest.fixture
def score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A call with three warnings (few resamples, parts, two judges) and four repairs, two of each annotator."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("errorbar.cli.options.FEW", 100)  # other tests are silent about it
    edits = "".join((OVERLAPPING + MISSING).format(annotator) for annotator in (0, 1))
    Path("gold.m2").write_text((SENTENCE + edits + "\n") * 2 + (SENTENCE + MISSING.format(0) + "\n") * 8)
    Path("system.txt").write_text("a cat sat on the mat .\n" * 10)
    return ("score", "--gold", "gold.m2", "system.txt", "--lenient", "--resamples", "50")


def test_notes_take_one_line_which_counts_the_others(plain: CommandLine, score: tuple[str, ...]) -> None:
    every = plain(*score, "--notes").notes.splitlines()
    assert len(every) == 7
    n_repairs = sum("repaired: " in line for line in every)
    assert n_repairs == 4  # two overlaps, of two annotators
    line, *others = plain(*score).notes.splitlines()
    assert others == []
    assert re.fullmatch(
        r"warning: two judges: their choice may move these scores by some \d+ points; errorbar explain two-judges "
        rf"\({len(every) - n_repairs - 1} more warnings, {n_repairs} repairs: --notes\)",
        line,
    )
    assert len(line) <= 140


def test_repairs_alone_are_counted(plain: CommandLine, tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text((SENTENCE + OVERLAPPING.format(0) + "\n") * 3)
    done = plain("convert", gold, "--to", "jsonl", "-o", tmp_path / "gold.jsonl", "--lenient")
    assert re.fullmatch(
        r"repair: .*gold.m2:3: .*; errorbar explain edit-overlap \(2 more repairs: --notes\)\n", done.err
    )


def test_a_warning_is_not_counted_among_repairs_of_its_code(plain: CommandLine, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text((SENTENCE + OVERLAPPING.format(0) + "\n") * 8)
    system.write_text("a cat sat on the mat .\n" * 8)
    shown = plain("attack", "--gold", gold, system, "--lenient", "--notes", "--no-ci").notes
    overlaps = [line for line in shown.splitlines() if line.endswith("[apply-overlap]")]
    assert [line.partition(":")[0] for line in overlaps].count("warning") == 1


def test_all_notes_are_in_json_and_none_beside_it(plain: CommandLine, score: tuple[str, ...]) -> None:
    n_shown = len(plain(*score, "--notes").notes.splitlines())
    done = plain(*score, "--format", "json")
    assert done.err == ""
    assert len(json.loads(done.out)["warnings"]) == n_shown
    assert {"few-resamples", "judges-parts", "two-judges"} <= {
        each["code"] for each in json.loads(done.out)["warnings"]
    }


def test_what_the_config_file_set_is_a_note(plain: CommandLine, score: tuple[str, ...]) -> None:
    Path("errorbar.toml").write_text("[defaults]\nconfidence = 0.9\n")
    quiet = ("score", "--gold", "gold.m2", "system.txt", "--lenient", "--no-ci")
    assert "set here" not in plain(*quiet).err  # something matters more
    assert "set here: --confidence 0.9 [config]" in plain(*quiet, "--notes").err
    Path("gold.m2").write_text(SENTENCE + MISSING.format(0) + "\n")
    Path("system.txt").write_text("a cat sat on the mat .\n")
    assert plain(*quiet).notes.endswith("errorbar.toml: set here: --confidence 0.9; errorbar explain config\n")
    Path("errorbar.toml").write_text("[defaults]\nconfidence = 0.9\nnotes = true\n")
    assert plain(*quiet).notes.endswith("errorbar.toml: set here: --confidence 0.9 [config]\n")


def test_errors_are_never_summed_up(plain: CommandLine, tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text((SENTENCE + OVERLAPPING.format(0) + "\n") * 3)
    (tmp_path / "system.txt").write_text(SENTENCE[2:] * 3)
    done = plain("score", "--gold", gold, tmp_path / "system.txt")
    assert done.code == 2
    assert [line.count("[edit-overlap]") for line in done.err.splitlines()] == [1, 1, 1]


def test_the_line_on_few_judges_says_by_how_much_they_matter(plain: CommandLine, tmp_path: Path) -> None:
    """Two standard deviations over judges of the system that they move most, in points."""
    plain("demo", "--save", tmp_path / "demo")
    gold, systems = tmp_path / "demo/gold.jsonl", [tmp_path / "demo/careful.txt", tmp_path / "demo/greedy.txt"]
    scores = library.score(gold, systems)
    variances = [require(require(score.judges).measures["f"].components).judges for score in scores]
    (note,) = [note for note in scores.notes if note.code == "few-judges"]
    points = f"{200 * sqrt(max(variances)):.0f}"
    assert note.headline == f"3 judges: their choice may move these scores by some {points} points"


def test_a_headline_is_short_whatever_a_message_quotes() -> None:
    line = Problem("x", "a word " * 40, Place("gold.m2", 3)).short_line(as_options)
    assert line.startswith("gold.m2:3: a word a word")
    assert line.endswith("word a …")
    assert len(line) <= LONGEST_HEADLINE + len("gold.m2:3:  …")


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            f"it looks shifted against the text of the source; {'more ' * 20}",
            "it looks shifted against the text of the source",
        ),
        (
            f"it looks shifted against the text of the source, and {'more ' * 20}",
            "it looks shifted against the text of the source …",
        ),
        (f"M2 cannot hold documents; left out (6: {'essay, ' * 20})", "M2 cannot hold documents; left out …"),
        (f"one (two (three) and {'four ' * 20})", "one …"),
        ("x" * 200, "x" * LONGEST_HEADLINE + " …"),
    ],
)
def test_a_headline_ends_as_a_sentence_does(message: str, line: str) -> None:
    assert Problem("x", message).short_line(as_options) == line


def test_each_code_is_explained(plain: CommandLine) -> None:
    done = plain("explain", "--format", "json")
    records = {record["code"]: record for record in json.loads(done.out)["codes"]}
    assert records.keys() >= codes_by_room().keys()
    done = plain("explain", "two-judges")
    assert done.out.startswith("two-judges: warning: two judges; their interval uses how others vary (docs/judges.md)")
    assert "\n\nPrint the interval that is headed `texts+judges`" in done.out
    assert max(map(len, done.out.splitlines())) <= 100
    assert plain("explain", "[m2-noop]").out.startswith("m2-noop: ")
    both = plain("explain", "config", "m2-noop").out
    assert both == f"{plain('explain', 'config').out}\n{plain('explain', 'm2-noop').out}"
    listing = plain("explain").out
    assert [line.split()[0] for line in listing.splitlines() if line[0] != " "] == list(records)


def test_each_warning_says_what_to_do(plain: CommandLine) -> None:
    """A message that does not stop the command ends in ``errorbar explain CODE``, which must help."""
    done = plain("explain", "--format", "json")
    codes = [record for record in json.loads(done.out)["codes"] if re.search(r"\b(warning|note)\b", record["meaning"])]
    assert len(codes) > 100
    assert [record["code"] for record in codes if not record["explanation"]] == [], "write it in explanations.toml"


def test_no_comma_cuts_a_meaning() -> None:
    with (ROOT / "src/errorbar/cli/errors.csv").open(encoding="utf-8", newline="") as file:
        assert [row for row in csv.reader(file) if len(row) != 2] == [], "quote a meaning that has a comma"


def test_another_word_suggests_the_nearest_code(plain: CommandLine) -> None:
    done = plain("explain", "two-judge")
    assert done.code == 2
    assert done.err == "error: no message has the code 'two-judge'; did you mean 'two-judges'? [unknown-code]\n"
    assert plain("explain", "x").err.endswith("'x'; errorbar explain lists all codes [unknown-code]\n")


@pytest.mark.parametrize("name", ["errors.csv", "explanations.toml"])
def test_links_of_explanations_lead_to_pages(name: str) -> None:
    links = LINK.findall((ROOT / "src/errorbar/cli" / name).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).is_file()] == []
