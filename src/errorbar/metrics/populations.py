"""How scores vary over the judges of a population: what the intervals of few judges lean on.

Formula
    In squared points (a measure of 1 is 100 points), against k fresh judges: of a score F, a fraction,
    s2(F, k) = floor + c_k F^2; of the difference of two, s2_D = (s2_A + s2_B) min(1, r)^exponent with
    r = V_E(A - B) / (V_E(A) + V_E(B)), the variances over texts: systems that do alike on texts do alike before judges.
    The mean over all sets of k of m judges varies at most k/m times as much (Hoeffding 1948), which is what is taken.
Conventions
    Constants are those of one metric, measure and k: there is no law that leads from one to another. With more judges
    than ``MOST_JUDGES`` the data speak for themselves.
Source
    docs/judges.md and docs/measurements/judge-populations.md, where the constants and their coverage are; Smyth 2004
    for variances that are moderated by a prior.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

V = TypeVar("V", float, "NDArray[np.float64]")
FORMAT, VERSION = "errorbar-judge-population", 1
MOST_JUDGES = 5
SQUARED_POINT = 1e-4  # as a fraction
MOST_CONSTANT = 1e6  # squared points: far more than any measure can vary


@dataclass(frozen=True, slots=True)
class JudgeVariances:
    """How one measure of a metric varies over the judges of a population."""

    metric: str  # the spec, defaults left out
    measure: str
    constants: Mapping[int, float] = field(hash=False)  # c_k by k
    floor: float = 2.0
    exponent: float = 0.75
    df: float = 3.0  # degrees of freedom that the variance counts for

    def of_score(self, value: V, k: int, n_judges: int) -> V:
        """The variance of a score over judges, as a fraction squared: of the mean over all sets of k of the judges."""
        return SQUARED_POINT * (self.floor + self.constants[k] * value**2) * k / n_judges

    def of_difference(self, first: float, second: float, over_texts: tuple[float, float, float]) -> float:
        """The variance of a difference, of those of the two scores.

        Args:
            first: ``of_score`` of one.
            second: Of the other.
            over_texts: Variances over texts of the one, the other, and the difference.
        """
        of_first, of_second, apart = over_texts
        ratio = apart / (of_first + of_second) if of_first + of_second > 0 else 1.0
        return (first + second) * float(min(1.0, ratio) ** self.exponent)


class JudgePopulation(NamedTuple):
    """Judges of a kind, and how measures vary over them."""

    name: str
    described: str  # who they are, as a sentence names them
    tables: tuple[JudgeVariances, ...]
    digest: str = ""  # of what a file says; empty: it is one of errorbar's own

    @property
    def convention(self) -> str:
        """How it is named in a signature."""
        return self.name + (f":{self.digest}" if self.digest else "")

    def find(self, spec: str, measure: str, k: int) -> JudgeVariances | None:
        """How a measure of a metric varies over sets of k judges; None where that is not known."""
        tables = (one for one in self.tables if (one.metric, one.measure) == (spec, measure) and k in one.constants)
        return next(tables, None)


def population_of(record: Any, *, own: bool = False) -> JudgePopulation:  # noqa: ANN401 - of JSON
    """The population that a JSON object describes; ``ValueError`` says what of it cannot be one."""
    if not isinstance(record, dict) or (record.get("format"), record.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"it is no JSON of the format {FORMAT}, version {VERSION}")
    name, described, tables = (record.get(key) for key in ("name", "described", "tables"))
    if not (isinstance(name, str) and name and name.replace("-", "").replace("_", "").isalnum() and name.isascii()):
        raise ValueError("its name must be of letters, digits, hyphens and underscores")
    if not (isinstance(described, str) and described.strip() and described.isprintable()):
        raise ValueError("it must have 'described', who the judges are, in a line")
    if not isinstance(tables, list):
        raise ValueError("it must have 'tables', a list")
    digest = "" if own else sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:12]
    return JudgePopulation(name, described, tuple(_variances_of(each) for each in tables), digest)


def _variances_of(record: Any) -> JudgeVariances:  # noqa: ANN401 - of JSON
    """One table of constants."""
    if not isinstance(record, dict) or not isinstance(record.get("constants"), dict):
        raise ValueError("a table must have 'metric', 'measure' and 'constants' by the number of judges")
    metric, measure = record.get("metric"), record.get("measure")
    if not isinstance(metric, str) or not isinstance(measure, str):
        raise ValueError("'metric' and 'measure' of a table must be texts")
    constants = {}
    for k, value in record["constants"].items():
        if not (k.isascii() and k.isdecimal() and 1 <= int(k[:3]) <= MOST_JUDGES):
            raise ValueError(f"constants must be of 1 to {MOST_JUDGES} judges, got '{k}'")
        constants[int(k)] = _number(value, f"the constant of {k}", least=0.0)
    usual = JudgeVariances(metric, measure, {})
    return JudgeVariances(
        metric,
        measure,
        constants,
        _number(record.get("floor", usual.floor), "'floor'", least=1e-9),
        _number(record.get("exponent", usual.exponent), "'exponent'", least=0.0),
        _number(record.get("df", usual.df), "'df'", least=1.0),
    )


def _number(value: object, name: str, *, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number")
    if not least <= value <= MOST_CONSTANT:
        got = f", got {value:g}" if isinstance(value, float) or abs(value) < MOST_CONSTANT else ""
        raise ValueError(f"{name} must be a number from {least:g} to {MOST_CONSTANT:g}{got}")
    return float(value)


@cache
def known_population() -> JudgePopulation:
    """The population that errorbar knows: the ten annotators of CoNLL-2014's essays."""
    from importlib.resources import files  # noqa: PLC0415 - slow, and few ask for this population

    text = files("errorbar.metrics").joinpath("judge_populations", "bn2015.json").read_text(encoding="utf-8")
    return population_of(json.loads(text), own=True)
