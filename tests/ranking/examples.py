"""How judgments are resampled in tests."""

from __future__ import annotations

from errorbar import Resampling


def drawn(replicates: int = 1000, seed: int = 0, confidence_level: float = 0.95) -> Resampling:
    """Percentiles of so many resamples."""
    return Resampling("percentile", replicates, confidence_level, seed)
