"""The steps of ``errorbar train``: what each model is made of, and when one that is there already will do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.detectors.choice_features import FEATURES as OF_CHOICES
from errorbar.detectors.choices import CLASSES, Task
from errorbar.detectors.chooser import train_chooser
from errorbar.detectors.combined import RIDGE, Combined
from errorbar.detectors.corpus_text import UNKNOWN, CorpusText, read_corpus_text
from errorbar.detectors.correctors import learn
from errorbar.detectors.features import FEATURES as OF_PREPOSITIONS
from errorbar.detectors.features import LEAST as FREQUENT
from errorbar.detectors.features import OF_PAPER
from errorbar.detectors.kneser_ney import train_ngrams
from errorbar.detectors.learner_text import LearnerText, read_learner_text
from errorbar.detectors.lexicon import PREPOSITIONS
from errorbar.detectors.model_file import Model, fingerprint, load_model, save_model
from errorbar.detectors.pipeline_tagger import PIPELINE, pipeline_tagger, pipeline_version
from errorbar.detectors.proposals import Reader
from errorbar.detectors.ranker_features import FEATURES as OF_RANKER
from errorbar.detectors.selectors import BITS, PAPER, Examples, Kind, find_examples, train_classifier, train_majority
from errorbar.detectors.small import LEAST, LEAST_EXAMPLES, SMALL, small_classifier, small_ngrams
from errorbar.detectors.tagger import FEATURES as OF_TAGGER
from errorbar.detectors.tagger import Tagger, train_tagger
from errorbar.detectors.treebank import Treebank, read_treebank
from errorbar.detectors.word_counts import count_words
from errorbar.formats.reference import expand_files
from errorbar.studies.door import part as part_of
from errorbar.studies.model_folder import file_of, read_combined, read_reader, read_tagger
from errorbar.studies.training_arguments import About, Learning, Part, Told, TrainedPart


class Training:
    """What trains: every step is made once, and only where something needs it."""

    def __init__(self, files: Sequence[str], folder: Path, said: Learning, tell: Told) -> None:
        self.files, self.folder, self.said, self.tell = files, folder, said, tell
        self.problems = Problems(lenient=said["lenient"])
        self.changed: set[Part] = set()  # models that compute something else than those that were there

    @cached_property
    def text(self) -> CorpusText:
        """The training text."""
        self.tell("reading text")
        found = read_corpus_text(self.files, **part_of(About, self.said), problems=self.problems)
        self.problems.raise_errors()
        return found

    @cached_property
    def bank(self) -> Treebank | None:
        """The treebank, if one is given."""
        return None if self.said["treebank"] is None else read_treebank(self.said["treebank"])

    @cached_property
    def tagger(self) -> Tagger:
        """The tagger: trained, or that of the folder."""
        self.part("tagger")
        return read_tagger(self.folder)

    @cached_property
    def tagged_by(self) -> str:
        """What classifiers say of the tagger."""
        return fingerprint(self.tagger.model())

    @cached_property
    def examples(self) -> Examples:
        """The prepositions of the text."""
        self.tell("tagging text")
        return find_examples(self.text.sentences, self.tagger)

    @cached_property
    def labels(self) -> LearnerText:
        """Learners' text with labels."""
        given = self.said["labels"]
        paths = [given] if isinstance(given, str | PathLike) else given
        files = [each.path for each in expand_files([fspath(path) for path in paths])]
        if not files:
            what = "there are no labels to learn from"
            raise UsageError(Problem("no-labels", what, fix="add --labels=FILE.m2: learners' text with edits"))
        found = read_learner_text(files, self.problems)
        self.problems.raise_errors()
        return found

    @cached_property
    def combined(self) -> Combined:
        """The detectors that are combined; those that are missing are trained."""
        for each in STEPS["combiner"].needs:
            self.part(each)
        return read_combined(self.folder, self.tagger)

    @cached_property
    def reader(self) -> Reader:
        """What finds changes; models that are missing are trained."""
        for each in STEPS["correctors"].needs:
            self.part(each)
        return read_reader(self.folder)

    def part(self, part: Part) -> TrainedPart:
        """A model, made if it is not there."""
        step, path = STEPS[part], file_of(self.folder, part)
        model = self._there(part)
        small = {"small": SMALL} if self.said["small"] and step.shrinks else {}
        same_size = model is not None and (not self.files or model.made.get("small") == small.get("small"))
        same = model is not None and same_size and model.made.get("features", "") in step.features
        found = model is not None and same and step.fits(self, model)
        if model is None or not found:
            if not self.files and part not in TEXTLESS:
                what = "no such model, and no text to train it on is named"
                if path.exists():
                    load_model(path, part)  # says what is wrong with a damaged one
                    what = "it is of another version of errorbar, and no text to train it anew is named"
                raise UsageError(
                    Problem("no-files", what, Place(str(path)), fix="name the text, or another folder: -o")
                )
            before, model = model, step.make(self)
            model = replace(model, made={**model.made, **small})
            if before is None or fingerprint(before) != fingerprint(model):
                self.changed.add(part)
            save_model(model, path, packed=self.said["small"])
        return TrainedPart(part, str(path), path.stat().st_size, _size(model), found)

    def _there(self, part: Part) -> Model | None:
        path = file_of(self.folder, part)
        try:
            return load_model(path, part) if path.exists() else None
        except InputError:
            return None  # damaged, or of another version: it is made anew

    @property
    def least_examples(self) -> int:
        """In how many examples a feature of a classifier must occur."""
        return LEAST_EXAMPLES if self.said["small"] else FREQUENT

    def shrunk(self, classifier: Model, n_classes: int) -> Model:
        """A classifier with fewer weights, where small models are wanted."""
        return small_classifier(classifier, n_classes) if self.said["small"] else classifier

    def about_no_text(self) -> dict[str, str]:
        """What license and provenance say where they are not those of a plain text."""
        return {} if self.files else part_of(About, self.said)

    def same_text(self, there: Model) -> bool:
        """Whether a model was made of this text and says of it what is said now; without a text, of any."""
        if not self.files:
            return True
        return there.text.get("sha256") == self.text.described["sha256"] and self._says_the_same(there)

    def same_about(self, there: Model) -> bool:
        """Whether a model says what is said now of a treebank or labels; with a text that is said of the text."""
        return bool(self.files) or self._says_the_same(there)

    def _says_the_same(self, there: Model) -> bool:
        """Whether its license and provenance are those given, if any are."""
        about = part_of(About, self.said).items()
        return all(value in (UNKNOWN, there.text.get(name)) for name, value in about)


