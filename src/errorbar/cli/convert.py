"""``errorbar convert``: between corpus formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import click

from errorbar.cli.hoo_routing import HOO, wants_hoo_conversion
from errorbar.cli.options import INPUT, lenient_option, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.core.corpus import Sentence, unknown_annotator
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.apply import corrected_text
from errorbar.edits.extract import parallel_sentences
from errorbar.formats.documents import read_essays, with_documents
from errorbar.formats.hoo_jsonl import has_standoff
from errorbar.formats.m2 import write_m2
from errorbar.formats.nucle import merge_essays
from errorbar.formats.nucle_project import project_essays, split_essays
from errorbar.formats.opening import Lines
from errorbar.formats.reference import (
    UNMARKED,
    UNMARKED_HELP,
    NamedFile,
    Unmarked,
    read_sentences,
    reference_chunks,
    refuse_same_names,
)
from errorbar.formats.registry import FORMATS, Format, find_format, recognize
from errorbar.formats.saving import STANDARD_OUTPUT, save_lines
from errorbar.formats.text import read_parallel

_WRITABLE = [known.name for known in FORMATS.values() if known.write is not None]


@dataclass(slots=True)
class _Request:
    """What was asked for, options with their files named."""

    inputs: list[NamedFile]
    problems: Problems
    source: str | None
    tokens: str | None
    essays: str | None
    unmarked: Unmarked
    detach_stops: bool
    seen: dict[str, None] = field(default_factory=dict)


@click.command("convert")
@click.argument("inputs", nargs=-1, type=INPUT, required=True, metavar="INPUT...")
@click.option(
    "--to", "to", type=click.Choice([*_WRITABLE, HOO]), help="Format to write. [default: by the ending of OUT]"
)
@click.option("--from", "from_", type=click.Choice([*FORMATS, HOO]), help="Format of INPUT. [default: seen from it]")
@click.option(
    "-o",
    "--out",
    default=STANDARD_OUTPUT,
    metavar="OUT",
    help="File to write; of several HOO files, a folder. [default: standard output]",
)
@click.option(
    "--source",
    type=INPUT,
    metavar="FILE",
    help="INPUTs are corrected versions of this text, line by line; HOO: folder of texts.",
)
@click.option(
    "--tokens", type=INPUT, metavar="FILE", help="M2 or JSONL whose sentences give the tokens of NUCLE essays."
)
@click.option("--essays", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence of INPUT.")
@click.option("--annotator", "annotators", multiple=True, metavar="NAME", help="Keep this annotator; repeatable.")
@click.option("--alternative", type=click.IntRange(1), default=1, help="Text: apply each edit's n-th alternative.")
@click.option("--optional/--no-optional", default=True, help="Text: apply optional edits too (the default).")
@click.option(
    "--unmarked",
    type=click.Choice(UNMARKED),
    default="auto",
    show_default=True,
    help=UNMARKED_HELP,
)
@click.option("--detach-stops", is_flag=True, help="NUCLE: tokenize corrections as the files of Bryant & Ng 2015.")
@click.option("--as-written", is_flag=True, help="Keep edits as they are written: repeated, unsorted, without effect.")
@lenient_option
def command(
    inputs: tuple[str, ...],
    to: str | None,
    from_: str | None,
    out: str,
    source: str | None,
    tokens: str | None,
    essays: str | None,
    annotators: tuple[str, ...],
    alternative: int,
    optional: bool,
    unmarked: Unmarked,
    detach_stops: bool,
    as_written: bool,
    lenient: bool,
) -> None:
    """Convert corpora between M2, errorbar JSONL, parallel text, NUCLE SGML and HOO edit XML.

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

    \b
    NUCLE essays with the tokens of the released M2 file, or with tokens of our own:
        errorbar convert essays.sgml --tokens official.m2 --to jsonl
        errorbar convert essays.sgml --to m2

    \b
    The essay of every sentence, for resampling whole essays:
        errorbar convert gold.m2 --essays essays.sgml -o gold.jsonl

    \b
    HOO: corrected texts into edit XML; a folder with Gold and Raw into M2 or JSONL; and back:
        errorbar convert corrected/ --source Raw/ --to hoo -o edits/
        errorbar convert hoo2011/test --to jsonl --lenient -o test.jsonl
        errorbar convert test.jsonl --to hoo -o test/
    """
    if wants_hoo_conversion(inputs, to, from_):
        from errorbar.studies.hoo_convert import convert_hoo

        unused = {
            "--tokens": tokens,
            "--essays": essays,
            "--alternative": alternative > 1,
            "--no-optional": not optional,
        }
        unused |= {"--unmarked": unmarked != "auto", "--detach-stops": detach_stops, "--as-written": as_written}
        for name, value in unused.items():
            if value:
                what = f"{name} has no meaning for HOO data"
                raise UsageError(Problem("useless-option", what, fix="leave it out"))
        show_notes(convert_hoo(inputs, to, out, source=source, annotators=annotators, lenient=lenient))
        return
    problems = Problems(lenient=lenient, as_written=as_written)
    target = _target(to, out)
    files = [NamedFile.parse(item) for item in inputs]
    if (alternative > 1 or not optional) and not (target.name == "text" and annotators):
        what = "--alternative and --no-optional say how an annotator's edits are applied"
        raise UsageError(Problem("useless-option", what, fix="give --to text and --annotator, or leave them out"))
    if as_written and target.name == "text":
        what = "--as-written keeps edits that cannot be applied"
        raise UsageError(Problem("useless-option", what, fix="leave it out, or convert to m2 or jsonl"))
    request = _Request(files, problems, source, tokens, essays, unmarked, detach_stops)
    kind = _kind(files, from_)
    sentences = _reader(request, kind)(request)
    _note_standoff(files, target, problems)
    with progress_bar("sentences") as progress:
        sentences = _counted(sentences, progress)
        if target.name == "text" and annotators:
            sentences = _corrected(sentences, annotators, request, alternative=alternative - 1, optional=optional)
        elif annotators:
            sentences = _only(sentences, annotators, request)
        names = [file.name for file in files] if len(files) > 1 else []
        save_lines(_checked(target, sentences, problems, names), out)
    show_notes(problems.notes)


def _target(to: str | None, out: str) -> Format:
    if to is not None:
        return find_format(to)
    name = out.removesuffix(".gz")
    found = next((known for known in FORMATS.values() if known.write and name.endswith(known.ending)), None)
    if found is None:
        what = f"the ending of '{out}' names no format" if out != STANDARD_OUTPUT else "no format to write was given"
        raise UsageError(Problem("no-format", what, fix=f"give --to {'|'.join(_WRITABLE)}"))
    return found


def _note_standoff(files: Sequence[NamedFile], target: Format, problems: Problems) -> None:
    """Say that the character edits of HOO data stay behind: sentences are converted, and hold the same in tokens."""
    for file in files:
        if target.name != "text" and has_standoff(file.path):
            what = f"{target.name} made of sentences has no stand-off records; left out"
            fix = "--to hoo reads them"
            problems.note("jsonl-standoff-left", what, Place(file.path), fix=fix)


def _kind(files: list[NamedFile], from_: str | None) -> str:
    """The format that all inputs have; M2 and JSONL count as one."""
    names = [from_ or recognize(file.path).name for file in files]
    for file, name in zip(files, names, strict=True):
        if {name, names[0]} not in ({name}, {"m2", "jsonl"}):
            what = f"this is {name}, while {files[0].path} is {names[0]}"
            fix = "convert one after the other, or give --from"
            raise UsageError(Problem("mixed-formats", what, Place(file.path), fix=fix))
    return names[0]


def _reader(request: _Request, kind: str) -> Callable[[_Request], Iterator[Sentence]]:
    """Choose how to read, and refuse options that would have no effect."""
    wanted = {"--source": request.source, "--tokens": request.tokens, "--essays": request.essays}
    wanted["--detach-stops"] = "yes" if request.detach_stops else None
    wanted["--unmarked"] = None if request.unmarked == "auto" else request.unmarked
    fits = {"text": ["--source"], "nucle": ["--tokens", "--detach-stops"]}.get(kind, ["--essays", "--unmarked"])
    for option, value in wanted.items():
        if value is not None and option not in fits:
            what = f"{option} has no meaning for input in the format {kind}"
            raise UsageError(Problem("useless-option", what, fix="leave it out, or name the format with --from"))
    if kind == "nucle":
        return _from_essays
    if kind != "text":
        return _from_corpus
    if request.source is None and len(request.inputs) > 1:
        what = "several plain texts, but no source text"
        raise UsageError(Problem("no-source", what, fix="name the source: --source FILE"))
    return _from_text if request.source is None else _from_parallel


def _from_corpus(request: _Request) -> Iterator[Sentence]:
    chunks = reference_chunks(request.inputs, request.problems, unmarked=request.unmarked)
    sentences = (sentence for chunk in chunks for sentence in chunk.sentences)
    if request.essays is None:
        return sentences
    return with_documents(sentences, request.essays, request.problems, request.inputs[0].path)


def _from_text(request: _Request) -> Iterator[Sentence]:
    return FORMATS["text"].read(Lines(request.inputs[0].path, request.problems), request.problems)


def _from_parallel(request: _Request) -> Iterator[Sentence]:
    refuse_same_names(request.inputs, "texts")
    source = Lines(request.source or "", request.problems)
    corrected = [Lines(file.path, request.problems) for file in request.inputs]
    names = [file.name for file in request.inputs]
    return parallel_sentences(read_parallel(source, corrected, request.problems), names)


def _from_essays(request: _Request) -> Iterator[Sentence]:
    problems = request.problems
    if len(request.inputs) == 1:
        essays = read_essays(request.inputs[0].path, problems)
    else:
        essays = merge_essays([(file.name, read_essays(file.path, problems)) for file in request.inputs])
    if request.tokens is None:
        sentences, name = split_essays(essays), request.inputs[0].path
    else:
        name = request.tokens
        quiet = Problems(lenient=True)  # its annotations are not used; `errorbar check` lists what is wrong with them
        sentences = read_sentences(Lines(name, problems), quiet)
    return project_essays(essays, sentences, problems, name=name, detach_stops=request.detach_stops)


def _only(sentences: Iterable[Sentence], annotators: Sequence[str], request: _Request) -> Iterator[Sentence]:
    for sentence in sentences:
        request.seen.update(dict.fromkeys(sentence.annotations))
        kept = {name: sentence.annotations[name] for name in annotators if name in sentence.annotations}
        yield Sentence(sentence.text, kept, sentence.document, sentence.writer, sentence.line)
    _check_seen(annotators, request)


def _corrected(
    sentences: Iterable[Sentence], annotators: Sequence[str], request: _Request, *, alternative: int, optional: bool
) -> Iterator[Sentence]:
    if len(annotators) > 1:
        raise UsageError(Problem("two-annotators", "a text can hold one annotator's corrections", fix="give one"))
    name, file = annotators[0], request.inputs[0].path
    n_absent = 0
    for sentence in sentences:
        request.seen.update(dict.fromkeys(sentence.annotations))
        n_absent += name not in sentence.annotations
        text = corrected_text(sentence, name, request.problems, alternative=alternative, optional=optional, file=file)
        yield Sentence(text)
    _check_seen(annotators, request)
    if n_absent:
        what = f"annotator '{name}' did not look at {n_absent} sentences; they are written as they are"
        request.problems.note("annotator-absent", what, Place(file))


def _check_seen(annotators: Sequence[str], request: _Request) -> None:
    for name in annotators:
        if name not in request.seen:
            raise unknown_annotator(name, request.seen)


def _counted(sentences: Iterable[Sentence], progress: Callable[[int], None]) -> Iterator[Sentence]:
    for count, sentence in enumerate(sentences, 1):
        yield sentence
        progress(count)


def _checked(target: Format, sentences: Iterable[Sentence], problems: Problems, names: Sequence[str]) -> Iterator[str]:
    assert target.write is not None
    yield from write_m2(sentences, problems, names) if target.name == "m2" else target.write(sentences, problems)
    problems.raise_errors()
