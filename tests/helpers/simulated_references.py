"""Simulated systems, annotators and editors: what closest references, own references and audits give in a known world.

``python -m tests.helpers.simulated_references`` prints the tables of tests/measured/references.md.

A sentence has places with an error, each with four valid corrections of falling popularity and three wrong ones, and
places without. People who write references correct an error with the chance .7; of what they write at an error the
share ``noise`` is wrong, and at each place without an error they change something with a chance of a fifth of it. A
system corrects an error with the chance .5, and six of ten of its corrections are valid. The editor of its output keeps
what is valid, takes back what is not, and corrects what is left as one who writes references does, without noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from errorbar import M2, Corpus, Problems, Resampling, Sentence
from errorbar.api.reference_cost import saved_times
from errorbar.core import Estimate
from errorbar.formats.times import FROM_SOURCE, EditingTime
from errorbar.metrics import Documents
from errorbar.metrics.edit_metric import EditStatistics, score_totals
from errorbar.metrics.golds import COMMON, OWN, GoldComparison, GoldStatistics, compare_golds, prefer_closest

Places = NDArray[np.int64]
"""What stands at each place: 0 nothing changed, 1 to 4 valid corrections, 5 to 7 wrong ones; (sentences, places)."""
ERRORS, OTHERS = 6, 4  # places of a sentence with a possible error, and without
DENSITY = 0.35  # share of the former with an error
POPULARITY = (0.5, 0.25, 0.15, 0.1)
CORRECTED, PROPOSED, VALID, NEEDLESS = 0.7, 0.5, 0.6, 0.08
WRONG = 5
COMMON_NOISE, STUDIES, EDITOR_STUDIES = 0.1, {200: 1000, 1312: 400}, {200: 600, 1312: 300}
METRIC = M2()
SIZES, NOISES = (1, 2, 3, 4, 6, 10, 20), (0.0, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class World:
    """Sentences, and the places at which they have an error."""

    wrong: NDArray[np.bool_]  # shape (sentences, places)
    rng: np.random.Generator

    @classmethod
    def draw(cls, n: int, rng: np.random.Generator) -> World:
        """Draw sentences."""
        errors = rng.random((n, ERRORS)) < DENSITY
        return cls(np.concatenate([errors, np.zeros((n, OTHERS), np.bool_)], axis=1), rng)

    def _valid(self) -> Places:
        return 1 + self.rng.choice(len(POPULARITY), size=self.wrong.shape, p=POPULARITY)

    def _mistaken(self) -> Places:
        return WRONG + self.rng.integers(3, size=self.wrong.shape)

    def _chance(self, chance: float) -> NDArray[np.bool_]:
        return self.rng.random(self.wrong.shape) < chance

    def reference(self, noise: float = 0.0, corrected: float = CORRECTED) -> Places:
        """A reference that is written from the source."""
        right = np.where(self._chance(noise), self._mistaken(), self._valid())
        at_errors = np.where(self._chance(corrected), right, 0)
        return np.where(self.wrong, at_errors, np.where(self._chance(noise / 5), self._mistaken(), 0))

    def output(self) -> Places:
        """A system's output."""
        right = np.where(self._chance(VALID), self._valid(), self._mistaken())
        at_errors = np.where(self._chance(PROPOSED), right, 0)
        return np.where(self.wrong, at_errors, np.where(self._chance(NEEDLESS), self._mistaken(), 0))

    def edited(self, output: Places, corrected: float = CORRECTED) -> Places:
        """What an editor makes of an output who corrects such a share of the errors that are left."""
        return np.where((output > 0) & (output < WRONG), output, self.reference(corrected=corrected))


def statistics(output: Places, references: Sequence[Places]) -> EditStatistics:
    """The counts of correct, proposed and reference edits, as the metric keeps them."""
    counts = [
        np.stack([((output == own) & (own > 0)).sum(axis=1), (output > 0).sum(axis=1), (own > 0).sum(axis=1)], axis=1)
        for own in references
    ]
    table = np.stack(counts, axis=1).astype(np.int32)
    present = np.ones(table.shape[:2], np.uint8)
    return EditStatistics(table, present, tuple(str(k) for k in range(len(references))))


def f_score(measured: EditStatistics) -> float:
    """F of the corpus."""
    return float(METRIC.fold(measured).values[0, METRIC.main])


def closest_statistics(measured: EditStatistics) -> EditStatistics:
    """The same against the closest reference of each sentence alone."""
    columns = prefer_closest(METRIC, measured, measured.present > 0, measured.counts[..., 2])
    return EditStatistics(measured.counts[np.arange(len(measured)), columns][:, None], measured.present[:, :1], ("0",))


