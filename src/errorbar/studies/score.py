"""Systems against annotators: what ``errorbar score`` and ``errorbar.score`` compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from errorbar.core.errors import Problem, UsageError
from errorbar.edits.admission import Admission
from errorbar.execute import choose_executor
from errorbar.formats.hoo_detect import FragmentOptions, wants_hoo
from errorbar.formats.opening import Source
from errorbar.formats.reference import Unmarked
from errorbar.metrics.base import Metric, lacking
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.scoring import Plan, score_pieces
from errorbar.stats.resampling import MOST_UNASKED, Method, Resampling
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, read_pieces
from errorbar.studies.score_result import Scores


def score(
    gold: Gold,
    systems: Systems,
    metrics: Metric | str | Sequence[Metric | str] | None = None,
    *,
    annotator: str | None = None,
    by_type: bool = False,
    by_sentence: bool = False,
    ci: bool | None = None,
    ci_method: Method = "bca",
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    unmarked: Unmarked = "auto",
    documents: Source | None = None,
    as_written: bool = False,
    lenient: bool = False,
    force: bool = False,
    retokenize: bool = False,
    jobs: int = 1,
    dask: str | None = None,
    fragments: FragmentOptions = FragmentOptions(),  # noqa: B008 - frozen
    progress: Callable[[int], object] = lambda _: None,
) -> Scores:
    """Score systems against one or several annotators.

    Args:
        gold: The reference: a path or several over the same sentences, ``name=path``, a pattern, or a ``Corpus``; or
            one file or folder of HOO edits, for which systems are runs: folders of edits or corrected texts.
        systems: Paths, ``name=path``, ``{name: path}``, or ``Hypothesis`` objects.
        metrics: What to compute: metrics, or specs such as ``"m2(beta=1)"``; None: M2, or HOO of HOO data.
        annotator: Score against this annotator alone.
        by_type: Also scores of each error type.
        by_sentence: Also the part of each sentence.
        ci: Make confidence intervals; None: up to 20,000 sentences, and not beside ``by_sentence``.
        ci_method: ``bca``, ``percentile`` or ``basic`` (bootstrap over documents, or sentences where no documents are
            known), or ``closed`` (formulas).
        resamples: How many resamples.
        confidence: Confidence level, a fraction.
        seed: Of the random streams.
        unmarked: Who looked at a sentence of M2 without any A line.
        documents: NUCLE SGML that tells the document of each sentence.
        as_written: Keep reference edits as they are written.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        force: Take a text that is not a correction of this corpus.
        retokenize: Give lines that look untokenized the source's tokens.
        jobs: How many cores; changes no digit.
        dask: Address of a Dask scheduler to work on, or ``local``.
        fragments: Of HOO data: where source texts are, and what becomes of fragments that a run lacks.
        progress: Is told the number of sentences done.

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a file is bad, or a system has another number of sentences than the source or is no correction.
        UsageError: If an argument will not do, or a metric cannot give what is asked for.
    """
    if by_type and by_sentence:
        raise UsageError(Problem("two-views", "--by-type and --by-sentence cannot be combined", fix="give one of them"))
    if fragments.best and (by_type or by_sentence):
        what = "--by-type, --by-fragment and --best cannot be combined"
        raise UsageError(Problem("two-views", what, fix="give one of them"))
    wanted = not by_sentence if ci is None else ci
    resampling = Resampling(ci_method, resamples, confidence, seed, jobs) if wanted else None
    reading = ReadingOptions(unmarked, documents, lenient, as_written, Admission(force, retokenize))
    most = MOST_UNASKED if ci is None else None
    if wants_hoo(gold, metrics):
        from errorbar.studies.hoo_scores import Runs, score_hoo  # noqa: PLC0415 - another kind of data

        unused = {"--annotator": annotator, "--documents": documents, "--unmarked": unmarked != "auto"}
        unused |= {"--as-written": as_written, "--force": force, "--retokenize": retokenize}
        _refuse(unused, "has no meaning for HOO data", "leave it out")
        runs = Runs(gold, systems, fragments, lenient, jobs, dask)
        found = score_hoo(runs, metrics, resampling=resampling, most=most, progress=progress)
        return replace(found, by_type=by_type, by_sentence=by_sentence)
    useless = {"--source": fragments.source, "--types": fragments.types, "--best": fragments.best}
    useless |= {"--missing-as-empty": fragments.missing_as_empty}
    _refuse(useless, "is for HOO data", "leave it out, or score a HOO folder")
    parsed = parse_metrics(metrics, "sentences")
    if annotator is not None:
        parsed = [metric.against(annotator) for metric in parsed]
    for metric in parsed:
        if by_type and "types" in metric.lacks:
            raise lacking(metric, "types")
    with choose_executor(jobs, dask) as executor, read_pieces(gold, systems, reading, executor) as read:
        plan = Plan(
            parsed,
            by_type,
            by_sentence,
            resampling,
            tuple(each for each in read.conventions if each not in read.admission.conventions),
            read.admission,
            most=most,
        )
        scores = score_pieces(read.pieces, read.systems, plan, read.problems, progress=progress, executor=executor)
    return Scores(scores, tuple(read.problems.notes), by_type, by_sentence)


def _refuse(options: Mapping[str, object], why: str, fix: str) -> None:
    for name, value in options.items():
        if value:
            raise UsageError(Problem("useless-option", f"{name} {why}", fix=fix))
