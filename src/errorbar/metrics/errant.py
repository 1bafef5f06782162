"""ERRANT's scores: P, R and F over edits with spans and types of their own, on the side of the system too.

Formula
    Of a sentence, each edit of the system and of an annotator has a key by ``mode``: ``cs`` (correction, the default)
    is span and correction, ``cse`` these and the type, ``ds`` the span, ``dt`` each token of the span, where an
    insertion takes the token on its right. TP: reference edits whose key the system has; FP: system edits whose key the
    annotator does not have; FN: reference edits whose key the system does not have. Over the sentences of a corpus,
    each with the annotator chosen for it, P = TP / (TP + FP), R = TP / (TP + FN), F = (1 + beta²) P R / (beta² P + R).
Conventions
    Correct, proposed and gold edits are TP, TP + FP and TP + FN. Several edits of one key are as many on their side:
    two reference edits under a key that the system has once are two TP. Corrections are compared as they are written,
    alternatives included. FP = 0: P = 1, FN = 0: R = 1, P + R = 0: F = 0.
    ``running`` takes for each sentence the annotator with the largest F of the corpus so far plus this sentence,
    rounded to four places; ties go to more TP, fewer FP, fewer FN, then to the first. ``sentence`` takes the best
    of each sentence alone. Edits of type UNK are detected but not corrected: they are left out of cs and cse.
    A type's TP and FN are those of reference edits of it, its FP those of system edits of it.
Source
    Bryant, Felice & Briscoe 2017; behavior of errant_compare 3.0.2, which the tests compare with count by count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from errorbar.core.arrays import Floats, Ints, divide
from errorbar.core.corpus import Annotation, Corpus
from errorbar.core.edit import OWN_PIPELINE, Edit
from errorbar.core.problems import InputError, Place, Problem, UsageError, nearest
from errorbar.core.spec import Parameter, beta_parameter, word_parameter
from errorbar.edits.errant import count_english, language_notes, type_output, type_reference
from errorbar.edits.matching import ProposedEdit
from errorbar.metrics.edit_metric import (
    CHOOSE,
    EDITS,
    PIPELINE,
    RUNNING,
    SENTENCE,
    ChoiceRule,
    EditMetric,
    EditStatistics,
    tally_types,
)

# What must hold of error types where a metric compares them: that both sides have types of one inventory.


UNKNOWN = "UNK"
OF_REFERENCE, OF_SYSTEM, BY_TYPE = "reference ", "system ", "by type"
_ERRANT = re.compile(r"[MRU]:\S+")


def refuse_other_types(corpus: Corpus, proposed: Sequence[Annotation], level: str) -> None:
    """See that types have the parts that a level of them is made of: an operation and a category, as ERRANT's."""
    for number, (sentence, own) in enumerate(zip(corpus.sentences, proposed, strict=True), 1):
        for side, edits in (("reference", chain(*sentence.annotations.values())), ("system", own)):
            other = next((one.type for one in edits if one.type != UNKNOWN and not _ERRANT.fullmatch(one.type)), None)
            if other is not None:
                message = f"level={level} is a part of ERRANT's types, and an edit of the {side} has the type '{other}'"
                fix = "leave level out, or make ERRANT's edits: errorbar convert --edits errant"
                place = Place(corpus.name, sentence.line or number)
                raise InputError(Problem("no-errant-type", message, place, "a type such as R:NOUN:NUM", fix))


def count_seen(corpus: Corpus, proposed: Sequence[Iterable[Edit]], *, by_type: bool) -> Counter[str]:
    """How often each side has each type."""
    theirs = (edit.type for one in corpus.sentences for edits in one.annotations.values() for edit in edits)
    seen = Counter(f"{OF_REFERENCE}{kind}" for kind in theirs)
    seen.update(f"{OF_SYSTEM}{edit.type}" for edits in proposed for edit in edits)
    seen[BY_TYPE] += by_type
    return seen


