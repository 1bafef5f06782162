"""The inputs of public functions: paths or objects, made into a corpus and systems; commands read through here too.

A corpus is a path, several paths over the same sentences, ``name=path``, a pattern, a mapping of names to paths, or a
``Corpus``. Systems are paths, ``name=path``, ``Hypothesis`` objects, or a mapping of names to paths or sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self, TypedDict, cast

from errorbar.api.arguments import (
    CLOSED,
    ArgumentDoc,
    Drawing,
    Lenient,
    Metrics,
    UnmarkedRule,
    Useless,
    Working,
)
from errorbar.api.in_memory import DataFrameLike, right_call, with_documents
from errorbar.core.corpus import Corpus, Hypothesis, Sentence, TextEdits
from errorbar.core.estimate import Method
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, in_file_order
from errorbar.edits.admission import Admission
from errorbar.edits.inputs import annotator_as_system, open_system, text_chunks
from errorbar.execute import Executor, Serial
from errorbar.formats.catalog import holds, is_hoo
from errorbar.formats.look import Source, display_name
from errorbar.formats.reference import (
    ALL,
    CHUNK,
    NamedFile,
    RunNames,
    Unmarked,
    named_files,
    reading_conventions,
    reference_chunks,
    refuse_runs,
    refuse_same_names,
    split_runs,
)
from errorbar.formats.text import CHARACTERS, SPACES
from errorbar.metrics.base import Metric
from errorbar.metrics.folding import Documents, InMemory
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scoring import Ending, corpus_pieces, piece_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from errorbar.core.pools import Pools
    from errorbar.edits.tokenizers import SystemStream, Tokenizer
    from errorbar.metrics.judges import JudgePlan
    from errorbar.metrics.populations import JudgePopulation

EssayUnit = Literal["whole", "sentences"]
Sentences = Iterable[str]
Gold = Annotated[
    Source | Corpus | Iterable[Source] | Mapping[str, Source | Sentences] | Iterable[Sentences] | DataFrameLike,
    ArgumentDoc(
        None,
        "Reference (M2 or JSONL; with ``source`` a text; for HOO the folder of edits), a quoted pattern, or a name of "
        "errorbar.toml; repeatable. In Python also a ``Corpus``, or ``{name: path}``.",
    ),
]
System = Source | Hypothesis
Systems = Annotated[
    System
    | Corpus
    | Iterable[System]
    | Mapping[str, Source | Corpus | Sentences]
    | Iterable[Sentences]
    | DataFrameLike,
    ArgumentDoc(None, "Paths, ``name=path``, ``{name: path}``, or ``Hypothesis`` objects."),
]


class OfReference(TypedDict, total=False):
    """The files that belong to a reference, and who looked at its sentences."""

    source: Annotated[
        Source | Sentences | DataFrameLike | None,
        ArgumentDoc(
            None,
            "The references are texts that correct this one, line by line; of HOO data the folder of the source texts, "
            "where it is not Raw beside Gold. In Python it can also be the sentences.",
        ),
    ]
    tokens: Annotated[
        str,
        ArgumentDoc(
            SPACES,
            "What texts are cut into, references and systems: ``spaces`` (tokens are what stands between them), "
            "``characters``, ``syntok``, a spaCy pipeline, or the code of a language for spaCy's rules of it.",
        ),
    ]
    essays: Annotated[
        EssayUnit,
        ArgumentDoc(
            "whole",
            "What is one unit of a corpus of whole essays, as MultiGEC has them: the essay, or each of its sentences, "
            "cut where no reference goes across.",
        ),
    ]
    unmarked: UnmarkedRule
    documents: Annotated[
        Source | Sequence[object] | None,
        ArgumentDoc(
            None,
            "NUCLE SGML that tells which document each sentence is from. In Python it can also be a name of the "
            "document for each sentence.",
        ),
    ]


class OfCorpus(OfReference, total=False):
    """How a corpus is read."""

    as_written: Annotated[
        bool,
        ArgumentDoc(
            False,
            "Keep reference edits as they are written, as the official scorer does: what matches a repeated one counts "
            "twice, and one out of order may not match.",
        ),
    ]


class OfTexts(TypedDict, total=False):
    """How texts are taken that correct a source."""

    force: Annotated[bool, ArgumentDoc(False, "Take a system that is not a correction of the source, with a warning.")]
    retokenize: Annotated[
        bool,
        ArgumentDoc(
            False,
            "Give lines that look untokenized the source's tokens; notes and the signature say that lines changed.",
        ),
    ]


class OfSystems(OfTexts, total=False):
    """How systems are read."""

    lenient: Lenient


class Taking(OfCorpus, OfSystems, total=False):
    """How a corpus and systems are read."""


class Scoring(Drawing, Taking, total=False):
    """The options of scoring a corpus."""


class Comparing(Working, Taking, total=False):
    """The options of comparing on a corpus."""


class ReadingOptions(NamedTuple):
    """How a corpus and systems are read: what ``Taking`` says."""

    unmarked: Unmarked = "auto"
    documents: Source | Sequence[object] | None = None
    lenient: bool = False
    as_written: bool = False
    admission: Admission = Admission()
    edits: bool = False  # systems can be M2, for metrics that take edits
    source: Source | Hypothesis | None = None  # references are texts; in memory where a corpus has the source
    labels: bool = False  # systems can be labels of tokens
    corrects: str = ""  # a metric that needs corrections, so that labels of tokens will not do as a reference
    smallest: str = ""  # a metric that takes the smallest edits of texts for those of annotators
    tokenizer: Tokenizer | None = None  # None: tokens are what stands between spaces
    cuts: bool = False  # whole essays are cut into sentences

    @classmethod
    def of(cls, arguments: Taking, metrics: Sequence[Metric] = ()) -> Self:
        """The options of the arguments, and the metrics that are to be computed."""
        admission = Admission(arguments["force"], arguments["retokenize"])
        how = arguments["unmarked"], arguments["documents"], arguments["lenient"], arguments["as_written"]
        source = cast("Source | None", arguments["source"])  # sentences are a corpus by now
        tokenizer, cuts = tokenizer_of(arguments["tokens"]), arguments["essays"] == "sentences"
        return cls(*how, admission, source=source, tokenizer=tokenizer, cuts=cuts).for_metrics(metrics)

    def for_metrics(self, metrics: Sequence[Metric]) -> Self:
        """The same, with what metrics need."""
        corrects = next((metric.name for metric in metrics if not metric.detects), "")
        edits = any(metric.takes_edits for metric in metrics)
        smallest = next((str(m.spec) for m in metrics if m.name == "m2" and not m.makes_edits), "")
        return self._replace(edits=edits, labels=not corrects, corrects=corrects, smallest=smallest)

    @property
    def conventions(self) -> tuple[str, ...]:
        """The parts of signatures that say how a corpus is read; none for the usual way."""
        tokens = () if self.tokenizer is None else (f"tokens:{self.tokenizer.signature}",)
        return (*self.marking, *tokens, *(("essays:sentences",) if self.cuts else ()))

    @property
    def marking(self) -> tuple[str, ...]:
        """Those of them that are about annotated files."""
        return reading_conventions(self.unmarked, as_written=self.as_written)

    @property
    def source_folder(self) -> str | None:
        """The folder of the source texts of HOO data."""
        folder = self.documents if self.source is None else self.source
        if folder is None or isinstance(folder, str | PathLike):
            return None if folder is None else fspath(folder)
        message = "the source texts of HOO data are a folder"
        raise UsageError(Problem("wrong-type", message, fix="give its path as source"))

    def note_texts(self, problems: Problems) -> None:
        """Note that texts, whose edits nobody marked, score other than annotators' own edits do."""
        if self.smallest:
            message = (
                f"references are texts, and {self.smallest} scores against their smallest edits; against those that "
                "annotators mark themselves systems score higher (CoNLL-2014's CAMB 37.3, not 33.6)"
            )
            fix = "give annotated files if there are any; --metric='m2(edits=errant)' comes near them (37.3)"
            headline = f"references are texts: {self.smallest} scores lower than against annotators' own edits"
            problems.note("reference-texts", message, Place(), fix, headline=headline)

    def problems(self) -> Problems:
        """A notebook for whoever reads this way."""
        return Problems(lenient=self.lenient, as_written=self.as_written)

    def chunks(self, references: Sequence[NamedFile], problems: Problems, size: int = CHUNK) -> Iterator[Corpus]:
        """The corpus of some files, so many sentences at a time, or so many essays."""
        return map(self.cut, self._read(references, problems, size))

    def cut(self, corpus: Corpus) -> Corpus:
        """The corpus with its essays cut into sentences, if that was asked for."""
        if not self.cuts:
            return corpus
        from errorbar.edits.essay_sentences import cut_essays  # noqa: PLC0415 - few cut essays

        return cut_essays(corpus)

    def retokenize(self, corpus: Corpus) -> Corpus:
        """The corpus in the tokens that were asked for."""
        if self.tokenizer is None:
            return corpus
        from errorbar.edits.tokenizers import retokenize_corpus  # noqa: PLC0415 - few name a tokenizer

        return retokenize_corpus(corpus, self.tokenizer)

    def follow(self, stream: SystemStream) -> SystemStream:
        """A system's stream in the tokens and the units of the corpus."""
        if self.tokenizer is not None:
            from errorbar.edits.tokenizers import RetokenizedStream  # noqa: PLC0415 - as above

            stream = RetokenizedStream(stream, self.tokenizer)
        if self.cuts:
            from errorbar.edits.essay_sentences import CutStream  # noqa: PLC0415 - as above

            stream = CutStream(stream)
        return stream

    def _read(self, references: Sequence[NamedFile], problems: Problems, size: int) -> Iterator[Corpus]:
        if self.source is None:
            return map(self.retokenize, reference_chunks(references, problems, unmarked=self.unmarked, size=size))
        if self.marking:
            message = (
                "--unmarked and --as-written say how annotated files are read, and with --source references are texts"
            )
            raise UsageError(Problem("useless-option", message, fix="leave them out"))
        self.note_texts(problems)
        taken = self.admission._replace(free=True, silent=False)
        source = self.source if isinstance(self.source, Hypothesis) else named_files(self.source, "source")[0]
        return text_chunks(source, references, problems, size=size, admission=taken, tokenizer=self.tokenizer)

    def whole(self, references: Sequence[NamedFile], problems: Problems) -> Corpus:
        """All of it: every annotator of every file is known before a sentence is filled in."""
        (corpus,) = [*self.chunks(references, problems, ALL)] or [Corpus([], (), references[0].name)]
        corpus.notes = list(problems.notes)
        return corpus


