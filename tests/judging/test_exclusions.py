"""Raters who do not count, and who count again: nothing deleted, places given to others."""

from __future__ import annotations

import pytest

from errorbar.core import UsageError
from errorbar.judging import Store, StudyRules, add_items, check, current_rules, exclude, readmit, stop_item
from errorbar.judging.protocol.leases import expire
from tests.judging.empty_stores import Study, work_item


def study_of(url: str, n: int, raters: int, k: int = 1) -> Study:
    return Study(
        url, StudyRules(raters_per_item=k, policy="none"), [work_item(f"w{number}") for number in range(n)], raters
    )


def test_no_rater_has_a_number_that_no_store_holds(store_url: str) -> None:
    with Store.create(store_url) as store, pytest.raises(UsageError, match="no rater"):
        store.write(lambda tx: exclude(tx, 10**30, "x", "manager", 1.0))


def test_an_excluded_raters_places_are_free_and_come_back_with_them(store_url: str) -> None:
    study = study_of(store_url, 3, 2)
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
    assert check(study.store) == []
    rows = study.rows('SELECT reason, "by", since, until, undone_by FROM exclusion')
    assert rows == [("too fast", "manager", 5.0, 8.0, "manager")]
    study.store.close()


def test_an_extra_answer_takes_the_place_of_one_that_is_set_aside(store_url: str) -> None:
    study = study_of(store_url, 1, 2)
    one, two = study.raters
    late = study.claim(one).leases[0]
    study.clock.now += 7200
    study.answer(two, study.claim(two).leases[0])
    assert study.answer(one, late).status == "extra"
    study.write(lambda tx: exclude(tx, two, "reason", "manager", 1.0))
    assert study.states() == {(one, "w0", "main"): "done", (two, "w0", "main"): "aside"}
    study.write(lambda tx: readmit(tx, two, "manager", 2.0))
    assert study.states()[two, "w0", "main"] == "extra"
    assert check(study.store) == []
    study.store.close()


def test_there_is_no_such_rater(store_url: str) -> None:
    study = study_of(store_url, 1, 1)
    with pytest.raises(UsageError, match="no rater 99"):
        study.write(lambda tx: exclude(tx, 99, "reason", "manager", 1.0))
    study.store.close()


def test_an_item_is_added_once_and_never_another_by_its_name(store_url: str) -> None:
    study = study_of(store_url, 2, 1)
    longer = work_item("other")
    with pytest.raises(UsageError) as error:
        study.write(lambda tx: add_items(tx, [work_item("new"), work_item("w0")], 0.0))
    assert error.value.code == "judge-item-exists"
    assert study.rows("SELECT count(*) FROM item") == [(2,)]  # all or none
    from dataclasses import replace

    changed = replace(longer, name="w0")
    with pytest.raises(UsageError) as error:
        study.write(lambda tx: add_items(tx, [changed], 0.0))
    assert error.value.code == "judge-item-changed"
    with pytest.raises(UsageError) as error:
        study.write(lambda tx: stop_item(tx, "none", "reason", 0.0))
    assert error.value.code == "judge-no-item"
    with pytest.raises(UsageError, match="with a reason"):
        study.write(lambda tx: stop_item(tx, "w0", " ", 0.0))
    assert check(study.store) == []
    study.store.close()
