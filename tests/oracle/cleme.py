"""What is compared with the program of CLEME 2.0: python -m tests.oracle.cleme DATA FOLDER writes it as M2.

Recorded with the repository THUKElab/CLEME (commit b5e9a93, version 1.1.0), without its edit weighers, which need a
neural model: the functions of its M2 reader, of its chunk partition (cleme_utils.py), of the evaluation by
``DependentCLEME``, and of the corpus score by ``HEUOEditScorer`` with the factors .45, .35, .15 and .05 of its main.py
for corpora; they were taken out of the repository by hand and run on their own, since nothing of it is on an index.
``cleme.csv`` has tp, fp_ne, fn and fp_un, then com. ``cleme_ways.csv`` has these and the five values under
``DependentCLEME`` and ``IndependentCLEME``, each by ``score_corpus`` with those factors and by ``score_sentence`` with
.35, .25, .20 and .20, which main.py has for sentences; of its rows, those that ``cleme.csv`` has too are equal.

The program takes an edit of unclear meaning for a deletion, leaves out a reference whose text is empty (one of
CoNLL-2014), and makes other texts of edits that overlap: all these are left out of the files.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from errorbar import Corpus, Problems, Sentence, read_corpus
from errorbar.core import CorrectedSentence
from errorbar.edits import apply_edits, select_applied
from errorbar.formats import write_m2
from tests.helpers.official import read_lines
from tests.oracle import errant_compare

RECORDED = Path(__file__).with_suffix(".csv")
WAYS = Path(__file__).with_name("cleme_ways.csv")
OF_TEN = ("AMU", "CAMB", "IITB", "POST")


def plain(corpus: Corpus) -> Corpus:
    """The corpus with annotators 0, 1, ..., without what the program reads otherwise."""
    sentences = []
    for sentence in corpus.sentences:
        known = (sentence.annotations[name] for name in corpus.annotators if name in sentence.annotations)
        kept = [tuple(select_applied(edits)) for edits in known]
        said = [edits for edits in kept if apply_edits(sentence.tokens, edits)] or kept
        sentences.append(Sentence(sentence.text, {str(number): edits for number, edits in enumerate(said)}))
    return Corpus(sentences, tuple(map(str, range(len(corpus.annotators)))))


def case(data: Path, name: str) -> tuple[Corpus, Sequence[CorrectedSentence]]:
    """A comparison: the reference, and the system."""
    corpus, part = name.split()
    if corpus != "ten":
        reference, made = errant_compare.case(data, name)
        return plain(reference), made
    ten = read_corpus([data / f"bn2015_10gec/A{k}.m2" for k in range(1, 11)], lenient=True)
    return plain(ten), errant_compare.system(ten, read_lines(data / "conll14_systems/official_submissions" / part))


def main(data: Path, folder: Path) -> None:
    """Write each comparison: NAME.ref.m2 and NAME.hyp.m2."""
    names = [name for name in errant_compare.NAMES if not name.startswith("conll13")]  # much overlaps there
    for name in (*names, *(f"ten {system}" for system in OF_TEN)):
        reference, made = case(data, name)
        system = [Sentence(s.text, {"0": line.edits}) for s, line in zip(reference.sentences, made, strict=True)]
        for kind, sentences in (("ref", reference.sentences), ("hyp", system)):
            text = "\n".join(write_m2(sentences, Problems())) + "\n"
            (folder / f"{name}.{kind}.m2").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
