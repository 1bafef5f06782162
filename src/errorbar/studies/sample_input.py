"""What the functions of samples take: frames, plans, and what labels mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Annotated, Any, TypedDict

from errorbar.core.corpus import Hypothesis
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.items import split_items
from errorbar.formats.look import Source
from errorbar.formats.reference import NamedFile
from errorbar.sampling import (
    Aim,
    Anytime,
    Frame,
    Labels,
    Look,
    Plan,
    Strata,
    budget_for_half_width,
    frame_of_systems,
    guessed_rates,
    plan_sample,
    read_frame,
)
from errorbar.sampling.anytime import WANTED
from errorbar.sampling.totals import Target
from errorbar.studies.door import Lenient, Said, part
from errorbar.studies.inputs import Gold, ReadingOptions, load
from errorbar.studies.judgment_input import ITEMS, LABELS, labels_by_role

Flags = Source | Hypothesis | Frame
MOST_COST, LEAST_COST = 1e9, 1e-9
LEVEL = 0.95
"""Confidence level of plans."""
MOST_DIGITS = 10
"""Of two numbers of looks and what stands between them."""
_SUFFIX = re.compile(r"\.(csv|tsv|jsonl)(\.gz)?$")


class Items(TypedDict, total=False):
    """What there is to judge."""

    corpus: Annotated[Gold | None, Said(None, "Source sentences, where flags are the systems' outputs.")]
    items: Annotated[str, Said("tokens", f"With a corpus: what its items are: {ITEMS}.")]
    lenient: Lenient


class Planning(Items, total=False):
    """How a sample is planned."""

    bands: Annotated[int, Said(1, "Bands of score into which unflagged items are cut.")]
    budget: Annotated[int | None, Said(None, "Items to judge, or with costs what all may cost.")]
    half_width: Annotated[
        float | None, Said(None, "Instead: the wanted half-width of the target's interval, e.g. .05.")
    ]
    target: Annotated[Target, Said("R", "What shall be known best: P, R or F; of two systems their difference.")]
    beta: Annotated[float, Said(1.0, "Weight of recall in F.")]
    floor: Annotated[int, Said(30, "The fewest items of a stratum.")]
    precision: Annotated[float, Said(0.7, "Supposed share of errors in flagged items.")]
    miss_rate: Annotated[float, Said(0.05, "Supposed share of errors in the others.")]
    costs: Annotated[str | Sequence[float], Said((), "What an item of each stratum costs: numbers, or a text of them.")]


class Labeling(TypedDict, total=False):
    """What labels of a sample mean."""

    labels: Annotated[str | Sequence[str], Said((), f"{LABELS}.")]
    error: Annotated[str | Sequence[str], Said((), "Labels that mean error, or rules such as ``<4``; none: ``error``.")]
    ok: Annotated[str | Sequence[str], Said((), "Labels that mean no error; none: ``ok``.")]
    unknown: Annotated[str | Sequence[str], Said((), 'Labels that mean "cannot say"; they count as not judged.')]


class Drawn(Planning, Labeling, total=False):
    """How a sample is drawn."""


def listed(flags: Flags | Sequence[Flags]) -> Sequence[Flags]:
    """Flags of one system or two, as a list."""
    return [flags] if isinstance(flags, str | PathLike | Hypothesis | Frame) else flags


def meanings(given: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The labels of ``error``, ``ok`` and ``unknown``, and ``type`` of who takes it; one without a role is refused."""
    said = labels_by_role(part(Labeling, given) | {role: given[role] for role in ("type",) if role in given})
    if bare := said.pop(""):
        what = f"--labels={bare[0]} must say what the label means"
        raise UsageError(Problem("bad-parameter", what, expected="error=LABEL, ok=LABEL or unknown=LABEL"))
    return said


def labels_of(given: Labeling) -> Labels:
    """What labels mean: ``error`` and ``ok`` what they say, unless others are named."""
    said = meanings(given)
    return Labels(said["error"] or ("error",), said["ok"] or ("ok",), said["unknown"])


