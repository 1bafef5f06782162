"""From judgments of a drawn sample to what was found in each stratum.

Formula
    The truth of an item: ``majority``: 1 if more than half of its raters say error, ½ at a tie, else 0; ``any``: 1 if
    one does; ``graded``: the share who do. Graded truths stand for a share among all possible raters, and asking k of
    them adds y (1 − y) / (k − 1) to the variance.
Conventions
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

from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.labels import named
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.error_labels import labels_of_rule
from errorbar.formats.judgment_files import read_judgment_table
from errorbar.formats.opening import Source, display_name, rereadable
from errorbar.formats.parquet_file import is_parquet
from errorbar.formats.tables import table_rows
from errorbar.sampling.draw import Key
from errorbar.sampling.strata import Counts, Floats
from errorbar.sampling.stratum_totals import Sample

Truth = Literal["majority", "any", "graded"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)
OURS = frozenset(("text", "set"))
"""Columns of the annotation set that judgments have no use for."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What labels mean.

    Attributes:
        errors: Those of an error, or rules such as ``<4``.
        others: Those of no error, or rules.
        unknown: Those of raters who cannot say, which count as not judged.
    """

    errors: Sequence[str] = ("error",)
    others: Sequence[str] = ("ok",)
    unknown: Sequence[str] = ()

    def shares(
        self, judgments: Judgments, who: str = "rater", file: str = ""
    ) -> tuple[tuple[str, ...], Floats, Counts]:
        """Items that have a verdict, the share of their verdicts that say error, and how many verdicts.

        Raises:
            UsageError: If a label is not declared, or means an error and none.
        """
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
        k = np.bincount(kept.item, minlength=len(kept.items)).astype(np.int64)
        said = np.bincount(kept.item, wrong[kept.label], minlength=len(k)) if len(kept) else np.zeros(len(k))
        rows = np.flatnonzero(k)
        return tuple(kept.items[row] for row in rows.tolist()), said[rows] / k[rows], k[rows]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged items of a sample.

    Attributes:
        items: Their names.
        stratum: Number of the stratum of each; shape (items,), as the next two.
        truth: Truth of each, 0 to 1.
        raters: How many raters judged each.
        sample: The same by stratum.
    """

    items: tuple[str, ...]
    stratum: Counts
    truth: Floats
    raters: Counts
    sample: Sample


def read_judged_files(paths: Sequence[Source], key: Key, problems: Problems) -> Judgments:
    """Read the filled-in sets of a sample and see that they belong to the key.

    Raises:
        InputError: If a file is bad or is the set of another sample.
        UsageError: If there is no file, or a rater judged an item in two files.
    """
    if not paths:
        raise UsageError(Problem("sample-no-judgments", "no file of judgments", fix="name the filled-in set"))
    tables = []
    known = key.items()
    for path in map(rereadable, paths):
        own = Problems(lenient=problems.lenient, limit=problems.limit)
        _check_set(path, key, known, own)
        own.raise_errors()
        table = read_judgment_table(path, own).judgments
        if table.weight is not None:
            what = "the weights of judgments are not used: each counts once"
            own.note("sample-weights", what, Place(display_name(path)))
        tables.append(table)
        # The set's own columns are expected; others are named by the reader of judgments.
        problems.notes += [note for note in own.notes if not _is_ours(note)]
    columns = [table.to_columns() for table in tables]
    item, rater, label = ([value for one in columns for value in one[name]] for name in ("item", "rater", "label"))
    joined = Judgments.from_columns(item, rater, label)
    if joined.n_repeated():
        what = "a rater judged an item in two files"
        raise UsageError(Problem("sample-twice", what, fix="give each judgment once"))
    return joined


def _is_ours(note: Problem) -> bool:
    extra = {name.strip() for name in note.what.rpartition(":")[2].split(",")}
    return note.code == "judgments-extra" and extra <= OURS


def _check_set(path: Source, key: Key, known: dict[str, int], problems: Problems) -> None:
    names = {drawn.name for drawn in key.rounds}
    name = display_name(path)
    if is_parquet(path):
        what = "the column 'set' of Parquet is not read; only the items tell that they belong to the key"
        problems.note("sample-no-set", what, Place(name), fix="check that this is the file of that key")
        return
    unnamed = False
    for row, place in table_rows(path, problems, ("item", "rater", "label")):
        said = row.get("set", "").strip()
        unnamed |= not said
        if said and said not in names:
            what = f"the row is of the set {said}, the key of {', '.join(sorted(names))}"
            problems.error("sample-other-set", what, place, fix="use the key that was written with this set")
            return
        if row["item"] not in known:
            what = f"item '{row['item']}' was not drawn with this key"
            problems.error("sample-other-set", what, place, fix="use the key that was written with this set")
    if unnamed and not problems.errors:
        what = "no column 'set' names the sample; only the items tell that they belong to the key"
        problems.note("sample-no-set", what, Place(name), fix="keep the column 'set'")


def judge_sample(
    judgments: Judgments,
    key: Key,
    problems: Problems,
    *,
    truth: Truth = "majority",
    labels: Labels | None = None,
) -> Judged:
    """Make truths of judgments; warnings go to ``problems``.

    Raises:
        UsageError: If a label is not declared, a judged item was not drawn, or nothing was judged.
    """
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
        problems.note("sample-unjudged", what, Place(), fix=fix)
    y = share
    if truth == "majority":
        y = np.where(share > 0.5, 1.0, np.where(share < 0.5, 0.0, 0.5))
        if ties := int((y == 0.5).sum()):
            problems.note(
                "sample-ties", f"{ties} items are ties of their raters; each counts as half an error", Place()
            )
    elif truth == "any":
        y = (share > 0).astype(np.float64)
    stratum = np.array([drawn[item] for item in items], np.int64)
    return Judged(items, stratum, y, raters, _sample(stratum, y, raters, len(key.strata), graded=truth == "graded"))


def _sample(stratum: Counts, y: Floats, raters: Counts, n_strata: int, *, graded: bool) -> Sample:
    n = np.bincount(stratum, minlength=n_strata).astype(np.int64)
    x = np.bincount(stratum, y, minlength=n_strata).astype(np.float64)
    if ((y == 0) | (y == 1)).all() and (not graded or not (raters > 1).any()):
        corrected = None if not graded else np.zeros(n_strata)
        return Sample(n, x, corrected=corrected)
    with np.errstate(invalid="ignore"):
        mean = x / n
        square = np.bincount(stratum, (y - mean[stratum]) ** 2, minlength=n_strata) / n
        spread = np.where((mean > 0) & (mean < 1), square / (mean * (1 - mean)), 1.0)
    if not graded:
        return Sample(n, x, spread)
    several = raters > 1
    added = y[several] * (1 - y[several]) / (raters[several] - 1)
    known = np.bincount(stratum[several], minlength=n_strata)
    within = np.bincount(stratum[several], added, minlength=n_strata) / np.maximum(known, 1)
    return Sample(n, x, spread, within, (known > 0).astype(np.float64))
