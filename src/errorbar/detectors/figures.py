"""Tables and pictures of published studies that need detectors: learning curves, detectors by agreement of judges.

Figure 1 is the histogram of how many items have which agreement, figure 2 precision and recall in bins of agreement,
unweighted, as section 4.2 says; the same bins weighted by the crowd are added here.

Conventions
    Items are the prepositions of the CoNLL-2014 test set, without those that the models' tagger calls marks of
    infinitives. ``extraneous``, the paper's question: an annotator says error if their edits delete the word
    (``only_deletions``); ``any error``: if an edit of type Prep touches it. LM and PERC flag at their usual thresholds,
    for which no labels were used. ``at 50 % errors`` is the precision that the same shares of hits and of false
    alarms give where half of the items are errors: precision depends on that share, and the paper's items were chosen.
    ``at LM's published recall`` is that of another threshold, read off these items. Intervals are percentile bootstraps
    over essays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from errorbar.core.arrays import Flags, Floats, divide
from errorbar.core.estimate import Estimate, Undefined
from errorbar.detectors.detect import THRESHOLDS, read_ngrams, read_selector, read_tagger
from errorbar.detectors.detection import deletion_scores, detect_prepositions
from errorbar.detectors.prepositions import find_prepositions, is_tagged_infinitive
from errorbar.detectors.published_tables import curves, make_selection, published_point
from errorbar.detectors.selection import Form, LearningCurve
from errorbar.edits.items import ERROR, Items, edit_items
from errorbar.edits.texts import only_deletions
from errorbar.formats.saving import save_bytes
from errorbar.metrics.crowd_weighted import (
    ESTIMANDS,
    AgreementBin,
    Crowd,
    CrowdScore,
    CrowdStatistics,
    CurvePoint,
    Estimand,
    Votes,
    agreement_bins,
    kappa_curve,
    score_kinds,
    sweep_scores,
)
from errorbar.metrics.intervals import fold_unit_resamples, make_estimates
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.charts.plane import LinePoint, line_chart
from errorbar.reporting.charts.rows import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.export import Picture, draw_spec
from errorbar.reporting.sections.figures import scale_estimate
from errorbar.reproduce.cells import NO_DETECTOR, Cell, Number, Sources, add_ends, read_facts, read_published
from errorbar.stats.resampling import Resampling

RESAMPLING = Resampling("percentile")
DETECTORS = LM, PERC = "LM", "PERC"
EXTRANEOUS, ANY = "extraneous", "any error"
COUNTINGS: dict[Estimand, str] = {"majority": "unweighted", "weighted": "weighted"}
COLUMNS = ("precision", "recall")
BALANCED, AT_RECALL = "precision at 50 % errors", "precision at LM's published recall"
BOTH = f"{AT_RECALL} and 50 % errors"
BINS = {"bin_50_75_n": "50–75 %", "bin_75_90_n": "75–90 %", "bin_90_100_n": "90–100 %"}
TABLE, SIZES = "table 1, LM and PERC, ten annotators", "bins, LM and PERC, ten annotators"
PLOT = "kappa and agreement, ten annotators"
HISTOGRAM = "figure 1, ten annotators"
FIGURES: dict[Estimand, str] = {
    "majority": "figure 2, ten annotators",
    "weighted": "figure 2 weighted (not in the paper), ten annotators",
}
OTHER_ITEMS = (
    "not their data: every preposition of CoNLL-2014, ten annotators; some of theirs were chosen as likely errors; "
    "detectors of --models"
)
_MADE = "judged detectors"


class JudgedDetector(NamedTuple):
    """A detector against what the annotators say in answer to one question."""

    detector: str
    question: str
    share: float  # of the items that most annotators call errors
    agreement: Mapping[float, int]  # how many items have which share of annotators who agree
    scores: Mapping[Estimand, CrowdScore]
    balanced: Mapping[Estimand, Estimate]  # precision where half of the items are errors
    at_recall: Mapping[Estimand, tuple[Estimate, Estimate]]  # at the recalls that the paper prints for LM: both again
    bins: Sequence[AgreementBin]
    curve: Sequence[CurvePoint]


def judged_detectors(sources: Sources) -> list[JudgedDetector] | None:
    """Both detectors against both questions; None without models."""
    if sources.models is None:
        return None
    if _MADE not in sources.made:
        sources.made[_MADE] = [*_judge_sources(sources, sources.models)]
    detectors: list[JudgedDetector] = sources.made[_MADE]
    return detectors


def _judge_sources(sources: Sources, models: Path) -> Iterator[JudgedDetector]:
    corpus = sources.ten_annotators(essays=True)
    sentences = [sentence.tokens for sentence in corpus.sentences]
    tagger = read_tagger(models)
    perc = detect_prepositions(read_selector(models, "perc", tagger), sentences)
    places = [*zip(perc.sentence.tolist(), perc.token.tolist(), strict=True)]
    deleted = deletion_scores(read_ngrams(models), sentences, places)
    flags = {LM: deleted > THRESHOLDS["lm"], PERC: perc.flags(THRESHOLDS["perc"])}
    scores = {LM: deleted, PERC: perc.margin}
    questions = {
        EXTRANEOUS: edit_items(only_deletions(corpus), "words", words="prepositions"),
        ANY: edit_items(corpus, "words", words="prepositions", type="Prep"),
    }
    blocks = find_prepositions(tagger, sentences, every=True)
    prepositions = ~np.concatenate([is_tagged_infinitive(block) for block in blocks])
    for question, items in questions.items():
        if list(items.judgments.items) != perc.items():  # one list of words, found by their form
            raise RuntimeError(f"detectors and judges of {question} have unlike items")
        votes = _votes(items, prepositions)
        for detector in DETECTORS:
            yield _against(detector, question, votes, flags[detector][prepositions], scores[detector][prepositions])


def _votes(items: Items, kept: Flags) -> Votes:
    """The annotators' judgments of some of the items, with the essay of each."""
    weights = items.judgments.label_weights()[kept]
    numbers = weights.sum(axis=1)
    share = weights[:, items.judgments.labels.index(ERROR)] / numbers
    return Votes(share, numbers.astype(np.int64), items.clusters[kept])


