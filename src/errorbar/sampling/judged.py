"""From judgments of a drawn sample to what was found in each stratum.

Formula
    The truth of an item: ``majority``: 1 if more than half of its raters say error, ½ at a tie, else 0; ``any``: 1 if
    one does; ``graded``: the share who do. Graded truths stand for a share among all possible raters, and asking k of
    them adds y (1 − y) / (k − 1) to the variance.
Conventions
    Intervals that may always be looked at need truths of 0 or 1: there a tie counts as not judged.
    A drawn item without a judgment is left out, with a warning: it counts as missing at random in its stratum. An item
    with one judgment takes the mean added variance of the others in its stratum; where no item has two, there is no
    finite-population correction instead (``totals``).
Source
    Cochran 1977, section 10.3 (two-stage sampling).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.labels import named, natural_key
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import labels_of_rule
from errorbar.formats.judgment_files import is_corpus, read_judgment_table
from errorbar.formats.look import Source, display_name, look
from errorbar.formats.tables import table_rows
from errorbar.sampling.draw import Key
from errorbar.sampling.frame import Counts, Floats
from errorbar.sampling.totals import FEW, Sample

Truth = Literal["majority", "any", "graded"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)


@dataclass(frozen=True, slots=True)
class Labels:
    """What labels mean: those of an error, those of none, or rules such as ``<4``; unknown ones count as not judged."""

    errors: Sequence[str] = ("error",)
    others: Sequence[str] = ("ok",)
    unknown: Sequence[str] = ()

    def shares(self, judgments: Judgments, who: str = "rater", file: str = "") -> tuple[list[str], Floats, Counts]:
        """Items that have a verdict, the share of their verdicts that say error, and how many verdicts."""
        errors, others = (
            [label for text in texts for label in labels_of_rule(text, judgments.labels, numbers_only=False)]
            for texts in (self.errors, self.others)
        )
        if both := [label for label in errors if label in others]:
            what = f"the label '{named(both[:1])}' means an error and none"
            raise UsageError(Problem("sample-label", what, expected="one that means error or ok"))
        declared = {*errors, *others, *self.unknown}
        for code in np.unique(judgments.label).tolist():
            if (label := judgments.labels[code]) not in declared:
                near = nearest(label, sorted(declared))
                means = f"--error='{label}', --ok='{label}' or --unknown='{label}'"
                fix = f"{f'{near} Else ' * near.startswith('did')}say what it means: {means}"
                raise UsageError(Problem("sample-label", f"no {who} was to say '{label}'", Place(file), fix=fix))
        used = [label for label in self.unknown if label in judgments.labels]
        kept = judgments.without(used) if used else judgments
        wrong = np.array([label in errors for label in kept.labels], np.float64)
        rows, at, k = np.unique(kept.item, return_inverse=True, return_counts=True)
        said = np.bincount(at, wrong[kept.label], minlength=len(rows))
        return [kept.items[row] for row in rows.tolist()], said / k, k


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged items of a sample; arrays have shape (items,)."""

    items: Sequence[str]
    stratum: Counts  # its number
    truth: Floats  # 0 to 1
    sample: Sample  # the same by stratum


def read_judged_files(paths: Sequence[Source], key: Key, problems: Problems) -> Judgments:
    """Read the filled-in sets of a sample and see that they belong to the key."""
    if not paths:
        raise UsageError(Problem("sample-no-judgments", "no file of judgments", fix="name the filled-in set"))
    tables: list[Judgments] = []
    for path in paths:
        refuse_corpus(path)
        own = Problems(lenient=problems.lenient, limit=problems.limit)
        _check_set(path, key, own)
        own.raise_errors()
        table = read_judgment_table(path, own).judgments
        if table.weight is not None:
            what = "the weights of judgments are not used: each counts once"
            own.note("sample-weights", what, Place(display_name(path)))
        tables.append(table)
        problems.take(own.notes)
    columns = [table.to_columns() for table in tables]
    item, rater, label = ([value for one in columns for value in one[name]] for name in ("item", "rater", "label"))
    joined = Judgments.from_columns(item, rater, label)
    if joined.n_repeated():
        what = "a rater judged an item in two files"
        raise UsageError(Problem("sample-twice", what, fix="give each judgment once"))
    return joined


