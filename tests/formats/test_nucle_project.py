"""NUCLE mistakes as edits of tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorbar import Problems, Sentence
from errorbar.core import InputError, Place
from errorbar.formats import Lines, merge_essays, project_essays, read_m2, read_nucle, split_essays, write_m2
from errorbar.formats.nucle import DropReason, Essay, Mistake, locate, project_mistake

TEXT = 'He said,"no". They dont agree, however well-known it is.'
SENTENCES = [
    Sentence('He said , " no " .'),
    Sentence("They dont agree , however well-known it is ."),
]


def essay(*mistakes: Mistake) -> Essay:
    return Essay("1", Place("essays.sgml", 1), [TEXT], {"t": list(mistakes)})


def mistake(old: str, correction: str, kind: str = "Mec") -> Mistake:
    start = TEXT.index(old)
    return Mistake(0, start, 0, start + len(old), kind, correction, "", Place("essays.sgml", 1))


def projected(one: Mistake, *, detach_stops: bool = False) -> tuple[int, int, int, str] | DropReason:
    """Sentence, span and correction."""
    ((_, paragraphs),) = locate([essay()], SENTENCES)
    result = project_mistake(one, [TEXT], paragraphs, detach_stops=detach_stops)
    if isinstance(result, DropReason):
        return result
    _, number, edit = result
    return number, edit.start, edit.end, edit.replacements[0]


@pytest.mark.parametrize(
    ("old", "correction", "expected"),
    [
        ("agree", "agreed", (1, 2, 3, "agreed")),
        ("agree", "really agree", (1, 2, 2, "really")),  # what both share is taken off
        (" agree", " do agree ", (1, 2, 2, "do")),  # white space at the ends is no part of the span
        ("dont", "don't", (1, 1, 2, "do n't")),  # the correction is tokenized
        ("well", "widely", (1, 5, 6, "widely-known")),  # part of a token: the whole token
        ("-", " ", (1, 5, 6, "wellknown")),  # a correction of white space alone is no correction
        ("well-", "well ", (1, 5, 6, "well known")),
        ("agree", "agree:", (1, 3, 3, ":")),
        ("however", "however,", (1, 5, 5, ",")),  # cut off, as white space follows
        ("is", "is so.", (1, 8, 8, "so.")),  # the sentence's own full stop follows
        (".", ",", (0, 6, 7, ",")),
        ("agree, however", "agree. However", (1, 3, 5, ". However")),  # a sentence ends inside the correction
        ('"no"', "yes", (0, 3, 6, "yes")),
        ("it ", "", (1, 6, 7, "")),
        ("agree", "agree", DropReason.NO_CHANGE),
        ("They", " They ", DropReason.NO_CHANGE),
        (". They", ". He", DropReason.CROSSES),
        (". ", ":", DropReason.CROSSES),  # the white space between two sentences is of neither
    ],
)
def test_projects(old: str, correction: str, expected: object) -> None:
    assert projected(mistake(old, correction)) == expected


def test_detached_full_stops() -> None:
    assert projected(mistake("is", "is so."), detach_stops=True) == (1, 8, 8, "so .")


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (0, (0, 0, 0, "x")),
        (3, (0, 1, 1, "x")),
        (2, (0, 1, 1, "x")),  # at the end of a token: before the next one
        (4, (0, 1, 2, "sxaid")),  # inside a token: the token is replaced
        (TEXT.index(" They"), (0, 7, 7, "x")),  # at the border of two sentences: the end of the first
        (len(TEXT), (1, 9, 9, "x")),
    ],
)
def test_insertions(offset: int, expected: object) -> None:
    assert projected(Mistake(0, offset, 0, offset, "Mec", "x", "", Place("essays.sgml", 1))) == expected


@pytest.mark.parametrize(
    ("span", "why"),
    [((1, 0, 1, 2), DropReason.OUTSIDE), ((0, 5, 0, 500), DropReason.OUTSIDE), ((0, 5, 0, 4), DropReason.OUTSIDE)],
)
def test_offsets_outside_of_the_text(span: tuple[int, int, int, int], why: DropReason) -> None:
    one = Mistake(*span, "Mec", "x", "", Place("essays.sgml", 12))
    assert projected(one) is why
    problems = Problems()
    list(project_essays([essay(one)], SENTENCES, problems))
    assert [str(problem) for problem in problems.errors] == [
        "essays.sgml:12: the mistake 'Mec' lies outside the text (expected offsets inside the 1 "
        "paragraphs of the essay '1'); correct it or use lenient=True (it is dropped) [nucle-outside]"
    ]


def test_essays_give_documents_and_say_who_looked() -> None:
    base = essay(mistake("dont", "do not"), mistake(". They", ". He"))
    other = Essay("1", Place("alt.sgml", 1), [], {"9": [mistake("He", "", "noop")]})
    problems = Problems()
    (merged,) = merge_essays([("main", [base]), ("alt", [other])])
    first, second = project_essays([merged], SENTENCES, problems)
    assert [sentence.document for sentence in (first, second)] == ["1", "1"]
    assert first.annotations == {"main": (), "alt": ()}  # noop: looked and found nothing
    assert list(second.annotations) == ["main"]  # alternatives are given for some sentences only
    assert [(note.code, str(note.place)) for note in problems.notes] == [("nucle-crosses", "essays.sgml:1")]


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        ([SENTENCES[0]], "the sentences are at their end in paragraph 0 of the essay '1'"),
        ([*SENTENCES, Sentence("x")], "1 sentences are left"),
        ([SENTENCES[0], Sentence("They do", line=4)], "gold.m2:4: the token 'do' is not what stands"),
    ],
)
def test_tokens_of_another_text_are_refused(sentences: list[Sentence], said: str) -> None:
    if said.endswith("stands"):
        sentences[1].text = "They did"
        said = said.replace("'do'", "'did'")
    with pytest.raises(InputError, match=said):
        list(locate([essay()], sentences, "gold.m2"))


def test_an_essay_without_text_is_refused() -> None:
    with pytest.raises(InputError, match="the essay '1' has no text"):
        list(locate([Essay("1", Place("essays.sgml", 1))], SENTENCES))


def test_treebank_quotation_marks() -> None:
    quoted = [Sentence("He said , `` no '' ."), SENTENCES[1]]
    ((_, (located,)),) = locate([essay()], quoted)
    assert located[0].spans == [(0, 2), (3, 7), (7, 8), (8, 9), (9, 11), (11, 12), (12, 13)]


def test_own_tokens() -> None:
    pytest.importorskip("nltk")
    assert [sentence.tokens for sentence in split_essays([essay()])] == [each.tokens for each in SENTENCES]
    assert {sentence.document for sentence in split_essays([essay()])} == {essay().nid}


# What is known of the released files. (SGML mistakes, of these: edits that stand exactly so in the released M2,
# dropped because they reach beyond one sentence, dropped because they change no token.) Every edit of the M2 is
# regenerated: span, type, correction and order. The two CoNLL files keep a full stop before a full stop, the files of
# Bryant & Ng detach it; without that difference 6 edits of A7, 4 of A10 and 1 of A2, A4, A5 and A6 would differ.
RELEASED = {
    "conll14/noalt/official-2014.0": (2397, 2391, 5, 1),
    "conll14/noalt/official-2014.1": (3331, 3317, 12, 2),
    "bn2015_10gec/A1": (5575, 5560, 9, 6),
    "bn2015_10gec/A2": (4011, 3982, 20, 9),
    "bn2015_10gec/A3": (3331, 3317, 12, 2),
    "bn2015_10gec/A4": (3539, 3528, 7, 4),
    "bn2015_10gec/A5": (4038, 4016, 12, 10),
    "bn2015_10gec/A6": (3981, 3959, 12, 10),
    "bn2015_10gec/A7": (2397, 2391, 5, 1),
    "bn2015_10gec/A8": (3303, 3286, 12, 5),
    "bn2015_10gec/A9": (3414, 3397, 1, 16),
    "bn2015_10gec/A10": (4253, 4231, 14, 8),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name[-2:] not in ("A1", "A7"))) for name in RELEASED]
)
def test_the_released_m2_is_regenerated(data: Path, name: str) -> None:
    problems = Problems(limit=1000)
    essays = list(read_nucle(Lines(data / f"{name}.sgml", problems), problems))
    released = list(read_m2(Lines(data / f"{name}.m2", problems), Problems(limit=1000)))
    assert not problems.errors
    found = list(project_essays(essays, released, problems, detach_stops=name.startswith("bn")))
    n_mistakes = sum(len(mistakes) for each in essays for mistakes in each.annotations.values())
    dropped = Counter(note.code for note in problems.notes)
    n_edits = sum(len(edits) for sentence in released for edits in sentence.annotations.values())
    assert (n_mistakes, n_edits, dropped["nucle-crosses"], dropped["nucle-no-change"]) == RELEASED[name]
    assert list(edit_lines(found)) == list(edit_lines(released))
    assert len({sentence.document for sentence in found}) == 50


def edit_lines(sentences: list[Sentence]) -> Iterator[str]:
    """S and A lines without noop, comments and annotator."""
    for line in write_m2(sentences, Problems()):
        if "|||noop|||" not in line:
            yield "|||".join(line.split("|||")[:3])


@pytest.mark.parametrize(("team", "noop", "exact", "retyped"), [("a", 5, 487, 1), ("b", 65, 479, 5), ("c", 0, 745, 0)])
def test_the_alternative_answers_are_regenerated(data: Path, team: str, noop: int, exact: int, retyped: int) -> None:
    """The released M2 has six edits under another type than the team's file: it was moderated."""
    folder, problems = data / "conll14", Problems(limit=1000)
    files = [folder / "noalt/official-2014.0.sgml", folder / f"alt/alternative-team{team}.sgml"]
    base, answers = (list(read_nucle(Lines(file, problems), problems)) for file in files)
    for each in base:
        each.annotations.clear()
    combined = folder / "alt/official-2014.combined-withalt.m2"
    released = list(read_m2(Lines(combined, problems), Problems(limit=1000)))
    found = list(project_essays(merge_essays([("base", base), (team, answers)]), released, problems))
    edits = [(at, edit) for at, each in enumerate(found) for edit in each.annotations.get(team, ())]
    official = [{edit[:4] for edits in each.annotations.values() for edit in edits} for each in released]
    untyped = [{edit[:3] for edit in edits} for edits in official]
    assert sum(edit[:4] in official[at] for at, edit in edits) == exact
    assert sum(edit[:4] not in official[at] and edit[:3] in untyped[at] for at, edit in edits) == retyped
    assert len(edits) == exact + retyped
    assert sum(one.type == "noop" for each in answers for one in each.annotations[team_id(each)]) == noop


