"""Random sentences, edits, corpora and specs: the vocabulary of the property tests.

Sentences repeat few words, and hypotheses are made from sources by small changes, because ties, merges and hits
(where implementations differ) are rare between unrelated texts.
"""

from __future__ import annotations

from hypothesis import strategies as st

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.edit import Edit
from errorbar.metrics.m2 import M2

WORDS = ("a", "b", "c", "A", "ab")
"""``a`` and ``A`` differ in case, ``a b`` and ``ab`` in white space only."""
TYPES = ("Prep", "Det", "Um")
ANNOTATORS = ("0", "1", "2", "teacher")

words = st.sampled_from(WORDS)


def tokens(max_size: int = 8) -> st.SearchStrategy[list[str]]:
    """A sentence, perhaps empty."""
    return st.lists(words, max_size=max_size)


@st.composite
def rewritten(draw: st.DrawFn, source: list[str]) -> list[str]:
    """A hypothesis: the source with a few words replaced, dropped, repeated or inserted; or unrelated words."""
    if draw(st.integers(0, 7)) == 0:
        return draw(tokens())
    line: list[str] = []
    for token in [*source, ""]:
        what = draw(st.integers(0, 9))
        if what == 0:
            line += draw(st.lists(words, max_size=2))  # dropped or replaced
        elif what == 1:
            line += [token, token] if token else draw(st.lists(words, max_size=2))
        elif token:
            line.append(token)
    return line


@st.composite
def edits(draw: st.DrawFn, source: list[str], hypothesis: list[str], max_size: int = 4) -> tuple[Edit, ...]:
    """One annotator's edits in text order; they may overlap, repeat or change nothing, as real ones do.

    Replacements are mostly taken from the hypothesis, so that hits happen.
    """
    found: list[Edit] = []
    for _ in range(draw(st.integers(0, max_size))):
        start = draw(st.integers(0, len(source)))
        end = draw(st.integers(start, min(len(source), start + 3)))
        low = draw(st.integers(0, len(hypothesis)))
        high = draw(st.integers(low, min(len(hypothesis), low + 3)))
        replacements = [" ".join(hypothesis[low:high])]
        if draw(st.integers(0, 3)) == 0:
            replacements.insert(0, " ".join(draw(st.lists(words, max_size=2))))
        found.append(Edit(start, end, tuple(replacements), draw(st.sampled_from(TYPES))))
    return tuple(sorted(found, key=lambda edit: edit.span))


@st.composite
def disjoint_edits(draw: st.DrawFn, source: list[str]) -> tuple[Edit, ...]:
    """Edits that can all be applied and are far enough apart (four kept words) never to be merged into one.

    None of their words occurs in the source (whose words are WORDS), so that each edit has one way to be found.
    """
    found: list[Edit] = []
    at = 0
    while at <= len(source):
        start = draw(st.integers(at, len(source)))
        end = draw(st.integers(start, min(len(source), start + 2)))
        fresh = [f"new{len(found)}-{k}" for k in range(draw(st.integers(0 if end > start else 1, 2)))]
        if draw(st.booleans()):
            found.append(Edit(start, end, (" ".join(fresh),), draw(st.sampled_from(TYPES[:2]))))
        at = end + 4
    return tuple(found)


@st.composite
def sentences(draw: st.DrawFn, annotators: tuple[str, ...] = ANNOTATORS) -> tuple[Sentence, str]:
    """A sentence with the edits of those annotators who looked, and a hypothesis for it."""
    source = draw(tokens())
    line = draw(rewritten(source))
    looked = [name for name in annotators if draw(st.integers(0, 4))]
    return Sentence(" ".join(source), {name: draw(edits(source, line)) for name in looked}), " ".join(line)


@st.composite
def corpora(draw: st.DrawFn, min_size: int = 0, max_size: int = 6) -> tuple[Corpus, list[str]]:
    """A corpus of up to four annotators, and a system's lines for it."""
    annotators = ANNOTATORS[: draw(st.integers(1, len(ANNOTATORS)))]
    pairs = draw(st.lists(sentences(annotators), min_size=min_size, max_size=max_size))
    return Corpus([sentence for sentence, _ in pairs], annotators, "random"), [line for _, line in pairs]


def m2_metrics() -> st.SearchStrategy[M2]:
    """MaxMatch with any parameters that its spec allows."""
    names = st.one_of(st.sampled_from(("running", "sentence", "0", "teacher")), st.text())
    return st.builds(
        M2,
        beta=st.floats(0, exclude_min=True, allow_infinity=False),
        max_unchanged=st.integers(0, 100),
        ignore_case_space=st.booleans(),
        choose=names,
    )