def tokenizer_of(name: str) -> Tokenizer | None:
    """The tokenizer of a name; None: tokens stand between spaces already."""
    if name == SPACES:
        return None
    from errorbar.edits.tokenizers import find_tokenizer  # noqa: PLC0415 - few name a tokenizer

    return find_tokenizer(name)


@dataclass(slots=True)
class Loaded:
    """A corpus and systems in memory, which essay each sentence is from, and what joins signatures."""

    corpus: Corpus
    systems: list[Hypothesis]
    documents: Documents
    problems: Problems
    conventions: tuple[str, ...]
    runs: RunNames = field(default_factory=dict)
    own: Mapping[str, Corpus] = field(default_factory=dict)  # references made for each system; empty: one gold for all

    def references_of(self, system: str) -> Corpus:
        """The corpus that a system is scored against."""
        return self.own.get(system, self.corpus)

    def with_systems(self, metric: Metric) -> Metric:
        """The metric that knows all of these systems, where it is one that needs them and they share a reference."""
        return metric if self.own else metric.with_systems(self.corpus, [system.lines for system in self.systems])

    def need_documents(self, option: str) -> NDArray[np.int64]:
        """Document number of each sentence."""
        if self.documents.unit != "document":
            message = f"{option} needs to know which essay each sentence is from"
            fix = "add --documents essays.sgml, or use JSONL with documents (errorbar convert --documents)"
            raise UsageError(Problem("no-documents", message, fix=fix))
        return self.documents.clusters()

    def signature(self, spec: str, *conventions: str) -> str:
        """The signature of something computed from all of it."""
        from errorbar.api.signatures import corpus_signature  # noqa: PLC0415 - score computes its own piece by piece

        own = tuple(f"references-of:{name}={len(corpus.annotators)}" for name, corpus in self.own.items())
        references = [*self.own.values()] or [self.corpus]
        return corpus_signature(spec, references, self.systems, (*own, *self.conventions, *conventions))


