"""What must hold of error types where a metric compares them: that both sides have types of one inventory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from errorbar.core.corpus import Annotation, Corpus
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem, nearest

UNKNOWN = "UNK"
OF_REFERENCE, OF_SYSTEM, BY_TYPE = "reference ", "system ", "by type"
_ERRANT = re.compile(r"[MRU]:\S+")


def refuse_other_types(corpus: Corpus, proposed: Sequence[Annotation], level: str) -> None:
    """See that types have the parts that a level of them is made of: an operation and a category, as ERRANT's."""
    for number, (sentence, said) in enumerate(zip(corpus.sentences, proposed, strict=True), 1):
        for side, edits in (("reference", chain(*sentence.annotations.values())), ("system", said)):
            other = next((one.type for one in edits if one.type != UNKNOWN and not _ERRANT.fullmatch(one.type)), None)
            if other is not None:
                what = f"level={level} is a part of ERRANT's types, and an edit of the {side} has the type '{other}'"
                fix = "leave level out, or make ERRANT's edits: errorbar convert --edits errant"
                place = Place(corpus.name, sentence.line or number)
                raise InputError(Problem("no-errant-type", what, place, "a type such as R:NOUN:NUM", fix))


def count_seen(corpus: Corpus, proposed: Sequence[Iterable[Edit]], *, by_type: bool) -> Mapping[str, int]:
    """How often each side has each type."""
    theirs = (edit.type for one in corpus.sentences for edits in one.annotations.values() for edit in edits)
    seen = Counter(f"{OF_REFERENCE}{kind}" for kind in theirs)
    seen.update(f"{OF_SYSTEM}{edit.type}" for edits in proposed for edit in edits)
    seen[BY_TYPE] += by_type
    return seen


def type_notes(seen: Mapping[str, int], without: Sequence[str], *, compared: bool) -> Iterator[Problem]:
    """What to say of the types of both sides, where they are ``compared`` or left out."""
    sides = [
        [key.removeprefix(side) for key in seen if key.startswith(side) and key != f"{side}{UNKNOWN}"]
        for side in (OF_REFERENCE, OF_SYSTEM)
    ]
    known = sorted({*chain(*sides)})
    for kind in without:
        if kind not in known and kind != UNKNOWN:
            what = f"no edit has the type '{kind}', which without= leaves out"
            yield Problem("no-such-type", what, fix=nearest(kind, known), severity="warning")
    theirs, ours = ([kind for kind in side if kind not in without] for side in sides)
    if theirs and ours and not {*theirs} & {*ours} and (compared or seen.get(BY_TYPE)):
        what = "no error type of the system's edits is one of the reference's"
        what += f" ({', '.join(map(repr, sorted(ours)[:2]))} against {', '.join(map(repr, sorted(theirs)[:2]))})"
        what += ": mode=cse finds no edit correct" if compared else ": no type has both P and R"
        yield Problem(
            "types-differ",
            what,
            fix="make both of texts: errorbar convert --to text gives them, then errorbar convert --edits errant",
            severity="warning",
        )
