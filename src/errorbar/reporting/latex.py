"""A report as LaTeX: sections, prose, and booktabs tables that stand in a paper."""

from __future__ import annotations

from collections.abc import Iterator

from errorbar.reporting.blocks import OMITTED, Block, Chart, Code, Links, Prose, Report, Sentences
from errorbar.tables.shown import shown
from errorbar.tables.texts import escape_latex, latex_table

HEAD = r"""% Made by errorbar; \input the sections, or compile it with XeLaTeX or LuaLaTeX, which know every script.
\documentclass{article}
\usepackage{fontspec}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage[landscape,margin=2cm]{geometry}
\begin{document}"""


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
        yield latex_table(shown(block.table), document=True)
    else:
        yield latex_table(shown(block), document=True)
