"""``convert``: corpora between formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import tee
from os import fspath
from typing import Annotated, Literal, TypedDict, Unpack, cast

from errorbar.api.arguments import ArgumentDoc, Count, Lenient, Progress, UnmarkedRule, Useless, public
from errorbar.core.corpus import Annotation, Corpus, Sentence, unknown_annotator
from errorbar.core.edit import OWN_PIPELINE, Fragment
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.edits.errant import EditMaker, count_english, errant_edits, kept_edits, language_notes
from errorbar.edits.inputs import opened_text
from errorbar.edits.parses import find_parser
from errorbar.edits.standoff import apply_standoff, check_sentences, fragment_sentences, note_spacing
from errorbar.edits.standoff_runs import text_edits
from errorbar.edits.texts import corrected_text, parallel_sentences
from errorbar.edits.tokenizers import Tokenizer, find_tokenizer, retokenize_lines, retokenize_sentence
from errorbar.edits.universal import type_sentences
from errorbar.execute import choose_executor
from errorbar.formats.bea_essays import project_bea, read_bea_essays
from errorbar.formats.catalog import FORMATS, HOO, Format, find_format, is_hoo, is_xml, other_formats, recognize
from errorbar.formats.hoo import (
    list_run,
    read_gold,
    read_source,
    read_text,
    save_fragments,
    save_texts,
    sentences_fragments,
)
from errorbar.formats.jsonl import has_standoff, read_standoff, write_standoff
from errorbar.formats.look import Lines, Source, display_name, look
from errorbar.formats.m2 import write_m2
from errorbar.formats.nucle import merge_essays, project_essays, read_essays, split_essays, with_documents
from errorbar.formats.reference import (
    NamedFile,
    named_files,
    read_sentences,
    reference_chunks,
    refuse_same_names,
)
from errorbar.formats.saving import STANDARD_OUTPUT, save_lines
from errorbar.formats.text import ParallelLine, read_parallel
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

# Texts into typed edits: each text is parsed once, and what was found is kept for other days.


def errant_sentences(
    lines: Iterable[ParallelLine], annotators: Sequence[str], pipeline: str | None = None, jobs: int = 1
) -> Iterator[Sentence]:
    """Lines of parallel text as annotated sentences, one annotator a corrected text; edits as ERRANT makes them.

    Raises:
        InputError: If the file of edits in the cache folder cannot be used.
        UsageError: If spaCy, errant or the pipeline is not there, or it does not give Penn tags.
    """
    maker = EditMaker(pipeline or OWN_PIPELINE)
    kept = kept_edits(maker)
    lines, again = tee(lines)
    texts = ((line.source, [text for text in line.corrected if text is not None]) for line in lines)
    with closing(kept), choose_executor(jobs) as executor:
        for line, edits in zip(again, errant_edits(texts, maker, cache=kept, executor=executor), strict=True):
            looked = [name for name, text in zip(annotators, line.corrected, strict=True) if text is not None]
            annotations: dict[str, Annotation] = dict(zip(looked, edits, strict=True))
            yield Sentence(line.source, annotations, line.document, line=line.number)


WRITABLE = [*(known.name for known in FORMATS.values() if known.write is not None), HOO]
USUAL = {"edits": "minimal", "jobs": 1, "unmarked": "auto"}
"""The values of options that nobody gave; the others are None or False."""
_OF_TEXTS = ("source", "edits", "pipeline", "jobs", "tokens")
_OF_FILES = ("documents", "unmarked", "tokens", "edits", "pipeline")
OF_KIND = {
    "text": _OF_TEXTS,
    "multigec": _OF_TEXTS,
    "nucle": ("tokens", "detach_stops"),
    "bea": ("tokens",),
    "m2": _OF_FILES,
    "jsonl": _OF_FILES,
    "corpus": ("documents", "tokens", "edits", "pipeline"),
}
"""The options that mean something, by what is read; of other formats ``documents`` does."""


@dataclass(frozen=True)
class Converted(Result):
    """The result of a conversion.

    Attributes:
        out: The file that was written; None: ``text`` holds it.
        format: What it was converted to.
        n_sentences: How many sentences; None: HOO data has fragments.
        text: What would stand in the file.
        notes: Warnings and repairs.
    """

    out: str | None
    format: str
    n_sentences: int | None
    text: str = field(default="", repr=False)
    notes: tuple[Problem, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, object]:
        """Where, in which format, how many sentences."""
        return {"out": self.out, "format": self.format, "sentences": self.n_sentences}

    def tables(self) -> list[Table]:
        """One row."""
        columns = [Column("out"), Column("format"), Column("sentences", "count")]
        return [Table(columns, [[self.out, self.format, self.n_sentences]], name="converted")]


@dataclass(slots=True)
class _Request:
    """The conversion that was asked for; ``seen`` are the annotators that the input has."""

    inputs: list[NamedFile]
    corpus: Corpus | None
    problems: Problems
    options: Options
    seen: dict[str, None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the first input in messages."""
        return self.inputs[0].path if self.inputs else cast("Corpus", self.corpus).name


