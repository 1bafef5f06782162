"""The small models of packages/errorbar-models: what they say of themselves, and that they do their work."""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from errorbar import Problems, convert, correct, detect
from errorbar.core import UsageError
from errorbar.detectors import detect as model_folder
from errorbar.detectors.detect import INFINITIVE, USUAL_PRIOR, log_odds
from errorbar.detectors.training import ON_REQUEST, PARTS
from errorbar.edits import edit_items
from errorbar.formats import read_corpus

PACKAGE = Path(__file__).parents[2] / "packages" / "errorbar-models"
MODELS = PACKAGE / "errorbar_models" / "models"
MOST = 20_000_000  # bytes of all
TEXT = """He is very interested on music and it depends of the weather .
The results of the study were published in the journal .
"""


@pytest.fixture(scope="module", autouse=True)
def models_are_read_once() -> Iterator[None]:
    """Keep what is read of the models for the next test: reading takes longer than judging a few sentences."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("read_tagger", "read_selector", "read_ngrams", "read_reader"):
            reader = cache(getattr(model_folder, name))
            patch.setattr(model_folder, name, reader)
            patch.setattr(f"errorbar.detectors.detect.{name}", reader, raising=False)
        yield


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


@pytest.mark.parametrize("detector", ["combined", "me", "lm", "majority"])
def test_a_prior_moves_every_score_by_its_log_odds(essay: Path, detector: str) -> None:
    plain, rare, usual = (detect(essay, detector, prior=prior, models=MODELS) for prior in (None, 0.01, USUAL_PRIOR))
    moved = log_odds(0.01) - log_odds(USUAL_PRIOR)
    assert [row.score for row in rare.rows] == pytest.approx([row.score + moved for row in plain.rows])
    assert [row.score for row in usual.rows] == pytest.approx([row.score for row in plain.rows])
    assert {row.item for row in rare.flagged} <= {row.item for row in plain.flagged}
    assert "prior=0.01" in rare.detector
    assert "prior" not in plain.detector


UNTOKENIZED = "He depends of him.\nShe said \u201cI don\u2019t know\u201d.\nWe went home!\n"


def test_untokenized_text_is_noticed_and_tokenized(tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    path.write_text(UNTOKENIZED, encoding="utf-8")
    for judge in (detect, correct):
        (warning,) = judge(path, models=MODELS).notes
        assert (warning.code, warning.severity) == ("not-tokenized", "warning")
        assert "of 3 lines, 2 end in a word with a mark" in warning.what  # the quotation mark is one of its own
        assert "--retokenize" in warning.fix
        assert judge(path, models=MODELS, retokenize=True).notes == ()
    path.write_text('He depends of him .\nShe said " I do n\'t know " .\nWe went home !\n', encoding="utf-8")
    tokenized = detect(path, models=MODELS), correct(path, models=MODELS)
    assert tokenized[0].notes == tokenized[1].notes == ()
    path.write_text(UNTOKENIZED, encoding="utf-8")
    assert detect(path, models=MODELS, retokenize=True).rows == tokenized[0].rows
    assert correct(path, models=MODELS, retokenize=True).lines == tokenized[1].lines


def test_an_unknown_word_becomes_what_is_nearest_and_names_stay(tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    path.write_text("I want to eat somthing .\nWe live in Wagga Wagga .\nWagga Wagga is a city .\n", encoding="utf-8")
    for corrector in ("lm", "ranked"):
        first, *others = correct(path, corrector=corrector, models=MODELS).lines
        assert "nothing" not in first
        assert ["Wagga Wagga" in line for line in others] == [True, True], corrector


@pytest.mark.parametrize("least", [1.5, -6.0])
def test_the_least_score_of_a_change(tmp_path: Path, least: float) -> None:
    """From 0 up, fewer of the same changes; below 0, more beside them."""
    path, plain, other = tmp_path / "essay.txt", tmp_path / "plain.jsonl", tmp_path / "other.jsonl"
    path.write_text("She have two cat .\nHe depends of him , and it are good .\nHe go to school .\n", encoding="utf-8")
    correct(path, plain, models=MODELS, explain=True)
    correct(path, other, models=MODELS, explain=True, least=least)
    changes, kept = (
        [change for line in out.read_text(encoding="utf-8").splitlines() for change in json.loads(line)["changes"]]
        for out in (plain, other)
    )
    if least > 0:
        assert kept == [change for change in changes if change["score"] >= least]
        assert len(kept) < len(changes)
    else:
        assert [change for change in kept if change["score"] > 0] == changes
        assert 0 > min(change["score"] for change in kept) >= least


def test_a_change_that_has_the_least_score_is_made(tmp_path: Path) -> None:
    path, out = tmp_path / "essay.txt", tmp_path / "out.jsonl"
    path.write_text("She have two cat .\n", encoding="utf-8")
    correct(path, out, models=MODELS, explain=True)
    (score, *_) = sorted(change["score"] for change in json.loads(out.read_text(encoding="utf-8"))["changes"])
    n_changes = [
        sum(correct(path, models=MODELS, least=least).types.values()) for least in (score, np.nextafter(score, 99))
    ]
    assert n_changes[0] == n_changes[1] + 1
    with pytest.raises(UsageError, match="least must be a finite number"):
        correct(path, models=MODELS, least=float("nan"))


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


@pytest.mark.slow
def test_half_of_an_annotators_errors_are_among_the_surest_fifth(data: Path, tmp_path: Path) -> None:
    """The table of docs/measurements/detectors.md: 18 % of the words for A2, 12 % for A7, by ``combined``."""
    path = tmp_path / "essays.txt"
    for annotator, share in (("A2", 0.184), ("A7", 0.123)):
        gold = data / "bn2015_10gec" / f"{annotator}.m2"
        convert(gold, path, to="text", lenient=True)
        rows = detect(path, "combined", models=MODELS).rows
        items = edit_items(read_corpus([gold], Problems(lenient=True)), "words", type="Prep").judgments
        wrong = {items.items[at] for at in items.item[items.label == items.labels.index("error")].tolist()}
        ranked = sorted(rows, key=lambda row: -row.score)
        errors = np.cumsum([row.item in wrong for row in ranked])
        assert len(rows) == 3836
        assert (np.argmax(errors >= errors[-1] / 2) + 1) / len(rows) == pytest.approx(share, abs=0.0005)
