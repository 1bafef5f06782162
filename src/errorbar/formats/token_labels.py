"""Token labels as MultiGED-2023 has them: a token, a tab, and ``c`` (correct) or ``i`` (incorrect), line by line.

A blank line ends a sentence. Each incorrect token is an edit of its own, wrong without a known correction, so that
every reader of annotators' edits takes them; the text is the tokens, a space between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errorbar.core.corpus import Sentence
from errorbar.core.edit import Edit
from errorbar.core.problems import Place, Problems, shorten_text
from errorbar.formats.look import Lines

CORRECT, INCORRECT = "c", "i"
ANNOTATOR = "0"
EXPECTED = f"a token, a tab, and {CORRECT} (correct) or {INCORRECT} (incorrect)"
_FIRST = re.compile(rf"[^\t]+\t({CORRECT}|{INCORRECT})\s*")
_COLUMNS = 2
_NAMES = ("token", "label")


def is_labels(line: str) -> bool:
    """Whether a first line is a token and its label, or names the two columns."""
    return _FIRST.fullmatch(line) is not None or _is_header(line)


def _is_header(line: str) -> bool:
    return tuple(name.strip() for name in line.lower().split("\t")) == _NAMES


def read_token_labels(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read token labels sentence by sentence, as one annotator's edits; a line that names the columns may be first."""
    tokens: list[str] = []
    edits: list[Edit] = []
    first = n_sentences = n_joined = 0
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            if tokens:
                n_sentences += 1
                yield Sentence(" ".join(tokens), {ANNOTATOR: tuple(edits)}, line=first)
            tokens, edits = [], []
            continue
        if not (tokens or n_sentences) and _is_header(line):
            continue
        first = first if tokens else number
        fields = line.split("\t")
        _check_line(fields, Place(lines.name, number), problems)
        words = fields[0].split()
        n_joined += len(words) > 1
        if fields[-1].strip() == INCORRECT:
            edits.append(Edit(len(tokens), len(tokens) + 1, ()))
        tokens.append("_".join(words) or "_")
    if tokens:
        n_sentences += 1
        yield Sentence(" ".join(tokens), {ANNOTATOR: tuple(edits)}, line=first)
    if not n_sentences:
        problems.error("labels-empty", "no token in the file", Place(lines.name), EXPECTED)
    if n_joined:
        message = f"{n_joined:,} tokens hold white space, which is written as _"
        problems.note("labels-white-space", message, Place(lines.name), severity="repaired")


def _check_line(fields: Sequence[str], place: Place, problems: Problems) -> None:
    label = fields[-1].strip()
    if len(fields) != _COLUMNS:
        message = f"a line of {len(fields)} column{'s' * (len(fields) > 1)}"
        problems.error("labels-columns", message, place, f"{_COLUMNS} columns: {EXPECTED}")
    elif not fields[0].strip():
        problems.error("labels-token", "a label without a token", place, EXPECTED)
    elif label not in (CORRECT, INCORRECT):
        message = f"the label {shorten_text(label)!r}"
        problems.error("labels-label", message, place, f"{CORRECT} (correct) or {INCORRECT} (incorrect)")
