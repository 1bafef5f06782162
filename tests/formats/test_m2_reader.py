"""Reading M2: what is understood, and one clear line for everything that is not."""

from __future__ import annotations

import pickle
from itertools import chain
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Edit, Problems, Sentence
from errorbar.core import InputError, Problem
from errorbar.formats import Lines, m2, read_m2, write_m2
from tests.helpers.build import edit
from tests.helpers.effort import draw_examples
from tests.helpers.read import lines_of

TAIL = "REQUIRED|||-NONE-|||0"


def read(content: str, *, lenient: bool = False) -> tuple[list[Sentence], list[Problem]]:
    """Sentences, and the notes made on the way.

    Raises:
        InputError: With everything that is wrong.
    """
    problems = Problems(lenient=lenient)
    with lines_of(content, problems) as lines:
        sentences = list(read_m2(lines, problems))
    problems.raise_errors()
    return sentences, problems.notes


def edits_of(*lines: str) -> tuple[Edit, ...]:
    ((sentence,), _) = read("S a b c d\n" + "".join(f"A {line}\n" for line in lines) + "\n")
    return sentence.annotations["0"]


class TestWhatIsUnderstood:
    def test_texts_of_cherrant_are_left_out(self) -> None:
        """ChERRANT writes the corrected text above its edits, or that there is no error."""
        lines = "S 我 去 了\nT0-A0 我 去\nA 2 3|||R|||-NONE-|||REQUIRED|||-NONE-|||0\nT1 没有错误\n"
        sentences, notes = read(f"{lines}A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n")
        assert [s.annotations for s in sentences] == [{"0": (edit(2, 3, "", kind="R"),), "1": ()}]
        assert notes == []
        with pytest.raises(InputError, match="neither S, A nor blank"):
            read("S a\nThis is text\n")

    def test_sentences_with_the_lines_they_stand_on(self) -> None:
        sentences, notes = read("S a b\n\nS c\nA 0 1|||Det|||d|||REQUIRED|||-NONE-|||1\n\n")
        assert [(s.text, s.line) for s in sentences] == [("a b", 1), ("c", 3)]
        assert [s.annotations for s in sentences] == [{}, {"1": (edit(0, 1, "d", kind="Det"),)}]
        assert notes == []

    @pytest.mark.parametrize(
        "content",
        ["S a\n\nS b", "\n\nS a\n\n\n\nS b\n\n\n", "S a\r\n\r\nS b\r\n", "S a\n \t\nS b\n", "\ufeffS a\n\nS b\n"],
        ids=["no line end", "many blank lines", "CR LF", "white space", "byte order mark"],
    )
    def test_blank_lines_and_line_ends_do_not_matter(self, content: str) -> None:
        assert [sentence.text for sentence in read(content)[0]] == ["a", "b"]

    def test_an_unusual_line_separator_stays_inside_its_line(self) -> None:
        """The official scorer cuts there and fails."""
        ((sentence,), _) = read("S a\u2028b\u0085c\n")
        assert sentence.tokens == ["a", "b", "c"]

    def test_an_empty_sentence(self) -> None:
        assert [sentence.tokens for sentence in read("S\n\nS \n\n")[0]] == [[], []]

    @pytest.mark.parametrize("text", ["", "-NONE-"])
    def test_a_deletion_is_written_in_two_ways(self, text: str) -> None:
        assert edits_of(f"0 1|||Det|||{text}|||{TAIL}") == (edit(0, 1, "", kind="Det"),)

    def test_alternatives(self) -> None:
        found = edits_of(f"0 1|||Det|||x||-NONE-||y  z|||{TAIL}", f"1 2|||Det|||||x|||{TAIL}")
        assert [each.replacements for each in found] == [("x", "", "y  z"), ("", "x")]

    def test_optional_edits_and_comments(self) -> None:
        assert edits_of("0 1|||Det|||x|||OPTIONAL|||unsure|||0") == (
            Edit(0, 1, ("x",), "Det", optional=True, comment="unsure"),
        )

    def test_noop_means_looked_and_found_nothing(self) -> None:
        ((sentence,), _) = read("S a\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||3\n\n")
        assert sentence.annotations == {"3": ()}

    def test_every_annotator_has_their_own_edits(self) -> None:
        content = f"S a b\nA 0 1|||T|||x|||{TAIL}\nA 0 1|||T|||y|||REQUIRED|||-NONE-|||1\nA 1 2|||T|||z|||{TAIL}\n\n"
        ((sentence,), _) = read(content)
        assert {name: len(edits) for name, edits in sentence.annotations.items()} == {"0": 2, "1": 1}

    def test_index_lines_are_passed_over(self) -> None:
        assert len(read("S a\nI 7\n\n")[0]) == 1