def type_notes(seen: Mapping[str, int], without: Sequence[str], *, compared: bool) -> Iterator[Problem]:
    """Notes on the types of both sides, where they are ``compared`` or left out."""
    sides = [
        [key.removeprefix(side) for key in seen if key.startswith(side) and key != f"{side}{UNKNOWN}"]
        for side in (OF_REFERENCE, OF_SYSTEM)
    ]
    known = sorted({*chain(*sides)})
    for kind in without:
        if kind not in known and kind != UNKNOWN:
            message = f"no edit has the type '{kind}', which without= leaves out"
            yield Problem("no-such-type", message, fix=nearest(kind, known), severity="warning")
    theirs, ours = ([kind for kind in side if kind not in without] for side in sides)
    if theirs and ours and not {*theirs} & {*ours} and (compared or seen.get(BY_TYPE)):
        message = "no error type of the system's edits is one of the reference's"
        message += f" ({', '.join(map(repr, sorted(ours)[:2]))} against {', '.join(map(repr, sorted(theirs)[:2]))})"
        message += ": mode=cse finds no edit correct" if compared else ": no type has both P and R"
        yield Problem(
            "types-differ",
            message,
            fix="make both of texts: errorbar convert --to text gives them, then errorbar convert --edits errant",
            severity="warning",
        )


