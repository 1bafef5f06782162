"""Choices of prepositions in native text that nothing was trained on: PERC, ME, an ensemble, a learning curve.

Training takes minutes for millions of words. Every choice is kept in the folder of models, so that what was
interrupted goes on, and what is there is not made again.

Learning curves: accuracy on held-out text by the number of examples trained on, with error bars.

Formula
    a(n) is the mean over R runs on n examples of (right / all) on the held-out text, s(n) the standard deviation of the
    R values. A resample draws the blocks of the held-out text with replacement, the same for every n, and adds
    s(n) t / √R to each a(n), t from Student's distribution with R − 1 degrees of freedom. Intervals are percentiles.
    Least squares over all n, anew in each resample: a = α + β log₂ n (``line``), ln(1 − a) = α + β log₂ n (``power``).
Conventions
    So an error bar has both what other training text of this kind would change (examples, and the order in which they
    come) and what other test text would. The runs on n examples have no block in common. Where the text is enough for
    one run alone, R = 1, and s and the degrees of freedom are those of the largest n with several: s should fall with
    n, so that such an error bar is rather too wide. A line ends at 0 and at 1. The interval of a fit does not say
    whether its form goes on to hold; that there are two forms does.
Source
    The two sources of variance are those of Dietterich (1998); power laws of the error are as old as learning curves
    (Cortes et al. 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import log2, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Estimate
from errorbar.core.problems import InputError, Problem, UsageError
from errorbar.detectors.detect import file_of, read_tagger
from errorbar.detectors.detection import LmChoice
from errorbar.detectors.learning import Classes, Sentences
from errorbar.detectors.model_file import Array, Model, fingerprint, load_model, save_model
from errorbar.detectors.ngrams import train_ngrams
from errorbar.detectors.prepositions import FEATURES, find_prepositions
from errorbar.detectors.selectors import (
    BITS,
    KINDS,
    PAPER,
    Classifier,
    Examples,
    HeldOut,
    Kind,
    find_examples,
    fit_log_linear,
    log_linear,
    train_classifier,
)
from errorbar.detectors.text import (
    BLOCK,
    CorpusText,
    Treebank,
    held_out,
    read_corpus_text,
    read_treebank,
    split_sentences,
)
from errorbar.detectors.training import StepCallback, expand_paths
from errorbar.formats.look import Source
from errorbar.metrics.intervals import fold_unit_resamples, make_estimates
from errorbar.stats.resampling import Resampling, Units, stream

Form = Literal["line", "power"]
FORMS: tuple[Form, ...] = get_args(Form)
_STEPS = 24  # places at which a fit is drawn


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """Accuracy after training on so many examples."""

    n: int  # examples
    accuracies: tuple[float, ...]  # the accuracy of each run
    accuracy: Estimate  # their mean
    spread: float | None  # SD between runs; of one run that of the largest n with several


@dataclass(frozen=True, slots=True)
class CurveFit:
    """A curve through the points."""

    form: Form  # ``line`` or ``power``
    places: tuple[float, ...]  # from the smallest n to the one that is looked ahead to, the last
    accuracy: tuple[Estimate, ...]  # at each place

    @property
    def ahead(self) -> Estimate:
        """The extrapolation."""
        return self.accuracy[-1]


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Accuracy by the number of examples."""

    points: tuple[LearningPoint, ...]  # by n
    doubling: Estimate | None  # the gain of a doubling of the text, by the line; None: there is one n alone
    fits: tuple[CurveFit, ...]  # those that can be had


def training_samples(blocks: Ints, n: int, most: int, seed: int) -> list[Ints]:
    """Samples of n examples in whole blocks, but for the last of each; no block is in two.

    Args:
        blocks: Block of each example.
        n: Examples of a sample, up to all there are.
        most: How many samples at most; there is one at least.
        seed: The seed of the order of the blocks.

    Returns:
        Of each sample the numbers of its examples.
    """
    chance = stream(seed, "training samples", n)
    names, block = np.unique(blocks, return_inverse=True)
    order = np.argsort(chance.permutation(len(names))[block], kind="stable")
    ends = np.flatnonzero(np.diff(block[order], append=-1)) + 1  # of blocks
    samples: list[Ints] = []
    at = 0
    while len(samples) < most and at + n <= len(order):
        samples.append(order[at : at + n])
        at = int(ends[np.searchsorted(ends, at + n)])
    return samples


