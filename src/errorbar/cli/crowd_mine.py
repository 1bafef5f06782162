"""``errorbar crowd mine``: likely errors to ask about."""

from __future__ import annotations

import click

from errorbar.cli.options import INPUT, format_option, lenient_option, note_record, seed_option, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell, Table, show, show_json
from errorbar.cli.talk import tell
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.mine import Mined, mine
from errorbar.crowdsourcing.ngrams import NgramCounts
from errorbar.edits.items import WORD_CLASSES
from errorbar.formats.opening import Lines
from errorbar.formats.saving import save_lines
from errorbar.stats.streams import stream

SCHEMA = "errorbar.crowd.mine/1"


@click.command("mine")
@click.argument("corpus", type=INPUT, metavar="CORPUS")
@click.option("--counts", required=True, metavar="FILE", help="Counts of n-grams; with --build it is written.")
@click.option("--build", is_flag=True, help="Count the n-grams of CORPUS, one tokenized sentence per line.")
@click.option("--min-count", type=click.IntRange(1), default=1, show_default=True, help="Of n-grams kept by --build.")
@click.option("--words", default="prepositions", show_default=True, help="prepositions, articles, or a,b,c.")
@click.option("--n", "n_candidates", type=click.IntRange(1), default=500, show_default=True, help="Likely errors.")
@click.option("--error-rate", type=float, default=0.5, show_default=True, help="Share of likely errors in the set.")
@click.option("--key", metavar="FILE", help="Write scores and kinds here, so that the set is blind.")
@seed_option
@lenient_option
@format_option
def command(
    corpus: str,
    counts: str,
    build: bool,
    min_count: int,
    words: str,
    n_candidates: int,
    error_rate: float,
    key: str | None,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Find words that the text does better without, mixed with likely correct ones, to put before raters.

    CORPUS has one tokenized sentence per line. Build counts from much text of good writers first.

    \b
    errorbar crowd mine --build --counts good.counts good.txt
    errorbar crowd mine --counts good.counts learners.txt --n 500 --key key.csv --format csv > questions.csv
    """
    problems = Problems(lenient=lenient)
    targets = WORD_CLASSES[words] if words in WORD_CLASSES else frozenset(w.lower() for w in words.split(",") if w)
    if not targets:
        raise UsageError(Problem("mine-options", "no word to ask about", expected="--words a,b,c"))
    if build:
        _build(corpus, counts, targets, min_count, problems)
        return
    table = NgramCounts.parse(Lines(counts, problems), counts)
    sentences = [line.split() for line in Lines(corpus, problems)]
    problems.raise_errors()
    made = mine(sentences, table, targets, stream(seed, "crowd", "mine"), n=n_candidates, error_rate=error_rate)
    found = list(made.items)
    if made.n_repeated:
        what = f"{made.n_repeated} instances stand in a sentence that says the same elsewhere; each is asked once"
        problems.note("mine-repeated", what, Place(corpus))
    if style != "json":
        show_notes(problems.notes)
    n_mined = sum(item.kind == "candidate" for item in found)
    tell(f"{n_mined} likely errors among {len(found)} items ({100 * n_mined / len(found):.1f} %)")
    if key:
        save_lines(["item,kind,score", *(f"{item.item},{item.kind},{item.score!r}" for item in found)], key)
    if style == "json":
        record = [_record(item, blind=key is not None) for item in found]
        notes = [note_record(note) for note in problems.notes]
        show_json({"schema": SCHEMA, "items": record, "n_repeated": made.n_repeated, "warnings": notes})
    else:
        show(_table(found, blind=key is not None), style)


def _build(corpus: str, path: str, targets: frozenset[str], least: int, problems: Problems) -> None:
    made = NgramCounts()
    with progress_bar("sentences") as progress:
        for number, line in enumerate(Lines(corpus, problems), 1):
            tokens = line.split()
            if tokens:
                made.add(tokens, targets)
            progress(number)
    problems.raise_errors()
    made.prune(least)
    save_lines(made.lines(), path)
    tell(f"{len(made.pairs):,} pairs and {len(made.triples):,} triples in {path}")


def _record(item: Mined, *, blind: bool) -> dict[str, object]:
    record: dict[str, object] = {"item": item.item, "word": item.word, "text": item.text()}
    return record if blind else {**record, "kind": item.kind, "score": item.score}


def _table(found: list[Mined], *, blind: bool) -> Table:
    columns = ["item", "word", "text"] if blind else ["item", "word", "text", "kind", "score"]
    rows: list[list[Cell]] = []
    for item in found:
        extra: list[Cell] = [] if blind else [item.kind, f"{item.score:.3f}"]
        rows.append([item.item, item.word, item.text(), *extra])
    return Table(columns, rows, 3)
