"""One page from files or objects: what ``errorbar report`` and ``errorbar.report`` make."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.standoff_reading import read_run
from errorbar.formats.catalog import is_hoo, wants_hoo
from errorbar.formats.hoo_folder import read_gold
from errorbar.formats.opening import Source
from errorbar.formats.reference import NamedFile, Unmarked, expand_files
from errorbar.formats.tables import header_of
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo_scoring import parse_hoo, without_missing
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.swaps import Adjust, SwapPlan
from errorbar.reporting.export import MadeReport
from errorbar.reporting.sections.assemble import made_report
from errorbar.stats.resampling import Method, Resampling
from errorbar.studies.budgets import study_sample
from errorbar.studies.corpus_study import study_corpus
from errorbar.studies.crowd_study import study_crowd
from errorbar.studies.flag_input import read_systems
from errorbar.studies.hoo_scores import Runs
from errorbar.studies.hoo_study import study_hoo
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, load
from errorbar.studies.judgment_input import Files, JudgmentOptions, read_crowd
from errorbar.studies.model import CorpusStudy, HooStudy, Study
from errorbar.studies.sample import sample_estimate

Metrics = Metric | str | Sequence[Metric | str] | None
MOST_NAMED = 3
MANY_PAIRS = 1000  # of systems: more are worth a word, since 19,900 take the better part of a minute
ON_REQUEST = "The sentences were left out on request, for data that may not be passed on."


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
    """
    with_gold, testing = isinstance(gold, Corpus) or bool(gold), SwapPlan(adjust, swaps)
    crowd, sample = judgments is not None, sample_key is not None
    if not with_gold and not crowd and not sample:
        fix = "give --gold and systems, --judgments, or the key and sets of a judged --sample"
        raise UsageError(Problem("report-nothing", "there is nothing to report on", fix=fix))
    if systems and not with_gold and not crowd:
        what = "systems are scored against a reference or judgments, and there is neither"
        raise UsageError(Problem("report-systems", what, fix="add --gold=FILE or --judgments=FILE"))
    if sample != bool(judged):
        what = "a judged sample is its key and the filled-in sets"
        raise UsageError(Problem("report-sample", what, fix="give both as --sample: the key first"))
    systems, flags = _without_flags(systems) if with_gold else (systems, _paths(systems))
    if flags and not crowd:
        what = f"{flags[0]} is a table of flags, which are scored against judgments, and there are none"
        raise UsageError(Problem("report-flags", what, fix="add --judgments=FILE"))
    tested = {"--swaps": swaps, "--adjust": None if adjust == SwapPlan().adjust else adjust}
    texts = {"--page=ceiling-ci": ceiling_ci, "--force": force, "--retokenize": retokenize}
    _refuse({"--metric": metrics, **tested, **texts}, with_gold, "--gold")
    _refuse({"--error": error, "--unknown": unknown}, crowd or sample, "--judgments, or a judged sample")
    _refuse({"--column": columns, "--items": items}, crowd, "--judgments")
    _refuse({"--ok": ok}, sample, "a judged sample")
    resampling = Resampling(ci_method, resamples, confidence, seed, jobs)
    studies: list[Study] = []
    reading = ReadingOptions(unmarked, documents, lenient, False, Admission(force, retokenize))
    if with_gold and wants_hoo(gold, metrics):
        if any(texts.values()):
            what = "intervals of the ceiling, --force and --retokenize are not for HOO data"
            raise UsageError(Problem("useless-option", what, fix="leave them out"))
        studies.append(_hoo(_paths(gold), systems, reading, metrics, resampling, browse=browse))
    elif with_gold:
        how = {"resampling": resampling, "testing": testing, "ceiling_resamples": ceiling_ci, "browse": browse}
        studies.append(_corpus(gold, systems, reading, metrics, warn, **how))
    if judgments is not None:
        told: dict[str, Any] = {"documents": documents, "unmarked": unmarked, "lenient": lenient}
        asked = JudgmentOptions(columns=columns, unknown=unknown, items=items or "tokens", shared=with_gold, **told)
        problems = Problems(lenient=lenient)
        read = read_crowd(judgments, asked, problems)
        flagged = read_systems(flags, read, problems)
        name = ", ".join(NamedFile.parse(path).name for path in _paths(judgments))
        studies.append(study_crowd(read, flagged, problems, name=name, error=error, resampling=resampling))
    if sample_key is not None:
        labels: dict[str, Any] = {"error": error or ("error",), "ok": ok or ("ok",), "unknown": unknown}
        filled, key = [os.fspath(each) for each in judged], os.fspath(sample_key)
        estimated = sample_estimate(filled, key=key, confidence=confidence, seed=seed, lenient=lenient, **labels)
        studies.append(study_sample(estimated, NamedFile.parse(key).name))
    return made_report(studies, title, command, "" if browse else no_sentences)


