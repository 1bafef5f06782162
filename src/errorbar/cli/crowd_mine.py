"""``errorbar crowd mine``: likely errors to ask about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from errorbar.cli.options import INPUT, lenient_option, seed_option
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import output_options, show_result
from errorbar.cli.talk import tell

SCHEMA = "errorbar.crowd.mine/1"


@click.command("mine")
@click.argument("corpus", type=INPUT, metavar="CORPUS")
@click.option("--counts", required=True, metavar="FILE", help="Counts of n-grams; with --build it is written.")
@click.option("--build", is_flag=True, help="Count the n-grams of CORPUS, one tokenized sentence per line.")
@click.option("--min-count", type=click.IntRange(1), default=1, show_default=True, help="Of n-grams kept by --build.")
@click.option(
    "--words", default="prepositions", show_default=True, help="Words to look at: prepositions, articles, or a,b,c."
)
@click.option(
    "--n", "n_candidates", type=click.IntRange(1), default=500, show_default=True, help="Number of likely errors."
)
@click.option("--error-rate", type=float, default=0.5, show_default=True, help="Share of likely errors in the set.")
@click.option("--key", metavar="FILE", help="Write scores and kinds here, so that the set is blind.")
@seed_option
@lenient_option
@output_options
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
    output: str | None,
    style: str,
) -> None:
    """Find words that the text does better without, mixed with likely correct ones, to put before raters.

    CORPUS has one tokenized sentence per line. Build counts from much text of good writers first.

    \b
    errorbar crowd mine --build --counts good.counts good.txt
    errorbar crowd mine --counts good.counts learners.txt --n 500 --key key.csv --format csv > questions.csv
    """
    from errorbar.formats.saving import save_lines
    from errorbar.studies.crowd_raters import crowd_mine

    if build:
        _build(corpus, counts, words, min_count, lenient=lenient)
        return
    blind = key is not None
    made = crowd_mine(
        corpus, counts, words=words, n=n_candidates, error_rate=error_rate, blind=blind, seed=seed, lenient=lenient
    )
    n_mined = sum(item.kind == "candidate" for item in made.items)
    tell(f"{n_mined} likely errors among {len(made.items)} items ({100 * n_mined / len(made.items):.1f} %)")
    if key:
        save_lines(made.key(), key)
    show_result(made, style, schema=SCHEMA, output=output)


def _build(corpus: str, path: str, words: str, least: int, *, lenient: bool) -> None:
    from errorbar.core.problems import Problems
    from errorbar.formats.opening import Lines
    from errorbar.formats.saving import save_lines
    from errorbar.studies.crowd_raters import crowd_counts

    problems = Problems(lenient=lenient)
    made = crowd_counts(_counted(Lines(corpus, problems)), words=words, min_count=least)
    problems.raise_errors()
    save_lines(made.lines(), path)
    tell(f"{len(made.pairs):,} pairs and {len(made.triples):,} triples in {path}")


def _counted(lines: Iterable[str]) -> Iterator[str]:
    with progress_bar("sentences") as progress:
        for number, line in enumerate(lines, 1):
            yield line
            progress(number)
