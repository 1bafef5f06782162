"""A metric's crash test: what ``errorbar attack`` and ``errorbar.attack`` compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal, Unpack, get_args

from errorbar.api.arguments import CLOSED, Beta, Metrics, Useless, metrics_of, public, resampling, without_intervals
from errorbar.api.inputs import Comparing, Gold, Loaded, ReadingOptions, Systems, load, usual_metric
from errorbar.api.score_result import measure_column
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Estimate, Signature
from errorbar.core.problems import ErrorbarError, InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.core.rankings import MetricScores
from errorbar.edits.admission import Admission
from errorbar.edits.degenerate import KINDS, Degenerate, DegenerateSystems, is_degenerate, make_degenerate
from errorbar.execute import Executor, choose_executor
from errorbar.formats.look import Source
from errorbar.formats.metric_scores import read_named_scores
from errorbar.formats.saving import cannot_write, save_lines
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.stats.resampling import MOST_UNASKED, Method
from errorbar.tables.plain import interval_record
from errorbar.tables.result import Result
from errorbar.tables.shown import cell_text
from errorbar.tables.table import Cell, Column, Table

# Where degenerate systems land among real ones, as a value: records, tables and sentences.


NOTHING = "unchanged"
"""The attack that every sentence begins with."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The estimate of one system under one metric.

    Attributes:
        name: Of the system.
        estimate: Of the measure that ranks.
        signature: None for a score from elsewhere.
    """

    name: str
    estimate: Estimate
    signature: Signature | None = None


@dataclass(frozen=True, slots=True)
class Landing:
    """Where one degenerate system lands under one metric.

    Attributes:
        attack: What it has.
        rank: 1 more than the number of real systems with a better value; None where it has no value.
        beats: How many real systems have a worse value.
        level: How many have the same.
        above: The best of those that it beats, the first of equal ones, or None.
    """

    attack: Standing
    rank: int | None
    beats: int
    level: int
    above: str | None


@dataclass(frozen=True, slots=True)
class Landings:
    """Everything under one metric.

    Attributes:
        metric: Its spec, or the name of one from elsewhere.
        measure: What ranks.
        systems: The real systems, in the order given.
        attacks: The degenerate systems, in the order made.
    """

    metric: str
    measure: Measure
    systems: Sequence[Standing]
    attacks: Sequence[Landing]

    @property
    def n_ranked(self) -> int:
        """Among how many a degenerate system is ranked: the real systems that have a value, and itself."""
        return 1 + sum(each.estimate.value is not None for each in self.systems)

    @property
    def best_first(self) -> list[Landing]:
        """The degenerate systems, the best first; of equal ones the first, and at the end those without a value."""
        known = [each for each in self.attacks if each.attack.estimate.value is not None]
        known.sort(key=lambda each: -self.measure.sign * (each.attack.estimate.value or 0.0))
        return [*known, *(each for each in self.attacks if each.attack.estimate.value is None)]

    @property
    def signature_lines(self) -> list[str]:
        """The signature without the hash of the attacks' own text: one line, or none for scores from elsewhere."""
        signatures = [each.attack.signature for each in self.attacks if each.attack.signature is not None]
        return list(dict.fromkeys(str(replace(each, hypothesis="…")) for each in signatures))

    def __getitem__(self, attack: str) -> Landing:
        return next(each for each in self.attacks if each.attack.name == attack)


def land(metric: str, measure: Measure, systems: Sequence[Standing], attacks: Sequence[Standing]) -> Landings:
    """Place each degenerate system alone among the real ones; real systems without a value take no place."""
    sign = measure.sign
    known = [(sign * each.estimate.value, each.name) for each in systems if each.estimate.value is not None]

    def placed(attack: Standing) -> Landing:
        if attack.estimate.value is None:
            return Landing(attack, None, 0, 0, None)
        own = sign * attack.estimate.value
        worse = [pair for pair in known if pair[0] < own]
        above = max(worse, key=lambda pair: pair[0])[1] if worse else None
        level = sum(value == own for value, _ in known)
        return Landing(attack, 1 + len(known) - len(worse) - level, len(worse), level, above)

    return Landings(metric, measure, tuple(systems), tuple(map(placed, attacks)))


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``11th``."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


