"""Names that would do something if they were just printed: to a terminal, a page, a spreadsheet, the next line.

Text of data, arguments and file names reaches stdout and stderr through every command; whatever it holds, a terminal
gets letters, each error stays one line, and no cell of a table is a formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import errorbar.cli
from tests.helpers.cli import CommandLine, Outcome
from tests.tasks.small import GOLD, RUNS, SOURCE, TASK

# A terminal obeys C0 and C1 control characters and DEL; the others break or turn lines, or hide.
RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u200b\u200e\u200f\u061c\ufeff\ud800\U000e0041]"
)
FORGED = "error: forged [fake]"
NAME = f"=x\x1b]0;owned\x07\x9b2J\x7f\r{FORGED}\n{FORGED}\u2028{FORGED}\u2029\u202e\u2066\u200b\U000e0041|`<b>&lt;"
NAMED = f"@{NAME[1:]}"
"""The same where an equals sign ends the name."""
FORMATS = ("table", "csv", "markdown", "latex", "json")


def harmless(done: Outcome) -> Outcome:
    """Nothing but letters and line ends, and no line that only seems to be ours; not an internal error."""
    assert done.code in (0, 1, 2), done.err
    for text in (done.out, done.err):
        assert not RAW.search(text), RAW.findall(text)
        assert not any(line.lstrip().startswith(FORGED) for line in text.split("\n"))
    return done


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in _corpus()))
    (tmp_path / "votes.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in _votes()))
    flags = [{"item": f"{n}{NAME}", "flag": n % 2, "score": n / 10} for n in range(8)]
    (tmp_path / "flags.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in flags))
    (tmp_path / f"run{NAMED}.txt").write_text("\n".join(RUNS["one/run1.txt"]) + "\n")
    (tmp_path / "other.txt").write_text("\n".join(RUNS["one/run2.txt"]) + "\n")
    systems = [f"{system}{NAME}" for system in "=ABC"]
    pairs = [[one, two, one, NAME, NAME] for one in systems for two in systems if one != two]
    _write_csv(tmp_path / "pairs.csv", [["system1", "system2", "winner", "judge", "item"], *pairs])
    _write_csv(tmp_path / "scores.csv", [["system", "score"], *([system, str(n)] for n, system in enumerate(systems))])
    return tmp_path


def _write_csv(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)


def _corpus() -> list[object]:
    annotators = [f"{NAME}{number}" for number in range(2)]
    edit = {"start": 0, "end": 1, "replacements": [NAME], "type": NAME, "comment": NAME}
    rows = [
        {
            "text": text,
            "document": f"{NAME}{number // 2}",
            "writer": NAME,
            "annotations": {annotators[0]: [edit] if number % 2 else [], annotators[1]: [edit]},
        }
        for number, text in enumerate(SOURCE)
    ]
    return [{"format": "errorbar-corpus", "version": 1, "annotators": annotators}, *rows]


def _votes() -> list[dict[str, str]]:
    labels = (f"ok{NAME}", f"error{NAME}")
    return [
        {"item": f"{n}{NAME}", "rater": f"{rater}{NAME}", "label": labels[(n * rater) % 3 == 0]}
        for n in range(8)
        for rater in range(3)
    ]


SYSTEMS = (f"{NAMED}=other.txt", f"run{NAMED}.txt")
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "--gold", "gold.jsonl", *SYSTEMS),
    "by-type": ("score", "--gold", "gold.jsonl", "--by", "type", *SYSTEMS),
    "by-sentence": ("score", "--gold", "gold.jsonl", "--by", "sentence", SYSTEMS[1]),
    "compare": ("compare", "--gold", "gold.jsonl", "--resamples", "20", *SYSTEMS),
    "ceiling": ("ceiling", "--gold", "gold.jsonl", *SYSTEMS),
    "agree": ("agree", "gold.jsonl", "--resamples", "20"),
    "agree-types": ("agree", "gold.jsonl", "--labels", "type", "--confusion", "--resamples", "20"),
    "agree-votes": ("agree", "votes.jsonl", "--pairs", "--resamples", "20"),
    "aggregate": ("crowd", "aggregate", "votes.jsonl"),
    "raters": ("crowd", "raters", "votes.jsonl"),
    "crowd-score": ("crowd", "score", "votes.jsonl", f"{NAMED}=flags.jsonl", "--labels", f"error=error{NAME}"),
    "curve": ("curve", "votes.jsonl", "flags.jsonl", "--labels", f"error=error{NAME}"),
    "plan": ("sample", "plan", f"{NAMED}=flags.jsonl", "--budget", "8"),
    "check": ("check", "gold.jsonl", "gold.m2", *SYSTEMS[1:]),
    "check-against": ("check", "--gold", "gold.m2", SYSTEMS[1]),
    "missing": ("score", "--gold", f"none{NAME}", SYSTEMS[1]),
    "metric": ("score", "--gold", "gold.m2", "--metric", f"m2{NAME}", SYSTEMS[1]),
    "rank": ("rank", "pairs.csv", "--resamples", "20"),
    "head-to-head": ("rank", "pairs.csv", "--head-to-head"),
    "meta": ("meta", "pairs.csv", f"{NAMED}=scores.csv", "--resamples", "20"),
    "data": ("data", "show", NAME),
}
REFUSED = ("missing", "metric", "data")


def test_nothing_is_printed_past_the_writers() -> None:
    """Lines are printed by ``command``, results by ``output``; what remains prints nothing of anybody's, or data."""
    commands = Path(errorbar.cli.__file__).parent
    found = {path.stem: len(re.findall(r"click\.s?echo\((?!\))", path.read_text())) for path in commands.glob("*.py")}
    own = {"command", "output"}
    programs = {"completion": 1, "data": 2}  # a shell runs what they print: a script, the path of a corpus
    others = {"main": 1, "judge_commands": 1}  # help; a QR code, which is colors
    assert {name: n for name, n in found.items() if n and name not in own} == programs | others


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_names_in_results_and_errors(folder: Path, errorbar: CommandLine, name: str, style: str) -> None:
    done = harmless(errorbar(*COMMANDS[name], "--format", style))
    assert (done.code == 2) == (name in REFUSED), done.err
    if style == "json" and done.code == 0:
        json.loads(done.out)
    if style == "csv":
        rows = list(csv.reader(io.StringIO(done.out)))
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+", "-")) and not _number(cell)]


