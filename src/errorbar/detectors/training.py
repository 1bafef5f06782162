"""Detectors' models from plain text: ``errorbar train``, a file each in one folder.

Small models leave out light weights and round numbers, so that files pack well.

Formula
    Classifiers: features in fewer than LEAST_EXAMPLES examples share rows. Of a row the median of the classes' weights
    is taken from each where scores become probabilities, which do not change by that; then a weight below LIGHT
    (absolute) is left out, the others become multiples of STEP. N-gram models: n-grams rarer than LEAST are pruned
    (ngrams.py); logarithms become multiples of LOG_STEP, so that probabilities are off by 7.5 % at most.
Conventions
    The numbers were chosen by the judgments of a model of 70 % of the textbooks on the rest of them and on UD-EWT, and
    by the labels of CoNLL-2013: docs/measurements/detectors.md has them, and what is lost.
Source
    Absolute thresholds as in Seymore and Rosenfeld (1996), who call it a cutoff for n-grams.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.api.arguments import ArgumentDoc, Lenient, Useless, public
from errorbar.api.arguments import part as part_of
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, refuse_halves
from errorbar.detectors.candidates import Reader
from errorbar.detectors.chooser import CLASSES, Task, train_chooser
from errorbar.detectors.chooser import FEATURES as OF_CHOICES
from errorbar.detectors.combined import RIDGE, CombinedDetectors
from errorbar.detectors.correctors import learn_correctors
from errorbar.detectors.detect import file_of, read_combined, read_reader, read_tagger
from errorbar.detectors.learning import PREPOSITIONS, Weights
from errorbar.detectors.model_file import Model, fingerprint, load_model, save_model, stored_weights
from errorbar.detectors.ngrams import NgramModel, Tree, train_ngrams
from errorbar.detectors.prepositions import FEATURES as OF_PREPOSITIONS
from errorbar.detectors.prepositions import LEAST as FREQUENT
from errorbar.detectors.prepositions import OF_PAPER
from errorbar.detectors.ranker import FEATURES as OF_RANKER
from errorbar.detectors.selectors import BITS, PAPER, Examples, Kind, find_examples, train_classifier, train_majority
from errorbar.detectors.tagger import FEATURES as OF_TAGGER
from errorbar.detectors.tagger import PIPELINE, Tagger, pipeline_tagger, pipeline_version, train_tagger
from errorbar.detectors.text import (
    UNKNOWN,
    CorpusText,
    LearnerText,
    Treebank,
    check_tags,
    count_words,
    read_corpus_text,
    read_learner_text,
    read_treebank,
)
from errorbar.formats.look import Source, list_paths, own_folder
from errorbar.formats.reference import expand_pattern
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

SMALL = "small-1"
"""The name that models made with these numbers carry."""
LEAST = (1, 2, 2)
LOG_STEP = 1 / 16
LEAST_EXAMPLES = 4
LIGHT: Mapping[str, float] = {"me": 0.15, "me-paper": 0.15, "perc": 1.0, "articles": 0.15, "forms": 0.2}
STEP: Mapping[str, float] = {"me": 0.1, "me-paper": 0.1, "perc": 0.5, "articles": 0.1, "forms": 0.1}
"""Values of each kind of classifier, in the unit of its scores."""


def expand_paths(paths: Source | Sequence[Source]) -> list[str]:
    """The files of one path or several, patterns expanded; a ``UsageError`` if one is named twice.

    Sentences that stand in a text twice look as if they were frequent, and those held out are learned from.
    """
    files = [file for path in list_paths(paths) for file in expand_pattern(path)]
    places = [os.path.realpath(file) for file in files]
    again = [file for at, file in enumerate(files) if places[at] in places[:at]]
    if again:
        raise UsageError(Problem("text-twice", "the file is named twice", Place(again[0]), fix="name it once"))
    return files


def small_ngrams(model: NgramModel) -> NgramModel:
    """An n-gram model with rounded logarithms."""
    tree = model.tree
    rounded = Tree(tree.word, _round_logs(tree.log10_prob), tree.first, _round_logs(tree.log10_backoff), tree.order)
    return NgramModel(rounded, model.words, model.made, model.text)


def _round_logs(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    return (np.round(logs / LOG_STEP) * LOG_STEP).astype(np.float32)


def small_classifier(model: Model, n_classes: int) -> Model:
    """The model of a classifier with few weights."""
    kind = model.kind
    weights = small_weights(stored_weights(model, n_classes), LIGHT[kind], STEP[kind], centered=kind != "perc")
    return replace(model, arrays={**model.arrays, **weights.arrays()})


def small_weights(weights: Weights, light: float, step: float, *, centered: bool) -> Weights:
    """Weights without the light ones, rounded.

    Args:
        weights: The weights of a classifier.
        light: Below it, absolute, a weight is left out.
        step: The others become multiples of it.
        centered: Take each row's median from its weights first: for scores of which only differences count.
    """

    def part(rows: slice) -> NDArray[np.float32]:
        end = min(rows.stop, 1 << weights.bits)
        first, last = weights.offsets[rows.start], weights.offsets[end]
        table = np.zeros((end - rows.start, weights.n_classes), np.float32)
        table[weights.rows[first:last] - rows.start, weights.classes[first:last]] = weights.wide[first:last]
        if centered:
            table -= np.median(table, axis=1, keepdims=True)
        table[np.abs(table) < light] = 0
        return (np.round(table / step) * step).astype(np.float32)

    return Weights.of_table(part, (1 << weights.bits, weights.n_classes))


Part = Literal[
    "tagger", "words", "ngrams", "majority", "perc", "me", "me-paper", "articles", "forms", "combiner", "correctors"
]
PARTS: tuple[Part, ...] = get_args(Part)
ON_REQUEST: tuple[Part, ...] = ("me-paper",)
"""The parts that are trained only where they are named."""
TaggerKind = Literal["perceptron", "errorbar-en"]
StepCallback = Callable[[str], object]


class TextOrigin(TypedDict, total=False):
    """The origin of a model's text, as the model states it."""

    license: Annotated[
        str, ArgumentDoc(UNKNOWN, "Of the text, or without one of treebank or labels; the models say it.")
    ]
    provenance: Annotated[str, ArgumentDoc(UNKNOWN, "Where that is from; the models say it.")]


