"""Scoring every run of a task: what was measured before is not measured again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from errorbar.api.arguments import Count, public
from errorbar.api.compare import USUAL_JUDGES
from errorbar.api.corpus_results import CorpusStudy, HooData, HooStudy, cache_metric, study_corpus, study_hoo
from errorbar.api.detector_results import with_detectors
from errorbar.api.hoo_score import both_ways
from errorbar.api.inputs import Loaded, ReadingOptions
from errorbar.api.judgment_input import JudgmentOptions
from errorbar.api.own_references import (
    check_references,
    check_same,
    merge_editors,
    read_groups,
    score_own,
)
from errorbar.core.corpus import Corpus, CorrectedSentence, Hypothesis, source_record, system_records
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.edits.admission import Admission, TextInspection
from errorbar.edits.inputs import are_texts, open_system, source_corpus
from errorbar.edits.standoff_runs import FragmentReading, read_run
from errorbar.edits.texts import corrected_text
from errorbar.execute import run as run_pieces
from errorbar.formats.catalog import format_of, holds
from errorbar.formats.hoo import read_gold, read_source
from errorbar.formats.look import look
from errorbar.formats.nucle import add_documents
from errorbar.formats.reference import OF_ALL, NamedFile
from errorbar.metrics.base import Metric
from errorbar.metrics.folding import Documents, PieceOutput, ScoringPlan, SentencePiece
from errorbar.metrics.golds import are_of_texts
from errorbar.metrics.hoo import count_rows
from errorbar.metrics.hoo_scoring import Fragments, Run, drop_missing_fragments, parse_hoo, score_runs, warn_above_1
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus, score_pieces
from errorbar.stats.resampling import Resampling
from errorbar.tasks.baselines import CACHE_ERROR, Kept, TaskCache
from errorbar.tasks.config import Baseline, Task, TaskCorpus, TeamSubmission, read_task
from errorbar.tasks.task_results import CorpusResults, RefusedRun, RunScores, TaskResults, sign_score

# The data of a task, whatever its metrics read: references, and runs as metrics measure them.


_LENIENT = re.compile(r" or use --lenient \(.*?\)")
AS_SENT = Admission(advise=False)  # who hands in has no options: a run is what its team sent
_KEYS = {"use --lenient": "set lenient = true", "use --metric='hoo(missing=empty)'": "set missing_as_empty = true"}
_UNCHANGED = "send the output, not the source"
MISSING = "hoo-missing"
Outputs = Mapping[str, Sequence[Any]]  # runs as metrics measure them, by name


class _Data:
    """References of a corpus, read: what metrics measure against, and its units."""

    reference: Any
    units: Sequence[Any]
    annotators: tuple[str, ...] = ()  # empty where they worked as one
    n_documents: int | None = None  # essays that the sentences are from; None where that is not known
    rows: Mapping[str, int] = MappingProxyType({})  # of fragments: gold edits of each row of the type table
    names: Sequence[str] = ()  # of fragments

    def __init__(self, corpus: TaskCorpus) -> None:
        self.corpus = corpus
        self.problems = Problems(lenient=corpus.lenient)


class _InspectedPiece(SentencePiece):
    """Sentences whose outputs were looked at before."""

    def output(self, system: int, admission: Admission) -> PieceOutput | None:
        lines = self._lines[system]
        return PieceOutput(lines, "\n".join(system_records(lines)))


class SentenceData(_Data):
    """References of sentences; without ``files`` the source alone."""

    n_views = 1

    def __init__(self, corpus: TaskCorpus, files: Sequence[Path]) -> None:
        super().__init__(corpus)
        self.files = list(files)
        if files:
            with rewording_errors():
                named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in files]
                texts = corpus.source is not None and are_texts(named[0], self.problems)
                options = ReadingOptions(corpus.unmarked, source=corpus.source if texts else None)
                read = options.whole(named, self.problems)
                if corpus.documents is not None:
                    add_documents(read, str(corpus.documents), self.problems)
        else:
            assert corpus.source is not None  # the reader of the task has seen to one of the two
            self.files = [corpus.source]
            read = source_corpus(corpus.source, self.problems)
        self.problems.raise_errors()
        self._labels = holds(str(self.files[0])) == "labels"
        read.name = corpus.name
        self.reference = read
        self.units = read.sentences
        self.annotators = read.annotators
        self._tokens = [sentence.tokens for sentence in read.sentences]
        documents = Documents()
        documents.add(read.sentences)
        self.n_documents = documents.n_clusters if documents.unit == "document" else None

    def check_same(self, other: SentenceData, task: Path) -> None:
        """Refuse other files of the corpus, or its source, if their sentences are not the same."""
        if list(map(source_record, self.units)) != list(map(source_record, other.units)):
            message = f"corpus '{self.corpus.name}': {other.files[0].name} and {self.files[0].name} differ in sentences"
            place = Place(str(task), self.corpus.line)
            raise InputError(Problem("task-other-source", message, place, "files over the same text"))

    def views(self, metrics: Sequence[Metric]) -> Sequence[Metric]:
        """Each metric in every way in which it is shown, ``n_views`` of each; those that such references allow."""
        corrects = [metric.name for metric in metrics if self._labels and not metric.detects]
        if corrects:
            message = f"this labels tokens, and the metric {corrects[0]} needs corrections"
            raise InputError(
                Problem("labels-metric", message, Place(str(self.files[0])), fix='set metrics = ["tokens"]')
            )
        self._labels |= bool(metrics) and all(metric.detects for metric in metrics)  # of runs, as errorbar score does
        if self.annotators and are_of_texts(self.reference):
            ReadingOptions().for_metrics(metrics).note_texts(self.problems)
        return metrics

    def output(self, path: Path, problems: Problems) -> Sequence[str]:
        """The lines of a run, with a note if it changes nothing."""
        reader = open_system(path, path.name, problems, labels=self._labels)
        lines = reader.take_for(self.units)
        reader.finish(len(self.units))
        problems.raise_errors()
        if not self.n_changed(lines):
            problems.note("task-unchanged", "no sentence is changed", Place(str(path)), fix=_UNCHANGED)
        return lines

    def look(self, name: str, lines: Sequence[str], problems: Problems) -> None:
        """Check that a run that is not scored corrects this source, as scoring does."""
        inspection = TextInspection()
        inspection.add([sentence.text for sentence in self.units], lines)
        AS_SENT.say(name, inspection, problems)
        problems.raise_errors()

    def n_changed(self, output: Sequence[str]) -> int:
        """How many sentences a run changes."""
        units = zip(output, self.units, self._tokens, strict=False)
        return sum(
            bool(line.edits) if isinstance(line, CorrectedSentence) else line != unit.text and line.split() != tokens
            for line, unit, tokens in units
        )

    def kept(self, output: Sequence[str]) -> float | None:
        """Share of the source's words that stand in the run's line of the same number; 1 without any word."""
        n_kept = n_words = 0
        for tokens, line in zip(self._tokens, output, strict=True):
            words = Counter(tokens)
            n_words += words.total()
            n_kept += (words & Counter(line.split())).total()
        return n_kept / n_words if n_words else 1.0

    def score(
        self, outputs: Outputs, metrics: Sequence[Metric], problems: Problems | None = None, *, by_type: bool = True
    ) -> list[Score]:
        """Score each run under each metric; runs are looked at for oddities only where ``problems`` can take them."""
        systems = [Hypothesis(name, list(lines)) for name, lines in outputs.items()]
        scores: dict[tuple[str, str], Score] = {}
        reading = _InspectedPiece if problems is None else SentencePiece
        for lacking in (False, True):
            own = [metric for metric in metrics if ("types" in metric.lacks) is lacking]
            if own:
                plan = ScoringPlan(own, by_type and not lacking, admission=AS_SENT, reading=reading)
                pieces = score_corpus(self.reference, systems, plan, problems or Problems())
                scores |= {(score.system, score.metric): score for score in pieces}
                reading = _InspectedPiece
        return [scores[name, str(metric.spec)] for name in outputs for metric in metrics]


class FragmentData(_Data):
    """Gold edits of texts, or the texts alone; recall is counted by row, and by code."""

    n_views = 2

    def __init__(self, corpus: TaskCorpus, *, need_text: bool = False) -> None:
        super().__init__(corpus)
        source = None if corpus.source is None else str(corpus.source)
        with rewording_errors():
            if corpus.gold:
                self.units = read_gold(str(corpus.gold[0]), self.problems, source=source, need_text=need_text)
            else:
                self.units = read_source(str(source), self.problems)
            self.problems.raise_errors()
        self.reference = self.units
        self.names = [fragment.name for fragment in self.units]
        self.rows = count_rows(edit.type for fragment in self.units for edit in fragment.edits)
        self._lacking: set[str] = set()
        self._missing_as_empty = corpus.missing_as_empty

    def views(self, metrics: Sequence[Metric]) -> Sequence[Metric]:
        """Each metric with recall by row and then by error code."""
        asked, missing_as_empty = drop_missing_fragments([parse_hoo(metric) for metric in metrics])
        self._missing_as_empty |= missing_as_empty
        return both_ways(asked)

    def output(self, path: Path, problems: Problems) -> Sequence[Any]:
        """The edits of a run, with a note if there is none."""
        name = str(path)
        edits = read_run(name, name, self.units, problems, missing_as_empty=self._missing_as_empty)
        problems.raise_errors()
        if not any(edits):
            problems.note("task-unchanged", "no edit is proposed", Place(name), fix=_UNCHANGED)
        if any(note.code == MISSING for note in problems.notes):
            self._lacking.add(name)
        return edits

    def look(self, name: str, output: Sequence[Any], problems: Problems) -> None:
        """Check nothing: edits name their source."""

    def n_changed(self, output: Sequence[Any]) -> int:
        """How many texts a run changes."""
        return sum(map(bool, output))

    def kept(self, output: Sequence[Any]) -> float | None:
        """None: a run of fragments is edits, which keep no words."""

    def score(
        self, outputs: Outputs, metrics: Sequence[Metric], problems: Problems | None = None, *, by_type: bool = True
    ) -> list[Score]:
        """Score runs of edits."""
        problems = problems or Problems()
        piece = FragmentReading(self.reference, list(outputs.values()), Problems())
        own = dict.fromkeys(self._lacking, ("missing:empty",))
        plan = ScoringPlan(metrics, by_type=True, by_unit=True, reading=Fragments, own=own)
        scores = score_pieces([piece], [Run(name, problems) for name in outputs], plan, problems)
        for score in scores[:: self.n_views]:
            warn_above_1(score, self.names, problems)
        return scores


TaskData = SentenceData | FragmentData


def read_data(corpus: TaskCorpus, *, need_text: bool = False) -> TaskData:
    """Read the gold edits of a corpus, or its source where there are none."""
    return FragmentData(corpus, need_text=need_text) if corpus.kind == "hoo" else SentenceData(corpus, corpus.gold)


def reword_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Remove options of commands from the fixes of a run's problems: nothing of a run is repaired or forced."""
    return tuple(replace(problem, fix=_name_keys(_LENIENT.sub("", problem.fix))) for problem in problems)


