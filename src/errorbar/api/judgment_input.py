"""The judgments that ``agree`` and the functions of crowds take, however they come.

Judgments are a table in any layout or several, a table in memory, a corpus whose annotators' edits become judgments, or
``Judgments``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import compress, pairwise
from math import isnan
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, TypeGuard, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.api.arguments import ArgumentDoc, Lenient, UnmarkedRule, Working, part, public
from errorbar.api.in_memory import DataFrameLike, are_sentences
from errorbar.api.inputs import Pooled
from errorbar.api.read import read_corpus
from errorbar.api.signatures import GIVEN
from errorbar.core.corpus import Corpus
from errorbar.core.judgments import Judgments, RepeatPolicy, column_numbers, label_texts
from errorbar.core.labels import as_number, natural_order, quote_labels, usual_order
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest, shorten_text
from errorbar.edits.items import ERROR, OK, Items, Labels, edit_items, split_items, split_types
from errorbar.formats.judgments import (
    COLUMNS,
    NEEDED,
    POOL,
    RATER_KIND,
    JudgmentTable,
    Layout,
    is_corpus,
    leave_out_models,
    models_of,
    note_rater,
    read_judgment_table,
    refuse_others,
)
from errorbar.formats.look import Source, display_name, list_paths
from errorbar.formats.reference import Unmarked, expand_files

if TYPE_CHECKING:
    from errorbar.agreement.krippendorff import Level

Files = Source | Sequence[Source]
Rows = Mapping[str, Iterable[object]] | Sequence[Mapping[str, object]] | DataFrameLike
"""A table in memory: columns by name, a dictionary for each row, or a data frame."""
VotesSource = Files | Judgments | Corpus | Rows
LABELS = "What labels mean, in the command's words: ``ROLE=LABEL`` with the names of the next arguments"
OTHER_ROLES = "unknown=: 'cannot say'; type=: which error types of edits alone count, between commas"
ITEMS = (
    "``tokens``, ``tokens-before``, ``tokens-after``, ``tokens-gaps``, ``gaps``, ``sentences``, ``words`` "
    "(prepositions), ``words:articles`` or ``words:a,b,c``"
)
ROLES = ("error", "ok", "unknown", "type")
"""The meanings that labels can have."""


class ItemReading(TypedDict, total=False):
    """How judgments are read, but for what their labels mean."""

    layout: Annotated[
        Layout,
        ArgumentDoc("auto", "Layout of a table: rows of judgments, a column for each rater (wide), batch results."),
    ]
    column: Annotated[
        Mapping[str, str] | str | Sequence[str],
        ArgumentDoc((), "Name of a column: of the item, rater, label, weight or seconds, e.g. rater=worker."),
    ]
    unknown: Annotated[str | Sequence[str], ArgumentDoc((), 'Labels that mean "cannot say"; they count as not given.')]
    type: Annotated[
        str | Sequence[str],
        ArgumentDoc("", "Of a corpus: only edits of this type, or of these, are errors; empty: all."),
    ]
    repeats: Annotated[
        RepeatPolicy,
        ArgumentDoc("refuse", "Which judgment counts where a rater judged an item more than once."),
    ]
    items: Annotated[str, ArgumentDoc("tokens", f"What annotators of a corpus judge: {ITEMS}.")]
    documents: Annotated[
        Source | None, ArgumentDoc(None, "NUCLE SGML that tells which document each sentence is from.")
    ]
    unmarked: UnmarkedRule
    lenient: Lenient


class JudgmentReading(ItemReading, total=False):
    """How judgments are read."""

    labels: Annotated[
        str | Sequence[str],
        ArgumentDoc((), f"What labels mean, as ROLE=LABEL ({OTHER_ROLES}); or the labels there may be, in order: A,B."),
    ]


class CrowdReading(ItemReading, total=False):
    """With what an error is."""

    labels: Annotated[
        str | Sequence[str],
        ArgumentDoc(
            (),
            f"What labels mean, as ROLE=LABEL (error=: an error, also a rule such as '<4'; {OTHER_ROLES}); or the "
            "labels there may be, in order: A,B.",
        ),
    ]
    error: Annotated[
        str | Sequence[str],
        ArgumentDoc(
            (), "Labels that mean an error, in any case, or rules about numbers such as ``<4``; none: ``error``."
        ),
    ]


class AgreementInput(JudgmentReading, Working, Pooled, total=False):
    """The options of agreement."""


class CrowdJudging(CrowdReading, Working, total=False):
    """The options of scoring against a crowd."""


def labels_by_role(arguments: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The labels of each role that a function has an argument for, and under "" those without a role.

    Args:
        arguments: Those of the function: ``labels``, with ``ROLE=LABEL`` or bare labels, maybe between commas; and
            those of roles.

    Raises:
        UsageError: If a role has no meaning here.
    """
    roles = [role for role in ROLES if role in arguments]
    labels: dict[str, tuple[str, ...]] = {
        role: tuple(_texts(arguments[role])) if arguments[role] else () for role in roles
    }
    labels[""] = ()
    for text in _texts(arguments["labels"]):
        role, equals, label = text.partition("=")
        if equals and role in ROLES and role not in roles:
            message = f"--labels={role}= has no meaning here"
            expected = f"one of {'=, '.join(roles)}="
            raise UsageError(Problem("useless-option", message, expected=expected, fix="leave it out"))
        if equals and role in roles:
            labels[role] = (*labels[role], label.strip())
        else:
            labels[""] = (*labels[""], *filter(None, map(str.strip, text.split(","))))
    return labels | ({"type": split_types(labels["type"])} if "type" in labels else {})


