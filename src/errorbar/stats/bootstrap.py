"""The old home of ``errorbar.stats.resampling`` and ``errorbar.stats.units``; goes when nobody imports it."""

from errorbar.stats.resampling import BootstrapMethod, acceleration, bootstrap_interval, standard_error
from errorbar.stats.units import (
    cluster_members,
    leave_one_out,
    multiplicities,
    resample_clusters,
    resample_units,
)

__all__ = [
    "BootstrapMethod",
    "acceleration",
    "bootstrap_interval",
    "cluster_members",
    "leave_one_out",
    "multiplicities",
    "resample_clusters",
    "resample_units",
    "standard_error",
]
