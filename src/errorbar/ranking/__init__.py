"""Rankings: systems from human comparisons, and how well metrics agree with them."""

from errorbar.ranking.judged_pairs import JudgeAgreement, judge_agreement
from errorbar.ranking.ranked import METHODS, RankedSystem, RankingResult, rank_systems
from errorbar.ranking.wins import Counts, Ranges, bradley_terry, count, expected_wins, rank_ranges

__all__ = [
    "METHODS",
    "Counts",
    "JudgeAgreement",
    "Ranges",
    "RankedSystem",
    "RankingResult",
    "bradley_terry",
    "count",
    "expected_wins",
    "judge_agreement",
    "rank_ranges",
    "rank_systems",
]
