"""The making of a report from files or objects, for ``errorbar report`` and ``errorbar.report``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Unpack, cast

from errorbar.api.arguments import (
    ArgumentDoc,
    Beta,
    Count,
    Metrics,
    Resampled,
    Useless,
    metrics_of,
    public,
    resampling,
)
from errorbar.api.corpus_results import (
    CorpusStudy,
    CrowdStudy,
    HooData,
    HooStudy,
    Study,
    study_corpus,
    study_crowd,
    study_hoo,
    study_sample,
)
from errorbar.api.crowd import read_systems
from errorbar.api.detector_results import read_detectors, study_detectors, with_detectors
from errorbar.api.hoo_score import HooRuns
from errorbar.api.inputs import (
    RANDOM_POOLS,
    Gold,
    OfReference,
    OfSystems,
    Panels,
    PooledAtRandom,
    ReadingOptions,
    Systems,
    Taking,
    load,
    plan_judges,
    pools_of,
    usual_metric,
)
from errorbar.api.judgment_input import ITEMS, JudgmentOptions, VotesSource, column_roles, read_crowd
from errorbar.api.model_raters import MixedTable, crowd_models
from errorbar.api.own_references import NO_POOLS, OwnReferences, first_reference, list_references, load_own
from errorbar.api.references import read_own_references
from errorbar.api.sample import Labeling, meanings, sample_estimate
from errorbar.core.corpus import Corpus
from errorbar.core.estimate import Method
from errorbar.core.labels import join_words, natural_order
from errorbar.core.problems import Problem, Problems, UsageError
from errorbar.datasets.cards import cache_root, catalog, identify
from errorbar.edits.standoff_runs import read_run
from errorbar.formats.catalog import is_hoo, wants_hoo
from errorbar.formats.hoo import read_gold
from errorbar.formats.look import Source, is_there
from errorbar.formats.reference import NamedFile, expand_files
from errorbar.formats.tables import header_of
from errorbar.formats.text import SPACES
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo_scoring import drop_missing_fragments, parse_hoo
from errorbar.metrics.swaps import SwapPlan
from errorbar.reporting.export import MadeReport
from errorbar.reporting.sections.assemble import make_report
from errorbar.reporting.sections.figures import count_noun
from errorbar.stats.multiple import Adjust
from errorbar.stats.resampling import Resampling

FILLERS = frozenset(
    [
        "annotation",
        "annotations",
        "answers",
        "data",
        "gold",
        "golden",
        "key",
        "judgments",
        "m2",
        "original",
        "ref",
        "refs",
        "reference",
        "references",
        "revised",
    ]
)
"""Names of files and folders that say nothing of what is in them."""
PARTS = frozenset(["dev", "development", "test", "train", "training", "valid", "validation"])
"""Names that say which part of a corpus it is, and not of which."""


def corpus_title(paths: Sequence[str]) -> str:
    """The name of data: by ``name=path``, by their card, by the file, or by the folder that holds them all.

    Only folders that were named count, so that the same command makes the same page wherever it is run.
    """
    files = expand_files(paths)
    if _is_named(paths, files):
        return files[0].name
    places = [Path(file.path) for file in files]
    if card := _card_title([place.absolute() for place in places]):
        return card
    folder = Path(os.path.commonpath([place.parent for place in places]))
    part = ""
    for place in (*places[:1], *places[0].parents) if len(places) == 1 else (folder, *folder.parents):
        name = _stem(place.name)
        if name.casefold() in PARTS and not part:
            part = name
        elif name and name.casefold() not in FILLERS | PARTS:
            return f"{name}, {part}" if part else name
    return files_text([_stem(place.name) for place in places])


def _is_named(paths: Sequence[str], files: Sequence[NamedFile]) -> bool:
    """True if the only file was given a name: ``name=path``."""
    return len(files) == 1 and files[0].path != paths[0]


def files_text(names: Sequence[str]) -> str:
    """Files by their names: ``10 files, A1 to A10`` where these count on, else the first and how many more."""
    more = len(names) - 1
    if not more:
        return names[0]
    ordered = natural_order(names)
    counts = [re.fullmatch(r"(.*?)([0-9]{1,9})", name) for name in ordered]
    known = [(match[1], int(match[2])) for match in counts if match]
    if more > 1 and len(known) == len(names) and known == [(known[0][0], known[0][1] + k) for k in range(len(names))]:
        return f"{len(names):,} files, {ordered[0]} to {ordered[-1]}"
    return f"{names[0]} and {more:,} more file{'s' * (more > 1)}"


def _card_title(places: Sequence[Path]) -> str:
    """The title of the corpus that ``errorbar data fetch`` put there, without what its card says in detail."""
    root = cache_root().absolute()
    folders = {place.relative_to(root).parts[0] for place in places if place.is_relative_to(root)}
    known = catalog()
    if len(folders) != 1 or not all(place.is_relative_to(root) for place in places) or not folders <= known.keys():
        return ""
    return re.split(r": | \(", known[folders.pop()].title)[0]


def _stem(name: str) -> str:
    """The name of a file without endings that say what format it has."""
    return NamedFile.parse(re.sub(r"\.(csv|json|xml)$", "", name)).name


MOST_NAMED = 3
MANY_PAIRS = 1000  # of systems: more are worth a word, since 19,900 take the better part of a minute
ON_REQUEST = "The sentences were left out on request, for data that may not be passed on."


class Making(OfReference, Labeling, OfSystems, Resampled, Panels, OwnReferences, PooledAtRandom, total=False):
    """The arguments of a report beside its data."""

    column: Annotated[
        Mapping[str, str] | str | Sequence[str],
        ArgumentDoc((), "Name of a column of the judgments: of the item, rater or label, e.g. rater=worker."),
    ]
    items: Annotated[
        str | None,
        ArgumentDoc(
            None,
            f"What annotators judge: {ITEMS}. None: tokens of ``judgments``, words where detectors stand beside "
            "``gold``.",
        ),
    ]
    type: Annotated[
        str | Sequence[str],
        ArgumentDoc("", "Of annotators who judge: only edits of this type, or of these, count; empty: all."),
    ]
    ceiling_ci: Annotated[
        int | None, ArgumentDoc(None, "Resamples for intervals of the human ceiling; None: as ``ceiling``.")
    ]
    adjust: Annotated[
        Adjust,
        ArgumentDoc(
            "max-t", "How p-values are adjusted for the number of pairs: max-t, or holm, which takes more swaps."
        ),
    ]
    swaps: Annotated[
        int | None, ArgumentDoc(None, "Random ways to swap two outputs; None: as many as the level asks for.")
    ]
    ci_method: Annotated[
        Method,
        ArgumentDoc(
            "bca",
            "Bootstrap of documents (of sentences where no documents are known), or closed formulas, which compare no "
            "systems.",
        ),
    ]
    jobs: Annotated[Count, ArgumentDoc(1, "Number of processes to use; no digit depends on it.")]
    title: Annotated[str, ArgumentDoc("", "Title of the page; empty: made of the names of the data.")]
    browse: Annotated[
        bool, ArgumentDoc(True, "Also show sentences on a page; else ``no_sentences`` says why there are none.")
    ]
    attacks: Annotated[bool, ArgumentDoc(True, "Also show where degenerate systems land, as ``attack`` does.")]
    no_sentences: Annotated[str, ArgumentDoc(ON_REQUEST, "Sentence that stands in place of the sentences.")]
    most_sentences: Annotated[
        int | None,
        ArgumentDoc(None, "How many sentences a page has at most; None: the 5,000 most telling ones, of 2 MB."),
    ]
    image: Annotated[
        str,
        ArgumentDoc("", "Address on the web of the share card, for pages that show links with pictures; empty: none."),
    ]
    command: Annotated[str, ArgumentDoc("", "The command line that makes the report again, to be shown; empty: none.")]
    warn: Annotated[
        Callable[[Problem], object], ArgumentDoc(lambda _: None, "Is told before the work what makes it long.")
    ]


@public(
    Useless(
        "adjust swaps",
        "is about the comparison, and --ci-method=closed makes none",
        lambda arguments: arguments["ci_method"] == "closed",
    ),
    Useless(
        "pools",
        "needs texts left out, and --ci-method=closed makes intervals by formulas",
        lambda arguments: arguments["ci_method"] == "closed",
    ),
    Useless("drawn_from", "is about --assist, and there is none", lambda arguments: arguments["assist"] is None),
    NO_POOLS,
    RANDOM_POOLS,
)
def report(
    gold: Gold = (),
    systems: Systems = (),
    metric: Metrics = None,
    *,
    beta: Beta = None,
    judgments: VotesSource | None = None,
    sample_key: Source | None = None,
    judged: Sequence[Source] = (),
    assist: Source | None = None,
    drawn_from: Source | Sequence[Source] = (),
    **shared: Unpack[Making],
) -> MadeReport:
    """Put everything about systems and annotators on one page that needs no network.

    Several kinds of data stand in one report: a corpus or HOO data (``gold``), a crowd's ``judgments``, a judged sample
    (``sample_key`` and ``judged``). The numbers are those of ``score``, ``compare``, ``ceiling``, ``agree``, ``crowd``,
    ``curve`` and ``sample_estimate`` for the same input and seed.

    Args:
        systems: Systems, as for ``score``; without ``gold`` those that are scored against the judgments. Beside
            ``gold``, tables ``item,flag,score`` are detectors, as ``detect`` has them: they are scored against the
            judgments, or, without judgments, against the annotators of ``gold``.
        metric: What to compute, e.g. ``m2(beta=1)`` (short: ``beta`` 1); the first is the main metric. None: m2; tokens
            of labels.
        judgments: A crowd's judgments: a table item,rater,label, or what else ``crowd`` takes.
        sample_key: The key of a judged sample.
        judged: The filled-in sets of the sample.
        assist: Judgments of a model of many items of the sample's corpus: the estimates with and without them.
        drawn_from: With ``assist``: the tables of flags that the sample was drawn from.
        labels: What labels mean, as ROLE=LABEL (error=: an error, also a rule such as '<4'; ok=: no error; unknown=:
            'cannot say'; type=: which error types of edits alone count, between commas).
        shared: How data are read, numbers computed and the page made.

    Raises:
        InputError: If a file is bad.
        UsageError: If there is nothing to report on, or arguments do not fit.
    """
    own, testing = shared["reference_of"], SwapPlan(shared["adjust"], shared["swaps"])
    common = isinstance(gold, Corpus) or bool(gold)  # beside which own references get a section
    with_gold, kind_of_data = common or bool(own), gold if common else first_reference(gold, own)
    crowd, sample = judgments is not None, sample_key is not None
    _require_data({"gold": with_gold, "crowd": crowd, "sample": sample}, systems, judged)
    systems, flags = _split_flags(systems) if with_gold else (systems, _paths(systems))
    hoo = with_gold and wants_hoo(kind_of_data, metric)
    _require_fit(flags, hoo=hoo, crowd=crowd, own=bool(own), alone=not common and (crowd or sample or bool(flags)))
    labels, items, lenient = meanings(shared), shared["items"], shared["lenient"]
    tested = {"--swaps": testing.swaps, "--adjust": None if testing.adjust == SwapPlan().adjust else testing.adjust}
    texts = {
        "--force": shared["force"],
        "--retokenize": shared["retokenize"],
        "--tokens": shared["tokens"] != SPACES,
        "--essays": shared["essays"] != "whole",
        "--pools": shared["pools"] is not None,
    }
    texts |= {"--page=ceiling-ci": shared["ceiling_ci"] is not None, "--judges": shared["judges"] is not None}
    judges = plan_judges(shared, shared["ci_method"])
    _refuse({"--metric": metric, "--beta": beta, "--source": shared["source"], **tested, **texts}, with_gold, "--gold")
    kind = ",".join(labels["type"])
    named = {f"--{role}": labels[role] for role in ("error", "unknown")}
    _refuse(named, crowd or sample, "--judgments, or a judged sample")
    _refuse({"--column": shared["column"]}, crowd, "--judgments")
    of_words = {"--items": items, "--labels=type=": kind}
    _refuse(of_words, crowd or bool(flags), "--judgments, or a detector's table")
    _refuse({"--ok": labels["ok"], "--assist": assist}, sample, "a judged sample")
    drawn, browse = resampling(shared, shared["ci_method"], shared["jobs"]), shared["browse"]
    studies: list[Study] = []
    reading = ReadingOptions.of(cast("Taking", {**shared, "as_written": False}))
    if hoo:
        if any(texts.values()):
            message = f"intervals of the ceiling, --judges, and {', '.join(texts)} are not for HOO data"
            raise UsageError(Problem("useless-option", message, fix="leave them out"))
        metrics = metrics_of(metric, beta, "fragments")
        studies.append(_hoo(_paths(gold), systems, reading, metrics, drawn, browse=browse))
    elif with_gold:
        options: dict[str, Any] = {"resampling": drawn, "testing": testing, "ceiling_resamples": shared["ceiling_ci"]}
        options |= {"judges": judges, "pools": pools_of(shared), "browse": browse, "attacks": shared["attacks"]}
        if not crowd:
            options["detectors"] = flags, JudgmentOptions(items=items or "words", type=kind, lenient=lenient)
        metrics = metrics_of(usual_metric(kind_of_data, metric), beta, "sentences")
        options |= {"reference_of": own, "asked_judges": shared["judges"], "common": common}
        studies.append(_corpus(gold, systems, reading, metrics, shared["warn"], **options))
    if judgments is not None:
        labeling: dict[str, Any] = {"documents": reading.documents, "unmarked": reading.unmarked, "lenient": lenient}
        labeling |= {"columns": column_roles(shared["column"]), "unknown": labels["unknown"], "type": kind}
        judging = JudgmentOptions(items=items or "tokens", shared=with_gold, **labeling)
        studies.append(_crowd(judgments, flags, judging, drawn, labels["error"], texts=browse))
    if sample_key is not None:
        filled, key = [os.fspath(source) for source in judged], os.fspath(sample_key)
        drawing: dict[str, Any] = {"confidence": drawn.confidence_level, "seed": drawn.seed}
        drawing |= {role: labels[role] for role in ("error", "ok", "unknown")}
        estimated = sample_estimate(filled, key=key, lenient=lenient, assist=assist, flags=drawn_from, **drawing)
        studies.append(study_sample(estimated, NamedFile.parse(key).name))
    return make_report(
        studies,
        shared["title"]
        or ("" if common or not own else own_title(list_references(own)))
        or _known_title(gold, studies)
        or _title(gold, judgments, sample_key),
        shared["command"],
        "" if browse else shared["no_sentences"],
        shared["most_sentences"],
        shared["image"],
    )


def _known_title(gold: Gold, studies: Sequence[Study]) -> str:
    """The title of a page about files that the catalog knows by their content, and nothing else; empty for others."""
    study, paths = studies[0], [] if isinstance(gold, Corpus) else _paths(gold)
    files = expand_files(paths)
    if len(studies) > 1 or not isinstance(study, CorpusStudy) or _is_named(paths, files):
        return ""
    corpus = identify([Path(file.path) for file in files])
    if corpus is None:
        return ""
    systems = f"{count_noun(len(study.scores), 'system')} against " if study.scores else ""
    return f"{corpus.short or corpus.title}: {systems}{count_noun(len(study.annotators), 'annotator')}"


def own_title(systems: Iterable[str]) -> str:
    """The name of the data of references that were made for each system."""
    return f"Own references of {join_words(list(systems))}"


def _title(gold: Gold, *others: object) -> str:
    """The title of the page: the names of its data."""
    titles = [corpus_title(paths) for paths in map(_paths, (gold, *others)) if paths]
    if isinstance(gold, Corpus):
        titles = [gold.name or "Report", *titles]
    return join_words(list(dict.fromkeys(titles)))


def _require_data(there: Mapping[str, bool], systems: Systems, judged: Sequence[Source]) -> None:
    if not any(there.values()):
        fix = "give --gold and systems, --judgments, or the key and sets of a judged --sample"
        raise UsageError(Problem("report-nothing", "there is nothing to report on", fix=fix))
    if systems and not there["gold"] and not there["crowd"]:
        message = "systems are scored against a reference or judgments, and there is neither"
        raise UsageError(Problem("report-systems", message, fix="add --gold=FILE or --judgments=FILE"))
    if there["sample"] != bool(judged):
        message = "a judged sample is its key and the filled-in sets"
        raise UsageError(Problem("report-sample", message, fix="give both as --sample: the key first"))


def _require_fit(flags: Sequence[str], *, hoo: bool, crowd: bool, own: bool, alone: bool) -> None:
    """Refuse references of systems, and tables of flags, beside data that they are not for.

    ``alone``: there is no common gold, and there are data of raters.
    """
    if own and (hoo or alone):
        message = "--reference-of is for systems that correct sentences, not for HOO data, flags and judgments"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    if flags and hoo and not crowd:
        message = f"{flags[0]} is a table of flags, which are scored against judgments or edits of tokens, not HOO data"
        raise UsageError(Problem("report-flags", message, fix="add --judgments=FILE, or leave it out"))


def _split_flags(systems: Systems) -> tuple[Systems, list[str]]:
    """Systems without those that are tables of flags, and these."""
    if isinstance(systems, Mapping):
        tables = _split_flags([f"{name}={path}" for name, path in systems.items() if _is_path(path)])[1]
        left = {NamedFile.parse(table).name for table in tables}
        return {name: system for name, system in systems.items() if name not in left}, tables
    if not isinstance(systems, list | tuple | str | os.PathLike):
        return systems, []
    every: Sequence[Any] = systems if isinstance(systems, list | tuple) else [systems]
    files = {system: NamedFile.parse(str(system)).path for system in every if _is_path(system)}
    there = {system: path for system, path in files.items() if is_there(path) and Path(path).is_file()}
    flags = [system for system, path in there.items() if {"item", "flag"} <= {*header_of(path)}]
    return [system for system in every if system not in flags], [str(system) for system in flags]


def _refuse(options: Mapping[str, object], there: bool, fix: str) -> None:  # options about data that is not there
    for option, value in options.items():
        if value and not there:
            message = f"{option} is about data that is not given"
            raise UsageError(Problem("useless-option", message, fix=f"leave it out, or add {fix}"))


def _corpus(
    gold: Gold,
    systems: Systems,
    reading: ReadingOptions,
    metrics: Sequence[Metric],
    warn: Callable[[Problem], object],
    **how: Any,  # noqa: ANN401 - as study_corpus takes it, and the detectors
) -> CorpusStudy:
    own, asked_judges, common = (how.pop(name) for name in ("reference_of", "asked_judges", "common"))
    reading = reading.for_metrics(metrics)
    data = load(gold, systems, reading) if common else load_own(gold, systems, own, reading, asked_judges)
    n_pairs = len(data.systems) * (len(data.systems) - 1) // 2
    if n_pairs > MANY_PAIRS and how["resampling"].method != "closed":
        message = f"{len(data.systems)} systems make {n_pairs:,} pairs, and comparing them takes most of the time"
        fix = "fewer --swaps or --resamples are quicker; --ci-method=closed compares none"
        warn(Problem("report-many-pairs", message, fix=fix, severity="warning"))
    flags, asked = how.pop("detectors", ((), None))
    if own and common:
        how["own"] = read_own_references(own, data, reading)
        data.problems.raise_errors()
    study = study_corpus(data, metrics, **how)
    if flags:
        study = with_detectors(study, data.corpus, flags, asked, how["resampling"], texts=how["browse"])
    names = [file.name for file in expand_files(_paths(gold))]
    called = ", ".join(names) if len(names) <= MOST_NAMED else files_text(names)
    if not common:
        called = own_title(data.own)
    return replace(study, name=called) if called else study


def _hoo(
    gold: Sequence[str],
    systems: Systems,
    reading: ReadingOptions,
    metrics: Sequence[Metric],
    resampling: Resampling,
    *,
    browse: bool,
) -> HooStudy:
    other = next((path for path in gold if not is_hoo(path)), None)
    if other is not None and any(is_hoo(path) for path in gold):
        message = f"{other} is no HOO data, and other --gold is; a run is scored against one of them"
        raise UsageError(Problem("hoo-metric", message, fix="make two reports"))
    runs = HooRuns(gold, systems)
    path = runs.gold_path()
    main, *others = metrics
    if others:
        message = "a report on HOO data has one metric; its variants are computed anyway"
        raise UsageError(Problem("hoo-metric", message, fix="give --metric once"))
    problems = Problems(lenient=reading.lenient)
    (metric,), missing_as_empty = drop_missing_fragments([parse_hoo(main)])
    source = reading.source_folder
    fragments = read_gold(path, problems, source=source)
    edits = {
        name: read_run(run, name, fragments, problems, missing_as_empty=missing_as_empty)
        for name, run in runs.run_paths()
    }
    problems.raise_errors()
    conventions = ("missing:empty",) if any(note.code == "hoo-missing" for note in problems.notes) else ()
    read = HooData(fragments, edits, NamedFile.parse(path).name, conventions)
    return study_hoo(read, metric, problems, resampling, browse=browse)


def _crowd(
    judgments: VotesSource,
    flags: Sequence[str],
    asked: JudgmentOptions,
    drawn: Resampling,
    error: Sequence[str],
    *,
    texts: bool,
) -> CrowdStudy:
    problems = asked.problems()
    read = read_crowd(judgments, asked, problems)
    flagged = read_systems(flags, read, problems)
    name = ", ".join(NamedFile.parse(path).name for path in _paths(judgments))
    study = study_crowd(read, flagged, problems, drawn, name, error)
    if any(note.code == "judgments-models" for note in problems.notes):
        models = crowd_models(
            cast("MixedTable", judgments),
            column=asked.columns or {},
            error=error,
            unknown=asked.unknown,
            confidence=drawn.confidence_level,
            lenient=asked.lenient,
        )
        study = replace(study, models=models)
    scored = [path for path in flags if "score" in header_of(NamedFile.parse(path).path)]
    if not scored:
        return study
    own = asked.problems()
    detectors = study_detectors(read, read_detectors(scored, own), own, drawn, error=error, texts=texts)
    return replace(study, detectors=detectors, notes=list(dict.fromkeys([*study.notes, *own.notes])))


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _paths(source: object) -> list[str]:
    """The paths of what may be one path, several, or objects in memory, which have none."""
    if isinstance(source, Mapping):
        return [f"{name}={os.fspath(path)}" for name, path in source.items() if isinstance(path, str | os.PathLike)]
    paths = [source] if isinstance(source, str | os.PathLike) else source if isinstance(source, Sequence) else ()
    return [str(os.fspath(path)) for path in paths if isinstance(path, str | os.PathLike)]
