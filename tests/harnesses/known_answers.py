"""A model whose answers are known, and the lines that ``errorbar score`` gets for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import errorbar
from errorbar.formats import ordinary_text

DEMO = Path(errorbar.__file__).parent / "demo"
GOLD = DEMO / "gold.jsonl"


@dataclass(frozen=True)
class KnownModel:
    """Answers by the text of the sentence that stands in a prompt."""

    answers: dict[str, str]
    lines: list[str]  # the same, one to a line, for errorbar score --retokenize
    tokens: list[str]  # what is scored of them

    def answer(self, prompt: str) -> str:
        (found,) = (answer for shown, answer in self.answers.items() if shown in prompt)
        return found


def known_model(system: str) -> KnownModel:
    """A system of the demo that writes ordinary text, once over two lines, and of the last sentence says nothing."""
    sources = [sentence.text for sentence in errorbar.read_corpus(GOLD).sentences]
    outputs = (DEMO / f"{system}.txt").read_text(encoding="utf-8").splitlines()
    said = [ordinary_text(line.split()) for line in outputs]
    said[4] = said[4].replace(" ", "\n\n", 1)
    said[-1] = " \n"
    lines = [" ".join(line.split()) for line in said[:-1]] + [sources[-1]]
    shown = [ordinary_text(source.split()) for source in sources]
    return KnownModel(dict(zip(shown, said, strict=True)), lines, [*outputs[:-1], sources[-1]])


def printed(*models: KnownModel, limit: int | None = None) -> errorbar.Score:
    """The score of a model's lines, or the mean of several, as ``errorbar score --retokenize`` has it."""
    corpus = errorbar.read_corpus(GOLD)
    corpus = errorbar.Corpus(corpus.sentences[:limit], corpus.annotators)
    systems = {str(k): model.lines[:limit] for k, model in enumerate(models)}
    scores = errorbar.score(corpus, systems, retokenize=True)
    assert len(scores) == 1
    return scores[0]
