"""A report as Markdown: prose, tables, and charts as their tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errorbar.report.model import Block, Cell, Chart, Code, Links, Prose, Report, Sentences, Shown, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)")
OMITTED = "The sentences are left out here; they stand in the page: write to a file that ends in .html."


def markdown(report: Report) -> str:
    """Make Markdown (CommonMark with tables) of a report.

    Args:
        report: What it shows.

    Returns:
        Text that ends with a line break. Text from data is escaped, so that it shows as it is.
    """
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    yield f"# {escape(report.title)}"
    yield " ".join(escape(sentence) for sentence in report.summary)
    facts = [*report.facts, ("errorbar", report.version), ("date", report.date)]
    yield "\n".join(f"- {escape(name)}: {escape(value)}" for name, value in facts if value)
    for section in report.sections:
        yield f"## {escape(section.title)}"
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Prose):
        yield from (escape(paragraph) for paragraph in block.paragraphs)
    elif isinstance(block, Code):
        if block.label:
            yield f"{escape(block.label)}:"
        yield _fenced(block.text)
    elif isinstance(block, Sentences):
        yield OMITTED
    elif isinstance(block, Links):
        # Names only: the pages stand beside a page, not beside every text.
        yield f"{escape(block.label)}: {escape(', '.join(block.targets))}"
    elif isinstance(block, Chart):
        yield f"### {escape(block.title)}"
        yield escape(block.description)
        yield from _table(block.table)
    else:
        yield f"### {escape(block.title)}"
        yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    rule = ["---" if i < table.text_columns else "---:" for i in range(len(table.columns))]
    lines = [
        [escape(column) for column in table.columns],
        rule,
        *([escape(_text(cell)) for cell in row] for row in table.rows),
    ]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    if table.notes:
        yield "\n".join(f"- {escape(note)}" for note in table.notes)


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, Shown) else cell


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    line = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _LIST.sub(r"\1\\\2\3", line) if not line[:1].isdigit() else re.sub(r"^(\d+)([.)])(\s)", r"\1\\\2\3", line)


def _fenced(text: str) -> str:
    """A block of code whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