def _texts(values: str | Sequence[str]) -> Sequence[str]:
    return [values] if isinstance(values, str) else values


@dataclass(frozen=True, slots=True)
class JudgmentOptions:
    """How judgments are read: the arguments of ``JudgmentReading``, and ``error`` of ``CrowdReading``.

    ``shared``: documents and unmarked sentences may be those of another corpus of the same command.
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
    error: Sequence[str] = ()

    @classmethod
    def of(cls, arguments: JudgmentReading) -> JudgmentOptions:
        """The options of the arguments."""
        labels = labels_by_role(arguments)
        options = {name: value for name, value in part(JudgmentReading, arguments).items() if name != "column"}
        options |= {"labels": labels.pop(""), "type": ",".join(labels.pop("type")), **labels}
        return cls(columns=column_roles(arguments["column"]), **options)

    def problems(self) -> Problems:
        """A notebook for whoever reads this way."""
        return Problems(lenient=self.lenient)

    def projected(self, labels: str = "error") -> str:
        """The part of a signature that says how edits became judgments."""
        name, _, words = self.items.partition(":")
        types = "+".join(sorted(split_types(self.type)))
        word_list = f",words={words or 'prepositions'}" if name == "words" else ""
        return f"items={name}{word_list}{f',type={types}' if types else ''},labels={labels}"

    def refuse(self, *, corpus: bool) -> None:
        """Refuse options that are about the other kind of data."""
        of_edits = ("items", "type", *(() if self.shared else ("documents", "unmarked")))
        for name in ("layout", "columns", "labels", "repeats") if corpus else of_edits:
            if getattr(self, name) and getattr(self, name) != _DEFAULTS[name]:
                refuse_option("column" if name == "columns" else name, corpus=corpus)


_DEFAULTS = {field.name: field.default for field in fields(JudgmentOptions)}


def refuse_option(name: str, *, corpus: bool) -> None:
    """Refuse an option about the other kind of data."""
    message = f"--{name} is about {'tables of judgments' if corpus else 'edits that become judgments'}"
    message += f", and this is {'a corpus' if corpus else 'a table'}"
    raise UsageError(Problem("useless-option", message, fix="leave it out"))


@dataclass(frozen=True, slots=True)
class LabelScale:
    """The scale of labels, from lowest to highest where that was given; and the labels made of annotators' edits."""

    level: Level = "nominal"
    order: tuple[str, ...] = ()
    labels: Labels = "error"

    def refuse(self, *, corpus: bool) -> None:
        """Refuse options that are about the other kind of data."""
        if corpus and self.level != "nominal":
            message = f"--scale={self.level} is about labels of tables, and what edits say are names"
            raise UsageError(Problem("useless-option", message, fix="leave it out"))
        if not corpus and self.labels != "error":
            refuse_option("labels", corpus=False)
        if self.order and self.level not in ("nominal", "ordinal"):
            message = "an order is of labels that are ranks"
            raise UsageError(Problem("useless-option", message, fix="add --scale=ordinal, or leave it out"))