class Options(TypedDict, total=False):
    """The options about certain inputs."""

    source: Annotated[
        Source | None,
        ArgumentDoc(
            None,
            "The inputs are corrected versions of this text, line by line, or of these essays, by their ids; of HOO "
            "data the folder of the source texts.",
        ),
    ]
    edits: Annotated[
        Literal["minimal", "errant", "universal"],
        ArgumentDoc(
            "minimal",
            "With ``source``: make edits of the fewest tokens, or typed edits as ERRANT does (in a checkout: make "
            "errant). ``universal``: types of any language, also of edits that are given.",
        ),
    ]
    pipeline: Annotated[
        str | None,
        ArgumentDoc(
            None,
            "With ``edits`` errant or universal: a spaCy pipeline, or its folder; with universal also "
            "``stanza:LANGUAGE``, a ``.udpipe`` model, or a ``.conllu`` file with parses of all texts. None: "
            "errorbar_en; with universal nothing, and types know no parts of speech.",
        ),
    ]
    jobs: Annotated[Count, ArgumentDoc(1, "With ``edits`` errant: number of processes to use; no edit depends on it.")]
    tokens: Annotated[
        Source | None,
        ArgumentDoc(
            None,
            "Cut texts into ``characters``, or by ``syntok``, a spaCy pipeline or the code of a language for spaCy's "
            "rules; of NUCLE and BEA essays: M2 or JSONL whose sentences give the tokens.",
        ),
    ]
    documents: Annotated[
        Source | None, ArgumentDoc(None, "NUCLE SGML that tells which document each sentence is from.")
    ]
    unmarked: UnmarkedRule
    detach_stops: Annotated[
        bool, ArgumentDoc(False, "Of NUCLE: tokenize corrections as the files of Bryant & Ng 2015 do.")
    ]


