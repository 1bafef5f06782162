"""Data in memory: lists, dictionaries, series and frames of any library as what the public functions take.

Columns and frames are known by their methods alone, so that no library is imported: those of pandas, polars, pyarrow,
numpy and datasets, and others that look the same. Sentences become a ``Corpus`` and ``Hypothesis`` objects.

Conventions
    A list of texts is sentences, and not paths, where it is as long as the source or corpus that is in memory too, or
    where texts have spaces; never where one of the first names a file. References are one list, a list for each
    annotator, or for each sentence the list of its references, of which some may have fewer; two lists of two could be
    either, and are refused. Without a sentence an annotator did not look. Those without names are called ``reference``,
    or ``reference 1``, ``reference 2``, ...; systems ``system``, or ``system 1``, ....
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from dataclasses import replace
from glob import glob
from io import IOBase
from itertools import zip_longest
from os import PathLike
from typing import Any, Protocol, cast, runtime_checkable

from errorbar.core.corpus import Corpus, Hypothesis, Sentence, wrong_count
from errorbar.core.labels import is_missing
from errorbar.core.problems import Place, Problem, Problems, UsageError, shorten_text, wrong_type
from errorbar.edits.admission import Admission
from errorbar.edits.inputs import text_chunks
from errorbar.formats.look import is_there
from errorbar.formats.reference import ALL, NamedFile, expand_files

LOOKED_AT = 10
"""So many texts of a list are looked for among the files."""
_FILE = re.compile(r"\S\.[A-Za-z]\w{0,7}$")
"""How a file's name ends."""
_CALLS = {
    "systems": 'errorbar.{}(source=sources, gold=references, systems={{"NAME": sentences}})',
    "files": "errorbar.{}(sentences, gold=references, source=sources)",
    "gold": "errorbar.{}(references, source=sources)",
    "judgments": 'errorbar.{}({{"A": labels, "B": labels}})',
}
"""How functions are called with data in memory, by a parameter that they have."""


@runtime_checkable
class DataFrameLike(Protocol):
    """A data frame of any library: named columns."""

    @property
    def columns(self) -> Any:  # noqa: ANN401 - names in one library, columns in another
        """The names of its columns, or these."""

    def __getitem__(self, key: Any, /) -> Any:  # noqa: ANN401 - a column, by its name
        """A column."""


def plain_data(value: Any, name: str) -> Any:  # noqa: ANN401, PLR0911 - whatever an argument is
    """Series, arrays of texts and other columns as lists, frames as dictionaries of these; all else as it is.

    Raises:
        UsageError: If the argument ``name`` is an open file, or two columns of a frame have one name.
    """
    if value is None or isinstance(value, str | bytes | PathLike | range | int | float):
        return value
    if isinstance(value, IOBase) or hasattr(type(value), "readline"):
        message = f"{name} must be the path of a file, got one that is open"
        path = getattr(value, "name", None)
        fix = f"give {path!r}" if isinstance(path, str) else "give its lines, as a list, without line breaks"
        raise UsageError(Problem("wrong-type", message, fix=fix))
    if isinstance(value, Mapping):
        if len({*map(str, value)}) < len(value):
            again = next(key for key in map(str, value) if [*map(str, value)].count(key) > 1)
            raise UsageError(Problem("same-name", f"two of {name} are called '{again}'", fix="rename one"))
        plain = {key: _plain_part(inner, name) for key, inner in value.items()}
        return value if all(plain[key] is inner for key, inner in value.items()) else plain
    if isinstance(value, list | tuple):
        simple = {*map(type, value)} <= {str, int, float, bool, type(None)}
        inner = value if simple else [_plain_part(item, name) for item in value]
        return value if all(a is b for a, b in zip(inner, value, strict=True)) else inner
    kind = type(value)  # a frame of pandas has a column's name as an attribute too
    of_names = next((attribute for attribute in ("column_names", "columns") if hasattr(kind, attribute)), "")
    if of_names and hasattr(kind, "__getitem__"):
        names = list(getattr(value, of_names))
        keys = [str(key) for key in names]
        if again := next((key for key in keys if keys.count(key) > 1), ""):
            raise UsageError(Problem("same-name", f"two columns of {name} are called '{again}'", fix="rename one"))
        return {key: plain_data(value[own], name) for key, own in zip(keys, names, strict=True)}
    if getattr(getattr(value, "dtype", None), "kind", "O") not in "OUT" and isinstance(value, _array()):
        return value  # numbers of numpy are taken as they are
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(value, method):
            return getattr(value, method)()
    return list(value) if isinstance(value, Sequence | KeysView | ValuesView) else value


