"""``--stream``: judgments that are counted block by block, in memory that grows with the items alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import click
import numpy as np

from errorbar.cli.crowd_input import (
    CrowdSource,
    column_roles,
    undeclared_labels,
    unjudged_words,
    unknown_words,
)
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell
from errorbar.core.corpus import ContentHash
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.crowdsourcing.answers import UNKNOWN, Answers
from errorbar.crowdsourcing.tally import Tally
from errorbar.formats.judgment_blocks import judgment_blocks
from errorbar.formats.judgment_tables import is_corpus
from errorbar.formats.opening import rereadable
from errorbar.tables.csv_text import csv_lines

ROWS = 1 << 14
"""Rows that are written at a time."""

stream_option = click.option(
    "--stream", "streamed", is_flag=True, help="Count block by block: huge tables in bounded memory; majority only."
)


@dataclass(frozen=True, slots=True, eq=False)
class Streamed:
    """What was counted.

    Attributes:
        answers: The majority.
        n_raters: How many raters judged.
        counts: Hash of the votes.
    """

    answers: Answers
    n_raters: int
    counts: str

    def signature(self, spec: str, conventions: Sequence[str], flags: bytes | None = None) -> str:
        """What can change a digit; the raters are counted, who they are is not kept."""
        items, votes, said = ContentHash(), ContentHash(), ContentHash()
        items.add(self.answers.items)
        votes.add([*self.answers.labels, self.counts])
        if flags is not None:
            said.add([sha256(flags).hexdigest()])
        hypothesis = "none" if flags is None else said.short()
        n = len(self.answers.items)
        parts = ("streamed", *conventions)
        return str(Signature(spec, items.short(), votes.short(), hypothesis, n, self.n_raters, parts))


def refuse_streaming(what: str, fix: str) -> None:
    """Say that something cannot be streamed.

    Raises:
        UsageError: Always.
    """
    raise UsageError(Problem("crowd-stream", f"{what} with --stream", expected="the majority of a long table", fix=fix))


def read_streamed(path: str, source: CrowdSource, problems: Problems, ties: str = UNKNOWN) -> Streamed:
    """Count the judgments of a long table.

    Raises:
        InputError: If the file is bad.
        UsageError: If an option needs all judgments at once, or nothing was judged.
    """
    if source.layout not in ("auto", "long"):
        refuse_streaming(f"--layout {source.layout}", "leave out --stream")
    if source.repeats in ("first", "last"):
        fix = "leave out --stream, or say --repeats keep: each judgment then counts"
        refuse_streaming(f"--repeats {source.repeats} needs all judgments at once, which is not possible", fix)
    roles = column_roles(source.columns)
    if "seconds" in roles:
        refuse_streaming("--column seconds=", "leave it out: nothing here uses times")
    first = rereadable(path)
    if is_corpus(first, told=source.told):
        refuse_streaming("a corpus", "leave out --stream: a corpus is read whole")
    source.refuse(corpus=False)
    tally, raters, n = Tally(source.labels), set[str](), 0
    with progress_bar("judgments") as progress:
        for block in judgment_blocks(first, problems, roles):
            tally.add(block.items, block.labels)
            raters.update(block.raters)
            n += len(block.items)
            progress(n)
    problems.raise_errors()
    votes = dict(zip(tally.labels, tally.counts().sum(axis=0, dtype=np.int64).tolist(), strict=True))
    undeclared_labels(votes, source.labels, path)
    answers = tally.majority(ties=ties, missing=source.unknown)
    unknown = sum(votes[label] for label in source.unknown)
    if unknown:
        problems.note("crowd-unknown", unknown_words(unknown), Place())
    if n_bare := int((answers.n_judgments == 0).sum()):
        problems.note("crowd-unjudged", unjudged_words(n_bare), Place())
    if source.repeats != "keep":
        what = "repeated judgments of a rater are not looked for: each counts"
        problems.note("crowd-stream-repeats", what, Place(path), fix="say --repeats keep if that is right")
    return Streamed(answers, len(raters), sha256(tally.counts().tobytes()).hexdigest())


def write_answers(answers: Answers) -> None:
    """Print answers as CSV, some rows at a time: as ``crowd aggregate --method majority --format csv`` prints them."""
    names = [*answers.labels, UNKNOWN]
    best = np.where(answers.n_judgments > 0, np.nan_to_num(answers.shares).max(axis=1), np.nan)
    lines: list[list[Cell]] = [["item", "majority", "judgments", "majority share"]]
    for start in range(0, len(answers.items), ROWS):
        part = slice(start, start + ROWS)
        columns = zip(
            answers.items[part],
            answers.answer[part].tolist(),
            answers.n_judgments[part].tolist(),
            best[part].tolist(),
            strict=True,
        )
        lines += [[item, names[code], n, share if n else None] for item, code, n, share in columns]
        click.echo(csv_lines(lines), nl=False)
        lines = []
