"""What more judges, or more texts, would bring: variances of a score over both, taken apart and put together anew.

Formula
    Of V_E, V_A and V_EA of n texts and m judges (errorbar.stats.two_way): s2_A = m (V_A - V_EA), s2_E = n (V_E - V_EA)
    and s2_EA = n m V_EA, negatives set to 0. Then V(n, m) = s2_A/m + s2_E/n + s2_EA/(nm). Of Q judgments of a text by
    a judge the variance is least with sqrt(s2_A Q / s2_E) judges.
Conventions
    The number k of judges that a score is against stays what it is: scores against other numbers are others, and there
    is no law by which one could be told from the other. V(n, m) counts V_EA once; the interval of
    errorbar.stats.two_way twice, and is somewhat wider. Half-widths are normal: z times the root of V.
Source
    Brennan 2001, Generalizability Theory, for decision studies; docs/judges.md for how well it predicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, isnan, sqrt

from errorbar.stats.resampling import z_value
from errorbar.stats.two_way import TwoWay


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one text, one judge, and one judgment; of a measure as a fraction."""

    judges: float
    texts: float
    both: float

    @classmethod
    def of(cls, found: TwoWay, n_texts: int) -> Components:
        """Those of a score; ``n_texts`` are not those of ``found`` where texts were left out in groups."""
        m, both = found.n_judges, 0.0 if isnan(found.both) else found.both
        return cls(
            max(0.0, m * (found.judges - both)), max(0.0, n_texts * (found.texts - both)), max(0.0, n_texts * m * both)
        )

    def variance(self, n_texts: float, n_judges: float) -> float:
        """V(n, m)."""
        return self.judges / n_judges + self.texts / n_texts + self.both / (n_texts * n_judges)

    def half_width(self, n_texts: float, n_judges: float, confidence_level: float) -> float:
        """Half the width of a normal interval."""
        return z_value(confidence_level) * sqrt(self.variance(n_texts, n_judges))

    def best_judges(self, judgments: float) -> float:
        """How many judges make the variance of so many judgments least: infinite where texts do not vary."""
        return sqrt(self.judges * judgments / self.texts) if self.texts > 0 else inf

    def best_split(self, judgments: float, least: int) -> tuple[int, int] | None:
        """Texts and judges, whole numbers, at least so many judges and two texts; None where that is too dear."""
        most = floor(judgments / 2)
        if most < least:
            return None
        best = self.best_judges(judgments)
        near = most if best == inf else floor(best)
        judges = {min(max(each, least), most) for each in (near, near + 1)}
        splits = [(floor(judgments / m), m) for m in sorted(judges)]
        return min(splits, key=lambda split: self.variance(*split))
