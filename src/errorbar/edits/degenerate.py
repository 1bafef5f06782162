"""Systems that nobody would want, made of a corpus alone: what a metric must not reward.

Formula
    Hardness of a sentence: the mean number of edits of the annotators who looked at it. Hard are the fewest sentences
    that hold half of the sum of all hardness, the hardest first, of equal ones the first in the corpus.
    A type's most frequent correction: of all annotators' edits of that type that insert, or of those that do not, the
    first correction that occurs most often; of several the first in the order of their characters. An edit without a
    type goes by the source text of its span instead.
Conventions
    Texts are tokens joined by one space. An annotator's text has the source where they did not look, and the first
    alternative of every edit; unclear meaning and unknown corrections change nothing, and of edits that overlap the
    later is left out. Correction by rote is made from the edits of the annotator who has most of them, of several the
    first. Lines are shuffled in one random cycle, so that no line keeps its place. A system that would have the text of
    one before it is not made.
Source
    The choice of systems is errorbar's own; docs/attack.md says what is known of each.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit
from errorbar.core.problems import Problems
from errorbar.edits.items import PREPOSITIONS
from errorbar.edits.texts import apply_edits, corrected_texts
from errorbar.stats.resampling import stream

Knows = Literal["nothing", "where", "answers"]
"""The knowledge of the references that a system needs: nothing, where the errors are, or the corrections."""

PASTED = "pasted"
"""How the names of several systems begin, one for each annotator; other kinds are one system each."""

# Words of English by their form alone, in lower case; with the prepositions of ``errorbar.edits.items``.
# fmt: off
FUNCTION_WORDS = PREPOSITIONS | frozenset((
    "a", "an", "the", "this", "that", "these", "those", "and", "or", "but", "nor", "if", "because", "although",
    "though", "while", "whereas", "than", "whether", "am", "is", "are", "was", "were", "be", "been", "being", "do",
    "does", "did", "have", "has", "had", "having", "will", "would", "shall", "should", "can", "could", "may", "might",
    "must",
))
# fmt: on


@dataclass(frozen=True, slots=True)
class Degenerate:
    """A system made of a corpus.

    Attributes:
        name: A name that is good for a file too.
        does: What it does, as in "a system that does nothing".
        knows: What its maker has to know of the references.
        lines: Its output, a line for each sentence.
    """

    name: str
    does: str
    knows: Knows
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """The material of degenerate systems."""

    corpus: Corpus
    source: tuple[str, ...]
    texts: Mapping[str, tuple[str, ...]]  # each annotator's
    shuffled: tuple[str, tuple[str, ...]]  # lines to give to other sentences, after whose they are
    seed: int


@dataclass(slots=True)
class DegenerateSystems:
    """The systems, in order; why others were not made, by name; how many edits are in no annotator's text."""

    systems: list[Degenerate] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    n_overlaps: int = 0


_Kind = tuple[str, str, bool]  # type, or text where there is no type, and whether something is inserted
Maker = Callable[[Material], Iterator[Degenerate | tuple[str, str]]]
"""Gives the systems of a kind, or a name and why there is none."""


def make_degenerate(
    corpus: Corpus, kinds: Sequence[str], *, output: tuple[str, Sequence[str]] | None = None, seed: int = 0
) -> DegenerateSystems:
    """Make the systems of some ``KINDS``, in the order of these.

    Args:
        corpus: The references.
        kinds: Names of kinds.
        output: Name and lines of the system whose output is shuffled; None: the source is.
        seed: Of the order of shuffled lines.

    Raises:
        InputError: If an edit of a corpus made by hand is outside its sentence.
    """
    problems = Problems(lenient=True)
    texts = corrected_texts(corpus, problems)
    problems.raise_errors()
    source = tuple(" ".join(each.tokens) for each in corpus.sentences)
    name, lines = ("the source", source) if output is None else output
    shuffled = name, tuple(" ".join(line.split()) for line in lines)
    material = Material(corpus, source, texts, shuffled, seed)
    systems = DegenerateSystems(n_overlaps=sum(note.others or 1 for note in problems.notes))
    known: dict[tuple[str, ...], str] = {}
    for kind in (each for each in KINDS if each in kinds):
        for system in KINDS[kind](material):
            if not isinstance(system, Degenerate):
                systems.left_out[system[0]] = system[1]
            elif system.lines in known:
                systems.left_out[system.name] = f"it has the text of {known[system.lines]}"
            else:
                known[system.lines] = system.name
                systems.systems.append(system)
    return systems


def _copy_sources(material: Material) -> Iterator[Degenerate]:
    yield Degenerate("unchanged", "does nothing", "nothing", material.source)


def _empty(material: Material) -> Iterator[Degenerate]:
    yield Degenerate("empty", "empties every line", "nothing", ("",) * len(material.source))


def _drop_function_words(material: Material) -> Iterator[Degenerate | tuple[str, str]]:
    name = "no-function-words"
    lines = tuple(
        " ".join(token for token in line.split() if token.lower() not in FUNCTION_WORDS) for line in material.source
    )
    if lines == material.source:
        yield name, "the source has no function word of English"
    else:
        yield Degenerate(name, "drops function words", "nothing", lines)


