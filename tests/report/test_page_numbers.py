"""What stands in the page is what stands in the report, which ``test_numbers`` holds against the commands."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from errorbar.demo import demo_files
from errorbar.report import Report
from tests.helpers.cli import CommandLine
from tests.report.pages import found, printed, report_of, tables, text_rows

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("jinja2", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")


class Tables(HTMLParser):
    """Collects the cells of every table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables:
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(" ".join("".join(self._cell).split()))
            self._cell = None


def read(page: str) -> list[list[list[str]]]:
    """Rows of every table, without headings."""
    parser = Tables()
    parser.feed(page)
    return [[row for row in table[1:] if row] for table in parser.tables if table]


def test_every_table_of_the_report_stands_in_the_page(demo: tuple[list[str], Report]) -> None:
    from errorbar.report.page import page_html

    page = read(page_html(demo[1]))
    for table in tables(demo[1]).values():
        rows = [[" ".join(cell.split()) for cell in row] for row in text_rows(table)]
        assert rows in page, table.name


def test_the_page_of_the_command_has_the_scores_of_the_command(
    tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with demo_files() as (gold, systems):
        given = ("--gold", gold, *systems)
        assert errorbar("report", *given, "-o", "r.html", "--resamples", 100, "--seed", 3).code == 0
        theirs = printed(errorbar("score", *given, "--ci", "--resamples", 100, "--seed", 3, "--format", "markdown").out)
    page = read(Path("r.html").read_text(encoding="utf-8"))
    wanted = {tuple(row[:7]) for row in theirs}
    assert any({tuple(row[:7]) for row in table} == wanted for table in page)


def test_three_systems_of_2014(data: Path) -> None:
    submissions = data / "conll14_systems/official_submissions"
    names = [path for path in sorted(submissions.iterdir()) if path.name in ("CAMB", "CUUI", "IITB")]
    gold = str(data / "conll14/noalt/official-2014.combined.m2")
    report = report_of(found(gold=(gold,), systems=tuple(map(str, names)), lenient=True))
    # Ng et al. 2014, table 7: F0.5 of CAMB 37.33, CUUI 36.79, IITB 5.90.
    rows = {row[0]: row[5] for row in text_rows(tables(report)["scores"])}
    assert rows == {"CAMB": "37.33", "CUUI": "36.79", "IITB": "5.90"}
    assert report.summary[0].startswith("CAMB has the highest F0.5 of 3 systems, 37.33 (95% interval ")
    assert report.summary[1].startswith("CAMB cannot be told apart from CUUI at the 5% level")
