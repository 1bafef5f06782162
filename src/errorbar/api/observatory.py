"""Metrics against every human ranking at hand: ``errorbar meta --all`` and ``errorbar.observe``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.api.arguments import Bounds, public
from errorbar.api.inputs import ReadingOptions, usual_metric
from errorbar.api.meta import Outputs, RecordedScores, aggregate_source, read_human, read_scores
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Interval
from errorbar.core.labels import whole_number
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.formats import toml_tables as toml
from errorbar.formats.toml_tables import Field, TomlTable, read_toml
from errorbar.metrics.registry import parse_metrics
from errorbar.ranking.metric_agreement import JudgedPairs, common_systems, human_scores, plain_scores
from errorbar.ranking.observatory import Claim, Observed, Statistic, Variation, View, observe_metrics
from errorbar.ranking.sentence_wins import Aggregation
from errorbar.ranking.wins import count, expected_wins
from errorbar.tables.plain import attributes, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

KIND = "ranking-file"
STRETCHES = 10
"""Into so many the text is cut, of which one is left out at a time."""
TITLES: Mapping[Statistic, str] = {"pearson": "Pearson", "spa": "SPA"}
ALL = "all systems"


@dataclass(frozen=True, slots=True)
class RankingEntry:
    """One human ranking, and what is compared with it."""

    name: str
    human: Path
    gold: tuple[Path, ...]
    systems: tuple[Path, ...]
    metrics: tuple[str, ...]
    scores: tuple[Path, ...]
    aggregate: tuple[Aggregation, ...]
    first_sentence: int
    subsets: Mapping[str, tuple[str, ...]]
    window: int
    place: Place


@dataclass(frozen=True, slots=True)
class ObservedRanking:
    """Metrics against one human ranking, over one subset of its systems."""

    ranking: str
    subset: str
    systems: tuple[str, ...]
    observed: Observed


@dataclass(frozen=True, slots=True, repr=False)
class Observatory(Result):
    """How metrics agree with human rankings, and which claims about metrics hold.

    Attributes:
        rankings: Each ranking over all systems, over each subset and each window of neighbors.
        alpha: Level of the claims.
        notes: Warnings and repairs.
    """

    rankings: Sequence[ObservedRanking]
    alpha: float
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Everything."""
        return {"alpha": self.alpha, "rankings": [_record(ranking, self.alpha) for ranking in self.rankings]}

    def tables(self) -> list[Table]:
        """A row for each metric of each ranking; then the claims that hold."""
        return [self.agreement_table(), self.claim_table()]

    def agreement_table(self) -> Table:
        """A row for each ranking, subset and metric."""
        rows: list[list[Cell]] = []
        for ranking in self.rankings:
            observed = ranking.observed
            for at, metric in enumerate(observed.metrics):
                row: list[Cell] = [ranking.ranking, ranking.subset, len(ranking.systems), metric]
                for statistic in TITLES:
                    estimates = observed.agreements.get(statistic)
                    row.append(None if estimates is None else estimates[at])
                rows.append(row)
        columns = [Column("ranking"), Column("subset"), Column("n", "count"), Column("metric")]
        columns += [Column(title, "number", key, 3, "beside") for key, title in TITLES.items()]
        notes = ["intervals over other systems, texts and judges, as far as a ranking tells of them"]
        return Table(columns, rows, "Metrics and human rankings", "agreements", notes)

    def claim_table(self) -> Table:
        """A row for each claim that holds."""
        rows: list[list[Cell]] = []
        n_claims = 0
        for ranking in self.rankings:
            n_claims += len(ranking.observed.claims)
            for claim in ranking.observed.claims:
                if claim.survives(self.alpha):
                    p = [claim.p_values.get(source) for source in ("systems", "texts", "judges")]
                    where = [ranking.ranking, ranking.subset, claim.first, claim.second, TITLES[claim.statistic]]
                    rows.append([*where, claim.difference, *p, claim.adjusted])
        columns = [Column(title) for title in ("ranking", "subset", "better", "worse", "by")]
        columns += [Column("difference", "number", digits=3, signed=True)]
        columns += [Column(f"p {source}", "p", f"p_{source}") for source in ("systems", "texts", "judges")]
        columns += [Column("adjusted p", "p", "p")]
        notes = [
            f"{len(rows)} of {n_claims} claims 'the one agrees better than the other' hold at {self.alpha:g} for other "
            "systems, texts and judges together; p adjusted for the pairs of metrics (Holm)"
        ]
        return Table(columns, rows, "Claims that hold", "claims", notes)


