"""A report as LaTeX: sections, prose, and booktabs tables that stand in a paper."""

from __future__ import annotations

from collections.abc import Iterator

from errorbar.reporting.model import Block, Cell, Chart, Code, Links, Prose, Report, Sentences, Shown, Table
from errorbar.tables.latex_text import escape_latex

OMITTED = "The sentences are left out here; they stand in the page: write to a file that ends in .html."
HEAD = r"""% Made by errorbar; \input the sections, or compile it with XeLaTeX or LuaLaTeX, which know every script.
\documentclass{article}
\usepackage{fontspec}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage[landscape,margin=2cm]{geometry}
\begin{document}"""
WIDE = 8
"""Tables with more columns are set small."""
LONG = 40
"""Characters of a text that is broken into lines."""


def latex(report: Report) -> str:
    """Make a LaTeX document of a report.

    Args:
        report: What it shows.

    Returns:
        Text that ends with a line break. Text from data is escaped, so that it shows as it is.
    """
    return "\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    yield HEAD
    yield rf"\title{{{escape_latex(report.title)}}}"
    yield rf"\author{{errorbar {escape_latex(report.version)}}}"
    yield rf"\date{{{escape_latex(report.date)}}}"
    yield r"\maketitle"
    yield " ".join(escape_latex(sentence) for sentence in report.summary)
    yield r"\begin{description}"
    yield from (rf"\item[{escape_latex(name)}] {escape_latex(value)}" for name, value in report.facts)
    yield r"\end{description}"
    for section in report.sections:
        yield ""
        yield rf"\section{{{escape_latex(section.title)}}}"
        for block in section.blocks:
            yield from _block(block)
    yield r"\end{document}"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Prose):
        for paragraph in block.paragraphs:
            yield f"{escape_latex(paragraph)}\n"
    elif isinstance(block, Code):
        if block.label:
            yield rf"\paragraph{{{escape_latex(block.label)}}}"
        yield r"\begin{quote}\ttfamily\raggedright"
        yield "\\\\\n".join(escape_latex(line) for line in block.text.split("\n"))
        yield r"\end{quote}"
    elif isinstance(block, Sentences):
        yield f"{OMITTED}\n"
    elif isinstance(block, Links):
        yield f"{escape_latex(block.label)}: {escape_latex(', '.join(block.targets))}\n"
    elif isinstance(block, Chart):
        yield f"{escape_latex(block.description)}\n"
        yield from _table(block.table)
    else:
        yield from _table(block)


def _column(table: Table, i: int) -> str:
    """How a column is set: numbers to the right, long text in lines."""
    if i >= table.text_columns:
        return "r"
    return "p{5cm}" if any(len(_text(row[i])) > LONG for row in table.rows) else "l"


def _table(table: Table) -> Iterator[str]:
    layout = "".join(_column(table, i) for i in range(len(table.columns)))
    if len(table.columns) > WIDE:
        yield r"{\footnotesize"
    yield rf"\begin{{longtable}}{{{layout}}}"
    yield rf"\caption{{{escape_latex(table.title)}}}\label{{tab:{table.name}}}\\"
    yield r"\toprule"
    yield " & ".join(escape_latex(column) for column in table.columns) + r" \\"
    yield r"\midrule\endhead"
    yield from (" & ".join(escape_latex(_text(cell)) for cell in row) + r" \\" for row in table.rows)
    yield r"\bottomrule"
    yield r"\end{longtable}"
    if len(table.columns) > WIDE:
        yield "}"
    yield from (f"{escape_latex(note)}\n" for note in table.notes)


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, Shown) else cell
