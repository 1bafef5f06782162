"""McNemar's test: two systems that are right or wrong on the same items.

Formula
    b items only the first has right, c only the second; n = b + c, and X ~ Binomial(n, ½) if they are equally good.
    exact: p = 2 P(X <= min(b, c)), at most 1.
    mid-p: half of what is as likely as the observation does not count: 2 P(X <= min(b, c)) − P(X = min(b, c)) where
    b and c differ, 1 − P(X = b) / 2 where they do not.
    chi2: (|b − c| − 1)² / n, chi-squared with 1 degree of freedom.
Conventions
    Two-sided. At b = c, chi2 is 0 (the correction would make it 1 / n).
    With n = 0 there is no p-value. Items must be independent; for edits of one essay swap essays instead
    (errorbar.stats.comparison).
Source
    McNemar 1947, Psychometrika 12; mid-p: Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91;
    the correction: Edwards 1948, Psychometrika 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Undefined
from errorbar.stats.distributions import binomial_cdf, chi2_tail

McNemarMethod = Literal["exact", "mid-p", "chi2"]


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test.

    Attributes:
        only_first: Items only the first system has right.
        only_second: Items only the second has right.
        p_value: Two-sided; None where the systems never differ.
        method: exact, mid-p or chi2.
        chi2: The test statistic of chi2, else None.
        undefined: Why there is no p-value.
    """

    only_first: int
    only_second: int
    p_value: float | None
    method: McNemarMethod
    chi2: float | None = None
    undefined: Undefined | None = None


def mcnemar_test(only_first: int, only_second: int, *, method: McNemarMethod = "exact") -> McNemar:
    """Test whether two systems are right equally often.

    Args:
        only_first: Items only the first system has right.
        only_second: Items only the second has right.
        method: exact never calls too much significant; mid-p is nearer to the nominal level; chi2 is for large n.

    Raises:
        UsageError: A count is negative, or there is no such method.
    """
    if only_first < 0 or only_second < 0:
        what = f"{only_first} and {only_second} items"
        raise UsageError(Problem("mcnemar-counts", what, expected="counts from 0"))
    if method not in get_args(McNemarMethod):
        fix = nearest(method, get_args(McNemarMethod))
        raise UsageError(Problem("mcnemar-method", f"McNemar's test has no variant '{method}'", fix=fix))
    n, less = only_first + only_second, min(only_first, only_second)
    if n == 0:
        return McNemar(0, 0, None, method, undefined=Undefined.NO_DISAGREEMENT)
    if method == "chi2":
        chi2 = max(0, abs(only_first - only_second) - 1) ** 2 / n
        return McNemar(only_first, only_second, chi2_tail(chi2, 1), method, chi2)
    at_most, below = binomial_cdf(less, n, 0.5), binomial_cdf(less - 1, n, 0.5)
    if method == "exact":
        p = min(1.0, 2 * at_most)
    elif only_first == only_second:
        p = 1 - (at_most - below) / 2
    else:
        p = at_most + below
    return McNemar(only_first, only_second, p, method)
