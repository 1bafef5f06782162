"""The list of answers that judges fill in, and reading it back."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines
from errorbar.tables.csv_text import csv_lines
from errorbar.tasks.alternatives import Answer, edit_text

COLUMNS = ("id", "team", "sentence", "source", "answer", "edits", "gold", "verdict")
YES = ("yes", "y", "1", "accept", "accepted")
NO = ("no", "n", "0", "reject", "rejected")


def judging_lines(answers: Sequence[Answer], corpus: Corpus) -> Iterator[str]:
    """Lines of a CSV table with an empty column ``verdict``, an answer in each row; no cell is a formula.

    The answers are those of teams: whoever judges them opens in a spreadsheet what others wrote.
    """
    yield csv_lines([COLUMNS]).removesuffix("\n")
    for answer in answers:
        sentence = corpus.sentences[answer.sentence - 1]
        tokens = sentence.tokens
        gold = [
            f"{name}: {'; '.join(edit_text(edit, tokens) for edit in edits) or 'nothing'}"
            for name, edits in sentence.annotations.items()
        ]
        edits = "; ".join(edit_text(edit, tokens) for edit in answer.edits) or "nothing"
        row = (answer.id, answer.team, answer.sentence, answer.source, answer.text, edits, " / ".join(gold), "")
        yield csv_lines([row]).removesuffix("\n")


def read_verdicts(path: str, answers: Sequence[Answer], problems: Problems) -> list[Answer]:
    """The answers that were accepted.

    Args:
        path: The filled-in table; columns may be moved or added, ``id`` and ``verdict`` must be there.
        answers: What was listed.
        problems: Where problems are recorded; the caller raises them. Answers without a verdict are not accepted,
            and noted.

    Raises:
        InputError: If the file cannot be read.
    """
    rows = csv.DictReader(f"{line}\n" for line in Lines(path, problems))
    known = {answer.id: answer for answer in answers}
    found: dict[str, str] = {}
    if not {"id", "verdict"} <= set(rows.fieldnames or ()):
        what = "no columns id and verdict"
        problems.error("task-verdict", what, Place(path, 1), expected=",".join(COLUMNS))
        return []
    for row in rows:
        place = Place(path, rows.line_num)
        name, verdict = (row["id"] or "").strip(), (row["verdict"] or "").strip().lower()
        if name not in known:
            what = f"the answer '{name}' is not one of those proposed"
            problems.error("task-verdict", what, place, fix="name the files that were listed; do not change ids")
        elif verdict and verdict not in YES + NO:
            problems.error("task-verdict", f"the verdict '{verdict}'", place, expected="yes or no")
        elif name in found and found[name] != verdict:
            problems.error("task-verdict", f"two verdicts on the answer '{name}'", place, expected="one")
        else:
            found[name] = verdict
    open_ = [answer for answer in answers if not found.get(answer.id)]
    if open_ and not problems.errors:
        what = f"{len(open_)} of {len(answers)} answers have no verdict"
        problems.note("task-not-judged", what, Place(path), fix="they are not accepted")
    return [answer for answer in answers if found.get(answer.id) in YES]
