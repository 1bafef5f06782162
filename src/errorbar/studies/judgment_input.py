"""What ``agree`` and the functions of crowds take: judgments, however they come; commands read through here too.

Judgments are a table in any layout or several, a corpus whose annotators' edits become judgments, or ``Judgments``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from math import isnan
from os import PathLike, fspath
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Place, Problem, UsageError, nearest, wrong_type
from errorbar.core.judgments import POLICIES, Judgments, RepeatPolicy
from errorbar.core.labels import as_number, named, natural_order, usual_order
from errorbar.core.problems import Problems
from errorbar.edits.items import ERROR, OK, Items, Labels, edit_items, split_items
from errorbar.formats.item_tables import COLUMNS
from errorbar.formats.judgment_files import (
    JudgmentTable,
    Layout,
    is_corpus,
    read_judgment_table,
    refuse_others,
)
from errorbar.formats.opening import Source, display_name, rereadable
from errorbar.formats.reference import NamedFile, Unmarked, expand_files
from errorbar.studies.inputs import read_corpus
from errorbar.studies.signatures import GIVEN

if TYPE_CHECKING:
    from errorbar.agreement.krippendorff import Level

Files = Source | Sequence[Source]


class Reading(TypedDict, total=False):
    """How judgments are read, as keyword arguments of public functions: the attributes of ``JudgmentOptions``."""

    layout: Layout
    columns: Mapping[str, str]
    unknown: Sequence[str]
    repeats: RepeatPolicy
    items: str
    type: str
    documents: Source | None
    unmarked: Unmarked
    lenient: bool


class CrowdReading(Reading, total=False):
    """With the labels that there may be."""

    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class JudgmentOptions:
    """How judgments are read.

    Attributes:
        layout: Of a table: ``long``, ``wide``, ``batch``, or ``auto``: batch or long, by the header.
        columns: ``item``, ``rater``, ``label``, ``weight`` or ``seconds`` to the name that the table has for it.
        labels: The labels there may be, in order; others are refused. None named: any.
        unknown: Labels that mean "cannot say"; they count as not given.
        repeats: What to do where a rater judged an item twice: ``refuse``, ``first``, ``last`` or ``keep``.
        items: What annotators of a corpus judge: ``tokens``, ``gaps``, ``sentences``, ... (``errorbar.edits.items``);
            ``words`` are prepositions, ``words:articles`` articles, ``words:a,b,c`` those between the commas.
        type: Only annotators' edits of this type are errors; "": all.
        documents: NUCLE SGML that tells the essay of each sentence of a corpus.
        unmarked: Who looked at a sentence without any A line (``errorbar.formats.reference``).
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        shared: Whether documents and unmarked sentences may be those of another corpus of the same command.
    """

    layout: Layout = "auto"
    columns: Mapping[str, str] | None = None
    labels: Sequence[str] = ()
    unknown: Sequence[str] = ()
    repeats: RepeatPolicy = "refuse"
    items: str = "tokens"
    type: str = ""
    documents: Source | None = None
    unmarked: Unmarked = "auto"
    lenient: bool = False
    shared: bool = False

    def __post_init__(self) -> None:
        if self.repeats not in POLICIES:
            what = f"no policy for repeated judgments is called '{self.repeats}'"
            raise UsageError(Problem("crowd-repeats", what, fix=nearest(self.repeats, POLICIES)))

    @property
    def told(self) -> bool:
        """Whether an option says that the judgments are a table."""
        return bool(self.columns) or self.layout != "auto"

    def projected(self, labels: str = "error") -> str:
        """What judgments made of edits are, for a signature."""
        name, _, words = self.items.partition(":")
        said = f",words={words or 'prepositions'}" if name == "words" else ""
        return f"items={name}{said}{f',type={self.type}' if self.type else ''},labels={labels}"

    def refuse(self, *, corpus: bool) -> None:
        """See that no option is about the other kind of data.

        Raises:
            UsageError: If one is.
        """
        of_edits = ("items", "type", *(() if self.shared else ("documents", "unmarked")))
        names = ("layout", "columns", "labels", "repeats") if corpus else of_edits
        for name in names:
            if getattr(self, name) and getattr(self, name) != _DEFAULTS[name]:
                refuse_option("column" if name == "columns" else name, corpus=corpus)


_DEFAULTS = {each.name: each.default for each in fields(JudgmentOptions)}


def refuse_option(name: str, *, corpus: bool) -> None:
    """Refuse an option about the other kind of data."""
    what = f"--{name} is about {'tables of judgments' if corpus else 'edits that become judgments'}"
    what += f", and this is {'a corpus' if corpus else 'a table'}"
    raise UsageError(Problem("useless-option", what, fix="leave it out"))


@dataclass(frozen=True, slots=True)
class Scale:
    """What labels are.

    Attributes:
        level: What they measure.
        order: The labels from lowest to highest, where it was said.
        labels: What annotators' edits say of an item: ``error``, or the ``type`` of the edit.
    """

    level: Level = "nominal"
    order: tuple[str, ...] = ()
    labels: Labels = "error"

    def refuse(self, *, corpus: bool) -> None:
        """See that no option is about the other kind of data.

        Raises:
            UsageError: If one is.
        """
        if corpus and self.level != "nominal":
            what = f"--scale={self.level} is about labels of tables, and what edits say are names"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
        if not corpus and self.labels != "error":
            refuse_option("labels", corpus=False)
        if self.order and self.level != "ordinal":
            what = "an order is of labels that are ranks"
            raise UsageError(Problem("useless-option", what, fix="add --scale=ordinal, or leave it out"))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Judgments and what came with them.

    Attributes:
        judgments: The judgments; who came first in a file changes no digit.
        clusters: Cluster (essay, sentence) of each item; None: items are independent.
        seconds: Time of each judgment, NaN where it is not known; None: no times.
        corpus: The corpus that the judgments are made from, or None.
        options: How they were read.
        order: The labels from lowest to highest, where they are ranks.
        how: What the judgments are, for a signature.
    """

    judgments: Judgments
    clusters: NDArray[np.int64] | None = None
    seconds: NDArray[np.float64] | None = None
    corpus: Corpus | None = None
    options: JudgmentOptions = JudgmentOptions()
    order: tuple[str, ...] | None = None
    how: str = GIVEN


