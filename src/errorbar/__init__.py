"""Measure grammatical error detection and correction against many human judges, with error bars.

The public names are listed in ``__all__``; each is imported when it is first used, so that importing the package
costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from errorbar.version import __version__

if TYPE_CHECKING:
    from errorbar.core.corpus import Corpus, Hypothesis, Sentence
    from errorbar.core.edit import Edit
    from errorbar.core.errors import ErrorbarError
    from errorbar.core.problems import Problems
    from errorbar.edits.maxmatch import max_match
    from errorbar.formats.reference import read_corpus
    from errorbar.metrics.m2 import M2
    from errorbar.metrics.registry import parse_metric
    from errorbar.metrics.score import Score
    from errorbar.metrics.scoring import score

_HOMES = {
    "Corpus": "errorbar.core.corpus",
    "Edit": "errorbar.core.edit",
    "ErrorbarError": "errorbar.core.errors",
    "Hypothesis": "errorbar.core.corpus",
    "M2": "errorbar.metrics.m2",
    "Problems": "errorbar.core.problems",
    "Score": "errorbar.metrics.score",
    "Sentence": "errorbar.core.corpus",
    "max_match": "errorbar.edits.maxmatch",
    "parse_metric": "errorbar.metrics.registry",
    "read_corpus": "errorbar.formats.reference",
    "score": "errorbar.metrics.scoring",
}

__all__ = [
    "M2",
    "Corpus",
    "Edit",
    "ErrorbarError",
    "Hypothesis",
    "Problems",
    "Score",
    "Sentence",
    "__version__",
    "max_match",
    "parse_metric",
    "read_corpus",
    "score",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'errorbar' has no attribute {name!r}")