class TrainingOptions(TextOrigin, total=False):
    """How models are trained."""

    treebank: Annotated[
        Source | None,
        ArgumentDoc(None, "Treebank with Penn tags in CoNLL-U, for the tagger; None: the folder has a tagger."),
    ]
    tagger: Annotated[
        TaggerKind,
        ArgumentDoc("perceptron", "What tags: a ``perceptron``, or the spaCy pipeline ``errorbar-en``, if installed."),
    ]
    labels: Annotated[
        Source | Sequence[Source],
        ArgumentDoc(
            (),
            "Learners' text with edits, M2, for ``combiner`` and ``correctors``; several: one after the other.",
        ),
    ]
    order: Annotated[int, ArgumentDoc(4, "Words of the longest n-grams.")]
    fallback: Annotated[bool, ArgumentDoc(False, "Take fixed discounts where a text is too small for its own.")]
    small: Annotated[
        bool, ArgumentDoc(False, "Leave out what weighs little, and round numbers: files of a few megabytes.")
    ]
    seed: Annotated[int, ArgumentDoc(0, "Of the orders of examples.")]
    lenient: Lenient


@dataclass(frozen=True, slots=True)
class TrainedPart:
    """A model that was made, or was there already."""

    part: str  # what it is
    file: str  # where it is
    n_bytes: int  # its size
    learned_from: int  # how many tokens, or of classifiers examples
    found: bool  # whether it was there already, made of the same text in the same way


