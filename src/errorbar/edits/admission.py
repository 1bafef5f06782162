"""What is let through as a system's output for a source, what is said of it, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.likeness import Evidence, evidence
from errorbar.edits.shift import ShiftDetector, changed_lines

if TYPE_CHECKING:
    from errorbar.edits.retokenize import Retokenized

MOST_UNLIKE = 0.8
"""Share of lines that are empty or unlike their source beyond which a text is not a correction of the source."""
LEAST_LINES, LEAST_WORDS = 5, 100
"""Such lines, and words of their source lines; with fewer there is too little to go by, and nothing is refused."""
MOVED = 0.3
"""Share of word triples standing in other lines from which on lines were shuffled. Other texts share .17 at most."""
FEW_TRIPLES = 10
"""With fewer nobody can tell."""
SOME = 0.02
"""Share of lines that is worth a word. Of the most free corrections .002 are unlike, of tokenized texts .005 joined."""
CONVENTION = "retokenized"
"""What joins the signature."""


@dataclass(frozen=True, slots=True)
class Admission:
    """How systems' texts are taken.

    Attributes:
        force: Take what is not a correction of the source, with a warning.
        retokenize: Give lines that look untokenized the source's tokens.
        advise: Messages name both, where a user can ask for them.
    """

    force: bool = False
    retokenize: bool = False
    advise: bool = True

    @property
    def conventions(self) -> tuple[str, ...]:
        """What joins the signature."""
        return (CONVENTION,) if self.retokenize else ()

    def take(self, name: str, sources: Sequence[str], lines: Sequence[str], problems: Problems) -> list[str]:
        """Look at the whole of a text.

        Returns:
            The lines as they are scored.
        """
        look = Look(self.retokenize)
        taken = look.add(sources, lines)
        self.say(name, look.seen, look.shifts, look.retokenized, problems)
        return taken

    def say(
        self, name: str, seen: Evidence, shifts: ShiftDetector, done: Retokenized | None, problems: Problems
    ) -> None:
        """Say what was seen of a text and changed in it, and refuse what is for another source."""
        if done is not None:
            self._say_retokenized(name, done, problems)
        self._judge(name, seen, shifts, problems)

    def _say_retokenized(self, name: str, done: Retokenized, problems: Problems) -> None:
        what = "no line looks untokenized; nothing was changed"
        if done.lines.n:
            what = f"of {done.n_lines:,} lines, {done.lines.n:,} ({done.lines}) looked untokenized and got the source's"
            what += f" tokens: {done.n_cut:,} words were cut, the first {done.example[0]!r} into {done.example[1]!r}"
        problems.note("retokenized", what, Place(name), severity="repaired")

    def _judge(self, name: str, seen: Evidence, shifts: ShiftDetector, problems: Problems) -> None:
        n = seen.n_lines - seen.short
        bad = seen.unlike.n + seen.empty.n
        moved = seen.moved if seen.n_triples >= FEW_TRIPLES else 0.0
        enough = bad >= LEAST_LINES and seen.n_unlike_words >= LEAST_WORDS
        if bad > MOST_UNLIKE * n and enough and moved < MOVED:
            self._refuse(name, seen, problems)
            return
        _warn_shifted(name, shifts, problems)
        if seen.unlike.n > SOME * n and len(shifts.lines) < seen.unlike.n / 2:
            self._say_unlike(name, seen, n, problems, moved=moved >= MOVED)
        if seen.empty.n:
            what = f"{seen.empty.are('empty')}, which deletes the whole sentence"
            where = Place(name, seen.empty.first[0])
            problems.note("empty-lines", what, where, fix="repeat the source where nothing changes")
        if seen.joined.n > SOME * seen.changed:
            word, mark = seen.example
            what = (
                f"looks untokenized: of {seen.changed:,} changed lines, {seen.joined.n:,} ({seen.joined}) join to words"
            )
            what += f" what the source has apart, as {mark!r} in {word!r}; each such word counts as changed"
            fix = "put spaces around tokens, as the source"
            fix += ", or use --retokenize" if self.advise else ""
            problems.note("not-tokenized", what, Place(name, seen.joined.first[0]), fix=fix)

    def _refuse(self, name: str, seen: Evidence, problems: Problems) -> None:
        said = []
        if seen.unlike.n:
            said.append(f"{seen.unlike.n:,} are unlike the source's ({seen.unlike}: {_quoted(seen)})")
        if seen.empty.n:
            said.append(f"{seen.empty.n:,} are empty ({seen.empty})")
        what = f"of {seen.n_lines:,} lines, {' and '.join(said)}: this is not a correction of the source"
        where = Place(name, min([*seen.unlike.first, *seen.empty.first]))
        if self.force:
            problems.note("not-this-source", what, where, fix="taken all the same, by --force")
            return
        fix = "check that the file belongs to this source"
        fix += ", or use --force" if self.advise else ""
        problems.error("not-this-source", what, where, expected="corrected sentences of the source, in order", fix=fix)

    def _say_unlike(self, name: str, seen: Evidence, n: int, problems: Problems, *, moved: bool) -> None:
        what = f"{seen.unlike.n:,} of {n:,} lines are unlike their source lines ({seen.unlike}: {_quoted(seen)})"
        where = Place(name, seen.unlike.first[0])
        if moved:
            what += f", but {seen.moved:.0%} of what they say stands in other lines; they are scored as they are"
            problems.note("shuffled-lines", what, where, fix="put them into the order of the source")
            return
        problems.note("unlike-lines", f"{what}; they are scored as they are", where, fix="look at some of them")


class Look:
    """A look at a text, piece by piece in order.

    Args:
        retokenize: First give lines that look untokenized the source's tokens.

    Attributes:
        seen: What was seen of it.
        shifts: Its shifted lines.
        retokenized: What was changed in it; None where nobody asked.
    """

    def __init__(self, retokenize: bool = False) -> None:
        self.seen = Evidence()
        self.shifts = ShiftDetector()
        self.retokenized: Retokenized | None = None
        self._retokenize = retokenize

    def add(self, sources: Sequence[str], lines: Sequence[str]) -> list[str]:
        """Look at the next lines; the lines as they are scored."""
        taken = list(lines)
        if self._retokenize:
            from errorbar.edits.retokenize import Retokenized, retokenize_lines  # noqa: PLC0415 - few ask for it

            taken, done = retokenize_lines(sources, taken)
            self.retokenized = self.retokenized or Retokenized()
            self.retokenized.add(done)
        changed = changed_lines(sources, taken)
        self.shifts.add(sources, taken, changed)
        self.seen.add(evidence(sources, taken, changed))
        return taken


def _warn_shifted(system: str, detector: ShiftDetector, problems: Problems) -> None:
    """Note the lines of a system that look shifted against the source."""
    stretches = detector.stretches()
    if stretches:
        said = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in stretches)
        what = f"lines {said} look shifted against the source; they are scored as they are"
        problems.note("shifted-lines", what, Place(system), fix="check the order of lines around them")


def _quoted(seen: Evidence) -> str:
    source, line = seen.pair
    return f"{line!r} for {source!r}"
