"""The correctors by name, and what they learn from learners' text with edits: settings of groups, and the ranker.

Conventions
    ``lm``: a language model. ``lm+classifiers``: classifiers learned from native text beside it. ``ranked``: a ranker
    over both. Without labels of their own, the first two have the settings that ``tuning.py`` finds on the test set of
    CoNLL-2013 (revised annotation) with the models that docs/detectors/correctors.md names; none was chosen on
    CoNLL-2014. A threshold in nats is as good for other models as these are alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.combined import refuse_other_models
from errorbar.detectors.corrector import Scorer, Setting, Weighed, check_settings
from errorbar.detectors.hashing import HASH
from errorbar.detectors.learner_text import LearnerText
from errorbar.detectors.loading import check_made, fitting
from errorbar.detectors.logistic import Logistic
from errorbar.detectors.model_file import Model
from errorbar.detectors.proposals import Reader, read_all
from errorbar.detectors.ranker import Ranker, fit_ranker
from errorbar.detectors.ranker_features import FEATURES
from errorbar.detectors.tuning import tune

Name = Literal["lm", "lm+classifiers", "ranked"]
CORRECTORS: tuple[Name, ...] = get_args(Name)
KIND = "correctors"
Settings = Mapping[str, Setting]


def _settings(weight: float, thresholds: Mapping[str, float], alone: Mapping[str, float]) -> Settings:
    found = {name: Setting(weight, threshold) for name, threshold in thresholds.items()}
    return found | {name: Setting(0.0, threshold) for name, threshold in alone.items()}


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
class Learned:
    """What learners' text has taught.

    Attributes:
        settings: Of ``lm`` and ``lm+classifiers``, by group.
        ranker: Of ``ranked``; None: nothing was learned.
        made: How it was made.
        text: What of.
    """

    settings: Mapping[Name, Settings]
    ranker: Ranker | None
    made: Mapping[str, Any]
    text: Mapping[str, Any]

    def scorer(self, name: Name) -> Scorer | None:
        """What says which candidates are made; None: it has to be learned from labels."""
        return self.ranker if name == "ranked" else Weighed(self.settings[name])

    def model(self) -> Model:
        """What a model file holds; a ``ValueError`` if nothing was learned."""
        if self.ranker is None:
            raise ValueError("nothing was learned")
        fitted = self.ranker.fitted
        said = {name: {group: asdict(one) for group, one in each.items()} for name, each in self.settings.items()}
        made = dict(self.made) | {"settings": said, "constant": fitted.constant, "threshold": self.ranker.threshold}
        arrays: dict[str, NDArray[Any]] = {"marks": self.ranker.marks, "weights": fitted.weights}
        return Model(KIND, made, self.text, arrays)


UNLEARNED = Learned(DEFAULTS, None, {}, {})


def learn(reader: Reader, text: LearnerText) -> Learned:
    """Learn from labels; a ``UsageError`` if no candidate is a change that an annotator made.

    Args:
        reader: With classifiers.
        text: Learners' text with edits.
    """
    proposals = read_all(reader, text.tokens)
    ranker, said = fit_ranker(proposals, text.corpus, reader.proposer.counts)
    settings: dict[Name, Settings] = {
        "lm": tune(proposals, text.corpus, classifiers=False),
        "lm+classifiers": tune(proposals, text.corpus, classifiers=True),
    }
    made = {"features": FEATURES, "hash": HASH, "models": dict(reader.hashes), **said}
    return Learned(settings, ranker, made, text.described)


def load_learned(model: Model, path: str, reader: Reader) -> Learned:
    """What a model file has learned; an ``InputError`` if it did so with other models or features."""
    check_made(model, path, {"features": FEATURES, "hash": HASH})
    refuse_other_models(model, path, reader.hashes)
    with fitting(path):
        said = model.made["settings"]
        settings: dict[Name, Settings] = {
            name: {group: Setting(**one) for group, one in said[name].items()} for name in CORRECTORS[:2]
        }
        for each in settings.values():
            check_settings(each)
        fitted = Logistic(float(model.made["constant"]), model.arrays["weights"].astype(np.float64))
        ranker = Ranker(model.arrays["marks"], fitted, float(model.made["threshold"]), reader.proposer.counts)
        ranker.check()
    return Learned(settings, ranker, model.made, model.text)
