"""How often intervals of audits hold the truth, where edits are drawn again and again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from errorbar import Problems
from errorbar.api import ValidityRule
from errorbar.core import Counts, Floats
from errorbar.sampling import JudgedSample, Sample
from errorbar.sampling.audit import AuditAnswers, AuditStrata, OfficialCounts, audit_allocation, estimate_audit
from errorbar.sampling.draw import sample_of
from errorbar.sampling.prediction_powered import combined_totals
from errorbar.stats import stream
from tests.helpers.expectations import require


def audit_coverage(strata: AuditStrata, valid: Counts, n: Counts, runs: int) -> dict[str, float]:
    """The share of audits whose intervals hold the audited precision of everything judged, by system and difference."""
    truth = {name: value for name, (value, _) in _values(strata, strata.sizes, valid.astype(np.float64)).items()}
    rng, held = stream(17, "audit"), Counter[str]()
    for _ in range(runs):
        x = rng.hypergeometric(valid, strata.sizes - valid, n).astype(np.float64)
        for name, (_, ends) in _values(strata, n, x).items():
            held[name] += ends[0] <= truth[name] <= ends[1]
    return {name: held[name] / runs for name in truth}


def _values(strata: AuditStrata, n: Counts, x: Floats) -> dict[str, tuple[float, tuple[float, float]]]:
    systems, differences = estimate_audit(strata, AuditAnswers(Sample(n, x)))
    named = [(system.system.name, system.precision) for system in systems]
    named += [(f"{difference.first} - {difference.second}", difference.audited) for difference in differences]
    found = {}
    for name, estimate in named:
        assert estimate.value is not None
        interval = estimate.interval
        found[name] = (
            estimate.value,
            ((estimate.value, estimate.value) if interval is None else (interval.low, interval.high)),
        )
    return found


@dataclass(frozen=True)
class Audits:
    """Audits of a system of which 1,000 edits match nobody; 200 are judged; ``accuracy``: of each of three votes."""

    precision: float  # official
    share: float  # of valid ones
    cuts: tuple[int, ...] = (1000,)  # strata
    accuracy: float | None = None

    def coverage(self, runs: int, budget: int = 200) -> tuple[float, float]:
        """How often the interval holds the value of all edits, and its mean half-width."""
        rng, sizes = stream(23, "audits", repr(self)), np.array(self.cuts, np.int64)
        unmatched, codes = int(sizes.sum()), np.repeat(np.arange(len(sizes)), sizes)
        proposed = round(unmatched / (1 - self.precision))
        system = OfficialCounts("a", proposed - unmatched, proposed, 2 * proposed)
        strata = AuditStrata(tuple(map(str, range(len(sizes)))), sizes, np.ones((1, len(sizes)), np.bool_), (system,))
        shares = np.clip(self.share + np.linspace(-0.15, 0.15, len(sizes)) * (len(sizes) > 1), 0.01, 0.99)
        y = np.concatenate([rng.permutation(n) < round(n * p) for n, p in zip(sizes, shares, strict=True)]).astype(
            float
        )
        truth, n, items = (
            (system.correct + y.sum()) / proposed,
            audit_allocation(strata, budget),
            list(map(str, range(len(y)))),
        )
        held, width = 0, 0.0
        for _ in range(runs):
            at = np.concatenate([rng.choice(np.flatnonzero(codes == h), k, replace=False) for h, k in enumerate(n)])
            sample = sample_of(codes[at], y[at], np.ones(len(at), np.int64), len(sizes), graded=False)
            assisted = None
            if self.accuracy is not None:
                said = rng.random((len(y), 3)) < np.where(y == 1, self.accuracy, 1 - self.accuracy)[:, None]
                judged = JudgedSample([items[i] for i in at], codes[at], y[at], sample)
                cheap = dict(zip(items, said.mean(axis=1).tolist(), strict=True))
                assisted = combined_totals(strata, codes, items, judged, cheap, Problems())
            made = require(estimate_audit(strata, AuditAnswers(sample, assisted))[0][0].precision.interval)
            held += made.low <= truth <= made.high
            width += (made.high - made.low) / 2 / runs
        return float(held) / runs, float(width)


def judged_anew(judges: int, rule: str, runs: int, *, seed: int = 0) -> tuple[float, float]:
    """How often intervals over edits, and over edits and judges, hold what such judges would find on average.

    Of 800 edits, 250 are judged by all of some judges, drawn anew each time: judge j says valid of edit i with the
    logit a_i + b_j, a_i of mean -1 and SD 1.5, b_j of SD .5.
    """
    rng, decide = stream(seed, "judged anew", rule, str(judges)), ValidityRule.of(rule)
    strata = AuditStrata(("a",), np.array([800]), np.array([[True]]), (OfficialCounts("a", 800, 1600, 3000),))
    item = rng.normal(-1, 1.5, 800)

    def verdicts(which: Counts) -> np.ndarray:
        logit = item[which][:, None] + rng.normal(0, 0.5, judges)
        return np.asarray(rng.random((len(which), judges)) < 1 / (1 + np.exp(-logit)))

    every = np.arange(800)
    valid = [decide.truths(verdicts(every).sum(axis=1), np.full(800, judges)).sum() for _ in range(4000)]
    truth, held = (800 + np.mean(valid)) / 1600, [0, 0]
    for _ in range(runs):
        said = verdicts(rng.choice(800, 250, replace=False))

        def heard(said: np.ndarray, *, short: bool = False) -> AuditAnswers:
            told = np.full(250, said.shape[1])
            truths = decide.truths(said.sum(axis=1), told, np.full(250, short))
            return AuditAnswers(sample_of(np.zeros(250, np.int64), truths, told, 1, graded=rule == "graded"))

        without = [heard(np.delete(said, j, axis=1), short=True) for j in range(judges)]
        (system,), _ = estimate_audit(strata, heard(said), without=without)
        for at, interval in enumerate((system.precision.interval, system.judges.interval)):
            held[at] += interval is not None and interval.low <= truth <= interval.high
    return float(held[0]) / runs, float(held[1]) / runs
