"""Rankings: systems from human comparisons, and how well metrics agree with them."""

from errorbar.ranking.bradley_terry import bradley_terry
from errorbar.ranking.counts import Counts, count, resampled_counts, without_identical
from errorbar.ranking.expected_wins import expected_wins
from errorbar.ranking.judges import JudgeAgreement, judge_agreement
from errorbar.ranking.ranges import Ranges, rank_ranges
from errorbar.ranking.rank import METHODS, RankedSystem, RankingResult, Resamples, rank_systems

__all__ = [
    "METHODS",
    "Counts",
    "JudgeAgreement",
    "Ranges",
    "RankedSystem",
    "RankingResult",
    "Resamples",
    "bradley_terry",
    "count",
    "expected_wins",
    "judge_agreement",
    "rank_ranges",
    "rank_systems",
    "resampled_counts",
    "without_identical",
]