@dataclass(slots=True)
class Pieces:
    """A corpus and systems that are read piece by piece, in order, in memory that does not grow.

    ``systems`` tell names and check their length at the end; notes are in the order of the files once all is read.
    """

    pieces: Iterable[Any]
    systems: Sequence[Ending]
    problems: Problems
    runs: RunNames = field(default_factory=dict)
    conventions: tuple[str, ...] = ()
    admission: Admission = field(default_factory=Admission)


def load(
    gold: Gold, systems: Systems = (), options: ReadingOptions = ReadingOptions(), *, runs: bool = False
) -> Loaded:
    """Read everything, systems of several runs if told so; errors are those of ``read_corpus`` and ``read_system``."""
    problems = options.problems()
    outputs, names = split_runs(system_list(systems))
    refuse_runs({} if runs else names)
    return load_outputs(reference_corpus(gold, options, problems), outputs, options, problems, names)


def load_outputs(
    corpus: Corpus,
    outputs: Sequence[NamedFile | Hypothesis],
    options: ReadingOptions,
    problems: Problems,
    runs: RunNames,
) -> Loaded:
    """Read what systems make of a corpus that was read."""
    texts = [sentence.text for sentence in corpus.sentences]
    hypotheses = []
    for stream in system_streams(outputs, problems, options):
        lines = stream.take_for(corpus.sentences)
        stream.finish(len(corpus))
        problems.raise_errors()
        hypotheses.append(Hypothesis(stream.name, options.admission.take(stream.name, texts, lines, problems)))
    problems.raise_errors()
    documents = Documents()
    documents.add(corpus.sentences)
    return Loaded(corpus, hypotheses, documents, problems, (*options.conventions, *options.admission.conventions), runs)


