"""A crash test of metrics, degenerate systems ranked among real ones: ``errorbar attack`` and ``errorbar.attack``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal, Unpack, get_args

from errorbar.api.arguments import (
    CLOSED,
    Beta,
    Metrics,
    Useless,
    metrics_of,
    public,
    refuse_without_intervals,
    resampling,
)
from errorbar.api.inputs import Comparing, Gold, Loaded, ReadingOptions, Systems, load, usual_metric
from errorbar.api.recorded_scores import read_tables
from errorbar.api.score_result import measure_column
from errorbar.core.corpus import Hypothesis
from errorbar.core.estimate import MOST_UNASKED, Estimate, Method, Signature
from errorbar.core.problems import ErrorbarError, InputError, Place, Problem, Problems, UsageError, nearest, pick
from errorbar.core.rankings import MetricScores
from errorbar.edits.admission import Admission
from errorbar.edits.degenerate import KINDS, Degenerate, DegenerateSystems, is_degenerate, make_degenerate
from errorbar.execute import Executor, choose_executor
from errorbar.formats.look import Source
from errorbar.formats.saving import cannot_write, save_lines
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.tables.plain import as_text, attributes, estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table, cell_text

NOTHING = "unchanged"
"""The attack that every sentence begins with."""


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """The estimate of one system under one metric."""

    name: str  # of the system
    estimate: Estimate  # of the measure that ranks
    signature: Signature | None = None  # None for a score from elsewhere


@dataclass(frozen=True, slots=True)
class AttackRank:
    """The rank of one degenerate system among the real ones under one metric."""

    attack: SystemEstimate  # its estimate
    rank: int | None  # 1 more than the number of real systems with a better value; None where it has no value
    beats: int  # how many real systems have a worse value
    level: int  # how many have the same
    above: str | None  # the best of those that it beats, the first of equal ones, or None


@dataclass(frozen=True, slots=True)
class AttackRanking:
    """Real and degenerate systems under one metric."""

    metric: str  # its spec, or the name of one from elsewhere
    measure: Measure  # what ranks
    systems: Sequence[SystemEstimate]  # the real systems, in the order given
    attacks: Sequence[AttackRank]  # the degenerate systems, in the order made

    @property
    def n_ranked(self) -> int:
        """The number of systems that a degenerate one is ranked among: the real ones with a value, and itself."""
        return 1 + sum(system.estimate.value is not None for system in self.systems)

    @property
    def best_first(self) -> list[AttackRank]:
        """The degenerate systems, the best first; of equal ones the first, and at the end those without a value."""

        def key(ranked: AttackRank) -> tuple[bool, float]:
            value = ranked.attack.estimate.value
            return value is None, -self.measure.sign * (value or 0.0)

        return sorted(self.attacks, key=key)

    @property
    def signature_lines(self) -> list[str]:
        """The signature without the hash of the attacks' own text: one line, or none for scores from elsewhere."""
        signatures = [ranked.attack.signature for ranked in self.attacks if ranked.attack.signature is not None]
        return list(dict.fromkeys(str(signature._replace(hypothesis="…")) for signature in signatures))

    def __getitem__(self, attack: str) -> AttackRank:
        """The rank of an attack, by its name; a ``UsageError`` names those that there are."""
        return pick(attack, {ranked.attack.name: ranked for ranked in self.attacks}, "attack", "unknown-system")


def rank_attacks(
    metric: str, measure: Measure, systems: Sequence[SystemEstimate], attacks: Sequence[SystemEstimate]
) -> AttackRanking:
    """Place each degenerate system alone among the real ones; real systems without a value take no place."""
    sign = measure.sign
    known = [(sign * system.estimate.value, system.name) for system in systems if system.estimate.value is not None]

    def rank_attack(attack: SystemEstimate) -> AttackRank:
        if attack.estimate.value is None:
            return AttackRank(attack, None, 0, 0, None)
        own = sign * attack.estimate.value
        worse = [pair for pair in known if pair[0] < own]
        above = max(worse, key=lambda pair: pair[0])[1] if worse else None
        level = sum(value == own for value, _ in known)
        return AttackRank(attack, 1 + len(known) - len(worse) - level, len(worse), level, above)

    return AttackRanking(metric, measure, tuple(systems), tuple(map(rank_attack, attacks)))


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``11th``."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


