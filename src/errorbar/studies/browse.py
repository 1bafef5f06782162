"""The sentences of a corpus with every annotator's and every system's edits, ready to be looked at.

Edits are stand-off here whatever the corpus was: half-open spans of characters (Unicode code points) in the text that
is shown, so that one browser serves M2 and HOO data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BrowseEdit:
    """An edit in a shown text.

    Attributes:
        start: First character of the span.
        end: One past its last character; equal to ``start`` for an insertion.
        replacements: What may stand there instead; the first is shown in line. Empty: wrong, no correction known.
        type: Error type, or ``""``.
        optional: The span may as well stay as it is.
        matched: Of a system's edit: whether the metric counts it as correct. Of an annotator's: None.
    """

    start: int
    end: int
    replacements: tuple[str, ...]
    type: str = ""
    optional: bool = False
    matched: bool | None = None


@dataclass(frozen=True, slots=True)
class BrowseUnit:
    """A sentence or text.

    Attributes:
        name: Unique; what links name. Of sentences their number, counted from 1.
        text: What is shown.
        document: The essay it is from, or ``""``.
        annotators: Edits of each annotator; None where that annotator did not look.
        systems: Edits of each system.
        counts: Correct, proposed and reference edits of each system under the metric.
        chosen: Annotator whose edits each system was scored against, by number; -1 where there is none.
        disagreement: How much annotators differ, from 0 (all alike) to 1; None with fewer than two of them.
    """

    name: str
    text: str
    document: str
    annotators: tuple[tuple[BrowseEdit, ...] | None, ...]
    systems: tuple[tuple[BrowseEdit, ...], ...]
    counts: tuple[tuple[int, ...], ...]
    chosen: tuple[int, ...]
    disagreement: float | None = None


@dataclass(frozen=True, slots=True)
class Browse:
    """Everything a sentence browser shows.

    Attributes:
        annotators: Their names.
        systems: Their names.
        units: Sentences or texts, in corpus order.
        unit: What one is called: ``sentence`` or ``text``.
    """

    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    units: Sequence[BrowseUnit]
    unit: str = "sentence"
