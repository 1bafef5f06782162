"""A question is decided by raters whom gold has tested; labels that exclusions turn are counted."""

from __future__ import annotations

from pathlib import Path

from errorbar.judging import StudyInfo, StudyRules, exclude, read_study, write_about
from errorbar.judging.stopping.decision import StopDecision, stop_decision, stopping_table, verdict
from tests.judging.empty_stores import SCHEME, VALUES, Study, gold_item, work_item

RIGHT, WRONG = VALUES[:2]
STOP = f"share(label={RIGHT},half_width=0.3)"


def study_of(folder: Path, rules: StudyRules, n_items: int = 20) -> Study:
    items = [work_item(f"w{at}") for at in range(n_items)]
    gold = [gold_item(f"g{at}", (RIGHT, WRONG)[at % 2]) for at in range(20)]
    study = Study(str(folder / "store"), rules, items + gold, 3)
    study.write(lambda tx: write_about(tx, StudyInfo(SCHEME, rules, "", "test")))
    return study


def decision(study: Study) -> StopDecision:
    with study.store.read() as tx:
        found = stop_decision(read_study(tx), None)
    assert found is not None
    return found


def work(study: Study, rater: int, value: str, items: int) -> None:
    """So many answers, right ones to gold items."""
    for _ in range(items):
        (lease,) = study.claim(rater, 1).leases
        study.answer(rater, lease, lease.item.answers[0] if lease.item.answers else value)
        study.clock.now += 1


def test_who_has_seen_no_gold_decides_nothing(tmp_path: Path) -> None:
    study = study_of(tmp_path, StudyRules(raters_per_item=1, gold_per_page=2, stop=STOP), 60)
    one = study.raters[0]
    work(study, one, RIGHT, 14)  # the first ten work items, and at most four gold items
    now = decision(study)
    assert (now.n_items > 0, now.n_tested, now.decided, now.doubtful) == (True, 0, False, True)
    assert verdict(now) == "go on: not yet by the 0 items whose raters gold has tested"
    assert any("raters whom gold has not tested" in note for note in stopping_table(now).notes)
    work(study, one, RIGHT, 36)  # ten gold items: five of each class
    now = decision(study)
    assert (now.n_tested == now.n_items, now.decided, now.doubtful) == (True, True, False)


def test_without_gold_that_excludes_all_raters_count(tmp_path: Path) -> None:
    study = study_of(tmp_path, StudyRules(raters_per_item=1, policy="none", gold_per_page=0, stop=STOP))
    work(study, study.raters[0], RIGHT, 16)
    now = decision(study)
    assert (now.n_tested == now.n_items > 9, now.decided) == (True, True)


def test_labels_that_an_exclusion_turned_are_counted(tmp_path: Path) -> None:
    study = study_of(tmp_path, StudyRules(raters_per_item=1, policy="none", gold_per_page=0, stop=STOP))
    one, two, _ = study.raters
    work(study, one, RIGHT, 10)
    assert (decision(study).n_excluded, decision(study).n_turned) == (0, 0)
    study.write(lambda tx: exclude(tx, one, "careless", "manager", study.clock()))
    assert decision(study).n_items == 0
    work(study, two, WRONG, 6)
    work(study, two, RIGHT, 6)
    now = decision(study)
    assert (now.n_excluded, now.n_turned) == (10, 6)
    table = stopping_table(now)
    assert any("6 have another label since: earlier intervals may have been wrong" in note for note in table.notes)
    assert verdict(now) == "narrow enough to stop"
