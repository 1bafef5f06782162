"""What the crowd commands read: judgments in any layout, or a corpus whose annotators' edits become judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from errorbar.cli.options import INPUT, refuse_words
from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.labels import natural_order, usual_order
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.repeats import POLICIES, RepeatPolicy, settle_repeats
from errorbar.edits.extract import extract_edits
from errorbar.edits.items import ERROR, PROJECTIONS, WORD_CLASSES, Projection, edit_items
from errorbar.formats.documents import add_documents
from errorbar.formats.flags import read_flags
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.judgment_tables import LAYOUTS, Layout, header, is_corpus, read_judgment_table
from errorbar.formats.opening import rereadable
from errorbar.formats.reference import UNMARKED, UNMARKED_HELP, NamedFile, Unmarked, expand_files, read_named
from errorbar.studies.signatures import crowd_signature

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CrowdSource:
    """What the shared options say about the judgments."""

    layout: Layout
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    unknown: tuple[str, ...]
    repeats: RepeatPolicy
    items: Projection
    words: str
    kind: str
    documents: str | None
    unmarked: Unmarked

    shared: bool = False
    """Whether documents and unmarked sentences may be those of another corpus of the same command."""

    @property
    def told(self) -> bool:
        """Whether an option says that the judgments are a table."""
        return bool(self.columns) or self.layout != "auto"

    def refuse(self, *, corpus: bool) -> None:
        """See that no option is about the other kind of data.

        Raises:
            UsageError: If one is.
        """
        made = {"--items": self.items != "tokens", "--words": self.words != "prepositions", "--type": self.kind != ""}
        if not self.shared:
            made |= {"--documents": self.documents is not None, "--unmarked": self.unmarked != "auto"}
        read = {
            "--layout": self.layout != "auto",
            "--column": self.columns != (),
            "--labels": self.labels != (),
            "--repeats": self.repeats != "refuse",
        }
        for option in (name for name, given in (read if corpus else made).items() if given):
            what = f"{option} is about {'tables of judgments' if corpus else 'edits that become judgments'}"
            what += f", and this is {'a corpus' if corpus else 'a table'}"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
        if corpus:
            refuse_words(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Judgments and what came with them.

    Attributes:
        judgments: The judgments.
        clusters: Cluster of each item, or None.
        seconds: Time of each judgment, or None.
        corpus: The corpus that the judgments are projected from, or None.
        source: The options.
    """

    judgments: Judgments
    clusters: NDArray[np.int64] | None
    seconds: NDArray[np.float64] | None
    corpus: Corpus | None
    source: CrowdSource


