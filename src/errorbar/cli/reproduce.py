"""``errorbar reproduce``: published tables, cell by cell."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command, progress_bar, say
from errorbar.cli.main import while_read
from errorbar.cli.options import INPUT, refuse_given, seed_option
from errorbar.cli.output import PICTURES, OutputOptions, by_ending, output_options
from errorbar.core.problems import Problem, UsageError

HOO = "hoo2011"
WITH_TEXT = "tetreault-chodorow2008"
WITH_FIGURES = ("madnani2011", WITH_TEXT)
WITH_DETECTORS = ("conll2014", *WITH_FIGURES)


@click.command("reproduce", cls=Command)
@click.argument("study", metavar="STUDY")
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder with the corpora.  [default: cache]"
)
@click.option(
    "--models",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder that 'errorbar train' wrote, for tables that need detectors.",
)
@click.option(
    "--text",
    "texts",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="Native text to train on in part and to choose prepositions in; minutes the first time; repeatable.",
)
@click.option(
    "--treebank",
    "treebanks",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="Other native text to choose in, in CoNLL-U; repeatable.",
)
@click.option(
    "--chart",
    type=OUTPUT,
    metavar="FILE",
    help="Draw the learning curve, or the figures by agreement: .svg, .png, .pdf.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Print every cell, not only those that should match and do not."
)
@seed_option
@output_options
def command(study: str, everything: bool, chart: str | None, seed: int, output: OutputOptions, **given: Any) -> None:
    """Recompute a paper's tables from the corpora and compare every cell.

    STUDY is conll2014, bryant-ng2015, madnani2011, tetreault-chodorow2008 or hoo2011.

    Exit code 1 if a cell that should match does not. Cells that differ for a known reason, cannot be computed, or that
    we add to the paper's say why.

    \b
    errorbar data fetch conll2014 conll2014-systems && errorbar reproduce conll2014
    errorbar reproduce bryant-ng2015 --data corpora/
    errorbar reproduce tetreault-chodorow2008 --models models --text 'textbooks/*.txt' --chart curve.svg
    errorbar reproduce madnani2011 --models models --chart figure.svg
    """
    if study == HOO:
        from errorbar.core.problems import Problems
        from errorbar.reproduce.hoo2011 import recompute

        _see_options(study, **given)
        refuse_given(("everything",), f"is about cells that match, and {HOO} prints every cell")
        data = given["data"]
        tables = recompute(None if data is None else str(data), Problems(lenient=True), seed=seed)
        output.show(tables, "errorbar.reproduce-hoo2011/1")
        return
    from errorbar.reproduce import Cell, Reproduction, Sources, added_cells, cell_table, reproduce

    sources = Sources(**given, tell=lambda step: say(f"{step} ..."))
    recomputed = reproduce(study, sources)
    _see_options(study, **given)
    refuse_given(("seed",), f"is about the simulated teams of {HOO}")
    if chart is not None:
        picture, added = by_ending(chart, PICTURES, ""), added_cells(study)
        if added is None or added.draw is None:
            message = f"the figures of {study} are drawn by errorbar.detectors, which is not installed here"
            raise UsageError(Problem("missing-part", message, fix="leave out --chart"))
    cells: list[Cell] = []
    # Where steps are told, there is no bar: it would be in their lines.
    with nullcontext(lambda _: None) if given["texts"] else progress_bar("cells") as progress:
        for cell in recomputed:
            cells.append(cell)
            progress(len(cells))
    if chart is not None:
        assert added is not None
        assert added.draw is not None
        added.draw(sources, chart, picture)
    result = Reproduction(study, cells)
    listed = cells if everything or output.style == "csv" else result.listed
    shown = [cell_table(listed)] if listed else []
    with while_read():
        output.show(result, "errorbar.reproduce/2", shown if output.style == "csv" else [*shown, result.summary()])
    sys.exit(int(bool(result.mismatches)))


def _see_options(study: str, *, models: Path | None, texts: Sequence[str], **_: object) -> None:
    """Refuse options about tables that the study does not have, or that lack something."""
    if study not in WITH_DETECTORS:
        refuse_given(("models",), f"is about detectors and correctors, and {study} has none")
    if study not in WITH_FIGURES:
        refuse_given(("chart",), f"is about figures, and those of {study} are not drawn")
    if study != WITH_TEXT:
        refuse_given(("texts", "treebanks"), f"is about choosing prepositions in {WITH_TEXT}")
    elif not texts:
        refuse_given(("treebanks", "chart"), "is about choices in native text, and there is none", "add --text=FILE")
    if models is None:
        for name, needed in (("texts", "a tagger"), ("chart", "models")):
            refuse_given((name,), f"needs {needed}", "add --models=DIR, which 'errorbar train' wrote")