def _shuffle_corrections(material: Material) -> Iterator[Degenerate | tuple[str, str]]:
    whose, texts = material.shuffled
    if len(texts) < 2:
        yield "shuffled", "there is no other sentence"
        return
    order = stream(material.seed, "attack", "shuffled").permutation(len(texts)).tolist()
    lines = list(texts)
    for at, other in zip(order, [*order[1:], order[0]], strict=True):
        lines[at] = texts[other]
    yield Degenerate("shuffled", f"gives the lines of {whose} to other sentences", "nothing", tuple(lines))


def _hard_deleted(material: Material) -> Iterator[Degenerate | tuple[str, str]]:
    name = "hard-deleted"
    edits = [list(map(len, each.annotations.values())) for each in material.corpus.sentences]
    hardness = [Fraction(sum(each), len(each)) if each else Fraction(0) for each in edits]
    total, held, lines = sum(hardness), Fraction(0), list(material.source)
    if not total:
        yield name, "no annotator has an edit"
        return
    for at in sorted(range(len(lines)), key=lambda at: -hardness[at]):  # a stable sort
        if held >= total / 2:
            break
        held += hardness[at]
        lines[at] = ""
    yield Degenerate(name, "empties the sentences that hold half of the edits", "where", tuple(lines))


def _by_rote(material: Material) -> Iterator[Degenerate | tuple[str, str]]:
    name, corpus = "by-rote", material.corpus
    corrections: defaultdict[_Kind, Counter[str]] = defaultdict(Counter)
    number: Counter[str] = Counter()
    for sentence in corpus.sentences:
        tokens = sentence.tokens
        for annotator, edits in sentence.annotations.items():
            applicable = [edit for edit in edits if edit.applicable]
            number[annotator] += len(applicable)
            for edit in applicable:
                corrections[_kind(tokens, edit)][_first(edit)] += 1
    if not corrections:
        yield name, "no annotator has an edit with a correction"
        return
    usual = {kind: min(counts, key=lambda text: (-counts[text], text)) for kind, counts in corrections.items()}
    who = max(corpus.annotators, key=lambda annotator: number[annotator])  # of equal ones the first
    lines = []
    for sentence in corpus.sentences:
        tokens = sentence.tokens
        own = (edit for edit in sentence.annotations.get(who, ()) if edit.applicable)
        rote = [edit._replace(replacements=(usual[_kind(tokens, edit)],)) for edit in own]
        lines.append(" ".join(apply_edits(tokens, rote, problems=Problems(lenient=True))))
    does = f"finds the errors of annotator {who} and corrects them by rote"
    yield Degenerate(name, does, "where", tuple(lines))


def _first(edit: Edit) -> str:
    return " ".join(edit.replacements[0].split())


def _kind(tokens: Sequence[str], edit: Edit) -> _Kind:
    """The key of an edit that is counted: its type, or without one the text of its span."""
    start, end = edit.start, edit.end
    return edit.type, "" if edit.type else " ".join(tokens[start:end]), start == end


def _paste_references(material: Material) -> Iterator[Degenerate | tuple[str, str]]:
    if not material.texts:
        yield PASTED, "there is no annotator"
    for name, (annotator, lines) in zip(_file_names(material.texts), material.texts.items(), strict=True):
        yield Degenerate(f"{PASTED}-{name}", f"hands in the text of annotator {annotator}", "answers", lines)


def _file_names(names: Sequence[str] | Mapping[str, object]) -> Iterator[str]:
    """Names that are good for files, all different."""
    taken: set[str] = set()
    for name in names:
        plain = name_used = re.sub(r"[^\w.-]", "_", name)
        number = 1
        while name_used.lower() in taken:  # some file systems do not tell cases apart
            number += 1
            name_used = f"{plain}-{number}"
        taken.add(name_used.lower())
        yield name_used


def _concatenate_references(material: Material) -> Iterator[Degenerate | tuple[str, str]]:
    name, sentences = "concatenated", material.corpus.sentences
    if len(material.texts) < 2:
        yield name, "there are no two annotators"
        return
    lines = []
    for at, (sentence, source) in enumerate(zip(sentences, material.source, strict=True)):
        versions = [text[at] for annotator, text in material.texts.items() if annotator in sentence.annotations]
        lines.append(" ".join(filter(None, versions)) if versions else source)
    yield Degenerate(name, "hands in the texts of all annotators in a row", "answers", tuple(lines))


KINDS: Mapping[str, Maker] = {
    "unchanged": _copy_sources,
    "empty": _empty,
    "no-function-words": _drop_function_words,
    "shuffled": _shuffle_corrections,
    "hard-deleted": _hard_deleted,
    PASTED: _paste_references,
    "by-rote": _by_rote,
    "concatenated": _concatenate_references,
}
"""The kinds of systems, those that know least first."""


def is_degenerate(name: str) -> bool:
    """Whether a system that is made can have the name."""
    return name in KINDS or name.startswith(f"{PASTED}-")