def _plain_part(value: Any, name: str) -> Any:  # noqa: ANN401 - as above
    """A part of an argument, which may be looked at more than once."""
    return plain_data([*value] if isinstance(value, Iterator) and not isinstance(value, IOBase) else value, name)


def _array() -> type:
    import numpy as np  # noqa: PLC0415 - only needed where something is neither list nor path

    return np.ndarray


def series_name(value: object) -> str:
    """The name of a series of texts; empty where there is none."""
    name = getattr(value, "name", None)
    return name if isinstance(name, str) and hasattr(type(value), "__len__") else ""


def right_call(function: str, parameters: Collection[str]) -> str:
    """How a function with such parameters is called with data in memory; empty where nobody would guess."""
    return next((call for name, call in _CALLS.items() if name in parameters), "").format(function)


def take_sentences(
    function: str, parameters: Collection[str], arguments: dict[str, Any], names: Mapping[str, str], n_unnamed: int
) -> None:
    """Put a ``Corpus`` and ``Hypothesis`` objects in the place of sentences among the arguments of a public function.

    Args:
        function: Its name, for the right call in messages.
        parameters: What it takes.
        arguments: Its arguments, as ``plain_data``; changed in place.
        names: What their columns were called, where they were some.
        n_unnamed: How many were given by their place alone.

    Raises:
        InputError: If references are no corrections of the source.
        UsageError: If it cannot be told which sentences are what.
    """
    for name in ("source", "gold", "systems", "files"):
        if isinstance(arguments.get(name), Iterator):
            arguments[name] = plain_data(list(arguments[name]), name)
    call = right_call(function, parameters)
    source, gold = _only_source(arguments.get("source"), call), arguments.get("gold")
    sources = _sentences(source, "source") if isinstance(source, list | tuple) else None
    metric = arguments.get("metric")
    if isinstance(metric, str) and _FILE.search(metric) and is_there(metric):
        message = f"the metric is called like the file {metric}; what is compared with what must be named"
        raise UsageError(Problem("which-sentences", message, fix=call))
    if own := arguments.get("reference_of"):
        _take_own(arguments, own, source, sources, call)
        if not are_references(gold, sources):
            _take_systems(arguments, names, None if sources is None else len(sources))
            return
    if are_references(gold, sources):
        if n_unnamed > 1:
            message = f"{function} cannot tell by their order which lists are sources, references and corrections"
            raise UsageError(Problem("which-sentences", message, fix=f"name them: {call}"))
        if source is None:
            message = "references are sentences here, and what they correct must be given too"
            raise UsageError(Problem("no-source", message, fix=call))
    elif sources is None:
        corpus = gold if isinstance(gold, Corpus) else None
        _take_systems(arguments, names, None if corpus is None else len(corpus))
        return
    if isinstance(gold, Corpus):
        message = "this corpus is in memory, and it has its own source"
        raise UsageError(Problem("useless-option", message, fix="leave source out"))
    if gold is None and sources is not None and "files" in parameters:
        arguments["gold"], arguments["source"] = Corpus([Sentence(text) for text in sources], (), "source"), None
        _take_systems(arguments, names, len(sources))
        return
    usual = source is None or isinstance(source, str | PathLike | list | tuple)
    if not usual or not isinstance(gold, str | PathLike | Mapping | list | tuple):
        return  # whoever looks at types says so
    force, retokenize = (arguments.get(name) is True for name in ("force", "retokenize"))
    admission = Admission(force, retokenize, advise="force" in parameters, free=True)
    problems = Problems(lenient=arguments.get("lenient") is True)
    corpus = _corpus(source if sources is None else sources, gold, problems, admission, call)
    arguments["gold"], arguments["source"] = corpus, None
    _take_systems(arguments, names, len(corpus))


