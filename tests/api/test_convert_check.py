"""``convert`` and ``check`` from Python; tests/cli has every option."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from errorbar import Hypothesis, check, convert, read_corpus
from errorbar.api.check import MOST
from errorbar.core import InputError, UsageError
from tests.helpers.cli import CommandLine

GOLD = "S a b c\nA 0 1|||X|||d|||REQUIRED|||-NONE-|||0\n\nS e f\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
VOTES = "item,rater,label\n1,ann,error\n1,bob,ok\n2,ann,ok\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD)
    return tmp_path / "gold.m2"


def test_a_corpus_becomes_text_in_memory(gold: Path) -> None:
    done = convert(gold, to="text", annotator=["0"])
    assert (done.text, done.n_sentences, done.format, done.out) == ("d b c\ne f\n", 2, "text", None)
    assert convert(read_corpus(gold), to="m2").text == GOLD
    assert convert({"ann": gold, "bob": gold}, to="jsonl").text.count('"bob"') == 2
    assert done.to_dict() == {"out": None, "format": "text", "sentences": 2}
    assert [table.rows for table in done.tables()] == [[[None, "text", 2]]]
    assert "text=" not in repr(done)


def test_a_file_is_written_and_what_it_cannot_hold_is_noted(gold: Path) -> None:
    done = convert(gold, gold.parent / "out.txt")
    assert (gold.parent / "out.txt").read_text() == "a b c\ne f\n"
    assert [note.code for note in done.notes] == ["text-cannot-hold"]


@pytest.mark.parametrize(
    ("inputs", "options", "said"),
    [
        (7, {"to": "m2"}, "inputs must be a path, a Corpus, a list of paths or a mapping of texts to paths, got 7"),
        ([], {"to": "m2"}, "nothing to convert"),
        ("gold.m2", {"to": "nucle"}, 'errorbar reads nucle and does not write it; give to="jsonl"|"m2"|"text"|"hoo"'),
        ("gold.m2", {}, 'no format to write was given; give to="jsonl"|"m2"|"text"|"hoo"'),
        ("gold.m2", {"to": "text", "optional": False}, "leave them out"),
        ("gold.m2", {"to": "hoo"}, "converted HOO data is a file or a folder, and none is named"),
    ],
)
def test_what_does_not_fit_is_refused(
    gold: Path, monkeypatch: pytest.MonkeyPatch, inputs: object, options: dict[str, object], said: str
) -> None:
    monkeypatch.chdir(gold.parent)
    function: Callable[..., object] = convert
    with pytest.raises(UsageError) as caught:
        function(inputs, **options)
    assert said in str(caught.value)


OVERLAPPING = "A 0 2|||X|||e|||REQUIRED|||-NONE-|||1\nA 1 3|||X|||f|||REQUIRED|||-NONE-|||1\n"


def test_edits_that_overlap_are_named_once_and_where_they_matter(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(f"S a b c d\nA 3 4|||X|||g|||REQUIRED|||-NONE-|||0\n{OVERLAPPING}")
    assert convert(tmp_path / "gold.m2", to="text").text == "a b c d\n"
    assert convert(tmp_path / "gold.m2", to="text", annotator="0").text == "a b c g\n"
    with pytest.raises(InputError) as refused:
        convert(tmp_path / "gold.m2", to="text", annotator="1")
    assert [problem.code for problem in refused.value.problems] == ["apply-overlap"]
    mended = convert(tmp_path / "gold.m2", to="text", annotator="1", lenient=True)
    assert (mended.text, [note.code for note in mended.notes]) == ("e c d\n", ["apply-overlap"])
    with pytest.raises(InputError, match="edit-overlap"):
        convert(tmp_path / "gold.m2", to="jsonl")


@pytest.mark.parametrize("merged", [False, True])
def test_what_is_known_of_a_sentence_stays(tmp_path: Path, merged: bool) -> None:
    """Also where one annotator is taken, or where another file with the same sentences comes first."""
    first, file = tmp_path / "first.m2", tmp_path / "x.jsonl"
    first.write_text("S a b\n\n")
    about = '"document": "7", "writer": "w", "paragraph": 2'
    file.write_text(
        f'{{"format": "errorbar-corpus", "version": 1}}\n{{"text": "a b", {about}, "annotations": {{"0": []}}}}\n'
    )
    inputs, annotator = ([first, file], ()) if merged else ([file], ["0"])
    assert about in convert(inputs, to="jsonl", annotator=annotator).text
    assert "HOO cannot hold the paragraph (1 time)" in str(convert(file, tmp_path / "out", to="hoo").notes)


def test_a_good_file_and_a_bad_one(gold: Path) -> None:
    bad = gold.parent / "bad.m2"
    bad.write_text("S a\nA 0 5|||X|||d|||REQUIRED|||-NONE-|||0\n\n")
    done = check([gold, bad, gold.parent / "none.m2"])
    assert [dict(file.counts).get("sentences") for file in done.files] == [2, 1, None]
    assert [[problem.code for problem in file.problems] for file in done.files] == [
        [],
        ["span-outside"],
        ["no-such-file"],
    ]
    assert not done.good
    assert check(gold).good
    (table,) = done.tables()
    assert [row[1] for row in table.rows] == [2, None]
    assert "use lenient=True" in str(done.files[1].problems[0])


def test_judgments_are_checked_too(tmp_path: Path) -> None:
    good, bad = tmp_path / "votes.csv", tmp_path / "bad.csv"
    good.write_text(VOTES)
    (report,) = check(good).files
    assert str(report) == f"{good}: 3 judgments, 2 items, 2 raters, 2 labels; no problem"
    bad.write_text(f"{VOTES}3,ann\n,bob,ok\n")
    (report,) = check(bad).files
    assert [problem.place.line for problem in report.problems] == [5, 6]
    assert not check(bad).good


def test_a_file_of_nothing_but_problems_is_not_listed_to_its_end(tmp_path: Path) -> None:
    """Every row a repeated one: a small packed file took 516 MB, and time that grew with the square of its rows."""
    path = tmp_path / "votes.csv"
    path.write_text("item,rater,label\n" + "a,b,ok\n" * 2 * MOST)
    started = time.process_time()
    (report,) = check(path).files
    assert time.process_time() - started < 5
    assert len(report.problems) == MOST
    assert "not read to the end" in str(report)


def test_outputs_are_checked_against_a_reference_in_memory(gold: Path) -> None:
    (report,) = check(Hypothesis("mine", ["d b c", "e f"]), gold=read_corpus(gold)).files
    assert dict(report.counts) == {"lines": 2, "sentences changed": 1}
    (report,) = check(Hypothesis("mine", ["d b c"]), gold=gold).files
    assert [problem.code for problem in report.problems] == ["line-count"]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A source, two references, one of which lacks a line, and an output."""
    lines = {"source": SOURCE, "ref0": CORRECTED, "ref1": CORRECTED[:-1], "mine": SOURCE}
    for name, text in lines.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in text))
    return tmp_path