BAD = [
    pytest.param("0 5|||T|||x|||" + TAIL, "span-outside", "the span 0 5 is outside the sentence of 4 tokens", id="out"),
    pytest.param("-1 -1|||T|||x|||" + TAIL, "span-outside", "the span -1 -1 is outside", id="negative"),
    pytest.param("2 1|||T|||x|||" + TAIL, "span-backwards", "the span 2 1 runs backwards", id="backwards"),
    pytest.param("x 1|||T|||x|||" + TAIL, "m2-fields", "the span 'x 1' cannot be read", id="no number"),
    pytest.param("1|||T|||x|||" + TAIL, "m2-fields", "the span '1' cannot be read", id="one number"),
    pytest.param("0 1|||T|||x", "m2-fields", "an A line of 3 fields", id="few fields"),
    pytest.param("0 1", "m2-fields", "an A line of 1 fields", id="one field"),
    pytest.param(
        "0 1|||T|||x|||REQUIRED|||-NONE-|||ann", "m2-annotator", "the annotator id 'ann' is not a number", id="name"
    ),
    pytest.param("0 1|||T|||x|||||" + TAIL, "m2-lost-alternative", "an empty last alternative", id="lost"),
]


class TestBadLines:
    @pytest.mark.parametrize(("line", "code", "what"), BAD)
    def test_strict_reading_gives_one_line_with_the_place(self, line: str, code: str, what: str) -> None:
        with pytest.raises(InputError) as refused:
            read(f"S a b c d\nA {line}\n\n")
        (problem,) = refused.value.problems
        assert problem.code == code
        assert problem.what.startswith(what)
        assert problem.place.line == 2
        assert problem.expected
        assert "--lenient" in problem.fix
        assert "\n" not in str(problem)

    @pytest.mark.parametrize(("line", "code", "what"), BAD)
    def test_lenient_reading_says_what_it_did(self, line: str, code: str, what: str) -> None:
        _, (note,) = read(f"S a b c d\nA {line}\n\n", lenient=True)
        assert (note.code, note.severity, note.place.line) == (code, "repaired", 2)
        assert note.fix.startswith("repaired: ")

    def test_repairs(self) -> None:
        ((sentence,), _) = read(
            f"S a b c d\nA 0 9|||T|||x|||{TAIL}\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||ann\nA 1 2|||T|||y|||||{TAIL}\n",
            lenient=True,
        )
        assert sentence.annotations == {"0": (edit(1, 2, "y", "", kind="T"),), "ann": (edit(0, 1, "x", kind="T"),)}

    def test_the_same_bad_line_is_reported_each_time(self) -> None:
        block = f"S a b c d\nA 0 9|||T|||x|||{TAIL}\n\n"
        named = "S a\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||ann\n\n"
        with pytest.raises(InputError) as refused:
            read(block + named + block + named)
        assert [problem.place.line for problem in refused.value.problems] == [2, 5, 8, 11]

    def test_two_edits_that_overlap_and_one_that_repeats(self) -> None:
        with pytest.raises(InputError) as refused:
            read("S a b c d\n" + "".join(f"A {span}|||T|||x|||{TAIL}\n" for span in ("0 2", "1 3", "0 2")))
        assert [(p.code, p.place.line) for p in refused.value.problems] == [("edit-duplicate", 4), ("edit-overlap", 3)]