Votes = Files | Judgments | Corpus | Judged


def read_judgments(judgments: Files, problems: Problems | None = None, **reading: Unpack[CrowdReading]) -> Judgments:
    """Read judgments of a table in any layout, or make them of a corpus's edits.

    Args:
        judgments: CSV (comma, tab, semicolon), JSON lines or Parquet, gzipped or not; results of Mechanical Turk; or an
            M2 or JSONL corpus, one file or several over the same sentences.
        problems: Where warnings go; None: nowhere.
        reading: As the attributes of ``JudgmentOptions``, e.g. ``columns={"rater": "worker"}, lenient=True``.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit.
    """
    options = JudgmentOptions(**reading)
    return read_crowd(judgments, options, Problems(lenient=options.lenient) if problems is None else problems).judgments


def read_crowd(judgments: Votes, options: JudgmentOptions, problems: Problems) -> Judged:
    """Read judgments of a crowd: without those that say "unknown"; raters and labels in their natural order.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option or an argument does not fit.
    """
    if isinstance(judgments, Judged):
        return judgments
    found, _ = _found(judgments, options, Scale(), problems)
    if isinstance(found, JudgmentTable):
        return _in_order(found, options, problems)
    made = _items(found, options, "error", problems)
    table, _ = made.judgments.arranged(natural_order(made.judgments.raters), made.judgments.labels)
    return Judged(table, made.clusters, None, found, options, how=options.projected())


def read_judged(judgments: Votes, options: JudgmentOptions, scale: Scale, problems: Problems) -> Judged:
    """Read judgments whose agreement is asked for: raters as they come, labels in an order that no row decides.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option or an argument does not fit.
    """
    if isinstance(judgments, Judged):
        return judgments
    found, name = _found(judgments, options, scale, problems)
    if isinstance(found, Corpus):
        made = _items(found, options, scale.labels, problems)
        first = [label for label in (OK, ERROR) if label in made.judgments.labels]
        types = [label for label in made.judgments.labels if label not in first]
        table, _ = made.judgments.arranged(made.judgments.raters, (*first, *usual_order(types)))
        return Judged(table, made.clusters, None, found, options, how=options.projected(scale.labels))
    table = found.judgments
    if scale.order:
        refuse_others(table, (*scale.order, *options.unknown), name)
    labels = (*scale.order, *usual_order([label for label in table.labels if label not in {*scale.order}]))
    table, _ = table.arranged(table.raters, labels)
    if scale.level != "ordinal":
        return Judged(table, options=options)
    ranked = tuple(label for label in labels if label not in {*options.unknown})
    if not scale.order:
        _see_that_numbers_rank(ranked)
    return Judged(table, options=options, order=ranked)


