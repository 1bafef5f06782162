"""``errorbar judge init`` and ``export``: what goes into a study and what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command
from errorbar.cli.options import INPUT, FiniteRange, choice, lenient_option, option
from errorbar.cli.show import show_notes
from errorbar.cli.talk import say, show_lines
from errorbar.core.errors import shell_words
from errorbar.core.labels import counted

PATH = click.Path(path_type=Path)
PARTS = ("extra", "excluded", "repeats", "gold", "quiz", "skipped", "beyond")
SHARE = FiniteRange(0, 1)


@click.command("init", cls=Command, short_help="Make a study of items.")
@click.argument("study", type=PATH, metavar="STUDY")
@click.option(
    "--from",
    "items_from",
    type=INPUT,
    required=True,
    metavar="FILE",
    help="A table of items, a set of 'sample draw', a corpus, sentences, or a study's export (.jsonl).",
)
@option(
    "--scheme",
    default="error-ok",
    metavar="NAME",
    help="What is asked: error-ok, choice, cloze, preposition, or a TOML file.",
)
@click.option("--system", "systems", type=INPUT, multiple=True, metavar="FILE", help="A system's text; repeatable.")
@click.option("--items", default="", metavar="WHAT", help="Of a corpus: words, words:articles, tokens, ..., or edits.")
@choice("--against", ("writer", "systems"), "Of a choice test: whose text a system's is set against.")
@click.option("--gold-items", type=INPUT, metavar="FILE", help="A table of items whose answers are known.")
@click.option("--guidelines", type=INPUT, metavar="FILE", help="Markdown for raters, instead of the scheme's.")
@click.option(
    "--tagger",
    type=PATH,
    metavar="DIR",
    help="Of prepositions, propose the verb by the tagger of these models; auto: ./models, else errorbar-models.",
)
@click.option(
    "--store",
    default="",
    metavar="URL",
    help="A PostgreSQL database, postgresql://USER@HOST/DATABASE.  [default: SQLite, in STUDY]",
)
@option("--raters-per-item", type=click.IntRange(1), default=3, help="Judgments of each item, by different raters.")
@option("--items-per-rater", type=click.IntRange(0), default=0, help="The most items of one rater; 0: all there are.")
@option("--quiz", type=click.IntRange(0), default=0, help="Gold items with explanations before the work.")
@choice("--policy", ("sequential", "posterior", "fixed", "none"), "How raters are excluded by their gold items.")
@option("--repeats", type=SHARE, default=0.0, help="The share of a rater's items that are shown once more.")
@click.option("--pay", default="", metavar="TEXT", help="What an item pays, as raters read it.")
@click.option("--consent", type=INPUT, metavar="FILE", help="Text that raters must agree to.")
@click.option("--eligibility", multiple=True, metavar="TEXT", help="A question to be answered with yes; repeatable.")
@option("--language", default="en", metavar="CODE", hidden=True, help="Of the texts.")
@click.option("--stop", default="", metavar="QUESTION", help="When judging may stop, e.g. 'R(half_width=0.03)'.")
@click.option("--key", type=INPUT, metavar="FILE", help="With --stop: the key of the sample or audit.")
@lenient_option
@option("--direction", type=click.Choice(("auto", "ltr", "rtl")), default="auto", hidden=True, help="Of the texts.")
@option("--page", type=click.IntRange(1, 10), default=10, hidden=True, help="Items that a browser holds at a time.")
@option("--lease-minutes", type=FiniteRange(0.01), default=60.0, hidden=True, help="How long they are kept for it.")
@option("--gold-per-page", type=click.IntRange(0, 10), default=1, hidden=True, help="Gold items among them.")
@option("--quiz-pass", type=SHARE, default=0.7, hidden=True, help="The share of right answers that passes the quiz.")
@option("--policy-share", type=SHARE, default=0.7, hidden=True, help="The least accuracy of posterior and fixed.")
@option("--policy-gold", type=click.IntRange(1), default=10, hidden=True, help="Gold answers before fixed decides.")
def init(study: Path, consent: str | None, **options: Any) -> None:
    """Make a study: a folder with what is asked, of how many, and the store of the judgments. All of it, or nothing.

    \b
    errorbar judge init study/ --from todo.jsonl --gold-items gold.csv
    errorbar judge init study/ --scheme choice --from source.txt --system a.txt --system b.txt
    errorbar judge init study/ --scheme cloze --from corpus.m2 --items words:prepositions
    errorbar judge init study/ --from todo.jsonl --key key.json --stop 'R(half_width=0.05)'
    errorbar judge init again/ --from export.jsonl
    """
    from errorbar.judging.study_making import judge_init

    if consent is not None:
        from errorbar.core.problems import Problems
        from errorbar.formats.look import Lines

        problems = Problems()
        options["consent"] = "\n".join(Lines(consent, problems))
        problems.raise_errors()
    made = judge_init(study, **options)
    show_notes(made.notes)
    items, gold, k = counted(made.n_items, "items"), counted(made.n_gold, "gold items"), made.rules.raters_per_item
    all_items = f"{items} and {gold}" if made.n_gold else items
    told = f"scheme {made.scheme.name}, {counted(k, 'raters')} each, {counted(made.n_items * k, 'judgments')}"
    show_lines(f"{study}: {all_items}, {told}")
    say(f"next: errorbar judge serve {shell_words(study)}")


@click.command("export", cls=Command, short_help="Write a study's judgments.")
@click.argument("study", type=PATH, metavar="STUDY")
@click.option(
    "-o", "--output", "out", default="-", type=OUTPUT, metavar="FILE", help="File to write.  [default: standard output]"
)
@click.option(
    "--to",
    type=click.Choice(("csv", "jsonl", "pairs", "set", "m2")),
    help="What to write: csv: a row for each judgment; jsonl: everything, events too; pairs: for 'rank'; set: as "
    "'sample draw' wrote it; m2: corrections.  [default: by the ending of FILE; csv for standard output]",
)
@click.option(
    "--include", multiple=True, type=click.Choice(PARTS), help="Of tables, judgments that do not count; repeatable."
)
def export(study: Path, out: str, to: Any, include: Any) -> None:
    """Write a study's judgments of one moment, for crowd, agree, curve, sample estimate, rank and report.

    \b
    errorbar judge export study/ -o judgments.csv
    errorbar judge export study/ -o everything.jsonl.gz
    errorbar judge export study/ --to pairs | errorbar rank -
    """
    from errorbar.judging.study_export import judge_export

    made = judge_export(study, out, to=to, include=include)
    show_notes(made.notes)