class Training:
    """The training of models: every step is made once, and only where something needs it."""

    def __init__(self, files: Sequence[str], folder: Path, options: TrainingOptions, tell: StepCallback) -> None:
        self.files, self.folder, self.options, self.tell = files, folder, options, tell
        self.problems = Problems(lenient=options["lenient"])
        self.changed: set[Part] = set()  # models that compute something else than those that were there

    @cached_property
    def text(self) -> CorpusText:
        """The training text."""
        self.tell("reading text")
        corpus = read_corpus_text(self.files, **part_of(TextOrigin, self.options), problems=self.problems)
        self.problems.raise_errors()
        return corpus

    @cached_property
    def bank(self) -> Treebank | None:
        """The treebank, if one is given."""
        path = self.options["treebank"]
        if path is None:
            return None
        bank = read_treebank(path)
        check_tags(bank, path)
        return bank

    @cached_property
    def tagger(self) -> Tagger:
        """The tagger: trained, or that of the folder."""
        self.part("tagger")
        return read_tagger(self.folder)

    @cached_property
    def tagged_by(self) -> str:
        """The fingerprint of the tagger, which classifiers carry."""
        return fingerprint(self.tagger.model())

    @cached_property
    def examples(self) -> Examples:
        """The prepositions of the text."""
        self.tell("tagging text")
        return find_examples(self.text.sentences, self.tagger)

    @cached_property
    def labels(self) -> LearnerText:
        """Learners' text with labels."""
        files = expand_paths(self.options["labels"])
        if not files:
            message = "there are no labels to learn from"
            raise UsageError(Problem("no-labels", message, fix="add --labels=FILE.m2: learners' text with edits"))
        learner_text = read_learner_text(files, self.problems)
        self.problems.raise_errors()
        return learner_text

    @cached_property
    def combined(self) -> CombinedDetectors:
        """The detectors that are combined; those that are missing are trained."""
        for need in STEPS["combiner"].needs:
            self.part(need)
        return read_combined(self.folder, self.tagger)

    @cached_property
    def reader(self) -> Reader:
        """The reader that finds changes; models that are missing are trained."""
        for need in STEPS["correctors"].needs:
            self.part(need)
        return read_reader(self.folder)

    def part(self, part: Part) -> TrainedPart:
        """A model, made if it is not there."""
        step, path = STEPS[part], file_of(self.folder, part)
        model = self._there(part)
        small = {"small": SMALL} if self.options["small"] and step.shrinks else {}
        same_size = model is not None and (not self.files or model.made.get("small") == small.get("small"))
        same = model is not None and same_size and model.made.get("features", "") in step.features
        is_kept = model is not None and same and step.fits(self, model)
        if model is None or not is_kept:
            if not self.files and part not in TEXTLESS:
                message = "no such model, and no text to train it on is named"
                if path.exists():
                    load_model(path, part)  # says what is wrong with a damaged one
                    message = "it is of another version of errorbar, and no text to train it anew is named"
                raise UsageError(
                    Problem("no-files", message, Place(str(path)), fix="name the text, or another folder: -o")
                )
            before, model = model, step.make(self)
            model = replace(model, made={**model.made, **small})
            if before is None or fingerprint(before) != fingerprint(model):
                self.changed.add(part)
            save_model(model, path, packed=self.options["small"])
        return TrainedPart(part, str(path), path.stat().st_size, _size(model), is_kept)

    def _there(self, part: Part) -> Model | None:
        path = file_of(self.folder, part)
        try:
            return load_model(path, part) if path.exists() else None
        except InputError:
            return None  # damaged, or of another version: it is made anew

    @property
    def least_examples(self) -> int:
        """In how many examples a feature of a classifier must occur."""
        return LEAST_EXAMPLES if self.options["small"] else FREQUENT

    def shrunk(self, classifier: Model, n_classes: int) -> Model:
        """A classifier with fewer weights, where small models are wanted."""
        return small_classifier(classifier, n_classes) if self.options["small"] else classifier

    def about_no_text(self) -> dict[str, str]:
        """The license and provenance if there is no plain text, otherwise nothing."""
        return {} if self.files else part_of(TextOrigin, self.options)

    def same_text(self, there: Model) -> bool:
        """Whether a model was made of this text and describes it in the same way; without a text, of any."""
        if not self.files:
            return True
        return there.text.get("sha256") == self.text.described["sha256"] and self._says_the_same(there)

    def same_about(self, there: Model) -> bool:
        """Whether a model describes a treebank or labels in the same way; with a text it describes the text."""
        return bool(self.files) or self._says_the_same(there)

    def _says_the_same(self, there: Model) -> bool:
        """Whether its license and provenance are those given, if any are."""
        about = part_of(TextOrigin, self.options).items()
        return all(value in (UNKNOWN, there.text.get(name)) for name, value in about)


