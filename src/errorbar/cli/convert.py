"""``errorbar convert``: between corpus formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errorbar.cli.command import OUTPUT_PLACE, Command, progress_bar, show_notes
from errorbar.cli.options import options_of


class FormatName(click.Choice[str]):
    """A format of ours, a dialect of one (``m2(overlap=allowed)``), or a format that another package has."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Take a name of ours, or ask the packages."""
        from errorbar.formats.catalog import other_formats

        if value not in self.choices and (value in other_formats() or str(value).endswith(")")):
            return value
        return super().convert(value, param, ctx)


READABLE = ("bea", "jsonl", "m2", "nucle", "multigec", "multiged", "text", "hoo")
WRITABLE = ("jsonl", "m2", "text", "hoo")


@click.command("convert", cls=Command)
@options_of(
    "errorbar.api.convert:convert",
    inputs={"argument": "INPUT..."},
    out={
        "names": ("-o", "--output", "--out"),
        "default": "-",
        "type": OUTPUT_PLACE,
        "metavar": "OUT",
        "help": "File to write, gzipped if it ends in .gz; of several HOO files a folder.  [default: standard output]",
        "show_default": False,
    },
    to={"type": FormatName(WRITABLE)},
    from_={"names": ("--from",), "type": FormatName(READABLE)},
    annotator={"metavar": "NAME"},
    optional={"names": ("--optional/--no-optional",)},
    pipeline={"metavar": "NAME"},
    tokens={"metavar": "FILE|NAME", "hidden": False},
)
def command(**options: Any) -> None:
    """Convert corpora between M2, errorbar JSONL, parallel text and HOO edit XML; read essays and token labels.

    An INPUT is a file or name=file; '-' is standard input; gzipped files are read as they are, and OUT is gzipped
    if it ends in .gz. OUT is replaced only when everything went well. What its format cannot hold is listed.
    Several M2 or JSONL INPUTs over the same sentences become one corpus with all their annotators.

    \b
    Several annotators' files into one lossless corpus:
        errorbar convert A1.m2 A2.m2 A3.m2 -o all.jsonl.gz

    \b
    What an annotator's corrected text reads like (without --annotator: the source):
        errorbar convert gold.m2 --to text --annotator 0

    \b
    Corrected texts into edits, one annotator each:
        errorbar convert --source source.txt ann=first.txt bob=second.txt --to m2
        errorbar convert --source source.txt ann=first.txt --edits errant --to m2

    \b
    Essays of MultiGEC-2025 and their references, and JSON essays of BEA-2019:
        errorbar convert --source orig.md ref1.md ref2.md -o gold.jsonl
        errorbar convert ABC.train.json -o gold.jsonl

    \b
    NUCLE essays with the tokens of the released M2 file, or with tokens of our own:
        errorbar convert essays.sgml --tokens official.m2 --to jsonl
        errorbar convert essays.sgml --to m2

    \b
    The essay of every sentence, for resampling whole essays:
        errorbar convert gold.m2 --documents essays.sgml -o gold.jsonl

    \b
    HOO: corrected texts into edit XML; a folder with Gold and Raw into M2 or JSONL; and back:
        errorbar convert corrected/ --source Raw/ --to hoo -o edits/
        errorbar convert hoo2011/test --to jsonl --lenient -o test.jsonl
        errorbar convert test.jsonl --to hoo -o test/
    """
    from errorbar.api.convert import convert
    from errorbar.formats.saving import refuse_unwritable

    if options["to"] != "hoo" and not Path(options["out"]).is_dir():
        refuse_unwritable(options["out"])
    with progress_bar("sentences") as progress:
        result = convert(progress=progress, **options)
    show_notes(result.notes)
