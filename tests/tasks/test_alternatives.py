"""Alternative answers: checked, listed, judged, joined to the gold edits."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from errorbar import Corpus, Edit, Sentence
from errorbar.core import Place
from errorbar.formats import read_corpus
from errorbar.tasks import AlternativeAnswer, with_answers
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.tasks.small import make_task

ANSWERS = """\
S He go to school .
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0

S She like cats and dog .
A 1 2|||SVA|||loves|||REQUIRED|||-NONE-|||0
A 4 5|||Nn|||a dog|||REQUIRED|||-NONE-|||0

S This are fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task, and a file of three answers, one of which is in the gold edits."""
    (tmp_path / "answers.m2").write_text(ANSWERS)
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "run1.txt").write_text(
        "He go to school .\nShe loves cats and a dog .\nThis are fine .\nWe have seen it yesterday .\n"
    )
    path = make_task(tmp_path)
    path.write_text(path.read_text() + '\n[[team]]\nname = "three"\nsubmissions = "three"\n')
    return path


def listed(task: Path, errorbar: CommandLine) -> list[dict[str, str]]:
    out = task.parent / "list.csv"
    done = errorbar("task", "alternatives", task, f"three={task.parent / 'answers.m2'}", "--list", out)
    assert done.code == 0, done.err
    assert "the answer for sentence 1 is there already; left out [task-answer-known]" in done.err
    with out.open(newline="") as stream:
        return list(csv.DictReader(stream))


def judge(task: Path, rows: list[dict[str, str]], *verdicts: str) -> Path:
    path = task.parent / "judged.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows({**row, "verdict": verdict} for row, verdict in zip(rows, verdicts, strict=True))
    return path


def test_the_list_says_what_a_judge_must_know(task: Path, errorbar: CommandLine) -> None:
    first, second = listed(task, errorbar)
    assert (first["team"], first["sentence"], first["verdict"]) == ("three", "2", "")
    assert first["answer"] == "She loves cats and a dog ."
    assert first["edits"] == "like → loves; dog → a dog"
    assert first["gold"] == "0: like → likes; dog → dogs / 1: like → likes"
    assert (second["sentence"], second["edits"]) == ("3", "nothing")


def test_accepted_answers_join_the_gold_edits_and_the_scores(task: Path, errorbar: CommandLine) -> None:
    judged = judge(task, listed(task, errorbar), "yes", "no")
    out = task.parent / "gold-alt.m2"
    answers = f"three={task.parent / 'answers.m2'}"
    done = errorbar("task", "alternatives", task, answers, "--judged", judged, "--gold", out, "--format", "csv")
    assert done.code == 0, done.err
    assert "1 of 2 answers accepted" in done.err
    corpus = read_corpus(out)
    assert [sorted(sentence.annotations) for sentence in corpus.sentences] == [
        ["0", "1"],
        ["0", "1", "2"],
        ["0", "1"],
        ["0", "1"],
    ]
    rows = {row["run"]: row for row in csv.DictReader(done.out.splitlines())}
    # Team three changes sentence 2 alone, just as it proposes: 0 of 2 edits right without the answer, both with it.
    three = rows["three-1"]
    assert (three["precision"], three["precision_alternatives"]) == ("0.0", "1.0")
    assert rows["one-1"]["precision"] == rows["one-1"]["precision_alternatives"]


def test_open_answers_are_not_accepted_and_said(task: Path, errorbar: CommandLine) -> None:
    judged = judge(task, listed(task, errorbar), "YES", "")
    out = task.parent / "gold.jsonl"
    answers = f"three={task.parent / 'answers.m2'}"
    done = errorbar("task", "alternatives", task, answers, "--judged", judged, "--gold", out)
    assert done.code == 0
    assert "1 of 2 answers have no verdict; they are not accepted [task-not-judged]" in done.err
    assert read_corpus(out).annotators == ("0", "1", "three")


def test_annotators_of_answers_have_names_of_their_own() -> None:
    """Team 1 is called as an annotator, and proposes two answers for one sentence."""
    edits = {name: (Edit(1, 2, (name,)),) for name in "abcd"}
    corpus = Corpus([Sentence("He go .", {"0": edits["a"], "1": ()}), Sentence("I go .", {"0": ()})], ("0", "1"))
    accepted = [("1", 1, "b"), ("1", 1, "c"), ("1", 2, "d"), ("x", 2, "b")]
    joined = with_answers(
        corpus, [AlternativeAnswer(team, at, "", edits[name], Place()) for team, at, name in accepted]
    )
    assert joined.annotators == ("0", "1", "1.2", "1.3", "x")
    assert [dict(each.annotations) for each in joined.sentences] == [
        {"0": edits["a"], "1": (), "1.2": edits["b"], "1.3": edits["c"]},
        {"0": (), "1.2": edits["d"], "x": edits["b"]},
    ]
    assert corpus.annotators == ("0", "1")
    assert set(corpus.sentences[0].annotations) == {"0", "1"}, "the gold edits stay as they are"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "maybe"}, "judged.csv:2: the verdict 'maybe' (expected yes or no)"),
        ({"id": "abc"}, "the answer 'abc' is not one of those proposed"),
    ],
)
def test_a_spoilt_list(change: dict[str, str], message: str, task: Path, errorbar: CommandLine) -> None:
    first, second = listed(task, errorbar)
    judged = judge(task, [{**first, **change}, second], change.get("verdict", "yes"), "no")
    answers = f"three={task.parent / 'answers.m2'}"
    done = errorbar("task", "alternatives", task, answers, "--judged", judged, "--gold", task.parent / "gold-alt.m2")
    assert done.code == 2
    assert message in done.err
    assert not (task.parent / "gold-alt.m2").exists()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("He go to", "She goes to", "task-other-source"),
        ("A 4 5|||Nn|||a dog", "A 4 15|||Nn|||a dog", "span-outside"),
        ("A ", "I ", "task-no-answers"),
    ],
)
def test_answers_that_cannot_be_judged(old: str, new: str, code: str, task: Path, errorbar: CommandLine) -> None:
    (task.parent / "answers.m2").write_text(ANSWERS.replace(old, new))
    done = errorbar("task", "alternatives", task, task.parent / "answers.m2", "--list", task.parent / "list.csv")
    assert done.code == 2
    assert f"[{code}]" in done.err
    assert not (task.parent / "list.csv").exists()


def test_neither_list_nor_verdicts(task: Path, errorbar: CommandLine) -> None:
    done = errorbar("task", "alternatives", task, task.parent / "answers.m2")
    assert done.code == 2
    assert "either --list CSV, or --judged CSV with --gold FILE" in done.err


def test_what_the_command_prints_follows_its_schema(task: Path, errorbar: CommandLine) -> None:
    judged = judge(task, listed(task, errorbar), "yes", "no")
    answers = f"three={task.parent / 'answers.m2'}"
    out = task.parent / "alt.m2"
    done = errorbar("task", "alternatives", task, answers, "--judged", judged, "--gold", out, "--format", "json")
    document = validated("task-alternatives", done.out)
    assert (document["answers"], len(document["accepted"])) == (2, 1)
