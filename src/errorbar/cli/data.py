"""``errorbar data``: list, show and fetch corpora, and say where they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from errorbar.cli.options import format_option, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import show_json, show_tables
from errorbar.cli.talk import show_lines, tell
from errorbar.core.errors import InputError, Problem, UsageError, as_options
from errorbar.tables.records import note_record
from errorbar.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from errorbar.datasets import Dataset, Fetched

LIST_SCHEMA = "errorbar.data.list/1"
SHOW_SCHEMA = "errorbar.data.show/1"
FETCH_SCHEMA = "errorbar.data.fetch/1"


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from errorbar.datasets import catalog

    return [CompletionItem(name, help=found.title) for name, found in catalog().items() if name.startswith(incomplete)]


@click.group("data", invoke_without_command=True)
@format_option
@click.pass_context
def command(ctx: click.Context, style: str) -> None:
    """List and fetch corpora.

    Corpora come from their publishers, or from a copy at hand, into a cache folder: ERRORBAR_DATA, else
    XDG_CACHE_HOME/errorbar, else ~/.cache/errorbar. Nothing appears there before its hashes were compared.

    \b
    errorbar data fetch conll2014 conll2014-systems
    errorbar score --gold $(errorbar data path conll2014)/noalt/official-2014.combined.m2 \
        $(errorbar data path conll2014-systems)/CAMB
    """
    ctx.default_map = {name: {"style": style} for name in ("list", "show", "fetch")}
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, style=style)


@command.command("list")
@format_option
def list_command(style: str) -> None:
    """List every corpus."""
    from errorbar.datasets import cache_root, catalog, is_cached

    root = cache_root()
    found = list(catalog().values())
    if style == "json":
        rows = [_summary(dataset, root) for dataset in found]
        show_json({"schema": LIST_SCHEMA, "cache": str(root), "rows": rows})
        return
    cells: list[list[Cell]] = [
        [
            dataset.name,
            dataset.title,
            dataset.license,
            is_cached(dataset, root),
            _size(dataset.n_bytes),
            dataset.n_bytes,
        ]
        for dataset in found
    ]
    columns = [*map(Column, ("name", "what", "license", "cached")), Column("size", "number", only="shown")]
    columns.append(Column("bytes", "count", only="data"))
    show_tables([Table(columns, cells, notes=[f"cache {root}"])], style)


@command.command("show")
@click.argument("name", shell_complete=_complete)
@format_option
def show_command(name: str, style: str) -> None:
    """Show a corpus's address, license, citation, traps and files."""
    from errorbar.datasets import cache_root, dataset, is_cached

    found = dataset(name)
    root = cache_root()
    if style == "json":
        show_json({"schema": SHOW_SCHEMA, **_summary(found, root), **_details(found)})
        return
    facts = {
        "name": found.name,
        "what": found.title,
        "release": found.release or "–",
        "license": found.license,
        "cite": f"{found.citation} {found.citation_url}",
        "page": found.page,
        "address": ", ".join(found.addresses) or "none known: fetch with --from-file",
        "in cache": str(root / found.name) if is_cached(found, root) else "no",
    }
    lines = [f"{key:<10}{value}" for key, value in facts.items()] + [f"{'trap':<10}{trap}" for trap in found.traps]
    rows: list[list[Cell]] = [
        [file.path + (" (optional)" if file.optional else ""), file.sha256, file.n_bytes] for file in found.files
    ]
    columns = [Column("file"), Column("sha256"), Column("bytes", "count")]
    if style == "table":
        show_lines(*lines)
    show_tables([Table(columns, rows, notes=() if style == "table" else lines)], style)


@command.command("fetch")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=_complete)
@click.option("--from-file", type=click.Path(path_type=Path), help="Take this folder or archive instead.")
@click.option("--again", is_flag=True, help="Fetch it although it is in the cache.")
@click.option("--trust", is_flag=True, help="Accept files without a published hash that differ from those seen first.")
@format_option
def fetch_command(names: tuple[str, ...], from_file: Path | None, again: bool, trust: bool, style: str) -> None:
    """Download corpora, verify them, put them into the cache, and print their folders.

    A download that was interrupted goes on where it stopped.
    """
    from errorbar.datasets import Talk, dataset, fetch

    if from_file is not None and len(names) != 1:
        what = f"--from-file fits one corpus, not {len(names)}"
        raise UsageError(Problem("data-one-name", what, fix="name the one that the file holds"))
    found = [dataset(name) for name in names]  # a misspelt last name is found before the first download
    done: list[Fetched] = []
    failed: list[Problem] = []
    for one in found:
        try:
            fetched = fetch(one, from_file=from_file, again=again, trust=trust, talk=Talk(tell, progress_bar))
        except InputError as error:
            if len(found) == 1:
                raise
            for problem in error.problems:
                tell(f"error: {problem.line(as_options)}")
            fix = f"with a copy at hand: errorbar data fetch {one.name} --from-file PATH"
            failed.append(Problem("data-not-fetched", f"the corpus '{one.name}' was not fetched", fix=fix))
            continue
        done.append(fetched)
        show_notes(list(fetched.notes))
        trusted = fetched.n_files - fetched.n_verified
        verified = f"{fetched.n_verified} verified, {trusted} trusted on first use" if trusted else "verified"
        where = "already in the cache" if fetched.source == "cache" else f"from {fetched.source}"
        tell(f"{one.name}: {fetched.n_files} files, {_size(fetched.n_bytes)}, {verified}, {where}")
        if style == "table":
            click.echo(fetched.path)
    if style == "json":
        show_json({"schema": FETCH_SCHEMA, "rows": [_record(fetched) for fetched in done]})
    elif style != "table":
        rows: list[list[Cell]] = [[f.dataset.name, str(f.path), f.source, f.n_files, f.n_bytes] for f in done]
        columns = [*map(Column, ("name", "folder", "source")), Column("files", "count"), Column("bytes", "count")]
        show_tables([Table(columns, rows)], style)
    if failed:
        raise InputError(failed)


@command.command("path")
@click.argument("name", shell_complete=_complete)
def path_command(name: str) -> None:
    """Print a corpus's folder in the cache; exit 2 if it is not there."""
    from errorbar.datasets import path

    click.echo(path(name))


def _size(n_bytes: int | None) -> str | None:
    return None if n_bytes is None else f"{n_bytes / 1e6:.1f} MB"


def _summary(dataset: Dataset, root: Path) -> dict[str, object]:
    from errorbar.datasets import is_cached

    folder = root / dataset.name
    return {
        "name": dataset.name,
        "what": dataset.title,
        "license": dataset.license,
        "bytes": dataset.n_bytes,
        "path": str(folder) if is_cached(dataset, root) else None,
    }


def _details(dataset: Dataset) -> dict[str, object]:
    return {
        "release": dataset.release or None,
        "citation": dataset.citation,
        "citation_url": dataset.citation_url,
        "page": dataset.page,
        "addresses": list(dataset.addresses),
        "traps": list(dataset.traps),
        "files": [
            {"path": file.path, "sha256": file.sha256, "bytes": file.n_bytes, "optional": file.optional}
            for file in dataset.files
        ],
    }


def _record(fetched: Fetched) -> dict[str, object]:
    return {
        "name": fetched.dataset.name,
        "path": str(fetched.path),
        "source": fetched.source,
        "n_files": fetched.n_files,
        "bytes": fetched.n_bytes,
        "n_verified": fetched.n_verified,
        "warnings": [note_record(note) for note in fetched.notes],
    }