@public(
    Useless(
        "pipeline jobs",
        "has no meaning for edits of the fewest tokens",
        lambda arguments: arguments["edits"] == "minimal",
        fix="add --edits=errant",
    ),
    Useless("jobs", "has no meaning for universal types", lambda arguments: arguments["edits"] == "universal"),
)
def convert(
    inputs: Source | Corpus | Sequence[Source] | Mapping[str, Source],
    out: Source | None = None,
    *,
    to: str | None = None,
    from_: str | None = None,
    annotator: str | Sequence[str] = (),
    alternative: Count = 1,
    optional: bool = True,
    as_written: bool = False,
    lenient: Lenient = False,
    progress: Progress = lambda _: None,
    **shared: Unpack[Options],
) -> Converted:
    """Convert a corpus between M2, errorbar JSONL, parallel text and HOO edit XML; read essays and token labels.

    Args:
        inputs: A path, several (paths, ``name=path``, or ``{name: path}``), or a ``Corpus``. Several M2 or JSONL files
            over the same sentences become one corpus with all their annotators.
        out: File to write, or a folder of several HOO files; ``-`` is standard output; gzipped if it ends in ``.gz``.
            None: the result holds the text. It is replaced only when everything went well.
        to: Format to write: ``m2``, ``jsonl``, ``text`` or ``hoo``. None: by the ending of the output.
        from_: Format of the inputs; ``m2(overlap=allowed)``: M2 whose scheme allows edits of one annotator to overlap,
            which JSONL made of it says. None: recognized from their contents.
        annotator: Keep this annotator; in text: apply the corrections of this one. Empty: all, in text the source.
        alternative: In text: apply this alternative of each edit, counted from 1.
        optional: In text: also apply optional edits.
        as_written: Keep edits as they are written: repeated, unsorted, without effect.
        progress: Is told the number of sentences done.
        shared: What is said of certain inputs.

    Raises:
        InputError: If a file is bad, or ``out`` cannot be written.
        UsageError: If options do not fit the formats or each other, or an argument is of the wrong type.
    """
    files = [] if isinstance(inputs, Corpus) else named_files(inputs, "an input", "a path or a Corpus")
    if not files and not isinstance(inputs, Corpus):
        raise UsageError(Problem("no-reference", "nothing to convert is named", expected="at least one input"))
    target_name = None if out is None else str(fspath(out))
    annotators = [annotator] if isinstance(annotator, str) else annotator
    if HOO in (to, from_) or (from_ is None and any(is_hoo(file.path) for file in files)):
        unused = {"alternative": alternative > 1, "no_optional": not optional, "as_written": as_written}
        unused |= {name: name != "source" and name in _list_given_options(shared) for name in shared}
        _refuse([name for name, value in unused.items() if value], "HOO data", "leave it out")
        if target_name is None:
            message = "converted HOO data is a file or a folder, and none is named"
            raise UsageError(Problem("wrong-type", message, fix="give --out=FILE"))
        texts = None if shared["source"] is None else str(fspath(shared["source"]))
        given = [inputs] if isinstance(inputs, Corpus) else files
        notes = convert_hoo(HooConversion(given, to, target_name, texts, annotators, lenient))
        return Converted(target_name, to or "", None, notes=tuple(notes))
    if shared["edits"] == "errant" and shared["source"] is None:
        _refuse(["edits"], "what is no corrected text", "name the source: --source=FILE")
    target = _target(to, target_name)
    if (alternative > 1 or not optional) and not (target.name == "text" and annotators):
        message = "--alternative and --no-optional say how an annotator's edits are applied"
        raise UsageError(Problem("useless-option", message, fix="give --to=text and --annotator, or leave them out"))
    if as_written and target.name == "text":
        message = "--as-written keeps edits that cannot be applied"
        raise UsageError(Problem("useless-option", message, fix="leave it out, or convert to m2 or jsonl"))
    # Who applies edits says which of them cannot be; a source has none.
    ignored = () if target.name != "text" else ("edit-overlap",) if annotators else ("edit-overlap", "edit-duplicate")
    problems = Problems(lenient=lenient, as_written=as_written, ignored=ignored)
    request = _Request(files, inputs.check() if isinstance(inputs, Corpus) else None, problems, shared)
    sentences = _read_sentences(request, "corpus" if request.corpus is not None else _kind(files, from_))
    if shared["edits"] == "universal":
        pipeline = shared["pipeline"]
        sentences = type_sentences(sentences, None if pipeline is None else find_parser(pipeline))
    _note_standoff(files, target, problems)
    counted = _Counted(sentences, progress)
    sentences = iter(counted)
    if target.name == "text" and annotators:
        sentences = _correct_sentences(sentences, annotators, request, alternative=alternative - 1, optional=optional)
    elif annotators:
        sentences = _only(sentences, annotators, request)
    lines = _check_sentences(target, sentences, problems, [file.name for file in files] if len(files) > 1 else [])
    text = ""
    if target_name is None:
        text = "".join(f"{line}\n" for line in lines)
    else:
        save_lines(lines, target_name)
    return Converted(target_name, target.name, counted.n, text, tuple(problems.notes))


def _target(to: str | None, out: str | None) -> Format:
    fix = f"give --to={'|'.join(WRITABLE)}"
    if to is not None:
        target = find_format(to)
        if target.write is None:
            raise UsageError(Problem("no-format", f"errorbar reads {to} and does not write it", fix=fix))
        return target
    name = (out or STANDARD_OUTPUT).removesuffix(".gz")
    known = (each for table in (lambda: FORMATS, other_formats) for each in table().values())
    matching = next((each for each in known if each.write and name.endswith(each.ending)), None)
    if matching is None:
        message = (
            f"the ending of '{out}' names no format" if name != STANDARD_OUTPUT else "no format to write was given"
        )
        raise UsageError(Problem("no-format", message, fix=fix))
    return matching


