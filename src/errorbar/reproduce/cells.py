"""Published numbers beside ours: one runner holds a table of values against any published table.

Conventions
    Ours matches a published number if it rounds to what is printed, and nothing else matches: half a unit of the last
    printed digit is allowed on either side, the half itself included, since papers round halves either way.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Estimate
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.datasets import path
from errorbar.formats.nucle import add_documents
from errorbar.formats.reference import read_corpus
from errorbar.metrics.base import Metric
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.tables.result import Result
from errorbar.tables.table import Cell as Shown
from errorbar.tables.table import Column, Table

UNEXPLAINED = "unexplained"
"""The beginning of the reason of a cell that should match and does not, for no known cause."""
_ROUNDING = 1e-9


class Outcome(StrEnum):
    """The outcome of a cell."""

    MATCH = "match"
    KNOWN = "known difference"
    NOT_COMPUTABLE = "not computable"
    ADDED = "added"
    UNEXPLAINED = "unexplained"
    MISMATCH = "MISMATCH"


class Number(float):
    """A printed number, with the digits after its point."""

    digits: int

    def __new__(cls, text: str) -> Self:
        """Read what is printed."""
        number = super().__new__(cls, text)
        number.digits = len(text.partition(".")[2])
        return number

    def __str__(self) -> str:
        return f"{float(self):.{self.digits}f}"

    def rounds(self, value: float) -> bool:
        """Whether a value rounds to what is printed."""
        return abs(value - self) <= 0.5 * 10.0**-self.digits + _ROUNDING


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a published table."""

    table: str
    row: str
    column: str
    published: Number | None  # None: the paper has none, and ours is added to its table
    ours: float | None  # in the same unit; None where it cannot be computed
    known: str = ""
    """Why it cannot be computed, differs, or is added; ``UNEXPLAINED``, and what was tried, if nobody knows."""
    other_data: bool = False  # ours is of other data: it never matches, whatever it is

    @property
    def difference(self) -> float | None:
        """Ours minus published."""
        return None if self.ours is None or self.published is None else self.ours - self.published

    @property
    def _matches(self) -> bool:
        if self.ours is None or self.published is None or self.other_data:
            return False
        return self.published.rounds(self.ours)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the cell."""
        if self.published is None and self.ours is not None:
            return Outcome.ADDED
        if self._matches:
            return Outcome.MATCH
        if not self.known:
            return Outcome.MISMATCH
        if self.known.startswith(UNEXPLAINED):
            return Outcome.UNEXPLAINED
        return Outcome.NOT_COMPUTABLE if self.ours is None else Outcome.KNOWN


def add_ends(
    table: str, row: str, column: str, published: Number | None, estimate: Estimate, known: str
) -> Iterator[Cell]:
    """A value of other data or an added one, and the ends of its interval beside it."""
    yield Cell(table, row, column, published, estimate.value, known=known, other_data=True)
    if estimate.interval is not None:
        for end in ("low", "high"):
            yield Cell(table, row, f"{column}, {end}", None, getattr(estimate.interval, end), known=known)


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Result):
    """A paper's tables, recomputed."""

    study: str
    cells: Sequence[Cell]
    notes: Sequence[Problem] = ()  # none: what differs says why

    @property
    def mismatches(self) -> list[Cell]:
        """Cells that should match and do not."""
        return [cell for cell in self.cells if cell.outcome == Outcome.MISMATCH]

    @property
    def listed(self) -> list[Cell]:
        """Cells that should match and do not, including the known ones without an explanation."""
        return [cell for cell in self.cells if cell.outcome in (Outcome.MISMATCH, Outcome.UNEXPLAINED)]

    def to_dict(self) -> dict[str, object]:
        """Outcomes by table, and every cell."""
        tables = [
            {"table": table, "cells": counts.total(), **{o.name.lower(): counts[o] for o in Outcome}}
            for table, counts in self._counts().items()
        ]
        names = ("table", "row", "column", "published", "ours", "difference")
        cells = [
            {**{name: getattr(c, name) for name in names}, "outcome": c.outcome.name.lower(), "reason": c.known}
            for c in self.cells
        ]
        return {"study": self.study, "tables": tables, "cells": cells}

    def tables(self) -> Sequence[Table]:
        """Every cell, and how many of each table match."""
        return [cell_table(self.cells), self.summary()]

    def summary(self) -> Table:
        """How many cells of each table match, and why others do not."""
        counts = self._counts()
        counts["all"] = Counter(cell.outcome for cell in self.cells)
        columns = [Column("table"), Column("cells", "count"), *(Column(str(o).lower(), "count") for o in Outcome)]
        rows: list[list[Shown]] = [
            [table, outcomes.total(), *(outcomes[outcome] for outcome in Outcome)] for table, outcomes in counts.items()
        ]
        reasons = dict.fromkeys(
            f"{cell.table}: {cell.known} ({cell.outcome})"
            for cell in sorted(self.cells, key=lambda cell: list(counts).index(cell.table))
            if cell.outcome not in (Outcome.MATCH, Outcome.MISMATCH)
        )
        return Table(columns, rows, name="summary", notes=list(reasons))

    def _counts(self) -> dict[str, Counter[Outcome]]:
        counts: dict[str, Counter[Outcome]] = {}
        for cell in self.cells:
            counts.setdefault(cell.table, Counter())[cell.outcome] += 1
        return counts