def _check_set(path: Source, key: Key, problems: Problems) -> None:
    names, known, place = {drawn.name for drawn in key.rounds}, key.items(), Place(display_name(path))
    if look(path).is_parquet:
        what = "the column 'set' of Parquet is not read; only the items tell that they belong to the key"
        problems.note("sample-no-set", what, place, fix="check that this is the file of that key")
        return
    unnamed, fix = False, "use the key that was written with this set"
    for row, where in table_rows(path, problems, ("item", "rater", "label")):
        said = row.get("set", "").strip()
        unnamed |= not said
        if said and said not in names:
            what = f"the row is of the set {said}, the key of {', '.join(sorted(names))}"
            problems.error("sample-other-set", what, where, fix=fix)
            return
        if row["item"] not in known:
            what = f"item '{row['item']}' was not drawn with this key"
            problems.error("sample-other-set", what, where, fix=fix)
    if unnamed and not problems.errors:
        what = "no column 'set' names the sample; only the items tell that they belong to the key"
        problems.note("sample-no-set", what, place, fix="keep the column 'set'")


def refuse_corpus(path: Source) -> None:
    """Raise ``InputError`` where edits are given for judgments, and say what makes these of them."""
    if is_corpus(path):
        what, fix = "this is a corpus, and a table of judgments is wanted", "errorbar crowd judgments makes one"
        raise InputError(Problem("sample-corpus", what, Place(display_name(path)), fix=fix))


def _sorted_first(judged: set[str], drawn: Sequence[str]) -> bool:
    """Whether a part was judged that comes first by name, and not in the order of drawing, which is random."""
    n = len(judged)
    by_name = (sorted(drawn, key=natural_key), sorted(drawn))
    return n >= FEW and judged != set(drawn[:n]) and any(judged == set(order[:n]) for order in by_name)


def judge_sample(
    judgments: Judgments,
    key: Key,
    problems: Problems,
    *,
    truth: Truth = "majority",
    labels: Labels | None = None,
    ties: bool = True,
) -> Judged:
    """Make truths of judgments; warnings go to ``problems``. Without ``ties`` these items count as not judged."""
    if truth not in TRUTHS:
        raise UsageError(Problem("sample-truth", f"the truth is '{truth}'", fix=nearest(truth, TRUTHS)))
    drawn = key.items()
    items, share, raters = (labels or Labels()).shares(judgments)
    if strangers := [item for item in items if item not in drawn]:
        what = f"{len(strangers)} judged items were not drawn with this key, e.g. '{strangers[0]}'"
        raise UsageError(Problem("sample-other-set", what, fix="use the key that was written with this set"))
    if not items:
        raise UsageError(Problem("sample-no-judgments", "nothing was judged", fix="fill in the column 'label'"))
    if len(items) < len(drawn):
        what = f"{len(drawn) - len(items)} of {len(drawn)} drawn items have no judgment"
        fix = "they count as missing at random in their stratum; judge them if that is doubtful"
        if _sorted_first(set(items), list(drawn)):
            what += ", and those with one are the first by name: the set was sorted, so they are no random part of it"
            fix = "judge the others too, or in the order in which the set was drawn"
        problems.note("sample-unjudged", what, Place(), fix=fix)
    y = share
    if truth == "majority":
        y = np.where(share > 0.5, 1.0, np.where(share < 0.5, 0.0, 0.5))
        if n := int((y == 0.5).sum()):
            what = f"{n} items are ties of their raters; each counts as {'half an error' if ties else 'not judged'}"
            problems.note("sample-ties", what, Place())
        if n and not ties:
            decided = y != 0.5
            items = [item for item, kept in zip(items, decided.tolist(), strict=True) if kept]
            y, raters = y[decided], raters[decided]
    elif truth == "any":
        y = (share > 0).astype(np.float64)
    stratum = np.array([drawn[item] for item in items], np.int64)
    return Judged(items, stratum, y, sample_of(stratum, y, raters, len(key.strata), graded=truth == "graded"))


def sample_of(stratum: Counts, y: Floats, raters: Counts, n_strata: int, *, graded: bool) -> Sample:
    """What was judged in each stratum; of each judged item its stratum, its truth and how many raters said it."""
    n = np.bincount(stratum, minlength=n_strata)
    x = np.asarray(np.bincount(stratum, y, minlength=n_strata), np.float64)
    several = raters > 1
    if ((y == 0) | (y == 1)).all() and not (graded and several.any()):
        return Sample(n, x, corrected=np.zeros(n_strata) if graded else None)
    with np.errstate(invalid="ignore"):
        mean = x / n
        square = np.bincount(stratum, (y - mean[stratum]) ** 2, minlength=n_strata) / n
        spread = np.where((mean > 0) & (mean < 1), square / (mean * (1 - mean)), 1.0)
    if not graded:
        return Sample(n, x, spread)
    added = y[several] * (1 - y[several]) / (raters[several] - 1)
    known = np.bincount(stratum[several], minlength=n_strata)
    within = np.bincount(stratum[several], added, minlength=n_strata) / np.maximum(known, 1)
    return Sample(n, x, spread, within, (known > 0).astype(np.float64))
