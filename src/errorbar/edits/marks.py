"""The marks and contractions that untokenized text joins to words."""

from __future__ import annotations

import re

_DOUBLE = re.compile(r"``|''|[“”„‟«»]")
_SINGLE = str.maketrans("’‘‛`´", "'''''")
_MARKS = frozenset(".,;:?!()[]{}%\"'")


def plain(token: str) -> str:
    """A token with plain quotation marks and apostrophes."""
    return plain_apostrophes(_DOUBLE.sub('"', token))


def plain_apostrophes(text: str) -> str:
    """A text as long, with plain apostrophes."""
    return text.translate(_SINGLE)


def is_attached(token: str) -> bool:
    """Whether a token is a mark or a contraction that untokenized text joins to a word."""
    said = plain(token)
    return said in _MARKS or (len(said) > 1 and (said[0] == "'" or said.lower() == "n't"))
