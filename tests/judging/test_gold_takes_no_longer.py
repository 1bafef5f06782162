"""What the store does for an answer to gold, and for handing it out, is what it does for work: counted, not timed."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection, text

from errorbar.judging import (
    StudyRules,
    Submission,
    SubmissionReceipt,
    Work,
    check,
    claim,
    current_rules,
    exclude,
    readmit,
    submit,
)
from errorbar.judging.quality import GoldAnswers, gold_answers
from errorbar.judging.study.rules import Policy
from errorbar.judging.web.rater import receipt_record
from tests.judging.empty_stores import SCHEME, VALUES, Study, answer_to, gold_item, skip_of, work_item


class Cost(NamedTuple):
    """What one piece of work took."""

    steps: int  # of SQLite's machine
    statements: int
    calls: int  # of Python functions
    bytes: int  # that the log grew by


def study_of(url: str, n_gold: int, n_work: int = 60, policy: Policy = "sequential", golds: int = 4) -> Study:
    items = [work_item(f"w{n}") for n in range(n_work)] + [gold_item(f"g{n}", VALUES[n % 2]) for n in range(n_gold)]
    return Study(url, StudyRules(raters_per_item=2, gold_per_page=golds, policy=policy), items, 1)


class Meter:
    """Counts what a study's store does."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.log = Path(f"{study.url}-wal")

    def of(self, work: Callable[[Connection], object]) -> tuple[Any, Cost]:
        steps, statements, calls = [0], list[str](), [0]

        def step() -> int:
            steps[0] += 1
            return 0

        def call(_frame: object, event: str, _arg: object) -> None:
            calls[0] += event == "call"

        def counted(tx: Connection) -> object:
            driver: Any = tx.connection.driver_connection
            driver.set_progress_handler(step, 1)
            driver.set_trace_callback(statements.append)
            sys.setprofile(call)
            try:
                return work(tx)
            finally:
                sys.setprofile(None)
                driver.set_trace_callback(None)
                driver.set_progress_handler(None, 1)

        before = self.log.stat().st_size
        found = self.study.write(counted)
        return found, Cost(steps[0], len(statements), calls[0], self.log.stat().st_size - before)


def answered(study: Study, sent: Sequence[Submission], tx: Connection) -> list[SubmissionReceipt]:
    return submit(tx, SCHEME, current_rules(tx), study.raters[0], sent, study.clock())


def claimed(study: Study, tx: Connection) -> Work:
    return claim(tx, current_rules(tx), study.raters[0], 9, study.clock())


def middle(costs: list[Cost]) -> Cost:
    return Cost(*(int(median(each)) for each in zip(*costs, strict=True)))


@contextmanager
def one_log(study: Study) -> Iterator[None]:
    """The log grows, and is not begun again."""
    with study.store.read() as reader:
        reader.execute(text("SELECT 1 FROM item LIMIT 1")).all()
        yield


@pytest.mark.parametrize("policy", ["sequential", "posterior", "none"])
def test_an_answer_to_gold_costs_what_an_answer_costs(tmp_path: Path, policy: Policy) -> None:
    study = study_of(str(tmp_path / "store.sqlite"), 30, policy=policy)
    (rater,), meter = study.raters, Meter(study)
    costs: dict[str, list[Cost]] = defaultdict(list)
    told = set()
    with one_log(study):
        for _ in range(6):
            for lease in study.claim(rater).leases:
                right = lease.item.answers[0] if lease.item.kind == "gold" else VALUES[0]
                sent = [answer_to(lease, right)]
                given, cost = meter.of(partial(answered, study, sent))
                costs[lease.item.kind].append(cost)
                told.add(json.dumps({**receipt_record(given[0]), "submission": ""}))
    assert len(told) == 1  # to the byte
    assert len(costs["gold"]) >= 20
    work, gold = (middle(costs[kind][2:]) for kind in ("work", "gold"))
    assert gold.statements == work.statements
    assert abs(gold.steps - work.steps) <= 5
    assert abs(gold.calls - work.calls) <= 25  # the answer is looked at; nothing grows with the answers before
    assert abs(gold.bytes - work.bytes) <= 4200  # a page
    study.store.close()


