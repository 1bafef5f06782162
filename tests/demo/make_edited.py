"""The own references of ``errorbar demo --edited``: simulated editors edit the outputs of the bundled systems.

``python -m tests.demo.make_edited`` writes ``src/errorbar/demo/edited`` again; a test checks that the same comes out.
The editor of an output keeps what any of the corpus' three annotators corrected in the same way, takes back everything
else, and corrects what is left as annotator 0 did, who marks clear errors only. The times of six editors are drawn:
they grow with the words to read and the words to change. Nobody corrects a sentence both from the source and from an
output.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from errorbar import M2, Corpus, Edit, Problems, Sentence, read_corpus, read_system
from errorbar.api.reference_cost import count_word_edits
from errorbar.demo import demo_files
from errorbar.edits import apply_edits, select_applied
from errorbar.edits.texts import overlaps
from errorbar.formats import write_m2

FOLDER = Path(__file__).parents[2] / "src/errorbar/demo/edited"
SEED = 3
NAMES = ("careful", "greedy", "articles")
EDITOR = "0"
SPEED = {"ann": 1.0, "bea": 1.4, "cem": 0.8, "dov": 1.1, "eli": 0.9, "fay": 1.2}
READING, CHANGING = 0.4, 2.5
"""Seconds for a word of the text, and for a word that is changed."""


def edit_output(corpus: Corpus, lines: Sequence[str]) -> list[tuple[Edit, ...]]:
    """The editor's reference of each sentence: what is valid in the output, and what is left to correct."""
    valid: list[list[Edit]] = [[] for _ in lines]
    for name in corpus.annotators:
        proposed = M2().system_edits(corpus, lines, [name] * len(lines))
        for own, sentence, edits in zip(valid, corpus.sentences, proposed, strict=True):
            known = {edit.span: edit for edit in sentence.annotations[name]}
            matched = [
                known[each.start, each.end]._replace(replacements=(each.replacement,)) for each in edits if each.matched
            ]
            own += [edit for edit in matched if not any(_touch(edit, other) for other in own)]
    for own, sentence in zip(valid, corpus.sentences, strict=True):
        left = select_applied(sentence.annotations[EDITOR])
        own += [edit for edit in left if not any(_touch(edit, other) for other in own)]
    return [tuple(sorted(own, key=lambda edit: edit.span)) for own in valid]


def _touch(edit: Edit, other: Edit) -> bool:
    first, second = sorted((edit, other), key=lambda each: each.span)
    return overlaps(second, first) or first.span == second.span


def seconds(start: Sequence[str], reference: Sequence[str], editor: str, drawn: random.Random) -> float:
    """The time that an editor takes from a text to its reference."""
    work = READING * len(start) + CHANGING * count_word_edits(start, reference)
    return round(SPEED[editor] * (2 + work) * drawn.lognormvariate(0, 0.3), 1)


def write(folder: Path) -> None:
    """Write the references of three systems, and the times of six editors."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(SEED)
    rows = ["system,editor,sentence,seconds"]
    with demo_files() as (gold, systems):
        corpus = read_corpus(gold)
        outputs = {file.stem: read_system(file).lines for file in systems if file.stem in NAMES}
    for name, lines in outputs.items():
        made = edit_output(corpus, lines)
        sentences = [Sentence(one.text, {EDITOR: edits}) for one, edits in zip(corpus.sentences, made, strict=True)]
        text = "".join(f"{line}\n" for line in write_m2(sentences, Problems(lenient=True)))
        (folder / f"{name}.m2").write_text(text, encoding="utf-8")
        for number, (one, line, edits) in enumerate(zip(corpus.sentences, lines, made, strict=True), 1):
            reference = apply_edits(one.tokens, edits)
            for turn, editor in enumerate(SPEED, number):
                if turn % 2:
                    rows.append(f"{name},{editor},{number},{seconds(line.split(), reference, editor, drawn)}")
                elif name == NAMES[0]:
                    rows.append(f"source,{editor},{number},{seconds(one.tokens, reference, editor, drawn)}")
    (folder / "times.csv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
