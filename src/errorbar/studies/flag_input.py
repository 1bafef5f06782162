"""Systems that flag the items of a crowd: tables ``item,flag``, corrected texts where there is a corpus, or flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.items import changed_items, split_items
from errorbar.formats.item_tables import read_flags
from errorbar.formats.opening import Source, rereadable
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.formats.tables import header_of
from errorbar.formats.text import HypothesisReader
from errorbar.studies.judgment_input import Judged, JudgmentOptions, paths_of

Flags = NDArray[np.bool_]
System = Source | Mapping[str, bool] | Flags | Sequence[bool]
Systems = Source | Sequence[Source] | Mapping[str, System]


def read_systems(systems: Systems, crowd: Judged, problems: Problems) -> dict[str, Flags]:
    """Every system's flag for each item of a crowd: name to flags of shape (items,).

    Systems are tables ``item,flag`` or, with a corpus, texts with one corrected sentence per line: paths,
    ``name=path``, or name to path; or name to flags: for each item in order, or by the item's name.

    Raises:
        InputError: If a file is bad or does not fit.
        UsageError: If two systems have one name, or an argument is of the wrong type.
    """
    if isinstance(systems, Mapping):
        return {name: _system(name, given, crowd, problems) for name, given in systems.items()}
    named = [NamedFile.parse(path) for path in paths_of(systems, "systems")] if systems else []
    refuse_same_names(named, "systems")
    return {file.name: _of_file(file, crowd, problems) for file in named}


def _system(name: str, given: System, crowd: Judged, problems: Problems) -> Flags:
    if isinstance(given, str | PathLike):
        return _of_file(NamedFile(str(given), name), crowd, problems)
    if isinstance(given, Mapping):
        return _for_items(given, crowd.judgments.items, name, problems)
    flags = np.asarray(given)
    if flags.dtype != np.bool_ or flags.shape != (len(crowd.judgments.items),):
        what = (
            f"the flags of '{name}' must be {len(crowd.judgments.items)} truth values, got {flags.shape} {flags.dtype}"
        )
        raise UsageError(Problem("wrong-type", what))
    return cast("Flags", flags)


def _of_file(file: NamedFile, crowd: Judged, problems: Problems) -> Flags:
    first = NamedFile(str(rereadable(file.path)), file.name)
    if crowd.corpus is not None and not {"item", "flag"} <= {*header_of(first.path)}:
        return _of_text(first, crowd.corpus, crowd.options, problems)
    given = read_flags(first.path, problems, file.name).flags
    return _for_items(given, crowd.judgments.items, first.path, problems)


def _for_items(given: Mapping[str, bool], items: Sequence[str], name: str, problems: Problems) -> Flags:
    judged = set(items)
    others = [item for item in given if item not in judged]
    if others:
        what = f"{len(others):,} items of the system were not judged, first '{others[0]}'; they do not count"
        if len(others) == 1:
            what = f"1 item of the system was not judged, '{others[0]}'; it does not count"
        problems.note("crowd-not-judged", what, Place(name))
    lacking = [item for item in items if item not in given]
    if lacking:
        what = f"{len(lacking):,} of {len(items):,} judged items have no flag, first '{lacking[0]}'"
        repair = "they count as not flagged"
        if len(lacking) == 1:
            what, repair = f"the judged item '{lacking[0]}' has no flag", "it counts as not flagged"
        problems.repairable("crowd-no-flag", what, Place(name), repair=repair)
        problems.raise_errors()
    return np.fromiter((given.get(item, False) for item in items), np.bool_, len(items))


def _of_text(file: NamedFile, corpus: Corpus, options: JudgmentOptions, problems: Problems) -> Flags:
    """A system that corrects: the items that its edits change."""
    reader = HypothesisReader(file.path, file.name, problems)
    lines = reader.take(len(corpus))
    reader.finish(len(corpus))
    problems.raise_errors()
    system = Hypothesis(file.name, lines)
    items, words = split_items(options.items)
    flags: Flags = changed_items(corpus, [system], items, words=words)[1][0]
    return flags
