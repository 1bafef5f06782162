"""Answers of an audit for ``errorbar task alternatives``: edits that judges found valid, or better.

Conventions
    An answer is an annotation of a whole sentence. For each system and annotator: the annotator's edits, and in place
    of those that they overlap all valid edits of the system in this sentence. For each better correction and
    annotator: the annotator's edits, and in place of those that it overlaps this one. An insertion also stands in place
    of what the annotator inserts there, maybe within an edit that carries a word along (``cat`` to ``the cat``), and of
    a touching edit that has more words than it replaces. Better corrections are cut to
    what they change; one that leaves the text as it is, or repeats what was judged, is none. Their tokens are what
    white space separates: a judge who writes ``don't`` where the corpus has ``do n't`` makes another edit. Of equal
    answers to a sentence one is kept.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import observed_agreement
from errorbar.agreement.krippendorff import krippendorff_alpha
from errorbar.core.arrays import Counts, Floats
from errorbar.core.corpus import Annotation, Corpus, Hypothesis
from errorbar.core.edit import Edit
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.edits.errant import EditMaker, errant_edits
from errorbar.edits.texts import Piece, apply_pieces, as_edits, minimal_pieces, overlaps, select_applied
from errorbar.formats.jsonl import write_jsonl
from errorbar.formats.judgments import read_people
from errorbar.formats.look import Source, display_name, list_paths
from errorbar.formats.m2 import write_m2
from errorbar.formats.saving import save_lines
from errorbar.formats.tables import header_of, table_rows
from errorbar.formats.untrusted import read_json
from errorbar.metrics.base import Metric
from errorbar.metrics.edit_metric import EDITS
from errorbar.sampling.audit import AuditAnswers, AuditStrata, OfficialCounts, order_key
from errorbar.sampling.draw import JudgedSample, KeyFormat, refuse_corpus, sample_of
from errorbar.sampling.prediction_powered import combined_totals

# Error types of audited edits, for strata: what an edit does, or its type as ERRANT has it.
#
# Conventions
#     ``operation``: an edit whose pieces all insert is ``missing``, all delete ``unnecessary``, else ``replaced``.
#     ``errant``: the category of the edit that ERRANT finds between the sentence and the sentence with this edit alone,
#     without its operation; where it finds several edits of different categories, ``several``. Types of which the same
#     systems propose few edits are put together as ``other types``: strata want many edits.
# Source
#     Bryant, Felice & Briscoe 2017, ACL, for ERRANT's types.


Types = Literal["none", "operation", "errant"]
TYPES: tuple[Types, ...] = get_args(Types)
SEVERAL, NO_TYPE = "several", "UNK"


def edit_types(edits: Sequence[tuple[str, Sequence[Piece]]], types: Types) -> list[str]:
    """The type of each edit, of which the sentence and the pieces are given; empty where there shall be none."""
    if types == "operation":
        return [operation(pieces) for _, pieces in edits]
    if types == "errant":
        _ = EditMaker().signature  # refuses where something is not installed
        texts = ((text, [apply_pieces(text.split(), 0, len(text.split()), pieces)]) for text, pieces in edits)
        kinds_by_edit = [{edit.type.partition(":")[2] or NO_TYPE for edit in own} for (own,) in errant_edits(texts)]
        return [next(iter(kinds), NO_TYPE) if len(kinds) < 2 else SEVERAL for kinds in kinds_by_edit]
    if types != "none":
        raise UsageError(Problem("bad-parameter", f"no types of edits are called '{types}'", fix=nearest(types, TYPES)))
    return [""] * len(edits)


def operation(pieces: Sequence[Piece]) -> str:
    """The operation of an edit."""
    if all(start == end for start, end, _ in pieces):
        return "missing"
    return "unnecessary" if not any(text for _, _, text in pieces) else "replaced"


# The edits of systems that match no annotator, as items of an audit, and the key that tells their strata.


AUDIT_KEY = KeyFormat("errorbar-audit-key", 1, "audit", "audit-key")
DIGITS = 16
WITH_OTHERS, ALONE, REST = "others too", "no other", "other types"
LEAST = 50
"""The fewest edits of a type that are a stratum of their own among those of the same systems."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """An edit that matches no annotator, and who proposes it."""

    name: str  # a hash of sentence and pieces, the same in every audit
    sentence: int  # counted from 0
    pieces: tuple[Piece, ...]
    text: str  # the sentence, tokens with a space between
    systems: tuple[bool, ...]  # whether each proposes it
    others: bool = False  # whether a system that is not audited does
    type: str = ""  # of error, where strata are by type

    def shown(self) -> dict[str, str]:
        """The view of a rater: the sentence, where it is changed (characters), what stands there, and what would."""
        tokens, start, end = self.text.split(), self.pieces[0][0], self.pieces[-1][1]
        ahead = len(" ".join(tokens[:start])) + bool(start)
        first, word = min(ahead, len(self.text)), " ".join(tokens[start:end])
        span = f"{first}-{first + len(word)}"
        changed = apply_pieces(tokens, start, end, self.pieces)
        return {"item": self.name, "text": self.text, "span": span, "word": word, "suggestion": changed}


@dataclass(frozen=True, slots=True, eq=False)
class AuditFrame:
    """All items, and their strata."""

    items: tuple[AuditItem, ...]
    strata: AuditStrata
    codes: tuple[int, ...]  # the number of each item's stratum
    metric: str  # its spec
    empty: int = 0  # unmatched edits that change nothing
    bands: bool = False  # whether systems that are not audited make strata


@dataclass(frozen=True, slots=True, eq=False)
class AuditKey:
    """The key of a drawn audit."""

    frame: AuditFrame
    seed: int
    n: tuple[int, ...]  # items of each stratum that are to be judged, the first of its order
    name: str  # of the set

    def drawn(self) -> list[int]:
        """Numbers of the items to be judged, by stratum."""
        return [at for h, n in enumerate(self.n) for at in order_items(self.frame, self.seed, h)[:n]]


def audit_frame(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    others: Sequence[Hypothesis],
    metric: Metric,
    types: Types = "none",
) -> AuditFrame:
    """The union of unmatched edits of systems; ``others`` are not audited, and say which edits are likelier valid."""
    if tuple(metric.counted) != tuple(EDITS):
        message = f"the metric {metric.spec} does not count edits"
        raise UsageError(Problem("audit-metric", message, expected="m2 or errant"))
    occurrence, known = Counter[str](), list[str]()
    for sentence in corpus.sentences:
        known.append(f"{sentence.text}\x1f{occurrence[sentence.text]}")
        occurrence[sentence.text] += 1
    proposed: dict[tuple[int, tuple[Piece, ...]], set[int]] = {}
    audited, empty = [], 0
    for at, system in enumerate([*systems, *others]):
        statistics = metric.measure(corpus, system.lines)
        parts = metric.parts(statistics)
        edits = metric.system_edits(corpus, system.lines, parts.annotators) or ()
        if at < len(systems):
            correct, n, gold = (int(total) for total in parts.counts.sum(axis=0))
            audited.append(OfficialCounts(system.name, correct, n, gold))
        for number, of_sentence in enumerate(edits):
            tokens = corpus.sentences[number].tokens
            for edit in (one for one in of_sentence if at >= len(systems) or not one.matched):
                pieces = minimal_pieces(tokens, edit.start, edit.end, edit.replacement)
                if not pieces:
                    empty += at < len(systems)
                elif at < len(systems):
                    proposed.setdefault((number, pieces), set()).add(at)
                elif (number, pieces) in proposed:
                    proposed[number, pieces].add(len(systems))
    items = []
    for (number, pieces), who in proposed.items():
        name = sha256(f"{known[number]}\x1f{pieces!r}".encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
        flags = tuple(at in who for at in range(len(systems)))
        text = " ".join(corpus.sentences[number].tokens)
        items.append(AuditItem(name, number, pieces, text, flags, len(systems) in who))
    if not items:
        message = "no system proposes an edit that matches no annotator"
        raise UsageError(Problem("audit-nothing", message, fix="there is nothing to audit"))
    kinds = edit_types([(item.text, item.pieces) for item in items], types)
    items = [replace(item, type=kind) for item, kind in zip(items, kinds, strict=True)]
    return stratify_items(items, audited, str(metric.spec), empty=empty, bands=bool(others))


def stratify_items(
    items: Sequence[AuditItem], systems: Sequence[OfficialCounts], metric: str, *, empty: int, bands: bool
) -> AuditFrame:
    """Items in strata: who proposes them, whether others do, and of which type they are, where it is not a rare one."""
    often = Counter((item.systems, item.others, item.type) for item in items)
    kinds_of = [
        (item.systems, item.others, item.type if often[item.systems, item.others, item.type] >= LEAST else "")
        for item in items
    ]
    kinds = sorted(set(kinds_of), key=lambda kind: (*(not flag for flag in (*kind[0], kind[1])), not kind[2], kind[2]))
    codes = {kind: at for at, kind in enumerate(kinds)}
    coded = tuple(codes[kind] for kind in kinds_of)
    typed = {kind[:2] for kind in kinds if kind[2]}
    names = tuple(
        " + ".join(each.name for each, proposes in zip(systems, flags, strict=True) if proposes)
        + f", {WITH_OTHERS if other else ALONE}" * bands
        + f", {kind or REST}" * ((flags, other) in typed)
        for flags, other, kind in kinds
    )
    sizes = np.bincount(coded, minlength=len(kinds)).astype(np.int64)
    flags = np.array([flags for flags, _, _ in kinds], np.bool_).T
    return AuditFrame(tuple(items), AuditStrata(names, sizes, flags, tuple(systems)), coded, metric, empty, bands)


def order_items(frame: AuditFrame, seed: int, stratum: int) -> list[int]:
    """Numbers of the items of a stratum, in the order in which they are drawn."""
    own = (at for at, code in enumerate(frame.codes) if code == stratum)
    return sorted(own, key=lambda at: order_key(seed, frame.items[at].name))


def write_audit_key(key: AuditKey) -> Iterator[str]:
    """Yield the lines of a key file: JSON."""
    frame = key.frame
    record = {
        **AUDIT_KEY.record,
        "set": key.name,
        "seed": key.seed,
        "metric": frame.metric,
        "empty": frame.empty,
        "bands": frame.bands,
        "systems": [asdict(system) for system in frame.strata.systems],
        "n": list(key.n),
        "items": [asdict(item) for item in frame.items],
    }
    yield from json.dumps(record, ensure_ascii=False, indent=1).split("\n")


def read_audit_key(path: Source) -> AuditKey:
    """Read a key file."""
    return audit_key_of(*read_json(path))


def audit_key_of(record: Any, place: Place) -> AuditKey:  # noqa: ANN401 - of JSON
    """The key that the JSON of a file is; an ``InputError`` where it is none, not whole, or was changed."""
    key = AUDIT_KEY.parse(record, place, _parse)
    if set_name(key.frame, key.seed, key.n) != key.name:
        message = "the key was changed after the audit was drawn"
        raise InputError(Problem("audit-key", message, place, fix="use it as it was written, or draw again"))
    return key


def set_name(frame: AuditFrame, seed: int, n: Sequence[int]) -> str:
    """The name of a set: a hash of what its key says."""
    systems = [asdict(system) for system in frame.strata.systems]
    content = [seed, frame.metric, list(n), systems, [(item.name, item.systems, item.others) for item in frame.items]]
    content += [[item.type for item in frame.items]] * any(item.type for item in frame.items)
    return sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()[:DIGITS]


def _parse(record: Mapping[str, Any]) -> AuditKey:
    items = [
        AuditItem(
            str(each["name"]),
            int(each["sentence"]),
            tuple((int(start), int(end), str(text)) for start, end, text in each["pieces"]),
            str(each["text"]),
            tuple(map(bool, each["systems"])),
            bool(each["others"]),
            str(each.get("type", "")),
        )
        for each in record["items"]
    ]
    systems = [
        OfficialCounts(str(one["name"]), *(int(one[k]) for k in ("correct", "proposed", "gold")))
        for one in record["systems"]
    ]
    frame = stratify_items(
        items, systems, str(record["metric"]), empty=int(record["empty"]), bands=bool(record["bands"])
    )
    n = tuple(map(int, record["n"]))
    if len(n) != len(frame.strata.names) or any(
        not 0 <= k <= size for k, size in zip(n, frame.strata.sizes.tolist(), strict=True)
    ):
        raise ValueError("n")
    return AuditKey(frame, int(record["seed"]), n, str(record["set"]))


KIND = "audit"
"""Type of edits that judges found valid, in alternatives files."""
BETTER = "better"
"""In names of annotators: it was a judge who proposed the edit."""


def chosen(better: Mapping[str, Mapping[str, Sequence[str]]], raters: int) -> dict[str, list[str]]:
    """Of each edit the better corrections that so many raters wrote; 0: none."""
    if not raters:
        return {}
    return {item: [text for text, who in texts.items() if len(set(who)) >= raters] for item, texts in better.items()}


def accepted_answers(
    frame: AuditFrame, valid: Iterable[str], better: Mapping[str, Sequence[str]], gold: Corpus
) -> Corpus:
    """A corpus of answers, whose annotators are called after the system, or ``better``, and the annotator.

    Raises:
        UsageError: If ``gold`` is not the corpus that was audited.
    """
    accepted, names = set(valid), [system.name for system in frame.strata.systems]
    by_sentence: defaultdict[int, dict[str, list[Edit]]] = defaultdict(dict)
    for item in (one for one in frame.items if one.name in accepted or one.name in better):
        _check(item, gold)
        answers = by_sentence[item.sentence]
        for name, proposes in zip(names, item.systems, strict=True):
            if proposes and item.name in accepted:
                answers.setdefault(name, []).extend(as_edits(item.pieces, KIND))
        for edits in _better(item, better.get(item.name, ())):
            taken = {*answers, *names}
            answers[next(name for at in count(1) if (name := f"{BETTER}{at}") not in taken)] = edits
    annotations: list[dict[str, Annotation]] = [{} for _ in gold.sentences]
    for number, answers in sorted(by_sentence.items()):
        known = set(map(_meaning, gold.sentences[number].annotations.values()))
        for name, edits in answers.items():
            for annotator, annotation in gold.sentences[number].annotations.items():
                answer = _join_annotation(gold.sentences[number].tokens, edits, annotation)
                if _meaning(answer) not in known:  # two systems may propose the same
                    known.add(_meaning(answer))
                    annotations[number][f"{name}.{annotator}"] = answer
    sentences = [replace(one, annotations=each) for one, each in zip(gold.sentences, annotations, strict=True)]
    return Corpus(sentences, tuple(dict.fromkeys(name for each in annotations for name in each)), gold.name)


def _check(item: AuditItem, gold: Corpus) -> None:
    if item.sentence >= len(gold) or " ".join(gold.sentences[item.sentence].tokens) != item.text:
        message = f"the audit is of another corpus: it has an edit of sentence {item.sentence + 1}"
        raise UsageError(Problem("audit-other-gold", message, fix="give the gold edits that were audited"))


def _better(item: AuditItem, texts: Sequence[str]) -> list[list[Edit]]:
    """The corrections that raters prefer at the place of an edit, as edits."""
    start, end = item.pieces[0][0], item.pieces[-1][1]
    corrections = dict.fromkeys(minimal_pieces(item.text.split(), start, end, text) for text in texts)
    return [as_edits(pieces, KIND) for pieces in corrections if pieces and pieces != item.pieces]


def _join_annotation(tokens: Sequence[str], valid: Sequence[Edit], said: Annotation) -> Annotation:
    """An annotator's edits, and in place of those that they overlap the valid ones."""
    kept = [edit for edit in said if not any(_clash(tokens, edit, one) for one in valid)]
    return tuple(select_applied([*kept, *valid]))


