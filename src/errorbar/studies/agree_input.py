"""What ``agree`` takes: judgments of a table in any layout, or made of a corpus's edits; files or what is in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from math import isnan
from os import PathLike, fspath
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from errorbar.core.corpus import Corpus
from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest, wrong_type
from errorbar.core.judgments import Judgments
from errorbar.core.labels import as_number, named, usual_order
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.repeats import RepeatPolicy, settle_repeats
from errorbar.edits.items import ERROR, OK, WORD_CLASSES, Labels, Projection, edit_items
from errorbar.formats.judgment_tables import Layout, is_corpus, read_judgment_table
from errorbar.formats.opening import Source, rereadable
from errorbar.formats.reference import NamedFile, Unmarked, expand_files
from errorbar.studies.inputs import read_corpus
from errorbar.studies.signatures import GIVEN

if TYPE_CHECKING:
    from errorbar.agreement.krippendorff import Level
    from errorbar.agreement.label_counts import Clusters


class Reading(TypedDict, total=False):
    """How judgments are read, as keyword arguments: the attributes of ``JudgmentOptions``."""

    layout: Layout
    columns: Mapping[str, str]
    unknown: Sequence[str]
    repeats: RepeatPolicy
    items: Projection
    words: str
    type: str
    documents: Source | None
    unmarked: Unmarked
    lenient: bool


@dataclass(frozen=True, slots=True)
class JudgmentOptions:
    """How judgments are read.

    Attributes:
        layout: Of a table: ``long``, ``wide``, ``batch``, or ``auto``: batch or long, by the header.
        columns: ``item``, ``rater``, ``label`` or ``weight`` to the name that the table has for it.
        unknown: Labels that mean "cannot say"; they count as not given.
        repeats: What to do where a rater judged an item twice: ``refuse``, ``first`` or ``last``.
        items: What annotators of a corpus judge: ``tokens``, ``gaps``, ``words``, ... (``errorbar.edits.items``).
        words: With ``words``: ``prepositions``, ``articles``, or words between commas.
        type: Only annotators' edits of this type count; "": all.
        documents: NUCLE SGML that tells the essay of each sentence of a corpus.
        unmarked: Who looked at a sentence without any A line (``errorbar.formats.reference``).
        lenient: Repair what can be repaired and note it; otherwise refuse it.
    """

    layout: Layout = "auto"
    columns: Mapping[str, str] | None = None
    unknown: Sequence[str] = ()
    repeats: RepeatPolicy = "refuse"
    items: Projection = "tokens"
    words: str = "prepositions"
    type: str = ""
    documents: Source | None = None
    unmarked: Unmarked = "auto"
    lenient: bool = False

    @property
    def told(self) -> bool:
        """Whether an option says that the judgments are a table."""
        return bool(self.columns) or self.layout != "auto"

    def refuse(self, *, corpus: bool) -> None:
        """See that no option is about the other kind of data.

        Raises:
            UsageError: If one is.
        """
        names = ("layout", "columns", "repeats") if corpus else ("items", "words", "type", "documents", "unmarked")
        for name in names:
            if getattr(self, name) and getattr(self, name) != _DEFAULTS[name]:
                refuse_option("column" if name == "columns" else name, corpus=corpus)
        if corpus and self.items != "words" and self.words != _DEFAULTS["words"]:
            what = f"--words is about --items words, and these are {self.items}"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))


_DEFAULTS = {each.name: each.default for each in fields(JudgmentOptions)}


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
            what = "--order is of labels that are ranks"
            raise UsageError(Problem("useless-option", what, fix="add --scale=ordinal, or leave it out"))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Judgments, and what came with them.

    Attributes:
        judgments: The judgments; their labels in an order that no row decides.
        clusters: Cluster of each item; None: items are independent.
        order: The labels from lowest to highest, where they are ranks.
        how: What the judgments are, for the signature.
    """

    judgments: Judgments
    clusters: Clusters = None
    order: tuple[str, ...] | None = None
    how: str = GIVEN


Votes = Source | Sequence[Source] | Judgments | Judged | Corpus


def refuse_option(name: str, *, corpus: bool) -> None:
    """Refuse an option about the other kind of data."""
    what = f"--{name} is about {'tables of judgments' if corpus else 'edits that become judgments'}"
    what += f", and this is {'a corpus' if corpus else 'a table'}"
    raise UsageError(Problem("useless-option", what, fix="leave it out"))


