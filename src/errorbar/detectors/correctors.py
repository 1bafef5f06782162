"""The correctors by name, and what they learn from learners' text with edits: settings of groups, and the ranker.

Conventions
    ``lm``: a language model. ``lm+classifiers``: classifiers learned from native text beside it. ``ranked``: a ranker
    over both. Without labels of their own, the first two have the settings that ``tune_settings`` finds on the test set
    of CoNLL-2013 (revised annotation) with the models that docs/measurements/correctors.md names; none was chosen on
    CoNLL-2014. A threshold in nats is as good for other models as these are alike.

Weights and thresholds by group are learned from learners' text with edits.

Formula
    Coordinate ascent on F0.5, counted as in ``ranker.py``: in ``ROUNDS`` rounds, each group in turn takes the weight
    of ``WEIGHTS`` and the threshold of ``THRESHOLDS`` (or none: nothing of the group is made) that give the highest
    F0.5 with what the others have.
Conventions
    Within a group, changes are made one after the other from the highest score down, where they do not get into each
    other's way; between groups that is not looked at. A group has to make ``LEAST`` right changes.
Source
    A threshold for each type, chosen on learners' text: Bryant and Briscoe (2018) have one for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags
from errorbar.core.corpus import Corpus
from errorbar.detectors.candidates import GROUPS, Proposals, Reader, read_all
from errorbar.detectors.combined import refuse_other_models
from errorbar.detectors.corrector import (
    NEVER,
    Scorer,
    Setting,
    WeightedScorer,
    check_settings,
    choose_candidates,
    weigh_candidates,
)
from errorbar.detectors.learning import HASH, Logistic
from errorbar.detectors.model_file import Model, check_made, fitting
from errorbar.detectors.ranker import FEATURES, Ranker, count_annotated_edits, fit_ranker, right_changes
from errorbar.detectors.text import LearnerText, sentence_codes, stored_codes

WEIGHTS = (0.0, 2.0)
THRESHOLDS = (-2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
ROUNDS, LEAST = 4, 10


@dataclass(frozen=True, slots=True)
class _Option:
    """A setting of a group, with the number of changes that it makes and of those that are right."""

    setting: Setting | None
    made: int
    right: int


def tune_settings(proposals: Proposals, corpus: Corpus, *, classifiers: bool) -> dict[str, Setting]:
    """The setting of every group that makes changes.

    Args:
        proposals: The candidates of learners' text.
        corpus: The text with its annotators' edits.
        classifiers: True if they may weigh anything.
    """
    right, n_wanted = right_changes(proposals, corpus), count_annotated_edits(corpus)
    options = [
        _options(proposals, right, np.flatnonzero(proposals.groups == number), WEIGHTS if classifiers else WEIGHTS[:1])
        for number in range(len(GROUPS))
    ]
    chosen = [choices[0] for choices in options]
    for _ in range(ROUNDS):
        for at, choices in enumerate(options):
            n_made = sum(option.made for k, option in enumerate(chosen) if k != at)
            hit = sum(option.right for k, option in enumerate(chosen) if k != at)
            chosen[at] = max(
                choices, key=lambda option: (hit + option.right) / (n_made + option.made + 0.25 * n_wanted)
            )
    return {name: option.setting for name, option in zip(GROUPS, chosen, strict=True) if option.setting is not None}


def _options(proposals: Proposals, right: Flags, at: NDArray[np.int64], weights: tuple[float, ...]) -> list[_Option]:
    options = [_Option(None, 0, 0)]
    for weight in weights:
        scores = np.full(len(proposals.candidates), NEVER)
        scores[at] = weigh_candidates(proposals, at, weight)
        order = choose_candidates(proposals, scores, min(THRESHOLDS) / (1 + weight))
        hits = np.concatenate([[0], np.cumsum(right[order])])
        for threshold in THRESHOLDS:
            n_made = int((scores[order] > threshold / (1 + weight)).sum())
            if hits[n_made] >= LEAST:
                options.append(_Option(Setting(weight, threshold), n_made, int(hits[n_made])))
    return options


Name = Literal["lm", "lm+classifiers", "ranked"]
CORRECTORS: tuple[Name, ...] = get_args(Name)
KIND = "correctors"
Settings = Mapping[str, Setting]


def _settings(weight: float, thresholds: Mapping[str, float], alone: Mapping[str, float]) -> Settings:
    settings = {name: Setting(weight, threshold) for name, threshold in thresholds.items()}
    return settings | {name: Setting(0.0, threshold) for name, threshold in alone.items()}


_ALONE = {"R:Mec": 6.0, "R:Prep": 6.0, "U:Prep": 7.0, "U:Split": 4.0}
DEFAULTS: Mapping[Name, Settings] = {
    "lm": _settings(
        0.0,
        {"M:ArtOrDet": 1.0, "U:ArtOrDet": 1.5, "M:Comma": 4.5, "R:Nn": 2.5, "R:Vform": 5.5, "R:Wform": 4.0},
        _ALONE,
    ),
    "lm+classifiers": _settings(
        2.0, {"M:ArtOrDet": 2.5, "U:ArtOrDet": 2.0, "R:Nn": 6.0, "R:Vform": 7.0, "R:Wform": 8.0}, _ALONE
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class LearnedCorrectors:
    """The settings and the ranker that were learned from learners' text."""

    settings: Mapping[Name, Settings]  # the settings of ``lm`` and ``lm+classifiers``, by group
    ranker: Ranker | None  # the ranker of ``ranked``; None: nothing was learned
    made: Mapping[str, Any]  # how it was made
    text: Mapping[str, Any]  # the text that was learned from
    learned: NDArray[np.uint32]  # codes of its sentences

    def scorer(self, name: Name) -> Scorer | None:
        """The scorer of a corrector; None: it has to be learned from labels."""
        return self.ranker if name == "ranked" else WeightedScorer(self.settings[name])

    def model(self) -> Model:
        """The settings and the ranker as a model file; a ``ValueError`` if nothing was learned."""
        if self.ranker is None:
            raise ValueError("nothing was learned")
        fitted = self.ranker.fitted
        settings = {
            name: {group: asdict(setting) for group, setting in by_group.items()}
            for name, by_group in self.settings.items()
        }
        header = dict(self.made) | {
            "settings": settings,
            "constant": fitted.constant,
            "threshold": self.ranker.threshold,
        }
        arrays: dict[str, NDArray[Any]] = {
            "marks": self.ranker.marks,
            "weights": fitted.weights,
            "learned": self.learned,
        }
        return Model(KIND, header, self.text, arrays)


