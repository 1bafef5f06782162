"""What ``errorbar report`` reads: a corpus or HOO data, a crowd's judgments, a judged sample; each becomes a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from errorbar.cli.hoo_routing import HOO, wants_hoo
from errorbar.cli.options import show_notes
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.formats.hoo_detect import is_hoo
from errorbar.formats.reference import NamedFile, Unmarked, expand_files, refuse_same_names
from errorbar.metrics.swaps import SwapPlan
from errorbar.stats.resampling import Resampling
from errorbar.studies.model import CorpusStudy, CrowdStudy, HooStudy, SampleStudy, Study

if TYPE_CHECKING:
    from errorbar.edits.items import Projection

MOST_NAMED = 3
MANY_PAIRS = 1000
"""More pairs of systems than this are worth a word: they take seconds, 19,900 the better part of a minute."""
CURVE_RESAMPLES = 1000
"""As many as `errorbar curve` takes when it is not told."""


@dataclass(frozen=True, slots=True)
class ReportInput:
    """What was asked for; as the options of the command."""

    systems: tuple[str, ...]
    gold: tuple[str, ...]
    specs: tuple[str, ...]
    documents: str | None
    unmarked: Unmarked
    source: str | None
    missing_as_empty: bool
    ceiling_resamples: int | None
    judgments: str | None
    columns: tuple[str, ...]
    items: str | None
    words: str | None
    flags: tuple[str, ...]
    errors: tuple[str, ...]
    ok: str | None
    unknown: tuple[str, ...]
    sample_key: str | None
    judged: tuple[str, ...]
    browse: bool
    lenient: bool
    resampling: Resampling
    testing: SwapPlan = field(default_factory=SwapPlan)
    admission: Admission = Admission()  # noqa: RUF009 - frozen


def studies(asked: ReportInput, progress: Callable[[int], object]) -> list[Study]:
    """Read and compute everything.

    Raises:
        InputError: If a file is bad.
        UsageError: If there is nothing to report on, or options do not fit.
    """
    _check(asked)
    made: list[Study] = []
    if asked.gold:
        made.append(_hoo(asked) if wants_hoo(asked.gold, asked.specs) else _corpus(asked))
    if asked.judgments is not None:
        made.append(_crowd(asked, asked.judgments))
    if asked.sample_key is not None:
        made.append(_sample(asked, asked.sample_key))
    progress(1)
    return made


def refuse_overwriting(asked: ReportInput, out: str) -> None:
    """See that the report does not take the place of what it reads.

    Raises:
        InputError: If it would, or if a pattern matches no file.
        UsageError: The same for an option that names a file.
    """
    named = [*asked.systems, *asked.flags, *asked.judged]
    named += [each for each in (asked.documents, asked.judgments, asked.sample_key) if each is not None]
    paths = [file.path for file in expand_files(asked.gold)] + [NamedFile.parse(each).path for each in named]
    target = Path(out)
    if target.is_file() and any(Path(path).exists() and target.samefile(path) for path in paths):
        what = "the report would overwrite what it reads"
        raise UsageError(Problem("report-over-input", what, Place(out), fix="name another file, e.g. -o report.html"))


def _check(asked: ReportInput) -> None:
    if not asked.gold and asked.judgments is None and asked.sample_key is None:
        what = "there is nothing to report on"
        fix = "give --gold and systems, --judgments, or --sample-key and --judged"
        raise UsageError(Problem("report-nothing", what, fix=fix))
    if asked.flags and asked.judgments is None:
        what = "--flags are scored against judgments, and there are none"
        raise UsageError(Problem("report-flags", what, fix="add --judgments FILE"))
    if asked.systems and not asked.gold and asked.judgments is None:
        what = "systems are scored against a reference or judgments, and there is neither"
        raise UsageError(Problem("report-systems", what, fix="add --gold FILE or --judgments FILE"))
    if (asked.sample_key is None) != (not asked.judged):
        what = "a judged sample is its key and the filled-in sets"
        raise UsageError(Problem("report-sample", what, fix="give both --sample-key and --judged"))
    _check_useless(asked)


def _check_useless(asked: ReportInput) -> None:
    """Refuse options about data that is not there."""
    corpus = {"--metric": asked.specs, "--source": asked.source, "--missing-as-empty": asked.missing_as_empty}
    default = asked.testing.adjust == SwapPlan().adjust
    tests = {"--swaps": asked.testing.swaps, "--adjust": None if default else asked.testing.adjust}
    labels = {"--error": asked.errors, "--unknown": asked.unknown}
    for options, there, fix in (
        ({**corpus, **tests, "--ceiling-ci": asked.ceiling_resamples}, bool(asked.gold), "--gold"),
        ({"--force": asked.admission.force, "--retokenize": asked.admission.retokenize}, bool(asked.gold), "--gold"),
        (labels, asked.judgments is not None or asked.sample_key is not None, "--judgments, or --sample-key"),
        ({"--column": asked.columns, "--items": asked.items}, asked.judgments is not None, "--judgments"),
        ({"--words": asked.words}, asked.items == "words", "--items words"),
        ({"--ok": asked.ok}, asked.sample_key is not None, "--sample-key"),
    ):
        for option, value in options.items():
            if value and not there:
                what = f"{option} is about data that is not given"
                raise UsageError(Problem("useless-option", what, fix=f"leave it out, or add {fix}"))


def _named(files: list[NamedFile]) -> str:
    names = [file.name for file in files]
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} more files"


def _corpus(asked: ReportInput) -> CorpusStudy:
    from errorbar.metrics.registry import DEFAULT, parse_metric
    from errorbar.studies.corpus import study_corpus
    from errorbar.studies.inputs import ReadingOptions, load

    metrics = [parse_metric(spec) for spec in asked.specs or (DEFAULT,)]
    if asked.source is not None or asked.missing_as_empty:
        what = "--source and --missing-as-empty are for HOO data"
        raise UsageError(Problem("useless-option", what, fix="leave them out, or name a HOO folder"))
    reading = ReadingOptions(asked.unmarked, asked.documents, asked.lenient, admission=asked.admission)
    data = load(asked.gold, asked.systems, reading)
    n_pairs = len(data.systems) * (len(data.systems) - 1) // 2
    if n_pairs > MANY_PAIRS and asked.resampling.method != "closed":
        # Said before the work: it is why somebody waits.
        what = f"{len(data.systems)} systems make {n_pairs:,} pairs, and comparing them takes most of the time"
        fix = "fewer --swaps or --resamples are quicker; --ci-method closed compares none"
        show_notes([Problem("report-many-pairs", what, fix=fix, severity="warning")])
    study = study_corpus(
        data.corpus,
        data.systems,
        metrics[0],
        data.problems,
        data.documents,
        resampling=asked.resampling,
        testing=asked.testing,
        conventions=data.conventions,
        metrics=metrics[1:],
        ceiling_resamples=asked.ceiling_resamples,
        jobs=asked.resampling.jobs,
        browse=asked.browse,
        force=asked.admission.force,
    )
    return replace(study, name=_named(expand_files(asked.gold)))


def _hoo(asked: ReportInput) -> HooStudy:
    from errorbar.edits.standoff_runs import run_edits
    from errorbar.formats.hoo_files import expand_runs
    from errorbar.formats.hoo_folder import read_gold, read_run
    from errorbar.metrics.hoo import parse_hoo
    from errorbar.studies.hoo import study_hoo

    other = next((path for path in asked.gold if not is_hoo(path)), None)
    if other is not None and any(is_hoo(path) for path in asked.gold):
        what = f"{other} is no HOO data, and other --gold is; a run is scored against one of them"
        raise UsageError(Problem("hoo-metric", what, fix="make two reports"))
    if len(asked.gold) != 1:
        raise UsageError(
            Problem("hoo-one-gold", f"{len(asked.gold)} gold sets", expected="one folder or file of edits")
        )
    if len(asked.specs) > 1:
        what = "a report on HOO data has one metric; its variants are computed anyway"
        raise UsageError(Problem("hoo-metric", what, fix="give --metric once"))
    admission = asked.admission
    if asked.ceiling_resamples is not None or asked.documents is not None or admission.force or admission.retokenize:
        what = "--ceiling-ci, --documents, --force and --retokenize are not for HOO data"
        raise UsageError(Problem("useless-option", what, fix="leave them out"))
    problems = Problems(lenient=asked.lenient)
    fragments = read_gold(asked.gold[0], problems, source=asked.source)
    edits = {
        name: run_edits(
            read_run(path, name, fragments, problems), fragments, problems, missing_as_empty=asked.missing_as_empty
        )
        for name, path in expand_runs(asked.systems)
    }
    problems.raise_errors()
    return study_hoo(
        fragments,
        edits,
        parse_hoo(asked.specs[0] if asked.specs else HOO),
        problems,
        resampling=asked.resampling,
        name=NamedFile.parse(asked.gold[0]).name,
        conventions=("missing:empty",) if any(note.code == "hoo-missing" for note in problems.notes) else (),
        browse=asked.browse,
    )


def _crowd(asked: ReportInput, judgments: str) -> CrowdStudy:
    from errorbar.cli.crowd_input import CrowdSource, read_crowd, system_flags
    from errorbar.studies.crowd import study_crowd
    from errorbar.studies.signatures import GIVEN

    problems = Problems(lenient=asked.lenient)
    items, words = asked.items or "tokens", asked.words or "prepositions"
    source = CrowdSource(
        "auto",
        asked.columns,
        (),
        asked.unknown,
        "refuse",
        cast("Projection", items),
        words,
        "",
        asked.documents,
        asked.unmarked,
        shared=bool(asked.gold),
    )
    crowd = read_crowd(judgments, source, problems)
    files = asked.flags if asked.gold else (*asked.flags, *asked.systems)
    flags = dict(system_flags(path, crowd, problems) for path in files)
    if len(flags) < len(files):
        refuse_same_names([NamedFile.parse(path) for path in files], "systems")
    projected = f"items={items}{f',words={words}' if items == 'words' else ''},labels=error"
    how = GIVEN if crowd.corpus is None else projected
    return study_crowd(
        crowd.judgments,
        flags,
        problems,
        name=NamedFile.parse(judgments).name,
        clusters=crowd.clusters,
        error=asked.errors,
        seed=asked.resampling.seed,
        resamples=asked.resampling.replicates,
        curve_resamples=min(asked.resampling.replicates, CURVE_RESAMPLES),
        confidence_level=asked.resampling.confidence_level,
        how=how,
    )


def _sample(asked: ReportInput, key_file: str) -> SampleStudy:
    from errorbar.studies.budgets import study_sample
    from errorbar.studies.sample import sample_estimate

    estimated = sample_estimate(
        asked.judged,
        key=key_file,
        error=asked.errors or ("error",),
        ok=(asked.ok or "ok",),
        unknown=asked.unknown,
        confidence=asked.resampling.confidence_level,
        seed=asked.resampling.seed,
        lenient=asked.lenient,
    )
    return study_sample(estimated, NamedFile.parse(key_file).name)