def crowd_options(command: Command) -> Command:
    """Options about the judgments: the command gets them as one argument, ``source``."""

    @click.option("--layout", type=click.Choice(LAYOUTS), default="auto", show_default=True, help="Of a table.")
    @click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable.")
    @click.option("--labels", default="", metavar="A,B", help="The labels there may be, in order; others are refused.")
    @click.option("--unknown", multiple=True, metavar="LABEL", help="A label that means 'cannot say'; repeatable.")
    @click.option("--repeats", type=click.Choice(POLICIES), default="refuse", show_default=True, help="Of one rater.")
    @click.option("--items", type=click.Choice(PROJECTIONS), default="tokens", help="What a corpus's annotators judge.")
    @click.option("--words", default="prepositions", help="With --items words: prepositions, articles, or a,b,c.")
    @click.option("--type", "kind", default="", metavar="TYPE", help="Only annotators' edits of this type count.")
    @click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence.")
    @click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help=UNMARKED_HELP)
    @wraps(command)
    def wrapped(
        *args: Any,
        layout: Layout,
        columns: tuple[str, ...],
        labels: str,
        unknown: tuple[str, ...],
        repeats: RepeatPolicy,
        items: Projection,
        words: str,
        kind: str,
        documents: str | None,
        unmarked: Unmarked,
        **options: Any,
    ) -> Any:
        declared = tuple(label for label in labels.split(",") if label)
        source = CrowdSource(layout, columns, declared, unknown, repeats, items, words, kind, documents, unmarked)
        return command(*args, source=source, **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type


def read_crowd(path: str, source: CrowdSource, problems: Problems) -> Crowd:
    """Read judgments, or make them of a corpus.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit.
    """
    files = expand_files([path])
    first = rereadable(files[0].path)
    if len(files) > 1 or is_corpus(first, told=source.told):
        source.refuse(corpus=True)
        named = files if len(files) > 1 else [NamedFile(str(first), files[0].name)]
        return _from_corpus(named, source, problems)
    source.refuse(corpus=False)
    table = read_judgment_table(
        first, problems, layout=source.layout, columns=column_roles(source.columns), labels=source.labels
    )
    judgments = table.judgments
    votes = np.bincount(judgments.label, minlength=len(judgments.labels)).tolist()
    undeclared_labels(dict(zip(judgments.labels, votes, strict=True)), source.labels, files[0].path)
    return _settled(Crowd(judgments, None, table.seconds, None, source), problems)


def _settled(crowd: Crowd, problems: Problems) -> Crowd:
    """The judgments without repeats and without those that say "unknown"; times follow their judgments."""
    table, seconds, source = crowd.judgments, crowd.seconds, crowd.source
    numbers = Judgments(
        table.item,
        table.rater,
        table.label,
        table.items,
        table.raters,
        table.labels,
        np.arange(len(table), dtype=float),
    )
    kept = settle_repeats(numbers, source.repeats)
    if source.unknown:
        before = len(kept)
        kept = kept.without(source.unknown)
        if len(kept) < before:
            problems.note("crowd-unknown", unknown_words(before - len(kept)), Place())
    assert kept.weight is not None
    rows = kept.weight.astype(np.int64)
    weight = None if table.weight is None else table.weight[rows]
    judgments = Judgments(kept.item, kept.rater, kept.label, kept.items, kept.raters, kept.labels, weight)
    # Who came first changes no digit: raters and rows have an order of their own, and labels unless it was declared.
    labels = judgments.labels if source.labels else usual_order(judgments.labels)
    judgments, order = judgments.arranged(natural_order(judgments.raters), labels)
    rows = rows[order]
    n_bare = len(judgments.items) - len(np.unique(judgments.item))
    if n_bare:
        problems.note("crowd-unjudged", unjudged_words(n_bare), Place())
    return Crowd(judgments, crowd.clusters, None if seconds is None else seconds[rows], crowd.corpus, source)


def unknown_words(n: int) -> str:
    """What is said where n judgments have a label that means unknown."""
    if n == 1:
        return "1 judgment has a label that means unknown; it counts as not given"
    return f"{n:,} judgments have a label that means unknown; they count as not given"


def unjudged_words(n: int) -> str:
    """What is said where n items have no judgment."""
    return "1 item has no judgment; it does not count" if n == 1 else f"{n:,} items have no judgment; they do not count"


def _from_corpus(files: Sequence[NamedFile], source: CrowdSource, problems: Problems) -> Crowd:
    corpus = read_named(list(files), problems, unmarked=source.unmarked)
    if source.documents is not None:
        add_documents(corpus, source.documents, problems)
    made = edit_items(corpus, source.items, words=_words(source), type=source.kind)
    problems.notes += made.notes()
    judgments, _ = made.judgments.arranged(natural_order(made.judgments.raters), made.judgments.labels)
    return Crowd(judgments, made.clusters, None, corpus, source)


def system_flags(path: str, crowd: Crowd, problems: Problems) -> tuple[str, NDArray[np.bool_]]:
    """A system's name and its flag for each item: a table ``item,flag``, or its text if there is a corpus.

    Raises:
        InputError: If the file is bad or does not fit.
    """
    file = NamedFile.parse(path)
    first = rereadable(file.path)
    if crowd.corpus is not None and not {"item", "flag"} <= set(header(first)):
        return file.name, _projected(NamedFile(str(first), file.name), crowd, problems)
    return file.name, table_flags(NamedFile(str(first), file.name), crowd.judgments.items, problems)


def table_flags(file: NamedFile, items: Sequence[str], problems: Problems) -> NDArray[np.bool_]:
    """A system's flag for each item, from a table ``item,flag``; shape (items,).

    Raises:
        InputError: If the file is bad, or a judged item has no flag.
    """
    given = read_flags(file.path, problems, file.name).flags
    judged = set(items)
    unknown = [item for item in given if item not in judged]
    if unknown:
        if len(unknown) == 1:
            what = f"1 item of the system was not judged, '{unknown[0]}'; it does not count"
        else:
            what = f"{len(unknown):,} items of the system were not judged, first '{unknown[0]}'; they do not count"
        problems.note("crowd-not-judged", what, Place(file.path))
    lacking = [item for item in items if item not in given]
    if lacking:
        if len(lacking) == 1:
            what, repair = f"the judged item '{lacking[0]}' has no flag", "it counts as not flagged"
        else:
            what = f"{len(lacking):,} of {len(items):,} judged items have no flag, first '{lacking[0]}'"
            repair = "they count as not flagged"
        problems.repairable("crowd-no-flag", what, Place(file.path), repair=repair)
        problems.raise_errors()
    return np.fromiter((given.get(item, False) for item in items), np.bool_, len(items))


def _projected(file: NamedFile, crowd: Crowd, problems: Problems) -> NDArray[np.bool_]:
    corpus, source = crowd.corpus, crowd.source
    assert corpus is not None
    reader = HypothesisReader(file, problems)
    lines = reader.take(len(corpus))
    reader.finish(len(corpus))
    problems.raise_errors()
    sentences = [
        Sentence(sentence.text, {file.name: tuple(extract_edits(sentence.tokens, line.split()))})
        for sentence, line in zip(corpus.sentences, lines, strict=True)
    ]
    made = edit_items(Corpus(sentences, (file.name,), file.name), source.items, words=_words(source)).judgments
    flags = np.zeros(len(made.items), np.bool_)
    flags[made.item] = made.label == made.labels.index(ERROR)
    return flags


def signature(spec: str, crowd: Crowd, flags: NDArray[np.bool_] | None, conventions: Sequence[str]) -> str:
    """What can change a digit: items, judgments, flags, conventions, and with flags what is resampled together."""
    clusters = crowd.clusters if flags is not None else None
    return crowd_signature(spec, crowd.judgments, flags, conventions, clusters)


def _words(source: CrowdSource) -> str | list[str]:
    return source.words if source.words in WORD_CLASSES else [word for word in source.words.split(",") if word]


def column_roles(columns: Sequence[str]) -> dict[str, str]:
    """What ``--column ROLE=NAME`` says.

    Raises:
        UsageError: If one is not written so.
    """
    roles: dict[str, str] = {}
    for text in columns:
        role, equals, name = text.partition("=")
        known = ("item", "rater", "label", "weight", "seconds")
        if not equals or not name or role not in known:
            what = f"--column {text}"
            raise UsageError(Problem("crowd-column", what, expected="ROLE=NAME", fix=nearest(role, known)))
        roles[role] = name
    return roles


def undeclared_labels(votes: Mapping[str, int], declared: Sequence[str], path: str) -> None:
    """Refuse labels that were not declared, if any were.

    Args:
        votes: Label to how many judgments have it.
        declared: The labels there may be; none: any.
        path: The file.

    Raises:
        InputError: With one problem for each label.
    """
    wrong = {label: n for label, n in votes.items() if declared and label not in declared}
    found = [
        Problem(
            "crowd-label",
            f"{'1 judgment says' if n == 1 else f'{n:,} judgments say'} '{label}', which is not declared",
            Place(path),
            "",
            nearest(label, declared),
        )
        for label, n in wrong.items()
    ]
    if found:
        raise InputError(found)
