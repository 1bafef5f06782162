"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.ranking.judged_pairs import JudgeAgreement as JudgeAgreement
from errorbar.ranking.judged_pairs import judge_agreement as judge_agreement
from errorbar.ranking.ranked import METHODS as METHODS
from errorbar.ranking.ranked import RankedSystem as RankedSystem
from errorbar.ranking.ranked import RankingResult as RankingResult
from errorbar.ranking.ranked import rank_systems as rank_systems
from errorbar.ranking.wins import Counts as Counts
from errorbar.ranking.wins import Ranges as Ranges
from errorbar.ranking.wins import bradley_terry as bradley_terry
from errorbar.ranking.wins import count as count
from errorbar.ranking.wins import expected_wins as expected_wins
from errorbar.ranking.wins import rank_ranges as rank_ranges
