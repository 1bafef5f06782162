"""Detection by token, against an independent computation and by hand."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Corpus, Edit, Hypothesis, Sentence, score
from errorbar.core import CorrectedSentence, InputError
from errorbar.edits import ProposedEdit, apply_edits
from errorbar.metrics.tokens import Tokens, wrong_tokens
from tests.strategies import corpora


def by_lines(system: str, reference: str, beta: float) -> tuple[int, int, int, float, float, float]:
    """TP, FP, FN, and P, R and F to four places, counted line by line; 1 where nothing is wrong, as eval.py has it.

    Written from the description of MultiGED-2023's eval.py: token-based, label i, sums
    over the file, P = 1 if FP = 0 and R = 1 if FN = 0.
    """
    pairs = [
        (ours.split("\t")[-1], theirs.split("\t")[-1])
        for ours, theirs in zip_longest(system.splitlines(), reference.splitlines(), fillvalue="")
    ]
    tp, fp, fn = (pairs.count(pair) for pair in (("i", "i"), ("i", "c"), ("c", "i")))
    p, r = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    return tp, fp, fn, round(p, 4), round(r, 4), round(f, 4)


@st.composite
def labeled(draw: st.DrawFn) -> tuple[str, str]:
    """A reference and a system of the same tokens."""
    tokens = st.lists(st.sampled_from(["a", "b", '\\"', "."]), min_size=1, max_size=6)
    sentences = draw(st.lists(tokens, min_size=1, max_size=6))
    labels = st.sampled_from(["c", "c", "i"])
    one, other = (
        "\n".join("".join(f"{token}\t{draw(labels)}\n" for token in sentence) for sentence in sentences)
        for _ in range(2)
    )
    return one, other


@given(files=labeled(), beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_equal_to_an_independent_count(
    tmp_path_factory: pytest.TempPathFactory, files: tuple[str, str], beta: float
) -> None:
    folder = tmp_path_factory.mktemp("labels")
    for name, text in zip(("ref", "system"), files, strict=True):
        (folder / f"{name}.tsv").write_text(text)
    found = score(folder / "ref.tsv", folder / "system.tsv", beta=beta, ci=False).scores[0]
    tp, fp, fn, *prf = by_lines(files[1], files[0], beta)
    assert (found.counts["correct"], found.counts["proposed"], found.counts["gold"]) == (tp, tp + fp, tp + fn)
    assert [round(found[name].value or 0.0, 4) for name in ("precision", "recall", "f")] == prf


EXAMPLE = ["I", "saws", "the", "show", "last", "nigt", "."]
"""The example in the README of MultiGED-2023: one true positive, one false positive, one false negative."""


def labels(*wrong: int) -> tuple[Edit, ...]:
    return tuple(Edit(token, token + 1, ()) for token in wrong)


def test_the_example_of_the_shared_task() -> None:
    text = " ".join(EXAMPLE)
    reference = Corpus([Sentence(text, {"0": labels(1, 5)})], ("0",))
    statistics = Tokens().measure(reference, [CorrectedSentence(text, labels(1, 3), text)])
    assert statistics.counts.tolist() == [[[1, 2, 2]]]
    assert Tokens().fold(statistics).values.tolist() == [[0.5, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("edits", "wrong"),
    [
        ([Edit(1, 3, ("x",))], {1, 2}),
        ([Edit(2, 2, ("x",))], {2}),
        ([Edit(4, 4, (".",))], set()),
        ([Edit(0, 2, ("",)), Edit(1, 1, ("x",)), Edit(1, 2, ("y",))], {0, 1}),
        ([Edit(3, 4, (), "UNK"), Edit(0, 1, ("a", "b"), optional=True)], {0, 3}),
    ],
    ids=["a span", "an insertion", "an insertion at the end", "several of one token", "unknown and optional"],
)
def test_what_edits_call_wrong(edits: list[Edit], wrong: set[int]) -> None:
    assert wrong_tokens(edits, 4) == wrong


@given(corpora(min_size=1))
def test_a_text_counts_by_its_smallest_edits(example: tuple[Corpus, list[str]]) -> None:
    """Each sentence that a text leaves alone proposes nothing; proposed tokens are at most those of the source."""
    reference, lines = example
    counts = Tokens().measure(reference, lines).counts
    for sentence, line, row in zip(reference.sentences, lines, counts, strict=True):
        looked = [reference.annotators.index(name) for name in sentence.annotations]
        for column in looked:
            assert 0 <= row[column, 0] <= min(row[column, 1], row[column, 2])
            assert row[column, 1] <= len(sentence.tokens)
            assert line.split() != sentence.tokens or not row[column, 1]


def test_m2_and_the_text_that_it_makes_agree_where_edits_are_the_smallest() -> None:
    edits = (Edit(1, 2, ("saw",)), Edit(5, 6, ("night",)))
    reference = Corpus([Sentence(" ".join(EXAMPLE), {"0": edits})], ("0",))
    text = " ".join(apply_edits(EXAMPLE, edits[:1]))
    of_text = Tokens().measure(reference, [text]).counts.tolist()
    assert of_text == Tokens().measure(reference, [CorrectedSentence(text, edits[:1])]).counts.tolist() == [[[1, 1, 2]]]


def test_the_best_annotator_is_chosen_for_each_sentence() -> None:
    # F0.5 of the first sentence: 1 against A (1 of 1 of 1), 1/3 of that against B; the second has A and B alike.
    reference = Corpus(
        [Sentence("a b c", {"A": labels(0), "B": labels(1, 2)}), Sentence("d e", {"B": labels(1)})], ("A", "B")
    )
    output = Hypothesis("x", [CorrectedSentence("a b c", labels(0)), CorrectedSentence("d e", labels(0))])
    (found,) = score(reference, output, Tokens(), ci=False).scores
    assert (found.counts["correct"], found.counts["proposed"], found.counts["gold"]) == (1, 2, 2)
    (alone,) = score(reference, output, Tokens(choose="B"), ci=False).scores
    assert (alone.counts["correct"], alone.counts["proposed"], alone.counts["gold"]) == (0, 2, 3)


def test_the_edits_of_a_system_that_are_shown() -> None:
    reference = Corpus([Sentence("a b c", {"0": labels(0, 1)}), Sentence("a b", {})], ("0",))
    labeled = [CorrectedSentence("a b c", labels(0, 2)), CorrectedSentence("a b", labels(1))]
    assert Tokens().system_edits(reference, labeled, ["0", None]) == [
        [ProposedEdit(0, 1, "a", True), ProposedEdit(2, 3, "c", False)],
        [ProposedEdit(1, 2, "b", False)],
    ]
    text = ["x y c .", "a b"]  # what is inserted at the end calls no token wrong
    assert Tokens().system_edits(reference, text, ["0", None]) == [[ProposedEdit(0, 2, "x y", True)], []]


def test_edits_of_another_sentence_are_refused() -> None:
    reference = Corpus([Sentence("a b", {"0": ()}, line=3)], ("0",), "gold")
    with pytest.raises(InputError, match=r"gold:3: the system's edits are of another sentence: a c"):
        Tokens().measure(reference, [CorrectedSentence("a c", (), "a c")])
    with pytest.raises(InputError, match="line-count"):
        Tokens().measure(reference, [])


def test_m2_of_systems_and_texts_of_systems_are_read(tmp_path: Path) -> None:
    gold, system, text = (tmp_path / name for name in ("gold.m2", "system.m2", "text.txt"))
    gold.write_text("S I saws it\nA 1 2|||V|||saw|||REQUIRED|||-NONE-|||0\n")
    system.write_text("S I saws it\nA 0 2|||V|||We saw|||REQUIRED|||-NONE-|||0\n")
    text.write_text("We saw it\n")
    for each in score(gold, [system, text], "tokens", ci=False).scores:
        assert (each.counts["correct"], each.counts["proposed"], each.counts["gold"]) == (1, 2, 1)
