"""Runs against stand-off edits, scored by the loop of every metric, and what the paper's tables show of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from errorbar.core.edit import Fragment, edits_record, text_record
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.edits.admission import Admission
from errorbar.edits.standoff_runs import Edits, FragmentReading, say_missing
from errorbar.metrics.base import Metric, Opaque
from errorbar.metrics.folding import MeasuredPiece, PieceOutput, Records, ScoringPlan
from errorbar.metrics.hoo import CONDITIONS, FIGURES, GOLD_NAME, MEASURES, Hoo, measure_name, row_names
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_pieces
from errorbar.stats.resampling import Resampling

_RUN = re.compile(r"(?P<team>.*?)[-_. ]?(?<!\d)(?P<run>\d+)")
MOST_RUNS = 10  # that a team could submit
_ABOVE = 1 + 1e-9  # above 1 beyond the rounding of a mean of fragments; no quotient of counts is that near


class Fragments(MeasuredPiece):
    """A piece of HOO data that has been read; where anything is wrong with it, nothing of it is measured."""

    annotators = (GOLD_NAME,)

    def __init__(self, piece: Opaque) -> None:  # a piece of files, or what was read of it
        self._read: FragmentReading = piece.read()
        self.problems = self._read.problems
        self.reference: Sequence[Fragment] = self._read.gold
        self.n_systems = len(self._read.runs)

    def __len__(self) -> int:
        return len(self.reference)

    def records(self, *, by_type: bool) -> Records:
        """Source texts, gold edits, and their types."""
        gold = self.reference
        types = [" ".join(edit.type for edit in one.edits) for one in gold] if by_type else []
        sources, references = map(text_record, gold), (edits_record(one.name, one.edits) for one in gold)
        return "\n".join(sources), "\n".join(references), "\n".join(types)

    def output(self, system: int, admission: Admission) -> PieceOutput | None:
        """A run's edits."""
        if self.problems.errors:
            return None
        edits = self._read.runs[system]
        records = [edits_record(one.name, own) for one, own in zip(self.reference, edits, strict=True)]
        return PieceOutput(edits, "\n".join(records))


@dataclass(frozen=True, slots=True)
class Run:
    """A run whose pieces are scored."""

    name: str
    problems: Problems
    missing: Sequence[str] = ()  # fragments that it lacks
    missing_as_empty: bool = False

    def finish(self, n_sentences: int) -> None:
        """Say which fragments it lacks."""
        say_missing(self.name, self.missing, self.problems, as_empty=self.missing_as_empty)


def drop_missing_fragments(metrics: Sequence[Hoo]) -> tuple[list[Hoo], bool]:
    """Metrics without what they say of fragments that a run lacks, and whether these are taken for empty.

    Who reads runs goes by it, and signatures have it as a convention of the runs that it is about.

    Raises:
        UsageError: If metrics differ in it.
    """
    if len({metric.missing for metric in metrics}) > 1:
        message = "one metric takes missing fragments for empty, and another refuses them"
        raise UsageError(Problem("two-choices", message, fix="say missing=empty in all"))
    empty = any(metric.missing == "empty" for metric in metrics)
    return [replace(metric, missing="refuse") for metric in metrics], empty


class Prf(NamedTuple):
    """Precision, recall and F of one measure under one condition."""

    precision: Estimate
    recall: Estimate
    f: Estimate


@dataclass(frozen=True, slots=True)
class BestRecall:
    """A cell of tables 9 to 21: a team's best recall of a row of table 8."""

    row: str
    team: str
    measure: str
    recall: float | None  # None: the gold edits have none of the row
    run: str  # the first that has it


def parse_hoo(metric: Metric | str) -> Hoo:
    """Make the metric from its spec, e.g. ``hoo(conventions=hoo2012-tool,case=exact)``.

    Raises:
        UsageError: If the text is no spec of it, or a parameter is unknown or will not do.
    """
    parsed = parse_metric(metric, "fragments")
    if not isinstance(parsed, Hoo):
        message = f"'{parsed.name}' has other figures than those of HOO"
        raise UsageError(Problem("unknown-metric", message, fix=f"--metric={Hoo.name}"))
    return parsed


