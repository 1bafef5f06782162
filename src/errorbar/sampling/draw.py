"""Draw a sample, write the blind annotation set, keep the key.

Conventions
    Each stratum has its own stream, named by the stratum, which puts its items in an order once and for all; a sample
    of n items is the first n. So a later round with the same seed goes on where the pilot stopped, and both together
    are a simple random sample of the stratum. Another stream shuffles the set, so that the order tells nothing. It is
    named by the contents of the frame, which raters do not have: who knows the seed alone cannot undo the shuffling.
    The key tells which stratum each drawn item is from; raters must not see it. The set and its key carry one name, a
    hash of the key's contents, so that a set is never counted by the key of another, and a key that was changed by
    hand is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from errorbar.core.arrays import Counts, Floats
from errorbar.core.csv_cells import csv_line
from errorbar.core.judgments import Judgments
from errorbar.core.labels import natural_key, quote_labels
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.crowdsourcing.answers import labels_of_rule
from errorbar.formats.judgments import MODEL, RATER_KIND, is_corpus, read_people
from errorbar.formats.look import Source, display_name, look
from errorbar.formats.tables import table_rows
from errorbar.formats.untrusted import read_json
from errorbar.sampling.frame import FEW, Frame, Sample, Strata, stratify
from errorbar.stats.resampling import stream

# Files that tell what a set of items was drawn from: JSON of a named format, of samples and of audits.


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """Attributes: what its files say that they are; ``drawn``: sample or audit; ``code``: of errors."""

    name: str
    version: int
    drawn: str
    code: str

    @property
    def record(self) -> dict[str, object]:
        """How a file begins."""
        return {"format": self.name, "version": self.version}

    def parse(self, record: Any, place: Place, parse: Callable[[Mapping[str, Any]], T]) -> T:  # noqa: ANN401 - of JSON
        """Parse a file's JSON by ``parse``.

        Raises:
            InputError: If it is no key of this kind, or not whole.
        """
        if not isinstance(record, dict) or not self.record.items() <= record.items():
            message = f"this is not the key of {'an' if self.drawn[0] in 'aeiou' else 'a'} {self.drawn}"
            fix = f"name the file that 'errorbar {self.drawn} draw --key' wrote"
            expected = f"JSON of the format {self.name}, version {self.version}"
            raise InputError(Problem(self.code, message, place, expected, fix))
        try:
            return parse(record)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            message = f"the key is not whole: {type(error).__name__} at {error}"
            raise InputError(Problem(self.code, message, place, fix=f"draw the {self.drawn} again")) from None


SetFormat = Literal["csv", "jsonl"]
SAMPLE_KEY = KeyFormat("errorbar-sample-key", 1, "sample", "sample-key")
DIGITS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Items drawn at one time."""

    name: str  # of their annotation set, a hash
    items: Mapping[str, int]  # to the number of the stratum


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """The key of a drawn sample."""

    strata: Strata
    edges: tuple[float, ...]  # of score
    frame: str  # content hash
    seed: int
    rounds: tuple[Round, ...]  # the pilot, if any, and what was drawn later; at least one

    def items(self) -> dict[str, int]:
        """Every drawn item and the number of its stratum."""
        return {item: stratum for drawn in self.rounds for item, stratum in drawn.items.items()}


def round_name(strata: Strata, edges: tuple[float, ...], frame: str, seed: int, items: Mapping[str, int]) -> str:
    """The name of an annotation set: a hash of all that its key says about it."""
    content = [*_strata_record(strata).items(), ("edges", list(edges)), ("frame", frame), ("seed", seed)]
    text = json.dumps([content, list(items.items())], ensure_ascii=True, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:DIGITS]


def write_key(key: Key) -> Iterator[str]:
    """Yield the lines of a key file: JSON."""
    record = {**SAMPLE_KEY.record, "frame": key.frame, "seed": key.seed, "edges": list(key.edges)}
    record |= _strata_record(key.strata)
    record["rounds"] = [{"set": drawn.name, "items": dict(drawn.items)} for drawn in key.rounds]
    yield from json.dumps(record, ensure_ascii=False, indent=1).split("\n")