def _note_standoff(files: Sequence[NamedFile], target: Format, problems: Problems) -> None:
    """Say that the character edits of HOO data stay behind: sentences are converted, and hold the same in tokens."""
    for file in files:
        if target.name != "text" and has_standoff(file.path):
            message = f"{target.name} made of sentences has no stand-off records; left out"
            fix = "--to=hoo reads them"
            problems.note("jsonl-standoff-left", message, Place(file.path), fix=fix)


def _kind(files: list[NamedFile], from_: str | None) -> str:
    """The format that all inputs have; M2 and JSONL count as one."""
    if from_ is not None:
        for file in files:
            look(file.path).format = find_format(from_)
    names = [find_format(from_).name if from_ else recognize(file.path).name for file in files]
    for file, name in zip(files, names, strict=True):
        if {name, names[0]} not in ({name}, {"m2", "jsonl"}):
            message = f"this is {name}, while {files[0].path} is {names[0]}"
            fix = "convert one after the other, or give --from"
            raise UsageError(Problem("mixed-formats", message, Place(file.path), fix=fix))
    return names[0]


def _read_sentences(request: _Request, kind: str) -> Iterator[Sentence]:
    """The sentences of the inputs; options that would have no effect are refused."""
    useless = [name for name in _list_given_options(request.options) if name not in OF_KIND.get(kind, ("documents",))]
    _refuse(useless, f"input in the format {kind}", "leave it out, or name the format with --from")
    if kind == "nucle":
        return _from_essays(request)
    if kind == "bea" and request.options["tokens"] is not None:
        return _from_bea(request)
    tokens = request.options["tokens"]
    if tokens is not None and look(tokens).is_file:
        _refuse(["tokens"], f"input in the format {kind} if it names a file", "name a tokenizer: --tokens=characters")
    tokenizer = None if tokens is None else find_tokenizer(str(fspath(tokens)))
    if kind not in ("text", "multigec"):
        return _retokenize(_from_corpus(request), tokenizer)
    if (source := request.options["source"]) is not None:
        refuse_same_names(request.inputs, "texts")
        corrected = [Lines(file.path, request.problems) for file in request.inputs]
        before = opened_text(source, request.problems, "--source is a text")
        lines = read_parallel(before, corrected, request.problems)
        if tokenizer is not None:
            lines = retokenize_lines(lines, tokenizer)
        names = [file.name for file in request.inputs]
        if request.options["edits"] != "errant":
            return parallel_sentences(lines, names)
        made = errant_sentences(lines, names, request.options["pipeline"], request.options["jobs"])
        return _note_language(made, request.problems)
    if len(request.inputs) > 1:
        message = "several plain texts, but no source text"
        raise UsageError(Problem("no-source", message, fix="name the source: --source=FILE"))
    return _retokenize(FORMATS[kind].read(Lines(request.name, request.problems), request.problems), tokenizer)


def _note_language(sentences: Iterator[Sentence], problems: Problems) -> Iterator[Sentence]:
    counted = Counter[str]()
    for sentence in sentences:
        counted.update(count_english([sentence]))
        yield sentence
    problems.take(language_notes(counted))


def _retokenize(sentences: Iterator[Sentence], tokenizer: Tokenizer | None) -> Iterator[Sentence]:
    return sentences if tokenizer is None else (retokenize_sentence(sentence, tokenizer) for sentence in sentences)


def _list_given_options(options: Options) -> list[str]:
    return [name for name, value in options.items() if value not in (None, False, USUAL.get(name))]


def _refuse(names: Sequence[str], what: str, fix: str) -> None:
    for name in names:
        option = f"--{name.replace('_', '-')}"
        raise UsageError(Problem("useless-option", f"{option} has no meaning for {what}", fix=fix))


