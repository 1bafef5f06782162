"""What no message may tell, the password of a store; and a character that no database holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from errorbar import ErrorbarError, judge_init, judge_invite, judge_raters
from errorbar.core import UsageError
from errorbar.judging import JudgedItem, Store, Study, StudyRules, add_items, backup, restore, set_value
from errorbar.judging.store.engines import shown_url
from errorbar.judging.store.store import StoreError
from errorbar.judging.study.backup import upgrade
from tests.helpers.cli import CommandLine
from tests.judging.empty_stores import gold_item, work_item
from tests.judging.served import Visitor, made_study, served

SECRET = "s3cret"
URLS = (
    f"postgresql://me:{SECRET}@127.0.0.1:1/db",
    f"postgresql://me:{SECRET}@127.0.0.1:port/db",
    f"postgresql://me:{SECRET}@127.0.0.1:1/db?sslmode=nonsense",
    f"postgresql://me@127.0.0.1:1/db?password={SECRET}",
    f"postgresql://me@127.0.0.1:1/db?connect_timeout=1&password=a@{SECRET}",
    f"postgresql://me:{SECRET}/x@127.0.0.1:1/db",
    f"postgresql://me:x?{SECRET}@127.0.0.1:1/db",
    f"postgresql://me:x?y={SECRET}@127.0.0.1:1/db",
    f"postgresql://me:x#{SECRET}@127.0.0.1:1/db",
    f"postgresql://me:{SECRET}@[::1/db",
    f"mysql://me:{SECRET}@127.0.0.1/db",
    f"sqlite+other://me:{SECRET}@127.0.0.1/db",
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    with Store.create(str(folder / "store.sqlite")) as made:
        backup(made, folder / "backup.sqlite")
    return folder / "backup.sqlite"


@pytest.mark.parametrize("do", ["open", "create", "init", "restore", "upgrade"])
def test_no_message_tells_a_password(do: str, saved: Path, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    items = tmp_path / "items.csv"
    items.write_text("item,text,span\na,One word .,0-3\n", encoding="utf-8")
    doors: dict[str, Callable[[str], object]] = {
        "open": Store.open,
        "create": Store.create,
        "init": lambda url: judge_init(tmp_path / "study", items, store=url),
        "restore": lambda url: restore(saved, url),
        "upgrade": upgrade,
    }
    for url in URLS if do in ("open", "init") else URLS[:4]:
        with pytest.raises(ErrorbarError) as caught:
            doors[do](url)
        assert SECRET not in str(caught.value) + repr(caught.value), url
    assert not (tmp_path / "study").exists()


def test_a_database_that_is_no_store_is_named_without_its_password(postgres_url: str) -> None:
    url = postgres_url.replace("errorbar@", f"errorbar:{SECRET}@")
    with pytest.raises(ErrorbarError, match=r"postgresql://\.\.\.@127\.0\.0\.1.* is not a store") as caught:
        Store.open(url)
    assert SECRET not in str(caught.value)


@pytest.mark.slow
def test_no_command_tells_the_password_of_a_study(postgres_url: str, tmp_path: Path, errorbar: CommandLine) -> None:
    url = postgres_url.replace("errorbar@", f"errorbar:{SECRET}@")
    items, folder = tmp_path / "items.csv", tmp_path / "study"
    items.write_text("item,text,span\na,One word .,0-3\n", encoding="utf-8")
    said = [
        errorbar("judge", "init", folder, "--from", items, "--store", url),
        errorbar("judge", "invite", folder, "--raters", "3"),
        errorbar("judge", "status", folder, "--format", "json"),
        errorbar("judge", "export", folder, "--to", "jsonl"),
        errorbar("judge", "init", tmp_path / "other", "--from", items, "--store", url),
    ]
    assert [each.code for each in said] == [0, 0, 0, 0, 2]
    assert all(SECRET not in each.out + each.err for each in said)
    assert SECRET not in (folder / "study.toml").read_text() + repr(Study.open(folder))
    with Study.open(folder).store() as store:
        backup(store, tmp_path / "backup.sqlite")
    assert SECRET.encode() not in (tmp_path / "backup.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("some/file?x=y.sqlite", "some/file"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://me:a@b@host:1/db?sslmode=require", "postgresql://...@host:1/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://[::1]:5432/db", "postgresql://[::1]:5432/db"),
        ("postgresql://host:5432", "postgresql://host:5432"),
        ("postgresql://me:s3cret/db", "postgresql://..."),
        ("postgresql://me:12a", "postgresql://..."),
    ],
)
def test_urls_are_shown(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize(
    "said",
    [
        f"me:{SECRET}@host/db",
        f"postgresql:/me:{SECRET}@host/db",
        f"postgresql://me:{SECRET}/db",
        f"host=h dbname=db password={SECRET}",
    ],
)
def test_what_is_no_url_is_not_repeated_where_it_may_have_a_password(said: str, tmp_path: Path) -> None:
    items = tmp_path / "items.csv"
    items.write_text("item,text,span\na,One word .,0-3\n", encoding="utf-8")
    with pytest.raises(UsageError, match="must be postgresql://USER@HOST/DATABASE") as caught:
        judge_init(tmp_path / "study", items, store=said)
    assert SECRET not in str(caught.value)


def test_a_value_that_lacks_is_no_zero(tmp_path: Path) -> None:
    with Store.create(str(tmp_path / "s.sqlite")) as store, pytest.raises(StoreError, match="NOT NULL") as caught:
        store.write(lambda tx: tx.execute(text("INSERT INTO study (name) VALUES ('x')")))
    assert caught.value.code == "store-failed"


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_zeros_in_forms_are_refused(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    address = request.getfixturevalue("postgres_url") if kind == "postgresql" else ""
    study = made_study(tmp_path / "study", StudyRules(), url=address)
    crowd = judge_invite(study.folder, crowd="class", kind="named").links[0].url
    path = crowd[crowd.index("/j/") :]
    with served(study) as url:
        manager, rater = Visitor(url), Visitor(url)
        assert rater.http.get(f"{path}?participant=a%00b").status_code == 400
        assert rater.form(path, participant="a\0b").status_code == 400
        assert rater.form(path, participant="a").status_code == 303
        assert manager.form("/manage", token="a\0b").status_code == 400
        manager.manage(study)
        forms = {
            "/manage/invitations": {"name": "a\0b", "kind": "crowd"},
            "/manage/items/stop": {"name": "item-1", "reason": "a\0b"},
            "/manage/raters/1/exclude": {"reason": "a\0b"},
            "/manage/codes": {"code": "a\0b"},
        }
        for action, fields in forms.items():
            page = manager.form(action, "/manage/invitations", **fields)
            assert page.status_code == 400, action
            assert "cannot be stored (U+0000)" in page.text, action
    assert [each.status for each in judge_raters(study.folder).raters] == ["active"]


@pytest.mark.parametrize("item", [work_item("a\0b"), gold_item("a", "Err\0r")])
def test_zeros_in_items_are_refused(item: JudgedItem, store_url: str) -> None:
    with Store.create(store_url) as store, pytest.raises(UsageError, match=r"U\+0000"):
        store.write(lambda tx: add_items(tx, [item], 0.0))


def test_a_zero_that_comes_to_postgresql_is_told(postgres_url: str) -> None:
    with Store.create(postgres_url) as store, pytest.raises(StoreError, match=r"U\+0000.*take it out") as caught:
        store.write(lambda tx: set_value(tx, "guidelines", "a\0b"))
    assert caught.value.code == "store-text"