def _size(model: Model) -> int:
    """The number of tokens that a model was learned from; for classifiers, of examples."""
    if model.kind == "majority":
        return int(model.arrays["counts"].sum())
    return int(model.made.get("examples", model.text.get("tokens", 0)))


@dataclass(frozen=True, slots=True)
class _Step:
    """How a model is made, and whether one that is there was made of the same things in the same way."""

    make: Callable[[Training], Model]
    fits: Callable[[Training, Model], bool]
    needs: Sequence[Part] = ()  # models that it is fitted to; what one of them needs itself is made before it
    features: Sequence[str] = ("",)  # whose definitions are still these
    shrinks: bool = False  # small models of this part are others


def _tagger(training: Training) -> Model:
    if training.bank is None:
        path = file_of(training.folder, "tagger")
        message, fix = "the classifiers need a tagger, and there is none", "add --treebank=FILE.conllu"
        if path.exists():
            load_model(path, "tagger")  # says what is wrong with a damaged one
            message = "another tagger than this one is needed, and there is no treebank to make it of"
        raise InputError(Problem("no-tagger", message, Place(str(path)), fix=fix))
    bank, about, options = training.bank, training.about_no_text(), training.options
    if options["tagger"] == "errorbar-en":
        return pipeline_tagger(bank, about).model()
    training.tell("training the tagger")
    return train_tagger(bank, about, seed=options["seed"]).model()


def _same_tagger(training: Training, there: Model) -> bool:
    bank, options = training.bank, training.options
    wants_pipeline, is_pipeline = options["tagger"] == "errorbar-en", there.made.get("features") == PIPELINE
    if bank is None:  # whatever is there, but for what is not the usual one and asked for
        return is_pipeline or not wants_pipeline
    if wants_pipeline != is_pipeline or (wants_pipeline and there.made.get("version") != pipeline_version()):
        return False
    same = there.text.get("sha256") == bank.sha256 and there.made.get("seed", options["seed"]) == options["seed"]
    return same and training.same_about(there)


def _words(training: Training) -> Model:
    text = training.text
    training.tell("counting words")
    return count_words(text.sentences, text.described)


def _ngrams(training: Training) -> Model:
    text, options = training.text, training.options
    training.tell("counting n-grams")
    least = LEAST if options["small"] else ()
    model = train_ngrams(
        text.sentences, options["order"], fallback=options["fallback"], least=least, text=text.described
    )
    return (small_ngrams(model) if options["small"] else model).model()


def _same_ngrams(training: Training, there: Model) -> bool:
    same = all(there.made.get(name) == training.options[name] for name in ("order", "fallback"))
    return training.same_text(there) and (same or not training.files)


def _majority(training: Training) -> Model:
    return train_majority(training.examples, training.tagger, training.text.described).model()


def _classifier(kind: Kind) -> Callable[[Training], Model]:
    def make(training: Training) -> Model:
        examples, described, seed = training.examples, training.text.described, training.options["seed"]
        training.tell(f"training {kind}")
        least = training.least_examples
        classifier = train_classifier(kind, examples, training.tagger, described, bits=BITS, least=least, seed=seed)
        return training.shrunk(classifier.model(), len(PREPOSITIONS))

    return make


def _same_classifier(training: Training, there: Model) -> bool:
    seed = training.options["seed"]
    same = there.made.get("tagger") == training.tagged_by and there.made.get("seed", seed) == seed
    return training.same_text(there) and (same or not training.files)


