"""One page from files or objects: what ``errorbar report`` and ``errorbar.report`` make."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from html import escape
from pathlib import Path

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.standoff_reading import read_run
from errorbar.formats.hoo_detect import is_hoo, wants_hoo
from errorbar.formats.hoo_folder import expand_runs, read_gold
from errorbar.formats.opening import Source
from errorbar.formats.reference import NamedFile, Unmarked, expand_files
from errorbar.formats.tables import header_of
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo_scoring import parse_hoo, without_missing
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.swaps import Adjust, SwapPlan
from errorbar.reporting.blocks import Report
from errorbar.reporting.export import KINDS, Kind, save_charts, save_report
from errorbar.reporting.page import page_html
from errorbar.reporting.sections import build_report, left_out
from errorbar.reporting.sections.figures import listed
from errorbar.stats.resampling import Method, Resampling
from errorbar.studies.corpus_study import study_corpus
from errorbar.studies.crowd import read_systems
from errorbar.studies.door import public
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, load
from errorbar.studies.judgment_input import Files, JudgmentOptions, read_crowd
from errorbar.studies.model import CorpusStudy, CrowdStudy, HooStudy, Study
from errorbar.studies.other_studies import HooData, study_crowd, study_hoo, study_sample
from errorbar.studies.sample import sample_estimate

Metrics = Metric | str | Sequence[Metric | str] | None
EPOCH = "SOURCE_DATE_EPOCH"
MOST_NAMED = 3
MANY_PAIRS = 1000
"""More pairs of systems than this are worth a word: they take seconds, 19,900 the better part of a minute."""
ON_REQUEST = "The sentences were left out on request, for data that may not be passed on."
FRAME = '<iframe srcdoc="{}" width="100%" height="800" style="border:0" sandbox="allow-scripts"></iframe>'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeReport:
    """A report that can be looked at and saved.

    Attributes:
        report: What it shows, as plain data.
        studies: What was computed.
        notes: Warnings and repairs.
        missing: Which sections the data does not allow, and why.
    """

    report: Report
    studies: Sequence[Study]
    notes: Sequence[Problem]
    missing: Sequence[Problem]

    def save(self, path: str | os.PathLike[str], kind: Kind | None = None) -> int:
        """Write the report, whole or not at all.

        Args:
            path: The file: ``.html``, ``.md`` or ``.tex``; ``-``: standard output.
            kind: ``html``, ``markdown`` or ``latex``; None: as the ending says; to standard output a page.

        Returns:
            Bytes written.

        Raises:
            InputError: If the file cannot be written.
            MissingExtraError: If a library that a page takes is not installed.
            UsageError: If nothing says what the file is to be.
        """
        name = os.fspath(path)
        fitting: list[Kind] = [one for one, endings in KINDS.items() if name.lower().endswith(endings)]
        if kind is None and not fitting and name != "-":
            fix = "name a file that ends in .html, .md or .tex, or say which kind"
            raise UsageError(Problem("output-format", f"nothing says what '{name}' is to be", fix=fix))
        return save_report(self.report, name, kind or (fitting[0] if fitting else "html"))

    def save_charts(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write each chart as SVG, PNG and PDF.

        Raises:
            InputError: If the folder or a file cannot be written.
            MissingExtraError: If the library that draws is not installed.
        """
        return save_charts(self.report, os.fspath(folder))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, as a notebook shows it."""
        return FRAME.format(escape(page_html(self.report)))

    def __repr__(self) -> str:
        return f"MadeReport({self.report.title!r}: {', '.join(one.title for one in self.report.sections)})"


@public()
def report(
    gold: Gold = (),
    systems: Systems = (),
    metrics: Metrics = None,
    *,
    unmarked: Unmarked = "auto",
    documents: Source | None = None,
    ceiling_ci: int | None = None,
    judgments: Files | None = None,
    columns: Mapping[str, str] | None = None,
    items: str | None = None,
    error: Sequence[str] = (),
    ok: Sequence[str] = (),
    unknown: Sequence[str] = (),
    sample_key: Source | None = None,
    judged: Sequence[Source] = (),
    title: str = "",
    browse: bool = True,
    no_sentences: str = ON_REQUEST,
    command: str = "",
    adjust: Adjust = "max-t",
    swaps: int | None = None,
    ci_method: Method = "bca",
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    jobs: int = 1,
    force: bool = False,
    retokenize: bool = False,
    lenient: bool = False,
    warn: Callable[[Problem], object] = lambda _: None,
) -> MadeReport:
    """Put everything about systems and annotators on one page that needs no network.

    Several kinds of data stand in one report: a corpus or HOO data (``gold``), a crowd's ``judgments``, a judged sample
    (``sample_key`` and ``judged``). The numbers are those of ``score``, ``compare``, ``ceiling``, ``agree``, ``crowd``,
    ``curve`` and ``sample_estimate`` for the same input and seed.

    Args:
        gold: The reference, as for ``score``; or a folder or file of HOO edits.
        systems: Systems, as for ``score``; without ``gold`` those that are scored against the judgments. Beside
            ``gold``, tables ``item,flag`` are scored against the judgments, and the others against ``gold``.
        metrics: What to compute, the main metric first; None: M2.
        unmarked: Who looked at a sentence of M2 without any A line.
        documents: NUCLE SGML that tells the document of each sentence; of HOO data the source texts, where these are
            not in ``Raw`` beside ``Gold``.
        ceiling_ci: Resamples for intervals of the human ceiling; None: none.
        judgments: A crowd's judgments, as for ``crowd``.
        columns: Role to column of the judgments, e.g. ``{"rater": "worker"}``.
        items: What a corpus's annotators judge, where ``judgments`` is a corpus, e.g. ``words:articles``; None: tokens.
        error: Labels that mean an error; none: ``error``.
        ok: Of a sample: labels that mean no error; none: ``ok``.
        unknown: Labels that mean "cannot say".
        sample_key: The key of a judged sample.
        judged: The filled-in sets of the sample.
        title: Its title; empty: made of the names of the data.
        browse: Also every sentence, for a page; otherwise ``no_sentences`` says why there are none.
        no_sentences: What stands in their place.
        command: The command line that makes the report again, to be shown; empty: none.
        adjust: How p-values are adjusted for the number of pairs.
        swaps: Random ways to swap the outputs of two systems; None: as many as the level asks for.
        ci_method: ``bca``, ``percentile``, ``basic`` or ``closed``, which compares no systems.
        resamples: How many resamples.
        confidence: Confidence level, a fraction.
        seed: Of the random streams.
        jobs: How many cores; changes no digit.
        force: Take a text that is not a correction of this corpus.
        retokenize: Give lines that look untokenized the source's tokens.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        warn: Is told before the work what makes it long.

    Raises:
        InputError: If a file is bad.
        UsageError: If there is nothing to report on, or arguments do not fit.
        MissingExtraError: If the library of charts is not installed.
    """
    with_gold, testing = isinstance(gold, Corpus) or bool(gold), SwapPlan(adjust, swaps)
    flags: list[str] = []
    if with_gold:
        systems, flags = _without_flags(systems)
    if flags and judgments is None:
        what = f"{flags[0]} is a table of flags, which are scored against judgments, and there are none"
        raise UsageError(Problem("report-flags", what, fix="add --judgments=FILE"))
    with_systems = bool(systems)
    _check(with_gold, with_systems, judgments is not None, sample_key is not None, bool(judged))
    tested = {"--swaps": swaps, "--adjust": None if adjust == SwapPlan().adjust else adjust}
    of_gold = {"--metric": metrics, **tested}
    of_gold |= {"--page=ceiling-ci": ceiling_ci, "--force": force, "--retokenize": retokenize}
    crowd, sample = judgments is not None, sample_key is not None
    _refuse(of_gold, with_gold, "--gold")
    _refuse({"--error": error, "--unknown": unknown}, crowd or sample, "--judgments, or a judged sample")
    _refuse({"--column": columns, "--items": items}, crowd, "--judgments")
    _refuse({"--ok": ok}, sample, "a judged sample")
    resampling = Resampling(ci_method, resamples, confidence, seed, jobs)
    studies: list[Study] = []
    if with_gold and wants_hoo(gold, metrics):
        if ceiling_ci is not None or force or retokenize:
            what = "intervals of the ceiling, --force and --retokenize are not for HOO data"
            raise UsageError(Problem("useless-option", what, fix="leave them out"))
        texts = None if documents is None else os.fspath(documents)
        read = _Runs(_paths(gold), _paths(systems), texts, lenient)
        studies.append(_hoo(read, metrics, resampling, browse=browse))
    elif with_gold:
        reading = ReadingOptions(unmarked, documents, lenient, False, Admission(force, retokenize))
        wanted = _Wanted(metrics, resampling, testing, ceiling_ci, browse)
        studies.append(_corpus(gold, systems, reading, wanted, warn))
    if judgments is not None:
        how = JudgmentOptions(
            columns=columns,
            unknown=unknown,
            items=items or "tokens",
            documents=documents,
            unmarked=unmarked,
            lenient=lenient,
            shared=with_gold,
        )
        flagged = flags if with_gold else _paths(systems)
        studies.append(_crowd(judgments, flagged, how, error, resampling))
    if sample_key is not None:
        estimated = sample_estimate(
            [os.fspath(each) for each in judged],
            key=os.fspath(sample_key),
            error=error or ("error",),
            ok=ok or ("ok",),
            unknown=unknown,
            confidence=confidence,
            seed=seed,
            lenient=lenient,
        )
        studies.append(study_sample(estimated, NamedFile.parse(os.fspath(sample_key)).name))
    name = title or f"Report on {listed(list(dict.fromkeys(study.name for study in studies)))}"
    without = "" if browse else no_sentences
    made = build_report(studies, title=name, command=command, date=today(), no_sentences=without)
    notes = dict.fromkeys(note for study in studies for note in study.notes)
    return MadeReport(made, studies, tuple(notes), tuple(left_out(studies)))


def _without_flags(systems: Systems) -> tuple[Systems, list[str]]:
    """Systems without those that are tables of flags, and these."""
    if not isinstance(systems, list | tuple):
        return systems, []
    files = {each: NamedFile.parse(str(each)).path for each in systems if isinstance(each, str | os.PathLike)}
    tables = [each for each, path in files.items() if Path(path).is_file() and {"item", "flag"} <= {*header_of(path)}]
    return [each for each in systems if each not in tables], [str(each) for each in tables]


def today() -> str:
    """The date of a report; that of SOURCE_DATE_EPOCH where builds must not differ by day."""
    fixed = os.environ.get(EPOCH, "")
    return str(datetime.fromtimestamp(int(fixed), UTC).date() if fixed.isdecimal() else date.today())


def _check(gold: bool, systems: bool, judgments: bool, key: bool, judged: bool) -> None:
    if not gold and not judgments and not key:
        what = "there is nothing to report on"
        fix = "give --gold and systems, --judgments, or the key and sets of a judged --sample"
        raise UsageError(Problem("report-nothing", what, fix=fix))
    if systems and not gold and not judgments:
        what = "systems are scored against a reference or judgments, and there is neither"
        raise UsageError(Problem("report-systems", what, fix="add --gold=FILE or --judgments=FILE"))
    if key != judged:
        what = "a judged sample is its key and the filled-in sets"
        raise UsageError(Problem("report-sample", what, fix="give both as --sample: the key first"))


def _refuse(options: Mapping[str, object], there: bool, fix: str) -> None:
    """Refuse options about data that is not there."""
    for option, value in options.items():
        if value and not there:
            what = f"{option} is about data that is not given"
            raise UsageError(Problem("useless-option", what, fix=f"leave it out, or add {fix}"))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is computed of a corpus."""

    metrics: Metrics
    resampling: Resampling
    testing: SwapPlan
    ceiling_resamples: int | None
    browse: bool