def _found(
    judgments: Files | Judgments | Corpus, options: JudgmentOptions, scale: Scale, problems: Problems
) -> tuple[JudgmentTable | Corpus, str]:
    """A table of judgments, or the corpus that they are to be made of; and what to call it."""

    def see(*, corpus: bool) -> None:
        options.refuse(corpus=corpus)
        scale.refuse(corpus=corpus)

    if isinstance(judgments, Judgments):
        see(corpus=False)
        return JudgmentTable(judgments.take(judgments.settled(options.repeats)), None), "the judgments"
    gold: Corpus | list[str]
    if isinstance(judgments, Corpus):
        corpus, gold = True, judgments
    else:
        files = expand_files(paths_of(judgments))
        files[0] = NamedFile(str(rereadable(files[0].path)), files[0].name)
        corpus, gold = is_corpus(files[0].path, told=options.told), [f"{file.name}={file.path}" for file in files]
    see(corpus=corpus)
    if corpus:
        return read_corpus(gold, problems, unmarked=options.unmarked, documents=options.documents), ""
    labels = scale.order or options.labels
    tables = []
    for file in files:
        table = read_judgment_table(
            file.path, problems, layout=options.layout, columns=options.columns, labels=labels, repeats=options.repeats
        )
        if options.labels:
            refuse_others(table.judgments, labels, display_name(file.path))
        tables.append(table)
    return _joined(tables, options), files[0].path if len(files) == 1 else "the judgments"


def _items(corpus: Corpus, options: JudgmentOptions, labels: Labels, problems: Problems) -> Items:
    items, words = split_items(options.items)
    made = edit_items(corpus, items, words=words, type=options.type, labels=labels)
    problems.notes += made.notes()
    return made


def _joined(tables: Sequence[JudgmentTable], options: JudgmentOptions) -> JudgmentTable:
    """Several tables as one; a rater who judged an item in two of them is treated as within one."""
    if len(tables) == 1:
        return tables[0]
    judgments = Judgments.joined([table.judgments for table in tables])
    kept = judgments.settled(options.repeats)
    times = [table.seconds if table.seconds is not None else np.full(len(table.judgments), np.nan) for table in tables]
    timed = any(table.seconds is not None for table in tables)
    return JudgmentTable(judgments.take(kept), np.concatenate(times)[kept] if timed else None)


def _see_that_numbers_rank(labels: Sequence[str]) -> None:
    """See that labels in their usual order are numbers, and that no two are the same one: it would have two ranks.

    Raises:
        UsageError: If not.
    """
    if any(isnan(as_number(label)) for label in labels):
        what, fix = "labels that are no numbers have no order of their own", f"name them in order: {named(labels)}"
        raise UsageError(Problem("agreement-order", what, expected="an order from lowest to highest", fix=fix))
    for one, other in pairwise(labels):
        if as_number(one) == as_number(other):
            what = f"the labels '{named([one])}' and '{named([other])}' are the same number"
            fix = "write them the same way, or say which ranks lower"
            raise UsageError(Problem("agreement-order", what, expected="one label for each rank", fix=fix))


def paths_of(files: object, what: str = "judgments") -> list[str]:
    """One path or several, as texts."""
    if isinstance(files, str | PathLike):
        return [str(fspath(files))]
    if not isinstance(files, Sequence) or not all(isinstance(path, str | PathLike) for path in files):
        raise wrong_type(what, "a path, paths, or what they hold", files)
    if not files:
        raise UsageError(Problem("no-reference", f"no file of {what} is named", expected="at least one"))
    return [str(fspath(path)) for path in files]


def _in_order(table: JudgmentTable, options: JudgmentOptions, problems: Problems) -> Judged:
    """Judgments without those that say "unknown", in an order that no row or file decides; times follow."""
    judgments, seconds = table.judgments, table.seconds
    if options.unknown:
        kept = np.array([label not in options.unknown for label in judgments.labels], np.bool_)[judgments.label]
        judgments = judgments.without(options.unknown)
        seconds = None if seconds is None else seconds[kept]
        if n := int((~kept).sum()):
            one = "1 judgment has a label that means unknown; it counts as not given"
            several = f"{n:,} judgments have a label that means unknown; they count as not given"
            problems.note("crowd-unknown", one if n == 1 else several, Place())
    labels = judgments.labels if options.labels else usual_order(judgments.labels)
    judgments, rows = judgments.arranged(natural_order(judgments.raters), labels)
    if n := int((np.bincount(judgments.item, minlength=len(judgments.items)) == 0).sum()):
        what = "1 item has no judgment; it does not" if n == 1 else f"{n:,} items have no judgment; they do not"
        problems.note("crowd-unjudged", f"{what} count", Place())
    return Judged(judgments, seconds=None if seconds is None else seconds[rows], options=options)


def column_roles(columns: Sequence[str]) -> dict[str, str]:
    """What ``ROLE=NAME`` says, several times.

    Raises:
        UsageError: If one is not written so.
    """
    roles: dict[str, str] = {}
    for text in columns:
        role, equals, name = text.partition("=")
        if not equals or not name or role not in COLUMNS:
            what = f"--column={text}"
            raise UsageError(Problem("crowd-column", what, expected="ROLE=NAME", fix=nearest(role, COLUMNS)))
        roles[role] = name
    return roles