def _only_source(source: Any, call: str) -> Any:  # noqa: ANN401 - sentences or a path
    """The source itself, where it came under a name."""
    if isinstance(source, Mapping) and len(source) == 1:
        (source,) = source.values()
    if isinstance(source, Mapping | Corpus | AbstractSet):
        message = "the source must be one list of sentences, or a path"
        raise UsageError(Problem("wrong-type", message, fix=call))
    return source


def _take_own(arguments: dict[str, Any], own: object, source: Any, sources: list[str] | None, call: str) -> None:  # noqa: ANN401 - sentences or a path
    """Put a corpus in the place of sentences that are the references of a system."""
    if not isinstance(own, Mapping):
        return
    in_memory = sources is not None or any(are_references(texts, sources) for texts in own.values())
    if not in_memory:
        return
    gold = arguments.get("gold")
    common = gold if source is None and isinstance(gold, Corpus) else None
    if common is not None:
        sources = [sentence.text for sentence in common.sentences]
    elif source is None:
        message = "references are sentences here, and what they correct must be given too"
        raise UsageError(Problem("no-source", message, fix=call))
    force, retokenize = (arguments.get(name) is True for name in ("force", "retokenize"))
    admission = Admission(force, retokenize, free=True)
    arguments["reference_of"], arguments["source"] = {}, None
    for system, texts in own.items():
        problems = Problems(lenient=arguments.get("lenient") is True)
        before = source if sources is None else sources
        known = isinstance(texts, Corpus) or (common is not None and not are_references(texts, sources))
        corpus = texts if known else _corpus(before, texts, problems, admission, call)
        arguments["reference_of"][str(system)] = corpus


def are_references(gold: object, sources: Sequence[str] | None) -> bool:
    """Whether references are sentences, and neither paths nor a corpus."""
    n = None if sources is None else len(sources)
    if isinstance(gold, Mapping):
        known = all(isinstance(texts, list | tuple | str | PathLike) for texts in gold.values())
        return known and any(isinstance(texts, list | tuple) for texts in gold.values())
    if isinstance(gold, list | tuple):
        nested = bool(gold) and all(isinstance(texts, list | tuple) for texts in gold)
        return nested or are_sentences(gold, n, usual=isinstance(gold, list))
    return False


def are_sentences(texts: Sequence[object], n: int | None, *, usual: bool = True) -> bool:
    """Whether a list is of sentences and not of paths; ``n``: how many there should be, if that is known.

    ``usual``: sentences may be given here although nothing else is in memory.
    """
    if not texts or not all(isinstance(text, str) for text in texts):
        return (
            bool(texts) and n is not None and not all(isinstance(text, str | PathLike | Hypothesis) for text in texts)
        )
    strings = cast("Sequence[str]", texts)
    if any(map(_names_file, strings[:LOOKED_AT])):
        return False
    spaced = any(len(text.split()) > 1 for text in strings) and not all(map(_FILE.search, strings))
    return len(strings) == n or (spaced and (usual or n is not None))


def _names_file(text: str) -> bool:
    if not any(map(str.isalnum, text)):  # a sentence such as "." is no folder
        return False
    if is_there(text) or is_there(NamedFile.parse(text).path):
        return True
    return len(text.split()) == 1 and bool({*text} & {*"*?["}) and bool(glob(text))  # noqa: PTH207 - absolute ones too


def _sentences(texts: Iterable[object], argument: str) -> list[str]:
    listed = list(texts)
    for number, text in enumerate(listed, 1):
        if not isinstance(text, str):
            missing = is_missing(text)
            got = "nothing" if missing else shorten_text(repr(text))
            fix = "fill it, or leave the row out everywhere" if missing else ""
            raise UsageError(
                Problem("wrong-type", f"sentence {number} of {argument} must be a text, got {got}", fix=fix)
            )
    return cast("list[str]", listed)