@dataclass(frozen=True, slots=True)
class _Runs:
    """HOO data to be read."""

    gold: Sequence[str]
    runs: Sequence[str]
    source: str | None
    lenient: bool


def _corpus(
    gold: Gold, systems: Systems, reading: ReadingOptions, wanted: _Wanted, warn: Callable[[Problem], object]
) -> CorpusStudy:
    data = load(gold, systems, reading)
    n_pairs = len(data.systems) * (len(data.systems) - 1) // 2
    if n_pairs > MANY_PAIRS and wanted.resampling.method != "closed":
        what = f"{len(data.systems)} systems make {n_pairs:,} pairs, and comparing them takes most of the time"
        fix = "fewer --swaps or --resamples are quicker; --ci-method=closed compares none"
        warn(Problem("report-many-pairs", what, fix=fix, severity="warning"))
    study = study_corpus(
        data,
        parse_metrics(wanted.metrics, "sentences"),
        wanted.resampling,
        wanted.testing,
        wanted.ceiling_resamples,
        wanted.browse,
    )
    names = [file.name for file in expand_files(_paths(gold))]
    few = len(names) <= MOST_NAMED
    called = ", ".join(names) if few else f"{names[0]} and {len(names) - 1} more files"
    return replace(study, name=called) if names else study


