"""What a detector says of the prepositions of a text: what ``errorbar detect`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.core.spec import Parameter, Value, make_spec, read_parameters, split_spec, word_parameter
from errorbar.detectors.detection import Detected
from errorbar.detectors.detection import detect as judged
from errorbar.detectors.lexicon import Sentences
from errorbar.detectors.lm import deletion_scores
from errorbar.detectors.selectors import PAPER, Kind
from errorbar.edits.items import ERROR, OK
from errorbar.formats.opening import Lines, Source
from errorbar.studies.door import Lenient, public
from errorbar.studies.model_folder import (
    models_folder,
    read_combined,
    read_combiner,
    read_ngrams,
    read_selector,
    read_tagger,
)
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

THRESHOLDS = {"lm": 0.0, "me": 4.0, PAPER: 4.0, "perc": 20.0, "combined": -1.0, "majority": 0.0}
"""Of each detector, in the unit of its scores: nats, of ``perc`` sums of weights, of ``combined`` log odds.

That of ``lm`` is the paper's, 4 means that another preposition is 55 times as probable, and 20 votes flag one
preposition of learners' essays in seven: none of these was tuned. That of ``combined`` is where F0.5 is highest on
CoNLL-2013, each tenth of the text judged by a combiner of the others.
"""

INFINITIVE = -1000.0
"""Score of a ``to`` that marks an infinitive: it has the form of a preposition, and of the detectors only
``combined``, which has seen what annotators do with it, may call it an error."""

EXTRANEOUS = 1000.0
"""Score of a word that a rule of ``me(features=paper)`` leaves out."""
NOTHING = "there is no preposition in it"


class Detection(NamedTuple):
    """What is said of one word."""

    item: str  # ``sentence:start-end``, sentences from 1
    word: str
    flag: bool
    score: float
    suggestion: str  # what to write instead; empty: leave it out
    text: str  # the sentence, the word in brackets


@dataclass(frozen=True, slots=True, repr=False)
class Detections(Result):
    """A detector's judgments of every preposition of a text, in order.

    Attributes:
        detector: Its spec, which is the rater of its judgments.
        rows: A judgment each.
        notes: What was noted on the way.
    """

    detector: str
    rows: Sequence[Detection]
    notes: Sequence[Problem] = ()

    @property
    def flagged(self) -> list[Detection]:
        """What it calls errors, the surest first."""
        return sorted((each for each in self.rows if each.flag), key=lambda each: -each.score)

    def to_dict(self) -> dict[str, object]:
        """Every judgment."""
        rows = [{**each._asdict(), "rater": self.detector, "label": _label(each)} for each in self.rows]
        return {"detector": self.detector, "rows": rows}

    def tables(self) -> list[Table]:
        """What it calls errors."""
        columns = [Column("item"), Column("word"), Column("suggestion"), Column("score", "number", digits=2)]
        body: list[list[Cell]] = [
            [each.item, each.word, each.suggestion or "–", each.score, each.text] for each in self.flagged
        ]
        note = f"{len(body):,} of {len(self.rows):,} prepositions; –: leave it out" if self.rows else NOTHING
        return [Table([*columns, Column("text")], body, self.detector, "errors", [note])]

    def every(self) -> Table:
        """All judgments, as tables of judgments and of flags have them."""
        columns = [Column(name) for name in ("item", "rater", "label")] + [Column("flag", "count")]
        columns += [Column("score", "number"), *(Column(name) for name in ("word", "suggestion", "text"))]
        rows: list[list[Cell]] = [
            [each.item, self.detector, _label(each), int(each.flag), each.score, each.word, each.suggestion, each.text]
            for each in self.rows
        ]
        return Table(columns, rows, name="judgments")


def _label(found: Detection) -> str:
    return ERROR if found.flag else OK


def read_detector(detector: str) -> tuple[str, float, str]:
    """Model, threshold and spec of a detector; a ``UsageError`` if there is none such."""
    name, raw = split_spec(detector)
    known = [each for each in THRESHOLDS if each != PAPER]
    if name not in known:
        raise UsageError(Problem("unknown-detector", f"no detector is called '{name}'", fix=nearest(name, known)))
    what = "From which score on a word is an error."
    parameters = [Parameter("threshold", float, THRESHOLDS[name], what, _finite)]
    if name == "me":
        parameters.insert(0, word_parameter("features", "Those of the detector: all, or paper.", "all", "paper"))
    values = read_parameters(name, parameters, raw)
    threshold = cast("float", values["threshold"])
    shown = [*parameters[:-1], replace(parameters[-1], default=float("nan"))]
    return PAPER if values.get("features") == "paper" else name, threshold, str(make_spec(name, shown, values))


@public()
def detect(text: Source, detector: str = "me", *, models: Source | None = None, lenient: Lenient = False) -> Detections:
    """Judge every preposition of a text by a detector that ``train`` made.

    Args:
        text: One tokenized sentence per line, as systems' texts are.
        detector: ``lm``, ``me``, ``perc``, ``combined`` or ``majority``, with a threshold as in
            ``"me(threshold=4)"``: a word is an error if its score is at least that (of ``lm``: above it).
            ``"me(features=paper)"`` has the features of Tetreault and Chodorow alone and their rules for extraneous
            use; its model is ``train``'s part ``me-paper``.
        models: The folder that ``train`` wrote; None: ``models``, or without that the package errorbar-models.
        lenient: Repair what can be repaired of the text and note it; otherwise refuse it.

    Raises:
        InputError: If the text is bad or empty, or a model is missing, damaged or does not fit the others.
        UsageError: If there is no such detector.
    """
    name, threshold, spec = read_detector(detector)
    problems = Problems(lenient=lenient)
    lines = Lines(text, problems, last=True)
    sentences = [line.split() for line in lines]
    problems.raise_errors()
    if not any(sentences):
        place = Place(lines.name)
        raise UsageError(Problem("text-empty", "there is no word in it", place, "one tokenized sentence per line"))
    found, suggestions = _judged(name, models_folder(models, problems), sentences)
    scores = np.nan_to_num(found.margin, neginf=INFINITIVE, posinf=EXTRANEOUS).tolist()
    flags = [score > threshold if name == "lm" else score >= threshold for score in scores]
    places = zip(found.sentence.tolist(), found.token.tolist(), strict=True)
    rows = [
        Detection(f"{s + 1}:{t}-{t + 1}", sentences[s][t], flag, score, other, _shown(sentences[s], t))
        for (s, t), flag, score, other in zip(places, flags, scores, suggestions, strict=True)
    ]
    return Detections(spec, rows, tuple(problems.notes))


def _finite(threshold: Value) -> str:
    return "" if isinstance(threshold, float) and isfinite(threshold) else "a number, neither nan nor infinite"


def _shown(tokens: Sequence[str], at: int) -> str:
    return " ".join([*tokens[:at], f"[{tokens[at]}]", *tokens[at + 1 :]])


def _judged(name: str, models: Path, sentences: Sentences) -> tuple[Detected, list[str]]:
    """Every preposition with its score, and what should stand there instead."""
    tagger = read_tagger(models)
    if name == "combined":
        combined = read_combined(models, tagger)
        found = combined.detect(read_combiner(models, combined), sentences)
        return found, found.suggestions()
    # Which words are prepositions does not depend on who judges them.
    found = judged(read_selector(models, "majority" if name == "lm" else cast("Kind", name), tagger), sentences)
    if name != "lm":
        return found, found.suggestions()
    items = [*zip(found.sentence.tolist(), found.token.tolist(), strict=True)]
    scores = deletion_scores(read_ngrams(models), sentences, items)
    return replace(found, margin=np.where(np.isneginf(found.margin), -np.inf, scores)), [""] * len(items)
