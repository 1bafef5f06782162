"""``errorbar attack``: what a terminal shows, and what is refused."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from errorbar.cli.attack import command
from errorbar.edits import KINDS
from tests.helpers.cli import CommandLine

GOLD = """S A cat sat on mat .
A 4 4|||Det|||the|||REQUIRED|||-NONE-|||0

S He go to school .
A 1 2|||Verb|||goes|||REQUIRED|||-NONE-|||0

S I like it .

"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three sentences, a system that corrects one error of two, and one that corrects both."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "half").write_text("A cat sat on the mat .\nHe go to school .\nI like it .\n")
    (tmp_path / "good").write_text("A cat sat on the mat .\nHe goes to school .\nI like it .\n")
    return tmp_path


def test_the_choices_are_the_kinds() -> None:
    (only,) = (option for option in command.params if option.name == "only")
    assert isinstance(only.type, click.Choice)
    assert tuple(only.type.choices) == tuple(KINDS)


def test_the_table(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("attack", "--gold", "gold.m2", "half", "good", "--no-ci", "--only", "unchanged", "--only", "pasted")
    assert done.code == 0, done.err
    table, notes = done.out.split("\n\n")
    assert table.splitlines()[0].split() == ["attack", "F0.5", "rank", "beats", "level", "with", "best", "beaten"]
    assert [line.split() for line in table.splitlines()[2:]] == [
        ["pasted-0", "100.00", "1st", "of", "3", "1", "1", "half"],
        ["unchanged", "0.00", "3rd", "of", "3", "0", "0", "–"],
    ]
    said, signature = notes.splitlines()
    assert said == "Under m2 (F0.5), a system that does nothing ranks 3rd of 3."
    assert signature.startswith("signature m2|src:")
    assert "|hyp:…|n:3|ann:1|v:" in signature


def test_csv_has_numbers(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("attack", "--gold", "gold.m2", "half", "--no-ci", "--only", "unchanged", "--format", "csv")
    head, row = done.out.splitlines()
    assert head == "attack,metric,does,knows,f,rank,n_ranked,beats,level,above,signature"
    assert row.startswith("unchanged,m2,does nothing,nothing,0.0,2,2,0,0,,m2|src:")


def test_what_was_not_made_is_said(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("attack", "--gold", "gold.m2", "--no-ci")
    assert "no concatenated: there are no two annotators" in done.out


def test_texts_go_out_and_scores_come_back(folder: Path, errorbar: CommandLine) -> None:
    """A metric from elsewhere that counts words."""
    given = ("attack", "--gold", "gold.m2", "half", "good", "--no-ci")
    assert errorbar(*given, "--write", "made").code == 0
    files = [*Path("made").iterdir(), Path("half"), Path("good")]
    rows = [f"{path.stem},{len(path.read_text().split())}" for path in files]
    Path("words.csv").write_text("\n".join(["system,score", *rows]) + "\n")
    done = errorbar(*given[:-1], "--scores", "words.csv")
    assert done.code == 0, done.err
    # The source has 15 words, both systems 16; "the" is the seventeenth of nobody.
    assert "Under words, a system that does nothing ranks 3rd of 3;" in done.out
    both = errorbar(*given, "--scores", "words.csv", "--metric", "m2")
    assert [line.split()[1] for line in both.out.splitlines() if line.startswith("Under")] == ["m2", "words,"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--only", "nothing"), "'nothing' is not one of 'unchanged'"),
        (("--metric", "hoo"), "hoo scores fragments, and these are sentences"),
        (("--scores", "half"), "[scores-line]"),
        (("--scores", "s.csv", "--resamples", "10"), "--resamples is about a --metric, and there is none beside"),
        (("--scores", "s.csv", "--only", "empty"), "s has no score of 'empty'"),
        (
            ("--write", "gold.m2"),
            "gold.m2: the output would overwrite an input; name another file [output-over-input]",
        ),
        (("--no-ci", "--confidence", "0.9"), "--confidence is about intervals, and --no-ci asks for none"),
    ],
)
def test_one_line_says_what_is_wrong(folder: Path, errorbar: CommandLine, given: tuple[str, ...], said: str) -> None:
    Path("s.csv").write_text("system,score\nunchanged,1\n")
    done = errorbar("attack", "--gold", "gold.m2", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_system_from_a_pipe(folder: Path, errorbar: CommandLine) -> None:
    lines = Path("good").read_bytes()
    done = errorbar("attack", "--gold", "gold.m2", "-", "--no-ci", "--only", "unchanged", stdin=lines)
    assert "a system that does nothing ranks 2nd of 2" in done.out
