"""Who gets what: k, order, gold, repeats, the quiz, quotas, two tabs, many at once."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from errorbar.core import UsageError
from errorbar.judging import JudgedItem, Store, StudyRules, Work, check, exclude, readmit, set_rules, stop_item
from errorbar.judging.protocol.assignments import count_items_of
from errorbar.judging.protocol.claims import gold_positions
from errorbar.judging.protocol.completion_codes import Redeemed, redeem
from errorbar.judging.store.tables import ITEM
from errorbar.judging.study.raters import redeem_code
from tests.judging.empty_stores import VALUES, Study, answer_to, gold_item, work_item

HOUR = 3600.0


def works(n: int) -> list[JudgedItem]:
    return [work_item(f"w{number}") for number in range(n)]


def golds(n: int) -> list[JudgedItem]:
    return [gold_item(f"g{number}", VALUES[number % 2]) for number in range(n)]


def names(work: Work) -> list[str]:
    return [lease.item.name for lease in work.leases]


def judge_all(study: Study, rater: int, most: int = 10_000) -> list[tuple[str, str]]:
    """Name and round of what a rater judges until there is nothing more, in their order."""
    seen: list[tuple[str, str]] = []
    work = study.claim(rater)
    while work.leases and len(seen) < most:
        lease = work.leases[0]
        seen.append((lease.item.name, lease.round))
        assert study.answer(rater, lease).status in ("saved", "extra")
        work = study.claim(rater)
    return seen


def test_forty_raters_at_once_get_each_item_k_times(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=3), works(60), 40)
    with ThreadPoolExecutor(16) as pool:
        given = list(pool.map(lambda rater: names(study.claim(rater, 7)), study.raters))
    counts = Counter(name for each in given for name in each)
    assert set(counts.values()) == {3}
    assert len(counts) == 60
    assert all(len(each) == len(set(each)) for each in given)
    assert check(study.store) == []
    study.store.close()


def test_two_stores_on_one_file_never_give_too_much(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=2), works(20), 16)
    other = Store.open(store_url, clock=study.clock)
    mine = study.store

    def claim(at: int) -> list[str]:
        twin = Study.__new__(Study)
        twin.store, twin.clock = (mine, other)[at % 2], study.clock
        return names(twin.claim(study.raters[at], 5))

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(claim, range(16)))
    assert Counter(Counter(name for each in given for name in each).values()) == {2: 20}
    other.close()
    study.store.close()


def test_two_tabs_hold_the_same_leases(store_url: str) -> None:
    study = Study(store_url, StudyRules(), works(30), 1)
    first, second = study.claim(study.raters[0], 4), study.claim(study.raters[0], 4)
    assert first.leases == second.leases
    more = study.claim(study.raters[0], 6)
    assert more.leases[:4] == first.leases
    assert len(more.leases) == 6
    study.store.close()


def test_the_first_rater_gets_the_first_item(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1), works(1), 2)
    assert names(study.claim(study.raters[0])) == ["w0"]
    assert study.claim(study.raters[1]).standing == "waiting"
    study.answer(study.raters[0], study.claim(study.raters[0]).leases[0])
    assert study.claim(study.raters[1]).standing == "finished"
    assert study.claim(study.raters[1]).code == ""  # who judged nothing has no code
    assert study.claim(study.raters[0]).code != ""
    study.store.close()


def test_the_count_of_a_raters_items_is_what_they_judge_in_the_end(store_url: str) -> None:
    """It changes with what others take and what is stopped, not with what the rater does."""
    rules = StudyRules(raters_per_item=1, page=2, policy="none")
    study = Study(store_url, rules, works(7), 2)
    one, two = study.raters

    def counts() -> tuple[int, int]:
        with study.store.read() as snapshot:
            return count_items_of(snapshot, rules, one), count_items_of(snapshot, rules, two)

    assert counts() == (7, 7)
    for judged in range(4):
        held = study.claim(one, 2).leases
        assert counts() == (7, 7 - judged - len(held))
        if judged < 3:
            study.answer(one, held[0])
    assert counts() == (7, 2)  # three judged and two held
    taken = names(study.claim(two, 1))
    assert counts() == (6, 2)
    known = {name for (name,) in study.write(lambda tx: tx.execute(select(ITEM.c.name).where(ITEM.c.taken == 0)).all())}
    assert len(known - {*taken}) == 1
    study.write(lambda tx: stop_item(tx, known.pop(), "unclear", study.clock()))
    assert counts() == (5, 1)
    judge_all(study, one)
    assert study.claim(one).done == counts()[0] == 5
    study.store.close()


def test_a_lease_that_ran_out_goes_to_others_or_back(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1, lease_minutes=60), works(1), 2)
    one, two = study.raters
    lease = study.claim(one).leases[0]
    study.clock.now += HOUR + 1
    again = study.claim(one).leases[0]
    assert again.token == lease.token
    study.clock.now += HOUR + 1
    assert names(study.claim(two)) == ["w0"]
    assert study.claim(one).standing == "waiting"
    study.clock.now -= 10 * HOUR  # a clock that is set back ends no lease
    assert study.claim(one).standing == "waiting"
    assert len(study.claim(two).leases) == 1
    study.store.close()


@pytest.mark.slow
def test_one_gold_item_stands_in_each_page_of_ten_at_changing_places(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=9, policy="none"), works(72) + golds(20), 2)
    places = []
    for rater in study.raters:
        seen = [name for name, _ in judge_all(study, rater, 80)]
        pages = [seen[at : at + 10] for at in range(0, 80, 10)]
        places += [tuple(name[0] == "g" for name in page).index(True) for page in pages]
        assert [sum(name[0] == "g" for name in page) for page in pages] == [1] * 8
        right = Counter(int(name[1:]) % 2 for name in seen if name[0] == "g")
        assert right[0] == right[1] == 4  # classes balanced
    assert len(set(places)) > 4
    study.store.close()


def test_gold_positions_are_even_and_not_to_be_foreseen() -> None:
    drawn = Counter(at for seed in range(200) for page in range(10) for at in gold_positions(seed, page, 10, 1))
    assert sum(drawn.values()) == 2000
    expected = 200.0
    chi2 = sum((drawn[at] - expected) ** 2 / expected for at in range(10))
    assert chi2 < 27.9  # p = .001 with 9 degrees of freedom; the seeds are fixed


def test_gold_that_is_left_over_blocks_no_end(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1, policy="none"), works(5) + golds(30), 1)
    seen = judge_all(study, study.raters[0])
    assert sum(name[0] == "w" for name, _ in seen) == 5
    assert study.claim(study.raters[0]).standing == "finished"
    study.store.close()


def test_without_gold_or_items_nothing_is_given(store_url: str) -> None:
    study = Study(store_url, StudyRules(quiz=5), [], 1)
    assert study.claim(study.raters[0]) == Work("finished", (), 0, 0)
    study.store.close()


def test_repeats_come_ten_items_later_and_turned(store_url: str) -> None:
    items = [JudgedItem(f"w{n}", f"Text {n} .", (0, 4), candidates=("Text", "Test")) for n in range(60)]
    study = Study(store_url, StudyRules(raters_per_item=1, repeats=0.3), items, 1)
    rater, work, order = study.raters[0], study.claim(study.raters[0]), []
    while work.leases:
        order.append(work.leases[0])
        study.answer(rater, work.leases[0])
        work = study.claim(rater)
    first = {lease.item.name: at for at, lease in enumerate(order) if lease.round == "main"}
    again = {lease.item.name: at for at, lease in enumerate(order) if lease.round == "repeat"}
    assert len(first) == 60
    assert 8 <= len(again) <= 40
    assert all(at - first[name] > 10 for name, at in again.items())
    turned = {lease.item.name: lease.reversed for lease in order if lease.round == "main"}
    assert all(order[at].reversed != turned[name] for name, at in again.items())
    assert 15 <= sum(turned.values()) <= 45
    assert check(study.store) == []
    study.store.close()


def test_sides_stay_those_that_were_shown(store_url: str) -> None:
    items = [JudgedItem(f"w{n}", f"Text {n} .", (0, 4), candidates=("Text", "Test")) for n in range(10)]
    study = Study(store_url, StudyRules(), items, 1)
    before = {lease.token: lease.reversed for lease in study.claim(study.raters[0]).leases}
    study.clock.now += 2 * HOUR
    assert {lease.token: lease.reversed for lease in study.claim(study.raters[0]).leases} == before
    study.store.close()


def test_a_quota_counts_gold_and_ends_with_a_code(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1, items_per_rater=12, policy="none"), works(40) + golds(9), 1)
    rater = study.raters[0]
    for done in range(12):
        work = study.claim(rater)
        assert (work.standing, work.done, work.of, work.code) == ("work", done, 12, "")
        assert len(work.leases) == min(10, 12 - done)
        study.answer(rater, work.leases[0])
    work = study.claim(rater)
    assert (work.standing, work.done, work.leases) == ("finished", 12, ())
    assert len(work.code) == 14
    assert study.claim(rater).code == work.code
    study.store.close()


def test_a_code_is_for_answers_not_for_skips(store_url: str) -> None:
    """R37: one answer and 79 skips are no work, and an answer that becomes a skip is none any more."""
    study = Study(store_url, StudyRules(raters_per_item=1, items_per_rater=10, policy="none"), works(80), 1)
    rater = study.raters[0]
    first = study.claim(rater, 1).leases[0]
    study.answer(rater, first)
    while leases := study.claim(rater).leases:
        for lease in leases:
            study.skip(rater, lease)
    work = study.claim(rater)
    assert (work.standing, work.done, work.code) == ("finished", 1, "")
    study.store.close()


def redeemed(study: Study, code: str) -> Redeemed:
    return study.write(lambda tx: redeem(tx, code, study.clock()))


def test_a_code_is_withdrawn_while_the_work_is_below_the_quota(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1, items_per_rater=10, policy="none"), works(10), 1)
    rater = study.raters[0]
    leases = study.claim(rater).leases
    for lease in leases:
        study.answer(rater, lease)
    code = study.claim(rater).code
    assert len(code) == 14
    study.skip(rater, leases[3], base=1)
    assert study.claim(rater).code == ""
    fewer = "of the 10 judgments that it was given for 9 are left"
    assert redeemed(study, code) == Redeemed("r1", None, fewer)
    with pytest.raises(UsageError, match=f"of 'r1' was withdrawn: {fewer}"):
        study.write(lambda tx: redeem_code(tx, code, study.clock()))
    study.answer(rater, leases[3], base=2)
    assert study.claim(rater).code == code
    study.write(lambda tx: exclude(tx, rater, "too fast", "manager", study.clock()))
    assert redeemed(study, code) == Redeemed("r1", None, "they are excluded")
    study.write(lambda tx: readmit(tx, rater, "manager", study.clock()))
    assert redeemed(study, code) == Redeemed("r1")
    study.skip(rater, leases[3], base=3)
    with pytest.raises(UsageError, match="since then of the 10 judgments"):
        study.write(lambda tx: redeem_code(tx, code, study.clock()))
    study.store.close()


def test_a_larger_quota_takes_no_code_away(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1, items_per_rater=5), works(9), 1)
    rater = study.raters[0]
    for lease in study.claim(rater).leases:
        study.answer(rater, lease)
    code = study.claim(rater).code
    assert code
    study.write(lambda tx: set_rules(tx, StudyRules(raters_per_item=1, items_per_rater=9), study.clock()))
    assert study.claim(rater).code == code
    study.store.close()


def test_where_the_study_ends_before_the_quota_nothing_may_be_skipped(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=2, items_per_rater=10), works(6), 2)
    diligent, other = study.raters
    for rater in study.raters:
        for at, lease in enumerate(study.claim(rater).leases):
            study.skip(rater, lease) if rater == other and at == 2 else study.answer(rater, lease)
    assert study.claim(diligent).standing == study.claim(other).standing == "finished"
    assert len(study.claim(diligent).code) == 14
    assert study.claim(other).code == ""
    study.store.close()


def test_what_lapsed_comes_again_first_in_its_order(store_url: str) -> None:
    """Gold or not: letting leases run out tells nobody which items are gold."""
    study = Study(store_url, StudyRules(raters_per_item=2, policy="none", gold_per_page=2), works(90) + golds(40), 1)
    (rater,) = study.raters
    page = study.claim(rater).leases
    assert any(lease.item.kind == "gold" for lease in page)
    for _ in range(9):
        study.clock.now += 2 * HOUR
        assert study.claim(rater).leases == page
    study.answer(rater, page[0])
    study.clock.now += 2 * HOUR
    again = study.claim(rater).leases
    assert again[:9] == page[1:]
    assert again[9] not in page
    assert check(study.store) == []
    study.store.close()


def test_gold_is_not_handed_out_more_often_than_work_where_others_take_what_lapsed(tmp_path: Path) -> None:
    """A rater lets twelve pages lapse, two hours each, while another works: gold comes again when work would."""
    times: dict[str, list[int]] = {"g": [], "w": []}
    for n in range(6):
        rules = StudyRules(raters_per_item=1, policy="none", gold_per_page=3)
        study = Study(str(tmp_path / f"{n}.sqlite"), rules, works(200) + golds(60), n + 2)
        patient, busy = study.raters[-2:]
        handed_out: Counter[str] = Counter()
        for _ in range(12):
            handed_out.update(names(study.claim(patient)))
            study.clock.now += 2 * HOUR
            for _ in range(2):
                study.submit(busy, *map(answer_to, study.claim(busy).leases))
        for name, count in handed_out.items():
            times[name[0]].append(count)
        study.store.close()
    work, gold = (np.array(times[kind]) for kind in "wg")
    assert len(gold) > 40
    error = float(np.sqrt(work.var() / len(work) + gold.var() / len(gold)))
    assert gold.mean() - work.mean() < 3 * error


def test_the_quiz_comes_first_and_tells(store_url: str) -> None:
    rules = StudyRules(quiz=4, quiz_pass=0.75, policy="none")
    study = Study(store_url, rules, works(20) + golds(12), 2)
    good, bad = study.raters
    for rater, wanted in ((good, 3), (bad, 2)):
        right: Counter[str] = Counter()
        for number in range(4):
            work = study.claim(rater)
            assert (work.standing, work.done, work.of) == ("quiz", number, 4)
            lease = work.leases[0]
            right[lease.item.answers[0]] += 1
            wrong = next(value for value in VALUES if value not in lease.item.answers)
            receipt = study.answer(rater, lease, lease.item.answers[0] if number < wanted else wrong)
            assert receipt.feedback == {
                "right": number < wanted,
                "answers": list(lease.item.answers),
                "explanation": "Because.",
            }
            again = study.answer(rater, lease, base=1)
            assert (again.status, again.why) == ("refused", "answers of the quiz cannot be changed")
        assert set(right.values()) == {2}
    assert study.claim(good).standing == "work"
    assert study.claim(good).done == 0
    assert study.claim(bad) == Work("failed", (), 0, 0)
    quizzed = {name for rater, name, round in study.states() if (rater, round) == (good, "quiz")}
    judged = {name for name, _ in judge_all(study, good)}
    assert not judged & quizzed  # who was told the answer is not tested by it
    assert check(study.store) == []
    study.store.close()


def test_a_quiz_that_is_set_later_asks_nobody_what_they_had(store_url: str) -> None:
    study = Study(store_url, StudyRules(gold_per_page=4, policy="none"), works(30) + golds(14), 1)
    (rater,) = study.raters
    had = {name for name, _ in judge_all(study, rater, 10) if name.startswith("g")}
    had |= {name for name in names(study.claim(rater)) if name.startswith("g")}
    assert len(had) >= 4
    study.write(lambda tx: set_rules(tx, StudyRules(gold_per_page=4, policy="none", quiz=14), study.clock()))
    work = study.claim(rater)
    assert (work.standing, work.of) == ("quiz", 14 - len(had))
    assert not had & set(names(work))
    study.store.close()


def test_a_skipped_quiz_question_is_wrong(store_url: str) -> None:
    study = Study(store_url, StudyRules(quiz=2, quiz_pass=1.0), works(3) + golds(4), 1)
    rater = study.raters[0]
    first, second = study.claim(rater).leases
    study.skip(rater, first)
    study.answer(rater, second, second.item.answers[0])
    assert study.claim(rater).standing == "failed"
    study.store.close()


def test_rules_that_change_in_the_middle(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=3, policy="none"), works(4), 3)
    for rater in study.raters:
        for lease in study.claim(rater).leases[:3]:
            study.answer(rater, lease)
    study.write(lambda tx: set_rules(tx, StudyRules(raters_per_item=1, policy="none"), study.clock()))
    assert check(study.store) == []
    counts = Counter(study.states().values())
    assert counts["done"] == 4
    assert counts["open"] == 0
    study.write(lambda tx: set_rules(tx, StudyRules(raters_per_item=3, policy="none"), study.clock()))
    assert check(study.store) == []
    assert Counter(study.states().values())["done"] == 9  # none of the work is lost
    for rater in study.raters:
        judge_all(study, rater)
    assert set(study.rows("SELECT taken FROM item")) == {(3,)}
    study.store.close()


def test_a_stopped_item_is_given_to_nobody_and_its_lease_can_be_answered(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=2), works(1), 2)
    lease = study.claim(study.raters[0]).leases[0]
    study.write(lambda tx: stop_item(tx, "w0", "the text is broken", study.clock()))
    assert study.claim(study.raters[1]).standing == "finished"
    assert study.answer(study.raters[0], lease).status == "saved"
    assert study.rows("SELECT taken, stopped FROM item") == [(1, "the text is broken")]
    assert check(study.store) == []
    study.store.close()


@pytest.mark.parametrize("n", [1, 59, 60, 61, 121])
def test_every_item_is_found_at_the_edges_of_words(n: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    study = Study(str(tmp_path_factory.mktemp("s") / "s.sqlite"), StudyRules(raters_per_item=1), works(n), 1)
    assert sorted(name for name, _ in judge_all(study, study.raters[0])) == sorted(f"w{at}" for at in range(n))
    study.store.close()


def test_what_a_rater_gets_tells_nothing_of_gold(store_url: str) -> None:
    study = Study(store_url, StudyRules(policy="none"), works(30) + golds(30), 1)
    leases = study.claim(study.raters[0]).leases
    shapes = {(len(lease.token), lease.round) for lease in leases}
    assert len(shapes) == 1
    kinds = {lease.item.kind for lease in leases}
    assert kinds == {"work", "gold"}
    assert not any(json.dumps(lease.item.asked()).count("gold") for lease in leases)
    study.store.close()


def test_a_clock_that_was_ahead_for_a_moment_keeps_no_item_until_that_day(store_url: str) -> None:
    study = Study(store_url, StudyRules(raters_per_item=1, policy="none"), [work_item("w")], 2)
    one, two = study.raters
    study.clock.now += 86_400 * 365
    (lease,) = study.claim(one).leases
    study.clock.now -= 86_400 * 365
    assert [each.item.name for each in study.claim(two).leases] == ["w"]
    assert study.answer(one, lease).status == "extra"
    study.clock.now -= 30  # as clocks are set right day by day
    assert [each.item.name for each in study.claim(two).leases] == ["w"]
    study.store.close()