def _record(ranking: ObservedRanking, alpha: float) -> dict[str, object]:
    observed = ranking.observed
    return {
        **attributes(ranking, "ranking", "subset"),
        "systems": [*ranking.systems],
        "metrics": [
            {
                "metric": metric,
                **{
                    statistic: {
                        **value_record(estimates[at]),
                        "over": {
                            source: _ends(intervals[at]) for source, intervals in observed.alone[statistic].items()
                        },
                    }
                    for statistic, estimates in observed.agreements.items()
                },
            }
            for at, metric in enumerate(observed.metrics)
        ],
        "claims": [_claim_record(claim, alpha) for claim in observed.claims],
    }


def _ends(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"low": interval.low, "high": interval.high}


def _claim_record(claim: Claim, alpha: float) -> dict[str, object]:
    facts = attributes(claim, "first", "second", "statistic", "difference", "p", "adjusted")
    return {**facts, "p_values": dict(claim.p_values), "survives": claim.survives(alpha)}


@public()
def observe(
    rankings: str | PathLike[str],
    *,
    confidence: Annotated[float, Bounds(0.5, 1)] = 0.95,
    seed: int = 0,
    lenient: bool = False,
) -> Observatory:
    """Tell how metrics agree with every human ranking that a file lists, and which claims about metrics hold.

    Args:
        rankings: TOML with a table [[ranking]] for each: name, human, and gold, systems and metrics, or scores; maybe
            aggregate, first_sentence, window, and [ranking.subsets] of systems by name.
        confidence: Confidence of intervals; claims have the level 1 less it.
        seed: Seed of everything random.
        lenient: Repair faults of the input where that is possible and report each repair, or stop at them.

    Raises:
        InputError: If a file is bad, or humans and metrics do not speak of the same systems.
        UsageError: If two metrics have one name.
    """
    problems = Problems(lenient=lenient)
    observed: list[ObservedRanking] = []
    for entry in _read_entries(Path(rankings), problems):
        observed += _observe_entry(entry, problems, confidence, seed)
    return Observatory(observed, round(1 - confidence, 12), tuple(problems.notes))


def _read_entries(path: Path, problems: Problems) -> list[RankingEntry]:
    file = read_toml(path, problems, KIND)
    top = TomlTable(file.document, file)
    top.only(("ranking",))
    entries = [_read_entry(table) for table in top.each("ranking")]
    names = [entry.name for entry in entries]
    for entry in entries:
        if names.count(entry.name) > 1:
            problems.error(f"{KIND}-value", f"two rankings are called '{entry.name}'", entry.place, "another name")
    if not entries and not problems.errors:
        top.error(f"{KIND}-value", "no ranking is listed", expected="[[ranking]]")
    problems.raise_errors()
    return entries


