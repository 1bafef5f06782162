"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.agreement.coefficients import PairTable as PairTable
from errorbar.agreement.coefficients import item_counts as item_counts
from errorbar.agreement.coefficients import kernel_of as kernel_of
from errorbar.agreement.coefficients import observed_agreement as observed_agreement
from errorbar.agreement.coefficients import pair_table as pair_table
from errorbar.agreement.cohen import Weighting as Weighting
from errorbar.agreement.cohen import cohen_kappa as cohen_kappa
from errorbar.agreement.cohen import pairwise_agreement as pairwise_agreement
from errorbar.agreement.krippendorff import Level as Level
from errorbar.agreement.krippendorff import alpha_kernel as alpha_kernel
from errorbar.agreement.krippendorff import confusion as confusion
from errorbar.agreement.krippendorff import krippendorff_alpha as krippendorff_alpha
from errorbar.agreement.report import Judges as Judges
from errorbar.agreement.report import agreement_report as agreement_report
from errorbar.agreement.report import drop_unknown_labels as drop_unknown_labels