class TestBadStructure:
    @pytest.mark.parametrize(
        ("content", "code", "line"),
        [
            ("", "m2-empty", 0),
            ("\n\n", "m2-empty", 0),
            (f"A 0 1|||T|||x|||{TAIL}\nS a\n", "m2-no-sentence", 1),
            ("S a\nS b\n", "m2-no-blank", 2),
            ("S a\nb c\n", "m2-line", 2),
        ],
    )
    def test_strict(self, content: str, code: str, line: int) -> None:
        with pytest.raises(InputError) as refused:
            read(content)
        (problem,) = refused.value.problems
        assert (problem.code, problem.place.line) == (code, line)

    def test_lenient_reading_starts_a_block_at_each_sentence_and_skips_what_it_does_not_know(self) -> None:
        sentences, notes = read("S a\nS b\nc d\n", lenient=True)
        assert [sentence.text for sentence in sentences] == ["a", "b"]
        assert [note.code for note in notes] == ["m2-no-blank", "m2-line"]

    @pytest.mark.parametrize("content", ["", f"A 0 1|||T|||x|||{TAIL}\nS a\n"])
    def test_lenient_reading_cannot_mend_everything(self, content: str) -> None:
        with pytest.raises(InputError):
            read(content, lenient=True)

    def test_every_problem_is_reported_at_once_up_to_a_limit(self) -> None:
        block = "S a\nA 0 9|||T|||x|||REQUIRED|||-NONE-|||0\n\n"
        with pytest.raises(InputError) as refused:
            read(block * 3)
        assert len(refused.value.problems) == 3
        with pytest.raises(InputError) as refused:
            read(block * 1000)
        assert len(refused.value.problems) == 50


class TestWriting:
    """What M2 cannot hold is left out with a note; it never makes a file that reads as something else."""

    @pytest.mark.parametrize(
        "odd",
        [
            Edit(0, 1, ("x",), "T", comment="one\nS two"),
            Edit(0, 1, ("x",), "T", comment="one|||two"),
            Edit(0, 1, ("x",), "T|||U"),
            Edit(0, 1, ("x||y",), "T"),
            Edit(0, 1, ("-NONE-",), "T"),
            Edit(0, 1, (), "T"),
        ],
        ids=["line feed in a comment", "||| in a comment", "||| in a type", "|| in a word", "-NONE-", "unknown"],
    )
    def test_text_that_has_a_meaning_in_m2(self, odd: Edit) -> None:
        problems = Problems()
        plain = edit(1, 2, "z", kind="T")
        written = "\n".join(write_m2([Sentence("a b", {"0": (odd, plain)}), Sentence("c")], problems)) + "\n"
        first, second = read(written)[0]
        assert (first.text, second.text) == ("a b", "c")
        assert plain in first.annotations["0"]
        assert {len(each.replacements) for each in first.annotations["0"]} == {1}
        assert problems.notes

    def test_names_become_numbers_and_a_note_says_which(self) -> None:
        problems = Problems()
        sentences = [Sentence("a", {"teacher": (), "1": (), "0": ()})]
        again, _ = read("\n".join(write_m2(sentences, problems)))
        assert list(again[0].annotations) == ["0", "1", "2"]
        assert problems.notes[0].what == "M2 numbers its annotators: 0 = teacher, 2 = 0"


# Edits and annotators as published (data/README.md).
REAL = {
    "conll14/noalt/official-2014.combined.m2": {"0": 2391, "1": 3207},
    "conll14/noalt/official-2014.0.m2": {"0": 2391},
    "conll14/noalt/official-2014.1.m2": {"0": 3317},
}


@pytest.mark.parametrize("name", REAL)
def test_real_files(data: Path, name: str) -> None:
    sentences, _ = read((data / name).read_text(encoding="utf-8"))
    assert len(sentences) == 1312
    assert sum(len(sentence.tokens) for sentence in sentences) == 30144
    counts: dict[str, int] = {}
    for sentence in sentences:
        for annotator, edits in sentence.annotations.items():
            counts[annotator] = counts.get(annotator, 0) + len(edits)
    assert counts == REAL[name]


