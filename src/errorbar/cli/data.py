"""``errorbar data``: list, show and fetch corpora, and say where they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from errorbar.cli.command import Command, progress_bar, show_lines, show_notes, tell
from errorbar.cli.main import Group
from errorbar.cli.output import OutputOptions, format_option, output_options
from errorbar.core.problems import InputError, Problem, UsageError, as_options
from errorbar.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from errorbar.datasets import Dataset, FetchedCorpus


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from errorbar.datasets import catalog

    return [CompletionItem(name, help=entry.title) for name, entry in catalog().items() if name.startswith(incomplete)]


@click.group("data", cls=Group, invoke_without_command=True)
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


@command.command("list", cls=Command)
@output_options
def list_command(output: OutputOptions) -> None:
    """List every corpus."""
    from errorbar.datasets import cache_root, catalog

    root, rows = str(cache_root()), list(map(_summary, catalog().values()))
    cells = [
        [row["name"], row["what"], row["license"], row["path"] is not None, _size(row["bytes"]), row["bytes"]]
        for row in rows
    ]
    columns = [*map(Column, ("name", "what", "license", "cached")), Column("size", "number", only="shown")]
    table = Table([*columns, Column("bytes", "count", only="data")], cells, notes=[f"cache {root}"])
    output.listing({"cache": root, "rows": rows}, "errorbar.data.list/1", table)


@command.command("show", cls=Command)
@click.argument("name", shell_complete=_complete)
@output_options
def show_command(name: str, output: OutputOptions) -> None:
    """Show a corpus's address, license, citation, traps and files."""
    from errorbar.datasets import dataset

    corpus = dataset(name)
    document = {**_summary(corpus), **_details(corpus)}
    facts = {
        "name": corpus.name,
        "what": corpus.title,
        "release": corpus.release or "–",
        "license": corpus.license,
        "cite": f"{corpus.citation} {corpus.citation_url}",
        "page": corpus.page,
        "address": ", ".join(corpus.addresses) or "none known: fetch with --from-file",
        "in cache": document["path"] or "no",
    }
    lines = [f"{key:<10}{value}" for key, value in facts.items()] + [f"{'trap':<10}{trap}" for trap in corpus.traps]
    rows: list[list[Cell]] = [
        [f"{file.path}{' (optional)' * file.optional}", file.sha256, file.n_bytes] for file in corpus.files
    ]
    columns = [Column("file"), Column("sha256"), Column("bytes", "count")]
    above = output == OutputOptions("table")
    if above:
        show_lines(*lines)
    table = Table(columns, rows, notes=() if above else lines)
    output.listing(document, "errorbar.data.show/1", table)


@command.command("fetch", cls=Command, short_help="Download corpora and verify them.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=_complete)
@click.option("--from-file", type=click.Path(path_type=Path), help="Take this folder or archive instead.")
@click.option("--again", is_flag=True, help="Fetch it although it is in the cache.")
@click.option("--trust", is_flag=True, help="Accept files without a published hash that differ from those seen first.")
@output_options
def fetch_command(
    names: tuple[str, ...], from_file: Path | None, again: bool, trust: bool, output: OutputOptions
) -> None:
    """Download corpora, verify them, put them into the cache, and print their folders.

    A download that was interrupted goes on where it stopped.
    """
    from errorbar.datasets import Talk, dataset, fetch

    if from_file is not None and len(names) != 1:
        message = f"--from-file fits one corpus, not {len(names)}"
        raise UsageError(Problem("data-one-name", message, fix="name the one that the file holds"))
    corpora = [dataset(name) for name in names]  # a misspelt last name is found before the first download
    done: list[FetchedCorpus] = []
    failed: list[Problem] = []
    for one in corpora:
        try:
            fetched = fetch(one, from_file=from_file, again=again, trust=trust, talk=Talk(tell, progress_bar))
        except InputError as error:
            if len(corpora) == 1:
                raise
            for problem in error.problems:
                tell(f"error: {problem.line(as_options)}")
            fix = f"with a copy at hand: errorbar data fetch {one.name} --from-file PATH"
            failed.append(Problem("data-not-fetched", f"the corpus '{one.name}' was not fetched", fix=fix))
            continue
        done.append(fetched)
        show_notes(fetched.notes)
        trusted = fetched.n_files - fetched.n_verified
        verified = f"{fetched.n_verified} verified, {trusted} trusted on first use" if trusted else "verified"
        where = "already in the cache" if fetched.source == "cache" else f"from {fetched.source}"
        tell(f"{one.name}: {fetched.n_files} files, {_size(fetched.n_bytes)}, {verified}, {where}")
        if output == OutputOptions("table"):
            click.echo(fetched.path)
    if output != OutputOptions("table"):
        rows: list[list[Cell]] = [[f.dataset.name, str(f.path), f.source, f.n_files, f.n_bytes] for f in done]
        columns = [*map(Column, ("name", "folder", "source")), Column("files", "count"), Column("bytes", "count")]
        output.listing({"rows": list(map(_record, done))}, "errorbar.data.fetch/1", Table(columns, rows))
    if failed:
        raise InputError(failed)


@command.command("path", cls=Command)
@click.argument("name", shell_complete=_complete)
def path_command(name: str) -> None:
    """Print a corpus's folder in the cache; exit 2 if it is not there."""
    from errorbar.datasets import path

    click.echo(path(name))


def _size(n_bytes: int | None) -> str | None:
    return None if n_bytes is None else f"{n_bytes / 1e6:.1f} MB"


def _summary(dataset: Dataset) -> dict[str, Any]:
    from errorbar.datasets import cache_root, is_cached

    folder = cache_root() / dataset.name
    path = str(folder) if is_cached(dataset, folder.parent) else None
    facts = {"name": dataset.name, "what": dataset.title, "license": dataset.license}
    return {**facts, "bytes": dataset.n_bytes, "path": path}


def _details(dataset: Dataset) -> dict[str, object]:
    files = [{"path": f.path, "sha256": f.sha256, "bytes": f.n_bytes, "optional": f.optional} for f in dataset.files]
    facts = {name: getattr(dataset, name) for name in ("citation", "citation_url", "page")}
    several = {"addresses": list(dataset.addresses), "traps": list(dataset.traps), "files": files}
    return {"release": dataset.release or None, **facts, **several}


def _record(fetched: FetchedCorpus) -> dict[str, object]:
    from errorbar.tables.plain import note_record

    counts = {"n_files": fetched.n_files, "bytes": fetched.n_bytes, "n_verified": fetched.n_verified}
    where = {"name": fetched.dataset.name, "path": str(fetched.path), "source": fetched.source}
    return {**where, **counts, "warnings": list(map(note_record, fetched.notes))}
