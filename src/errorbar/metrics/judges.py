"""Whether judges are drawn anew in intervals, by which rule, and what is to be said of it.

Conventions
    Random from three judges on. With two the variance over judges is moderated by a prior where one is known of the
    measure: of M2's F0.5 it is that of the ten annotators of Bryant & Ng, for a system (CAMB) and for a difference
    (CAMB - CUUI), squared points of F against two of them. With two judges and no prior, with one, or where a metric
    knows no single annotators, judges are fixed; a note says so.
    ``random(k=2)``: scores against two judges, whoever they are; without k all of them. ``random(prior=1.45)``: a prior
    of one's own, in squared points; ``random(prior=none)``: none.
Source
    docs/judges.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problems
from errorbar.core.spec import split_spec
from errorbar.metrics.base import Metric

TWO, FEW_JUDGES = 2, 5
"""So many need a prior; with fewer than that, intervals over judges vary much in width."""
LEAST_JUDGES = 3
"""Of a ceiling so many must be left, one left out, for a human and somebody to score against."""
MOST_PRIOR = 1e12  # squared points: far more than any measure can vary, and squares of it are numbers
EXPECTED = "fixed, random, random(k=2) or random(k=2,prior=1.45)"
PRIORS = {"score": 1.45e-4, "difference": 1.59e-4}
"""Variances of M2's F0.5 over pairs of the ten annotators, as fractions: what two judges are moderated by."""
Of = Literal["score", "difference"]


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What was asked for."""

    kind: Literal["auto", "random", "fixed"] = "auto"
    k: int | None = None  # judges of a set; None: all
    prior: float | Literal["known", "none"] = "known"  # a variance, in squared points of a measure in percent

    @classmethod
    def read(cls, text: str | None) -> JudgePlan:
        """What ``--judges`` says; ``UsageError`` if it cannot be read."""
        if text is None:
            return cls()
        try:
            name, given = split_spec(text)
        except UsageError:
            raise _unreadable(text) from None
        if name not in ("fixed", "random") or set(given) - {"k", "prior"} or (name == "fixed" and given):
            raise _unreadable(text)
        k, prior = given.get("k", "all"), given.get("prior", "known")
        if k != "all" and not (k.isdecimal() and int(k) > 0):
            raise _unreadable(text)
        made: float | Literal["known", "none"] = "known"
        if prior == "none":
            made = "none"
        elif prior != "known":
            made = _variance(prior, text)
        return cls("random" if name == "random" else "fixed", None if k == "all" else int(k), made)

    def rule(self, metric: Metric, n_judges: int, of: Of = "score") -> JudgeRule:
        """What is done with a metric and so many judges."""
        k = n_judges if self.k is None else self.k
        why = "" if self.kind == "fixed" else self._why_fixed(metric, n_judges, k)
        if self.kind == "fixed" or why:
            return JudgeRule(k, n_judges, why)
        if isinstance(self.prior, float):
            scale = 1e-4 if metric.measures[metric.main].kind == "percent" else 1.0
            return JudgeRule(k, n_judges, random=True, prior=scale * self.prior, said=self.prior)
        prior = PRIORS[of] if self.prior == "known" and k == n_judges == TWO and has_prior(metric) else None
        said = None if prior is None else 1e4 * prior
        return JudgeRule(k, n_judges, random=True, prior=prior, said=said, borrowed=prior is not None)

    def _why_fixed(self, metric: Metric, n_judges: int, k: int) -> str:
        """Why judges cannot be drawn anew; empty where they can."""
        if "annotators" in metric.lacks:
            return f"{metric.name} knows no single judges, {metric.lacks['annotators']}"
        if metric.annotator is not None:
            return f"{metric.spec} scores against one judge alone"
        if n_judges < TWO:
            return str(Undefined.ONE_JUDGE)
        known = n_judges > TWO or self.kind == "random" or self.prior != "known" or (k == TWO and has_prior(metric))
        return "" if known else f"two judges, and no prior that says how others vary in {metric.spec}"


@dataclass(frozen=True, slots=True)
class JudgeRule:
    """What is done with a metric."""

    k: int  # judges of a set
    n_judges: int
    why_fixed: str = ""
    random: bool = False
    prior: float | None = None  # of the measure that ranks systems; None: V_A is taken as it is
    said: float | None = None  # the same as people say it: in squared points
    borrowed: bool = False  # that of the ten annotators

    @property
    def moderated(self) -> bool:
        """Whether a prior takes part."""
        return self.prior is not None

    def note(self, problems: Problems) -> None:
        """Say what a reader of the interval must know, and what would help."""
        ways = "errorbar plan-judging shows how much another judge would help"
        if not self.random:
            if self.why_fixed:
                what = f"the intervals are over texts alone: {self.why_fixed}"
                fix = "let others judge the same texts" if self.n_judges < 2 else "--judges=fixed keeps silent about it"
                problems.note("judges-fixed", what, Place(), fix=fix)
            return
        if self.n_judges == 2:
            what = "two judges hardly show how judges vary"
            fix = f"have a third judge annotate the texts; {ways}"
            if self.prior is None:
                what += ": their intervals rest on one degree of freedom, and cover less than they say"
            else:
                known = "that of the ten annotators of CoNLL-2014's essays: "
                known += " or ".join(f"{1e4 * prior:g} of a {of}" for of, prior in PRIORS.items())
                whose = f", in squared points ({known})" if self.borrowed else f" of {self.said:g} squared points"
                what += f": their intervals lean on a prior variance{whose}"
                fix += "; --judges='random(prior=V)' takes that of your own corpus" if self.borrowed else ""
            problems.note("two-judges", what, Place(), fix=fix)
        elif self.n_judges < FEW_JUDGES:
            what = f"{self.n_judges} judges are few: intervals over judges are rough"
            problems.note("few-judges", what, Place(), fix=ways)


@dataclass(frozen=True, slots=True)
class JudgeSets:
    """How judges were drawn anew."""

    rule: JudgeRule
    groups: int | None  # texts are left out in so many groups; None: one by one
    n_sets: int  # of judges that were scored against
    exact: bool  # those are all there are

    @property
    def whole(self) -> bool:
        """Whether a set is everybody: then values are those against all judges."""
        return self.rule.k == self.rule.n_judges

    def convention(self, seed: int) -> str:
        """How it is named in a signature."""
        rule = self.rule
        parts = [f"judges:random,k:{rule.k}"]
        parts += [] if rule.prior is None else [f"prior:{rule.said:g}{',of:bn2015' * rule.borrowed}"]
        parts += [] if self.groups is None else [f"groups:{self.groups}"]
        parts += [] if self.exact else [f"sets:drawn,{seed}"]
        return ",".join(parts)


def has_prior(metric: Metric) -> bool:
    """Whether the measure that ranks systems is M2's F0.5, of which two judges' variance is known."""
    return metric.name == "m2" and not {"beta", "choose"} & set(dict(metric.spec.parameters))


def note_parts(looked: Sequence[int], names: Sequence[str], n_texts: int, unit: str, problems: Problems) -> None:
    """Say that judges looked at parts only."""
    parts = [(name, n) for name, n in zip(names, looked, strict=True) if n < n_texts]
    if not parts:
        return
    first = ", ".join(f"{name} at {n:,}" for name, n in parts[:3]) + (", …" if len(parts) > 3 else "")
    what = (
        f"{len(parts)} of {len(names)} judges looked at parts of the corpus ({first} of {n_texts:,} {unit}s): how "
        "judges vary and how texts do can hardly be told apart"
    )
    fix = "give each annotator's own file if they looked at all of it (a merged one may lack them), or --judges=fixed"
    problems.note("judges-parts", what, Place(), fix=fix)


def note_short(who: Sequence[str], problems: Problems) -> None:
    """Say of what the variance over judges came out too small to be true."""
    if who:
        named = ", ".join(who[:3]) + (f" and {len(who) - 3} more" if len(who) > 3 else "")
        what = f"judges seem to vary less than judges and texts together: intervals of {named} are likely too short"
        problems.note("judges-short", what, Place(), fix="more judges would tell")


def _variance(text: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _unreadable(whole) from None
    if not 0 < value <= MOST_PRIOR:
        raise _unreadable(whole)
    return value


def _unreadable(text: str) -> UsageError:
    what = f"--judges must be {EXPECTED}, got '{text}'"
    return UsageError(
        Problem("bad-judges", what, fix="k: judges of a set; prior: a variance in squared points, or none")
    )
