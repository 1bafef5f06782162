"""Tokens as ordinary text: what a person or a language model is shown of a tokenized sentence.

Conventions
    Closing marks and contractions are joined to the word before them, opening marks to the word after. Of straight
    quotation marks every other one opens. An apostrophe alone is joined to a word in ``s``, as a genitive, and stays
    apart elsewhere: it may open or close a quotation. ``can not`` stays two words.
Source
    The inverse of ``formats.tokenize``; how much of it comes back is measured in docs/integrations.md.
"""

from __future__ import annotations

from collections.abc import Iterable

_CLOSING = frozenset({*".,;:?!)]}%", "...", "''", "”", "’"})
_OPENING = frozenset({*"([{$£€", "``", "“", "‘"})
_CONTRACTIONS = frozenset({"n't", "'s", "'ll", "'re", "'ve", "'m", "'d", "n’t", "’s", "’ll", "’re", "’ve", "’m", "’d"})
_WRITTEN = {"``": '"', "''": '"'}


def ordinary_text(tokens: Iterable[str]) -> str:
    """A sentence of tokens with the white space that one writes."""
    made: list[str] = []
    quoted = False  # whether a straight quotation mark is open
    joined = True  # to what comes next
    for token in tokens:
        before, after = token in _CLOSING or token.lower() in _CONTRACTIONS, token in _OPENING
        if token == '"':
            before, after = quoted, not quoted
            quoted = after
        elif token == "'":
            before = bool(made) and made[-1].endswith(("s", "S"))
        if made and not before and not joined:
            made.append(" ")
        made.append(_WRITTEN.get(token, token))
        joined = after
    return "".join(made)
