"""Folders of models that ``train`` wrote: a file for each, read and checked against the others.

Where none is named, it is ``models`` here, or else the small ones of the package errorbar-models.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Literal, cast

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.detectors.candidates import Proposer
from errorbar.detectors.choices import TASKS
from errorbar.detectors.chooser import load_chooser
from errorbar.detectors.combined import Combined
from errorbar.detectors.combiner import KIND, Combiner
from errorbar.detectors.corrector import Corrector
from errorbar.detectors.correctors import KIND as CORRECTORS
from errorbar.detectors.correctors import UNLEARNED, load_learned
from errorbar.detectors.correctors import Name as Corrections
from errorbar.detectors.model_file import Model, fingerprint, load_model
from errorbar.detectors.ngram_model import KIND as NGRAMS
from errorbar.detectors.ngram_model import NgramModel
from errorbar.detectors.pipeline_tagger import load_any_tagger
from errorbar.detectors.proposals import Classifiers, Reader
from errorbar.detectors.selectors import Classifier, Kind, Majority, load_selector
from errorbar.detectors.tagger import Tagger
from errorbar.detectors.word_counts import KIND as WORDS
from errorbar.detectors.word_counts import stored_counts
from errorbar.formats.look import Source

HERE = "models"
INSTALLED = "errorbar_models"


def models_folder(named: Source | None, problems: Problems) -> Path:
    """The folder of models that is used; a note says so where it is the installed package's.

    Raises:
        InputError: If none is named, there is no folder ``models`` and no package of models.
    """
    if named is not None:
        return Path(named)
    if any(Path(HERE).glob("*.model")):
        return Path(HERE)
    try:
        package = import_module(INSTALLED)
    except ImportError:
        what = f"there are no models: none in a folder '{HERE}' here, and errorbar-models is not installed"
        fix = (
            "train some: errorbar train TEXT... --treebank=FILE, and name their folder: --models=DIR; or, in a "
            "checkout of errorbar: make detect"
        )
        raise InputError(Problem("no-models", what, fix=fix)) from None
    what = f"the small models of errorbar-models {package.__version__} are used"
    fix = "--models=DIR names others, that errorbar train made"
    problems.note("models-small", what, Place(), fix=fix, severity="repaired")
    return Path(package.FOLDER)


def file_of(folder: Source, part: str) -> Path:
    """Where a folder of models has one."""
    return Path(folder) / f"{part}.model"


def read_tagger(folder: Source) -> Tagger:
    """The tagger of a folder of models; an ``InputError`` if there is none."""
    path = file_of(folder, "tagger")
    return load_any_tagger(load_model(path, "tagger"), str(path))


def read_selector(folder: Source, kind: Kind | Literal["majority"], tagger: Tagger) -> Classifier | Majority:
    """A classifier of a folder of models; an ``InputError`` if there is none, or it does not fit the tagger."""
    path = file_of(folder, kind)
    return load_selector(load_model(path, kind), str(path), tagger)


def read_ngrams(folder: Source) -> NgramModel:
    """The n-gram model of a folder of models; an ``InputError`` if there is none."""
    return NgramModel.load(file_of(folder, "ngrams"))


def read_reader(folder: Source, *, classifiers: bool = True) -> Reader:
    """What finds changes, by the models of a folder; an ``InputError`` if one is missing or does not fit."""
    hashes: dict[str, str] = {}

    def model(kind: str) -> tuple[Model, str]:
        path = file_of(folder, kind)
        found = load_model(path, kind)
        hashes[kind] = fingerprint(found)
        return found, str(path)

    tagger = load_any_tagger(*model("tagger"))
    found = Reader(NgramModel.stored(*model(NGRAMS)), tagger, Proposer(stored_counts(*model(WORDS))), hashes=hashes)
    if not classifiers:
        return found
    articles, forms = (load_chooser(*model(task), tagger) for task in TASKS)
    prepositions = cast("Classifier", load_selector(*model("me"), tagger))
    return replace(found, classifiers=Classifiers(articles, forms, prepositions))


def read_corrector(folder: Source, name: Corrections) -> Corrector:
    """A corrector of a folder of models, with what is learned from labels if it has that.

    Raises:
        InputError: If a model is missing, damaged or does not fit the others.
    """
    path = file_of(folder, CORRECTORS)
    reader = read_reader(folder, classifiers=name != "lm")
    found = load_learned(load_model(path, CORRECTORS), str(path), reader) if path.exists() else UNLEARNED
    scorer = found.scorer(name)
    if scorer is None:
        what = f"{name} is learned from labels, and there is none"
        fix = "errorbar train --labels=FILE.m2 --part=correctors"
        raise InputError(Problem("no-such-file", what, Place(str(path)), fix=fix))
    return Corrector(reader, scorer)


def read_combined(folder: Source, tagger: Tagger) -> Combined:
    """The detectors of a folder of models that are combined; an ``InputError`` if one is missing or does not fit."""
    kinds: tuple[Kind, Kind] = ("me", "perc")
    me, perc = (cast("Classifier", read_selector(folder, kind, tagger)) for kind in kinds)
    return Combined(me, perc, read_ngrams(folder))


def read_combiner(folder: Source, combined: Combined) -> Combiner:
    """The combiner of a folder of models; an ``InputError`` if there is none, or it was fitted to other models."""
    path = file_of(folder, KIND)
    return combined.load(load_model(path, KIND), str(path))
