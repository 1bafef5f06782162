"""Raters who leave: their answers stay or go, as the consent says; who is forgotten is nowhere in the store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar.core import UsageError
from errorbar.judging import Study, StudyRules, check
from errorbar.judging.store.engines import file_of
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.judging.served import Visitor, made_study, served

NOTE = "the cat sat on my keyboard"
RULES: dict[str, Any] = {"raters_per_item": 2, "quiz": 2, "quiz_pass": 0.5, "policy": "none", "gold_per_page": 1}


def study_at(folder: Path, url: str, **rules: Any) -> Study:  # noqa: ANN401
    """A study on a kind of store."""
    is_file = "://" not in url
    return made_study(folder, StudyRules(**{**RULES, **rules}), items=8, gold=6, url="" if is_file else url)


def link_of(folder: Path, name: str) -> str:
    """The path of somebody's link."""
    url = next(link.url for link in errorbar.judge_invite(folder).links if link.invite.label == name)
    return f"/j/{url.rpartition('/')[2]}"


def work_of(folder: Path, url: str, name: str, *, withdraws: bool = False) -> Visitor:
    """Somebody who passes the quiz, answers nine items, one with a note, skips one, and perhaps withdraws."""
    visitor = Visitor(url)
    errorbar.judge_invite(folder, names=[name])
    visitor.enter(link_of(folder, name))
    for item in visitor.claim()["items"]:
        visitor.answer([item], "error" if "Gold 0" in item["html"] or "Gold 2" in item["html"] else "ok")
    items = visitor.claim()["items"]
    visitor.answer(items[:-1])
    base = {"assignment": items[0]["assignment"], "text_hash": items[0]["text_hash"], "milliseconds": 1_987_654_321}
    changed = {
        **base,
        "submission": f"note-{items[0]['assignment']}",
        "base_version": 1,
        "answer": {"judgment": "error"},
    }
    visitor.post("/api/answer", {"answers": [{**changed, "comment": NOTE}], "want": 0})
    stale = {
        **base,
        "submission": f"stale-{items[0]['assignment']}",
        "base_version": 0,
        "answer": {"judgment": "ok"},
        "comment": NOTE,
    }
    assert visitor.post("/api/answer", {"answers": [stale], "want": 0}).json()["receipts"][0]["status"] == "conflict"
    if withdraws:
        reply = visitor.form("/withdraw", sure="yes")
        assert reply.status_code == 200
        assert 'data-notice="withdrawn"' in reply.text
    return visitor


def everything(study: Study) -> str:
    """All that a store holds, as text."""
    with study.store(read_only=True) as store, store.read() as tx:
        from errorbar.judging.store.tables import METADATA

        return "\n".join(str(tuple(row)) for table in METADATA.sorted_tables for row in tx.execute(table.select()))


@pytest.mark.parametrize("withdrawal", ["keep", "remove"])
def test_who_withdraws_leaves_their_answers_or_takes_them_along(
    tmp_path: Path, store_url: str, withdrawal: str
) -> None:
    study = study_at(tmp_path / "study", store_url, withdrawal=withdrawal)
    with served(study) as url:
        anna = work_of(study.folder, url, "anna")
        before = errorbar.judge_status(study.folder).progress
        bert = work_of(study.folder, url, "bert", withdraws=True)
        assert bert.http.post("/api/claim", json={"want": 1}).status_code == 401
        after = errorbar.judge_status(study.folder)
        exported = [row for row in errorbar.judge(study.folder).rows if row.rater == "bert"]
        if withdrawal == "keep":
            assert after.progress.counted == 2 * before.counted
            assert any(row.comment == NOTE for row in exported)
        else:
            assert (after.progress.counted, after.progress.skipped) == (before.counted, before.skipped)
            assert {row.answer for row in exported} == {None}
            assert {row.comment for row in exported} == {""}
            errorbar.judge_invite(study.folder, names=["carl"])
            carl = Visitor(url)
            carl.enter(link_of(study.folder, "carl"))
            assert carl.claim()["standing"] == "quiz"  # the places are free again
        assert (after.progress.withdrawn, after.progress.held) == (1, before.held)
        assert "1 withdrawn" in str(after)
        with pytest.raises(UsageError, match="'bert' has withdrawn from the study"):
            errorbar.judge_raters(study.folder, exclude="bert", reason="too fast")
        back = Visitor(url)  # by the same link there is no work, and nothing is taken any more
        back.enter(link_of(study.folder, "bert"))
        assert back.claim()["standing"] == "withdrawn"
        late = {"submission": "late", "assignment": "unknown", "text_hash": "", "base_version": 0, "comment": NOTE * 2}
        assert back.post("/api/answer", {"answers": [late], "want": 0}).json()["receipts"][0]["status"] == "refused"
        assert anna.claim()["standing"] == "work"
    with study.store() as store:
        assert check(store) == []
    assert NOTE * 2 not in everything(study)


