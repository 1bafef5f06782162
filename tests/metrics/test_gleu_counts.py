"""GLEU's counts of a corpus at once against those of one pair of texts after the other, and its draws in blocks."""

from __future__ import annotations

import json
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar
from errorbar import Corpus, Hypothesis
from errorbar.edits import parallel_sentences
from errorbar.formats import ParallelLine
from errorbar.metrics.gleu import _PUBLISHED_TOKENS, DRAWS, SEED, Gleu, gleu_counts, published_sums
from tests.helpers.effort import draw_examples
from tests.helpers.scoring import score

text = st.lists(st.sampled_from("ab c"), max_size=9).map(" ".join)
sentence = st.tuples(text, text, st.lists(text, max_size=3))


def test_by_hand() -> None:
    """h = a b a b, s = a b a b a, r = a b c: of order 1, a and b are right once each, and nothing else is wrong.

    Order 2: ab is right once; ba, in s and not in r, is taken off. Orders 3 and 4: all are in s alone.
    """
    assert gleu_counts("a b a b a", "a b c", "a b a b") == [4, 3, 3, 2, 1, 2, 0, 0, 0]


@pytest.mark.slow
@draw_examples(300)
@given(st.lists(sentence, max_size=6))
def test_a_corpus_at_once_has_the_counts_of_its_sentences(sentences: list[tuple[str, str, list[str]]]) -> None:
    rows = [(unit, own) for unit, (_, _, references) in enumerate(sentences) for own in references]
    sources, outputs = [one[0] for one in sentences], [one[1] for one in sentences]
    units = np.array([unit for unit, _ in rows], np.int64)
    found = Gleu().compare_all(sources, outputs, [own for _, own in rows], units)
    assert found.tolist() == [gleu_counts(sources[unit], own, outputs[unit]) for unit, own in rows]


@pytest.mark.parametrize("most", [1, 100, 2**22])
def test_draws_in_blocks_are_those_one_by_one(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reference ⌊u n⌋ of the n that a sentence has, u the number of the sentence among those of a generator."""
    monkeypatch.setattr("errorbar.metrics.gleu.MOST_DRAWN", most)
    rng = np.random.default_rng(0)
    counts, present = rng.integers(0, 30, (13, 3, 9)).astype(np.float64), rng.random((13, 3)) < 0.7
    found = published_sums(counts, present, before=4)
    some = [unit for unit in range(13) if present[unit].any()]
    for draw in range(DRAWS):
        numbers = np.random.RandomState([SEED * draw]).random_sample(4 + len(some))[4:]
        own = [counts[unit][present[unit]] for unit in some]
        assert found[draw].tolist() == sum(one[int(u * len(one))] for u, one in zip(numbers, own, strict=True)).tolist()


def test_draws_of_nothing() -> None:
    assert not published_sums(np.zeros((2, 1, 9)), np.zeros((2, 1), np.bool_)).any()


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2009", "\x1f", "\x85"])
def test_the_published_draws_split_at_ascii_white_space_alone(space: str) -> None:
    """By hand, with "in the" as one token: N = 8, 6, 4, 2 of D = 9, 8, 7, 6, and |r| = 10; all of Unicode's gives 1.

    The script runs under Python 2, whose ``str.split`` of bytes is that of Python 3's ``bytes``.
    """
    source, reference = "we go to school in the morning with friends", "we go to the school in the morning with friends"
    output = f"we\tgo to the school  in{space}the morning with friends"
    assert len(output.encode().split()) == 9
    corpus = Corpus([*parallel_sentences([ParallelLine(1, source, (reference,))], ["A"])], ("A",))
    values = {
        draws: score(corpus, [Hypothesis("it", [output])], [Gleu(draws=draws)])[0].estimate.value
        for draws in ("published", "none")
    }
    assert values["published"] == pytest.approx(exp(1 - 10 / 9) * (8 / 9 * 6 / 8 * 4 / 7 * 2 / 6) ** 0.25, abs=1e-12)
    assert values["none"] == pytest.approx(1)
    metric = Gleu(draws="published")
    counts = metric.compare_all([source], [output], [reference], np.zeros(1, np.int64))
    assert counts.tolist() == [metric.compare(source, reference, output)] == [[9, 10, 8, 7, 6, 8, 6, 4, 2]]


def test_sources_and_references_keep_their_spaces_too() -> None:
    texts = [f"{first}\u00a0{second} b c d e" for first, second in ("xy", "xz")]
    corpus = Corpus([*parallel_sentences([ParallelLine(1, texts[0], (texts[1],))], ["A"])], ("A",))
    metric = Gleu(draws="published")
    assert metric.measure(corpus, [texts[1]]).counts.tolist() == [[[5, 5, 4, 3, 2, 5, 4, 3, 2]]]
    assert metric.measure(corpus, ["x y b c d e"]).counts[0, 0, :2].tolist() == [6, 5]


def test_an_output_has_the_spaces_of_references_that_are_edits(tmp_path: Path) -> None:
    """Edits know tokens alone, so a no-break space of the output is one space: what is not changed is alike."""
    gold, output = tmp_path / "gold.jsonl", "in\u00a0the big house there"
    sentence = {
        "text": "in\u00a0the big house here",
        "annotations": {"A": [{"start": 4, "end": 5, "replacements": ["there"]}]},
    }
    gold.write_text("\n".join(json.dumps(line) for line in ({"format": "errorbar-corpus", "version": 1}, sentence)))
    (tmp_path / "output.txt").write_text(output, encoding="utf-8")
    result = errorbar.score(gold, tmp_path / "output.txt", metric="gleu(draws=published)", ci=False)
    assert result.to_dict()["rows"][0]["gleu"] == 1  # type: ignore[index]


def test_every_other_white_space_is_known() -> None:
    spaces = {number for number in range(0x110000) if chr(number).isspace()}
    assert spaces - set(b" \t\n\v\f\r") == set(_PUBLISHED_TOKENS)
