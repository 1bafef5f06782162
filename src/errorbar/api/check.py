"""``check``: every problem of a file, whatever it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Unpack, cast

from errorbar.api.arguments import public
from errorbar.api.in_memory import DataFrameLike
from errorbar.api.inputs import (
    Gold,
    OfTexts,
    ReadingOptions,
    Sentences,
    corpus_files,
    system_list,
    system_streams,
    usual_metric,
)
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.edit import Fragment
from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, as_arguments
from errorbar.edits.admission import Admission, TextInspection, explain_gap
from errorbar.edits.errant import select_own_edits
from errorbar.edits.inputs import EditsReader, LabelReader, source_corpus
from errorbar.formats.catalog import format_of, holds, is_hoo, wants_hoo
from errorbar.formats.judgments import is_batch, is_corpus, read_judgment_table
from errorbar.formats.look import Lines, Source, look
from errorbar.formats.rankings import is_ranking, read_rankings
from errorbar.formats.reference import NamedFile, read_sentences
from errorbar.formats.tables import header_of
from errorbar.tables.plain import note_record
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

OF_RANKINGS = ("systems", "judges", "ranked items", "comparisons")
OF_JUDGMENTS = ("items", "raters", "labels")
MOST_ALIGNED = 100_000
"""Lines up to which a missing one is looked for."""
MOST = 10_000
"""More problems of a file than anybody reads, after which reading stops: each takes a kilobyte."""


@dataclass(frozen=True)
class CheckedFile:
    """The contents of a file: counts, none where it could not be read to its end, and its problems, by line."""

    file: str
    counts: Mapping[str, int]
    problems: tuple[Problem, ...] = field(repr=False)

    def __str__(self) -> str:
        """One line: the counts, and how many problems there are."""
        counts = ", ".join(format_count(n, kind) for kind, n in self.counts.items()) or "not read to the end"
        n = sum(each.others or 1 for each in self.problems)
        return f"{self.file}: {counts}; {format_count(n, 'problems') if n else 'no problem'}"


@dataclass(frozen=True)
class Checked(Result):
    """The contents and problems of files.

    Attributes:
        files: Each file, in the order given; warnings are among its problems.
        notes: Nothing: what is wrong stands with the files.
    """

    files: tuple[CheckedFile, ...]
    notes: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def good(self) -> bool:
        """Whether nothing stops scoring; there may be warnings."""
        return not any(problem.severity == "error" for file in self.files for problem in file.problems)

    def __str__(self) -> str:
        """As the command prints it: a line for each file where nothing is wrong, else the table of problems."""
        if any(file.problems for file in self.files):
            return Result.__str__(self)
        return "\n".join(map(str, self.files))

    def to_dict(self) -> dict[str, object]:
        """Each file's counts and problems."""
        return {
            "files": [
                {"file": each.file, **each.counts, "problems": list(map(note_record, each.problems))}
                for each in self.files
            ]
        }

    def tables(self, words: Callable[[str], str] = as_arguments) -> list[Table]:
        """A row for each problem, with options as ``words`` shows them; below, a line for each file."""
        columns = [Column("file"), Column("line", "count"), *map(Column, ("severity", "code", "problem"))]
        rows = [
            (
                each.place.file or file.file,
                each.place.line or None,
                each.severity,
                each.code,
                words(_describe_problem(each)),
            )
            for file in self.files
            for each in file.problems
        ]
        return [Table(columns, rows, name="problems", notes=[str(file) for file in self.files])]


