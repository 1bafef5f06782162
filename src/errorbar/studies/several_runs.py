"""Systems that are given as several runs: ``name=run1,run2``."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.corpus import Hypothesis
from errorbar.core.errors import Problem, UsageError
from errorbar.formats.look import is_there
from errorbar.formats.reference import NamedFile, refuse_same_names

RunNames = dict[str, tuple[str, ...]]
"""Systems that are given as several runs, and what these are called."""


def split_runs(systems: Sequence[NamedFile | Hypothesis]) -> tuple[list[NamedFile | Hypothesis], RunNames]:
    """The systems, those of several runs (``name=run1,run2``) in their place run by run, and what they are called.

    A file whose name has a comma is that file.
    """
    found: list[NamedFile | Hypothesis] = []
    runs: RunNames = {}
    for each in systems:
        paths = [] if isinstance(each, Hypothesis) else each.path.split(",")
        if isinstance(each, Hypothesis) or not _several(each.path, paths):
            found.append(each)
            continue
        if again := [path for path in dict.fromkeys(paths) if paths.count(path) > 1]:
            raise UsageError(Problem("same-run", f"{again[0]} is twice a run of {each.name}", fix="name it once"))
        runs[each.name] = tuple(f"{each.name}#{k}" for k in range(1, len(paths) + 1))
        found += map(NamedFile, paths, runs[each.name])
    if runs:
        refuse_same_names(found, "systems")
    return found, runs


def _several(path: str, paths: Sequence[str]) -> bool:
    """Whether a path is those of several runs."""
    return len(paths) > 1 and all(paths) and not is_there(path) and any(map(is_there, paths))


def refuse_runs(names: RunNames) -> None:
    """Raise ``UsageError`` if a system has several runs: what does not know what to do with them takes none."""
    if names:
        what = f"{next(iter(names))} has several runs, which score and compare take"
        raise UsageError(Problem("several-runs", what, fix="name each run as a system of its own"))
