"""Scores of systems against annotators: ``errorbar score`` and ``errorbar.score``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal, Unpack

from errorbar.api.arguments import (
    CLOSED,
    Beta,
    Metrics,
    Progress,
    Useless,
    metrics_of,
    public,
    refuse_without_intervals,
    resampling,
)
from errorbar.api.inputs import (
    CLOSED_POOLS,
    RANDOM_POOLS,
    Gold,
    Pieces,
    ReadingOptions,
    ScoringWithJudges,
    Systems,
    load,
    need_systems,
    note_untyped,
    plan_judges,
    pools_of,
    read_pieces,
    usual_metric,
)
from errorbar.api.own_references import NO_POOLS, OwnReferences, first_reference, load_own, score_own
from errorbar.api.score_result import Order, Scores
from errorbar.core.estimate import MOST_UNASKED, Method
from errorbar.core.problems import Problem, Problems, UsageError
from errorbar.edits.admission import Admission
from errorbar.execute import choose_executor, read_jobs
from errorbar.formats.catalog import wants_hoo
from errorbar.formats.text import SPACES
from errorbar.metrics.base import Metric, lacking
from errorbar.metrics.folding import InMemory, ScoringPlan
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scoring import corpus_pieces, score_pieces

View = Literal["type", "sentence", "fragment", "team"]


class ScoringOptions(ScoringWithJudges, OwnReferences, total=False):
    """The options of ``score``."""


@public(
    refuse_without_intervals(),
    CLOSED,
    NO_POOLS,
    RANDOM_POOLS,
    CLOSED_POOLS,
    Useless(
        "pools pools_random",
        "is about whole scores, and --by={by} shows parts of them",
        lambda arguments: arguments["by"] is not None,
    ),
    Useless(
        "ci_method resamples confidence seed judges",
        "is about intervals, and --by={by} has none",
        lambda arguments: arguments["by"] in ("sentence", "fragment") and arguments["ci"] is None,
        fix="add --ci, or leave it out",
    ),
)
def score(
    gold: Gold = (),
    systems: Systems = (),
    metric: Metrics = None,
    *,
    beta: Beta = None,
    by: View | None = None,
    order: Order = "best",
    ci_method: Method = "bca",
    jobs: int | str = 1,
    progress: Progress = lambda _: None,
    **shared: Unpack[ScoringOptions],
) -> Scores:
    """Score systems against one or several annotators.

    Args:
        systems: Paths, ``name=path``, ``{name: path}``, or ``Hypothesis`` objects; ``name=run1,run2`` is a system with
            several runs, whose scores are means. Of HOO data they are folders of edits or corrected texts.
        metric: What to compute, e.g. ``m2(beta=1)`` (short: ``beta`` 1; ``errorbar metrics`` lists all). None: m2; hoo
            of HOO data; tokens of labels.
        by: Show the scores of each error type, the part of each sentence (of HOO data: fragment), or, of HOO data, the
            best run of each team.
        order: List systems the best first, or as they were given.
        ci_method: Bootstrap of documents (of sentences where no documents are known), or closed formulas.
        jobs: Number of processes to use, a Dask scheduler to work on, or ``local[:N]``, a Dask cluster here (in a
            checkout: make dask); no digit depends on it.
        progress: Is told the number of sentences done.
        ci: Compute confidence intervals, or leave them out. None: computed up to 20,000 sentences, but not with parts
            of sentences.
        shared: How files are read and intervals made.

    Returns:
        A score for each system and metric, systems outermost.

    Raises:
        InputError: If a file is bad, or a system has another number of sentences than the source or is no correction.
        UsageError: If an argument will not do, or a metric cannot give what is asked for.
    """
    need_systems(systems, gold)
    by_type, by_sentence, ci = by == "type", by in ("sentence", "fragment"), shared["ci"]
    judges = None if ci is False and shared["judges"] is None else plan_judges(shared, ci_method, ci)
    processes, dask = read_jobs(jobs)
    drawn = resampling(shared, ci_method, processes) if ci or (ci is None and not by_sentence) else None
    most = MOST_UNASKED if ci is None else None
    own = shared["reference_of"]
    kind = first_reference(gold, own)
    if wants_hoo(kind, metric):
        from errorbar.api.hoo_score import HooRuns, score_hoo  # noqa: PLC0415 - the most to load, for few data

        changed = {
            "unmarked": shared["unmarked"] != "auto",
            "as-written": shared["as_written"],
            "force": shared["force"],
            "retokenize": shared["retokenize"],
            "tokens": shared["tokens"] != SPACES,
            "essays": shared["essays"] != "whole",
            "judges": judges is not None and judges.kind == "random" and shared["judges"] is not None,
            "reference-of": bool(own),
            "pools": shared["pools"] is not None,
        }
        for name, is_changed in changed.items():
            if is_changed:
                message = f"--{name} has no meaning for HOO data"
                raise UsageError(Problem("useless-option", message, fix="leave it out"))
        texts = ReadingOptions.of(shared).source_folder
        runs = HooRuns(gold, systems, texts, shared["lenient"], processes, dask)
        scored = score_hoo(runs, metrics_of(metric, beta, "fragments"), drawn, most=most, progress=progress)
        noted = Problems()
        if drawn is not None and judges is not None:
            judges.rule(parse_metric("hoo"), 0).note(noted)
        notes = (*scored.notes, *noted.notes)
        return replace(scored, notes=notes, by_type=by_type, by_sentence=by_sentence, best=by == "team", order=order)
    if by in ("team", "fragment"):
        fix = "leave it out, or score a HOO folder"
        raise UsageError(Problem("useless-option", f"--by={by} is for HOO data", fix=fix))
    parsed = metrics_of(usual_metric(kind, metric), beta, "sentences")
    reading = ReadingOptions.of(shared, parsed)
    for untyped in parsed if by_type else ():
        if "types" in untyped.lacks:
            raise lacking(untyped, "types")
    plan = ScoringPlan(parsed, by_type, by_sentence, drawn, most=most, judges=judges, pools=pools_of(shared))
    if own:
        loaded = load_own(gold, systems, own, reading, shared["judges"])
        with choose_executor(processes, dask) as executor:
            scores = score_own(loaded, plan, executor, progress)
        note_untyped([row.type for score in scores for row in score.by_type], loaded.problems)
        return Scores(scores, tuple(dict.fromkeys(loaded.problems.notes)), by_type, by_sentence, order)
    with ExitStack() as stack:
        executor = stack.enter_context(choose_executor(processes, dask))
        if any(one.joint for one in parsed):
            read, parsed = _read_whole(gold, systems, reading, parsed)
        else:
            read = stack.enter_context(read_pieces(gold, systems, reading, executor))
        if read.runs:
            _refuse_of_runs(by, ci_method if drawn is not None else "")
        plan = replace(plan, metrics=parsed, conventions=read.conventions, admission=read.admission, runs=read.runs)
        scores = score_pieces(read.pieces, read.systems, plan, read.problems, progress=progress, executor=executor)
        note_untyped([row.type for score in scores for row in score.by_type], read.problems)
    return Scores(scores, tuple(read.problems.notes), by_type, by_sentence, order)


def _read_whole(
    gold: Gold, systems: Systems, reading: ReadingOptions, metrics: Sequence[Metric]
) -> tuple[Pieces, list[Metric]]:
    """A corpus and systems as one piece, and the metrics that know all systems: for those that are ``joint``."""
    data = load(gold, systems, reading, runs=True)
    streams = [InMemory(system, data.problems) for system in data.systems]
    silent = Admission(silent=True)  # who read the systems has looked at them
    pieces = Pieces(corpus_pieces([data.corpus], streams), streams, data.problems, data.runs, data.conventions, silent)
    return pieces, [data.with_systems(metric) for metric in metrics]


def _refuse_of_runs(by: View | None, method: Method | Literal[""]) -> None:
    """Refuse what a mean over runs does not have."""
    for option, is_given in ((f"--by={by}", by is not None), ("--ci-method=closed", method == "closed")):
        if is_given:
            message = f"{option} is about single runs, and a system has several"
            raise UsageError(Problem("useless-option", message, fix="score its runs as systems of their own"))