def cell_table(cells: Sequence[Cell]) -> Table:
    """Published numbers beside ours."""
    columns = [*map(Column, ("table", "row", "column", "reason")), Column("published")]
    columns += [Column("ours", "number"), Column("difference", "number", signed=True), Column("outcome")]
    rows: list[list[Shown]] = []
    for c in cells:
        printed = None if c.published is None else str(c.published)
        rows.append([c.table, c.row, c.column, c.known, printed, c.ours, c.difference, str(c.outcome)])
    return Table(columns, rows, name="cells")


def read_published(table: str) -> Iterator[Mapping[str, str]]:
    """The rows of a published table, as transcribed from the paper."""
    text = files(__package__).joinpath("published", f"{table}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(io.StringIO(text))


def read_facts(table: str) -> dict[str, Number]:
    """The rows of a published table of two columns: a name and its value."""
    return {name: Number(value) for name, value in (row.values() for row in read_published(table))}


@dataclass(frozen=True, slots=True)
class Printed:
    """A published table."""

    table: str  # its name
    file: str  # its transcription
    row: str = ""  # the names of rows, by the columns that make them, e.g. "{team}"; "": by the first column
    columns: Mapping[str, str] = field(default_factory=dict)
    """Other names of columns than those in the file; "": left out."""


def compare(
    printed: Printed,
    ours: Mapping[tuple[str, str], float | None],
    *,
    known: str | Mapping[str, str] | Callable[[str, str], str] = "",
    other_data: bool = False,
) -> Iterator[Cell]:
    """Compare every number of a published table with ours, row by row.

    ``ours`` are by row and column as they are shown; what is missing cannot be computed. ``known`` says why cells may
    differ: all, by row or column, or by both.
    """
    for line in read_published(printed.file):
        form = printed.row or f"{{{next(iter(line))}}}"
        name = form.format(**line)
        for key, text in line.items():
            column = printed.columns.get(key, key)
            if column and f"{{{key}}}" not in form:
                if callable(known):
                    reason = known(name, column)
                else:
                    reason = known if isinstance(known, str) else known.get(name) or known.get(column, "")
                value = ours.get((name, column))
                value = None if value is None else float(value)
                yield Cell(printed.table, name, column, Number(text), value, reason, other_data)


def score_systems(
    corpus: Corpus, systems: Sequence[Hypothesis], metrics: Sequence[Metric], *, by_type: bool = False
) -> list[Score]:
    """Score systems without intervals; warnings are dropped, since the papers made the choices."""
    return score_corpus(corpus, systems, ScoringPlan(metrics, by_type), Problems())


def percents(score: Score) -> dict[str, float | None]:
    """Precision, recall and F0.5 of a system in percent, as papers print them."""
    values = {"precision": score.precision.value, "recall": score.recall.value, "f0.5": score.f.value}
    return {name: None if value is None else 100 * value for name, value in values.items()}


# The sources of recomputed tables: corpora, and optionally detectors and native text.


_FOLDERS = {
    "conll2014": "conll14",
    "conll2014-systems": "conll14_systems/official_submissions",
    "bryant-ng2015": "bn2015_10gec",
}
TEN_ANNOTATORS = tuple(f"A{k}" for k in range(1, 11))


NO_DETECTOR = "not run: it takes trained detectors (--models)"


@dataclass(frozen=True, slots=True)
class Sources:
    """Finds files of corpora: in a folder that holds those of ``_FOLDERS``, or in the cache of ``errorbar data``.

    Attributes:
        data: The folder; None: the cache.
        models: Folder of trained detectors; None: tables that need one say so.
        texts: Native text, of which a part is trained on; without any, tables that need it say so.
        treebanks: Other native text, to choose prepositions in.
        tell: Called with the name of each slow step.
        made: Slow results that are needed more than once.
    """

    data: Path | None = None
    models: Path | None = None
    texts: tuple[str, ...] = ()
    treebanks: tuple[str, ...] = ()
    tell: Callable[[str], object] = lambda _: None
    made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def file(self, corpus: str, name: str) -> Path:
        """The path of a file of a corpus."""
        place = (path(corpus) if self.data is None else self.data / _FOLDERS[corpus]) / name
        if not place.is_file():
            fix = f"errorbar data fetch {corpus}, or name a folder that has it: --data DIR"
            raise InputError(Problem("no-corpus", f"the corpus '{corpus}' is not here", Place(str(place)), fix=fix))
        return place

    def conll2014(self, *names: str) -> Corpus:
        """References of the CoNLL-2014 test set."""
        return read_corpus([self.file("conll2014", name) for name in names])

    def ten_annotators(self, problems: Problems | None = None, *, essays: bool = False) -> Corpus:
        """The test set as ten annotators saw it; two of the files hold a repeated edit each, which is dropped.

        ``essays``: with the essay of each sentence.
        """
        files = [self.file("bryant-ng2015", f"{name}.m2") for name in TEN_ANNOTATORS]
        noted = problems or Problems(lenient=True)
        corpus = read_corpus(files, noted)
        if essays:
            add_documents(corpus, str(self.file("conll2014", "noalt/official-2014.0.sgml")), noted)
        return corpus

    def system(self, name: str) -> Hypothesis:
        """The submission of a team of CoNLL-2014."""
        text = self.file("conll2014-systems", name).read_bytes().decode()
        return Hypothesis(name, text.removesuffix("\n").split("\n"))


@dataclass(frozen=True, slots=True)
class AddedCells:
    """The cells that a package adds to a study.

    Attributes:
        cells: Recomputes them.
        draw: Draws the study's figures to a file of some kind of picture; None: it has none.
    """

    cells: Callable[[Sources], Iterator[Cell]]
    draw: Callable[[Sources, str, Any], None] | None = None