def _meaning(edits: Annotation) -> frozenset[tuple[int, int, tuple[str, ...]]]:
    """The part of an answer that makes two of them equal: its edits without types."""
    return frozenset((*edit.span, edit.replacements) for edit in edits)


def _clash(tokens: Sequence[str], said: Edit, valid: Edit) -> bool:
    """Whether an annotator's edit cannot stand beside a valid one."""
    first, last = sorted((said, valid), key=lambda edit: edit.span)
    if overlaps(last, first) or first.span == last.span:
        return True
    if first.end != last.start:
        return False
    cut = (minimal_pieces(tokens, said.start, said.end, text) for text in said.replacements)
    return any(_same_place(piece, valid) for pieces in cut for piece in as_edits(pieces))


def _same_place(one: Edit, other: Edit) -> bool:
    """Whether two edits, which do not overlap, put words at one place."""
    touching = other.start in one.span or other.end in one.span
    inserted = (one.is_insertion and _adds(other)) or (other.is_insertion and _adds(one))
    return touching and inserted


def _adds(edit: Edit) -> bool:
    return len(edit.replacements[0].split()) > edit.end - edit.start


def save_answers(corpus: Corpus, target: str) -> int:
    """Write an alternatives file, M2 or JSON lines as its name says; how many answers there are."""
    if Path(target).exists():
        raise UsageError(Problem("audit-exists", "there is a file of this name", Place(target), fix="name a new file"))
    problems = Problems()
    if ".jsonl" in target:
        save_lines(write_jsonl(corpus.sentences, problems), target)
    else:
        save_lines(write_m2(corpus.sentences, problems, corpus.annotators), target)
    return sum(len(sentence.annotations) for sentence in corpus.sentences)


