"""Simulated judges at work through the whole protocol: who is excluded, and what status and analysis say then."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import errorbar
from errorbar import judge_init, judge_invite, judge_status
from errorbar.demo import GOLD_ITEMS, demo_files
from errorbar.judging import Study, StudyRules, check
from errorbar.judging.demo import GOLD_PER_PAGE, SimulatedCrowd, make_truth
from errorbar.tables import Result
from tests.cli.schema import validated
from tests.judging.served import made_study, served
from tests.judging.simulated_judges import SimulatedJudge
from tests.judging.simulated_work import simulate_work

TEXT = "He sat on the chair ."
TRUTHS = {"error-ok": ("error", "ok"), "choice": ("first", "second"), "preposition": ("incorrect", "correct")}
START = 1_790_000_000.0


def study(folder: Path, scheme: str, judges: list[SimulatedJudge], **rules: object) -> Path:
    """A study of 60 items that the judges work on until nothing is left."""
    truths = TRUTHS.get(scheme, ("on", "on"))
    sides = {"candidate1": "on", "candidate2": "in"} if scheme == "choice" else {}
    rows, gold = [], []
    for n in range(60):
        row = {"item": f"i{n}", "text": TEXT, "start": 7, "end": 9, "truth": truths[n % 3 > 0], "flag_lm": n % 2}
        rows.append(json.dumps({**row, "batch": n // 30, **sides}))
    for n in range(40):
        row = {"item": f"g{n}", "text": TEXT, "start": 7, "end": 9, "answer": truths[n % 2]}
        gold.append(json.dumps({**row, **sides}))
    (folder / "items.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "gold.jsonl").write_text("\n".join(gold) + "\n")
    given = {"scheme": scheme, "gold_items": folder / "gold.jsonl", "raters_per_item": 3, "gold_per_page": 3, **rules}
    errorbar.judge_init(folder / "study", folder / "items.jsonl", **given)  # type: ignore[arg-type]
    with Study.open(folder / "study").store() as store:
        simulate_work(store, judges, np.random.default_rng(16), start=START)
        assert check(store) == []
    return folder / "study"


def shown(name: str, result: Result) -> None:
    document = {"schema": f"errorbar.judge.{name}/1", **result.to_dict(), "warnings": []}
    validated(f"judge-{name}", json.dumps(document, allow_nan=False))


@pytest.mark.parametrize("scheme", ["error-ok", "choice", "preposition", "cloze"])
def test_every_scheme_from_the_first_item_to_the_analysis(scheme: str, tmp_path: Path) -> None:
    judges = [SimulatedJudge("good", 0.97) for _ in range(4)]
    path = study(tmp_path, scheme, judges, repeats=0.1)
    status = errorbar.judge_status(path, items=True, resamples=100)
    going = status.progress
    assert (going.counted, going.wanted, going.n_done, status.forecast.why) == (180, 180, 60, "complete")
    assert all(rater.gold.n_units for rater in status.raters)
    assert status.agreement.alpha.value is not None
    assert status.agreement.alpha.value > 0.5 or scheme == "cloze"
    assert bool(status.systems) == (scheme in ("error-ok", "preposition"))
    shown("status", status)
    analysis = errorbar.judge_analyze(path, resamples=100, pay=0.02)
    shown("analyze", analysis)
    assert analysis.figure("distribution", "90 to 100 %", "items").value is not None
    assert analysis.figure("consistency", "all raters", "alike when repeated").n_units > 0
    names = {table.name for table in analysis.tables()}
    extra = {"choice": "preferences", "preposition": "categories", "cloze": "pairs", "error-ok": "systems"}
    assert extra[scheme] in names


def test_who_does_not_look_is_excluded_while_they_work(tmp_path: Path) -> None:
    good = [SimulatedJudge("good", 0.97) for _ in range(4)]
    bad = [SimulatedJudge("constant", 0.0, {"ok": 1.0}), SimulatedJudge("spammer", 0.3, seconds=0.3)]
    status = errorbar.judge_status(study(tmp_path, "error-ok", [*good, *bad]), ci=False)
    by_name = {rater.rater: rater for rater in status.raters}
    constant, spammer = by_name["constant-5"], by_name["spammer-6"]
    assert "0 of 4 gold items right where 'error' is right" in constant.excluded
    assert (constant.n_counted, spammer.n_counted, status.progress.excluded) == (0, 0, 2)
    assert spammer.n_hasty > 0
    assert all(by_name[f"good-{n}"].status == "active" for n in range(1, 5))
    assert status.progress.counted == 180  # their places were filled again


# The crowd of the demonstration: judges over HTTP, and agrees as people of its accuracies do.


PATIENCE = 60.0


def test_a_crowd_judges_everything_and_tells_errors(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=3), items=30)
    invite = judge_invite(study.folder, crowd="all").links[0].url
    with served(study) as url:
        crowd = SimulatedCrowd(f"{url}/j/{invite.rpartition('/')[2]}", make_truth(study), 0.02, ahead=5)
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
        made = judge_init(
            tmp_path / "study", corpus, systems=[systems[0]], gold_items=gold, gold_per_page=GOLD_PER_PAGE
        )
    assert (made.n_gold, made.notes) == (20, ())
    truth = make_truth(Study.open(tmp_path / "study"))
    assert truth["She is very good in playing the violin .", 17]
    assert not truth["We waited for the bus in the rain .", 22]
