"""``errorbar compare``: is the difference real?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as Tree

import click

from errorbar.cli.command import OUTPUT, Command, show_lines, tell
from errorbar.cli.main import while_read
from errorbar.cli.options import options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.problems import InputError, Problem, visible
from errorbar.formats.saving import cannot_write, save_bytes

if TYPE_CHECKING:
    from errorbar.api.compare import ComparisonResult, Gate


@click.command("compare", cls=Command)
@options_of(
    "errorbar.api.compare:compare",
    systems={"argument": "SYSTEM SYSTEM..."},
    adjust={"hidden": True},
    swaps={"hidden": True},
    ci_method={"hidden": True},
    force={"hidden": True},
    fail_if_worse={
        "metavar": "POINTS",
        "help": "Exit with code 1 if the interval of SYSTEM - first SYSTEM, the one that decides here, lies below "
        "-POINTS; also told as JUnit XML (--junit FILE) and to GitHub Actions (--github).",
    },
)
@click.option(
    "--pairs", is_flag=True, help="Show every pair (difference, interval, p, power) of four systems or more too."
)
@click.option(
    "--junit", hidden=True, type=OUTPUT, metavar="FILE", help="Write what --fail-if-worse decided as JUnit XML."
)
@click.option("--github", is_flag=True, hidden=True, help="Annotate the run of GitHub Actions, and add to its summary.")
@output_options
def command(pairs: bool, junit: str | None, github: bool, output: OutputOptions, **options: Any) -> None:
    """Tell whether systems differ by more than chance, on the same corpus.

    Where judges can be drawn anew, a joint test over texts and judges decides what is significant; where they are
    fixed, approximate randomization does. JSON and CSV have both. Both are adjusted for the number of pairs (--adjust).
    A paired bootstrap gives intervals of differences over texts. Documents are swapped and
    resampled where they are known, else sentences. Of two or three systems every pair is shown below the scores; csv
    has one table, that of the systems, or with --pairs that of the pairs; with --pools those of pools follow. Text for
    a paper follows the tables, on standard error, but not with --fail-if-worse.

    \b
    errorbar compare --gold official-2014.combined.m2 CAMB CUUI AMU
    errorbar compare --gold gold.m2 --documents essays.sgml ours.txt theirs.txt
    errorbar compare --gold gold.m2 old.txt new.txt --fail-if-worse 0.5
    """
    from errorbar.api.compare import compare

    check_gate_output(asked=options["fail_if_worse"] is not None)
    result = compare(**options)
    tables = result.chosen_tables(pairs=True) if pairs else result.tables()
    if output.style == "csv":
        tables = [result.pair_table() if pairs else result.system_table(), *result.pool_tables()]
    write_gate(result, junit, github=github, output=output)
    with leave_by_gate(result.gate):
        for_paper = result.for_paper if result.gate is None else None  # the verdict is the end of a log
        output.show(result, "errorbar.compare/1", tables, for_paper=for_paper)


# What a gate decided, as a CI server takes it: exit codes, JUnit XML, annotations and a summary of GitHub Actions.


WORSE = 1
"""The exit code of a gate that failed, and of nothing else in the command."""
SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable by which GitHub Actions names the file that a step's summary is added to."""
_LEVEL = {"worse": "error", "no interval": "error", "loss not excluded": "warning"}


def check_gate_output(*, asked: bool) -> None:
    """See before the work that there is something to write."""
    if not asked:
        refuse_given(("junit", "github"), "is about what --fail-if-worse decides", "give --fail-if-worse too")


def write_gate(result: ComparisonResult, junit: str | None, *, github: bool, output: OutputOptions) -> None:
    """Write what was decided to every place that was asked for but the result itself."""
    if result.gate is None:
        return
    if junit is not None:
        save_bytes(junit_xml(result.gate, result.signature), junit)
    if github:
        _summarize(result)
        with while_read():
            _annotate(result.gate, data=output.file is None and output.style != "table")
    if output.file is not None or output.style in ("json", "csv"):  # where people do not see the table
        with while_read():
            for check in result.gate.checks:
                tell(check.sentence)


@contextmanager
def leave_by_gate(gate: Gate | None) -> Iterator[None]:
    """Show the result, then leave with the gate's exit code, also where the reader of the result has seen enough."""
    with while_read():
        yield
    if gate is None:
        return
    if gate.failed:
        sys.exit(WORSE)
    if gate.undecided:
        systems = ", ".join(each.system for each in gate.checks if each.outcome == "no interval")
        message, fix = f"there is no interval to decide by: {systems}", "the table says why"
        fix += "; --judges=fixed decides over texts alone" * ("judges" in gate.over)
        raise InputError(Problem("gate-undecided", message, fix=fix))


def junit_xml(gate: Gate, signature: str) -> bytes:
    """A document of JUnit XML: a test case for each system, which fails if it is worse."""
    count = {name: sum(each.outcome == name for each in gate.checks) for name in ("worse", "no interval")}
    numbers = {"tests": len(gate.checks), "failures": count["worse"], "errors": count["no interval"], "skipped": 0}
    texts = {name: str(number) for name, number in numbers.items()}
    suites = Tree.Element("testsuites", {"name": "errorbar", **texts})
    suite = Tree.SubElement(suites, "testsuite", {"name": "errorbar compare", **texts})
    properties = Tree.SubElement(suite, "properties")
    Tree.SubElement(properties, "property", {"name": "signature", "value": _xml(signature)})
    for check in gate.checks:
        name = f"{check.system} is not worse than {gate.baseline} by more than {gate.amount}"
        case = Tree.SubElement(suite, "testcase", {"classname": "errorbar.compare", "name": _xml(name)})
        sentence = _xml(check.sentence)
        kind = {"worse": "failure", "no interval": "error"}.get(check.outcome)
        if kind is not None:
            Tree.SubElement(case, kind, {"type": check.outcome, "message": sentence}).text = sentence
        Tree.SubElement(case, "system-out").text = sentence
    Tree.indent(suites)
    document: bytes = Tree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _xml(text: str) -> str:
    r"""Text that XML 1.0 can hold: what would not show, and U+FFFE and U+FFFF, as ``\x1b``."""
    return "".join(
        f"\\u{ord(character):04x}" if character in "\ufffe\uffff" else character for character in visible(text)
    )


def workflow_commands(gate: Gate) -> list[str]:
    """Workflow commands of GitHub Actions, each on a line: an error where the gate fails or cannot decide."""
    title = _property(f"errorbar: loss of more than {gate.amount}?")
    return [
        f"::{_LEVEL.get(check.outcome, 'notice')} title={title}::{_data(visible(check.sentence))}"
        for check in gate.checks
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def _annotate(gate: Gate, *, data: bool) -> None:
    """Print the annotations: on standard output, or beside it where that has the result as data."""
    for line in workflow_commands(gate):
        (tell if data else show_lines)(line)


def _summarize(result: ComparisonResult) -> None:
    """Add the tables to the summary of the step, where GitHub Actions names its file."""
    from errorbar.tables.writers import escape_markdown, tables_text

    file = os.environ.get(SUMMARY)
    if not file or result.gate is None:
        return
    sentences = "\n\n".join(f"**{escape_markdown(each.sentence)}**" for each in result.gate.checks)
    text = f"## errorbar compare\n\n{sentences}\n\n{tables_text(result.chosen_tables(pairs=True), 'markdown')}\n\n"
    try:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as summary:
            summary.write(text)
    except OSError as error:
        raise cannot_write(file, "written", error) from None
