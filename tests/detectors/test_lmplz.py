"""Modified Kneser-Ney against KenLM's lmplz (lmplz.csv, recorded by lmplz.py; a whole ARPA file of a tiny text)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from errorbar.detectors.arpa import read_arpa, write_arpa
from errorbar.detectors.ngrams import NgramModel, train_ngrams
from tests.oracle.lmplz import LOWERED, ORDERS, RECORDED, TEST, TRAIN, read_forms


def recorded(forms: str, order: int) -> dict[str, str]:
    with RECORDED.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["forms"] == forms and row["order"] == str(order)]
    return {row["what"]: row["value"] for row in rows}


@pytest.mark.parametrize(
    ("forms", "order"),
    [
        pytest.param(forms, order, marks=[pytest.mark.slow] * ((forms, order) != ("lower case", 3)))
        for forms in LOWERED
        for order in ORDERS
    ],
)
def test_ud_ewt(data: Path, forms: str, order: int) -> None:
    train, test = (read_forms(data / "ud_english_ewt" / part, lower=LOWERED[forms]) for part in (TRAIN, TEST))
    model = train_ngrams(train, order)
    scores = model.score(test)
    expected = recorded(forms, order)
    assert len(expected) == 4 * order + 4
    for n, (count, discounts) in enumerate(zip(model.made["counts"], model.made["discounts"], strict=True), 1):
        assert str(count) == expected[f"{n}-grams"]
        for k, discount in enumerate(discounts, 1):
            # Six digits are printed, of numbers of 32 bits: 1.0440650 became 1.04406.
            assert discount == pytest.approx(float(expected[f"D{k} of {n}-grams"]), rel=5.1e-6)
    assert (str(scores.unknown.sum()), str(len(scores.log10))) == (expected["OOVs"], expected["Tokens"])
    # 32 bits again: of the printed digits, the first seven are the same.
    assert scores.perplexity() == pytest.approx(float(expected["Perplexity including OOVs"]), rel=1e-7)
    assert scores.perplexity(unknown=False) == pytest.approx(float(expected["Perplexity excluding OOVs"]), rel=1e-7)


# lmplz -o 3 --discount_fallback (KenLM 0.3.0), of the four lines below, the third of which is empty. It took its own
# discounts for unigrams, .4 1.2 3, and the fallback for the others.
TINY = ["the cat sat on the mat", "the dog sat", "", "a cat saw the dog on the mat"]
TINY_ARPA = """\\data\\
ngram 1=11
ngram 2=16
ngram 3=15

\\1-grams:
-1.154902	<unk>	0
0	<s>	-0.30103
-1.154902	</s>	0
-1.154902	the	-0.30103
-0.92081875	cat	-0.30103
-0.92081875	sat	-0.30103
-0.92081875	on	-0.30103
-0.9685915	mat	-0.30103
-0.9685915	dog	-0.30103
-0.9685915	a	-0.30103
-0.9685915	saw	-0.30103

\\2-grams:
-0.79588	<s> </s>	0
-0.54515517	sat </s>	0
-0.2716462	mat </s>	0
-0.54515517	<s> the	-0.30103
-0.2716462	on the	-0.30103
-0.2716462	saw the	-0.30103
-0.73282826	the cat	-0.30103
-0.25181198	a cat	-0.30103
-0.5086383	cat sat	-0.30103
-0.5086383	dog sat	-0.30103
-0.5086383	sat on	-0.30103
-0.5086383	dog on	-0.30103
-0.7477539	the mat	-0.30103
-0.5174837	the dog	-0.30103
-0.7477539	<s> a	-0.30103
-0.5174837	cat saw	-0.30103

\\3-grams:
-0.19212689	dog sat </s>
-0.1149216	the mat </s>
-0.1149216	sat on the
-0.1149216	dog on the
-0.1149216	cat saw the
-0.46533942	<s> the cat
-0.10790542	<s> a cat
-0.18375872	the cat sat
-0.39254498	the dog sat
-0.18375872	cat sat on
-0.39254498	the dog on
-0.22960828	on the mat
-0.39590898	<s> the dog
-0.18583567	saw the dog
-0.18583567	a cat saw

\\end\\
"""


def test_every_number_of_a_tiny_model(tmp_path: Path) -> None:
    model = train_ngrams([line.split() for line in TINY], 3, fallback=True)
    assert model.made["discounts"] == [pytest.approx((0.4, 1.2, 3)), (0.5, 1, 1.5), (0.5, 1, 1.5)]
    assert_same_numbers(model, TINY_ARPA, tmp_path)


# The same with --prune 0 1 1: bigrams and trigrams that occur once are not kept.
PRUNED_ARPA = """\\data\\
ngram 1=11
ngram 2=5
ngram 3=2

\\1-grams:
-1.154902	<unk>	0
0	<s>	-0.12493875
-1.154902	</s>	0
-1.154902	the	-0.20412
-0.92081875	cat	0
-0.92081875	sat	0
-0.92081875	on	-0.30103
-0.9685915	mat	-0.30103
-0.9685915	dog	0
-0.9685915	a	0
-0.9685915	saw	0

\\2-grams:
-0.2716462	mat </s>	0
-0.5192746	<s> the	0
-0.2716462	on the	-0.30103
-0.71627486	the mat	-0.30103
-0.49868396	the dog	0

\\3-grams:
-0.1149216	the mat </s>
-0.22468542	on the mat

\\end\\
"""


@pytest.mark.parametrize("least", [(2, 2), (2,), (2, 2, 5)])
def test_every_number_of_a_pruned_model(tmp_path: Path, least: tuple[int, ...]) -> None:
    model = train_ngrams([line.split() for line in TINY], 3, fallback=True, least=least)
    assert model.made["counts"] == [11, 5, 2]
    assert_same_numbers(model, PRUNED_ARPA, tmp_path)


def assert_same_numbers(model: NgramModel, arpa: str, folder: Path) -> None:
    write_arpa(model, folder / "ours.arpa")
    ours, theirs = grams((folder / "ours.arpa").read_text(encoding="utf-8")), grams(arpa)
    assert ours.keys() == theirs.keys()
    for gram, numbers in theirs.items():
        assert ours[gram] == pytest.approx(numbers, abs=3e-7), gram


def grams(arpa: str) -> dict[str, list[float]]:
    rows = [line.split("\t") for line in arpa.splitlines() if "\t" in line]
    return {row[1]: [float(row[0]), *map(float, row[2:])] for row in rows}


def test_its_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "theirs.arpa").write_text(TINY_ARPA, encoding="utf-8")
    model = read_arpa(tmp_path / "theirs.arpa")
    # What KenLM's query prints for these sentences and that file: totals, and both perplexities over 21 tokens.
    scores = model.score([line.split() for line in TINY])
    assert scores.sentences()[2:].tolist() == pytest.approx([-0.79588, -2.1942487], abs=1e-6)
    assert scores.perplexity() == pytest.approx(2.0069633262654976, rel=1e-7)
    assert (len(scores.log10), scores.unknown.sum()) == (21, 0)
