"""Texts into typed edits: each text is parsed once, and what was found is kept for other days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import tee

from errorbar.core.corpus import Annotation, Sentence
from errorbar.edits.errant_edits import OWN, Maker, errant_edits
from errorbar.edits.typed_texts import kept_edits
from errorbar.execute import choose_executor
from errorbar.formats.text import ParallelLine


def errant_sentences(
    lines: Iterable[ParallelLine], annotators: Sequence[str], pipeline: str | None = None, jobs: int = 1
) -> Iterator[Sentence]:
    """Lines of parallel text as annotated sentences, one annotator a corrected text; edits as ERRANT makes them.

    Raises:
        InputError: If the file of edits in the cache folder cannot be used.
        UsageError: If spaCy, errant or the pipeline is not there, or it does not give Penn tags.
    """
    maker = Maker(pipeline or OWN)
    kept = kept_edits(maker)
    lines, again = tee(lines)
    texts = ((line.source, [text for text in line.corrected if text is not None]) for line in lines)
    with closing(kept), choose_executor(jobs) as executor:
        for line, found in zip(again, errant_edits(texts, maker, cache=kept, executor=executor), strict=True):
            looked = [name for name, text in zip(annotators, line.corrected, strict=True) if text is not None]
            annotations: dict[str, Annotation] = dict(zip(looked, found, strict=True))
            yield Sentence(line.source, annotations, line.document, line=line.number)
