"""Counts with their noun: 1 fragment, 2 fragments."""

from __future__ import annotations

import re

_PLURAL = re.compile(r"\b(sentence|token|annotator|edit|fragment|line|problem|run)s\b")


def counted(count: int, nouns: str) -> str:
    """A number and what it counts, given in the plural: ``counted(1, "edits in sets")`` is ``1 edit in sets``."""
    return f"1 {_PLURAL.sub(_first, nouns, count=1)}" if count == 1 else f"{count:,} {nouns}"


def _first(match: re.Match[str]) -> str:
    return match[1]