@dataclass(frozen=True, slots=True, eq=False)
class ReadJudgments:
    """Judgments and what came with them; who came first in a file changes no digit."""

    judgments: Judgments
    clusters: NDArray[np.int64] | None = None  # of each item: essay or sentence; None: items are independent
    seconds: NDArray[np.float64] | None = None  # of each judgment, NaN where it is not known
    corpus: Corpus | None = None  # that the judgments are made from
    options: JudgmentOptions = JudgmentOptions()
    order: tuple[str, ...] | None = None  # the labels from lowest to highest, where they are ranks
    drawn: bool = False  # they are of a set that ``sample draw`` wrote
    how: str = GIVEN  # what the judgments are, for a signature
    pools: Mapping[str, str] | None = None  # of each rater, where the table says it
    models: frozenset[str] = frozenset()  # the raters that are language models; none where they were left out

    def apart(self) -> tuple[Judgments, Judgments]:
        """The judgments of people, and those of models."""
        names = self.judgments.raters
        people, models = ([name for name in names if (name in self.models) is kind] for kind in (False, True))
        return self.judgments.only(people), self.judgments.only(models)


@public()
def read_judgments(
    judgments: VotesSource, problems: Problems | None = None, **shared: Unpack[JudgmentReading]
) -> Judgments:
    """Read judgments of a table in any layout, or make them of a corpus's edits; those of models are left out.

    Args:
        judgments: CSV (comma, tab, semicolon), JSON lines or Parquet, gzipped or not; results of Mechanical Turk; or an
            M2 or JSONL corpus, one file or several over the same sentences. A table in memory is columns by name, a
            dictionary for each row, or a data frame: of ``item``, ``rater`` and ``label``, or a column for each rater.
        problems: Where warnings go; None: nowhere.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit.
    """
    options = JudgmentOptions.of(shared)
    return read_crowd(judgments, options, options.problems() if problems is None else problems).judgments


def take_crowd(
    judgments: VotesSource, arguments: JudgmentReading, *, with_models: bool = False
) -> tuple[ReadJudgments, Problems]:
    """A crowd as the arguments say, and the notebook of its reading."""
    options = JudgmentOptions.of(arguments)
    problems = options.problems()
    return read_crowd(judgments, options, problems, with_models=with_models), problems


def read_crowd(
    judgments: VotesSource, options: JudgmentOptions, problems: Problems, *, with_models: bool = False
) -> ReadJudgments:
    """Read judgments of a crowd: without those that say "unknown"; raters and labels in their natural order.

    Judgments of models are left out with a note, unless ``with_models``: a crowd is the truth, and a model never is.
    """
    source, name = _read_source(judgments, options, LabelScale(), problems)
    if isinstance(source, JudgmentTable):
        crowd = source if with_models else leave_out_models(source, Place(name), problems)
        return _arrange(crowd, options, problems)
    items = _project_edits(source, options, "error", problems)
    table, _ = items.judgments.arranged(natural_order(items.judgments.raters), items.judgments.labels)
    return ReadJudgments(table, items.clusters, None, source, options, how=options.projected())