@dataclass(frozen=True, slots=True, repr=False)
class Attacked(Result):
    """Where degenerate systems land.

    Attributes:
        attacks: The degenerate systems with their texts.
        left_out: Those that the corpus does not allow: name to reason.
        landings: Where they land, metric by metric.
        n_systems: How many real systems were given.
        notes: Warnings and repairs.
    """

    attacks: Sequence[Degenerate]
    left_out: Mapping[str, str]
    landings: Sequence[Landings]
    n_systems: int
    notes: Sequence[Problem] = ()

    def __getitem__(self, metric: str) -> Landings:
        """The landings under a metric, by its spec or name."""
        return next(each for each in self.landings if each.metric == metric)

    def to_dict(self) -> dict[str, object]:
        """Attacks, those left out, and everything under each metric."""
        return {
            "attacks": [{"name": each.name, "does": each.does, "knows": each.knows} for each in self.attacks],
            "left_out": [{"name": name, "why": why} for name, why in self.left_out.items()],
            "metrics": [self._record(each) for each in self.landings],
        }

    def _record(self, under: Landings) -> dict[str, object]:
        attacks = [
            {
                **_standing_row(each.attack, "attack"),
                **{name: getattr(each, name) for name in ("rank", "beats", "level", "above")},
            }
            for each in under.attacks
        ]
        measure = under.measure
        return {
            "metric": under.metric,
            "measure": {name: getattr(measure, name) for name in ("name", "title", "kind", "better")},
            "n_ranked": under.n_ranked,
            "summary": self.summary(under),
            "attacks": attacks,
            "systems": [_standing_row(each, "system") for each in under.systems],
        }

    def tables(self) -> list[Table]:
        """A table for each metric."""
        return [self.table(under, f"attacks{k or ''}") for k, under in enumerate(self.landings)]

    def table(self, under: Landings, name: str, *, told: bool = False) -> Table:
        """The degenerate systems, the best first; ``told``: with what each does for people too."""
        by_name = {each.name: each for each in self.attacks}
        alone = under.n_ranked == 1
        columns = [
            Column("attack"),
            Column("metric", only="data"),
            Column("what it does", key="does", only="" if told else "data"),
            Column("knows", only="data"),
            measure_column(under.measure),
            *([] if alone else [Column("rank", key="place", only="shown")]),
            Column("rank", "count", only="data"),
            Column("of", "count", key="n_ranked", only="data"),
            Column("beats", "count", only="data" if alone else ""),
            Column(
                "level with", "count", key="level", only="" if any(each.level for each in under.attacks) else "data"
            ),
            Column("best beaten", key="above", only="data" if alone else ""),
            Column("signature", only="data"),
        ]
        rows: list[list[Cell]] = [
            [
                *(each.attack.name, under.metric, by_name[each.attack.name].does, by_name[each.attack.name].knows),
                each.attack.estimate,
                *([] if alone else [placed(each, under)]),
                *(each.rank, under.n_ranked, each.beats, each.level, each.above),
                None if each.attack.signature is None else str(each.attack.signature),
            ]
            for each in under.best_first
        ]
        notes = [self.summary(under), *(f"no {name}: {why}" for name, why in self.left_out.items())]
        if any(each.attack.estimate.interval for each in under.attacks):
            notes.append("intervals: other texts, these judges; no rank rests on them")
        notes += [f"signature {line}" for line in under.signature_lines]
        return Table(columns, rows, f"Attacks under {under.metric}", name, notes)

    def summaries(self) -> list[str]:
        """A sentence for each metric."""
        return [self.summary(under) for under in self.landings]

    def summary(self, under: Landings) -> str:
        """Where a system lands that does nothing, and the best of the others that know nothing of the references."""
        by_name = {each.name: each for each in self.attacks}
        order = under.best_first
        title = "" if under.measure.title == under.metric else f" ({under.measure.title})"
        if not order:
            return f"Under {under.metric}{title}, there is no attack."
        first = next((each for each in order if each.attack.name == NOTHING), order[0])
        line = f"Under {under.metric}{title}, a system that {by_name[first.attack.name].does} {_lands(first, under)}"
        blind = [each for each in order if by_name[each.attack.name].knows == "nothing" and each is not first]
        if blind and blind[0].attack.estimate.value is not None:
            best = blind[0]
            where = placed(best, under) if under.n_ranked > 1 else f"with {_value(best, under)}"
            line += f"; of the others that see no reference, {best.attack.name} comes highest, {where}"
        return f"{line}."


def placed(landing: Landing, under: Landings) -> str:
    """``9th of 13``; a dash where there is no value."""
    return "–" if landing.rank is None else f"{ordinal(landing.rank)} of {under.n_ranked:,}"