# The parts of M2 files, usual ones first and odd ones after them.
SOURCES = (
    ("S a b c d",),
    ("S", "S ", "S a  b c d", "S a\u00a0b c d", "S  a b c d ", "S é 走 c d", "S a\tb", "Sa", "junk", "A 0 1"),
)
SPANS = (
    ("0 1", "1 1", "1 2", "2 4", "4 4"),
    ("0 0", "3 2", "2 7", "-1 -1", "-2 0", "00 1", " 1 2", "1", "1 2 3", "٣ 4", "9999999999 1", "1_0 11"),
)
KINDS = ("Det", "noop"), ("Um", "", " Vt ", "UNK")
CORRECTIONS = (
    ("x", "-NONE-", "y||x"),
    ("", " -NONE- ", "a", "b", "c d", "x||x", "x  y", " x ", "||", "x|||", "\u00a0", "é"),
)
NEEDS = ("REQUIRED",), ("OPTIONAL", "||REQUIRED", " REQUIRED ")
COMMENTS = ("-NONE-",), ("", "why", " why ")
ANNOTATORS = ("0", "1"), ("x", "", " 1 ", "2|||more", "²")
BLANKS = ("",), (" ", "\u2028", "I 1", "T0-A0 x", "A", "A 0 1", "A 0 1|||T|||x|||REQUIRED|||0")


@st.composite
def blocks(draw: st.DrawFn) -> list[str]:
    """The lines of a sentence, of which one part in twenty is odd."""

    def part(choice: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
        usual, odd = choice
        return draw(st.sampled_from(odd if draw(st.integers(0, 19)) == 0 else usual))

    n_edits = draw(st.integers(0, 3))
    fields = (SPANS, KINDS, CORRECTIONS, NEEDS, COMMENTS, ANNOTATORS)
    edits = sorted("A " + "|||".join(map(part, fields)) for _ in range(n_edits))
    return [part(SOURCES), *edits, part(BLANKS)]


@pytest.mark.skipif(not m2.KERNEL, reason="the kernel is not compiled: there is nothing to compare")
@draw_examples(400)
@given(st.lists(blocks(), min_size=1, max_size=8))
def test_the_kernel_takes_what_its_twin_reads(sentences: list[list[str]]) -> None:
    """Sentences, errors and notes, whichever of the two reads a sentence; what is read at a time ends anywhere."""
    lines = [*chain.from_iterable(sentences)]

    def read_all(size: int) -> tuple[list[Sentence], list[Problem]]:
        problems = Problems(lenient=True, limit=1000)
        parts = ["".join(f"{line}\n" for line in lines[at : at + size]) for at in range(0, len(lines), size)]
        cut = Lines("m2", problems, cut=[part.encode() for part in parts])
        return list(read_m2(cut, problems)), [*problems.notes, *problems.errors]

    with pytest.MonkeyPatch.context() as without:
        without.setattr(m2, "KERNEL", False)
        expected = read_all(1000)
    assert [read_all(size) for size in (1000, 3, 1)] == [expected] * 3


def test_an_edit_of_the_kernel_is_as_any_other() -> None:
    (edited,) = edits_of("1 2|||Det|||x||y|||OPTIONAL|||why|||0")
    assert edited == Edit(1, 2, ("x", "y"), "Det", optional=True, comment="why")
    assert type(edited) is Edit
    assert hash(edited) == hash(Edit(*edited))  # Python 3.14 keeps it in the tuple: only tuples' own code may make one
    assert pickle.loads(pickle.dumps(edited))._replace(start=0).span == (0, 2)


def test_many_insertions_at_one_point_take_no_longer_than_elsewhere() -> None:
    """The kernel leaves them to its twin: sixty thousand that it compares each with all would take half a minute."""
    lines = ["S a b", *(f"A 1 1|||T|||x{n}|||REQUIRED|||-NONE-|||0" for n in range(60_000)), ""]
    problems, began = Problems(), process_time()
    with lines_of("\n".join(lines), problems) as file:
        (sentence,) = read_m2(file, problems)
    assert len(sentence.annotations["0"]) == 60_000
    assert process_time() - began < 5
