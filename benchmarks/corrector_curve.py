"""Curves of the correctors' F0.5 by native text and by labels: M2 on learners' text, each part unseen.

Settings and ranker are learned from four fifths of the labeled sentences, in runs of consecutive ones, and correct the
fifth that is left. With less native text every model but the tagger is trained anew on a part of its blocks of 100
sentences; with fewer labels the ranker learns from the first sentences of the four fifths. Intervals: over sentences.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.problems import Problems
from errorbar.detectors.candidates import Classifiers, Proposals, Proposer, Reader, read_all
from errorbar.detectors.chooser import train_chooser
from errorbar.detectors.corrector import NEVER, Change, WeightedScorer, apply_changes, choose_candidates
from errorbar.detectors.correctors import tune_settings
from errorbar.detectors.detect import read_tagger
from errorbar.detectors.ngrams import train_ngrams
from errorbar.detectors.ranker import (
    FOLDS,
    THRESHOLDS,
    are_plausible,
    count_annotated_edits,
    cross_validate,
    f_half,
    find_features,
    right_changes,
)
from errorbar.detectors.selectors import find_examples, train_classifier
from errorbar.detectors.tagger import Tagger
from errorbar.detectors.text import LearnerText, count_words, read_corpus_text, read_learner_text, stored_counts
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.m2 import M2
from errorbar.metrics.scoring import score_corpus
from errorbar.stats.resampling import Resampling, stream

BLOCK = 100
SHARES = (0.125, 0.25, 0.5, 1.0)


def main() -> None:
    """Print the two curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", help="plain native text")
    parser.add_argument("--models", required=True, type=Path, help="folder with a tagger")
    parser.add_argument("--labels", required=True, type=Path, help="learners' text with edits, M2")
    options = parser.parse_args()
    problems = Problems(lenient=True)
    labels, tagger = read_learner_text([str(options.labels)], problems), read_tagger(options.models)
    sentences = read_corpus_text(options.texts).sentences
    numbers = np.arange(len(sentences)) // BLOCK
    order = stream(0, "corrector curve").permutation(numbers[-1] + 1)
    for share in SHARES:
        some = np.isin(numbers, order[: round(share * len(order))])
        text = [sentences[at] for at in np.flatnonzero(some).tolist()]
        proposals, counts = read(text, tagger, labels)
        tokens = sum(map(len, text))
        for name, scores in corrected(proposals, labels, counts, SHARES if share == 1 else (1.0,)):
            print(f"{tokens:>12,} tokens  {name:<28} {scored(proposals, labels, scores)}", flush=True)


def read(text: Sequence[Sequence[str]], tagger: Tagger, labels: LearnerText) -> tuple[Proposals, dict[str, int]]:
    """The candidates of the labeled text, by models of a native text."""
    counts = stored_counts(count_words(text, {}), "words")
    examples = find_examples(text, tagger)
    me = train_classifier("me", examples, tagger, {})
    classifiers = Classifiers(train_chooser("articles", text, tagger, {}), train_chooser("forms", text, tagger, {}), me)
    reader = Reader(train_ngrams(text, 4), tagger, Proposer(counts), classifiers)
    return read_all(reader, labels.tokens), counts


def corrected(
    proposals: Proposals, labels: LearnerText, counts: dict[str, int], shares: Sequence[float]
) -> Iterator[tuple[str, Floats]]:
    """Scores of each fifth by each corrector that has not seen it; above 0 for the changes that are made."""
    sentences, names = labels.corpus.sentences, labels.corpus.annotators
    n = len(sentences)
    folds: NDArray[np.int64] = proposals.sentence * FOLDS // n
    for classifiers in (False, True):
        scores = np.full(len(folds), NEVER)
        for fold in range(FOLDS):
            seen = Corpus(
                [sentence if k * FOLDS // n != fold else _unseen(sentence) for k, sentence in enumerate(sentences)],
                names,
            )
            settings = tune_settings(proposals.part(folds != fold), seen, classifiers=classifiers)
            scores[folds == fold] = WeightedScorer(settings).scores(proposals.part(folds == fold))
        yield "lm+classifiers" if classifiers else "lm", scores
    near = are_plausible(proposals)
    some = proposals.part(near)
    right, wanted = right_changes(some, labels.corpus), count_annotated_edits(labels.corpus)
    features = find_features(some, counts)
    for share in shares:
        odds = cross_validate(features, right, folds[near], share)
        order = choose_candidates(some, odds, float(THRESHOLDS[0]))
        best = max((f_half(order, odds, right, wanted, float(least)), float(least)) for least in THRESHOLDS)[1]
        scores = np.full(len(folds), NEVER)
        scores[near] = odds - best
        yield f"ranked, {share:.3g} of the labels", scores


def _unseen(sentence: Sentence) -> Sentence:
    return replace(sentence, annotations=dict.fromkeys(sentence.annotations, ()))


def scored(proposals: Proposals, labels: LearnerText, scores: Floats) -> str:
    """F0.5 with its interval."""
    changes_by_sentence: list[list[Change]] = [[] for _ in proposals.sentences]
    for at in choose_candidates(proposals, scores):
        changes_by_sentence[int(proposals.sentence[at])].append(Change(*proposals.candidates[at], float(scores[at])))
    pairs = zip(proposals.sentences, changes_by_sentence, strict=True)
    lines = [" ".join(apply_changes(tokens, sorted(changes))) for tokens, changes in pairs]
    (score,) = score_corpus(
        labels.corpus, [Hypothesis("it", lines)], ScoringPlan([M2()], resampling=Resampling()), Problems()
    )
    value, ends = score.f.value, score.f.interval
    assert value is not None
    interval = "" if ends is None else f" ({100 * ends.low:.1f} – {100 * ends.high:.1f})"
    return f"{100 * value:.1f}{interval}"


if __name__ == "__main__":
    main()
