"""errant's edits of two parsed texts, aligned by the kernel where there is one: nine tenths of its time are that."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

from errorbar.edits.matching import KERNEL

KNOWN = {"3.0.2"}
"""Versions of errant that the kernel aligns as; others do it themselves."""


def annotate(annotator: Any, source: Any, text: Any) -> list[Any]:  # noqa: ANN401 - errant and spaCy have no types here
    """What ``annotator.annotate`` gives for two parsed texts."""
    if not _kernel_serves():
        return list(annotator.annotate(source, text))
    return [annotator.classify(edit) for edit in annotator.merge(_aligned()(source, text))]


@cache
def _kernel_serves() -> bool:
    try:
        from errorbar.edits import _aligned  # noqa: F401, PLC0415 - absent without a compiler
    except ImportError:
        return False
    return KERNEL and metadata.version("errant") in KNOWN


@cache
def _aligned() -> Any:  # noqa: ANN401 - as above
    """A class of alignments for errant's rules of merging."""
    from errant.alignment import Alignment  # noqa: PLC0415 - seconds
    from spacy.attrs import LEMMA, LOWER, ORTH, POS  # noqa: PLC0415 - seconds

    from errorbar.edits._aligned import align  # noqa: PLC0415 - absent without a compiler

    content = np.array(sorted(Alignment._open_pos), np.uint64)

    class Aligned(Alignment):  # type: ignore[misc]  # errant has no types
        def __init__(self, orig: Any, cor: Any) -> None:  # noqa: ANN401 - as above
            self.orig, self.cor = orig, cor
            self.align_seq = align(*_read(orig), *_read(cor), content)

    def _read(doc: Any) -> tuple[Any, list[str]]:  # noqa: ANN401 - as above
        return doc.to_array([ORTH, LOWER, LEMMA, POS]), [token.text for token in doc]

    return Aligned
