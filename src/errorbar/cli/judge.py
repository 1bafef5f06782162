"""``errorbar judge``: collect judgments; each command calls one public function."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorbar.cli.command import OUTPUT, Command, OutputPath, say, show_lines
from errorbar.cli.main import Group
from errorbar.cli.options import (
    INPUT,
    FiniteRange,
    choice,
    confidence_option,
    jobs_option,
    lenient_option,
    option,
    resamples_option,
    seed_option,
)
from errorbar.cli.output import OutputOptions, output_options, show_notes
from errorbar.core.labels import counted
from errorbar.core.problems import InputError, Problem, UsageError, shell_words

if TYPE_CHECKING:
    import segno

    from errorbar.judging.web.serve import Doors


# What is printed once a study is served: the link, as a QR code too, and the way to the manager's page.


def show_doors(doors: Doors) -> None:
    """The link, as a QR code too, and the way to the manager's page."""
    if doors.link:
        import segno

        show_lines(f"To judge, open {doors.link}")
        if sys.stdout.isatty():
            click.echo("\n".join(_qr_lines(segno.make(doors.link))))
    else:
        show_lines("To judge, raters open their own links: errorbar judge invite STUDY lists them.")
    show_lines(f"To manage, open {doors.manager} and give {doors.token}")
    show_notes(doors.notes)
    say("Ctrl-C stops it.")
    sys.stdout.flush()


def _qr_lines(code: segno.QRCode) -> Iterator[str]:
    """In colors of its own, dark on light with its margin: read off a dark terminal as well as off a light one."""
    drawn = io.StringIO()
    code.terminal(drawn, compact=True)
    for line in drawn.getvalue().splitlines():
        yield f"\x1b[38;5;231;48;5;16m{line}\x1b[0m"


# ``errorbar judge init`` and ``export``: what goes into a study and what comes out.


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
    from errorbar.judging.study.make import judge_init

    if consent is not None:
        from errorbar.core.problems import Problems
        from errorbar.formats.look import Lines

        problems = Problems()
        options["consent"] = "\n".join(Lines(consent, problems))
        problems.raise_errors()
    result = judge_init(study, **options)
    show_notes(result.notes)
    items, gold, k = (
        counted(result.n_items, "items"),
        counted(result.n_gold, "gold items"),
        result.rules.raters_per_item,
    )
    all_items = f"{items} and {gold}" if result.n_gold else items
    summary = f"scheme {result.scheme.name}, {counted(k, 'raters')} each, {counted(result.n_items * k, 'judgments')}"
    show_lines(f"{study}: {all_items}, {summary}")
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
    from errorbar.judging.study.export import judge_export

    result = judge_export(study, out, to=to, include=include)
    show_notes(result.notes)


WRITTEN = OutputPath(is_file=False, path_type=Path)
study_argument = click.argument("study", type=PATH, metavar="STUDY")


@click.group("judge", cls=Group)
def command() -> None:
    """Collect judgments: a server, its raters, and what came of it; in a checkout: make judge."""


command.add_command(init)
command.add_command(export)


@command.command("serve", cls=Command, short_help="Serve a study in the browser.")
@study_argument
@option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen on; 0.0.0.0: every one.")
@option("--port", type=click.IntRange(0, 65535), default=8765, help="Port to listen on; 0: one that is free.")
@option("--workers", type=click.IntRange(1, 64), default=1, help="Processes that answer.")
@click.option("--public-url", default="", metavar="URL", help="How browsers reach it through a reverse proxy.")
@click.option("--proxy", default="", metavar="ADDRESS", help="Of that proxy, whose word on who asks counts.")
def serve(study: Path, **options: Any) -> None:
    """Serve a study until Ctrl-C; a link and a QR code are printed.

    \b
    errorbar judge serve study/
    errorbar judge serve study/ --workers 4 --public-url https://judge.example.org --proxy 127.0.0.1
    """
    from errorbar.judging.web.serve import judge_serve

    judge_serve(study, ready=show_doors, **options)
    say("stopped; every answer that was acknowledged is stored")


