"""Which essay each sentence is from, told by SGML."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from errorbar import Corpus, Problems, Sentence
from errorbar.core import InputError
from errorbar.formats import add_documents, expand_files, read_essays, read_named, with_documents


def sgml(*essays: tuple[str, str]) -> str:
    """Essays of one paragraph each."""
    return "".join(
        f'<DOC nid="{nid}">\n<TEXT>\n<P>\n{text}\n</P>\n</TEXT>\n<ANNOTATION teacher_id="0">\n</ANNOTATION>\n</DOC>\n'
        for nid, text in essays
    )


@pytest.fixture
def essays(tmp_path: Path) -> str:
    file = tmp_path / "essays.sgml"
    file.write_text(sgml(("7", "One here. Two there."), ("9", 'He said "no".')))
    return str(file)


def sentences(*texts: str) -> list[Sentence]:
    return [Sentence(text, line=number) for number, text in enumerate(texts, 1)]


TEXTS = ("One here .", "Two there .", "He said `` no '' .")


def test_every_sentence_gets_its_essay(essays: str) -> None:
    corpus = Corpus(sentences(*TEXTS), ())
    add_documents(corpus, essays, Problems())
    assert [s.document for s in corpus.sentences] == ["7", "7", "9"]
    assert [s.text for s in corpus.sentences] == list(TEXTS)


def test_text_is_no_sgml(tmp_path: Path) -> None:
    (tmp_path / "essays.txt").write_text("One here . Two there . And more of it .\n")
    with pytest.raises(InputError, match=r"essays.txt:1: this is no NUCLE SGML; it starts 'One here"):
        read_essays(str(tmp_path / "essays.txt"), Problems())


def test_they_come_one_by_one(essays: str) -> None:
    found = with_documents(iter(sentences(*TEXTS)), essays, Problems())
    assert next(found).document == "7"


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        (
            ("One here .", "Two where ."),
            "the token 'where' is not what stands in paragraph 0 of the essay '7': 'there.",
        ),
        (TEXTS[:2], "the sentences are at their end in paragraph 0 of the essay '9'"),
        ((*TEXTS, "More ."), "1 sentences are left when the essays are at their end"),
    ],
)
def test_other_sentences_are_refused(essays: str, texts: tuple[str, ...], what: str) -> None:
    corpus = Corpus(sentences(*texts), (), "gold")
    with pytest.raises(InputError) as refused:
        add_documents(corpus, essays, Problems())
    (problem,) = refused.value.problems
    assert problem.code == "nucle-tokens"
    assert problem.what.startswith(what)
    assert problem.place.file == "gold"


def test_a_bad_file_is_refused_before_its_consequences(tmp_path: Path) -> None:
    (tmp_path / "bad.sgml").write_text(sgml(("1", "One .")).replace("</DOC>", ""))
    with pytest.raises(InputError) as refused:
        read_essays(str(tmp_path / "bad.sgml"), Problems())
    assert {problem.place.file for problem in refused.value.problems} == {str(tmp_path / "bad.sgml")}


def test_no_such_file() -> None:
    with pytest.raises(InputError) as refused:
        add_documents(Corpus(sentences("a"), ()), "nowhere.sgml", Problems())
    assert refused.value.code == "no-such-file"


def test_the_fifty_essays_of_conll2014(data: Path) -> None:
    """50 essays, 1,312 sentences: Ng et al. 2014, table 2."""
    gold = read_named(expand_files([str(data / "conll14/noalt/official-2014.combined.m2")]), Problems())
    add_documents(gold, str(data / "conll14/noalt/official-2014.0.sgml"), Problems())
    documents = [s.document for s in gold.sentences]
    assert (len(documents), len(set(documents))) == (1312, 50)
    assert sum(a != b for a, b in pairwise(documents)) == 49  # each essay in one piece


class TestPatterns:
    """``--gold 'A*.m2'``: a pattern stands for the files it matches."""

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("A10.m2", "A2.m2", "A1.m2", "B.m2", "odd[1].m2"):
            Path(name).write_text("S a\n\n")

    def names(self, *arguments: str) -> list[str]:
        return [file.name for file in expand_files(arguments)]

    def test_numbers_ascend_as_numbers(self) -> None:
        assert self.names("A*.m2") == ["A1", "A2", "A10"]
        assert self.names("A?.m2", "B.m2", "x=A10.m2") == ["A1", "A2", "B", "x"]
        assert self.names("A[12].m2") == ["A1", "A2"]

    def test_absolute_patterns(self, tmp_path: Path) -> None:
        assert self.names(str(tmp_path / "A*")) == ["A1", "A2", "A10"]

    def test_a_file_of_that_very_name_is_meant(self) -> None:
        assert self.names("odd[1].m2") == ["odd[1]"]

    def test_a_pattern_that_matches_nothing(self) -> None:
        with pytest.raises(InputError, match=r"C\*\.m2: no file has such a name") as refused:
            self.names("A1.m2", "C*.m2")
        assert refused.value.code == "no-such-file"

    def test_named_files_keep_their_names(self) -> None:
        assert read_named(expand_files(["first=A1.m2", "A2.m2"]), Problems()).annotators == ("A2", "first")
