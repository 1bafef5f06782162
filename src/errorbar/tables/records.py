"""Numbers and notes as they stand in JSON output."""

from __future__ import annotations

from errorbar.core.errors import Problem, as_options
from errorbar.core.estimate import Estimate


def interval_record(estimate: Estimate) -> dict[str, object]:
    """An interval, or why there is none."""
    interval = estimate.interval
    if interval is None:
        return {"low": None, "high": None, "reason": _text(estimate.no_interval or estimate.undefined)}
    names = ("low", "high", "confidence_level", "method")
    return {name: getattr(interval, name) for name in names}


def value_record(estimate: Estimate) -> dict[str, object]:
    """An estimate without its number of clusters; of a missing interval the reason."""
    undefined, interval = _text(estimate.undefined), interval_record(estimate)
    return {"value": estimate.value, "n_units": estimate.n_units, "undefined": undefined, "interval": interval}


def estimate_record(estimate: Estimate) -> dict[str, object]:
    """An estimate with its interval, which is None where none was asked for."""
    record = {**value_record(estimate), "n_clusters": estimate.n_clusters}
    return record if estimate.interval or estimate.no_interval else {**record, "interval": None}


def note_record(note: Problem) -> dict[str, object]:
    """A warning or a repair, in the words of the command line."""
    texts = {name: as_options(getattr(note, name)) for name in ("what", "expected", "fix")}
    return {"code": note.code, "severity": note.severity, "file": note.place.file, "line": note.place.line, **texts}


def _text(reason: object) -> str | None:
    return None if reason is None else str(reason)
