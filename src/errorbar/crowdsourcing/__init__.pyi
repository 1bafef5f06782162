"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.crowdsourcing.answers import Answers as Answers
from errorbar.crowdsourcing.answers import error_codes as error_codes
from errorbar.crowdsourcing.answers import error_convention as error_convention
from errorbar.crowdsourcing.answers import majority as majority
from errorbar.crowdsourcing.answers import trust_weighted as trust_weighted
from errorbar.crowdsourcing.hidden_labels import METHODS as METHODS
from errorbar.crowdsourcing.hidden_labels import EMRuns as EMRuns
from errorbar.crowdsourcing.hidden_labels import Modeling as Modeling
from errorbar.crowdsourcing.hidden_labels import RaterPrior as RaterPrior
from errorbar.crowdsourcing.hidden_labels import aggregate as aggregate
from errorbar.crowdsourcing.hidden_labels import dawid_skene as dawid_skene
from errorbar.crowdsourcing.howmany import against_experts as against_experts
from errorbar.crowdsourcing.howmany import how_many as how_many
from errorbar.crowdsourcing.mining import NgramCounts as NgramCounts
from errorbar.crowdsourcing.mining import mine as mine
from errorbar.crowdsourcing.rater_table import RaterRule as RaterRule
from errorbar.crowdsourcing.rater_table import RaterVerdict as RaterVerdict
from errorbar.crowdsourcing.rater_table import characteristic as characteristic
from errorbar.crowdsourcing.rater_table import fixed as fixed
from errorbar.crowdsourcing.rater_table import follow as follow
from errorbar.crowdsourcing.rater_table import posterior as posterior
from errorbar.crowdsourcing.rater_table import rater_rows as rater_rows
from errorbar.crowdsourcing.rater_table import running as running
from errorbar.crowdsourcing.rater_table import sprt as sprt
