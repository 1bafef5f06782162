"""errorbar's own format: lossless, and strict about what it does not know."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Edit, Problems, Sentence
from errorbar.core import InputError
from errorbar.formats import read_jsonl, read_m2, write_jsonl, write_m2
from tests.helpers.read import lines_of


def read(content: str, *, lenient: bool = False) -> list[Sentence]:
    problems = Problems(lenient=lenient)
    with lines_of(content, problems) as lines:
        sentences = list(read_jsonl(lines, problems))
    problems.raise_errors()
    return sentences


words = st.text(st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=4)
texts = st.text(max_size=8)


@st.composite
def full_sentences(draw: st.DrawFn) -> Sentence:
    """Everything a sentence can hold: names, types and comments are any text."""
    tokens = draw(st.lists(words, max_size=6))
    annotations: dict[str, tuple[Edit, ...]] = {}
    for name in draw(st.lists(texts, max_size=3, unique=True)):
        edits = []
        for at in range(len(tokens)):
            if draw(st.booleans()):
                replacements = draw(st.lists(st.lists(words, max_size=2).map(" ".join), max_size=3))
                rest = draw(st.tuples(texts, st.booleans(), texts, texts))
                edits.append(Edit(at, at + 1, tuple(replacements), *rest))
        annotations[name] = tuple(edits)
    return Sentence(" ".join(tokens), annotations, draw(texts), draw(texts))


@given(st.lists(full_sentences(), min_size=1, max_size=4))
def test_nothing_is_lost(sentences: list[Sentence]) -> None:
    again = read("\n".join(write_jsonl(sentences, Problems())) + "\n")
    for number, sentence in enumerate(sentences, 2):  # the header is line 1
        sentence.line = number
    assert again == sentences


def test_what_is_written() -> None:
    sentence = Sentence("a b", {"0": (Edit(0, 1, ("x",), "Det"),), "1": ()}, document="d1")
    header, record = [json.loads(line) for line in write_jsonl([sentence], Problems(), annotators=("0", "1"))]
    assert header == {"format": "errorbar-corpus", "version": 1, "annotators": ["0", "1"]}
    edits = [{"start": 0, "end": 1, "replacements": ["x"], "type": "Det"}]
    assert record == {"text": "a b", "document": "d1", "annotations": {"0": edits, "1": []}}


def test_an_unknown_correction_is_not_a_deletion() -> None:
    edits = [{"start": 0, "end": 1, "replacements": []}, {"start": 1, "end": 2, "replacements": [""]}]
    (sentence,) = read(json.dumps({"text": "a b", "annotations": {"0": edits}}))
    assert [edit.replacements for edit in sentence.annotations["0"]] == [(), ("",)]


EDIT = '{"text": "a b", "annotations": {"0": [%s]}}'


@pytest.mark.parametrize(
    ("line", "code", "what"),
    [
        ("{", "jsonl-syntax", "not JSON: "),
        pytest.param('{"text": ' + "[" * 100_000, "jsonl-syntax", "not JSON: ", id="too deep"),
        pytest.param('{"text": ' + "1" * 5000 + "}", "jsonl-syntax", "not JSON: ", id="number too long"),
        ("[1]", "jsonl-record", "not a JSON object"),
        ('{"text": "a"}', "jsonl-record", "'annotations' is missing"),
        ('{"text": 1, "annotations": {}}', "jsonl-record", "'text' is int"),
        ('{"text": "a", "annotations": {}, "author": "x"}', "jsonl-record", "unknown key 'author'"),
        ('{"text": "a", "annotations": {"0": 1}}', "jsonl-record", "the edits of annotator '0' are not a list"),
        (EDIT % "1", "jsonl-record", "an edit is not a JSON object"),
        (EDIT % '{"start": 0, "end": 1}', "jsonl-record", "'replacements' is missing"),
        (EDIT % '{"start": 0, "end": true, "replacements": []}', "jsonl-record", "'end' is bool"),
        (EDIT % '{"start": 0, "end": 1, "replacements": [1]}', "jsonl-record", "a replacement is not text"),
        (EDIT % '{"start": 0, "end": 3, "replacements": []}', "span-outside", "the span 0 3 is outside"),
        ('{"format": "other", "version": 1}', "jsonl-header", "format 'other', version 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line: str, code: str, what: str) -> None:
    with pytest.raises(InputError) as refused:
        read(f'\n{line}\n{{"text": "fine", "annotations": {{}}}}\n')
    (problem,) = refused.value.problems
    assert problem.code == code
    assert problem.what.startswith(what)
    assert problem.place.line == 2


@pytest.mark.parametrize("content", ["", "\n", '{"format": "errorbar-corpus", "version": 1}\n'])
def test_a_file_without_sentences(content: str) -> None:
    with pytest.raises(InputError, match="no sentence in the file"):
        read(content)


NOOP = '{"text": "a b", "annotations": {"x": [{"start": 0, "end": 1, "replacements": ["c"], "type": "noop"}]}}'


def test_an_edit_that_m2_takes_for_none_is_refused() -> None:
    """It counted here and was gone in M2, without a word."""
    with pytest.raises(InputError, match="an edit of type 'noop', which M2 takes for none") as caught:
        read(NOOP)
    assert caught.value.code == "jsonl-noop"
    (sentence,) = read(NOOP, lenient=True)
    assert sentence.annotations == {"x": ()}


def test_m2_tells_of_sentences_that_nobody_looked_at() -> None:
    """Read with ``--unmarked=absent`` they come back as they were; else as sentences found correct."""
    problems = Problems()
    list(write_m2([Sentence("a", {"0": ()}), Sentence("b"), Sentence("c")], problems))
    assert [note.what for note in problems.notes] == ["M2 cannot hold that nobody looked at 2 sentences"]
    list(write_m2([Sentence("a"), Sentence("b")], problems := Problems()))
    assert not problems.notes


def test_m2_tells_of_edits_that_it_takes_for_none() -> None:
    problems = Problems()
    sentence = Sentence("a b", {"0": (Edit(0, 1, ("c",), "noop"),)})
    lines = [*write_m2([sentence], problems)]
    assert [note.what for note in problems.notes] == [
        "M2 cannot hold edits of type noop, which it takes for none; left out (1: edit 0 1 of sentence 1)"
    ]
    with lines_of("\n".join(lines), problems) as read_again:
        assert next(iter(read_m2(read_again, problems))).annotations == {"0": ()}
    assert problems.notes[-1].code == "m2-noop"
    assert "a noop line with a correction, 'c'; it is read as no edit" in problems.notes[-1].what
