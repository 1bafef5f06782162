"""errorbar-en as a tagger, where it is installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from errorbar.core import InputError, UsageError
from errorbar.detectors import tagger as module
from errorbar.detectors.model_file import load_model, save_model
from errorbar.detectors.prepositions import find_prepositions
from errorbar.detectors.tagger import load_any_tagger, pipeline_tagger
from errorbar.detectors.text import Treebank

FORMS = [["Cats", "sat", "on", "mats", "."], ["Dogs", "want", "to", "go", "home", "."]]
LEMMAS = [["cat", "sit", "on", "mat", "."], ["dog", "want", "to", "go", "home", "."]]
TAGS = [["NNS", "VBD", "IN", "NNS", "."], ["NNS", "VBP", "TO", "VB", "RB", "."]]
BANK = Treebank(FORMS, LEMMAS, TAGS, "00")


def test_its_tags_are_the_pipelines(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pytest.importorskip("errorbar_en")
    tagger = pipeline_tagger(BANK, {"license": "CC0"})
    nlp = spacy.load("errorbar_en")
    text = [["She", "walked", "to", "school", "."], [], ["Él", "飞", "?"]]
    expected = [
        [token.tag_ for token in nlp(spacy.tokens.Doc(nlp.vocab, words=words))] if words else [] for words in text
    ]
    assert tagger.tag(text) == expected
    assert tagger.tag([["Él", "飞", "\ud800"]]) == expected[2:]  # no valid Unicode
    save_model(tagger.model(), tmp_path / "tagger")
    model = load_model(tmp_path / "tagger", "tagger")
    kept = load_any_tagger(model, "tagger")
    assert kept.tag(text) == expected
    assert kept.lemmas.lemma("sat", "VBD") == "sit"
    (found,) = find_prepositions(kept, [["They", "want", "to", "go", "to", "bed"]])
    assert found.token.tolist() == [4]  # the mark of the infinitive is none
    with pytest.raises(InputError, match=r"made with errorbar_en 9\.9"):
        load_any_tagger(replace(model, made={**model.made, "version": "9.9"}), "here")
    with pytest.raises(InputError) as error:
        load_any_tagger(replace(model, made={**model.made, "tags": ["NN"]}), "here")
    assert error.value.code == "model-features"


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIPELINE", "no_such_pipeline")
    with pytest.raises(UsageError, match="tags of no_such_pipeline need spaCy and that pipeline") as error:
        pipeline_tagger(BANK, {})
    assert error.value.code == "no-pipeline"