SOURCE = [f"There is {k} student in our school who like to read many book ." for k in range(2, 9)]
CORRECTED = [f"There are {k} students in our school who like to read many books ." for k in range(2, 9)]


def test_texts_are_checked_against_their_source(texts: Path, errorbar: CommandLine) -> None:
    good, bad = check([texts / "ref0", texts / "ref1"], source=texts / "source").files
    assert str(good) == f"{texts / 'ref0'}: 7 lines, 7 sentences changed; no problem"
    assert [problem.code for problem in bad.problems] == ["line-count", "shifted-lines"]
    (output,) = check(texts / "mine", gold=texts / "ref0", source=texts / "source").files
    assert dict(output.counts) == {"lines": 7, "sentences changed": 0}
    in_memory = check({"mine": CORRECTED}, source=SOURCE)
    assert dict(in_memory.files[0].counts) == {"lines": 7, "sentences changed": 7}
    printed = errorbar("check", "--source", texts / "source", texts / "ref0", texts / "ref1")
    assert (printed.code, "line 7 of the source seems to be missing here" in printed.out) == (1, True)
    told = errorbar("check", "--source", texts / "source", "--gold", texts / "ref0", texts / "mine", "--retokenize")
    assert (told.code, "no line looks untokenized" in told.out) == (0, True)


def test_advice_about_a_text_leads_somewhere(texts: Path, errorbar: CommandLine) -> None:
    told = errorbar("check", texts / "ref0")
    assert "if it is a corrected text, add --source FILE: what it corrects" in told.out
    assert errorbar("check", texts / "ref0", "--source", texts / "source").code == 0
    (problem,) = check(texts / "ref0").files[0].problems
    assert "if it is a corrected text, add source=FILE: what it corrects" in str(problem)


def test_options_that_do_not_fit(gold: Path) -> None:
    with pytest.raises(UsageError, match="leave them out, or add source or gold"):
        check(gold, force=True)
    with pytest.raises(UsageError, match="against what they correct, and it is not given; add source or gold"):
        check(Hypothesis("mine", ["a"]))
    with pytest.raises(UsageError, match=r"files must be a path, a Hypothesis, a list of .*, got Corpus"):
        check(read_corpus(gold))  # type: ignore[arg-type]  # what a user may try
    with pytest.raises(UsageError, match="nothing to check is named"):
        check([])
    with pytest.raises(InputError, match="no such file"):
        convert(gold.parent / "none.m2", to="jsonl")
