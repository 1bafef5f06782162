"""What must be equal however it is asked: a relation is a reader that computes something in two ways.

A further one is a line in ``RELATIONS``: a name, seeds, and two functions of a folder. Each gives a value, or refuses;
both must give equal values, or both refuse.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from errorbar import Corpus, Edit, ErrorbarError, Problems, Sentence
from errorbar.edits import matching
from errorbar.formats import m2, read_corpus, save_lines, write_jsonl, write_m2
from errorbar.formats.m2 import UNKNOWN
from tests.fuzz import seeds
from tests.fuzz.readers import COMMAND, Reader
from tests.fuzz.seeds import Case
from tests.fuzz.study_readers import run_command

Way = Callable[[Path], object]


class BrokenRelationError(AssertionError):
    """Two ways to the same thing lead to different things."""


def relation(name: str, make_seeds: Callable[[], list[Case]], way: Way, other: Way) -> Reader:
    """A reader of inputs for which two ways must lead to the same value."""

    def read(folder: Path, _: bool) -> None:
        first, refusal = _followed(way, folder)
        second, other_refusal = _followed(other, folder)
        if (refusal is None) is not (other_refusal is None) or first != second:
            raise BrokenRelationError(f"{refusal or first!r:.300} is not {other_refusal or second!r:.300}")
        if refusal is not None:
            raise refusal

    return Reader(f"same-{name}", make_seeds, read, most_seconds=2 * COMMAND)


def _followed(way: Way, folder: Path) -> tuple[object, ErrorbarError | None]:
    try:
        return way(folder), None
    except ErrorbarError as refusal:
        return None, refusal


FIGURES = ("precision", "recall", "f", "correct", "proposed", "gold", "n_sentences", "n_annotators")
Rows = dict[str, dict[str, float]]


def _scores(
    folder: Path,
    *,
    gold: str = "a.m2",
    systems: tuple[str, ...] = ("system.txt",),
    options: tuple[str, ...] = (),
    stdin: bytes = b"",
) -> Rows:
    """The scores of systems by name, without what tells how they were given."""
    paths = ["system=-"] if stdin else [f"{name.partition('.')[0]}={folder / name}" for name in systems]
    plain = ("--format", "json", "--no-ci", "--force", *options)
    document = json.loads(run_command("score", "--gold", str(folder / gold), *paths, *plain, stdin=stdin))
    return {row["system"]: {key: row[key] for key in FIGURES if key in row} for row in document["rows"]}


def _without_kernel(folder: Path) -> object:
    """By the readable twins."""
    known = matching.KERNEL, m2.KERNEL
    matching.KERNEL = m2.KERNEL = False
    try:
        return _scores(folder)
    finally:
        matching.KERNEL, m2.KERNEL = known


def _packed(folder: Path) -> object:
    content = (folder / "a.m2").read_bytes()
    if content[:2] == _NOT_PLAIN[0]:  # nobody packs twice
        return _scores(folder)
    (folder / "b.m2.gz").write_bytes(gzip.compress(content, 1))
    return _scores(folder, gold="b.m2.gz")


def _piped(folder: Path) -> object:
    return _scores(folder, stdin=(folder / "system.txt").read_bytes() or b"\n")


def _twice(folder: Path, *, swapped: bool) -> object:
    """Two systems, one the source itself, in either order."""
    corpus = read_corpus(folder / "a.m2")
    (folder / "other.txt").write_text("".join(f"{sentence.text}\n" for sentence in corpus.sentences), encoding="utf-8")
    names = ("system.txt", "other.txt")
    return _scores(folder, systems=names[::-1] if swapped else names)


def _summed(folder: Path) -> object:
    """Against one annotator the counts of a corpus twice over are twice its counts."""
    scores = _scores(folder, options=_ALONE)
    return {name: 2 * scores["system"][name] for name in ("correct", "proposed", "gold")}


def _doubled(folder: Path) -> object:
    if any((folder / name).read_bytes()[:2] in _NOT_PLAIN for name in ("a.m2", "system.txt")):
        return _summed(folder)
    (folder / "b.m2").write_bytes(_twice_over(folder / "a.m2", b"\n\n"))
    (folder / "double.txt").write_bytes(_twice_over(folder / "system.txt", b"\n"))
    found = _scores(folder, gold="b.m2", systems=("double.txt",), options=_ALONE)
    return {name: found["double"][name] for name in ("correct", "proposed", "gold")}


_NOT_PLAIN = (b"\x1f\x8b", b"\xef\xbb", b"\xff\xfe", b"\xfe\xff")  # packed, or with a mark of its encoding
_ALONE = ("--metric", "m2(choose=0)")


def _twice_over(path: Path, end: bytes) -> bytes:
    content = path.read_bytes()
    return (content if content.endswith(end) else content.removesuffix(b"\n") + end) * 2


def _converted(folder: Path, *, to: str) -> object:
    """The reference in another format scores the system as it does."""
    corpus = read_corpus(folder / "a.m2")
    write = write_jsonl if to == "jsonl" else write_m2
    save_lines(write(corpus.sentences, Problems()), str(folder / f"b.{to}"))
    return _scores(folder, gold=f"b.{to}")


_HARMLESS = ("consistency sets", "documents and writers", "||| and line feeds")
"""What M2 may lose, or says otherwise, without a change of what counts."""


def _counted(corpus: Corpus, *, exactly: bool = False) -> object:
    """What counts in a corpus: tokens, and of each annotator, by place, spans, corrections and what is optional."""
    if exactly:
        return [replace(sentence, line=0) for sentence in corpus.sentences]
    places = {name: place for place, name in enumerate(corpus.annotators)}
    counted: list[object] = []
    for sentence in corpus.sentences:
        said = [
            (places[name], [(*edit.span, edit.replacements or _unknown(edit, sentence)) for edit in edits])
            for name, edits in sentence.annotations.items()
        ]
        counted.append((list(sentence.tokens), sorted(said)))
    return counted


def _unknown(edit: Edit, sentence: Sentence) -> tuple[str, ...]:
    """No correction, as M2 says it of type UNK: by the words themselves."""
    return (" ".join(sentence.tokens[edit.start : edit.end]),) if edit.type == UNKNOWN else ()


def _read_through(folder: Path, *, file: str, formats: tuple[str, ...]) -> object:
    """The corpus of a file, written and read again in one format after the other; None: M2 says what it cannot hold."""
    corpus = read_corpus(folder / file, Problems(lenient=True), unmarked="absent")
    for number, to in enumerate(formats):
        problems = Problems()
        write = write_jsonl if to == "jsonl" else write_m2
        save_lines(write(corpus.sentences, problems, corpus.annotators), str(folder / f"{number}.{to}"))
        losses = [note.what for note in problems.notes if note.code == "m2-cannot-hold"]
        if not all(any(harmless in loss for harmless in _HARMLESS) for loss in losses):
            return None
        corpus = read_corpus(folder / f"{number}.{to}", unmarked="absent")
    return _counted(corpus, exactly="m2" not in formats)


def _as_it_is(folder: Path, *, file: str, formats: tuple[str, ...]) -> object:
    """The corpus of a file; None where the other way has a loss to tell."""
    told = _read_through(folder, file=file, formats=formats) is None
    corpus = read_corpus(folder / file, Problems(lenient=True), unmarked="absent")
    return None if told else _counted(corpus, exactly="m2" not in formats)


def _with_noop() -> list[Case]:
    """M2 knows no edits of this type: they must not come out of JSONL without a word."""
    (case,) = seeds.jsonl()
    return [case, {**case, "a.jsonl": case["a.jsonl"].replace(b'"type": "', b'"type": "noop", "comment": "', 3)}]


_FILES = {"m2": (seeds.m2, "a.m2"), "jsonl": (_with_noop, "a.jsonl"), "bea": (seeds.bea, "a.jsonl")}
_FILES |= {"labels": (seeds.labels, "a.tsv")}
_WAYS = (("jsonl",), ("m2", "jsonl", "m2"))
ROUND_TRIPS = tuple(
    relation(
        f"{kind}-through-{'-'.join(formats)}",
        make,
        partial(_as_it_is, file=file, formats=formats),
        partial(_read_through, file=file, formats=formats),
    )
    for kind, (make, file) in _FILES.items()
    for formats in _WAYS
)
"""Formats that hold edits, each through the others and back: what counts stays, or the writer says what is lost."""

RELATIONS: tuple[Reader, ...] = (
    *ROUND_TRIPS,
    relation("kernel", seeds.m2, _scores, _without_kernel),
    relation("packed", seeds.m2, _scores, _packed),
    relation("pipe", seeds.m2, _scores, _piped),
    relation("order", seeds.m2, partial(_twice, swapped=False), partial(_twice, swapped=True)),
    relation("doubled", seeds.m2, _summed, _doubled),
    relation("jobs", seeds.m2, _scores, partial(_scores, options=("--jobs", "2"))),
    relation("jsonl", seeds.m2, _scores, partial(_converted, to="jsonl")),
    relation("m2", seeds.m2, _scores, partial(_converted, to="m2")),
)