def _lands(landing: Landing, under: Landings) -> str:
    if landing.rank is None:
        return f"has no {under.measure.title}"
    if under.n_ranked == 1:
        return f"scores {_value(landing, under)}"
    own = landing.attack.estimate.value
    level = [each.name for each in under.systems if each.estimate.value == own]
    tied = {0: "", 1: f", level with {''.join(level)}"}.get(len(level), f", level with {len(level)} systems")
    return f"ranks {placed(landing, under)}{tied}"


def _value(landing: Landing, under: Landings) -> str:
    return cell_text(landing.attack.estimate.value, Column("", under.measure.kind))


def _standing_row(standing: Standing, name: str) -> dict[str, object]:
    estimate = standing.estimate
    asked = estimate.interval is not None or estimate.no_interval is not None
    return {
        name: standing.name,
        "value": estimate.value,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate) if asked else None,
        "signature": None if standing.signature is None else str(standing.signature),
    }


Kind = Literal[
    "unchanged", "empty", "no-function-words", "shuffled", "hard-deleted", "pasted", "by-rote", "concatenated"
]
Scores = Source | MetricScores
QUICK: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind not in ("shuffled", "concatenated"))
"""Kinds that a report looks at: lines with hardly a word of the source's in its place take M2 seconds."""
NEEDS_EDITS = ("no-errant", "missing-extra")
"""Codes of errors of metrics that make edits of texts, where what makes them is not installed."""