def fit_learning_curve(
    right: Mapping[int, Floats], totals: Floats, ahead: float, resampling: Resampling
) -> LearningCurve:
    """The curve of some runs.

    Args:
        right: By number of examples, how many choices of each run are right in each block of the held-out text; shape
            (runs, blocks).
        totals: How many choices there are in each block; shape (blocks,).
        ahead: To which n the fits go on.
        resampling: How intervals are made.
    """
    sizes = sorted(right)
    means = np.stack([right[n].mean(axis=0) for n in sizes], axis=1)
    runs = [right[n].sum(axis=1) / totals.sum() for n in sizes]
    spreads = _spreads(runs)
    places = np.geomspace(sizes[0], max(ahead, sizes[-1]), _STEPS)
    drawn_t = _noise(spreads, resampling)

    def of_resample(accuracies: Floats) -> Floats:
        fits = [_fit_form(form, sizes, accuracies, places) for form in FORMS]
        return np.concatenate([accuracies, *fits], axis=1)

    def fold(weights: Floats) -> Floats:
        accuracies: Floats = (weights @ means) / (weights @ totals)[:, None]
        return accuracies

    values = of_resample(fold(np.ones((1, len(totals)))))[0]
    drawn = None
    if len(totals) > 1:
        drawn = of_resample(fold_unit_resamples(Units(np.ones(len(totals))), fold, resampling, "held out") + drawn_t)
    n_units = int(totals.sum()), len(totals)
    estimates = make_estimates(values.tolist(), [None] * len(values), n_units, resampling, drawn)
    points = [
        LearningPoint(n, tuple(accuracies.tolist()), estimate, None if spread is None else spread[0])
        for n, accuracies, estimate, spread in zip(sizes, runs, estimates, spreads, strict=False)
    ]
    fits = []
    for k, form in enumerate(FORMS):
        first = len(sizes) + k * (_STEPS + 1)
        if len(sizes) > 1 and not np.isnan(values[first : first + _STEPS + 1]).any():
            fits.append(CurveFit(form, tuple(places.tolist()), tuple(estimates[first : first + _STEPS])))
    doubling = estimates[len(sizes) + _STEPS] if len(sizes) > 1 else None
    return LearningCurve(tuple(points), doubling, tuple(fits))


def _spreads(runs: Sequence[Floats]) -> list[tuple[float, int, int] | None]:
    """The standard deviation between the runs of each n, its degrees of freedom, and the number of runs."""
    spreads: list[tuple[float, int, int] | None] = []
    last: tuple[float, int] | None = None
    for accuracies in runs:
        if len(accuracies) > 1:
            last = float(accuracies.std(ddof=1)), len(accuracies) - 1
        spreads.append(None if last is None else (*last, len(accuracies)))
    return spreads


def _noise(spreads: Sequence[tuple[float, int, int] | None], resampling: Resampling) -> Floats:
    """The noise that training samples add to the accuracies of every resample; shape (replicates, sizes)."""
    chance = stream(resampling.seed, "spread of training samples")
    columns = [
        np.zeros(resampling.replicates)
        if spread is None
        else spread[0] / sqrt(spread[2]) * chance.standard_t(spread[1], resampling.replicates)
        for spread in spreads
    ]
    return np.stack(columns, axis=1)


