"""The crowd of the demonstration: judges over HTTP, and agrees as people of its accuracies do."""

from __future__ import annotations

import time
from pathlib import Path

from errorbar.demo import GOLD_ITEMS, demo_files
from errorbar.judging.demo import SimulatedCrowd, flagged
from errorbar.judging.study.folder import Study
from errorbar.judging.study.invitations import judge_invite
from errorbar.judging.study.make import judge_init
from errorbar.judging.study.rules import StudyRules
from errorbar.judging.study.status import judge_status
from tests.judging.served import made_study, served

PATIENCE = 60.0


def test_a_crowd_judges_everything_and_tells_errors(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=3), items=30)
    invite = judge_invite(study.folder, crowd="all").links[0].url
    with served(study) as url:
        crowd = SimulatedCrowd(f"{url}/j/{invite.rpartition('/')[2]}", flagged(study), 0.02, ahead=5)
        crowd.start((1.0, 1.0, 1.0))
        until = time.monotonic() + PATIENCE
        while judge_status(study.folder).progress.counted < 90 and time.monotonic() < until:
            time.sleep(0.1)
        crowd.stop()
    found = judge_status(study.folder)
    assert (found.progress.counted, found.progress.n_done) == (90, 30)
    assert found.agreement.observed.value == 1.0  # nobody errs, so that all say the same


def test_the_demonstration_has_gold_of_both_kinds_that_the_crowd_knows(tmp_path: Path) -> None:
    with demo_files() as (corpus, systems):
        gold = corpus.with_name(GOLD_ITEMS)
        made = judge_init(tmp_path / "study", corpus, systems=[systems[0]], gold_items=gold)
    assert (made.n_gold, made.notes) == (20, ())
    truth = flagged(Study.open(tmp_path / "study"))
    assert truth["She is very good in playing the violin .", 17]
    assert not truth["We waited for the bus in the rain .", 22]
