"""Which essay each sentence is from, told by the essays themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.nucle import Essay, read_nucle
from errorbar.formats.nucle_project import locate
from errorbar.formats.opening import Lines


def read_essays(path: str, problems: Problems) -> list[Essay]:
    """Read NUCLE essays whole: what is wrong with them is said before anything else fails because of it.

    Raises:
        InputError: If the file is bad.
    """
    lines = Lines(path, problems)
    first = lines.peek().lstrip()
    if first and not first.startswith("<"):
        what = f"this is no NUCLE SGML; it starts {first[:30]!r}"
        raise InputError(Problem("unknown-format", what, Place(lines.name, 1), expected="<DOC ...>"))
    essays = list(read_nucle(lines, problems))
    problems.raise_errors()
    return essays


def with_documents(
    sentences: Iterable[Sentence], essays_path: str, problems: Problems, name: str = ""
) -> Iterator[Sentence]:
    """Yield the sentences with the essay that each is from.

    Args:
        sentences: All sentences of the essays, in order.
        essays_path: NUCLE SGML with the text of the essays.
        problems: Where problems of that file are recorded.
        name: The file the sentences are from, for messages.

    Raises:
        InputError: If the file is bad, or the sentences are not those of the essays.
    """
    for essay, paragraphs in locate(read_essays(essays_path, problems), sentences, name):
        for paragraph in paragraphs:
            for located in paragraph:
                located.sentence.document = essay.nid
                yield located.sentence


def add_documents(corpus: Corpus, essays_path: str, problems: Problems) -> None:
    """Write the essay of each sentence into a corpus.

    Raises:
        InputError: If the file is bad, or the sentences are not those of the essays.
    """
    corpus.sentences = list(with_documents(corpus.sentences, essays_path, problems, corpus.name))
