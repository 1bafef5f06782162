"""How often a study's question is ever wrong: simulated raters, the real order of claims, a look after every page.

Formula
    A study of N items, a share of them errors; k raters judge each. The truth is the number of items whose k raters
    mostly say error, once everything is judged. ``ever``: the interval did not hold the truth at some look;
    ``stopped``: at the look at which the question was decided. ``complete``: the same as ``ever`` of all items that
    have their judgments, as they come in, not of the front of the order; for comparison, as it is not used.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sqlalchemy import Connection

from errorbar.judging import (
    JudgedItem,
    Scheme,
    Store,
    StudyInfo,
    StudyRules,
    add_items,
    load_scheme,
    read_study,
    set_rules,
    write_about,
)
from errorbar.judging.stopping.decision import stop_decision
from errorbar.judging.study.columns import ItemFacts, StudyColumns
from errorbar.stats import finite_share_bounds
from tests.judging.simulated_judges import SimulatedJudge
from tests.judging.simulated_work import simulate_work

START = 1_790_000_000.0
SCHEME = load_scheme("error-ok")


class Hesitant:
    """A judge who takes longer over errors, and is right or wrong as another one."""

    def __init__(self, judge: SimulatedJudge, slower: float) -> None:
        self.judge, self.kind, self._slower, self._now = judge, judge.kind, slower, 1.0

    def answer(
        self, scheme: Scheme, item: JudgedItem, reversed: bool, generator: np.random.Generator
    ) -> Mapping[str, Any]:
        self._now = self._slower if item.hidden.get("truth") == "error" else 1.0
        return self.judge.answer(scheme, item, reversed, generator)

    def milliseconds(self, generator: np.random.Generator) -> int:
        return int(self._now * self.judge.milliseconds(generator))


@dataclass(frozen=True)
class Case:
    """A study, and who judges it."""

    items: int = 150
    share: float = 0.3
    raters: int = 6
    k: int = 3
    accuracy: float = 0.9
    slower: float = 8.0  # over errors
    careless: int = 0  # raters who say OK to everything, and are excluded by gold items


CASES = {
    "errors take as long": Case(slower=1.0),
    "errors take eight times as long": Case(),
    "two careless raters of eight, who are excluded": Case(raters=6, careless=2),
}


def run(case: Case, seed: int, folder: Path) -> tuple[bool, bool, bool, float]:
    """Whether it was ever wrong, wrong when it stopped, the other ever; and the share of judgments given by then."""
    generator = np.random.default_rng([17, seed])
    rules = StudyRules(raters_per_item=case.k, stop="share(label=error,half_width=0.1)", policy="none")
    wrong = generator.random(case.items) < case.share
    items = [JudgedItem(f"i{at}", "a", hidden={"truth": "error" if one else "ok"}) for at, one in enumerate(wrong)]
    if case.careless:
        rules = StudyRules(raters_per_item=case.k, stop=rules.stop)
        gold = [("error", "ok")[at % 2] for at in range(60)]
        items += [JudgedItem(f"g{at}", "a", kind="gold", answers=(one,)) for at, one in enumerate(gold)]
    judges: list[Any] = [Hesitant(SimulatedJudge("judge", case.accuracy), case.slower) for _ in range(case.raters)]
    judges += [SimulatedJudge("careless", 0.0, {"ok": 1.0}, seconds=1) for _ in range(case.careless)]
    seen: list[tuple[float, float, bool, float]] = []
    known: dict[int, ItemFacts] = {}
    with Store.create(str(folder / f"{seed}.sqlite")) as store:

        def fill(tx: Connection) -> None:
            write_about(tx, StudyInfo(SCHEME, rules, "", "test"))
            set_rules(tx, rules, START)
            add_items(tx, items, START)

        def look() -> StudyColumns:
            with store.read() as tx:
                study = read_study(tx, known)
            now = stop_decision(study, None)
            if now is not None and now.estimate.interval is not None:
                given = 1 - now.left / (case.items * case.k)
                seen.append((now.estimate.interval.low, now.estimate.interval.high, now.decided, given))
            return study

        store.write(fill)
        simulate_work(store, judges, generator, start=START, page=5, after_page=look)
        study = look()
    n, rows = len(study.items), study.judged
    votes = np.bincount(study.item[rows], study.label[rows] == study.labels.index("error"), n)
    label = (2 * votes > case.k)[study.work]
    truth = int(label.sum())
    wrong_at = [not low - 1e-9 <= truth / case.items <= high + 1e-9 for low, high, *_ in seen]
    first = next((at for at, (*_, decided, _) in enumerate(seen) if decided), len(seen) - 1)
    completed = np.zeros(n)
    np.maximum.at(completed, study.item[rows], study.at[rows])
    order = np.argsort(completed[study.work])
    low, high = finite_share_bounds(np.cumsum(label[order]), np.arange(1, case.items + 1), case.items)
    return any(wrong_at), wrong_at[first], bool(((truth < low) | (truth > high)).any()), seen[first][-1]


def shares(case: Case, runs: int, folder: str | None = None) -> list[float]:
    """Shares of runs: ``ever``, ``stopped``, ``complete``; and of the judgments when it stopped."""
    with TemporaryDirectory(dir=folder) as here:
        found = np.array([run(case, seed, Path(here)) for seed in range(runs)], np.float64)
    return [float(share) for share in found.mean(axis=0)]


if __name__ == "__main__":
    for name, case in CASES.items():
        ever, stopped, other, given = shares(case, int(sys.argv[1]), *sys.argv[2:])
        sys.stdout.write(f"| {name} | {ever:.3f} | {stopped:.3f} | {other:.3f} | {100 * given:.0f} % |\n")
        sys.stdout.flush()
