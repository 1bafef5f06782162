"""Essays of MultiGEC-2025: read alone, aligned by their ids, and as a system's output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from errorbar import Problems, Sentence, convert, read_corpus, score
from errorbar.core import InputError
from errorbar.edits import open_system, parallel_sentences
from errorbar.formats import FORMATS, EssayReader, Lines, read_parallel
from errorbar.formats.catalog import recognize_line
from errorbar.formats.essay_texts import read_essay_texts
from tests.helpers.cli import CommandLine
from tests.helpers.read import lines_of

ORIG = """### essay_id = e1
I has a dog .

It bark .

### essay_id = two words
She like cats .

### essay_id = 3
Fine .
"""
REF1 = """### essay_id = 3
Fine .
### essay_id = e1
I have a dog .
It barks .


### essay_id = two words
She likes cats ."""
REF2 = "### essay_id = e1\nI have a dog . It is barking .\n\n"
HYPO = """### essay_id = two words
She likes cat .

### essay_id = e1
I have a dog . It barks .

### essay_id = 3
Fine .
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"orig": ORIG, "ref1": REF1, "ref2": REF2, "hypo": HYPO}.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def gold(folder: Path) -> Path:
    names = ["ref1.md", "ref2.md"]
    convert([folder / name for name in names], folder / "gold.jsonl", source=folder / "orig.md")
    return folder / "gold.jsonl"


def read(text: str, *, lenient: bool = False) -> tuple[list[tuple[str, str, int]], Problems]:
    problems = Problems(lenient=lenient)
    with lines_of(text, problems) as lines:
        return [(essay.id, essay.text, essay.line) for essay in read_essay_texts(lines, problems)], problems


def test_reads_essays() -> None:
    found, problems = read(ORIG)
    assert found == [
        ("e1", "I has a dog . It bark .", 1),
        ("two words", "She like cats .", 6),
        ("3", "Fine .", 9),
    ]
    assert problems.errors == problems.notes == []


def test_line_ends_white_space_and_a_header_inside_of_a_line_change_nothing() -> None:
    text = "\n\n### essay_id = 1 \r\na\u00a0b\t c\u2028d\r\n\r\nsee ### essay_id = 2\r\n"
    assert read(text)[0] == [("1", "a b c d see ### essay_id = 2", 3)]


def test_an_essay_without_a_text_is_one() -> None:
    assert read("### essay_id = 1\n### essay_id = 2\n\n")[0] == [("1", "", 1), ("2", "", 2)]


@pytest.mark.parametrize("line", ["### essay_id = 1", "## essay_id = 7", "###essay_id=x", "  ### essay_id: 4"])
def test_recognized_by_the_first_line_also_where_it_is_nearly_right(line: str) -> None:
    assert recognize_line(line).name == "multigec"


@pytest.mark.parametrize("line", ["# essays", "essay_id = 4 is the fourth", "### Essay", "I wrote ### essay_id = 1"])
def test_other_texts_are_not_taken_for_essays(line: str) -> None:
    assert recognize_line(line).name == "text"


@pytest.mark.parametrize(
    ("text", "codes", "line"),
    [
        ("### essay_id = 1\na\n### essay_id = 1\nb\n", ["essay-twice"], 3),
        ("hello\n### essay_id = 1\na\n", ["essay-header"], 1),
        ("### essay_id = \na\n", ["essay-header"], 1),
        ("### essay_id = 1\na\n## essay_id=2\nb\n", ["essay-header"], 3),
        ("", ["essays-empty"], 0),
        ("### essay_id =\na\n### essay_id =\nb\n", ["essay-header", "essay-header"], 1),
    ],
)
def test_what_is_refused(text: str, codes: list[str], line: int) -> None:
    _, problems = read(text)
    assert [problem.code for problem in problems.errors] == codes
    assert problems.errors[0].place.line == line


def test_a_header_written_otherwise_is_repaired() -> None:
    found, problems = read("### essay_id = 1\na\n##essay_id=2\nb\n", lenient=True)
    assert [essay[:2] for essay in found] == [("1", "a"), ("2", "b")]
    assert [(note.code, note.severity) for note in problems.notes] == [("essay-header", "repaired")]


def test_essays_alone_are_sentences_of_a_document_each() -> None:
    problems = Problems()
    with lines_of(ORIG, problems) as lines:
        first, *_ = FORMATS["multigec"].read(lines, problems)
    assert first == Sentence("I has a dog . It bark .", {}, "e1", line=1)


def test_references_are_aligned_by_id_and_may_lack_essays(folder: Path) -> None:
    problems = Problems()
    files = [Lines(folder / f"{name}.md", problems) for name in ("orig", "ref1", "ref2")]
    sentences = list(parallel_sentences(read_parallel(files[0], files[1:], problems), ["a", "b"]))
    assert [sentence.document for sentence in sentences] == ["e1", "two words", "3"]
    assert [list(sentence.annotations) for sentence in sentences] == [["a", "b"], ["a"], ["a"]]
    assert [edit.replacements for edit in sentences[0].annotations["b"]] == [("have",), ("is barking",)]
    assert sentences[2].annotations["a"] == ()
    (note,) = problems.notes
    assert (note.code, note.place.file) == ("essays-absent", str(folder / "ref2.md"))
    assert note.what.startswith("2 of 3 essays")


