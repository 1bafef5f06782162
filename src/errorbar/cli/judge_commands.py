"""The commands of ``errorbar judge``; each calls one public function."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorbar.cli.command import OUTPUT_PLACE, Command, OutputPath, progress_bar, say, show_lines, show_notes
from errorbar.cli.options import INPUT, options_of
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, Problem, UsageError, shell_words

if TYPE_CHECKING:
    import segno

    from errorbar.judging.web.serve import Doors

PATH = click.Path(path_type=Path)
WRITTEN = OutputPath(is_file=False, path_type=Path)
STUDY = {"argument": "STUDY", "type": PATH}
URL = {"metavar": "URL"}
RATER = {"metavar": "RATER"}
TEXT = REASON = {"metavar": "TEXT"}
HIDDEN = {"hidden": True}
SYSTEMS = {"names": ("--system",)}
FLAG = {"type": None, "metavar": None}


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


@click.command("init", cls=Command)
@options_of(
    "errorbar.judging.study.make:judge_init",
    folder=STUDY,
    items_from={"names": ("--from",), "type": INPUT, "metavar": "FILE"},
    scheme={"metavar": "NAME"},
    systems=SYSTEMS,
    items={"type": None, "metavar": "WHAT"},
    tagger={"type": PATH, "metavar": "DIR", "hidden": True},
    types={"metavar": "NAME", "hidden": True},
    store=URL,
    pay=TEXT | HIDDEN,
    consent={"type": INPUT, "metavar": "FILE", "default": None},
    stop={"metavar": "QUESTION"},
    language={"metavar": "CODE", "hidden": True},
    **dict.fromkeys(("eligibility", "title", "contact", "pay_total"), TEXT | HIDDEN),
    return_url=URL | HIDDEN,
    **dict.fromkeys(
        (
            "direction",
            "page",
            "lease_minutes",
            "gold_per_page",
            "quiz_pass",
            "policy_share",
            "policy_gold",
            "minutes",
            "break_minutes",
            "break_items",
            "outputs",
            "blank",
            "repeats",
            "training",
            "withdrawal",
            "page_language",
            "adaptive",
        ),
        HIDDEN,
    ),
)
def init(folder: Path, consent: str | None, **options: Any) -> None:
    """Make a study: a folder with what is asked, of how many, and the store of the judgments. All of it, or nothing.

    \b
    errorbar judge init study/ --from todo.jsonl --gold-items gold.csv
    errorbar judge init study/ --scheme choice --from source.txt --system a.txt --system b.txt
    errorbar judge init study/ --scheme rank --from source.txt --system a.txt --system b.txt --adaptive
    errorbar judge init study/ --scheme cloze --from corpus.m2 --items words:prepositions
    errorbar judge init study/ --scheme edits --from essays.m2 --system out.txt --blank 0.2
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
    result = judge_init(folder, **options)
    show_notes(result.notes)
    items, gold, k = (
        format_count(result.n_items, "items"),
        format_count(result.n_gold, "gold items"),
        result.rules.raters_per_item,
    )
    all_items = f"{items} and {gold}" if result.n_gold else items
    judgments = format_count(result.n_items * k, "judgments")
    summary = f"scheme {result.scheme.name}, {format_count(k, 'raters')} each, {judgments}"
    show_lines(f"{folder}: {all_items}, {summary}")
    say(f"next: errorbar judge serve {shell_words(folder)}")


@click.command("export", cls=Command)
@options_of(
    "errorbar.judging.study.export:judge_export",
    study=STUDY,
    out={"names": ("-o", "--output"), "type": OUTPUT_PLACE, "metavar": "FILE"},
    rater=RATER,
)
def export(**options: Any) -> None:
    """Write a study's judgments of one moment, for crowd, agree, curve, sample estimate, rank and report.

    \b
    errorbar judge export study/ -o judgments.csv
    errorbar judge export study/ -o everything.jsonl.gz
    errorbar judge export study/ -o corrections.m2
    errorbar judge export study/ -o edits/ --to hoo
    errorbar judge export study/ --to pairs | errorbar rank -
    """
    from errorbar.judging.study.export import judge_export

    show_notes(judge_export(**options).notes)


@click.command("serve", cls=Command)
@options_of(
    "errorbar.judging.web.serve:judge_serve",
    study=STUDY,
    host={"metavar": "ADDRESS"},
    public_url=URL,
    proxy={"metavar": "ADDRESS"},
    ready=None,
)
def serve(**options: Any) -> None:
    """Serve a study until Ctrl-C; a link and a QR code are printed.

    \b
    errorbar judge serve study/
    errorbar judge serve study/ --workers 4 --public-url https://judge.example.org --proxy 127.0.0.1
    """
    from errorbar.judging.web.serve import judge_serve

    judge_serve(ready=show_doors, **options)
    say("stopped; every answer that was acknowledged is stored")