@dataclass(frozen=True, slots=True, repr=False)
class AttackResult(Result):
    """Degenerate systems and their ranks among real ones.

    Attributes:
        attacks: The degenerate systems with their texts.
        left_out: Those that the corpus does not allow: name to reason.
        rankings: Their ranks, metric by metric.
        n_systems: How many real systems were given.
        notes: Warnings and repairs.
    """

    attacks: Sequence[Degenerate]
    left_out: Mapping[str, str]
    rankings: Sequence[AttackRanking]
    n_systems: int
    notes: Sequence[Problem] = ()

    def __getitem__(self, metric: str) -> AttackRanking:
        """The ranks under a metric, by its spec or name; a ``UsageError`` names those that there are."""
        return pick(metric, {ranking.metric: ranking for ranking in self.rankings}, "metric", "unknown-metric")

    def to_dict(self) -> dict[str, object]:
        """Attacks, those left out, and everything under each metric."""
        return {
            "attacks": [attributes(attack, "name", "does", "knows") for attack in self.attacks],
            "left_out": [{"name": name, "why": why} for name, why in self.left_out.items()],
            "metrics": [self._record(ranking) for ranking in self.rankings],
        }

    def _record(self, ranking: AttackRanking) -> dict[str, object]:
        return {
            "metric": ranking.metric,
            "measure": attributes(ranking.measure, "name", "title", "kind", "better"),
            "n_ranked": ranking.n_ranked,
            "summary": self.summary(ranking),
            "attacks": [
                _estimate_record(ranked.attack, "attack") | attributes(ranked, "rank", "beats", "level", "above")
                for ranked in ranking.attacks
            ],
            "systems": [_estimate_record(system, "system") for system in ranking.systems],
        }

    def tables(self) -> list[Table]:
        """A table for each metric."""
        return [self.table(ranking, f"attacks{k or ''}") for k, ranking in enumerate(self.rankings)]

    def table(self, ranking: AttackRanking, name: str, *, described: bool = False) -> Table:
        """The degenerate systems, the best first; ``described``: what each does is shown to people too."""
        by_name = {attack.name: attack for attack in self.attacks}
        only: Literal["", "data"] = "data" if ranking.n_ranked == 1 else ""
        tied = any(ranked.level for ranked in ranking.attacks)
        columns = [
            Column("attack"),
            Column("metric", only="data"),
            Column("what it does", key="does", only="" if described else "data"),
            Column("knows", only="data"),
            measure_column(ranking.measure),
            *([] if only else [Column("rank", key="place", only="shown")]),
            Column("rank", "count", only="data"),
            Column("of", "count", key="n_ranked", only="data"),
            Column("beats", "count", only=only),
            Column("level with", "count", key="level", only="" if tied else "data"),
            Column("best beaten", key="above", only=only),
            Column("signature", only="data"),
        ]
        rows: list[list[Cell]] = [
            [
                *(own.name, ranking.metric, by_name[own.name].does, by_name[own.name].knows, own.estimate),
                *([] if only else [rank_text(ranked, ranking)]),
                *(ranked.rank, ranking.n_ranked, ranked.beats, ranked.level, ranked.above),
                as_text(own.signature),
            ]
            for ranked in ranking.best_first
            for own in [ranked.attack]
        ]
        notes = [self.summary(ranking), *(f"no {name}: {why}" for name, why in self.left_out.items())]
        if any(ranked.attack.estimate.interval for ranked in ranking.attacks):
            notes.append("intervals: other texts, these judges; no rank rests on them")
        notes += [f"signature {line}" for line in ranking.signature_lines]
        return Table(columns, rows, f"Attacks under {ranking.metric}", name, notes)

    def summaries(self) -> list[str]:
        """A sentence for each metric."""
        return [self.summary(ranking) for ranking in self.rankings]

    def summary(self, ranking: AttackRanking) -> str:
        """The rank of a system that does nothing, and the best of the others that know nothing of the references."""
        by_name = {attack.name: attack for attack in self.attacks}
        order = ranking.best_first
        title = "" if ranking.measure.title == ranking.metric else f" ({ranking.measure.title})"
        if not order:
            return f"Under {ranking.metric}{title}, there is no attack."
        first = next((ranked for ranked in order if ranked.attack.name == NOTHING), order[0])
        line = f"Under {ranking.metric}{title}, a system that {by_name[first.attack.name].does} "
        line += _describe_rank(first, ranking)
        blind = [ranked for ranked in order if by_name[ranked.attack.name].knows == "nothing" and ranked is not first]
        if blind and blind[0].attack.estimate.value is not None:
            best = blind[0]
            where = rank_text(best, ranking) if ranking.n_ranked > 1 else f"with {_value(best, ranking)}"
            line += f"; of the others that see no reference, {best.attack.name} comes highest, {where}"
        return f"{line}."


