"""What a report consists of, as plain data: every output format is made from this and from nothing else.

Numbers arrive formatted beside their raw value (for sorting and for machines), because fractions become percent only
here and in the command line. Text is plain text: who writes HTML, Markdown or LaTeX escapes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from errorbar.studies.browse import Browse

Spec = Mapping[str, object]
"""A Vega-Lite specification with its data inside and without colors of its own."""

Width = Literal["full", "half"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A number as it is shown.

    Attributes:
        text: What stands in the table.
        value: What it is sorted by; None sorts last.
    """

    text: str
    value: float | None = None


Cell = str | Shown


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: Unique in the report; part of anchors and file names: lower-case letters, digits, hyphens.
        title: What it shows, for its caption.
        columns: Headings.
        rows: Cells, as many as there are columns.
        text_columns: How many leading columns hold text; the others are aligned right.
        notes: Lines below it: what was computed how, what a mark means.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    text_columns: int = 1
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and the table that says the same.

    Attributes:
        name: Unique in the report; also the file name of an exported chart.
        title: What it shows.
        description: The text alternative: what a reader who does not see it should know, in a sentence or two.
        spec: The Vega-Lite specification.
        table: Its numbers.
        width: Whether it needs the whole width of the page.
    """

    name: str
    title: str
    description: str
    spec: Spec
    table: Table
    width: Width = "full"


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
class Sentences:
    """The sentence browser.

    Attributes:
        browse: What it shows.
        first: Systems that are shown before anybody chooses; none: the first ones.
    """

    browse: Browse
    first: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Links:
    """Ways to other pages that stand beside this one.

    Attributes:
        label: What they lead to.
        targets: Text to address: a path relative to this page, such as ``teams/AMU.html``.
    """

    label: str
    targets: Mapping[str, str]


Block = Prose | Table | Chart | Code | Sentences | Links


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page.

    Attributes:
        name: Its anchor: lower-case letters, digits, hyphens.
        title: Its heading.
        blocks: What it holds, in order.
    """

    name: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        title: Its title.
        summary: Two or three plain sentences.
        sections: What there is data for, in order.
        facts: Small facts below the title: data, number of sentences, annotators, systems, metric.
        version: Version of errorbar that made it.
        date: When, as ``2026-11-21``; empty where a report must be the same every time.
    """

    title: str
    summary: Sequence[str]
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]] = field(default_factory=tuple)
    version: str = ""
    date: str = ""