@contextmanager
def rewording_errors() -> Iterator[None]:
    """Name the keys of the task's file, in place of options of commands, in the fixes of the references' errors."""
    try:
        yield
    except InputError as error:
        raise InputError([replace(problem, fix=_name_keys(problem.fix)) for problem in error.problems]) from None


def _name_keys(fix: str) -> str:
    for option, key in _KEYS.items():
        fix = fix.replace(option, key)
    return fix


Progress = Callable[[int], object]


@public()
def run_task(
    task: str | Path | Task,
    *,
    jobs: Count = 1,
    cache: str | Path | None = None,
    prune: bool = False,
    progress: Progress = lambda _: None,
) -> TaskResults:
    """Score every run of a task's test data; a run that cannot be scored is listed with what is wrong with it.

    Args:
        task: The task, or its TOML file.
        jobs: Number of runs that are measured at the same time; no digit depends on it.
        cache: Folder in which measurements are kept. None: the task's own.
        prune: Remove measurements that this task no longer needs from the cache.
        progress: Told how many runs are done.

    Raises:
        InputError: If the task's file or a reference is bad, or the cache cannot be used.
        UsageError: If a metric names an annotator that a corpus does not have.
    """
    problems = Problems()
    read = task if isinstance(task, Task) else read_task(task, problems)
    folder = TaskCache(read.cache if cache is None else Path(cache), problems)
    numbers = count(1)
    results: list[CorpusResults] = []
    for corpus in read.with_role("test"):
        if corpus.gold or read.has_own_references(corpus.name):
            results.append(_score_corpus(read, corpus, folder, problems, jobs, lambda: progress(next(numbers))))
        else:
            message = f"corpus '{corpus.name}' has no gold edits, so nothing is scored on it"
            problems.note("task-no-gold", message, Place(str(read.file), corpus.line))
    seen = (folder.n_measured, folder.n_found, folder.prune() if prune else 0)
    return TaskResults(read, tuple(results), tuple(dict.fromkeys(problems.notes)), *seen)


