"""What may be changed in a sentence, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from errorbar.detectors.candidates import GROUPS, Candidate, Proposer

WORDS = "he goes go went to the school schools house houses of economy economic economics hour union informations"
PROPOSER = Proposer(dict.fromkeys(WORDS.split(), 100) | {"rare": 1})


def said(sentence: str, tags: str = "") -> dict[str, list[str]]:
    """The sentences that candidates make, by type."""
    tokens = sentence.split()
    found: dict[str, list[str]] = {}
    for start, end, replacement, kind in PROPOSER.candidates(tokens, tags.split()):
        found.setdefault(kind, []).append(" ".join([*tokens[:start], *replacement, *tokens[end:]]))
    return found


def test_forms() -> None:
    found = said("He go to school")
    assert [each for each in found["Vform"] if len(each.split()) == 4] == ["He goes to school", "He went to school"]
    assert found["Nn"] == ["He go to schools"]
    assert "He go of school" in found["Prep"]
    assert "He go school" in found["Prep"]
    assert "Wform" not in found
    assert said("economy")["Wform"] == ["economic"]


def test_articles() -> None:
    found = said("house of hour")["ArtOrDet"]
    assert {"house of a hour", "house of an hour", "house of the hour"} <= set(found)
    assert "a house of hour" not in found
    assert {"A house of hour", "The house of hour"} <= set(said("House of hour")["ArtOrDet"])
    assert {"goes to school", "goes to a school", "goes to an school"} <= set(said("goes to the school")["ArtOrDet"])
    assert "School" in said("The school")["ArtOrDet"]


def test_spelling_is_for_unknown_words_only() -> None:
    assert said("shcool")["Mec"] == ["school"]
    assert "Mec" not in said("rare school")
    assert said("Shcool")["Mec"] == ["School"]


def test_an_unknown_word_becomes_its_nearest_spelling_or_stays() -> None:
    """Two letters are changed only where one does not do: somthing is something, and nothing is farther away."""
    proposer = Proposer({"something": 50, "nothing": 900})
    replacements = [one.replacement for one in proposer.candidates(["somthing"], ["NN"]) if one.type != "ArtOrDet"]
    assert replacements == [("something",), ("Somthing",)]
    for one in proposer.candidates(["xylophone", "xylophone", "rests"]):
        assert one.type in ("ArtOrDet", "Case", "Comma", "Prep", "Vform"), one  # no other word stands there then
        assert [word.lower() for word in one.replacement].count("xylophone") == one.end - one.start, one


def test_names_stay() -> None:
    proposer = Proposer(
        dict.fromkeys(("wagga", "olympic", "games", "game", "the", "apple", "apples", "some", "one"), 100)
    )
    for sentence, tags in (
        ("Wagga Wagga", "NNP NNP"),
        ("see Wagga Wagga", "VB NNP NNP"),
        ("see Some One", "VB NNP NNP"),
        ("see Olympic Games", "VB NNP NNPS"),
        ("Apple sees", "NNP VBZ"),
        ("in The Hague", "IN NNP NNP"),
        ("see Wogga", "VB NN"),
    ):
        tokens = sentence.split()
        for start, end, replacement, _ in proposer.candidates(tokens, tags.split()):
            changed = [*tokens[:start], *replacement, *tokens[end:]]
            names = [token for token in tokens if token[0].isupper()]
            assert [token for token in changed if token in names] == names, (sentence, changed)
    (lower,) = [one for one in proposer.candidates(["an", "Apple"], ["DT", "NN"]) if one.start == 1 < one.end]
    assert lower == Candidate(1, 2, ("apple",), "Case")  # a capital that the tagger takes for no name's


def test_commas() -> None:
    assert said("he , goes")["Comma"] == ["he goes"]
    assert said("he goes .")["Comma"] == ["he , goes ."]


def test_tags_leave_out_what_a_word_is_not() -> None:
    assert said("he house")["Nn"] == ["he houses"]
    assert "Nn" not in said("he house", "PRP VBP")
    assert said("the house", "DT NN")["Nn"] == ["the houses"]
    assert all("to of" not in each for each in said("go to school", "VB TO NN")["Prep"])


def test_auxiliaries() -> None:
    assert set(said("he go", "PRP VB")["Vform"]) >= {"he is go", "he will go", "he goes"}
    assert said("he is gone", "PRP VBZ VBN")["Vform"] == ["he gone"]
    assert "Vform" not in said("house union", "NN NN")


def test_a_for_an_and_back() -> None:
    for wrong, right in (("saw a hour", "saw an hour"), ("saw an school", "saw a school"), ("A hour", "An hour")):
        assert right in said(wrong)["ArtOrDet"]
    at = [one for one in PROPOSER.candidates(["saw", "a", "hour"]) if one.replacement == ("an",)]
    assert [(*one, one.group) for one in at] == [(1, 2, ("an",), "ArtOrDet", "R:ArtOrDet")]


def test_the_first_letter() -> None:
    assert said("he goes")["Case"] == ["He goes"]
    assert said("He Goes")["Case"] == ["He goes"]
    assert said("he Paris paris")["Case"] == ["He Paris paris"]
    assert "Case" not in said("He NASA Xyz")
    assert {"Case"} & {*said("\u6211 \u05d0\u05e0\u05d9 \u0623\u0646\u0627")} == set()  # scripts without capitals


def test_words_said_twice_or_apart() -> None:
    proposer = Proposer({"sometimes": 3, "well-known": 3, "some": 9, "times": 9, "well": 9, "known": 9})
    found = proposer.candidates(["Some", "times", "well", "known", "known"])
    assert [one for one in found if one.type in ("Split", "Rloc-")] == [
        Candidate(0, 2, ("Sometimes",), "Split"),
        Candidate(2, 4, ("well-known",), "Split"),
        Candidate(3, 5, ("known",), "Rloc-"),
    ]


@given(st.lists(st.sampled_from([*WORDS.split(), "The", "a", "an", "A", ",", ".", "is", "of", "much", "I", "\u6211"])))
def test_every_candidate_changes_its_sentence_and_is_of_a_known_group(tokens: list[str]) -> None:
    found = PROPOSER.candidates(tokens)
    assert {one.group for one in found} <= {*GROUPS}
    for start, end, replacement, _ in found:
        assert 0 <= start <= end <= len(tokens)
        assert list(replacement) != tokens[start:end]


def test_nothing_to_change() -> None:
    assert PROPOSER.candidates([]) == []
    assert PROPOSER.candidates(["."]) == []
    assert PROPOSER.candidates(["!"] * 3) == []
    kinds = {each.type for each in PROPOSER.candidates(["x"] * 5000)}
    assert kinds == {
        "ArtOrDet",
        "Case",
        "Comma",
        "Prep",
        "Vform",
    }
    assert [each for each in PROPOSER.candidates(["acgt" * 5000]) if each.type == "Mec"] == []  # and at once
