"""What a report consists of, as plain data: every output format is made from this and from nothing else.

Tables hold raw values, and text is plain text: who writes HTML, Markdown or LaTeX makes texts of numbers and escapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from errorbar.studies.browse import Browse
from errorbar.tables.table import Table

Spec = Mapping[str, object]  # a Vega-Lite specification with its data inside and without colors of its own

Width = Literal["full", "half"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and the table that says the same."""

    name: str  # unique in the report; also the file name of an exported chart
    title: str
    description: str  # the text alternative: what a reader who does not see it should know, in a sentence or two
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
    """The sentence browser, and which systems it shows before anybody chooses; none: the first ones."""

    browse: Browse
    first: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Links:
    """Ways to other pages beside this one: text to a path relative to it, such as ``teams/AMU.html``."""

    label: str
    targets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """A word in its sentence, and what is said of it.

    Attributes:
        label: What it is called.
        facts: What is said of it.
        text: The sentence in three parts, the second is what is marked; None: it is not shown.
        link: Name of a place on the page, such as ``s12``; empty: none.
    """

    label: str
    facts: str
    text: tuple[str, str, str] | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """Single items to look at, and the table that says the same where there is no page."""

    title: str
    lines: Sequence[Item]
    table: Table


Block = Prose | Table | Chart | Code | Sentences | Links | Items


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page."""

    name: str  # its anchor: lower-case letters, digits, hyphens
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    summary: Sequence[str]  # two or three plain sentences
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]] = ()  # below the title: data, number of sentences, annotators, systems, metric
    version: str = ""
    date: str = ""  # as 2026-11-21; empty where a report must be the same every time

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block of every section, in order."""
        for section in self.sections:
            yield from section.blocks

    @property
    def charts(self) -> list[Chart]:
        """Every chart."""
        return [block for block in self.blocks if isinstance(block, Chart)]
