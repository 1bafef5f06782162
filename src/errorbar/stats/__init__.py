"""Statistics: numbers in, numbers out; streams are passed in. The first call that needs scipy loads it."""

from __future__ import annotations

from functools import cache, wraps
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING

from errorbar.core.errors import Problem, UsageError

if TYPE_CHECKING:
    from errorbar.stats.anytime_share import (
        endless_p_value,
        endless_share_bounds,
        finite_share_bounds,
    )
    from errorbar.stats.betting import betting_bounds, empirical_bernstein_bounds
    from errorbar.stats.correlation import Correlation, Williams, correlate, correlation_interval, williams_test
    from errorbar.stats.f_interval import f_cdf, f_quantile, f_score_interval, f_standard_error, f_value
    from errorbar.stats.multiple import (
        adjust,
        better_rows,
        letter,
        shared_letters,
        smallest_holm,
        smallest_max_t,
        step_down_max_t,
    )
    from errorbar.stats.paired import (
        McNemar,
        PairedBootstrap,
        Randomization,
        all_swaps,
        mcnemar_test,
        needed_swaps,
        paired_bootstrap,
        random_swaps,
        randomization_test,
    )
    from errorbar.stats.planned_looks import ever_crossed, look_boundaries, nominal_level
    from errorbar.stats.power import (
        PairedPower,
        detectable_difference,
        paired_power,
        power_of_test,
        pseudo_values,
        units_for_half_width,
        units_for_power,
    )
    from errorbar.stats.proportion import proportion_bounds, proportion_interval, true_share
    from errorbar.stats.resampling import Resampling, acceleration, blocks, bootstrap_interval, standard_error, stream
    from errorbar.stats.running_normal import running_factor
    from errorbar.stats.units import (
        Units,
        cluster_members,
        leave_one_out,
        left_out_units,
        multiplicities,
        resample_clusters,
        resample_units,
        resampled_units,
    )

__all__ = [
    "Correlation",
    "McNemar",
    "PairedBootstrap",
    "PairedPower",
    "Randomization",
    "Resampling",
    "Units",
    "Williams",
    "acceleration",
    "adjust",
    "all_swaps",
    "better_rows",
    "betting_bounds",
    "blocks",
    "bootstrap_interval",
    "cluster_members",
    "correlate",
    "correlation_interval",
    "detectable_difference",
    "empirical_bernstein_bounds",
    "endless_p_value",
    "endless_share_bounds",
    "ever_crossed",
    "f_cdf",
    "f_quantile",
    "f_score_interval",
    "f_standard_error",
    "f_value",
    "finite_share_bounds",
    "leave_one_out",
    "left_out_units",
    "letter",
    "look_boundaries",
    "mcnemar_test",
    "multiplicities",
    "needed_swaps",
    "nominal_level",
    "paired_bootstrap",
    "paired_power",
    "power_of_test",
    "proportion_bounds",
    "proportion_interval",
    "pseudo_values",
    "random_swaps",
    "randomization_test",
    "resample_clusters",
    "resample_units",
    "resampled_units",
    "running_factor",
    "shared_letters",
    "smallest_holm",
    "smallest_max_t",
    "standard_error",
    "step_down_max_t",
    "stream",
    "true_share",
    "units_for_half_width",
    "units_for_power",
    "williams_test",
]

_MODULES = (
    "anytime_share",
    "betting",
    "correlation",
    "f_interval",
    "multiple",
    "paired",
    "planned_looks",
    "power",
    "proportion",
    "resampling",
    "running_normal",
    "units",
)


@cache
def _refusing(value: object) -> object:
    """The same function, which refuses numbers that no float or machine integer holds; other objects as they are."""
    if not isinstance(value, FunctionType):
        return value

    @wraps(value)
    def refuse(*args: object, **options: object) -> object:
        try:
            return value(*args, **options)
        except OverflowError as error:
            what = f"{value.__name__}: a number is too large to compute with"
            expected = "at most 1e308, whole numbers below 2^63"
            raise UsageError(Problem("number-too-large", what, expected=expected)) from error

    return refuse


def __getattr__(name: str) -> object:
    """A public name when it is first used: the modules, and what they load, take as long as a short command."""
    if name in __all__:
        for module in map(import_module, (f"errorbar.stats.{each}" for each in _MODULES)):
            if hasattr(module, name):
                return _refusing(getattr(module, name))
    raise AttributeError(f"module 'errorbar.stats' has no attribute {name!r}")
