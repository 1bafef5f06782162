"""What is let through as a system's output for a source, what is said of it, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.likeness import Changed, Evidence, Words, changed_lines, evidence

if TYPE_CHECKING:
    from errorbar.edits.retokenize import Retokenized

MOST_UNLIKE = 0.8  # share of lines, empty or unlike their source, beyond which a text is no correction of the source
LEAST_LINES, LEAST_WORDS = 5, 100  # such lines, and words of their source lines; nothing is refused by fewer
MOVED = 0.3  # share of word triples standing in other lines if lines were shuffled; other texts share .17 at most
FEW_TRIPLES = 10  # with fewer nobody can tell
SOME = 0.02  # share of lines worth a word; of the most free corrections .002 are unlike, of tokenized texts .005 joined

WINDOW, GAP = 3, 2  # lines that a line's own source is looked for away; suspicious ones so far apart are one stretch
UNLIKE, ALIKE, MARGIN = 0.5, 0.6, 0.25  # own likeness of a suspicious line; a neighbor's, how much more, that convicts
SHORTEST = 4  # shorter lines are too easily alike by chance


@dataclass(frozen=True, slots=True)
class Admission:
    """How systems' texts are taken."""

    force: bool = False  # take what is not a correction of the source, with a warning
    retokenize: bool = False  # give lines that look untokenized the source's tokens
    advise: bool = True  # messages name both, where a user can ask for them

    @property
    def conventions(self) -> tuple[str, ...]:
        """What joins the signature."""
        return ("retokenized",) if self.retokenize else ()

    def take(self, name: str, sources: Sequence[str], lines: Sequence[str], problems: Problems) -> list[str]:
        """Look at the whole of a text; the lines as they are scored."""
        look = Look(self.retokenize)
        taken = look.add(sources, lines)
        self.say(name, look.seen, look.shifts, look.retokenized, problems)
        return taken

    def say(
        self, name: str, seen: Evidence, shifts: ShiftDetector, done: Retokenized | None, problems: Problems
    ) -> None:
        """Say what was seen of a text and changed in it, and refuse what is for another source."""
        if done is not None:
            what = "no line looks untokenized; nothing was changed"
            if done.lines.n:
                what = f"of {done.n_lines:,} lines, {done.lines.n:,} ({done.lines}) looked untokenized and got the"
                what += f" source's tokens: {done.n_cut:,} words were cut, the first {done.example[0]!r} into"
                what += f" {done.example[1]!r}"
            problems.note("retokenized", what, Place(name), severity="repaired")
        n = seen.n_lines - seen.short
        bad = seen.unlike.n + seen.empty.n
        moved = seen.n_triples >= FEW_TRIPLES and seen.moved >= MOVED
        if bad > MOST_UNLIKE * n and bad >= LEAST_LINES and seen.n_unlike_words >= LEAST_WORDS and not moved:
            self._refuse(name, seen, problems)
            return
        if stretches := shifts.stretches():
            said = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in stretches)
            what = f"lines {said} look shifted against the source; they are scored as they are"
            problems.note("shifted-lines", what, Place(name), "check the order of lines around them")
        if seen.unlike.n > SOME * n and len(shifts.lines) < seen.unlike.n / 2:
            what = f"{seen.unlike.n:,} of {n:,} lines are unlike their source lines ({seen.unlike}: {seen.quoted})"
            what += f", but {seen.moved:.0%} of what they say stands in other lines" if moved else ""
            what, where = f"{what}; they are scored as they are", Place(name, seen.unlike.first[0])
            if moved:
                problems.note("shuffled-lines", what, where, "put them into the order of the source")
            else:
                problems.note("unlike-lines", what, where, "look at some of them")
        if seen.empty.n:
            what = f"{seen.empty.are('empty')}, which deletes the whole sentence"
            where = Place(name, seen.empty.first[0])
            problems.note("empty-lines", what, where, "repeat the source where nothing changes")
        if seen.joined.n > SOME * seen.changed:
            word, mark = seen.example
            what = f"looks untokenized: of {seen.changed:,} changed lines, {seen.joined.n:,} ({seen.joined}) join to"
            what += f" words what the source has apart, as {mark!r} in {word!r}; each such word counts as changed"
            fix = f"put spaces around tokens, as the source{', or use --retokenize' if self.advise else ''}"
            problems.note("not-tokenized", what, Place(name, seen.joined.first[0]), fix)

    def _refuse(self, name: str, seen: Evidence, problems: Problems) -> None:
        said = []
        if seen.unlike.n:
            said.append(f"{seen.unlike.n:,} are unlike the source's ({seen.unlike}: {seen.quoted})")
        if seen.empty.n:
            said.append(f"{seen.empty.n:,} are empty ({seen.empty})")
        what = f"of {seen.n_lines:,} lines, {' and '.join(said)}: this is not a correction of the source"
        where = Place(name, min([*seen.unlike.first, *seen.empty.first]))
        if self.force:
            problems.note("not-this-source", what, where, "taken all the same, by --force")
            return
        fix = f"check that the file belongs to this source{', or use --force' if self.advise else ''}"
        problems.error("not-this-source", what, where, "corrected sentences of the source, in order", fix)


class Look:
    """A look at a text, piece by piece in order; ``retokenized`` is None where nobody asked for it."""

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


class ShiftDetector:
    """Collects lines that belong to another source line over the parts of a corpus, in order.

    Likeness is the number of shared distinct words over the larger of the two sets.
    """

    def __init__(self) -> None:
        self.lines: list[int] = []
        self._seen = 0
        self._before: list[str] = []
        self._waiting: list[Changed] = []

    def add(self, sources: Sequence[str], lines: Sequence[str], changed: Sequence[Changed] | None = None) -> None:
        """Look at the next lines of both sides, of which the changed ones may be known already."""
        start, end = self._seen, self._seen + len(sources)
        for at, source, said in changed_lines(sources, lines) if changed is None else changed:
            if len(said) >= SHORTEST and _likeness(said, source) < UNLIKE:
                self._waiting.append((start + at, source, said))
        known = [*self._before, *sources] if self._waiting else sources
        first = end - len(known)
        words: dict[int, Words] = {}  # of the few lines beside a waiting one
        still: list[Changed] = []
        for number, source, said in self._waiting:
            near = range(max(first, number - WINDOW), min(end, number + WINDOW + 1))
            words |= {other: frozenset(known[other - first].split()) for other in near if other not in words}
            best = max(_likeness(said, words[other]) for other in near)
            if best >= ALIKE and best >= _likeness(said, source) + MARGIN:
                self.lines.append(number + 1)
            elif number + WINDOW >= end:
                still.append((number, source, said))
        self._waiting = still
        self._before = [*self._before, *sources[-2 * WINDOW :]][-2 * WINDOW :]
        self._seen = end

    def stretches(self) -> list[tuple[int, int]]:
        """First and last line of every suspicious stretch, counted from 1."""
        found: list[tuple[int, int]] = []
        for line in sorted(self.lines):
            near = bool(found) and line - found[-1][1] <= GAP
            found.append((found.pop()[0] if near else line, line))
        return found


def _likeness(first: Words, second: Words) -> float:
    return len(first & second) / max(len(first), len(second), 1)
