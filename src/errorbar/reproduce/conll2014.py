"""Ng et al. 2014, the CoNLL-2014 shared task: tables 2, 3, 7 to 12 and the agreement of the annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from errorbar.agreement.cohen import pairwise_agreement
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.problems import Problems
from errorbar.edits.items import Projection, edit_items
from errorbar.edits.texts import corrected_text
from errorbar.formats.look import Lines
from errorbar.formats.nucle import read_nucle
from errorbar.metrics.m2 import M2
from errorbar.reproduce.cells import (
    Cell,
    Number,
    Printed,
    Sources,
    compare,
    percents,
    read_published,
    score_systems,
)

TABLES = "conll2014_table"
NOT_RELEASED = {"NARA": "the team's output was never released"}
NO_TRAINING = {"nucle": "the NUCLE training data needs a license"}
PUBLISHED_KAPPA = Number("0.43")
"""Identification kappa of the two annotators, as printed."""
KAPPA_AS_PUBLISHED: tuple[Projection, ...] = ("tokens", "tokens-before")
"""Readings of "identification" that print as the published number."""
OTHER_KAPPAS: tuple[Projection, ...] = ("tokens-after", "tokens-gaps")
OTHER_READING = "the paper does not say what becomes of insertions; this is another reading"

Values = dict[tuple[str, str], float | None]


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell of the paper's tables about the test data and the systems' scores."""
    yield from compare(Printed("table 2", f"{TABLES}02_statistics"), _sizes(sources), known=NO_TRAINING)
    yield from _error_types(sources)
    systems = team_systems(sources)
    plain, alternatives = references(sources)
    for number, name, corpus in (("07", "no", plain), ("08", "with", alternatives)):
        file = f"{TABLES}{number}_{name}_alternatives"
        printed = Printed(f"table {int(number)}", file, columns={"late": ""})
        yield from compare(printed, _team_scores(corpus, systems), known=NOT_RELEASED)
    for number, name, corpus in (("09", "no", plain), ("10", "with", alternatives)):
        file = f"{TABLES}{number}_recall_by_type_{name}_alternatives"
        ours = _recall_by_type(file, corpus, systems)
        yield from compare(Printed(f"table {int(number)}", file), ours, known=NOT_RELEASED)
    single = [sources.conll2014(f"noalt/official-2014.{k}.m2") for k in range(2)]
    ours = {
        key: value
        for k, corpus in enumerate(single, 1)
        for key, value in _team_scores(corpus, systems, f"annotator{k}_").items()
    }
    yield from compare(Printed("table 11", f"{TABLES}11_single_annotator"), ours, known=NOT_RELEASED)
    printed = Printed("table 12", f"{TABLES}12_annotator_vs_annotator", "{hypothesis} against {reference}")
    yield from compare(printed, _annotators_against_each_other(single))
    both = sources.conll2014(*(f"noalt/official-2014.{k}.m2" for k in range(2)))
    for projection in (*KAPPA_AS_PUBLISHED, *OTHER_KAPPAS):
        (pair,) = pairwise_agreement(edit_items(both, projection).judgments)
        known = "" if projection in KAPPA_AS_PUBLISHED else OTHER_READING
        yield Cell("kappa", "identification", projection, PUBLISHED_KAPPA, pair.kappa.estimate.value, known=known)


def references(sources: Sources) -> tuple[Corpus, Corpus]:
    """The references of tables 7 and 8: without and with accepted alternative answers."""
    names = ("noalt/official-2014.combined.m2", "alt/official-2014.combined-withalt.m2")
    plain, alternatives = (sources.conll2014(name) for name in names)
    return plain, alternatives


def team_systems(sources: Sources) -> list[Hypothesis]:
    """The output of the teams, in the order of table 7."""
    teams = [row["team"] for row in read_published(f"{TABLES}07_no_alternatives")]
    return [sources.system(team) for team in teams if team not in NOT_RELEASED]


def _sizes(sources: Sources) -> Values:
    sentences = sources.conll2014("noalt/official-2014.0.m2").sentences
    problems = Problems()
    essays = list(read_nucle(Lines(sources.file("conll2014", "noalt/official-2014.0.sgml"), problems), problems))
    tokens = sum(len(sentence.tokens) for sentence in sentences)
    return {("essays", "test"): len(essays), ("sentences", "test"): len(sentences), ("tokens", "test"): tokens}


def _error_types(sources: Sources) -> Iterator[Cell]:
    file = f"{TABLES}03_error_types"
    ours: Values = {}
    names = {"nucle_count": "nucle", "nucle_percent": ""}
    for k in range(2):
        problems = Problems()
        lines = Lines(sources.file("conll2014", f"noalt/official-2014.{k}.sgml"), problems)
        essays = read_nucle(lines, problems)
        types = Counter(edit.type for essay in essays for edits in essay.annotations.values() for edit in edits)
        count, share = f"annotator {k + 1}", f"annotator {k + 1} %"
        for row in read_published(file):
            n = types.total() if row["error_type"] == "All types" else types[row["error_type"]]
            ours[row["error_type"], count] = n
            ours[row["error_type"], share] = 100 * n / types.total()
        names |= {f"annotator{k + 1}_count": count, f"annotator{k + 1}_percent": share}
    yield from compare(Printed("table 3", file, columns=names), ours, known=NO_TRAINING)


def _team_scores(corpus: Corpus, systems: list[Hypothesis], prefix: str = "") -> Values:
    return {
        (score.system, prefix + column): value
        for score in score_systems(corpus, systems, [M2()])
        for column, value in percents(score).items()
    }


def _recall_by_type(file: str, corpus: Corpus, systems: list[Hypothesis]) -> Values:
    # The paper prints 0.00 where the chosen annotators have no edit of the type.
    ours: Values = {(row["error_type"], system.name): 0.0 for row in read_published(file) for system in systems}
    for score in score_systems(corpus, systems, [M2()], by_type=True):
        ours |= {(row.type, score.system): 100 * (row["recall"].value or 0.0) for row in score.by_type}
    return ours


def _annotators_against_each_other(single: list[Corpus]) -> Values:
    ours: Values = {}
    for writer, judge in ((0, 1), (1, 0)):
        corpus = single[writer]
        problems = Problems()
        text = [corrected_text(sentence, corpus.annotators[0], problems) for sentence in corpus.sentences]
        problems.raise_errors()
        (score,) = score_systems(single[judge], [Hypothesis(f"annotator{writer + 1}", text)], [M2()])
        row = f"annotator{writer + 1} against annotator{judge + 1}"
        ours |= {(row, column): value for column, value in percents(score).items()}
    return ours
