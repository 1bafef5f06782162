"""Hypothesis plays raters, managers and the clock against a model of dictionaries."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from errorbar.judging import (
    Lease,
    StudyRules,
    Submission,
    SubmissionReceipt,
    add_items,
    check,
    exclude,
    readmit,
    set_rules,
    stop_item,
)
from errorbar.judging.protocol.assignments import HALTED, NEAR
from errorbar.judging.protocol.changes import END, front, halt, resume
from tests.judging.empty_stores import MAIN, VALUES, Study, empty_database, gold_item, hash_of, work_item
from tests.judging.protocol_model import Assigned, Key, Model

MINUTES = 60.0
FIRST = 8  # items
REPEATS = 0.5

positions = st.integers(0, 10**6)
values = st.sampled_from(VALUES)


class Protocol(RuleBasedStateMachine):
    """One study."""

    make_url: Callable[[], str]

    def __init__(self) -> None:
        super().__init__()
        rules = StudyRules(raters_per_item=2, policy="none", lease_minutes=MINUTES, repeats=REPEATS)
        items = [work_item(f"w{number}") for number in range(FIRST)] + [gold_item("g0"), gold_item("g1", VALUES[1])]
        self.study = Study(type(self).make_url(), rules, items, 3)
        self.model = Model(2, MINUTES, self.study.clock.now)
        self.model.work = {item.name: "" for item in items if item.kind == "work"}
        self.model.gold = {item.name for item in items if item.kind == "gold"}
        for rater in self.study.raters:
            self._new_rater(rater)
        self.sent: list[tuple[int, Submission, SubmissionReceipt]] = []
        self.leases: dict[str, Lease] = {}
        self.shelved = 0  # submissions that were no answers

    def _new_rater(self, rater: int) -> None:
        self.model.active[rater], self.model.claims[rater], self.model.answers[rater] = True, 0, 0

    def _rater(self, at: int) -> int:
        return self.study.raters[at % len(self.study.raters)]

    @rule(at=positions, want=st.sampled_from([0, 1, 2, 10]))
    def claim(self, at: int, want: int) -> None:
        rater, model = self._rater(at), self.model
        work = self.study.claim(rater, want)
        model.expire()
        if not model.active[rater]:
            assert (work.standing, work.leases) == ("excluded", ())
            return
        held = model.live(rater)
        assert [lease.token for lease in work.leases[: len(held)]] == held
        lapsed = model.lapsed(rater)[: max(want - len(held), 0)]
        assert [lease.token for lease in work.leases[len(held) :]][: len(lapsed)] == lapsed
        for lease in work.leases[len(held) :]:
            stands_for = self._stands_for(lease)
            self.leases[lease.token] = lease
            if lease.token in lapsed:
                model.take(rater, lease, stands_for)
                continue
            eligible = model.eligible(rater)
            assert eligible, "gold and repeats come with work alone"
            name = lease.item.name
            if lease.round == "repeat":
                assert model.repeatable(rater, name)
            elif lease.item.kind == "gold":
                assert (rater, name, "main") not in model.all
            else:
                assert name in eligible
                if model.in_order:
                    places = self._places()
                    assert places[name] // NEAR == min(places[item] for item in eligible) // NEAR
                else:
                    assert model.taken(name) == min(map(model.taken, eligible))
            assert (stands_for in eligible) == (stands_for != "")
            assert (stands_for == "") == (lease.item.kind == "work" and lease.round == "main")
            model.take(rater, lease, stands_for)
        if len(work.leases) < want:
            assert not model.eligible(rater), "nothing is given although there is something"
        assert len(work.leases) <= max(want, len(held))
        if work.leases:
            assert work.standing == "work"
        elif model.eligible(rater):
            assert work.standing == "work"
            assert want == 0
        else:
            assert work.standing == model.standing(rater)
        skipped = any(who == rater and one.state == "skipped" for (who, _, _), one in model.all.items())
        assert bool(work.code) >= (work.standing == "finished" and work.done > 0 and not skipped)

    def _send(self, rater: int, one: Submission) -> SubmissionReceipt:
        receipt = self.study.submit(rater, one)[0]
        self.sent.append((rater, one, receipt))
        return receipt

    def _chosen(self, at: int, wanted: Callable[[Assigned], bool]) -> tuple[Key, Assigned] | None:
        fit = [(key, one) for key, one in self.model.all.items() if wanted(one)]
        return fit[at % len(fit)] if fit else None

    def _submission(self, one: Assigned, base: int, answer: dict[str, str] | None, skip: str = "") -> Submission:
        text_hash = hash_of(self.leases[one.token])
        return Submission(f"id{len(self.sent)}", one.token, text_hash, base, answer, skip)

    def _stored(self, found: tuple[Key, Assigned], answer: dict[str, str] | None) -> None:
        (rater, _, _), one = found
        base, recent = one.version, self.model.recent(*found)
        receipt = self._send(rater, self._submission(one, base, answer, "" if answer else "no idea"))
        if recent:
            assert receipt.status == self.model.store(one.token, answer)
            assert receipt.version == base + 1
        else:
            assert (receipt.status, receipt.version) == ("refused", base)
            self.shelved += 1

    @rule(at=positions, value=values)
    def answer_what_is_held(self, at: int, value: str) -> None:
        if found := self._chosen(at, lambda one: one.state == "open"):
            self._stored(found, {MAIN: value})

    @rule(at=positions, n=st.integers(1, 10), value=values)
    def judge_a_page(self, at: int, n: int, value: str) -> None:
        self.claim(at, 10)
        rater = self._rater(at)
        held = [(key, one) for key, one in self.model.all.items() if key[0] == rater and one.state == "open"]
        for found in sorted(held, key=lambda each: each[1].seq)[:n]:
            self._stored(found, {MAIN: value})

    @rule(at=positions, value=values)
    def come_back_too_late(self, at: int, value: str) -> None:
        """A rater's leases run out, the others judge, and then the rater's answers come."""
        self.claim(at, 10)
        late = [(key, one) for key, one in self.model.all.items() if key[0] == self._rater(at) and one.state == "open"]
        self.clock_jumps(MINUTES * 61)
        for other in range(1, self.model.k + 1):
            self.judge_a_page(at + other, 10, value)
        for found in late:
            if found[1].version == 0:
                self._stored(found, {MAIN: value})

    @rule(at=positions, value=values)
    def answer_late(self, at: int, value: str) -> None:
        if found := self._chosen(at, lambda one: one.state == "expired"):
            self._stored(found, {MAIN: value})

    @rule(at=positions, value=values)
    def amend(self, at: int, value: str) -> None:
        if found := self._chosen(at, lambda one: one.version > 0):
            self._stored(found, {MAIN: value})

    @rule(at=positions)
    def skip(self, at: int) -> None:
        if found := self._chosen(at, lambda one: True):
            self._stored(found, None)

    @rule(at=positions, value=values, off=st.sampled_from([-1, 1, 2]))
    def send_a_stale_version(self, at: int, value: str, off: int) -> None:
        found = self._chosen(at, lambda one: True)
        if found is not None and self.model.recent(*found):
            (rater, _, _), one = found
            receipt = self._send(rater, self._submission(one, one.version + off, {MAIN: value}))
            assert (receipt.status, receipt.version) == ("conflict", one.version)
            assert receipt.stored == one.answer
            self.shelved += 1

    @rule(at=positions, how=st.sampled_from(["text", "option", "nothing", "other"]))
    def send_what_never_fits(self, at: int, how: str) -> None:
        if (found := self._chosen(at, lambda one: True)) is None:
            return
        (rater, _, _), one = found
        text_hash = "0" * 16 if how == "text" else hash_of(self.leases[one.token])
        answer = {"option": {MAIN: "maybe"}, "nothing": None}.get(how, {MAIN: VALUES[0]})
        if how == "other":
            rater = next(each for each in self.study.raters if each != rater)
        sent = Submission(f"id{len(self.sent)}", one.token, text_hash, one.version, answer)
        assert self._send(rater, sent).status == "refused"
        self.shelved += 1

    @precondition(lambda self: self.sent)
    @rule(at=positions)
    def send_again(self, at: int) -> None:
        rater, one, receipt = self.sent[at % len(self.sent)]
        assert self.study.submit(rater, one) == [receipt]

    @rule(by=st.sampled_from([1.0, MINUTES * 30, MINUTES * 61, -MINUTES * 45, -1.0, 86_400.0, -100_000.0]))
    def clock_jumps(self, by: float) -> None:
        self.study.clock.now += by
        self.model.now += by

    @rule(at=positions)
    def exclude(self, at: int) -> None:
        rater = self._rater(at)
        changed = self.study.write(lambda tx: exclude(tx, rater, "too fast", "manager", self.study.clock()))
        assert changed == self.model.active[rater]
        if changed:
            self.model.exclude(rater)

    @rule(at=positions)
    def readmit(self, at: int) -> None:
        rater = self._rater(at)
        changed = self.study.write(lambda tx: readmit(tx, rater, "manager", self.study.clock()))
        assert changed == (not self.model.active[rater])
        if changed:
            self.model.readmit(rater)

    @rule(k=st.integers(1, 4), in_order=st.booleans())
    def change_rules(self, k: int, *, in_order: bool) -> None:
        stop = "share(label=error,half_width=0.1,act=true)" if in_order else ""
        rules = StudyRules(raters_per_item=k, policy="none", lease_minutes=MINUTES, repeats=REPEATS, stop=stop)
        self.study.write(lambda tx: set_rules(tx, rules, self.study.clock()))
        self.model.set_k(k)
        self.model.in_order = in_order

    @rule(others=st.integers(0, 3), value=values)
    def halt(self, others: int, value: str) -> None:
        """Some raters hold pages, and nothing more is handed out; what they hold, they still judge."""
        for at in range(others):
            self.claim(at, 10)
        n = self.study.write(lambda tx: halt(tx, "decided", "rule", self.study.clock()))
        assert n == self.model.halt()
        for rater in self.study.raters:
            work = self.study.claim(rater, 10)
            self.model.expire()
            assert [lease.token for lease in work.leases] == self.model.live(rater)
        for found in [(key, one) for key, one in self.model.all.items() if one.state == "open"]:
            self._stored(found, {MAIN: value})

    @rule()
    def resume(self) -> None:
        n = self.study.write(lambda tx: resume(tx, "manager", self.study.clock()))
        assert n == self.model.resume()

    def _stands_for(self, lease: Lease) -> str:
        query = "SELECT w.name FROM assignment a JOIN item w ON w.id = a.stands_for WHERE a.token = :token"
        return str(next(iter(self.study.rows(query, token=lease.token)), [""])[0])

    def _places(self) -> dict[str, int]:
        return dict(self.study.rows("SELECT name, place FROM item WHERE kind = 'work'"))

    @precondition(lambda self: len(self.model.work) < 40)
    @rule(n=st.integers(1, 20))
    def add_items(self, n: int) -> None:
        names = [f"w{len(self.model.work) + at}" for at in range(n)]
        self.study.write(lambda tx: add_items(tx, map(work_item, names), self.study.clock()))
        self.model.work |= dict.fromkeys(names, "")

    @rule(at=positions)
    def stop_item(self, at: int) -> None:
        name = sorted(self.model.work)[at % len(self.model.work)]
        self.study.write(lambda tx: stop_item(tx, name, "broken", self.study.clock()))
        self.model.work[name] = "broken"

    @precondition(lambda self: len(self.study.raters) < 7)
    @rule()
    def join(self) -> None:
        rater = self.study.join()
        self.study.raters.append(rater)
        self._new_rater(rater)

    @rule()
    def restart(self) -> None:
        self.study.reopen()

    @invariant()
    def the_store_is_as_the_model_says(self) -> None:
        assert self.study.states() == dict(self.model.states())
        assert check(self.study.store) == []
        with self.study.store.read() as tx:
            places, here, lacking = self._places(), front(tx), self.model.lacking(HALTED)
        assert here == min((places[item] for item in lacking), default=END)
        rows = self.study.rows("SELECT data FROM event WHERE kind IN ('conflict', 'refused')")
        assert len(rows) == self.shelved
        assert all("submission" in json.loads(data) for (data,) in rows)

    def teardown(self) -> None:
        self.study.store.close()


@pytest.mark.parametrize(
    ("kind", "examples"),
    [
        ("sqlite", 3),
        pytest.param("sqlite", 30, marks=pytest.mark.slow),
        pytest.param("postgresql", 5, marks=pytest.mark.slow),
    ],
)
def test_the_store_does_what_the_model_says(
    kind: str, examples: int, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "" if kind == "sqlite" else str(request.getfixturevalue("postgres_url"))

    def make_url() -> str:
        # An example that is run again gets the same order of items.
        monkeypatch.setattr("errorbar.judging.random_tokens._unpredictable", Random(7))
        if url:
            empty_database(url)
        return url or str(Path(tempfile.mkdtemp(dir=tmp_path)) / "judgments.sqlite")

    machine = type("Machine", (Protocol,), {"make_url": staticmethod(make_url)})
    health = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=examples, stateful_step_count=60, deadline=None, suppress_health_check=health),
    )