def _against(detector: str, question: str, votes: Votes, flagged: Flags, margins: Floats) -> JudgedDetector:
    recalls = _recalls()
    metrics = [Crowd(estimand=estimand) for estimand in ESTIMANDS]
    counted = {metric: metric.measure(votes, flagged) for metric in metrics}
    scores = {metric.estimand: score_kinds(metric, table, resampling=RESAMPLING) for metric, table in counted.items()}
    of_majority = next(table for metric, table in counted.items() if metric.estimand == "majority")
    return JudgedDetector(
        detector,
        question,
        float((votes.share > 0.5).mean()),
        _histogram(votes),
        scores,
        {metric.estimand: _balanced_precision(table) for metric, table in counted.items()},
        {metric.estimand: _at_recall(metric, votes, margins, recalls[metric.estimand]) for metric in metrics},
        agreement_bins(counted, resampling=RESAMPLING),
        kappa_curve(of_majority, resampling=RESAMPLING),
    )


def _histogram(votes: Votes) -> dict[float, int]:
    """How many items have which share of judges who agree with most."""
    agreed = np.rint(np.maximum(votes.share, 1 - votes.share) * votes.n_judgments).astype(np.int64)
    shares, counts = np.unique(agreed / votes.n_judgments, return_counts=True)
    return dict(zip(shares.tolist(), counts.tolist(), strict=True))


def _at_recall(metric: Crowd, votes: Votes, margins: Floats, recall: float) -> tuple[Estimate, Estimate]:
    """Precision at a recall, and at its threshold that where half of the items are errors."""
    (point,) = sweep_scores(margins, votes, metric.estimand, recalls=[recall], resampling=RESAMPLING).points
    assert point.threshold is not None  # there are errors
    return point.precision, _balanced_precision(metric.measure(votes, margins >= point.threshold))


