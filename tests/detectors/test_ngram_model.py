"""N-gram models: the kernel against its twin, scores and perplexity, files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import InputError, UsageError
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.ngrams import COMPILED, KIND, LARGEST_ORDER, NgramModel, Tree, score_tokens, train_ngrams

TEXT = [line.split() for line in ("the cat sat on the mat", "the dog sat", "a cat saw the dog on the mat")]
MODEL = train_ngrams(TEXT, 3, fallback=True)
KERNELS = [
    pytest.param(True, marks=pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")),
    pytest.param(False),
]


@pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")
@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=9), min_size=1), st.integers(1, 6), st.data())
def test_the_kernel_gives_the_same_bits(sentences: list[list[str]], order: int, more: st.DataObject) -> None:
    tree = train_ngrams(sentences, order, fallback=True).tree
    n_words = int(tree.first[0])
    ids = np.array(more.draw(st.lists(st.integers(0, n_words - 1), max_size=30)), np.int32)
    starts = np.array(more.draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids))), np.bool_)
    assert np.array_equal(score_tokens(tree, ids, starts, kernel=True), score_tokens(tree, ids, starts, kernel=False))


@pytest.mark.parametrize("kernel", KERNELS)
def test_backing_off_by_hand(kernel: bool) -> None:
    """Unigrams a (number 3) and b; the bigram a a; a run knows nothing of what stands before it."""
    word = np.array([0, 1, 2, 3, 4, 3], np.int32)
    prob = np.array([-9, 0, -1, -2, -3, -0.5], np.float32)
    first = np.array([5, 5, 5, 5, 6, 6], np.int32)
    tree = Tree(word, prob, first, np.array([0, -4, 0, -0.25, 0], np.float32), 2)
    ids, starts = np.array([1, 3, 3, 4, 3, 3], np.int32), np.array([1, 0, 0, 0, 0, 1], np.bool_)
    found = score_tokens(tree, ids, starts, kernel)
    assert found.tolist() == [0, -2 - 4, -0.5, -3 - 0.25, -2, -2]


@pytest.mark.parametrize("kernel", KERNELS)
def test_numbers_that_no_word_has(kernel: bool) -> None:
    starts = np.zeros(1, np.bool_)
    for ids in ([-1], [len(MODEL.words)], [1, 2]):
        with pytest.raises(ValueError, match="ids must be numbers from 0 to"):
            score_tokens(MODEL.tree, np.array(ids, np.int32), starts, kernel)
    assert score_tokens(MODEL.tree, np.empty(0, np.int32), np.empty(0, np.bool_), kernel).tolist() == []


def test_perplexity() -> None:
    scores = MODEL.score([["the", "unheard"], []])
    assert scores.unknown.tolist() == [False, True, False, False]
    assert scores.sentences().tolist() == [scores.log10[:3].sum(), scores.log10[3]]
    assert scores.perplexity() == pytest.approx(math.prod(10**-scores.log10) ** (1 / 4))
    assert scores.perplexity(unknown=False) == pytest.approx(math.prod(10 ** -scores.log10[[0, 2, 3]]) ** (1 / 3))
    nothing = MODEL.score([])
    assert (nothing.sentences().tolist(), math.isnan(nothing.perplexity())) == ([], True)


def test_words_that_look_like_marks_are_unknown() -> None:
    assert MODEL.encode(["<s>", "</s>", "<unk>", "?", "cat"]) == [0, 0, 0, 0, MODEL.words.index("cat")]
    assert MODEL.score([["<s>"]]).unknown.tolist() == [True, False]


def test_a_text_is_no_list_of_tokens() -> None:
    for wrong in (lambda: MODEL.score(["the cat"]), lambda: train_ngrams(["the cat"], 2)):
        with pytest.raises(UsageError, match="must be a list of tokens, got str"):
            wrong()


def test_a_sentence_of_5000_tokens() -> None:
    scores = MODEL.score([["the", "cat"] * 2500])
    assert len(scores.log10) == 5001
    assert np.all(np.isfinite(scores.log10))


@pytest.mark.parametrize("order", [1, 2, 5])
def test_saved_and_loaded(tmp_path: Path, order: int) -> None:
    model = train_ngrams([*TEXT, ["é", "\ud800"]], order, fallback=True, text={"license": "CC0"})
    model.save(tmp_path / "model")
    found = NgramModel.load(tmp_path / "model")
    assert found.words == model.words
    assert found.text == {"license": "CC0", "tokens": 19}
    assert found.made == {**model.made, "discounts": [list(each) for each in model.made["discounts"]]}
    assert found.score(TEXT).log10.tolist() == model.score(TEXT).log10.tolist()


@pytest.mark.parametrize("broken", ["word", "log10_prob", "children", "log10_backoff", "order", "words", "type"])
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, broken: str) -> None:
    """Hashes that are right say only that the file is as somebody wrote it."""
    MODEL.save(tmp_path / "model")
    model = load_model(tmp_path / "model", KIND)
    arrays, made = dict(model.arrays), dict(model.made)
    if broken == "order":
        made["order"] = 4
    elif broken == "type":
        arrays["word"] = arrays["word"].astype(np.int64)
    else:
        arrays[broken] = arrays[broken][:-1] if broken != "children" else arrays[broken] + 1
        if broken == "words":
            arrays[broken] = arrays[broken][: arrays[broken].tobytes().rindex(b"\n")]
    save_model(Model(KIND, made, model.text, arrays), tmp_path / "broken")
    with pytest.raises(InputError, match="no n-gram model that errorbar can read") as refused:
        NgramModel.load(tmp_path / "broken")
    assert refused.value.code == "model-damaged"


@pytest.mark.parametrize(
    ("order", "words", "said"),
    [(LARGEST_ORDER + 1, None, "its order is not 1 to 9"), (0, None, "its order"), (3, b"<s>\n<unk>\n", "first words")],
)
def test_a_header_that_does_not_fit_never_reaches_the_kernel(
    tmp_path: Path, order: int, words: bytes | None, said: str
) -> None:
    stored = MODEL.model()
    arrays = dict(stored.arrays)
    if words is not None:
        arrays["words"] = np.frombuffer(words + arrays["words"].tobytes()[len(words) :], np.uint8)
    save_model(Model(KIND, {**stored.made, "order": order}, stored.text, arrays), tmp_path / "broken")
    with pytest.raises(InputError, match=said):
        NgramModel.load(tmp_path / "broken")


@pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")
def test_the_kernel_itself_refuses_orders_that_it_has_no_room_for() -> None:
    from errorbar.detectors._ngrams import score_runs

    tree, out = MODEL.tree, np.full(1, np.nan)
    ids, starts = np.zeros(1, np.int32), np.ones(1, np.uint8)
    for order in (17, 2**31 - 1):
        with pytest.raises(ValueError, match="the order must be at most 16"):
            score_runs(tree.word, tree.log10_prob, tree.first, tree.log10_backoff, order, ids, starts, out)
    assert np.isnan(out[0])