@command.command("invite", cls=Command, short_help="Make links for raters, list or revoke them.")
@study_argument
@option("--raters", type=click.IntRange(1, 10_000), help="Make so many personal links.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="Make a personal link for NAME; repeatable.")
@click.option("--crowd", is_flag=False, flag_value="crowd", metavar="[NAME]", help="Make one link for many raters.")
@choice(
    "--kind",
    ("crowd", "named", "trusting"),
    "Of the crowd's link: raters without an id in their link get one, type one (named), or come back by their id in "
    "any browser (trusting).",
)
@click.option("--back", metavar="RATER", help="Make a link by which a rater goes on in another browser.")
@click.option("--revoke", "revoked", metavar="NAME", help="Close a link; who came by it works on.")
@option("--days", type=FiniteRange(0, 36500, min_open=True), help="How long new links open.")
@option("--most", type=click.IntRange(1), help="How many raters may come by the crowd's link.")
@output_options
def invite(output: OutputOptions, study: Path, **options: Any) -> None:
    """Make links by which raters come; without options, list all there are.

    \b
    errorbar judge invite study/ --raters 12 -o links.csv
    errorbar judge invite study/ --crowd prolific --days 14 --most 60
    errorbar judge invite study/ --revoke prolific
    """
    from errorbar.judging.study.invitations import judge_invite, take_back_links

    asked = {name: value for name, value in options.items() if value is not None}
    result = judge_invite(study, **asked)
    try:
        output.show(result, "errorbar.judge.invite/1", private=True)
    except InputError:  # a file is written whole or not at all; of what went into a pipe somebody may have links
        if output.file is not None:
            take_back_links(study, result)
        raise


@command.command("status", cls=Command, short_help="Tell how a study stands.")
@study_argument
@click.option("--system", "systems", multiple=True, type=INPUT, metavar="FILE", help="Flags of a system; repeatable.")
@click.option("--items", is_flag=True, help="Tell of every item too.")
@confidence_option
@resamples_option()
@seed_option
@jobs_option
@output_options
def status(output: OutputOptions, study: Path, systems: Sequence[str], **options: Any) -> None:
    """Tell who, how many, how fast; gold, agreement with intervals, systems under test, and when it will end.

    \b
    errorbar judge status study/
    errorbar judge status study/ --items --format csv
    """
    from errorbar.judging.study.status import judge_status

    output.show(judge_status(study, systems=list(systems) or None, **options), "errorbar.judge.status/1")


@command.command("raters", cls=Command, short_help="List, exclude and readmit raters; redeem their codes.")
@study_argument
@click.option("--exclude", default="", metavar="RATER", help="Their judgments shall not count; they stay stored.")
@click.option("--reason", default="", metavar="TEXT", help="Why, with --exclude.")
@click.option("--readmit", default="", metavar="RATER", help="Their judgments shall count again.")
@click.option("--redeem", default="", metavar="CODE", help="Take a completion code; it counts once.")
@output_options
def raters(output: OutputOptions, study: Path, **options: Any) -> None:
    """List the raters of a study; exclude or readmit one, or take a completion code.

    \b
    errorbar judge raters study/
    errorbar judge raters study/ --exclude rater-7 --reason "answers without reading"
    """
    from errorbar.judging.study.raters import judge_raters

    output.show(judge_raters(study, **options), "errorbar.judge.raters/1")


@command.command("change", cls=Command, short_help="Change rules and items while raters work.")
@study_argument
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME=VALUE",
    help="A new value of a rule, e.g. raters-per-item=5; repeatable.",
)
@click.option("--add", type=INPUT, metavar="FILE", help="Items to add.")
@click.option("--stop", multiple=True, metavar="ITEM", help="No more judgments of it are wanted; repeatable.")
@click.option("--key", type=INPUT, metavar="FILE", help="Of the sample or audit that the items are.")
@click.option("--halt", is_flag=True, help="Hand out nothing more; what raters hold still counts.")
@click.option("--resume", is_flag=True, help="Hand out again what was halted.")
@click.option("--reason", default="", metavar="TEXT", help="Why, with --stop and --halt.")
@lenient_option
@output_options
def change(output: OutputOptions, study: Path, rules: Sequence[str], **options: Any) -> None:
    """Change rules and items of a study, all in one step; without changes, tell the rules.

    \b
    errorbar judge change study/ --rule raters-per-item=5
    errorbar judge change study/ --stop item-17 --reason "the sentence is cut off"
    errorbar judge change study/ --rule stop='R(half_width=0.03,act=true)' --key key.json
    errorbar judge change study/ --halt --reason "the interval is narrow enough"
    """
    from errorbar.judging.study.changing import judge_change

    output.show(judge_change(study, rules=_pairs(rules), **options), "errorbar.judge.change/1")


