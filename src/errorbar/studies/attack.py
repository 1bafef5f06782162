"""A metric's crash test: what ``errorbar attack`` and ``errorbar.attack`` compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal, Unpack, get_args

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import ErrorbarError, InputError, Place, Problem, UsageError, nearest
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.core.rankings import MetricScores
from errorbar.edits.admission import Admission
from errorbar.edits.degenerate import KINDS, Degenerate, Made, is_degenerate, make_degenerate
from errorbar.execute import Executor, choose_executor
from errorbar.formats.look import Source
from errorbar.formats.metric_scores import read_named_scores
from errorbar.formats.saving import cannot_write, save_lines
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.folding import Plan
from errorbar.metrics.scored import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.stats.resampling import MOST_UNASKED, Method
from errorbar.studies.attack_result import Attacked, Landings, Standing, land
from errorbar.studies.door import Metrics, metrics_of, public, resampling
from errorbar.studies.inputs import Comparing, Gold, Loaded, ReadingOptions, Systems, load, usual_metric

Kind = Literal[
    "unchanged", "empty", "no-function-words", "shuffled", "hard-deleted", "pasted", "by-rote", "concatenated"
]
Scores = Source | MetricScores
QUICK: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind not in ("shuffled", "concatenated"))
"""Kinds that a report looks at: lines with hardly a word of the source's in its place take M2 seconds."""
NEEDS_EDITS = ("no-errant", "missing-extra")
"""Codes of errors of metrics that make edits of texts, where what makes them is not installed."""


@public()
def attack(
    gold: Gold,
    systems: Systems = (),
    metric: Metrics = None,
    *,
    beta: float | None = None,
    only: Kind | Sequence[Kind] = (),
    scores: Scores | Sequence[Scores] = (),
    write: Source | None = None,
    ci_method: Method = "bca",
    **shared: Unpack[Comparing],
) -> Attacked:
    """Show how a metric ranks degenerate systems among real ones: a crash test.

    The systems are made of the corpus: one that does nothing, one that gives its lines to other sentences, one that
    hands in an annotator's text, ...; each is ranked alone among the real systems, by the measure that ranks systems.
    Scores and intervals are those of ``score``.

    Args:
        gold: The reference, as for ``score``.
        systems: The real systems, as for ``score``; there may be none. The output of the first is what is shuffled.
        metric: What to compute, one or several, as for ``score``; None: M2, or nothing where there are ``scores``.
        beta: Weight of recall in F, short for the metric's parameter.
        only: Kinds of systems to make; empty: all.
        scores: Scores of metrics from elsewhere, as tables (system, score, maybe metric and sentence), which must have
            every system that is made and every real one; others that they have are real systems too, unless they are
            called as one that can be made. Higher is better.
        write: Folder for the texts that were made, a file for each, such as ``unchanged.txt``.
        ci_method: ``bca``, ``percentile``, ``basic``, or ``closed`` (formulas).
        shared: How files are read and intervals made.

    Returns:
        The systems that were made, and where they land under each metric.

    Raises:
        InputError: If a file is bad, a real system is no correction of the source, or a table lacks a system.
        UsageError: If an argument will not do.
    """
    given = [scores] if isinstance(scores, str | PathLike | MetricScores) else list(scores)
    unasked = not metric and beta is None
    parsed = [] if given and unasked else metrics_of(usual_metric(gold, metric), beta, "sentences")
    data = load(gold, systems, ReadingOptions.of(shared, parsed))
    kinds: list[str] = [only] if isinstance(only, str) else [*only] or [*KINDS]
    problems, ci = data.problems, shared["ci"]
    problems.raise_errors()
    first = next(((each.name, each.lines) for each in data.systems), None)
    made = make_degenerate(data.corpus, kinds, output=first, seed=shared["seed"])
    _note_overlaps(made, problems)
    folder = None if write is None else _free(Path(write), made.systems)
    how = None if ci is False else resampling(shared, ci_method, shared["jobs"])
    plan = Plan(parsed, resampling=how, conventions=data.conventions, most=MOST_UNASKED if ci is None else None)
    outside = _from_elsewhere(given, [each.name for each in data.systems], made.systems, len(data.corpus), problems)
    with choose_executor(shared["jobs"]) as executor:
        landings = land_attacks(data.corpus, data.systems, made.systems, Scoring(plan, problems, executor))
    if folder is not None:
        _write(folder, made.systems)
    return Attacked(made.systems, made.left_out, [*landings, *outside], len(data.systems), tuple(problems.notes))


def attacks_among(data: Loaded, metrics: Sequence[Metric], known: Mapping[str, Sequence[Score]]) -> Attacked | None:
    """Where attacks land under the metrics of a report: as ``attack``, without intervals, which take their time.

    Kinds are those of ``QUICK``. There is nothing without systems, or with more than ``MOST_UNASKED`` sentences; nor,
    with a note, under a metric that makes edits of texts where what makes them is not installed.

    Args:
        data: The corpus and the systems; notes go to its notebook.
        metrics: The main metric, and further ones.
        known: Scores of the systems that are known already, by spec.
    """
    if not data.systems or len(data.corpus) > MOST_UNASKED:
        return None
    made = make_degenerate(data.corpus, QUICK)
    _note_overlaps(made, data.problems)
    landings = []
    for metric in metrics:
        scoring = Scoring(Plan([metric], conventions=data.conventions), data.problems)
        try:
            landings += land_attacks(data.corpus, data.systems, made.systems, scoring, known)
        except ErrorbarError as error:
            if error.code not in NEEDS_EDITS:
                raise
            what = f"no attack on {metric.spec}: {error.problems[0].what}"
            data.problems.note("attack-no-score", what, Place(""), fix=error.problems[0].fix)
    return Attacked(made.systems, made.left_out, landings, len(data.systems)) if landings else None