class _Target:
    """References and the metrics that remember what was measured against them."""

    def __init__(self, data: TaskData, metrics: Sequence[Metric], memory: Kept, *, by_type: bool = True) -> None:
        self.data, self.memory, self.by_type = data, memory, by_type
        self.metrics = [cache_metric(metric, memory) for metric in metrics]

    def score(self, outputs: Outputs, problems: Problems | None = None) -> dict[str, list[Score]]:
        """The score of each output under each metric, by its name."""
        scores, n = self.data.score(outputs, self.metrics, problems, by_type=self.by_type), len(self.metrics)
        return {name: scores[at * n : (at + 1) * n] for at, name in enumerate(outputs)}


def _score_corpus(
    task: Task, corpus: TaskCorpus, folder: TaskCache, problems: Problems, jobs: int, done: Callable[[], object]
) -> CorpusResults:
    data = read_data(corpus)
    metrics = [parse_metric(spec) for spec in task.metrics]
    if task.has_own_references(corpus.name):
        problems.take(data.problems.notes)
        return _score_own(task, data, metrics, problems, done)
    gold = _Target(data, data.views(metrics), Kept(data.reference, data.units, folder))
    problems.take(data.problems.notes)
    alternatives, single = (
        _other_targets(task, metrics, gold, folder) if isinstance(data, SentenceData) else (None, None)
    )

    def measure(run: TeamSubmission) -> tuple[Sequence[Any] | None, Sequence[Problem]]:
        """Measure a run: its output and notes, or nothing and its errors."""
        own = Problems()
        try:
            output = data.output(run.path, own)
            for target in filter(None, (gold, alternatives, single)):
                for metric in target.metrics:
                    metric.measure(target.data.reference, output)
        except InputError as error:
            if error.code == CACHE_ERROR:
                raise
            return None, error.problems
        return output, own.notes

    outputs: dict[str, Sequence[Any]] = {}  # by path, as the errors of the others
    refused: dict[str, list[Problem]] = {}
    notes: list[Problem] = []
    runs = task.submissions(corpus.name)
    if any(run.baseline is not None for run in runs):
        from errorbar.tasks.baselines import BaselineMaker, make_all  # noqa: PLC0415 - detectors, where a task has some

        runs = make_all(runs, BaselineMaker(data.units, folder), refused)
    whole = [run for run in runs if str(run.path) not in refused]
    for _ in runs[len(whole) :]:
        done()
    for run, (output, remarks) in zip(whole, run_pieces(measure, whole, jobs), strict=True):
        done()
        if output is None:
            refused[str(run.path)] = list(remarks)
        else:
            outputs[str(run.path)] = output
            notes += remarks
    scores = _score_valid(gold, outputs, refused, notes)
    answers, alone = ({} if target is None else target.score(outputs) for target in (alternatives, single))
    scored: list[RunScores] = []
    for run in runs:
        name = str(run.path)
        if name in outputs:
            every, others, by_one = (
                tuple(sign_score(replace(score, system=run.name), run.baseline) for score in own_scores.get(name, ()))
                for own_scores in (scores, answers, alone)
            )
            own = tuple(note for note in notes if note.place.file == name or note.place.file.startswith(f"{name}/"))
            by_annotator = {score.annotators[0]: score for score in by_one}
            by_code = [score.by_type for score in every[1 :: data.n_views]] if data.n_views > 1 else []
            n_changed = data.n_changed(outputs[name])
            scored.append(RunScores(run, every[:: data.n_views], others, by_annotator, n_changed, own, by_code))
            problems.take(own)
    rejected = [RefusedRun(run, reword_problems(refused[str(run.path)])) for run in runs if str(run.path) in refused]
    pairs = [] if single is None else _pairs(single)
    sizes = (len(data.units), data.n_documents, data.annotators, data.rows)
    return CorpusResults(corpus, *sizes, scored, rejected, pairs, data.names)


