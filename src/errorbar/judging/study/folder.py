"""The folder of a study: where its store is, its secrets, a copy of its scheme."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from errorbar.core.problems import (
    InputError,
    MissingExtraError,
    Place,
    Problem,
    Problems,
    UsageError,
    nearest_file,
    shell_words,
)
from errorbar.formats import toml_tables as toml
from errorbar.formats.look import is_there
from errorbar.formats.saving import STUDY_FILES
from errorbar.formats.toml_tables import Field
from errorbar.judging.store.engines import PASSWORD_PLACE, has_stray_password, shown_url

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from errorbar.judging.store.store import Store

FORMAT = 1
"""Of the folder; the store has a version of its own."""
STUDY, SECRETS = STUDY_FILES
SCHEME, STORE = "scheme.toml", "store.sqlite3"
LEDGER = "llm.sqlite"
"""The calls of language models that were asked (``model_lane``)."""
POSTGRESQL = ("postgresql", "postgres")
_FIELDS = {"format": Field(toml.whole, required=True), "store": Field(toml.text, required=True)}


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of a study, for its owner alone.

    Attributes:
        manager: Token of the manager's pages.
        cookie: Key of what the server signs.
        password: Of the store, where it has one.
    """

    manager: str = field(repr=False)
    cookie: str = field(repr=False)
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class Study:
    """A study on disk. Its scheme, rules and items are in its store.

    Attributes:
        folder: Of the study.
        address: URL of the store without its password; empty: SQLite, in the folder.
    """

    folder: Path
    address: str = ""

    @cached_property
    def secrets(self) -> Secrets:
        """The secrets; refused where others than the owner may read them."""
        path = self.folder / SECRETS
        place = Place(str(path))
        try:
            if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
                message = "others than the owner may read the study's secrets"
                raise InputError(Problem("judge-secrets", message, place, fix=f"chmod 600 {shell_words(path)}"))
            return Secrets(**json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            message = f"the study's secrets cannot be read: {error.strerror}"
            raise InputError(Problem("judge-secrets", message, place, fix="run it as the study's owner")) from None
        except (ValueError, TypeError):
            message = "the study's secrets are damaged"
            raise InputError(Problem("judge-secrets", message, place, fix="restore it from a backup")) from None

    @property
    def url(self) -> str:
        """Of the store, whole."""
        if not self.address:
            return f"sqlite:///{(self.folder / STORE).resolve()}"
        return _with_password(self.address, self.secrets.password)

    def store(self, *, read_only: bool = False) -> Store:
        """The opened store; close it."""
        try:
            from errorbar.judging.store.store import Store  # noqa: PLC0415 - needs the extra
        except ModuleNotFoundError as error:
            raise _without(error) from None
        return Store.open(self.url, read_only=read_only)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """One moment of the store, to read."""
        with self.store(read_only=True) as store, store.read() as tx:
            yield tx

    @classmethod
    def open(cls, folder: str | os.PathLike[str] | Study) -> Study:
        """A study that is there."""
        if isinstance(folder, Study):
            return folder
        path = Path(folder)
        try:
            file = toml.read_toml(path / STUDY, Problems(), "study")
            table = toml.TomlTable(file.document, file)
            version, address = (table.value(key, field) for key, field in _FIELDS.items())
            file.problems.raise_errors()
        except InputError as error:
            problem = error.problems[0]
            if problem.code == "no-such-file" or (is_there(path) and not path.is_dir()):
                message = f"no study is in '{path}'"
                fix = nearest_file(path) or f"make one: errorbar judge init {shell_words(path)}"
                raise InputError(Problem("judge-no-study", message, fix=fix)) from None
            message = f"the file of the study cannot be read: {problem.what}"
            fix = "if it is damaged, restore it from a backup"
            raise InputError(Problem("judge-no-study", message, problem.place, fix=fix)) from None
        if version > FORMAT:
            message = f"the study is of format {version}, and this errorbar knows formats up to {FORMAT}"
            raise InputError(Problem("judge-newer", message, table.place("format"), fix="install a newer errorbar"))
        return cls(path, "" if address == STORE else address)

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        fill: Callable[[Self], object],
        *,
        store: str = "",
        scheme_toml: str = "",
        like: Study | None = None,
    ) -> Self:
        """Make a study, whole or not at all: beside its place, and moved there once ``fill`` has made its store.

        ``fill`` takes the unfinished study, and closes the store that it makes. Its secrets and its scheme are those of
        the study ``like``, if there is one.
        """
        path = Path(folder)
        _refuse_taken(path)
        address, password = _split_password(store)
        token = secrets.token_hex(4)
        beside = cls(path.absolute().with_name(f".{path.absolute().name}.{token}.errorbar"), address)
        try:
            beside.folder.mkdir(parents=True, mode=0o700)
            study_secrets = Secrets(secrets.token_urlsafe(24), secrets.token_urlsafe(32), password)
            if like is not None:
                study_secrets = replace(like.secrets, password=password)
                if (like.folder / SCHEME).exists():
                    scheme_toml = (like.folder / SCHEME).read_text(encoding="utf-8")
            _write_secrets(beside.folder / SECRETS, study_secrets)
            text = f"# A study of errorbar judge.\nformat = {FORMAT}\nstore = {json.dumps(address or STORE)}\n"
            (beside.folder / STUDY).write_text(text, encoding="utf-8")
            if scheme_toml:
                (beside.folder / SCHEME).write_text(scheme_toml, encoding="utf-8")
            fill(beside)
            if path.is_dir():
                path.rmdir()  # it was empty
            beside.folder.rename(path.absolute())
        except OSError as error:
            message = f"the study cannot be made in '{path}': {error.strerror}"
            raise InputError(Problem("cannot-write", message)) from None
        finally:
            shutil.rmtree(beside.folder, ignore_errors=True)
        return cls(path, address)


