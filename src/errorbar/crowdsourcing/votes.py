"""Judgments as a sparse table of who said what: EM passes over a million judgments in milliseconds."""

from __future__ import annotations

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import Floats, leaders, need_judgments, shares_of

MIN_ITEMS = 20
"""Judgments a rater must have on average before their errors are modeled (measured in docs/crowd.md)."""

FREE_RATES = 200_000
"""Rates of error of all raters that few judgments may be asked for."""
RATES_OF_ONE = 8
"""Rates of error for each judgment that many judgments may be asked for."""
MAX_LABELS = 100
"""Most labels of which the errors of a rater are described: K labels have K² of them."""


def check_labels(judgments: Judgments) -> None:
    """Refuse more labels than a rater's errors can be described for.

    Raises:
        UsageError: If there are more than ``MAX_LABELS``.
    """
    if len(judgments.labels) > MAX_LABELS:
        what = f"{len(judgments.labels):,} different labels are too many to describe what raters do with each"
        raise UsageError(Problem("crowd-many-labels", what, expected=f"at most {MAX_LABELS}", fix="group the labels"))


class Votes:
    """Who said what, prepared for EM.

    A rater who judged an item several times counts as often. Weights of judgments are not used.

    Attributes:
        table: Times each rater gave each label, column = rater * n_labels + label; sparse, shape (items, columns).
        by_column: The same, transposed.
        judged: Whether anybody judged an item; shape (items,).
    """

    def __init__(self, judgments: Judgments, min_items: float) -> None:
        from scipy import sparse  # noqa: PLC0415 - loading it takes a while

        need_judgments(judgments)
        self.n_labels = len(judgments.labels)
        self.n_raters = len(judgments.raters)
        if self.n_labels < 2:
            what = f"every judgment says '{judgments.labels[0]}'"
            fix = "declare the other labels, or use the majority"
            raise UsageError(Problem("crowd-one-label", what, expected="two labels or more", fix=fix))
        check_labels(judgments)
        present = len(np.unique(judgments.rater))
        if present < 2:
            what = "only one rater judged anything: nothing tells their errors from the truth"
            raise UsageError(Problem("crowd-one-rater", what, expected="two raters or more", fix="use the majority"))
        mean = len(judgments) / present
        if mean < min_items:
            what = f"{mean:.1f} judgments of a rater on average are too few to model the errors of each"
            fix = "use the majority, or say min_items (--min-items) if you know better"
            raise UsageError(Problem("crowd-few-judgments", what, expected=f"{min_items:g} or more", fix=fix))
        rates = self.n_raters * self.n_labels**2
        if rates > max(FREE_RATES, RATES_OF_ONE * len(judgments)):
            what = f"{self.n_raters:,} raters and {self.n_labels} labels have {rates:,} rates of error"
            expected = f"at most {RATES_OF_ONE} for each judgment"
            raise UsageError(Problem("crowd-many-labels", what, expected=expected, fix="group the labels"))
        column = judgments.rater.astype(np.int64) * self.n_labels + judgments.label
        shape = (len(judgments.items), self.n_raters * self.n_labels)
        self.table = sparse.csr_array((np.ones(len(column)), (judgments.item, column)), shape=shape)
        self.by_column = self.table.T.tocsr()
        self.judged = np.bincount(judgments.item, minlength=shape[0]) > 0

    def vote_shares(self) -> Floats:
        """Share of each label among the judgments of an item; 0 where nobody judged; shape (items, labels)."""
        # Columns run over raters and labels; adding up the raters is a product with stacked unit matrices.
        return np.nan_to_num(shares_of(np.asarray(self.table @ np.tile(np.eye(self.n_labels), (self.n_raters, 1)))))

    def starts(self, n_starts: int, generator: np.random.Generator) -> list[tuple[str, Floats]]:
        """Where EM starts: the vote shares, the majority, and perturbed vote shares for the rest."""
        soft = self.vote_shares()
        first = leaders(soft) & self.judged[:, None]
        # In a tie the mass is divided: no label wins by its place in the list.
        hard = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
        found = [("vote shares", soft), ("majority", hard)][:n_starts]
        for number in range(len(found), n_starts):
            noise = generator.dirichlet(np.ones(self.n_labels), len(soft)) * self.judged[:, None]
            found.append((f"random {number - 1}", (soft + noise) / 2))
        return found

    def said_given(self, truth: Floats) -> Floats:
        """Expected times each rater gave each label to items of each true label; shape (raters, truth, said)."""
        sums = np.asarray(self.by_column @ truth).reshape(self.n_raters, self.n_labels, self.n_labels)
        return sums.transpose(0, 2, 1)

    def evidence(self, log_rates: Floats) -> Floats:
        """Log-likelihood of an item's judgments under each true label; shape (items, labels).

        Args:
            log_rates: Log-probability that a rater says a label given the truth; shape (raters, truth, said).
        """
        stacked = log_rates.transpose(0, 2, 1).reshape(-1, self.n_labels)
        return np.asarray(self.table @ stacked)
