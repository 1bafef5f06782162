"""Sampling: plan what to judge, draw it blind, and estimate the scores of the whole corpus with intervals."""

from errorbar.sampling.allocation import Aim, allocate, importance
from errorbar.sampling.draw import Key, blind_set, draw_sample, read_key, write_key
from errorbar.sampling.estimators import (
    Estimation,
    SampleEstimate,
    SampleEstimates,
    SystemEstimates,
    estimate_sample,
    estimate_systems,
    paired_differences,
)
from errorbar.sampling.frame import Frame, frame_of_systems, read_frame
from errorbar.sampling.judged import Judged, Labels, judge_sample, read_judged_files
from errorbar.sampling.other_intervals import box_interval, mover_interval, rescaled_interval, total_bounds
from errorbar.sampling.plan import Cost, Plan, budget_for_half_width, guessed_rates, pilot_rates, plan_sample
from errorbar.sampling.prediction_powered import Assisted, assisted_total, ppi_mean, voted_totals
from errorbar.sampling.quantities import Quantity
from errorbar.sampling.strata import Strata, score_edges, stratify
from errorbar.sampling.stratum_totals import Sample, estimated_totals

__all__ = [
    "Aim",
    "Assisted",
    "Cost",
    "Estimation",
    "Frame",
    "Judged",
    "Key",
    "Labels",
    "Plan",
    "Quantity",
    "Sample",
    "SampleEstimate",
    "SampleEstimates",
    "Strata",
    "SystemEstimates",
    "allocate",
    "assisted_total",
    "blind_set",
    "box_interval",
    "budget_for_half_width",
    "draw_sample",
    "estimate_sample",
    "estimate_systems",
    "estimated_totals",
    "frame_of_systems",
    "guessed_rates",
    "importance",
    "judge_sample",
    "mover_interval",
    "paired_differences",
    "pilot_rates",
    "plan_sample",
    "ppi_mean",
    "read_frame",
    "read_judged_files",
    "read_key",
    "rescaled_interval",
    "score_edges",
    "stratify",
    "total_bounds",
    "voted_totals",
    "write_key",
]
