"""``errorbar explain``: what a code of a message means, and what to do about it.

``errors.csv`` beside this module has the meaning of every code in a line, ``explanations.toml`` more on those that need
it. The page docs/errors.md is written from both.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files

import click

from errorbar.cli.command import Command, show_lines
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.tables.table import Column, Table

WIDEST = 100
_LINK = re.compile(r"\[([^][]*)\]\(([^][()#]*)(?:#[^][()]*)?\)")
_REFERENCE = re.compile(rf"\({_LINK.pattern}\)")


def read_meanings() -> dict[str, str]:
    """Read the meaning of each code, a line of Markdown whose links start at the folder docs."""
    text = files("errorbar.cli").joinpath("errors.csv").read_text(encoding="utf-8")
    return {row["code"]: row["meaning"] for row in csv.DictReader(text.splitlines())}


def read_explanations() -> dict[str, str]:
    """Read what there is to say beyond the meaning: paragraphs of Markdown, by code."""
    text = files("errorbar.cli").joinpath("explanations.toml").read_text(encoding="utf-8")
    return {code: text.strip() for code, text in tomllib.loads(text).items()}


@click.command("explain", cls=Command)
@click.argument("codes", nargs=-1, metavar="[CODE]...")
@output_options
def command(output: OutputOptions, codes: tuple[str, ...]) -> None:
    """Explain the codes that messages end with: what they mean, why they matter, what to do.

    Without CODE, all codes are listed.

    \b
    errorbar explain two-judges
    errorbar explain
    """
    meanings, explanations = read_meanings(), read_explanations()
    names = [code.strip("[]") for code in codes]
    for code in names:
        if code not in meanings:
            raise UsageError(Problem("unknown-code", f"no message has the code '{code}'", fix=_similar(code, meanings)))
    if names:
        meanings = {code: meanings[code] for code in names}
    if output.style == "table" and output.file is None:
        show_lines(*(_explain_all(meanings, explanations) if names else _list(meanings)))
        return
    records = [
        {"code": each, "meaning": _plain(meaning), "explanation": _plain(explanations.get(each, ""))}
        for each, meaning in meanings.items()
    ]
    table = Table([*map(Column, ("code", "meaning", "explanation"))], [[*record.values()] for record in records])
    output.listing({"codes": records}, "errorbar.explain/1", table)


def _similar(code: str, known: Mapping[str, str]) -> str:
    hint = nearest(code, known)
    return hint if hint.endswith("?") else "errorbar explain lists all codes"


def _list(meanings: Mapping[str, str]) -> Iterator[str]:
    width = max(map(len, meanings))
    for code, meaning in meanings.items():
        yield from _wrap(f"{code:<{width}}  {_plain(meaning)}", indent=width + 2)


def _explain_all(meanings: Mapping[str, str], explanations: Mapping[str, str]) -> Iterator[str]:
    for number, (code, meaning) in enumerate(meanings.items()):
        if number:
            yield ""
        yield from _explain(code, meaning, explanations.get(code, ""))


def _explain(code: str, meaning: str, explanation: str) -> Iterator[str]:
    for number, paragraph in enumerate((f"{code}: {meaning}", *filter(None, explanation.split("\n\n")))):
        if number:
            yield ""
        yield from _wrap(_plain(paragraph))


def _wrap(text: str, indent: int = 0) -> list[str]:
    width = min(WIDEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDEST
    return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def _plain(markdown: str) -> str:
    """Text of a terminal: a link shows its page."""
    text = _LINK.sub(r"\1 (docs/\2)", _REFERENCE.sub(r"(docs/\2)", markdown))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
