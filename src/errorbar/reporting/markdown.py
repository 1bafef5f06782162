"""A report as Markdown: prose, tables, and charts as their tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errorbar.reporting.blocks import OMITTED, Block, Chart, Code, Links, Prose, Report, Sentences
from errorbar.tables.shown import shown
from errorbar.tables.texts import escape_markdown, markdown_table


def markdown(report: Report) -> str:
    """Make Markdown (CommonMark with tables) of a report.

    Args:
        report: What it shows.

    Returns:
        Text that ends with a line break. Text from data is escaped, so that it shows as it is.
    """
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    yield " ".join(escape_markdown(sentence) for sentence in report.summary)
    facts = [*report.facts, ("errorbar", report.version), ("date", report.date)]
    yield "\n".join(f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in facts if value)
    for section in report.sections:
        yield f"## {escape_markdown(section.title)}"
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Prose):
        yield from (escape_markdown(paragraph) for paragraph in block.paragraphs)
    elif isinstance(block, Code):
        if block.label:
            yield f"{escape_markdown(block.label)}:"
        yield _fenced(block.text)
    elif isinstance(block, Sentences):
        yield OMITTED
    elif isinstance(block, Links):
        # Names only: the pages stand beside a page, not beside every text.
        yield f"{escape_markdown(block.label)}: {escape_markdown(', '.join(block.targets))}"
    else:
        yield f"### {escape_markdown(block.title)}"
        if isinstance(block, Chart):
            yield escape_markdown(block.description)
        yield markdown_table(shown(block.table if isinstance(block, Chart) else block))


def _fenced(text: str) -> str:
    """A block of code whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
