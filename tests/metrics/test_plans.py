"""Plans of judgments: the interval to expect, against formulas, and against what is printed on split halves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import stdtrit

from errorbar import M2
from errorbar.api import ReadingOptions, load
from errorbar.core import Interval
from errorbar.metrics import JudgeAim, JudgeCoverage, JudgePlan, Opaque, PilotScore, judging_of
from errorbar.stats import PlannedInterval, VariancePrior, cluster_members

LEVEL = 0.95
MEASURED = Path(__file__).resolve().parents[2] / "tests/measured/judges.md"
SYSTEMS = ("CAMB", "CUUI", "AMU", "RAC", "POST", "UMC")
PANELS = ((1, 1), (2, 2), (3, 3), (5, 5), (1, 2), (2, 3), (2, 5), (3, 5))
"""Judges of the pilot, and others who judge afterwards."""
SPLITS, SEED = 12, 20261123
UNKNOWN = JudgePlan("random", population="none")
CHANCES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)


def moderated(over_texts: float, k: int, score: float, constant: float) -> PlannedInterval:
    """Half-widths in points of 50 texts, the population's variance being 1 + c F^2, which the pilot knows for sure."""
    variance = 1 + constant * (score / 100) ** 2
    return PlannedInterval(score, over_texts, variance, 50, k, 49, 1e12, VariancePrior(variance, 3))


@pytest.mark.parametrize(
    ("interval", "halves"),
    [
        (moderated(0.92547, 2, 38.665, 15), (4.281487, 4.562113, 5.828118)),
        (moderated(0.9, 3, 43, 8), (3.443860, 3.916710, 5.026551)),
    ],
)
def test_half_widths_by_what_judges_will_show(interval: PlannedInterval, halves: tuple[float, ...]) -> None:
    """JUDGES.md section 8, computed by a script of its own: quantiles .1, .5 and .9 of what judges will show."""
    assert [interval.half_width(LEVEL, quantile=q) for q in (0.1, 0.5, 0.9)] == pytest.approx(halves, abs=2e-6)


def test_the_range_is_that_of_the_judges_where_all_else_is_known() -> None:
    """With texts that are known to vary so and a pilot of many judges, chi-square alone is left: eight values of it."""
    known = moderated(0.92547, 2, 38.665, 15)._replace(pilot_texts=1e9, n_texts=10**9)
    widths = known.widths(LEVEL)
    ends = [known.half_width(LEVEL, quantile=q) for q in (0.1, 0.9)]
    assert [widths.low, widths.high] == pytest.approx(ends, rel=0.07)


def test_what_cannot_be_known_is_none() -> None:
    one = PlannedInterval(0.4, 1e-4, 0.0, 50, 1, 49, 0)
    assert (one.half_width(LEVEL), one.widths(LEVEL).low, one.chance(0.1, LEVEL)) == (None, None, None)


def test_a_difference_is_found_more_often_where_it_is_large_and_much_is_judged() -> None:
    interval = moderated(1, 3, 40, 8)
    chances = [interval.chance(difference, LEVEL) or 0.0 for difference in (0.0001, 2, 4, 8, 50)]
    assert chances == sorted(chances)
    assert 0.01 < chances[0] < 0.03  # half of the level: the other half is the wrong way round
    assert chances[-1] == pytest.approx(1, abs=1e-3)
    assert (interval._replace(texts=0.25, n_texts=200).chance(4, LEVEL) or 0.0) > chances[2]


def test_a_difference_is_found_as_often_as_its_own_t_finds_it() -> None:
    """Simulated: normal estimates and chi-square variances, all of them known; 200,000 draws, standard error .001."""
    interval = PlannedInterval(0, 1.0, 0.5, 30, 4, 1e9, 1e9)
    rng, draws = np.random.default_rng(3), 200_000
    texts = 1.0 * rng.chisquare(29, draws) / 29
    judges = 0.5 * rng.chisquare(3, draws) / 3
    variance = texts + judges
    half = stdtrit(variance**2 / (texts**2 / 29 + judges**2 / 3), 0.975) * np.sqrt(variance)
    share = float(np.mean(rng.normal(4, np.sqrt(1.5), draws) > half))
    assert interval.chance(4, LEVEL) == pytest.approx(share, abs=0.02)


