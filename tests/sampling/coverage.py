"""How often the intervals hold the truth, by simulation: the tables of docs/measurements/sampling.md.

Drawing n of N items without replacement is drawing hypergeometric numbers of errors, so no item is drawn here.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar import Hypothesis, Problems
from errorbar.core import Interval
from errorbar.edits import ERROR, Projection, edit_items
from errorbar.formats import read_corpus
from errorbar.sampling import (
    Aim,
    JudgedSample,
    Quantity,
    Sample,
    Strata,
    draw_sample,
    estimate_sample,
    frame_of_systems,
    paired_differences,
    plan_sample,
    stratify,
    voted_totals,
)
from errorbar.sampling.estimators import difference
from errorbar.sampling.frame import HALF, TARGETS, Target, estimated_totals
from errorbar.sampling.intervals import logit_bounds, near_exact_interval, posterior_interval, posterior_totals
from errorbar.sampling.plan import allocate, importance
from errorbar.stats import stream

SEED, DRAWS, BAYES_DRAWS, Z = 2008, 20_000, 1_500, 1.959963984540054
Floats = NDArray[np.float64]
DESIGNS: dict[str, tuple[int, int, int, int, float, float]] = {
    # N1, n1, N0, n0, p, q; the first is table 5 of Tetreault and Chodorow 2008.
    "p = .8, q = .3, 750 of 1,000 and 1,500 of 9,000": (1000, 750, 9000, 1500, 0.8, 0.3),
    "p = .8, q = .02, 200 of 1,000 and 300 of 9,000": (1000, 200, 9000, 300, 0.8, 0.02),
    "p = .8, q = .01, 200 of 1,000 and 200 of 9,000": (1000, 200, 9000, 200, 0.8, 0.01),
    "p = .8, q = .005, 200 of 1,000 and 500 of 9,000": (1000, 200, 9000, 500, 0.8, 0.005),
    "p = .84, q = .04, 82 of 500 and 918 of 9,500": (500, 82, 9500, 918, 0.84, 0.04),
}
SYSTEM, ANNOTATORS, BUDGETS, REAL_DRAWS, ASSISTED_DRAWS = (
    "CAMB",
    [f"A{k}" for k in range(1, 11)],
    (200, 500, 1000),
    2_000,
    1_000,
)


def reported(strata: Strata, n: NDArray[np.int64], x: Floats, target: Target) -> tuple[Floats, Floats]:
    """Ends of the interval that ``estimate_sample`` reports, for many samples: each different one is computed once."""
    different, inverse = np.unique(x, axis=0, return_inverse=True)
    ends = np.full((len(different), 2), np.nan)
    for row, seen in enumerate(different):
        sample = Sample(n, seen)
        errors, variances = estimated_totals(sample, strata, add=0)[0], estimated_totals(sample, strata)[1]
        interval = near_exact_interval(
            Quantity(target, strata), sample, errors, variances
        )  # without the rest of the estimate
        if isinstance(interval, Interval):
            ends[row] = interval.low, interval.high
    return ends[inverse.ravel(), 0], ends[inverse.ravel(), 1]


def design_coverage(name: str, target: Target = "R") -> dict[str, float]:
    """Coverage of Wald, logit, what is reported (near-exact), and Bayes."""
    N1, n1, N0, n0, p, q = DESIGNS[name]
    strata = Strata.of_sizes(N1, N0)
    errors = np.array([round(N1 * p), round(N0 * q)])
    n = np.array([n1, n0])
    truth = float(Quantity(target, strata).value(errors.astype(np.float64)))
    rng = stream(SEED, "coverage", name)
    x = rng.hypergeometric(errors, strata.sizes - errors, n, (DRAWS, 2)).astype(np.float64)
    sample = Sample(np.broadcast_to(n, x.shape), x)
    totals, variances = estimated_totals(sample, strata, add=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = Quantity(target, strata).value(totals)
        half = Z * np.sqrt((Quantity(target, strata).gradient(totals) ** 2 * variances).sum(axis=1))
    covered = {"wald": np.abs(value - truth) <= np.where(half > 0, half, -1)}
    low, high = logit_bounds(Quantity(target, strata), *estimated_totals(sample, strata, add=HALF))
    covered["logit + ½"] = (low <= truth) & (truth <= high)
    low, high = reported(strata, n, x, target)
    covered["reported"] = (low <= truth) & (truth <= high)
    held = []
    for seen in x[:BAYES_DRAWS]:
        drawn = posterior_totals(Sample(n, seen), strata, rng, draws=1_000)
        interval = posterior_interval(Quantity(target, strata), drawn)
        held.append(interval is not None and interval.low <= truth <= interval.high)
    return {**{method: float(held.mean()) for method, held in covered.items()}, "bayes": float(np.mean(held))}


def difference_coverage() -> dict[str, float]:
    """Coverage of the paired differences of two systems: the population of the notes' example (section 8)."""
    flags = np.array([[True, True, False, False], [True, False, True, False]])
    strata = Strata(("both", "only A", "only B", "neither"), np.array([600, 400, 500, 8500]), flags, ("A", "B"))
    errors, n = np.array([540, 240, 200, 340]), np.array([200, 150, 150, 500])
    rng = stream(SEED, "coverage", "difference")
    x = rng.hypergeometric(errors, strata.sizes - errors, n, (REAL_DRAWS, 4)).astype(np.float64)
    truths = {t: difference(t, errors.astype(np.float64), np.zeros(4), strata)[0] for t in TARGETS}
    held = dict.fromkeys(TARGETS, 0)
    for seen in x:
        for target, row in zip(TARGETS, paired_differences(strata, Sample(n, seen)), strict=True):
            assert row.estimate.interval is not None
            held[target] += row.estimate.interval.low <= truths[target] <= row.estimate.interval.high
    return {target: count / REAL_DRAWS for target, count in held.items()}


