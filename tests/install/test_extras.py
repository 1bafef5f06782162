"""The wheel with each extra, and nothing that the extra does not bring: a command that takes it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.formats.test_nucle import ESSAY
from tests.helpers import postgresql_cluster
from tests.helpers.needed import missing
from tests.install.clean import ROOT, Clean, variables
from tests.install.conftest import Install

pytestmark = pytest.mark.install

DEMO = ("--gold", "demo/gold.jsonl", "demo/careful.txt")
PARQUET = """
import pyarrow as pa, pyarrow.parquet as pq
votes = [("1", "a", "x"), ("1", "b", "x"), ("2", "a", "y"), ("2", "b", "x"), ("3", "a", "y"), ("3", "b", "y")]
items, raters, labels = zip(*votes)
pq.write_table(pa.table({"item": items, "rater": raters, "label": labels}), "votes.parquet")
"""
ENGLISH = ROOT / "packages/errorbar-en"
MODELS = ROOT / "packages/errorbar-models"


def only(clean: Clean, *extras: str) -> None:
    """These extras work, and no other."""
    assert {name for name, word in clean.extras().items() if word == "works:"} == {*extras}


def demo(clean: Clean) -> Clean:
    clean.run("demo", "--save", "demo")
    return clean


def write(clean: Clean, name: str, text: str) -> None:
    (clean.folder / name).write_text(text, encoding="utf-8")


def test_tokenize(installed: Install) -> None:
    clean = installed("tokenize")
    only(clean, "tokenize")
    write(clean, "essay.sgml", ESSAY)
    assert "\nS Short .\nA 0 1|||Mec|||" in clean.run("convert", "essay.sgml", "--to", "m2")


def test_parquet(installed: Install) -> None:
    clean = installed("parquet")
    only(clean, "parquet")
    clean.program("python", "-c", PARQUET)
    found = json.loads(clean.run("agree", "votes.parquet", "--format", "json"))
    assert [found["n_items"], found["n_raters"]] == [3, 2]


def test_report(installed: Install) -> None:
    clean = demo(installed("report"))
    only(clean, "report")
    clean.run("report", *DEMO, "-o", "page.html", "--page", "charts=charts")
    page = (clean.folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "careful" in page
    assert {path.suffix for path in (clean.folder / "charts").iterdir()} == {".svg", ".png", ".pdf"}


def test_dask(installed: Install) -> None:
    clean = demo(installed("dask"))
    only(clean, "dask", "codabench")  # distributed brings PyYAML, which is all that codabench needs
    assert clean.run("score", *DEMO, "--jobs", "local:2") == clean.run("score", *DEMO)


def test_codabench(installed: Install) -> None:
    clean = installed("codabench")
    only(clean, "codabench")
    clean.run("demo", "--task", "--save", "spring")
    written = clean.run("task", "bundle", "spring/task.toml", "-o", "bundle.zip", "--tables-only").split()
    assert {"competition.yaml", "logo.png"} <= {*written}


def test_errant(installed: Install) -> None:
    clean = installed("errant", others=(ENGLISH,))
    only(clean, "errant")
    write(clean, "essay.txt", "A cat sit on the mat .\n")
    write(clean, "better.txt", "A cat sits on the mat .\n")
    clean.run("convert", "--source", "essay.txt", "better.txt", "--edits", "errant", "-o", "gold.m2")
    assert "A 2 3|||R:VERB:SVA|||sits|||" in (clean.folder / "gold.m2").read_text(encoding="utf-8")
    scored = json.loads(clean.run("score", "--metric", "errant", "--gold", "gold.m2", "gold.m2", "--format", "json"))
    assert scored["rows"][0]["correct"] == 1


def test_detect(installed: Install) -> None:
    clean = installed("detect", others=(MODELS,))
    only(clean, "detect")
    write(clean, "essay.txt", "He is very interested on music and it depends of the weather .\n")
    found = json.loads(clean.run("detect", "essay.txt", "--detector", "me(threshold=0)", "--format", "json"))
    assert found["rows"][0]["suggestion"] == "in"
    write(clean, "cats.txt", "She have two cat .\n")
    assert clean.run("correct", "cats.txt") == "She has two cats .\n"


@contextmanager
def served(clean: Clean) -> Iterator[str]:
    """The address of the study's server, which ends by Ctrl-C as it should."""
    words = [str(clean.bin / "errorbar"), "judge", "serve", "study", "--port", "0"]
    with subprocess.Popen(words, cwd=clean.folder, env=variables(), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            link = re.search(r"http://\S+/j/\S+", process.stdout.readline())
            assert link
            yield link[0]
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        finally:
            process.kill()


def judges(clean: Clean, *options: str) -> None:
    """A study is made, its first page opens in a browser, and its status is told."""
    demo(clean)
    clean.run("judge", "init", "study", "--from", "demo/careful.txt", *options)
    with served(clean) as link, urllib.request.urlopen(link, timeout=30) as answer:
        page = answer.read().decode()
        assert (answer.status, page[:15].lower()) == (200, "<!doctype html>")
    assert json.loads(clean.run("judge", "status", "study", "--format", "json"))["schema"].startswith("errorbar.judge")
    clean.run("judge", "export", "study", "-o", "judgments.csv")
    assert (clean.folder / "judgments.csv").read_text(encoding="utf-8").startswith("item,rater,label")


def test_judge(installed: Install) -> None:
    clean = installed("judge")
    only(clean, "judge", "report")
    judges(clean)


def test_llm(installed: Install) -> None:
    """The study is asked of a server that is not there: the library is loaded, and says so."""
    clean = demo(installed("judge", "llm"))
    only(clean, "judge", "report", "llm")
    clean.run("judge", "init", "study", "--from", "demo/careful.txt")
    nowhere = ("--endpoint", "http://127.0.0.1:9/v1", "--retries", "0", "--jobs", "1", "--most-calls", "1")
    asked = json.loads(clean.run("judge", "llm", "study", "--model", "tiny", *nowhere, "--format", "json"))
    assert asked["calls"]["failed"] == 1


def test_postgresql(installed: Install) -> None:
    if postgresql_cluster.binaries() is None:
        missing("PostgreSQL's server")
    clean = installed("judge", "postgresql")
    only(clean, "judge", "report", "postgresql")
    with postgresql_cluster.cluster(*postgresql_cluster.FAST) as server:
        judges(clean, "--store", server.database("study"))


def test_all(installed: Install) -> None:
    clean = demo(installed("all", others=(ENGLISH, MODELS)))
    only(clean, "tokenize", "parquet", "report", "dask", "codabench", "errant", "detect", "judge", "llm")
    clean.run("demo", "--report", "-o", "page.html")
    assert (clean.folder / "page.html").stat().st_size > 100_000