def read_key(path: Source) -> Key:
    """Read a key file."""
    return key_of(*read_json(path))


def key_of(record: Any, place: Place) -> Key:  # noqa: ANN401 - of JSON
    """The key that the JSON of a file is; an ``InputError`` where it is none, not whole, or was changed."""
    key = SAMPLE_KEY.parse(record, place, _parse)
    for drawn in key.rounds:
        if round_name(key.strata, key.edges, key.frame, key.seed, drawn.items) != drawn.name:
            message = f"the key was changed after the set {drawn.name} was drawn"
            fix = "use the key as it was written, or draw again"
            raise InputError(Problem("sample-key-changed", message, place, fix=fix))
    return key


def _strata_record(strata: Strata) -> dict[str, object]:
    rows = zip(strata.names, strata.sizes.tolist(), strata.flags.T.tolist(), strict=True)
    return {
        "systems": list(strata.systems),
        "strata": [{"name": name, "size": size, "flags": flags} for name, size, flags in rows],
    }


def _parse(record: Mapping[str, Any]) -> Key:
    rows, rounds, edges, systems = lists = [record[name] for name in ("strata", "rounds", "edges", "systems")]
    if not (all(isinstance(part, list) for part in lists) and isinstance(record["seed"], int) and rounds):
        raise TypeError("strata, rounds, edges, systems, seed")
    strata = Strata(
        tuple(str(row["name"]) for row in rows),
        np.array([row["size"] for row in rows], np.int64),
        np.array([row["flags"] for row in rows], np.bool_).T,
        tuple(map(str, systems)),
    )
    drawn = [Round(str(row["set"]), {item: int(stratum) for item, stratum in row["items"].items()}) for row in rounds]
    if any(not 0 <= stratum < len(strata) for part in drawn for stratum in part.items.values()):
        raise ValueError("a stratum that does not exist")
    return Key(strata, tuple(map(float, edges)), str(record["frame"]), record["seed"], tuple(drawn))


def check_frame(frame: Frame, key: Key) -> None:
    """Raise ``InputError`` unless the sample was drawn from this frame."""
    if (here := frame.content_hash) != key.frame:
        message = f"the sample was drawn from other items, flags or scores (frame {key.frame}, here {here})"
        raise InputError(Problem("sample-frame-other", message, fix="give the flags that the sample was drawn from"))


def draw_sample(
    frame: Frame, n: Counts, *, edges: Sequence[float] = (), seed: int = 0, after: Key | None = None
) -> Key:
    """Draw ``n`` items of each stratum, those drawn ``after`` a sample among them, whose score edges and seed stay."""
    edges, before = tuple(edges), tuple[Round, ...]()
    if after is not None:
        check_frame(frame, after)
        edges, seed, before = after.edges, after.seed, after.rounds
    strata, codes = stratify(frame, edges)
    known = {item for drawn in before for item in drawn.items}
    if n.shape != (len(strata),) or (n < 0).any():
        message = f"items to draw from {len(strata)} strata: {n.tolist()}"
        raise UsageError(Problem("sample-strata", message, expected="a number from 0 for each stratum"))
    chosen: list[tuple[str, int]] = []
    for at, (name, size) in enumerate(zip(strata.names, strata.sizes.tolist(), strict=True)):
        if n[at] > size:
            message = f"{n[at]} items of stratum '{name}' cannot be drawn: it has {size}"
            raise UsageError(Problem("sample-size", message, expected=f"at most {size}"))
        members = np.flatnonzero(codes == at)
        order = stream(seed, "sample", "stratum", name).permutation(len(members))
        names = [frame.items[row] for row in members[order[: n[at]]].tolist()]
        chosen += [(item, at) for item in names if item not in known]
    if not chosen:
        message = "no item is to be drawn" if not before else "every item of this sample has been drawn before"
        raise UsageError(Problem("sample-budget", message, fix="raise the budget"))
    frame_hash = frame.content_hash
    shuffled = stream(seed, "sample", "order", len(before), frame_hash).permutation(len(chosen)).tolist()
    items = dict(chosen[at] for at in shuffled)
    drawn = Round(round_name(strata, edges, frame_hash, seed, items), items)
    return Key(strata, edges, frame_hash, seed, (*before, drawn))


