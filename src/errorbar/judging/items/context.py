"""What an item shows: sentences around it, the verb that a tagger guesses, and the systems' outputs that are ranked.

Conventions
    Only what the study allows is kept with an item, so that nothing else can reach a browser. Sentences of a paragraph
    stand in one line, joined by spaces. Paragraphs are those that the corpus numbers (JSONL, made of NUCLE SGML); an
    empty sentence ends one too. Documents are those of the corpus.
    Where raters must not know what the writer wrote at a place (the gap of a cloze test, the sides of a choice), such
    places of other sentences are shown as ``___``, and a sentence that says the same as the item is left out.

The verb that a preposition belongs to, as a tagger would guess it: shown to raters, who keep it or choose another.

Formula
    From the preposition to the left, the first verb, noun, number, mark of punctuation, or word that stands right
    before it and is a pronoun or an adjective. A verb that is no form of ``be`` is proposed. Before a pronoun, as in
    ``told him about``, the next verb to the left is, but not for ``of``, as in ``some of``. Otherwise nothing is.
Conventions
    Penn tags. Whether a preposition after a noun belongs to it or to the verb before is nearly a toss of a coin (in
    the training part of UD English EWT 44 % belong to a verb), so that nothing is proposed there. Punctuation, ``n't``
    and ``'s`` are words to the tagger also where the text writes them together with others.
Source
    Ours; docs/judge/preposition.md tells how often it is right.

Items to rank, from a source and systems' texts: of each sentence up to five outputs, or each two systems' outputs.

Conventions
    Systems that wrote the same text, spaces apart, have one output together. Of a sentence with more outputs than one
    item takes, some are drawn, each as likely as the others, always the same ones. A sentence of which all systems
    wrote the same gives no item. Items are called by the number of their sentence; those of two systems besides by
    their names, ``12/A/B``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby
from pathlib import Path
from random import Random
from typing import Literal, Protocol

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.entry_points import find_registered
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.formats.look import Source
from errorbar.judging.question_kinds import MOST_OUTPUTS, order_outputs
from errorbar.judging.scheme import SEVERAL, JudgedItem, Scheme, fold_word, tokens
from errorbar.judging.scheme_kinds import kind_of

Context = Literal["sentence", "paragraph", "document"]
HIDDEN_PLACE = "___"
"""Stands for words of the context that another item asks about."""
LEFT_OUT = "…"
"""Stands for a sentence of the context that says the same as the item."""


def with_context(items: Sequence[JudgedItem], corpus: Corpus, scheme: Scheme, context: Context) -> list[JudgedItem]:
    """The items of a corpus with so much of the text around them, by the number of their sentence.

    Raises:
        UsageError: If the corpus does not say where paragraphs or documents begin.
    """
    hides = kind_of(scheme).hides_places(scheme)
    if context == "sentence" and not hides:
        return [*items]
    blocks = _number_blocks(corpus.sentences, context)
    masked = _mask_places(items) if hides else {}
    texts = [masked.get(at, " ".join(sentence.text.split())) for at, sentence in enumerate(corpus.sentences)]
    sentences_of = {
        block: [at for at, _ in group] for block, group in groupby(enumerate(blocks), key=lambda each: each[1])
    }
    folded = [fold_word(sentence.text) for sentence in corpus.sentences] if hides else []
    result = []
    for item in items:
        at = int(item.hidden["sentence"]) - 1
        around = sentences_of[blocks[at]]
        if context == "sentence":
            around = [at - 1] if at and blocks[at - 1] == blocks[at] else []
        shown = {other: LEFT_OUT if hides and folded[other] == folded[at] else texts[other] for other in around}
        before, after = ([other for other in around if other < at], [other for other in around if other > at])
        result.append(replace(item, before=_join(before, shown, corpus), after=_join(after, shown, corpus)))
    return result


def _number_blocks(sentences: Sequence[Sentence], context: Context) -> list[int]:
    """The number of the block of sentences that are shown together, for each sentence."""
    has_documents = any(sentence.document for sentence in sentences)
    has_paragraphs = any(sentence.paragraph or not sentence.text.strip() for sentence in sentences)
    if context == "document" and not has_documents:
        message = "the corpus does not say which sentences are of one document"
        raise UsageError(
            Problem("judge-context", message, fix="give JSONL or SGML with documents, or --context=paragraph")
        )
    if context == "paragraph" and not has_paragraphs:
        message = "the corpus does not say where a paragraph begins"
        fix = "errorbar convert SGML to JSONL, or put an empty line between paragraphs"
        raise UsageError(Problem("judge-context", message, fix=fix))
    blocks: list[int] = []
    last: tuple[object, ...] = ()
    for sentence in sentences:
        paragraph = sentence.paragraph if context == "paragraph" else 0
        here = (sentence.document, paragraph)
        begins = here != last or (context == "paragraph" and not sentence.text.strip())
        blocks.append((blocks[-1] if blocks else -1) + begins)
        last = here
    return blocks


def _mask_places(items: Iterable[JudgedItem]) -> dict[int, str]:
    """The sentences that items ask about, by their number from 0, with each such place hidden."""
    spans: dict[int, set[tuple[int, int]]] = {}
    texts: dict[int, str] = {}
    for item in items:
        at = int(item.hidden["sentence"]) - 1
        texts[at] = item.text
        spans.setdefault(at, set()).add(item.span or (0, len(item.text)))
    return {at: _mask(text, sorted(spans[at])) for at, text in texts.items()}


def _mask(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with each span as one sign, whether or not something stands there; those that overlap together."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            parts += [text[at:start], f" {HIDDEN_PLACE} "]
        at = max(at, end)
    return " ".join("".join((*parts, text[at:])).split())


def _join(numbers: Sequence[int], shown: Mapping[int, str], corpus: Corpus) -> str:
    """Sentences as running text, a line for each paragraph."""
    lines: list[str] = []
    last: int | None = None
    for number in numbers:
        paragraph = corpus.sentences[number].paragraph
        if not shown[number]:  # an empty sentence ends a paragraph
            last = None
        elif lines and last == paragraph:
            lines[-1] += f" {shown[number]}"
        else:
            lines.append(shown[number])
        last = paragraph if shown[number] else None
    return "\n".join(lines)


class VerbTagger(Protocol):
    """A tagger that names the part of speech of each token, in Penn tags."""

    def tag(self, sentences: Sequence[Sequence[str]], /) -> Iterable[Sequence[str]]:
        """Give the tags of the tokens of each sentence."""


AUTO = "auto"
_BE = frozenset(["be", "am", "is", "are", "was", "were", "been", "being", "'m", "'s", "'re", "’m", "’s", "’re"])
_STOPS = (".", ":", "``")
_BESIDE = ("PRP", "EX", "DT", "WP", "WDT")
_WORDS = re.compile(r"\w+?(?=n['’]t\b)|n['’]t\b|['’]\w+|\w+|[^\w\s]", re.IGNORECASE)


def with_verbs(items: Sequence[JudgedItem], scheme: Scheme, models: Source, problems: Problems) -> list[JudgedItem]:
    """The items with the verb that a tagger proposes for each; a note says for how many there is one.

    Args:
        items: What is judged, gold too.
        scheme: With a question that takes a verb.
        models: The folder of models whose tagger it is; ``auto``: ``models`` here, else those of errorbar-models.
        problems: Where notes go.

    Raises:
        InputError: If there is no tagger.
        UsageError: If the scheme does not ask for a verb.
    """
    asked = [question.id for question in scheme.questions if question.proposed == "verb"]
    if not asked:
        message = f"--tagger proposes a verb, and the scheme {scheme.name} asks for none"
        raise UsageError(Problem("useless-option", message, fix="leave it out, or take --scheme=preposition"))
    taggers = find_registered("errorbar.taggers")
    if not taggers:
        message = "--tagger needs a tagger, and no installed package registers one in errorbar.taggers"
        raise UsageError(Problem("missing-part", message, fix="leave it out: raters name the verb themselves"))
    tagger = next(iter(taggers.values())).load()(None if str(models) == AUTO else Path(models), problems)
    proposed_items = [
        item if at is None else replace(item, proposed=dict.fromkeys(asked, at))
        for item, at in zip(items, verbs_of(items, tagger), strict=True)
    ]
    n = sum(bool(item.proposed) for item in proposed_items)
    message = f"a verb is proposed for {n:,} of {len(proposed_items):,} items, which raters confirm or change"
    problems.note("judge-proposed", message, Place(), severity="repaired")
    return proposed_items


def verbs_of(items: Sequence[JudgedItem], tagger: VerbTagger) -> Iterator[int | None]:
    """For each item the number of the token that is proposed; None: nothing is."""
    pieces = [[match.span() for match in _WORDS.finditer(item.text)] for item in items]
    forms = [[item.text[start:end] for start, end in spans] for item, spans in zip(items, pieces, strict=True)]
    for item, spans, words, tags in zip(items, pieces, forms, tagger.tag(forms), strict=True):
        start, end = item.span or (0, 0)
        at = sum(first < start for first, _ in spans)
        verb = verb_before(words, tags, at, item.text[start:end])
        if verb is None:
            yield None
            continue
        starts = [first for first, _ in tokens(item.text)]
        number = bisect_right(starts, spans[verb][0]) - 1
        yield number if at >= len(spans) or number < bisect_right(starts, spans[at][0]) - 1 else None


def verb_before(words: Sequence[str], tags: Sequence[str], at: int, preposition: str) -> int | None:
    """The place of the verb to which the preposition at a place belongs, as far as it can be told; None: it cannot."""
    for place in range(at - 1, -1, -1):
        tag, beside = tags[place], place == at - 1
        if tag.startswith("VB"):
            return None if words[place].lower() in _BE else place
        if beside and tag in _BESIDE and preposition.lower() != "of":
            return _next_verb(words, tags, place)
        if tag.startswith(("NN", "CD")) or tag in _STOPS or (beside and tag.startswith((*_BESIDE, "JJ"))):
            return None
    return None


def _next_verb(words: Sequence[str], tags: Sequence[str], at: int) -> int | None:
    for place in range(at - 1, -1, -1):
        if tags[place] in _STOPS:
            return None
        if tags[place].startswith("VB") and words[place].lower() not in _BE:
            return place
    return None


EACH_PAIR = 0
"""In the place of a number of outputs: each two systems have items of their own."""
OUTPUTS = range(1, MOST_OUTPUTS + 1)
"""Numbers of the columns of a table: ``candidate1``, ``system1`` and so on."""


def ranked_items(corpus: Corpus, systems: Sequence[Hypothesis], outputs: int = MOST_OUTPUTS) -> list[JudgedItem]:
    """Items of outputs that differ, one for each sentence.

    Args:
        corpus: The source.
        systems: Two of them at least.
        outputs: The most that an item has; ``EACH_PAIR``: an item for each two systems instead.

    Raises:
        UsageError: If there are fewer systems, ``outputs`` is not from 2 to 5, or nothing differs.
    """
    if len(systems) < 2:
        message = "a ranking compares the outputs of at least two systems"
        raise UsageError(Problem("judge-items", message, fix="give --system for each of them"))
    if outputs != EACH_PAIR and not 2 <= outputs <= MOST_OUTPUTS:
        message = f"--outputs must be from 2 to {MOST_OUTPUTS}, got {outputs}"
        raise UsageError(Problem("bad-parameter", message))
    items = [
        _item(corpus, at, name, chosen)
        for at in range(len(corpus.sentences))
        for name, chosen in (_pairs(at, systems) if outputs == EACH_PAIR else _drawn(at, systems, outputs))
    ]
    if not items:
        message = "all systems wrote the same: there is nothing to rank"
        raise UsageError(Problem("judge-no-items", message, fix="give texts that differ"))
    return items


Outputs = list[tuple[str, str]]
"""Texts, and the names of their writers."""


def _texts(at: int, systems: Sequence[Hypothesis]) -> Outputs:
    """The different texts of a sentence, and who wrote each."""
    writers: dict[str, list[str]] = {}
    for system in systems:
        writers.setdefault(" ".join(system.lines[at].split()), []).append(system.name)
    return [(text, SEVERAL.join(names)) for text, names in writers.items()]


def _drawn(at: int, systems: Sequence[Hypothesis], most: int) -> Iterator[tuple[str, Outputs]]:
    texts = _texts(at, systems)
    if len(texts) > most:
        texts = Random(f"outputs of sentence {at + 1}").sample(texts, most)
    if len(texts) > 1:
        yield str(at + 1), texts


def _pairs(at: int, systems: Sequence[Hypothesis]) -> Iterator[tuple[str, Outputs]]:
    for two in combinations(sorted(systems, key=lambda system: system.name), 2):
        texts = _texts(at, two)
        if len(texts) > 1:
            yield f"{at + 1}/{two[0].name}/{two[1].name}", texts


def _item(corpus: Corpus, at: int, name: str, outputs: Outputs) -> JudgedItem:
    sentence, before = corpus.sentences[at], corpus.sentences[at - 1] if at else None
    hidden = {"sentence": str(at + 1)} | ({"document": sentence.document} if sentence.document else {})
    told = before.text.strip() if before is not None and before.document == sentence.document else ""
    return with_outputs(JudgedItem(name, sentence.text.strip(), None, told, hidden=hidden), outputs)


def with_outputs(item: JudgedItem, outputs: Outputs) -> JudgedItem:
    """The item with outputs in an order that tells nothing of their writers."""
    ordered = order_outputs(item.name, outputs)
    texts, names = [text for text, _ in ordered], [name for _, name in ordered]
    return replace(item, candidates=tuple(texts), names=tuple(names) if all(names) else ())