def team_id(essay: Essay) -> str:
    (name,) = essay.annotations
    return name


@pytest.mark.parametrize("annotator", ["0", "1"])
def test_sentences_stand_where_the_released_annotation_files_say(data: Path, annotator: str) -> None:
    """``.conll.ann`` holds the token span of every edit with essay, paragraph and sentence."""
    folder = data / "conll14/noalt"
    content = (folder / f"official-2014.{annotator}.conll.ann").read_text(encoding="utf-8")
    tag = r'<MISTAKE nid="(\d+)" pid="(\d+)" sid="(\d+)" start_token="(\d+)" end_token="(\d+)">\s*<TYPE>(.*?)</TYPE>'
    expected = Counter(re.findall(tag, content))
    problems = Problems()
    essays = list(read_nucle(Lines(folder / f"official-2014.{annotator}.sgml", problems), problems))
    released = list(read_m2(Lines(folder / f"official-2014.{annotator}.m2", problems), problems))
    found: Counter[tuple[str, ...]] = Counter()
    for each, paragraphs in locate(essays, released):
        for one in (one for mistakes in each.annotations.values() for one in mistakes):
            result = project_mistake(one, each.paragraphs, paragraphs)
            if not isinstance(result, DropReason):
                paragraph, number, edit = result
                place = (paragraph, number, edit.start, edit.end)
                found[each.nid, *map(str, place), edit.type] += 1
    assert found == expected
