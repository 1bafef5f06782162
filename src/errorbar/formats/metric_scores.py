"""Scores of metrics, of systems or of single sentences, from the files in which people keep them.

* a table (``errorbar.formats.tables``) with the columns ``system`` and ``score``, maybe ``metric`` and ``sentence``;
* what ``errorbar score --format json`` prints, with ``--by sentence`` also for sentences;
* lines of a system and a score, or of a system, F, precision and recall (``scores.m2``): the files of Grundkiewicz et
  al. 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.core.rankings import MetricScores, order_sentences, renumber_sentences, sentence_means
from errorbar.formats.limits import LARGEST_COUNT, LARGEST_SCORE
from errorbar.formats.look import Lines, Source, display_name, look
from errorbar.formats.reference import NamedFile
from errorbar.formats.tables import header_of, table_rows
from errorbar.formats.untrusted import NotJsonError, parse_json

SCORE_SCHEMA = "errorbar.score/1"
_LONGEST = 30  # characters of a number that are shown
_Sentences = dict[str, dict[str, float]]


def read_named_scores(
    scores: Source, problems: Problems, *, betas: Sequence[float] = (), first_sentence: int = 1
) -> list[MetricScores]:
    """As ``read_metric_scores``; a text can be ``name=path``."""
    file = NamedFile.parse(scores) if isinstance(scores, str) else None
    if file is None or file.path == scores:
        return read_metric_scores(scores, problems, betas=betas, first_sentence=first_sentence)
    return read_metric_scores(file.path, problems, name=file.name, betas=betas, first_sentence=first_sentence)


def read_metric_scores(
    path: Source,
    problems: Problems | None = None,
    *,
    name: str | None = None,
    betas: Sequence[float] = (),
    first_sentence: int = 1,
) -> list[MetricScores]:
    """Read the scores of one or several metrics, strictly without ``problems``; higher must be better.

    A metric with scores of sentences only gets their mean for a system; one without a name is called ``name``, else
    after the file. With precision and recall, F with the ``betas`` are further metrics. The first sentence of
    ``errorbar score``, and of a table that numbers all lines from 1, gets the number ``first_sentence``.
    """
    scores = _Scores(Problems() if problems is None else problems)
    file = Path(display_name(path)).name
    bare = file.removeprefix("scores.") if file.startswith("scores.") else file.split(".")[0].strip("<>")
    called, source = name or bare or file, look(path)
    lines = Lines(source, scores.problems)
    if "system" in map(str.casefold, header_of(source)):  # of "System" the reader of tables says what is wrong
        _read_table(path, called, first_sentence, scores)
    elif lines.peek().lstrip().startswith("{"):
        _read_json("\n".join(lines), Place(lines.name), betas, first_sentence, scores)
    else:
        _read_lines(lines, called, betas, scores)
    if not scores.systems and not scores.problems.errors:
        expected = "columns system and score, lines of a system and a score, or JSON of errorbar score"
        scores.problems.error("scores-empty", "no score in the file", Place(lines.name), expected)
    scores.problems.raise_errors()
    return scores.metrics()


def f_score(precision: float, recall: float, beta: float) -> float:
    """F of precision and recall; 0 where both are."""
    if not isfinite(beta * beta):
        return recall  # what F comes to
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / below if below else 0.0


class _Scores:
    """Scores of systems, and of their sentences, by metric, as they are read."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.systems: dict[str, dict[str, float]] = {}
        self.sentences: dict[str, _Sentences] = {}

    def of(self, metric: str, sentence: str = "") -> dict[str, float]:
        """The scores of systems, or of one of their sentences."""
        systems = self.systems.setdefault(metric, {})
        return self.sentences.setdefault(metric, {}).setdefault(sentence, {}) if sentence else systems

    def twice(self, metric: str, system: str, place: Place, *, sentence: str = "", row: str = "") -> bool:
        """Whether there is such a score already; if so, this is recorded."""
        known = self.sentences.get(metric, {}).get(sentence, {}) if sentence else self.systems.get(metric, {})
        if system in known:
            message = f"{row}{metric} of '{system}' stands twice"
            self.problems.repairable("scores-twice", message, place, "the first is kept")
        return system in known

    def number(self, text: str, place: Place) -> float | None:
        """A score; None where it is none, which is recorded."""
        try:
            number = float(text)
        except ValueError:
            number = nan
        if abs(number) <= LARGEST_SCORE:
            return number
        shown = repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}... of {len(text)} characters"
        expected = "a finite number" if isnan(number) else f"a number between -{LARGEST_SCORE:g} and {LARGEST_SCORE:g}"
        self.problems.repairable("scores-number", f"the score {shown}", place, expected=expected)
        return None

    def metrics(self) -> list[MetricScores]:
        """Every metric; where it has scores of sentences only, their mean is the score of a system."""
        for metric, sentences in self.sentences.items():
            for system, mean in sentence_means(sentences).items():
                self.systems[metric].setdefault(system, mean)
        return [
            MetricScores(metric, by_system, order_sentences(self.sentences.get(metric, {})))
            for metric, by_system in self.systems.items()
        ]