def rank_text(ranked: AttackRank, ranking: AttackRanking) -> str:
    """``9th of 13``; a dash where there is no value."""
    return "–" if ranked.rank is None else f"{ordinal(ranked.rank)} of {ranking.n_ranked:,}"


def _describe_rank(ranked: AttackRank, ranking: AttackRanking) -> str:
    if ranked.rank is None:
        return f"has no {ranking.measure.title}"
    if ranking.n_ranked == 1:
        return f"scores {_value(ranked, ranking)}"
    own = ranked.attack.estimate.value
    level = [system.name for system in ranking.systems if system.estimate.value == own]
    tied = {0: "", 1: f", level with {''.join(level)}"}.get(len(level), f", level with {len(level)} systems")
    return f"ranks {rank_text(ranked, ranking)}{tied}"


def _value(ranked: AttackRank, ranking: AttackRanking) -> str:
    return cell_text(ranked.attack.estimate.value, Column("", ranking.measure.kind))


def _estimate_record(system: SystemEstimate, name: str) -> dict[str, object]:
    record = estimate_record(system.estimate)
    values = {key: record[key] for key in ("value", "undefined", "interval")}
    return {name: system.name, **values, "signature": as_text(system.signature)}


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
    refuse_without_intervals("ci_method resamples confidence"),
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
) -> AttackResult:
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
        The systems that were made, and their ranks under each metric.

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
    first = next(((system.name, system.lines) for system in data.systems), None)
    degenerate = make_degenerate(data.corpus, kinds, output=first, seed=shared["seed"])
    _note_overlaps(degenerate, problems)
    if write is not None:
        _refuse_overwriting(Path(write), degenerate.systems)
    how = None if ci is False else resampling(shared, ci_method, shared["jobs"])
    plan = ScoringPlan(parsed, resampling=how, conventions=data.conventions, most=MOST_UNASKED if ci is None else None)
    recorded = _rank_by_tables(score_tables, data, degenerate.systems)
    with choose_executor(shared["jobs"]) as executor:
        rankings = [*_rank_by_metrics(data, degenerate.systems, plan, executor=executor), *recorded]
    if write is not None:
        _write(Path(write), degenerate.systems)
    return AttackResult(degenerate.systems, degenerate.left_out, rankings, len(data.systems), tuple(problems.notes))


