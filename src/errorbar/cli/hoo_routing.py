"""Whether a command is about HOO data; imported by commands that mostly are not, so it loads next to nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from errorbar.core.errors import Problem, UsageError
from errorbar.core.spec import split_spec
from errorbar.formats.hoo_detect import is_hoo

HOO = "hoo"


def wants_hoo(gold: Sequence[str], specs: Sequence[str]) -> bool:
    """Whether ``errorbar score`` was asked for HOO scores.

    Raises:
        UsageError: If HOO data is to be scored by another metric.
    """
    asked = [split_spec(spec)[0] == HOO for spec in specs]
    data = [is_hoo(path) for path in gold]
    if any(data) and specs and not all(asked):
        what = "HOO edit files hold stand-off edits, which only the metric hoo scores"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to m2 makes M2 of them"))
    if any(asked) and not all(asked):
        raise UsageError(Problem("hoo-metric", "hoo and other metrics do not score the same data", fix="two commands"))
    other = _other_file(gold, data)
    if any(asked) and other:
        what = f"{other} is no HOO edit file"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to hoo makes one of M2 and JSONL"))
    return any(asked) or any(data)


def _other_file(gold: Sequence[str], data: Sequence[bool]) -> str:
    """The first file that is there and is something else than edits; a broken edit file is left to its reader."""
    others = (path for path, hoo in zip(gold, data, strict=True) if not hoo)
    return next((path for path in others if Path(path).is_file() and not path.endswith((".xml", ".xml.gz"))), "")
