"""Systems against annotators: what ``errorbar score`` and ``errorbar.score`` compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, get_args

from errorbar.core.errors import Problem, UsageError
from errorbar.edits.admission import Admission
from errorbar.execute import choose_executor, read_jobs
from errorbar.formats.catalog import wants_hoo
from errorbar.formats.opening import Source
from errorbar.formats.reference import Unmarked
from errorbar.metrics.base import Metric, lacking
from errorbar.metrics.folding import Plan
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.scoring import score_pieces
from errorbar.stats.resampling import MOST_UNASKED, Method, Resampling
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, read_pieces
from errorbar.studies.score_result import Scores

View = Literal["type", "sentence", "fragment", "team"]


def score(
    gold: Gold,
    systems: Systems,
    metrics: Metric | str | Sequence[Metric | str] | None = None,
    *,
    by: View | None = None,
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
    jobs: int | str = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Scores:
    """Score systems against one or several annotators.

    Args:
        gold: The reference: a path or several over the same sentences, ``name=path``, a pattern, or a ``Corpus``; or
            one file or folder of HOO edits, for which systems are runs: folders of edits or corrected texts.
        systems: Paths, ``name=path``, ``{name: path}``, or ``Hypothesis`` objects.
        metrics: What to compute: metrics, or specs such as ``"m2(beta=1)"``; None: M2, or HOO of HOO data.
        by: Also scores of each error ``type``, or the part of each ``sentence`` (``fragment`` of HOO data); of HOO data
            also ``team``: the best run of each.
        ci: Make confidence intervals; None: up to 20,000 sentences, and not beside parts of sentences.
        ci_method: ``bca``, ``percentile`` or ``basic`` (bootstrap over documents, or sentences where no documents are
            known), or ``closed`` (formulas).
        resamples: How many resamples.
        confidence: Confidence level, a fraction.
        seed: Of the random streams.
        unmarked: Who looked at a sentence of M2 without any A line.
        documents: NUCLE SGML that tells the document of each sentence; of HOO data the source texts, where these are
            not in ``Raw`` beside ``Gold``.
        as_written: Keep reference edits as they are written.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        force: Take a text that is not a correction of this corpus.
        retokenize: Give lines that look untokenized the source's tokens.
        jobs: How many cores; or the address of a Dask scheduler to work on, or ``local`` or ``local:N``, a Dask cluster
            of this machine. Changes no digit.
        progress: Is told the number of sentences done.

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a file is bad, or a system has another number of sentences than the source or is no correction.
        UsageError: If an argument will not do, or a metric cannot give what is asked for.
    """
    if by not in (None, *get_args(View)):
        what = f"by must be one of {', '.join(get_args(View))}, got {by!r}"
        raise UsageError(Problem("bad-parameter", what))
    by_type, by_sentence = by == "type", by in ("sentence", "fragment")
    wanted = not by_sentence if ci is None else ci
    processes, dask = read_jobs(jobs)
    resampling = Resampling(ci_method, resamples, confidence, seed, processes) if wanted else None
    reading = ReadingOptions(unmarked, documents, lenient, as_written, Admission(force, retokenize))
    most = MOST_UNASKED if ci is None else None
    if wants_hoo(gold, metrics):
        from errorbar.studies.hoo_scores import Runs, score_hoo  # noqa: PLC0415 - another kind of data

        unused = {"--unmarked": unmarked != "auto", "--as-written": as_written}
        for name, value in {**unused, "--force": force, "--retokenize": retokenize}.items():
            if value:
                what = f"{name} has no meaning for HOO data"
                raise UsageError(Problem("useless-option", what, fix="leave it out"))
        runs = Runs(gold, systems, None if documents is None else str(documents), lenient, processes, dask)
        found = score_hoo(runs, metrics, resampling=resampling, most=most, progress=progress)
        return replace(found, by_type=by_type, by_sentence=by_sentence, best=by == "team")
    if by == "team":
        fix = "leave it out, or score a HOO folder"
        raise UsageError(Problem("useless-option", "--by=team is for HOO data", fix=fix))
    parsed = parse_metrics(metrics, "sentences")
    for metric in parsed:
        if by_type and "types" in metric.lacks:
            raise lacking(metric, "types")
    with choose_executor(processes, dask) as executor, read_pieces(gold, systems, reading, executor) as read:
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
