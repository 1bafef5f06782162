"""What ``errorbar agree`` reads: a table of judgments in any layout, or corpora whose edits become judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.documents import add_documents
from errorbar.formats.judgment_files import is_corpus, read_judgment_table, refuse_others
from errorbar.formats.opening import rereadable
from errorbar.formats.reference import NamedFile, expand_files, read_named
from errorbar.studies.judgment_input import JudgmentOptions, words_of
from errorbar.studies.signatures import GIVEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from errorbar.agreement.krippendorff import Level
    from errorbar.edits.items import Labels


@dataclass(frozen=True, slots=True)
class AgreeSource:
    """What the options say about the judgments.

    Attributes:
        judged: What they say as in the crowd commands.
        labels: What annotators' edits say of an item.
        scale: What labels measure.
        order: The labels from lowest to highest, where it was said.
    """

    judged: JudgmentOptions
    labels: Labels
    scale: Level
    order: tuple[str, ...]

    def refuse(self, *, corpus: bool) -> None:
        """See that no option is about the other kind of data.

        Raises:
            UsageError: If one is.
        """
        self.judged.refuse(corpus=corpus)
        if corpus and self.scale != "nominal":
            what = f"--scale {self.scale} is about labels of tables, and what edits say are names"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
        if not corpus and self.labels != "error":
            what = "--labels is about edits that become judgments, and this is a table"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
        if self.order and self.scale != "ordinal":
            what = "--order is of labels that are ranks"
            raise UsageError(Problem("useless-option", what, fix="add --scale ordinal, or leave it out"))


@dataclass(frozen=True, slots=True, eq=False)
class Agreed:
    """What was read.

    Attributes:
        judgments: The judgments; their labels in an order that no row decides.
        clusters: Cluster of each item; None: of a table.
        order: The labels from lowest to highest, where they are ranks.
        how: What the judgments are, for the signature.
    """

    judgments: Judgments
    clusters: NDArray[np.int64] | None
    order: tuple[str, ...] | None
    how: str


def read_agreement(files: Sequence[str], source: AgreeSource, problems: Problems) -> Agreed:
    """Read judgments, or make them of corpora.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit.
    """
    named = expand_files(files)
    first = NamedFile(str(rereadable(named[0].path)), named[0].name)
    if is_corpus(first.path, told=source.judged.told):
        source.refuse(corpus=True)
        return _of_corpus([first, *named[1:]], source, problems)
    source.refuse(corpus=False)
    if len(named) > 1:
        what = "judgments come in one file"
        raise UsageError(Problem("several-judgments", what, fix="join the files into one table"))
    return _of_table(first.path, named[0].path, source, problems)


def _of_table(path: str, said: str, source: AgreeSource, problems: Problems) -> Agreed:
    from errorbar.core.labels import usual_order

    judgments = read_judgment_table(
        path,
        problems,
        layout=source.judged.layout,
        columns=source.judged.columns,
        labels=source.order,
        repeats=source.judged.repeats,
    ).judgments
    if source.order:
        refuse_others(judgments, (*source.order, *source.judged.unknown), said)
    labels = (*source.order, *usual_order([label for label in judgments.labels if label not in set(source.order)]))
    judgments, _ = judgments.arranged(judgments.raters, labels)
    ranked = tuple(label for label in labels if label not in set(source.judged.unknown))
    if source.scale != "ordinal":
        return Agreed(judgments, None, None, GIVEN)
    if not source.order:
        _see_that_numbers_rank(ranked)
    return Agreed(judgments, None, ranked, GIVEN)


def _see_that_numbers_rank(labels: Sequence[str]) -> None:
    """See that labels in their usual order are numbers, and that no two are the same one: it would have two ranks.

    Raises:
        UsageError: If not.
    """
    from errorbar.core.labels import as_number, named

    if any(isnan(as_number(label)) for label in labels):
        what, fix = "labels that are no numbers have no order of their own", f"name them by --order: {named(labels)}"
        raise UsageError(Problem("agreement-order", what, expected="an order from lowest to highest", fix=fix))
    for one, other in pairwise(labels):
        if as_number(one) == as_number(other):
            what = f"the labels '{named([one])}' and '{named([other])}' are the same number"
            fix = "write them the same way, or say by --order which ranks lower"
            raise UsageError(Problem("agreement-order", what, expected="one label for each rank", fix=fix))


def _of_corpus(files: Sequence[NamedFile], source: AgreeSource, problems: Problems) -> Agreed:
    from errorbar.core.labels import usual_order
    from errorbar.edits.items import ERROR, OK, edit_items

    corpus = read_named(files, problems, unmarked=source.judged.unmarked)
    if source.judged.documents is not None:
        add_documents(corpus, str(source.judged.documents), problems)
    words, chosen = source.judged.words, words_of(source.judged)
    made = edit_items(corpus, source.judged.items, words=chosen, type=source.judged.type, labels=source.labels)
    problems.notes += made.notes()
    first = [label for label in (OK, ERROR) if label in made.judgments.labels]
    types = [label for label in made.judgments.labels if label not in first]
    judgments, _ = made.judgments.arranged(made.judgments.raters, (*first, *usual_order(types)))
    told = [f"items={source.judged.items}", *([f"words={words}"] if source.judged.items == "words" else [])]
    told += [*([f"type={source.judged.type}"] if source.judged.type else []), f"labels={source.labels}"]
    return Agreed(judgments, made.clusters, None, ",".join(told))