def _size(model: Model) -> int:
    """What a model was learned from: tokens, or of classifiers examples."""
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
        what, fix = "the classifiers need a tagger, and there is none", "add --treebank=FILE.conllu"
        if path.exists():
            load_model(path, "tagger")  # says what is wrong with a damaged one
            what = "another tagger than this one is needed, and there is no treebank to make it of"
        raise InputError(Problem("no-tagger", what, Place(str(path)), fix=fix))
    bank, about, said = training.bank, training.about_no_text(), training.said
    if said["tagger"] == "errorbar-en":
        return pipeline_tagger(bank, about).model()
    training.tell("training the tagger")
    return train_tagger(bank, about, seed=said["seed"]).model()


def _same_tagger(training: Training, there: Model) -> bool:
    bank, said = training.bank, training.said
    wanted, found = said["tagger"] == "errorbar-en", there.made.get("features") == PIPELINE
    if bank is None:  # whatever is there, but for what is not the usual one and asked for
        return found or not wanted
    if wanted != found or (wanted and there.made.get("version") != pipeline_version()):
        return False
    same = there.text.get("sha256") == bank.sha256 and there.made.get("seed", said["seed"]) == said["seed"]
    return same and training.same_about(there)


def _words(training: Training) -> Model:
    text = training.text
    training.tell("counting words")
    return count_words(text.sentences, text.described)


def _ngrams(training: Training) -> Model:
    text, said = training.text, training.said
    training.tell("counting n-grams")
    least = LEAST if said["small"] else ()
    made = train_ngrams(text.sentences, said["order"], fallback=said["fallback"], least=least, text=text.described)
    return (small_ngrams(made) if said["small"] else made).model()


def _same_ngrams(training: Training, there: Model) -> bool:
    same = all(there.made.get(name) == training.said[name] for name in ("order", "fallback"))
    return training.same_text(there) and (same or not training.files)


def _majority(training: Training) -> Model:
    return train_majority(training.examples, training.tagger, training.text.described).model()


def _classifier(kind: Kind) -> Callable[[Training], Model]:
    def make(training: Training) -> Model:
        examples, described, seed = training.examples, training.text.described, training.said["seed"]
        training.tell(f"training {kind}")
        least = training.least_examples
        made = train_classifier(kind, examples, training.tagger, described, bits=BITS, least=least, seed=seed)
        return training.shrunk(made.model(), len(PREPOSITIONS))

    return make


def _same_classifier(training: Training, there: Model) -> bool:
    seed = training.said["seed"]
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
        text, seed, least = training.text, training.said["seed"], training.least_examples
        training.tell(f"training {task}")
        made = train_chooser(task, text.sentences, training.tagger, text.described, bits=BITS, least=least, seed=seed)
        return training.shrunk(made.model(), len(CLASSES[task]))

    return make


def _correctors(training: Training) -> Model:
    labels, reader = training.labels, training.reader
    training.tell("learning corrections from labels")
    return learn(reader, replace(labels, described={**labels.described, **training.about_no_text()})).model()


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
"""What learns from learners' text with labels."""
TEXTLESS: tuple[Part, ...] = ("tagger", *LABELED)
"""What can do without a plain text, the models that it needs being there."""
