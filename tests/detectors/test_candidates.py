"""What may be changed in a sentence, word by word."""

from __future__ import annotations

from errorbar.detectors.candidates import Candidate, Proposer

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
    found = said("He go to School")
    assert found["Vform"] == ["He goes to School", "He went to School"]
    assert found["Nn"] == ["He go to Schools"]
    assert "He go of School" in found["Prep"]
    assert "He go School" in found["Prep"]
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


def test_commas() -> None:
    assert said("he , goes")["Mec,"] == ["he goes"]
    assert said("he goes .")["Mec,"] == ["he , goes ."]


def test_tags_leave_out_what_a_word_is_not() -> None:
    assert said("he house")["Nn"] == ["he houses"]
    assert "Nn" not in said("he house", "PRP VBP")
    assert said("the house", "DT NN")["Nn"] == ["the houses"]
    assert all("to of" not in each for each in said("go to school", "VB TO NN")["Prep"])


def test_nothing_to_change() -> None:
    assert PROPOSER.candidates([]) == []
    assert PROPOSER.candidates(["."]) == []
    assert PROPOSER.candidates(["!"] * 3) == []
    assert all(isinstance(each, Candidate) for each in PROPOSER.candidates(["x"] * 5000))