def attack_for_report(
    data: Loaded, metrics: Sequence[Metric], known: Mapping[str, Sequence[Score]]
) -> AttackResult | None:
    """Rank attacks under the metrics of a report: as ``attack``, without intervals, which take their time.

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
    rankings = []
    for metric in metrics:
        plan = ScoringPlan([metric], conventions=data.conventions)
        try:
            rankings += _rank_by_metrics(data, degenerate.systems, plan, known)
        except ErrorbarError as error:
            if error.code not in NEEDS_EDITS:
                raise
            message = f"no attack on {metric.spec}: {error.problems[0].what}"
            data.problems.note("attack-no-score", message, Place(""), fix=error.problems[0].fix)
    return AttackResult(degenerate.systems, degenerate.left_out, rankings, len(data.systems)) if rankings else None


def _note_overlaps(degenerate: DegenerateSystems, problems: Problems) -> None:
    message = f"edits of annotators that overlap others and were left out: {degenerate.n_overlaps}"
    if degenerate.n_overlaps and all(note.what != message for note in problems.notes):
        problems.note("apply-overlap", message, Place(""), fix="errorbar check names them")


def _rank_by_metrics(
    data: Loaded,
    degenerate: Sequence[Degenerate],
    plan: ScoringPlan,
    known: Mapping[str, Sequence[Score]] | None = None,
    executor: Executor | None = None,
) -> list[AttackRanking]:
    """Score real and degenerate systems and rank these among those; real ones that are not ``known``, by spec.

    A text that a metric refuses, e.g. because a pair is too large for it, has no value, and a note says why.
    """

    def score(systems: Sequence[Hypothesis], metric: Metric, unsaid: str = "") -> list[SystemEstimate]:
        own = Problems()
        silent = replace(plan, metrics=[metric], admission=Admission(silent=True))
        scores = score_corpus(data.corpus, systems, silent, own, executor=executor)
        noted = {(note.code, note.what) for note in data.problems.notes}
        data.problems.take(note for note in own.notes if note.code != unsaid and (note.code, note.what) not in noted)
        return [*map(_estimate_of, scores)]

    def score_attack(attack: Degenerate, metric: Metric) -> SystemEstimate:
        try:
            # Nobody expects the types of annotators in a text that was emptied.
            return score([Hypothesis(attack.name, attack.lines)], metric, unsaid="types-differ")[0]
        except InputError as error:
            message = f"{metric.spec} cannot score it: {error.problems[0].what}"
            data.problems.note("attack-no-score", message, Place(attack.name))
            return SystemEstimate(attack.name, Estimate(None, len(data.corpus)))

    rankings = []
    for metric in plan.metrics:
        scores = (known or {}).get(str(metric.spec))
        systems = (
            [*map(_estimate_of, scores)] if scores is not None else score(data.systems, metric) if data.systems else []
        )
        attacks = [score_attack(attack, metric) for attack in degenerate]
        rankings.append(rank_attacks(str(metric.spec), metric.measures[metric.main], systems, attacks))
    return rankings


def _estimate_of(score: Score) -> SystemEstimate:
    return SystemEstimate(score.system, score.estimate, score.signature)


def _rank_by_tables(scores: Sequence[Scores], data: Loaded, degenerate: Sequence[Degenerate]) -> list[AttackRanking]:
    problems = data.problems
    by_metric: dict[str, MetricScores] = {}
    for source in scores:
        for table in read_tables(source, problems):
            if table.metric in by_metric:
                message = f"two tables have scores of '{table.metric}'"
                raise UsageError(Problem("meta-same-name", message, fix="name one: name=path"))
            by_metric[table.metric] = table
    systems, attacks = [system.name for system in data.systems], [attack.name for attack in degenerate]
    for name in attacks if by_metric else ():
        if name in systems:
            message = f"a system is called '{name}', as one that is made: a table of scores cannot tell them apart"
            raise UsageError(Problem("same-name", message, fix="rename it: name=path"))
    rankings = []
    for metric, table in by_metric.items():
        others = [name for name in table.systems if name not in systems and not is_degenerate(name)]
        estimates = {
            name: SystemEstimate(name, Estimate(table.systems.get(name), len(data.corpus)))
            for name in (*attacks, *systems, *others)
        }
        for name in (*attacks, *systems):
            if name not in table.systems:
                hint = nearest(name, [system for system in table.systems if system not in attacks])
                message = f"{metric} has no score of '{name}'"
                problems.repairable("attack-missing-score", message, Place(metric), "it has no place", hint=hint)
        real = [estimates[name] for name in (*systems, *others)]
        made_up = [estimates[name] for name in attacks]
        rankings.append(rank_attacks(metric, Measure("score", metric, "number"), real, made_up))
    problems.raise_errors()
    return rankings


def _refuse_overwriting(folder: Path, degenerate: Sequence[Degenerate]) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(Problem("not-empty", "this is a file", Place(str(folder)), fix="name a new folder"))
    for attack in degenerate:
        file = folder / f"{attack.name}.txt"
        if file.exists() and file.read_bytes() != "".join(f"{line}\n" for line in attack.lines).encode():
            message = "another file of that name is there"
            raise UsageError(Problem("not-empty", message, Place(str(file)), fix="name a new folder"))


def _write(folder: Path, degenerate: Sequence[Degenerate]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(folder), "made", error) from None
    for attack in degenerate:
        save_lines(attack.lines, str(folder / f"{attack.name}.txt"))