def _balanced_precision(counted: CrowdStatistics) -> Estimate:
    """Se / (Se + 1 - Sp): the precision where errors are as frequent as other items."""

    def fold(weights: Floats) -> Floats:
        hits, wrong, missed, right = (weights @ counted.counts).T
        caught, alarms = divide(hits, hits + missed), divide(wrong, wrong + right)
        return np.asarray(divide(caught, caught + alarms))[:, None]

    units = counted.units
    n = int(units.frequency.sum()), units.n_clusters_of(np.ones(len(counted.counts), np.bool_))
    value = float(fold(units.frequency[None].astype(np.float64))[0, 0])
    reason = Undefined.NOTHING_CORRECT if np.isnan(value) else None
    return make_estimates([value], [reason], n, RESAMPLING, fold_unit_resamples(units, fold, RESAMPLING, "balanced"))[0]


def _recalls() -> dict[Estimand, float]:
    rows = {row["counting"]: float(row["recall"]) for row in read_published("madnani2011_table1_lm")}
    return {estimand: rows[counting] for estimand, counting in COUNTINGS.items()}


def judged_cells(sources: Sources) -> Iterator[Cell]:
    """Every number with its interval, beside what the paper prints of it."""
    printed = read_facts("madnani2011_facts")
    theirs = {
        (LM, row["counting"], column): Number(row[column])
        for row in read_published("madnani2011_table1_lm")
        for column in COLUMNS
    }
    theirs[PERC, "unweighted", "precision"] = printed["perc_unweighted_precision"]
    judged = judged_detectors(sources)
    if judged is None:
        for (name, counting, column), value in theirs.items():
            yield Cell(TABLE, f"{name}, {EXTRANEOUS}, {counting}", column, value, None, known=NO_DETECTOR)
        for key, name in BINS.items():
            yield Cell(SIZES, name, "items", printed[key], None, known=NO_DETECTOR)
        for figure in (HISTOGRAM, *FIGURES.values(), PLOT):
            yield Cell(figure, "all", "values", None, None, known=NO_DETECTOR)
        return
    for detector in judged[:: len(DETECTORS)]:  # the first of each question
        yield Cell(TABLE, detector.question, "share of errors by majority", None, detector.share, known=OTHER_ITEMS)
    for detector in judged:
        yield from _table(detector, theirs if detector.question == EXTRANEOUS else {})
    for (key, name), part in zip(BINS.items(), judged[0].bins, strict=True):
        yield Cell(SIZES, name, "items", printed[key], float(part.n_items), OTHER_ITEMS, other_data=True)
    for detector in judged[:: len(DETECTORS)]:
        for share, count in detector.agreement.items():
            yield Cell(
                HISTOGRAM, f"{detector.question}, agreement {share:.0%}", "items", None, float(count), OTHER_ITEMS
            )
    for detector in judged:
        yield from _figures(detector)
    for detector in judged:
        yield from _plot(detector)


def _table(judged: JudgedDetector, theirs: Mapping[tuple[str, str, str], Number]) -> Iterator[Cell]:
    for estimand, counting in COUNTINGS.items():
        row, score = f"{judged.detector}, {judged.question}, {counting}", judged.scores[estimand]
        values = {"precision": score.precision, "recall": score.recall, BALANCED: judged.balanced[estimand]}
        values |= dict(zip((AT_RECALL, BOTH), judged.at_recall[estimand], strict=True))
        for column, value in values.items():
            # The recalls are those of LM, and so is the precision that is printed at them.
            of_lm = column == AT_RECALL and judged.detector == LM
            here = theirs.get((judged.detector, counting, "precision" if of_lm else column))
            yield from add_ends(TABLE, row, column, here, value, OTHER_ITEMS)


