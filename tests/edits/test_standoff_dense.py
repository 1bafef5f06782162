"""Edits close together without end, and long texts: what is compared stays affordable, or is refused by name."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from errorbar import Problems
from errorbar.core import InputError
from errorbar.edits import apply_standoff, fragment_sentences, redecompose
from errorbar.edits import standoff as module
from errorbar.edits.standoff import MOST_TOGETHER, extract_standoff
from errorbar.edits.standoff_runs import MOST_CELLS
from errorbar.formats import sentences_fragments
from tests.helpers.standoff import fragment, standoff


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("a" * 1_000, 1),  # insertions into one word
        ("." * 1_000, 5),  # words that no white space parts
    ],
)
def test_edits_that_meet_in_one_word(text: str, step: int) -> None:
    edits = [standoff(step * k, step * k, "b") for k in range(1, MOST_TOGETHER + 2)]
    one = fragment(*edits[:-1], text=text)
    (sentence,) = fragment_sentences(one, "0", Problems())
    assert "".join(sentence.text.split()) == text
    with pytest.raises(InputError, match="more than 100 edits meet where no white space parts them") as error:
        list(fragment_sentences(fragment(*edits, text=text), "0", Problems()))
    assert error.value.code == "hoo-too-dense"


def test_edits_that_all_overlap() -> None:
    """Each begins a word later and ends a word earlier."""
    text = "a " * 1_000
    edits = [standoff(2 * k, 1_999 - 2 * k, str(k)) for k in range(MOST_TOGETHER + 1)]
    (sentence,) = fragment_sentences(fragment(*edits[:-1], text=text), "0", Problems())
    assert [(e.start, e.end, e.replacements) for e in sentence.annotations["0"]] == [(0, 1_000, ("0",))]
    with pytest.raises(InputError, match="more than 100 edits"):
        list(fragment_sentences(fragment(*edits, text=text), "0", Problems()))


def test_many_sentences_with_many_edits() -> None:
    """Twenty thousand sentences, an edit in each, and back: each sentence looks at its own edits."""
    text = "Aa b.\n" * 20_000
    edits = [standoff(6 * k + 3, 6 * k + 4, f"c{k}") for k in range(20_000)]
    sentences = list(fragment_sentences(fragment(*edits, text=text), "0", Problems()))
    assert len(sentences) == 20_000
    assert [s.annotations["0"][0].replacements for s in sentences] == [(f"c{k}",) for k in range(20_000)]
    (back,) = sentences_fragments(sentences, "0", Problems(), name="1")
    assert [each.corrections for each in back.edits] == [each.corrections for each in edits]


def test_white_space_without_end() -> None:
    """200,000 spaces before a line end, and as many before a word: one sentence end, looked for once."""
    spaces = " " * 200_000
    first, second = fragment_sentences(fragment(text=f"A.{spaces}\n{spaces}b{spaces}c"), "0", Problems())
    assert (first.text, second.text) == ("A .", "b c")


def test_a_long_sentence_with_many_edits() -> None:
    """A line of 20,000 words, every other one edited: where the words start is counted once."""
    text = "a " * 20_000
    edits = [standoff(4 * k, 4 * k + 1, "b") for k in range(10_000)]
    (sentence,) = fragment_sentences(fragment(*edits, text=text), "0", Problems())
    (back,) = sentences_fragments([sentence], "0", Problems(), name="1")
    assert [each[1:5] for each in back.edits] == [(4 * k, 4 * k + 1, "a", ("b",)) for k in range(10_000)]


def test_a_long_correction_of_a_short_text_for_maxmatch() -> None:
    """What is searched is as long as both sides are, not as the text is."""
    gold = fragment(standoff(0, 1, "b"), text="a")
    for n, refused in ((100, False), (3 * int(sqrt(MOST_CELLS)), True)):
        system = [standoff(0, 1, " ".join(["c"] * n))]
        if not refused:
            assert redecompose(gold, system) == system
            continue
        with pytest.raises(InputError, match="its edits lie too close together"):
            redecompose(gold, system)


def test_stretches_that_are_too_long_for_maxmatch() -> None:
    """Words and the spaces between them are tokens, so edits of every other word of n reach over 2 n - 3: squared
    they may be as many as are allowed in all, in one stretch or in two that three words and more keep apart.
    """
    most = int(sqrt(MOST_CELLS))
    assert _recut(most // 2) == most // 4
    with pytest.raises(InputError, match="its edits lie too close together") as error:
        _recut(most // 2 + 400)
    assert error.value.code == "hoo-too-dense"
    with pytest.raises(InputError, match="its edits lie too close together"):
        _recut(2 * most // 5, times=2)


def _recut(n: int, times: int = 1) -> int:
    """How many edits maxmatch makes of those of every other word of n, in so many stretches."""
    place = "a " * n + "c d e f "
    starts = [len(place) * part + 4 * k for part in range(times) for k in range(n // 2)]
    edits = tuple(standoff(start, start + 1, "b") for start in starts)
    return len(redecompose(fragment(*edits, text=place * times), edits))


def test_every_stretch_has_its_own_edits() -> None:
    """Three places far apart; an edit at each, two of them recut."""
    text = "a b c d e f g h i j k l m n o p q r s t"
    gold = fragment(standoff(0, 1, "A"), standoff(2, 3, "B"), standoff(16, 17, "I"), standoff(32, 33, "Q"), text=text)
    system = [standoff(0, 3, "A B"), standoff(16, 17, "I"), standoff(38, 39, "T")]
    found = redecompose(gold, system)
    assert [(e.start, e.end, e.corrections) for e in found] == [
        (0, 1, ("A",)),
        (2, 3, ("B",)),
        (16, 17, ("I",)),
        (38, 39, ("T",)),
    ]


def test_long_texts_share_what_may_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three stretches of 30 x 30, 40 x 40 and 50 x 50 words between words that occur once: the larger ones beyond
    what is affordable are one edit each, and the text comes back to the character.
    """
    rng = random.Random(3)

    def text(letters: str) -> str:
        sizes = (50, 30, 40)
        parts = [
            " ".join(rng.choice(letters) for _ in range(n)) + f" u{n} v{n} w{n} x{n} y{n} z{n} s{n} t{n}" for n in sizes
        ]
        return " ".join(parts)

    source, target = text("ab"), text("bc")
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "PAIRS_A_WORD", 0)
    n_edits = []
    for most in (29 * 29, 31 * 31, 31 * 31 + 41 * 41, 31 * 31 + 41 * 41 + 51 * 51):
        monkeypatch.setattr(module, "MOST_PAIRS", most)
        edits = extract_standoff(source, target)
        assert apply_standoff(source, edits) == target
        n_edits.append(len(edits))
    assert n_edits[0] == 3
    assert n_edits == sorted(set(n_edits))
