"""Tables about items: a system's flags and scores, and the true labels of gold items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errorbar.core.problems import Problems
from errorbar.formats.opening import Source, display_name
from errorbar.formats.tables import finite, table_rows

YES = frozenset(("1", "true", "yes", "error", "y", "t"))
NO = frozenset(("0", "false", "no", "ok", "n", "f", ""))


@dataclass(frozen=True, slots=True)
class SystemFlags:
    """What a system says of items.

    Attributes:
        name: What to call the system.
        flags: Item to whether it is flagged.
        scores: Item to the system's score; empty where the file has none.
    """

    name: str
    flags: Mapping[str, bool]
    scores: Mapping[str, float]


def read_flags(path: Source, problems: Problems, name: str = "") -> SystemFlags:
    """Read a table ``item,flag[,score]``: CSV, JSON lines or Parquet.

    A flag is 1, true, yes, error or 0, false, no, ok, in any case; an empty one is 0.

    Args:
        path: The file, or ``-``.
        problems: Where problems go; lenient reading leaves out bad rows and all but the first of repeated ones.
        name: What to call the system; "": the file.
    """
    flags: dict[str, bool] = {}
    scores: dict[str, float] = {}
    for values, place in table_rows(path, problems, ("item", "flag")):
        item, word = values["item"], values["flag"].strip().lower()
        if not item or item in flags:
            what = f"item '{item}' was flagged before" if item else "the row names no item"
            problems.repairable("flags-item", what, place, repair="the row is left out")
        elif word not in YES | NO:
            what = f"the flag is '{values['flag']}'"
            problems.repairable("flags-flag", what, place, expected="1 or 0", repair="the row is left out")
        else:
            flags[item] = word in YES
            if values.get("score"):
                score = finite(values["score"])
                if score is None:
                    what = f"the score '{values['score']}' is no number"
                    problems.repairable("flags-score", what, place, repair="the score is left out")
                else:
                    scores[item] = score
    problems.raise_errors()
    return SystemFlags(name or display_name(path), flags, scores)


def read_answers(path: Source, problems: Problems) -> dict[str, str]:
    """Read a table ``item,label`` of true labels: CSV, JSON lines or Parquet.

    Raises:
        InputError: If the file is bad, or gives an item two labels.
    """
    found: dict[str, str] = {}
    for values, place in table_rows(path, problems, ("item", "label")):
        item, label = values["item"], values["label"]
        if not item or not label:
            what = "the row names no item" if not item else f"item '{item}' has no label"
            problems.repairable("answers-empty", what, place, repair="the row is left out")
        elif found.setdefault(item, label) != label:
            what = f"item '{item}' is '{label}' here and '{found[item]}' before"
            problems.repairable("answers-twice", what, place, repair="the first is kept")
    problems.raise_errors()
    return found