def _combiner(training: Training) -> Model:
    labels, combined = training.labels, training.combined
    training.tell("learning from labels")
    return combined.fit(replace(labels, described={**labels.described, **training.about_no_text()})).model()


def _same_combiner(training: Training, there: Model) -> bool:
    same = there.text.get("labels") == training.labels.described["labels"] and there.made.get("ridge") == RIDGE
    return same and training.same_about(there) and there.made.get("models") == training.combined.hashes()


def _chooser(task: Task) -> Callable[[Training], Model]:
    def make(training: Training) -> Model:
        text, seed, least = training.text, training.options["seed"], training.least_examples
        training.tell(f"training {task}")
        chooser = train_chooser(
            task, text.sentences, training.tagger, text.described, bits=BITS, least=least, seed=seed
        )
        return training.shrunk(chooser.model(), len(CLASSES[task]))

    return make


def _correctors(training: Training) -> Model:
    labels, reader = training.labels, training.reader
    training.tell("learning corrections from labels")
    return learn_correctors(reader, replace(labels, described={**labels.described, **training.about_no_text()})).model()


def _same_correctors(training: Training, there: Model) -> bool:
    same = there.text.get("labels") == training.labels.described["labels"]
    return same and training.same_about(there) and there.made.get("models") == training.reader.hashes


STEPS: Mapping[Part, _Step] = {
    "tagger": _Step(_tagger, _same_tagger, features=[OF_TAGGER, PIPELINE]),
    "words": _Step(_words, Training.same_text),
    "ngrams": _Step(_ngrams, _same_ngrams, shrinks=True),
    "majority": _Step(_majority, _same_classifier, ["tagger"]),
    "perc": _Step(_classifier("perc"), _same_classifier, ["tagger"], [OF_PREPOSITIONS], shrinks=True),
    "me": _Step(_classifier("me"), _same_classifier, ["tagger"], [OF_PREPOSITIONS], shrinks=True),
    PAPER: _Step(_classifier(PAPER), _same_classifier, ["tagger"], [OF_PAPER], shrinks=True),
    "articles": _Step(_chooser("articles"), _same_classifier, ["tagger"], [OF_CHOICES], shrinks=True),
    "forms": _Step(_chooser("forms"), _same_classifier, ["tagger"], [OF_CHOICES], shrinks=True),
    "combiner": _Step(_combiner, _same_combiner, ["me", "perc", "ngrams", "tagger"]),
    "correctors": _Step(
        _correctors, _same_correctors, ["words", "ngrams", "me", "articles", "forms", "tagger"], [OF_RANKER]
    ),
}
LABELED: tuple[Part, ...] = ("combiner", "correctors")
"""The parts that learn from learners' text with labels."""
TEXTLESS: tuple[Part, ...] = ("tagger", *LABELED)
"""The parts that can do without a plain text, if the models that they need are there."""


