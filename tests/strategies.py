"""Random sentences, edits, corpora and specs: the vocabulary of the property tests.

Sentences repeat few words, and hypotheses are made from sources by small changes, because ties, merges and hits
(where implementations differ) are rare between unrelated texts.
"""

from __future__ import annotations

from hypothesis import strategies as st

from errorbar import M2, Corpus, Edit, Sentence

WORDS = ("a", "b", "c", "A", "ab")
"""``a`` and ``A`` differ in case, ``a b`` and ``ab`` in white space only."""
TYPES = ("Prep", "Det", "Um")
ANNOTATORS = ("0", "1", "2", "teacher")

# A sentence is one draw (a text whose letters stand for words), and so is an edit (a number taken apart): Hypothesis
# is several times faster so than with a draw for every word and every field.
_LETTERS = dict(zip("abcde", WORDS, strict=True))
_line = st.text("".join(_LETTERS), max_size=8)


def _words(letters: str) -> list[str]:
    return [_LETTERS[letter] for letter in letters]


def tokens() -> st.SearchStrategy[list[str]]:
    """A sentence of up to eight words, perhaps none."""
    return _line.map(_words)


@st.composite
def rewritten(draw: st.DrawFn, source: list[str]) -> list[str]:
    """A hypothesis: the source with a few words replaced, dropped, repeated or inserted; or unrelated words."""
    if draw(st.integers(0, 7)) == 0:
        return draw(tokens())
    size = len(source) + 1
    spare = _words(draw(st.text("".join(_LETTERS), max_size=4)))
    line: list[str] = []
    for token, what in zip([*source, ""], draw(st.text("0123456789", min_size=size, max_size=size)), strict=True):
        kept = [token] if token else []
        if what == "0":
            kept = spare[:1]  # dropped, if nothing is spare, or replaced
            spare = spare[1:]
        elif what == "1":
            kept += spare[:2]
            spare = spare[2:]
        elif what == "2":
            kept *= 2
        line += kept
    return line


def _edit(code: int, source: list[str], hypothesis: list[str]) -> Edit:
    code, start = divmod(code, len(source) + 1)
    code, length = divmod(code, 4)
    code, low = divmod(code, len(hypothesis) + 1)
    code, width = divmod(code, 4)
    code, alternative = divmod(code, 4)
    replacements = [" ".join(hypothesis[low : low + width])]
    if not alternative:
        replacements.insert(0, WORDS[code % len(WORDS)])
    return Edit(start, min(start + length, len(source)), tuple(replacements), TYPES[code % len(TYPES)])


def edits(source: list[str], hypothesis: list[str]) -> st.SearchStrategy[tuple[Edit, ...]]:
    """One annotator's edits in text order; they may overlap, repeat or change nothing, as real ones do.

    A replacement is always a piece of the hypothesis, so that hits happen; some have an alternative.
    """
    codes = st.lists(st.integers(0, 1 << 16), max_size=4)
    return codes.map(
        lambda found: tuple(sorted((_edit(code, source, hypothesis) for code in found), key=lambda edit: edit.span))
    )


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
        beta=st.floats(0, 1000, exclude_min=True),
        max_unchanged=st.integers(0, 100),
        ignore_case_space=st.booleans(),
        choose=names,
    )
