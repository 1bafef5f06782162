"""What the ``sample`` commands read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from errorbar.core.corpus import Hypothesis
from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.labels import named
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.error_labels import labels_of_rule
from errorbar.edits.items import WORD_CLASSES, Projection
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.judgment_files import read_judgment_table
from errorbar.formats.opening import rereadable
from errorbar.formats.reference import NamedFile, expand_files, read_named
from errorbar.sampling import (
    Assisted,
    Frame,
    Judged,
    Key,
    Plan,
    Sample,
    Strata,
    assist,
    budget_for_half_width,
    draw_more,
    draw_sample,
    frame_of_systems,
    guessed_rates,
    judge_sample,
    pilot_rates,
    plan_sample,
    read_frame,
    read_judged_files,
    read_key,
    score_edges,
    stratify,
)
from errorbar.sampling.judged import Truth
from errorbar.sampling.quantities import Target
from errorbar.sampling.strata import FLAGGED, UNFLAGGED, Counts

MOST_ITEMS = 10**10
"""Items of a corpus: a thousand times what anybody has flagged."""
MOST_COST, LEAST_COST = 1e9, 1e-9
_SUFFIX = re.compile(r"\.(csv|tsv|jsonl)(\.gz)?$")


@dataclass(frozen=True, slots=True)
class FrameInput:
    """What the shared options say about the frame.

    Attributes:
        files: Tables of flags, or with a corpus the systems' outputs.
        corpus: Source sentences, or None.
        items: What the items of the corpus are.
        words: With words: which.
        bands: Score bands.
    """

    files: tuple[str, ...]
    corpus: str | None
    items: Projection
    words: str
    bands: int


@dataclass(frozen=True, slots=True)
class Wish:
    """What the shared options say about a plan.

    Attributes:
        budget: Items, or with costs what all may cost; None: see ``half_width``.
        half_width: The wanted half-width, or None.
        target: What it is best for.
        beta: Weight of recall in F.
        floor: Least of a stratum.
        precision: Supposed errors in flagged items.
        miss_rate: Supposed errors in the rest.
        costs: Numbers between commas, one for each stratum, or "".
    """

    budget: int | None
    half_width: float | None
    target: Target
    beta: float
    floor: int
    precision: float
    miss_rate: float
    costs: str

    def stratum_costs(self, strata: Strata) -> list[float] | None:
        """What an item of each stratum costs; None: 1 each.

        Raises:
            UsageError: If they are not numbers above 0, one for each stratum.
        """
        if not self.costs:
            return None
        try:
            made = [float(part) for part in self.costs.split(",")]
        except ValueError:
            made = []
        if len(made) != len(strata) or not all(LEAST_COST <= cost <= MOST_COST for cost in made):
            names = ", ".join(strata.names)
            expected = f"{len(strata)} numbers from {LEAST_COST:g} to {MOST_COST:g} between commas, of {names}"
            raise UsageError(Problem("sample-cost", f"--costs {self.costs[:60]}", expected=expected))
        return made


@dataclass(frozen=True, slots=True)
class Labels:
    """What labels mean: an error, none, or nothing."""

    errors: tuple[str, ...]
    others: tuple[str, ...]
    unknown: tuple[str, ...]

    def among(self, known: Sequence[str]) -> Labels:
        """The same with the labels that rules such as ``<4`` stand for; no label may be both.

        Raises:
            UsageError: If a label means an error and none.
        """
        errors, others = (
            tuple(label for text in texts for label in labels_of_rule(text, known, numbers_only=False))
            for texts in (self.errors, self.others)
        )
        if both := [label for label in errors if label in others]:
            what = f"the label '{named(both[:1])}' means an error and none"
            raise UsageError(Problem("sample-label", what, expected="one of --error and --ok"))
        return Labels(errors, others, self.unknown)


@dataclass(frozen=True, slots=True)
class Pilot:
    """A sample to go on with: its key, or None, and what was judged of it."""

    key: str | None
    judged: tuple[str, ...]
    labels: Labels


def planned(strata: Strata, wish: Wish) -> Plan:
    """A plan from guesses.

    Raises:
        UsageError: If the options do not fit the strata or each other.
    """
    rates = guessed_rates(strata, wish.precision, wish.miss_rate)
    budget, costs = wish.budget, wish.stratum_costs(strata)
    if (budget is None) == (wish.half_width is None):
        what = "neither a budget nor a half-width" if budget is None else "a budget and a half-width"
        raise UsageError(Problem("sample-budget", what, fix="give one of --budget and --half-width"))
    if budget is None:
        if costs is not None:
            what = "costs and a half-width: the fewest items are not the cheapest"
            raise UsageError(Problem("sample-cost", what, fix="give --budget, what all may cost, with --costs"))
        assert wish.half_width is not None  # one of the two is given
        budget = budget_for_half_width(
            strata, rates, wish.half_width, target=wish.target, beta=wish.beta, floor=wish.floor
        )
    total = int(strata.sizes.sum())
    if costs is None and budget > total:
        what = f"a budget of {budget} items"
        raise UsageError(Problem("sample-budget", what, expected=f"at most {total}, all there are"))
    return plan_sample(strata, rates, budget, target=wish.target, beta=wish.beta, floor=wish.floor, costs=costs)


def read_frame_input(source: FrameInput, problems: Problems) -> Frame:
    """Read the frame.

    Raises:
        InputError: If a file is bad.
        UsageError: If there is no or more than two systems.
    """
    files = [NamedFile.parse(name) for name in source.files]
    if not files:
        what = "no table of flags"
        fix = "give item,flag tables; or --corpus and a system's output; or --flagged and --unflagged to plan"
        raise UsageError(Problem("sample-systems", what, fix=fix))
    if source.corpus is None:
        names = [_SUFFIX.sub("", file.name) for file in files]
        return read_frame([file.path for file in files], problems, names)
    corpus = read_named(expand_files([source.corpus]), problems)
    systems = []
    for file in files:
        reader = HypothesisReader(file, problems)
        lines = reader.take(len(corpus))
        reader.finish(len(corpus))
        problems.raise_errors()
        systems.append(Hypothesis(file.name, lines))
    words = source.words if source.words in WORD_CLASSES else [word for word in source.words.split(",") if word]
    return frame_of_systems(corpus, systems, source.items, words=words)


def read_input(source: FrameInput, problems: Problems) -> tuple[Frame, Strata, Counts, tuple[float, ...]]:
    """The frame, its strata, the stratum of each item, and the score edges.

    Raises:
        InputError: If a file is bad.
        UsageError: If there is no or more than two systems, or no score to cut by.
    """
    frame = read_frame_input(source, problems)
    edges = score_edges(frame, source.bands)
    return frame, *stratify(frame, edges), edges


def sizes_input(source: FrameInput, flagged: int | None, unflagged: int | None) -> Strata | None:
    """Strata of guessed sizes; None where flags are given.

    Raises:
        UsageError: If one size is missing, or both sizes and flags are given.
    """
    if flagged is None and unflagged is None:
        return None
    if flagged is None or unflagged is None or source.files:
        what = "sizes and flags" if source.files else "only one of --flagged and --unflagged"
        raise UsageError(Problem("sample-systems", what, fix="give FLAGS, or both --flagged and --unflagged"))
    return Strata.of_sizes(flagged, unflagged)


def draw_input(source: FrameInput, wish: Wish, pilot: Pilot, seed: int, problems: Problems) -> tuple[Frame, Key]:
    """The frame and a drawn key: from guesses, or going on after a pilot.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If options do not fit.
    """
    if pilot.key is None:
        if pilot.judged:
            what = "judged files without the key of their sample"
            raise UsageError(Problem("sample-key", what, fix="give --after KEY"))
        frame, strata, _, edges = read_input(source, problems)
        return frame, draw_sample(frame, planned(strata, wish).n, edges=edges, seed=seed)
    key, done = judged_input(pilot.judged, pilot.key, "majority", pilot.labels, problems)
    frame = read_frame_input(source, problems)
    if wish.budget is None or wish.half_width is not None:
        what = "after a pilot the budget is the number of items in all"
        raise UsageError(Problem("sample-budget", what, fix="give --budget"))
    drawn = np.bincount(list(key.items().values()), minlength=len(key.strata))
    least = np.maximum(drawn, np.minimum(wish.floor, key.strata.sizes))
    made = plan_sample(
        key.strata,
        pilot_rates(key.strata, done.sample),
        wish.budget,
        target=wish.target,
        beta=wish.beta,
        floor=least,
        costs=wish.stratum_costs(key.strata),
    )
    return frame, draw_more(frame, made.n, key)


def judged_input(
    files: Sequence[str], key_file: str, truth: Truth, labels: Labels, problems: Problems
) -> tuple[Key, Judged]:
    """A key and what was judged.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If a label is not declared, or nothing was judged.
    """
    key = read_key(key_file)
    judgments = read_judged_files(files, key, problems)
    meant = labels.among(judgments.labels)
    judged = judge_sample(
        judgments,
        key,
        problems,
        truth=truth,
        errors=meant.errors,
        others=meant.others,
        unknown=meant.unknown,
    )
    return key, judged


def votes_input(
    votes: str,
    source: FrameInput,
    key: Key,
    judged: Judged,
    labels: Labels,
    problems: Problems,
) -> Assisted:
    """Totals that use cheap votes.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If a label is not declared.
    """
    frame = read_frame_input(source, problems)
    table = read_judgment_table(rereadable(votes), problems, repeats="refuse").judgments
    labels = labels.among(table.labels)
    known = {*labels.errors, *labels.others, *labels.unknown}
    for label in table.labels:
        if label not in known:
            fix = f"{nearest(label, sorted(known))} or declare it with --error, --ok or --unknown"
            raise UsageError(Problem("sample-label", f"no vote was to say '{label}'", Place(votes), fix=fix))
    used = [label for label in labels.unknown if label in table.labels]
    table = table.without(used) if used else table
    wrong = np.array([label in labels.errors for label in table.labels], np.float64)
    k = np.bincount(table.item, minlength=len(table.items))
    said = np.bincount(table.item, wrong[table.label], minlength=len(table.items))
    shares = {item: float(s / n) for item, s, n in zip(table.items, said, k, strict=True) if n}
    return assist(frame, key, judged, shares, problems)


def counted_input(counts: Sequence[str]) -> tuple[Strata, Sample]:
    """Strata and a sample from ``side:items:judged:errors``.

    Raises:
        UsageError: If a count is not written so, or a side is missing.
    """
    sides, numbers = [], []
    for text in counts:
        side, *rest = text.split(":")
        if side not in (FLAGGED, UNFLAGGED) or len(rest) != 3 or not all(part.isdecimal() for part in rest):
            what = f"'{text[:60]}' does not tell a stratum"
            expected = "side:items:judged:errors, e.g. flagged:1000:750:600"
            fix = nearest(side, (FLAGGED, UNFLAGGED)) if side not in (FLAGGED, UNFLAGGED) else ""
            raise UsageError(Problem("sample-counts", what, expected=expected, fix=fix))
        sides.append(side)
        if any(len(part) > len(str(MOST_ITEMS)) or int(part) > MOST_ITEMS for part in rest):
            raise UsageError(Problem("sample-counts", f"'{text[:60]}'", expected=f"at most {MOST_ITEMS:,} items"))
        numbers.append([int(part) for part in rest])
    names = [
        side if sides.count(side) == 1 else f"{side} {sides[: at + 1].count(side)}" for at, side in enumerate(sides)
    ]
    sizes, n, x = np.array(numbers, np.int64).T
    strata = Strata(tuple(names), sizes, np.array([[side == FLAGGED for side in sides]]))
    return strata, Sample(n, x.astype(np.float64))


def refuse_names(out: str, key_file: str) -> None:
    """See that neither file is there: judgments may have been filled in, and a set without its key is lost.

    Raises:
        UsageError: If one is, or they are the same.
    """
    if Path(key_file).exists():
        what = "there is a key of this name, and a set without its key is lost"
        raise UsageError(Problem("sample-key-exists", what, Place(key_file), fix="name a new file"))
    if Path(out).is_file():
        what = "there is a file of this name, and what raters filled in would be lost"
        raise UsageError(Problem("sample-set-exists", what, Place(out), fix="name a new file"))
    if Path(out).resolve() == Path(key_file).resolve():
        what = "the set and its key would be one file, but raters must not see the key"
        raise UsageError(Problem("sample-set-exists", what, Place(out), fix="name two files"))
