"""The metrics by name: a lazy table, and entry points for those of other packages. Nobody else lists metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import cast

from errorbar.core.entry_points import find_registered
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.core.spec import split_spec
from errorbar.metrics.base import Metric, Reads

ENTRY_POINTS = "errorbar.metrics"
BUILT_IN: Mapping[str, tuple[str, Reads]] = {
    "m2": ("errorbar.metrics.m2:M2", "sentences"),
    "errant": ("errorbar.metrics.errant:Errant", "sentences"),
    "gleu": ("errorbar.metrics.gleu:Gleu", "sentences"),
    "green": ("errorbar.metrics.green:Green", "sentences"),
    "imeasure": ("errorbar.metrics.imeasure:IMeasure", "sentences"),
    "gotoscorer": ("errorbar.metrics.gotoscorer:GoToScorer", "sentences"),
    "behavior": ("errorbar.metrics.behavior:Behavior", "sentences"),
    "tokens": ("errorbar.metrics.tokens:Tokens", "sentences"),
    "hoo": ("errorbar.metrics.hoo:Hoo", "fragments"),
    "crowd": ("errorbar.metrics.crowd_weighted:Crowd", "judgments"),
}
"""Where each is, and what it reads: known without loading it. The first that reads something is the default for it."""


def metric_names() -> list[str]:
    """Every name a spec may start with, built-in ones first."""
    return [*BUILT_IN, *sorted(find_registered(ENTRY_POINTS).keys() - BUILT_IN.keys())]


def metric_class(name: str) -> type[Metric]:
    """The class of a metric.

    Raises:
        UsageError: If no metric has the name.
        InputError: If it is of a package, and cannot be loaded.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name][0].partition(":")
        return cast("type[Metric]", getattr(import_module(module), attribute))
    other = find_registered(ENTRY_POINTS).get(name)
    if other is not None:
        return cast("type[Metric]", other.load())
    raise UsageError(Problem("unknown-metric", f"no metric is called '{name}'", fix=nearest(name, metric_names())))


def parse_metric(metric: Metric | str, reads: Reads | None = None) -> Metric:
    """Make a metric from its spec, e.g. ``m2(beta=1,choose=sentence)``; a metric passes through.

    Args:
        metric: The spec.
        reads: What there is to measure; None: whatever the metric reads.

    Raises:
        UsageError: If the text is no spec, the metric or a parameter is unknown or will not do, or the metric reads
            something else.
    """
    candidate = metric
    if isinstance(metric, str):
        name, raw = split_spec(metric)
        candidate = metric_class(name).read(raw)
    elif not hasattr(metric, "fold"):
        message = f"a metric must be a spec such as 'm2(beta=1)' or a metric, got {metric!r}"
        raise UsageError(Problem("bad-metric", message))
    parsed = cast("Metric", candidate)
    if reads is not None and parsed.reads != reads:
        message = f"{parsed.name} scores {parsed.reads}, and these are {reads}"
        raise UsageError(Problem("metric-input", message, fix=f"metrics for {reads}: {', '.join(metrics_for(reads))}"))
    return parsed


def metrics_for(reads: Reads) -> list[str]:
    """Names of the metrics that measure such input."""
    known = {name: read for name, (_, read) in BUILT_IN.items()}
    return [name for name in metric_names() if (known.get(name) or metric_class(name).reads) == reads]


def parse_metrics(metrics: Metric | str | Sequence[Metric | str] | None, reads: Reads | None = None) -> list[Metric]:
    """One or several metrics; none: the default for such input.

    Raises:
        UsageError: As ``parse_metric`` does.
    """
    if metrics is None or (not isinstance(metrics, str) and isinstance(metrics, Sequence) and not metrics):
        metrics = next(name for name, (_, read) in BUILT_IN.items() if reads in (None, read))
    several = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Sequence) else list(metrics)
    parsed = [parse_metric(metric, reads) for metric in several]
    for at, metric in enumerate(parsed):
        if metric in parsed[:at]:
            raise UsageError(Problem("two-choices", f"the metric {metric.spec} is named twice", fix="name it once"))
    return parsed
