"""Estimates of every system that a sample was drawn for, and of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.core.errors import Problem
from errorbar.sampling.estimate import Method, SampleEstimates, estimate_sample
from errorbar.sampling.strata import Strata
from errorbar.sampling.totals import Assisted, Sample
from errorbar.sampling.two_systems import PairedDifference, paired_differences
from errorbar.stats.streams import stream


@dataclass(frozen=True, slots=True)
class SystemEstimates:
    """What a sample says of its systems.

    Attributes:
        systems: One per system, in the order of the strata.
        differences: First system minus second, where there are two.
    """

    systems: Sequence[SampleEstimates]
    differences: Sequence[PairedDifference]

    @property
    def notes(self) -> list[Problem]:
        """Warnings of all systems, each once."""
        return list(dict.fromkeys(note for one in self.systems for note in one.notes))


def estimate_systems(
    strata: Strata,
    sample: Sample,
    *,
    beta: float = 1.0,
    method: Method = "near-exact",
    confidence_level: float = 0.95,
    seed: int = 0,
    assisted: Assisted | None = None,
) -> SystemEstimates:
    """Estimate each system, and with two of them their differences.

    Args:
        strata: What was sampled from.
        sample: What was judged.
        beta: Weight of recall in F.
        method: Of the intervals.
        confidence_level: Of the intervals.
        seed: Of the Bayesian intervals, which are those of each system alone.
        assisted: Totals that use cheap votes, or None.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    found = [
        estimate_sample(
            strata,
            sample,
            system=system,
            beta=beta,
            method=method,
            confidence_level=confidence_level,
            rng=stream(seed, "sample", "bayes"),
            assisted=assisted,
        )
        for system in range(len(strata.systems))
    ]
    if len(found) != 2:
        return SystemEstimates(found, ())
    return SystemEstimates(
        found, paired_differences(strata, sample, beta=beta, confidence_level=confidence_level, assisted=assisted)
    )
