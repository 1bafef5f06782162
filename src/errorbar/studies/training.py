"""Detectors' models from plain text: what ``errorbar train`` makes, a file each in one folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack, get_args

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.detectors.corpus_text import UNKNOWN, CorpusText, read_corpus_text
from errorbar.detectors.kneser_ney import train_ngrams
from errorbar.detectors.model_file import Model, fingerprint, load_model, save_model
from errorbar.detectors.selectors import (
    BITS,
    Examples,
    find_examples,
    train_classifier,
    train_majority,
)
from errorbar.detectors.tagger import Tagger, load_tagger, train_tagger
from errorbar.detectors.treebank import read_treebank
from errorbar.detectors.word_counts import count_words
from errorbar.formats.opening import Source
from errorbar.formats.reference import expand_files
from errorbar.studies.door import Lenient, Said, public
from errorbar.studies.door import part as part_of
from errorbar.studies.model_folder import file_of
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

Part = Literal["tagger", "words", "ngrams", "majority", "perc", "me"]
PARTS: tuple[Part, ...] = get_args(Part)
Told = Callable[[str], object]


class About(TypedDict, total=False):
    """What models say of their text."""

    license: Annotated[str, Said(UNKNOWN, "Under which the text may be used; the models say it.")]
    provenance: Annotated[str, Said(UNKNOWN, "Where the text is from; the models say it.")]


class Learning(About, total=False):
    """How models are trained."""

    treebank: Annotated[
        Source | None,
        Said(None, "Treebank with Penn tags in CoNLL-U, for the tagger; None: the folder has a tagger."),
    ]
    order: Annotated[int, Said(4, "Words of the longest n-grams.")]
    fallback: Annotated[bool, Said(False, "Take fixed discounts where a text is too small for its own.")]
    seed: Annotated[int, Said(0, "Of the orders of examples.")]
    lenient: Lenient


@dataclass(frozen=True, slots=True)
class TrainedPart:
    """A model that was made, or was there already.

    Attributes:
        part: What it is.
        file: Where it is.
        n_bytes: Its size.
        learned_from: How many tokens, or of classifiers examples.
        found: Whether it was there already, made of the same text in the same way.
    """

    part: str
    file: str
    n_bytes: int
    learned_from: int
    found: bool


@dataclass(frozen=True, slots=True, repr=False)
class Trained(Result):
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
        names = ("part", "file", "n_bytes", "learned_from", "found")
        return {"models": [{name: getattr(each, name) for name in names} for each in self.parts], "text": {**self.text}}

    def tables(self) -> list[Table]:
        """A row for each model."""
        columns = [Column("model"), Column("file"), Column("bytes", "count"), Column("learned from", "count")]
        rows: list[list[Cell]] = [
            [each.part, each.file, each.n_bytes, each.learned_from, "was there" if each.found else "made"]
            for each in self.parts
        ]
        about = ", ".join(f"{name} {value}" for name, value in self.text.items() if name != "sha256")
        return [Table([*columns, Column("")], rows, name="models", notes=[f"text: {about}"] if about else [])]


class _Training:
    """What trains: every step is made once, and only where something needs it."""

    def __init__(self, files: Sequence[str], folder: Path, said: Learning, tell: Told) -> None:
        self.files, self.folder, self.said, self.tell = files, folder, said, tell
        self.problems = Problems(lenient=said["lenient"])

    @cached_property
    def text(self) -> CorpusText:
        """The training text."""
        self.tell("reading text")
        about = part_of(About, self.said)
        found = read_corpus_text(self.files, **about, problems=self.problems)
        self.problems.raise_errors()
        return found

    @cached_property
    def tagger(self) -> tuple[Tagger, bool]:
        """The tagger: trained, or that of the folder; and whether it was there."""
        path, treebank = file_of(self.folder, "tagger"), self.said["treebank"]
        there = self._there("tagger")
        if treebank is None:
            if there is None:
                what, fix = "the classifiers need a tagger, and there is none", "add --treebank=FILE.conllu"
                raise InputError(Problem("no-tagger", what, Place(str(path)), fix=fix))
            return load_tagger(there, str(path)), True
        bank = read_treebank(treebank)
        if there is not None and (there.text.get("sha256"), there.made.get("seed")) == (bank.sha256, self.said["seed"]):
            return load_tagger(there, str(path)), True
        self.tell("training the tagger")
        made = train_tagger(bank, seed=self.said["seed"])
        save_model(made.model(), path)
        return made, False

    @cached_property
    def tagged_by(self) -> str:
        """What classifiers say of the tagger."""
        return fingerprint(self.tagger[0].model())

    @cached_property
    def examples(self) -> Examples:
        """The prepositions of the text."""
        self.tell("tagging text")
        return find_examples(self.text.sentences, self.tagger[0])

    def _there(self, part: str) -> Model | None:
        path = file_of(self.folder, part)
        try:
            return load_model(path, part) if path.exists() else None
        except InputError:
            return None  # damaged, or of another version: it is made anew

    def part(self, part: Part) -> TrainedPart:
        """A model, made if it is not there."""
        if part == "tagger":
            tagger, found = self.tagger
            return self._row(part, int(tagger.text["tokens"]), found)
        there = self._there(part)
        if there is not None and self._fits(there):
            return self._row(part, self._size(there), True)
        if part == "words":
            self.tell("counting words")
            save_model(count_words(self.text.sentences, self.text.described), file_of(self.folder, part))
            return self._row(part, int(self.text.described["tokens"]), False)
        if part == "ngrams":
            text, order = self.text, self.said["order"]
            self.tell("counting n-grams")
            ngrams = train_ngrams(text.sentences, order, fallback=self.said["fallback"], text=text.described)
            ngrams.save(file_of(self.folder, part))
            return self._row(part, int(text.described["tokens"]), False)
        examples, described = self.examples, self.text.described
        self.tell(f"training {part}")
        made = (
            train_majority(examples, self.tagger[0], described)
            if part == "majority"
            else train_classifier(part, examples, self.tagger[0], described, bits=BITS, seed=self.said["seed"])
        )
        save_model(made.model(), file_of(self.folder, part))
        return self._row(part, len(examples.right), False)

    def _fits(self, there: Model) -> bool:
        """Whether a model was made of this text in this way."""
        if there.text.get("sha256") != self.text.described["sha256"]:
            return False
        if there.kind == "words":
            return True
        if there.kind == "ngrams":
            return all(there.made.get(name) == self.said[name] for name in ("order", "fallback"))
        same = there.made.get("tagger") == self.tagged_by
        return bool(same and there.made.get("seed", self.said["seed"]) == self.said["seed"])

    def _size(self, there: Model) -> int:
        if there.kind == "majority":
            return int(there.arrays["counts"].sum())
        return int(there.made.get("examples", there.text.get("tokens", 0)))

    def _row(self, part: str, learned_from: int, found: bool) -> TrainedPart:
        path = file_of(self.folder, part)
        return TrainedPart(part, str(path), path.stat().st_size, learned_from, found)


@public()
def train(
    texts: Source | Sequence[Source],
    out: Source = "models",
    *,
    part: Part | Sequence[Part] = (),
    tell: Told = lambda _: None,
    **shared: Unpack[Learning],
) -> Trained:
    """Train detectors from plain text: an n-gram model, a tagger, and classifiers of prepositions.

    A model that is there already, of the same text and made in the same way, is kept: an interrupted training goes on
    with what is missing.

    Args:
        texts: Plain text files of native English, a paragraph or sentence a line; patterns such as ``"*.txt"``.
        out: Folder for the models.
        part: What to train, ``tagger``, ``words``, ``ngrams``, ``majority``, ``perc``, ``me``; none: all, and without a
            tagger what needs none.
        tell: Is told what begins.
        shared: How models are trained.

    Raises:
        InputError: If a file is bad or empty, there is no tagger, or a model cannot be written.
        UsageError: If the order is out of range, or there is no preposition in the text.
    """
    paths = [texts] if isinstance(texts, str) or not isinstance(texts, Sequence) else list(texts)
    files = [each.path for each in expand_files([fspath(path) for path in paths])]
    folder = Path(out)
    asked = [part] if isinstance(part, str) else list(part)
    tagged = shared["treebank"] is not None or file_of(folder, "tagger").exists()
    wanted = [each for each in PARTS if (each in asked if asked else tagged or each in ("words", "ngrams"))]
    if not files:
        raise UsageError(Problem("no-files", "no text to train on is named", expected="at least one file"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"no folder for the models can be made: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(str(folder)), fix="name another folder")) from None
    training = _Training(files, folder, shared, tell)
    rows = [training.part(each) for each in wanted]
    described = training.text.described if wanted != ["tagger"] else {}
    return Trained(rows, described, tuple(training.problems.notes))
