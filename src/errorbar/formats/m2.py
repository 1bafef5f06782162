"""The M2 format: an ``S`` line of tokens, then one ``A`` line per edit and annotator, then a blank line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from errorbar.core.corpus import Annotation, Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.validate import check_annotation, check_span
from errorbar.formats.opening import Lines

NOTHING = "-NONE-"
NOOP = "noop"
N_FIELDS = 6


def read_m2(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read an M2 file sentence by sentence.

    A sentence without any A line is yielded without annotations: what that means is the caller's policy
    (``errorbar.formats.reference``).

    Args:
        lines: The file.
        problems: Where problems are recorded; the caller raises them after the last sentence.

    Yields:
        Sentences whose annotators are the ids in the file, as text.
    """
    name = lines.name
    block = _Block(name, problems)
    number = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("A "):
            if block.open:
                block.add(line, number)
            else:
                problems.error("m2-no-sentence", "an A line without a sentence", Place(name, number), expected="S line")
        elif line.startswith("S ") or line == "S":
            if block.open:
                what = "a second S line in one block"
                problems.repairable(
                    "m2-no-blank",
                    what,
                    Place(name, number),
                    expected="a blank line before it",
                    repair="a new block",
                )
                yield block.close()
            block.start(line[2:].strip(), number)
        elif not line or line.isspace():
            if block.open:
                yield block.close()
        elif not line.startswith("I "):
            what = f"a line that is neither S, A nor blank: {line[:40]!r}"
            problems.repairable("m2-line", what, Place(name, number), expected="S, A or a blank line", repair="skipped")
    if block.open:
        yield block.close()
    if not block.count:
        what = "the file is empty" if not number else "the file has no S line"
        problems.error("m2-empty", what, Place(name), expected="M2: S and A lines")


class _Block:
    """The sentence being read."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.open = False
        self.count = 0

    def start(self, text: str, number: int) -> None:
        self.open = True
        self.count += 1
        self.number = number
        self.text = text
        self.n_tokens = len(text.split())
        self.edits: dict[str, list[Edit]] = {}
        self.lines: dict[str, list[int]] = {}

    def add(self, line: str, number: int) -> None:
        fields = line[2:].split("|||")
        try:
            first, second = fields[0].split()
            start, end = int(first), int(second)
            annotator = fields[N_FIELDS - 1].strip()
        except (ValueError, IndexError):
            self._malformed(line, fields, number)
            return
        if not annotator.isdecimal():
            what = f"the annotator id '{annotator}' is not a number"
            self.problems.repairable("m2-annotator", what, Place(self.name, number), repair="kept as a name")
        edits = self.edits.get(annotator)
        if edits is None:
            edits = self.edits[annotator] = []
            self.lines[annotator] = []
        kind = fields[1]
        if kind == NOOP:
            return
        if not 0 <= start <= end <= self.n_tokens and not check_span(
            start, end, self.n_tokens, Place(self.name, number), self.problems
        ):
            return
        replacements = _replacements(fields[2])
        if fields[3].startswith("||"):
            self._lost_alternative(number)
            replacements = (*replacements, "")
        comment = fields[4]
        edits.append(
            Edit(
                start,
                end,
                replacements,
                kind,
                fields[3] == "OPTIONAL",
                "",
                "" if comment == NOTHING else comment,
            )
        )
        self.lines[annotator].append(number)

    def close(self) -> Sentence:
        self.open = False
        tokens = self.text.split()
        annotations: dict[str, Annotation] = {}
        for annotator, edits in self.edits.items():
            places = [Place(self.name, number) for number in self.lines[annotator]]
            annotations[annotator] = tuple(check_annotation(edits, tokens, places, self.problems))
        return Sentence(self.text, annotations, line=self.number)

    def _malformed(self, line: str, fields: list[str], number: int) -> None:
        place = Place(self.name, number)
        if len(fields) < N_FIELDS:
            what, expected = f"an A line of {len(fields)} fields", f"{N_FIELDS} fields separated by |||"
        else:
            what, expected = f"the span {fields[0]!r} cannot be read", "two whole numbers"
        self.problems.repairable("m2-fields", what, place, expected=expected, repair="the line is skipped")

    def _lost_alternative(self, number: int) -> None:
        what = "an empty last alternative, which the official scorer loses"
        self.problems.repairable(
            "m2-lost-alternative",
            what,
            Place(self.name, number),
            expected=NOTHING,
            repair="read as a deletion",
        )


def _replacements(field: str) -> tuple[str, ...]:
    if "||" in field:
        return tuple([_replacement(part) for part in field.split("||")])
    return (_replacement(field),)


def _replacement(text: str) -> str:
    if text == NOTHING:
        return ""
    return " ".join(text.split()) if " " in text else text


def write_m2(sentences: Iterable[Sentence], problems: Problems) -> Iterator[str]:
    """Yield the lines of an M2 file, without line ends.

    Annotators with a number keep it; others are numbered by first appearance, and a note says how. What M2
    cannot hold (documents, writers, consistency sets, unknown corrections) is listed in the notes.
    """
    ids: dict[str, str] = {}
    lost: set[str] = set()
    for sentence in sentences:
        yield f"S {' '.join(sentence.tokens)}"
        if sentence.document or sentence.writer:
            lost.add("documents and writers")
        for annotator, edits in sentence.annotations.items():
            number = ids.get(annotator) or _number(annotator, ids)
            if not edits:
                yield f"A -1 -1|||{NOOP}|||{NOTHING}|||REQUIRED|||{NOTHING}|||{number}"
            for edit in edits:
                if edit.group:
                    lost.add("consistency sets")
                if not edit.replacements:
                    lost.add("corrections that are unknown (written as deletions)")
                yield _a_line(edit, number)
        yield ""
    for what in sorted(lost):
        problems.note("m2-cannot-hold", f"M2 cannot hold {what}; left out", Place())
    renamed = {name: number for name, number in ids.items() if name != number}
    if renamed:
        pairs = ", ".join(f"{number} = {name}" for name, number in renamed.items())
        problems.note("m2-annotators", f"M2 numbers its annotators: {pairs}", Place())


def _number(annotator: str, ids: dict[str, str]) -> str:
    taken = set(ids.values())
    number = annotator if annotator.isdecimal() and annotator not in taken else ""
    candidate = 0
    while not number:
        if str(candidate) not in taken:
            number = str(candidate)
        candidate += 1
    ids[annotator] = number
    return number


def _a_line(edit: Edit, number: str) -> str:
    if len(edit.replacements) > 1:
        correction = "||".join(replacement or NOTHING for replacement in edit.replacements)
    else:
        correction = edit.replacements[0] if edit.replacements else ""
    need = "OPTIONAL" if edit.optional else "REQUIRED"
    comment = edit.comment or NOTHING
    return f"A {edit.start} {edit.end}|||{edit.type}|||{correction}|||{need}|||{comment}|||{number}"