@click.command("invite", cls=Command)
@options_of(
    "errorbar.judging.study.invitations:judge_invite",
    study=STUDY,
    raters={"default": None},
    names={"names": ("--name",), "metavar": "NAME"},
    crowd={"is_flag": False, "flag_value": "crowd", "metavar": "[NAME]"},
    back=RATER,
    revoked={"names": ("--revoke",), "metavar": "NAME"},
)
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


@click.command("llm", cls=Command)
@options_of(
    "errorbar.judging.study.model_lane:judge_llm",
    study=STUDY,
    endpoint=URL,
    model={"metavar": "NAME"},
    calls={"type": OUTPUT_PLACE, "metavar": "FILE"},
    seal={"type": OUTPUT_PLACE, "metavar": "FILE"},
    examples={"metavar": "ITEM", "hidden": True},
    **dict.fromkeys(("decoding_seed", "answer_format", "retries", "timeout", "orders", "tune"), HIDDEN),
    progress=None,
)
@output_options
def llm(output: OutputOptions, **options: Any) -> None:
    """Ask a language model the items of a study: a rater in a lane of its own, who takes no place of a person.

    The key of the endpoint is read from the environment alone: ERRORBAR_LLM_KEY, or OPENAI_API_KEY.

    \b
    errorbar judge llm study/ --endpoint http://localhost:8000/v1 --model qwen3-8b
    errorbar judge llm study/ --endpoint https://example.com/v1 --model large --price-in 2 --price-out 8 --most-cost 5
    errorbar judge llm study/ --endpoint http://localhost:8000/v1 --model qwen3-8b --replay
    errorbar judge export study/ --models beside -o judgments.csv
    """
    from errorbar.judging.study.model_lane import judge_llm

    with progress_bar("calls") as progress:
        result = judge_llm(progress=progress, **options)
    output.show(result, "errorbar.judge.llm/1")


@click.command("status", cls=Command)
@options_of("errorbar.judging.study.status:judge_status", study=STUDY, systems=SYSTEMS, items=FLAG, ci=None)
@output_options
def status(output: OutputOptions, **options: Any) -> None:
    """Tell who, how many, how fast; gold, agreement with intervals, systems under test, and when it will end.

    \b
    errorbar judge status study/
    errorbar judge status study/ --items --format csv
    """
    from errorbar.judging.study.status import judge_status

    output.show(judge_status(**options), "errorbar.judge.status/1")


@click.command("raters", cls=Command)
@options_of(
    "errorbar.judging.study.raters:judge_raters",
    study=STUDY,
    exclude=RATER,
    reason=REASON,
    readmit=RATER,
    redeem={"metavar": "CODE"},
)
@output_options
def raters(output: OutputOptions, **options: Any) -> None:
    """List the raters of a study; exclude or readmit one, or take a completion code.

    \b
    errorbar judge raters study/
    errorbar judge raters study/ --exclude rater-7 --reason "answers without reading"
    """
    from errorbar.judging.study.raters import judge_raters

    output.show(judge_raters(**options), "errorbar.judge.raters/1")


@click.command("forget", cls=Command)
@options_of("errorbar.judging.study.raters:judge_forget", study=STUDY, rater={"argument": "RATER"})
@output_options
def forget(output: OutputOptions, **options: Any) -> None:
    """Forget who a rater was; their answers are kept or removed, as the study says. It cannot be undone.

    \b
    errorbar judge forget study/ rater-7
    """
    from errorbar.judging.study.raters import judge_forget

    output.show(judge_forget(**options), "errorbar.judge.forget/1")


@click.command("change", cls=Command)
@options_of(
    "errorbar.judging.study.changing:judge_change",
    study=STUDY,
    rules={
        "names": ("--rule",),
        "multiple": True,
        "metavar": "NAME=VALUE",
        "help": "A new value of a rule, e.g. raters-per-item=5; repeatable.",
    },
    stop={"metavar": "ITEM"},
    reason=REASON,
)
@output_options
def change(output: OutputOptions, rules: Sequence[str], **options: Any) -> None:
    """Change rules and items of a study, all in one step; without changes, tell the rules.

    \b
    errorbar judge change study/ --rule raters-per-item=5
    errorbar judge change study/ --stop item-17 --reason "the sentence is cut off"
    errorbar judge change study/ --rule stop='R(half_width=0.03,act=true)' --key key.json
    errorbar judge change study/ --halt --reason "the interval is narrow enough"
    """
    from errorbar.judging.study.changing import judge_change

    output.show(judge_change(rules=_parse_rules(rules or ()), **options), "errorbar.judge.change/1")


