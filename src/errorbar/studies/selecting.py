"""The steps of ``studies/selection.py``: what is trained on a part of a text, and what is chosen in the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from errorbar.core.errors import InputError, Problem, UsageError
from errorbar.detectors.contexts import find_prepositions
from errorbar.detectors.corpus_text import BLOCK, CorpusText, held_out, read_corpus_text, split
from errorbar.detectors.ensemble import fit_log_linear, log_linear
from errorbar.detectors.features import FEATURES
from errorbar.detectors.kneser_ney import train_ngrams
from errorbar.detectors.learning_curve import training_samples
from errorbar.detectors.lexicon import Sentences
from errorbar.detectors.lm_choice import LmChoice
from errorbar.detectors.model_file import Array, Model, fingerprint, load_model, save_model
from errorbar.detectors.selectors import BITS, KINDS, PAPER, Classifier, Examples, Kind, find_examples, train_classifier
from errorbar.detectors.sparse import Floats
from errorbar.detectors.treebank import Treebank
from errorbar.formats.look import Source
from errorbar.stats.resampling import stream
from errorbar.studies.model_folder import file_of, read_tagger
from errorbar.studies.training_arguments import Told

SELECTION = "selection"
SHARE, DEVELOPMENT = 0.3, 0.1
"""Of all blocks those held out; of the others those that only the weights of the ensemble are fitted to."""
SIZES = tuple(step * 10**power for power in range(2, 7) for step in (1, 3))
STEPS, RUNS = 4, 5
"""Points of the learning curve below all examples there are, the largest of ``SIZES``; how many samples at most."""
ORDER, FEW = 4, 5
"""Of the n-gram model; how many of the most frequent prepositions are a setting of their own."""
LEAST, LEAST_NATIVE = 5, 2  # blocks in all, and of those not held out, one of which weights are fitted to
MAJORITY, FIVE, ENSEMBLE = "majority", "five", "ensemble"


class Selecting:
    """What trains and chooses: a step is made once, and only where it is not kept."""

    def __init__(self, files: Sequence[str], models: Source, banks: Sequence[Treebank], seed: int, tell: Told) -> None:
        self.banks, self.seed, self.tell = banks, seed, tell
        self.tagger = read_tagger(models)
        tell("reading text")
        self.text: CorpusText = read_corpus_text(files)
        self.out = held_out(len(self.text.sentences), SHARE, seed)
        self.file = file_of(models, SELECTION)
        self.how = {"tagger": fingerprint(self.tagger.model()), "features": FEATURES, "bits": BITS, "order": ORDER}
        self.how |= {
            "seed": seed,
            "shares": [SHARE, DEVELOPMENT],
            "runs": RUNS,
            "treebanks": [bank.sha256 for bank in banks],
        }
        self.kept = self._kept()
        self.classifiers: dict[Kind, Classifier] = {}

    def _kept(self) -> dict[str, Array]:
        """What was made before of this text in this way."""
        try:
            there = load_model(self.file, SELECTION)
        except InputError:
            return {}
        same = there.made == self.how and there.text.get("sha256") == self.text.described["sha256"]
        return dict(there.arrays) if same else {}

    def step(self, name: str, make: Callable[[], Mapping[str, Array]]) -> None:
        """Make and keep what a step gives, unless it is there."""
        if name not in self.kept:
            self.tell(name)
            self.kept |= {**make(), name: np.zeros(0, np.int8)}
            save_model(Model(SELECTION, self.how, self.text.described, self.kept), self.file)

    @cached_property
    def examples(self) -> Examples:
        """Of the text, which must be enough to train, to fit weights and to hold some out."""
        found = find_examples(self.text.sentences, self.tagger)
        blocks = np.unique(found.sentence // BLOCK)
        out = self.out[blocks * BLOCK]
        if len(blocks) < LEAST or not out.any() or len(blocks) - out.sum() < LEAST_NATIVE:
            what = f"{len(blocks)} blocks of {BLOCK} sentences have prepositions, {out.sum()} of them held out"
            least = f"at least {LEAST}, some of them held out"
            raise UsageError(Problem("text-short", what, expected=least, fix="give more text"))
        return found

    @cached_property
    def native(self) -> Examples:
        """What may be trained on."""
        return self.examples.part(~self.out[self.examples.sentence])

    @cached_property
    def asked(self) -> Mapping[str, tuple[Sentences, Examples]]:
        """The texts in which prepositions are chosen."""
        held = split(self.text.sentences, self.out)[1], self.examples.part(self.out[self.examples.sentence])
        forms = [sentence for bank in self.banks for sentence in bank.forms]
        return {"held": held} | ({"other": (forms, find_examples(forms, self.tagger))} if self.banks else {})

    def made(self) -> Mapping[str, Array]:
        """Every step: what was written and chosen, by text and by who chose."""
        self.step("tagging text", self._texts)
        n_all = int(self.kept["native"].sum())
        for n in (*[n for n in SIZES if n < n_all][-STEPS:], n_all):
            self.step(f"training me on {n:,} examples", partial(self._runs, n))
        self.step(
            "training me of the paper's features", lambda: self._choices(PAPER, self._trained(PAPER, self.native))
        )
        self.step(f"training me on the {FEW} most frequent prepositions", self._few)
        self.step("training the ensemble", self._ensemble)
        return self.kept

    def _texts(self) -> dict[str, Array]:
        """What was written in each text."""
        counts = np.bincount(self.native.right)
        often = np.argsort(-counts, kind="stable")[:FEW]
        found: dict[str, Array] = {"native": counts, "five": often[counts[often] > 0]}
        for name, (_, examples) in self.asked.items():
            found |= {f"{name} right": examples.right, f"{name} sentence": examples.sentence}
            found[f"{name} {MAJORITY}"] = np.full(len(examples.right), counts.argmax(), np.int8)
        return found

    def _runs(self, n: int) -> dict[str, Array]:
        """ME after n examples, several times; after all of them once."""
        if n == len(self.native.right):
            return self._choices(f"me {n} 0", self._classifier("me"))
        found: dict[str, Array] = {}
        for run, sample in enumerate(training_samples(self.native.sentence // BLOCK, n, RUNS, self.seed)):
            found |= self._choices(f"me {n} {run}", self._trained("me", self.native.part(sample), run))
        return found

    def _choices(self, name: str, classifier: Classifier) -> dict[str, Array]:
        return {
            f"{text} {name}": classifier.score_states(examples.states).argmax(axis=1).astype(np.int8)
            for text, (_, examples) in self.asked.items()
        }

    def _trained(self, kind: Kind, examples: Examples, run: int = 0) -> Classifier:
        return train_classifier(kind, examples, self.tagger, {}, bits=BITS, seed=self.seed + run)

    def _classifier(self, kind: Kind) -> Classifier:
        """Trained on everything that may be trained on."""
        if kind not in self.classifiers:
            self.classifiers[kind] = self._trained(kind, self.native)
        return self.classifiers[kind]

    def _few(self) -> dict[str, Array]:
        """ME of the most frequent prepositions alone."""
        five = self.kept["five"]
        me = self._trained("me", self.native.part(np.isin(self.native.right, five)))
        found: dict[str, Array] = {}
        for text, (_, examples) in self.asked.items():
            scores = me.score_states(examples.part(np.isin(examples.right, five)).states)
            found[f"{text} {FIVE}"] = five[scores[:, five].argmax(axis=1)].astype(np.int8)
        return found

    def _ensemble(self) -> dict[str, Array]:
        """PERC, and its combination with ME and n-grams; weights are fitted to blocks that are then trained on too."""
        blocks = np.unique(self.native.sentence // BLOCK)
        n_development = max(1, round(DEVELOPMENT * len(blocks)))
        chosen = stream(self.seed, "development").permutation(blocks)[:n_development]
        every = np.arange(len(self.out))
        development = np.isin(every // BLOCK, chosen)
        fitted = self.examples.part(development[self.examples.sentence])
        rest = ~self.out & ~development
        examples = self.examples.part(rest[self.examples.sentence])
        fresh = [self._trained(kind, examples) for kind in KINDS]
        asked = split(self.text.sentences, development)[1]
        weights = fit_log_linear(self._scores(fresh, self._ngrams(rest), asked, fitted), fitted.right)
        found: dict[str, Array] = {"weights": weights}
        ngrams = self._ngrams(~self.out)
        for text, (sentences, held) in self.asked.items():
            scores = self._scores([self._classifier(kind) for kind in KINDS], ngrams, sentences, held)
            by = {"perc": scores[KINDS.index("perc")], ENSEMBLE: log_linear(scores, weights)}
            found |= {f"{text} {name}": each.argmax(axis=1).astype(np.int8) for name, each in by.items()}
        return found

    def _ngrams(self, part: Array) -> LmChoice:
        model = train_ngrams(split(self.text.sentences, part)[1], ORDER, fallback=True)
        return LmChoice(model, self.tagger)

    def _scores(
        self, classifiers: Sequence[Classifier], ngrams: LmChoice, sentences: Sentences, examples: Examples
    ) -> list[Floats]:
        """The scores of classifiers, and of an n-gram model."""
        by_lm = [ngrams.scores(found.text, found.contexts) for found in find_prepositions(self.tagger, sentences)]
        return [*(each.score_states(examples.states) for each in classifiers), np.concatenate(by_lm)]