def _figures(judged: JudgedDetector) -> Iterator[Cell]:
    for estimand, figure in FIGURES.items():
        for name, part in zip(BINS.values(), judged.bins, strict=True):
            score, row = part.scores[estimand], f"{judged.detector}, {judged.question}, {name}"
            for column, value in (("precision", score.precision), ("recall", score.recall)):
                yield from add_ends(figure, row, column, None, value, OTHER_ITEMS)


def _plot(judged: JudgedDetector) -> Iterator[Cell]:
    for point in judged.curve:
        row = f"{judged.detector}, {judged.question}, agreement from {point.threshold:g}"
        yield Cell(PLOT, row, "items", None, float(point.n_items), OTHER_ITEMS)
        for column, value in (("kappa", point.kappa), ("kappa at 10 % errors", point.kappa_at)):
            yield from add_ends(PLOT, row, column, None, value, OTHER_ITEMS)


HEIGHT = 340
BEFORE, BEYOND = 0.03, 0.16  # shares of the axis that are free at its ends, for names on the right
TICKS = [step * 10.0**power for power in range(9) for step in (1, 3)]
DASHES: Mapping[Form, list[int]] = {"line": [6, 4], "power": [2, 3]}
NAMES: Mapping[Form, str] = {"line": "line", "power": "power law"}
BELOW: Mapping[Form, int] = {"line": -7, "power": 7}  # pixels; ends of fits lie close together


def learning_chart(curves: Mapping[str, LearningCurve], published: Mapping[str, tuple[float, float]]) -> Spec:
    """Draw accuracy by the number of examples, on a logarithmic axis, with error bars and fits.

    Args:
        curves: By what is chosen in. Fits are drawn to where they look ahead, with an interval there.
        published: Points of others, by what they are called: examples and accuracy, a fraction.
    """
    points = [_learning_row(text, point.n, point.accuracy) for text, curve in curves.items() for point in curve.points]
    fits = [
        _learning_row(text, n, accuracy) | {"form": NAMES[fit.form]}
        for text, curve in curves.items()
        for fit in curve.fits
        for n, accuracy in zip(fit.places, fit.accuracy, strict=True)
    ]
    last = max((row["n"] for row in fits), default=0)
    ends = [row for row in fits if row["n"] == last]
    theirs = [{"name": name, "n": n, "value": 100 * value} for name, (n, value) in published.items()]
    everything = [*points, *ends, *theirs]
    shown = [row.get(end) for row in everything for end in ("value", "low", "high")]
    upright = vega.along(vega.Axis("right choices (percent)"), shown, room=1.05)
    places = [row["n"] for row in everything]
    wide = max(places) / min(places)
    scale = {"type": "log", "nice": False, "domain": [min(places) / wide**BEFORE, max(places) * wide**BEYOND]}
    marks = {"format": "~s", "grid": False, "values": TICKS}
    x = vega.number("n", title="examples (logarithmic); open circles are extrapolated", scale=scale, axis=marks)
    y = vega.number("value", **upright)
    color = vega.name("text", title="chosen in", scale={"domain": [*curves]}, legend=vega.LEGEND)
    dashes = {"domain": [*NAMES.values()], "range": [*DASHES.values()]}
    dash = {**vega.text("form"), "legend": None, "scale": dashes}
    shared = {"x": x, "color": color}
    tooltip = {"tooltip": vega.tips(text="chosen in", examples="examples", shown="accuracy", interval="interval")}
    bars = [row for row in (*points, *ends) if row["low"] is not None]
    layers = [
        vega.layer(fits, "line", {"fill": None}, y=y, strokeDash=dash, **shared),
        vega.layer(bars, "rule", {}, y=vega.number("low", **upright), y2={"field": "high"}, **tooltip, **shared),
        vega.layer(points, "point", vega.POINT | {"size": 44}, y=y, **tooltip, **shared),
        vega.layer(ends, "point", {"filled": False, "size": 44}, y=y, **tooltip, **shared),
    ]
    for form, name in NAMES.items():
        beside = {"style": "letter", "align": "left", "dx": 9, "dy": BELOW[form]}
        own = [row for row in ends if row["form"] == name]
        layers.append(vega.layer(own, "text", beside, x=x, y=y, text=vega.text("form")))
    look, named = {"style": "human", "shape": "diamond", "size": 60}, {"style": "label", "align": "right", "dy": 18}
    layers.append(vega.layer(theirs, "point", vega.POINT | look, x=x, y=y))
    layers.append(vega.layer(theirs, "text", named, x=x, y=y, text=vega.text("name")))
    return vega.finish(layers, height=HEIGHT)


