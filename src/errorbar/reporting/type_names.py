"""What codes of error types stand for, in words: NUCLE's, and ERRANT's, which are made of parts.

Source
    NUCLE: Dahlmeier, Ng and Wu 2013, and table 1 of Ng et al. 2014 (what each code is for; the words are ours).
    ERRANT: Bryant, Felice and Briscoe 2017, section 3 and appendix A.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

NUCLE: Mapping[str, str] = {
    "ArtOrDet": "article or determiner",
    "Cit": "citation",
    "Mec": "spelling, punctuation, capital letters",
    "Nn": "noun number",
    "Npos": "possessive of a noun",
    "Others": "other errors",
    "Pform": "form of a pronoun",
    "Pref": "what a pronoun refers to",
    "Prep": "preposition",
    "Rloc-": "redundant words here",
    "SVA": "agreement of subject and verb",
    "Sfrag": "sentence fragment",
    "Smod": "dangling modifier",
    "Spar": "parallel structure",
    "Srun": "run-on sentence, comma splice",
    "Ssub": "subordinate clause",
    "Trans": "linking words and phrases",
    "Um": "unclear meaning",
    "V0": "missing verb",
    "Vform": "verb form",
    "Vm": "modal verb",
    "Vt": "verb tense",
    "WOadv": "place of adverbs and adjectives",
    "WOinc": "word order",
    "Wa": "acronym",
    "Wci": "wrong collocation, idiom or preferred word",
    "Wform": "word form",
    "Wtone": "tone, register",
}
OPERATIONS: Mapping[str, str] = {"M": "missing", "U": "unnecessary", "R": "replaced"}
CATEGORIES: Mapping[str, str] = {
    "ADJ": "adjective",
    "ADJ:FORM": "form of an adjective",
    "ADV": "adverb",
    "CONJ": "conjunction",
    "CONTR": "contraction",
    "DET": "determiner",
    "MORPH": "word of the same root",
    "NOUN": "noun",
    "NOUN:INFL": "inflection of a noun",
    "NOUN:NUM": "noun number",
    "NOUN:POSS": "possessive of a noun",
    "ORTH": "capital letters or spaces",
    "OTHER": "other errors",
    "PART": "particle",
    "PREP": "preposition",
    "PRON": "pronoun",
    "PUNCT": "punctuation",
    "SPELL": "spelling",
    "UNK": "no correction known",
    "VERB": "verb",
    "VERB:FORM": "verb form",
    "VERB:INFL": "inflection of a verb",
    "VERB:SVA": "agreement of subject and verb",
    "VERB:TENSE": "verb tense",
    "WO": "word order",
}


def spelled(code: str) -> str:
    """What a code stands for; empty where it is none of these schemes'."""
    if code in NUCLE:
        return NUCLE[code]
    operation, _, category = code.partition(":")
    if code in ("UNK", *OPERATIONS):
        return OPERATIONS.get(code, "no correction known")
    if operation in OPERATIONS and category in CATEGORIES:
        return f"{CATEGORIES[category]}, {OPERATIONS[operation]}"
    return CATEGORIES.get(code, "")


def key(codes: Iterable[str]) -> dict[str, str]:
    """What those codes stand for that are known."""
    return {code: words for code in codes if (words := spelled(code))}
