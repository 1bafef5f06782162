"""References that were made for a system: what editors made of its output, one corpus for each system.

An editor changes a system's output, as little as possible, until it is a right correction of the source. Each system
is then scored against its own references. The sentences are the same for all systems; the annotators of a system's
corpus are its editors. Everything is read into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypedDict

from errorbar.api.arguments import ArgumentDoc, Progress, Useless
from errorbar.api.in_memory import with_documents
from errorbar.api.inputs import (
    Gold,
    Loaded,
    ReadingOptions,
    Systems,
    load_outputs,
    reference_corpus,
    system_list,
)
from errorbar.core.corpus import Corpus, TextEdits
from errorbar.core.labels import join_words
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.edits.admission import Admission
from errorbar.edits.inputs import are_texts
from errorbar.execute import Executor
from errorbar.formats.look import Source, display_name
from errorbar.formats.reference import (
    FIRST_ANNOTATOR,
    NamedFile,
    named_files,
    refuse_runs,
    refuse_same_names,
    split_runs,
)
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus

References = list[NamedFile] | Corpus
"""The references of a system: a file for each editor, one file of several, or a corpus in memory."""
MOST_NAMED = 3


class OwnReferences(TypedDict, total=False):
    """References that were made for single systems."""

    reference_of: Annotated[
        Mapping[str, Source | Corpus | Sequence[Source] | Mapping[str, Source]] | str | Sequence[str],
        ArgumentDoc(
            (),
            "Reference that was made for one system, of its own output: SYSTEM=FILE, or SYSTEM=EDITOR=FILE. M2 or "
            "JSONL; with ``source`` also a text. In place of ``gold``, for every system. In Python also "
            "``{system: paths}`` or ``{system: Corpus}``.",
        ),
    ]


NO_POOLS = Useless(
    "pools pools_random",
    "is about judges who share a text, and the editors of --reference-of share none",
    lambda arguments: (
        bool(arguments["reference_of"]) and isinstance(arguments["gold"], list | tuple) and not arguments["gold"]
    ),
)


def list_references(reference_of: object) -> dict[str, References]:
    """The references of each system, by its name; ``UsageError`` if the argument has another form."""
    listed: dict[str, References] = {}
    if isinstance(reference_of, Mapping):
        for name, value in reference_of.items():
            argument = f"reference_of[{name!r}]"
            listed[str(name)] = value if isinstance(value, Corpus) else named_files(value, argument, patterns=True)
        return listed
    texts = [reference_of] if isinstance(reference_of, str) else reference_of
    for text in texts if isinstance(texts, Sequence) else ():
        system, equals, file = str(text).partition("=")
        if not (system and equals and file):
            message, expected = f"--reference-of={text} does not say whose reference it is", "SYSTEM=FILE"
            raise UsageError(Problem("reference-of-form", message, expected=expected))
        files = listed.setdefault(system, [])
        assert isinstance(files, list)
        files += named_files(file, "reference_of", patterns=True)
    return listed


def first_reference(gold: Gold, reference_of: object) -> Gold:
    """The reference that shows what kind of data this is: ``gold``, or the first one that was made for a system."""
    for references in list_references(reference_of).values() if reference_of else ():
        return references if isinstance(references, Corpus) else [file.path for file in references[:1]]
    return gold


def match_references(reference_of: object, names: Sequence[str]) -> dict[str, References]:
    """The references of each of these systems; ``UsageError`` if one has none, or another system has some."""
    named = list_references(reference_of)
    if other := next((name for name in named if name not in names), ""):
        message = f"--reference-of={other}: no system is called '{other}'"
        raise UsageError(Problem("reference-of-system", message, fix=nearest(other, names)))
    if missing := [name for name in names if not named.get(name)]:
        shown = join_words(
            [*missing[:MOST_NAMED], *[f"{len(missing) - MOST_NAMED} more"] * (len(missing) > MOST_NAMED)]
        )
        message = f"no reference was made for {shown}, and scores against own references stand beside no others"
        fix = f"add --reference-of={missing[0]}=FILE, or leave the system out"
        raise UsageError(Problem("reference-of-missing", message, fix=fix))
    return {name: named[name] for name in names}


def load_own(
    gold: Gold, systems: Systems, reference_of: object, options: ReadingOptions, judges: str | None = None
) -> Loaded:
    """Read systems and the references that were made for each; the corpus is that of the first system.

    ``judges``: whether editors are drawn anew, which leans on no population of judges.

    Raises:
        InputError: If a file is bad, or corrects another text than the others.
        UsageError: If a reference is of no system, a system has none, there is a common reference too, or a population.
    """
    if not isinstance(gold, list | tuple) or gold:
        message = "--gold and --reference-of both say what systems are scored against"
        fix = "leave --gold out; --source=FILE names the text that references correct"
        raise UsageError(Problem("two-choices", message, fix=fix))
    if "population=" in (judges or "") and "population=none" not in (judges or ""):
        message = f"--judges='{judges}' leans on judges whose references are written from the source, not on editors"
        raise UsageError(Problem("useless-option", message, fix="--judges=random"))
    problems = options.problems()
    outputs, runs = split_runs(system_list(systems))
    refuse_runs(runs)
    names = [output.name for output in outputs]
    own = _read_all(match_references(reference_of, names), options, problems)
    check_references(own, options.smallest, problems)
    data = replace(load_outputs(own[names[0]], outputs, options, problems, {}), own=own)
    problems.notes = list(dict.fromkeys(problems.notes))  # a file may be the reference of several
    return data


def score_own(
    data: Loaded, plan: ScoringPlan, executor: Executor | None = None, progress: Progress = lambda _: None
) -> list[Score]:
    """Score each system against the references that were made for it, by ``load_own``."""
    judges = None if plan.judges is None else plan.judges.for_editors()
    admission = Admission(silent=True)  # who read the systems has looked at them
    own = {name: (f"references-of:{name}",) for name in data.own}
    plan = replace(plan, conventions=data.conventions, admission=admission, judges=judges, own=own)
    scores: list[Score] = []
    for number, system in enumerate(data.systems, 1):
        scored = score_corpus(data.own[system.name], [system], plan, data.problems, executor=executor)
        scores += [replace(score, own=True) for score in scored]
        progress(number * len(data.corpus))
    return scores


def note_unequal_numbers(own: Mapping[str, Corpus], problems: Problems) -> None:
    """Note that some systems have more references than others."""
    numbers = {name: len(corpus.annotators) for name, corpus in own.items()}
    if len(set(numbers.values())) > 1:
        fewest, most = min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)
        message = (
            f"{most} has {numbers[most]} references, {fewest} has {numbers[fewest]}: more are an advantage where a "
            "metric takes the best one for each sentence"
        )
        problems.note("reference-numbers", message, Place(), fix="give every system as many")


def check_seen(references: Mapping[str, Corpus], problems: Problems) -> None:
    """Refuse references of which nobody looked at a sentence; note those that are of other sentences than others."""
    seen = {name: [bool(sentence.annotations) for sentence in corpus.sentences] for name, corpus in references.items()}
    if nobody := [name for name, own in seen.items() if own and not any(own)]:
        message = f"nobody looked at a sentence to make the references of {join_words(nobody)}"
        raise UsageError(Problem("reference-nobody", message, fix="give references with annotators"))
    if any(own != next(iter(seen.values())) for own in seen.values()):
        counts = join_words([f"{name} {sum(own):,}" for name, own in seen.items()])
        message = f"references are not of the same sentences ({counts}), and scores of each are of those that it has"
        headline = "references are not of the same sentences, and scores stand side by side"
        problems.note("reference-parts", message, Place(), "let everybody look at every sentence", headline=headline)


def check_references(own: Mapping[str, Corpus], smallest: str, problems: Problems) -> None:
    """Refuse references of systems at which nobody looked, and note where those of systems are unlike.

    ``smallest``: the metric that takes the smallest edits of texts for annotators' own; empty: none does.
    """
    note_unequal_numbers(own, problems)
    check_seen(own, problems)
    note_kinds(own, smallest, problems)


def drop_idle(corpus: Corpus) -> Corpus:
    """The references of those who looked at something; all of them, if nobody did."""
    looked = {name for sentence in corpus.sentences for name in sentence.annotations}
    if not 0 < len(looked) < len(corpus.annotators):
        return corpus
    return corpus.only([name for name in corpus.annotators if name in looked])


def note_kinds(references: Mapping[str, Corpus], metric: str, problems: Problems) -> None:
    """Note that some references are texts, and others annotators' own edits.

    ``metric``: takes the smallest edits of texts for annotators' own; empty: none does.
    """
    texts, edits = (
        [
            name
            for name, corpus in references.items()
            if any(isinstance(own, TextEdits) == kind for one in corpus.sentences for own in one.annotations.values())
        ]
        for kind in (True, False)
    )
    if metric and texts and edits:
        headline = f"{metric} scores lower against texts than against annotators' own edits, and references are both"
        message = (
            f"{metric} scores lower against texts (of {join_words(texts)}) than against annotators' own edits (of "
            f"{join_words(edits)}), so that differences between them are not those of systems alone"
        )
        fix = "give all references as texts (errorbar convert --to text), or all as annotated files"
        problems.note("reference-kinds", message, Place(), fix=fix, headline=headline)


def _read_all(named: Mapping[str, References], options: ReadingOptions, problems: Problems) -> dict[str, Corpus]:
    """The corpus of each system; all are of the same sentences, which are of the same documents."""
    own: dict[str, Corpus] = {}
    first: tuple[Corpus, str] | None = None
    n_texts = 0
    for system, references in named.items():
        for corpus, file, is_text in read_groups(references, options, problems):
            n_texts += is_text
            first = first or (corpus, file)
            check_same(corpus, file, *first)
            own[system] = merge_editors(own[system], corpus, system) if system in own else corpus
        own[system] = drop_idle(own[system])
    if options.source is not None and not n_texts:
        message = "--source names the text that other texts correct, and these references are annotated files"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    return _share_documents(own)


def _share_documents(own: Mapping[str, Corpus]) -> dict[str, Corpus]:
    """Give every corpus the documents that the references of some system know."""
    known = [
        next((sentence.document for sentence in sentences if sentence.document), "")
        for sentences in zip(*(corpus.sentences for corpus in own.values()), strict=True)
    ]
    return {
        name: corpus
        if [sentence.document for sentence in corpus.sentences] == known
        else replace(corpus, sentences=with_documents(corpus, known), cache={})
        for name, corpus in own.items()
    }


def read_groups(
    references: References, options: ReadingOptions, problems: Problems
) -> Iterator[tuple[Corpus, str, bool]]:
    """The corpora of a system's references, texts apart from annotated files; the file, and whether it is a text."""
    if isinstance(references, Corpus):
        yield reference_corpus(references, options._replace(source=None), problems), references.name, False
        return
    refuse_same_names(references, "references of a system", "--reference-of=SYSTEM=EDITOR=FILE")
    several = len(references) > 1
    texts = [] if options.source is None else [file for file in references if are_texts(file, problems)]
    annotated = [file for file in references if file not in texts]
    for files, source in ((annotated, None), (texts, options.source)):
        if files:
            corpus = reference_corpus(
                {file.name: file.path for file in files}, options._replace(source=source), problems
            )
            if len(files) == 1 and source is None and (several or files[0] != NamedFile.parse(files[0].path)):
                corpus = _name_editors(corpus, files[0].name)
            yield corpus, display_name(files[0].path), source is not None