def blind_set(key: Key, frame: Frame, raters: Sequence[str], kind: SetFormat = "csv") -> Iterator[str]:
    """Yield the lines of the last round's annotation set: each item and rater, an empty label, and no stratum."""
    drawn = key.rounds[-1]
    text = {} if frame.texts is None else dict(zip(frame.items, frame.texts, strict=True))
    shown = [{"item": item, **({"text": text[item]} if text else {})} for item in drawn.items]
    return set_lines(shown, drawn.name, raters, kind)


def name_raters(rater: str | Sequence[str]) -> tuple[str, ...]:
    """One rater or several, each of whom gets every item.

    Raises:
        UsageError: If there is none, a name is empty or has a line break, or is there twice.
    """
    names = (rater,) if isinstance(rater, str) else tuple(rater)
    for at, name in enumerate(names):
        reason = "stands twice" if name in names[:at] else "" if name.strip() else "is empty"
        if reason := "has a line break" if len(name.splitlines()) > 1 else reason:
            raise UsageError(
                Problem("sample-rater", f"the name {name!r} of a rater {reason}", fix="name each rater once")
            )
    if not names:
        raise UsageError(Problem("sample-rater", "there is no rater", fix="name one"))
    return names


def set_lines(
    shown: Sequence[Mapping[str, str]], name: str, raters: Sequence[str], kind: SetFormat = "csv"
) -> Iterator[str]:
    """Yield the lines of an annotation set: of each rater and item what is shown, the set's name, an empty label."""
    if kind == "csv":
        yield csv_line([*shown[0], "set", "rater", "label"] if shown else ["item", "set", "rater", "label"])
    for rater in raters:
        for item in shown:
            if "\n" in item["item"] or "\r" in item["item"]:
                message = f"the name of item {item['item']!r} has a line break"
                raise InputError(Problem("sample-item", message, fix="rename the item"))
            # A line break in a text would tear the row apart for readers that go by lines.
            cells = {column: text if column == "item" else " ".join(text.split()) for column, text in item.items()}
            row = {**cells, "set": name, "rater": rater, "label": ""}
            yield csv_line(list(row.values())) if kind == "csv" else json.dumps(row, ensure_ascii=False)


# From judgments of a drawn sample to what was found in each stratum.
#
# Formula
#     The truth of an item: ``majority``: 1 if more than half of its raters say error, ½ at a tie, else 0; ``any``: 1 if
#     one does; ``graded``: the share who do. Graded truths stand for a share among all possible raters, and asking k of
#     them adds y (1 − y) / (k − 1) to the variance.
# Conventions
#     Intervals that may always be looked at need truths of 0 or 1: there a tie counts as not judged. A drawn item
#     without a judgment is left out, with a warning: it counts as missing at random in its stratum. An item with one
#     judgment takes the mean added variance of the others in its stratum; where no item has two, there is no
#     finite-population correction instead (``totals``).
# Source
#     Cochran 1977, section 10.3 (two-stage sampling).