@command.command("analyze", cls=Command, short_help="Compute what the papers computed from such a study.")
@study_argument
@click.option("--expert", "experts", multiple=True, metavar="RATER", help="A rater who is an expert; repeatable.")
@click.option("--truth", type=INPUT, metavar="FILE", help="Or the answers of an expert: a table item,label.")
@click.option("--system", "systems", multiple=True, type=INPUT, metavar="FILE", help="Flags of a system; repeatable.")
@option("--accuracy", type=FiniteRange(0, 1), help="Of a choice test: instances on which the two writers agree.")
@option("--pay", type=FiniteRange(0), help="What a judgment costs.")
@option("--batch", default="batch", metavar="COLUMN", help="Hidden column that names the batch of an item.")
@confidence_option
@resamples_option()
@seed_option
@jobs_option
@output_options
def analyze(output: OutputOptions, study: Path, **options: Any) -> None:
    """Compute from a study what the papers computed from such studies, with intervals.

    \b
    errorbar judge analyze study/
    errorbar judge analyze study/ --expert anna --pay 0.02
    """
    from errorbar.judging.analysis.study_analysis import judge_analyze

    options["systems"] = list(options["systems"]) or None
    output.show(judge_analyze(study, **options), "errorbar.judge.analyze/1")


@command.command("backup", cls=Command, short_help="Copy a study while raters work.")
@study_argument
@click.argument("out", type=WRITTEN, metavar="BACKUP")
@output_options
def backup(output: OutputOptions, study: Path, out: Path) -> None:
    """Copy a study, its secrets included, into a new folder; the copy is compared with the original.

    \b
    errorbar judge backup study/ backups/monday
    """
    from errorbar.judging.study.backup import judge_backup

    output.show(judge_backup(study, out), "errorbar.judge.backup/1")


@command.command("restore", cls=Command, short_help="Make a study from a backup.")
@click.argument("source", type=PATH, metavar="BACKUP")
@study_argument
@click.option(
    "--store",
    default="",
    metavar="URL",
    help="A PostgreSQL database, postgresql://USER@HOST/DATABASE.  [default: SQLite]",
)
@output_options
def restore(output: OutputOptions, source: Path, study: Path, store: str) -> None:
    """Make a study from a backup, into a new folder; links and cookies that were given out open it.

    \b
    errorbar judge restore backups/monday study/
    """
    from errorbar.judging.study.backup import judge_restore

    output.show(judge_restore(source, study, store=store), "errorbar.judge.restore/1")


@command.command("upgrade", cls=Command, short_help="Bring a study of an older errorbar to this one.")
@study_argument
def upgrade(study: Path) -> None:
    """Bring the store of a study that an older errorbar made to what this one needs; stop its server before.

    A SQLite store is copied first, into the study's folder; of a PostgreSQL one, pg_dump makes a copy.

    \b
    errorbar judge upgrade study/
    """
    from errorbar.judging.study.backup import judge_upgrade

    say("upgraded" if judge_upgrade(study) else "nothing to do: the study is what this errorbar needs")


@command.command("demo", cls=Command, short_help="See a study with a simulated crowd at work.")
@click.option("--save", type=WRITTEN, metavar="DIR", help="Keep the study in this new folder.")
@option("--port", type=click.IntRange(0, 65535), default=8765, help="Port to listen on; 0: one that is free.")
@option("--pause", type=FiniteRange(0.01, 3600), default=2.0, help="Seconds between answers of a simulated rater.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
def demo(save: Path | None, port: int, pause: float, no_browser: bool) -> None:
    """Open a study on the bundled corpus in the browser, with a simulated crowd at work beside you; Ctrl-C ends it.

    \b
    errorbar judge demo
    errorbar judge demo --save study/ --no-browser
    """
    from errorbar.demo import GOLD_ITEMS, demo_files
    from errorbar.judging.demo import judge_demo

    def ready(doors: Doors) -> None:
        show_doors(doors)
        if not no_browser:
            click.launch(doors.link)

    with demo_files() as (gold, systems):
        gold_items = gold.with_name(GOLD_ITEMS)
        judge_demo(gold, systems[:2], gold_items=gold_items, folder=save, port=port, pause=pause, ready=ready)
    say("stopped" if save is None else f"stopped; the study is in {save}")


def _pairs(given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE of the command line."""
    pairs = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise UsageError(Problem("judge-rule", f"--rule must be NAME=VALUE, got '{each}'"))
        pairs[name] = value
    return pairs