def _learning_row(text: str, n: float, estimate: Estimate) -> vega.Part:
    value, low, high = (
        None if end is None else 100 * end
        for end in (
            estimate.value,
            *((estimate.interval.low, estimate.interval.high) if estimate.interval else (None, None)),
        )
    )
    return {"text": text, "n": n, "examples": f"{n:,.0f}", **vega.make_value_row(value, low, high, 1)}


def draw_curves(sources: Sources, path: str, picture: Picture) -> None:
    """Write the learning curve of ``errorbar reproduce tetreault-chodorow2008`` with the published point.

    ``sources`` must name text and models.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    chosen = make_selection(sources)
    assert chosen is not None
    save_bytes(draw_spec(learning_chart(curves(chosen), published_point()), picture), path)


def draw_figures(sources: Sources, path: str, picture: Picture) -> None:
    """Write the figures of ``errorbar reproduce madnani2011``, ``NAME-1`` and so on; ``sources`` must name models.

    Raises:
        InputError: If a file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    judged = judged_detectors(sources)
    assert judged is not None
    contents = {name: draw_spec(spec, picture) for name, spec in figures(judged).items()}
    for name, content in contents.items():
        save_bytes(content, str(Path(path).with_stem(f"{Path(path).stem}-{name}")))


def figures(judged: Sequence[JudgedDetector]) -> Mapping[str, Spec]:
    """By name: agreement (1), P and R by it, unweighted (2) and weighted, and both kappas along the agreement."""
    agreement = next(detector.agreement for detector in judged if detector.question == EXTRANEOUS)
    counts = {f"{share:.0%}": count for share, count in agreement.items()}
    histogram = bar_chart(counts, x_title="annotators who agree", y_title="items")
    curves = {
        "kappa": _curves(judged, "kappa with the majority", lambda point: point.kappa),
        "kappa-at": _curves(judged, "kappa with the majority, at 10 % errors", lambda point: point.kappa_at),
    }
    bins = {"2": _by_agreement(judged, "majority"), "weighted": _by_agreement(judged, "weighted")}
    return {"1": histogram, **bins, **curves}


def _curves(judged: Sequence[JudgedDetector], title: str, take: Callable[[CurvePoint], Estimate]) -> Spec:
    points = [
        LinePoint(f"{detector.detector}, {detector.question}", point.threshold, *scale_estimate(take(point), "number"))
        for detector in judged
        for point in detector.curve
    ]
    along = Axis("share of annotators who agree, at least", "number")
    return line_chart(points, along, Axis(title, "number", most=1.0), series_title="detector, question")


def _by_agreement(judged: Sequence[JudgedDetector], estimand: Estimand) -> Spec:
    dots = [
        Dot(f"{detector.detector}, {name}", *scale_estimate(estimate), series=measure)
        for place, name in enumerate(BINS.values())
        for detector in judged
        if detector.question == EXTRANEOUS
        for score in (detector.bins[place].scores[estimand],)
        for measure, estimate in (("precision", score.precision), ("recall", score.recall))
    ]
    title = {"majority": "unweighted", "weighted": "crowd-weighted"}[estimand]
    return dot_chart(dots, Axis(f"{title}, percent"), name_title="detector, agreement", series_title="measure")
