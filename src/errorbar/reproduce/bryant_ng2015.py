"""Bryant & Ng 2015: edits by annotator, CAMB against each annotator, and the ratio table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from errorbar.ceilings import ceiling, prepare_study
from errorbar.core.problems import Problems
from errorbar.formats.m2_file import read_m2
from errorbar.formats.opening import Lines
from errorbar.metrics.m2 import M2
from errorbar.reproduce.cells import HALF, TEN_ANNOTATORS, Cell, Printed, Sources, compare, percents, scored

RATIO_SYSTEMS = ("AMU", "CAMB", "CUUI")
LAST_DIGIT = 0.01 + HALF
"""Two files hold a repeated edit each, which is dropped here; that moves some cells by one in the last digit."""
CUUI_DIGITS = 0.03 + HALF
CUUI_RATIO = CUUI_DIGITS + 0.02
"""A ratio of two rounded scores moves more than either."""
ALL_TYPES = "Total"


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell of the paper's tables about the ten annotators."""
    yield from compare(Printed("edits", "bryant_ng2015_edits_by_annotator"), _edits(sources), tolerance=0)
    problems = Problems(lenient=True)
    corpus = sources.ten_annotators(problems)
    systems = [sources.system(name) for name in RATIO_SYSTEMS]
    camb = systems[RATIO_SYSTEMS.index("CAMB")]
    found = scored(corpus, [camb], [M2(choose=name) for name in TEN_ANNOTATORS])
    ours: dict[tuple[str, str], float | None] = {
        (each.annotators[0], column): value for each in found for column, value in percents(each).items()
    }
    yield from compare(Printed("CAMB by annotator", "bryant_ng2015_camb_by_annotator"), ours, tolerance=LAST_DIGIT)
    result = ceiling(prepare_study(corpus, systems, M2(), problems))
    tolerance = {"human": LAST_DIGIT}
    ours = {(f"{k} references", "human"): 100 * float(human) for k, human in enumerate(result.human[:, 2], 1)}
    for s, system in enumerate(RATIO_SYSTEMS):
        f, ratio = f"{system.lower()}_f0.5", f"{system.lower()}_ratio_percent"
        tolerance |= {f: LAST_DIGIT, ratio: LAST_DIGIT}
        for k, (value, share) in enumerate(zip(result.scores[s, :, 2], result.ratio[s], strict=True), 1):
            ours |= {(f"{k} references", f): 100 * float(value), (f"{k} references", ratio): 100 * float(share)}
    tolerance |= {"cuui_f0.5": CUUI_DIGITS, "cuui_ratio_percent": CUUI_RATIO}
    rows = "{gold_annotators} references"
    printed = Printed("ratio", "bryant_ng2015_ratio", rows, {"human_f0.5": "human"})
    yield from compare(printed, ours, tolerance=tolerance)


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
