"""The folder of a study: whole or not at all, its secrets the owner's alone."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from sqlalchemy import text

from errorbar import ErrorbarError, judge_init
from errorbar.core import InputError, UsageError
from errorbar.judging import Store, Study
from tests.helpers.cli import CommandLine

ITEMS = "item,text\na,He depends [of] him .\nb,He is [at] home .\n"


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "items.csv"
    path.write_text(ITEMS, encoding="utf-8")
    return path


def test_a_study_is_made_and_opened(tmp_path: Path, items: Path) -> None:
    made = judge_init(tmp_path / "study", items, raters_per_item=5)
    assert made.to_dict()["judgments"] == 10
    assert {path.name for path in made.folder.iterdir()} >= {
        "study.toml",
        "secrets.json",
        "scheme.toml",
        "store.sqlite3",
    }
    study = Study.open(made.folder)
    with study.store(read_only=True) as store, store.read() as tx:
        assert tx.scalar(text("SELECT count(*) FROM item")) == 2
    assert len({study.secrets.manager, study.secrets.cookie}) == 2
    assert "manager" not in repr(study.secrets)


def test_a_study_may_be_moved(tmp_path: Path, items: Path) -> None:
    judge_init(tmp_path / "study", items)
    (tmp_path / "study").rename(tmp_path / "elsewhere")
    with Study.open(tmp_path / "elsewhere").store() as store:
        assert store.revision()


def test_secrets_are_the_owners(tmp_path: Path, items: Path) -> None:
    judge_init(tmp_path / "study", items)
    path = tmp_path / "study/secrets.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    with pytest.raises(InputError, match="others than the owner may read the study's secrets; chmod 600"):
        _ = Study.open(tmp_path / "study").secrets


def test_no_command_prints_secrets(tmp_path: Path, items: Path, errorbar: CommandLine) -> None:
    folder = tmp_path / "study"
    shown = [errorbar("judge", "init", folder, "--from", items), errorbar("judge", "export", folder, "--to", "jsonl")]
    assert [each.code for each in shown] == [0, 0]
    for secret in json.loads((folder / "secrets.json").read_text()).values():
        assert not secret or all(secret not in each.out + each.err for each in shown)


@pytest.mark.parametrize("wrong", ["item,text\na,\n", "item,text\na,b\na,b\n"])
def test_of_bad_items_nothing_is_made(wrong: str, tmp_path: Path, errorbar: CommandLine) -> None:
    path = tmp_path / "items.csv"
    path.write_text(wrong, encoding="utf-8")
    done = errorbar("judge", "init", tmp_path / "study", "--from", path)
    assert (done.code, done.out) == (2, "")
    assert [each.name for each in tmp_path.iterdir()] == ["items.csv"]


def test_what_fails_half_way_leaves_nothing(tmp_path: Path, items: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("errorbar.judging.study.make.add_items", fail)
    with pytest.raises(ErrorbarError):
        judge_init(tmp_path / "study", items)
    assert [each.name for each in tmp_path.iterdir()] == ["items.csv"]


def test_a_folder_that_is_taken_is_refused(tmp_path: Path, items: Path) -> None:
    with pytest.raises(UsageError, match="is there already, and is no empty folder"):
        judge_init(tmp_path, items)
    (tmp_path / "empty").mkdir()
    judge_init(tmp_path / "empty", items)
    with pytest.raises(UsageError, match=r"a study is in '.*' already"):
        judge_init(tmp_path / "empty", items)


def test_what_is_no_study(tmp_path: Path, items: Path) -> None:
    judge_init(tmp_path / "study", items)
    with pytest.raises(InputError, match=r"no study is in '.*stdy'; did you mean '.*study'\?"):
        Study.open(tmp_path / "stdy")
    with pytest.raises(InputError, match=r"no study is in '.*study.toml'"):
        Study.open(tmp_path / "study/study.toml")
    (tmp_path / "study/study.toml").write_text("format = 2\nstore = 'store.sqlite3'\nnew = 1\n")
    with pytest.raises(InputError, match="the study is of format 2, and this errorbar knows formats up to 1"):
        Study.open(tmp_path / "study")
    (tmp_path / "study/study.toml").write_text("format = 1\nstore = 1\n")
    with pytest.raises(InputError, match=r"study.toml:2: .* cannot be read: store must be a text in quotes, got 1"):
        Study.open(tmp_path / "study")


@pytest.mark.parametrize("url", ["mysql://me:secret@host/db", "postgresql://me:secret@host", "store.sqlite"])
def test_another_store_is_refused_without_its_password(url: str, tmp_path: Path, items: Path) -> None:
    with pytest.raises(UsageError) as caught:
        judge_init(tmp_path / "study", items, store=url)
    assert "store must be postgresql://USER@HOST/DATABASE" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_password_is_kept_with_the_secrets(tmp_path: Path) -> None:
    url = "postgresql://me:p%40ss%2Fword@host:5432/db"
    study = Study.create(tmp_path / "study", lambda made: None, store=url)
    assert "p%40ss" not in (tmp_path / "study/study.toml").read_text()
    assert Study.open(tmp_path / "study").url == study.url == url


def test_postgresql_by_its_url_and_nothing_half_made(
    postgres_url: str, tmp_path: Path, items: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("half way")

    with monkeypatch.context() as broken:
        broken.setattr("errorbar.judging.study.make.add_items", fail)
        with pytest.raises(ValueError, match="half way"):
            judge_init(tmp_path / "study", items, store=postgres_url)
    assert not (tmp_path / "study").exists()
    judge_init(tmp_path / "study", items, store=postgres_url)  # the tables of the first try are gone
    with Study.open(tmp_path / "study").store() as store, store.read() as tx:
        assert tx.scalar(text("SELECT count(*) FROM item")) == 2
    with pytest.raises(ErrorbarError):
        judge_init(tmp_path / "other", items, store=postgres_url)
    assert not (tmp_path / "other").exists()
    Store.open(postgres_url).close()  # the study that was there is whole


RULES = {
    "raters_per_item": 0,
    "page": 11,
    "quiz_pass": 1.5,
    "repeats": -0.1,
    "policy_gold": 0,
}


@pytest.mark.parametrize(("name", "value"), [*RULES.items()])
def test_rules_have_bounds(name: str, value: float, tmp_path: Path, items: Path) -> None:
    with pytest.raises(UsageError, match=rf"{name} must be .*, got {value:g}"):
        judge_init(tmp_path / "study", items, **{name: value})  # type: ignore[arg-type]
    assert not (tmp_path / "study").exists()


def test_a_quiz_needs_gold(tmp_path: Path, items: Path) -> None:
    with pytest.raises(UsageError, match="a quiz of 3 needs as many gold items, and there are 0"):
        judge_init(tmp_path / "study", items, quiz=3)
    gold = tmp_path / "gold.csv"
    gold.write_text("item,answer\na,error\nb,ok\n")
    with pytest.raises(UsageError, match="every item is gold"):
        judge_init(tmp_path / "study", items, gold_items=gold)


def test_a_corpus_with_flaws_is_taken_when_asked(tmp_path: Path, errorbar: CommandLine) -> None:
    corpus = tmp_path / "c.m2"
    edit = "A 1 2|||Prep|||on|||REQUIRED|||-NONE-|||0\n"
    corpus.write_text(f"S depends of him\n{edit}{edit}\n", encoding="utf-8")
    refused = errorbar("judge", "init", tmp_path / "study", "--from", corpus, "--items", "edits")
    assert (refused.code, (tmp_path / "study").exists()) == (2, False)
    done = errorbar("judge", "init", tmp_path / "study", "--from", corpus, "--items", "edits", "--lenient")
    assert (done.code, "1 item" in done.out, "repaired" in done.err) == (0, True, True)
