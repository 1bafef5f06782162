"""Paths and objects: whatever a public function takes becomes the same corpus and the same systems."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from errorbar import M2, Corpus, Hypothesis, read_corpus, read_system, score
from errorbar.api import Gold, ReadingOptions, Systems, load
from errorbar.api.inputs import System, corpus_files, read_pieces, system_list
from errorbar.core import CorrectedSentence, InputError, UsageError
from errorbar.execute import choose_executor
from errorbar.metrics import ScoringPlan, score_pieces

M2_TEXT = "S a b c\nA 0 1|||X|||d|||REQUIRED|||-NONE-|||0\n\nS e f\n\n"
OUTPUT = ["d b c", "e f"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(M2_TEXT)
    (tmp_path / "gold2.m2").write_text(M2_TEXT)
    (tmp_path / "out.txt").write_text("\n".join(OUTPUT) + "\n")
    return tmp_path


def test_a_corpus_in_every_form(folder: Path) -> None:
    path = folder / "gold.m2"
    whole = read_corpus(path)
    several: list[Gold] = [str(path), [path], {"gold": path}, f"gold={path}", str(folder / "gold.*"), whole]
    for gold in several:
        assert read_corpus(gold).sentences == whole.sentences
    assert read_corpus(whole) is whole
    two = read_corpus({"ann": path, "bob": folder / "gold2.m2"})
    assert two.annotators == ("ann", "bob")
    assert read_corpus(str(folder / "gold*.m2")).annotators == ("gold", "gold2")


def test_paths_one_after_the_other(folder: Path) -> None:
    """Whether a reference labels tokens is asked before it is read: what gives each path once must last for both."""
    gold, out = folder / "gold.m2", folder / "out.txt"
    whole = score(gold, out, ci=False)
    assert score((each for each in [gold]), (each for each in [out]), ci=False).to_dict() == whole.to_dict()
    assert read_system(out, (each for each in [gold])) == read_system(out, gold)


def test_token_labels_are_known_as_such_whatever_is_made_of_their_corpus(tmp_path: Path) -> None:
    for name, labels in (("a", "ci"), ("b", "ic")):
        (tmp_path / name).write_text(f"he\t{labels[0]}\ngo\t{labels[1]}\n")
    whole = read_corpus([tmp_path / "a", tmp_path / "b"])
    kept = [whole, whole.only(["a"]), pickle.loads(pickle.dumps(whole)), replace(whole, cache={})]
    for corpus in kept:
        assert score(corpus, tmp_path / "a", ci=False)[0].metric == "tokens"
        with pytest.raises(UsageError, match="labels tokens, and the metric gleu needs corrections"):
            score(corpus, Hypothesis("it", ["he goes"]), "gleu")


def test_systems_in_every_form(folder: Path) -> None:
    path, made = folder / "out.txt", Hypothesis("out", OUTPUT)
    several: list[Systems] = [path, str(path), [path], f"out={path}", {"out": path}, {"out": OUTPUT}, made, [made]]
    for systems in several:
        (found,) = load(folder / "gold.m2", systems).systems
        assert found == made
    single: list[System] = [path, made]
    for system in single:
        assert read_system(system) == made == read_system(system, folder / "gold.m2")


def test_a_system_with_edits(folder: Path) -> None:
    """From M2, or an annotator of a corpus: the same sentences, and the same score over edits."""
    for name in ("gold.m2", "gold2.m2"):
        (folder / name).write_text(M2_TEXT.replace("S e f\n", "S e f\nA -1 -1|||noop|||-NONE-|||R|||-NONE-|||0\n"))
    corpus = read_corpus(folder / "gold.m2")
    read = read_system(folder / "gold2.m2")
    assert read == read_system(folder / "gold2.m2", corpus) == Hypothesis("gold2", OUTPUT)
    made = read_system(corpus)
    assert made == Hypothesis("0", OUTPUT)
    for system in (read, made):
        assert [line.edits for line in system.lines if isinstance(line, CorrectedSentence)] == [
            sentence.annotations["0"] for sentence in corpus.sentences
        ]
        assert score(corpus, system, "errant(mode=cse)", ci=False)[0].counts == {"correct": 1, "proposed": 1, "gold": 1}
    two = read_corpus({"ann": folder / "gold.m2", "bob": folder / "gold2.m2"})
    with pytest.raises(UsageError, match=r"must be one annotator's, got those of ann, bob; give corpus.only"):
        read_system(two)


@pytest.mark.parametrize("jobs", [1, 2])
def test_pieces_give_the_scores_of_the_whole(folder: Path, jobs: int) -> None:
    corpus, made = read_corpus(folder / "gold.m2"), Hypothesis("out", OUTPUT)
    found = []
    with choose_executor(jobs) as executor:
        for gold in (folder / "gold.m2", corpus):
            for systems in (folder / "out.txt", made):
                with read_pieces(gold, systems, ReadingOptions(), executor) as read:
                    found += score_pieces(
                        read.pieces, read.systems, ScoringPlan([M2()]), read.problems, executor=executor
                    )
    assert {str(score.signature) for score in found} == {str(found[0].signature)}
    assert [score.counts for score in found] == [{"correct": 1, "proposed": 1, "gold": 1}] * 4


def test_problems_of_pieces_come_in_the_order_of_files(folder: Path) -> None:
    (folder / "gold.m2").write_text(M2_TEXT.replace("A 0 1", "A 0 9"))
    (folder / "out.txt").write_bytes(b"d b \xff\ne f\n")
    with (
        choose_executor(1) as executor,
        pytest.raises(InputError) as caught,
        read_pieces(folder / "gold.m2", folder / "out.txt", ReadingOptions(), executor) as read,
    ):
        score_pieces(read.pieces, read.systems, ScoringPlan([M2()]), read.problems, executor=executor)
    assert [problem.code for problem in caught.value.problems] == ["span-outside", "not-utf8"]


def test_documents_join_a_corpus_in_memory_and_leave_it_as_it_is(folder: Path) -> None:
    (folder / "essays.sgml").write_text("<DOC nid='7'><TEXT><P>a b c e f</P></TEXT></DOC>\n")
    corpus = read_corpus(folder / "gold.m2")
    found = read_corpus(corpus, documents=folder / "essays.sgml")
    assert [sentence.document for sentence in found.sentences] == ["7", "7"]
    assert [sentence.document for sentence in corpus.sentences] == ["", ""]
    assert load(corpus, (), ReadingOptions(documents=folder / "essays.sgml")).documents.unit == "document"


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (7, "gold must be a path, a Corpus, a list of paths, a mapping of texts to paths or lists of texts, .*, got 7"),
        ([None], "gold must be .*, got list of NoneType"),
        ({"ann": 7}, "gold must be .*, got dict of int"),
        ([], "no reference file"),
    ],
)
def test_other_things_are_no_corpus(gold: Gold, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_corpus(gold)


def test_other_things_are_no_systems(folder: Path) -> None:
    corpus = read_corpus(folder / "gold.m2")
    wrong: list[Any] = [7, [7], {"x": 7}, {"x": "one"}, Corpus([], ()), b"out.txt"]
    for systems in wrong:
        with pytest.raises((UsageError, InputError)):
            score(corpus, systems)
    with pytest.raises(UsageError, match="two systems are called 'out'"):
        load(corpus, (folder / "out.txt", Hypothesis("out", OUTPUT)))
    with pytest.raises(UsageError, match="lines must be a list of sentences, got str"):
        Hypothesis("x", "one string")
    with pytest.raises(InputError, match="1 line for 2 sentences"):
        load(corpus, Hypothesis("x", ["a b c"]))


def test_a_text_for_another_source_is_refused(folder: Path) -> None:
    source = "S " + " ".join(f"w{k}" for k in range(30)) + "\n\n"
    (folder / "long.m2").write_text(source * 6)
    other = Hypothesis("x", ["other words than those of the source"] * 6)
    with pytest.raises(InputError, match="not a correction of the source"):
        read_system(other, folder / "long.m2")
    assert read_system(other, folder / "long.m2", force=True) == other


def test_how_a_file_is_read_says_nothing_of_a_corpus(folder: Path) -> None:
    corpus = read_corpus(folder / "gold.m2")
    with pytest.raises(UsageError, match="in memory"):
        read_corpus(corpus, unmarked="all")
    other: Any = "al"
    with pytest.raises(UsageError, match=r"unmarked must be one of auto, .*, got 'al'; did you mean 'all'"):
        read_corpus(corpus, unmarked=other)


def test_files_and_names(folder: Path) -> None:
    assert {file.name for file in corpus_files(str(folder / "gold*.m2"))} == {"gold", "gold2"}
    assert [each.name for each in system_list({"a": folder / "out.txt", "b": OUTPUT})] == ["a", "b"]