def _note_overlaps(made: Made, problems: Problems) -> None:
    what = f"edits of annotators that overlap others and were left out: {made.n_overlaps}"
    if made.n_overlaps and all(note.what != what for note in problems.notes):
        problems.note("apply-overlap", what, Place(""), fix="errorbar check names them")


@dataclass(frozen=True, slots=True)
class Scoring:
    """How systems are scored, where notes go, and who works."""

    plan: Plan
    problems: Problems
    executor: Executor | None = None

    def scores(self, corpus: Corpus, systems: Sequence[Hypothesis], plan: Plan) -> list[Score]:
        """Scores of systems; what others have noted already is not noted again."""
        own = Problems()
        found = score_corpus(corpus, systems, plan, own, executor=self.executor)
        known = {(note.code, note.what) for note in self.problems.notes}
        self.problems.take(note for note in own.notes if (note.code, note.what) not in known)
        return found


def land_attacks(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    made: Sequence[Degenerate],
    scoring: Scoring,
    known: Mapping[str, Sequence[Score]] | None = None,
) -> list[Landings]:
    """Score real and degenerate systems and place these among those.

    A text that a metric refuses, e.g. because a pair is too large for it, has no value, and a note says why.

    Args:
        corpus: The references.
        systems: The real systems, which somebody has looked at.
        made: The degenerate ones.
        scoring: How.
        known: Scores of the real systems that are known already, by spec.
    """
    silent = replace(scoring.plan, admission=Admission(silent=True))
    found = []
    for metric in scoring.plan.metrics:
        spec, plan = str(metric.spec), replace(silent, metrics=[metric])
        real = (known or {}).get(spec)
        if real is None:
            real = scoring.scores(corpus, systems, plan) if systems else []
        attacks = [_score(corpus, each, plan, scoring) for each in made]
        measure = metric.measures[metric.main]
        found.append(land(spec, measure, [_standing(each) for each in real], attacks))
    return found


def _score(corpus: Corpus, attack: Degenerate, plan: Plan, scoring: Scoring) -> Standing:
    try:
        (score,) = scoring.scores(corpus, [Hypothesis(attack.name, attack.lines)], plan)
    except InputError as error:
        (metric,) = plan.metrics
        what = f"{metric.spec} cannot score it: {error.problems[0].what}"
        scoring.problems.note("attack-no-score", what, Place(attack.name))
        return Standing(attack.name, Estimate(None, len(corpus)))
    return _standing(score)


def _standing(score: Score) -> Standing:
    return Standing(score.system, score.estimates[score.main], score.signature)


def _from_elsewhere(
    scores: Sequence[Scores], systems: Sequence[str], made: Sequence[Degenerate], n: int, problems: Problems
) -> list[Landings]:
    """Where degenerate systems land by the tables."""
    metrics: dict[str, MetricScores] = {}
    for given in scores:
        found = [given] if isinstance(given, MetricScores) else read_named_scores(given, problems)
        for each in found:
            if each.metric in metrics:
                what = f"two tables have scores of '{each.metric}'"
                raise UsageError(Problem("meta-same-name", what, fix="name one: name=path"))
            metrics[each.metric] = each
    attacks = [each.name for each in made]
    for name in attacks if metrics else ():
        if name in systems:
            what = f"a system is called '{name}', as one that is made: a table of scores cannot tell them apart"
            raise UsageError(Problem("same-name", what, fix="rename it: name=path"))
    landings = []
    for each in metrics.values():
        for name in (*attacks, *systems):
            if name not in each.systems:
                what = f"{each.metric} has no score of '{name}'"
                place, fix = Place(each.metric), nearest(name, [one for one in each.systems if one not in attacks])
                problems.repairable("attack-missing-score", what, place, "it has no place", hint=fix)
        others = [name for name in each.systems if name not in systems and not is_degenerate(name)]
        measure = Measure("score", each.metric, "number")

        def standing(name: str, known: Mapping[str, float] = each.systems) -> Standing:
            return Standing(name, Estimate(known.get(name), n))

        landings.append(
            land(each.metric, measure, [standing(one) for one in (*systems, *others)], list(map(standing, attacks)))
        )
    problems.raise_errors()
    return landings


def _free(folder: Path, made: Sequence[Degenerate]) -> Path:
    """The folder, if nothing in it would be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(Problem("not-empty", "this is a file", Place(str(folder)), fix="name a new folder"))
    for each in made:
        file = folder / f"{each.name}.txt"
        if file.exists() and file.read_bytes() != "".join(f"{line}\n" for line in each.lines).encode():
            what = "another file of that name is there"
            raise UsageError(Problem("not-empty", what, Place(str(file)), fix="name a new folder"))
    return folder


def _write(folder: Path, made: Sequence[Degenerate]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(folder), "made", error) from None
    for each in made:
        save_lines(each.lines, str(folder / f"{each.name}.txt"))