def _score_own(
    task: Task, data: TaskData, metrics: Sequence[Metric], problems: Problems, done: Callable[[], object]
) -> CorpusResults:
    """Score each run against the references that were made for it; a run without any is refused."""
    outputs: dict[TeamSubmission, Sequence[str]] = {}
    refused: list[RefusedRun] = []
    notes: dict[TeamSubmission, tuple[Problem, ...]] = {}
    for run in task.submissions(data.corpus.name):
        own = Problems()
        done()
        try:
            if not run.references or not isinstance(data, SentenceData):
                message = "no reference was made for this run, and scores against own references stand beside no others"
                fix = "name references = [...] of its [[team.run]]"
                raise InputError(Problem("task-no-reference", message, Place(str(run.path)), fix=fix))
            outputs[run] = data.output(run.path, own)
            data.look(str(run.path), outputs[run], own)
            notes[run] = tuple(own.notes)
        except InputError as error:
            outputs.pop(run, None)
            refused.append(RefusedRun(run, reword_problems(error.problems)))
    scores: dict[str, list[Score]] = {run.name: [] for run in outputs}
    loaded = _own_data(data, outputs, metrics, problems)
    for lacking in (False, True):
        some = [metric for metric in metrics if ("types" in metric.lacks) is lacking]
        if some and loaded is not None:
            for score in score_own(loaded, ScoringPlan(some, by_type=not lacking)):
                scores[score.system].append(score)
    order = {str(metric.spec): at for at, metric in enumerate(metrics)}
    runs = [
        RunScores(
            run,
            tuple(sorted(scores[run.name], key=lambda score: order[score.metric])),
            n_changed=data.n_changed(output),
            notes=notes[run],
        )
        for run, output in outputs.items()
    ]
    problems.take(note for run in outputs for note in notes[run])
    editors = dict.fromkeys(name for scored in runs for name in scored.gold[0].annotators)
    return CorpusResults(data.corpus, len(data.units), data.n_documents, tuple(editors), {}, runs, refused)