def _name_editors(corpus: Corpus, name: str) -> Corpus:
    """The editors of one file of several, called after the file or as it was named: 0 ``name``, others ``name.id``."""
    names = {who: name if who == FIRST_ANNOTATOR else f"{name}.{who}" for who in corpus.annotators}
    sentences = [
        replace(sentence, annotations={names[who]: edits for who, edits in sentence.annotations.items()})
        for sentence in corpus.sentences
    ]
    return Corpus(sentences, tuple(names.values()), corpus.name, corpus.notes)


def check_same(corpus: Corpus, file: str, first: Corpus, first_file: str) -> None:
    """Refuse references over other sentences than those that were read first."""
    if len(corpus) != len(first):
        message = f"these references are of {len(corpus)} sentences, those of {first_file} of {len(first)}"
        fix = "references correct the source of all systems, line by line"
        raise InputError(Problem("reference-lengths", message, Place(file), f"{len(first)} sentences", fix))
    for number, (sentence, other) in enumerate(zip(corpus.sentences, first.sentences, strict=True), 1):
        if sentence.text != other.text and sentence.tokens != other.tokens:
            pairs = zip([*sentence.tokens, ""], [*other.tokens, ""], strict=False)
            at, (ours, theirs) = next((k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1])
            message = f"sentence {number} is not that of {first_file}: token {at} is {ours!r}, there {theirs!r}"
            fix = "give references that correct the same source"
            raise InputError(Problem("source-mismatch", message, Place(file, sentence.line), fix=fix))
        if sentence.document != other.document and sentence.document and other.document:
            message = f"sentence {number} is of document {sentence.document}, in {first_file} of {other.document}"
            raise InputError(Problem("source-mismatch", message, Place(file, sentence.line), fix="name them alike"))


def merge_editors(corpus: Corpus, other: Corpus, system: str) -> Corpus:
    """One corpus of a system's editors, of whom some annotated and others wrote texts."""
    if both := set(corpus.annotators) & set(other.annotators):
        message = f"two references of {system} are by an editor called '{min(both)}'"
        raise UsageError(Problem("same-name", message, fix=f"rename one: --reference-of={system}=EDITOR=FILE"))
    sentences = [
        replace(sentence, annotations=sentence.annotations | also.annotations)
        for sentence, also in zip(corpus.sentences, other.sentences, strict=True)
    ]
    return Corpus(sentences, (*corpus.annotators, *other.annotators), corpus.name, files=corpus.files | other.files)