def pilot_coverage(budget: int) -> dict[str, float]:
    """Coverage where a pilot of 60 items decides how the rest is shared: p = .8 of 1,000, q = .05 of 9,000."""
    strata, errors, first = Strata.of_sizes(1000, 9000), np.array([800, 450]), np.array([30, 30])
    truths = {t: float(Quantity(t, strata).value(errors.astype(np.float64))) for t in TARGETS}
    rng = stream(SEED, "coverage", "pilot", budget)
    held = dict.fromkeys(TARGETS, 0)
    for _ in range(REAL_DRAWS):
        seen = rng.hypergeometric(errors, strata.sizes - errors, first)
        rates = Sample(first, seen.astype(np.float64)).rates(strata)
        n = plan_sample(strata, rates, budget, Aim(target="F"), floor=first).n
        left, size = errors - seen, strata.sizes - first
        x = seen + rng.hypergeometric(left, size - left, n - first)
        found = estimate_sample(strata, Sample(n, x.astype(np.float64)))
        for target in TARGETS:
            interval = found[target].estimate.interval
            held[target] += interval is not None and interval.low <= truths[target] <= interval.high
    return {target: count / REAL_DRAWS for target, count in held.items()}


def real_population(data: Path, projection: Projection) -> tuple[Strata, NDArray[np.int64]]:
    """Strata of one submission's flags, and the errors in each by the majority of ten annotators."""
    files = [data / "bn2015_10gec" / f"{name}.m2" for name in ANNOTATORS]
    corpus = read_corpus(files, Problems(lenient=True))
    judgments = edit_items(corpus, projection).judgments
    weights = judgments.label_weights()
    wrong = weights[:, judgments.labels.index(ERROR)] / weights.sum(axis=1) >= 0.5
    path = data / "conll14_systems" / "official_submissions" / SYSTEM
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    frame = frame_of_systems(corpus, [Hypothesis(SYSTEM, lines)], projection)
    assert frame.items == judgments.items
    strata, codes = stratify(frame)
    return strata, np.bincount(codes[wrong], minlength=len(strata)).astype(np.int64)


def real_row(strata: Strata, errors: NDArray[np.int64], budget: int) -> dict[Target, dict[str, dict[str, float]]]:
    """Bias, coverage and half-width of stratified and simple random samples of a real population.

    The stratified plan supposes P = .6 and misses at 5 %, and does not know the truth.
    """
    guess = np.where(strata.flags[0], 0.6, 0.05)
    n = allocate(importance(strata, guess, Aim("F")), strata.sizes, budget, floor=30)
    rng = stream(SEED, "real", budget, int(strata.sizes.sum()))
    x = rng.hypergeometric(errors, strata.sizes - errors, n, (REAL_DRAWS, 2)).astype(np.float64)
    cells = [errors[0], strata.sizes[0] - errors[0], errors[1], strata.sizes[1] - errors[1]]
    tp, fp, fn, _ = rng.multivariate_hypergeometric(cells, budget, REAL_DRAWS).T.astype(np.float64)
    table: dict[Target, dict[str, dict[str, float]]] = {}
    for target in TARGETS:
        truth = float(Quantity(target, strata).value(errors.astype(np.float64)))
        totals, _ = estimated_totals(Sample(np.broadcast_to(n, x.shape), x), strata, add=0)
        low, high = reported(strata, n, x, target)
        table[target] = {"stratified": _summary(Quantity(target, strata).value(totals), low, high, truth)}
        table[target]["simple random"] = _summary(*_random(target, tp, fp, fn, budget / strata.sizes.sum()), truth)
    return table


def _random(target: Target, tp: Floats, fp: Floats, fn: Floats, share: float) -> tuple[Floats, Floats, Floats]:
    """A logit interval with a half on each side, of P, R or of J = tp / (tp + fp + fn), F = 2 J / (1 + J)."""
    others = {"P": fp, "R": fn, "F": fp + fn}[target]
    with np.errstate(invalid="ignore"):
        value = tp / (tp + others)
    middle = np.log((tp + 0.5) / (others + 0.5))
    half = Z * np.sqrt((1 - share) * (1 / (tp + 0.5) + 1 / (others + 0.5)))
    low, high = (1 / (1 + np.exp(-(middle + sign * half))) for sign in (-1, 1))
    if target == "F":
        value, low, high = (2 * j / (1 + j) for j in (value, low, high))
    return value, low, high