@dataclass(frozen=True, slots=True, repr=False)
class TrainedModels(Result):
    """The models of a folder.

    Attributes:
        parts: In the order of training.
        text: What they say of the training text.
        notes: What was noted on the way.
    """

    parts: Sequence[TrainedPart]
    text: Mapping[str, Any]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every model, and the text."""
        return {"models": [*map(asdict, self.parts)], "text": {**self.text}}

    def tables(self) -> list[Table]:
        """A row for each model."""
        columns = [Column("model"), Column("file"), Column("bytes", "count"), Column("learned from", "count")]
        rows: list[list[Cell]] = [
            [part.part, part.file, part.n_bytes, part.learned_from, "was there" if part.found else "made"]
            for part in self.parts
        ]
        about = ", ".join(f"{name} {value}" for name, value in self.text.items() if name != "sha256")
        return [Table([*columns, Column("")], rows, name="models", notes=[f"text: {about}"] if about else [])]


def _refuse_without_part(options: str, *parts: Part) -> Useless:
    """Make the rule on options that are about some parts, of which one must be made where parts are named."""

    def is_useless(arguments: Mapping[str, Any]) -> bool:
        part: Part | Sequence[Part] = arguments["part"]
        named: Sequence[Part] = [part] if isinstance(part, str) else part
        needed = {*named, *(need for part in named for need in STEPS[part].needs)}
        return bool(named) and not needed & {*parts}

    return Useless(options, f"is for {', '.join(parts)}", is_useless, f"leave it out, or add --part={parts[0]}")


@public(
    _refuse_without_part("labels", *LABELED),
    _refuse_without_part("treebank tagger", "tagger"),
    _refuse_without_part("order fallback", "ngrams"),
    _refuse_without_part("small", *(part for part in PARTS if STEPS[part].shrinks)),
    _refuse_without_part("seed", *(part for part in PARTS if part not in ("words", "ngrams"))),
)
def train(
    texts: Source | Sequence[Source] = (),
    out: Source = "models",
    *,
    part: Part | Sequence[Part] = (),
    tell: StepCallback = lambda _: None,
    **shared: Unpack[TrainingOptions],
) -> TrainedModels:
    """Train detectors and correctors: an n-gram model, a tagger, classifiers, and what combines them.

    A model that is there already, of the same text and made in the same way, is kept: an interrupted training goes on
    with what is missing.

    Args:
        texts: Plain text files of native English, a paragraph or sentence a line; patterns such as ``"*.txt"``. None:
            for what learns from a treebank or from labels, with the other models that the folder has.
        out: Folder for the models.
        part: What to train, ``tagger``, ``words``, ``ngrams``, ``majority``, ``perc``, ``me``, ``me-paper``,
            ``articles``, ``forms``, ``combiner``, ``correctors``; none: all but ``me-paper``, without a tagger what
            needs none, without labels what learns from none.
        tell: Is told what begins.
        shared: How models are trained.

    Raises:
        InputError: If a file is bad or empty, there is no tagger, or a model cannot be written.
        UsageError: If the order is out of range, there is no preposition in the text, or there are no labels where
            some are needed.
    """
    files = expand_paths(texts)
    folder = Path(out)
    refuse_halves("license", shared["license"])
    refuse_halves("provenance", shared["provenance"])
    parts = _choose_parts([part] if isinstance(part, str) else part, folder, shared, text=bool(files))
    if not files and not (parts and {*parts} <= {*TEXTLESS}):
        raise UsageError(Problem("no-files", "no text to train on is named", expected="at least one file"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"no folder for the models can be made: {error.strerror}"
        raise InputError(Problem("cannot-write", message, Place(str(folder)), fix="name another folder")) from None
    own_folder(folder)
    training = Training(files, folder, shared, tell)
    if {*parts} & {*LABELED}:
        _ = training.labels  # bad ones are refused before minutes of training, not after
    rows = [training.part(name) for name in parts]
    _warn_of_stale(training, parts)
    described = training.text.described if files and parts != ["tagger"] else {}
    return TrainedModels(rows, described, tuple(training.problems.notes))


def _warn_of_stale(training: Training, parts: Sequence[Part]) -> None:
    """Warn of models of the folder that are fitted to others than those that were made now."""
    refitted = [part for part in PARTS if part not in parts and training.changed & {*STEPS[part].needs}]
    stale = [part for part in refitted if file_of(training.folder, part).exists()]
    if stale:
        message = (
            f"{', '.join(stale)} of the folder {'fits' if len(stale) == 1 else 'fit'} the models before, not these"
        )
        fix = "make them anew from the same text and labels, or take them away"
        training.problems.note("models-stale", message, Place(str(training.folder)), fix=fix)


def _choose_parts(named: Sequence[Part], folder: Path, options: TrainingOptions, *, text: bool) -> list[Part]:
    labeled, bank = bool(options["labels"]), options["treebank"] is not None
    if named:
        return [part for part in PARTS if part in named]
    tagged = bank or file_of(folder, "tagger").exists()
    of_text = {part: tagged or "tagger" not in STEPS[part].needs for part in PARTS} if text else {}
    there = {**of_text, **dict.fromkeys(LABELED, labeled), "tagger": tagged if text else bank}
    return [part for part in PARTS if there.get(part) and part not in ON_REQUEST]
