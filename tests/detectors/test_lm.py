"""The LM detector: by hand, against whole sentences, and on the prepositions of CoNLL-2014."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Problems
from errorbar.core import UsageError
from errorbar.detectors.arpa import read_arpa
from errorbar.detectors.detection import ItemScore, change_scores, deletion_scores, detect_extraneous
from errorbar.detectors.ngrams import train_ngrams
from errorbar.detectors.text import read_corpus_text
from errorbar.edits import ERROR, edit_items
from errorbar.formats import read_corpus

TEXT = [line.split() for line in ("the cat sat on the mat", "the dog sat", "a cat saw the dog on the mat")]
ARPA = """\\data\\
ngram 1=6
ngram 2=3

\\1-grams:
-1\t<unk>\t0
0\t<s>\t0
-1\t</s>\t0
-1\tgo\t-0.5
-2\thome\t0
-1\tto\t-0.5

\\2-grams:
-0.25\tgo home
-0.25\tgo to
-0.125\thome </s>

\\end\\
"""


def test_by_hand(tmp_path: Path) -> None:
    """Bigrams ``go home``, ``go to``, ``home </s>``.

    With "to": -.25 (go to), -.5 - 2 (to home); without: -.25 (go home): 2.5 of log10 for leaving it out. "home" at the
    end: -.25 - .125 with it, -.5 - 1 (go </s>) without.
    """
    (tmp_path / "model.arpa").write_text(ARPA, encoding="utf-8")
    model = read_arpa(tmp_path / "model.arpa")
    sentences = [["go", "to", "home"], ["go", "home"]]
    found = deletion_scores(model, sentences, [(1, 1), (0, 1)])
    assert found.tolist() == pytest.approx([-1.125 * log(10), 2.5 * log(10)])
    assert detect_extraneous(model, sentences, [(0, 1), (1, 1)]) == [
        ItemScore("error", float(found[1])),
        ItemScore("ok", float(found[0])),
    ]
    assert [each.label for each in detect_extraneous(model, sentences, [(0, 1), (1, 1)], threshold=6)] == ["ok", "ok"]


def test_a_tie_is_ok(tmp_path: Path) -> None:
    """A word of probability 1 that changes nothing after it."""
    unigrams = ARPA.replace("-1\tto\t-0.5", "0\tto\t0").replace("ngram 2=3\n", "")
    unigrams = unigrams[: unigrams.index("\\2-grams")] + "\\end\\\n"
    (tmp_path / "model.arpa").write_text(unigrams, encoding="utf-8")
    model = read_arpa(tmp_path / "model.arpa")
    assert detect_extraneous(model, [["to", "go"]], [(0, 0), (0, 1)]) == [
        ItemScore("ok", 0),
        ItemScore("error", log(10)),
    ]


@given(
    st.integers(1, 6),
    st.lists(st.lists(st.sampled_from([*"abc", "on", "the", "cat", "sat"]), min_size=1, max_size=12), min_size=1),
)
def test_what_it_looks_at_is_enough(order: int, sentences: list[list[str]]) -> None:
    model = train_ngrams(TEXT, order, fallback=True)
    items = [(number, at) for number, sentence in enumerate(sentences) for at in range(len(sentence))]
    whole = model.score(sentences).sentences()
    without = model.score(sentences[k][:at] + sentences[k][at + 1 :] for k, at in items).sentences()
    expected = (without - whole[[k for k, _ in items]]) * log(10)
    found = deletion_scores(model, sentences, items).tolist()
    assert found == pytest.approx(expected.tolist(), abs=1e-9)
    assert found == [deletion_scores(model, sentences, [item])[0] for item in items]  # to the last bit


def test_any_change(tmp_path: Path) -> None:
    """``to`` put in: -.25 (go to) - .5 - 2 (to home) for -.25 (go home); ``go`` for ``home``, before </s>: by hand."""
    (tmp_path / "model.arpa").write_text(ARPA, encoding="utf-8")
    model = read_arpa(tmp_path / "model.arpa")
    changes = [(0, 1, 1, ["to"]), (0, 1, 2, ["go"]), (0, 0, 2, []), (0, 0, 2, ["go", "home"])]
    whole = -1 - 0.25 - 0.125
    expected = [-2.5, (-1 - 0.5 - 1 - 0.5 - 1) - whole, -1 - whole, 0]
    assert change_scores(model, [["go", "home"]], changes).tolist() == pytest.approx([x * log(10) for x in expected])
    with pytest.raises(UsageError, match="sentence 0 has no tokens 2 to 1"):
        change_scores(model, [["go", "home"]], [(0, 2, 1, [])])


@given(
    st.integers(1, 5),
    st.lists(st.sampled_from(["on", "the", "cat", "sat"]), max_size=9),
    st.lists(st.sampled_from(["on", "the", "x"]), max_size=3),
    st.data(),
)
def test_changes_against_whole_sentences(order: int, sentence: list[str], put: list[str], more: st.DataObject) -> None:
    model = train_ngrams(TEXT, order, fallback=True)
    start = more.draw(st.integers(0, len(sentence)))
    end = more.draw(st.integers(start, len(sentence)))
    before, after = model.score([sentence, sentence[:start] + put + sentence[end:]]).sentences().tolist()
    (found,) = change_scores(model, [sentence], [(0, start, end, put)]).tolist()
    assert found == pytest.approx((after - before) * log(10), abs=1e-9)


def test_one_word_and_no_item() -> None:
    model = train_ngrams(TEXT, 4, fallback=True)
    (one,) = detect_extraneous(model, [["on"]], [(0, 0)])
    assert np.isfinite(one.score)
    assert detect_extraneous(model, [["on"]], []) == []
    assert detect_extraneous(model, [], []) == []


@pytest.mark.parametrize("item", [(0, 2), (1, 0), (-1, 0), (0, -1)])
def test_items_that_are_not_there(item: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match=r"sentence -?\d has no token -?\d"):
        deletion_scores(train_ngrams(TEXT, 2, fallback=True), [["a", "cat"]], [item])


@pytest.mark.measured  # reads and counts 5.9 million tokens; test_our_correctors.py scores a shipped model in CI
def test_conll2014(data: Path) -> None:
    """Every preposition, ``to`` before infinitives too, against an edit of type Prep by any of ten annotators."""
    files = [data / "bn2015_10gec" / f"A{k}.m2" for k in range(1, 11)]
    corpus = read_corpus(files, Problems(lenient=True))
    judgments = edit_items(corpus, "words", type="Prep").judgments
    truth = np.zeros(len(judgments.items), np.bool_)
    truth[judgments.item[judgments.label == judgments.labels.index(ERROR)]] = True
    assert (len(truth), truth.sum()) == (3836, 1031)
    books = sorted(path for path in (data / "openstax_ccby_text").glob("*.txt") if "LICENSE" not in path.name)
    text = read_corpus_text(books)
    assert (len(books), text.described["sentences"], text.described["tokens"]) == (20, 248196, 5881594)
    model = train_ngrams(text.sentences, 4, text=text.described)
    sentences = [sentence.tokens for sentence in corpus.sentences]
    items = [(int(number) - 1, int(at.split("-")[0])) for number, at in (each.split(":") for each in judgments.items)]
    scores = deletion_scores(model, sentences, items)
    flagged = scores > 0
    assert (flagged & truth).sum() / flagged.sum() == pytest.approx(0.382, abs=0.005)
    assert (flagged & truth).sum() / truth.sum() == pytest.approx(0.622, abs=0.005)
    hits = np.cumsum(truth[np.argsort(-scores, kind="stable")])
    needed = int(np.searchsorted(hits, 0.15 * truth.sum()))
    assert hits[needed] / (needed + 1) == pytest.approx(0.500, abs=0.01)
