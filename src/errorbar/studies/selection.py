"""How well prepositions are chosen in native text that nothing was trained on: PERC, ME, an ensemble, a learning curve.

Training takes minutes for millions of words. Every choice is kept in the folder of models, so that what was
interrupted goes on, and what is there is not made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import fspath

import numpy as np

from errorbar.detectors.held_out_choices import HeldOut
from errorbar.detectors.learning import Classes
from errorbar.detectors.learning_curve import LearningCurve, learning_curve
from errorbar.detectors.lexicon import Ints
from errorbar.detectors.model_file import Array
from errorbar.detectors.selectors import PAPER
from errorbar.detectors.sparse import Floats
from errorbar.detectors.treebank import read_treebank
from errorbar.formats.look import Source
from errorbar.formats.reference import expand_files
from errorbar.stats.resampling import Resampling
from errorbar.studies.selecting import ENSEMBLE, FIVE, MAJORITY, Selecting
from errorbar.studies.training_arguments import Told


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What was chosen in one text.

    Attributes:
        text: The prepositions.
        five: Those of them that are among the five most frequent.
        by: Choices by ``majority``, ``me``, ``me-paper``, ``perc``, ``ensemble``; by ``five`` of those alone.
        runs: Of ME, by number of examples, the choices of each run.
    """

    text: HeldOut
    five: HeldOut
    by: Mapping[str, Classes]
    runs: Mapping[int, Sequence[Classes]]

    def curve(self, ahead: float, resampling: Resampling) -> LearningCurve:
        """The learning curve of ME."""
        right = {n: np.stack([self.text.right_by_block(each) for each in runs]) for n, runs in self.runs.items()}
        return learning_curve(right, self.text.totals, ahead, resampling)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Choices of prepositions in native text.

    Attributes:
        held: In the blocks that were held out.
        other: In the treebanks; None: there is none.
        n_examples: How many the classifiers were trained on.
        most_frequent: The five, by number in ``PREPOSITIONS``.
        weights: Of PERC, ME and the n-gram model in the ensemble.
    """

    held: Chosen
    other: Chosen | None
    n_examples: int
    most_frequent: Ints
    weights: Floats


def study_selection(
    texts: Sequence[Source],
    models: Source,
    treebanks: Sequence[Source] = (),
    *,
    seed: int = 0,
    tell: Told = lambda _: None,
) -> Selection:
    """Train on a part of native text, and let prepositions of the rest be chosen.

    Args:
        texts: Plain text files, as of ``train``; patterns too.
        models: A folder with a tagger; what is made is kept there.
        treebanks: Other text, in CoNLL-U: its forms are taken, nothing else.
        seed: Of blocks, samples and orders.
        tell: Is told what begins.

    Raises:
        InputError: If a file is bad, or there is no tagger.
        UsageError: If the text has too few sentences to hold some out, or a text has no preposition.
    """
    files = [each.path for each in expand_files([fspath(path) for path in texts])]
    banks = [read_treebank(each.path) for each in expand_files([fspath(path) for path in treebanks])]
    made = Selecting(files, models, banks, seed, tell).made()
    other = _chosen("other", made) if banks else None
    return Selection(_chosen("held", made), other, int(made["native"].sum()), made["five"], made["weights"])


def _chosen(name: str, made: Mapping[str, Array]) -> Chosen:
    text = HeldOut.of(made[f"{name} right"], made[f"{name} sentence"])
    start = f"{name} me "
    names = sorted((int(key.split()[2]), int(key.split()[3]), key) for key in made if key.startswith(start))
    runs: dict[int, list[Classes]] = {}
    for n, _, key in names:
        runs.setdefault(n, []).append(made[key])
    by = {each: made[f"{name} {each}"] for each in (MAJORITY, "perc", PAPER, ENSEMBLE, FIVE)}
    return Chosen(text, text.part(made["five"]), by | {"me": runs[max(runs)][0]}, runs)
