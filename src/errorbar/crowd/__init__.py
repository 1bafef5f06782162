"""Crowds: from many judgments to answers, and from answers to what a rater is worth."""

from errorbar.crowd.aggregate import METHODS, Comparison, Method, aggregate
from errorbar.crowd.answers import UNKNOWN, Answers
from errorbar.crowd.dawid_skene import NO_PRIOR, Prior, dawid_skene
from errorbar.crowd.em import Fit, Runs, Start
from errorbar.crowd.gold import (
    Characteristic,
    Fixed,
    Posterior,
    Rule,
    Running,
    Sprt,
    Verdict,
    characteristic,
    follow,
    posterior_below,
    smoothed_trust,
)
from errorbar.crowd.howmany import HowMany, Point, against_experts, how_many, independent_accuracy, majority_accuracy
from errorbar.crowd.majority import majority
from errorbar.crowd.mine import Mined, Mining, extraneous_score, mine
from errorbar.crowd.ngrams import NgramCounts
from errorbar.crowd.one_coin import one_coin
from errorbar.crowd.raters import RaterRow, rater_rows
from errorbar.crowd.repeats import RepeatPolicy, settle_repeats
from errorbar.crowd.tally import Tally
from errorbar.crowd.trust import agreement_trust, trust_weighted

__all__ = [
    "METHODS",
    "NO_PRIOR",
    "UNKNOWN",
    "Answers",
    "Characteristic",
    "Comparison",
    "Fit",
    "Fixed",
    "HowMany",
    "Method",
    "Mined",
    "Mining",
    "NgramCounts",
    "Point",
    "Posterior",
    "Prior",
    "RaterRow",
    "RepeatPolicy",
    "Rule",
    "Running",
    "Runs",
    "Sprt",
    "Start",
    "Tally",
    "Verdict",
    "against_experts",
    "aggregate",
    "agreement_trust",
    "characteristic",
    "dawid_skene",
    "extraneous_score",
    "follow",
    "how_many",
    "independent_accuracy",
    "majority",
    "majority_accuracy",
    "mine",
    "one_coin",
    "posterior_below",
    "rater_rows",
    "settle_repeats",
    "smoothed_trust",
    "trust_weighted",
]
