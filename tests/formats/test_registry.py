"""Contracts of every format in the registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Edit, Problems, Sentence
from errorbar.core import InputError, UsageError
from errorbar.formats import FORMATS, Format, find_format, read_bea_essays, recognize
from errorbar.formats.catalog import recognize_line
from tests.helpers.read import lines_of
from tests.strategies import disjoint_edits, tokens


class Holds(StrEnum):
    """What a format can hold besides the tokens of its sentences (docs/formats.md)."""

    EDITS = "edits of several annotators, and who looked at which sentence"
    NAMES = "names of annotators"
    TYPES = "error types"
    ALTERNATIVES = "alternative corrections"
    UNKNOWN = "edits without a known correction"
    OPTIONAL = "optional edits"
    COMMENTS = "comments"
    GROUPS = "consistency sets"
    DOCUMENTS = "documents and writers"
    SPACING = "white space between tokens"


HOLDS = {
    "jsonl": frozenset(Holds),
    "m2": frozenset((Holds.EDITS, Holds.TYPES, Holds.ALTERNATIVES, Holds.OPTIONAL, Holds.COMMENTS)),
    "text": frozenset[Holds](),
}
WRITABLE = [known for known in FORMATS.values() if known.write is not None]
SPACES = (" ", "  ", "\u2028", "\u00a0", "\t")


@st.composite
def annotated(draw: st.DrawFn, known: Format) -> Sentence:
    """A sentence that uses everything a corpus can hold; annotators are numbered where the format numbers them."""
    words = draw(tokens())
    text = "".join(word + draw(st.sampled_from(SPACES)) for word in words).strip(" ")
    names = ["0", "12", "teacher one", "Ünal"] if Holds.NAMES in HOLDS[known.name] else ["0", "12"]
    looked = [name for name in names if draw(st.booleans())]
    return Sentence(
        text,
        {name: tuple(draw(decorated(edit)) for edit in draw(disjoint_edits(words))) for name in looked},
        draw(st.sampled_from(("", "essay 1"))),
        draw(st.sampled_from(("", "writer"))),
    )


@st.composite
def decorated(draw: st.DrawFn, edit: Edit) -> Edit:
    """The edit with perhaps alternatives, no known correction, a comment, a consistency set, or optional."""
    more: list[tuple[str, ...]] = [edit.replacements, (*edit.replacements, "other one"), ("other", ""), ("", "x")]
    return edit._replace(
        replacements=draw(st.sampled_from([*more, ()])),
        type=draw(st.sampled_from(("Prep", "Um", "", "R:NOUN:NUM"))),
        optional=draw(st.booleans()),
        comment=draw(st.sampled_from(("", "why, \u2028 é"))),
        group=draw(st.sampled_from(("", "set 1"))),
    )


def kept(sentence: Sentence, holds: frozenset[Holds]) -> Sentence:
    """What a format must give back, by what the registry says it can hold."""

    def kept_edit(edit: Edit) -> Edit:
        if Holds.UNKNOWN not in holds and not edit.replacements:
            edit = edit._replace(replacements=("",))
        return edit._replace(
            replacements=edit.replacements if Holds.ALTERNATIVES in holds else edit.replacements[:1],
            type=edit.type if Holds.TYPES in holds else "",
            optional=edit.optional and Holds.OPTIONAL in holds,
            comment=edit.comment if Holds.COMMENTS in holds else "",
            group=edit.group if Holds.GROUPS in holds else "",
        )

    annotations = {name: tuple(map(kept_edit, edits)) for name, edits in sentence.annotations.items()}
    documents = Holds.DOCUMENTS in holds
    return Sentence(
        sentence.text if Holds.SPACING in holds else " ".join(sentence.tokens),
        annotations if Holds.EDITS in holds else {},
        sentence.document if documents else "",
        sentence.writer if documents else "",
    )


def written(known: Format, sentences: Sequence[Sentence], problems: Problems) -> str:
    assert known.write is not None
    return "".join(f"{line}\n" for line in known.write(sentences, problems))


def read_back(known: Format, content: str | bytes) -> list[Sentence]:
    problems = Problems()
    with lines_of(content, problems) as lines:
        found = list(known.read(lines, problems))
    problems.raise_errors()
    for sentence in found:
        sentence.line = 0
    return found


@pytest.mark.parametrize("known", WRITABLE, ids=lambda known: known.name)
@given(data=st.data())
def test_round_trip(known: Format, data: st.DataObject) -> None:
    sentences = data.draw(st.lists(annotated(known), min_size=1, max_size=4))
    content = written(known, sentences, Problems())
    assert read_back(known, content) == [kept(sentence, HOLDS[known.name]) for sentence in sentences]


@pytest.mark.parametrize("known", WRITABLE, ids=lambda known: known.name)
@given(data=st.data())
def test_what_is_lost_is_noted(known: Format, data: st.DataObject) -> None:
    sentence = data.draw(annotated(known))
    problems = Problems()
    written(known, [sentence], problems)
    spaced = Sentence(" ".join(sentence.tokens), sentence.annotations, sentence.document, sentence.writer)
    lost = kept(spaced, HOLDS[known.name]) != spaced
    assert bool(problems.notes) == lost  # white space between tokens is no information in a tokenized corpus


VARIANTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda content: content,
    "CR LF": lambda content: content.replace("\n", "\r\n"),
    "no line feed at the end": lambda content: content.rstrip("\n"),
    "byte order mark": lambda content: f"\ufeff{content}",
}

EXAMPLE = [
    Sentence("first one .", {"0": (Edit(0, 1, ("x", ""), "Prep"), Edit(1, 2, ("",), "Um")), "1": ()}),
    Sentence("nobody looked .", {}),
    Sentence("last .", {"1": (Edit(0, 0, ("the",), "Det"),)}),
]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("known", WRITABLE, ids=lambda known: known.name)
def test_line_ends_and_byte_order_mark_do_not_matter(known: Format, variant: str) -> None:
    content = VARIANTS[variant](written(known, EXAMPLE, Problems()))
    assert read_back(known, content) == [kept(sentence, HOLDS[known.name]) for sentence in EXAMPLE]


@pytest.mark.parametrize("known", WRITABLE, ids=lambda known: known.name)
def test_recognized_by_what_it_writes(known: Format) -> None:
    assert recognize_line(written(known, EXAMPLE, Problems()).split("\n", 1)[0]) is known


def test_alternatives_and_noop_in_m2() -> None:
    content = "S a b\nA 0 1|||T|||x||-NONE-|||REQUIRED|||-NONE-|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
    (sentence,) = read_back(FORMATS["m2"], content)
    assert sentence.annotations == {"0": (Edit(0, 1, ("x", ""), "T"),), "1": ()}
    assert written(FORMATS["m2"], [sentence], Problems()) == f"{content}\n"


@pytest.mark.parametrize(
    "known", [known for known in FORMATS.values() if known.name != "brat"], ids=lambda known: known.name
)
def test_an_empty_file_is_refused(known: Format) -> None:
    """Only brat makes one on purpose, for a text in which nothing is marked yet."""
    with pytest.raises(InputError, match=r"\[\w+-empty\]"):
        read_back(known, b"")


def test_essays_get_tokens_of_our_own() -> None:
    pytest.importorskip("nltk")
    mistake = (
        '<MISTAKE start_par="0" start_off="3" end_par="0" end_off="5">\n'
        "<TYPE>SVA</TYPE>\n<CORRECTION>{}</CORRECTION>\n</MISTAKE>\n"
    )
    content = (
        '<DOC nid="7">\n<TEXT>\n<P>\nHe go home. They stay.\n</P>\n</TEXT>\n<ANNOTATION teacher_id="0">\n'
        f"{mistake.format('goes')}{mistake.format('go')}</ANNOTATION>\n</DOC>\n"
    )
    problems = Problems()
    with lines_of(content, problems) as lines:
        first, second = FORMATS["nucle"].read(lines, problems)
        name = lines.name
    assert (first.text, second.text) == ("He go home .", "They stay .")
    assert first.document == second.document == "7"
    assert [(edit.start, edit.end, edit.replacements) for edit in first.annotations["0"]] == [(1, 2, ("goes",))]
    assert second.annotations["0"] == ()
    assert {note.place.file for note in problems.notes} == {name}


@pytest.mark.parametrize(
    ("line", "name"),
    [("S a b", "m2"), ('{"text": ""}', "jsonl"), ('<DOC nid="1">', "nucle"), ("A dog .", "text"), ("So it is", "text")],
)
def test_recognized_by_its_first_line(line: str, name: str) -> None:
    assert recognize_line(line).name == name


def test_an_empty_file_has_no_format() -> None:
    with lines_of("\n \n", Problems()) as lines, pytest.raises(InputError, match="empty"):
        recognize(lines.name)


def test_an_unknown_format() -> None:
    with pytest.raises(UsageError, match="did you mean 'jsonl'"):
        find_format("json")


def test_every_format_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")
    for known in FORMATS.values():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{known.name}` |"))
        assert row.split(" | ")[2] == ("no" if known.write is None else "yes")


def example_after(heading: str) -> str:
    """The first example of a format below its heading on the page of the formats."""
    page = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")
    return page.partition(f"\n## {heading}\n")[2].partition("```text\n")[2].partition("```")[0]


@pytest.mark.parametrize(
    ("heading", "name", "n_sentences"),
    [("Essays of MultiGEC-2025", "multigec", 2), ("Token labels of MultiGED-2023", "multiged", 1)],
)
def test_examples_on_the_page_are_read(heading: str, name: str, n_sentences: int) -> None:
    example = example_after(heading)
    assert recognize_line(example.split("\n", 1)[0]).name == name
    assert len(read_back(FORMATS[name], example)) == n_sentences


def test_the_essay_on_the_page_is_read() -> None:
    example = example_after("Essays and M2 of BEA-2019")
    problems = Problems()
    with lines_of(example, problems) as lines:
        (essay,) = read_bea_essays(lines, problems)
    assert recognize_line(example.rstrip("\n")).name == "bea"
    words = [essay.text[edit.start : edit.end] for edit in essay.annotations["0"]]
    assert (words, problems.errors) == (["like", "cats"], [])