def _number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e-\d+)?", cell) is not None or cell == "-"


def test_json_holds_the_names_to_the_letter(folder: Path, errorbar: CommandLine) -> None:
    document = json.loads(harmless(errorbar(*COMMANDS["score"], "--format", "json")).out)
    assert [row["system"] for row in document["rows"]] == [NAMED, f"run{NAMED}"]


@pytest.mark.parametrize(
    "arguments",
    [(NAME,), ("score", f"--{NAMED}"), ("score", "--format", NAME), ("score", "--gold", "gold.m2", "--seed", NAME)],
)
def test_arguments_that_are_refused(folder: Path, errorbar: CommandLine, arguments: tuple[str, ...]) -> None:
    done = harmless(errorbar(*arguments))
    assert done.code == 2
    assert "\\x1b]0;owned\\x07" in done.err


def test_what_click_lists_stays_a_list(errorbar: CommandLine) -> None:
    assert errorbar("convert").code == 2
    assert "\\n" not in errorbar("convert").err


@pytest.mark.parametrize("kind", ["markdown", "latex"])
def test_reports(folder: Path, errorbar: CommandLine, kind: str) -> None:
    out = "r.md" if kind == "markdown" else "r.tex"
    harmless(errorbar("report", "--gold", "gold.jsonl", "--resamples", "20", *SYSTEMS, "-o", out))
    text = Path(out).read_text()
    assert not RAW.search(text)
    if kind == "markdown":
        prose = "".join(text.split("```")[::2])  # what is fenced is shown as it is
        assert "\\<b\\>" in prose
        assert "<b>" not in prose


def test_a_task(folder: Path, errorbar: CommandLine) -> None:
    """Team names become file names and are checked; the rest of a profile is anything."""
    for name, lines in RUNS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "source.txt").write_text("\n".join(SOURCE) + "\n")
    said = json.dumps(NAME)
    text = TASK.replace('"Small"', said).replace('name = "one"', f'name = "one"\nfull_name = {said}\napproach = {said}')
    (folder / "task.toml").write_text(_toml(text))
    for command in (("run",), ("board", "--resamples", "20", "-o", "board")):
        assert harmless(errorbar("task", command[0], "task.toml", *command[1:])).code == 0
    harmless(errorbar("task", "validate", "task.toml", SYSTEMS[1]))
    for name in ("tables.md", "tables.tex"):
        assert not RAW.search((folder / "board" / name).read_text())
    assert "<b>" not in (folder / "board" / "index.html").read_text()


def _toml(text: str) -> str:
    """JSON's escapes for what stands beyond the basic plane are pairs, which TOML does not know."""
    return text.replace("\\udb40\\udc41", "\\U000E0041")


def test_a_team_whose_answer_is_a_formula(folder: Path, errorbar: CommandLine) -> None:
    """Judges open in a spreadsheet what teams wrote; their verdicts are read back all the same."""
    (folder / "gold.m2").write_text("S =1+1 a\n\n")
    (folder / "source.txt").write_text("=1+1 a\n")
    answer = "=HYPERLINK(1)"
    (folder / "a.m2").write_text(f"S =1+1 a\nA 0 1|||X|||{answer}|||REQUIRED|||-NONE-|||0\n\n")
    (folder / "task.toml").write_text(TASK.partition("[[team]]")[0])
    assert harmless(errorbar("task", "alternatives", "task.toml", "t=a.m2", "--list", "l.csv")).code == 0
    row = next(csv.DictReader(io.StringIO(Path("l.csv").read_text())))
    assert (row["source"], row["answer"]) == ("'=1+1 a", f"'{answer} a")
    Path("l.csv").write_text(Path("l.csv").read_text().rstrip("\n") + "yes\n")
    done = errorbar("task", "alternatives", "task.toml", "t=a.m2", "--judged", "l.csv", "--gold", "g.m2")
    assert answer in Path("g.m2").read_text(), done.err


def test_what_is_read_back_keeps_its_names(folder: Path, errorbar: CommandLine) -> None:
    """A name that looks like a formula is none in a spreadsheet, and the next command reads it as it was."""
    Path("f.csv").write_text("item,flag\n" + "".join(f"=a{n},{n % 2}\n" for n in range(8)))
    arguments = ("--budget", "8", "--rater", "=r", "--out", "set.csv", "--key", "k.json")
    assert errorbar("sample", "draw", "f.csv", *arguments).code == 0
    text = Path("set.csv").read_text()
    assert all(row["item"].startswith("'=a") and row["rater"] == "'=r" for row in csv.DictReader(io.StringIO(text)))
    Path("set.csv").write_text(text.replace("'=r,", "'=r,error"))
    done = errorbar("sample", "estimate", "set.csv", "--key", "k.json", "--format", "csv")
    assert done.code == 0, done.err
