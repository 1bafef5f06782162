"""What a report consists of, as plain data: every output format is made from this and from nothing else.

Tables hold raw values, and text is plain text: who writes HTML, Markdown or LaTeX makes texts of numbers and escapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from errorbar.studies.browse import Browse
from errorbar.tables.table import Table

Spec = Mapping[str, object]
"""A Vega-Lite specification with its data inside and without colors of its own."""

Width = Literal["full", "half"]
OMITTED = "The sentences are left out here; they stand in the page: write to a file that ends in .html."
"""What stands in place of the sentences where they cannot be browsed."""


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
    facts: Sequence[tuple[str, str]] = ()
    version: str = ""
    date: str = ""

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block of every section, in order."""
        for section in self.sections:
            yield from section.blocks

    @property
    def charts(self) -> list[Chart]:
        """Every chart."""
        return [block for block in self.blocks if isinstance(block, Chart)]