def _read_entry(table: TomlTable) -> RankingEntry:
    ways: tuple[str, ...] = get_args(Aggregation)
    fields = {
        "name": Field(toml.name, "", required=True),
        "human": Field(toml.path, None, required=True),
        "gold": Field(toml.paths, ()),
        "systems": Field(toml.paths, ()),
        "metrics": Field(toml.texts, ()),
        "scores": Field(toml.paths, ()),
        "aggregate": Field(toml.texts, ways[:1]),
        "first_sentence": Field(toml.whole_or_zero, 1),
        "window": Field(toml.whole_or_zero, 0),
        "subsets": Field(toml.raw, {}),
    }
    values = table.read(fields)
    for way in values["aggregate"]:
        if way not in ways:
            table.error(f"{KIND}-value", f"aggregate has '{way}'", "aggregate", expected=", ".join(ways))
    subsets = values["subsets"]
    if not isinstance(subsets, dict) or not all(toml.is_list(systems) for systems in subsets.values()):
        table.error(f"{KIND}-value", "subsets must name lists of systems", "subsets", expected='NAME = ["A", "B", ...]')
        subsets = {}
    for key in ("systems", "metrics"):
        if values[key] and not values["gold"]:
            table.error(f"{KIND}-value", f"{key} are given, and no gold to score with", key, expected="gold")
    if not values["aggregate"]:
        table.error(f"{KIND}-value", "aggregate is empty", "aggregate", expected=", ".join(ways))
    if not values["scores"] and not (values["gold"] and values["systems"]):
        message = f"the ranking '{values['name']}' has no metric"
        table.error(f"{KIND}-value", message, "name", expected="gold and systems, or scores")
    named: dict[str, Any] = values | {"subsets": {name: tuple(systems) for name, systems in subsets.items()}}
    return RankingEntry(**named, place=table.place("name"))


def _observe_entry(entry: RankingEntry, problems: Problems, confidence: float, seed: int) -> list[ObservedRanking]:
    human = read_human(entry.human, problems)
    compared = read_scores([*map(str, entry.scores)], (), entry.first_sentence, problems)
    if entry.gold:
        metrics = parse_metrics(usual_metric(list(entry.gold), list(entry.metrics) or None), "sentences")
        reading = ReadingOptions(lenient=problems.lenient).for_metrics(metrics)
        systems = [path for place in entry.systems for path in (_visible_files(place) if place.is_dir() else [place])]
        outputs = Outputs(list(entry.gold), systems, metrics, reading, entry.first_sentence, seed)
        compared = [*outputs.compute(human.systems, problems), *compared]
    _note_unscored(entry, human, compared, problems)
    compared = [
        aggregate_source(source, way)
        for source in compared
        for way in dict.fromkeys(entry.aggregate)
        if way == "corpus" or source.scores.sentences  # scores of systems alone have no wins
    ]
    names = [source.scores.metric for source in compared]
    if not names:
        message = f"no metric of the ranking '{entry.name}' has scores of sentences, of which wins are counted"
        raise UsageError(Problem("meta-sentences", message, entry.place, fix="add corpus to aggregate"))
    for name in names:
        if names.count(name) > 1:
            raise UsageError(Problem("meta-same-name", f"two metrics are called '{name}'", entry.place))
    everybody = human_scores(human, "expected-wins") if isinstance(human, Comparisons) else plain_scores(human.systems)
    common = common_systems(everybody, [source.scores for source in compared], problems)
    views = _Views(human, compared, common.systems, seed)
    whole = views.whole()
    without: dict[Variation, Sequence[View]] = {
        "texts": views.without_stretches(),
        "judges": views.without_judges(whole),
    }
    observed = []
    for subset, members in _subsets(entry, common.systems).items():
        at = np.array([common.systems.index(system) for system in members], np.int64)
        result = observe_metrics(names, whole, without, at, confidence_level=confidence)
        observed.append(ObservedRanking(entry.name, subset, members, result))
    return observed