def parallel(folder: Path, **texts: str) -> Problems:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    problems = Problems()
    files = [Lines(folder / f"{name}.md", problems) for name in texts]
    assert list(read_parallel(files[0], files[1:], problems)) is not None
    return problems


def test_an_essay_that_the_source_lacks_is_an_error_with_its_line(tmp_path: Path) -> None:
    problems = parallel(tmp_path, orig=ORIG, ref=f"{REF1}\n### essay_id = 33\nMore .\n")
    (error,) = problems.errors
    assert (error.code, error.place.line) == ("essay-unknown", 10)
    assert "'33' is not in" in error.what


def test_essays_and_lines_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plain.md:1: this is plain text, and .*orig.md has essays with ids"):
        parallel(tmp_path, orig=ORIG, plain="I has a dog .\n")
    with pytest.raises(InputError, match=r"plain.md:1: this is plain text"):
        parallel(tmp_path, plain="I has a dog .\n", orig=ORIG)


def test_a_system_is_scored_by_essay_whatever_their_order(gold: Path) -> None:
    # By hand: "have" and "barks" of ref1 in e1, "likes" of ref1 in the second, whose "cat" for "cats" is wrong.
    (found,) = score(gold, gold.parent / "hypo.md", ci=False).scores
    assert found.counts == {"correct": 3, "proposed": 4, "gold": 3}


def test_references_as_texts_are_the_same(gold: Path) -> None:
    folder = gold.parent
    references = [folder / "ref1.md", folder / "ref2.md"]
    (texts,) = score(references, folder / "hypo.md", source=folder / "orig.md", ci=False).scores
    (made,) = score(gold, folder / "hypo.md", ci=False).scores
    assert (str(texts.signature), texts.counts) == (str(made.signature), made.counts)


def test_the_order_of_essays_in_a_file_changes_nothing(gold: Path) -> None:
    parts = re.split(r"(?m)^(?=###)", HYPO)[1:]
    (gold.parent / "other.md").write_text("".join(reversed(parts)))
    scores = score(gold, [gold.parent / "hypo.md", gold.parent / "other.md"], ci=False, order="input")
    first, second = (str(scored.signature) for scored in scores.scores)
    assert first == second


def refusal(gold: Path | str, system: Path) -> str:
    with pytest.raises(InputError) as refused:
        score(gold, system)
    return str(refused.value)


@pytest.mark.parametrize("jobs", [1, 2])
def test_missing_unknown_and_repeated_essays_of_a_system(gold: Path, jobs: int) -> None:
    system = gold.parent / "bad.md"
    system.write_text(REF2)
    with pytest.raises(InputError, match=r"bad.md: 2 of 3 essays are missing: two words, 3 .*\[essay-missing\]"):
        score(gold, system, jobs=jobs)
    system.write_text(f"{HYPO}### essay_id = 4\nx\n")
    with pytest.raises(InputError, match=r"bad.md:9: the essay '4' is not in the reference .*\[essay-unknown\]"):
        score(gold, system, jobs=jobs)
    system.write_text(f"{HYPO}### essay_id = 3\nx\n")
    with pytest.raises(InputError, match=r"bad.md:9: a second essay with the id '3'; the first stands in line 7"):
        score(gold, system, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_reference_without_ids_is_refused(gold: Path, jobs: int) -> None:
    convert(gold, gold.parent / "gold.m2")
    with pytest.raises(InputError, match=r"the reference does not tell its essays; .*\[essay-reference\]"):
        score(gold.parent / "gold.m2", gold.parent / "hypo.md", jobs=jobs)


def test_a_reference_of_sentences_is_refused(gold: Path) -> None:
    lines = gold.read_text().splitlines()
    gold.write_text("\n".join([*lines, lines[1]]) + "\n")
    assert "the reference has the essay 'e1' in several sentences" in refusal(gold, gold.parent / "hypo.md")


def test_a_source_is_no_reference(folder: Path) -> None:
    assert "these are texts of essays, without edits" in refusal(folder / "orig.md", folder / "hypo.md")


def test_without_a_reference_essays_come_as_they_stand(folder: Path) -> None:
    reader = open_system(folder / "hypo.md", "hypo", Problems())
    assert isinstance(reader, EssayReader)
    assert [reader.take(2), reader.take(2)] == [["She likes cat .", "I have a dog . It barks ."], ["Fine ."]]


def test_commands(errorbar: CommandLine, gold: Path) -> None:
    folder = gold.parent
    done = errorbar("check", folder / "orig.md", folder / "ref2.md")
    assert done.out.splitlines() == [
        f"{folder}/orig.md: 3 essays, 14 tokens; no problem",
        f"{folder}/ref2.md: 1 essay, 9 tokens; no problem",
    ]
    done = errorbar("check", "--gold", gold, folder / "hypo.md")
    assert done.out == f"{folder}/hypo.md: 3 lines, 2 sentences changed; no problem\n"
    assert errorbar("convert", folder / "orig.md", "--to", "text").out.splitlines()[1] == "She like cats ."
    piped = errorbar("score", "--gold", gold, "--no-ci", "-", stdin=HYPO.encode())
    assert piped.out.splitlines()[2].split()[1:4] == ["75.00", "100.00", "78.95"]
    assert read_corpus(gold).sentences[0].document == "e1"
