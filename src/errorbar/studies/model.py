"""What a report is made of: results of the library, gathered and not yet put into words.

A study holds what the commands ``score``, ``compare``, ``ceiling``, ``agree``, ``crowd score``, ``curve`` and
``sample estimate`` give for the same input and the same seed, digit for digit: it calls the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.agreement import AgreementReport
from errorbar.ceilings import Ceiling
from errorbar.ceilings.spread import CeilingIntervals
from errorbar.core.errors import Problem
from errorbar.metrics.comparison import Comparison
from errorbar.metrics.crowd_agreement import AgreementBin, CurvePoint
from errorbar.metrics.crowd_weighted import CrowdScore, Estimand
from errorbar.metrics.score import Score
from errorbar.sampling import SampleEstimate, SampleEstimates
from errorbar.studies.browse import Browse


@dataclass(frozen=True, slots=True, eq=False)
class CorpusStudy:
    """Systems against annotators of an M2 or JSONL corpus.

    Attributes:
        name: What to call the corpus.
        unit: ``document`` or ``sentence``: what was resampled.
        n_sentences: Sentences.
        n_documents: Essays, or None where they are not known.
        annotators: Their names.
        scores: Of each system under the main metric, with intervals, types and sentences; in the order given.
        others: Under further metrics or choices of annotators (``choose=sentence`` always, where there are two
            annotators or more): spec to the systems' scores, without intervals.
        comparison: Every pair of systems; None with fewer than two systems or units.
        groups: Letters of the systems, in the order of ``scores``: systems that share one do not differ significantly;
            a question mark where no difference with some other system could have been significant.
        ceiling: Humans against humans; None with one annotator.
        ceiling_intervals: Intervals of those, where asked for.
        agreement: Agreement of annotators about tokens; None with one annotator.
        browse: Sentences and edits.
        signatures: What was computed on which data how: title to signature.
        notes: Warnings and repairs.
        confidence_level: Of every interval.
    """

    name: str
    unit: str
    n_sentences: int
    n_documents: int | None
    annotators: tuple[str, ...]
    scores: Sequence[Score]
    others: Mapping[str, Sequence[Score]]
    comparison: Comparison | None
    groups: Sequence[str]
    ceiling: Ceiling | None
    ceiling_intervals: CeilingIntervals | None
    agreement: AgreementReport | None
    browse: Browse | None
    signatures: Mapping[str, str]
    notes: Sequence[Problem]
    confidence_level: float


@dataclass(frozen=True, slots=True, eq=False)
class HooStudy:
    """Runs against HOO gold edits.

    Attributes:
        name: What to call the data.
        scores: Of each run, with intervals over fragments.
        variants: Under other conventions or ``matching=maxmatch``: spec to scores, without intervals.
        recall: Recall by the rows of table 8: run to row to (gold, detected, recognized, corrected).
        browse: Texts and edits.
        signatures: Title to signature.
        notes: Warnings and repairs.
        confidence_level: Of every interval.
    """

    name: str
    scores: Sequence[Score]
    variants: Mapping[str, Sequence[Score]]
    recall: Mapping[str, Mapping[str, tuple[int, ...]]]
    browse: Browse | None
    signatures: Mapping[str, str]
    notes: Sequence[Problem]
    confidence_level: float


@dataclass(frozen=True, slots=True, eq=False)
class CrowdSystem:
    """A system against a crowd.

    Attributes:
        name: Its name.
        scores: Estimand to score.
        bins: P and R by agreement.
        curve: The kappa-agreement curve.
    """

    name: str
    scores: Mapping[Estimand, CrowdScore]
    bins: Sequence[AgreementBin]
    curve: Sequence[CurvePoint]


@dataclass(frozen=True, slots=True, eq=False)
class CrowdStudy:
    """Judgments of items by many raters, and systems against them.

    Attributes:
        name: What to call the judgments.
        n_items: Items.
        n_raters: Raters.
        n_judgments: Judgments.
        histogram: Share of the majority (low edge, high edge) to number of items.
        agreement: Agreement coefficients; None with one rater.
        systems: The systems, in the order given.
        reference_prevalence: Share of errors that kappa is standardised to.
        signatures: Title to signature.
        notes: Warnings and repairs.
    """

    name: str
    n_items: int
    n_raters: int
    n_judgments: int
    histogram: Mapping[tuple[float, float], int]
    agreement: AgreementReport | None
    systems: Sequence[CrowdSystem]
    reference_prevalence: float
    signatures: Mapping[str, str]
    notes: Sequence[Problem]


@dataclass(frozen=True, slots=True)
class BudgetStep:
    """What so many judgments would buy.

    Attributes:
        n_judgments: Judgments in all.
        half_widths: Quantity (P, R, F) to the expected half-width of its interval; None where it has none.
    """

    n_judgments: int
    half_widths: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, eq=False)
class SampleStudy:
    """Estimates from a judged sample.

    Attributes:
        name: What to call it.
        n_items: Items of the corpus that was sampled from.
        n_judged: Items that were judged.
        systems: Estimates of each system.
        differences: Of two systems, paired; empty with one.
        budget: What more judgments would buy, smallest first; the first is what was spent.
        signatures: Title to signature.
        notes: Warnings and repairs.
    """

    name: str
    n_items: int
    n_judged: int
    systems: Sequence[SampleEstimates]
    differences: Sequence[SampleEstimate]
    budget: Sequence[BudgetStep]
    signatures: Mapping[str, str]
    notes: Sequence[Problem]


Study = CorpusStudy | HooStudy | CrowdStudy | SampleStudy