def _own_data(
    data: TaskData, outputs: Mapping[TeamSubmission, Sequence[str]], metrics: Sequence[Metric], problems: Problems
) -> Loaded | None:
    """Runs and the references that were made for each, over the sentences of the corpus; None: there is no run."""
    if not outputs:
        return None
    corpus = data.corpus
    own: dict[str, Corpus] = {}
    options = ReadingOptions(corpus.unmarked, lenient=corpus.lenient, source=corpus.source).for_metrics(metrics)
    for run in outputs:
        files = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in run.references]
        with rewording_errors():
            for read, file, _ in read_groups(files, options, problems):
                check_same(read, file, data.reference, data.reference.name)
                own[run.name] = merge_editors(own[run.name], read, run.name) if run.name in own else read
    problems.raise_errors()
    with rewording_errors():
        check_references(own, options.smallest, problems)
    systems = [Hypothesis(run.name, list(output)) for run, output in outputs.items()]
    documents = Documents()
    documents.add(data.units)
    return Loaded(next(iter(own.values())), systems, documents, problems, (), own=own)


def _other_targets(
    task: Task, metrics: Sequence[Metric], gold: _Target, folder: TaskCache
) -> tuple[_Target | None, _Target | None]:
    data, corpus = gold.data, gold.data.corpus
    assert isinstance(data, SentenceData)

    def read(variant: TaskCorpus, files: Sequence[Path]) -> tuple[SentenceData, Kept]:
        other = SentenceData(variant, files)
        data.check_same(other, task.file)
        return other, Kept(other.reference, other.units, folder)

    if corpus.source is not None:
        data.check_same(SentenceData(corpus, ()), task.file)
    alternatives = None
    if corpus.alternatives:
        # A team that proposed an answer for one sentence did not look at the others.
        proposed = replace(corpus, unmarked="official") if corpus.unmarked in OF_ALL else corpus
        answers, memory = read(proposed, corpus.alternatives)
        alternatives = _Target(answers, metrics, memory)
    judges, memory = read(corpus, corpus.annotators) if corpus.annotators else (data, gold.memory)
    if metrics[0].annotator is not None or "annotators" in metrics[0].lacks:
        return alternatives, None
    against = [metrics[0].against(name) for name in judges.annotators]
    return alternatives, _Target(judges, against, memory, by_type=False)


