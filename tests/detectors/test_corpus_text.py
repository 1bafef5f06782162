"""Training text: sentences, tokens, characters, hash, and what is held out."""

from __future__ import annotations

import gzip
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from errorbar.core import InputError, UsageError
from errorbar.detectors.text import BLOCK, held_out, read_corpus_text, split_sentences, to_plain, tokenize_paragraph


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One. Two!  Three? four", ["One .", "Two !", "Three ? four"]),
        ('He said “Go.” Then he went. (He ran.) "Gone." 3 days.', [
            'He said " Go . "', "Then he went .", "( He ran . )", '" Gone . "', "3 days .",
        ]),
        ("Mr. Smith saw J. Doe, e.g. Anna", ["Mr . Smith saw J. Doe , e.g . Anna"]),
        ("It’s the dogs’ ‘best’ day—really", ["It 's the dogs ' 'best ' day - really"]),
        ("1990–1995 was −3…", ["1990-1995 was -3 .. ."]),
        ("so\xadft hy\u200bphen\xa0here", ["soft hyphen here"]),
        ("a <s> b", ["a < s > b"]),
        ("  ", []),
        ("word", ["word"]),
        ("naïve café", ["na ï ve caf é"]),
    ],
)  # fmt: skip
def test_sentences(paragraph: str, sentences: list[str]) -> None:
    assert [" ".join(tokens) for tokens in tokenize_paragraph(paragraph)] == sentences


def test_a_text_has_the_characters_of_the_data() -> None:
    assert to_plain("‘’“”«»") == '\'\'""""'
    assert to_plain("naïve café 5 °") == "naïve café 5 °"


def test_several_files_are_one_text(tmp_path: Path) -> None:
    one, two = b"One line. And more.\n\nAnother\n", b"The end.\n"
    (tmp_path / "one.txt").write_bytes(one.replace(b"\n", b"\r\n"))
    (tmp_path / "two.txt.gz").write_bytes(gzip.compress(two.rstrip()))
    text = read_corpus_text([tmp_path / "one.txt", tmp_path / "two.txt.gz"], license="CC0", provenance="here")
    assert [" ".join(sentence) for sentence in text.sentences] == ["One line .", "And more .", "Another", "The end ."]
    assert text.described == {
        "sha256": sha256(one + two).hexdigest(),
        "sentences": 4,
        "tokens": 10,
        "license": "CC0",
        "provenance": "here",
    }
    assert text.sentences[0][-1] is text.sentences[3][-1]  # a word is kept once


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"\n \n")
    (tmp_path / "bytes").write_bytes(b"ok\nb\xff\n")
    for name, said in (("empty", "there is no word in it"), ("bytes", "bytes:2: byte 0xFF"), ("none", "no such file")):
        with pytest.raises(InputError, match=said):
            read_corpus_text([tmp_path / name])
    (tmp_path / "word").write_bytes(b"word")
    assert read_corpus_text([tmp_path / "word"]).described["license"] == "unknown"


def test_blocks_are_held_out_whole() -> None:
    out = held_out(1050, 0.3, seed=1)
    blocks = [out[at : at + BLOCK] for at in range(0, 1050, BLOCK)]
    assert all(len(set(block.tolist())) == 1 for block in blocks)
    assert sum(bool(block[0]) for block in blocks) == 3  # of 11
    assert np.array_equal(out, held_out(1050, 0.3, seed=1))
    assert not np.array_equal(out, held_out(1050, 0.3, seed=2))
    assert [held_out(n, share).tolist() for n, share in ((2, 0), (2, 1), (0, 0.5))] == [[False] * 2, [True] * 2, []]
    with pytest.raises(UsageError, match="from 0 to 1, got 30"):
        held_out(5, 30)
    stay, held = split_sentences([[str(k)] for k in range(1050)], out)
    assert len(held) == out.sum()
    assert [int(each[0]) for each in stay] == np.flatnonzero(~out).tolist()