def closest_bias(noise: float, n: int = 40_000, seed: int = 1) -> list[float]:
    """F against the closest of N less that against the system's own reference, for each N of ``SIZES``."""
    world = World.draw(n, np.random.default_rng(seed))
    output = world.output()
    own = f_score(statistics(output, [world.edited(output)]))
    references = [world.reference(noise) for _ in range(max(SIZES))]
    return [f_score(closest_statistics(statistics(output, references[:size]))) - own for size in SIZES]


def study(n: int, rng: np.random.Generator, replicates: int = 500, n_systems: int = 2) -> GoldComparison:
    """Equal systems under a common gold and references of their own."""
    world = World.draw(n, rng)
    common = [world.reference(COMMON_NOISE), world.reference(COMMON_NOISE)]
    outputs = [world.output() for _ in range(n_systems)]
    golds = [
        GoldStatistics(COMMON, [statistics(own, common) for own in outputs], [2] * n_systems),
        GoldStatistics(OWN, [statistics(own, [world.edited(own)]) for own in outputs], [1] * n_systems, COMMON),
    ]
    documents = Documents()
    documents.add_names([""] * n)
    how = Resampling("bca", replicates, seed=int(rng.integers(2**31)))
    return compare_golds(METRIC, golds, [f"s{k}" for k in range(n_systems)], documents, how)


def study_rates(n: int, studies: int, n_systems: int = 2, seed: int = 3) -> list[float]:
    """How often the intervals of a score and of a change hold the truth, and some pair of equal systems is told apart.

    The truth is the mean of four systems on 60,000 sentences each.
    """
    worlds = [World.draw(60_000, np.random.default_rng(900 + k)) for k in range(4)]
    outputs = [(world, world.output()) for world in worlds]
    own = fmean([f_score(statistics(output, [world.edited(output)])) for world, output in outputs])
    common = [[world.reference(COMMON_NOISE), world.reference(COMMON_NOISE)] for world in worlds]
    change = own - fmean([f_score(statistics(out, both)) for (_, out), both in zip(outputs, common, strict=True)])
    rng = np.random.default_rng(seed)
    hits = np.zeros(3)
    for _ in range(studies):
        found = study(n, rng, n_systems=n_systems)
        score = found.scores[n_systems]
        hits += (
            _holds(score.estimates["f"], own),
            _holds(score.changes["f"], change),
            any(pair.ahead for pair in found.pairs if pair.gold == OWN),
        )
    return [float(share) for share in hits / studies]


STRICTNESS = 0.08
"""Standard deviation of the share of errors that editors correct."""


def editor_rates(n: int, n_editors: int, studies: int, seed: int = 11) -> list[float]:
    """How often intervals over texts, and over texts and editors, of a change hold the truth over such editors.

    The truth is the mean of 400 sets of so many editors on 6,000 sentences each.
    """
    rng = np.random.default_rng(seed)

    def draw(size: int) -> list[EditStatistics]:
        world = World.draw(size, rng)
        output = world.output()
        shares = np.clip(rng.normal(CORRECTED, STRICTNESS, n_editors), 0.3, 1)
        own = [world.edited(output, float(share)) for share in shares]
        return [statistics(output, [world.reference(COMMON_NOISE) for _ in range(2)]), statistics(output, own)]

    large = [draw(6000) for _ in range(400)]
    truth = fmean(f_score(own) - f_score(common) for common, own in large)
    documents, hits = Documents(), np.zeros(2)
    documents.add_names([""] * n)
    for _ in range(studies):
        common, own = draw(n)
        golds = [GoldStatistics(COMMON, [common], [2]), GoldStatistics(OWN, [own], [n_editors], COMMON)]
        how = Resampling("bca", 500, seed=int(rng.integers(2**31)))
        score = compare_golds(METRIC, golds, ["s"], documents, how).scores[1]
        assert score.change_over_editors is not None
        hits += _holds(score.changes["f"], truth), _holds(score.change_over_editors, truth)
    return [float(share) for share in hits / studies]


def _holds(estimate: Estimate, truth: float) -> bool:
    interval = estimate.interval
    return interval is not None and interval.low <= truth <= interval.high


SPEED, HABIT, WORK, SHARE = 0.4, 0.2, 0.6, 0.7


