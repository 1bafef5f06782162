"""The metrics by name: a lazy table, and entry points for those of other packages."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.spec import read_parameters, split_spec
from errorbar.metrics.base import Metric

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "errorbar.metrics"
BUILT_IN = {"m2": "errorbar.metrics.m2:M2"}
DEFAULT = "m2"
STANDOFF = {"hoo": "errorbar.metrics.hoo:Hoo"}
"""Metrics over stand-off edits of whole texts; their map takes fragments, so they are not in the table above."""


def metric_names() -> list[str]:
    """Every name a spec may start with, built-in ones first."""
    return [*BUILT_IN, *sorted(_others(tuple(sys.path)).keys() - BUILT_IN.keys())]


def metric_class(name: str) -> type[Metric]:
    """The class of a metric.

    Raises:
        UsageError: If no metric has the name.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return cast("type[Metric]", getattr(import_module(module), attribute))
    if name in STANDOFF:
        what = f"'{name}' scores HOO edit files only"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar score --metric hoo --gold FOLDER"))
    other = _others(tuple(sys.path)).get(name)
    if other is not None:
        return cast("type[Metric]", other.load())
    raise UsageError(Problem("unknown-metric", f"no metric is called '{name}'", fix=nearest(name, metric_names())))


@cache
def _others(path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Metrics of the packages that are installed on a path, looked for once: it takes milliseconds."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and rarely needed

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def parse_metric(text: str) -> Metric:
    """Make a metric from its spec, e.g. ``m2(beta=1,choose=sentence)``.

    Raises:
        UsageError: If the text is no spec, or the metric or a parameter is unknown or will not do.
    """
    name, raw = split_spec(text)
    cls = metric_class(name)
    return cls(**read_parameters(name, cls.parameters, raw))
