"""Sampling: plan what to judge, draw it blind, and estimate the scores of the whole corpus with intervals."""

from errorbar.sampling.anytime import Anytime, Look, anytime_audit
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
from errorbar.sampling.frame import Frame, Strata, frame_of_systems, read_frame, score_edges, stratify
from errorbar.sampling.judged import Judged, Labels, judge_sample, read_judged_files
from errorbar.sampling.look_plan import PlannedLook, plan_looks
from errorbar.sampling.other_intervals import mover_interval, rescaled_interval
from errorbar.sampling.plan import Aim, Cost, Plan, budget_for_half_width, guessed_rates, plan_sample
from errorbar.sampling.prediction_powered import Assisted, ppi_mean, voted_totals
from errorbar.sampling.stopping import Budget, Stopping, StopRule, Tally, may_stop
from errorbar.sampling.totals import Quantity, Sample

__all__ = [
    "Aim",
    "Anytime",
    "Assisted",
    "Budget",
    "Cost",
    "Estimation",
    "Frame",
    "Judged",
    "Key",
    "Labels",
    "Look",
    "Plan",
    "PlannedLook",
    "Quantity",
    "Sample",
    "SampleEstimate",
    "SampleEstimates",
    "StopRule",
    "Stopping",
    "Strata",
    "SystemEstimates",
    "Tally",
    "anytime_audit",
    "blind_set",
    "budget_for_half_width",
    "draw_sample",
    "estimate_sample",
    "estimate_systems",
    "frame_of_systems",
    "guessed_rates",
    "judge_sample",
    "may_stop",
    "mover_interval",
    "paired_differences",
    "plan_looks",
    "plan_sample",
    "ppi_mean",
    "read_frame",
    "read_judged_files",
    "read_key",
    "rescaled_interval",
    "score_edges",
    "stratify",
    "voted_totals",
    "write_key",
]
