"""Token labels of MultiGED-2023, as references and as systems."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from errorbar import Corpus, Edit, Problems, Sentence, compare, read_system, score
from errorbar import read_corpus as read_in_memory
from errorbar.core import CorrectedSentence, InputError, UsageError
from errorbar.edits import open_system
from errorbar.formats import read_corpus
from errorbar.formats.catalog import recognize_line
from errorbar.formats.token_labels import read_token_labels
from tests.helpers.cli import CommandLine
from tests.helpers.read import lines_of

REF = "I\tc\nsaws\ti\nthe\tc\nshow\tc\nlast\tc\nnigt\ti\n.\tc\n\nFine\tc\n!\tc\n"
OTHER = REF.replace("show\tc", "show\ti").replace("!\tc", "!\ti")
SYSTEM = REF.replace("show\tc", "show\ti").replace("nigt\ti", "nigt\tc") + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"ref": REF, "other": OTHER, "system": SYSTEM}.items():
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    return tmp_path


def read(text: str) -> tuple[list[Sentence], Problems]:
    problems = Problems()
    with lines_of(text, problems) as lines:
        return list(read_token_labels(lines, problems)), problems


def test_reads_sentences() -> None:
    found, problems = read(REF)
    wrong = (Edit(1, 2, ()), Edit(5, 6, ()))
    assert found == [
        Sentence("I saws the show last nigt .", {"0": wrong}, line=1),
        Sentence("Fine !", {"0": ()}, line=9),
    ]
    assert problems.errors == problems.notes == []


@pytest.mark.parametrize(
    "text",
    [REF.replace("\n", "\r\n"), f"\n\n{REF}", REF.replace("\n\n", "\n \n\n\n"), f"\ufeff{REF}", f"Token\tLabel\n{REF}"],
    ids=["CR LF", "blank lines first", "several blank lines", "byte order mark", "names of the columns"],
)
def test_line_ends_blank_lines_and_a_header_change_nothing(text: str) -> None:
    found, problems = read(text)
    assert [(one.text, one.annotations) for one in found] == [(one.text, one.annotations) for one in read(REF)[0]]
    assert problems.errors == problems.notes == []


def test_a_token_and_its_label_are_no_header_within_a_file() -> None:
    assert [problem.code for problem in read(f"{REF}\ntoken\tlabel\n")[1].errors] == ["labels-label"]


def test_escaped_quotes_stay_and_white_space_inside_of_a_token_is_written_as_one_letter() -> None:
    found, problems = read('\\"\tc\n10\u00a0000 kr\ti\n')
    assert found[0].tokens == ['\\"', "10_000_kr"]
    assert found[0].annotations["0"] == (Edit(1, 2, ()),)
    assert [(note.code, note.severity) for note in problems.notes] == [("labels-white-space", "repaired")]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("dog", "labels-columns", "a line of 1 column"),
        ("1\tdog\tc", "labels-columns", "a line of 3 columns"),
        ("dog\tx", "labels-label", "the label 'x'"),
        ("dog\tC", "labels-label", "the label 'C'"),
        ("dog\t", "labels-label", "the label ''"),
        ("\tc", "labels-token", "a label without a token"),
    ],
)
def test_what_is_refused(line: str, code: str, said: str) -> None:
    _, problems = read(f"The\tc\n{line}\n.\tc\n")
    (problem,) = problems.errors
    assert (problem.code, problem.what, problem.place.line) == (code, said, 2)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("I\tc", "multiged"),
        ("a b\ti ", "multiged"),
        ("token\tlabel", "multiged"),
        ("item\tlabel", "text"),
        ("I go\tthere", "text"),
    ],
)
def test_recognized_by_the_first_line(line: str, name: str) -> None:
    assert recognize_line(line).name == name


def test_several_annotators_are_several_files(folder: Path) -> None:
    corpus = read_corpus([folder / "ref.tsv", folder / "other.tsv"])
    assert corpus.annotators == ("other", "ref")
    assert corpus.sentences[1].annotations == {"ref": (), "other": (Edit(1, 2, ()),)}


def test_annotators_of_other_tokens_or_lengths_are_refused(folder: Path) -> None:
    (folder / "bad.tsv").write_text(REF.replace("nigt", "night"))
    with pytest.raises(InputError, match=r"bad.tsv:1: the sentence is not that of ref: token 5 is 'night', .* 'nigt'"):
        read_corpus([folder / "ref.tsv", folder / "bad.tsv"])
    (folder / "bad.tsv").write_text(REF.split("\n\n", maxsplit=1)[0])
    with pytest.raises(InputError, match=r"different numbers of sentences \(ref: 2, bad: 1\)"):
        read_corpus([folder / "ref.tsv", folder / "bad.tsv"])


def refused(folder: Path, text: str) -> str:
    (folder / "bad.tsv").write_text(text)
    with pytest.raises(InputError) as caught:
        score(folder / "ref.tsv", folder / "bad.tsv")
    assert len(caught.value.problems) == 1
    return str(caught.value).partition("bad.tsv")[2]


def test_the_tokens_of_a_system_are_the_references(folder: Path) -> None:
    said = refused(folder, SYSTEM.replace("last", "past"))
    assert said == ":5: the token is 'past' (expected last, as the reference has it) [labels-other-token]"
    assert refused(folder, SYSTEM.replace("last\tc\n", "")).startswith(":5: the token is 'nigt' (expected last")
    assert refused(folder, SYSTEM.replace(".\tc\n", "")).startswith(":7: the sentence ends (expected .,")
    assert refused(folder, SYSTEM.replace("Fine", "Very\tc\nFine")).startswith(":9: the token is 'Very' (expected Fine")
    assert refused(folder, SYSTEM.replace("!\tc", "!\tc\n!\tc")).startswith(":11: the token is '!' (expected the end")
    assert refused(folder, SYSTEM.replace("I\tc", "I\t0")).startswith(":1: the label '0'")
    assert (
        refused(folder, SYSTEM.split("\n\n")[0])
        == ": 1 sentence for 2 sentences of the source (expected 2 sentences) [line-count]"
    )


def test_a_system_is_read_in_parts() -> None:
    problems = Problems()
    with lines_of(SYSTEM, problems) as lines:
        reader = open_system(lines.name, "system", problems, labels=True)
        (first,), (second,), rest = reader.take(1), reader.take(1), reader.take(1)
    assert isinstance(first, CorrectedSentence)
    assert (first, first.edits) == ("I saws the show last nigt .", (Edit(1, 2, ()), Edit(3, 4, ())))
    assert (second, rest) == ("Fine !", [])


def test_labels_have_their_own_default_metric_and_others_refuse_them(folder: Path) -> None:
    gold, system = folder / "ref.tsv", folder / "system.tsv"
    (found,) = score(gold, system, ci=False).scores
    assert str(found.metric) == "tokens"
    assert score([gold], [system], beta=1.0, ci=False).scores[0].metric == "tokens(beta=1)"
    with pytest.raises(
        UsageError, match=r"ref.tsv labels tokens, and the metric m2 needs corrections; .*\[labels-metric\]"
    ):
        score(gold, system, "m2")
    with pytest.raises(UsageError, match="the metric gleu needs corrections"):
        compare(gold, [system, folder / "other.tsv"], "gleu")
    (folder / "gold.m2").write_text("S I saws the show last nigt .\n\nS Fine !\n")
    with pytest.raises(InputError, match=r"system.tsv:1: these are labels of tokens, which correct nothing"):
        score(folder / "gold.m2", system)


def test_a_corpus_in_memory_knows_that_it_has_labels(folder: Path) -> None:
    corpus = read_in_memory(folder / "ref.tsv")
    assert score(corpus, folder / "system.tsv", ci=False).scores[0].metric == "tokens"
    with pytest.raises(UsageError, match="labels tokens, and the metric m2 needs corrections"):
        score(corpus, folder / "system.tsv", "m2")
    assert isinstance(corpus, Corpus)
    system = read_system(folder / "system.tsv", corpus)
    assert score(corpus, system, ci=False).scores[0].counts == {"correct": 1, "proposed": 2, "gold": 2}
    with pytest.raises(InputError, match="these are labels of tokens"):
        read_system(folder / "system.tsv")


def test_commands(errorbar: CommandLine, folder: Path) -> None:
    gold, system = folder / "ref.tsv", folder / "system.tsv"
    assert errorbar("check", gold).out == f"{gold}: 2 sentences, 9 tokens, 2 tokens labeled i; no problem\n"
    done = errorbar("check", "--gold", gold, system)
    assert done.out == f"{system}: 2 sentences, 2 tokens labeled i; no problem\n"
    assert errorbar("agree", gold, folder / "other.tsv").out.splitlines()[2].split()[:3] == [
        "observed",
        "agreement",
        "0.7778",
    ]
    kept = errorbar("convert", gold, folder / "other.tsv", "--to", "jsonl").out
    assert re.search(r'"ref": \[\{"start": 1, "end": 2, "replacements": \[\]\}', kept)
    assert errorbar("score", "--gold", "-", "--no-ci", system, stdin=REF.encode()).code == 0
    row = errorbar("score", "--gold", gold, "--no-ci", "-", stdin=SYSTEM.encode()).out.splitlines()[2]
    assert row.split()[1:4] == ["50.00", "50.00", "50.00"]
    assert errorbar("report", "--gold", gold, "--gold", folder / "other.tsv", system, "-o", folder / "r.html").code == 0
    assert errorbar("compare", "--gold", gold, system, folder / "other.tsv", "--format", "json").code == 0
    assert errorbar("ceiling", "--gold", gold, "--gold", folder / "other.tsv", "--no-ci").code == 0
    assert "the metric tokens has no scores" not in errorbar("score", "--gold", gold, "--by", "sentence", system).err
