"""MaxMatch for stand-off edits: what a system changed is cut anew, so that it agrees best with the gold edits.

The HOO paper's own remark: systems are penalized for cutting the same changes into other edits than annotators.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from errorbar.core.edit import Edit, Fragment, StandoffEdit, in_text_order
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.edits.maxmatch import max_match
from errorbar.edits.standoff import LETTERS, apply_standoff, extract_standoff, words_of
from errorbar.formats.hoo import FragmentFiles, HooFile, list_run, read_edits, read_text
from errorbar.formats.look import display_name

# Squares of the tokens of stretches that are searched (the mean of both sides), in all, and more for each character.
MOST_CELLS, CELLS_A_CHARACTER = 400_000, 10
_TOKEN = re.compile(rf"{LETTERS}|\s+|[^\w\s]")
_SPACE = "\u2423"  # stands for white space in tokens, which the search separates by spaces


def redecompose(gold: Fragment, system: Sequence[StandoffEdit], *, max_unchanged: int = 2) -> list[StandoffEdit]:
    """Cut a system's changes into the edits that agree best with the gold edits.

    Stretches are searched: the spans of gold and system edits, joined where no more than ``max_unchanged`` words lie
    between them. White space counts as a token, so that spans are exact. Edits that overlap make no text and stay as
    they are. Without a text, or with stretches too long to be searched, an ``InputError``.
    """
    text = gold.text
    if text is None:
        message = f"fragment {gold.name} has no source text, which matching=maxmatch needs"
        raise InputError(Problem("hoo-no-text", message, Place(gold.file), fix="--source=FOLDER"))
    if not system:
        return []
    agreeing: list[StandoffEdit] = []
    clear = _apart([edit for edit in system if edit.corrections and edit.end <= len(text)])
    left = MOST_CELLS + CELLS_A_CHARACTER * len(text)
    for low, high, theirs, mine in _stretches(text, gold.edits, system, max_unchanged):
        known = [edit for edit in mine if edit in clear]
        agreeing += [edit for edit in mine if edit not in clear]  # also those that change no text
        if theirs and known:
            n_tokens = _n_tokens(text[low:high])
            gained = sum(_n_tokens(edit.corrections[0]) - _n_tokens(text[edit.start : edit.end]) for edit in known)
            n_tokens += max(gained, 0) // 2  # as many on both sides: a short one beside a long one is found no sooner
            left -= n_tokens * n_tokens
            if left < 0:
                message = f"fragment {gold.name}: its edits lie too close together, {n_tokens:,} tokens of them from"
                message += f" character {low} on"
                place = Place(gold.file)
                raise InputError(
                    Problem("hoo-too-dense", message, place, "stretches of some hundred", "matching=edits")
                )
            anew = list(_search(text, low, high, theirs, known, max_unchanged))
            # The search merges neighbors that touch, so the edits as they were can agree better.
            known = max(known, anew, key=lambda edits: _agreeing(edits, theirs))
        agreeing += known
    return sorted(agreeing, key=lambda edit: (edit.start, edit.end))


def _n_tokens(text: str) -> int:
    return sum(1 for _ in _TOKEN.finditer(text))


def _apart(edits: Sequence[StandoffEdit]) -> set[StandoffEdit]:
    """Those that overlap no other one."""
    ordered = in_text_order(edits)
    reach = [0, *accumulate((edit.end for edit in ordered), max)]  # of all edits before each
    free = [edit.start >= before for edit, before in zip(ordered, reach, strict=False)]
    return {edit for edit, left, right in zip(ordered, free, [*free[1:], True], strict=True) if left and right}


def _stretches(
    text: str, gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], max_unchanged: int
) -> Iterator[tuple[int, int, list[StandoffEdit], list[StandoffEdit]]]:
    """Where edits lie close together, and the edits of either side there, in the order given."""
    ends: dict[int, int] = {}  # of each stretch, by its start
    low = high = -1
    for start, end in sorted((edit.start, edit.end) for edit in (*gold, *system)):
        if low < 0 or (start > high and len(text[high:start].split()) > max_unchanged):
            low, high = start, end
        ends[low] = high = max(high, end)
    starts = list(ends)
    dealt: dict[int, tuple[list[StandoffEdit], list[StandoffEdit]]] = {low: ([], []) for low in starts}
    for side, edits in enumerate((gold, system)):
        for edit in edits:
            dealt[starts[bisect_right(starts, edit.start) - 1]][side].append(edit)
    for low, (theirs, mine) in dealt.items():
        yield low, ends[low], theirs, mine


def _agreeing(edits: Sequence[StandoffEdit], gold: Sequence[StandoffEdit]) -> int:
    proposed = {(edit.start, edit.end, edit.corrections[0]) for edit in edits}
    return sum(any((edit.start, edit.end, text) in proposed for text in edit.corrections) for edit in gold)


def _search(
    text: str, low: int, high: int, gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], max_unchanged: int
) -> Iterator[StandoffEdit]:
    moved = [edit._replace(start=edit.start - low, end=edit.end - low) for edit in system]
    after = apply_standoff(text[low:high], moved)
    borders = {edit.start for edit in (*gold, *system)} | {edit.end for edit in (*gold, *system)}
    # The tokens of the stretch, which is also cut where an edit begins or ends.
    ends = {word.end() for word in _TOKEN.finditer(text, low, high)}
    offsets = [low, *sorted(at for at in ends | borders if low < at <= high)]
    tokens = [_code(text[a:b]) for a, b in pairwise(offsets)]
    number = {offset: at for at, offset in enumerate(offsets)}
    reference = [Edit(number[edit.start], number[edit.end], tuple(map(_encode, edit.corrections))) for edit in gold]
    # Between two words stands a token of white space: k unchanged words are up to 2k + 1 unchanged tokens.
    match = max_match(tokens, _encode(after).split(), reference, max_unchanged=2 * max_unchanged + 1)
    for edit in match.proposed:
        start, end = offsets[edit.start], offsets[edit.end]
        letters = "".join(_decode(token) for token in edit.replacements[0].split())
        yield StandoffEdit("", start, end, text[start:end], (letters,))


def _encode(text: str) -> str:
    return " ".join(_code(token) for token in _TOKEN.findall(text))


def _code(token: str) -> str:
    return _SPACE + token.encode("utf-8").hex() if token.isspace() else token


def _decode(token: str) -> str:
    return bytes.fromhex(token[1:]).decode("utf-8") if token.startswith(_SPACE) and len(token) > 1 else token


# Runs as edits of every fragment: edit files as they are, corrected texts compared with the source.
#
# Formula
#     Whether a text can be a correction of another one, a quick test against files that were mixed up: of a text with
#     ``LONG`` words or more, the share of neighboring word pairs that stand in the other text too; of a shorter one, of
#     which a good correction can leave no pair, the share of its letter triples (within words, case ignored, a space at
#     either end of a word). Each counts as often as it stands in both.
# Conventions
#     A text of fewer than ``SHORT`` words can be corrected into anything, but not into a text many times as long.
#     Thresholds were set on real data: docs/design/hoo.md.
# Source
#     errorbar's own.


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
    edits = [file_edits(files.get(each.name), each, problems) for each in gold]
    say_missing(name, [each.name for each in gold if each.name not in files], problems, as_empty=missing_as_empty)
    return edits


def file_edits(file: HooFile | None, fragment: Fragment, problems: Problems) -> Edits:
    """A run's edits of a fragment, from an edit file or a corrected text; none without a file."""
    if file is None:
        return ()
    if file.has_edits:
        return read_edits(file, fragment.name, problems, text=fragment.text, system=True).edits
    return text_edits(fragment, read_text(file, problems), display_name(file.path), problems)


