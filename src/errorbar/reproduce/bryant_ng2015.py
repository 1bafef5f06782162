"""Bryant & Ng 2015: edits by annotator, CAMB against each annotator, and the ratio table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from errorbar.ceilings import ceiling, prepare_study
from errorbar.core.corpus import Hypothesis
from errorbar.core.problems import Problems
from errorbar.formats.m2 import read_m2
from errorbar.formats.opening import Lines
from errorbar.formats.reference import read_corpus
from errorbar.metrics.m2 import M2
from errorbar.metrics.scoring import score
from errorbar.reproduce.cells import HALF, Cell, published
from errorbar.reproduce.sources import Sources

PAPER = "Bryant & Ng 2015"
CORPUS = "bryant-ng2015"
SYSTEMS = "conll2014-systems"
ANNOTATORS = [f"A{k}" for k in range(1, 11)]
RATIO_SYSTEMS = ("AMU", "CAMB", "CUUI")
LAST_DIGIT = 0.01 + HALF
"""Two files hold a repeated edit each, which is dropped here; that moves some cells by one in the last digit."""
CUUI_DIGITS = 0.03 + HALF
ALL_TYPES = "Total"


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell of the paper's tables about the ten annotators.

    Raises:
        InputError: If a corpus is not there.
    """
    yield from _edits(sources)
    problems = Problems(lenient=True)
    corpus = read_corpus([sources.file(CORPUS, f"{name}.m2") for name in ANNOTATORS], problems)
    systems = [Hypothesis(name, sources.lines(SYSTEMS, name)) for name in RATIO_SYSTEMS]
    camb = systems[RATIO_SYSTEMS.index("CAMB")]
    found = {s.annotators[0]: s for s in score(corpus, [camb], [M2(choose=name) for name in ANNOTATORS])}
    for row in published("bryant_ng2015_camb_by_annotator"):
        ours = found[row["annotator"]]
        for column, estimate in (("precision", ours.precision), ("recall", ours.recall), ("f0.5", ours.f)):
            value = None if estimate.value is None else 100 * estimate.value
            yield Cell("CAMB by annotator", row["annotator"], column, float(row[column]), value, LAST_DIGIT)
    result = ceiling(prepare_study(corpus, systems, M2(), problems))
    for k, row in enumerate(published("bryant_ng2015_ratio")):
        name = f"{row['gold_annotators']} references"
        yield Cell("ratio", name, "human", float(row["human_f0.5"]), 100 * float(result.human[k, 2]), LAST_DIGIT)
        for s, system in enumerate(RATIO_SYSTEMS):
            tolerance = CUUI_DIGITS if system == "CUUI" else LAST_DIGIT
            for column, value in (
                (f"{system.lower()}_f0.5", result.scores[s, k, 2]),
                (f"{system.lower()}_ratio_percent", result.ratio[s, k]),
            ):
                # A ratio of two rounded scores moves more than either.
                extra = 0.02 if "ratio" in column and system == "CUUI" else 0.0
                yield Cell("ratio", name, column, float(row[column]), 100 * float(value), tolerance + extra)


def _edits(sources: Sources) -> Iterator[Cell]:
    counted: dict[str, Counter[str]] = {}
    for name in ANNOTATORS:
        # As published: repeated and overlapping edits are counted, so what is wrong with the files does not matter.
        unread = Problems(limit=1 << 30)
        sentences = read_m2(Lines(sources.file(CORPUS, f"{name}.m2"), unread), unread)
        counted[name] = Counter(edit.type for s in sentences for edits in s.annotations.values() for edit in edits)
    for row in published("bryant_ng2015_edits_by_annotator"):
        kind = row["error_type"]
        ours = {name: types.total() if kind == ALL_TYPES else types[kind] for name, types in counted.items()}
        for name, count in ours.items():
            yield Cell("edits", kind, name, float(row[name]), float(count), 0)
        yield Cell("edits", kind, "total", float(row["total"]), float(sum(ours.values())), 0)