@contextmanager
def read_pieces(gold: Gold, systems: Systems, options: ReadingOptions, executor: Executor) -> Iterator[Pieces]:
    """A corpus and systems in pieces; M2 is cut into stretches that workers read, where there are several.

    Problems come in the order of the files and their lines, whoever found them, also while the pieces are taken.
    """
    problems = options.problems()
    outputs, runs = split_runs(system_list(systems))
    references = _references(gold, options)
    files = [*references, *(output for output in outputs if isinstance(output, NamedFile))]
    with problems_in_order(problems, [display_name(file.path) for file in files]):
        whole = options.edits or options.cuts or options.tokenizer is not None
        if not isinstance(executor, Serial) and not whole and _can_cut(references, outputs, options):
            from errorbar.formats.reference import CutSystem, cut_pieces  # noqa: PLC0415 - one process needs none

            carry = not executor.sees([file.path for file in files])
            cut = [CutSystem(output, problems, carry=carry) for output in outputs if isinstance(output, NamedFile)]
            size, unmarked = piece_size(len(outputs)), options.unmarked
            pieces: Iterable[Any] = cut_pieces(references, cut, problems, unmarked=unmarked, size=size, carry=carry)
            yield Pieces(pieces, cut, problems, runs, options.conventions, options.admission)
            return
        streams = list(system_streams(outputs, problems, options))
        if isinstance(gold, Corpus) or options.documents is not None:
            chunks: Iterable[Corpus] = [reference_corpus(gold, options, problems)]
        else:
            chunks = options.chunks(references, problems)
        pieces = corpus_pieces(chunks, streams, None if options.cuts else executor)  # an essay stays in one piece
        yield Pieces(pieces, streams, problems, runs, options.conventions, options.admission)


def corpus_files(gold: Gold) -> list[NamedFile]:
    """The files of a corpus that is not in memory, patterns expanded."""
    files = named_files(gold, "gold", patterns=True)
    if not files:
        message = "no reference file is named"
        raise UsageError(Problem("no-reference", message, expected="at least one", fix="give --gold=FILE"))
    for file in files:
        if is_hoo(file.path):
            message = f"{file.path} is HOO data, which score, report, task, check and convert read"
            raise UsageError(Problem("hoo-metric", message, fix="errorbar convert --to m2 makes M2 of it"))
    return files


def usual_metric(gold: Gold, metric: Metrics) -> Metrics:
    """The metrics that were asked for; none, of token labels: the one that scores them."""
    if metric is not None and not (isinstance(metric, list | tuple) and not metric):
        return metric
    if isinstance(gold, Corpus):
        return "tokens" if gold.labeled else metric
    first = named_files(gold, "gold", patterns=True)[:1]
    return "tokens" if first and holds(first[0].path) == "labels" else metric


def note_untyped(types: Sequence[str], problems: Problems) -> None:
    """Note that edits have no types, as those made of texts, where scores by type are shown."""
    if types and not any(types):
        message = "the edits of the references have no type, as those that are made of texts"
        fix = "errorbar convert --source SOURCE --edits errant makes edits with types; --metric=errant has its own"
        problems.note("no-types", message, Place(), fix)


