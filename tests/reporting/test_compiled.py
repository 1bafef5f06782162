"""Every LaTeX that errorbar writes compiles, fits and lacks no letter; every Markdown renders to the same tables."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from errorbar.core import visible
from errorbar.reporting import Block, Chart, Code, Prose, Report, Section, format_markdown, latex
from errorbar.tables import Cell, Column, Table, escape_latex, markdown_table
from errorbar.tables.table import format_table
from errorbar.tables.writers import _KNOWN, latex_table, missing_letters
from tests.golden.calls import DEMO
from tests.golden.files import write_demo
from tests.golden.kept import words
from tests.helpers.cli import CommandLine
from tests.helpers.needed import missing
from tests.tasks.small import make_task

Compile = Callable[[str], None]
FRAME = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{booktabs}
\usepackage[paperwidth=3000mm,paperheight=3000mm,margin=1cm]{geometry}
\begin{document}
%s
\end{document}
"""
"""A paper on which every table has room: how wide a bare one may be, its author decides."""
WRONG = re.compile(r"^!.*|.*Overfull.*|.*[Uu]ndefined.*|.*multiply.defined.*|.*Missing character.*", re.MULTILINE)
HOSTILE = (
    r"a_b%c&d#e$f~g^h\i{j}k",
    "'quoted' \"text\" `code` --option ---x ,,low'' <<x>> ?` !`",
    "[option] * star",
    "é ł ß Ő ą « » – — “x” … ‰ €",
    "κ α β Σ Δ χ² ≤ ≥ ≈ ± × → √ ∞ ½ − x₂",
    "日本語 Русский עברית العربية ไทย",
    "emoji 👩‍👩‍👧‍👦 🇩🇪 😀",
    "e\u0301 combining, \u202e turned, \x1b[1m control, no\u00a0break, soft\u00adhyphen",
    r"\input{/etc/passwd} \end{document} \end{tabular} \\ & \hline",
    "a|b || c\\|d <b>bold</b> <script>x</script> &amp; &lt; [link](http://x) ![i](j) *e* __s__ ~~d~~",
    "# heading - list 1. list > quote",
    "\\",
    "",
    "x" * 200,
    "averyveryverylongname" * 4 + "/with/folders_and-hyphens.and.points:colons|bars",
)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles a document twice, as longtable needs it, and looks at what it said the second time."""
    program = shutil.which("pdflatex") or missing("pdfLaTeX (make tex)")

    def compile_it(text: str) -> None:
        folder = tmp_path_factory.mktemp("tex")
        (folder / "it.tex").write_text(text, encoding="utf-8")
        asked = [program, "-interaction=nonstopmode", "it.tex"]
        for _ in range(2):
            done = subprocess.run(asked, cwd=folder, capture_output=True, timeout=120, check=False)
        log = (folder / "it.log").read_text(encoding="latin-1")
        assert WRONG.findall(log)[:20] == [], folder
        assert done.returncode == 0, log[-2000:]

    return compile_it


def framed(text: str) -> str:
    """Bare tables, one below another."""
    return FRAME.replace("%s", re.sub(r"^\\end\{tabular\}$", r"\g<0>\n\n\\bigskip\n", text, flags=re.MULTILINE))


def hostile(columns: int = 2) -> Table:
    rows: list[list[Cell]] = [
        [text, *(number * 1000 for _ in range(columns - 1))] for number, text in enumerate(HOSTILE)
    ]
    names = [Column(HOSTILE[number % len(HOSTILE)], "count", key=f"c{number}") for number in range(1, columns)]
    return Table([Column(HOSTILE[0]), *names], rows, HOSTILE[9], "hostile", list(HOSTILE))


def rendered(text: str) -> list[list[list[str]]]:
    """The texts of the cells of each table, as a reader of the rendered page sees them; nothing in them is markup."""
    found: list[list[list[str]]] = []
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    for before, token in pairwise([tokens[0], *tokens]):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif before.type in ("th_open", "td_open"):
            parts = token.children or []
            assert {part.type for part in parts} <= {"text", "text_special"}, token.content
            found[-1][-1].append("".join(part.content for part in parts))
    return found


@pytest.mark.slow
def test_every_letter_that_is_said_to_be_known(compiled: Compile) -> None:
    letters = [chr(code) for code in sorted(_KNOWN) if chr(code).isprintable()]
    assert len(letters) > 400
    compiled(framed("\n\n".join(map(escape_latex, letters))))


@pytest.mark.slow
def test_hostile_names_in_bare_tables(compiled: Compile) -> None:
    seen = [text for text in HOSTILE if not missing_letters([text])]
    assert len(seen) > len(HOSTILE) / 2
    table = Table([Column(seen[0]), Column("n", "count")], [[text, 1] for text in seen], "", "t", seen)
    compiled(framed(latex_table(format_table(table))))


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 2, 8, 14, 60])
def test_hostile_names_in_documents(compiled: Compile, columns: int) -> None:
    table = hostile(columns)
    chart = Chart("chart", HOSTILE[2], HOSTILE[0], {}, table)
    codes = [*(Code(text, text) for text in HOSTILE), Code("\n".join(HOSTILE))]
    blocks: list[Block] = [Prose(HOSTILE), table, chart, *codes]
    facts = [(text, text) for text in HOSTILE]
    sections = [Section("s", text, blocks if not number else [Prose(["Text."])]) for number, text in enumerate(HOSTILE)]
    for title in (HOSTILE[0], HOSTILE[2], HOSTILE[5]):
        compiled(latex(Report(title, HOSTILE, sections, facts, "0.1.0", "2026-11-23")))


def test_hostile_names_in_markdown() -> None:
    (table,) = rendered(markdown_table(format_table(hostile(3))))
    grid = format_table(hostile(3))
    lines = [grid.columns, *([cell.text for cell in row] for row in grid.rows)]
    assert table == [[visible(" ".join(cell.split())) for cell in line] for line in lines]
    report = Report(HOSTILE[9], HOSTILE, [Section("s", HOSTILE[10], [Prose(HOSTILE), hostile(3), Code("```")])])
    assert rendered(format_markdown(report)) == [table]
    html = MarkdownIt("commonmark").enable("table").render(format_markdown(report))
    assert not re.search(r"<(script|b|em|strong|a|img|s|blockquote)\b", html)
    assert len(re.findall(r"<h[1-6]", html)) == 3


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("corpus")
    return folder, write_demo(folder)


OTHERS = {
    "plan-judging": ("plan-judging", "--gold", "{gold}", "{careful}", "{greedy}"),
    "doctor": ("doctor",),
    "data": ("data", "list"),
    "gleu": ("score", "--metric", "gleu", "--gold", "{gold}", "{careful}"),
}
"""Commands that print tables and of which no result is kept."""
CALLS = {name: call for name, call in {**DEMO, **OTHERS}.items() if call[0] != "report"}


@pytest.mark.slow
def test_what_every_command_writes(
    errorbar: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
    corpus: tuple[Path, dict[str, str]],
    compiled: Compile,
) -> None:
    folder, files = corpus
    monkeypatch.chdir(folder)
    bare: dict[str, str] = {}
    for name, call in CALLS.items():
        asked = [word for word in words(call, files) if word not in ("--format", "json")]
        told = errorbar(*asked, "-o", "it.md"), errorbar(*asked, "-o", "it.tex")
        assert [outcome.code for outcome in told] == [0, 0], (name, told[0].err)
        tables = rendered((folder / "it.md").read_text(encoding="utf-8"))
        bare[name] = (folder / "it.tex").read_text(encoding="utf-8")
        for table in tables:
            assert {len(line) for line in table} == {len(table[0])}, name
        # The same rows in both: a line of LaTeX's ends each.
        assert sum(map(len, tables)) == len(re.findall(r"\\\\$", bare[name], re.MULTILINE)), name
    compiled(framed("\n\n".join(bare.values())))


@pytest.mark.slow
def test_the_report_and_the_boards(errorbar: CommandLine, tmp_path: Path, compiled: Compile) -> None:
    assert errorbar("demo", "--save", str(tmp_path / "demo")).code == 0
    systems = [str(tmp_path / f"demo/{name}.txt") for name in ("careful", "greedy", "articles", "copy")]
    gold = ("--gold", str(tmp_path / "demo/gold.jsonl"))
    assert errorbar("report", *gold, *systems, "-o", str(tmp_path / "it.tex")).code == 0
    compiled((tmp_path / "it.tex").read_text(encoding="utf-8"))
    (tmp_path / "task").mkdir()
    task = make_task(tmp_path / "task")
    assert errorbar("task", "board", str(task), "--tables-only", "-o", str(tmp_path / "board")).code == 0
    compiled((tmp_path / "board/tables.tex").read_text(encoding="utf-8"))
    assert rendered((tmp_path / "board/tables.md").read_text(encoding="utf-8"))
