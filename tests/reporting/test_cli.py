"""``errorbar report``: what it writes, says and refuses."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from errorbar.cli.report import all_cores
from errorbar.demo import demo_files
from errorbar.reporting import Report, export
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("jinja2", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

ONE = """S He go to to school .
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0
A 2 3|||Prep||||||REQUIRED|||-NONE-|||0

S Fine in summer .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
FAST = ("--resamples", "50")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus with one annotator and a system, and the demo corpus, in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # 2023-11-14
    Path("one.m2").write_text(ONE, encoding="utf-8")
    Path("mine").write_text("He goes to school .\nFine in summer .\n", encoding="utf-8")
    Path("a name").write_text("He goes to to school .\nFine in summer .\n", encoding="utf-8")
    with demo_files() as (gold, systems):
        for file in (gold, *systems):
            Path(file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_page(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("report", "--gold", "gold.jsonl", "careful.txt", "greedy.txt", *FAST, "-o", "report.html")
    assert done.code == 0, done.err
    assert done.out == ""
    assert re.search(r"^report\.html: [\d.]+ MB in [\d.]+ s$", done.err, re.MULTILINE)
    page = Path("report.html").read_text(encoding="utf-8")
    assert "careful" in page
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_the_command_shown_makes_the_same_report(folder: Path, errorbar: CommandLine) -> None:
    given = ("--gold", "one.m2", "--metric", "m2(beta=1)", "--page", "title=it's", *FAST, "--lenient", "mine", "a name")
    assert errorbar("report", *given, "-o", "r.md").code == 0
    first = Path("r.md").read_text(encoding="utf-8")
    shown = re.findall(r"^errorbar report .*$", first, re.MULTILINE)[-1]
    assert str(folder) not in first
    assert shlex.split(shown)[1:] == [
        *("report", "--gold", "one.m2", "--metric", "m2(beta=1)", "--lenient", "--resamples", "50"),
        *("--output", "r.md", "--page", "title=it's", "mine", "a name"),
    ]
    Path("r.md").unlink()
    assert errorbar(*shlex.split(shown)[1:]).code == 0
    assert Path("r.md").read_text(encoding="utf-8") == first
    assert "- date: 2023-11-14" in first


def test_standard_output(folder: Path, errorbar: CommandLine) -> None:
    call = ("report", "--gold", "one.m2", "mine", *FAST, "-o", "-")
    assert errorbar(*call, "--page", "format=markdown").out.startswith("# one\n\n**mine scores 100.00 of 100.")
    assert errorbar(*call, "--page", "format=markdown").err.splitlines()[-1].startswith("standard output: ")
    assert "\\documentclass" in errorbar(*call, "--page", "format=latex").out
    page = errorbar(*call, "--page", "format=html").out
    assert page.lower().startswith("<!doctype html>")
    assert page.endswith("\n")


def test_what_the_data_does_not_allow_is_said_in_one_line(folder: Path, errorbar: CommandLine) -> None:
    notes = errorbar("report", "--gold", "one.m2", "mine", *FAST, "-o", "r.md").err.splitlines()
    assert [line for line in notes if "report-no-section" in line] == [
        "note: one: no comparison in the leaderboard: it takes two systems [report-no-section]",
        "note: one: no section on the human ceiling: it takes two annotators [report-no-section]",
        "note: one: no section on agreement: it takes two annotators of the same sentences [report-no-section]",
        "note: one: no section on what the choices change: it takes two annotators, or a second --metric with F0.5 "
        "[report-no-section]",
    ]
    text = Path("r.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "Leaderboard",
        "Precision and recall",
        "Error types",
        "Attacks on the metric",
        "Sentences",
        "Methods",
    ]
    assert "The sentences are left out here; they stand in the page" in text


def test_many_systems_are_a_word_before_the_work(folder: Path, errorbar: CommandLine) -> None:
    for number in range(47):
        Path(f"s{number}").write_bytes(Path("mine").read_bytes())
    given = ("--gold", "one.m2", *(f"s{number}" for number in range(47)), "--resamples", "20", "-o", "r.md")
    said = "47 systems make 1,081 pairs, and comparing them takes most of the time"
    done = errorbar("report", *given)
    assert done.code == 0
    assert said in done.err.splitlines()[0]
    assert said not in errorbar("report", *given, "--ci-method", "closed").err
    assert "comparing them" not in errorbar("report", *given[:2], "s0", "s1", "-o", "r.md").err


def test_only_annotators(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("report", "--gold", "gold.jsonl", *FAST, "-o", "r.md")
    assert "no leaderboard: no system was given [report-no-section]" in done.err
    text = Path("r.md").read_text(encoding="utf-8")
    assert "No system was scored; 3 annotators on 63 sentences are described. A human scores F0.5 " in text
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:2] == ["How far from a human", "How far annotators agree"]


def test_private_data_is_not_in_the_page(folder: Path, errorbar: CommandLine) -> None:
    call = ("report", "--gold", "one.m2", "mine", *FAST, "-o", "r.html")
    assert errorbar(*call).code == 0
    assert "Fine in summer" in Path("r.html").read_text(encoding="utf-8")
    assert errorbar(*call, "--page", "sentences=no").code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "Fine in summer" not in page
    assert "left out on request, for data" in page


def test_several_kinds_of_data_in_one_report(folder: Path, errorbar: CommandLine) -> None:
    votes = [f"i{k},r{r},{'error' if (k + r) % 3 == 0 else 'ok'}" for k in range(12) for r in range(3)]
    Path("votes.csv").write_text("\n".join(["item,rater,label", *votes]) + "\n", encoding="utf-8")
    Path("flags.csv").write_text("item,flag\n" + "".join(f"i{k},{k % 2}\n" for k in range(12)), encoding="utf-8")
    call = ("--gold", "one.m2", "mine", "--judgments", "votes.csv", "odd=flags.csv", *FAST)
    done = errorbar("report", *call, "--confidence", "0.9", "-o", "r.md")
    assert done.code == 0, done.err
    text = Path("r.md").read_text(encoding="utf-8")
    assert text.startswith("# one and votes\n")
    assert "crowd-weighted F1 of odd is" in text
    assert "mine scores F0.5" in text
    assert "- votes: 12 items, 3 raters, 36 judgments, 1 system" in text
    assert "95%" not in text  # every interval, its heading and the methods have the level asked for
    assert "90% intervals for other items" in text


def test_judgments_of_a_corpus_are_of_the_items_asked_for(folder: Path, errorbar: CommandLine) -> None:
    call = ("report", "--judgments", "gold.jsonl", "careful.txt", *FAST, "-o", "r.md", "--items", "words:articles")
    assert errorbar(*call).code == 0
    text = Path("r.md").read_text(encoding="utf-8")
    shown = errorbar("agree", "gold.jsonl", "--items", "words:articles", "--resamples", "50")
    found = require(re.search(r"agree\(items=words,words=articles,labels=error\)\|\S*", shown.out + shown.err))
    assert found[0].replace("|", "\\|") in text
    scored = errorbar("crowd", "score", "gold.jsonl", "careful.txt", "--items", "words:articles")
    n_items = require(re.search(r"weighted +\d+ +(\d+)", scored.out))
    assert f"| careful | weighted | 3 | {n_items[1]} |" in text


def test_columns_of_judgments_are_named(folder: Path, errorbar: CommandLine) -> None:
    Path("v.csv").write_text("item,worker,label\n1,a,ok\n1,b,error\n2,a,ok\n2,b,ok\n", encoding="utf-8")
    call = ("report", "--judgments", "v.csv", *FAST, "-o", "r.md")
    assert errorbar(*call).code == 2
    assert errorbar(*call, "--column", "rater=worker").code == 0
    assert "2 raters gave 4 judgments of 2 items" in Path("r.md").read_text(encoding="utf-8")


def test_judgments_that_say_unknown_do_not_count(folder: Path, errorbar: CommandLine) -> None:
    Path("v.csv").write_text("item,rater,label\n1,a,ok\n1,b,error\n2,a,ok\n2,b,?\n", encoding="utf-8")
    done = errorbar("report", "--judgments", "v.csv", *FAST, "-o", "r.md", "--labels", "unknown=?")
    assert done.code == 0, done.err
    assert "2 raters gave 3 judgments of 2 items" in Path("r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("-o", "r.md"), "report-nothing"),
        (("mine", "-o", "r.md", "--sample", "k", "--sample", "d"), "report-systems"),
        (("--gold", "one.m2", "mine", "a=flags.csv", "--items", "tokens", "-o", "r.md"), "detector-items"),
        (("--gold", "set/Gold", "a=flags.csv", "-o", "r.md"), "report-flags"),
        (("--gold", "one.m2", "mine", "--sample", "a.csv", "-o", "r.md"), "report-sample"),
        (("--gold", "one.m2", "mine", "--sample", "k.json", "-o", "r.md"), "report-sample"),
        (("--judgments", "v.csv", "mine", "--metric", "m2", "-o", "r.md"), "useless-option"),
        (("--judgments", "v.csv", "mine", "--adjust", "max-t(swaps=9)", "-o", "r.md"), "useless-option"),
        (("--judgments", "v.csv", "mine", "--adjust", "holm", "-o", "r.md"), "useless-option"),
        (
            ("--gold", "one.m2", "mine", "--ci-method", "closed", "--adjust", "max-t(swaps=9)", "-o", "r.md"),
            "useless-option",
        ),
        (("--gold", "one.m2", "mine", "--ci-method", "closed", "--adjust", "holm", "-o", "r.md"), "useless-option"),
        (("--gold", "one.m2", "mine", "--labels", "unknown=?", "-o", "r.md"), "useless-option"),
        (("--gold", "one.m2", "mine", "--labels", "ok=fine", "-o", "r.md"), "useless-option"),
        (("--gold", "one.m2", "mine", "--column", "rater=worker", "-o", "r.md"), "useless-option"),
        (("--gold", "one.m2", "mine", "--items", "gaps", "-o", "r.md"), "useless-option"),
        (("--gold", "one.m2", "mine", "-o", "report.docx"), "output-format"),
        (("--gold", "one.m2", "mine", "-o", "no/such/folder/r.html"), "cannot-write"),
        (("--gold", "one.m2", "mine", "-o", "taken", "--page", "format=html"), "cannot-write"),
        (("--gold", "one.m2", "mine", "-o", "r.md", "--page", "charts=one.m2/charts"), "cannot-write"),
        (("--gold", "nothing.m2", "mine", "-o", "r.md"), "no-such-file"),
        (("--gold", "one.m2", "mine", "-o", "one.m2", "--page", "format=html"), "output-over-input"),
        (("--gold", "*.m2", "mine", "-o", "./one.m2", "--page", "format=html"), "output-over-input"),
        (("--gold", "one.m2", "me=mine", "-o", "mine", "--page", "format=latex"), "output-over-input"),
        (("--gold", "one.m2", "--gold", "set/Gold", "mine", "-o", "r.md"), "hoo-metric"),
        (("--gold", "set/Gold", "--gold", "one.m2", "mine", "-o", "r.md"), "hoo-metric"),
    ],
)
def test_refused_in_one_line(folder: Path, errorbar: CommandLine, arguments: tuple[str, ...], code: str) -> None:
    (folder / "taken").mkdir()
    (folder / "flags.csv").write_text("item,flag\ni0,1\n", encoding="utf-8")
    (folder / "set/Gold").mkdir(parents=True)
    (folder / "set/Gold/1GE.xml").write_text("<edits></edits>", encoding="utf-8")
    done = errorbar("report", *arguments)
    assert Path("one.m2").read_text(encoding="utf-8") == ONE
    assert done.code == 2
    assert [line.rsplit(" ", 1)[-1] for line in done.err.splitlines()] == [f"[{code}]"]
    assert not list(folder.glob("r.*"))


def test_the_target_is_looked_at_before_anything_is_read(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("report", "--gold", "nothing.m2", "mine", "-o", "no/such/folder/r.html")
    assert "there is no folder no/such/folder" in done.err  # not: no such file nothing.m2


@pytest.mark.parametrize(
    ("missing", "out", "extra"),
    [("jinja2", "r.html", ()), ("vl_convert", "r.html", ()), ("vl_convert", "r.tex", ("--page", "charts=pictures"))],
)
def test_a_missing_extra_is_named_before_the_work(
    folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, missing: str, out: str, extra: tuple[str, ...]
) -> None:
    monkeypatch.setattr(export, "find_spec", lambda name: None if name == missing else name)
    done = errorbar("report", "--gold", "nothing.m2", "mine", "-o", out, *extra)
    assert done.code == 2
    assert "in a checkout of errorbar: make report [missing-extra]" in done.err


def test_text_needs_no_extra(folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("altair", "jinja2", "vl_convert"):
        monkeypatch.setitem(sys.modules, library, None)
    assert errorbar("report", "--gold", "one.m2", "mine", *FAST, "-o", "r.md").code == 0
    assert "Leaderboard" in (folder / "r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("old", ["", "the page of yesterday"])
def test_interrupted_half_way_nothing_changes(
    folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, old: str
) -> None:
    if old:
        Path("r.md").write_text(old, encoding="utf-8")
    before = sorted(path.name for path in folder.iterdir())

    def interrupted(_: Report) -> str:
        raise KeyboardInterrupt

    monkeypatch.setitem(export.WRITERS, "markdown", interrupted)
    assert errorbar("report", "--gold", "one.m2", "mine", *FAST, "-o", "r.md").code == 130
    assert sorted(path.name for path in folder.iterdir()) == before
    if old:
        assert Path("r.md").read_text(encoding="utf-8") == old


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_in_the_midst_of_the_work_leaves_the_folder_alone(folder: Path, sent: signal.Signals) -> None:
    Path("r.html").write_text("the page of yesterday", encoding="utf-8")
    before = sorted(path.name for path in folder.iterdir())
    # Intervals of the ceiling from so many resamples take minutes, so the signal comes in time.
    given = [
        "--gold",
        "gold.jsonl",
        "careful.txt",
        "--page",
        "ceiling-ci=20000",
        "-o",
        "r.html",
        "--page",
        "charts=charts",
    ]
    command = [sys.executable, "-m", "errorbar", "report", *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(2)
        running.send_signal(sent)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err.strip()) == ((130, "interrupted") if sent == signal.SIGINT else (-sent, ""))
    assert sorted(path.name for path in folder.iterdir()) == before
    assert Path("r.html").read_text(encoding="utf-8") == "the page of yesterday"


def test_charts_beside_the_report(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("report", "--gold", "one.m2", "mine", *FAST, "-o", "r.md", "--page", "charts=out")
    assert done.code == 0, done.err
    assert "12 files of charts in out" in done.err  # leaderboard, plane, types and attacks, three formats each
    assert (folder / "out/leaderboard-chart.svg").is_file()


def test_the_usual_number_of_jobs_is_that_of_the_cores(errorbar: CommandLine) -> None:
    assert all_cores() >= 1
    assert "[default: (all cores)" in " ".join(errorbar("report", "--help").out.split())


def test_demo_report(folder: Path, errorbar: CommandLine) -> None:
    done = errorbar("demo", "--report", "-o", "d.md")
    assert done.code == 0, done.err
    text = Path("d.md").read_text(encoding="utf-8")
    assert text.startswith("# errorbar demo: four systems, three annotators\n")
    assert "errorbar demo --report --output d.md" in text
    with demo_files() as (gold, _):
        assert str(gold.parent) not in text
    assert errorbar("demo", "-o", "d.json").out == ""
    assert Path("d.json").read_text(encoding="utf-8").startswith('{\n "schema": "errorbar.score/')


def test_curves_without_intervals_say_so(folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.api.ceiling.MOST_FOLDED", 10)  # more takes too long to be made unasked
    call = ("report", "--gold", "gold.jsonl", "careful.txt", *FAST, "-o", "r.tex")
    for more, bare in (((), True), (("--page", "ceiling-ci=5"), False)):
        assert errorbar(*call, *more).code == 0
        assert ("No intervals were computed; they are made on request" in Path("r.tex").read_text("utf-8")) is bare
