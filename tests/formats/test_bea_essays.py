"""Essays of BEA-2019: JSON with edits of characters, and the traits of its M2; the essays are our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errorbar import Edit, Problems, Sentence, convert, score
from errorbar.core import InputError, UsageError
from errorbar.formats import FORMATS, project_bea, read_bea_essays, read_corpus, read_m2, write_m2
from errorbar.formats.catalog import recognize_line
from tests.helpers.cli import CommandLine
from tests.helpers.read import lines_of

Said = tuple[str, str | None]


def edits(text: str, *said: Said) -> list[list[Any]]:
    """Edits of the first place where each fragment stands."""
    return [[text.index(old), text.index(old) + len(old), new] for old, new in said]


def essay(text: str, *annotators: list[list[Any]], name: str = "1-1", **more: object) -> dict[str, Any]:
    return {"id": name, "text": text, "edits": [[who, found] for who, found in enumerate(annotators)], **more}


def file_of(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def read(content: str, *tokens: str, lenient: bool = False) -> tuple[list[Sentence], Problems]:
    """Sentences with given tokens: what is read does not depend on how sentences are found."""
    problems = Problems(lenient=lenient)
    with lines_of(content, problems) as lines:
        essays = list(read_bea_essays(lines, problems))
        sentences = list(project_bea(essays, [Sentence(each) for each in tokens], problems)) if tokens else []
    return sentences, problems


PETS = "My dog don’t likes cats.\nI goed home,and sleeped."
PETS_EDITS = edits(PETS, ("don’t", "doesn’t"), ("likes", "like"), ("goed", "went"), ("sleeped", None))
PETS_TOKENS = ("My dog do n't likes cats .", "I goed home , and sleeped .")


def test_edits_of_characters_become_edits_of_tokens() -> None:
    found, problems = read(file_of(essay(PETS, PETS_EDITS, userid="21", cefr="A1.i")), *PETS_TOKENS)
    assert [(one.document, one.writer, one.line) for one in found] == [("1-1", "21", 1)] * 2
    assert found[0].annotations == {"0": (Edit(2, 3, ("does",)), Edit(4, 5, ("like",)))}
    assert found[1].annotations == {"0": (Edit(1, 2, ("went",)), Edit(5, 6, (), "UNK"))}
    assert problems.errors == []
    assert [(note.code, note.severity) for note in problems.notes] == [("bea-marks", "repaired")]
    assert "1 in the texts" in problems.notes[0].what


def annotated(text: str, tokens: str, *said: list[Any], **how: bool) -> tuple[dict[str, tuple[Edit, ...]], list[str]]:
    (sentence,), problems = read(file_of(essay(text, list(said))), tokens, **how)
    return sentence.annotations, [each.code for each in (*problems.errors, *problems.notes)]


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ([3, 6, "cat"], Edit(1, 2, ("cat",))),
        ([3, 7, "cat "], Edit(1, 2, ("cat",))),
        ([2, 6, " cat"], Edit(1, 2, ("cat",))),
        ([3, 3, "big "], Edit(1, 1, ("big",))),
        ([6, 6, "gy"], Edit(2, 2, ("gy",))),
        ([4, 5, "i"], Edit(1, 2, ("dig",))),
        ([3, 11, "dogs bark"], Edit(1, 2, ("dogs",))),
        ([3, 11, "dogs barks"], Edit(1, 3, ("dogs barks",))),
        ([2, 6, ""], Edit(1, 2, ("",))),
        ([11, 12, "!"], Edit(3, 4, ("!",))),
        ([3, 6, None], Edit(1, 2, (), "UNK")),
        ([6, 6, None], Edit(2, 2, (), "UNK")),
        ([3, 6, "cat", "R:NOUN"], Edit(1, 2, ("cat",), "R:NOUN")),
        ([3, 6, None, "R:NOUN"], Edit(1, 2, (), "UNK")),
    ],
)
def test_spans(said: list[Any], made: Edit) -> None:
    assert annotated("My dog bark.", "My dog bark .", said) == ({"0": (made,)}, [])


def test_edits_that_touch_one_token_are_made_one() -> None:
    both = annotated("My dgo barc.", "My dgo barc .", [4, 5, "o"], [5, 6, "g"], [8, 8, "e"], [10, 11, "k"])
    assert both == ({"0": (Edit(1, 2, ("dog",)), Edit(2, 3, ("beark",)))}, [])
    detected = annotated("My dgo.", "My dgo .", [4, 5, None], [5, 6, "g"])
    assert detected == ({"0": (Edit(1, 2, ("dgg",)),)}, [])
    assert annotated("My dgo.", "My dgo .", [4, 5, None], [5, 6, None]) == ({"0": (Edit(1, 2, (), "UNK"),)}, [])


def test_edits_of_neighboring_tokens_stay_apart() -> None:
    found = annotated("My dog,bark.", "My dog , bark .", [3, 6, "cat"], [6, 7, ";"], [7, 11, "purrs"])
    assert found == ({"0": (Edit(1, 2, ("cat",)), Edit(2, 3, (";",)), Edit(3, 4, ("purrs",)))}, [])


def test_what_only_detects_gives_way_to_corrections_inside_of_it() -> None:
    text, tokens = "She have two dog.", "She have two dog ."
    assert annotated(text, tokens, [0, 16, None], [4, 8, "has"])[0] == {"0": (Edit(1, 2, ("has",)),)}
    assert annotated(text, tokens, [4, 8, None], [4, 8, "has"])[0] == {"0": (Edit(1, 2, ("has",)),)}
    assert annotated(text, tokens, [4, 12, None], [9, 9, "the "])[0] == {"0": (Edit(2, 2, ("the",)),)}
    whole = annotated(text, tokens, [9, 12, None], [9, 9, "the "])[0]
    assert whole == {"0": (Edit(2, 2, ("the",)), Edit(2, 3, (), "UNK"))}


def test_edits_that_overlap_are_refused() -> None:
    found, codes = annotated("My dog bark.", "My dog bark .", [3, 11, "cats purr"], [7, 11, "purrs"], lenient=True)
    assert found == {"0": (Edit(1, 3, ("cats purr",)), Edit(2, 3, ("purrs",)))}
    assert codes == ["edit-overlap"]
    assert annotated("My dog bark.", "My dog bark .", [3, 11, "cats purr"], [7, 11, "purrs"])[1] == ["edit-overlap"]


def test_edits_that_reach_beyond_a_sentence_or_change_nothing_are_left_out() -> None:
    content = file_of(essay("It is. He is.\nShe", [[3, 9, "x"], [10, 17, "y"], [0, 2, "It"]]))
    found, problems = read(content, "It is .", "He is .", "She")
    assert [one.annotations for one in found] == [{"0": ()}] * 3
    assert [note.code for note in problems.notes] == ["bea-no-change", "bea-crosses", "bea-crosses"]
    assert problems.notes[1].what == "the edit 3 9 of the essay '1-1' is left out: it reaches beyond one sentence"


def test_several_annotators_and_nobody() -> None:
    content = file_of(essay("A dog.", [], [[0, 1, "The"]]), essay("A cat.", name="1-2"))
    found, _ = read(content, "A dog .", "A cat .")
    assert [one.annotations for one in found] == [{"0": (), "1": (Edit(0, 1, ("The",)),)}, {}]


def test_marks_keep_their_places() -> None:
    text = "“I—like—„cats”，‘too’？"
    content = file_of(essay(text, edits(text, ("cats", "dogs"), ("too", "as well"))))
    (found,), _ = read(content, '" I - like - " cats " , \' too \' ?')
    assert [edit.replacements for edit in found.annotations["0"]] == [("dogs",), ("as well",)]


GOOD = essay("A dog.", [])


@pytest.mark.parametrize(
    ("records", "code", "said"),
    [
        (["{"], "bea-json", "not JSON"),
        ([[1]], "bea-record", "not a JSON object"),
        ([{"id": "1", "text": "a"}], "bea-record", "an essay without 'edits'"),
        ([{**GOOD, "text": None}], "bea-record", "'text' is None, no text"),
        ([{**GOOD, "id": None}], "bea-record", "the id is None, no text"),
        ([{**GOOD, "edits": {}}], "bea-record", "'edits' is {}, no list"),
        ([{**GOOD, "edits": [[0]]}], "bea-record", "has [0] among its annotators"),
        ([GOOD, GOOD], "bea-twice", "a second essay with the id '1-1'; the first stands in line 1"),
        ([essay("A dog.", [[0, 1]])], "bea-edit", "has [0, 1] for an edit"),
        ([essay("A dog.", [["0", 1, "x"]])], "bea-edit", "has ['0', 1, 'x'] for an edit"),
        ([essay("A dog.", [[0, True, "x"]])], "bea-edit", "has [0, True, 'x'] for an edit"),
        ([essay("A dog.", [[0, 1, 2]])], "bea-edit", "has [0, 1, 2] for an edit"),
        ([essay("A dog.", [[0, 7, "x"]])], "bea-outside", "the characters 0 7 of an edit are not in the text"),
        ([essay("A dog.", [[3, 2, "x"]])], "bea-outside", "the characters 3 2 of an edit"),
        ([essay("A dog.", [[-1, 2, "x"]])], "bea-outside", "the characters -1 2 of an edit"),
    ],
)
def test_what_is_refused(records: list[object], code: str, said: str) -> None:
    content = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in records)
    _, problems = read(content)
    (problem,) = problems.errors
    assert problem.code == code
    assert said in problem.what
    assert problem.place.line == len(records)


def test_lenient_reading_drops_edits_that_cannot_be_used() -> None:
    found, codes = annotated("A dog.", "A dog .", [0, 9, "x"], [0, 1], [2, 5, "cat"], lenient=True)
    assert found == {"0": (Edit(1, 2, ("cat",)),)}
    assert codes == ["bea-outside", "bea-edit"]


def test_an_essay_without_text_is_left_out() -> None:
    found, problems = read(file_of(essay(" \n", [[0, 1, None]]), essay("A dog.", [], name="2")), "A dog .")
    assert [one.document for one in found] == ["2"]
    assert [note.code for note in problems.notes] == ["bea-empty"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (json.dumps(GOOD), "bea"),
        (json.dumps({**GOOD, "cefr": "A1.i"}), "bea"),
        ('{"text": "a", "annotations": {"0": []}}', "jsonl"),
        ('{"text": "the \\"edits\\"", "annotations": {}}', "jsonl"),
        ('{"id": "1", "edits": [', "jsonl"),
    ],
)
def test_recognized_by_the_first_line(line: str, name: str) -> None:
    assert recognize_line(line).name == name


def test_tokens_of_our_own(tmp_path: Path, errorbar: CommandLine) -> None:
    pytest.importorskip("nltk")
    path = tmp_path / "essays.json"
    path.write_text(file_of(essay(PETS, PETS_EDITS, userid="21")))
    corpus = read_corpus(path)
    assert [one.text for one in corpus.sentences] == ["My dog do n't likes cats .", "I goed home,and sleeped ."]
    assert (
        errorbar("check", path)
        .out.splitlines()[-1]
        .startswith(f"{path}: 1 essay, 2 sentences, 12 tokens, 1 annotator, 4 edits; 1 problem")
    )
    problems = Problems()
    with lines_of(path.read_bytes(), problems) as lines:
        assert [one.text for one in FORMATS["bea"].read(lines, problems)] == [one.text for one in corpus.sentences]


def test_tokens_of_the_release(tmp_path: Path) -> None:
    path, release, out = tmp_path / "essays.json", tmp_path / "release.m2", tmp_path / "gold.jsonl"
    path.write_text(file_of(essay(PETS, PETS_EDITS)))
    release.write_text("".join(f"S {each}\n\n" for each in PETS_TOKENS))
    convert(path, out, tokens=release)
    corpus = read_corpus(out)
    assert [one.text for one in corpus.sentences] == list(PETS_TOKENS)
    assert [one.document for one in corpus.sentences] == ["1-1", "1-1"]
    release.write_text("S Another text .\n")
    with pytest.raises(InputError, match="nucle-tokens"):
        convert(path, out, tokens=release)
    with pytest.raises(UsageError, match="tokens is of one file of essays"):
        convert([path, path], out, tokens=release)


M2 = """S I goed home .
A 1 2|||R:VERB:INFL|||went|||REQUIRED|||-NONE-|||0
A 3 4|||UNK|||.|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB:TENSE|||have gone|||REQUIRED|||-NONE-|||4

S Fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
A 0 0|||M:PRON|||I am|||REQUIRED|||-NONE-|||4
"""


def test_traits_of_its_m2(tmp_path: Path) -> None:
    """Noop lines of who found nothing, several annotators, edits that only detect."""
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text(M2)
    problems = Problems()
    corpus = read_corpus(gold, problems)
    assert corpus.annotators == ("0", "1", "4")
    assert corpus.sentences[0].annotations["1"] == corpus.sentences[1].annotations["0"] == ()
    assert corpus.sentences[0].annotations["0"][1] == Edit(3, 4, (".",), "UNK")
    assert [note.code for note in problems.notes] == ["edit-no-change"]
    system.write_text("I went home .\nFine .\n")
    counts = score(gold, system, ci=False).scores[0].counts
    assert counts == {"correct": 1, "proposed": 1, "gold": 2}
    # Of typed edits, what only detects is left out where corrections are compared.
    own = tmp_path / "own.m2"
    own.write_text("S I goed home .\nA 1 2|||R:VERB:INFL|||went|||REQUIRED|||-NONE-|||0\n\nS Fine .\n")
    assert score(gold, own, "errant", ci=False).scores[0].counts == {"correct": 1, "proposed": 1, "gold": 1}
    assert score(gold, own, "errant(mode=ds,choose=0)", ci=False).scores[0].counts["gold"] == 2


def test_what_only_detects_is_written_to_m2_as_errant_writes_it() -> None:
    problems = Problems()
    sentence = Sentence("I goed home .", {"0": (Edit(1, 2, (), "UNK"), Edit(3, 3, (), "UNK"), Edit(3, 4, (), "R:X"))})
    written = list(write_m2([sentence], problems))
    assert written[1] == "A 1 2|||UNK|||goed|||REQUIRED|||-NONE-|||0"
    assert [note.what for note in problems.notes] == [
        "M2 cannot hold corrections that are unknown (written as deletions); left out "
        "(2: edit 3 3 of sentence 1, edit 3 4 of sentence 1)"
    ]
    with lines_of("\n".join(written), problems) as lines:
        (again,) = read_m2(lines, problems)
    assert again.annotations["0"][0] == Edit(1, 2, ("goed",), "UNK")
