"""What a report consists of, as plain data: every output format is made from this and from nothing else.

Tables hold raw values, and text is plain text: who writes HTML, Markdown or LaTeX makes texts of numbers and escapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    key: Mapping[str, str] = field(default_factory=dict)  # what codes that stand in it mean
    hint: str = ""  # what can be done with it on the page
    open: bool = False  # whether a page shows the table too, before anybody asks for it


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


@dataclass(frozen=True, slots=True)
class PairCell:
    """What is said of two things.

    Attributes:
        text: Their difference.
        look: ``significant``, ``not``, ``undecided`` or ``none``: how the cell is shaded.
        verdict: The same in a word or two, as it stands in the cell.
        facts: What is said besides, to those who ask: title to text.
    """

    text: str
    look: Literal["significant", "not", "undecided", "none"]
    verdict: str
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every pair of some things as half a square; where there is no page a table beside it says the same.

    Attributes:
        title: What it shows.
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
    """What a page shows when it is asked to, and on paper; elsewhere it is as any other."""

    label: str
    inside: Table | Code


Block = Prose | Table | Chart | Code | Sentences | Links | Items | Matrix | Fold


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
    receipt: tuple[str, Mapping[str, object]] | None = None  # name of the file beside the page, and what is in it

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block of every section, in order, and in place of a fold what is inside."""
        for section in self.sections:
            yield from (block.inside if isinstance(block, Fold) else block for block in section.blocks)

    @property
    def charts(self) -> list[Chart]:
        """Every chart."""
        return [block for block in self.blocks if isinstance(block, Chart)]