def time_coverage(n_editors: int, n_sentences: int = 40, studies: int = 2000, seed: int = 5) -> tuple[float, float]:
    """How often saved time has an interval over such editors, and how often one that there is holds the truth.

    Editors differ in speed, and in what an output saves them; each sentence is edited by one half of them from the
    source, by the other half from the output. Times, speeds and habits are log-normal.
    """
    rng = np.random.default_rng(seed)
    corpus = Corpus([Sentence("a b c d e f g h i j")] * n_sentences, ())
    truth = 1 - SHARE * np.exp(HABIT**2 / 2)
    hits = known = 0
    for _ in range(studies):
        speed, habit = rng.normal(0, SPEED, n_editors), rng.normal(0, HABIT, n_editors)
        source = 20 * np.exp(speed[:, None] + rng.normal(0, WORK, (n_editors, n_sentences)))
        output = 20 * SHARE * np.exp((speed + habit)[:, None] + rng.normal(0, WORK, (n_editors, n_sentences)))
        times = [
            EditingTime(name, str(editor), sentence, float(table[editor, sentence]))
            for name, table, turn in ((FROM_SOURCE, source, 0), ("s", output, 1))
            for editor in range(n_editors)
            for sentence in range(n_sentences)
            if (editor + sentence) % 2 == turn
        ]
        (saved,) = saved_times(times, corpus, ["s"], 0.95, Problems())
        known += saved.saved.interval is not None
        hits += _holds(saved.saved, truth)
    return known / studies, hits / known


def audit_cost(half_width: float, n: int = 1312, seed: int = 7, draws: int = 4000) -> tuple[int, int, float]:
    """The cost of precision of a corpus to such a half-width: edits to judge, sentences to edit, half-width of F.

    The audit judges a random sample of the edits that neither of two annotators made; own references are made of a
    random sample of sentences. Both find the share of the system's edits that are valid.
    """
    rng = np.random.default_rng(seed)
    world = World.draw(n, rng)
    output = world.output()
    common = statistics(output, [world.reference(COMMON_NOISE) for _ in range(2)])
    correct, proposed, _ = METRIC.fold(common).counts[0]
    valid = int(((output > 0) & (output < WRONG)).sum())
    unmatched, missed = int(proposed - correct), valid - int(correct)
    share = missed / unmatched
    z = 1.96 * unmatched / proposed * np.sqrt(share * (1 - share))
    judged = next(m for m in range(10, unmatched + 1) if z * np.sqrt(1 / m - 1 / unmatched) <= half_width)
    counts = statistics(output, [world.edited(output)]).counts[:, 0]

    def half_widths(m: int) -> NDArray[np.float64]:
        sums = np.stack([counts[rng.permutation(n)[:m]].sum(axis=0) for _ in range(draws)])
        return np.asarray(1.96 * score_totals(sums, METRIC.beta).std(axis=0))

    low, high = 10, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half_widths(middle)[0] <= half_width else (middle, high)
    return judged, high, float(half_widths(high)[2])


def tables() -> Iterator[str]:
    """The rows of tests/measured/references.md, and what stands above them."""
    columns = {noise: closest_bias(noise) for noise in NOISES}
    yield "## Closest of N\n\n| N |" + "".join(f" noise {noise:g} |" for noise in NOISES)
    yield "|---" * (1 + len(NOISES)) + "|"
    for at, size in enumerate(SIZES):
        yield f"| {size} |" + "".join(f" {100 * columns[noise][at]:+.1f} |" for noise in NOISES)
    yield "\n## Intervals and pairs\n\n| sentences, systems | score | change | told apart |\n|---|---|---|---|"
    for n, n_systems in ((200, 2), (200, 4), (1312, 2), (1312, 4)):
        rates = study_rates(n, STUDIES[n], n_systems)
        yield f"| {n:,}, {n_systems} |" + "".join(f" {rate:.3f} |".replace(" 0.", " .") for rate in rates)
    yield "\n## Change over editors\n\n| editors, sentences | texts | texts and editors |\n|---|---|---|"
    for n_editors, n in ((2, 200), (3, 200), (2, 1312), (3, 1312)):
        rates = editor_rates(n, n_editors, EDITOR_STUDIES[n])
        yield f"| {n_editors}, {n:,} |" + "".join(f" {rate:.3f} |".replace(" 0.", " .") for rate in rates)
    yield "\n## Saved time\n\n| editors | has an interval | coverage |\n|---|---|---|"
    for n_editors in (2, 3, 5, 10):
        known, covered = time_coverage(n_editors)
        yield f"| {n_editors} | {known:.3f} | {covered:.3f} |".replace(" 0.", " .")
    yield "\n## Audit or own references\n"
    yield "| half-width of P | edits judged | sentences edited | ratio | half-width of F |\n|---|---|---|---|---|"
    for points in (4, 3, 2, 1.5):
        judged, edited, f = audit_cost(points / 100)
        yield f"| {points:g} | {judged} | {edited} | {judged / edited:.2f} | {100 * f:.1f} |"


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)  # noqa: T201 - a table to be kept