def _read_table(path: Source, called: str, first_sentence: int, scores: _Scores) -> None:
    for row, place in table_rows(path, scores.problems, ("system", "score")):
        score = scores.number(row["score"], place)
        system, sentence = row["system"], row.get("sentence", "").strip()
        metric = row.get("metric", "").strip() or called
        if not system:
            scores.problems.repairable("scores-line", "a score of no system", place, "the row is left out", "its name")
            continue
        if score is not None and not scores.twice(metric, system, place, sentence=sentence):
            scores.of(metric, sentence)[system] = score
    for metric, sentences in scores.sentences.items():
        scores.sentences[metric] = renumber_sentences(sentences, first_sentence)


def _read_lines(lines: Lines, called: str, betas: Sequence[float], scores: _Scores) -> None:
    for number, line in enumerate(lines, 1):
        place = Place(lines.name, number)
        system, *texts = line.split() or [""]
        if not system:
            continue
        if len(texts) not in (1, 3):
            message, expected = f"{len(texts) + 1} fields", "a system and a score, or a system, F, precision and recall"
            scores.problems.repairable("scores-line", message, place, "the line is left out", expected)
            continue
        values = [value for text in texts if (value := scores.number(text, place)) is not None]
        if len(values) < len(texts) or scores.twice(called, system, place):
            continue
        scores.of(called)[system] = values[0]
        for beta in betas if len(values) > 1 else ():
            scores.of(f"{called} F{beta:g}")[system] = f_score(values[1], values[2], beta)


def _read_json(text: str, place: Place, betas: Sequence[float], first_sentence: int, scores: _Scores) -> None:
    try:
        document = parse_json(text)
    except NotJsonError as error:
        raise InputError(Problem("scores-json", f"not JSON: {error}", Place(place.file, error.line))) from None
    fields = document if isinstance(document, dict) else {}
    rows = fields.get("rows")
    if not isinstance(rows, list) or fields.get("schema") != SCORE_SCHEMA:
        expected = f'a document of "schema": "{SCORE_SCHEMA}", as errorbar score prints'
        raise InputError(Problem("scores-json", "not the scores of systems", place, expected))
    for number, row in enumerate(rows, 1):
        if not _is_score(row):
            message = f"row {number} must have a system, a metric and its score, all of them numbers of scores"
            scores.problems.repairable("scores-json", message, place)
            continue
        main, metric, system = row.get("main", "f"), row["metric"], row["system"]
        if scores.twice(metric, system, place, row=f"row {number}: "):
            continue
        # Metrics of which lower is better agree with humans who rank by them.
        sign = -1.0 if main in row.get("lower_is_better", ()) else 1.0
        wanted = {metric: (sign * float(row[main]), float(row.get("beta", 1)))}
        if "precision" in row and "recall" in row:
            p, r = float(row["precision"]), float(row["recall"])
            wanted |= {f"{metric} F{beta:g}": (f_score(p, r, beta), beta) for beta in betas}
        for called, (value, beta) in wanted.items():
            scores.of(called)[system] = value
            for each in row.get("by_sentence") or ():
                score = _sentence_score(each, main, beta, own=called == metric)
                if score is None:
                    continue  # nothing was scored there
                sentence = str(int(each["sentence"]) - 1 + first_sentence)
                scores.of(called, sentence)[system] = sign * score


def _is_score(row: Any) -> bool:  # noqa: ANN401 - whatever JSON has
    """Whether a row has texts, numbers and counts of sentences where ``errorbar score`` writes them."""
    if not isinstance(row, dict) or not isinstance(main := row.get("main", "f"), str) or main not in row:
        return False
    sentences = row.get("by_sentence") or []
    if not isinstance(row.get("lower_is_better", []), list) or not isinstance(sentences, list):
        return False
    if not all(isinstance(each, dict) for each in sentences):
        return False
    of_counts = main == "f" and not all("f" in each for each in sentences)
    keys = ("sentence", *(("correct", "proposed", "gold") if of_counts else ()))
    measures = (main, "precision", "recall") if main == "f" else (main,)
    counts = [each.get(key) for each in sentences for key in keys]
    values = [row[main], *(row.get(key, 0.0) for key in ("beta", "precision", "recall"))]
    values += [each[key] for each in sentences for key in measures if each.get(key) is not None]
    return (
        all(isinstance(row.get(key), str) for key in ("system", "metric"))
        and all(type(count) is int and 0 <= count < LARGEST_COUNT for count in counts)
        and all(type(value) in (int, float) and abs(value) <= LARGEST_SCORE for value in values)
    )


def _sentence_score(sentence: Mapping[str, Any], main: str, beta: float, *, own: bool) -> float | None:
    """The score of a sentence alone, with the metric's ``own`` beta or another; None: nothing was scored there."""
    if main == "f" and "f" not in sentence:
        return _sentence_f(sentence, beta)
    values: list[Any] = [sentence.get(key) for key in ((main,) if own else ("precision", "recall"))]
    if None in values:
        return None
    return float(values[0]) if own else f_score(float(values[0]), float(values[1]), beta)


def _sentence_f(counts: Mapping[str, int], beta: float) -> float:
    """F of one sentence; as the official scorer, P is 1 where nothing is proposed and R where nothing is to find."""
    precision = counts["correct"] / counts["proposed"] if counts["proposed"] else 1.0
    return f_score(precision, counts["correct"] / counts["gold"] if counts["gold"] else 1.0, beta)
