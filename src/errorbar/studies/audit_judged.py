"""From what raters said of the drawn edits to what was found in each stratum, also without each of the raters.

Conventions
    An edit of which nobody could tell counts as not judged, unless the rule says otherwise, and so does a drawn one
    without a judgment: both as missing at random in their stratum, and both are counted. Judgments of edits that this
    audit did not draw, of an earlier one or beyond the drawn number, are not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from errorbar.agreement.coefficients import observed_agreement
from errorbar.agreement.krippendorff import krippendorff_alpha
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.sampling.audit_heard import Heard
from errorbar.sampling.frame import Counts
from errorbar.sampling.judged import Judged, sample_of
from errorbar.sampling.prediction_powered import combined_totals
from errorbar.studies.audit_frame import AuditKey
from errorbar.studies.audit_verdicts import GRADED, UNCLEAR, UNKNOWN, Rule, Verdicts

VALID_FROM = 0.5
"""Above that share an edit is valid for those who need a yes or no."""


@dataclass(frozen=True, slots=True, eq=False)
class Raters:
    """Who judged the drawn edits, and how well they agree."""

    names: tuple[str, ...]
    judgments: int
    unclear: int  # judgments that say "cannot tell"
    shares: tuple[float | None, ...]  # of "valid" among what each could tell
    counts: tuple[int, ...]  # what each could tell of
    observed: Estimate  # agreement of two raters of an edit who could tell
    alpha: Estimate  # Krippendorff's


@dataclass(frozen=True, slots=True, eq=False)
class JudgedEdits:
    """What was found in each stratum, and which edits are valid."""

    heard: Heard
    without: tuple[Heard, ...]  # the same without each rater
    valid: tuple[str, ...]  # names of items
    unclear: int  # of which nobody could tell
    missing: int  # drawn, and without a judgment
    raters: Raters


def judge_edits(
    key: AuditKey, verdicts: Verdicts, rule: Rule, problems: Problems, cheap: Mapping[str, float] | None = None
) -> JudgedEdits:
    """What was found among the drawn edits; warnings go to ``problems``. ``cheap``: edits to shares of cheap votes."""
    whole, known = _Judging.of(key, verdicts, rule, cheap), verdicts.items()
    items = whole.items
    missing = sum(item not in known for item in items)
    heard, truths = whole.heard(problems)
    unclear = len(items) - missing - len(truths)
    if not truths:
        what = "no drawn edit was judged"
        raise UsageError(
            Problem("audit-no-judgments", what, fix="fill in the column 'label', and give the key of that set")
        )
    if missing or unclear:
        what = f"of {len(items)} drawn edits {missing} have no judgment, and of {unclear} nobody could tell"
        fix = "they count as missing at random in their stratum"
        problems.note("audit-unjudged", what, Place(), fix=fix)
    _check_raters(verdicts.counts(items, rule.unclear)[1], rule, problems)
    if other := len(known.difference(items)):
        what = f"{other} judged edits were not drawn by this audit, and are not used"
        problems.note("audit-other-edits", what, Place(), fix="none is needed where they are of an earlier audit")
    raters = _raters(verdicts, items, rule)
    codes = [verdicts.table.raters.index(name) for name in raters.names]
    without = tuple(whole.heard(Problems(), leave)[0] for leave in codes) if len(codes) > 1 else ()
    valid = tuple(item for item, truth in truths.items() if truth > VALID_FROM)
    return JudgedEdits(heard, without, valid, unclear, missing, raters)


def _check_raters(told: Counts, rule: Rule, problems: Problems) -> None:
    """Say of how many edits fewer raters could tell than must find them valid; refuse if that is so of all."""
    few, judged = int(((told > 0) & (told < rule.least)).sum()), int((told > 0).sum())
    if not few:
        return
    what = f"of {few} of {judged} judged edits fewer than {rule.least} raters could tell, as --valid={rule.valid} wants"
    if few == judged:
        expected = f"at most {told.max()}, as many as judged an edit"
        raise UsageError(Problem("audit-few-raters", what, expected=expected, fix="name another rule"))
    problems.note("audit-few-raters", what, Place(), fix="they count as not valid")


@dataclass(frozen=True, slots=True, eq=False)
class _Judging:
    """What does not change when a rater is left out."""

    key: AuditKey
    verdicts: Verdicts
    items: Sequence[str]  # drawn
    strata: Counts  # of each
    rule: Rule
    cheap: Mapping[str, float] | None

    @classmethod
    def of(cls, key: AuditKey, verdicts: Verdicts, rule: Rule, cheap: Mapping[str, float] | None) -> _Judging:
        drawn = key.drawn()
        strata = np.array([key.frame.codes[at] for at in drawn], np.int64)
        return cls(key, verdicts, [key.frame.items[at].name for at in drawn], strata, rule, cheap)

    def heard(self, problems: Problems, without: int | None = None) -> tuple[Heard, dict[str, float]]:
        """What was found in each stratum, and the truth of each edit that was judged."""
        valid, told = self.verdicts.counts(self.items, self.rule.unclear, without)
        judged = told > 0
        everybody = told if without is None else self.verdicts.counts(self.items, self.rule.unclear)[1]
        truths = self.rule.truths(valid[judged], told[judged], (told < everybody)[judged])
        names = [item for item, is_judged in zip(self.items, judged.tolist(), strict=True) if is_judged]
        frame, strata = self.key.frame, self.strata[judged]
        n_strata, graded = len(frame.strata.names), self.rule.valid == GRADED
        sample = sample_of(strata, truths, told[judged], n_strata, graded=graded)
        assisted = None
        if self.cheap is not None:
            found = Judged(names, strata, truths, sample)
            everything = [item.name for item in frame.items]
            assisted = combined_totals(frame.strata, np.array(frame.codes), everything, found, self.cheap, problems)
        return Heard(sample, assisted), dict(zip(names, truths.tolist(), strict=True))


def _raters(verdicts: Verdicts, items: Sequence[str], rule: Rule) -> Raters:
    """Who judged some edits and has a say in one at least; agreement is about those who could tell."""
    mine = verdicts.table.take(verdicts.rows(items) >= 0)
    told = mine.without([UNKNOWN])
    counts = np.bincount(told.rater, minlength=len(told.raters))
    valid = np.bincount(told.rater[told.label == 0], minlength=len(told.raters))
    heard = counts if rule.unclear == "missing" else np.bincount(mine.rater, minlength=len(mine.raters))
    who = [at for at, n in enumerate(heard.tolist()) if n]
    shares = tuple(int(valid[at]) / int(counts[at]) if counts[at] else None for at in who)
    names, asked = tuple(told.raters[at] for at in who), tuple(int(counts[at]) for at in who)
    return Raters(
        names, len(mine), len(mine) - len(told), shares, asked, observed_agreement(told), krippendorff_alpha(told)
    )


def extremes(
    key: AuditKey, verdicts: Verdicts, rule: Rule, cheap: Mapping[str, float] | None = None
) -> tuple[Heard, Heard]:
    """What was found as if all who could not tell had said not valid, and as if they had said valid."""
    none, every = (
        _Judging.of(key, verdicts, replace(rule, unclear=each), cheap).heard(Problems())[0] for each in UNCLEAR[1:]
    )
    return none, every