def hoo_plan(
    metrics: Sequence[Metric], resampling: Resampling | None = None, conventions: tuple[str, ...] = ()
) -> ScoringPlan:
    """How runs are scored: with recall by type, and with the figures of every fragment."""
    return ScoringPlan(
        metrics, by_type=True, by_unit=True, resampling=resampling, conventions=conventions, reading=Fragments
    )


def score_runs(
    gold: Sequence[Fragment],
    runs: Mapping[str, Sequence[Edits]],
    metrics: Sequence[Metric | str],
    problems: Problems,
    *,
    resampling: Resampling | None = None,
    conventions: tuple[str, ...] = (),
) -> list[Score]:
    """Score runs that are in memory, each with its edits of every fragment; runs outermost.

    Raises:
        UsageError: If the resampling is no bootstrap.
        InputError: If a metric needs source texts and a fragment has none.
    """
    piece = FragmentReading(list(gold), list(runs.values()), Problems())
    endings = [Run(name, problems) for name in runs]
    plan = hoo_plan([parse_hoo(metric) for metric in metrics], resampling, conventions)
    scores = score_pieces([piece], endings, plan, problems)
    for score in scores:
        warn_above_1(score, [one.name for one in gold], problems)
    return scores


def prf(score: Score, condition: str, measure: str) -> Prf:
    """The figures of one measure under one condition."""
    return Prf(*(score[measure_name(condition, measure, figure)] for figure in FIGURES))


def warn_above_1(score: Score, fragments: Sequence[str], problems: Problems) -> None:
    """Note where more gold edits are recognized or corrected than are proposed, or more corrections than gold edits.

    Detection cannot exceed 1: what P divides by holds what is detected.
    """
    for measure, (k, figure) in product(MEASURES, enumerate(FIGURES[:2])):
        names = [measure_name(condition, measure, figure) for condition in CONDITIONS]
        units = zip(fragments, score.by_unit, strict=True)
        above = [name for name, unit in units if any(unit.values[each] > _ABOVE for each in names)]
        if any((score[each].value or 0.0) > _ABOVE for each in names):
            above.append("the data set")
        if above:
            places = f"{len(above)} place{'' if len(above) == 1 else 's'}"
            named = f"{', '.join(above[:3])}{', ...' if len(above) > 3 else ''}"
            message = f"{measure} {figure} is above 1 in {places} ({named})"
            fix = f"two {'system' if k else 'gold'} edits met by one {'gold' if k else 'system'} edit count twice"
            problems.note("hoo-above-1", message, Place(score.system), fix=f"{fix}; see docs/design/hoo.md")


def team_of(run: str) -> str:
    """The team of a run: ``UI`` for ``UI0``, ``UI-0`` and ``UI.0``."""
    match = _RUN.fullmatch(run)
    return match["team"] or run if match else run


def best_runs(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> list[tuple[str, str, str, Score]]:
    """Condition, measure, team, and its run with the best F, the first of equal ones; teams as they come.

    Without ``teams`` a run is of the team that its name says.
    """
    of_teams: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        of_teams.setdefault((_team(score, teams), score.metric), []).append(score)
    return [
        (condition, measure, team, max(own, key=lambda score: prf(score, condition, measure).f.value or 0.0))
        for condition, measure, ((team, _), own) in product(CONDITIONS, MEASURES, of_teams.items())
    ]


def best_recalls(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> list[BestRecall]:
    """The best recall of each team in each row and measure: tables 9 to 21; scores are those by row."""
    of_teams: dict[str, list[tuple[str, dict[str, float | None]]]] = {}
    for score in scores:
        recalls = {f"{one.type} {name}": each.value for one in score.by_type for name, each in one.estimates.items()}
        of_teams.setdefault(_team(score, teams), []).append((score.system, recalls))
    cells = []
    for row, (team, runs), measure in product(row_names(), of_teams.items(), MEASURES):
        name = f"{row} {measure}_recall"
        run, best = max(runs, key=lambda pair: pair[1][name] or 0.0)  # the gold edits are those of every run
        cells.append(BestRecall(row, team, measure, best[name], run))
    return cells


def _team(score: Score, teams: Mapping[str, str] | None) -> str:
    return team_of(score.system) if teams is None else teams[score.system]
