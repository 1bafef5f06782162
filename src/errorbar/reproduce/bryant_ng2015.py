"""Bryant & Ng 2015: edits by annotator, CAMB against each annotator, and the ratio table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from errorbar.core.corpus import Annotation, Corpus, Hypothesis, TextEdits
from errorbar.core.problems import Problems, UsageError
from errorbar.edits.texts import corrected_text, extract_edits
from errorbar.formats.look import Lines
from errorbar.formats.m2 import read_m2
from errorbar.metrics.base import Metric
from errorbar.metrics.ceiling import ceiling, prepare_study
from errorbar.metrics.errant import Errant
from errorbar.metrics.m2 import M2
from errorbar.reproduce.cells import (
    TEN_ANNOTATORS,
    UNEXPLAINED,
    Cell,
    Printed,
    Sources,
    compare,
    percents,
    score_systems,
)

RATIO_SYSTEMS = ("AMU", "CAMB", "CUUI")
UNEXPLAINED_ANNOTATORS = dict.fromkeys(
    ("A1", "A4"),
    f"{UNEXPLAINED}: these two files hold a repeated edit, which is dropped here; kept (--as-written), F0.5 is 29.07 "
    "and 28.05, and not as printed either",
)
UNEXPLAINED_CUUI = f"{UNEXPLAINED}: none of CUUI's cells rounds to the print; tables 7 to 12 of CoNLL-2014 all do"
UNEXPLAINED_RATIOS = f"{UNEXPLAINED}: neither with repeated edits (--as-written) do all of these round to the print"
CELLS_OF_RATIOS = frozenset(
    {("7 references", "human"), ("8 references", "human"), ("9 references", "amu_ratio_percent")}
    | {(f"{k} references", "camb_ratio_percent") for k in (2, 8, 9)}
)
ALL_TYPES = "Total"
ADDED = "the annotators' texts against each other by ERRANT, which is younger than the paper"


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell of the paper's tables about the ten annotators."""
    yield from compare(Printed("edits", "bryant_ng2015_edits_by_annotator"), _edits(sources))
    problems = Problems(lenient=True)
    corpus = sources.ten_annotators(problems)
    systems = [sources.system(name) for name in RATIO_SYSTEMS]
    camb = systems[RATIO_SYSTEMS.index("CAMB")]
    scores = score_systems(corpus, [camb], [M2(choose=name) for name in TEN_ANNOTATORS])
    ours: dict[tuple[str, str], float | None] = {
        (score.annotators[0], column): value for score in scores for column, value in percents(score).items()
    }
    printed = Printed("CAMB by annotator", "bryant_ng2015_camb_by_annotator")
    yield from compare(printed, ours, known=UNEXPLAINED_ANNOTATORS)
    ours = _ratios(corpus, systems, M2(), problems)
    rows = "{gold_annotators} references"
    printed = Printed("ratio", "bryant_ng2015_ratio", rows, {"human_f0.5": "human"})
    yield from compare(printed, ours, known=_why_ratios_differ)
    known, by_errant = ADDED, dict[tuple[str, str], float | None]()
    try:
        by_errant = _ratios(_as_texts(corpus), systems, Errant(), problems)
    except UsageError as error:  # ERRANT is an extra
        known = f"{error.problems[0].what}; {error.problems[0].fix}"
    for row, column in ours:
        yield Cell("ratio by ERRANT", row, column, None, by_errant.get((row, column)), known=known)


def _why_ratios_differ(row: str, column: str) -> str:
    """The reason for cells that are known to differ; a mismatch where another one does."""
    if column.startswith("cuui"):
        return UNEXPLAINED_CUUI
    return UNEXPLAINED_RATIOS if (row, column) in CELLS_OF_RATIOS else ""


def _ratios(
    corpus: Corpus, systems: Sequence[Hypothesis], metric: Metric, problems: Problems
) -> dict[tuple[str, str], float | None]:
    """F0.5 of humans and systems against each number of references, and what a system reaches, in percent."""
    result = ceiling(prepare_study(corpus, systems, metric, problems))
    values: dict[tuple[str, str], float | None] = {}
    for k, human in enumerate(result.human[:, 2]):
        row = f"{k + 1} references"
        values[row, "human"] = 100 * float(human)
        for s, system in enumerate(system.name.lower() for system in systems):
            values[row, f"{system}_f0.5"] = 100 * float(result.scores[s, k, 2])
            values[row, f"{system}_ratio_percent"] = 100 * float(result.ratio[s, k])
    return values


def _as_texts(corpus: Corpus) -> Corpus:
    """The annotators' texts, whose edits a metric makes in its own way."""
    problems = Problems(lenient=True)  # the corpus was read
    sentences = []
    for sentence in corpus.sentences:
        texts = {name: corrected_text(sentence, name, problems).split() for name in sentence.annotations}
        edits: dict[str, Annotation] = {
            name: TextEdits(extract_edits(sentence.tokens, text)) for name, text in texts.items()
        }
        sentences.append(replace(sentence, annotations=edits))
    return Corpus(sentences, corpus.annotators, corpus.name)


def _edits(sources: Sources) -> dict[tuple[str, str], float | None]:
    """How many edits of each type each annotator has; as published, repeated and overlapping ones are counted."""
    counted: dict[str, Counter[str]] = {"total": Counter()}
    for name in TEN_ANNOTATORS:
        unread = Problems(limit=1 << 30)  # what is wrong with the files does not matter
        sentences = read_m2(Lines(sources.file("bryant-ng2015", f"{name}.m2"), unread), unread)
        types = Counter(edit.type for s in sentences for edits in s.annotations.values() for edit in edits)
        types[ALL_TYPES] = types.total()
        counted[name] = types
        counted["total"] += types
    return {(kind, name): types[kind] for kind in counted["total"] for name, types in counted.items()}