def read_judged(judgments: Votes, options: JudgmentOptions, scale: Scale, problems: Problems) -> Judged:
    """Read judgments, or make them of corpora.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option or an argument does not fit.
    """
    if isinstance(judgments, Judged):
        return judgments
    if isinstance(judgments, Judgments):
        options.refuse(corpus=False)
        scale.refuse(corpus=False)
        return _of_table(judgments, "the judgments", options, scale)
    if isinstance(judgments, Corpus):
        options.refuse(corpus=True)
        scale.refuse(corpus=True)
        return _of_corpus(read_corpus(judgments, problems, documents=options.documents), options, scale, problems)
    files = expand_files(_paths(judgments))
    first = NamedFile(str(rereadable(files[0].path)), files[0].name)
    corpus = is_corpus(first.path, told=options.told)
    options.refuse(corpus=corpus)
    scale.refuse(corpus=corpus)
    if corpus:
        named = [f"{file.name}={file.path}" for file in (first, *files[1:])]
        found = read_corpus(named, problems, unmarked=options.unmarked, documents=options.documents)
        return _of_corpus(found, options, scale, problems)
    if len(files) > 1:
        what = "judgments come in one file"
        raise UsageError(Problem("several-judgments", what, fix="join the files into one table"))
    return _of_table(_read_table(first.path, options, scale, problems), files[0].path, options, scale)


def _paths(judgments: object) -> list[str]:
    if isinstance(judgments, str | PathLike):
        return [str(fspath(judgments))]
    if not isinstance(judgments, Sequence) or not all(isinstance(path, str | PathLike) for path in judgments):
        raise wrong_type("judgments", "a path, paths, Judgments or a Corpus", judgments)
    if not judgments:
        raise UsageError(Problem("no-reference", "no file of judgments is named", expected="at least one"))
    return [str(fspath(path)) for path in judgments]


def _read_table(path: str, options: JudgmentOptions, scale: Scale, problems: Problems) -> Judgments:
    """The one place where tables are read."""
    table = read_judgment_table(
        path,
        problems,
        layout=options.layout,
        columns=options.columns,
        labels=scale.order,
        repeats="refuse" if options.repeats == "refuse" else "keep",
    )
    return table.judgments


def _of_table(judgments: Judgments, said: str, options: JudgmentOptions, scale: Scale) -> Judged:
    judgments = settle_repeats(judgments, options.repeats)
    declared = (*scale.order, *options.unknown)
    votes = np.bincount(judgments.label, minlength=len(judgments.labels)).tolist() if scale.order else []
    wrong = [(label, n) for label, n in zip(judgments.labels, votes, strict=False) if label not in declared]
    if wrong:
        say = [(label, "1 judgment says" if n == 1 else f"{n:,} judgments say") for label, n in wrong]
        what = [(label, f"{how} '{label}', which is not declared") for label, how in say]
        raise InputError([Problem("crowd-label", w, Place(said), fix=nearest(label, declared)) for label, w in what])
    labels = (*scale.order, *usual_order([label for label in judgments.labels if label not in {*scale.order}]))
    judgments, _ = judgments.arranged(judgments.raters, labels)
    ranked = tuple(label for label in labels if label not in {*options.unknown})
    if scale.level != "ordinal":
        return Judged(judgments)
    if not scale.order:
        _see_that_numbers_rank(ranked)
    return Judged(judgments, order=ranked)


def _see_that_numbers_rank(labels: Sequence[str]) -> None:
    """See that labels in their usual order are numbers, and that no two are the same one: it would have two ranks.

    Raises:
        UsageError: If not.
    """
    if any(isnan(as_number(label)) for label in labels):
        what, fix = "labels that are no numbers have no order of their own", f"name them by --order: {named(labels)}"
        raise UsageError(Problem("agreement-order", what, expected="an order from lowest to highest", fix=fix))
    for one, other in pairwise(labels):
        if as_number(one) == as_number(other):
            what = f"the labels '{named([one])}' and '{named([other])}' are the same number"
            fix = "write them the same way, or say by --order which ranks lower"
            raise UsageError(Problem("agreement-order", what, expected="one label for each rank", fix=fix))


def _of_corpus(corpus: Corpus, options: JudgmentOptions, scale: Scale, problems: Problems) -> Judged:
    words = options.words
    chosen = words if words in WORD_CLASSES else [word for word in words.split(",") if word]
    made = edit_items(corpus, options.items, words=chosen, type=options.type, labels=scale.labels)
    problems.notes += made.notes()
    first = [label for label in (OK, ERROR) if label in made.judgments.labels]
    types = [label for label in made.judgments.labels if label not in first]
    judgments, _ = made.judgments.arranged(made.judgments.raters, (*first, *usual_order(types)))
    told = [f"items={options.items}", *([f"words={words}"] if options.items == "words" else [])]
    told += [*([f"type={options.type}"] if options.type else []), f"labels={scale.labels}"]
    return Judged(judgments, made.clusters, None, ",".join(told))
