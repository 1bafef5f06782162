"""Runs against HOO gold edits: scores, the same under other conventions, recall by type and texts at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.standoff_maxmatch import redecompose
from errorbar.edits.standoff_reading import Edits
from errorbar.metrics.hoo import CONVENTIONS, GOLD_NAME, Hoo
from errorbar.metrics.hoo_align import align
from errorbar.metrics.hoo_counts import CORRECTED, GOLD, SYSTEM
from errorbar.metrics.hoo_scoring import parse_hoo, score_runs
from errorbar.stats.resampling import Resampling
from errorbar.studies.browse import Browse, BrowseEdit, BrowseUnit
from errorbar.studies.model import HooStudy


def study_hoo(
    fragments: Sequence[Fragment],
    runs: Mapping[str, Sequence[Edits]],
    metric: Hoo | str,
    problems: Problems,
    *,
    resampling: Resampling,
    name: str = "",
    conventions: tuple[str, ...] = (),
    browse: bool = True,
) -> HooStudy:
    """Compute everything that a report shows of HOO data; the numbers are those of ``errorbar score`` with ``--ci``.

    Args:
        fragments: The fragments with their gold edits.
        runs: By name, a run's edits of each fragment.
        metric: The main metric, or its spec.
        problems: Where warnings go; what it holds already is kept.
        resampling: How intervals over fragments are made.
        name: What to call the data.
        conventions: Further choices that belong in signatures.
        browse: Also texts and edits.

    Raises:
        UsageError: If the resampling is no bootstrap.
        InputError: If a metric needs source texts and a fragment has none.
    """
    metric = parse_hoo(metric)
    by_rows = replace(metric, by="row")
    scores = score_runs(fragments, runs, [by_rows], problems, resampling=resampling, conventions=conventions)
    has_texts = all(fragment.text is not None for fragment in fragments)
    others = _variants(metric, with_texts=has_texts)
    quiet = Problems()  # precision above 1 is said of the main metric
    made = score_runs(fragments, runs, list(others.values()), quiet, conventions=conventions) if others else []
    if not has_texts:
        without = sum(fragment.text is None for fragment in fragments)
        what = f"{without} of {len(fragments)} fragments have no source text, which other conventions and texts need"
        problems.note("hoo-no-text", what, Place(name), fix="--documents=FOLDER")
    return HooStudy(
        name,
        scores,
        {spec: made[k :: len(others)] for k, spec in enumerate(others)},
        browse_hoo(fragments, runs, metric) if browse and has_texts else None,
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


def _variants(metric: Hoo, *, with_texts: bool) -> dict[str, Hoo]:
    """Every named set of conventions, and matching the other way; what needs texts only where there are some."""
    wanted = [Hoo.read({"conventions": name}) for name in CONVENTIONS]
    wanted.append(replace(metric, matching="edits" if metric.matching == "maxmatch" else "maxmatch"))
    usable = [one for one in wanted if with_texts or not (one.edge_space or one.matching == "maxmatch")]
    return {str(one.spec): one for one in usable if one != metric}


def _unit(fragment: Fragment, said: Sequence[Edits], metric: Hoo) -> BrowseUnit:
    systems = []
    counts = []
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