# What raters said of edits, and when an edit is valid: rules that are part of the result's spec.
#
# Formula Of the k raters of an edit who could tell, v say valid. ``majority``: v > k / 2; ``any``: v >= 1; ``all``: v
# = k; a number m: v >= m; ``graded``: the edit counts as the share v / k, an estimate of the share among all possible
# raters. With ``unclear`` those who could not tell are left out (``missing``), or counted as if they had said
# ``valid`` or ``not-valid``. Conventions A tie is not a majority. Where one of the judges of an edit is left out and a
# further one would decide, the edit counts as what that judge would make of it on average: of a tie a half; of m - 1
# who say valid, where m must, their share of those who are left. Of fewer than m raters an edit is not valid, which a
# warning counts. Source Madnani, Tetreault, Chodorow & Rozovskaya 2011, ACL, section 3, for majority and shares;
# docs/audit.md compares the rules.


VALID, INVALID, UNKNOWN = "valid", "not-valid", "cannot-tell"
LABELS = (VALID, INVALID, UNKNOWN)
GRADED = "graded"
RULES = ("majority", "any", "all", GRADED)
MOST_VOTES = 10_000

"""The column of what a rater finds better."""
Unclear = Literal["missing", "not-valid", "valid"]
UNCLEAR: tuple[Unclear, ...] = get_args(Unclear)
Filled = Source | Sequence[Source] | Judgments


