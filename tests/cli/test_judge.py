"""``errorbar judge``: from a table of items to links, raters, changes, copies and a demonstration."""

from __future__ import annotations

import csv
import io
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from errorbar import judge_init
from errorbar.core import InputError, Problem, UsageError
from errorbar.judging import Store, Study
from errorbar.judging.study.make import Ruling
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.judging.served import Visitor, served

ITEMS = "id,text,start,end\na,He go home .,3,5\nb,She goes home .,4,8\n"


@pytest.fixture
def study(tmp_path: Path, errorbar: CommandLine) -> Path:
    (tmp_path / "items.csv").write_text(ITEMS)
    made = errorbar("judge", "init", tmp_path / "study", "--from", tmp_path / "items.csv", "--raters-per-item", 2)
    assert made.code == 0, made.err
    return tmp_path / "study"


def judged(study: Path, name: str, errorbar: CommandLine) -> str:
    """Let somebody judge all; their completion code."""
    table = errorbar("judge", "invite", study, "--name", name, "--format", "csv").out
    with served(Study.open(study)) as url:
        visitor = Visitor(url)
        visitor.enter(next(csv.DictReader(io.StringIO(table)))["link"])
        code: str = visitor.through()["work"]["code"]
        return code


def test_links_as_a_table(study: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    assert errorbar("judge", "invite", study, "--raters", 12, "-o", file).code == 0
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [row["name"] for row in rows] == [f"rater-{n}" for n in range(1, 13)]
    assert all(re.fullmatch(r"http://127\.0\.0\.1:8765/j/[\w-]{32}", row["link"]) for row in rows)
    found = validated("judge-invite", errorbar("judge", "invite", study, "--format", "json").out)
    assert [each["link"] for each in found["invitations"]] == [row["link"] for row in rows]
    crowd = errorbar("judge", "invite", study, "--crowd", "--days", 3, "--most", 5, "--format", "json").out
    (one,) = validated("judge-invite", crowd)["invitations"]
    assert (one["name"], one["kind"], one["most_uses"], one["state"]) == ("crowd", "crowd", 5, "open")
    closed = errorbar("judge", "invite", study, "--revoke", "crowd", "--format", "json").out
    assert validated("judge-invite", closed)["invitations"][0]["state"] == "revoked"


def test_a_file_of_links_is_for_its_owner_alone(study: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    for _ in range(2):
        assert errorbar("judge", "invite", study, "--raters", 2, "-o", file).code == 0
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.chmod(0o644)  # one that others could read is replaced by one that they cannot


def test_links_that_could_not_be_written_are_taken_back(
    study: Path, errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError(Problem("cannot-write", "the disk is full"))

    with monkeypatch.context() as patched:
        patched.setattr("errorbar.formats.saving.save_lines", refuse)
        assert errorbar("judge", "invite", study, "--name", "Ann", "-o", tmp_path / "links.csv").code == 2
    assert "Ann" not in errorbar("judge", "invite", study).out
    assert errorbar("judge", "invite", study, "--name", "Ann", "-o", tmp_path / "links.csv").code == 0


def test_a_key_that_others_can_read_is_named(tmp_path: Path, errorbar: CommandLine) -> None:
    flags = "".join(f"i{n},{n % 2}\n" for n in range(40))
    (tmp_path / "flags.csv").write_text(f"item,flag\n{flags}")
    (tmp_path / "texts.csv").write_text("item,text\n" + "".join(f"i{n},[text] {n}\n" for n in range(40)))
    key, sample = tmp_path / "key.json", tmp_path / "set.jsonl"
    drawn = errorbar("sample", "draw", tmp_path / "flags.csv", "--budget", 40, "--out", sample, "--key", key)
    assert drawn.code == 0, drawn.err
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for mode, warns in ((0o600, False), (0o640, True)):
        key.chmod(mode)
        made = errorbar("judge", "init", tmp_path / f"study{mode}", "--from", tmp_path / "texts.csv", "--key", key)
        assert made.code == 0, made.err
        assert ("chmod 600" in made.err) == warns


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"raters_per_item": 10**12}, "raters_per_item must be from 1 to 10,000"),
        ({"raters_per_item": 10**20}, "raters_per_item must be a number below 2\\^63"),
        ({"language": 'en" onload'}, "language must be the code of a language"),
        ({"language": ""}, "language must be the code of a language"),
        ({"pay": "\ud800"}, "the rules of a study must be text, got half of a character"),
    ],
)
def test_rules_out_of_bounds_are_refused(tmp_path: Path, rules: Ruling, says: str) -> None:
    (items := tmp_path / "items.csv").write_text(ITEMS)
    with pytest.raises(UsageError, match=says):
        judge_init(tmp_path / "new", items, **rules)


def test_a_folder_without_a_study_is_not_proposed_in_its_own_place(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "study").mkdir()
    assert "did you mean" not in errorbar("judge", "status", tmp_path / "study").err


def test_k_above_the_raters_that_are_invited_is_said(study: Path, errorbar: CommandLine) -> None:
    assert "only 1 rater is invited" in (said := errorbar("judge", "invite", study, "--raters", 1)).err
    assert (said.code, said.err.count("\n")) == (0, 1)


