"""What a report shows of HOO data, of a crowd and of a judged sample: the results of the commands, gathered.

Formula
    Expected half-widths of a larger sample are those of ``errorbar.sampling.plan`` with the error rates that were seen,
    (x + ½) / (n + 1) in each stratum. A larger budget keeps what was judged and adds where it serves R best.
Conventions
    Of two systems the wider half-width is given. Budgets are the one that was spent, and 1.5, 2, 3, 5 and 10 times as
    many items, at most all of them.
Source
    Cochran 1977, sections 5.5 and 5.9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from errorbar.core.corpus import ContentHash
from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import USUAL
from errorbar.edits.standoff_maxmatch import redecompose
from errorbar.edits.standoff_reading import Edits
from errorbar.metrics.crowd_agreement import in_bin
from errorbar.metrics.crowd_weighted import Crowd, Flags
from errorbar.metrics.hoo import CONVENTIONS, GOLD_NAME, Hoo
from errorbar.metrics.hoo_align import align
from errorbar.metrics.hoo_counts import CORRECTED, GOLD, SYSTEM
from errorbar.metrics.hoo_scoring import parse_hoo, score_runs
from errorbar.sampling import Aim, Sample, Strata, plan_sample
from errorbar.sampling.plan import Expected, expected_precision
from errorbar.sampling.totals import TARGETS
from errorbar.stats.resampling import Resampling
from errorbar.studies.agree import agreed
from errorbar.studies.browse import Browse, BrowseEdit, BrowseUnit
from errorbar.studies.crowd import Against, CrowdScores, crowd_rows
from errorbar.studies.curve import Curves, Marks, curve_rows
from errorbar.studies.judgment_input import Judged
from errorbar.studies.model import BudgetStep, CrowdStudy, HooStudy, SampleStudy
from errorbar.studies.sample_results import SampleEstimation
from errorbar.version import __version__

HISTOGRAM = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Edges of the histogram of agreement."""
STEPS = (1.5, 2.0, 3.0, 5.0, 10.0)
"""Budgets, as multiples of what was spent."""


@dataclass(frozen=True, slots=True)
class HooData:
    """Fragments with their gold edits; by its name each run's edits of each fragment; what joins signatures."""

    fragments: Sequence[Fragment]
    runs: Mapping[str, Sequence[Edits]]
    name: str = ""
    conventions: tuple[str, ...] = ()


def study_hoo(
    data: HooData, metric: Hoo | str, problems: Problems, resampling: Resampling, *, browse: bool = True
) -> HooStudy:
    """Everything that a report shows of HOO data; the numbers are those of ``errorbar score`` with ``--ci``."""
    metric, fragments, runs = parse_hoo(metric), data.fragments, data.runs
    by_rows = replace(metric, by="row")
    scores = score_runs(fragments, runs, [by_rows], problems, resampling=resampling, conventions=data.conventions)
    n_bare = sum(fragment.text is None for fragment in fragments)
    wanted = [Hoo.read({"conventions": name}) for name in CONVENTIONS]
    wanted.append(replace(metric, matching="edits" if metric.matching == "maxmatch" else "maxmatch"))
    usable = [one for one in wanted if not n_bare or not (one.edge_space or one.matching == "maxmatch")]
    others = {str(one.spec): one for one in usable if one != metric}
    quiet = Problems()  # precision above 1 is said of the main metric
    made = score_runs(fragments, runs, list(others.values()), quiet, conventions=data.conventions) if others else []
    if n_bare:
        what = f"{n_bare} of {len(fragments)} fragments have no source text, which other conventions and texts need"
        problems.note("hoo-no-text", what, Place(data.name), fix="--documents=FOLDER")
    return HooStudy(
        data.name,
        scores,
        {spec: made[k :: len(others)] for k, spec in enumerate(others)},
        browse_hoo(fragments, runs, metric) if browse and not n_bare else None,
        list(dict.fromkeys(problems.notes)),
        resampling.confidence_level,
    )


def browse_hoo(fragments: Sequence[Fragment], runs: Mapping[str, Sequence[Edits]], metric: Hoo) -> Browse:
    """Lay out texts for looking at; those without a source text are not shown.

    A system's edit is matched where it corrects a gold edit under the metric. With ``counted=gold`` one edit that
    corrects two gold edits counts twice.
    """
    units = [
        _unit(fragment, [edits[number] for edits in runs.values()], metric)
        for number, fragment in enumerate(fragments)
        if fragment.text is not None
    ]
    return Browse((GOLD_NAME,), tuple(runs), units, "text")