@public(
    Useless(
        "ci ci_method resamples confidence jobs as_written",
        "is about a --metric, and there is none beside --scores",
        lambda arguments: bool(arguments["scores"]) and not arguments["metric"] and arguments["beta"] is None,
        fix="add --metric, or leave it out",
    ),
    without_intervals("ci_method resamples confidence"),
    CLOSED,
)
def attack(
    gold: Gold,
    systems: Systems = (),
    metric: Metrics = None,
    *,
    beta: Beta = None,
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
        systems: The real systems, as for ``score``; there may be none. The output of the first is what is shuffled.
        metric: What to test, e.g. ``m2(beta=1)`` (short: ``beta`` 1). None: m2, or none beside ``scores``.
        only: Make this attack only. Empty: all.
        scores: Table of scores that another metric gave the attacks and systems, as errorbar meta reads it; name=FILE
            names the metric. The tables (system, score, maybe metric and sentence) must have every system that is made
            and every real one; others that they have are real systems too, unless they are called as one that can be
            made. Higher is better.
        write: Write the attacks' texts there, for a metric from elsewhere to score. Each is a file, such as
            ``unchanged.txt``.
        ci_method: Bootstrap of documents (of sentences where no documents are known), or closed formulas.
        shared: How files are read and intervals made.

    Returns:
        The systems that were made, and where they land under each metric.

    Raises:
        InputError: If a file is bad, a real system is no correction of the source, or a table lacks a system.
        UsageError: If an argument will not do.
    """
    score_tables = [scores] if isinstance(scores, str | PathLike | MetricScores) else list(scores)
    unasked = not metric and beta is None
    parsed = [] if score_tables and unasked else metrics_of(usual_metric(gold, metric), beta, "sentences")
    data = load(gold, systems, ReadingOptions.of(shared, parsed))
    kinds: list[str] = [only] if isinstance(only, str) else [*only] or [*KINDS]
    problems, ci = data.problems, shared["ci"]
    problems.raise_errors()
    first = next(((each.name, each.lines) for each in data.systems), None)
    degenerate = make_degenerate(data.corpus, kinds, output=first, seed=shared["seed"])
    _note_overlaps(degenerate, problems)
    folder = None if write is None else _free(Path(write), degenerate.systems)
    how = None if ci is False else resampling(shared, ci_method, shared["jobs"])
    plan = ScoringPlan(parsed, resampling=how, conventions=data.conventions, most=MOST_UNASKED if ci is None else None)
    outside = _from_elsewhere(
        score_tables, [each.name for each in data.systems], degenerate.systems, len(data.corpus), problems
    )
    with choose_executor(shared["jobs"]) as executor:
        landings = land_attacks(data.corpus, data.systems, degenerate.systems, AttackScoring(plan, problems, executor))
    if folder is not None:
        _write(folder, degenerate.systems)
    return Attacked(
        degenerate.systems, degenerate.left_out, [*landings, *outside], len(data.systems), tuple(problems.notes)
    )


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
    degenerate = make_degenerate(data.corpus, QUICK)
    _note_overlaps(degenerate, data.problems)
    landings = []
    for metric in metrics:
        scoring = AttackScoring(ScoringPlan([metric], conventions=data.conventions), data.problems)
        try:
            landings += land_attacks(data.corpus, data.systems, degenerate.systems, scoring, known)
        except ErrorbarError as error:
            if error.code not in NEEDS_EDITS:
                raise
            message = f"no attack on {metric.spec}: {error.problems[0].what}"
            data.problems.note("attack-no-score", message, Place(""), fix=error.problems[0].fix)
    return Attacked(degenerate.systems, degenerate.left_out, landings, len(data.systems)) if landings else None


def _note_overlaps(made: DegenerateSystems, problems: Problems) -> None:
    message = f"edits of annotators that overlap others and were left out: {made.n_overlaps}"
    if made.n_overlaps and all(note.what != message for note in problems.notes):
        problems.note("apply-overlap", message, Place(""), fix="errorbar check names them")


@dataclass(frozen=True, slots=True)
class AttackScoring:
    """How systems are scored, where notes go, and who works."""

    plan: ScoringPlan
    problems: Problems
    executor: Executor | None = None

    def scores(self, corpus: Corpus, systems: Sequence[Hypothesis], plan: ScoringPlan) -> list[Score]:
        """Scores of systems; what others have noted already is not noted again."""
        own = Problems()
        scores = score_corpus(corpus, systems, plan, own, executor=self.executor)
        known = {(note.code, note.what) for note in self.problems.notes}
        self.problems.take(note for note in own.notes if (note.code, note.what) not in known)
        return scores


def land_attacks(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    made: Sequence[Degenerate],
    scoring: AttackScoring,
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
    landings = []
    for metric in scoring.plan.metrics:
        spec, plan = str(metric.spec), replace(silent, metrics=[metric])
        real = (known or {}).get(spec)
        if real is None:
            real = scoring.scores(corpus, systems, plan) if systems else []
        attacks = [_score(corpus, each, plan, scoring) for each in made]
        measure = metric.measures[metric.main]
        landings.append(land(spec, measure, [_standing_of(each) for each in real], attacks))
    return landings


def _score(corpus: Corpus, attack: Degenerate, plan: ScoringPlan, scoring: AttackScoring) -> Standing:
    try:
        (score,) = scoring.scores(corpus, [Hypothesis(attack.name, attack.lines)], plan)
    except InputError as error:
        (metric,) = plan.metrics
        message = f"{metric.spec} cannot score it: {error.problems[0].what}"
        scoring.problems.note("attack-no-score", message, Place(attack.name))
        return Standing(attack.name, Estimate(None, len(corpus)))
    return _standing_of(score)


def _standing_of(score: Score) -> Standing:
    return Standing(score.system, score.estimates[score.main], score.signature)


def _from_elsewhere(
    scores: Sequence[Scores], systems: Sequence[str], made: Sequence[Degenerate], n: int, problems: Problems
) -> list[Landings]:
    """Where degenerate systems land by the tables."""
    metrics: dict[str, MetricScores] = {}
    for table in scores:
        tables = [table] if isinstance(table, MetricScores) else read_named_scores(table, problems)
        for each in tables:
            if each.metric in metrics:
                message = f"two tables have scores of '{each.metric}'"
                raise UsageError(Problem("meta-same-name", message, fix="name one: name=path"))
            metrics[each.metric] = each
    attacks = [each.name for each in made]
    for name in attacks if metrics else ():
        if name in systems:
            message = f"a system is called '{name}', as one that is made: a table of scores cannot tell them apart"
            raise UsageError(Problem("same-name", message, fix="rename it: name=path"))
    landings = []
    for each in metrics.values():
        for name in (*attacks, *systems):
            if name not in each.systems:
                message = f"{each.metric} has no score of '{name}'"
                place, fix = Place(each.metric), nearest(name, [one for one in each.systems if one not in attacks])
                problems.repairable("attack-missing-score", message, place, "it has no place", hint=fix)
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
            message = "another file of that name is there"
            raise UsageError(Problem("not-empty", message, Place(str(file)), fix="name a new folder"))
    return folder


def _write(folder: Path, made: Sequence[Degenerate]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(folder), "made", error) from None
    for each in made:
        save_lines(each.lines, str(folder / f"{each.name}.txt"))
