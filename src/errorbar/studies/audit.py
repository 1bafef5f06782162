"""Audit edits that match no annotator: what ``errorbar audit`` does; formulas are in ``errorbar.sampling.audited``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.formats.look import Source
from errorbar.metrics.registry import parse_metrics
from errorbar.sampling import Anytime, anytime_audit
from errorbar.sampling.anytime import WANTED
from errorbar.sampling.audit_heard import extreme_values
from errorbar.sampling.audit_plan import FLOOR, SUPPOSED, audit_allocation, audit_budget, audit_half_widths
from errorbar.sampling.audited import AuditedSystem, audited_f, estimate_audit
from errorbar.studies.audit_drawn import AuditDraw
from errorbar.studies.audit_frame import AuditKey, audit_frame, ordered, read_audit_key, set_name
from errorbar.studies.audit_judged import JudgedEdits, extremes, judge_edits
from errorbar.studies.audit_results import AuditEstimation
from errorbar.studies.audit_types import Types
from errorbar.studies.audit_verdicts import GRADED, Filled, Rule, Unclear, read_verdicts
from errorbar.studies.door import Metrics, public, sentence_metric
from errorbar.studies.inputs import Gold, ReadingOptions, Systems, Taking, load

HALF_WIDTH = 0.03


@public()
def audit_draw(
    gold: Gold,
    systems: Systems,
    *,
    metric: Metrics = None,
    others: Systems = (),
    types: Types = "none",
    half_width: float | None = None,
    budget: int | None = None,
    supposed: float = SUPPOSED,
    rater: str | Sequence[str] = ("rater-1",),
    judged: Filled = (),
    seed: int = 0,
    **shared: Unpack[Taking],
) -> AuditDraw:
    """Draw edits that match no annotator, of one or several systems, to be judged valid or not.

    ``AuditDraw.save`` writes the set and its private key.

    Args:
        gold: The annotators' edits.
        systems: The systems that are audited.
        metric: Which edits match: m2 (None) or errant.
        others: Systems that are not audited: edits that they propose too are likelier valid, and strata of their own.
        types: Strata by type of error too: ``operation`` (missing, unnecessary, replaced) or ``errant``, ERRANT's.
        half_width: Wanted of every system's audited precision; None: .03, unless there is a budget.
        budget: Instead: edits to be judged in all.
        supposed: Guessed share of valid edits; 0.5 is the most cautious.
        rater: Names of raters, each of whom gets every edit.
        judged: Judgments of earlier audits: what they judged is not asked again.
        seed: Of the order in which edits are drawn; the same in every audit, so that judged ones come first.
        shared: How corpus and systems are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit, or there is nothing to audit.
    """
    chosen = sentence_metric(metric, None, "audit")
    _check(half_width, budget, supposed, seed)
    options = ReadingOptions.of(shared, [chosen])
    data = load(gold, systems, options)
    proxies = load(data.corpus, others, options).systems if others else []
    frame = audit_frame(data.corpus, data.systems, proxies, chosen, types)
    problems = data.problems
    known = read_verdicts(judged, problems).items()
    strata = frame.strata
    if budget is None:
        n = audit_budget(strata, HALF_WIDTH if half_width is None else half_width, valid=supposed)
    else:
        n = audit_allocation(strata, budget)
    for h, drawn in enumerate(n.tolist()):
        n[h] = _with_judged([frame.items[at].name in known for at in ordered(frame, seed, h)], drawn)
    counts = tuple(n.tolist())
    key = AuditKey(frame, seed, counts, set_name(frame, seed, counts))
    raters = (rater,) if isinstance(rater, str) else tuple(rater)
    asked = [at for at in key.drawn() if frame.items[at].name not in known]
    halves = audit_half_widths(strata, np.asarray(n), valid=supposed).tolist()
    return AuditDraw(key, raters, tuple(asked), tuple(halves), tuple(problems.notes))


@public()
def audit_estimate(
    judgments: Filled,
    *,
    key: Source | AuditKey,
    valid: str = "majority",
    unclear: Unclear = "missing",
    assist: Filled | None = None,
    anytime: bool = False,
    half_width: float | None = None,
    confidence: float = 0.95,
    lenient: bool = False,
) -> AuditEstimation:
    """Audited precision of every system beside the official one, with intervals and differences.

    Args:
        judgments: The filled-in sets, this audit's and earlier ones, or an object; labels are valid, not-valid and
            cannot-tell.
        key: The key that was written with the set.
        valid: Which edits are valid: of the raters who could tell the ``majority``, ``any``, ``all``, or so many;
            ``graded``: each counts as the share of them.
        unclear: What "cannot tell" counts as: ``missing``, ``not-valid`` or ``valid``.
        assist: Cheap judgments of many edits, of a crowd or a model, that make intervals narrower.
        anytime: Whether intervals shall hold however often one looks, and whenever one stops; differences and intervals
            over judges hold for one look, and are left out.
        half_width: With ``anytime`` that of precision at which intervals are narrowest in comparison; None: .05.
        confidence: Confidence level of intervals.
        lenient: Repair what can be repaired and note it; otherwise refuse it.

    Raises:
        InputError: If a file is bad.
        UsageError: If nothing was judged, there is no such rule, or arguments do not fit.
    """
    problems, rule = Problems(lenient=lenient), Rule.of(valid, unclear)
    how = _looked(anytime, half_width, rule, assisted=assist is not None)
    known = key if isinstance(key, AuditKey) else read_audit_key(key)
    verdicts = read_verdicts(judgments, problems)
    cheap = None if assist is None else read_verdicts(assist, problems).shares()
    found = judge_edits(known, verdicts, rule, problems, cheap)
    problems.raise_errors()
    beta, strata = float(getattr(parse_metrics(known.frame.metric)[0], "beta", 0.5)), known.frame.strata
    systems, differences = estimate_audit(strata, found.heard, without=found.without, beta=beta, level=confidence)
    if how is not None:
        systems = [_at_any_time(known, found, at, one, (how, beta, confidence)) for at, one in enumerate(systems)]
        differences = []
    ends = None
    if found.raters.unclear:
        values, apart = extreme_values(strata, [found.heard, *extremes(known, verdicts, rule, cheap)])
        ends = values, apart[: len(differences)]
    notes = tuple(problems.notes)
    made = AuditEstimation(known, found, rule, systems, differences, ends, verdicts.better, confidence, notes)
    return replace(made, anytime=anytime)


def _looked(anytime: bool, half_width: float | None, rule: Rule, *, assisted: bool) -> Anytime | None:
    """What intervals are to withstand: any number of looks, or one."""
    _check_width(half_width)
    if not anytime:
        if half_width is not None:
            what = "a half-width without --anytime"
            raise UsageError(Problem("useless-option", what, fix="add --anytime, or leave it out"))
        return None
    if assisted:
        what = "--anytime and --assist: how far votes are trusted is tuned on what was judged"
        raise UsageError(Problem("two-choices", what, fix="leave one of them out"))
    if rule.valid == GRADED:
        what = "shares of raters have no interval at any time"
        raise UsageError(Problem("audit-rule", what, expected="majority, any, all or how many raters must say so"))
    return Anytime(WANTED if half_width is None else half_width)


def _at_any_time(
    key: AuditKey, found: JudgedEdits, at: int, one: AuditedSystem, how: tuple[Anytime, float, float]
) -> AuditedSystem:
    """A system with intervals that hold at every look; ``how``: with beta and the level."""
    looked, beta, level = how
    precision = anytime_audit(key.frame.strata, found.heard, at, how=looked, level=level)
    alone = replace(one.judges, interval=None, no_interval=None)
    return replace(one, precision=precision, f=audited_f(precision, one.official[1], beta), judges=alone)


def _with_judged(judged: Sequence[bool], drawn: int) -> int:
    """How many edits of a stratum an audit takes, of which were judged in earlier ones, in the order of drawing.

    Those that were judged cost nothing. Of a stratum of which only some edits were in an earlier audit the last that is
    taken is one to be judged: else runs of judged ones would be longer than their share.
    """
    if all(judged[:drawn]):
        return next((at for at in range(drawn, len(judged)) if not judged[at]), len(judged))
    return next((at for at in range(drawn, len(judged) + 1) if not judged[at - 1]), len(judged))


def _check(half_width: float | None, budget: int | None, supposed: float, seed: int) -> None:
    """Refuse plans that cannot be."""
    if half_width is not None and budget is not None:
        what = "a budget and a half-width"
        raise UsageError(Problem("sample-budget", what, fix="give one of --budget and --half-width"))
    _check_width(half_width)
    if budget is not None and budget < FLOOR:
        raise UsageError(Problem("sample-budget", f"a budget of {budget} edits", expected=f"at least {FLOOR}"))
    if not 0 < supposed < 1:
        what = f"the supposed share of valid edits is {supposed:g}"
        raise UsageError(Problem("sample-rates", what, expected="between 0 and 1, neither included"))
    if seed < 0:
        raise UsageError(Problem("seed", f"the seed is {seed}", expected="a whole number from 0"))


def _check_width(half_width: float | None) -> None:
    if half_width is not None and not 0 < half_width < 1:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0, below 1"))
