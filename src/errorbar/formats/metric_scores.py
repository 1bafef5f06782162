"""Scores of metrics, of systems or of single sentences, from the files in which people keep them.

* a table with the columns ``system`` and ``score``, and maybe ``metric`` and ``sentence``;
* what ``errorbar score --format json`` prints, with ``--by sentence`` also for sentences;
* lines of a system and a score, or of a system, F, precision and recall (``scores.m2``): the files of Grundkiewicz et
  al. 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.core.rankings import MetricScores
from errorbar.formats.opening import Lines, Source, display_name, rereadable
from errorbar.formats.tables import table_rows
from errorbar.formats.untrusted import NotJsonError, parse_json

SCORE_SCHEMA = "errorbar.score/1"
LARGEST = 1e100
"""Scores beyond it have squares and sums that no float holds; a score of a metric has a size of ten or a hundred."""
_LARGEST_COUNT = 1 << 53
_LONGEST = 30
"""Characters of a number that are shown."""
_Sentences = dict[str, dict[str, float]]


def read_metric_scores(
    path: Source,
    problems: Problems | None = None,
    *,
    name: str | None = None,
    betas: Sequence[float] = (),
    first_sentence: int = 1,
) -> list[MetricScores]:
    """Read the scores of one or several metrics; higher must be better.

    A metric that has scores of sentences only gets their mean as the score of a system.

    Args:
        path: The file, gzipped or not.
        problems: Where problems go; None: read strictly.
        name: What a metric that the file does not name is called; None: after the file.
        betas: Where a file has precision and recall, further metrics: F with these betas.
        first_sentence: The number that the first sentence of ``errorbar score`` gets.
    """
    notebook = Problems() if problems is None else problems
    called = name or _name_of(path)
    path = rereadable(path)
    lines = Lines(path, notebook)
    first = lines.peek()
    if first.lstrip().startswith("{"):
        scores = _read_json("\n".join(lines), lines.name, betas, first_sentence, notebook)
    elif "system" in {field.strip().strip('"') for field in first.replace(";", ",").replace("\t", ",").split(",")}:
        scores = _read_table(path, called, notebook)
    else:
        scores = _read_lines(lines, called, betas, notebook)
    if not scores and not notebook.errors:
        expected = "columns system and score, lines of a system and a score, or JSON of errorbar score"
        notebook.error("scores-empty", "no score in the file", Place(display_name(path)), expected=expected)
    notebook.raise_errors()
    return scores


def f_score(precision: float, recall: float, beta: float) -> float:
    """F of precision and recall; 0 where both are."""
    if not isfinite(beta * beta):
        return recall  # what F comes to
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / below if below else 0.0


def _name_of(path: Source) -> str:
    """``scores.m2`` is the file of m2, ``gleu.csv`` that of gleu."""
    name = Path(display_name(path)).name
    return name.removeprefix("scores.") if name.startswith("scores.") else name.split(".")[0]


def _number(text: str, place: Place, problems: Problems) -> float | None:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) <= LARGEST:  # nor where it is not a number
        shown = repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}... of {len(text)} characters"
        repair = "the row is left out"
        expected = "a finite number" if isnan(number) else f"a number between -{LARGEST:g} and {LARGEST:g}"
        problems.repairable("scores-number", f"the score {shown}", place, repair=repair, expected=expected)
        return None
    return number


def _read_table(path: Source, called: str, problems: Problems) -> list[MetricScores]:
    systems: dict[str, dict[str, float]] = {}
    sentences: dict[str, _Sentences] = {}
    for row in table_rows(path, problems, ("system", "score")):
        score = _number(row.values["score"], row.place, problems)
        if score is None:
            continue
        metric, system = row.values.get("metric") or called, row.values["system"]
        sentence = row.values.get("sentence", "")
        systems.setdefault(metric, {})
        found = sentences.setdefault(metric, {}).setdefault(sentence, {}) if sentence else systems[metric]
        if system in found:
            what = f"{metric} of '{system}' stands twice"
            problems.repairable("scores-twice", what, row.place, repair="the first is kept")
        else:
            found[system] = score
    return [_metric(metric, systems[metric], sentences.get(metric, {})) for metric in systems]


def _metric(metric: str, systems: dict[str, float], sentences: _Sentences) -> MetricScores:
    sums: dict[str, list[float]] = {}
    for scores in sentences.values():
        for system, score in scores.items():
            sums.setdefault(system, []).append(score)
    for system, values in sums.items():
        systems.setdefault(system, sum(values) / len(values))
    return MetricScores(metric, systems, sentences)


def _read_lines(lines: Lines, called: str, betas: Sequence[float], problems: Problems) -> list[MetricScores]:
    plain: dict[str, float] = {}
    by_beta: dict[float, dict[str, float]] = {beta: {} for beta in betas}
    for number, line in enumerate(lines, 1):
        place = Place(lines.name, number)
        fields = line.split()
        if not fields:
            continue
        if len(fields) not in (2, 4):
            what = f"{len(fields)} fields"
            expected = "a system and a score, or a system, F, precision and recall"
            problems.repairable("scores-line", what, place, repair="the line is left out", expected=expected)
            continue
        values = [_number(field, place, problems) for field in fields[1:]]
        if values[0] is None or None in values:
            continue
        if fields[0] in plain:
            what = f"{called} of '{fields[0]}' stands twice"
            problems.repairable("scores-twice", what, place, repair="the first is kept")
            continue
        plain[fields[0]] = values[0]
        if len(values) == 3 and values[1] is not None and values[2] is not None:
            for beta in betas:
                by_beta[beta][fields[0]] = f_score(values[1], values[2], beta)
    found = [MetricScores(called, plain)] if plain else []
    return found + [MetricScores(f"{called} F{beta:g}", scores) for beta, scores in by_beta.items() if scores]


def _read_json(
    text: str, name: str, betas: Sequence[float], first_sentence: int, problems: Problems
) -> list[MetricScores]:
    try:
        document = parse_json(text)
    except NotJsonError as error:
        raise InputError(Problem("scores-json", f"not JSON: {error}", Place(name, error.line))) from None
    fields = document if isinstance(document, dict) else {}
    rows = fields.get("rows")
    if not isinstance(rows, list) or fields.get("schema") != SCORE_SCHEMA:
        what = "not the scores of systems"
        expected = f'a document of "schema": "{SCORE_SCHEMA}", as errorbar score prints'
        raise InputError(Problem("scores-json", what, Place(name), expected))
    systems: dict[str, dict[str, float]] = {}
    sentences: dict[str, _Sentences] = {}
    for number, row in enumerate(rows, 1):
        known = isinstance(row, dict) and str(row.get("system")) in systems.get(str(row.get("metric")), {})
        if known:
            what = f"row {number}: {row['metric']} of '{row['system']}' stands twice"
            problems.repairable("scores-twice", what, Place(name), repair="the first is kept")
            continue
        if not _is_score(row):
            what = f"row {number} must have a system, a metric and its score, all of them numbers of scores"
            problems.repairable("scores-json", what, Place(name), repair="the row is left out")
            continue
        main, metric = row.get("main", "f"), str(row["metric"])
        # Metrics of which lower is better agree with humans who rank by them.
        sign = -1.0 if main in row.get("lower_is_better", ()) else 1.0
        wanted = {metric: (sign * float(row[main]), float(row.get("beta", 1)))}
        if "precision" in row and "recall" in row:
            p, r = float(row["precision"]), float(row["recall"])
            wanted |= {f"{metric} F{beta:g}": (f_score(p, r, beta), beta) for beta in betas}
        for called, (value, beta) in wanted.items():
            systems.setdefault(called, {})[str(row["system"])] = value
            for each in row.get("by_sentence") or ():
                sentence = str(int(each["sentence"]) - 1 + first_sentence)
                here = sentences.setdefault(called, {}).setdefault(sentence, {})
                here[str(row["system"])] = _sentence_f(each, beta) if main == "f" else sign * float(each[main])
    return [MetricScores(metric, scores, sentences.get(metric, {})) for metric, scores in systems.items()]


def _is_score(row: object) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("main", "f"), str):
        return False
    main, lower = row.get("main", "f"), row.get("lower_is_better", [])
    sentences = row.get("by_sentence") or []
    if not {"system", "metric", main} <= row.keys() or not isinstance(lower, list) or not isinstance(sentences, list):
        return False
    if not all(isinstance(each, dict) for each in sentences):
        return False
    keys = ("sentence", "correct", "proposed", "gold") if main == "f" else ("sentence",)
    counts = [each.get(key) for each in sentences for key in keys]
    values = [row[main], *(row.get(key, 0.0) for key in ("beta", "precision", "recall"))]
    values += [each.get(main) for each in sentences if main != "f"]
    return (
        all(isinstance(row[key], str) for key in ("system", "metric"))
        and all(type(count) is int and 0 <= count < _LARGEST_COUNT for count in counts)
        and all(type(value) in (int, float) and abs(value) <= LARGEST for value in values)
    )


def _sentence_f(counts: Mapping[str, int], beta: float) -> float:
    """F of one sentence; as the official scorer, P is 1 where nothing is proposed and R where nothing is to find."""
    precision = counts["correct"] / counts["proposed"] if counts["proposed"] else 1.0
    recall = counts["correct"] / counts["gold"] if counts["gold"] else 1.0
    return f_score(precision, recall, beta)