@click.command("analyze", cls=Command)
@options_of(
    "errorbar.judging.analysis.study_analysis:judge_analyze",
    study=STUDY,
    experts={"names": ("--expert",), "metavar": "RATER"},
    systems=SYSTEMS,
    batch={"metavar": "COLUMN"},
    ci=None,
)
@output_options
def analyze(output: OutputOptions, **options: Any) -> None:
    """Compute from a study what the papers computed from such studies, with intervals.

    \b
    errorbar judge analyze study/
    errorbar judge analyze study/ --expert anna --pay 0.02
    """
    from errorbar.judging.analysis.study_analysis import judge_analyze

    output.show(judge_analyze(**options), "errorbar.judge.analyze/1")


@click.command("adjudicate", cls=Command)
@options_of(
    "errorbar.judging.study.adjudicate:judge_adjudicate",
    study=STUDY,
    folder={"argument": "NEW", "type": WRITTEN},
    all_items={"names": ("--all",)},
    differing={"names": ("--differing",), "metavar": "QUESTION"},
    store=URL,
)
@output_options
def adjudicate(output: OutputOptions, **options: Any) -> None:
    """Make a study of the items on which the raters of another one differ, with their answers to choose from.

    \b
    errorbar judge adjudicate study/ decided/
    errorbar judge serve decided/
    errorbar judge export decided/ -o all.m2
    """
    from errorbar.judging.study.adjudicate import judge_adjudicate

    output.show(judge_adjudicate(**options), "errorbar.judge.adjudicate/1")


@click.command("backup", cls=Command)
@options_of("errorbar.judging.study.backup:judge_backup", study=STUDY, out={"argument": "BACKUP", "type": WRITTEN})
@output_options
def backup(output: OutputOptions, **options: Any) -> None:
    """Copy a study, its secrets included, into a new folder; the copy is compared with the original.

    \b
    errorbar judge backup study/ backups/monday
    """
    from errorbar.judging.study.backup import judge_backup

    output.show(judge_backup(**options), "errorbar.judge.backup/1")


@click.command("restore", cls=Command)
@options_of(
    "errorbar.judging.study.backup:judge_restore",
    source={"argument": "BACKUP", "type": PATH},
    study=STUDY,
    store=URL,
)
@output_options
def restore(output: OutputOptions, **options: Any) -> None:
    """Make a study from a backup, into a new folder; links and cookies that were given out open it.

    \b
    errorbar judge restore backups/monday study/
    """
    from errorbar.judging.study.backup import judge_restore

    output.show(judge_restore(**options), "errorbar.judge.restore/1")


@click.command("import", cls=Command)
@options_of(
    "errorbar.api.import_judgments:judge_import",
    exports={"argument": "FILE..."},
    out={"names": ("--save",), "type": OUTPUT_PLACE, "metavar": "FILE"},
    per_item={"names": ("--raters-per-item",), "metavar": "K"},
)
@output_options
def import_(output: OutputOptions, **options: Any) -> None:
    """Read judgments that another tool collected, and audit their independence.

    FILEs are exports of Label Studio or Argilla (JSON), doccano or Prodigy (JSONL), Potato, brat, Appraise or
    Mechanical Turk (CSV).

    \b
    errorbar judge import export.json --save judgments.csv
    errorbar judge import batch.csv --demographics prolific.csv --raters-per-item 3
    """
    from errorbar.api.import_judgments import judge_import

    output.show(judge_import(**options), "errorbar.judge.import/1")


@click.command("upgrade", cls=Command)
@options_of("errorbar.judging.study.backup:judge_upgrade", study=STUDY)
def upgrade(study: Path) -> None:
    """Bring the store of a study that an older errorbar made to what this one needs; stop its server before.

    A SQLite store is copied first, into the study's folder; of a PostgreSQL one, pg_dump makes a copy.

    \b
    errorbar judge upgrade study/
    """
    from errorbar.judging.study.backup import judge_upgrade

    say("upgraded" if judge_upgrade(study) else "nothing to do: the study is what this errorbar needs")


@click.command("demo", cls=Command)
@options_of(
    "errorbar.judging.demo:judge_demo",
    folder={"names": ("--save",), "type": WRITTEN, "metavar": "DIR"},
    **dict.fromkeys(("source", "systems", "gold_items", "ready")),
)
@click.option("--no-browser", is_flag=True, help="Open no browser.")
def demo(folder: Path | None, no_browser: bool, **options: Any) -> None:
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
        judge_demo(gold, systems[:2], gold_items=gold_items, folder=folder, ready=ready, **options)
    say("stopped" if folder is None else f"stopped; the study is in {folder}")


def _parse_rules(rules: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE of the command line."""
    pairs = {}
    for rule in rules:
        name, equals, value = rule.partition("=")
        if not equals or not name:
            raise UsageError(Problem("judge-rule", f"--rule must be NAME=VALUE, got '{rule}'"))
        pairs[name] = value
    return pairs
