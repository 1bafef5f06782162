"""References from one or several files: who the annotators are and what silence means."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import InputError, UsageError
from errorbar.formats import NamedFile, Unmarked, read_corpus, reference_chunks

X = "A 0 1|||T|||x|||REQUIRED|||-NONE-|||{}\n"


def write(folder: Path, name: str, *blocks: tuple[str, str]) -> Path:
    """A file of sentences, each with the annotators (one digit each) who have an edit there."""
    lines = [f"S {text}\n" + "".join(X.format(number) for number in who) + "\n" for text, who in blocks]
    (folder / name).write_text("".join(lines))
    return folder / name


class TestNames:
    @pytest.mark.parametrize(
        ("argument", "path", "name"),
        [
            ("gold.m2", "gold.m2", "gold"),
            ("a/b/gold.m2.gz", "a/b/gold.m2.gz", "gold"),
            ("A1=a/gold.m2", "a/gold.m2", "A1"),
            ("a=b/c=d", "b/c=d", "a"),
            ("dir/x=y", "dir/x=y", "x=y"),
            ("-", "-", "-"),
            ("mine=-", "-", "mine"),
            ("out.txt", "out.txt", "out"),
            (".txt", ".txt", ".txt"),
        ],
    )
    def test_a_file_is_called_by_its_stem_or_as_said(self, argument: str, path: str, name: str) -> None:
        assert NamedFile.parse(argument) == NamedFile(path, name)

    def test_one_file_keeps_its_numbers_in_ascending_order(self, tmp_path: Path) -> None:
        file = write(tmp_path, "gold.m2", ("a", "72"), ("b", "0"))
        assert read_corpus([file]).annotators == ("0", "2", "7")

    def test_of_several_files_annotator_0_is_called_as_the_file(self, tmp_path: Path) -> None:
        files = [write(tmp_path, "A1.m2", ("a", "0")), write(tmp_path, "A2.m2", ("a", "10"))]
        corpus = read_corpus(files)
        assert corpus.annotators == ("A1", "A2", "A2.1")
        assert set(corpus.sentences[0].annotations) == {"A1", "A2", "A2.1"}

    def test_two_files_of_one_name_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "d").mkdir()
        files = [write(tmp_path, "A1.m2", ("a", "0")), write(tmp_path / "d", "A1.m2", ("a", "0"))]
        with pytest.raises(UsageError, match=r"two reference files are called 'A1'; rename one: gold=.name=path."):
            read_corpus(files)


class TestSilence:
    """A sentence without any A line: who looked at it?"""

    @pytest.mark.parametrize(
        ("unmarked", "looked"),
        [
            ("auto", [{"0", "1"}, {"0"}, {"1"}]),
            ("official", [{"0", "1"}, {"0"}, {"1"}]),
            ("all", [{"0", "1"}, {"0", "1"}, {"1"}]),
            ("everywhere", [{"0", "1"}, {"0", "1"}, {"0", "1"}]),
            ("absent", [{"0", "1"}, set(), {"1"}]),
        ],
    )
    def test_with_two_annotators(self, tmp_path: Path, unmarked: Unmarked, looked: list[set[str]]) -> None:
        file = write(tmp_path, "gold.m2", ("a", "01"), ("b", ""), ("c", "1"))
        corpus = read_corpus([file], unmarked=unmarked)
        assert [set(sentence.annotations) for sentence in corpus.sentences] == looked

    @pytest.mark.parametrize(
        ("unmarked", "looked"),
        [
            ("auto", [{"3"}, {"3"}]),
            ("official", [{"3"}, {"0"}]),
            ("all", [{"3"}, {"3"}]),
            ("everywhere", [{"3"}, {"3"}]),
            ("absent", [{"3"}, set()]),
        ],
    )
    def test_with_one_annotator(self, tmp_path: Path, unmarked: Unmarked, looked: list[set[str]]) -> None:
        file = write(tmp_path, "gold.m2", ("a", "3"), ("b", ""))
        corpus = read_corpus([file], unmarked=unmarked)
        assert [set(sentence.annotations) for sentence in corpus.sentences] == looked

    def test_each_of_several_files_is_read_by_its_own_annotators(self, tmp_path: Path) -> None:
        files = [write(tmp_path, "A.m2", ("a", ""), ("b", "0")), write(tmp_path, "B.m2", ("a", "0"), ("b", ""))]
        corpus = read_corpus(files)
        assert [set(sentence.annotations) for sentence in corpus.sentences] == [{"A", "B"}, {"A", "B"}]
        assert [len(corpus.sentences[0].annotations[name]) for name in ("A", "B")] == [0, 1]


class TestDisagreement:
    def test_sources_that_differ_are_named_with_the_token(self, tmp_path: Path) -> None:
        files = [write(tmp_path, "A.m2", ("a b c", "0")), write(tmp_path, "B.m2", ("a x c", "0"))]
        with pytest.raises(InputError) as refused:
            read_corpus(files)
        (problem,) = refused.value.problems
        assert problem.code == "source-mismatch"
        assert problem.what == "the sentence is not that of A: token 1 is 'x', there (line 1) 'b'"
        assert (problem.place.file, problem.place.line) == (str(files[1]), 1)

    def test_sources_that_differ_in_length(self, tmp_path: Path) -> None:
        files = [write(tmp_path, "A.m2", ("a b", "0")), write(tmp_path, "B.m2", ("a", "0"))]
        with pytest.raises(InputError, match="token 1 is None, there \\(line 1\\) 'b'"):
            read_corpus(files)

    def test_white_space_does_not_count(self, tmp_path: Path) -> None:
        files = [write(tmp_path, "A.m2", ("a  b", "0")), write(tmp_path, "B.m2", ("a b", "0"))]
        assert len(read_corpus(files)) == 1

    def test_different_numbers_of_sentences(self, tmp_path: Path) -> None:
        files = [write(tmp_path, "A.m2", ("a", "0"), ("b", "0")), write(tmp_path, "B.m2", ("a", "0"))]
        with pytest.raises(InputError, match=r"different numbers of sentences \(A: 2, B: 1\)") as refused:
            read_corpus(files)
        assert refused.value.code == "reference-lengths"


class TestFormats:
    def test_what_is_neither_m2_nor_jsonl(self, tmp_path: Path) -> None:
        (tmp_path / "gold.m2").write_text("\nAn ordinary text .\n")
        with pytest.raises(InputError, match=r"neither M2 nor errorbar JSONL; it starts 'An ordinary text \."):
            read_corpus([tmp_path / "gold.m2"])

    def test_sgml_is_pointed_to_convert(self, tmp_path: Path) -> None:
        (tmp_path / "gold.sgml").write_text('<DOC nid="1">\n')
        with pytest.raises(InputError, match="errorbar convert") as refused:
            read_corpus([tmp_path / "gold.sgml"])
        assert refused.value.code == "unknown-format"

    def test_empty_file(self, tmp_path: Path) -> None:
        (tmp_path / "gold.m2").write_text("")
        with pytest.raises(InputError, match="the file is empty") as refused:
            read_corpus([tmp_path / "gold.m2"])
        assert refused.value.code == "m2-empty"

    def test_jsonl_is_told_by_its_first_line(self, tmp_path: Path) -> None:
        (tmp_path / "gold").write_text('{"text": "a", "annotations": {"teacher": []}}\n')
        assert read_corpus([tmp_path / "gold"]).annotators == ("teacher",)


def test_chunks_are_no_longer_than_asked_for(tmp_path: Path) -> None:
    file = write(tmp_path, "gold.m2", *[(str(i), "0") for i in range(10)])
    chunks = list(reference_chunks([NamedFile.parse(str(file))], Problems(), size=4))
    assert [len(chunk) for chunk in chunks] == [4, 4, 2]
    assert [s.text for chunk in chunks for s in chunk.sentences] == list(map(str, range(10)))


def test_notes_stay_with_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text("S x\n" + X.format(0) + "\n")
    (note,) = read_corpus([tmp_path / "gold.m2"]).notes
    assert note.code == "edit-no-change"
