"""The tags of errorbar-en's spaCy pipeline in place of the perceptron's; lemmas are those of a treebank as ever.

It needs spaCy, to train with and to use what was trained. docs/detectors/tagger.md has what it brings: nothing that the
detectors' figures would show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from itertools import chain
from typing import Any

import numpy as np

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.detectors.hashing import HASH
from errorbar.detectors.lemmas import Lemmas, learn_lemmas
from errorbar.detectors.lexicon import Layout
from errorbar.detectors.loading import check_made, fitting
from errorbar.detectors.model_file import Model
from errorbar.detectors.sparse import Weights
from errorbar.detectors.tagger import Tagged, Tagger, load_tagger, padded, stored_tags
from errorbar.detectors.treebank import Treebank

PIPELINE = "errorbar_en"
_UNUSED = ("parser", "morphologizer", "attribute_ruler", "lemmatizer")
_BATCH = 256
_NONE = Weights(1, 1, np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0, np.float16))


@dataclass(frozen=True, slots=True, eq=False)
class PipelineTagger(Tagger):
    """A tagger without weights of its own.

    Attributes:
        pipeline: What tags.
    """

    pipeline: Any = None

    def tagged(self, layout: Layout) -> Tagged:
        """Tag the words of a layout."""
        from spacy.tokens import Doc  # noqa: PLC0415 - an extra, and slow to load

        names = [name.encode("utf-8", "replace").decode() for name in self.lexicon.names]  # spaCy takes valid Unicode
        words = layout.words[layout.places].tolist()
        texts = ([names[word] for word in words[start:end]] for start, end in layout.spans.tolist())
        docs = self.pipeline.pipe((Doc(self.pipeline.vocab, words=text) for text in texts), batch_size=_BATCH)
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        found = np.array([numbers[token.tag_] for token in chain.from_iterable(docs)], np.int8)
        return Tagged(self.lexicon, layout, self.tags, padded(layout, found, len(self.tags)))


def pipeline_tagger(bank: Treebank, about: Mapping[str, str]) -> PipelineTagger:
    """The pipeline's tags, and lemmas of a treebank; a ``UsageError`` if it is not installed."""
    pipeline, version = _pipeline()
    tags = tuple(sorted(pipeline.get_pipe("tagger").labels))
    made = {"features": PIPELINE, "version": version, "hash": HASH, "tags": list(tags)}
    text = {"sha256": bank.sha256, "tokens": bank.n_tokens, **about}
    return PipelineTagger(tags, _NONE, learn_lemmas(bank), made, text, pipeline=pipeline)


def load_any_tagger(model: Model, path: str) -> Tagger:
    """The tagger of a model file; one of another version of the pipeline is refused."""
    if model.made.get("features") != PIPELINE:
        return load_tagger(model, path)
    check_made(model, path, {"hash": HASH})
    pipeline, version = _pipeline()
    if model.made.get("version") != version:
        what = f"it was made with {PIPELINE} {model.made.get('version')}"
        raise InputError(Problem("model-tagger", what, Place(path), f"{version}, which is installed", "train it again"))
    with fitting(path):
        tags, lemmas = stored_tags(model), Lemmas.of_arrays(model.arrays)
        if {*pipeline.get_pipe("tagger").labels} - {*tags}:
            raise ValueError("other tags")
    return PipelineTagger(tags, _NONE, lemmas, dict(model.made), dict(model.text), pipeline=pipeline)


def pipeline_version() -> str | None:
    """Which version of the pipeline is installed, if one is."""
    try:
        return metadata.version(PIPELINE.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None


def _pipeline() -> tuple[Any, str]:
    try:
        import spacy  # noqa: PLC0415 - an extra

        return spacy.load(PIPELINE, exclude=_UNUSED), metadata.version(PIPELINE.replace("_", "-"))
    except (ImportError, OSError, metadata.PackageNotFoundError):
        what = f"tags of {PIPELINE} need spaCy and that pipeline"
        fix = "in a checkout of errorbar: make errant; or take --tagger=perceptron"
        raise UsageError(Problem("no-pipeline", what, fix=fix)) from None
