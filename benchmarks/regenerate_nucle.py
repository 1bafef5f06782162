"""The released M2 files against those that come out of the released SGML.

For each pair of files: the mistakes in the SGML; how many stand in the M2 as we make them (span, type, correction); how
many are dropped and why; how many differ, and how many would differ under the other reading of full stops. Below,
the teams' alternative answers and essays without given tokens.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from timing import table

from errorbar.core.corpus import Sentence
from errorbar.core.problems import Problems
from errorbar.formats.look import Lines
from errorbar.formats.m2 import read_m2
from errorbar.formats.nucle import (
    NOOP,
    Essay,
    locate,
    merge_essays,
    project_essays,
    read_nucle,
    split_essays,
    treebank_tokens,
)

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CONLL = [f"conll14/noalt/official-2014.{annotator}" for annotator in (0, 1)]
TEN = [f"bn2015_10gec/A{number}" for number in range(1, 11)]
TEAMS = [f"conll14/alt/alternative-team{team}" for team in "abc"]
LIMIT = 1_000_000

Edits = list[Counter[tuple[object, ...]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder laid out like the shared corpora")
    data: Path = parser.parse_args().data
    columns = ["files", "mistakes", "M2", "exact", "crosses", "no change", "differs", "other reading"]
    rows = [regenerate(data, name, detach_stops=name in TEN) for name in CONLL + TEN]
    table("NUCLE SGML -> M2", columns, rows)
    columns = ["file", "mistakes", "noop", "exact", "crosses", "no change", "differs"]
    table("alternative answers, in combined-withalt", columns, [alternatives(data, name) for name in TEAMS])
    table("essays without given tokens", ["what", "equal", "of"], without_tokens(data))


def essays_of(path: Path) -> list[Essay]:
    problems = Problems(limit=LIMIT)
    essays = list(read_nucle(Lines(path, problems), problems))
    problems.raise_errors()
    return essays


def sentences_of(path: Path) -> list[Sentence]:
    problems = Problems(limit=LIMIT)  # overlapping edits of one annotator are no matter here
    return list(read_m2(Lines(path, problems), problems))


def edits_of(sentences: Iterable[Sentence]) -> Edits:
    """The edits of each sentence, whoever made them."""
    return [
        Counter(edit[:4] for annotation in sentence.annotations.values() for edit in annotation)
        for sentence in sentences
    ]


def common(first: Edits, second: Edits) -> int:
    return sum((a & b).total() for a, b in zip(first, second, strict=True))


def regenerate(data: Path, name: str, *, detach_stops: bool) -> list[str]:
    essays, released = essays_of(data / f"{name}.sgml"), sentences_of(data / f"{name}.m2")
    official = edits_of(released)
    problems, other = Problems(limit=LIMIT), Problems(limit=LIMIT)
    projected = edits_of(project_essays(essays, released, problems, detach_stops=detach_stops))
    changed = edits_of(project_essays(essays, released, other, detach_stops=not detach_stops))
    n_mistakes = sum(len(mistakes) for essay in essays for mistakes in essay.annotations.values())
    n_found = sum(edits.total() for edits in projected)
    why = Counter(note.code for note in problems.notes)
    n_official = sum(edits.total() for edits in official)
    exact = common(projected, official)
    figures = [n_mistakes, n_official, exact, why["nucle-crosses"], why["nucle-no-change"], n_found - exact]
    return [name, *(f"{figure:,}" for figure in figures), f"{n_found - common(changed, official):,}"]


def alternatives(data: Path, name: str) -> list[str]:
    base = data / f"{CONLL[0]}.sgml"
    team = essays_of(data / f"{name}.sgml")
    mistakes = [mistake for essay in team for listed in essay.annotations.values() for mistake in listed]
    released = sentences_of(data / "conll14/alt/official-2014.combined-withalt.m2")
    texts = [Essay(essay.nid, essay.place, essay.paragraphs) for essay in essays_of(base)]
    problems = Problems(limit=LIMIT)
    merged = merge_essays([("base", texts), ("team", team)])
    projected = edits_of(project_essays(merged, released, problems))
    n_noop = sum(mistake.type == NOOP for mistake in mistakes)
    why = Counter(note.code for note in problems.notes)
    exact = common(projected, edits_of(released))
    differs = sum(edits.total() for edits in projected) - exact
    figures = [len(mistakes), n_noop, exact, why["nucle-crosses"], why["nucle-no-change"], differs]
    return [name, *(f"{figure:,}" for figure in figures)]


def without_tokens(data: Path) -> list[list[str]]:
    essays, released = essays_of(data / f"{CONLL[0]}.sgml"), sentences_of(data / f"{CONLL[0]}.m2")
    tokens = sentences = 0
    for essay, paragraphs in locate(essays, released):
        own = {tuple(sentence.tokens) for sentence in split_essays([essay])}
        for text, located in zip(essay.paragraphs, paragraphs, strict=True):
            tokens += sum(
                treebank_tokens(text[sentence.spans[0][0] : sentence.spans[-1][1]]) == sentence.tokens
                for sentence in located
            )
            sentences += sum(tuple(sentence.tokens) in own for sentence in located)
    total = f"{len(released):,}"
    return [
        ["tokens of a released sentence", f"{tokens:,}", total],
        ["sentences, borders by Punkt", f"{sentences:,}", total],
    ]


if __name__ == "__main__":
    main()