@public()
def check(
    files: Source | Hypothesis | Sequence[Source | Hypothesis] | Mapping[str, Source | Sentences] | DataFrameLike,
    *,
    gold: Gold | None = None,
    source: Source | Sentences | DataFrameLike | None = None,
    **shared: Unpack[OfTexts],
) -> Checked:
    """List every problem of M2, JSONL or HOO files, essays, token labels, judgments, rankings, or system outputs.

    Args:
        files: One or several files. A HOO file is a folder of edit XML or one edit file: offsets are checked against
            the source texts, originals against their spans, and indexes, consistency sets and types.
        gold: Check each file as a system's output for this reference. It has the forms that ``score`` takes.
        source: Check each file as a correction of this text, be it a reference or an output; of HOO data the folder of
            the source texts, if they are not in Raw beside Gold. Beside ``gold`` the text that the references correct.
        retokenize: Of files that correct a text: first give lines that look untokenized the source's tokens.
        shared: How files are taken that correct a text.

    Returns:
        What each file has. A file that cannot be read is no exception but a problem.

    Raises:
        UsageError: If options do not fit, or an argument is of the wrong type.
        InputError: If gold edits with their texts, against which runs are checked, cannot be read.
    """
    named = system_list(files, one_name=True)
    if not named:
        raise UsageError(Problem("no-reference", "nothing to check is named", expected="at least one file"))
    of_hoo = wants_hoo(gold) if gold is not None else any(is_hoo(_path(each)) for each in named)
    against = (
        None
        if of_hoo or gold is None is source
        else _Against(gold, cast("Source | None", source), Admission(shared["force"], shared["retokenize"]))
    )
    if against is None and any(shared.values()):
        message = "--force and --retokenize are about texts that correct others"
        raise UsageError(Problem("useless-option", message, fix="leave them out, or add --source or --gold"))
    if against is None and any(isinstance(each, Hypothesis) for each in named):
        message = "sentences are checked against what they correct, and it is not given"
        raise UsageError(Problem("no-source", message, fix="add --source or --gold"))
    texts = None if source is None else str(source)
    fragments = _read_texts(gold, texts) if of_hoo and gold is not None else None
    checked = []
    for each in named:
        problems = Problems(limit=MOST)
        counts: Mapping[str, int] = {}
        try:
            if fragments is not None:
                counts = _check_run(each, fragments, problems)
            elif against is None:
                counts = _check_file(_path(each), texts, problems)
            else:
                counts = _check_correction(each, against, problems)
        except InputError as error:
            problems.errors = [*dict.fromkeys((*problems.errors, *error.problems))]
        listed = sorted(
            problems.errors + problems.notes,
            key=lambda problem: (problem.others > 0, problem.place.file, problem.place.line),
        )
        checked.append(CheckedFile(_path(each), counts, tuple(listed)))
    return Checked(tuple(checked))


def _path(file: NamedFile | Hypothesis) -> str:
    return file.path if isinstance(file, NamedFile) else file.name


def _check_file(file: str, source: str | None, problems: Problems) -> Mapping[str, int]:
    """Read a file as what it is; what is wrong is recorded."""
    if is_hoo(file):
        return _check_hoo(file, problems, source)
    path = look(file)
    if is_ranking(path):
        rankings = read_rankings(path, problems)
        sizes: tuple[Sized, ...] = (rankings.systems, rankings.judges, rankings.items, rankings.first)
        return {name: len(of) for name, of in zip(OF_RANKINGS, sizes, strict=True)}
    if _is_judgment_table(path):
        table = read_judgment_table(path, problems).judgments
        return {"judgments": len(table), **{name: len(getattr(table, name)) for name in OF_JUDGMENTS}}
    lines = Lines(path, problems)
    kind = format_of(lines)
    counts: Counter[str] = Counter()
    annotators, documents = set[str](), set[str]()
    texts = kind.read(lines, problems) if kind.name == "multigec" else read_sentences(lines, problems)
    for sentence in texts:
        counts["sentences"] += 1
        counts["tokens"] += len(sentence.tokens)
        counts["edits"] += sum(map(len, sentence.annotations.values()))
        counts["sentences without an A line"] += not sentence.annotations
        annotators.update(sentence.annotations)
        documents.add(sentence.document)
    counts["tokens labeled i"] = counts["edits"]
    counts |= {"annotators": len(annotators), "essays": len(documents)}
    return {name: counts[name] for name in kind.counts}


def _is_judgment_table(path: Source) -> bool:
    """Whether a file is a table of judgments: a rater, a label and an item in each row, or a batch's results."""
    return not is_corpus(path) and ({"item", "rater", "label"} <= set(names := header_of(path)) or is_batch(names))