def _score_valid(
    gold: _Target, outputs: dict[str, Sequence[Any]], refused: dict[str, list[Problem]], notes: list[Problem]
) -> dict[str, list[Score]]:
    """Score the runs that are corrections of the source; the others go from the outputs to those refused."""
    while outputs:
        problems = Problems()
        try:
            scores = gold.score(outputs, problems)
        except InputError as error:
            if not any(problem.place.file in outputs for problem in error.problems):
                raise
            for problem in error.problems:
                if outputs.pop(problem.place.file, None) is not None or problem.place.file in refused:
                    refused.setdefault(problem.place.file, []).append(problem)
        else:
            notes += problems.notes
            return scores
    return {}


def _pairs(single: _Target) -> list[tuple[str, str, Score]]:  # each annotator's text against each other annotator
    names, corpus = single.data.annotators, single.data.corpus
    if len(names) < 2:
        return []
    problems, units = Problems(lenient=corpus.lenient), single.data.units
    texts = {
        name: [corrected_text(unit, name, problems, place=Place(corpus.name, unit.line)) for unit in units]
        for name in names
    }
    problems.raise_errors()
    return [
        (writer, judge, score)
        for writer, scores in single.score(texts).items()
        for judge, score in zip(names, scores, strict=True)
        if judge != writer
    ]


def submission_kind(corpus: TaskCorpus) -> str:
    """The kind of file that a run for a corpus is: ``text``, ``essays``, ``labels``, or a ``folder``."""
    if corpus.kind == "hoo":
        return "folder"
    if corpus.gold and holds(str(corpus.gold[0])) == "labels":
        return "labels"
    essays = corpus.source is not None and format_of(look(corpus.source)).name == "multigec"
    return "essays" if essays else "text"


# What a page shows of the best run of each team, baselines among them.


def study_best(
    results: TaskResults,
    problems: Problems,
    resampling: Resampling,
    *,
    browse: bool = True,
    progress: Progress = lambda _: None,
) -> list[CorpusStudy | HooStudy]:
    """Compute what a report shows of the best run of each team; warnings go to ``problems``."""
    studies: list[CorpusStudy | HooStudy] = []
    for at, scored in enumerate(results.corpora, 1):
        if scored.runs:
            own = Problems(lenient=scored.corpus.lenient)
            studies.append(_study_runs(results.task, scored, own, resampling, browse))
            problems.take(own.notes)
        progress(at)
    return studies