def frame_of(flags: Sequence[Flags], given: Items, problems: Problems) -> Frame:
    """Every item with its flags: tables, or what systems change in a corpus."""
    if not flags:
        what = "no table of flags"
        fix = "give item,flag tables; or --corpus and a system's output; or --flagged and --unflagged to plan"
        raise UsageError(Problem("sample-systems", what, fix=fix))
    if isinstance(flags[0], Frame):
        return flags[0]
    if given["corpus"] is None:
        files = [NamedFile.parse(str(path)) for path in flags if isinstance(path, str | PathLike)]
        return read_frame([file.path for file in files], problems, [_SUFFIX.sub("", file.name) for file in files])
    how = ReadingOptions(lenient=problems.lenient, admission=Admission(force=True))
    data = load(given["corpus"], [flag for flag in flags if not isinstance(flag, Frame)], how)
    problems.take(data.problems.notes)
    projection, words = split_items(given["items"])
    return frame_of_systems(data.corpus, data.systems, projection, words=words)


def costs_of(costs: str | Sequence[float], strata: Strata) -> list[float] | None:
    """What an item of each stratum costs; None: 1 each."""
    if not len(costs):
        return None
    try:
        made = [float(cost) for cost in (costs.split(",") if isinstance(costs, str) else costs)]
    except ValueError:
        made = []
    if len(made) != len(strata) or not all(LEAST_COST <= cost <= MOST_COST for cost in made):
        expected = f"{len(strata)} numbers from {LEAST_COST:g} to {MOST_COST:g} between commas, of "
        what = f"--costs={str(costs)[:60]}"
        raise UsageError(Problem("sample-cost", what, expected=expected + ", ".join(strata.names)))
    return made


def looked(anytime: bool, looks: str, half_width: float | None) -> Anytime | Look | None:
    """What intervals are to withstand: any number of looks, planned ones (``2/5``: the second of five), or one."""
    if anytime and looks:
        what = f"--anytime and --looks={looks}"
        raise UsageError(Problem("two-choices", what, fix="give one of them: --anytime allows any number of looks"))
    if half_width is not None and not 0 < half_width < 1:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0, below 1"))
    if anytime:
        return Anytime(WANTED if half_width is None else half_width)
    if not looks:
        return None
    at, _, of = looks.partition("/")
    if not (at.isdecimal() and of.isdecimal() and len(looks) < MOST_DIGITS):
        expected = "the number of this look and of all, e.g. 2/5"
        raise UsageError(Problem("look-number", f"--looks={looks[:20]}", expected=expected))
    return Look(int(at), int(of))


def planned(strata: Strata, given: Planning, looks: int | None = None) -> Plan:
    """A plan from guesses of precision and miss rate, for a budget or a half-width at the last of the looks."""
    rates = guessed_rates(strata, given["precision"], given["miss_rate"])
    level = LEVEL if looks is None else Look(looks, looks).nominal(LEVEL)
    aim = Aim(given["target"], given["beta"], level)
    budget, half_width, floor, costs = (
        given["budget"],
        given["half_width"],
        given["floor"],
        costs_of(given["costs"], strata),
    )
    if budget is None and half_width is not None:
        if costs is not None:
            what = "costs and a half-width: the fewest items are not the cheapest"
            raise UsageError(Problem("sample-cost", what, fix="give --budget, what all may cost, with --costs"))
        budget = budget_for_half_width(strata, rates, half_width, aim, floor=floor)
    elif budget is None or half_width is not None:
        what = "neither a budget nor a half-width" if budget is None else "a budget and a half-width"
        raise UsageError(Problem("sample-budget", what, fix="give one of --budget and --half-width"))
    total = int(strata.sizes.sum())
    if costs is None and budget > total:
        what = f"a budget of {budget} items"
        raise UsageError(Problem("sample-budget", what, expected=f"at most {total}, all there are"))
    return plan_sample(strata, rates, budget, aim, floor=floor, costs=costs)