def _fit_form(form: Form, sizes: Sequence[int], accuracies: Floats, places: NDArray[np.float64]) -> Floats:
    """Accuracies at some places by a fit of each row, and the slope; NaN where the form is undefined."""
    design = np.stack([np.ones(len(sizes)), [log2(n) for n in sizes]], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = accuracies if form == "line" else np.log(1 - accuracies)
        y = np.where(np.isfinite(y), y, np.nan)
    constant, slope = (y @ np.linalg.pinv(design).T).T
    line = constant[:, None] + slope[:, None] * np.log2(places)
    shares = np.clip(line, 0, 1) if form == "line" else 1 - np.exp(line)
    return np.concatenate([shares, slope[:, None]], axis=1)


SELECTION = "selection"
SHARE, DEVELOPMENT = 0.3, 0.1
"""Of all blocks those held out; of the others those that only the weights of the ensemble are fitted to."""
SIZES = tuple(step * 10**power for power in range(2, 7) for step in (1, 3))
STEPS, RUNS = 4, 5
"""Points of the learning curve below all examples there are, the largest of ``SIZES``; how many samples at most."""
ORDER, FEW = 4, 5
"""Of the n-gram model; how many of the most frequent prepositions are a setting of their own."""
LEAST, LEAST_NATIVE = 5, 2  # blocks in all, and of those not held out, one of which weights are fitted to
MAJORITY, FIVE, ENSEMBLE = "majority", "five", "ensemble"


class SelectionRun:
    """The steps of training and choosing: each is made once, and only where it is not kept."""

    def __init__(
        self, files: Sequence[str], models: Source, banks: Sequence[Treebank], seed: int, tell: StepCallback
    ) -> None:
        self.banks, self.seed, self.tell = banks, seed, tell
        self.tagger = read_tagger(models)
        tell("reading text")
        self.text: CorpusText = read_corpus_text(files)
        self.out = held_out(len(self.text.sentences), SHARE, seed)
        self.file = file_of(models, SELECTION)
        self.how = {"tagger": fingerprint(self.tagger.model()), "features": FEATURES, "bits": BITS, "order": ORDER}
        self.how |= {
            "seed": seed,
            "shares": [SHARE, DEVELOPMENT],
            "runs": RUNS,
            "treebanks": [bank.sha256 for bank in banks],
        }
        self.arrays = self._read_arrays()
        self.classifiers: dict[Kind, Classifier] = {}

    def _read_arrays(self) -> dict[str, Array]:
        """The arrays that were made before of this text in this way."""
        try:
            there = load_model(self.file, SELECTION)
        except InputError:
            return {}
        same = there.made == self.how and there.text.get("sha256") == self.text.described["sha256"]
        return dict(there.arrays) if same else {}

    def step(self, name: str, make: Callable[[], Mapping[str, Array]]) -> None:
        """Make and keep what a step gives, unless it is there."""
        if name not in self.arrays:
            self.tell(name)
            self.arrays |= {**make(), name: np.zeros(0, np.int8)}
            save_model(Model(SELECTION, self.how, self.text.described, self.arrays), self.file)

    @cached_property
    def examples(self) -> Examples:
        """Of the text, which must be enough to train, to fit weights and to hold some out."""
        examples = find_examples(self.text.sentences, self.tagger)
        blocks = np.unique(examples.sentence // BLOCK)
        out = self.out[blocks * BLOCK]
        if len(blocks) < LEAST or not out.any() or len(blocks) - out.sum() < LEAST_NATIVE:
            message = f"{len(blocks)} blocks of {BLOCK} sentences have prepositions, {out.sum()} of them held out"
            least = f"at least {LEAST}, some of them held out"
            raise UsageError(Problem("text-short", message, expected=least, fix="give more text"))
        return examples

    @cached_property
    def native(self) -> Examples:
        """The examples that may be trained on."""
        return self.examples.part(~self.out[self.examples.sentence])

    @cached_property
    def texts_with_examples(self) -> Mapping[str, tuple[Sentences, Examples]]:
        """The texts in which prepositions are chosen."""
        held = split_sentences(self.text.sentences, self.out)[1], self.examples.part(self.out[self.examples.sentence])
        forms = [sentence for bank in self.banks for sentence in bank.forms]
        return {"held": held} | ({"other": (forms, find_examples(forms, self.tagger))} if self.banks else {})

    def make_all(self) -> Mapping[str, Array]:
        """Make every step: the prepositions written and chosen, by text and by chooser."""
        self.step("tagging text", self._texts)
        n_all = int(self.arrays["native"].sum())
        for n in (*[n for n in SIZES if n < n_all][-STEPS:], n_all):
            self.step(f"training me on {n:,} examples", partial(self._runs, n))
        self.step("training me of the paper's features", lambda: self._choices(PAPER, self._train(PAPER, self.native)))
        self.step(f"training me on the {FEW} most frequent prepositions", self._few)
        self.step("training the ensemble", self._ensemble)
        return self.arrays

    def _texts(self) -> dict[str, Array]:
        """The prepositions written in each text, and the choices of the most frequent one."""
        counts = np.bincount(self.native.right)
        often = np.argsort(-counts, kind="stable")[:FEW]
        arrays: dict[str, Array] = {"native": counts, "five": often[counts[often] > 0]}
        for name, (_, examples) in self.texts_with_examples.items():
            arrays |= {f"{name} right": examples.right, f"{name} sentence": examples.sentence}
            arrays[f"{name} {MAJORITY}"] = np.full(len(examples.right), counts.argmax(), np.int8)
        return arrays

    def _runs(self, n: int) -> dict[str, Array]:
        """ME after n examples, several times; after all of them once."""
        if n == len(self.native.right):
            return self._choices(f"me {n} 0", self._classifier("me"))
        choices: dict[str, Array] = {}
        for run, sample in enumerate(training_samples(self.native.sentence // BLOCK, n, RUNS, self.seed)):
            choices |= self._choices(f"me {n} {run}", self._train("me", self.native.part(sample), run))
        return choices

    def _choices(self, name: str, classifier: Classifier) -> dict[str, Array]:
        return {
            f"{text} {name}": classifier.score_states(examples.states).argmax(axis=1).astype(np.int8)
            for text, (_, examples) in self.texts_with_examples.items()
        }

    def _train(self, kind: Kind, examples: Examples, run: int = 0) -> Classifier:
        return train_classifier(kind, examples, self.tagger, {}, bits=BITS, seed=self.seed + run)

    def _classifier(self, kind: Kind) -> Classifier:
        if kind not in self.classifiers:
            self.classifiers[kind] = self._train(kind, self.native)
        return self.classifiers[kind]

    def _few(self) -> dict[str, Array]:
        """ME of the most frequent prepositions alone."""
        five = self.arrays["five"]
        me = self._train("me", self.native.part(np.isin(self.native.right, five)))
        choices: dict[str, Array] = {}
        for text, (_, examples) in self.texts_with_examples.items():
            scores = me.score_states(examples.part(np.isin(examples.right, five)).states)
            choices[f"{text} {FIVE}"] = five[scores[:, five].argmax(axis=1)].astype(np.int8)
        return choices

    def _ensemble(self) -> dict[str, Array]:
        """PERC, and its combination with ME and n-grams; weights are fitted to blocks that are then trained on too."""
        blocks = np.unique(self.native.sentence // BLOCK)
        n_development = max(1, round(DEVELOPMENT * len(blocks)))
        chosen = stream(self.seed, "development").permutation(blocks)[:n_development]
        every = np.arange(len(self.out))
        development = np.isin(every // BLOCK, chosen)
        fitted = self.examples.part(development[self.examples.sentence])
        training = ~self.out & ~development
        examples = self.examples.part(training[self.examples.sentence])
        fresh = [self._train(kind, examples) for kind in KINDS]
        part = split_sentences(self.text.sentences, development)[1]
        weights = fit_log_linear(self._scores(fresh, self._ngrams(training), part, fitted), fitted.right)
        arrays: dict[str, Array] = {"weights": weights}
        ngrams = self._ngrams(~self.out)
        for text, (sentences, held) in self.texts_with_examples.items():
            scores = self._scores([self._classifier(kind) for kind in KINDS], ngrams, sentences, held)
            by = {"perc": scores[KINDS.index("perc")], ENSEMBLE: log_linear(scores, weights)}
            arrays |= {f"{text} {name}": table.argmax(axis=1).astype(np.int8) for name, table in by.items()}
        return arrays

    def _ngrams(self, part: Array) -> LmChoice:
        model = train_ngrams(split_sentences(self.text.sentences, part)[1], ORDER, fallback=True)
        return LmChoice(model, self.tagger)

    def _scores(
        self, classifiers: Sequence[Classifier], ngrams: LmChoice, sentences: Sentences, examples: Examples
    ) -> list[Floats]:
        by_lm = [ngrams.scores(block.text, block.contexts) for block in find_prepositions(self.tagger, sentences)]
        return [*(classifier.score_states(examples.states) for classifier in classifiers), np.concatenate(by_lm)]


@dataclass(frozen=True, slots=True, eq=False)
class TextChoices:
    """The prepositions chosen in one text."""

    text: HeldOut  # the prepositions
    five: HeldOut  # those of them that are among the five most frequent
    by: Mapping[str, Classes]  # by ``majority``, ``me``, ``me-paper``, ``perc``, ``ensemble``; ``five``: of those alone
    runs: Mapping[int, Sequence[Classes]]  # of ME, by number of examples, the choices of each run

    def curve(self, ahead: float, resampling: Resampling) -> LearningCurve:
        """The learning curve of ME."""
        right = {n: np.stack([self.text.right_by_block(run) for run in runs]) for n, runs in self.runs.items()}
        return fit_learning_curve(right, self.text.totals, ahead, resampling)


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceSelection:
    """Choices of prepositions in native text."""

    held: TextChoices  # in the blocks that were held out
    other: TextChoices | None  # in the treebanks; None: there is none
    n_examples: int  # how many the classifiers were trained on
    most_frequent: Ints  # the five, by number in ``PREPOSITIONS``
    weights: Floats  # of PERC, ME and the n-gram model in the ensemble


def study_selection(
    texts: Sequence[Source],
    models: Source,
    treebanks: Sequence[Source] = (),
    *,
    seed: int = 0,
    tell: StepCallback = lambda _: None,
) -> ChoiceSelection:
    """Train on a part of native text, and let prepositions of the rest be chosen.

    Args:
        texts: Plain text files, as of ``train``; patterns too.
        models: A folder with a tagger; what is made is kept there.
        treebanks: Other text, in CoNLL-U: its forms are taken, nothing else.
        seed: Of blocks, samples and orders.
        tell: Is told what begins.

    Raises:
        InputError: If a file is bad, or there is no tagger.
        UsageError: If the text has too few sentences to hold some out, or a text has no preposition.
    """
    banks = [read_treebank(path) for path in expand_paths(treebanks)]
    arrays = SelectionRun(expand_paths(texts), models, banks, seed, tell).make_all()
    other = _choices_of("other", arrays) if banks else None
    return ChoiceSelection(
        _choices_of("held", arrays), other, int(arrays["native"].sum()), arrays["five"], arrays["weights"]
    )


def _choices_of(name: str, arrays: Mapping[str, Array]) -> TextChoices:
    text = HeldOut.of(arrays[f"{name} right"], arrays[f"{name} sentence"])
    start = f"{name} me "
    names = sorted((int(key.split()[2]), int(key.split()[3]), key) for key in arrays if key.startswith(start))
    runs: dict[int, list[Classes]] = {}
    for n, _, key in names:
        runs.setdefault(n, []).append(arrays[key])
    by = {chooser: arrays[f"{name} {chooser}"] for chooser in (MAJORITY, "perc", PAPER, ENSEMBLE, FIVE)}
    return TextChoices(text, text.part(arrays["five"]), by | {"me": runs[max(runs)][0]}, runs)
