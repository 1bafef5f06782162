"""Where degenerate systems land among real ones, as a value: records, tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from errorbar.core.errors import Problem
from errorbar.core.estimate import Estimate, Signature
from errorbar.edits.degenerate import Degenerate
from errorbar.metrics.base import Measure
from errorbar.studies.score_result import measure_column
from errorbar.tables.records import interval_record
from errorbar.tables.result import Result
from errorbar.tables.shown import cell_text
from errorbar.tables.table import Cell, Column, Table

NOTHING = "unchanged"
"""The attack that every sentence begins with."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What one system has under one metric.

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
        """What was computed on which data how, but for the attacks' own text: one, or none of scores from elsewhere."""
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
        """What there is under a metric, by its spec or name."""
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
                **_standing(each.attack, "attack"),
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
            "systems": [_standing(each, "system") for each in under.systems],
        }

    def tables(self) -> list[Table]:
        """A table for each metric."""
        return [self.table(under, f"attacks{k or ''}") for k, under in enumerate(self.landings)]

    def table(self, under: Landings, name: str, *, told: bool = False) -> Table:
        """The degenerate systems, the best first; ``told``: with what each does for people too."""
        made = {each.name: each for each in self.attacks}
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
                *(each.attack.name, under.metric, made[each.attack.name].does, made[each.attack.name].knows),
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
        made = {each.name: each for each in self.attacks}
        order = under.best_first
        title = "" if under.measure.title == under.metric else f" ({under.measure.title})"
        if not order:
            return f"Under {under.metric}{title}, there is no attack."
        first = next((each for each in order if each.attack.name == NOTHING), order[0])
        said = f"Under {under.metric}{title}, a system that {made[first.attack.name].does} {_lands(first, under)}"
        blind = [each for each in order if made[each.attack.name].knows == "nothing" and each is not first]
        if blind and blind[0].attack.estimate.value is not None:
            best = blind[0]
            where = placed(best, under) if under.n_ranked > 1 else f"with {_value(best, under)}"
            said += f"; of the others that see no reference, {best.attack.name} comes highest, {where}"
        return f"{said}."


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


def _standing(standing: Standing, name: str) -> dict[str, object]:
    estimate = standing.estimate
    asked = estimate.interval is not None or estimate.no_interval is not None
    return {
        name: standing.name,
        "value": estimate.value,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate) if asked else None,
        "signature": None if standing.signature is None else str(standing.signature),
    }
