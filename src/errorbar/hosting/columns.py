"""The columns of a leaderboard: what ``errorbar task run`` writes of a run, under the same names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from errorbar.tasks.task_results import RunScores

LONGEST = 36  # characters of a column's key, and of its title, that Codabench takes
DIGITS = 4  # of fractions, which are percent with two
COUNT_DIGITS = 2  # of counts that are means
ALTERNATIVES = "_alternatives"  # how keys of scores with alternative answers end


class LeaderColumn(NamedTuple):
    """A column."""

    key: str
    title: str
    better: Literal["higher", "lower", ""]  # empty: neither
    digits: int


Valued = tuple[LeaderColumn, float | None]


def leader_columns(run: RunScores) -> list[Valued]:
    """The columns with a run's values, None where one is undefined; the first ranks.

    First the measures of each metric, beginning with the one that ranks; the same with alternative answers; the number
    of sentences that the run changes; the counts behind the measures.
    """
    several = len(run.gold) > 1
    shorts = [re.sub(r"[^a-z0-9]+", "_", score.metric.lower()).strip("_") for score in run.gold]
    ways: list[_Way] = []
    for at, (short, score) in enumerate(zip(shorts, run.gold, strict=True)):
        named = _Way(f"{short}_", f" ({score.metric})") if several else _Way("", "")
        columns = [column for column, _ in (*_measures(run, at, named), *_counts(run, at, named))]
        fits = max(len(text) for column in columns for text in column[:2]) <= LONGEST and shorts.count(short) == 1
        ways.append(named if fits else _Way(f"metric{at + 1}_", f" (metric {at + 1})"))
    found = [each for at, way in enumerate(ways) for each in _measures(run, at, way)]
    found.sort(key=lambda each: each[0].key.endswith(ALTERNATIVES))  # behind all others
    if run.gold[0].unit == "sentence":
        found.append((LeaderColumn("changed", "changed", "", 0), run.n_changed))
    return found + [each for at, way in enumerate(ways) for each in _counts(run, at, way)]


def leader_scores(run: RunScores) -> dict[str, float]:
    """What a host reads: the value of each column, without those that are undefined, which no column can hold."""
    return {column.key: value for column, value in leader_columns(run) if value is not None}


class _Way(NamedTuple):
    """How the columns of a metric are told from those of others."""

    before: str  # its keys
    behind: str  # its titles


def _measures(run: RunScores, at: int, way: _Way) -> Iterator[Valued]:
    for scores, ending, said in ((run.gold, "", ""), (run.alternatives, ALTERNATIVES, " alt.")):
        for score in scores[at : at + 1]:
            for one in sorted(score.measures, key=lambda measure: measure.name != score.main):
                group = f", {one.group}" * bool(one.group)
                title = f"{one.title}{said}{group}{way.behind}"
                column = LeaderColumn(f"{way.before}{one.name}{ending}", title, one.better, DIGITS)
                yield column, score[one.name].value


def _counts(run: RunScores, at: int, way: _Way) -> Iterator[Valued]:
    for name, count in run.gold[at].counts.items():
        digits = 0 if isinstance(count, int) else COUNT_DIGITS
        yield LeaderColumn(f"{way.before}{name}", f"{name.replace('_', ' ')}{way.behind}", "", digits), count