def text_edits(fragment: Fragment, corrected: str, file: str, problems: Problems) -> Edits:
    """The edits from a text to a corrected one; without a text, or with little in common, that is a problem."""
    if fragment.text is None:
        message = f"no source text of fragment {fragment.name}, so the edits of a corrected text cannot be found"
        fix = "name the source texts: --source=FOLDER"
        problems.error("hoo-no-text", message, Place(file), fix=fix)
        return ()
    if reason := why_no_correction(fragment.text, corrected):
        message = f"fragment {fragment.name}: this text seems to be another one: {reason}"
        problems.repairable(
            "hoo-not-a-correction", message, Place(file), "scored as it is", "a corrected version of it"
        )
        if not problems.lenient:
            return ()
    return tuple(extract_standoff(fragment.text, take_line_ends(corrected, fragment.text), fragment.name))


def take_line_ends(text: str, source: str) -> str:
    """Give a text the line ends of its source, also at its end: editors change them, and no annotator marks that."""
    if source.count("\r\n") in (0, source.count("\n")):  # else both kinds stand in the source
        text = text.replace("\r\n", "\n").replace("\n", "\r\n" if "\r\n" in source else "\n")
    return text.rstrip("\r\n") + source[len(source.rstrip("\r\n")) :]


def say_missing(run: str, missing: Sequence[str], problems: Problems, *, as_empty: bool) -> None:
    """Record the fragments that a run lacks, if there are any; with ``as_empty`` they are no error."""
    message = f"no file for fragment {', '.join(missing)}"
    if missing and as_empty:
        problems.note("hoo-missing", message, Place(run), "scored as if nothing were proposed there")
    elif missing:
        problems.error("hoo-missing", message, Place(run), fix="add it, or use --metric='hoo(missing=empty)'")


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
    return _shared_part(*(Counter(pairwise(words_of(text).tokens)) for text in (source, target)))


def kept_triples(source: str, target: str) -> float:
    """The share of the source's letter triples that also stand in the target; 1 where it has none."""
    padded = ([f" {word.casefold()} " for word in words_of(text).tokens] for text in (source, target))
    return _shared_part(
        *(Counter(word[at : at + 3] for word in words for at in range(len(word) - 2)) for words in padded)
    )


def _shared_part(here: Counter[Any], there: Counter[Any]) -> float:
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
        yield FragmentPiece(tuple(each.load() if carry else each for each in own), n_runs, lenient)
