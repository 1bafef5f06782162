"""Detectors against the judges of the same items: threshold curves, scores by word, and where they disagree.

Formula
    Precision and recall are those of ``errorbar crowd score`` and ``crowd sweep`` with an error being what any judge,
    the majority of them, or their share says (``Truth``); of a word, those of the items where it is written.
Conventions
    Words are told apart in lower case. ``MOST_WORDS`` of them, the most frequent, have a row; the others share one. A
    false alarm is flagged, and no judge calls it an error; a miss is not flagged, and more than half of the judges do.
    Intervals of a word are for other sentences or documents (or items) that have it.
Source
    Errors by the share of judges, and the same detectors against them: Madnani et al. 2011.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorbar.api.corpus_results import CorpusStudy
from errorbar.api.crowd import Against, flags_of_items, sweeps
from errorbar.api.detector_study import DetectorResult, DetectorStudy, HardItem, Marked, WordConfusion, WordScore
from errorbar.api.judgment_input import JudgmentOptions, ReadJudgments, read_crowd
from errorbar.core.arrays import Flags, Floats
from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit
from errorbar.core.problems import InputError, Place, Problems
from errorbar.edits.items import split_types
from errorbar.edits.texts import extract_edits
from errorbar.formats.judgments import SystemFlags, read_flags
from errorbar.formats.look import Source
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.metrics.crowd_weighted import EQUAL, TRUTHS, Crowd, CrowdScore, Truth, Votes, score_kinds, truth_of
from errorbar.stats.resampling import Resampling

_ITEM = re.compile(r"(\d+):(\d+)-(\d+)")

UNKNOWN = None
"""It is an error, but what should stand there is not known."""


@dataclass(frozen=True, eq=False)
class JudgedWords:
    """The judged items of a crowd."""

    judged: ReadJudgments  # who judged them
    tables: Sequence[SystemFlags]  # detectors' tables, which tell words and texts where there is no corpus
    kind: str = ""  # only edits of this type count, or of several, between commas; "": all

    @property
    def names(self) -> Sequence[str]:
        """Their names."""
        return self.judged.judgments.items

    @cached_property
    def spans(self) -> list[tuple[int, int, int] | None]:
        """Sentence, from 0, and span of tokens of each item; None where the name does not tell."""
        matches = [_ITEM.fullmatch(name) for name in self.names]
        return [None if match is None else (int(match[1]) - 1, int(match[2]), int(match[3])) for match in matches]

    def tokens(self, number: int) -> list[str]:
        """The tokens of the sentence of an item; none where there is no corpus."""
        span, corpus = self.spans[number], self.judged.corpus
        return [] if span is None or corpus is None else list(corpus.sentences[span[0]].tokens)

    @cached_property
    def words(self) -> list[str]:
        """The words of each item: of a corpus its tokens, of a table the word that detectors give for it."""
        words = []
        for number, name in enumerate(self.names):
            span = self.spans[number]
            if span is not None and self.judged.corpus is not None:
                words.append(" ".join(self.tokens(number)[span[1] : span[2]]))
            else:
                candidates = (table.told[name].word for table in self.tables if name in table.told)
                words.append(next((word for word in candidates if word), ""))
        return words

    @cached_property
    def written(self) -> list[Counter[str]]:
        """The words that annotators write instead of each word, and how many do."""
        corpus = self.judged.corpus
        return [Counter() if corpus is None else self._written(number) for number in range(len(self.names))]

    def _written(self, number: int) -> Counter[str]:
        span, corpus = self.spans[number], self.judged.corpus
        counts: Counter[str] = Counter()
        if span is None or corpus is None or span[2] != span[1] + 1:
            return counts
        sentence, kinds = corpus.sentences[span[0]], split_types(self.kind)
        for edits in sentence.annotations.values():
            counted = [edit for edit in edits if not kinds or edit.type in kinds]
            if replacements := written_instead(sentence.tokens, counted, span[1]):
                counts.update(word for word in replacements[:1] if word is not None)
        return counts

    def text(self, number: int) -> Marked | None:
        """The sentence of an item."""
        span, name = self.spans[number], self.names[number]
        if span is not None and self.judged.corpus is not None:
            tokens, (_, start, end) = self.tokens(number), span
            return " ".join(tokens[:start]), " ".join(tokens[start:end]), " ".join(tokens[end:])
        entry = next((table.told[name] for table in self.tables if name in table.told and table.told[name].text), None)
        if entry is None or entry.text is None:
            return None
        before, bracket, after = entry.text.partition(f"[{entry.word}]")
        return (before.strip(), entry.word or "", after.strip()) if bracket else (entry.text, "", "")

    def check(self, table: SystemFlags, problems: Problems) -> None:
        """Note as errors a table without judged items, and words of another text."""
        if table.flags.keys().isdisjoint(self.names):
            own, ours = next(iter(table.flags), ""), next(iter(self.names), "")
            message = f"none of its items, such as '{own}', was judged; those that were are called such as '{ours}'"
            message = message if table.flags else "there is no item in it"
            fix = "say what it judges: --items=WHAT; or name who judged it: --judgments=FILE"
            problems.error("detector-items", message, Place(table.name), fix=fix)
        if self.judged.corpus is None:
            return
        for number, name in enumerate(self.names):
            entry = table.told.get(name)
            if entry is not None and entry.word not in (None, self.words[number]):
                message = f"item {name} is '{entry.word}' here, and '{self.words[number]}' in the reference"
                fix = "detect on the text of the reference, or name the reference of this text"
                problems.error("detector-word", message, Place(table.name), "the words of one text", fix)
                return


def written_instead(tokens: Sequence[str], edits: Sequence[Edit], at: int) -> list[str | None]:
    """The replacement of a token by each edit that touches it: words in lower case, "" where it goes, ``UNKNOWN``.

    Conventions
        Where an edit covers several words, these and its replacement are aligned with as few changes as can be: what
        the word is aligned with stands for it, the word itself where it stayed. Within a change of several words, words
        stand for each other in order where there are as many on both sides; else it is not known what became of one, as
        of an edit without a correction. Of several replacements the first counts.
    """
    return [_became(tokens, edit, at) for edit in edits if edit.start <= at < edit.end]


def _became(tokens: Sequence[str], edit: Edit, at: int) -> str | None:
    if not edit.applicable:
        return UNKNOWN
    span, new = tokens[edit.start : edit.end], edit.replacements[0].split()
    if len(span) == 1:
        return " ".join(new).casefold()
    try:
        parts = extract_edits(span, new)
    except InputError:  # too long to compare
        return UNKNOWN
    place = at - edit.start
    part = next((part for part in parts if part.start <= place < part.end), None)
    if part is None:
        return span[place].casefold()
    words = part.replacements[0].split()
    if not words or part.end - part.start == 1:
        return " ".join(words).casefold()
    return words[place - part.start].casefold() if len(words) == part.end - part.start else UNKNOWN


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
    result = study_detectors(judged, tables, problems, resampling, texts=texts)
    return replace(study, detectors=result, notes=[*study.notes, *problems.notes])


def study_detectors(
    judged: ReadJudgments,
    tables: Sequence[SystemFlags],
    problems: Problems,
    resampling: Resampling,
    *,
    error: str | Sequence[str] = (),
    texts: bool = True,
) -> DetectorStudy:
    """Everything that a report shows of detectors, with closed intervals, of curves percentiles.

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
        message = f"{n:,} of {len(items.names):,} judged items have no score, so there is no threshold curve"
        problems.note("detector-no-score", message, Place(name), severity="warning")
    swept = {truth: sweeps(against, whole, truth, how) for truth in TRUTHS} if whole else {}
    closed = replace(resampling, method="closed")
    scoring = _DetectorScoring(items, against, closed, texts)
    signatures = {
        f"detector: {name}": against.signature("detector(truth=any+majority+weighted)", own, closed)
        for name, own in flags.items()
    }
    for truth, of_truth in swept.items():
        signatures |= {f"crowd sweep: {name}, {truth}": line for name, line in of_truth.signatures.items()}
    written = Counter[tuple[str, str]]()
    for word, own in zip(items.words, items.written, strict=True):
        for other, n in own.items():
            written[word.casefold(), other] += n
    judges = len(np.unique(judged.judgments.rater))
    n_items = int((against.votes.n_judgments > 0).sum())
    results = [scoring.result(table, flags[table.name], scored[table.name]) for table in tables]
    return DetectorStudy(n_items, judges, judged.corpus is not None, against.unit, results, swept, written, signatures)