def _check_hoo(path: str, problems: Problems, source: str | None) -> Mapping[str, int]:
    """Gold edits against their texts."""
    from errorbar.formats.hoo import read_gold  # noqa: PLC0415 - few check HOO data

    fragments = read_gold(path, problems, source=source)
    edits = [edit for fragment in fragments for edit in fragment.edits]
    return {
        "fragments": len(fragments),
        "fragments with a text": sum(fragment.text is not None for fragment in fragments),
        "edits": len(edits),
        "optional edits": sum(edit.optional for edit in edits),
        "edits in consistency sets": sum(bool(edit.group) for edit in edits),
        "edits without a correction": sum(edit.unknown for edit in edits),
    }


def _read_texts(gold: Gold, source: str | None) -> Sequence[Fragment]:
    """Gold edits whose texts runs are checked against; what can be repaired of them is no matter here."""
    from errorbar.api.hoo_score import HooRuns  # noqa: PLC0415 - few check HOO data
    from errorbar.formats.hoo import read_gold  # noqa: PLC0415 - as above

    return read_gold(HooRuns(gold, ()).gold_path(), Problems(lenient=True), source=source)


def _check_run(run: NamedFile | Hypothesis, fragments: Sequence[Fragment], problems: Problems) -> Mapping[str, int]:
    """A run against the texts of gold edits."""
    from errorbar.edits.standoff_runs import read_run  # noqa: PLC0415 - few check HOO data

    edits = read_run(_path(run), run.name, fragments, problems)
    return {"fragments": len(fragments), "fragments changed": sum(map(bool, edits)), "edits": sum(map(len, edits))}


@dataclass(frozen=True, slots=True)
class _Against:
    """The text that files are checked against: a reference, the source of its texts, or a source alone."""

    gold: Gold | None
    source: Source | None
    admission: Admission

    def chunks(self) -> Iterable[Corpus]:
        """The sentences, whose own problems are no matter here."""
        quiet = Problems(lenient=True)
        if isinstance(self.gold, Corpus):
            return [self.gold.check()]
        if self.gold is None:
            return [source_corpus(cast("Source", self.source), quiet)]
        return ReadingOptions(source=self.source).chunks(corpus_files(self.gold), quiet)


def _check_correction(output: NamedFile | Hypothesis, against: _Against, problems: Problems) -> Mapping[str, int]:
    """A system's output, or a reference that is a text, against what it corrects."""
    admission, gold = against.admission, against.gold
    labeled = gold is not None and usual_metric(gold, None) is not None
    labels = labeled and isinstance(output, NamedFile) and holds(output.path) == "labels"
    (stream,) = system_streams([output], problems, ReadingOptions(admission=admission, edits=True, labels=labels))
    name = _path(output)  # as errors call it, which are of the file
    look = TextInspection()
    sentences = changed = n_edits = 0
    sources, corrected = list[str](), list[str]()
    for chunk in against.chunks():
        lines = list(stream.take_for(chunk.sentences))
        texts = [sentence.text for sentence in chunk.sentences]
        sentences += len(chunk)
        if sentences <= MOST_ALIGNED:
            sources += texts
            corrected += lines
        if len(lines) == len(texts):
            n_edits += sum(map(len, select_own_edits(chunk, lines)))
            lines = look.add(texts, lines, retokenize=admission.retokenize)
            changed += sum(line.split() != text.split() for line, text in zip(lines, texts, strict=True))
    stream.finish(sentences)
    if isinstance(stream, LabelReader):
        admission.say(name, look, problems)
        return {"sentences": stream.count, "tokens labeled i": n_edits}
    if stream.count != sentences:  # then no line can be trusted to be beside its own
        problems.errors = [
            replace(each, fix="one line per sentence") if each.code == "line-count" else each  # this is errorbar check
            for each in problems.errors
        ]
        gap = explain_gap(sources, corrected, stream.count) if sentences <= MOST_ALIGNED else None
        if gap is not None:
            problems.note("shifted-lines", gap, Place(name))
        return {"lines": stream.count}
    admission.say(name, look, problems)
    counts = {"lines": stream.count, "sentences changed": changed}
    return {**counts, "edits": n_edits} if isinstance(stream, EditsReader) else counts


def _describe_problem(problem: Problem) -> str:
    expected = f" (expected {problem.expected})" if problem.expected else ""
    return f"{problem.what}{expected}{f'; {problem.fix}' if problem.fix else ''}"
