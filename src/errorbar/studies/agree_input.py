"""What ``agree`` takes: judgments of a table in any layout, or made of a corpus's edits; files or what is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import POLICIES, Judgments
from errorbar.core.labels import as_number, named, usual_order
from errorbar.core.problems import Problems
from errorbar.edits.items import ERROR, OK, Labels, edit_items, split_items
from errorbar.formats.judgment_files import is_corpus, read_judgment_table, refuse_others
from errorbar.formats.opening import Source, rereadable
from errorbar.formats.reference import NamedFile, expand_files
from errorbar.studies.inputs import read_corpus
from errorbar.studies.judgment_input import JudgmentOptions, paths_of, refuse_option
from errorbar.studies.signatures import GIVEN

if TYPE_CHECKING:
    from errorbar.agreement.krippendorff import Level
    from errorbar.agreement.label_counts import Clusters


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


def read_judged(judgments: Votes, options: JudgmentOptions, scale: Scale, problems: Problems) -> Judged:
    """Read judgments, or make them of corpora.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option or an argument does not fit.
    """
    if isinstance(judgments, Judged):
        return judgments
    if options.repeats not in POLICIES:
        what = f"no policy for repeated judgments is called '{options.repeats}'"
        raise UsageError(Problem("crowd-repeats", what, fix=nearest(options.repeats, POLICIES)))
    if isinstance(judgments, Judgments):
        options.refuse(corpus=False)
        scale.refuse(corpus=False)
        return _of_table(judgments.take(judgments.settled(options.repeats)), "the judgments", options, scale)
    if isinstance(judgments, Corpus):
        options.refuse(corpus=True)
        scale.refuse(corpus=True)
        return _of_corpus(read_corpus(judgments, problems, documents=options.documents), options, scale, problems)
    files = expand_files(paths_of(judgments))
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
    table = read_judgment_table(
        first.path,
        problems,
        layout=options.layout,
        columns=options.columns,
        labels=scale.order,
        repeats=options.repeats,
    )
    return _of_table(table.judgments, files[0].path, options, scale)


def _of_table(judgments: Judgments, said: str, options: JudgmentOptions, scale: Scale) -> Judged:
    if scale.order:
        refuse_others(judgments, (*scale.order, *options.unknown), said)
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
        what, fix = "labels that are no numbers have no order of their own", f"name them in order: {named(labels)}"
        raise UsageError(Problem("agreement-order", what, expected="an order from lowest to highest", fix=fix))
    for one, other in pairwise(labels):
        if as_number(one) == as_number(other):
            what = f"the labels '{named([one])}' and '{named([other])}' are the same number"
            fix = "write them the same way, or say which ranks lower"
            raise UsageError(Problem("agreement-order", what, expected="one label for each rank", fix=fix))


def _of_corpus(corpus: Corpus, options: JudgmentOptions, scale: Scale, problems: Problems) -> Judged:
    items, words = split_items(options.items)
    made = edit_items(corpus, items, words=words, type=options.type, labels=scale.labels)
    problems.notes += made.notes()
    first = [label for label in (OK, ERROR) if label in made.judgments.labels]
    types = [label for label in made.judgments.labels if label not in first]
    judgments, _ = made.judgments.arranged(made.judgments.raters, (*first, *usual_order(types)))
    return Judged(judgments, made.clusters, None, options.projected(scale.labels))
