"""What public functions of crowds take: judgments, and systems that flag items; commands read through here too.

Judgments are a table in any layout, a corpus whose annotators' edits become judgments, or ``Judgments``. Systems are
tables ``item,flag``, corrected texts where there is a corpus, or flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike, fspath
from typing import TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.errors import Place, Problem, UsageError, nearest, wrong_type
from errorbar.core.judgments import Judgments, RepeatPolicy
from errorbar.core.labels import natural_order, usual_order
from errorbar.core.problems import Problems
from errorbar.edits.extract import extract_edits
from errorbar.edits.items import ERROR, edit_items, split_items
from errorbar.formats.documents import add_documents
from errorbar.formats.flags import read_flags
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.judgment_files import COLUMNS, JudgmentTable, Layout, is_corpus, read_judgment_table
from errorbar.formats.opening import Source, rereadable
from errorbar.formats.reference import NamedFile, Unmarked, expand_files, read_named, refuse_same_names
from errorbar.formats.tables import header_of
from errorbar.studies.signatures import GIVEN

Flags = NDArray[np.bool_]
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


@dataclass(frozen=True, slots=True, eq=False)
class CrowdJudgments:
    """Judgments and what came with them.

    Attributes:
        judgments: The judgments; who came first in the file changes no digit.
        clusters: Cluster (essay, sentence) of each item; None: items are independent.
        seconds: Time of each judgment, NaN where it is not known; None: no times.
        corpus: The corpus that the judgments are made from, or None.
        options: How they were read.
    """

    judgments: Judgments
    clusters: NDArray[np.int64] | None = None
    seconds: NDArray[np.float64] | None = None
    corpus: Corpus | None = None
    options: JudgmentOptions = JudgmentOptions()

    @property
    def how(self) -> str:
        """What the judgments are, for a signature."""
        return GIVEN if self.corpus is None else self.options.projected()


Votes = Files | Judgments | CrowdJudgments
System = Source | Mapping[str, bool] | Flags | Sequence[bool]
Systems = Source | Sequence[Source] | Mapping[str, System]


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


def read_crowd(judgments: Votes, options: JudgmentOptions, problems: Problems) -> CrowdJudgments:
    """Read judgments with what comes with them; a ``CrowdJudgments`` is returned as it is.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option or an argument does not fit.
    """
    if isinstance(judgments, CrowdJudgments):
        return judgments
    if isinstance(judgments, Judgments):
        kept = judgments.take(judgments.settled(options.repeats))
        return _in_order(JudgmentTable(kept, None), options, problems)
    files = expand_files(paths_of(judgments))
    first = rereadable(files[0].path)
    first_named = NamedFile(str(first), files[0].name)
    if is_corpus(first, told=options.told):
        options.refuse(corpus=True)
        return _from_corpus([first_named, *files[1:]], options, problems)
    options.refuse(corpus=False)
    return _in_order(
        _joined([_table(file.path, options, problems) for file in (first_named, *files[1:])], options),
        options,
        problems,
    )


def _table(path: Source, options: JudgmentOptions, problems: Problems) -> JudgmentTable:
    return read_judgment_table(
        path,
        problems,
        layout=options.layout,
        columns=options.columns,
        labels=options.labels,
        closed=bool(options.labels),
        repeats=options.repeats,
    )


def _joined(tables: Sequence[JudgmentTable], options: JudgmentOptions) -> JudgmentTable:
    """Several tables as one; a rater who judged an item in two of them is treated as within one."""
    if len(tables) == 1:
        return tables[0]
    judgments = Judgments.joined([table.judgments for table in tables])
    kept = judgments.settled(options.repeats)
    times = [table.seconds if table.seconds is not None else np.full(len(table.judgments), np.nan) for table in tables]
    timed = any(table.seconds is not None for table in tables)
    return JudgmentTable(judgments.take(kept), np.concatenate(times)[kept] if timed else None)


def paths_of(files: object, what: str = "judgments") -> list[str]:
    """One path or several, as texts."""
    if isinstance(files, str | PathLike):
        return [str(fspath(files))]
    if not isinstance(files, Sequence) or not all(isinstance(path, str | PathLike) for path in files):
        raise wrong_type(what, "a path, paths, or what they hold", files)
    if not files:
        raise UsageError(Problem("no-reference", f"no file of {what} is named", expected="at least one"))
    return [str(fspath(path)) for path in files]


def _in_order(table: JudgmentTable, options: JudgmentOptions, problems: Problems) -> CrowdJudgments:
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
    return CrowdJudgments(judgments, seconds=None if seconds is None else seconds[rows], options=options)


def _from_corpus(files: Sequence[NamedFile], options: JudgmentOptions, problems: Problems) -> CrowdJudgments:
    corpus = read_named(list(files), problems, unmarked=options.unmarked)
    if options.documents is not None:
        add_documents(corpus, str(options.documents), problems)
    items, words = split_items(options.items)
    made = edit_items(corpus, items, words=words, type=options.type)
    problems.notes += made.notes()
    judgments, _ = made.judgments.arranged(natural_order(made.judgments.raters), made.judgments.labels)
    return CrowdJudgments(judgments, made.clusters, None, corpus, options)


def read_systems(systems: Systems, crowd: CrowdJudgments, problems: Problems) -> dict[str, Flags]:
    """Every system's flag for each item of a crowd: name to flags of shape (items,).

    Args:
        systems: Tables ``item,flag`` or, with a corpus, texts with one corrected sentence per line: paths,
            ``name=path``, or name to path; or name to flags: for each item in order, or by the item's name.
        crowd: What they are compared with.
        problems: Where warnings go.

    Raises:
        InputError: If a file is bad or does not fit.
        UsageError: If two systems have one name, or an argument is of the wrong type.
    """
    if isinstance(systems, Mapping):
        return {name: _system(name, given, crowd, problems) for name, given in systems.items()}
    named = [NamedFile.parse(path) for path in paths_of(systems, "systems")] if systems else []
    refuse_same_names(named, "systems")
    return {file.name: _of_file(file, crowd, problems) for file in named}


def _system(name: str, given: System, crowd: CrowdJudgments, problems: Problems) -> Flags:
    if isinstance(given, str | PathLike):
        return _of_file(NamedFile(str(given), name), crowd, problems)
    if isinstance(given, Mapping):
        return _for_items(given, crowd.judgments.items, name, problems)
    flags = np.asarray(given)
    if flags.dtype != np.bool_ or flags.shape != (len(crowd.judgments.items),):
        what = (
            f"the flags of '{name}' must be {len(crowd.judgments.items)} truth values, got {flags.shape} {flags.dtype}"
        )
        raise UsageError(Problem("wrong-type", what))
    return cast("Flags", flags)


def _of_file(file: NamedFile, crowd: CrowdJudgments, problems: Problems) -> Flags:
    first = NamedFile(str(rereadable(file.path)), file.name)
    if crowd.corpus is not None and not {"item", "flag"} <= {*header_of(first.path)}:
        return _of_text(first, crowd.corpus, crowd.options, problems)
    given = read_flags(first.path, problems, file.name).flags
    return _for_items(given, crowd.judgments.items, first.path, problems)


def _for_items(given: Mapping[str, bool], items: Sequence[str], name: str, problems: Problems) -> Flags:
    judged = set(items)
    others = [item for item in given if item not in judged]
    if others:
        what = f"{len(others):,} items of the system were not judged, first '{others[0]}'; they do not count"
        if len(others) == 1:
            what = f"1 item of the system was not judged, '{others[0]}'; it does not count"
        problems.note("crowd-not-judged", what, Place(name))
    lacking = [item for item in items if item not in given]
    if lacking:
        what = f"{len(lacking):,} of {len(items):,} judged items have no flag, first '{lacking[0]}'"
        repair = "they count as not flagged"
        if len(lacking) == 1:
            what, repair = f"the judged item '{lacking[0]}' has no flag", "it counts as not flagged"
        problems.repairable("crowd-no-flag", what, Place(name), repair=repair)
        problems.raise_errors()
    return np.fromiter((given.get(item, False) for item in items), np.bool_, len(items))


def _of_text(file: NamedFile, corpus: Corpus, options: JudgmentOptions, problems: Problems) -> Flags:
    """A system that corrects: the items that its edits change."""
    reader = HypothesisReader(file, problems)
    lines = reader.take(len(corpus))
    reader.finish(len(corpus))
    problems.raise_errors()
    sentences = [
        Sentence(sentence.text, {file.name: tuple(extract_edits(sentence.tokens, line.split()))})
        for sentence, line in zip(corpus.sentences, lines, strict=True)
    ]
    items, words = split_items(options.items)
    made = edit_items(Corpus(sentences, (file.name,), file.name), items, words=words).judgments
    flags = np.zeros(len(made.items), np.bool_)
    flags[made.item] = made.label == made.labels.index(ERROR)
    return flags


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