def _references(gold: Gold, options: ReadingOptions) -> list[NamedFile]:
    """The files of a reference, none if it is in memory; not labels of tokens where corrections are needed."""
    files = [] if isinstance(gold, Corpus) else corpus_files(gold)
    labels = [file.path for file in files if holds(file.path) == "labels"]
    if isinstance(gold, Corpus) and gold.labeled:
        labels = [gold.name or "this corpus"]
    if labels and options.corrects:
        message = f"{labels[0]} labels tokens, and the metric {options.corrects} needs corrections"
        raise UsageError(Problem("labels-metric", message, fix="--metric=tokens scores labels"))
    if labels and options.tokenizer is not None:
        raise options.tokenizer.refuse_labels(labels[0])
    return files


def need_systems(systems: object, gold: Gold = ()) -> None:
    """Refuse an empty list of systems; beside a ``gold`` in memory the message has the right call."""
    if isinstance(systems, Sized) and not systems:
        fix = right_call("score", ("systems",)) if isinstance(gold, Corpus) else ""
        raise UsageError(Problem("no-systems", "there is no system to score", expected="at least one", fix=fix))


def system_list(systems: Systems, *, one_name: bool = False) -> list[NamedFile | Hypothesis]:
    """The systems: files and what to call them, or what is in memory already; several may share a name if told so."""
    listed: list[NamedFile | Hypothesis] = []
    if isinstance(systems, Mapping):
        for name, system in systems.items():
            if isinstance(system, str | PathLike):
                listed += named_files({name: system}, "systems")
            else:
                lines = annotator_as_system(system).lines if isinstance(system, Corpus) else cast("list[str]", system)
                listed.append(Hypothesis(name, lines))
    elif isinstance(systems, Corpus):
        listed.append(annotator_as_system(systems))
    else:
        several = [systems] if isinstance(systems, str | PathLike | Hypothesis) else systems
        for system in cast("Iterable[System]", several):
            if isinstance(system, Hypothesis):
                listed.append(system)
            else:
                listed += named_files([system], "a system", "a path or a Hypothesis")
    if not one_name:
        refuse_same_names(listed, "systems")
    return listed


def reference_corpus(gold: Gold, options: ReadingOptions, problems: Problems) -> Corpus:
    """Read the corpus of references, or take the one in memory; the caller raises the problems."""
    files = _references(gold, options)
    if not isinstance(gold, Corpus):
        corpus = options.whole(files, problems)
        corpus.labeled = options.source is None and any(holds(file.path) == "labels" for file in files)
    elif options.marking or options.source is not None:
        message = "source, unmarked and as_written say how files are read, and this corpus is in memory"
        raise UsageError(Problem("useless-option", message, fix="give them where it is read"))
    else:
        corpus = options.cut(options.retokenize(gold.check()))
        problems.take(gold.notes)
        if any(isinstance(edits, TextEdits) for edits in (*corpus.sentences, Sentence(""))[0].annotations.values()):
            options.note_texts(problems)
        if options.documents is not None:
            corpus = replace(corpus, sentences=[replace(sentence) for sentence in corpus.sentences], cache={})
    if options.documents is not None and not isinstance(options.documents, str | PathLike):
        corpus.sentences = with_documents(corpus, options.documents)
    elif options.documents is not None:
        from errorbar.formats.nucle import add_documents  # noqa: PLC0415 - most corpora know their own

        add_documents(corpus, named_files(options.documents, "documents")[0].path, problems)
    return corpus


def system_streams(
    systems: Sequence[NamedFile | Hypothesis], problems: Problems, options: ReadingOptions = ReadingOptions()
) -> Iterator[SystemStream]:
    """The readers of each system's sentences in step with the source; a file is opened when its turn comes."""
    for system in systems:
        if isinstance(system, Hypothesis):
            stream: SystemStream = InMemory(system, problems)
        else:
            flags = {"edits": options.edits, "labels": options.labels, "retokenize": options.admission.retokenize}
            stream = open_system(system.path, system.name, problems, **flags)
        yield options.follow(stream)


def _can_cut(
    references: Sequence[NamedFile], systems: Sequence[NamedFile | Hypothesis], options: ReadingOptions
) -> bool:
    from errorbar.formats.reference import can_cut  # noqa: PLC0415 - one process needs none

    files = [system for system in systems if isinstance(system, NamedFile)]
    only_files = bool(references) and len(files) == len(systems) and options.documents is options.source is None
    return only_files and can_cut(references, files)


