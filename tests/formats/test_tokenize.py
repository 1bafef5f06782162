"""Tokens as the CoNLL-2014 release cuts them, and sentences of raw text."""

from __future__ import annotations

import random
import re
import sys
import time
from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import MissingExtraError
from errorbar.formats import Lines, nucle, read_m2, read_nucle, split_essays, treebank_tokens
from errorbar.formats.nucle import locate, sentence_spans


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's mine, isn't it?", "It 's mine , is n't it ?"),
        ("I cannot, well-known or and/or AT&T.", "I can not , well-known or and/or AT&T ."),
        ("known,the end", "known,the end"),
        ('"Quoted" (and more); so: 50%', '" Quoted " ( and more ) ; so : 50 %'),
        ("the teachers' room", "the teachers ' room"),
        ("One. Two.", "One . Two ."),
        ("One. two", "One. two"),
        ("gene C. They, etc. From", "gene C. They , etc. From"),
        ("a café", "a caf é"),
        ('He said "no."', 'He said " no . "'),
        ("", ""),
    ],
)
def test_treebank_tokens(text: str, tokens: str) -> None:
    assert treebank_tokens(text) == tokens.split()


def test_sentences() -> None:
    pytest.importorskip("nltk")
    text = "  Dr. Who came, e.g. late.  Did he?\nYes!  "
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "Dr. Who came, e.g. late.",
        "Did he?",
        "Yes!",
    ]
    assert sentence_spans(" ") == []


def test_without_nltk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nucle._punkt.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.tokenize.punkt", None)
    with pytest.raises(MissingExtraError, match="make tokenize"):
        sentence_spans("One.")


def test_the_released_sentences(data: Path) -> None:
    """Tokens of all 1,312 sentences; 1,302 sentences (99.2 %) when their borders are found by Punkt as well.

    Of the other ten most are sentences that the release splits before a closing quotation mark, after a single capital
    letter ("gene A. He") or not at all where the full stop stands before a quotation mark.
    """
    pytest.importorskip("nltk")
    problems = Problems()
    name = data / "conll14/noalt/official-2014.0"
    essays = list(read_nucle(Lines(f"{name}.sgml", problems), problems))
    released = list(read_m2(Lines(f"{name}.m2", problems), problems))
    same_tokens = same_sentences = 0
    for essay, paragraphs in locate(essays, released):
        for text, located in zip(essay.paragraphs, paragraphs, strict=True):
            spans = [(each.spans[0][0], each.spans[-1][1]) for each in located]
            cut = [treebank_tokens(text[start:end]) for start, end in spans]
            same_tokens += sum(tokens == each.tokens for tokens, each in zip(cut, located, strict=True))
    for essay, paragraphs in locate(essays, released):
        own = {tuple(sentence.tokens) for sentence in split_essays([essay])}
        same_sentences += sum(tuple(each.tokens) in own for located in paragraphs for each in located)
    assert (same_tokens, same_sentences, len(released)) == (1312, 1302, 1312)


def test_the_last_stop_is_cut_as_the_release_cuts_it() -> None:
    """Its pattern is the oracle; on a run of spaces it takes time that grows with the square: 20,000 took 35 s."""
    last_stop = re.compile(r"\.(\s*[\"')\]]*\s*)$")
    rng = random.Random(0)
    for _ in range(2_000):
        text = before = "".join(rng.choices("ab..  \n'\")]", k=rng.randrange(9)))
        for pattern, new in (
            (nucle._CONTRACTION, r"\1 \2"),
            (nucle._CANNOT, r"\1 \2"),
            (nucle._PUNCTUATION, r" \1 "),
            (nucle._COMMA, r" \1"),
            (nucle._QUOTE, r" \1"),
            (last_stop, r" . \1"),
        ):
            before = pattern.sub(new, before)
        assert nucle._split_words(text) == before.split(), text


def test_a_run_of_spaces_takes_no_longer_than_a_text() -> None:
    started = time.process_time()
    assert treebank_tokens("So." + " " * 100_000 + "it is") == ["So.", "it", "is"]
    assert time.process_time() - started < 1