@dataclass(frozen=True, slots=True)
class ValidityRule:
    """When an edit is valid."""

    valid: str = "majority"
    unclear: Unclear = "missing"

    @classmethod
    def of(cls, valid: str, unclear: Unclear = "missing") -> ValidityRule:
        """The rule, if there is one of the name."""
        if valid not in RULES and not (
            valid.isdecimal() and len(valid) <= len(str(MOST_VOTES)) and 1 <= int(valid) <= MOST_VOTES
        ):
            expected = f"{', '.join(RULES)}, or how many raters must say so"
            message = f"the rule for valid is '{valid[:30]}'"
            raise UsageError(Problem("audit-rule", message, expected=expected, fix=nearest(valid, RULES)))
        if unclear not in UNCLEAR:
            message = f"edits of which raters cannot tell are to count as '{unclear}'"
            raise UsageError(Problem("audit-rule", message, fix=nearest(unclear, UNCLEAR)))
        return cls(valid, unclear)

    @property
    def convention(self) -> str:
        """The part that the rule adds to a spec."""
        unclear = "" if self.unclear == "missing" else f"|unclear:{self.unclear}"
        return f"valid:{self.valid}{unclear}"

    @property
    def words(self) -> str:
        """By whom an edit is valid."""
        named = {"majority": "the majority of raters", "any": "any rater", "all": "all raters"}
        return named.get(self.valid, f"at least {self.valid} raters" if self.valid != GRADED else "shares of raters")

    @property
    def least(self) -> int:
        """How many raters an edit must have to be valid."""
        return int(self.valid) if self.valid.isdecimal() else 1

    def truths(self, valid: Counts, told: Counts, short: NDArray[np.bool_] | None = None) -> Floats:
        """Whether edits are valid, 0 to 1, of how many raters say so and how many could tell; one at least.

        ``short``: of which edits one of the raters was left out.
        """
        lacks = np.zeros(valid.shape, np.bool_) if short is None else short
        if self.valid == GRADED:
            return np.asarray(valid / told)
        if self.valid == "majority":
            return np.where(2 * valid > told, 1.0, np.where(lacks & (2 * valid == told), 0.5, 0.0))
        if self.valid == "all":
            return np.asarray(valid == told, np.float64)
        decided = lacks & (valid == self.least - 1)
        return np.where(valid >= self.least, 1.0, np.where(decided, valid / told, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """The judgments that raters made of edits; ``table`` has the labels of ``LABELS``, coded in their order."""

    table: Judgments
    better: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """Of an edit what raters find better, and who."""

    def items(self) -> frozenset[str]:
        """Edits that somebody judged, even if nobody could tell."""
        return frozenset(self.table.items[at] for at in np.unique(self.table.item).tolist())

    def rows(self, items: Sequence[str]) -> Counts:
        """The place of each judgment's edit among ``items``; -1: it is of another edit."""
        places = {item: at for at, item in enumerate(items)}
        known = np.array([places.get(item, -1) for item in self.table.items], np.int64)
        return known[self.table.item] if len(known) else np.empty(0, np.int64)

    def counts(self, items: Sequence[str], unclear: Unclear, without: int | None = None) -> tuple[Counts, Counts]:
        """How many raters say valid, and how many could tell, of each of ``items``; without one rater."""
        at, label = self.rows(items), self.table.label
        used = at >= 0 if without is None else (at >= 0) & (self.table.rater != without)
        clear = used if unclear != "missing" else used & (label != LABELS.index(UNKNOWN))
        good = label == LABELS.index(VALID)
        if unclear == "valid":
            good = good | (label == LABELS.index(UNKNOWN))
        return np.bincount(at[clear & good], minlength=len(items)), np.bincount(at[clear], minlength=len(items))

    def shares(self) -> dict[str, float]:
        """The share of those who could tell who say valid, of each edit of which somebody could."""
        valid, voters = self.counts(self.table.items, "missing")
        return {item: v / k for item, v, k in zip(self.table.items, valid.tolist(), voters.tolist(), strict=True) if k}


def read_verdicts(judgments: Filled, problems: Problems) -> Verdicts:
    """Read people's judgments of edits; several files are joined, a rater who judged an edit twice is refused."""
    if isinstance(judgments, Judgments):
        return Verdicts(label_judgments(judgments, ""))
    files = list_paths(judgments)
    tables: list[Judgments] = []
    seen: set[tuple[str, str]] = set()
    better: dict[str, dict[str, list[str]]] = {}
    for path in files:
        refuse_corpus(path)
        place = Place(display_name(path))
        table = label_judgments(read_people(path, problems), place.file)
        columns = table.to_columns()
        pairs = set(zip(map(str, columns["item"]), map(str, columns["rater"]), strict=True))
        if both := sorted(seen & pairs):
            message = f"rater {both[0][1]} judged edit {both[0][0]} in two files"
            raise InputError(Problem("audit-twice", message, place, fix="give each judgment once"))
        seen |= pairs
        tables.append(table)
        if BETTER in header_of(path):
            for row, _ in table_rows(path, Problems(lenient=True)):
                if row["rater"] in table.raters and (text := " ".join(row.get(BETTER, "").split())):
                    better.setdefault(row["item"], {}).setdefault(text, []).append(row["rater"])
    return Verdicts(Judgments.joined(tables) if tables else Judgments.from_columns([], [], [], labels=LABELS), better)


def label_judgments(judgments: Judgments, file: str) -> Judgments:
    """The same judgments with the labels of ``LABELS``."""
    names = []
    for label in judgments.labels:
        name = "-".join(label.casefold().replace("_", " ").replace("-", " ").split())
        if name not in LABELS:
            message = f"the label '{label}' says nothing of an edit"
            raise InputError(
                Problem("audit-label", message, Place(file), f"one of {', '.join(LABELS)}", nearest(name, LABELS))
            )
        names.append(LABELS.index(name))
    codes = np.array(names, np.int32)
    coded = codes[judgments.label] if names else judgments.label
    return Judgments(judgments.item, judgments.rater, coded, judgments.items, judgments.raters, LABELS)


# From what raters said of the drawn edits to what was found in each stratum, also without each of the raters.
#
# Conventions
#     An edit of which nobody could tell counts as not judged, unless the rule says otherwise, and so does a drawn one
#     without a judgment: both as missing at random in their stratum, and both are counted. Judgments of edits that this
#     audit did not draw, of an earlier one or beyond the drawn number, are not used.


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
    """The results in each stratum, and which edits are valid."""

    heard: AuditAnswers
    without: tuple[AuditAnswers, ...]  # the same without each rater
    valid: tuple[str, ...]  # names of items
    unclear: int  # of which nobody could tell
    missing: int  # drawn, and without a judgment
    raters: Raters


def judge_edits(
    key: AuditKey, verdicts: Verdicts, rule: ValidityRule, problems: Problems, cheap: Mapping[str, float] | None = None
) -> JudgedEdits:
    """Judge the drawn edits; warnings go to ``problems``. ``cheap``: edits to shares of cheap votes."""
    whole, known = _Judging.of(key, verdicts, rule, cheap), verdicts.items()
    items = whole.items
    missing = sum(item not in known for item in items)
    heard, truths = whole.heard(problems)
    unclear = len(items) - missing - len(truths)
    if not truths:
        message = "no drawn edit was judged"
        raise UsageError(
            Problem("audit-no-judgments", message, fix="fill in the column 'label', and give the key of that set")
        )
    if missing or unclear:
        message = f"of {len(items)} drawn edits {missing} have no judgment, and of {unclear} nobody could tell"
        fix = "they count as missing at random in their stratum"
        problems.note("audit-unjudged", message, Place(), fix=fix)
    _check_raters(verdicts.counts(items, rule.unclear)[1], rule, problems)
    if other := len(known.difference(items)):
        message = f"{other} judged edits were not drawn by this audit, and are not used"
        problems.note("audit-other-edits", message, Place(), fix="none is needed where they are of an earlier audit")
    raters = _raters(verdicts, items, rule)
    codes = [verdicts.table.raters.index(name) for name in raters.names]
    without = tuple(whole.heard(Problems(), leave)[0] for leave in codes) if len(codes) > 1 else ()
    valid = tuple(item for item, truth in truths.items() if truth > VALID_FROM)
    return JudgedEdits(heard, without, valid, unclear, missing, raters)


def _check_raters(told: Counts, rule: ValidityRule, problems: Problems) -> None:
    """Say of how many edits fewer raters could tell than must find them valid; refuse if that is so of all."""
    few, judged = int(((told > 0) & (told < rule.least)).sum()), int((told > 0).sum())
    if not few:
        return
    message = (
        f"of {few} of {judged} judged edits fewer than {rule.least} raters could tell, as --valid={rule.valid} wants"
    )
    if few == judged:
        expected = f"at most {told.max()}, as many as judged an edit"
        raise UsageError(Problem("audit-few-raters", message, expected=expected, fix="name another rule"))
    problems.note("audit-few-raters", message, Place(), fix="they count as not valid")


@dataclass(frozen=True, slots=True, eq=False)
class _Judging:
    """The inputs that do not change when a rater is left out."""

    key: AuditKey
    verdicts: Verdicts
    items: Sequence[str]  # drawn
    strata: Counts  # of each
    rule: ValidityRule
    cheap: Mapping[str, float] | None

    @classmethod
    def of(cls, key: AuditKey, verdicts: Verdicts, rule: ValidityRule, cheap: Mapping[str, float] | None) -> _Judging:
        drawn = key.drawn()
        strata = np.array([key.frame.codes[at] for at in drawn], np.int64)
        return cls(key, verdicts, [key.frame.items[at].name for at in drawn], strata, rule, cheap)

    def heard(self, problems: Problems, without: int | None = None) -> tuple[AuditAnswers, dict[str, float]]:
        """The results in each stratum, and the truth of each edit that was judged."""
        valid, voters = self.verdicts.counts(self.items, self.rule.unclear, without)
        judged = voters > 0
        everybody = voters if without is None else self.verdicts.counts(self.items, self.rule.unclear)[1]
        truths = self.rule.truths(valid[judged], voters[judged], (voters < everybody)[judged])
        names = [item for item, is_judged in zip(self.items, judged.tolist(), strict=True) if is_judged]
        frame, strata = self.key.frame, self.strata[judged]
        n_strata, graded = len(frame.strata.names), self.rule.valid == GRADED
        sample = sample_of(strata, truths, voters[judged], n_strata, graded=graded)
        assisted = None
        if self.cheap is not None:
            judged_sample = JudgedSample(names, strata, truths, sample)
            everything = [item.name for item in frame.items]
            assisted = combined_totals(
                frame.strata, np.array(frame.codes), everything, judged_sample, self.cheap, problems
            )
        return AuditAnswers(sample, assisted), dict(zip(names, truths.tolist(), strict=True))


def _raters(verdicts: Verdicts, items: Sequence[str], rule: ValidityRule) -> Raters:
    """Who judged some edits and has a say in one at least; agreement is about those who could tell."""
    mine = verdicts.table.take(verdicts.rows(items) >= 0)
    clear = mine.without([UNKNOWN])
    counts = np.bincount(clear.rater, minlength=len(clear.raters))
    valid = np.bincount(clear.rater[clear.label == 0], minlength=len(clear.raters))
    heard = counts if rule.unclear == "missing" else np.bincount(mine.rater, minlength=len(mine.raters))
    who = [at for at, n in enumerate(heard.tolist()) if n]
    shares = tuple(int(valid[at]) / int(counts[at]) if counts[at] else None for at in who)
    names, asked = tuple(clear.raters[at] for at in who), tuple(int(counts[at]) for at in who)
    return Raters(
        names, len(mine), len(mine) - len(clear), shares, asked, observed_agreement(clear), krippendorff_alpha(clear)
    )


def extremes(
    key: AuditKey, verdicts: Verdicts, rule: ValidityRule, cheap: Mapping[str, float] | None = None
) -> tuple[AuditAnswers, AuditAnswers]:
    """The results if all who could not tell had said not valid, and if they had said valid."""
    none, every = (
        _Judging.of(key, verdicts, replace(rule, unclear=each), cheap).heard(Problems())[0] for each in UNCLEAR[1:]
    )
    return none, every