def read_judged(
    judgments: VotesSource, options: JudgmentOptions, scale: LabelScale, problems: Problems
) -> ReadJudgments:
    """Read judgments whose agreement is asked for: raters as they come, labels in an order that no row decides.

    Judgments of models are left out with a note.
    """
    source, name = _read_source(judgments, options, scale, problems)
    if isinstance(source, Corpus):
        items = _project_edits(source, options, scale.labels, problems)
        first = [label for label in (OK, ERROR) if label in items.judgments.labels]
        types = [label for label in items.judgments.labels if label not in first]
        table, _ = items.judgments.arranged(items.judgments.raters, (*first, *usual_order(types)))
        return ReadJudgments(table, items.clusters, None, source, options, how=options.projected(scale.labels))
    people = leave_out_models(source, Place(name), problems)
    table = people.judgments
    if scale.order:
        refuse_others(table, (*scale.order, *options.unknown), name)
    elif scale.level == "nominal":
        _note_alike(table.labels, problems)
    labels = (*scale.order, *usual_order([label for label in table.labels if label not in {*scale.order}]))
    table, _ = table.arranged(table.raters, labels)
    if scale.level != "ordinal":
        return ReadJudgments(table, options=options, pools=people.pools)
    ranked = tuple(label for label in labels if label not in {*options.unknown})
    if not scale.order:
        _refuse_unranked(ranked)
    return ReadJudgments(table, options=options, order=ranked, pools=people.pools)


def _read_source(
    judgments: VotesSource, options: JudgmentOptions, scale: LabelScale, problems: Problems
) -> tuple[JudgmentTable | Corpus, str]:
    """A table of judgments, or the corpus that they are to be made of; and what to call it."""
    gold: Corpus | list[str] = []
    labels = scale.order or options.labels
    labels = tuple(dict.fromkeys((*labels, *options.unknown))) if labels else ()
    corpus = isinstance(judgments, Corpus)
    if isinstance(judgments, Corpus):
        gold = judgments
    elif is_table(judgments):
        options.refuse(corpus=False)
        scale.refuse(corpus=False)
        return _table_in_memory(_columns(judgments), options, labels), "the judgments"
    elif not isinstance(judgments, Judgments):
        paths = paths_of(cast("Files", judgments))
        if not isinstance(judgments, str | PathLike) and are_sentences(paths, None, usual=isinstance(judgments, list)):
            message = f"judgments are paths or a table, got a list that begins with {shorten_text(paths[0])!r}"
            raise UsageError(Problem("wrong-type", message, fix='name the columns: {"A": labels, "B": labels}'))
        files = expand_files(paths)
        corpus, gold = (
            is_corpus(files[0].path, told=bool(options.columns) or options.layout != "auto"),
            [f"{file.name}={file.path}" for file in files],
        )
    options.refuse(corpus=corpus)
    scale.refuse(corpus=corpus)
    if isinstance(judgments, Judgments):
        return JudgmentTable(judgments.take(judgments.settled(options.repeats)), None), "the judgments"
    if corpus:
        return read_corpus(gold, problems, unmarked=options.unmarked, documents=options.documents), ""
    tables = []
    for file in files:
        table = read_judgment_table(
            file.path, problems, layout=options.layout, columns=options.columns, labels=labels, repeats=options.repeats
        )
        if options.labels:
            refuse_others(table.judgments, labels, display_name(file.path))
        tables.append(table)
    return _join_tables(tables, options), files[0].path if len(files) == 1 else "the judgments"


def is_table(judgments: object) -> TypeGuard[Mapping[str, Iterable[object]] | Sequence[Mapping[str, object]]]:
    """Whether judgments are a table in memory, as public functions get it: a frame is its columns by then."""
    if isinstance(judgments, Mapping):
        return True
    return (
        isinstance(judgments, list | tuple) and bool(judgments) and all(isinstance(row, Mapping) for row in judgments)
    )


def read_rows(
    rows: Mapping[str, Iterable[object]] | Sequence[Mapping[str, object]], repeats: RepeatPolicy = "refuse"
) -> JudgmentTable:
    """The judgments of a table in memory, and what it says of raters."""
    return _table_in_memory(_columns(rows), JudgmentOptions(repeats=repeats), ())