@pytest.mark.parametrize("withdrawal", ["keep", "remove"])
def test_who_is_forgotten_is_nowhere_in_the_store(tmp_path: Path, store_url: str, withdrawal: str) -> None:
    study = study_at(tmp_path / "study", store_url, withdrawal=withdrawal)
    with served(study) as url:
        work_of(study.folder, url, "bertrand-russell")
    errorbar.judge_raters(study.folder, exclude="bertrand-russell", reason="bertrand-russell is too fast")
    errorbar.judge_raters(study.folder, readmit="bertrand-russell")
    assert "bertrand-russell" in everything(study)
    n_judgments = len(errorbar.judge(study.folder).judgments)
    result = errorbar.judge_forget(study.folder, "bertrand-russell")
    assert (result.name, result.removed) == ("forgotten-1", withdrawal == "remove")
    assert [note.code for note in result.notes] == ["judge-forgotten"]
    kept = errorbar.judge(study.folder)
    assert len(kept.judgments) == (n_judgments if withdrawal == "keep" else 0)
    text = everything(study)
    for trace in ("bertrand", NOTE, "1987654321", "invite:"):
        assert trace not in text, trace
    moments = {float(each) for each in re.findall(r"\b1[0-9]{9}\.[0-9]+", text)}
    assert len(moments) <= 2  # when it was forgotten, in one event or two
    if file := file_of(study.url):
        assert not any(b"bertrand" in path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    status = errorbar.judge_status(study.folder)
    assert (status.progress.withdrawn, status.progress.forgotten) == (1, 1)
    assert "1 forgotten" in str(status)
    again = errorbar.judge_forget(study.folder, "forgotten-1")
    assert again.name == "forgotten-1"
    with study.store() as store:
        assert check(store) == []
    with pytest.raises(UsageError, match="no rater is called 'bertrand-russell'"):
        errorbar.judge_forget(study.folder, "bertrand-russell")


def test_exports_say_who_was_forgotten_and_are_restored(tmp_path: Path, errorbar: CommandLine) -> None:
    import errorbar as package

    study = study_at(tmp_path / "study", "", withdrawal="keep")
    with served(study) as url:
        work_of(study.folder, url, "bert")
    done = errorbar("judge", "forget", str(study.folder), "bert", "--format", "json")
    assert validated("judge-forget", done.out)["rater"] == "forgotten-1"
    export = tmp_path / "all.jsonl"
    shown = errorbar("judge", "export", str(study.folder), "-o", str(export))
    assert "1 rater was forgotten" in shown.err
    package.judge_init(tmp_path / "again", export)
    assert package.judge_status(tmp_path / "again").progress.forgotten == 1
    assert "1 rater was forgotten" in errorbar("judge", "analyze", str(tmp_path / "again")).err


def test_answers_of_an_excluded_rater_who_withdraws_stay_aside(tmp_path: Path, store_url: str) -> None:
    study = study_at(tmp_path / "study", store_url, withdrawal="keep")
    with served(study) as url:
        bert = work_of(study.folder, url, "bert")
        errorbar.judge_raters(study.folder, exclude="bert", reason="too fast")
        before = errorbar.judge_status(study.folder).progress
        bert.form("/withdraw", sure="yes")
        after = errorbar.judge_status(study.folder).progress
    assert (after.aside, after.counted, after.excluded, after.withdrawn) == (before.aside, 0, 0, 1)
    assert before.aside > 0
    with pytest.raises(UsageError, match="'bert' is not excluded"):
        errorbar.judge_raters(study.folder, readmit="bert")
    with study.store() as store:
        assert check(store) == []


def test_a_withdrawal_needs_the_word_of_the_page_and_a_tick(tmp_path: Path) -> None:
    study = study_at(tmp_path / "study", "")
    with served(study) as url:
        bert = work_of(study.folder, url, "bert")
        assert bert.http.post("/withdraw", data={"sure": "yes"}).status_code == 403
        assert bert.form("/withdraw").status_code == 303
        assert errorbar.judge_status(study.folder).progress.withdrawn == 0
        assert "the answers that you gave before are kept" in bert.http.get("/withdraw").text