def _from_corpus(request: _Request) -> Iterator[Sentence]:
    if request.corpus is not None:
        request.problems.take(request.corpus.notes)
        sentences: Iterator[Sentence] = iter(request.corpus.sentences)
    else:
        chunks = reference_chunks(request.inputs, request.problems, unmarked=request.options["unmarked"])
        sentences = (sentence for chunk in chunks for sentence in chunk.sentences)
    if (documents := request.options["documents"]) is None:
        return sentences
    return with_documents(sentences, str(documents), request.problems, request.name)


def _from_essays(request: _Request) -> Iterator[Sentence]:
    problems = request.problems
    if len(request.inputs) == 1:
        essays = read_essays(request.name, problems)
    else:
        essays = merge_essays([(file.name, read_essays(file.path, problems)) for file in request.inputs])
    sentences, name = split_essays(essays), request.name
    if (tokens := request.options["tokens"]) is not None:
        name = str(tokens)
        sentences = _tokens(name, problems)
    return project_essays(essays, sentences, problems, name=name, detach_stops=request.options["detach_stops"])


def _from_bea(request: _Request) -> Iterator[Sentence]:
    if len(request.inputs) > 1:
        message = "--tokens is of one file of essays, and there are several"
        raise UsageError(Problem("useless-option", message, fix="convert one after the other"))
    problems, name = request.problems, str(request.options["tokens"])
    essays = list(read_bea_essays(Lines(request.name, problems), problems))
    problems.raise_errors()
    return project_bea(essays, _tokens(name, problems), problems, name)


def _tokens(name: str, problems: Problems) -> Iterator[Sentence]:
    """Sentences for their tokens; their annotations are not used: `errorbar check` lists what is wrong with them."""
    return read_sentences(Lines(name, problems), Problems(lenient=True))


def _only(sentences: Iterable[Sentence], annotators: Sequence[str], request: _Request) -> Iterator[Sentence]:
    for sentence in sentences:
        request.seen.update(dict.fromkeys(sentence.annotations))
        kept = {name: sentence.annotations[name] for name in annotators if name in sentence.annotations}
        about = sentence.document, sentence.writer, sentence.line, sentence.paragraph
        yield Sentence(sentence.text, kept, *about)
    _check_seen(annotators, request)


def _correct_sentences(
    sentences: Iterable[Sentence], annotators: Sequence[str], request: _Request, *, alternative: int, optional: bool
) -> Iterator[Sentence]:
    if len(annotators) > 1:
        raise UsageError(Problem("two-annotators", "a text can hold one annotator's corrections", fix="give one"))
    name, file = annotators[0], request.name
    n_absent = 0
    for sentence in sentences:
        request.seen.update(dict.fromkeys(sentence.annotations))
        n_absent += name not in sentence.annotations
        place = Place(file, sentence.line)
        text = corrected_text(sentence, name, request.problems, alternative=alternative, optional=optional, place=place)
        yield Sentence(text)
    _check_seen(annotators, request)
    if n_absent:
        message = f"annotator '{name}' did not look at {n_absent} sentences; they are written as they are"
        request.problems.note("annotator-absent", message, Place(file))


def _check_seen(annotators: Sequence[str], request: _Request) -> None:
    for name in annotators:
        if name not in request.seen:
            raise unknown_annotator(name, request.seen)


class _Counted:
    """Sentences, counted as they pass."""

    def __init__(self, sentences: Iterable[Sentence], progress: Progress) -> None:
        self.n = 0
        self._sentences = sentences
        self._progress = progress

    def __iter__(self) -> Iterator[Sentence]:
        for sentence in self._sentences:
            self.n += 1
            yield sentence
            self._progress(self.n)


def _check_sentences(
    target: Format, sentences: Iterable[Sentence], problems: Problems, names: Sequence[str]
) -> Iterator[str]:
    assert target.write is not None
    yield from write_m2(sentences, problems, names) if target.name == "m2" else target.write(sentences, problems)
    problems.raise_errors()


# HOO data converted to M2, JSONL and corrected texts, and back: what ``convert`` does where either side is HOO.


ANNOTATOR = "0"
"""The name of the annotators of HOO in other formats: they worked as one."""
ENDINGS = {".m2": "m2", ".jsonl": "jsonl", ".txt": "text", ".xml": HOO}


