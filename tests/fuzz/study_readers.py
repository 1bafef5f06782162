"""Readers of what studies, audits, tasks and reports keep: schemes, items, answers, stores, keys, caches, receipts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_type_hints

from click.testing import CliRunner

from errorbar import M2, Problems, audit_estimate, verify
from errorbar.cli.main import cli
from errorbar.core import InputError, Place, Problem
from errorbar.formats import read_corpus
from errorbar.judging import Store, StudyRules, backup, check, load_scheme, restore
from errorbar.judging.items.sources import read_rows
from errorbar.judging.scheme_files import read_scheme
from errorbar.judging.web.requests import RefusalError, json_body, submissions
from errorbar.tasks.baselines import pack, unpack
from tests.fuzz import seeds
from tests.fuzz.readers import COMMAND, Reader
from tests.fuzz.seeds import Case
from tests.judging.empty_stores import MAIN, VALUES, Study, gold_item, work_item

SCHEMES = Path(load_scheme.__code__.co_filename).parent / "schemes"
KINDS = ("error-ok", "choice", "cloze", "edit-valid", "preposition")
_KEY = "key"


def _schemes() -> list[Case]:
    return [{"a.toml": (SCHEMES / f"{kind}.toml").read_bytes()} for kind in KINDS]


def _scheme(folder: Path, _: bool) -> None:
    read_scheme(folder / "a.toml")


def _items() -> list[Case]:
    return [
        {"a.csv": b"item,text,start,end\n1,He go home .,3,5\n2,She like dogs .,4,8\n"},
        {"a.csv": b"item,text,word,occurrence\n1,He go to to home .,to,2\n2,In in the house .,in,1\n"},
        {"a.csv": b"item,text,span\n1,He go home .,3-5\n1:0-1,She like dogs .,0-3\n"},
        {"a.csv": b"item,text,candidate1,candidate2\n1,He [go] home .,go,goes\n2,She [like] dogs .,like,likes\n"},
        {"a.csv": b'{"item": "1", "text": "He go home .", "span": "3-5", "answer": "error|ok", "explanation": "x"}\n'},
    ]


def _item_rows(folder: Path, lenient: bool) -> None:
    """Work and gold items under every kind of scheme, whose refusals are that of the first that takes none."""
    refused: InputError | None = None
    for kind in KINDS:
        problems = Problems(lenient=lenient)
        scheme = load_scheme(kind)
        try:
            read_rows(folder / "a.csv", scheme, problems)
            problems.raise_errors()
            return
        except InputError as error:
            refused = refused or error
    if refused is not None:
        raise refused


def _submissions() -> list[Case]:
    answer = {
        "submission": "s1",
        "assignment": "TOKEN",
        "text_hash": "HASH",
        "base_version": 0,
        "answer": {MAIN: VALUES[0]},
        "comment": "why",
        "milliseconds": 1200,
        "trail": {MAIN: 300},
    }
    skipped = answer | {"submission": "s2", "answer": None, "skip": "unclear"}
    return [
        {"a.json": json.dumps({"answers": answers}).encode()} for answers in ([answer], [answer, skipped], [skipped])
    ]


def _submit(folder: Path, _: bool) -> None:
    """A post as a browser sends it; whatever it holds, the store keeps its rules."""
    study = Study(f"{folder}/store.sqlite", StudyRules(raters_per_item=1, policy="none"), [work_item("w")], 1)
    try:
        (lease,) = study.claim(study.raters[0]).leases
        content = (folder / "a.json").read_bytes().replace(b"TOKEN", lease.token.encode())
        content = content.replace(b"HASH", lease.item.text_hash().encode())
        try:
            study.submit(study.raters[0], *submissions(json_body(content)))
        except RefusalError as error:
            raise InputError(Problem("unfit", str(error), Place("a.json"))) from None
        assert check(study.store) == []
    finally:
        study.store.close()


def _stores() -> list[Case]:
    """A backup of a study in which three raters answered."""
    with TemporaryDirectory() as folder:
        items = [work_item(f"w{number}") for number in range(6)] + [gold_item("g")]
        study = Study(f"{folder}/store.sqlite", StudyRules(raters_per_item=2, policy="none"), items, 3)
        for rater in study.raters:
            for lease in study.claim(rater).leases[:4]:
                study.answer(rater, lease)
        backup(study.store, Path(folder) / "a.sqlite")
        study.store.close()
        return [{"a.sqlite": (Path(folder) / "a.sqlite").read_bytes()}]


def _restore(folder: Path, _: bool) -> None:
    """What is restored keeps the rules of a store."""
    restore(folder / "a.sqlite", f"{folder}/new.sqlite")
    with Store.open(f"{folder}/new.sqlite") as store:
        assert check(store) == []


@contextmanager
def _demo() -> Iterator[Path]:
    """A folder with a few sentences, in which commands run."""
    with TemporaryDirectory() as name, chdir(name):
        Path("gold.m2").write_bytes(seeds.m2_of_demo())
        for system in ("careful", "greedy"):
            Path(f"{system}.txt").write_bytes(seeds.system_of_demo(system))
        yield Path(name)


def run_command(*arguments: str, stdin: bytes = b"") -> str:
    """What a command prints; an ``InputError`` where it refuses, and whatever else it raises."""
    result = CliRunner().invoke(cli, arguments, input=stdin, standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@cache
def _audited() -> Case:
    with _demo():
        systems = ("careful.txt", "greedy.txt", "--gold", "gold.m2", "--budget", "20", "--rater", "r1")
        run_command("audit", "draw", *systems, "--out", "set.csv", "--key", "key.json")
        rows = Path("set.csv").read_text(encoding="utf-8").splitlines()
        at = rows[0].split(",").index("label")
        labels = ("valid", "not-valid", "cannot-tell")
        filled = [rows[0]]
        for number, row in enumerate(rows[1:]):
            cells = row.split(",")
            cells[at] = labels[number % 3]
            filled.append(",".join(cells))
        return {"key.json": Path("key.json").read_bytes(), "a.csv": seeds.joined(filled)}


def _audit(folder: Path, lenient: bool) -> None:
    audit_estimate(folder / "a.csv", key=folder / "key.json", lenient=lenient)


@cache
def _reported() -> Case:
    with _demo():
        run_command(
            *("report", "--gold", "gold.m2", "careful.txt", "greedy.txt", "-o", "r.md", "--resamples", "20"),
            *("--page", "sentences=no"),
        )
        return {path: Path(path).read_bytes() for path in ("r.receipt.json", "gold.m2", "careful.txt", "greedy.txt")}


def _receipts() -> list[Case]:
    return [{"r.receipt.json": _reported()["r.receipt.json"]}]


def _verify(folder: Path, _: bool) -> None:
    for name, content in _reported().items():
        if name != "r.receipt.json":
            (folder / name).write_bytes(content)
    verify(folder / "r.receipt.json")


def _caches() -> list[Case]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gold.m2"
        path.write_bytes(seeds.m2_of_demo())
        corpus = read_corpus(path)
    lines = seeds.system_of_demo("greedy").decode().splitlines()
    return [{"a.cache": pack(M2().measure(corpus, lines, by_type=True), _KEY)}]


def _cache(folder: Path, _: bool) -> None:
    if unpack((folder / "a.cache").read_bytes(), _KEY, get_type_hints(M2.measure)["return"]) is None:
        raise InputError(Problem("task-cache-damaged", "damaged", Place("a.cache")))


STUDIES: tuple[Reader, ...] = (
    Reader("scheme", _schemes, _scheme),
    Reader("item-rows", _items, _item_rows),
    Reader("submissions", _submissions, _submit),
    Reader("restore", _stores, _restore),
    Reader("audit-key", lambda: [_audited()], _audit),
    Reader("receipts", _receipts, _verify, most_seconds=COMMAND),
    Reader("task-cache", _caches, _cache),
)