def _refuse_taken(path: Path) -> None:
    if (path / STUDY).exists():
        message = f"a study is in '{path}' already"
        fix = "give another folder; errorbar judge export saves what the study has"
        raise UsageError(Problem("judge-taken", message, fix=fix))
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists() or path.is_symlink():
        message = f"'{path}' is there already, and is no empty folder"
        raise UsageError(Problem("judge-taken", message, fix="give a folder that is not there"))


def _write_secrets(path: Path, study_secrets: Secrets) -> None:
    """Nobody else may read the file from its first moment on."""
    record = {"manager": study_secrets.manager, "cookie": study_secrets.cookie, "password": study_secrets.password}
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)


def _split_password(url: str) -> tuple[str, str]:
    """The URL of a store and its password, so that the first can be shown."""
    if not url:
        return "", ""
    fix = "leave it out for SQLite, in the folder"
    try:
        parts = urlsplit(url)
        known = "://" in url and parts.scheme.partition("+")[0] in POSTGRESQL and bool(parts.path.strip("/"))
        _ = parts.port  # refused where it is no number
    except ValueError:
        known = False
    if stray := has_stray_password(url):
        fix = PASSWORD_PLACE
    if stray or not known:
        shown = shown_url(url) if "://" in url or not re.search("[@=]", url) else "..."  # no URL, and a password in it
        message = f"--store must be postgresql://USER@HOST/DATABASE, got '{shown}'"
        raise UsageError(Problem("judge-store-url", message, fix=fix))
    if parts.password is None:
        return url, ""
    user, _, place = parts.netloc.rpartition("@")
    bare = parts._replace(netloc=f"{user.partition(':')[0]}@{place}")
    return urlunsplit(bare), unquote(parts.password)


def _with_password(url: str, password: str) -> str:
    if not password:
        return url
    parts = urlsplit(url)
    user, _, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{place}"))


def _without(error: ModuleNotFoundError) -> Exception:
    """The error on a missing module: an extra is not installed, or errorbar is broken."""
    if error.name and error.name.startswith("errorbar"):
        return error
    return MissingExtraError("judge", "collecting judgments")
