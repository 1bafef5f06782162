"""ARPA files: what is written is read to the last bit; files of other programs; bad files in one line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from errorbar.core import InputError
from errorbar.detectors.arpa import NO_UNK, read_arpa, write_arpa
from errorbar.detectors.ngrams import train_ngrams

TEXT = [line.split() for line in ("the cat sat on the mat", "the dog sat", "a cat saw the dög on the mat")]

# As SRILM writes it: a comment, no <unk>, spaces, <s> with -99, back-off weights only where there are any, n-grams in
# any order.
OTHER = """made by hand

\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-1\t</s>
-99 <s> -0.5
-0.25 b -0.125
-0.5\ta\t-0.75

\\2-grams:
-0.1 b </s>
-0.2 <s> a
-0.3 b a

\\end\\
"""


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_round_trip(tmp_path: Path, name: str, order: int) -> None:
    model = train_ngrams(TEXT, order, fallback=True)
    write_arpa(model, tmp_path / name)
    found = read_arpa(tmp_path / name)
    assert found.words == model.words
    assert (found.order, found.made["counts"]) == (order, model.made["counts"])
    for array in ("word", "log10_prob", "first", "log10_backoff"):
        assert np.array_equal(getattr(found.tree, array), getattr(model.tree, array)), array


def test_a_file_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "other.gz").write_bytes(gzip.compress(OTHER.encode()))
    model = read_arpa(tmp_path / "other.gz")
    assert model.words == ("<unk>", "<s>", "</s>", "b", "a")
    found = model.score([["a", "b", "a"], ["?"]]).log10
    by_hand = [-0.2, -0.25 - 0.75, -0.3, -1 - 0.75, NO_UNK - 0.5, -1]  # <s> a; a b unknown; b a; a </s> unknown
    assert found.tolist() == pytest.approx(by_hand)
    (tmp_path / "capitals").write_text(OTHER.replace(" b", " <UNK>"), encoding="utf-8")
    assert read_arpa(tmp_path / "capitals").score([["?"]]).log10.tolist() == pytest.approx([-0.25 - 0.5, -0.1])


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (OTHER, "", 0, "the file ends too early"),
        ("\\data\\", "data", 0, "the file ends too early"),
        ("ngram 1=4", "ngram 2=4", 4, "ngram 1=COUNT"),
        ("ngram 1=4", "grams: 4", 4, "'grams: 4' (expected ngram 1=COUNT)"),
        ("ngram 1=4\nngram 2=3\n", "", 5, "a model of 0 orders"),
        ("ngram 2=3", "ngram 2=9999999999", 7, "at most 2,147,483,647"),
        ("\\1-grams:", "\\2-grams:", 7, "expected \\1-grams:"),
        ("-1\t</s>", "x\t</s>", 8, "log10 p, at most 0, 1 word, log10 b"),
        ("-1\t</s>", "0.5\t</s>", 8, "at most 0"),
        ("-1\t</s>", "nan\t</s>", 8, "at most 0"),
        ("-99 <s> -0.5", "-99 <s> inf", 9, "log10 b"),
        ("-0.5\ta\t", "-0.5\tb\t", 11, "stands in the file before"),
        ("ngram 1=4", "ngram 1=3", 11, "expected \\2-grams:"),
        ("ngram 1=4", "ngram 1=5", 12, "1 word"),
        ("-0.1 b </s>", "-0.1 b c </s>", 14, "2 words"),
        ("-0.1 b </s>", "-0.1 b c", 14, "the word 'c' is not among the 1-grams"),
        ("-0.3 b a", "-0.1 b </s>", 16, "stands in the file before"),
        ("\n\\end\\\n", "", 0, "the file ends too early"),
        ("-0.3 b a\n\n\\end\\\n", "", 0, "the file ends after 2 2-grams (expected 3)"),
    ],
)
def test_bad_files(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    assert old in OTHER
    path = tmp_path / "bad.arpa"
    path.write_text(OTHER.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_arpa(path)
    assert refused.value.code == "arpa"
    assert str(refused.value).startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert said in str(refused.value)


def test_an_ngram_without_its_beginning(tmp_path: Path) -> None:
    text = OTHER.replace("ngram 2=3", "ngram 2=3\nngram 3=1").replace("\\end", "\\3-grams:\n-0.1 a b a\n\n\\end")
    (tmp_path / "bad.arpa").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.arpa:20: the first 2 words are no 2-gram of the file \[arpa\]"):
        read_arpa(tmp_path / "bad.arpa")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_arpa(tmp_path / "none.arpa")
