"""Modified Kneser-Ney: by hand, against its definition written down plainly, and what it refuses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import InputError, UsageError
from errorbar.detectors.ngrams import BOS, EOS, FALLBACK, NgramModel, count_ngrams, number_words, train_ngrams

Gram = tuple[str, ...]
TWO = [["a", "b"], ["a"]]


def test_counts_by_hand() -> None:
    """<s> a b </s> and <s> a </s>: numbers 3 for a, 4 for b."""
    text = number_words(TWO)
    assert text.words == ("<unk>", "<s>", "</s>", "a", "b")
    assert text.ids.tolist() == [1, 3, 4, 2, 1, 3, 2]
    one, two, three = count_ngrams(text, 3)
    assert one.count.tolist() == [0, 2, 2, 2, 1]
    # <s> a (twice), a </s>, a b, b </s>
    assert (two.prefix.tolist(), two.word.tolist(), two.count.tolist()) == ([1, 3, 3, 4], [3, 2, 4, 2], [2, 1, 1, 1])
    assert two.suffix.tolist() == two.word.tolist()
    # <s> a </s>, <s> a b, a b </s>
    assert (three.prefix.tolist(), three.word.tolist(), three.suffix.tolist()) == ([0, 0, 2], [2, 4, 2], [1, 2, 3])


def test_probabilities_by_hand() -> None:
    """Bigrams of the two sentences with D = .5, 1, 1.5.

    Adjusted counts of unigrams: a 1 (after <s>), b 1 (after a), </s> 2 (after a and b); A = 4 and b = (.5 + .5 + 1) / 4
    = 1/2, over the 4 words <unk> </s> a b: p(a) = p(b) = .5/4 + 1/8 = 1/4, p(</s>) = 1/4 + 1/8 = 3/8, p(<unk>) = 1/8.
    b(<s>) = 1/2, since <s> a occurs twice, b(a) = (.5 + .5) / 2 = 1/2, b(b) = .5 / 1 = 1/2.
    """
    model = train_ngrams(TWO, 2, fallback=True)
    assert model.made["discounts"] == [FALLBACK, FALLBACK]
    expected = [
        (1 / 2 + 1 / 2 * 1 / 4, 1 / 4 + 1 / 2 * 1 / 4, 1 / 2 + 1 / 2 * 3 / 8),  # a b </s>
        (1 / 2 * 1 / 4, 1 / 2 + 1 / 2 * 3 / 8),  # b </s>: <s> b is not known, b </s> is
        (1 / 2 * 1 / 8, 3 / 8),  # <unk> </s>
    ]
    scores = model.score([["a", "b"], ["b"], ["?"]])
    assert (10**scores.log10).tolist() == pytest.approx([p for each in expected for p in each], rel=1e-6)
    assert scores.unknown.tolist() == [False, False, False, False, False, True, False]
    assert scores.offsets.tolist() == [0, 3, 5, 7]


def test_discounts_by_hand() -> None:
    """Unigrams alone: of 4 words one occurrence, of 2 two, of 1 three, </s> 4: Y = 4/8, D = 1/2, 5/4, 1."""
    words = list("abcdeeffggg")
    model = train_ngrams([words[:3], words[3:6], words[6:9], words[9:]], 1)
    assert model.made["discounts"] == [pytest.approx((1 - 2 / 2 * 2 / 4, 2 - 3 / 2 * 1 / 2, 3 - 4 / 2 * 1 / 1))]
    # 15 occurrences in all, 9 words with </s> and <unk>; b = (4/2 + 2 * 5/4 + 2 * 1) / 15
    left = (4 / 2 + 2 * 5 / 4 + 2 * 1) / 15 / 9
    assert 10 ** model.score([["a", "e"]]).log10 == pytest.approx(
        [(1 - 1 / 2) / 15 + left, (2 - 5 / 4) / 15 + left, (4 - 1) / 15 + left], rel=1e-6
    )


class Plain:
    """The definition, word by word, in dictionaries."""

    def __init__(self, sentences: Sequence[Sequence[str]], model: NgramModel) -> None:
        padded = [("<s>", *sentence, "</s>") for sentence in sentences]
        self.order = model.order
        self.n_words = len({word for each in padded for word in each}) - 1 + 1  # without <s>, with <unk>
        found = [Counter(self.grams(padded, n)) for n in range(1, self.order + 2)]
        self.adjusted: dict[Gram, int] = {}
        for n in range(1, self.order + 1):
            before: dict[Gram, set[str]] = defaultdict(set)
            for gram in found[n]:
                before[gram[1:]].add(gram[0])
            for gram, count in found[n - 1].items():
                raw = n == self.order or gram[0] == "<s>"
                self.adjusted[gram] = count if raw else len(before[gram])
        del self.adjusted[("<s>",)]
        self.after: dict[Gram, list[Gram]] = defaultdict(list)
        for gram in self.adjusted:
            self.after[gram[:-1]].append(gram)
        self.discounts: list[tuple[float, ...]] = [(0.0, *each) for each in model.made["discounts"]]

    @staticmethod
    def grams(padded: Sequence[Gram], n: int) -> list[Gram]:
        return [each[at : at + n] for each in padded for at in range(len(each) - n + 1)]

    def discount(self, gram: Gram) -> float:
        return self.discounts[len(gram) - 1][min(self.adjusted[gram], 3)]

    def p(self, word: str, context: Gram) -> float:
        lower = self.p(word, context[1:]) if context else 1 / self.n_words
        if context not in self.after:
            return lower
        total = sum(self.adjusted[each] for each in self.after[context])
        left = sum(self.discount(each) for each in self.after[context]) / total
        gram = (*context, word)
        own: float = (self.adjusted[gram] - self.discount(gram)) / total if gram in self.adjusted else 0.0
        return own + left * lower


WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=8), st.integers(1, 5), st.lists(st.sampled_from("abcde"), max_size=8))
def test_as_defined_and_probabilities_sum_to_one(sentences: list[list[str]], order: int, asked: list[str]) -> None:
    model = train_ngrams(sentences, order, fallback=True)
    plain = Plain(sentences, model)
    history: Gram = ("<s>",)
    for word, log10 in zip((*asked, "</s>"), model.score([asked]).log10.tolist(), strict=True):
        context = history[max(0, len(history) - order + 1) :] if order > 1 else ()
        assert 10**log10 == pytest.approx(plain.p(word, context), rel=1e-5)
        history += (word,)
    nexts = [*(word for word in model.words if not word.startswith("<")), "?"]  # "?": <unk>
    logs = [model.score([[*asked, word]]).log10[-2] for word in nexts] + [model.score([asked]).log10[-1]]
    assert sum(10**log for log in logs) == pytest.approx(1, rel=1e-5)


def test_the_same_text_gives_the_same_model() -> None:
    one, two = (train_ngrams(iter(TWO * 3), 3, fallback=True) for _ in range(2))
    assert np.array_equal(one.tree.word, two.tree.word)
    assert np.array_equal(one.tree.log10_prob, two.tree.log10_prob)


def test_an_empty_sentence_is_one() -> None:
    assert number_words([[], ["a"]]).ids.tolist() == [BOS, EOS, BOS, 3, EOS]


@pytest.mark.parametrize("order", [0, 10, -1])
def test_orders(order: int) -> None:
    with pytest.raises(UsageError, match="order must be from 1 to 9"):
        train_ngrams(TWO, order)


@pytest.mark.parametrize(
    ("sentences", "code", "said"),
    [
        ([], "text-empty", "no sentence"),
        ([["word"]], "ngrams-discounts", "no 1-gram has the adjusted count 2"),
        ([[]], "ngrams-discounts", "no 1-gram has the adjusted count 2"),
        ([list("abcdef")] * 9, "ngrams-discounts", "fallback=True"),
        ([["a"], ["b", "</s>"]], "ngrams-word", "sentence 2 has the token '</s>'"),
        ([["<unk>"]], "ngrams-word", "'<unk>'"),
        ([["a b"]], "ngrams-word", "'a b' is empty or has white space"),
        ([["a", ""]], "ngrams-word", "'' is empty"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_a_line(sentences: list[list[str]], code: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        train_ngrams(sentences, 2)
    assert (refused.value.code, len(str(refused.value).splitlines())) == (code, 1)


def test_a_discount_of_zero_would_leave_nothing_for_other_words() -> None:
    """Of the bigrams 4 have the adjusted count 1, one 2 and one 3: Y = 4/6, D(2) = 2 - 3 * 4/6 * 1/1 = 0."""
    text = [["a", "b"], ["a", "a", "b", "a", "b", "a"]]
    with pytest.raises(InputError, match=r"they come out as 0\.667, 0\.000 and 3\.000"):
        train_ngrams(text, 3)
    assert np.all(np.isfinite(train_ngrams(text, 3, fallback=True).tree.log10_backoff))


def test_discounts_out_of_range() -> None:
    """1 word once, 1 twice, 5 three times, </s> 3 too: Y = 1/3, D(2) = 2 - 3 Y 6 < 0."""
    text = [["a", "b", "b", *"ccc", *"ddd"], ["e", "f", "g", "h"] * 3, []]
    with pytest.raises(InputError, match=r"they come out as 0\.\d+, -\d"):
        train_ngrams(text, 1)
    assert train_ngrams(text, 1, fallback=True).made["discounts"] == [FALLBACK]


@pytest.mark.parametrize("least", [(0,), (2, 1), (3, 3, 2)])
def test_longer_ngrams_are_not_kept_where_shorter_ones_are_not(least: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="none is smaller than the one before"):
        train_ngrams(TWO, 4, fallback=True, least=least)


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(st.sampled_from("abcd"), max_size=4))
def test_probabilities_of_a_pruned_model_sum_to_one(sentences: list[list[str]], asked: list[str]) -> None:
    model = train_ngrams(sentences, 3, fallback=True, least=(1, 2))
    nexts = [*(word for word in model.words if not word.startswith("<")), "?"]  # "?": <unk>
    logs = [model.score([[*asked, word]]).log10[-2] for word in nexts] + [model.score([asked]).log10[-1]]
    assert sum(10**log for log in logs) == pytest.approx(1, rel=1e-5)
