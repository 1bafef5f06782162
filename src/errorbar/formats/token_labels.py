"""Token labels as MultiGED-2023 has them: a token, a tab, and ``c`` (correct) or ``i`` (incorrect), line by line.

A blank line ends a sentence. Each incorrect token is an edit of its own, wrong without a known correction, so that
every reader of annotators' edits takes them; the text is the tokens, a space between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from errorbar.core.corpus import Corrected, Sentence, wrong_count
from errorbar.core.edit import Edit
from errorbar.core.errors import Place, shortened
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines

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
        what = f"{n_joined:,} tokens hold white space, which is written as _"
        problems.note("labels-white-space", what, Place(lines.name), severity="repaired")


def _check_line(fields: Sequence[str], place: Place, problems: Problems) -> None:
    label = fields[-1].strip()
    if len(fields) != _COLUMNS:
        what = f"a line of {len(fields)} column{'s' * (len(fields) > 1)}"
        problems.error("labels-columns", what, place, f"{_COLUMNS} columns: {EXPECTED}")
    elif not fields[0].strip():
        problems.error("labels-token", "a label without a token", place, EXPECTED)
    elif label not in (CORRECT, INCORRECT):
        what = f"the label {shortened(label)!r}"
        problems.error("labels-label", what, place, f"{CORRECT} (correct) or {INCORRECT} (incorrect)")


class LabelReader:
    """Reads a system's token labels in step with the source, whose tokens they must have."""

    def __init__(self, lines: Lines, name: str, problems: Problems) -> None:
        self.name = name
        self.count = 0
        self._file, self._problems = lines.name, problems
        self._sentences = read_token_labels(lines, problems)

    def take(self, size: int) -> list[Corrected]:
        """The next sentences, as many as there are up to ``size``, whatever their tokens."""
        return [_labeled(sentence) for sentence in self._next(size)]

    def take_for(self, sentences: Sequence[Sentence]) -> list[Corrected]:
        """The labels of each sentence.

        Raises:
            InputError: At the first token that is another one: those behind it are wrong for the same reason.
        """
        taken = self._next(len(sentences))
        for sentence, own in zip(sentences, taken, strict=False):
            if own.tokens != sentence.tokens and not self._problems.errors:  # which may be why
                self._refuse(own, sentence)
        return list(map(_labeled, taken))

    def _next(self, size: int) -> list[Sentence]:
        taken = list(islice(self._sentences, min(size, 1 << 62)))
        self.count += len(taken)
        return taken

    def _refuse(self, own: Sentence, sentence: Sentence) -> None:
        ours, theirs = own.tokens, sentence.tokens
        shorter = min(len(ours), len(theirs))
        at = next((k for k in range(shorter) if ours[k] != theirs[k]), shorter)
        what = f"the token is {shortened(ours[at])!r}" if at < len(ours) else "the sentence ends"
        expected = shortened(theirs[at]) if at < len(theirs) else "the end of the sentence"
        place = Place(self._file, own.line + at)
        self._problems.error("labels-other-token", what, place, f"{expected}, as the reference has it")
        self._problems.raise_errors()

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.count += sum(1 for _ in self._sentences)
        if self.count != n_sentences:
            what = wrong_count(self.count, n_sentences).replace("line", "sentence", 1)
            self._problems.error("line-count", what, Place(self._file), expected=f"{n_sentences} sentences")


def _labeled(sentence: Sentence) -> Corrected:
    return Corrected(sentence.text, sentence.annotations[ANNOTATOR], sentence.text)
