"""Runs as edits of every fragment: edit files as they are, corrected texts compared with the source.

Formula
    Whether a text can be a correction of another one, a quick test against files that were mixed up: of a text with
    ``LONG`` words or more, the share of neighboring word pairs that stand in the other text too; of a shorter one, of
    which a good correction can leave no pair, the share of its letter triples (within words, case ignored, a space at
    either end of a word). Each counts as often as it stands in both.
Conventions
    A text of fewer than ``SHORT`` words can be corrected into anything, but not into a text many times as long.
    Thresholds were set on real data: docs/design/hoo.md.
Source
    errorbar's own.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.standoff_texts import extract_standoff, words_of
from errorbar.formats.catalog import is_xml
from errorbar.formats.hoo_edits import read_edits
from errorbar.formats.hoo_folder import FragmentFiles, list_run, read_text
from errorbar.formats.hoo_xml import DataFile
from errorbar.formats.look import display_name

Edits = Sequence[StandoffEdit]
SHORT, LONG = 4, 40
LEAST_PAIRS = 0.3  # unrelated texts of 2011 share 0.05 to 0.1 of their word pairs; all gold edits leave 0.75 or more
LEAST_TRIPLES = 0.2  # of sentences of 4 to 25 words, ten annotators' keep 0.31 and more; unrelated ones share 0.13
MOST_WORDS, SPARE_WORDS = 3, 10  # times its words that a short text's correction has at most, and some to spare
PIECE = 64  # files: a tenth of a second of work, so that a few hundred fragments keep several workers busy


def read_run(
    path: str, name: str, gold: Sequence[Fragment], problems: Problems, *, missing_as_empty: bool = False
) -> list[Edits]:
    """A run's edits of each fragment, from edit files or corrected texts, checked against its text."""
    files = list_run(path, name, [each.name for each in gold], problems)
    found = [file_edits(files.get(each.name), each, problems) for each in gold]
    say_missing(name, [each.name for each in gold if each.name not in files], problems, as_empty=missing_as_empty)
    return found


def file_edits(file: DataFile | None, fragment: Fragment, problems: Problems) -> Edits:
    """A run's edits of a fragment, from an edit file or a corrected text; none without a file."""
    if file is None:
        return ()
    if is_xml(file.path):
        return read_edits(file, fragment.name, problems, text=fragment.text, system=True).edits
    return text_edits(fragment, read_text(file, problems), display_name(file.path), problems)


def text_edits(fragment: Fragment, corrected: str, file: str, problems: Problems) -> Edits:
    """The edits from a text to a corrected one; without a text, or with little in common, that is a problem."""
    if fragment.text is None:
        what = f"no source text of fragment {fragment.name}, so the edits of a corrected text cannot be found"
        fix = "name the source texts: --documents=FOLDER, of check and convert --source=FOLDER"
        problems.error("hoo-no-text", what, Place(file), fix=fix)
        return ()
    if reason := why_no_correction(fragment.text, corrected):
        what = f"fragment {fragment.name}: this text seems to be another one: {reason}"
        problems.repairable("hoo-not-a-correction", what, Place(file), "scored as it is", "a corrected version of it")
        if not problems.lenient:
            return ()
    return tuple(extract_standoff(fragment.text, corrected, fragment.name))


def say_missing(run: str, missing: Sequence[str], problems: Problems, *, as_empty: bool) -> None:
    """Record the fragments that a run lacks, if there are any; with ``as_empty`` they are no error."""
    what = f"no file for fragment {', '.join(missing)}"
    if missing and as_empty:
        problems.note("hoo-missing", what, Place(run), "scored as if nothing were proposed there")
    elif missing:
        problems.error("hoo-missing", what, Place(run), fix="add it, or use --metric='hoo(missing=empty)'")


def why_no_correction(source: str, target: str) -> str:
    """Say why a text cannot be a correction of the source; ``""`` where it can."""
    n_source, n_target = len(words_of(source).tokens), len(words_of(target).tokens)
    if n_source >= LONG:
        share = kept_pairs(source, target)
        return f"it keeps {share:.0%} of the source's word pairs" if share < LEAST_PAIRS else ""
    if n_target > MOST_WORDS * n_source + SPARE_WORDS:
        return f"it has {n_target} words, the source {n_source}"
    share = kept_triples(source, target)
    if n_source >= SHORT and share < LEAST_TRIPLES:
        return f"it keeps {share:.0%} of the source's letters in threes"
    return ""


def kept_pairs(source: str, target: str) -> float:
    """The share of the source's pairs of neighboring words that also stand in the target; 1 where it has none."""
    return _kept(*(Counter(pairwise(words_of(text).tokens)) for text in (source, target)))


def kept_triples(source: str, target: str) -> float:
    """The share of the source's letter triples that also stand in the target; 1 where it has none."""
    padded = ([f" {word.casefold()} " for word in words_of(text).tokens] for text in (source, target))
    return _kept(*(Counter(word[at : at + 3] for word in words for at in range(len(word) - 2)) for words in padded))


def _kept(here: Counter[Any], there: Counter[Any]) -> float:
    return (here & there).total() / here.total() if here else 1.0


@dataclass(frozen=True, slots=True)
class FragmentReading:
    """Fragments with their gold edits and every run's edits of each, in memory, and what reading them found."""

    gold: list[Fragment]
    runs: Sequence[Sequence[Edits]]
    problems: Problems

    def read(self) -> FragmentReading:
        """Itself: a piece that is in memory."""
        return self


@dataclass(frozen=True, slots=True)
class FragmentPiece:
    """The files of some fragments, unread: what workers of ``errorbar.execute`` are given."""

    files: tuple[FragmentFiles, ...]
    n_runs: int
    lenient: bool

    def read(self) -> FragmentReading:
        """Read the files, and compare corrected texts with their sources."""
        problems = Problems(lenient=self.lenient, limit=sys.maxsize)  # whoever collects them sets the limit
        gold = [each.read(problems) for each in self.files]
        pairs = list(zip(self.files, gold, strict=True))
        runs = [[file_edits(own.runs[k], one, problems) for own, one in pairs] for k in range(self.n_runs)]
        return FragmentReading(gold, runs, problems)


def cut_fragments(
    files: Sequence[FragmentFiles], n_runs: int, *, lenient: bool, carry: bool = False
) -> Iterator[FragmentPiece]:
    """Cut by the number of files, never by that of the workers; ``carry``: for workers that cannot open them."""
    size = max(1, PIECE // (n_runs + 1))
    for start in range(0, len(files), size):
        own = files[start : start + size]
        yield FragmentPiece(tuple(each.loaded() if carry else each for each in own), n_runs, lenient)
