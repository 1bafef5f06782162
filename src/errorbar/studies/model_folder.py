"""Folders of models that ``train`` wrote: a file for each, read and checked against the others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from errorbar.detectors.combined import Combined
from errorbar.detectors.combiner import KIND, Combiner
from errorbar.detectors.model_file import load_model
from errorbar.detectors.ngram_model import NgramModel
from errorbar.detectors.selectors import Classifier, Kind, Majority, load_selector
from errorbar.detectors.tagger import Tagger, load_tagger
from errorbar.formats.opening import Source


def file_of(folder: Source, part: str) -> Path:
    """Where a folder of models has one."""
    return Path(folder) / f"{part}.model"


def read_tagger(folder: Source) -> Tagger:
    """The tagger of a folder of models; an ``InputError`` if there is none."""
    path = file_of(folder, "tagger")
    return load_tagger(load_model(path, "tagger"), str(path))


def read_selector(folder: Source, kind: Kind | Literal["majority"], tagger: Tagger) -> Classifier | Majority:
    """A classifier of a folder of models; an ``InputError`` if there is none, or it does not fit the tagger."""
    path = file_of(folder, kind)
    return load_selector(load_model(path, kind), str(path), tagger)


def read_ngrams(folder: Source) -> NgramModel:
    """The n-gram model of a folder of models; an ``InputError`` if there is none."""
    return NgramModel.load(file_of(folder, "ngrams"))


def read_combined(folder: Source, tagger: Tagger) -> Combined:
    """The detectors of a folder of models that are combined; an ``InputError`` if one is missing or does not fit."""
    kinds: tuple[Kind, Kind] = ("me", "perc")
    me, perc = (cast("Classifier", read_selector(folder, kind, tagger)) for kind in kinds)
    return Combined(me, perc, read_ngrams(folder))


def read_combiner(folder: Source, combined: Combined) -> Combiner:
    """The combiner of a folder of models; an ``InputError`` if there is none, or it was fitted to other models."""
    path = file_of(folder, KIND)
    return combined.load(load_model(path, KIND), str(path))