Truth = Literal["majority", "any", "graded"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of an error, those of none, or rules such as ``<4``; unknown ones count as not judged."""

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
            message = f"the label '{quote_labels(both[:1])}' means an error and none"
            raise UsageError(Problem("sample-label", message, expected="one that means error or ok"))
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
        n_wrong = np.bincount(at, wrong[kept.label], minlength=len(rows))
        return [kept.items[row] for row in rows.tolist()], n_wrong / k, k


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSample:
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
        table = read_people(path, own)
        if table.weight is not None:
            message = "the weights of judgments are not used: each counts once"
            own.note("sample-weights", message, Place(display_name(path)))
        tables.append(table)
        problems.take(own.notes)
    columns = [table.to_columns() for table in tables]
    item, rater, label = ([value for own in columns for value in own[name]] for name in ("item", "rater", "label"))
    joined = Judgments.from_columns(item, rater, label)
    if joined.n_repeated():
        message = "a rater judged an item in two files"
        raise UsageError(Problem("sample-twice", message, fix="give each judgment once"))
    return joined


def _check_set(path: Source, key: Key, problems: Problems) -> None:
    names, known, place = {drawn.name for drawn in key.rounds}, key.items(), Place(display_name(path))
    if look(path).is_parquet:
        message = "the column 'set' of Parquet is not read; only the items tell that they belong to the key"
        problems.note("sample-no-set", message, place, fix="check that this is the file of that key")
        return
    unnamed, fix = False, "use the key that was written with this set"
    for row, where in table_rows(path, problems, ("item", "rater", "label")):
        name = row.get("set", "").strip()
        unnamed |= not name
        if name and name not in names:
            message = f"the row is of the set {name}, the key of {', '.join(sorted(names))}"
            problems.error("sample-other-set", message, where, fix=fix)
            return
        if row["item"] not in known and row.get(RATER_KIND, "").strip().lower() != MODEL:
            message = f"item '{row['item']}' was not drawn with this key"
            problems.error("sample-other-set", message, where, fix=fix)
    if unnamed and not problems.errors:
        message = "no column 'set' names the sample; only the items tell that they belong to the key"
        problems.note("sample-no-set", message, place, fix="keep the column 'set'")


def refuse_corpus(path: Source) -> None:
    """Raise ``InputError`` where edits are given for judgments, and say what makes these of them."""
    if is_corpus(path):
        message, fix = "this is a corpus, and a table of judgments is wanted", "errorbar crowd judgments makes one"
        raise InputError(Problem("sample-corpus", message, Place(display_name(path)), fix=fix))


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
) -> JudgedSample:
    """Make truths of judgments; warnings go to ``problems``. Without ``ties`` these items count as not judged."""
    if truth not in TRUTHS:
        raise UsageError(Problem("sample-truth", f"the truth is '{truth}'", fix=nearest(truth, TRUTHS)))
    drawn = key.items()
    items, share, raters = (labels or Labels()).shares(judgments)
    if strangers := [item for item in items if item not in drawn]:
        message = f"{len(strangers)} judged items were not drawn with this key, e.g. '{strangers[0]}'"
        raise UsageError(Problem("sample-other-set", message, fix="use the key that was written with this set"))
    if not items:
        raise UsageError(Problem("sample-no-judgments", "nothing was judged", fix="fill in the column 'label'"))
    if len(items) < len(drawn):
        message = f"{len(drawn) - len(items)} of {len(drawn)} drawn items have no judgment"
        fix = "they count as missing at random in their stratum; judge them if that is doubtful"
        if _sorted_first(set(items), list(drawn)):
            message += (
                ", and those with one are the first by name: the set was sorted, so they are no random part of it"
            )
            fix = "judge the others too, or in the order in which the set was drawn"
        problems.note("sample-unjudged", message, Place(), fix=fix)
    y = share
    if truth == "majority":
        y = np.where(share > 0.5, 1.0, np.where(share < 0.5, 0.0, 0.5))
        if n := int((y == 0.5).sum()):
            message = f"{n} items are ties of their raters; each counts as {'half an error' if ties else 'not judged'}"
            problems.note("sample-ties", message, Place())
        if n and not ties:
            decided = y != 0.5
            items = [item for item, kept in zip(items, decided.tolist(), strict=True) if kept]
            y, raters = y[decided], raters[decided]
    elif truth == "any":
        y = (share > 0).astype(np.float64)
    stratum = np.array([drawn[item] for item in items], np.int64)
    return JudgedSample(items, stratum, y, sample_of(stratum, y, raters, len(key.strata), graded=truth == "graded"))


def sample_of(stratum: Counts, y: Floats, raters: Counts, n_strata: int, *, graded: bool) -> Sample:
    """Count the judged items of each stratum; of each item come its stratum, its truth and how many raters gave it."""
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
