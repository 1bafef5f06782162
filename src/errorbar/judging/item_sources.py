"""Where items come from: a table, a drawn set, a corpus, a source and systems' texts."""

from __future__ import annotations

from collections.abc import Sequence
from os import fspath

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.formats.look import Lines, Source, look
from errorbar.formats.untrusted import json_record
from errorbar.judging.corpus_questions import Against, corpus_items
from errorbar.judging.item_rows import NAMES, read_rows
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import Scheme
from errorbar.studies.inputs import ReadingOptions, Systems, load, read_corpus

TABLES = (".csv", ".tsv", ".jsonl")
CORPORA = (".m2", ".sgml", ".json", ".md")


def read_items(
    source: Source | Corpus,
    scheme: Scheme,
    problems: Problems,
    *,
    systems: Systems = (),
    items: str = "",
    against: Against = "writer",
) -> list[JudgedItem]:
    """Read items for a scheme; what is wrong is recorded, and of a corpus repaired where ``problems`` are lenient.

    Args:
        source: A table of items, a corpus, or sentences, one a line.
        scheme: That asks about them.
        problems: Where problems and notes go.
        systems: Texts of systems for the sentences.
        items: Of a corpus: which words, tokens, gaps, sentences; ``edits``: what was changed.
        against: Of a choice test: whom a system's text is set against.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other or the scheme.
    """
    listed = isinstance(systems, str) or bool(systems)
    if not isinstance(source, Corpus) and _is_table(source):
        for name, said in (("systems", listed), ("items", items), ("against", against != "writer")):
            if said:
                what = f"--{name} is for a corpus or sentences, and this is a table of items"
                raise UsageError(Problem("useless-option", what, fix="leave it out"))
        found = read_rows(source, scheme, problems)
    else:
        corpus = source if isinstance(source, Corpus) else _corpus(source, problems)
        reading = ReadingOptions(lenient=problems.lenient)
        outputs: Sequence[Hypothesis] = load(corpus, systems, reading).systems if listed else ()
        found = corpus_items(corpus, outputs, scheme, items=items, against=against)
    problems.raise_errors()
    if not found:
        raise UsageError(Problem("judge-no-items", "the file has no item", fix="give a table with a row for each"))
    return found


def _is_table(path: Source) -> bool:
    """Whether a file is a table of items; one that only looks like sentences has the name of a table."""
    first = look(path).peek()
    record = json_record(first)
    if record is not None:
        return bool({*NAMES} & record.keys()) and "annotations" not in record
    words = {each.strip().strip('"') for sign in ",\t;" for each in first.split(sign)}
    named = bool({*NAMES} & words) and bool({"text", "candidate1"} & words)
    return named or fspath(path).removesuffix(".gz").endswith(TABLES)


def _corpus(path: Source, problems: Problems) -> Corpus:
    """A corpus, or sentences without annotations."""
    first = look(path).peek()
    if first == "S" or first.startswith(("S ", "<", "{")) or fspath(path).removesuffix(".gz").endswith(CORPORA):
        corpus = read_corpus(path, lenient=problems.lenient)
        problems.take(corpus.notes)
        return corpus
    lines = Lines(path, problems)
    sentences = [Sentence(line.strip(), line=number) for number, line in enumerate(lines, 1)]
    problems.raise_errors()
    return Corpus(sentences, (), lines.name)