class World(NamedTuple):
    """Systems of 2014 against the ten annotators."""

    systems: Sequence[Opaque]
    judging: JudgeCoverage
    members: Sequence[np.ndarray]
    aim: JudgeAim

    @classmethod
    def read(cls, data: Path, names: Sequence[str]) -> World:
        files = [data / f"bn2015_10gec/A{i}.m2" for i in range(1, 11)]
        essays = ReadingOptions(documents=data / "conll14/noalt/official-2014.0.sgml", lenient=True)
        read = load(files, [data / "conll14_systems/official_submissions" / name for name in names], essays)
        metric, clusters = M2(), read.documents.clusters()
        statistics = [metric.measure(read.corpus, system.lines) for system in read.systems]
        judging = judging_of(metric, statistics[0], 10, clusters, 1)
        return cls(statistics, judging, cluster_members(clusters), JudgeAim(metric, JudgePlan("random")))

    def scores(self, texts: np.ndarray, judges: Sequence[int], k: int) -> list[PilotScore]:
        """Every system and every difference of two, on some texts against k of some judges at a time."""
        texts = np.sort(texts)
        units = np.concatenate([self.members[t] for t in texts])
        groups = np.concatenate([np.full(len(self.members[t]), t) for t in texts])
        n = len(texts)
        judging = JudgeCoverage(groups, self.judging.panel, n, tuple(sorted(judges)), (n,) * len(judges), n)
        values = self.aim.values([each.take(units) for each in self.systems], judging, k, 0)
        found = [
            PilotScore.of(self.aim, each, judging) for each in [*((one,) for one in values), *combinations(values, 2)]
        ]
        assert all(isinstance(each, PilotScore) for each in found)
        return [each for each in found if isinstance(each, PilotScore)]

    def differences(self, k: int) -> list[float]:
        """Of every pair, against k of the ten at a time: what is taken for the truth."""
        values = [float(each.means(0)[0, 0]) for each in self.aim.values(self.systems, self.judging, k, 0)]
        return [first - second for first, second in combinations(values, 2)]


class Row(NamedTuple):
    """One plan beside what was printed."""

    pilot: int
    judges: int
    n_texts: int
    pair: bool
    ratio: float  # planned through printed
    inside: bool
    chance: float  # of a difference, that it is found; NaN of a score
    found: bool


def split(world: World, panels: Sequence[tuple[int, int]] = PANELS, splits: int = SPLITS) -> list[Row]:
    """Plans from half of the essays, and what is printed of the other half, or of all, by other judges."""
    rng, rows = np.random.default_rng(SEED), []
    true = {k: world.differences(k) for k in {m for _, m in panels}}
    scale = world.aim.metric.measures[world.aim.metric.main].scale
    for _ in range(splits):
        order = rng.permutation(50)
        for pilot, m in panels:
            judges = rng.permutation(10).tolist()
            plans = world.scores(order[:25], judges[:pilot], min(pilot, m))
            for texts in (order[25:], order):
                printed = world.scores(texts, judges[pilot : pilot + m], m)
                truths = [*[None] * len(world.systems), *true[m]]
                for plan, own, truth in zip(plans, printed, truths, strict=True):
                    range_ = scale if truth is None else scale.of_differences
                    planned = plan.plan(world.aim, len(texts), m)
                    widths, interval = planned.widths(LEVEL, range_), own.parts.interval(LEVEL, range_)
                    assert isinstance(interval, Interval)
                    assert widths.expected is not None
                    half = (interval.high - interval.low) / 2
                    inside = (widths.low or inf) <= half <= (widths.high or inf)
                    ours = truth is not None and len(texts) == 25
                    chance = (planned.chance(truth or 0.0, LEVEL) or 0.0) if ours else float("nan")
                    right = truth is not None and own.parts.p_value <= 1 - LEVEL and own.parts.value * truth > 0
                    row = Row(pilot, m, len(texts), truth is not None, widths.expected / half, inside, chance, right)
                    rows.append(row)
    return rows


