"""Numbers and notes as they stand in JSON output."""

from __future__ import annotations

from errorbar.core.errors import Problem, as_options
from errorbar.core.estimate import Estimate


def interval_record(estimate: Estimate) -> dict[str, object]:
    """An interval, or why there is none."""
    if estimate.interval is None:
        reason = estimate.no_interval or estimate.undefined
        return {"low": None, "high": None, "reason": None if reason is None else str(reason)}
    interval = estimate.interval
    return {
        "low": interval.low,
        "high": interval.high,
        "confidence_level": interval.confidence_level,
        "method": interval.method,
    }


def estimate_record(estimate: Estimate) -> dict[str, object]:
    """An estimate with its interval, which is None where none was asked for."""
    return {
        "value": estimate.value,
        "n_units": estimate.n_units,
        "n_clusters": estimate.n_clusters,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate) if estimate.interval or estimate.no_interval else None,
    }


def value_record(estimate: Estimate) -> dict[str, object]:
    """An estimate without its number of clusters; of a missing interval the reason."""
    return {
        "value": estimate.value,
        "n_units": estimate.n_units,
        "undefined": None if estimate.undefined is None else str(estimate.undefined),
        "interval": interval_record(estimate),
    }


def note_record(note: Problem) -> dict[str, object]:
    """A warning or a repair, in the words of the command line."""
    return {
        "code": note.code,
        "severity": note.severity,
        "file": note.place.file,
        "line": note.place.line,
        "what": as_options(note.what),
        "expected": as_options(note.expected),
        "fix": as_options(note.fix),
    }
