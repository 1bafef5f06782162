"""Raters who do not count, and who count again: nothing deleted, places given to others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import event

from errorbar.core import UsageError
from errorbar.judging import StudyRules, add_items, check, current_rules, exclude, readmit, set_rules, stop_item
from errorbar.judging.protocol.assignments import expire
from errorbar.judging.protocol.exclusions import foresee_exclusion, foresee_readmission
from tests.judging.empty_stores import Study, work_item

Make = Callable[[int, int], Study]


@pytest.fixture
def make_study(store_url: str) -> Iterator[Make]:
    """Makes a study of so many items and raters; at the end it is sound, and closed."""
    studies = []

    def make(items: int, raters: int) -> Study:
        rules = StudyRules(raters_per_item=1, policy="none")
        studies.append(Study(store_url, rules, [work_item(f"w{number}") for number in range(items)], raters))
        return studies[-1]

    yield make
    for study in studies:
        assert check(study.store) == []
        study.store.close()


@pytest.mark.parametrize("rater", [99, 10**30])
def test_there_is_no_such_rater(rater: int, make_study: Make) -> None:
    """Nor one with a number that no store holds."""
    study = make_study(1, 1)
    with pytest.raises(UsageError, match=f"no rater {rater}"):
        study.write(lambda tx: exclude(tx, rater, "reason", "manager", 1.0))


def test_an_excluded_raters_places_are_free_and_come_back_with_them(make_study: Make) -> None:
    study = make_study(3, 2)
    one, two = study.raters
    first, second, third = study.claim(one).leases
    for lease in (first, second):
        study.answer(one, lease)
    assert study.claim(two).standing == "waiting"
    answers = study.rows("SELECT * FROM answer")
    assert study.write(lambda tx: exclude(tx, one, "too fast", "manager", 5.0))
    assert not study.write(lambda tx: exclude(tx, one, "again", "manager", 6.0))
    assert study.claim(one).standing == "excluded"
    assert study.answer(one, third).status == "saved"  # the answer on its way is kept, and set aside
    assert set(study.states().values()) == {"aside"}
    assert study.rows("SELECT * FROM answer")[:2] == answers
    theirs = {lease.item.name: lease for lease in study.claim(two).leases}
    assert len(theirs) == 3
    study.answer(two, theirs[first.item.name])
    study.write(lambda tx: expire(tx, current_rules(tx), 7.0 + 3600))
    assert study.write(lambda tx: readmit(tx, one, "manager", 8.0))
    assert not study.write(lambda tx: readmit(tx, one, "manager", 9.0))
    states = study.states()
    assert [states[one, lease.item.name, "main"] for lease in (first, second, third)] == ["extra", "done", "done"]
    rows = study.rows('SELECT reason, "by", since, until, undone_by FROM exclusion')
    assert rows == [("too fast", "manager", 5.0, 8.0, "manager")]


def test_the_effects_are_foreseen(make_study: Make) -> None:
    """Counted in the store before and after: judgments, items that have a free place, judgments that find none."""
    study = make_study(5, 3)
    one, two, three = study.raters
    late = study.claim(three, 1).leases[0]
    study.clock.now += 7200
    leases = study.claim(one, 5).leases
    for lease in leases[:4]:
        study.answer(one, lease)
    assert study.answer(three, late).status == "extra"  # takes the place of one of the four
    study.write(lambda tx: stop_item(tx, next(x.item.name for x in leases[:4] if x.item != late.item), "cut", 0.0))

    def free() -> int:
        return int(study.rows("SELECT count(*) FROM item WHERE taken < 1 AND stopped = ''")[0][0])

    foreseen, before = study.write(lambda tx: foresee_exclusion(tx, one)), free()
    study.write(lambda tx: exclude(tx, one, "reason", "manager", 1.0))
    assert (foreseen.n_judgments, foreseen.n_items, foreseen.n_in_hand) == (4, 3, 1)
    assert str(foreseen) == (
        "4 judgments set aside and 1 unanswered item taken back, 3 items back to work; 2 more need no other judgment"
    )
    assert free() - before == 3
    for lease in study.claim(two, 1).leases:
        study.answer(two, lease)
    foreseen_again = study.write(lambda tx: foresee_readmission(tx, one))
    study.write(lambda tx: readmit(tx, one, "manager", 2.0))
    states = [state for (rater, *_), state in study.states().items() if rater == one]
    assert (foreseen_again.n_judgments, foreseen_again.n_extra) == (states.count("done"), states.count("extra"))
    assert states.count("extra") >= 1


def test_an_extra_answer_takes_the_place_of_one_that_is_set_aside(make_study: Make) -> None:
    study = make_study(1, 2)
    one, two = study.raters
    late = study.claim(one).leases[0]
    study.clock.now += 7200
    study.answer(two, study.claim(two).leases[0])
    assert study.answer(one, late).status == "extra"
    study.write(lambda tx: exclude(tx, two, "reason", "manager", 1.0))
    assert study.states() == {(one, "w0", "main"): "done", (two, "w0", "main"): "aside"}
    study.write(lambda tx: readmit(tx, two, "manager", 2.0))
    assert study.states()[two, "w0", "main"] == "extra"


@pytest.mark.parametrize("n_judged", [2, 40])
def test_others_wait_for_few_statements_however_many_judgments_a_rater_has(make_study: Make, n_judged: int) -> None:
    study = make_study(n_judged, 2)
    careless, late = study.raters
    overdue = study.claim(late, 1).leases
    study.clock.now += 7200
    while leases := study.claim(careless).leases:
        for lease in leases:
            study.answer(careless, lease)
    assert study.answer(late, overdue[0]).status == "extra"
    statements: list[object] = []
    event.listen(study.store._engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    study.write(lambda tx: exclude(tx, careless, "too fast", "manager", 1.0))
    assert len(statements) < 30
    assert check(study.store) == []
    assert study.states()[late, overdue[0].item.name, "main"] == "done"
    statements.clear()
    study.write(lambda tx: readmit(tx, careless, "manager", 2.0))
    assert len(statements) < 30
    for k in (2, 1):
        statements.clear()
        study.write(partial(set_rules, rules=StudyRules(raters_per_item=k, policy="none"), now=3.0))
        assert len(statements) < 30
    study.claim(late)
    statements.clear()
    study.write(lambda tx: expire(tx, current_rules(tx), study.clock.now + 7200))
    assert len(statements) < 30


def test_an_item_is_added_once_and_never_another_by_its_name(make_study: Make) -> None:
    study = make_study(2, 1)
    with pytest.raises(UsageError) as error:
        study.write(lambda tx: add_items(tx, [work_item("new"), work_item("w0")], 0.0))
    assert error.value.code == "judge-item-exists"
    assert study.rows("SELECT count(*) FROM item") == [(2,)]  # all or none
    changed = replace(work_item("other"), name="w0")
    with pytest.raises(UsageError) as error:
        study.write(lambda tx: add_items(tx, [changed], 0.0))
    assert error.value.code == "judge-item-changed"
    with pytest.raises(UsageError) as error:
        study.write(lambda tx: stop_item(tx, "none", "reason", 0.0))
    assert error.value.code == "judge-no-item"
    with pytest.raises(UsageError, match="with a reason"):
        study.write(lambda tx: stop_item(tx, "w0", " ", 0.0))