@contextmanager
def problems_in_order(problems: Problems, files: Sequence[str]) -> Iterator[None]:
    """Put what was found, or was the end of it, in the order of files and lines."""
    try:
        yield
    except InputError as error:
        raise InputError(in_file_order(error.problems, files)) from None
    problems.notes = in_file_order(problems.notes, files)


class Panels(TypedDict, total=False):
    """Whether judges are drawn anew too."""

    judges: Annotated[
        str | None,
        ArgumentDoc(
            None,
            "Whether intervals are also over judges: ``fixed``, ``random``, ``random(k=2)`` (against two of them), "
            "``random(population=FILE)`` (how judges vary, from ``errorbar judges fit``; ``none``: as these do). "
            "None: random from three judges on, or from one where it is known how judges vary in the measure.",
        ),
    ]


PoolsSource = Source | Mapping[str, str | Sequence[str]] | None


class Pooled(TypedDict, total=False):
    """The pools that judges belong to."""

    pools: Annotated[
        PoolsSource,
        ArgumentDoc(
            None,
            "Pools of judges, e.g. of one guideline each, in a TOML file: a row for each pool. In Python also "
            '``{"minimal": ["A1", "A2"], "fluent": "B*"}``.',
        ),
    ]


class PooledAtRandom(Pooled, total=False):
    """The pools that judges belong to, and whether others could have been drawn."""

    pools_random: Annotated[
        bool,
        ArgumentDoc(False, "The pools, three or more, are a random sample of pools: intervals are over pools, too."),
    ]


class ScoringWithJudges(Scoring, Panels, PooledAtRandom, total=False):
    """The options of scoring a corpus, judges drawn anew too, and in pools."""


class ComparingWithJudges(Comparing, Panels, Pooled, total=False):
    """The options of comparing on a corpus, judges drawn anew too, and in pools."""


class ComparingInPools(ComparingWithJudges, PooledAtRandom, total=False):
    """The same, with pools that may be a random sample."""


CLOSED_POOLS = Useless("pools", "needs texts left out, and --ci-method=closed makes intervals by formulas", CLOSED.when)
RANDOM_POOLS = Useless("pools_random", "is about --pools, and none are named", lambda given: given["pools"] is None)


def pools_of(arguments: Pooled) -> Pools | None:
    """The pools that the arguments name; None: there are none."""
    if arguments["pools"] is None:
        return None
    from errorbar.formats.pools import read_pools  # noqa: PLC0415 - few know pools of judges

    return read_pools(cast("Any", arguments["pools"]), sampled=bool(arguments.get("pools_random")))


class PanelsOnTexts(OfReference, Panels, total=False):
    """What is judged, and whether judges are drawn anew."""


def plan_judges(arguments: PanelsOnTexts, method: Method = "percentile", ci: bool | None = None) -> JudgePlan:
    """The plan for judges that the argument asks for; ``UsageError`` if there are no intervals for it."""
    from errorbar.metrics.judges import read_judges  # noqa: PLC0415 - only where there are intervals

    plan, file = read_judges(arguments["judges"])
    plan = plan._replace(population=read_population(file)) if file else plan
    if "population" not in (arguments["judges"] or ""):
        plan = plan._replace(by_word=arguments["tokens"] != CHARACTERS)
    if plan.kind == "random" and (method == "closed" or ci is False):
        option = "--ci-method=closed" if method == "closed" else "--no-ci"
        why = "formulas know nothing of judges" if method == "closed" else "it is about intervals"
        raise UsageError(Problem("useless-option", f"--judges has no effect with {option}: {why}", fix="leave it out"))
    return plan


def read_population(path: str) -> JudgePopulation:
    """The population of judges in a file; ``InputError`` if it is none."""
    from errorbar.formats.untrusted import read_json  # noqa: PLC0415 - few name a file of judges
    from errorbar.metrics.populations import FORMAT, population_of  # noqa: PLC0415

    record, place = read_json(path)
    try:
        population = population_of(record)
    except ValueError as error:
        message = f"this is no population of judges: {error}"
        fix = "name the file that 'errorbar judges fit' wrote"
        raise InputError(Problem("bad-population", message, place, f"JSON of the format {FORMAT}", fix)) from None
    return population._replace(
        tables=tuple(replace(table, metric=_usual_spec(table.metric)) for table in population.tables)
    )


def _usual_spec(spec: str) -> str:
    """A metric's spec without parameters at their defaults; as it is where nobody knows the metric."""
    try:
        return str(parse_metric(spec).spec)
    except UsageError:
        return spec
