"""Which prepositions are errors to the labels that a combiner learns from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from errorbar.core.problems import Problems
from errorbar.detectors.combined import PrepositionEvidence, errors_of
from errorbar.detectors.text import read_learner_text

SEVERAL = """S She depends of him at home .
A 2 3|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 6|||R:NOUN|||in the house|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S They go to sea by ship .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 5|||Prep|||sail by|||REQUIRED|||-NONE-|||1
"""


def test_errors_are_what_anybody_calls_a_wrong_preposition(tmp_path: Path) -> None:
    file = tmp_path / "learners.m2"
    file.write_text(SEVERAL, encoding="utf-8")
    text = read_learner_text([file, file], Problems())
    assert [len(tokens) for tokens in text.tokens] == [7, 7] * 2
    places = [(0, 2), (0, 4), (1, 2), (1, 4), (2, 2), (2, 4), (3, 2), (3, 4)]
    none = np.zeros(8, np.int8)
    sentence, token = np.array(places).T
    found = PrepositionEvidence(sentence, token, {}, [[]] * 8, none, none)
    # of (ERRANT's type), at (another type), to and by (in the span of an edit of the second annotator)
    assert errors_of(text, found).tolist() == [True, False, True, True] * 2


def test_what_labels_say_of_themselves(tmp_path: Path) -> None:
    file, other = tmp_path / "one.m2", tmp_path / "two.m2"
    file.write_text(SEVERAL, encoding="utf-8")
    other.write_text(SEVERAL.replace("R:PREP", "R:OTHER"), encoding="utf-8")
    one, two = (read_learner_text([path], Problems()).described for path in (file, other))
    assert {**one, "labels": ""} == {"labels": "", "sentences": 2, "tokens": 14, "edits": 3}
    assert one["labels"] != two["labels"]  # types count


@pytest.mark.parametrize(
    "page", ["docs/detectors.md", "docs/detectors/combined.md", "packages/errorbar-models/README.md"]
)
def test_pages_say_whose_errors_a_precision_counts(page: str) -> None:
    """Any of ten annotators; beside it what remains of it where five of the ten have to agree, .596 on all words."""
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    assert "any of ten" in text or "any of the ten" in text
    assert "five of the ten" in text
    assert ".596" in text
