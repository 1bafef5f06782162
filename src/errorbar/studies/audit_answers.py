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

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from errorbar.core.corpus import Annotation, Corpus
from errorbar.core.edit import Edit
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.chunks import applied
from errorbar.edits.minimal_pieces import as_edits, minimal_pieces
from errorbar.edits.texts import overlaps
from errorbar.formats.jsonl import write_jsonl
from errorbar.formats.m2_file import write_m2
from errorbar.formats.saving import save_lines
from errorbar.studies.audit_frame import AuditFrame, AuditItem

KIND = "audit"
"""Type of edits that judges found valid, in alternatives files."""
BETTER = "better"
"""In names of annotators: it was a judge who proposed the edit."""


def chosen(better: Mapping[str, Mapping[str, Sequence[str]]], raters: int) -> dict[str, list[str]]:
    """Of each edit the better corrections that so many raters wrote; 0: none."""
    if not raters:
        return {}
    return {item: [text for text, who in said.items() if len(set(who)) >= raters] for item, said in better.items()}


def accepted_answers(
    frame: AuditFrame, valid: Iterable[str], better: Mapping[str, Sequence[str]], gold: Corpus
) -> Corpus:
    """A corpus of answers, whose annotators are called after the system, or ``better``, and the annotator.

    Raises:
        UsageError: If ``gold`` is not the corpus that was audited.
    """
    accepted, names = set(valid), [system.name for system in frame.strata.systems]
    found: defaultdict[int, dict[str, list[Edit]]] = defaultdict(dict)
    for item in (one for one in frame.items if one.name in accepted or one.name in better):
        _check(item, gold)
        answers = found[item.sentence]
        for name, proposes in zip(names, item.systems, strict=True):
            if proposes and item.name in accepted:
                answers.setdefault(name, []).extend(as_edits(item.pieces, KIND))
        for edits in _better(item, better.get(item.name, ())):
            taken = {*answers, *names}
            answers[next(name for at in count(1) if (name := f"{BETTER}{at}") not in taken)] = edits
    annotations: list[dict[str, Annotation]] = [{} for _ in gold.sentences]
    for number, answers in sorted(found.items()):
        known = set(map(_meaning, gold.sentences[number].annotations.values()))
        for name, edits in answers.items():
            for annotator, said in gold.sentences[number].annotations.items():
                answer = _joined(gold.sentences[number].tokens, edits, said)
                if _meaning(answer) not in known:  # two systems may propose the same
                    known.add(_meaning(answer))
                    annotations[number][f"{name}.{annotator}"] = answer
    sentences = [replace(one, annotations=each) for one, each in zip(gold.sentences, annotations, strict=True)]
    return Corpus(sentences, tuple(dict.fromkeys(name for each in annotations for name in each)), gold.name)


def _check(item: AuditItem, gold: Corpus) -> None:
    if item.sentence >= len(gold) or " ".join(gold.sentences[item.sentence].tokens) != item.text:
        what = f"the audit is of another corpus: it has an edit of sentence {item.sentence + 1}"
        raise UsageError(Problem("audit-other-gold", what, fix="give the gold edits that were audited"))


def _better(item: AuditItem, texts: Sequence[str]) -> list[list[Edit]]:
    """What raters would have at the place of an edit, as edits."""
    start, end = item.pieces[0][0], item.pieces[-1][1]
    made = dict.fromkeys(minimal_pieces(item.text.split(), start, end, text) for text in texts)
    return [as_edits(pieces, KIND) for pieces in made if pieces and pieces != item.pieces]


def _joined(tokens: Sequence[str], valid: Sequence[Edit], said: Annotation) -> Annotation:
    """An annotator's edits, and in place of those that they overlap the valid ones."""
    kept = [edit for edit in said if not any(_clash(tokens, edit, one) for one in valid)]
    return tuple(applied([*kept, *valid]))


def _meaning(edits: Annotation) -> frozenset[tuple[int, int, tuple[str, ...]]]:
    """What two equal answers share: no types."""
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
