"""Error types of audited edits, for strata: what an edit does, or its type as ERRANT has it.

Conventions
    ``operation``: an edit whose pieces all insert is ``missing``, all delete ``unnecessary``, else ``replaced``.
    ``errant``: the category of the edit that ERRANT finds between the sentence and the sentence with this edit alone,
    without its operation; where it finds several edits of different categories, ``several``. Types of which the same
    systems propose few edits are put together as ``other types``: strata want many edits.
Source
    Bryant, Felice & Briscoe 2017, ACL, for ERRANT's types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.edits.errant_edits import Maker, errant_edits
from errorbar.edits.minimal_pieces import Piece, changed_text

Types = Literal["none", "operation", "errant"]
TYPES: tuple[Types, ...] = get_args(Types)
SEVERAL, NO_TYPE = "several", "UNK"


def edit_types(edits: Sequence[tuple[str, Sequence[Piece]]], types: Types) -> list[str]:
    """The type of each edit, of which the sentence and the pieces are given; empty where there shall be none."""
    if types == "operation":
        return [operation(pieces) for _, pieces in edits]
    if types == "errant":
        _ = Maker().signature  # refuses where something is not installed
        texts = ((text, [changed_text(text.split(), 0, len(text.split()), pieces)]) for text, pieces in edits)
        found = [{edit.type.partition(":")[2] or NO_TYPE for edit in made} for (made,) in errant_edits(texts)]
        return [next(iter(kinds), NO_TYPE) if len(kinds) < 2 else SEVERAL for kinds in found]
    if types != "none":
        raise UsageError(Problem("bad-parameter", f"no types of edits are called '{types}'", fix=nearest(types, TYPES)))
    return [""] * len(edits)


def operation(pieces: Sequence[Piece]) -> str:
    """What an edit does."""
    if all(start == end for start, end, _ in pieces):
        return "missing"
    return "unnecessary" if not any(text for _, _, text in pieces) else "replaced"
