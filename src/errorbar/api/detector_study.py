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
    """Everything that is judged of one written word under a detector's flags.

    Attributes:
        word: In lower case; "" for all the words that have no row of their own.
        n_flagged: How many of them are flagged.
        scores: P, R and F by what counts as an error.
    """

    word: str
    n_flagged: int
    scores: Mapping[Truth, CrowdScore]


class WordConfusion(NamedTuple):
    """A written word and what a detector suggests instead, among what it flags."""

    written: str
    suggested: str  # "": nothing
    n_flagged: int
    n_marked: int  # of these, what a judge calls an error
    n_agreed: int | None  # of these, what an annotator writes too; None where nobody says what should stand there


@dataclass(frozen=True, slots=True)
class HardItem:
    """An item on which a detector and the judges disagree.

    Attributes:
        item: Its name.
        sentence: The number of its sentence, from 1; "" where the item's name does not tell.
        text: The sentence; None where it is not known, or not to be shown.
        word: What is judged.
        score: The detector's, None without one.
        suggestion: What the detector would write, "": nothing; None: it does not say.
        share: Of judges who call it an error.
        n_judges: How many judged it.
        written: What annotators write instead, how many each; "": nothing.
    """

    item: str
    sentence: str
    text: Marked | None
    word: str
    score: float | None
    suggestion: str | None
    share: float
    n_judges: int
    written: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class DetectorResult:
    """One detector, as it flags.

    Attributes:
        scores: P, R and F of its flags by what counts as an error.
        words: The same for each word, frequent ones first.
        confusions: What it flags by word and suggestion, frequent ones first; empty where it suggests nothing.
        false_alarms: What it flags and no judge calls an error, the highest score first.
        misses: What most judges call an error and it does not flag, the most judges first.
        n_false_alarms: How many of these there are; ``n_misses`` likewise.
    """

    name: str
    n_flagged: int
    scores: Mapping[Truth, CrowdScore]
    words: Sequence[WordScore]
    confusions: Sequence[WordConfusion]
    false_alarms: Sequence[HardItem]
    misses: Sequence[HardItem]
    n_false_alarms: int
    n_misses: int


@dataclass(frozen=True, slots=True, eq=False)
class DetectorStudy:
    """Detectors against the judges of the same items.

    Attributes:
        n_items: Items with a judgment.
        n_judges: How many judges there are.
        annotated: The judges are annotators of a corpus, who also say what should stand there.
        unit: What intervals resample.
        detectors: In the order given.
        sweeps: Under every threshold, by what counts as an error; of detectors that score every item.
        written: What annotators write instead of a word, how many judgments; "": nothing.
        signatures: Title to signature.
    """

    n_items: int
    n_judges: int
    annotated: bool
    unit: str
    detectors: Sequence[DetectorResult]
    sweeps: Mapping[Truth, Sweeps]
    written: Mapping[tuple[str, str], int]
    signatures: Mapping[str, str]
