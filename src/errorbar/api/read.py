"""Reading for Python: ``errorbar.read_corpus`` and ``errorbar.read_system``."""

from __future__ import annotations

from typing import Unpack, cast

from errorbar.api.arguments import public
from errorbar.api.inputs import (
    Gold,
    OfCorpus,
    OfSystems,
    ReadingOptions,
    System,
    load,
    reference_corpus,
    system_list,
    system_streams,
    tokenizer_of,
    usual_metric,
)
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.inputs import AS_REFERENCE, annotator_as_system
from errorbar.formats.look import Source
from errorbar.formats.reference import ALL


@public()
def read_corpus(
    gold: Gold, problems: Problems | None = None, *, lenient: bool = False, **shared: Unpack[OfCorpus]
) -> Corpus:
    """Read a whole reference corpus into memory.

    Args:
        gold: One M2 or JSONL file, or several over the same sentences: paths, ``name=path``, patterns such as
            ``"A*.m2"``, or ``{name: path}``. A ``Corpus`` is returned as it is (with its documents, if they are given).
        problems: Where notes go, with a mode of its own; None: a new notebook. The notes are on the corpus too.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        shared: How it is read.

    Raises:
        InputError: If a file is bad, or the files are not over the same sentences.
        UsageError: If no file is named, two have one name, or an argument is of the wrong type.
    """
    how = shared["unmarked"], shared["documents"], lenient, shared["as_written"]
    source = cast("Source | None", shared["source"])  # sentences are a corpus by now
    tokenizer, cuts = tokenizer_of(shared["tokens"]), shared["essays"] == "sentences"
    options = ReadingOptions(*how, AS_REFERENCE, source=source, tokenizer=tokenizer, cuts=cuts)
    return reference_corpus(gold, options, options.problems() if problems is None else problems)


@public()
def read_system(system: System | Corpus, gold: Gold | None = None, **shared: Unpack[OfSystems]) -> Hypothesis:
    """Read a system's output: one corrected sentence per line, essays, or M2, whose sentences know their edits.

    Token labels are read for a reference of token labels.

    Args:
        system: A path, ``name=path``, a ``Hypothesis``, or a ``Corpus`` of one annotator, who is the system then.
        gold: The corpus that it corrects, as ``read_corpus`` takes it; None: the text is not looked into.
        shared: How it is read.

    Raises:
        InputError: If the file is bad, has another number of lines than there are sentences, or is not a correction
            of them.
        UsageError: If an argument is of the wrong type, or the corpus has several annotators.
    """
    admission = Admission(shared["force"], shared["retokenize"])
    labels = gold is not None and usual_metric(gold, None) is not None
    options = ReadingOptions(lenient=shared["lenient"], admission=admission, edits=True, labels=labels)
    system = annotator_as_system(system) if isinstance(system, Corpus) else system
    if gold is not None:
        return load(gold, system, options).systems[0]
    problems = options.problems()
    (stream,) = system_streams(system_list(system), problems, options)
    hypothesis = Hypothesis(stream.name, list(stream.take(ALL)))
    problems.raise_errors()
    return hypothesis