def _corpus(source: Any, gold: Any, problems: Problems, admission: Admission, call: str) -> Corpus:  # noqa: ANN401 - sentences or paths
    """A source and its references as a corpus, either of which may be files; who has no sentence did not look."""
    in_memory = isinstance(source, list)
    before = Hypothesis("source", source) if in_memory else expand_files([str(source)])[0]
    texts: list[NamedFile | Hypothesis] = []
    missing: dict[str, list[int]] = {}
    for name, reference in _named_references(gold, len(source) if in_memory else None, call).items():
        if isinstance(reference, str | PathLike):
            texts.append(NamedFile(str(reference), name))
            continue
        sentences = list(reference)
        if in_memory and len(sentences) == len(source):
            missing[name] = [at for at, sentence in enumerate(sentences) if is_missing(sentence)]
            for at in missing[name]:
                sentences[at] = source[at]
        texts.append(Hypothesis(name, _sentences(sentences, name)))
    (corpus,) = [*text_chunks(before, texts, problems, size=ALL, admission=admission)] or [Corpus([], ())]
    for name, numbers in missing.items():
        for at in numbers:
            del corpus.sentences[at].annotations[name]
    corpus.notes = list(problems.notes)
    return corpus


def _named_references(gold: Any, n: int | None, call: str) -> dict[str, Any]:  # noqa: ANN401 - in several forms
    """References under the names of annotators or of files: sentences, or paths."""
    if gold is None or not gold:
        raise UsageError(Problem("no-reference", "no reference is given", fix=call))
    if isinstance(gold, Mapping):
        return {str(name): texts for name, texts in gold.items()}
    listed = gold if isinstance(gold, list | tuple) else [gold]
    if all(isinstance(texts, list | tuple) for texts in listed):
        return {f"reference {k}": texts for k, texts in enumerate(_by_annotator(listed, n), 1)}
    if are_sentences(listed, n):
        return {"reference": listed}
    if wrong := [texts for texts in listed if not isinstance(texts, str | PathLike)]:
        raise wrong_type("a reference", "a path or a list of sentences", wrong[0])
    return {file.name: file.path for file in expand_files([*map(str, listed)])}


def _by_annotator(gold: Sequence[Any], n: int | None) -> list[Sequence[str | None]]:
    """Lists of references as one for each annotator, be they of annotators or of sentences."""
    of_annotators = n is None or all(len(texts) == n for texts in gold)
    of_sentences = n is None or len(gold) == n
    if of_annotators and of_sentences and len(gold) > 1:
        message = f"{len(gold)} lists of references can be those of annotators or of sentences"
        raise UsageError(Problem("which-sentences", message, fix='name the annotators: gold={"A": [...], "B": [...]}'))
    if of_sentences and not of_annotators:
        return [list(texts) for texts in zip_longest(*gold)]
    return [*gold]


def _take_systems(arguments: dict[str, Any], names: Mapping[str, str], n: int | None) -> None:
    """Put systems with names in the place of lists of sentences."""
    argument = "files" if "files" in arguments else "systems"
    systems = arguments.get(argument)
    if isinstance(systems, Mapping):
        arguments[argument] = {str(name): _of_system(system) for name, system in systems.items()}
    elif isinstance(systems, list | tuple) and systems:
        if all(isinstance(system, list | tuple) for system in systems):
            arguments[argument] = {f"system {k}": _of_system(system) for k, system in enumerate(systems, 1)}
        elif are_sentences(systems, n, usual=isinstance(systems, list)):
            name = names.get(argument, "system")
            arguments[argument] = [Hypothesis(name, _sentences(systems, name))]


def _of_system(system: Any) -> Any:  # noqa: ANN401 - a path, or sentences
    """A system's sentences unchanged; paths, which are its runs, as one argument."""
    if not isinstance(system, list | tuple) or not system:
        return system
    runs = all(isinstance(path, str | PathLike) and is_there(path) and _names_file(str(path)) for path in system)
    return ",".join(map(str, system)) if runs else system


def with_documents(corpus: Corpus, documents: Sequence[object]) -> list[Sentence]:
    """The sentences of a corpus with the essay that each is from."""
    if len(documents) != len(corpus):
        message = f"documents: {wrong_count(len(documents), len(corpus)).replace('line', 'name', 1)}"
        raise UsageError(Problem("line-count", message, Place(corpus.name), "the essay of each sentence"))
    names = document_names(documents)
    return [replace(sentence, document=name) for sentence, name in zip(corpus.sentences, names, strict=True)]


def document_names(documents: Iterable[object]) -> list[str]:
    """The names of documents as texts, empty where one is missing: that sentence is a document of its own."""
    return ["" if is_missing(name) else str(name) for name in documents]
