"""What more judges, or more texts, would bring: the interval that is expected there, and what it would find.

Formula
    Of V_E, V_A and V_EA of n texts and m judges (errorbar.stats.two_way): s2_A = m (V_A - V_EA), s2_E = n (V_E - V_EA)
    and s2_EA = n m V_EA, negatives set to 0. Of other numbers of them V_E = s2_E/n + s2_EA/(nm) and
    V_A = s2_A/m + s2_EA/(nm); V_EA is in both, as in the interval.
    Where a population of judges is known, the V_A to expect is lambda s2, s2 the population's variance and lambda what
    the pilot says of it: (d + (m - 1) V_A/s2) / (d + m - 1), the pilot's own V_A and s2, d the prior's degrees of
    freedom.
    The V_A that m other judges will show is V_A F(q) at quantile q, F with m - 1 degrees of freedom and those of the
    pilot (chi2_{m-1}(q) / (m - 1) of a pilot that knows V_A); the interval is then made as errorbar.stats.two_way makes
    it, moderated where it will be. The half-width to expect is that of q = 1/2.
    Its 10-90 % range, and the chance to find a difference D, are taken over everything that another corpus and other
    judges change: V_E by F with n - 1 and n_p - 1 degrees of freedom (n_p texts of the pilot), the true V_A by
    inverse chi-square with those of the pilot, the observed one by chi-square, s2 by the score that it depends on,
    and of a difference by V_E.
    D is found where the estimate, normal about it with the true V, is farther from 0 than t sqrt(V observed).
Conventions
    The score against k judges is another score for each k, and no law leads from one to the other.
    The range and the chance are sums over a grid of equally likely values of each of the four, without draws.
Source
    Brennan 2001, Generalizability Theory, for decision studies; docs/judges.md for how well it predicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from errorbar.core.estimate import Scale
from errorbar.stats.resampling import ANYWHERE, tails
from errorbar.stats.two_way import Floats, Prior, TwoWay, moderated_variance, t_half_width

CELLS = 8
"""Equally likely values of each of what varies."""
LOW, HIGH = 0.1, 0.9
"""Quantiles of the range."""


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one text, one judge, and one judgment; of a measure as a fraction."""

    judges: float
    texts: float
    both: float

    @classmethod
    def of(cls, parts: TwoWay, n_texts: int) -> Components:
        """Those of a score; ``n_texts`` are not those of ``parts`` where texts were left out in groups."""
        m, both = parts.n_judges, 0.0 if isnan(parts.both) else parts.both
        return cls(
            max(0.0, m * (parts.judges - both)), max(0.0, n_texts * (parts.texts - both)), max(0.0, n_texts * m * both)
        )

    def over_texts(self, n_texts: float, n_judges: float) -> float:
        """V_E of so many texts and judges."""
        return self.texts / n_texts + self.both / (n_texts * n_judges)

    def over_judges(self, n_texts: float, n_judges: float) -> float:
        """V_A of so many texts and judges."""
        return self.judges / n_judges + self.both / (n_texts * n_judges)


@dataclass(frozen=True, slots=True)
class WidthRange:
    """The half-width to expect, and its 10-90 % range; None where the interval would leave nearly all possible."""

    expected: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PlannedInterval:
    """The interval of a score, or a difference, over texts and judges that are still to come."""

    value: float
    texts: float  # V_E to expect
    judges: float  # V_A to expect
    n_texts: float
    n_judges: int
    pilot_texts: float  # degrees of freedom of what is known of V_E
    pilot_judges: float  # and of V_A
    prior: Prior | None = None  # what V_A will be moderated with; None: V_A as it is
    prior_follows: float = 0.0  # the power of V_E that the prior goes with: that of a difference does
    prior_spread: float = 0.0  # standard deviation of the logarithm of the prior: it depends on a score not yet known

    def half_width(self, confidence_level: float, scale: Scale = ANYWHERE, quantile: float = 0.5) -> float | None:
        """Half the width of the interval if V_A comes out at a quantile; None where it would say nothing."""
        from scipy.special import fdtri  # noqa: PLC0415 - scipy takes its time

        if self._untold:
            return None
        df = self.n_judges - 1.0
        judges = self.judges * float(fdtri(df, self.pilot_judges, quantile)) if df else 0.0
        if self.prior is not None:
            judges, df = moderated_variance(judges, df, self.prior.variance, self.prior.df), df + self.prior.df
        return self._within(scale, t_half_width([(self.texts, self.n_texts - 1), (judges, df)], confidence_level))

    def widths(self, confidence_level: float, scale: Scale = ANYWHERE) -> WidthRange:
        """The half-width to expect and its range."""
        if self._untold:
            return WidthRange(None, None, None)
        low, high = np.quantile(self._half_widths(confidence_level)[0], [LOW, HIGH]).tolist()
        expected = self.half_width(confidence_level, scale)
        return WidthRange(expected, self._within(scale, low), self._within(scale, high))

    def chance(self, difference: float, confidence_level: float) -> float | None:
        """How likely a true difference is found, the right way round; None where nothing could be tested."""
        from scipy.special import ndtr  # noqa: PLC0415 - scipy takes its time

        if self._untold:
            return None
        half, true = self._half_widths(confidence_level)
        return float(np.mean(ndtr((abs(difference) - half) / np.sqrt(true))))

    @property
    def _untold(self) -> bool:
        """Whether one judge would have to show how judges vary."""
        return self.n_judges < 2 and self.prior is None

    def _half_widths(self, confidence_level: float) -> tuple[Floats, Floats]:
        """Equally likely half-widths, and the true variances that belong to them; shape (cells,) each."""
        from scipy.special import chdtri, fdtri, ndtri, stdtrit  # noqa: PLC0415 - scipy takes its time

        middles, own = (np.arange(CELLS) + 0.5) / CELLS, self.n_judges - 1
        axes = (
            self.texts * fdtri(self.n_texts - 1, self.pilot_texts, middles),
            np.exp(self.prior_spread * ndtri(middles)),
            self.pilot_judges / chdtri(self.pilot_judges, middles),
            chdtri(own, middles) / own if own else np.zeros(1),
        )
        texts, moved, drawn, shown = (each.ravel() for each in np.meshgrid(*axes))
        moved = moved * (texts / self.texts) ** self.prior_follows
        true = self.judges * moved * drawn
        judges, df = true * shown, float(own)
        if self.prior is not None:
            judges = moderated_variance(judges, df, self.prior.variance * moved, self.prior.df)
            df += self.prior.df
        variance = texts + judges
        t = stdtrit(variance**2 / (texts**2 / (self.n_texts - 1) + judges**2 / df), tails(confidence_level)[1])
        return np.asarray(t * np.sqrt(variance), np.float64), texts + true

    def _within(self, scale: Scale, half: float) -> float | None:
        """A half-width, made inside the range of a measure."""
        ends = scale.ends(self.value, half)
        return None if ends is None or scale.says_little(*ends) else (ends[1] - ends[0]) / 2
