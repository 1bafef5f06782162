"""The small models of packages/errorbar-models: what they say of themselves, and that they do their work."""

from __future__ import annotations

import json
import tomllib
import zipfile
from pathlib import Path

import pytest

from errorbar.studies.correct import correct
from errorbar.studies.detect import INFINITIVE, detect
from errorbar.studies.training_arguments import ON_REQUEST, PARTS

PACKAGE = Path(__file__).parents[1] / "packages" / "errorbar-models"
MODELS = PACKAGE / "errorbar_models" / "models"
MOST = 20_000_000  # bytes of all
TEXT = """He is very interested on music and it depends of the weather .
The results of the study were published in the journal .
"""


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    path = tmp_path / "essay.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_every_file_says_what_it_is_made_of() -> None:
    files = sorted(MODELS.iterdir())
    assert {path.stem for path in files} == {*PARTS} - {*ON_REQUEST}
    assert sum(path.stat().st_size for path in files) <= MOST
    card = (PACKAGE / "README.md").read_text(encoding="utf-8")
    for path in files:
        assert path.name in card
        with zipfile.ZipFile(path) as archive:
            text = json.loads(archive.read("header.json"))["text"]
        assert text["license"] != "unknown"
        assert text["provenance"] != "unknown"


@pytest.mark.parametrize("name", ["combiner", "correctors"])
def test_what_was_fitted_to_labels_says_that_their_terms_are_open(name: str) -> None:
    """In the file, and in the package's metadata, which names no license that nobody gave."""
    with zipfile.ZipFile(MODELS / f"{name}.model") as archive:
        text = json.loads(archive.read("header.json"))["text"]
    assert text["license"].startswith("terms open: ")
    assert "CoNLL-2013" in text["license"]
    assert text["license"] in (PACKAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"].endswith("AND LicenseRef-CoNLL-2013-labels")
    assert "LicenseRef-CoNLL-2013-labels" in (PACKAGE / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("detector", ["me", "perc", "combined"])
def test_they_find_plain_errors(essay: Path, detector: str) -> None:
    found = {row.item: row for row in detect(essay, f"{detector}(threshold=0)", models=MODELS).rows}
    assert (found["1:4-5"].flag, found["1:4-5"].suggestion) == (True, "in")
    assert found["1:9-10"].suggestion == "on"
    assert not any(row.flag for item, row in found.items() if item.startswith("2:"))
    assert found["1:9-10"].score > max(row.score for item, row in found.items() if item.startswith("2:"))


@pytest.mark.parametrize("detector", ["me", "perc", "lm"])
def test_to_before_a_word_that_is_no_verb_is_judged(tmp_path: Path, detector: str) -> None:
    """The example of Tetreault and Chodorow (2008): its "to" is tagged as the mark of an infinitive."""
    path = tmp_path / "essay.txt"
    path.write_text("They came to outside .\nThey want to go outside .\n", encoding="utf-8")
    outside, go = detect(path, detector, models=MODELS).rows
    assert outside.score > INFINITIVE == go.score


@pytest.mark.parametrize(
    "corrector", ["lm", *(pytest.param(each, marks=pytest.mark.slow) for each in ("lm+classifiers", "ranked"))]
)
def test_they_correct_and_leave_single_words(tmp_path: Path, corrector: str) -> None:
    path = tmp_path / "essay.txt"
    words = ["dog", "of", "the", "книга", "我", ",", "1"]
    path.write_text("\n".join(["She have two cat .", "She went home with two friends .", *words]), encoding="utf-8")
    first, second, *others = correct(path, corrector=corrector, models=MODELS).lines
    assert (first, second) == ("She has two cats .", "She went home with two friends .")
    assert [line.lower() for line in others] == words  # at most a first letter becomes a capital


@pytest.mark.slow
def test_what_is_explained_is_what_changes(tmp_path: Path) -> None:
    """An article that is left out takes no word that stays with it."""
    path = tmp_path / "essay.txt"
    path.write_text("I like discuss about the politics with my friend .\n", encoding="utf-8")
    (line,) = correct(path, corrector="lm+classifiers", models=MODELS, explain=True).lines
    said = json.loads(line)
    places = [(each["start"], each["end"], each["replacement"], each["type"]) for each in said["changes"]]
    assert (4, 5, "", "ArtOrDet") in places
    assert "about politics with" in said["text"]
