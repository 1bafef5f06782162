"""A language model as a selector: its differences are those of whole sentences."""

from __future__ import annotations

import numpy as np
import pytest

from errorbar.detectors.detection import LmChoice, detect_prepositions
from errorbar.detectors.learning import PREPOSITIONS
from errorbar.detectors.ngrams import train_ngrams
from errorbar.detectors.prepositions import find_prepositions
from errorbar.detectors.tagger import train_tagger
from errorbar.detectors.text import Treebank

NATIVE = [line.split() for line in ("he went to town", "he went by sea", "he lives in town", "a man of the town went")]
TEXT = [line.split() for line in ("of", "he went in town", "town", "the man of town went to sea by town", "in")]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_differences_are_those_of_sentences(order: int) -> None:
    model = train_ngrams(NATIVE, order, fallback=True)
    tags = [["NN"] * len(sentence) for sentence in NATIVE]
    choice = LmChoice(model, train_tagger(Treebank(NATIVE, NATIVE, tags, "00"), bits=8))
    (found,) = find_prepositions(choice.tagger, TEXT)
    scores = choice.scores(found.text, found.contexts)
    for at, (sentence, token) in enumerate(zip(found.sentence.tolist(), found.token.tolist(), strict=True)):
        changed = [[*TEXT[sentence][:token], each, *TEXT[sentence][token + 1 :]] for each in PREPOSITIONS]
        whole = model.score(changed).sentences() * np.log(10)
        np.testing.assert_allclose(scores[at] - scores[at, 0], whole - whole[0], atol=1e-9)
    assert len(detect_prepositions(choice, TEXT)) == 6
    assert len(detect_prepositions(choice, [["town"]])) == 0