def _columns(rows: Mapping[str, Iterable[object]] | Sequence[Mapping[str, object]]) -> dict[str, list[object]]:
    """The columns of a table in memory, of one length."""
    if isinstance(rows, Mapping):
        columns = {str(name): list(column) for name, column in rows.items()}
    else:
        names = dict.fromkeys(str(name) for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
    if len({*map(len, columns.values())}) != 1:
        lengths = ", ".join(f"{name}: {len(column)}" for name, column in columns.items()) or "there is none"
        message = f"the columns of the judgments differ in length ({lengths})"
        raise UsageError(Problem("judgments-unfit", message, expected="a label, or None, in each row"))
    return columns


def _no_column(name: str, columns: Iterable[str], fix: str) -> UsageError:
    message = f"the judgments have no column '{name}', but {', '.join(columns)}"
    return UsageError(Problem("judgments-column", message, fix=fix))


def _table_in_memory(
    columns: dict[str, list[object]], options: JudgmentOptions, labels: Sequence[str]
) -> JudgmentTable:
    """Judgments of a table in memory: a row for each, or a column for each rater."""
    roles = {role: (options.columns or {}).get(role, role) for role in COLUMNS}
    for name in (options.columns or {}).values():
        if name not in columns:
            raise _no_column(name, columns, nearest(name, columns))
    items = columns.get(roles["item"])
    wide = options.layout == "wide" or (options.layout == "auto" and not {roles["rater"], roles["label"]} & {*columns})
    if wide:
        names = [name for name in columns if name != roles["item"]]
        texts = label_texts([label for name in names for label in columns[name]])
        n = len(next(iter(columns.values())))
        raters = {name: texts[k * n : (k + 1) * n] for k, name in enumerate(names)}
        if options.layout == "auto":
            _refuse_other_columns(raters)
        cells = [*zip(*raters.values(), strict=True)]
        named = range(1, n + 1) if items is None else [text or "" for text in label_texts(items)]
        columns = {
            roles["item"]: [item for item in named for _ in raters],
            roles["rater"]: [*raters] * len(cells),
            roles["label"]: [label for row in cells for label in row],
        }
    for role in NEEDED:
        if roles[role] not in columns:
            raise _no_column(roles[role], columns, _WHICH_COLUMN)
    item, rater, label, weight, seconds = (columns.get(name) for name in roles.values())
    there = cast("list[Any]", item), cast("list[Any]", rater), cast("list[Any]", label)
    judgments = Judgments.from_columns(*there, cast("list[float] | None", weight), labels=labels)
    kept = judgments.settled(options.repeats)
    times = None
    if seconds is not None:
        known = (text is not None for text in label_texts(there[2]))
        times = column_numbers("seconds", compress(seconds, known))[kept]
    if options.labels:
        refuse_others(judgments, labels, "the judgments")
    pools, kinds, problems = dict[str, str](), dict[str, str](), Problems()
    about = {name: columns[name] for name in (POOL, RATER_KIND) if name in columns}
    for name, *values in zip(rater or (), *about.values(), strict=False):
        note_rater(str(name).strip(), dict(zip(about, values, strict=True)), (pools, kinds), Place(), problems)
    problems.raise_errors()
    return JudgmentTable(judgments.take(kept), times, pools=pools, models=models_of(kinds))


def _refuse_other_columns(raters: Mapping[str, Sequence[str | None]]) -> None:
    """Refuse a column that has no label in common with another: it may be something else than a rater."""
    labels = {name: {*column} - {None} for name, column in raters.items()}
    for name, own in labels.items() if any(labels.values()) else ():
        if not any(own & others for other, others in labels.items() if other != name):
            message = f"the column '{name}' has no label in common with another, as a rater would have"
            raise UsageError(Problem("judgments-column", message, fix=_WHICH_COLUMN))


_WHICH_COLUMN = 'say which is which: column={"rater": NAME, "label": NAME}; or layout="wide" if each column is a rater'


def _project_edits(corpus: Corpus, options: JudgmentOptions, labels: Labels, problems: Problems) -> Items:
    items, words = split_items(options.items)
    result = edit_items(corpus, items, words=words, type=options.type, labels=labels)
    problems.notes += result.notes()
    return result


def _join_tables(tables: Sequence[JudgmentTable], options: JudgmentOptions) -> JudgmentTable:
    """Several tables as one; a rater who judged an item in two of them is treated as within one."""
    if len(tables) == 1:
        return tables[0]
    judgments = Judgments.joined([table.judgments for table in tables])
    kept = judgments.settled(options.repeats)
    times = [table.seconds if table.seconds is not None else np.full(len(table.judgments), np.nan) for table in tables]
    timed = any(table.seconds is not None for table in tables)
    drawn = any(table.drawn for table in tables)
    pools = {rater: pool for table in tables for rater, pool in (table.pools or {}).items()}
    models = frozenset[str]().union(*(table.models for table in tables))
    for table in tables:
        if people := sorted(models.intersection(table.judgments.raters) - table.models):
            message = f"rater {people[0]} is a model in one table and not in another"
            raise UsageError(Problem("rater-kind", message, fix="name each model by itself, or fill in 'rater_kind'"))
    times_kept = np.concatenate(times)[kept] if timed else None
    return JudgmentTable(judgments.take(kept), times_kept, drawn, pools, models)


def _note_alike(labels: Sequence[str], problems: Problems) -> None:
    """Note labels that differ only in case, or in how a number is written."""
    alike: dict[str | float, list[str]] = {}
    for label in usual_order(labels):
        number = as_number(label)
        alike.setdefault(label.casefold() if isnan(number) else number, []).append(label)
    for group in alike.values():
        if len(group) > 1:
            message = f"{quote_labels(group)}: labels that differ only in case, or in how a number is written"
            problems.note("labels-alike", message, Place(), fix="write them alike if they mean the same")


def _refuse_unranked(labels: Sequence[str]) -> None:
    """Refuse labels that are no numbers, or two that are the same one, which would have two ranks."""
    if any(isnan(as_number(label)) for label in labels):
        message, fix = (
            "labels that are no numbers have no order of their own",
            f"name them in order: {quote_labels(labels)}",
        )
        raise UsageError(Problem("agreement-order", message, expected="an order from lowest to highest", fix=fix))
    for label, other in pairwise(labels):
        if as_number(label) == as_number(other):
            message = f"the labels '{quote_labels([label])}' and '{quote_labels([other])}' are the same number"
            fix = "write them the same way, or say which ranks lower"
            raise UsageError(Problem("agreement-order", message, expected="one label for each rank", fix=fix))


def paths_of(files: Files, kind: str = "judgments") -> list[str]:
    """One path or several, as texts."""
    if not isinstance(files, str | PathLike) and not files:
        raise UsageError(Problem("no-reference", f"no file of {kind} is named", expected="at least one"))
    return list_paths(files)


def _arrange(table: JudgmentTable, options: JudgmentOptions, problems: Problems) -> ReadJudgments:
    """Judgments without those that say "unknown", in an order that no row or file decides; times follow."""
    judgments, seconds = table.judgments, table.seconds
    if options.unknown:
        kept = np.array([label not in options.unknown for label in judgments.labels], np.bool_)[judgments.label]
        judgments = judgments.without(options.unknown)
        seconds = None if seconds is None else seconds[kept]
        if n := int((~kept).sum()):
            message = f"{n:,} judgments have a label that means unknown; they count as not given"
            if n == 1:
                message = "1 judgment has a label that means unknown; it counts as not given"
            problems.note("crowd-unknown", message, Place())
    if not options.labels:
        _note_alike(judgments.labels, problems)
    labels = judgments.labels if options.labels else usual_order(judgments.labels)
    judgments, rows = judgments.arranged(natural_order(judgments.raters), labels)
    if n := int((np.bincount(judgments.item, minlength=len(judgments.items)) == 0).sum()):
        subject = "1 item has no judgment; it does not" if n == 1 else f"{n:,} items have no judgment; they do not"
        problems.note("crowd-unjudged", f"{subject} count", Place())
    times = None if seconds is None else seconds[rows]
    return ReadJudgments(judgments, seconds=times, options=options, drawn=table.drawn, models=table.models)


def column_roles(columns: Mapping[str, str] | str | Sequence[str]) -> Mapping[str, str]:
    """The name of each role's column, from ``ROLE=NAME``, maybe several times."""
    roles: dict[str, str] = {}
    for text in map("=".join, columns.items()) if isinstance(columns, Mapping) else _texts(columns):
        role, equals, name = text.partition("=")
        if not equals or not name or role not in COLUMNS:
            message = f"--column={text}"
            raise UsageError(Problem("crowd-column", message, expected="ROLE=NAME", fix=nearest(role, COLUMNS)))
        roles[role] = name
    return roles
