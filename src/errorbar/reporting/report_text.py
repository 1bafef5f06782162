"""A report as text: as Markdown (CommonMark with tables), and as LaTeX whose booktabs tables stand in a paper.

Charts are their tables. Text from data is escaped, so that it shows as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from errorbar.reporting.blocks import Block, Chart, Code, Fold, Items, Links, Matrix, Prose, Report, Sentences
from errorbar.tables.latex_text import document_table, escape_latex, placeholders
from errorbar.tables.shown import shown
from errorbar.tables.table import Table
from errorbar.tables.writers import escape_markdown, markdown_table

OMITTED = "The sentences are left out here; they stand in the page: write to a file that ends in .html."
HEAD = r"""% Made by errorbar; \input the sections, or compile it with pdfLaTeX, LuaLaTeX or XeLaTeX.
\documentclass{article}
\usepackage{iftex}
\ifPDFTeX
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}"""
"""How a document starts; then, how pdfLaTeX shows letters that it lacks."""
START = r"""\else
\usepackage{fontspec} % \setmainfont{NAME}: a font that has every letter of your names
\fi
\usepackage{array}
\usepackage{booktabs}
\usepackage{float}
\usepackage{graphicx}
\usepackage{longtable}
\usepackage{caption}
\usepackage[landscape,margin=2cm]{geometry}
\emergencystretch=5em
\begin{document}"""


def markdown(report: Report) -> str:
    """Make Markdown of a report; it ends with a line break."""
    return "\n\n".join(_markdown(report)) + "\n"


def latex(report: Report) -> str:
    """Make a LaTeX document of a report; it ends with a line break."""
    body = "\n".join(_latex(report))
    return "\n".join([HEAD, *placeholders(body), START, body]) + "\n"


def _plain(blocks: Sequence[Block]) -> Iterator[Prose | Code | Chart | Table]:
    """Blocks without what only pages have."""
    for block in blocks:
        if isinstance(block, Sentences):
            yield Prose([OMITTED])
        elif isinstance(block, Items):
            yield block.table
        elif isinstance(block, Links):  # names only: the pages stand beside a page, not beside every text
            yield Prose([f"{block.label}: {', '.join(block.targets)}"])
        elif isinstance(block, Fold):
            yield block.inside
        elif not isinstance(block, Matrix):  # the table behind it says the same
            yield block


def _key(chart: Chart) -> str:
    """What the codes of a chart mean, as a sentence."""
    return f"{'; '.join(f'{code}: {words}' for code, words in chart.key.items())}."


def _markdown(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    yield " ".join(escape_markdown(sentence) for sentence in report.summary)
    facts = [*report.facts, ("errorbar", report.version), ("date", report.date)]
    yield "\n".join(f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in facts if value)
    for section in report.sections:
        yield f"## {escape_markdown(section.title)}"
        for block in _plain(section.blocks):
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
                if isinstance(block, Chart) and block.key:
                    yield escape_markdown(_key(block))


def _set(text: str) -> str:
    return escape_latex(text, document=True)


def _latex(report: Report) -> Iterator[str]:
    yield rf"\title{{{_set(report.title)}}}"
    yield rf"\author{{errorbar {_set(report.version)}}}"
    yield rf"\date{{{_set(report.date)}}}"
    yield r"\maketitle"
    yield " ".join(map(_set, report.summary))
    yield "\\par\\medskip"
    yield from (rf"\noindent\textbf{{{_set(name)}}} {_set(value)}\par" for name, value in report.facts)
    labels: Counter[str] = Counter()
    for section in report.sections:
        yield ""
        yield rf"\section{{{_set(section.title)}}}"
        for block in _plain(section.blocks):
            if isinstance(block, Prose):
                yield from (f"{_set(paragraph)}\n" for paragraph in block.paragraphs)
            elif isinstance(block, Code):
                if block.label:
                    yield rf"\paragraph{{{_set(block.label)}}}"
                yield r"\begin{quote}\ttfamily\raggedright"
                # Straight quotes, as one would copy a command.
                lines = [_set(line).replace("'", r"\textquotesingle{}") for line in block.text.split("\n")]
                yield "\\\\\n".join(line or r"\mbox{}" for line in lines)
                yield r"\end{quote}"
            else:
                if isinstance(block, Chart):
                    yield f"{_set(block.description)}\n"
                grid = shown(block.table if isinstance(block, Chart) else block)
                labels[grid.name] += 1
                again = f"-{labels[grid.name]}" if labels[grid.name] > 1 else ""
                yield document_table(grid, f"{grid.name}{again}")
                if isinstance(block, Chart) and block.key:
                    yield f"{_set(_key(block))}\n"
    yield r"\end{document}"
