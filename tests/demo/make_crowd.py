"""The crowd of ``errorbar demo --crowd``: simulated raters judge every preposition of the bundled corpus.

``python -m tests.demo.make_crowd`` writes ``src/errorbar/demo/crowd`` again; a test checks that the same comes out.
The more of the corpus' three annotators correct a preposition, the more often a rater calls it an error. Most raters
are careful, a few are mild or strict, one falls asleep, and two do not look. The flags of two systems are those of
their texts; the scores of a third, a detector, are drawn.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import NamedTuple

from errorbar import Hypothesis, Sentence, audit_draw
from errorbar.demo import demo_files
from errorbar.edits import edit_items, find_changed_items, minimal_pieces
from errorbar.formats import read_corpus

FOLDER = Path(__file__).parents[2] / "src/errorbar/demo/crowd"
SEED = 5
PER_ITEM = 12
CALLED_ERROR = (0.04, 0.4, 0.75, 0.95)
"""How often a careful rater calls a preposition an error that so many of the three annotators correct."""
N_GOLD = 50
COIN = 0.5


class Rater(NamedTuple):
    """How a rater differs from a careful one."""

    name: str
    of_errors: float = 1.0  # factor on how often they call an error one
    of_others: float = 0.0  # how often they call something an error that they had let pass
    awake: int = 1 << 30  # judgments before they toss a coin
    seconds: float = 9.0  # median time of a judgment


RATERS = (
    *(Rater(f"r{number:02}") for number in range(1, 13)),
    Rater("r13", of_errors=0.6),
    Rater("r14", of_errors=0.5),
    Rater("r15", of_others=0.25),
    Rater("r16", awake=25),
    Rater("r17", awake=0, seconds=1.5),
    Rater("r18", awake=0, seconds=1.2),
)


def votes(shares: dict[str, int], drawn: random.Random) -> list[str]:
    """Judgments of every item by ``PER_ITEM`` raters, a row each."""
    rows = []
    judged = dict.fromkeys(RATERS, 0)
    for item, share in shares.items():
        for rater in sorted(drawn.sample(RATERS, PER_ITEM)):
            says_error = drawn.random() < CALLED_ERROR[share] * rater.of_errors or drawn.random() < rater.of_others
            if judged[rater] >= rater.awake:
                says_error = drawn.random() < COIN
            judged[rater] += 1
            seconds = rater.seconds * drawn.lognormvariate(0, 0.4)
            rows.append(f"{item},{rater.name},{'error' if says_error else 'ok'},{seconds:.1f}")
    return rows


def scores(shares: dict[str, int], texts: dict[str, str], drawn: random.Random) -> list[str]:
    """What a detector says of every item: a flag, the score behind it, and the text for who looks at it."""
    rows = ["item,flag,score,text"]
    for item, share in shares.items():
        score = drawn.gauss(share, 1.2) - 2
        rows.append(f'{item},{int(score > 0)},{score:.2f},"{texts[item]}"')
    return rows


def marked(sentence: str, item: str) -> str:
    """A sentence with the preposition in brackets, as a table quotes it."""
    first, end = map(int, item.partition(":")[2].split("-"))
    tokens = sentence.split(" ")
    told = [*tokens[:first], f"[{' '.join(tokens[first:end])}]", *tokens[end:]]
    return " ".join(told).replace('"', '""')


def audit(folder: Path) -> None:
    """Write an audit of two systems against annotator 1, judged by annotator 2, with its key."""
    with demo_files() as (gold, (careful, greedy, *_)):
        corpus = read_corpus([gold])
        drawn = audit_draw(gold, [careful, greedy], metric="m2(choose=1)", half_width=0.05, rater="annotator-2")
    drawn.save(str(folder / "audit.csv"), str(folder / "audit-key.json"))
    valid = {
        item.name: "valid" if set(item.pieces) <= pieces_of(corpus.sentences[item.sentence], "2") else "not-valid"
        for item in drawn.key.frame.items
    }
    header, *rows = (folder / "audit.csv").read_text(encoding="utf-8").splitlines()
    judged = [header, *(f"{row}{valid[row.partition(',')[0]]}" for row in rows)]
    (folder / "audit.csv").write_text("\n".join(judged) + "\n", encoding="utf-8", newline="\n")


def pieces_of(sentence: Sentence, annotator: str) -> set[tuple[int, int, str]]:
    """Every minimal change that an annotator made, with all alternatives."""
    edits = [(edit, text) for edit in sentence.annotations.get(annotator, ()) for text in edit.replacements]
    return {each for edit, text in edits for each in minimal_pieces(sentence.tokens, edit.start, edit.end, text)}


def write(folder: Path) -> None:
    """Write judgments, gold items, what the corpus' annotators say, the flags of three systems, and an audit."""
    with demo_files() as (gold, files):
        corpus = read_corpus([gold])
        systems = [Hypothesis(file.stem, file.read_text(encoding="utf-8").splitlines()) for file in files[:2]]
    judgments = edit_items(corpus, "words").judgments
    shares = dict.fromkeys(judgments.items, 0)
    for item, label in zip(judgments.to_columns()["item"], judgments.to_columns()["label"], strict=True):
        shares[str(item)] += label == "error"
    drawn = random.Random(SEED)
    sure = [drawn.sample([item for item, share in shares.items() if share == each], N_GOLD // 2) for each in (0, 3)]
    known = {item for items in sure for item in items}
    truth = [f"{item},{'error' if share > 1 else 'ok'}" for item, share in shares.items()]
    texts = {item: marked(corpus.sentences[int(item.split(":")[0]) - 1].text, item) for item in shares}
    items, changed = find_changed_items(corpus, systems, "words")
    tables = {
        "votes": ["item,rater,label,seconds", *votes(shares, drawn)],
        "gold": ["item,label", *(row for row in truth if row.split(",")[0] in known)],
        "truth": ["item,label", *truth],
        "detector": scores(shares, texts, drawn),
    }
    for system, row in zip(systems, changed, strict=True):
        tables[system.name] = ["item,flag", *(f"{item},{int(flag)}" for item, flag in zip(items, row, strict=True))]
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
    audit(folder)


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    write(FOLDER)
