"""What a detector says of the prepositions of a text: what ``errorbar detect`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, log, log1p
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.core.spec import Parameter, Value, make_spec, read_parameters, split_spec, word_parameter
from errorbar.detectors.corpus_text import read_sentences
from errorbar.detectors.detection import Detected
from errorbar.detectors.detection import detect as judged
from errorbar.detectors.lexicon import Sentences
from errorbar.detectors.lm import deletion_scores
from errorbar.detectors.selectors import PAPER, Kind
from errorbar.edits.items import ERROR, OK
from errorbar.formats.look import Source, display_name
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

USUAL_PRIOR = 252 / 3596
"""Share of prepositions that are wrong where scores are as they are without a prior: that of CoNLL-2013, the essays
that ``combined`` learned from."""

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


class Detector(NamedTuple):
    """A detector as its spec says."""

    name: str  # of its model
    threshold: float
    prior: float | None  # expected share of wrong prepositions; None: scores are not moved
    spec: str


def read_detector(detector: str, prior: float | None = None) -> Detector:
    """The detector of a spec, maybe with a prior beside it; a ``UsageError`` if there is none such."""
    name, raw = split_spec(detector)
    known = [each for each in THRESHOLDS if each != PAPER]
    if name not in known:
        raise UsageError(Problem("unknown-detector", f"no detector is called '{name}'", fix=nearest(name, known)))
    what = "From which score on a word is an error."
    parameters = [
        Parameter("threshold", float, THRESHOLDS[name], what, _finite),
        Parameter("prior", float, 0.0, "Expected share of wrong prepositions; 0: scores are not moved.", _is_share),
    ]
    if name == "me":
        parameters.insert(0, word_parameter("features", "Those of the detector: all, or paper.", "all", "paper"))
    if prior is not None:
        if "prior" in raw:
            what = f"the detector is {detector}, and --prior is {prior:g}"
            raise UsageError(Problem("two-choices", what, fix="give one of them"))
        raw["prior"] = repr(float(prior))
    values = read_parameters(name, parameters, raw)
    if values["prior"] and name == "perc":
        what = "scores of perc are votes, which no prior moves as it moves log odds"
        raise UsageError(Problem("useless-option", what, fix="take combined, me or lm, or leave out the prior"))
    shown = [replace(p, default=float("nan")) if p.name == "threshold" else p for p in parameters]
    spec = str(make_spec(name, shown, values))
    model = PAPER if values.get("features") == "paper" else name
    return Detector(model, cast("float", values["threshold"]), cast("float", values["prior"]) or None, spec)


@public()
def detect(
    text: Source,
    detector: str = "me",
    *,
    prior: float | None = None,
    models: Source | None = None,
    retokenize: bool = False,
    lenient: Lenient = False,
) -> Detections:
    """Judge every preposition of a text by a detector that ``train`` made.

    Args:
        text: One tokenized sentence per line, as systems' texts are.
        detector: ``lm``, ``me``, ``perc``, ``combined`` or ``majority``, with a threshold as in
            ``"me(threshold=4)"``: a word is an error if its score is at least that (of ``lm``: above it).
            ``"me(features=paper)"`` has the features of Tetreault and Chodorow alone and their rules for extraneous
            use; its model is ``train``'s part ``me-paper``.
        prior: Share of the text's prepositions that are expected to be wrong, between 0 and 1, as in
            ``"me(prior=0.01)"``: scores move by its log odds less those of 0.07, the share in CoNLL-2013; None: they
            stay. Not for ``perc``, whose scores are votes.
        models: The folder that ``train`` wrote; None: ``models``, or without that the package errorbar-models.
        retokenize: Cut each line into tokens first, as the text was cut that the models learned from.
        lenient: Repair what can be repaired of the text and note it; otherwise refuse it.

    Raises:
        InputError: If the text is bad or empty, or a model is missing, damaged or does not fit the others.
        UsageError: If there is no such detector, or it takes no such prior.
    """
    name, threshold, prior, spec = read_detector(detector, prior)
    problems = Problems(lenient=lenient)
    sentences = [*read_sentences(text, problems, retokenize=retokenize)]
    problems.raise_errors()
    if not any(sentences):
        place = Place(display_name(text))
        raise UsageError(Problem("text-empty", "there is no word in it", place, "one tokenized sentence per line"))
    found, suggestions = _judged(name, models_folder(models, problems), sentences)
    moved = found.margin if prior is None else found.margin + log_odds(prior) - log_odds(USUAL_PRIOR)
    scores = np.nan_to_num(moved, neginf=INFINITIVE, posinf=EXTRANEOUS).tolist()
    flags = [score > threshold if name == "lm" else score >= threshold for score in scores]
    places = zip(found.sentence.tolist(), found.token.tolist(), strict=True)
    rows = [
        Detection(f"{s + 1}:{t}-{t + 1}", sentences[s][t], flag, score, other, _shown(sentences[s], t))
        for (s, t), flag, score, other in zip(places, flags, scores, suggestions, strict=True)
    ]
    return Detections(spec, rows, tuple(problems.notes))


def log_odds(share: float) -> float:
    """The logarithm of a share's odds."""
    return log(share) - log1p(-share)


def _is_share(prior: Value) -> str:
    return "" if isinstance(prior, float) and 0 < prior < 1 else "a share between 0 and 1"


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
