"""Ng et al. 2014, the CoNLL-2014 shared task: tables 2, 3, 7 to 12 and the agreement of the annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.problems import Problems
from errorbar.edits.apply import corrected_text
from errorbar.formats.nucle import read_nucle
from errorbar.formats.opening import Lines
from errorbar.formats.reference import read_corpus
from errorbar.metrics.m2 import M2
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import score
from errorbar.reproduce.cells import Cell, published
from errorbar.reproduce.sources import Sources

PAPER = "Ng et al. 2014"
CORPUS = "conll2014"
SYSTEMS = "conll2014-systems"
NOT_RELEASED = ("NARA",)
NEVER_RELEASED = "the team's output was never released"
NO_TRAINING = "the NUCLE training data needs a license"
ONE_PERCENT_DIGIT = 0.05
"""Half of the last digit of a percentage printed with one digit."""


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell of the paper's tables about the test data and the systems' scores.

    Raises:
        InputError: If a corpus is not there.
    """
    yield from _statistics(sources)
    yield from _error_types(sources)
    plain = _read(sources, "noalt/official-2014.combined.m2")
    alternatives = _read(sources, "alt/official-2014.combined-withalt.m2")
    for number, file, corpus in ((7, "table07_no_alternatives", plain), (8, "table08_with_alternatives", alternatives)):
        yield from _team_scores(sources, f"table {number}", file, corpus)
    for number, file, corpus in (
        (9, "table09_recall_by_type_no_alternatives", plain),
        (10, "table10_recall_by_type_with_alternatives", alternatives),
    ):
        yield from _recall_by_type(sources, f"table {number}", file, corpus)
    single = [_read(sources, f"noalt/official-2014.{k}.m2") for k in range(2)]
    yield from _single_annotators(sources, single)
    yield from _annotators_against_each_other(single)
    yield from _agreement(sources)


def _read(sources: Sources, name: str) -> Corpus:
    return read_corpus([sources.file(CORPUS, name)])


def _teams(sources: Sources, names: list[str]) -> list[Hypothesis]:
    return [Hypothesis(name, sources.lines(SYSTEMS, name)) for name in names if name not in NOT_RELEASED]


def _known(team: str) -> str:
    return NEVER_RELEASED if team in NOT_RELEASED else ""


def _percent(score: Score) -> tuple[float | None, ...]:
    values = (score.precision.value, score.recall.value, score.f.value)
    return tuple(None if value is None else 100 * value for value in values)


def _statistics(sources: Sources) -> Iterator[Cell]:
    corpus = _read(sources, "noalt/official-2014.0.m2")
    problems = Problems()
    essays = list(read_nucle(Lines(sources.file(CORPUS, "noalt/official-2014.0.sgml"), problems), problems))
    ours = {
        "essays": len(essays),
        "sentences": len(corpus),
        "tokens": sum(len(sentence.tokens) for sentence in corpus.sentences),
    }
    for row in published("conll2014_table02_statistics"):
        name = row["statistic"]
        yield Cell("table 2", name, "nucle", float(row["nucle"]), None, known=NO_TRAINING)
        yield Cell("table 2", name, "test", float(row["test"]), float(ours[name]), 0)


def _error_types(sources: Sources) -> Iterator[Cell]:
    counted: list[Counter[str]] = []
    for k in range(2):
        problems = Problems()
        essays = read_nucle(Lines(sources.file(CORPUS, f"noalt/official-2014.{k}.sgml"), problems), problems)
        counted.append(
            Counter(mistake.type for essay in essays for found in essay.annotations.values() for mistake in found)
        )
    for row in published("conll2014_table03_error_types"):
        kind = row["error_type"]
        yield Cell("table 3", kind, "nucle", float(row["nucle_count"]), None, known=NO_TRAINING)
        for k, types in enumerate(counted, 1):
            total = types.total()
            count = total if kind == "All types" else types[kind]
            yield Cell("table 3", kind, f"annotator {k}", float(row[f"annotator{k}_count"]), float(count), 0)
            share = float(row[f"annotator{k}_percent"])
            yield Cell("table 3", kind, f"annotator {k} %", share, 100 * count / total, ONE_PERCENT_DIGIT)


def _team_scores(sources: Sources, table: str, file: str, corpus: Corpus) -> Iterator[Cell]:
    rows = list(published(f"conll2014_{file}"))
    found = {s.system: s for s in score(corpus, _teams(sources, [row["team"] for row in rows]), [M2()])}
    for row in rows:
        team = row["team"]
        ours = _percent(found[team]) if team in found else (None, None, None)
        for column, value in zip(("precision", "recall", "f0.5"), ours, strict=True):
            yield Cell(table, team, column, float(row[column]), value, known=_known(team))


def _recall_by_type(sources: Sources, table: str, file: str, corpus: Corpus) -> Iterator[Cell]:
    rows = list(published(f"conll2014_{file}"))
    teams = [column for column in rows[0] if column != "error_type"]
    found = {
        s.system: {row.type: row.recall for row in s.by_type}
        for s in score(corpus, _teams(sources, teams), [M2()], by_type=True)
    }
    for row in rows:
        for team in teams:
            # The paper prints 0.00 where the chosen annotators have no edit of the type.
            ours = 100 * (found[team].get(row["error_type"]) or 0.0) if team in found else None
            yield Cell(table, row["error_type"], team, float(row[team]), ours, known=_known(team))


def _single_annotators(sources: Sources, single: list[Corpus]) -> Iterator[Cell]:
    rows = list(published("conll2014_table11_single_annotator"))
    teams = _teams(sources, [row["team"] for row in rows])
    found = [{s.system: s for s in score(corpus, teams, [M2()])} for corpus in single]
    for row in rows:
        team = row["team"]
        for k, scores in enumerate(found, 1):
            ours = _percent(scores[team]) if team in scores else (None, None, None)
            for column, value in zip(("precision", "recall", "f0.5"), ours, strict=True):
                name = f"annotator{k}_{column}"
                yield Cell("table 11", team, name, float(row[name]), value, known=_known(team))


def _annotators_against_each_other(single: list[Corpus]) -> Iterator[Cell]:
    for row in published("conll2014_table12_annotator_vs_annotator"):
        writer, judge = (int(row[key].removeprefix("annotator")) - 1 for key in ("hypothesis", "reference"))
        text = Hypothesis(row["hypothesis"], _text(single[writer].sentences, single[writer].annotators[0]))
        (found,) = score(single[judge], [text], [M2()])
        for column, value in zip(("precision", "recall", "f0.5"), _percent(found), strict=True):
            yield Cell("table 12", f"{row['hypothesis']} against {row['reference']}", column, float(row[column]), value)


def _text(sentences: list[Sentence], annotator: str) -> list[str]:
    problems = Problems()
    text = [corrected_text(sentence, annotator, problems) for sentence in sentences]
    problems.raise_errors()
    return text


PUBLISHED_KAPPA = 0.43
"""Identification kappa of the two annotators, as printed."""


def _agreement(sources: Sources) -> Iterator[Cell]:
    from errorbar.reproduce.agreement import identification_kappas  # noqa: PLC0415 - the agreement layer

    both = read_corpus([sources.file(CORPUS, f"noalt/official-2014.{k}.m2") for k in range(2)])
    for projection, kappa, known in identification_kappas(both):
        yield Cell("kappa", "identification", projection, PUBLISHED_KAPPA, kappa, known=known)
