"""NUCLE SGML as it stands in the file."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Problems, Sentence
from errorbar.core import InputError, Place
from errorbar.formats import merge_essays, project_essays, read_nucle
from errorbar.formats.nucle import Essay, Mistake
from tests.helpers.read import lines_of

ESSAY = """<DOC nid="7">
<TEXT>
<TITLE>
Cats & dogs < birds
</TITLE>
<P>
One line.
Another &lt;line&gt; &eacute;.
</P>
<P>Short.</P>
</TEXT>
<ANNOTATION teacher_id="t1">
<MISTAKE start_par="1" start_off="0" end_par="1" end_off="3">
<TYPE>Wci</TYPE>
<CORRECTION>A
long</CORRECTION>
<COMMENT>two
lines</COMMENT>
</MISTAKE>
<mistake end_off='2' start_par='2' start_off='0' end_par='2'><TYPE>Mec</TYPE><CORRECTION></CORRECTION></mistake>
</ANNOTATION>
<ANNOTATION teacher_id="t2">
</ANNOTATION>
</DOC>
"""


def essays(content: str, *, lenient: bool = False) -> tuple[list[Essay], Problems]:
    problems = Problems(lenient=lenient)
    with lines_of(content, problems) as lines:
        return list(read_nucle(lines, problems)), problems


@pytest.mark.parametrize("content", [ESSAY, ESSAY.replace("\n", "\r\n"), f"\ufeff{ESSAY}", ESSAY.rstrip("\n")])
def test_reads_an_essay(content: str) -> None:
    (essay,), problems = essays(content)
    assert not problems.errors
    assert (essay.nid, essay.place.line) == ("7", 1)
    assert essay.paragraphs == ["Cats & dogs < birds", "One line.\nAnother <line> &eacute;.", "Short."]
    assert essay.annotations == {
        "t1": [
            Mistake(1, 0, 1, 3, "Wci", "A\nlong", "two lines", Place(essay.place.file, 13)),
            Mistake(2, 0, 2, 2, "Mec", "", "", Place(essay.place.file, 20)),
        ],
        "t2": [],
    }


def broken(old: str, new: str) -> str:
    assert old in ESSAY
    return ESSAY.replace(old, new, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no essay in the file (expected <DOC nid=...>)"),
        (broken(' nid="7"', ""), "file:1: <DOC> without nid"),
        (broken("</DOC>\n", ""), "file:1: the essay '7' is not closed (expected </DOC>)"),
        (ESSAY + ESSAY, "file:25: a second essay with the id '7'"),
        (broken("<DOC", "stray\n<DOC"), "file:1: text outside of paragraphs and corrections: 'stray'"),
        (broken("<TEXT>", "</DOC><TEXT>"), "file:2: <TEXT> outside of an essay"),
        (broken("Short.</P>", "Short."), "file:11: </TEXT> inside of <P> from line 10 (expected </P>)"),
        (broken("</TITLE>\n", ""), "file:5: <P> inside of <TITLE> from line 3 (expected </TITLE>)"),
        (broken(' teacher_id="t1"', ""), "file:12: <ANNOTATION> without teacher_id"),
        (
            broken(' start_off="0"', ""),
            "file:13: <MISTAKE> without start_off (expected a whole number",
        ),
        (
            broken('start_off="0"', 'start_off="-1"'),
            "file:13: <MISTAKE> with start_off='-1' (expected a whole number",
        ),
        (broken("<TYPE>Wci</TYPE>\n", ""), "file:18: <MISTAKE> without <TYPE>"),
        (broken("Wci</TYPE>", "Wci</TYPE><TYPE>Nn</TYPE>"), "file:14: a second <TYPE> in a <MISTAKE>"),
        (broken("</MISTAKE>\n", ""), "file:19: <MISTAKE> inside of a <MISTAKE>"),
        (broken("</mistake>", ""), "file:20: </DOC> inside of a <MISTAKE>"),
        (broken("<TEXT>", "<TYPE>Nn</TYPE><TEXT>"), "file:2: <TYPE> outside of a <MISTAKE>"),
        (broken("<TEXT>", "</MISTAKE><TEXT>"), "file:2: </MISTAKE> without <MISTAKE>"),
        (broken('<ANNOTATION teacher_id="t1">\n', ""), "<MISTAKE> outside of an <ANNOTATION>"),
    ],
)
def test_malformed(content: str, said: str) -> None:
    _, problems = essays(content)
    messages = [str(problem) for problem in problems.errors]
    assert said in messages[0]
    assert all("\n" not in message for message in messages)


def test_leniently_what_can_be_mended_is_mended() -> None:
    content = broken("Short.</P>", "Short.").replace(' start_off="0"', "", 1).replace("<DOC", "stray\n<DOC", 1)
    (essay,), problems = essays(content, lenient=True)
    assert not problems.errors
    assert [note.code for note in problems.notes] == ["nucle-stray", "nucle-unclosed", "nucle-attribute"]
    assert essay.paragraphs[-1] == "Short."
    assert [mistake.type for mistake in essay.annotations["t1"]] == ["Mec"]


def test_merged_files() -> None:
    (first,), _ = essays(ESSAY)
    (second,), _ = essays('<DOC nid="7">\n<ANNOTATION teacher_id="9">\n</ANNOTATION>\n</DOC>')
    (merged,) = merge_essays([("a", [first]), ("b", [second])])
    assert list(merged.annotations) == ["a.t1", "a.t2", "b"]
    assert merged.partial == {"b"}
    assert merged.paragraphs == first.paragraphs


def test_essays_that_do_not_fit_together_are_refused() -> None:
    (first,), _ = essays(ESSAY)
    (other_id,), _ = essays(ESSAY.replace('nid="7"', 'nid="8"'))
    (other_text,), _ = essays(ESSAY.replace("Short.", "Longer."))
    with pytest.raises(InputError, match="the essay '8' is not in a"):
        merge_essays([("a", [first]), ("b", [other_id])])
    with pytest.raises(InputError, match="other text than in a"):
        merge_essays([("a", [first]), ("b", [other_text])])


PIECES = re.findall(r"</?\w[^<>]*>|[^<>\n]+|[<>\n]", ESSAY)


@given(st.data())
def test_whatever_the_order_of_its_pieces_a_file_is_read_or_refused(data: st.DataObject) -> None:
    torn = list(PIECES)
    for piece in data.draw(st.lists(st.sampled_from(PIECES), max_size=3)):
        torn.insert(data.draw(st.integers(0, len(torn))), piece)
    for at in data.draw(st.lists(st.integers(0, len(torn) - 1), max_size=2, unique=True)):
        torn[at] = ""
    sentences = [Sentence("Cats & dogs < birds"), Sentence("One line . Another <line> &eacute; ."), Sentence("Short .")]
    problems = Problems(lenient=True)
    with lines_of("".join(torn), problems) as lines:
        found = list(read_nucle(lines, problems))
    try:
        projected = list(project_essays(found, sentences, problems))
    except InputError as error:
        assert {problem.code for problem in error.problems} <= {"nucle-no-text", "nucle-tokens"}  # noqa: PT017
    else:
        assert len(projected) == len(sentences)