UNLEARNED = LearnedCorrectors(DEFAULTS, None, {}, {}, sentence_codes([]))


def learn_correctors(reader: Reader, text: LearnerText) -> LearnedCorrectors:
    """Learn from labels; a ``UsageError`` if no candidate is a change that an annotator made.

    Args:
        reader: With classifiers.
        text: Learners' text with edits.
    """
    proposals = read_all(reader, text.tokens)
    ranker, results = fit_ranker(proposals, text.corpus, reader.proposer.counts)
    settings: dict[Name, Settings] = {
        "lm": tune_settings(proposals, text.corpus, classifiers=False),
        "lm+classifiers": tune_settings(proposals, text.corpus, classifiers=True),
    }
    header = {"features": FEATURES, "hash": HASH, "models": dict(reader.hashes), **results}
    return LearnedCorrectors(settings, ranker, header, text.described, sentence_codes(text.tokens))


def load_learned(model: Model, path: str, reader: Reader) -> LearnedCorrectors:
    """The settings and the ranker of a model file; an ``InputError`` if it has other models or features."""
    check_made(model, path, {"features": FEATURES, "hash": HASH})
    refuse_other_models(model, path, reader.hashes)
    with fitting(path):
        stored = model.made["settings"]
        settings: dict[Name, Settings] = {
            name: {group: Setting(**setting) for group, setting in stored[name].items()} for name in CORRECTORS[:2]
        }
        for by_group in settings.values():
            check_settings(by_group)
        fitted = Logistic(float(model.made["constant"]), model.arrays["weights"].astype(np.float64))
        ranker = Ranker(model.arrays["marks"], fitted, float(model.made["threshold"]), reader.proposer.counts)
        ranker.check()
        learned = stored_codes(model.arrays)
    return LearnedCorrectors(settings, ranker, model.made, model.text, learned)