def test_raters_are_excluded_readmitted_and_their_codes_taken(study: Path, errorbar: CommandLine) -> None:
    code = judged(study, "ann", errorbar)
    out = errorbar("judge", "raters", study, "--exclude", "ann", "--reason", "a test", "--format", "json").out
    (ann,) = validated("judge-raters", out)["raters"]
    assert (ann["status"], ann["reason"], ann["by"], ann["judged"]) == ("excluded", "a test", "manager", 2)
    assert "already" in errorbar("judge", "raters", study, "--exclude", "ann", "--reason", "x").err
    assert errorbar("judge", "raters", study, "--readmit", "ann").err.startswith("note: 'ann' is readmitted")
    assert errorbar("judge", "raters", study, "--redeem", code).code == 0
    again = errorbar("judge", "raters", study, "--redeem", code)
    assert (again.code, "redeemed before" in again.err) == (2, True)
    assert errorbar("judge", "raters", study, "--redeem", "2222-2222-2222").code == 2
    assert "[judge-no-reason]" in errorbar("judge", "raters", study, "--exclude", "ann").err
    assert "did you mean 'ann'" in errorbar("judge", "raters", study, "--readmit", "an").err


def test_rules_and_items_change(study: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("id,text,start,end\nc,It rains .,3,8\n")
    given = ("--rule", "raters-per-item=1", "--rule", "page=5", "--add", tmp_path / "more.csv", "--stop", "a")
    changed = errorbar("judge", "change", study, *given, "--reason", "cut off", "--format", "json")
    found = validated("judge-change", changed.out)
    assert (found["rules"]["raters_per_item"], found["rules"]["page"], found["added"]) == (1, 5, 1)
    assert validated("judge-change", errorbar("judge", "change", study, "--format", "json").out)["rules"]["page"] == 5


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("--rule", "pages=5"), "judge-rule"),
        (("--rule", "page"), "judge-rule"),
        (("--rule", "page=11"), "bad-parameter"),
        (("--rule", "page=x"), "bad-parameter"),
        (("--rule", "policy=strict"), "bad-parameter"),
        (("--rule", "page=5", "--stop", "nothing", "--reason", "x"), "judge-no-item"),
        (("--rule", "page=5", "--stop", "a"), "judge-no-reason"),
    ],
)
def test_a_change_is_whole_or_not_at_all(study: Path, errorbar: CommandLine, given: tuple[str, ...], code: str) -> None:
    said = errorbar("judge", "change", study, *given)
    assert said.code == 2
    assert f"[{code}]" in said.err
    assert said.err.count("\n") == 1
    assert validated("judge-change", errorbar("judge", "change", study, "--format", "json").out)["rules"]["page"] == 10


def test_a_backup_is_the_study_again(study: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    judged(study, "ann", errorbar)
    saved = errorbar("judge", "backup", study, tmp_path / "saved", "--format", "json")
    made = errorbar("judge", "restore", tmp_path / "saved", tmp_path / "again", "--format", "json")
    one, other = validated("judge-backup", saved.out), validated("judge-restore", made.out)
    assert one["digest"] == other["digest"]
    assert one["rows"]["answer"] == 2
    links = [errorbar("judge", "invite", each, "--format", "csv").out for each in (study, tmp_path / "again")]
    assert links[0] == links[1]
    assert "ann" in links[0]
    assert "[judge-taken]" in errorbar("judge", "backup", study, tmp_path / "saved").err


def test_an_adjudication_is_made_and_analyzed(study: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    judged(study, "ann", errorbar)
    nothing = errorbar("judge", "adjudicate", study, tmp_path / "decided")
    assert "[judge-no-difference]" in nothing.err
    assert "--all" in nothing.err
    made = errorbar("judge", "adjudicate", study, tmp_path / "decided", "--all", "--format", "json")
    counts = validated("judge-adjudicate", made.out)
    assert (counts["items"], counts["agreed_items"], counts["raters"]) == (2, 0, ["ann"])
    assert [warning["code"] for warning in counts["warnings"]] == ["judge-unfinished"]
    judged(tmp_path / "decided", "bea", errorbar)
    analysis = errorbar("judge", "analyze", tmp_path / "decided", "--format", "json").out
    findings = validated("judge-analyze", analysis)["findings"]
    assert {each["section"] for each in findings} >= {"adjudication", "decisions", "upheld"}
    assert "ann" in {each["of"] for each in findings}
    expert = errorbar("judge", "analyze", tmp_path / "decided", "--expert", "ann")
    assert "[useless-option]" in expert.err


@pytest.mark.parametrize("name", ["serve", "invite", "raters", "change", "backup", "adjudicate"])
def test_a_folder_that_is_no_study(name: str, errorbar: CommandLine, tmp_path: Path) -> None:
    more = [tmp_path / "out"] if name in ("backup", "adjudicate") else []
    said = errorbar("judge", name, tmp_path, *more)
    assert said.code == 2
    assert "[judge-no-study]" in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["serve", "invite", "raters", "status"])
def test_a_store_of_a_newer_errorbar(name: str, study: Path, errorbar: CommandLine) -> None:
    with Study.open(study).store() as store:
        store.write(lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'"))
    said = errorbar("judge", name, study)
    assert said.code == 2
    assert "[store-newer]" in said.err
    assert said.err.count("\n") == 1


def test_a_port_in_use_is_one_line(study: Path, errorbar: CommandLine) -> None:
    with served(Study.open(study)) as url:
        said = errorbar("judge", "serve", study, "--port", url.rpartition(":")[2])
    assert said.code == 2
    assert "[judge-port]" in said.err
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_the_demonstration(tmp_path: Path) -> None:
    """A crowd judges over HTTP beside whoever looks on, and the study stays."""
    words = ["judge", "demo", "--no-browser", "--port", "0", "--pause", "0.02", "--save", str(tmp_path / "demo")]
    with subprocess.Popen([sys.executable, "-m", "errorbar", *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert "/j/" in process.stdout.readline()
        until = time.monotonic() + 60
        answers = 0
        while answers < 50 and time.monotonic() < until:
            time.sleep(0.2)
            with Store.open(Study.open(tmp_path / "demo").url, read_only=True) as store, store.read() as snapshot:
                answers = snapshot.exec_driver_sql("SELECT count(*) FROM answer").scalar() or 0
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert answers >= 50
