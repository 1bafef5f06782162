"""Markdown and LaTeX hold the same as the page, and show what comes from data literally."""

from __future__ import annotations

import re

import pytest

from errorbar.api import Browse
from errorbar.reporting import Chart, Code, Prose, Report, Section, SentenceBrowser, format_markdown, latex
from errorbar.tables import Column, Table, escape_latex, escape_markdown
from errorbar.tables.writers import missing_letters
from tests.reporting.pages import tables

COLUMNS = [Column("system"), Column("F", "percent")]
TABLE = Table(COLUMNS, [["a|b", 0.01], ["c & d", None]], "A table", "t", ["50% note"])
REPORT = Report(
    "A *title*",
    ["One sentence.", "Two."],
    [
        Section(
            "s",
            "A_section",
            [
                Prose(["# no heading", "- no list", "1. nor this"]),
                TABLE,
                Chart("c", "A chart", "What it shows: 1.00.", {}, TABLE),
                Code("errorbar `x`\n$HOME ~ \\end{quote}", "The command"),
                SentenceBrowser(Browse((), (), [])),
            ],
        )
    ],
    (("data", "<b>"), ("empty", "")),
    "0.1.0",
    "2026-11-21",
)


def test_markdown_as_a_whole() -> None:
    assert format_markdown(REPORT) == (
        "# A \\*title\\*\n\nOne sentence. Two.\n\n- data: \\<b\\>\n- errorbar: 0.1.0\n- date: 2026-11-21\n\n"
        "## A\\_section\n\n\\# no heading\n\n\\- no list\n\n1\\. nor this\n\n"
        "### A table\n\n| system | F |\n| --- | ---: |\n| a\\|b | 1.00 |\n| c & d | – |\n\n- 50% note\n\n"
        "### A chart\n\nWhat it shows: 1.00.\n\n| system | F |\n| --- | ---: |\n| a\\|b | 1.00 |\n| c & d | – |\n\n"
        "- 50% note\n\nThe command:\n\n```text\nerrorbar `x`\n$HOME ~ \\end{quote}\n```\n\n"
        "The sentences are left out here; they stand in the page: write to a file that ends in .html.\n"
    )


def test_a_fence_is_longer_than_what_it_holds() -> None:
    code = format_markdown(Report("t", [], [Section("s", "s", [Code("```\n</script>")])]))
    assert "````text\n```\n</script>\n````" in code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b*c", "a\\_b\\*c"),
        ("<script>", "\\<script\\>"),
        ("&lt; is &#60; & R&D", "\\&lt; is \\&\\#60; & R&D"),
        ("two\nlines", "two lines"),
        ("+ plus", "\\+ plus"),
        ("12) twelve", "12\\) twelve"),
        ("3.14", "3.14"),
        ("עברית", "עברית"),
    ],
)
def test_markdown_escapes(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


def test_latex_as_a_whole() -> None:
    made = latex(REPORT)
    assert made.startswith("% Made by errorbar")
    assert r"\title{A *title*}" in made
    assert r"\section{A\_section}" in made
    assert r"\begin{tabular}{lr}" in made
    assert r"a\textbar{}b & 1.00 \\" in made
    assert r"c \& d & – \\" in made
    assert (
        "errorbar \\textasciigrave{}x\\textasciigrave{}\\\\\n\\$HOME \\textasciitilde{} \\textbackslash{}end\\{quote\\}"
        in made
    )
    assert "The sentences are left out here" in made
    assert made.endswith("\\end{document}\n")


def test_latex_is_balanced(demo: tuple[list[str], Report]) -> None:
    made = latex(demo[1])
    begun, ended = re.findall(r"\\begin\{(\w+)\}", made), re.findall(r"\\end\{(\w+)\}", made)
    assert sorted(begun) == sorted(ended)
    plain = re.sub(r"\\[\\{}$&#_%]", "", made)
    assert plain.count("{") == plain.count("}")
    for line in made.splitlines():
        if line.endswith(r"\\") and " & " in line:
            assert "|" not in line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("50% & $x_1$ #~^", r"50\% \& \$x\_1\$ \#\textasciitilde{}\textasciicircum{}"),
        ("\\input{/etc}", r"\textbackslash{}input\{/etc\}"),
        ("[option]", "{}[option]"),
        ("* star", "{}* star"),
        ('<"|>', r"\textless{}\symbol{34}\textbar{}\textgreater{}"),
        ("--gold ''a'' ,,", r"-{}-gold '{}'a'{}' ,{},"),
        (
            "−1 ≤ κ ± ΔΒ₂",
            r"\ensuremath{-}1 \ensuremath{\leq} \ensuremath{\kappa} \ensuremath{\pm} \ensuremath{\Delta}"
            r"\ensuremath{\mathrm{B}}\ensuremath{_2}",
        ),
        ("e\u0301", "é"),
    ],
)
def test_escape_latexs(text: str, shown: str) -> None:
    assert escape_latex(text) == shown


def test_both_hold_every_number_of_every_table(demo: tuple[list[str], Report]) -> None:
    in_markdown, in_latex = format_markdown(demo[1]), latex(demo[1])
    for table in tables(demo[1]).values():
        for row in table.rows:
            cells = [cell.text for cell in row]
            assert f"| {' | '.join(map(escape_markdown, cells))} |" in in_markdown
            # Wide tables come in parts, each with the first column.
            line = r" & ".join(escape_latex(cell, document=True) for cell in cells)
            assert f"{line} \\\\" in in_latex or all(escape_latex(cell, document=True) in in_latex for cell in cells)


def test_latex_breaks_long_words_in_documents_only() -> None:
    word = "m2|src:eb32664585eb|ref:a416f5f75b8b"
    assert r"\allowbreak" not in escape_latex(word)
    assert escape_latex(word, document=True).replace(r"\allowbreak{}", "") == escape_latex(word)
    assert escape_latex("x" * 20, document=True) == "x" * 20
    assert escape_latex("x" * 21, document=True) == r"\allowbreak{}".join(["x" * 8, "x" * 8, "x" * 5])


def test_latex_names_letters_that_pdflatex_has_not() -> None:
    assert missing_letters(["Łódź é ß κ ≤ – “x”", "日本", "本 Я"]) == ["Я", "日", "本"]
    made = latex(Report("日", [], []))
    assert r"\DeclareUnicodeCharacter{65E5}{{[U+65E5]\allowbreak}}" in made
