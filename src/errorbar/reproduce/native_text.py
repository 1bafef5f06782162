"""Tetreault & Chodorow 2008, section 3, on native text of one's own: how often the preposition written is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from errorbar.detectors.learning_curve import Form, LearningCurve
from errorbar.detectors.lexicon import PREPOSITIONS
from errorbar.detectors.selectors import PAPER
from errorbar.reproduce.cells import Cell, Number, Printed, compare, facts, published, with_ends
from errorbar.reproduce.sources import Sources
from errorbar.stats.resampling import Resampling
from errorbar.studies.selecting import ENSEMBLE, FIVE, MAJORITY, SELECTION
from errorbar.studies.selection import Chosen, Selection, study_selection

FACTS, TABLE_1 = "tetreault_chodorow2008_facts", "tetreault_chodorow2008_table1_f_measures"
NO_TEXT = "not run: it takes native text and a tagger (--text, --models)"
OTHER_NATIVE = "not their text"
ADDED_CURVE = "the paper has two points, and not of this text"
AHEAD = 3_200_000
"""Examples that the paper's classifier was trained on."""
EXTRAPOLATED = "an extrapolation, and not their text"
FORMS: Mapping[Form, str] = {"line": "a line over log2(n)", "power": "a power law of the error"}
HELD, OTHER = "held-out text", "treebank"
RESAMPLING = Resampling("percentile")
SETTINGS = {
    MAJORITY: "majority_of_accuracy",
    PAPER: "accuracy_encarta_reuters",
    "me": "accuracy_encarta_reuters",
    FIVE: "accuracy_five_prepositions_wsj",
    "perc": "",
    ENSEMBLE: "",
}
"""Who chooses, and which of the paper's facts stands beside."""
NAMES = {
    MAJORITY: "majority",
    PAPER: "ME, the paper's features",
    "me": "ME",
    FIVE: "ME, five most frequent",
    "perc": "PERC",
}
NAMES |= {ENSEMBLE: "ensemble of PERC, ME and n-grams"}


def selection(sources: Sources) -> Selection | None:
    """Choices in the text that is given, made once; None: text or models are not given."""
    if not sources.texts or sources.models is None:
        return None
    if SELECTION not in sources.made:
        made = study_selection(sources.texts, sources.models, sources.treebanks, tell=sources.tell)
        sources.made[SELECTION] = made
    found: Selection = sources.made[SELECTION]
    return found


def curves(found: Selection) -> dict[str, LearningCurve]:
    """The learning curve in each text."""
    return {text: chosen.curve(AHEAD, RESAMPLING) for text, chosen in _texts(found).items()}


def published_point() -> dict[str, tuple[float, float]]:
    """Examples and accuracy of the paper's classifier."""
    value = facts(FACTS)[SETTINGS["me"]]
    return {f"published: {100 * value:.1f}": (AHEAD, value)}


def selection_cells(sources: Sources) -> Iterator[Cell]:
    """Table 1, the settings of section 3 and the learning curve."""
    printed, found = facts(FACTS), selection(sources)
    if found is None:
        yield from compare(
            Printed(f"table 1, {HELD}", TABLE_1, columns={"gamon2008": "", "tetreault2008": "F"}), {}, known=NO_TEXT
        )
        for who, name in SETTINGS.items():
            if name:
                yield Cell("selection", NAMES[who], HELD, printed[name], None, known=NO_TEXT)
        yield Cell("learning curve", f"{AHEAD:,} examples", HELD, printed[SETTINGS["me"]], None, known=NO_TEXT)
        return
    yield from _each_preposition(found.held)
    for text, chosen in _texts(found).items():
        yield from _settings(text, chosen, found, printed if text == HELD else {})
    for text, curve in curves(found).items():
        yield from _curve(text, curve, printed[SETTINGS["me"]] if text == HELD else None)


def _texts(found: Selection) -> dict[str, Chosen]:
    return {HELD: found.held} | ({} if found.other is None else {OTHER: found.other})


def _each_preposition(held: Chosen) -> Iterator[Cell]:
    """F of each preposition of table 1 in the choices of ME."""
    scores = held.text.f_scores(held.by["me"], RESAMPLING)
    for row in published(TABLE_1):
        name = row["preposition"]
        yield from with_ends(f"table 1, {HELD}", name, "F", Number(row["tetreault2008"]), scores[name], OTHER_NATIVE)


def _settings(text: str, chosen: Chosen, found: Selection, printed: Mapping[str, Number]) -> Iterator[Cell]:
    """Accuracy in the paper's settings, and of an ensemble."""
    few = ", ".join(PREPOSITIONS[number] for number in found.most_frequent)
    here = f"{OTHER_NATIVE}; ours is trained on {found.n_examples:,} examples"
    for who, name in SETTINGS.items():
        asked = chosen.five if who == FIVE else chosen.text
        row = f"{NAMES[who]} ({few})" if who == FIVE else NAMES[who]
        value = asked.accuracy(chosen.by[who], RESAMPLING)
        yield from with_ends("selection", row, text, printed.get(name), value, here)
    more = chosen.text.accuracy(chosen.by[ENSEMBLE], RESAMPLING, less=chosen.by["perc"])
    yield from with_ends("selection", f"{NAMES[ENSEMBLE]}, less PERC", text, None, more, here)


def _curve(text: str, curve: LearningCurve, printed: Number | None) -> Iterator[Cell]:
    """Accuracy by the number of examples, and where it would go."""
    table = "learning curve"
    for point in curve.points:
        row = f"{point.n:,} examples"
        yield from with_ends(table, row, text, None, point.accuracy, ADDED_CURVE)
        yield Cell(table, row, f"{text}, samples", None, len(point.accuracies), known=ADDED_CURVE)
        if len(point.accuracies) > 1:
            yield Cell(table, row, f"{text}, SD of samples", None, point.spread, known=ADDED_CURVE)
    if curve.doubling is not None:
        yield from with_ends(table, "a doubling adds", text, None, curve.doubling, ADDED_CURVE)
    for fit in curve.fits:
        row = f"{AHEAD:,} examples by {FORMS[fit.form]}"
        yield from with_ends(table, row, text, printed, fit.ahead, EXTRAPOLATED)
