"""Simulated studies with the help of a model: the table of docs/measurements/assisted.md.

Every study has a corpus of its own: 600 flagged and 2,400 other items. An item is hard or easy by a skewed latent
number, which people's truth and the model's mistakes both depend on, and texts come in two genres; no estimate knows of
either. The model answers every item once, people a random part of each stratum.

    python -m tests.sampling.assistance_runs > tests/measured/assisted.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from errorbar import Problems
from errorbar.core import Estimate, Floats
from errorbar.sampling import Estimation, Frame, JudgedSample, Sample, estimate_systems, stratify
from errorbar.sampling.assistance import Assistance, weigh_sample
from errorbar.sampling.prediction_powered import combined_totals
from errorbar.stats import stream

SEED, STUDIES = 32, 500
SIZES = (600, 2400)
RATES: Mapping[str, tuple[float, float]] = {"usual": (0.7, 0.1), "rare": (0.1, 0.01), "nearly all": (0.98, 0.9)}
"""Shares of errors among what the system flags and the other items."""
JUDGED: Mapping[str, tuple[int, ...]] = {
    "usual": (10, 30, 100, 300, 1000),
    "rare": (100, 1000),
    "nearly all": (100, 1000),
}
FLAGS = np.repeat([True, False], SIZES)
FRAME = Frame(tuple(f"i{at}" for at in range(len(FLAGS))), FLAGS[None])
STRATA, CODES = stratify(FRAME)


def good(truth: Floats, hard: Floats, genre: Floats, rng: np.random.Generator) -> Floats:
    """Right in 95 %, less on hard items."""
    del genre
    return np.abs(truth - (rng.random(len(truth)) < 0.02 + 0.15 * hard))


def biased(truth: Floats, hard: Floats, genre: Floats, rng: np.random.Generator) -> Floats:
    """Finds nearly all errors, and sees one in two of five items without: more in one genre."""
    wrong = np.where(truth > 0, 0.04, 0.25 + 0.3 * genre + 0.1 * hard)
    return np.abs(truth - (rng.random(len(truth)) < wrong))


def useless(truth: Floats, hard: Floats, genre: Floats, rng: np.random.Generator) -> Floats:
    """A coin."""
    del hard, genre
    return (rng.random(len(truth)) < 0.5).astype(np.float64)


def adversarial(truth: Floats, hard: Floats, genre: Floats, rng: np.random.Generator) -> Floats:
    """Says the contrary in four of five cases."""
    del hard, genre
    return np.abs(truth - (rng.random(len(truth)) < 0.8))


def trap(truth: Floats, hard: Floats, genre: Floats, rng: np.random.Generator) -> Floats:
    """Always right but for the hardest 2 % of items, of which it is always wrong: a small sample sees none of them."""
    del genre, rng
    return np.abs(truth - (hard >= np.quantile(hard, 0.98)))


Model = Callable[[Floats, Floats, Floats, np.random.Generator], Floats]
MODELS: tuple[Model, ...] = (
    good,
    biased,
    useless,
    adversarial,
    trap,
)


def study(model: Model, rate: str, judged: int, rng: np.random.Generator) -> tuple[Floats, list[Assistance]]:
    """The true P, R and F of one study's frame, and what is estimated of them."""
    hard = rng.beta(0.5, 2.0, len(FLAGS))
    genre = (rng.random(len(FLAGS)) < 0.3).astype(np.float64)
    share = np.where(FLAGS, *RATES[rate])
    # Hard items are errors more often or less often than easy ones, by a curve that no estimate fits.
    truth = (rng.random(len(FLAGS)) < np.clip(share * (1 + 0.6 * np.sin(6 * hard) * (1 - share)), 0, 1)).astype(float)
    cheap = dict(zip(FRAME.items, model(truth, hard, genre, rng).tolist(), strict=True))
    rows = np.concatenate([rng.choice(np.flatnonzero(at == CODES), judged // 2, replace=False) for at in range(2)])
    x = np.bincount(CODES[rows], truth[rows]).astype(np.float64)
    judged_sample = Sample(np.array([judged // 2] * 2), x)
    people = JudgedSample([FRAME.items[at] for at in rows.tolist()], CODES[rows], truth[rows], judged_sample)
    assisted = combined_totals(STRATA, CODES, FRAME.items, people, cheap, Problems())
    how = Estimation(seed=None)
    found = estimate_systems(STRATA, judged_sample, how, assisted=assisted)
    hits = float(truth[FLAGS].sum())
    true = np.array([hits / SIZES[0], hits / truth.sum(), 2 * hits / (truth.sum() + SIZES[0])])
    return true, weigh_sample(STRATA, judged_sample, how, assisted, found)


def measure(model: Model, rate: str, judged: int, studies: int = STUDIES) -> dict[str, dict[str, float]]:
    """Of P, R and F how often each interval holds the truth, the ratio of widths, and what was saved."""
    rng = stream(SEED, "assisted", model.__name__, rate, judged)
    runs = [study(model, rate, judged, rng) for _ in range(studies)]
    return {name: _row([(true[at], weighed[at]) for true, weighed in runs]) for at, name in enumerate(("P", "R", "F"))}


def _row(runs: Sequence[tuple[float, Assistance]]) -> dict[str, float]:
    ends = np.array([[_ends(one.alone), _ends(one.assisted), _ends(one.rogan_gladen)] for _, one in runs])
    truth = np.array([true for true, _ in runs])[:, None]
    held = (ends[..., 0] - 1e-9 <= truth) & (truth <= ends[..., 1] + 1e-9)
    widths = ends[..., 1] - ends[..., 0]
    alone, assisted, rogan_gladen = held.mean(axis=0).tolist()
    row = {"alone": alone, "assisted": assisted, "Rogan-Gladen": rogan_gladen}
    row["disagree"] = float(np.mean([one.disagree for _, one in runs]))
    row["width"] = float(widths[:, 1].mean() / widths[:, 0].mean())
    row["widest"] = float(np.quantile(widths[:, 1] / widths[:, 0], 0.95))
    return row | _saving([one for _, one in runs], truth[:, 0])


def _saving(runs: Sequence[Assistance], truth: Floats) -> dict[str, float]:
    """What was saved: the mean, what the spread of the estimates of P says, and how often intervals hold that."""
    row = {"saved": float(np.mean([one.saved.value or 0.0 for one in runs])), "true": np.nan, "held": np.nan}
    intervals = [one.saved.interval for one in runs if one.saved.interval is not None]
    if runs[0].name == "P" and len(intervals) > len(runs) / 2:
        values = np.array([[one.alone.value, one.assisted.value] for one in runs], np.float64)
        alone, assisted = ((values - truth[:, None]) ** 2).mean(axis=0).tolist()
        n, size = runs[0].saved.n_units, SIZES[0]
        # Of a finite stratum n items have S² (1/n - 1/N); as many as give the assisted variance are (V/S² + 1/N)⁻¹.
        row["true"] = 1 / (assisted / alone * (1 / n - 1 / size) + 1 / size) - n
        row["held"] = float(np.mean([interval.low <= row["true"] <= interval.high for interval in intervals]))
    return row


def _ends(estimate: Estimate) -> tuple[float, float]:
    interval = estimate.interval
    return (0.0, 1.0) if interval is None else (interval.low, interval.high)


def table(models: Sequence[str] = (), studies: int = STUDIES) -> Iterator[str]:
    """The lines of the whole table."""
    keys = ("alone", "assisted", "Rogan-Gladen", "disagree", "width", "widest")
    yield f"| model, errors, judged: score | {' | '.join(keys)} | saved | true | held |"
    yield "|---" * 10 + "|"
    for model in MODELS:
        cells = [(rate, judged) for rate, counts in JUDGED.items() for judged in counts]
        for rate, judged in cells if not models or model.__name__ in models else ():
            for name, row in measure(model, rate, judged, studies).items():
                shares = " | ".join(f"{row[key]:.3f}" for key in keys)
                saving = f"{row['saved']:.0f} | {row['true']:.0f} | {row['held']:.3f}".replace("nan", "–")
                yield f"| {model.__name__}, {rate}, {judged}: {name} | {shares} | {saving} |"


if __name__ == "__main__":
    sys.stdout.write("Coverage and widths with the help of a model, as `assistance_runs.py` measures them.\n\n")
    for line in table(sys.argv[1:]):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