def test_a_skip_of_gold_costs_what_a_skip_costs(tmp_path: Path) -> None:
    study = study_of(str(tmp_path / "store.sqlite"), 30, policy="none")
    (rater,), meter = study.raters, Meter(study)
    costs: dict[str, list[Cost]] = defaultdict(list)
    with one_log(study):
        for _ in range(6):
            for lease in study.claim(rater).leases:
                _, cost = meter.of(partial(answered, study, [skip_of(lease)]))
                costs[lease.item.kind].append(cost)
    assert len(costs["gold"]) >= 10
    work, gold = (middle(costs[kind][2:]) for kind in ("work", "gold"))
    assert gold.statements == work.statements
    assert abs(gold.steps - work.steps) <= 15  # of more than 300
    study.store.close()


def test_handing_out_gold_costs_no_more_than_work_however_much_gold_there_is(tmp_path: Path) -> None:
    for n_gold in (20, 200):
        study = study_of(str(tmp_path / f"{n_gold}.sqlite"), n_gold, policy="none", golds=2)
        (rater,), meter = study.raters, Meter(study)
        costs: dict[str, list[Cost]] = defaultdict(list)
        study.claim(rater, 9)
        with one_log(study):
            for n in range(40):
                study.answer(rater, study.claim(rater, 9).leases[0])
                work, cost = meter.of(partial(claimed, study))
                if (10 + n) % 10:  # a page begins with the draw of its gold, wherever that stands in it
                    costs[work.leases[-1].item.kind].append(cost)
        assert len(costs["gold"]) >= 4
        shown, gold = middle(costs["work"]), middle(costs["gold"])
        assert gold.statements <= shown.statements
        assert abs(gold.steps - shown.steps) <= 25  # of more than 700
        assert abs(gold.calls - shown.calls) <= 0.1 * shown.calls
        study.store.close()


def kept(study: Study, rater: int) -> GoldAnswers:
    return GoldAnswers.from_json(study.rows("SELECT gold FROM rater WHERE id = :rater", rater=rater)[0][0])


def counted(study: Study, rater: int) -> GoldAnswers:
    return study.write(lambda tx: gold_answers(tx, SCHEME, rater))


def test_what_is_kept_is_what_the_tables_say_whatever_a_rater_does(store_url: str) -> None:
    study = study_of(store_url, 12, policy="none", golds=5)
    (rater,) = study.raters
    first = study.claim(rater).leases
    golds = [lease for lease in first if lease.item.kind == "gold"]
    assert len(golds) == 5
    for n, lease in enumerate(first):
        study.clock.now += 1
        if n % 3 == 2:
            study.skip(rater, lease)
        else:
            study.answer(rater, lease, VALUES[n % 3])  # the first value, the second
        assert kept(study, rater) == counted(study, rater)
    for n, lease in enumerate(golds):  # changed: to another answer, from and to a skip, to Unknown
        study.clock.now += 1
        study.answer(rater, lease, VALUES[(n + 1) % 3], base=1)
        assert kept(study, rater) == counted(study, rater)
    assert len(kept(study, rater).answers) == 5
    study.clock.now += 1
    study.write(lambda tx: exclude(tx, rater, "reason", "manager", study.clock()))
    study.answer(rater, golds[0], VALUES[0], base=2)
    study.clock.now += 1
    study.write(lambda tx: readmit(tx, rater, "manager", study.clock()))
    assert kept(study, rater) == counted(study, rater) == GoldAnswers()
    study.answer(rater, golds[1], VALUES[0], base=2)  # from before: it does not count any more
    assert kept(study, rater) == GoldAnswers()
    study.clock.now += 1
    fresh = [lease for lease in study.claim(rater).leases if lease.item.kind == "gold"]
    study.answer(rater, fresh[0])
    assert kept(study, rater) == counted(study, rater)
    assert len(kept(study, rater).answers) == 1
    study.write(lambda tx: tx.execute(text("UPDATE rater SET gold = NULL")))  # an older store, a restored study
    study.answer(rater, fresh[1])
    assert len(kept(study, rater).answers) == 2
    study.store.close()


def test_gold_that_is_answered_late_is_not_handed_out_again(store_url: str) -> None:
    study = study_of(store_url, 5, policy="none", golds=5)
    (rater,) = study.raters
    late = [lease for lease in study.claim(rater).leases if lease.item.kind == "gold"]
    assert len(late) == 5
    study.clock.now += 7200
    assert len(study.claim(rater, 1).leases) == 1  # a page is begun, and its gold is drawn: the same five
    for lease in late:
        assert receipt_record(study.answer(rater, lease))["status"] == "saved"
    assert not {lease.item.name for lease in study.claim(rater).leases} & {lease.item.name for lease in late[1:]}
    assert {state for (_, name, _), state in study.states().items() if name[0] == "g"} <= {"done"}
    assert check(study.store) == []
    study.store.close()
