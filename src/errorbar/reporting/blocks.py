"""The blocks of a report as plain data, and the report as Markdown and LaTeX.

Every output format is made from these blocks alone. Tables hold raw values, and text is plain text: writers format
numbers and escape text from data, so that it shows as it is. Markdown is CommonMark with tables; LaTeX has booktabs
tables that fit a paper. In both, charts are their tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from errorbar.api.browse import Browse
from errorbar.tables.table import Table, format_table
from errorbar.tables.writers import document_table, escape_latex, escape_markdown, markdown_table, placeholders

Spec = Mapping[str, object]  # a Vega-Lite specification with its data inside and without colors of its own

Width = Literal["full", "half"]
WARNINGS = "warnings"
"""The name of the table of warnings."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and the table that says the same."""

    name: str  # unique in the report; also the file name of an exported chart
    title: str
    description: str  # the text alternative: what a reader who does not see it should know, in a sentence or two
    spec: Spec
    table: Table
    width: Width = "full"
    key: Mapping[str, str] = field(default_factory=dict)  # what codes that stand in it mean
    hint: str = ""  # what can be done with it on the page
    open: bool = False  # whether a page shows the table too, before anybody asks for it
    warned: Mapping[str, str] = field(default_factory=dict)  # rows of the table to the warnings that they have


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs of plain text."""

    paragraphs: Sequence[str]


@dataclass(frozen=True, slots=True)
class Code:
    """Text to copy as it is: a command, a citation, a signature."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class SentenceBrowser:
    """The sentence browser.

    Attributes:
        browse: The sentences.
        first: The systems that it shows before anybody chooses; none: the first ones.
        meanings: The words that codes of error types stand for.
    """

    browse: Browse
    first: Sequence[str] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Links:
    """Links to other pages beside this one, from text to a path relative to it, such as ``teams/AMU.html``."""

    label: str
    targets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WordInContext:
    """A word in its sentence, with facts about it.

    Attributes:
        label: Its name.
        facts: The facts about it.
        text: The sentence in three parts, of which the second is marked; None: it is not shown.
        link: Name of a place on the page, such as ``s12``; empty: none.
    """

    label: str
    facts: str
    text: tuple[str, str, str] | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class ItemList:
    """Single items to look at, and the table that says the same where there is no page."""

    title: str
    lines: Sequence[WordInContext]
    table: Table