def _without_flags(systems: Systems) -> tuple[Systems, list[str]]:
    """Systems without those that are tables of flags, and these."""
    if not isinstance(systems, list | tuple):
        return systems, []
    files = {each: NamedFile.parse(str(each)).path for each in systems if isinstance(each, str | os.PathLike)}
    tables = [each for each, path in files.items() if Path(path).is_file() and {"item", "flag"} <= {*header_of(path)}]
    return [each for each in systems if each not in tables], [str(each) for each in tables]


def _refuse(options: Mapping[str, object], there: bool, fix: str) -> None:  # options about data that is not there
    for option, value in options.items():
        if value and not there:
            what = f"{option} is about data that is not given"
            raise UsageError(Problem("useless-option", what, fix=f"leave it out, or add {fix}"))


def _corpus(
    gold: Gold,
    systems: Systems,
    reading: ReadingOptions,
    metrics: Metrics,
    warn: Callable[[Problem], object],
    **how: Any,  # noqa: ANN401 - as study_corpus takes it
) -> CorpusStudy:
    main, *others = parse_metrics(metrics, "sentences")
    data = load(gold, systems, reading)
    n_pairs = len(data.systems) * (len(data.systems) - 1) // 2
    if n_pairs > MANY_PAIRS and how["resampling"].method != "closed":
        what = f"{len(data.systems)} systems make {n_pairs:,} pairs, and comparing them takes most of the time"
        fix = "fewer --swaps or --resamples are quicker; --ci-method=closed compares none"
        warn(Problem("report-many-pairs", what, fix=fix, severity="warning"))
    study = study_corpus(data, main, metrics=others, force=reading.admission.force, **how)
    names = [file.name for file in expand_files(_paths(gold))]
    called = ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} more files"
    return replace(study, name=called) if names else study


def _hoo(
    gold: Sequence[str],
    systems: Systems,
    reading: ReadingOptions,
    metrics: Metrics,
    resampling: Resampling,
    *,
    browse: bool,
) -> HooStudy:
    other = next((path for path in gold if not is_hoo(path)), None)
    if other is not None and any(is_hoo(path) for path in gold):
        what = f"{other} is no HOO data, and other --gold is; a run is scored against one of them"
        raise UsageError(Problem("hoo-metric", what, fix="make two reports"))
    runs = Runs(gold, systems)
    path = runs.gold_path()
    main, *others = parse_metrics(metrics, "fragments")
    if others:
        what = "a report on HOO data has one metric; its variants are computed anyway"
        raise UsageError(Problem("hoo-metric", what, fix="give --metric once"))
    problems = Problems(lenient=reading.lenient)
    (metric,), missing_as_empty = without_missing([parse_hoo(main)])
    source = None if reading.documents is None else os.fspath(reading.documents)
    fragments = read_gold(path, problems, source=source)
    edits = {
        name: read_run(run, name, fragments, problems, missing_as_empty=missing_as_empty)
        for name, run in runs.run_paths()
    }
    problems.raise_errors()
    return study_hoo(
        fragments,
        edits,
        metric,
        problems,
        resampling=resampling,
        name=NamedFile.parse(path).name,
        conventions=("missing:empty",) if any(note.code == "hoo-missing" for note in problems.notes) else (),
        browse=browse,
    )


def _paths(given: object) -> list[str]:
    """The paths of what may be one path, several, or objects in memory, which have none."""
    if isinstance(given, Mapping):
        return [f"{name}={os.fspath(path)}" for name, path in given.items() if isinstance(path, str | os.PathLike)]
    paths = [given] if isinstance(given, str | os.PathLike) else given if isinstance(given, Sequence) else ()
    return [str(os.fspath(each)) for each in paths if isinstance(each, str | os.PathLike)]
