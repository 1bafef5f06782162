"""Agreement of raters: coefficients as functions of label counts that any resample can be put into."""

from errorbar.agreement.coefficients import (
    bennett_s,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    observed_agreement,
    scott_pi,
    specific_agreement,
)
from errorbar.agreement.cohen import CohenKappa, PairAgreement, cohen_kappa, pairwise_agreement
from errorbar.agreement.krippendorff import Confusion, confusion, krippendorff_alpha
from errorbar.agreement.label_counts import ItemCounts, PairTable, item_counts, pair_table
from errorbar.agreement.report import AgreementReport, PrevalenceBias, agreement_report, prevalence_and_bias

__all__ = [
    "AgreementReport",
    "CohenKappa",
    "Confusion",
    "ItemCounts",
    "PairAgreement",
    "PairTable",
    "PrevalenceBias",
    "agreement_report",
    "bennett_s",
    "cohen_kappa",
    "confusion",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "item_counts",
    "krippendorff_alpha",
    "observed_agreement",
    "pair_table",
    "pairwise_agreement",
    "prevalence_and_bias",
    "scott_pi",
    "specific_agreement",
]
