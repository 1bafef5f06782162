"""A report as text: as Markdown (CommonMark with tables), and as LaTeX whose booktabs tables stand in a paper.

Charts are their tables. Text from data is escaped, so that it shows as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from errorbar.reporting.blocks import Block, Chart, Code, Items, Links, Prose, Report, Sentences
from errorbar.tables.shown import shown
from errorbar.tables.table import Table
from errorbar.tables.writers import escape_latex, escape_markdown, latex_table, markdown_table

OMITTED = "The sentences are left out here; they stand in the page: write to a file that ends in .html."
HEAD = r"""% Made by errorbar; \input the sections, or compile it with XeLaTeX or LuaLaTeX, which know every script.
\documentclass{article}
\usepackage{fontspec}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage[landscape,margin=2cm]{geometry}
\begin{document}"""


def markdown(report: Report) -> str:
    """Make Markdown of a report; it ends with a line break."""
    return "\n\n".join(_markdown(report)) + "\n"


def latex(report: Report) -> str:
    """Make a LaTeX document of a report; it ends with a line break."""
    return "\n".join(_latex(report)) + "\n"


def _plain(block: Block) -> Prose | Code | Chart | Table:
    """A block without what only pages have."""
    if isinstance(block, Sentences):
        return Prose([OMITTED])
    if isinstance(block, Items):
        return block.table
    # Names only: the pages stand beside a page, not beside every text.
    return Prose([f"{block.label}: {', '.join(block.targets)}"]) if isinstance(block, Links) else block


def _markdown(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    yield " ".join(escape_markdown(sentence) for sentence in report.summary)
    facts = [*report.facts, ("errorbar", report.version), ("date", report.date)]
    yield "\n".join(f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in facts if value)
    for section in report.sections:
        yield f"## {escape_markdown(section.title)}"
        for block in map(_plain, section.blocks):
            if isinstance(block, Prose):
                yield from map(escape_markdown, block.paragraphs)
            elif isinstance(block, Code):
                if block.label:
                    yield f"{escape_markdown(block.label)}:"
                # The fence is longer than any run of backticks in the text.
                fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", block.text))])
                yield f"{fence}text\n{block.text}\n{fence}"
            else:
                yield f"### {escape_markdown(block.title)}"
                if isinstance(block, Chart):
                    yield escape_markdown(block.description)
                yield markdown_table(shown(block.table if isinstance(block, Chart) else block))


def _latex(report: Report) -> Iterator[str]:
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
        for block in map(_plain, section.blocks):
            if isinstance(block, Prose):
                yield from (f"{escape_latex(paragraph)}\n" for paragraph in block.paragraphs)
            elif isinstance(block, Code):
                if block.label:
                    yield rf"\paragraph{{{escape_latex(block.label)}}}"
                yield r"\begin{quote}\ttfamily\raggedright"
                yield "\\\\\n".join(escape_latex(line) for line in block.text.split("\n"))
                yield r"\end{quote}"
            else:
                if isinstance(block, Chart):
                    yield f"{escape_latex(block.description)}\n"
                yield latex_table(shown(block.table if isinstance(block, Chart) else block), document=True)
    yield r"\end{document}"