def assisted_row(data: Path, budget: int) -> dict[str, dict[str, float]]:
    """Recall on prepositions: experts alone, and with the votes of three annotators as cheap labels.

    The truth is the majority of the other seven. Items are really drawn, as the labels of an item go together.
    """
    files = [data / "bn2015_10gec" / f"{name}.m2" for name in ANNOTATORS]
    corpus = read_corpus(files, Problems(lenient=True))
    judgments = edit_items(corpus, "words").judgments
    error = judgments.labels.index(ERROR)
    cheap, truth = (
        part.label_weights()[:, error] / part.label_weights().sum(axis=1)
        for part in (judgments.only(ANNOTATORS[:3]), judgments.only(ANNOTATORS[3:]))
    )
    truth = np.where(truth >= 0.5, 1.0, 0.0)
    path = data / "conll14_systems" / "official_submissions" / SYSTEM
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    frame = frame_of_systems(corpus, [Hypothesis(SYSTEM, lines)], "words")
    strata, codes = stratify(frame)
    members = [np.flatnonzero(codes == at) for at in range(2)]
    n = allocate(importance(strata, [0.6, 0.05], Aim("R")), strata.sizes, budget)
    target = float(truth[members[0]].sum() / truth.sum())
    rng = stream(SEED, "assisted", budget)
    votes = dict(zip(frame.items, cheap.tolist(), strict=True))
    start = draw_sample(frame, n, seed=SEED)
    found: dict[str, list[tuple[float, float, float]]] = {"experts": [], "with votes": []}
    for _ in range(ASSISTED_DRAWS):
        rows = np.concatenate([rng.choice(m, k, replace=False) for m, k in zip(members, n.tolist(), strict=True)])
        x = np.bincount(codes[rows], truth[rows], minlength=2).astype(np.float64)
        sample = Sample(n, x)
        items = tuple(frame.items[row] for row in rows.tolist())
        judged = JudgedSample(items, codes[rows], truth[rows], sample)
        helped = voted_totals(frame, start, judged, votes, Problems())
        for name, extra in (("experts", None), ("with votes", helped)):
            estimate = estimate_sample(strata, sample, assisted=extra)["R"].estimate
            assert estimate.interval is not None
            assert estimate.value is not None
            found[name].append((estimate.value, estimate.interval.low, estimate.interval.high))
    columns = {name: np.array(rows) for name, rows in found.items()}
    return {name: _summary(rows[:, 0], rows[:, 1], rows[:, 2], target) for name, rows in columns.items()}


def _summary(value: Floats, low: Floats, high: Floats, truth: float) -> dict[str, float]:
    return {
        "truth": truth,
        "bias": float(np.nanmean(value) - truth),
        # Where all that a score rests on was judged there is no interval, and the value is the truth.
        "coverage": float(
            (((low <= truth) & (truth <= high)) | (np.isnan(low) & (np.abs(value - truth) < 1e-9))).mean()
        ),
        "half-width": float(((high - low) / 2)[~np.isnan(low)].mean()) if not np.isnan(low).all() else 0.0,
    }


def show(data: Path) -> None:
    """Print everything as the rows of the page's tables."""
    for name in DESIGNS:
        for target in TARGETS:
            found = design_coverage(name, target)
            print(f"| {name}: {target} | {' | '.join(f'{value:.3f}' for value in found.values())} |")  # noqa: T201
    print(difference_coverage(), {budget: pilot_coverage(budget) for budget in BUDGETS})  # noqa: T201
    for budget in BUDGETS:
        for name, measured in assisted_row(data, budget).items():
            print(f"| {budget}, {name} | {' | '.join(f'{measured[key]:{form}}' for key, form in FORMS.items())} |")  # noqa: T201
    for projection, title in (("words", "prepositions"), ("tokens", "all tokens")):
        strata, errors = real_population(data, projection)  # type: ignore[arg-type]  # a text that was chosen among the projections
        print(title, strata.sizes.tolist(), errors.tolist())  # noqa: T201
        for budget in BUDGETS:
            for target, designs in real_row(strata, errors, budget).items():
                cells = [f"{design[key]:{form}}" for design in designs.values() for key, form in FORMS.items()]
                truth = designs["stratified"]["truth"]
                print(f"| {title}, {budget}: {target} | {truth:.3f} | {' | '.join(cells)} |")  # noqa: T201


FORMS = {"bias": "+.3f", "coverage": ".3f", "half-width": ".3f"}

if __name__ == "__main__":
    show(Path(__file__).resolve().parents[3] / "shared" / "data")