def table(rows: Sequence[Row]) -> list[str]:
    """Lines of the page: by judges, the median ratio and the share inside the range; then chances."""
    lines = []
    for pilot, m in PANELS:
        cells = []
        for pair in (False, True):
            for n in (25, 50):
                some = [row for row in rows if (row.pilot, row.judges, row.n_texts, row.pair) == (pilot, m, n, pair)]
                ratio, share = np.median([row.ratio for row in some]), np.mean([row.inside for row in some])
                cells.append(f"{ratio:.2f}, {share:.2f}")
        lines.append(f"| {pilot} → {m} | {' | '.join(cells)} |")
    known = [row for row in rows if not np.isnan(row.chance)]
    for low, high in pairwise(CHANCES):
        some = [row for row in known if low <= row.chance < high]
        planned, true = np.mean([row.chance for row in some]), np.mean([row.found for row in some])
        lines.append(f"| {planned:.2f} | {true:.2f} | {len(some):,} |")
    return lines


@pytest.mark.measured
def test_half_widths_are_printed_as_planned(data: Path) -> None:
    """The median ratio is .9 to 1.1 wherever the pilot had as many judges; the page has the table."""
    rows = split(World.read(data, SYSTEMS))
    page = MEASURED.read_text(encoding="utf-8")
    missing = [line for line in table(rows) if line not in page]
    assert not missing, "\n".join(table(rows))
    for pilot, m in PANELS:
        for n in (25, 50):
            for pair in (False, True):
                some = [row.ratio for row in rows if row[:4] == (pilot, m, n, pair)]
                assert 0.9 < np.median(some) < 1.1 or pilot < m


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "panels"), [(JudgePlan("random"), ((1, 1), (3, 3))), (UNKNOWN, ((3, 3), (5, 5)))])
def test_half_widths_of_a_few_splits(data: Path, plan: JudgePlan, panels: Sequence[tuple[int, int]]) -> None:
    """With the population that is known, and where nobody knows how others vary."""
    world = World.read(data, SYSTEMS)
    rows = split(world._replace(aim=JudgeAim(world.aim.metric, plan)), panels, splits=8)
    for pilot, m in panels:
        for n in (25, 50):
            for pair in (False, True):
                ratios = [row.ratio for row in rows if row[:4] == (pilot, m, n, pair)]
                assert 0.9 < np.median(ratios) < 1.1


def test_a_plan_for_what_is_there_is_what_is_printed_there(data: Path) -> None:
    """CAMB and CAMB - CUUI: V_A is the one thing that others will show otherwise, so it is put in as it is."""
    world = World.read(data, ("CAMB", "CUUI"))
    for m in (2, 3, 5):
        for score in world.scores(np.arange(50), range(m), m):
            planned = score.plan(world.aim, 50, m)
            own, prior = score.parts, planned.prior
            assert prior is not None
            assert planned.texts == pytest.approx(own.texts)
            shown = score.components.over_judges(50, m)
            ratio = (prior.df + (m - 1) * shown / prior.variance) / (prior.df + m - 1)
            assert planned.judges == pytest.approx(ratio * prior.variance)
            assert planned.half_width(LEVEL) == pytest.approx(own.half_width(LEVEL), rel=0.2)


def test_the_page_has_the_table_of_every_panel() -> None:
    page = MEASURED.read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d → \d) \|", page, re.MULTILINE) == [f"{pilot} → {m}" for pilot, m in PANELS]