@dataclass(frozen=True, slots=True)
class PairCell:
    """A comparison of two things.

    Attributes:
        text: Their difference.
        look: ``significant``, ``not``, ``undecided`` or ``none``: how the cell is shaded.
        verdict: The same in a word or two, as it stands in the cell.
        facts: Details shown on request, from title to text.
    """

    text: str
    look: Literal["significant", "not", "undecided", "none"]
    verdict: str
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every pair of some things as half a square; where there is no page a table beside it says the same.

    Attributes:
        title: Its title.
        name: Unique in the report.
        names: The things, in the order of rows and columns.
        cells: The pairs, the one that stands in the row first.
        notes: How to read it.
    """

    title: str
    name: str
    names: Sequence[str]
    cells: Mapping[tuple[str, str], PairCell]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """A block that a page shows on request and on paper; elsewhere it is like any other."""

    label: str
    inside: Table | Code


Block = Prose | Table | Chart | Code | SentenceBrowser | Links | ItemList | Matrix | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page."""

    name: str  # its anchor: lower-case letters, digits, hyphens
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Card:
    """The chart of a share card, with few rows, and what its bars mean."""

    spec: Spec
    bars: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    summary: Sequence[str]  # two or three plain sentences
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]] = ()  # below the title: data, number of sentences, annotators, systems, metric
    version: str = ""
    date: str = ""  # as 2026-11-21; empty where a report must be the same every time
    receipt: tuple[str, Mapping[str, object]] | None = None  # name of the file beside the page, and what is in it
    headline: str = ""  # the one sentence for readers who know no statistics
    terms: Sequence[str] = ()  # what its words, and those of the summary, mean
    card: Card | None = None  # what the share card draws
    image: str = ""  # where a share card will be on the web

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block of every section, in order, and in place of a fold what is inside."""
        for section in self.sections:
            yield from (block.inside if isinstance(block, Fold) else block for block in section.blocks)

    @property
    def charts(self) -> list[Chart]:
        """Every chart."""
        return [block for block in self.blocks if isinstance(block, Chart)]


OMITTED = "The sentences are left out here; they stand in the page: write to a file that ends in .html."
HEAD = r"""% Made by errorbar; \input the sections, or compile it with pdfLaTeX, LuaLaTeX or XeLaTeX.
\documentclass{article}
\usepackage{iftex}
\ifPDFTeX
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}"""
"""The start of a document; behind it stand the letters that pdfLaTeX lacks."""
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


def format_markdown(report: Report) -> str:
    """Make Markdown of a report; it ends with a line break."""
    return "\n\n".join(_markdown_blocks(report)) + "\n"


def latex(report: Report) -> str:
    """Make a LaTeX document of a report; it ends with a line break."""
    body = "\n".join(_latex(report))
    return "\n".join([HEAD, *placeholders(body), START, body]) + "\n"


def _plain(blocks: Sequence[Block]) -> Iterator[Prose | Code | Chart | Table]:
    """Blocks of text alone: those that only pages have are replaced or left out."""
    for block in blocks:
        if isinstance(block, SentenceBrowser):
            yield Prose([OMITTED])
        elif isinstance(block, ItemList):
            yield block.table
        elif isinstance(block, Links):  # names only: the pages stand beside a page, not beside every text
            yield Prose([f"{block.label}: {', '.join(block.targets)}"])
        elif isinstance(block, Fold):
            yield block.inside
        elif not isinstance(block, Matrix):  # the table behind it says the same
            yield block


def _key(chart: Chart) -> str:
    """The meaning of the codes of a chart, as a sentence."""
    return f"{'; '.join(f'{code}: {words}' for code, words in chart.key.items())}."


def _markdown_blocks(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    if report.headline:
        yield f"**{escape_markdown(report.headline)}**"
    yield " ".join(escape_markdown(sentence) for sentence in (*report.summary, *report.terms))
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
                yield markdown_table(format_table(block.table if isinstance(block, Chart) else block))
                if isinstance(block, Chart) and block.key:
                    yield escape_markdown(_key(block))


def _escape_latex(text: str) -> str:
    return escape_latex(text, document=True)


def _latex(report: Report) -> Iterator[str]:
    yield rf"\title{{{_escape_latex(report.title)}}}"
    yield rf"\author{{errorbar {_escape_latex(report.version)}}}"
    yield rf"\date{{{_escape_latex(report.date)}}}"
    yield r"\maketitle"
    if report.headline:
        yield rf"\noindent\textbf{{{_escape_latex(report.headline)}}}\par\medskip"
    yield " ".join(map(_escape_latex, (*report.summary, *report.terms)))
    yield "\\par\\medskip"
    yield from (
        rf"\noindent\textbf{{{_escape_latex(name)}}} {_escape_latex(value)}\par" for name, value in report.facts
    )
    labels: Counter[str] = Counter()
    for section in report.sections:
        yield ""
        yield rf"\section{{{_escape_latex(section.title)}}}"
        for block in _plain(section.blocks):
            if isinstance(block, Prose):
                yield from (f"{_escape_latex(paragraph)}\n" for paragraph in block.paragraphs)
            elif isinstance(block, Code):
                if block.label:
                    yield rf"\paragraph{{{_escape_latex(block.label)}}}"
                yield r"\begin{quote}\ttfamily\raggedright"
                # Straight quotes, as one would copy a command.
                lines = [_escape_latex(line).replace("'", r"\textquotesingle{}") for line in block.text.split("\n")]
                yield "\\\\\n".join(line or r"\mbox{}" for line in lines)
                yield r"\end{quote}"
            else:
                if isinstance(block, Chart):
                    yield f"{_escape_latex(block.description)}\n"
                grid = format_table(block.table if isinstance(block, Chart) else block)
                labels[grid.name] += 1
                again = f"-{labels[grid.name]}" if labels[grid.name] > 1 else ""
                yield document_table(grid, f"{grid.name}{again}")
                if isinstance(block, Chart) and block.key:
                    yield f"{_escape_latex(_key(block))}\n"
    yield r"\end{document}"
