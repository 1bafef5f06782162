"""``errorbar check``: every problem of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from errorbar.cli.admission import admission_options
from errorbar.cli.options import INPUT, format_option, note_record
from errorbar.cli.plural import counted
from errorbar.cli.render import Table, show, show_json
from errorbar.cli.talk import show_lines
from errorbar.core.errors import InputError, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.formats.hoo_detect import is_hoo
from errorbar.formats.opening import Lines
from errorbar.formats.reference import UNMARKED, read_sentences

if TYPE_CHECKING:
    from errorbar.edits.admission import Admission

SCHEMA = "errorbar.check/1"
ALL = 1_000_000
"""More problems than anybody reads; bounds the memory."""


@click.command("check")
@click.argument("files", nargs=-1, type=INPUT, required=True, metavar="FILE...")
@click.option("--gold", type=INPUT, metavar="FILE", help="Check each FILE as a system's output for this reference.")
@click.option("--source", type=INPUT, metavar="FOLDER", help="HOO: the source texts, if not in Raw beside Gold.")
@admission_options
@format_option
def command(files: tuple[str, ...], gold: str | None, source: str | None, admission: Admission, style: str) -> None:
    """List every problem of M2, JSONL or HOO files, of rankings, or of system outputs.

    A HOO FILE is a folder of edit XML or one edit file: offsets are checked against the source texts, originals
    against their spans, and indexes, consistency sets and types.

    Exit code 0: nothing that stops scoring (there may be warnings); 1: something does.

    \b
    errorbar check corpus.m2
    errorbar check --gold corpus.m2 system.txt
    errorbar check hoo2011/Gold
    """
    if source is not None and (gold is not None or not any(is_hoo(file) for file in files)):
        what = "--source is for HOO data"
        raise UsageError(Problem("useless-option", what, fix="leave it out, or check a HOO folder"))
    if gold is None and (admission.force or admission.retokenize):
        what = "--force and --retokenize are about systems' outputs"
        raise UsageError(Problem("useless-option", what, fix="leave them out, or add --gold"))
    reports = [(file, *_check(file, gold, source, admission)) for file in files]
    rows = [
        [problem.place.file or file, problem.place.line or None, problem.severity, _say(problem), problem.code]
        for file, _, problems in reports
        for problem in problems
    ]
    if style == "json":
        show_json(
            {
                "schema": SCHEMA,
                "files": [
                    {"file": file, **counts, "problems": [note_record(problem) for problem in problems]}
                    for file, counts, problems in reports
                ],
            }
        )
    else:
        footer = [
            f"{file}: {', '.join(counted(n, what) for what, n in counts.items()) or 'not read to the end'}; "
            + (counted(sum(each.others or 1 for each in problems), "problems") if problems else "no problem")
            for file, counts, problems in reports
        ]
        if rows or style != "table":
            show(Table(["file", "line", "severity", "problem", "code"], rows, 5, footer), style)
        else:
            show_lines(*footer)
    sys.exit(int(any(problem.severity == "error" for _, _, problems in reports for problem in problems)))


def _say(problem: Problem) -> str:
    expected = f" (expected {problem.expected})" if problem.expected else ""
    return f"{problem.what}{expected}{f'; {problem.fix}' if problem.fix else ''}"


def _check(
    file: str, gold: str | None, source: str | None, admission: Admission
) -> tuple[dict[str, int], list[Problem]]:
    problems = Problems(limit=ALL)
    counts: dict[str, int] = {}
    try:
        counts = (
            _check_reference(file, source, problems) if gold is None else _check_system(file, gold, problems, admission)
        )
    except InputError as error:
        found = [problem for problem in error.problems if problem not in problems.errors]
        problems.errors += found
    every = problems.errors + problems.notes
    return counts, sorted(every, key=lambda problem: (problem.others > 0, problem.place.line))


def _check_reference(file: str, source: str | None, problems: Problems) -> dict[str, int]:
    if is_hoo(file):
        from errorbar.cli.hoo import check_hoo

        return check_hoo(file, problems, source=source)
    from errorbar.formats.ranking_files import is_ranking, read_rankings

    if is_ranking(file):
        comparisons = read_rankings(file, problems)
        return {
            "systems": len(comparisons.systems),
            "judges": len(comparisons.judges),
            "ranked items": len(comparisons.items),
            "comparisons": len(comparisons.first),
        }
    sentences = tokens = edits = unmarked = 0
    annotators: set[str] = set()
    for sentence in read_sentences(Lines(file, problems), problems):
        sentences += 1
        tokens += len(sentence.tokens)
        edits += sum(map(len, sentence.annotations.values()))
        unmarked += not sentence.annotations
        annotators.update(sentence.annotations)
    return {
        "sentences": sentences,
        "tokens": tokens,
        "annotators": len(annotators),
        "edits": edits,
        "sentences without an A line": unmarked,
    }


def _check_system(file: str, gold: str, problems: Problems, admission: Admission) -> dict[str, int]:
    from errorbar.edits.admission import Look
    from errorbar.formats.hypothesis import HypothesisReader
    from errorbar.formats.reference import NamedFile, reference_chunks

    reader = HypothesisReader(NamedFile.parse(file), problems)
    look = Look(admission.retokenize)
    sentences = changed = 0
    for chunk in reference_chunks([NamedFile.parse(gold)], Problems(lenient=True), unmarked=UNMARKED[0]):
        lines = reader.take(len(chunk))
        texts = [sentence.text for sentence in chunk.sentences]
        sentences += len(chunk)
        if len(lines) == len(texts):
            lines = look.add(texts, lines)
            changed += sum(line.split() != text.split() for line, text in zip(lines, texts, strict=True))
    reader.finish(sentences)
    admission.say(reader.name, look.seen, look.shifts, look.retokenized, problems)
    return {"lines": reader.count, "sentences changed": changed}