def _unit(fragment: Fragment, said: Sequence[Edits], metric: Hoo) -> BrowseUnit:
    systems, counts = [], []
    for edits in said:
        found = edits
        if metric.matching == "maxmatch":
            found = redecompose(fragment, edits, max_unchanged=metric.max_unchanged)
        fitting = align(fragment, found, metric).fitting.tolist()
        systems.append(tuple(_shown(edit, matched=fits) for edit, fits in zip(found, fitting, strict=True)))
        row = metric.measure([fragment], [edits]).counts[0].tolist()
        counts.append((row[CORRECTED], row[SYSTEM], row[GOLD]))
    gold = tuple(_shown(edit) for edit in fragment.edits)
    chosen = (0,) * len(said)
    return BrowseUnit(fragment.name, fragment.text or "", "", (gold,), tuple(systems), tuple(counts), chosen)


def _shown(edit: StandoffEdit, *, matched: bool | None = None) -> BrowseEdit:
    return BrowseEdit(edit.start, edit.end, edit.corrections, edit.type, edit.optional, matched)


def study_crowd(
    judged: Judged,
    systems: Mapping[str, Flags],
    problems: Problems,
    resampling: Resampling,
    name: str = "",
    error: str | Sequence[str] = USUAL,
) -> CrowdStudy:
    """Everything that a report shows of a crowd, with percentile intervals.

    The numbers are those of ``crowd``, ``curve`` and ``agree`` for the same input, seed and numbers of resamples.

    Raises:
        UsageError: If no label means an error, or the judgments do not allow the shares.
    """
    table, how = judged.judgments, replace(resampling, method="percentile")
    against = Against.of(judged, Crowd(), error, how.seed)
    scores = CrowdScores(tuple(crowd_rows(against, systems, how)), against.unit, ())
    curves = Curves(tuple(curve_rows(against, systems, how)), Marks().prevalence, how.seed, ())
    n_raters = len(np.unique(table.rater))
    known = replace(judged, options=replace(judged.options, unknown=()))  # those are gone already
    agreement = agreed(known, how) if n_raters > 1 else None
    problems.notes += agreement.notes if agreement is not None else ()
    share = against.votes.share[against.votes.n_judgments > 0]
    histogram = {(low, high): int(in_bin(share, low, high).sum()) for low, high in pairwise(HISTOGRAM)}
    notes = list(dict.fromkeys(problems.notes))
    return CrowdStudy(
        name, len(share), n_raters, len(table), histogram, scores, curves, agreement, notes, how.confidence_level
    )


def study_sample(estimated: SampleEstimation, name: str = "") -> SampleStudy:
    """Everything that a report shows of a judged sample."""
    strata, sample, how = estimated.strata, estimated.sample, estimated.how
    return SampleStudy(
        name,
        int(strata.sizes.sum()),
        int(sample.n.sum()),
        estimated.found.systems,
        estimated.found.differences,
        budget_steps(strata, sample, Aim("R", how.beta, how.confidence_level)),
        {"sample estimate": _signature(estimated)},
        estimated.notes,
    )


def budget_steps(strata: Strata, sample: Sample, aim: Aim | None = None) -> list[BudgetStep]:
    """What was spent and what more would buy, smallest first.

    ``aim`` says what more judgments shall show best, the weight of recall, and the level of the intervals.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    sample.check(strata)
    aim, rates = aim or Aim(), sample.rates(strata)
    spent, every = int(sample.n.sum()), int(strata.sizes.sum())
    steps = [BudgetStep(spent, _half_widths(expected_precision(strata, rates, sample.n, aim)))]
    for budget in sorted({min(every, round(spent * factor)) for factor in STEPS} - {spent}):
        plan = plan_sample(strata, rates, budget, aim, floor=sample.n)
        steps.append(BudgetStep(budget, _half_widths(plan.expected)))
    return steps


def _half_widths(expected: Sequence[Expected]) -> dict[str, float | None]:
    """The widest of all systems."""
    return {target: max(each.half_width for each in expected if each.name == target) for target in TARGETS}


def _signature(estimated: SampleEstimation) -> str:
    """What can change a digit: strata, what was judged, and how."""
    strata, sample, how = estimated.strata, estimated.sample, estimated.how
    judged = ContentHash()
    columns = (strata.names, strata.sizes.tolist(), sample.n.tolist(), sample.x.tolist())
    judged.add([" ".join(map(str, row)) for row in zip(*columns, strict=True)])
    judged.add([f"{system} {flags}" for system, flags in zip(strata.systems, strata.flags.tolist(), strict=True)])
    parts = [
        f"sample(beta={how.beta:g},method={how.method})",
        f"judged:{judged.short()}",
        f"n:{int(sample.n.sum())}",
        f"ci:{how.confidence_level}",
        f"seed:{how.seed}",
        f"v:{__version__}",
    ]
    return "|".join(parts)
