"""Agreement of raters: one file per coefficient, each a function of label counts that any resample can be put into."""

from errorbar.agreement.bennett import bennett_s
from errorbar.agreement.cohen import CohenKappa, cohen_kappa, kappa_max
from errorbar.agreement.coincidences import Confusion, confusion
from errorbar.agreement.conger import conger_kappa
from errorbar.agreement.fleiss import fleiss_kappa
from errorbar.agreement.gwet import gwet_ac1
from errorbar.agreement.krippendorff import krippendorff_alpha
from errorbar.agreement.observed import observed_agreement
from errorbar.agreement.pairs import PairTable, pair_table
from errorbar.agreement.pairwise import PairAgreement, pair_tables, pairwise_agreement
from errorbar.agreement.prevalence import PrevalenceBias, prevalence_and_bias
from errorbar.agreement.report import AgreementReport, agreement_report
from errorbar.agreement.resampling import Resampling
from errorbar.agreement.scott import scott_pi
from errorbar.agreement.specific import specific_agreement
from errorbar.agreement.units import ItemCounts, item_counts

__all__ = [
    "AgreementReport",
    "CohenKappa",
    "Confusion",
    "ItemCounts",
    "PairAgreement",
    "PairTable",
    "PrevalenceBias",
    "Resampling",
    "agreement_report",
    "bennett_s",
    "cohen_kappa",
    "confusion",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "item_counts",
    "kappa_max",
    "krippendorff_alpha",
    "observed_agreement",
    "pair_table",
    "pair_tables",
    "pairwise_agreement",
    "prevalence_and_bias",
    "scott_pi",
    "specific_agreement",
]
