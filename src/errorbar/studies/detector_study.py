"""Detectors against the judges of the same items: threshold curves, scores by word, and where they disagree.

Formula
    Precision and recall are those of ``errorbar crowd score`` and ``crowd sweep`` with an error being what any judge,
    the majority of them, or their share says (``Truth``); of a word, those of the items where it is written.
Conventions
    Words are told apart in lower case. ``MOST_WORDS`` of them, the most frequent, have a row; the others share one. A
    false alarm is flagged, and no judge calls it an error; a miss is not flagged, and more than half of the judges do.
    Intervals of a word resample the sentences or documents (or items) that have it.
Source
    Errors by the share of judges, and the same detectors against them: Madnani et al. 2011.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.formats.item_tables import SystemFlags, read_flags
from errorbar.formats.look import Source
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.metrics.base import Floats
from errorbar.metrics.crowd_weighted import EQUAL, Crowd, CrowdScore, Flags, Votes, score_kinds
from errorbar.metrics.threshold_sweep import TRUTHS, Truth, truth_of
from errorbar.stats.resampling import Resampling
from errorbar.studies.crowd import Against, flags_of_items
from errorbar.studies.detector_result import Confusion, DetectorResult, DetectorStudy, HardItem, WordScore
from errorbar.studies.judged_words import JudgedWords
from errorbar.studies.judgment_input import Judged, JudgmentOptions, read_crowd
from errorbar.studies.model import CorpusStudy
from errorbar.studies.sweep import sweeps

MOST_WORDS = 40
MOST_HARD = 10
Numbers = NDArray[np.int64]


def read_detectors(files: Sequence[Source], problems: Problems) -> list[SystemFlags]:
    """The table of each detector, ``name=path``; raises ``UsageError`` if two have one name."""
    named = [NamedFile.parse(str(file)) for file in files]
    refuse_same_names(named, "systems")
    return [read_flags(file.path, problems, file.name) for file in named]


def with_detectors(
    study: CorpusStudy,
    corpus: Corpus,
    files: Sequence[Source],
    options: JudgmentOptions,
    resampling: Resampling,
    *,
    texts: bool,
) -> CorpusStudy:
    """A study with detectors beside the systems, against the annotators of its corpus; ``texts``: also sentences."""
    problems = options.problems()
    judged, tables = read_crowd(corpus, options, problems), read_detectors(files, problems)
    found = study_detectors(judged, tables, problems, resampling, texts=texts)
    return replace(study, detectors=found, notes=[*study.notes, *problems.notes])


def study_detectors(
    judged: Judged,
    tables: Sequence[SystemFlags],
    problems: Problems,
    resampling: Resampling,
    *,
    error: str | Sequence[str] = (),
    texts: bool = True,
) -> DetectorStudy:
    """Everything that a report shows of detectors, with percentile intervals.

    Args:
        judged: Who judged the items.
        tables: A table of each detector.
        problems: Where it is noted which detector has no curve.
        resampling: How intervals are made.
        error: Labels that mean an error.
        texts: Also sentences; without them only names of items and words are kept.

    Raises:
        InputError: If a judged item has no flag, or a table is about another text.
        UsageError: If no label means an error.
    """
    how = replace(resampling, method="percentile")
    items = JudgedWords(judged, tables, judged.options.type)
    against = Against.of(judged, Crowd(), error, how.seed)
    for table in tables:
        items.check(table, problems)
    problems.raise_errors()
    flags = {table.name: flags_of_items(table, judged.judgments.items, problems) for table in tables}
    scored = {table.name: np.array([table.scores.get(item, np.nan) for item in items.names]) for table in tables}
    whole = {name: scores for name, scores in scored.items() if not np.isnan(scores).any()}
    for name in scored.keys() - whole.keys():
        n = int(np.isnan(scored[name]).sum())
        what = f"{n:,} of {len(items.names):,} judged items have no score, so there is no threshold curve"
        problems.note("detector-no-score", what, Place(name), severity="warning")
    swept = {truth: sweeps(against, whole, truth, how) for truth in TRUTHS} if whole else {}
    one = _One(items, against, how, texts)
    signatures = {
        f"detector: {name}": against.signature("detector(truth=any+majority+weighted)", said, how)
        for name, said in flags.items()
    }
    for truth, found in swept.items():
        signatures |= {f"crowd sweep: {name}, {truth}": line for name, line in found.signatures.items()}
    written = Counter[tuple[str, str]]()
    for word, said in zip(items.words, items.written, strict=True):
        for other, n in said.items():
            written[word.casefold(), other] += n
    judges = len(np.unique(judged.judgments.rater))
    return DetectorStudy(
        int((against.votes.n_judgments > 0).sum()),
        judges,
        judged.corpus is not None,
        against.unit,
        [one.result(table, flags[table.name], scored[table.name]) for table in tables],
        swept,
        written,
        signatures,
    )


@dataclass(frozen=True, eq=False)
class _One:
    """What is computed of one detector after the other."""

    items: JudgedWords
    against: Against
    how: Resampling
    texts: bool

    @cached_property
    def groups(self) -> dict[str, Numbers]:
        """Numbers of the items of each word with a row, frequent ones first; under "" those of all others."""
        places: dict[str, list[int]] = {}
        for number, word in enumerate(self.items.words):
            places.setdefault(word.casefold(), []).append(number)
        often = sorted((word for word in places if word), key=lambda word: (-len(places[word]), word))
        others = [number for word in ("", *often[MOST_WORDS:]) for number in places.get(word, ())]
        found = {word: np.array(places[word]) for word in often[:MOST_WORDS]}
        return found | ({"": np.array(others)} if others and found else {})

    def scores(self, flags: Flags, which: Numbers | slice) -> dict[Truth, CrowdScore]:
        """P, R and F of some items by each truth."""
        votes = self.against.votes
        clusters = None if votes.clusters is None else np.asarray(votes.clusters)[which]
        found: dict[Truth, CrowdScore] = {}
        for truth in TRUTHS:
            own = Votes(truth_of(votes, truth)[which], votes.n_judgments[which], clusters)
            metric = self.against.metric
            found[truth] = score_kinds(metric, metric.measure(own, flags[which]), resampling=self.how)
        return found

    def result(self, table: SystemFlags, flags: Flags, scores: Floats) -> DetectorResult:
        share = self.against.votes.share
        alarms = np.flatnonzero(flags & (share <= EQUAL))
        misses = np.flatnonzero(~flags & (share > 0.5 + EQUAL))
        known = np.where(np.isnan(scores), -np.inf, scores)
        alarms = alarms[np.argsort(-known[alarms], kind="stable")]
        misses = misses[np.lexsort((known[misses], -share[misses]))]
        words = [
            WordScore(word, int(flags[which].sum()), self.scores(flags, which)) for word, which in self.groups.items()
        ]
        return DetectorResult(
            table.name,
            int(flags.sum()),
            self.scores(flags, slice(None)),
            words,
            self._confusions(table, flags),
            [self._hard(number, table, scores) for number in alarms[:MOST_HARD].tolist()],
            [self._hard(number, table, scores) for number in misses[:MOST_HARD].tolist()],
            len(alarms),
            len(misses),
        )

    def _confusions(self, table: SystemFlags, flags: Flags) -> list[Confusion]:
        share, annotated = self.against.votes.share, self.against.judged.corpus is not None
        counts: dict[tuple[str, str], list[int]] = {}
        for number in np.flatnonzero(flags).tolist():
            suggestion = _suggestion(table, self.items.names[number])
            if suggestion is not None:
                count = counts.setdefault((self.items.words[number].casefold(), suggestion.casefold()), [0, 0, 0])
                count[0] += 1
                count[1] += bool(share[number] > EQUAL)
                count[2] += suggestion.casefold() in self.items.written[number]
        found = [
            Confusion(*pair, n, marked, agreed if annotated else None) for pair, (n, marked, agreed) in counts.items()
        ]
        return sorted(found, key=lambda each: (-each.n_flagged, each.written, each.suggested))

    def _hard(self, number: int, table: SystemFlags, scores: Floats) -> HardItem:
        span, name, votes = self.items.spans[number], self.items.names[number], self.against.votes
        return HardItem(
            name,
            "" if span is None else str(span[0] + 1),
            self.items.text(number) if self.texts else None,
            self.items.words[number],
            None if np.isnan(scores[number]) else float(scores[number]),
            _suggestion(table, name),
            float(votes.share[number]),
            int(votes.n_judgments[number]),
            self.items.written[number],
        )


def _suggestion(table: SystemFlags, item: str) -> str | None:
    return table.told[item].suggestion if item in table.told else None