def _visible_files(folder: Path) -> list[Path]:
    """The files of a folder but hidden ones, which file managers leave there."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _note_unscored(
    entry: RankingEntry, human: Comparisons | MetricScores, compared: Sequence[RecordedScores], problems: Problems
) -> None:
    """Note judged sentences that a metric with scores of others lacks: they may be called by other numbers."""
    judged = human.sentences if isinstance(human, Comparisons) else ()
    for scores in (source.scores for source in compared if source.scores.sentences):
        if n := sum(name not in scores.sentences for name in judged):
            message = f"{scores.metric} lacks scores for {n:,} of the {len(judged):,} judged sentences"
            fix = "see first_sentence, if the numbers of sentences differ"
            problems.note("meta-left-out", message, entry.place, fix=fix)


def _subsets(entry: RankingEntry, systems: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """All systems, the subsets, and the windows of neighbors in the human ranking."""
    subsets = {ALL: systems}
    for name, members in entry.subsets.items():
        for system in members:
            if system not in systems:
                message = f"the subset '{name}' has '{system}', which is not ranked or has no scores"
                raise UsageError(Problem("meta-unknown-system", message, entry.place))
        if name == ALL:
            raise UsageError(Problem("meta-same-name", f"a subset is called '{ALL}'", entry.place, fix="rename it"))
        subsets[name] = tuple(system for system in systems if system in members)
    if entry.window > len(systems):
        message, expected = f"a window of {entry.window} systems", f"3 to {len(systems)}, the number of systems"
        raise UsageError(Problem("meta-window", message, entry.place, expected))
    if entry.window:
        for at in range(len(systems) - entry.window + 1):
            subsets[f"places {at + 1}–{at + entry.window}"] = systems[at : at + entry.window]
    for name, members in subsets.items():
        if len(members) < 3:
            message = f"the subset '{name}' has {len(members)} systems"
            raise UsageError(Problem("meta-few-systems", message, entry.place, expected="at least 3"))
    return subsets


@dataclass(frozen=True, slots=True)
class _Views:
    """The views of a ranking: whole, and without one part at a time."""

    human: Comparisons | MetricScores
    metrics: Sequence[RecordedScores]
    systems: tuple[str, ...]
    seed: int

    def whole(self) -> View:
        """Of all that was judged."""
        return self._view(self.human, self.metrics)

    def without_stretches(self) -> list[View]:
        """Without each stretch of the text; none where humans gave scores of systems, or no metric has sentences."""
        if not isinstance(self.human, Comparisons):
            return []
        known = {name for metric in self.metrics for name in metric.scores.sentences}
        if not known:
            return []
        names = sorted(known | {*self.human.sentences}, key=_natural)
        cuts = [round(k * len(names) / STRETCHES) for k in range(STRETCHES + 1)]
        views = []
        for low, high in pairwise(cuts):
            kept = {*names[:low], *names[high:]}
            marks = np.array([name in kept for name in self.human.sentences], np.bool_)
            views.append(
                self._view(_select(self.human, marks[self.human.sentence]), [one.part(kept) for one in self.metrics])
            )
        return views

    def without_judges(self, whole: View) -> list[View]:
        """Without each judge; metrics say the same as in the ``whole``."""
        human = self.human
        if not isinstance(human, Comparisons):
            return []
        views = []
        for judge in range(len(human.judges)):
            view = self._view(_select(human, human.judge != judge), ())
            views.append(replace(whole, human=view.human, human_chances=view.human_chances))
        return views

    def _view(self, human: Comparisons | MetricScores, metrics: Sequence[RecordedScores]) -> View:
        table = [[metric.scores.systems.get(system, np.nan) for system in self.systems] for metric in metrics]
        n_pairs = len(self.systems) * (len(self.systems) - 1) // 2
        chances = [metric.chances(self.systems, self.seed) for metric in metrics]
        rows = [np.full(n_pairs, np.nan) if row is None else row for row in chances]
        sure: Floats | None
        if isinstance(human, Comparisons):
            wins = expected_wins(count(human))  # NaN for a system that a part of the judgments does not decide on
            by_name = dict(zip(human.systems, wins.tolist(), strict=True))
            sure = JudgedPairs(human, self.systems, "item").chances
        else:
            by_name, sure = dict(human.systems), RecordedScores(human).chances(self.systems, self.seed)
        scores = np.array([by_name[system] for system in self.systems], np.float64)
        return View(
            scores,
            np.array(table, np.float64).reshape(-1, len(self.systems)),
            sure,
            np.array(rows, np.float64).reshape(-1, n_pairs),
        )


def _natural(name: str) -> tuple[int, str]:
    number = whole_number(name)
    return (-1, name) if number is None else (number, "")


def _select(comparisons: Comparisons, kept: NDArray[np.bool_]) -> Comparisons:
    columns = ("first", "second", "outcome", "item", "judge", "sentence", "identical", "shown")
    return replace(comparisons, **{name: getattr(comparisons, name)[kept] for name in columns})
