"""Crowds: from many judgments to answers, and from answers to what a rater is worth."""

from errorbar.crowdsourcing.aggregate import METHODS, Comparison, Method, aggregate
from errorbar.crowdsourcing.answers import UNKNOWN, Answers
from errorbar.crowdsourcing.dawid_skene import NO_PRIOR, Prior, dawid_skene
from errorbar.crowdsourcing.em import Fit, Runs, Start
from errorbar.crowdsourcing.gold import (
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
from errorbar.crowdsourcing.howmany import (
    HowMany,
    Point,
    against_experts,
    how_many,
    independent_accuracy,
    majority_accuracy,
)
from errorbar.crowdsourcing.majority import majority
from errorbar.crowdsourcing.mine import Mined, Mining, extraneous_score, mine
from errorbar.crowdsourcing.ngrams import NgramCounts
from errorbar.crowdsourcing.one_coin import one_coin
from errorbar.crowdsourcing.raters import RaterRow, rater_rows
from errorbar.crowdsourcing.repeats import RepeatPolicy, settle_repeats
from errorbar.crowdsourcing.tally import Tally
from errorbar.crowdsourcing.trust import agreement_trust, trust_weighted

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