@dataclass(frozen=True, slots=True)
class HooConversion:
    """The conversion of HOO data; the attributes are arguments of ``convert``."""

    inputs: Sequence[NamedFile | Corpus]
    to: str | None
    out: str
    source: str | None = None
    annotators: Sequence[str] = ()
    lenient: bool = False


def convert_hoo(asked: HooConversion) -> list[Problem]:
    """Convert HOO data to M2, JSONL or corrected text, or one of these to HOO; the result is warnings and repairs."""
    if len(asked.inputs) != 1 or len(asked.annotators) > 1:
        message = "HOO data is converted one set and one annotator at a time"
        raise UsageError(Problem("hoo-one-gold", message, fix="give one INPUT and at most one --annotator"))
    problems, (file,) = Problems(lenient=asked.lenient), asked.inputs
    if isinstance(file, Corpus):
        problems.take(file.notes)
        fragments = _fragments_of_chunks([file.check()], file.name or "text", asked.annotators, problems)
        save_fragments(fragments, asked.out, problems, texts=True)
    elif is_hoo(file.path):
        _from_hoo(file.path, asked, problems)
    elif asked.source is not None:
        fragments = read_source(asked.source, problems)
        texts = list_run(file.path, file.name, [one.name for one in fragments], problems)
        corrections = []
        for one in fragments:
            text = texts.get(one.name)
            if text is None or is_xml(text.path):
                message = f"no corrected text of fragment {one.name}; not written"
                problems.note("hoo-missing", message, Place(file.path))
                continue
            edits = tuple(text_edits(one, read_text(text, problems), display_name(text.path), problems))
            corrections.append(Fragment(one.name, edits, one.text))
        save_fragments(corrections, asked.out, problems)
    else:
        save_fragments(_fragments_of_corpus(file, asked.annotators, problems), asked.out, problems, texts=True)
    return problems.notes


def _from_hoo(path: str, asked: HooConversion, problems: Problems) -> None:
    name = asked.out.removesuffix(".gz")
    to = asked.to or next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)
    if to is None:
        raise UsageError(Problem("no-format", "no format to write was given", fix="give --to=m2|jsonl|text|hoo"))
    target = None if to == HOO else find_format(to)
    if target is not None and target.write is None:
        message = f"errorbar reads {to} and does not write it"
        raise UsageError(Problem("no-format", message, fix="give --to=m2|jsonl|text|hoo"))
    fragments = read_gold(path, problems, source=asked.source, need_text=True)
    problems.raise_errors()
    if target is None or target.write is None:
        save_fragments(fragments, asked.out, problems)
        return
    if to == "text":
        texts = {
            one.name: apply_standoff(one.text or "", one.edits, problems=problems, place=Place(one.file))
            for one in fragments
        }
        problems.raise_errors()
        save_texts(texts, asked.out)
        return
    annotator = asked.annotators[0] if asked.annotators else ANNOTATOR
    pairs = [(fragment, list(fragment_sentences(fragment, annotator, problems))) for fragment in fragments]
    if to == "jsonl":
        lines = list(write_standoff(pairs, annotator))
    else:
        lines = list(target.write((sentence for _, sentences in pairs for sentence in sentences), problems))
        note_spacing(pairs, problems)
    problems.raise_errors()
    save_lines(lines, asked.out)


def _fragments_of_corpus(file: NamedFile, annotators: Sequence[str], problems: Problems) -> list[Fragment]:
    path = file.path
    if has_standoff(path):
        fragments, sentences, annotator = read_standoff(Lines(path, problems), problems)
        problems.raise_errors()
        if list(annotators) in ([], [annotator]):
            check_sentences(fragments, sentences, annotator, problems)
            return fragments
    return _fragments_of_chunks(reference_chunks([file], problems), file.name, annotators, problems)


def _fragments_of_chunks(
    chunks: Iterable[Corpus], name: str, annotators: Sequence[str], problems: Problems
) -> list[Fragment]:
    sentences = []
    names: dict[str, None] = {}
    for chunk in chunks:
        sentences += chunk.sentences
        names.update(dict.fromkeys(chunk.annotators))
    wanted = annotators[0] if annotators else next(iter(names), ANNOTATOR)
    if annotators and wanted not in names:
        raise unknown_annotator(wanted, names)
    return sentences_fragments(sentences, wanted, problems, name=name)