def _study_runs(
    task: Task, results: CorpusResults, problems: Problems, resampling: Resampling, browse: bool
) -> CorpusStudy | HooStudy:
    runs = [run.submission for run in results.best()]
    of_fragments = results.corpus.kind == "hoo"
    data, metrics = _load_runs(task, results, {run.name if of_fragments else run.team: run for run in runs}, problems)
    if isinstance(data, HooData):
        return study_hoo(data, parse_hoo(metrics[0]), problems, resampling, browse=browse)
    if data.documents.unit == "document":
        data.documents.warn(problems)
    study = study_corpus(data, metrics, resampling, browse=browse)
    baselines = {run.team: run.baseline for run in runs if run.baseline is not None}
    if baselines:
        study = _with_baselines(study, baselines, data.corpus, resampling, texts=browse)
    return replace(study, notes=reword_problems(study.notes))


def _load_runs(
    task: Task, results: CorpusResults, runs: Mapping[str, TeamSubmission], problems: Problems
) -> tuple[Loaded | HooData, Sequence[Metric]]:
    """Read the outputs of runs, by the names that they are to have, and the metrics, each in the way that is shown."""
    data = read_data(results.corpus)
    metrics = data.views([parse_metric(spec) for spec in task.metrics])[:: data.n_views]
    own = Problems()  # the problems of the runs were reported when they were scored
    outputs: dict[str, Any] = {name: data.output(run.path, own) for name, run in runs.items()}
    if results.corpus.kind == "hoo":
        lacking = any(note.code == MISSING for note in own.notes)
        return HooData(data.reference, outputs, results.corpus.name, ("missing:empty",) if lacking else ()), metrics
    documents, reference = Documents(), cast("Corpus", data.reference)
    documents.add(data.units)
    systems = [Hypothesis(name, list(lines)) for name, lines in outputs.items()]
    loaded = Loaded(reference, systems, documents, problems, ())
    if task.has_own_references(results.corpus.name):
        edited = _own_data(data, {run: outputs[name] for name, run in runs.items()}, metrics, Problems())
        if edited is not None:
            references = {name: edited.own[run.name] for name, run in runs.items()}
            loaded = replace(loaded, corpus=edited.corpus, own=references)
    return loaded, metrics


def score_further_runs(task: Task, results: CorpusResults, resampling: Resampling) -> dict[str, Score]:
    """Score the runs that are not their team's best, by name, with intervals as ``study_best`` makes them."""
    best = {run.submission.name for run in results.best()}
    runs = {run.submission.name: run.submission for run in results.runs if run.submission.name not in best}
    if not runs:
        return {}
    own = Problems(lenient=results.corpus.lenient)  # what is to be said was said of the best runs
    data, metrics = _load_runs(task, results, runs, own)
    if isinstance(data, HooData):
        by_row = [replace(parse_hoo(metrics[0]), by="row")]
        scores = score_runs(data.fragments, data.runs, by_row, own, resampling=resampling, conventions=data.conventions)
    else:
        plan = ScoringPlan(metrics[:1], resampling=resampling, admission=Admission(silent=True), judges=USUAL_JUDGES)
        scores = score_own(data, plan) if data.own else score_corpus(data.corpus, data.systems, plan, own)
    return {score.system: score for score in scores}


def _with_baselines(
    study: CorpusStudy, baselines: Mapping[str, Baseline], corpus: Corpus, resampling: Resampling, *, texts: bool
) -> CorpusStudy:
    """Add to a study the signatures of the baselines, and its detectors under every threshold."""

    def sign_scores(scores: Sequence[Score]) -> list[Score]:
        return [sign_score(score, baselines.get(score.system)) for score in scores]

    others = {spec: sign_scores(scores) for spec, scores in study.others.items()}
    study = replace(study, scores=sign_scores(study.scores), others=others)
    tables = [f"{name}={baseline.table}" for name, baseline in baselines.items() if baseline.table is not None]
    if not tables:
        return study
    return with_detectors(study, corpus, tables, JudgmentOptions(items="words"), resampling, texts=texts)
