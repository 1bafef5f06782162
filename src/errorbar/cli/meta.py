"""``errorbar meta``: how metrics agree with a human ranking."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING

import click

from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.rank import BY, METHODS
from errorbar.cli.render import Cell, Table, interval_record, show, show_json
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems

if TYPE_CHECKING:
    from errorbar.core.estimate import Estimate
    from errorbar.core.metric_scores import MetricScores
    from errorbar.core.rankings import Comparisons
    from errorbar.ranking import Resamples
    from errorbar.ranking.counts import By
    from errorbar.ranking.meta import HumanScores, MetricAgreement, MetricTest
    from errorbar.ranking.pairwise import PairwiseAccuracy
    from errorbar.ranking.rank import Method

SCHEMA = "errorbar.meta/1"
TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall-b": "Kendall"}


@click.command("meta")
@click.argument("human", type=INPUT, metavar="HUMAN")
@click.argument("scores", nargs=-1, type=INPUT, required=True, metavar="SCORES...")
@click.option(
    "--method", type=click.Choice(METHODS), default=METHODS[0], show_default=True, help="How judgments become scores."
)
@click.option("--beta", "betas", type=click.FloatRange(0, min_open=True), multiple=True, help="Further F; repeatable.")
@click.option("--sentences", is_flag=True, help="Pairwise accuracy of sentence scores, ties calibrated.")
@click.option("--first-sentence", type=int, default=1, show_default=True, help="How HUMAN numbers the first sentence.")
@click.option("--tests", is_flag=True, help="Does one metric agree better than another: Williams, permutation.")
@click.option("--window", type=click.IntRange(0), default=0, help="Correlations in windows of so many neighbors.")
@click.option("--by", type=click.Choice(BY), default="item", show_default=True, help="What is drawn as one.")
@click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Of the judgments.")
@click.option("--permutations", type=click.IntRange(1), default=10_000, show_default=True, help="Ways to swap.")
@click.option(
    "--confidence", type=click.FloatRange(0.5, 1, max_open=True), default=0.95, show_default=True, help="Of intervals."
)
@seed_option
@lenient_option
@format_option
def command(
    human: str,
    scores: tuple[str, ...],
    method: Method,
    betas: tuple[float, ...],
    sentences: bool,
    first_sentence: int,
    tests: bool,
    window: int,
    by: By,
    resamples: int,
    permutations: int,
    confidence: float,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Tell how metrics agree with a human ranking.

    HUMAN is a file of judgments, as errorbar rank reads them, or a table with the columns system and score. SCORES are
    tables (system, score, maybe metric and sentence), JSON of errorbar score, or lines of a system and its score;
    name=path names a metric. Higher must be better.

    \b
    errorbar meta judgments.xml scores.m2 scores.bleu --beta 0.25 --tests
    errorbar meta judgments.xml scores.json --sentences --first-sentence 0
    errorbar meta human.csv metrics.csv --window 4
    """
    from errorbar.ranking import Resamples
    from errorbar.ranking.meta import common_systems, compare_metrics, metric_agreement
    from errorbar.ranking.pairwise import pairwise_accuracy
    from errorbar.ranking.rank import signature

    if style == "csv" and sum((sentences, tests, window > 0)) > 1:
        what = "--sentences, --tests and --window give a table each, and CSV holds one"
        raise UsageError(Problem("meta-one-table", what, fix="ask for one at a time, or use --format json"))
    problems = Problems(lenient=lenient)
    how = Resamples(resamples, seed, by, confidence)
    comparisons, everybody = _human(human, method, how, problems)
    metrics = _metrics(scores, betas, first_sentence, problems)
    common = common_systems(everybody, metrics, problems)
    agreements = [metric_agreement(common, each, window=window, confidence_level=confidence) for each in metrics]
    by_sentence: list[PairwiseAccuracy] = []
    if sentences:
        _check_sentences(comparisons is not None, [each.metric for each in metrics if each.sentences])
        if comparisons is not None:
            by_sentence = [pairwise_accuracy(comparisons, each, how) for each in metrics if each.sentences]
            problems.notes += _left_out(by_sentence)
    tested: list[MetricTest] = []
    if tests or style == "json":
        pairs = list(combinations(metrics, 2))
        with progress_bar("tests", len(pairs)) as progress:
            for done, (one, two) in enumerate(pairs):
                tested.append(compare_metrics(common, one, two, replicates=permutations, seed=seed))
                progress(done + 1)
    signed = "" if comparisons is None else signature(comparisons, how)
    if style == "json":
        document = {
            "schema": SCHEMA,
            "human": {
                "method": method if comparisons is not None else None,
                "scores": dict(zip(common.systems, common.scores.tolist(), strict=True)),
            },
            "metrics": [_record(each) for each in agreements],
            "window": window,
            "sentences": [_pairwise_record(each) for each in by_sentence],
            "tests": [_test_record(each) for each in tested],
            "signature": signed or None,
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    tables = []
    if sentences:
        tables.append(_sentence_table(by_sentence, confidence, style))
    if tests:
        tables.append(_test_table(tested))
    if window:
        tables.append(_window_table(agreements, common, window))
    if not tables:
        table = _table(agreements, common, confidence, style)
        table.footer = [*table.footer, *([f"human scores: {method}", signed] if signed else [])]
        tables.append(table)
    for at, table in enumerate(tables):
        if at:
            click.echo()
        show(table, style)


def _human(path: str, method: Method, how: Resamples, problems: Problems) -> tuple[Comparisons | None, HumanScores]:
    """The judgments, if the file has them, and the scores."""
    from errorbar.formats.metric_scores import read_metric_scores
    from errorbar.formats.opening import rereadable
    from errorbar.formats.rankings import is_ranking, read_rankings
    from errorbar.ranking import rank_systems
    from errorbar.ranking.meta import human_scores, plain_scores

    again = rereadable(path)
    if is_ranking(again):
        comparisons = read_rankings(again, problems)
        with progress_bar("resamples", how.replicates) as progress:
            (result,) = rank_systems(comparisons, [method], how, progress=progress)
        return comparisons, human_scores(result)
    found = read_metric_scores(again, problems)
    if len(found) > 1:
        what = f"{len(found)} columns of human scores: {', '.join(each.metric for each in found)}"
        raise UsageError(Problem("meta-human", what, Place(path), "one", "put each in a file of its own"))
    return None, plain_scores(found[0].systems)


def _metrics(
    paths: Sequence[str], betas: Sequence[float], first_sentence: int, problems: Problems
) -> list[MetricScores]:
    from errorbar.formats.metric_scores import read_metric_scores

    metrics: dict[str, MetricScores] = {}
    for given in paths:
        name, equals, path = given.partition("=")
        if not equals:
            name, path = "", given
        for each in read_metric_scores(path, problems, name=name or None, betas=betas, first_sentence=first_sentence):
            if each.metric in metrics:
                what = f"two metrics are called '{each.metric}'"
                raise UsageError(Problem("meta-same-name", what, Place(path), fix="name one: name=path"))
            metrics[each.metric] = each
    return list(metrics.values())


def _check_sentences(judged: bool, with_sentences: Sequence[str]) -> None:
    if not judged:
        what = "--sentences compares with judgments, and HUMAN has scores of systems"
        raise UsageError(Problem("meta-sentences", what, fix="name a file of judgments"))
    if not with_sentences:
        what = "no metric has scores of sentences"
        fix = "use errorbar score --by-sentence --format json, or a table with the column sentence"
        raise UsageError(Problem("meta-sentences", what, fix=fix))


def _left_out(found: Sequence[PairwiseAccuracy]) -> list[Problem]:
    notes = []
    for each in found:
        if each.n_left_out:
            what = f"{each.metric} lacks scores for {each.n_left_out:,} comparisons; they are left out"
            fix = "see --first-sentence, if the numbers of sentences differ"
            notes.append(Problem("meta-left-out", what, fix=fix, severity="warning"))
    return notes


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _ends(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    if estimate.interval is None:
        return str(estimate.no_interval or estimate.undefined or "–")
    return f"{estimate.interval.low:.3f} to {estimate.interval.high:.3f}"


def _both(estimate: Estimate) -> list[Cell]:
    return [_number(estimate.value), _ends(estimate)]


def _table(agreements: Sequence[MetricAgreement], human: HumanScores, confidence: float, style: str) -> Table:
    """A row for each metric and correlation: every figure has its intervals beside it."""
    judged = human.resampled is not None
    rows: list[list[Cell]] = []
    for each in agreements:
        for kind, estimate in each.correlations.items():
            p = each.p_values[kind]
            if style == "csv":
                row: list[Cell] = [each.metric, kind, len(human.systems), estimate.value]
                for interval in (estimate.interval, each.judged[kind].interval if kind in each.judged else None):
                    row += [None, None] if interval is None else [interval.low, interval.high]
                rows.append([*row, p])
                continue
            ends = [_ends(estimate), *([_ends(each.judged.get(kind))] if judged else [])]
            rows.append([each.metric, TITLES[kind], _number(estimate.value), *ends, _number(p)])
    if style == "csv":
        intervals = ["systems_low", "systems_high", "judgments_low", "judgments_high"]
        return Table(["metric", "correlation", "n", "value", *intervals, "p"], rows, 2)
    level = f"{100 * confidence:g}% CI"
    columns = ["value", f"{level}, systems", *([f"{level}, judgments"] if judged else []), "p"]
    return Table(["metric", "correlation", *columns], rows, 2, [f"{len(human.systems)} systems"])


def _window_table(agreements: Sequence[MetricAgreement], human: HumanScores, window: int) -> Table:
    rows: list[list[Cell]] = []
    for each in agreements:
        for at in range(len(human.systems) - window + 1):
            systems = " ".join(human.systems[at : at + window])
            values = [each.windows[kind][at] for kind in each.windows]
            cells: list[Cell] = [_number(one.value) if one.value is not None else str(one.undefined) for one in values]
            rows.append([each.metric, f"{at + 1}–{at + window}", systems, *cells])
    footer = [
        f"windows of {window} neighbors in the human ranking; so few systems say little, see the intervals in JSON"
    ]
    return Table(["metric", "places", "systems", *TITLES.values()], rows, 3, footer)


def _sentence_table(found: Sequence[PairwiseAccuracy], confidence: float, style: str) -> Table:
    rows: list[list[Cell]] = []
    for each in found:
        cells: list[Cell] = []
        for estimate in (each.calibrated, each.plain, each.decided):
            if style == "csv":
                interval = estimate.interval
                cells += [estimate.value, *([None, None] if interval is None else [interval.low, interval.high])]
            else:
                cells += _both(estimate)
        threshold = each.threshold if style == "csv" else _number(each.threshold)
        rows.append([each.metric, each.calibrated.n_units, each.n_ties, each.n_metric_ties, threshold, *cells])
    ends = ["low", "high"] if style == "csv" else [f"{100 * confidence:g}% CI"]
    measures = [name for measure in ("calibrated", "plain", "decided") for name in (measure, *ends)]
    footer = ["calibrated: ties within the threshold; plain: equal scores only; decided: without the judges' ties"]
    return Table(["metric", "comparisons", "ties", "metric ties", "threshold", *measures], rows, 1, footer)


def _test_table(tests: Sequence[MetricTest]) -> Table:
    rows: list[list[Cell]] = []
    for each in tests:
        williams = each.williams
        t = str(williams.undefined) if williams.t is None else f"{williams.t:.3f}"
        cells: list[Cell] = [t, _number(williams.p_value)]
        for permutation in each.permutation.values():
            cells += [_number(permutation.difference), _number(permutation.p_value)]
        rows.append([each.first, each.second, *cells])
    columns = ["Williams t", "p", *(name for title in TITLES.values() for name in (f"Δ {title}", "p (swap)"))]
    swapped = sorted({each.swapped for each in tests})
    footer = [f"swapped: {', '.join(swapped)}; p-values are not corrected for the number of tests"]
    return Table(["first", "second", *columns], rows, 2, footer)


def _estimate(estimate: Estimate) -> dict[str, object]:
    return {
        "value": estimate.value,
        "n_units": estimate.n_units,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate),
    }


def _record(agreement: MetricAgreement) -> dict[str, object]:
    return {
        "metric": agreement.metric,
        "correlations": [
            {
                "kind": kind,
                **_estimate(estimate),
                "interval_judgments": interval_record(agreement.judged[kind]) if kind in agreement.judged else None,
                "p_value": agreement.p_values[kind],
                "windows": [_estimate(each) for each in agreement.windows[kind]],
            }
            for kind, estimate in agreement.correlations.items()
        ],
    }


def _pairwise_record(accuracy: PairwiseAccuracy) -> dict[str, object]:
    return {
        "metric": accuracy.metric,
        "calibrated": _estimate(accuracy.calibrated),
        "threshold": accuracy.threshold,
        "plain": _estimate(accuracy.plain),
        "decided": _estimate(accuracy.decided),
        "n_ties": accuracy.n_ties,
        "n_metric_ties": accuracy.n_metric_ties,
        "n_left_out": accuracy.n_left_out,
    }


def _test_record(test: MetricTest) -> dict[str, object]:
    williams = test.williams
    return {
        "first": test.first,
        "second": test.second,
        "swapped": test.swapped,
        "williams": {
            "t": williams.t if williams.t is None or isfinite(williams.t) else None,
            "df": williams.df,
            "p_value": williams.p_value,
            "undefined": None if williams.undefined is None else str(williams.undefined),
        },
        "permutation": [
            {
                "kind": kind,
                "difference": each.difference,
                "p_value": each.p_value,
                "n_replicates": each.n_replicates,
                "exact": each.exact,
                "undefined": None if each.undefined is None else str(each.undefined),
            }
            for kind, each in test.permutation.items()
        ],
    }
