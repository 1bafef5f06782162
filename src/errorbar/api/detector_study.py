"""The results of detectors on judged items: those of ``crowd sweep`` and ``crowd score``, and these word by word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from errorbar.api.crowd import Sweeps
from errorbar.metrics.crowd_weighted import CrowdScore, Truth

Marked = tuple[str, str, str]
"""A sentence in three parts; the second is the word that is judged."""


@dataclass(frozen=True, slots=True)
class WordScore:
    """Everything that is judged of one written word under a detector's flags."""

    word: str  # in lower case; "" for all the words that have no row of their own
    n_flagged: int  # how many of them are flagged
    scores: Mapping[Truth, CrowdScore]  # P, R and F by what counts as an error


class WordConfusion(NamedTuple):
    """A written word and what a detector suggests instead, among what it flags."""

    written: str
    suggested: str  # "": nothing
    n_flagged: int
    n_marked: int  # of these, what a judge calls an error
    n_agreed: int | None  # of these, what an annotator writes too; None where nobody says what should stand there


@dataclass(frozen=True, slots=True)
class HardItem:
    """An item on which a detector and the judges disagree."""

    item: str  # its name
    sentence: str  # the number of its sentence, from 1; "" where the item's name does not tell
    text: Marked | None  # the sentence; None where it is not known, or not to be shown
    word: str  # what is judged
    score: float | None  # the detector's, None without one
    suggestion: str | None  # what the detector would write, "": nothing; None: it does not say
    share: float  # of judges who call it an error
    n_judges: int  # how many judged it
    written: Mapping[str, int]  # what annotators write instead, how many each; "": nothing


@dataclass(frozen=True, slots=True, eq=False)
class DetectorResult:
    """One detector, as it flags."""

    name: str
    n_flagged: int
    scores: Mapping[Truth, CrowdScore]  # P, R and F of its flags by what counts as an error
    words: Sequence[WordScore]  # the same for each word, frequent ones first
    confusions: Sequence[WordConfusion]  # by word and suggestion, frequent ones first; empty: it suggests nothing
    false_alarms: Sequence[HardItem]  # what it flags and no judge calls an error, the highest score first
    misses: Sequence[HardItem]  # what most judges call an error and it does not flag, the most judges first
    n_false_alarms: int  # how many of these there are; ``n_misses`` likewise
    n_misses: int


@dataclass(frozen=True, slots=True, eq=False)
class DetectorStudy:
    """Detectors against the judges of the same items."""

    n_items: int  # items with a judgment
    n_judges: int  # how many judges there are
    annotated: bool  # the judges are annotators of a corpus, who also say what should stand there
    unit: str  # what intervals take for independent
    detectors: Sequence[DetectorResult]  # in the order given
    sweeps: Mapping[Truth, Sweeps]  # under every threshold, by what an error is; of those that score every item
    written: Mapping[tuple[str, str], int]  # what annotators write instead of a word, how many judgments; "": nothing
    signatures: Mapping[str, str]  # title to signature
