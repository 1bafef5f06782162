"""Corpora for studies: one worked by hand, one at random with enough disagreement to move every digit."""

from __future__ import annotations

import numpy as np

from errorbar import Corpus, Edit, Hypothesis, Problems, Sentence
from errorbar.edits import corrected_text
from tests.helpers.build import corpus, edit, sentence

TEXT = "a b c d e f g h i j k"
"""Edits of tokens 0, 5 and 10 are too far apart to be merged into one."""
X, Y, Z = edit(0, 1, "X", kind="Det"), edit(5, 6, "Y", kind="Prep"), edit(10, 11, "Z", kind="Det")


def by_hand() -> Corpus:
    """One sentence, three annotators: {X, Y}, {X} and {Y, Z}."""
    return corpus(sentence(TEXT, {"1": [X, Y], "2": [X], "3": [Y, Z]}))


def only_x() -> Hypothesis:
    """A system that makes the edit X."""
    return Hypothesis("sys", ["X" + TEXT[1:]])


def random_corpus(
    n_sentences: int = 30, n_annotators: int = 4, n_documents: int = 6, seed: int = 0
) -> tuple[Corpus, list[Hypothesis]]:
    """Annotators who each make some of ten possible edits per sentence, and two systems that do so, too."""
    rng = np.random.default_rng(seed)
    names = tuple(f"A{k}" for k in range(n_annotators))
    possible = [Edit(5 * k, 5 * k + 1, (f"new{k}",), ("Det", "Prep")[k % 2]) for k in range(10)]
    text = " ".join(f"old{k}" for k in range(50))
    sentences = []
    lines: list[list[str]] = [[], []]
    for number in range(n_sentences):
        hard = rng.random(10)
        made = [tuple(e for e, p in zip(possible, hard, strict=True) if rng.random() < p / 2) for _ in range(6)]
        document = f"d{number * n_documents // n_sentences}" if n_documents else ""
        sentences.append(Sentence(text, dict(zip(names, made, strict=False)), document))
        for system, edits in enumerate(made[-2:]):
            one = Sentence(text, {"s": edits})
            lines[system].append(corrected_text(one, "s", Problems()))
    return Corpus(sentences, names), [Hypothesis("s0", lines[0]), Hypothesis("s1", lines[1])]
