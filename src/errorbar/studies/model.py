"""What a report is made of: results of the library, gathered and not yet put into words.

A study holds what the commands ``score``, ``compare``, ``ceiling``, ``agree``, ``crowd score``, ``curve`` and
``sample estimate`` give for the same input and the same seed, digit for digit: it calls the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.core.errors import Problem
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo_counts import TYPE_COLUMNS
from errorbar.metrics.scored import Score
from errorbar.sampling import SampleEstimate, SampleEstimates
from errorbar.studies.agree import AgreementResult
from errorbar.studies.attack_result import Attacked
from errorbar.studies.browse import Browse
from errorbar.studies.ceiling_result import CeilingResult
from errorbar.studies.compare import ComparisonResult
from errorbar.studies.crowd import CrowdScores
from errorbar.studies.curve import Curves
from errorbar.studies.detector_result import DetectorStudy
from errorbar.studies.hoo_scores import in_order


@dataclass(frozen=True, slots=True, eq=False)
class CorpusStudy:
    """Systems against annotators of an M2 or JSONL corpus; what the data does not allow is None.

    Attributes:
        unit: ``document`` or ``sentence``: what was resampled.
        scores: Of each system under the main metric, with intervals, types and sentences; in the order given.
        others: Under further metrics or choices of annotators (``choose=sentence`` always, where there are two
            annotators or more): spec to the systems' scores, without intervals.
        agreement: Of the annotators, about tokens.
        attacked: Where systems that nobody would want land under the metrics that were asked for.
        detectors: Detectors of errors against the annotators, beside the systems.
    """

    name: str
    unit: str
    n_sentences: int
    n_documents: int | None
    annotators: tuple[str, ...]
    scores: Sequence[Score]
    others: Mapping[str, Sequence[Score]]
    comparison: ComparisonResult | None
    ceiling: CeilingResult | None
    agreement: AgreementResult | None
    browse: Browse | None
    notes: Sequence[Problem]
    confidence_level: float
    metric: Metric  # the main one
    attacked: Attacked | None = None
    detectors: DetectorStudy | None = None

    @property
    def groups(self) -> list[str]:
        """Letters of the systems, in the order of ``scores``: systems that share one do not differ significantly.

        A question mark stands where no difference with some other system could have been significant.
        """
        found = {} if self.comparison is None else {row.name: row.group for row in self.comparison.ranking()}
        return [found.get(one.system, "") for one in self.scores]

    @property
    def signatures(self) -> dict[str, str]:
        """What was computed on which data how: title to signature."""
        parts = {"compare": self.comparison, "ceiling": self.ceiling, "agree": self.agreement}
        said = {f"score: {one.system}": str(one.signature) for one in self.scores}
        said |= {title: part.signature for title, part in parts.items() if part is not None}
        landings = () if self.attacked is None else self.attacked.landings
        said |= {f"attacks: {under.metric}": line for under in landings for line in under.signature_lines}
        return said if self.detectors is None else {**said, **self.detectors.signatures}


@dataclass(frozen=True, slots=True, eq=False)
class HooStudy:
    """Runs against HOO gold edits.

    Attributes:
        scores: Of each run, with intervals over fragments and recall by the rows of table 8.
        variants: Under other conventions or ``matching=maxmatch``: spec to scores, without intervals.
    """

    name: str
    scores: Sequence[Score]
    variants: Mapping[str, Sequence[Score]]
    browse: Browse | None
    notes: Sequence[Problem]
    confidence_level: float

    @property
    def recall(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Recall by the rows of table 8: run to row to (gold, detected, recognized, corrected)."""
        return {
            score.system: {
                row.type: tuple(row.counts[name] for name in TYPE_COLUMNS) for row in in_order(score.by_type)
            }
            for score in self.scores
        }

    @property
    def signatures(self) -> dict[str, str]:
        """Title to signature."""
        return {f"score: {score.system}": str(score.signature) for score in self.scores}


@dataclass(frozen=True, slots=True, eq=False)
class CrowdStudy:
    """Judgments of items by many raters, and systems against them; with one rater there is no agreement."""

    name: str
    n_items: int
    n_raters: int
    n_judgments: int
    histogram: Mapping[tuple[float, float], int]  # share of the majority (low edge, high edge) to number of items
    scores: CrowdScores
    curves: Curves
    agreement: AgreementResult | None
    notes: Sequence[Problem]
    confidence_level: float
    detectors: DetectorStudy | None = None  # of the systems those with scores, under every threshold

    @property
    def signatures(self) -> dict[str, str]:
        """What was computed on which data how: title to signature."""
        said = {f"crowd score: {row.system}, {row.score.estimand}": row.signature for row in self.scores.rows}
        if self.agreement is not None:
            said["agree"] = self.agreement.signature
        return said if self.detectors is None else {**said, **self.detectors.signatures}


@dataclass(frozen=True, slots=True)
class BudgetStep:
    """The expected half-widths of P, R and F, None where there are none, that so many judgments in all would buy."""

    n_judgments: int
    half_widths: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, eq=False)
class SampleStudy:
    """Estimates from a judged sample, of two systems also their differences; and what was spent and more would buy."""

    name: str
    n_items: int  # of the corpus that was sampled from
    n_judged: int
    systems: Sequence[SampleEstimates]
    differences: Sequence[SampleEstimate]
    budget: Sequence[BudgetStep]
    signatures: Mapping[str, str]
    notes: Sequence[Problem]


Study = CorpusStudy | HooStudy | CrowdStudy | SampleStudy
