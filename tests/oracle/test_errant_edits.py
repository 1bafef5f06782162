"""Edits between texts: those of errant with the same pipeline, and near those that were published."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import read_corpus
from errorbar.edits import EditMaker
from tests.helpers.official import read_lines
from tests.helpers.page_rows import rows_of_page

pytestmark = pytest.mark.slow


def parallel(data: Path, part: str, annotator: int) -> list[tuple[str, str]]:
    folder = data / "cweb_dev"
    texts = [read_lines(folder / f"CWEB-{part}.dev.tok.{name}") for name in ("source", f"ann{annotator}")]
    return list(zip(*texts, strict=True))


@pytest.mark.parametrize("n", rows_of_page([300, 1000]))
def test_edit_for_edit(data: Path, n: int) -> None:
    """In batches, as here, and one by one, as there, the pipeline gives the same."""
    pytest.importorskip("errorbar_en")
    import errant
    import spacy

    pairs = [pair for part in "SG" for pair in parallel(data, part, 2) if pair[0] != pair[1]][:n]
    assert len(pairs) == n
    there = errant.load("en", spacy.load("errorbar_en"))
    for pair, edits in zip(pairs, EditMaker().edits(pairs), strict=True):
        source, text = (there.parse(words) for words in pair)
        wanted = [(e.o_start, e.o_end, e.c_str, e.type) for e in there.annotate(source, text)]
        assert [(e.start, e.end, e.replacements[0], e.type) for e in edits] == wanted, pair


@pytest.mark.parametrize(("part", "annotator"), [("G", 1), ("G", 2), ("S", 1), ("S", 2)])
def test_near_what_was_published(data: Path, part: str, annotator: int) -> None:
    """The published M2 was made by ERRANT 2 with another pipeline: spans at least .97 alike, types of these .90."""
    pytest.importorskip("errorbar_en")
    pairs = parallel(data, part, annotator)
    corpus = read_corpus([data / f"cweb_dev/CWEB-{part}.dev.ann{annotator - 1}.m2"])
    (name,) = corpus.annotators
    alike = types = n = 0
    for sentence, edits in zip(corpus.sentences, EditMaker().edits(pairs), strict=True):
        theirs = {(e.span, e.replacements): e.type for e in sentence.annotations.get(name, ())}
        ours = {(e.span, e.replacements): e.type for e in edits}
        both = theirs.keys() & ours.keys()
        alike, n = alike + len(both), n + len(theirs) + len(ours)
        types += sum(theirs[edit] == ours[edit] for edit in both)
    assert 2 * alike / n >= 0.97
    assert types / alike >= 0.90
