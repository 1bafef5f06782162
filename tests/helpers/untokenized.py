"""Text as people and language models write it, made of tokens."""

from __future__ import annotations

import re


def untokenized(line: str) -> str:
    """Join contractions and marks to their words, and write quotation marks as a keyboard does."""
    line = re.sub(r" (n't|'(?:s|re|ve|ll|m|d))\b", r"\1", line)
    line = re.sub(r"`` ?", '"', line)
    line = re.sub(r" ?''", '"', line)
    line = re.sub(r" ([.,!?;:%)\]}])", r"\1", line)
    line = re.sub(r"([(\[{$]) ", r"\1", line)
    return re.sub(r'" (.*?) "', r'"\1"', line.replace("can not", "cannot"))


def typographic(line: str) -> str:
    """The same with curly quotation marks and apostrophes."""
    return re.sub(r'"([^"]*)"', "“\\1”", untokenized(line)).replace("'", "’")