MODES = ("cs", "cse", "ds", "dt")
LEVELS = ("full", "type", "operation")
Key = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Errant(EditMetric):
    """The metric.

    Attributes:
        mode: What makes two edits one: ``cs``, ``cse``, ``ds`` or ``dt``.
        beta: Weight of recall against precision.
        single: Leave out edits whose span or correction has more than one token.
        multi: Leave out edits whose span and correction have at most one token each.
        without: Types to leave out, apart by white space.
        level: Which part of types is counted: ``full``, ``type`` (R:VERB:SVA is VERB:SVA) or ``operation`` (R).
        choose: ``running`` (official), ``sentence`` (order-free), or the name of one annotator.
        pipeline: The spaCy pipeline, or its folder, that makes edits of references and systems that are texts.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "errant"
    summary: ClassVar[str] = "ERRANT: P, R and F over typed edits of both sides, equal to errant_compare"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        word_parameter("mode", "What makes two edits one: cs, cse, ds or dt.", *MODES),
        beta_parameter(0.5),
        Parameter("single", bool, False, "Leave out edits whose span or correction has more than one token."),
        Parameter("multi", bool, False, "Leave out edits whose span and correction have at most one token each."),
        Parameter(
            "without",
            str,
            "",
            'Types to leave out, apart by white space and in quotes: errant(without="R:NOUN R:VERB").',
            aliases=("filt",),
        ),
        word_parameter("level", "Which part of types is counted: full, type or operation.", *LEVELS),
        CHOOSE,
        PIPELINE,
    )
    takes_edits = True
    counted = EDITS
    type_counted = EDITS
    type_measures = ("precision", "recall", "f")

    mode: str = "cs"
    beta: float = 0.5
    single: bool = False
    multi: bool = False
    without: str = ""
    level: str = "full"
    choose: str = RUNNING
    pipeline: str = OWN_PIPELINE

    def __post_init__(self) -> None:
        EditMetric.__post_init__(self)
        if self.single and self.multi:
            message = f"the metric {self.spec} leaves out every edit: single and multi are each other's rest"
            raise UsageError(Problem("bad-parameter", message, fix="give one of them"))

    @property
    def makes_edits(self) -> bool:
        """Those of texts."""
        return True

    @property
    def rule(self) -> ChoiceRule:
        """How annotators are compared."""
        return ChoiceRule(self.beta, self.choose != SENTENCE, rounded=True)

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """Count correct, proposed and reference edits per sentence and annotator; ``by_type``: of each type too.

        Edits of texts, on either side, are made by ERRANT.

        Raises:
            InputError: If the numbers of sentences differ, a system's edits are of other sentences, or ``level`` asks
                for parts of types that are not ERRANT's.
            UsageError: If ERRANT is needed and not installed.
        """
        reference, proposed, made_by = self._typed_sides(reference, output)
        if by_type and self.level != LEVELS[0]:
            refuse_other_types(reference, proposed, self.level)
        counts = np.zeros((len(reference), len(reference.annotators), 3), np.int32)
        present = np.zeros(counts.shape[:2], np.uint8)
        column = {name: k for k, name in enumerate(reference.annotators)}
        types: dict[str, int] = {}
        rows: list[tuple[int, ...]] = []
        for unit, (sentence, edits) in enumerate(zip(reference.sentences, proposed, strict=True)):
            ours = self._types_by_key(edits)
            for name, annotation in sentence.annotations.items():
                theirs = self._types_by_key(annotation)
                right = [kind for key, kinds in theirs.items() if key in ours for kind in kinds]
                wrong = [kind for key, kinds in ours.items() if key not in theirs for kind in kinds]
                wanted = [kind for kinds in theirs.values() for kind in kinds]
                present[unit, column[name]] = 1
                counts[unit, column[name]] = len(right), len(right) + len(wrong), len(wanted)
                if by_type:
                    counters = Counter(right), Counter(right + wrong), Counter(wanted)
                    for kind in dict.fromkeys(wanted + wrong):
                        slot, number = unit * len(column) + column[name], types.setdefault(kind, len(types))
                        rows.append((slot, number, *(one[kind] for one in counters)))
        typed = tally_types(rows, (*counts.shape[:2], len(types)), len(EDITS)) if by_type else None
        seen = count_seen(reference, proposed, by_type=by_type)
        if made_by:
            seen.update(count_english(reference.sentences))
        return EditStatistics(counts, present, reference.annotators, typed, tuple(types), seen, made_by)

    def notes(self, remarked: Mapping[str, int]) -> Iterable[Problem]:
        """Whether the language is ERRANT's, and types that are compared or left out are there at all."""
        yield from language_notes(remarked)
        yield from type_notes(remarked, self.without.split(), compared=self.mode == "cse")

    def _typed_sides(self, reference: Corpus, output: Sequence[str]) -> tuple[Corpus, Sequence[Annotation], str]:
        """The edits of both sides, and what made those of texts."""
        corpus, made_by = type_reference(reference, self.pipeline)
        proposed, made_too = type_output(reference, output, self.pipeline)
        return corpus, proposed, made_by or made_too

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[ProposedEdit]]:
        """The edits of each sentence that count, and whether the annotator has one of the same key."""
        reference, proposed, _ = self._typed_sides(reference, output)
        matched = []
        for sentence, edits, name in zip(reference.sentences, proposed, annotators, strict=True):
            theirs = self._types_by_key(sentence.annotations.get(name, ())) if name is not None else {}
            rows = [(edit, self._types_by_key([edit])) for edit in edits] if name is not None else []
            matched.append(
                [
                    ProposedEdit(*edit.span, (edit.replacements or ("",))[0], all(key in theirs for key in keys))
                    for edit, keys in rows
                    if keys
                ]
            )
        return matched

    def _types_by_key(self, edits: Sequence[Edit]) -> dict[Key, list[str]]:
        """The types of edits by what makes two edits one."""
        types: dict[Key, list[str]] = {}
        corrected, left_out = self.mode in ("cs", "cse"), self.without.split()
        for start, end, replacements, kind, *_ in edits:
            correction = "||".join(replacements) if replacements else "-NONE-"
            if kind in left_out or (corrected and kind == UNKNOWN):
                continue
            if self.single or self.multi:
                several = end - start > 1 or len(correction.split()) > 1
                if several if self.single else not several:
                    continue
            keys: Sequence[Key]
            if corrected:
                keys = ((start, end, correction) if self.mode == "cs" else (start, end, correction, kind),)
            elif self.mode == "ds":
                keys = ((start, end),)
            else:
                keys = [(at, at + 1) for at in range(start, max(end, start + 1))]
            counted = kind
            if kind != UNKNOWN and self.level != "full":
                counted = kind[:1] if self.level == "operation" else kind[2:]
            for key in keys:
                types.setdefault(key, []).append(counted)
        return types

    def type_values(self, counts: Ints) -> Floats:
        """P, R and F of each type, NaN where nothing is proposed, or nothing in the reference."""
        correct, proposed, gold = (counts[..., k].astype(np.float64) for k in range(3))
        beta2 = self.beta * self.beta
        f = divide((1 + beta2) * correct, beta2 * gold + proposed)
        return np.stack([divide(correct, proposed), divide(correct, gold), f], axis=-1)