def _hoo(data: _Runs, metrics: Metrics, resampling: Resampling, *, browse: bool) -> HooStudy:
    gold = data.gold
    other = next((path for path in gold if not is_hoo(path)), None)
    if other is not None and any(is_hoo(path) for path in gold):
        what = f"{other} is no HOO data, and other --gold is; a run is scored against one of them"
        raise UsageError(Problem("hoo-metric", what, fix="make two reports"))
    if len(gold) != 1:
        raise UsageError(Problem("hoo-one-gold", f"{len(gold)} gold sets", expected="one folder or file of edits"))
    main, *others = parse_metrics(metrics, "fragments")
    if others:
        what = "a report on HOO data has one metric; its variants are computed anyway"
        raise UsageError(Problem("hoo-metric", what, fix="give --metric once"))
    problems = Problems(lenient=data.lenient)
    (metric,), missing_as_empty = without_missing([parse_hoo(main)])
    fragments = read_gold(gold[0], problems, source=data.source)
    edits = {
        name: read_run(path, name, fragments, problems, missing_as_empty=missing_as_empty)
        for name, path in expand_runs(data.runs)
    }
    problems.raise_errors()
    conventions = ("missing:empty",) if any(note.code == "hoo-missing" for note in problems.notes) else ()
    read = HooData(fragments, edits, NamedFile.parse(gold[0]).name, conventions)
    return study_hoo(read, metric, problems, resampling, browse=browse)


def _crowd(
    judgments: Files, flags: Sequence[Source], options: JudgmentOptions, error: Sequence[str], resampling: Resampling
) -> CrowdStudy:
    problems = Problems(lenient=options.lenient)
    crowd = read_crowd(judgments, options, problems)
    systems = read_systems(flags, crowd, problems)
    name = ", ".join(NamedFile.parse(path).name for path in _paths(judgments))
    return study_crowd(crowd, systems, problems, resampling, name, error)


def _paths(given: object) -> list[str]:
    """The paths of what may be one path, several, or objects in memory, which have none."""
    if isinstance(given, str | os.PathLike):
        return [str(os.fspath(given))]
    if isinstance(given, Mapping):
        return [f"{name}={os.fspath(path)}" for name, path in given.items() if isinstance(path, str | os.PathLike)]
    listed_paths = given if isinstance(given, Sequence) else ()
    return [str(os.fspath(each)) for each in listed_paths if isinstance(each, str | os.PathLike)]
