"""Features of the places where a corrector chooses an article or a form.

Conventions
    ``w-1`` is the word before the place, ``t+2`` the tag of the second after it; an article's place is between two
    words. ``next``, ``verb``, ``noun`` are the lemmas of heads (``contexts.py``), ``T:next`` the tag of one. Of
    articles ``then`` is the word after the phrase's head. Of forms ``l`` is the lemma of the word, ``det`` the nearest
    determiner, possessive or number in the phrase before it, ``aux`` the nearest verb before, ``then`` the next
    verb, ``subject`` the head of the phrase before the verbs: a pronoun as it is, else its tag. Several parts make
    one feature, their combination.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from errorbar.detectors.choices import IN_PHRASE, Slots, Task
from errorbar.detectors.contexts import NOUNS, VERBS, find_heads, last_place, next_place
from errorbar.detectors.features import States, lemma_codes
from errorbar.detectors.hashing import Codes, code, states
from errorbar.detectors.lemmas import Lemmas
from errorbar.detectors.lexicon import Ints, Lexicon
from errorbar.detectors.tagger import Tagged

FEATURES = "choices-1"  # what model files name; other templates are another name
_WINDOW = """w-1 w-2 w-3 w+1 w+2 w+3 t-1 t-2 t+1 t+2 w-1,w+1 w-2,w-1 w+1,w+2 w-2,w-1,w+1 w-1,w+1,w+2 t-1,t+1 t-2,t-1
    t+1,t+2 t-2,t-1,t+1,t+2 w-3,w-2,w-1 w+1,w+2,w+3"""
_OF_ARTICLES = """next verb noun T:next verb,next noun,w-1,next w-1,next w-2,w-1,next w-1,T:next then next,then
    T:next,then w+1,T:next w-1,next,then next,then,then+1 w-1,w+1,next t-1,w+1 next,T:next
    w-1,next,T:next verb,next,T:next w+1,next,T:next w-1,T:next,then"""
_OF_FORMS = """l l,w-1 l,w+1 l,t-1 l,t+1 l,t-1,t+1 l,w-1,w+1 l,w-2,w-1 l,w+1,w+2 det l,det det,t+1 det,w-1,t+1 aux
    aux,w-1 l,aux aux,t-1 noun T:noun T:noun,aux noun,l T:noun,t-1 then T:then det,T:then det,then verb,w+1 l,next
    subject subject,aux,t-1 subject,t-1"""


def _templates(said: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(template.split(",")) for template in said.split())


TEMPLATES: Mapping[Task, tuple[tuple[str, ...], ...]] = {
    "articles": _templates(_WINDOW + " " + _OF_ARTICLES),
    "forms": _templates(_WINDOW + " " + _OF_FORMS),
}
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_AS_IT_IS = ("PRP", "WDT", "WP", "EX", "DT")


def slot_states(task: Task, slots: Slots, lemmas: Lemmas) -> States:
    """Every slot's features as states (``hashing.py``); shape (slots, templates)."""
    parts = _parts(task, slots, lemmas)
    found = np.empty((len(slots.places), len(TEMPLATES[task])), np.uint32)
    for number, names in enumerate(TEMPLATES[task]):
        found[:, number] = states(number, *(parts[name] for name in names))
    return found


def _parts(task: Task, slots: Slots, lemmas: Lemmas) -> dict[str, Codes]:
    text, places, between = slots.text, slots.places, task == "articles"
    layout = text.layout
    forms = text.lexicon.codes(Lexicon.FORM)[layout.words]
    tags = np.array([*map(code, text.tags), 0], np.uint32)[text.classes]
    found: dict[str, Codes] = {}
    for offset in _OFFSETS:
        at = places + offset - (between and offset > 0)
        found[f"w{offset:+d}"], found[f"t{offset:+d}"] = forms[at], tags[at]
    first, last = layout.places[layout.spans[slots.sentence] - [0, 1]].T
    heads = find_heads(text, places - 1, places + (not between), first)
    for name in ("next", "verb", "noun"):
        found[name] = lemma_codes(text, heads[name], lemmas)
    for name in ("next", "noun"):
        found[f"T:{name}"] = tags[heads[name]]
    if between:
        then = np.minimum(heads["next"] + 1, last + 1)
        return found | {"then": forms[then], "then+1": forms[np.minimum(then + 1, last + 1)]}
    found["l"] = lemma_codes(text, places, lemmas)
    around = _around(text, places, first, last)
    for name in ("det", "aux", "then"):
        found[name] = forms[around[name]]
    subject = around["subject"]
    found["T:then"] = tags[around["then"]]
    found["subject"] = np.where(text.flags(_AS_IT_IS)[subject], forms[subject], tags[subject])
    return found


def _around(text: Tagged, places: Ints, first: Ints, last: Ints) -> dict[str, Ints]:
    """Words that agree with a noun or a verb; 0, a gap, for none."""
    inside, verbs, nouns = (text.flags(tags) for tags in (IN_PHRASE, VERBS, NOUNS))
    before = places - 1
    det = last_place(text.flags(("DT", "PDT", "PRP$", "CD", "POS")))[before]
    aux = last_place(verbs)[before]
    then = next_place(verbs)[places + 1]
    subject = last_place(~text.flags((*VERBS, "RB", "TO")))[before]
    # In "the list of items is" the subject is the noun before the preposition.
    of = last_place(~inside)[subject]
    subject = np.where(text.flags(("IN",))[of] & nouns[of - 1] & nouns[subject], of - 1, subject)
    return {
        "det": np.where(det > last_place(~inside)[before], det, 0),
        "aux": np.where(aux >= first, aux, 0),
        "then": np.where(then <= last, then, 0),
        "subject": np.where(subject >= first, subject, 0),
    }