@dataclass(frozen=True, eq=False)
class _DetectorScoring:
    """Judged items, and how the result of one detector after the other is computed."""

    items: JudgedWords
    against: Against
    closed: Resampling
    texts: bool

    @cached_property
    def groups(self) -> dict[str, Numbers]:
        """Numbers of the items of each word with a row, frequent ones first; under "" those of all others."""
        places: dict[str, list[int]] = {}
        for number, word in enumerate(self.items.words):
            places.setdefault(word.casefold(), []).append(number)
        often = sorted((word for word in places if word), key=lambda word: (-len(places[word]), word))
        others = [number for word in ("", *often[MOST_WORDS:]) for number in places.get(word, ())]
        groups = {word: np.array(places[word]) for word in often[:MOST_WORDS]}
        return groups | ({"": np.array(others)} if others and groups else {})

    def scores(self, flags: Flags, which: Numbers | slice) -> dict[Truth, CrowdScore]:
        """P, R and F of some items by each truth."""
        votes = self.against.votes
        clusters = None if votes.clusters is None else np.asarray(votes.clusters)[which]
        scores: dict[Truth, CrowdScore] = {}
        for truth in TRUTHS:
            own = Votes(truth_of(votes, truth)[which], votes.n_judgments[which], clusters)
            metric = self.against.metric
            scores[truth] = score_kinds(metric, metric.measure(own, flags[which]), resampling=self.closed)
        return scores

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

    def _confusions(self, table: SystemFlags, flags: Flags) -> list[WordConfusion]:
        share, annotated = self.against.votes.share, self.against.judged.corpus is not None
        counts: dict[tuple[str, str], list[int]] = {}
        for number in np.flatnonzero(flags).tolist():
            suggestion = _suggestion(table, self.items.names[number])
            if suggestion is not None:
                count = counts.setdefault((self.items.words[number].casefold(), suggestion.casefold()), [0, 0, 0])
                count[0] += 1
                count[1] += bool(share[number] > EQUAL)
                count[2] += suggestion.casefold() in self.items.written[number]
        confusions = [
            WordConfusion(*pair, n, marked, agreed if annotated else None)
            for pair, (n, marked, agreed) in counts.items()
        ]
        return sorted(confusions, key=lambda pair: (-pair.n_flagged, pair.written, pair.suggested))

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
