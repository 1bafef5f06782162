"""Sampling: plan what to judge, draw it blind, and estimate the scores of the whole corpus with intervals."""

from errorbar.sampling.allocation import allocate, importance, items_for_cv
from errorbar.sampling.assist import assist
from errorbar.sampling.compare_designs import Design, compare_designs, random_sampling_error
from errorbar.sampling.draw import blind_set, draw_more, draw_sample
from errorbar.sampling.estimate import SampleEstimate, SampleEstimates, estimate_sample
from errorbar.sampling.exact import box_interval, total_bounds
from errorbar.sampling.frame import Frame, read_frame
from errorbar.sampling.judged import Judged, judge_sample, read_judged_files
from errorbar.sampling.key import Key, read_key, write_key
from errorbar.sampling.mover import mover_interval
from errorbar.sampling.plan import (
    Cost,
    Expected,
    Plan,
    budget_for_half_width,
    guessed_rates,
    pilot_rates,
    plan_sample,
)
from errorbar.sampling.ppi import PredictionPowered, assisted_total, best_trust, ppi_mean
from errorbar.sampling.rescaled import rescaled_interval, rescaled_totals
from errorbar.sampling.strata import Strata, score_edges, stratify
from errorbar.sampling.systems import SystemEstimates, estimate_systems
from errorbar.sampling.texts import frame_of_systems
from errorbar.sampling.totals import Assisted, Sample, estimated_totals
from errorbar.sampling.two_systems import PairedDifference, paired_differences

__all__ = [
    "Assisted",
    "Cost",
    "Design",
    "Expected",
    "Frame",
    "Judged",
    "Key",
    "PairedDifference",
    "Plan",
    "PredictionPowered",
    "Sample",
    "SampleEstimate",
    "SampleEstimates",
    "Strata",
    "SystemEstimates",
    "allocate",
    "assist",
    "assisted_total",
    "best_trust",
    "blind_set",
    "box_interval",
    "budget_for_half_width",
    "compare_designs",
    "draw_more",
    "draw_sample",
    "estimate_sample",
    "estimate_systems",
    "estimated_totals",
    "frame_of_systems",
    "guessed_rates",
    "importance",
    "items_for_cv",
    "judge_sample",
    "mover_interval",
    "paired_differences",
    "pilot_rates",
    "plan_sample",
    "ppi_mean",
    "random_sampling_error",
    "read_frame",
    "read_judged_files",
    "read_key",
    "rescaled_interval",
    "rescaled_totals",
    "score_edges",
    "stratify",
    "total_bounds",
    "write_key",
]
