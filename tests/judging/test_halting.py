"""A study that hands out nothing more: what raters hold still counts, every item below k has its reason, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from errorbar.core import UsageError
from errorbar.judging import StudyRules, add_items, check, current_rules, exclude, set_rules, stop_item
from errorbar.judging.protocol.assignments import HALTED, NEAR
from errorbar.judging.protocol.changes import END, close, front, halt, resume, why_halted
from tests.judging.empty_stores import Study, gold_item, work_item

STOP = "share(label=error,half_width=0.05,act=true)"
RULES = StudyRules(raters_per_item=2, policy="none", stop=STOP)


Make = Callable[..., Study]


@pytest.fixture
def made(store_url: str) -> Iterator[Make]:
    """Makes a study, and closes it."""
    studies = []

    def make(items: int = 30, raters: int = 4, rules: StudyRules = RULES, gold: int = 0) -> Study:
        found = [work_item(f"w{at}") for at in range(items)] + [gold_item(f"g{at}") for at in range(gold)]
        studies.append(Study(store_url, rules, found, raters))
        return studies[-1]

    yield make
    for study in studies:
        study.store.close()


def halted(study: Study, why: str = "narrow enough", by: str = "manager") -> int:
    return study.write(lambda tx: halt(tx, why, by, study.clock()))


def reason(study: Study) -> str:
    with study.store.read() as tx:
        return why_halted(tx)


def test_leases_still_count_and_nobody_gets_more(made: Make) -> None:
    study = made()
    one, two, three, late = study.raters
    for lease in study.claim(two).leases:
        study.answer(two, lease)
    held = study.claim(one).leases
    assert halted(study) > 0
    assert study.claim(late).standing == "finished"
    assert (study.claim(late).code, study.claim(two).code == "") == ("", False)  # who judged nothing is owed nothing
    receipts = [study.answer(one, lease) for lease in held]
    assert {receipt.status for receipt in receipts} == {"saved"}
    assert study.claim(one).standing == "finished"
    assert study.claim(one).code
    assert study.claim(three).leases == ()
    (n,) = study.rows("SELECT count(*) FROM assignment WHERE state = 'done'")[0]
    assert n == 20
    below = study.rows("SELECT stopped FROM item WHERE taken < 2")
    assert {why for (why,) in below} == {f"{HALTED}narrow enough"}
    assert check(study.store) == []
    (told,) = study.rows("SELECT data FROM event WHERE kind = 'halted'")
    assert json.loads(told[0])["by"] == "manager"


def test_what_is_resumed_is_as_before(made: Make) -> None:
    study = made()
    one, two, *_ = study.raters
    for lease in study.claim(one).leases[:4]:
        study.answer(one, lease)
    study.write(lambda tx: stop_item(tx, "w7", "cut off", 0.0))
    items = study.rows("SELECT name, taken, stopped FROM item ORDER BY id")
    n = halted(study)
    assert (n, halted(study), reason(study)) == (29, 0, "narrow enough")  # twice changes nothing
    assert study.write(lambda tx: resume(tx, "manager", study.clock())) == 29
    assert study.rows("SELECT name, taken, stopped FROM item ORDER BY id") == items
    assert study.rows("SELECT name FROM item WHERE stopped <> ''") == [("w7",)]
    assert reason(study) == ""
    assert study.claim(two).standing == "work"
    with study.store.read() as tx:
        assert current_rules(tx).stop == "share(label=error,half_width=0.05)"  # it would have halted again at once
    assert check(study.store) == []


def three_answers_of_two(made: Make) -> tuple[Study, int, int]:
    """A study of five items in which two raters answered three each; the first of them, and one who did nothing."""
    study = made(items=5)
    one, two, three, _ = study.raters
    for rater in (one, two):
        for lease in study.claim(rater).leases[:3]:
            study.answer(rater, lease)
    return study, one, three


def test_a_lease_that_runs_out_after_the_halt_goes_to_nobody(made: Make) -> None:
    study = made(items=5)
    one, two, three, _ = study.raters
    first = study.claim(one).leases
    for lease in study.claim(two).leases:
        study.answer(two, lease)
    halted(study)
    study.clock.now += 3601
    assert study.claim(three).standing == "finished"
    assert study.answer(one, first[0]).status == "saved"  # late, and its place is still free
    assert study.rows("SELECT count(*) FROM item WHERE taken = 2") == [(1,)]
    assert check(study.store) == []


def test_who_is_excluded_in_a_pause_leaves_places_that_wait(made: Make) -> None:
    study, one, three = three_answers_of_two(made)
    halted(study, "lunch")
    study.write(lambda tx: exclude(tx, one, "careless", "manager", study.clock()))
    assert study.rows("SELECT DISTINCT stopped FROM item") == [(f"{HALTED}lunch",)]
    assert study.claim(three).leases == ()
    study.write(lambda tx: resume(tx, "manager", study.clock()))
    assert len(study.claim(three).leases) == 5
    assert check(study.store) == []


def test_who_is_excluded_once_a_question_is_decided_leaves_places_to_others(made: Make) -> None:
    study, one, three = three_answers_of_two(made)
    full = study.rows("SELECT count(*) FROM assignment a JOIN item i ON i.id = a.item WHERE a.state = 'open'")
    halted(study, by="rule")
    study.write(lambda tx: exclude(tx, one, "careless", "manager", study.clock()))
    complete = {name for (name,) in study.rows("SELECT name FROM item WHERE stopped = ''")}
    assert full != [(0,)]
    assert {lease.item.name for lease in study.claim(three).leases} == complete
    assert check(study.store) == []


def test_who_is_excluded_after_the_close_leaves_places_that_wait_for_a_resumption(made: Make) -> None:
    study = made(items=5)
    one, two, three, _ = study.raters
    for rater in (one, two):
        for lease in study.claim(rater).leases:
            study.answer(rater, lease)
    study.write(lambda tx: close(tx, "enough", "manager", study.clock()))  # every item has its judgments
    study.write(lambda tx: exclude(tx, one, "careless", "manager", study.clock()))
    assert study.claim(three).standing == "finished"
    assert study.rows("SELECT DISTINCT stopped FROM item") == [(f"{HALTED}enough",)]
    study.write(lambda tx: resume(tx, "manager", study.clock()))
    assert len(study.claim(three).leases) == 5
    assert check(study.store) == []


def test_new_items_and_a_larger_k_are_handed_out(made: Make) -> None:
    study = made(items=3)
    one, two, three, _ = study.raters
    for rater in (one, two):
        for lease in study.claim(rater).leases:
            study.answer(rater, lease)
    assert halted(study) == 0  # everything is judged
    study.write(lambda tx: add_items(tx, [work_item("new")], study.clock()))
    assert [lease.item.name for lease in study.claim(three).leases] == ["new"]
    study.write(lambda tx: set_rules(tx, StudyRules(raters_per_item=3, policy="none", stop=STOP), study.clock()))
    assert len(study.claim(three).leases) == 4


def test_newcomers_get_no_quiz_where_no_work_is_behind_it(made: Make) -> None:
    study = made(rules=StudyRules(raters_per_item=2, policy="none", quiz=2, stop=STOP), gold=4)
    one, two, *_ = study.raters
    begun = study.claim(one)
    assert begun.standing == "quiz"
    study.answer(one, begun.leases[0])
    halted(study)
    assert study.claim(two).standing == "finished"
    assert study.claim(one).standing == "quiz"  # who began it may end it


def test_a_study_that_is_not_halted_keeps_its_rule(made: Make) -> None:
    """A form that is sent twice disarmed the rule."""
    study = made()
    assert study.write(lambda tx: resume(tx, "manager", study.clock())) == 0
    with study.store.read() as tx:
        assert current_rules(tx).stop == STOP


def test_an_item_that_is_stopped_does_not_halt_the_study(made: Make) -> None:
    study = made()
    with pytest.raises(UsageError, match="as that of a study that is halted"):
        study.write(lambda tx: stop_item(tx, "w1", f"{HALTED}cut off", 0.0))
    assert reason(study) == ""


def test_a_halt_has_a_reason(made: Make) -> None:
    study = made()
    with pytest.raises(UsageError, match="with a reason"):
        halted(study, " ")
    assert reason(study) == ""


def test_items_are_judged_from_the_front_of_their_order(made: Make) -> None:
    study = made(items=200, raters=6)
    places = dict(study.rows("SELECT name, place FROM item"))
    orders = []
    for rater in study.raters[:4]:
        leases = study.claim(rater).leases
        orders.append([places[lease.item.name] for lease in leases])
        for lease in leases:
            study.answer(rater, lease)
    assert max(map(max, orders)) < 20  # forty judgments, two of each item
    assert orders[0] != orders[1]  # and no two raters go through them alike
    with study.store.read() as tx:
        here = front(tx)
    done = {places[name] for name, taken in study.rows("SELECT name, taken FROM item") if taken == 2}
    assert here == min({*range(200)} - done)
    assert here < END
    study.write(lambda tx: set_rules(tx, StudyRules(raters_per_item=2, policy="none"), study.clock()))
    far = [places[lease.item.name] for lease in study.claim(study.raters[4]).leases]
    assert max(far) > 20 + NEAR  # without a question, wherever fewest have judged


def test_raters_begin_anywhere_in_the_front(made: Make) -> None:
    study = made(items=200, raters=20, rules=StudyRules(raters_per_item=20, policy="none", stop=STOP))
    places = dict(study.rows("SELECT name, place FROM item"))
    first = [places[study.claim(rater, 1).leases[0].item.name] for rater in study.raters]
    assert max(first) < NEAR
    assert len(set(first)) >= 4  # of ten; by chance fewer in one run of two hundred million
