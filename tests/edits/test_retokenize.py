"""The source's own tokens in untokenized text: what must come back, and what must stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.edits import retokenize_lines
from errorbar.edits.likeness import plain
from errorbar.formats import read_corpus
from tests.helpers.official import read_lines
from tests.helpers.untokenized import typographic, untokenized


def retokenize(source: str, line: str) -> str:
    """One line of a text."""
    (made,), _ = retokenize_lines([source], [line])
    return made


EXAMPLES = {
    "a contraction and a full stop": ("I do n't know .", "I don't know.", "I do n't know ."),
    "a changed word": ("He have many disease .", "He has many diseases.", "He has many diseases ."),
    "a new sign": ("I like it", "I like it.", "I like it ."),
    "quotation marks take the source's form": ("He said `` no '' .", "He said “no”.", "He said `` no '' ."),
    "a curly apostrophe": ("It is n't so .", "It isn’t so.", "It is n't so ."),
    "as the source joins it": ("the known,the new , too", "the known,the new, and too", "the known,the new , and too"),
    "a sign at the head of a token": ("By this ,they may go .", "By this,they might go.", "By this ,they might go ."),
    "two words made one stay one": ("an ice cream , please .", "an icecream, please.", "an icecream , please ."),
    "one word made two": ("I go alot , now .", "I go a lot, now.", "I go a lot , now ."),
    "a possessive moved": (
        "my friends ' interest , here .",
        "my friend's interest, here.",
        "my friend 's interest , here .",
    ),
    "the source's own cuts": ("a well - known man .", "a well-known men.", "a well - known men ."),
    "brackets": ("it ( the dog ) run .", "it (the dog) runs.", "it ( the dog ) runs ."),
}
"""Source, the system's text, its tokens: worked out by hand in the way of the CoNLL-2014 release."""


@pytest.mark.parametrize("case", EXAMPLES)
def test_examples(case: str) -> None:
    source, line, expected = EXAMPLES[case]
    assert retokenize(source, line) == expected
    assert retokenize(source, expected) == expected


TOKENIZED = {
    "tokens": ("I do n't know .", "I do n't  know ;  "),
    "a mark joined by the system": ("He came , saw , and won .", "He came, saw , and won ."),
    "an abbreviation": ("He has a Ph .", "He has a Ph.D. in ..."),
    "one word": ("data base systems .", "database systems ."),
    "a source in another style": ("[text][row]Pujya Gao.Seva x", "[text][row]Pujya Gau.Seva x."),
    "empty": ("A b .", ""),
    "no source": ("", "A b ."),
}


@pytest.mark.parametrize("case", TOKENIZED)
def test_what_is_tokenized_stays_byte_for_byte(case: str) -> None:
    source, line = TOKENIZED[case]
    assert retokenize(source, line) == line


TOKEN = st.sampled_from(
    ["a", "do", "n't", "'s", "it", "``", "''", '"', ".", ",", "(", ")", "x-y", "'", "-", "“", "…", "a.b"]
)
TEXT = st.lists(TOKEN, max_size=12)


@given(TEXT, TEXT, st.lists(st.booleans(), min_size=12, max_size=12))
def test_nothing_but_white_space_and_the_form_of_quotation_marks_changes(
    source: list[str], said: list[str], spaces: list[bool]
) -> None:
    line = "".join(token + " " * space for token, space in zip(said, spaces, strict=False))
    made = retokenize(" ".join(source), line)
    assert plain("".join(made.split())).replace('"', "''") == plain("".join(line.split())).replace('"', "''")
    assert len(made.split()) >= len(line.split())


def test_what_was_changed_is_counted() -> None:
    sources = ["I am .", "I do n't know .", "He is here ."]
    lines, done = retokenize_lines(sources, ["I am .", "I don't know.", "He is here."])
    assert lines == ["I am .", "I do n't know .", "He is here ."]
    assert (done.n_lines, done.lines.first, done.n_cut, done.example) == (3, [2, 3], 3, ("don't", "do n't"))


def outputs(data: Path) -> dict[str, tuple[list[str], list[str]]]:
    corpus = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    sources = [sentence.text for sentence in corpus.sentences]
    folder = data / "conll14_systems/official_submissions"
    found = {path.name: (sources, read_lines(path)) for path in sorted(folder.iterdir())}
    jfleg = read_lines(data / "jfleg_dev/dev.src")
    found |= {f"ref{k}": (jfleg, read_lines(data / f"jfleg_dev/dev.ref{k}")) for k in range(4)}
    for part in "GS":
        base = data / f"cweb_dev/CWEB-{part}.dev.tok"
        for who in ("ann1", "ann2"):
            found[f"{part} {who}"] = read_lines(Path(f"{base}.source")), read_lines(Path(f"{base}.{who}"))
    return found


def test_every_tokenized_output_at_hand_stays_byte_for_byte(data: Path) -> None:
    """13 submissions of CoNLL-2014, four rewritings of JFLEG, four annotators of CWEB: 33,530 lines."""
    found = outputs(data)
    assert sum(len(lines) for _, lines in found.values()) == 13 * 1312 + 4 * 754 + 2 * (3867 + 2862)
    assert [name for name, (sources, lines) in found.items() if retokenize_lines(sources, lines)[0] != lines] == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [untokenized, typographic])
def test_nearly_every_line_of_a_submission_is_recovered(data: Path, how: type) -> None:
    """Of 1,312 lines; RAC's own output joins some contractions and marks, so its tokens cannot be the same."""
    lost = {}
    for name, (sources, lines) in outputs(data).items():
        if len(lines) == 1312:
            made, _ = retokenize_lines(sources, [how(line) for line in lines])
            lost[name] = sum(a.split() != b.split() for a, b in zip(made, lines, strict=True))
    assert lost["INPUT"] == 0
    assert lost.pop("RAC") < 45
    assert max(lost.values()) <= 6
