"""The text around an item: the sentence before, the paragraph, or the whole document.

Conventions
    Only what the study allows is kept with an item, so that nothing else can reach a browser. Sentences of a paragraph
    stand in one line, joined by spaces. Paragraphs are those that the corpus numbers (JSONL, made of NUCLE SGML); an
    empty sentence ends one too. Documents are those of the corpus.
    Where raters must not know what the writer wrote at a place (the gap of a cloze test, the sides of a choice), such
    places of other sentences are shown as ``___``, and a sentence that says the same as the item is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.problems import Problem, UsageError
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.scheme import Scheme, fold_word
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
