"""Admission of a system's output for a source: which texts pass, with which notes, and which are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from errorbar.core.problems import Place, Problem, Problems
from errorbar.edits.likeness import MOST_NAMED, Changed, LikenessEvidence, Words, evidence, find_changed_lines

if TYPE_CHECKING:
    from errorbar.edits.likeness import Retokenization


MOST_UNLIKE = 0.8  # share of lines, empty or unlike their source, beyond which a text is no correction of the source
LEAST_LINES, LEAST_WORDS = 5, 100  # such lines, and words of their source lines; nothing is refused by fewer
MOVED = 0.3  # share of word triples standing in other lines if lines were shuffled; other texts share .17 at most
FEW_TRIPLES = 10  # with fewer nobody can tell
SOME = 0.02  # share of lines worth a word; of the most free corrections .002 are unlike, of tokenized texts .005 joined
WINDOW, GAP = 3, 2  # lines that a line's own source is looked for away; suspicious ones so far apart are one stretch
UNLIKE, ALIKE, MARGIN = 0.5, 0.6, 0.25  # own likeness of a suspicious line; a neighbor's, how much more, that convicts
SHORTEST = 4  # shorter lines are too easily alike by chance
JUMP = 0.5  # likeness that a stretch of missing lines must bring
MOST_PAIRS = 2_000_000  # lines times missing ones, up to which several stretches of these are looked for: a second
TOGETHER = 50  # so many lines in a row must fit, wherever they are


class Admission(NamedTuple):
    """How systems' texts are taken."""

    force: bool = False  # take what is not a correction of the source, with a warning
    retokenize: bool = False  # give lines that look untokenized the source's tokens
    advise: bool = True  # messages name both, where a user can ask for them
    free: bool = False  # a few lines may be written anew: that is what some references are for
    silent: bool = False  # nothing is said of texts, and none refused: they were made to be odd

    @property
    def conventions(self) -> tuple[str, ...]:
        """The words that join the signature."""
        return ("retokenized",) if self.retokenize else ()

    def take(self, name: str, sources: Sequence[str], lines: Sequence[str], problems: Problems) -> list[str]:
        """Look at the whole of a text; the lines as they are scored."""
        look = TextInspection()
        taken = look.add(sources, lines, retokenize=self.retokenize)
        self.say(name, look, problems)
        return taken

    def say(self, name: str, look: TextInspection, problems: Problems) -> None:
        """Say what was seen of a text and changed in it, and refuse what is for another source."""
        if self.silent:
            return
        seen, done = look.seen, look.retokenized
        if done is not None:
            message, headline = "no line looks untokenized; nothing was changed", ""
            if done.lines.n:
                message = f"of {done.n_lines:,} lines, {done.lines.n:,} ({done.lines}) looked untokenized and got the"
                message += f" source's tokens: {done.n_cut:,} words were cut, the first {done.example[0]!r} into"
                message += f" {done.example[1]!r}"
                headline = f"{done.lines.n:,} of {done.n_lines:,} lines looked untokenized and got the source's tokens"
            problems.note("retokenized", message, Place(name), severity="repaired", headline=headline)
        n = seen.n_lines - seen.short
        bad = seen.unlike.n + seen.empty.n
        moved = seen.n_triples >= FEW_TRIPLES and seen.moved >= MOVED
        if bad > MOST_UNLIKE * n and bad >= LEAST_LINES and seen.n_unlike_words >= LEAST_WORDS and not moved:
            self._refuse(name, seen, problems)
            return
        self._say_order(name, look, moved, problems)
        if seen.empty.n:
            message = f"{seen.empty.are('empty')}, which deletes the whole sentence"
            where = Place(name, seen.empty.first[0])
            problems.note("empty-lines", message, where, "repeat the source where nothing changes")
        self._say_form(name, seen, problems)

    def _say_order(self, name: str, look: TextInspection, moved: bool, problems: Problems) -> None:
        """Say which lines are not those of their source lines."""
        seen = look.seen
        n = seen.n_lines - seen.short
        unlike = seen.unlike.n > SOME * n and len(look.shifted) < seen.unlike.n / 2
        where = Place(name, min(seen.unlike.first, default=0))
        named = f"{seen.unlike.n:,} of {n:,} lines are unlike their source lines ({seen.unlike}: {seen.quoted})"
        if unlike and moved and seen.unlike.n > n / 2:
            order = "reversed" if look.is_reversed else "shuffled"
            message = f"{named}, but match the source in another order ({order}); they are scored as they are"
            headline = f"{seen.unlike.n:,} of {n:,} lines belong to other source lines"
            problems.note("shuffled-lines", message, where, "put them into the order of the source", headline=headline)
            return
        if look.shifted:
            places = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in stretches(look.shifted))
            message = f"lines {places} look shifted against the source; they are scored as they are"
            problems.note("shifted-lines", message, Place(name), "check the order of lines around them")
        if unlike and moved:
            message = (
                f"{named}, but {seen.moved:.0%} of what they say stands in other lines; they are scored as they are"
            )
            headline = f"{seen.unlike.n:,} of {n:,} lines belong to other source lines"
            problems.note("shuffled-lines", message, where, "put them into the order of the source", headline=headline)
        elif unlike and not self.free:
            problems.note("unlike-lines", f"{named}; they are scored as they are", where, "look at some of them")

    def _say_form(self, name: str, seen: LikenessEvidence, problems: Problems) -> None:
        """Say what is no correction but another way to write: joined marks, other quotes or accents, numbers."""
        lines = f"of {seen.changed:,} changed lines,"
        if seen.joined.n > SOME * seen.changed:
            word, mark = seen.joined.example
            message = f"looks untokenized: {lines} {seen.joined.n:,} ({seen.joined}) join to words what the source has"
            message += f" apart, as {mark!r} in {word!r}; each such word counts as changed"
            fix = f"put spaces around tokens, as the source{', or use --retokenize' if self.advise else ''}"
            headline = (
                f"looks untokenized: {seen.joined.n:,} of {seen.changed:,} changed lines join what the source has apart"
            )
            problems.note("not-tokenized", message, Place(name, seen.joined.first[0]), fix, headline=headline)
        quotes = Problem(
            "other-quotes",
            "have quotation marks or apostrophes of another form than the source",
            fix="write them as the source does",
            headline="have other quotation marks than the source",
        )
        accents = Problem(
            "other-accents",
            "compose accented letters otherwise than the source",
            fix="bring both to one Unicode form, e.g. NFC",
            headline="compose accents otherwise than the source",
        )
        for problem, odd, show in ((quotes, seen.quotes, repr), (accents, seen.accents, ascii)):
            if odd.n > SOME * seen.changed:
                word, source = map(show, odd.example)
                message = f"{lines} {odd.n:,} ({odd}) {problem.what}, as {word} for {source}"
                message += "; each such word counts as changed"
                headline = f"{odd.n:,} of {seen.changed:,} changed lines {problem.headline}"
                problems.note(problem.code, message, Place(name, odd.first[0]), problem.fix, headline=headline)
        if seen.numbered.n > SOME * seen.n_lines:
            message = f"{seen.numbered.are('numbered')}, and the source is not; each number counts as an inserted word"
            fix = "take the numbers away: sed -E 's/^ *[0-9]+([.):]|\\t) *//' FILE > NEW"
            problems.note("numbered-lines", message, Place(name, seen.numbered.first[0]), fix)
        if seen.n_whole > seen.n_lines / 2 and all(note.code != "source-not-tokenized" for note in problems.notes):
            message = (
                f"the source looks untokenized: of {seen.n_lines:,} lines, {seen.n_whole:,} end in a word with a mark;"
            )
            message += " words with marks are other words than those without, whatever the metric"
            fix = "put spaces around marks in the source, the references and the systems"
            problems.note("source-not-tokenized", message, Place(name), fix)

    def _refuse(self, name: str, seen: LikenessEvidence, problems: Problems) -> None:
        reasons = []
        if seen.unlike.n:
            reasons.append(f"{seen.unlike.n:,} are unlike the source's ({seen.unlike}: {seen.quoted})")
        if seen.empty.n:
            reasons.append(f"{seen.empty.n:,} are empty ({seen.empty})")
        message = f"of {seen.n_lines:,} lines, {' and '.join(reasons)}: this is not a correction of the source"
        where = Place(name, min([*seen.unlike.first, *seen.empty.first]))
        if self.force:
            problems.note("not-this-source", message, where, "taken all the same, by --force")
            return
        fix = f"check that the file belongs to this source{', or use --force' if self.advise else ''}"
        problems.error("not-this-source", message, where, "corrected sentences of the source, in order", fix)


@dataclass(slots=True)
class TextInspection:
    """Observations on a text, in pieces that follow each other; ``retokenized`` is None where nobody asked for it.

    A line that looks shifted within a piece looks so in the whole, where it has more neighbors to be taken from; so
    only lines near a border are looked at again, with the neighbors on both sides.
    """

    seen: LikenessEvidence = field(default_factory=LikenessEvidence)
    shifted: set[int] = field(default_factory=set)  # lines that belong to another source line, counted from 1
    retokenized: Retokenization | None = None
    head: list[tuple[str, str]] = field(default_factory=list)  # the first source lines, each with its line
    tail: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_reversed(self) -> bool:
        """Whether the last lines are those of the first source lines, and the other way round."""
        pairs = [
            likeness(frozenset(line.split()), frozenset(source.split()))
            for (source, _), (_, line) in [
                *zip(self.head, reversed(self.tail), strict=False),
                *zip(reversed(self.tail), self.head, strict=False),
            ]
        ]
        return bool(pairs) and sum(pair >= ALIKE for pair in pairs) > len(pairs) / 2

    def add(self, sources: Sequence[str], lines: Sequence[str], *, retokenize: bool = False) -> list[str]:
        """Look at the next lines; the lines as they are scored."""
        taken, done = list(lines), None
        if retokenize:
            from errorbar.edits.likeness import retokenize_lines  # noqa: PLC0415 - few ask for it

            taken, done = retokenize_lines(sources, taken)
        changed, both = find_changed_lines(sources, taken), list(zip(sources, taken, strict=True))
        shifted = _find_shifted(sources, changed)
        self.join(
            TextInspection(evidence(sources, taken, changed), shifted, done, both[: 2 * WINDOW], both[-2 * WINDOW :])
        )
        return taken

    def join(self, other: TextInspection) -> None:
        """Take what was seen of the lines that follow."""
        n, border = self.seen.n_lines, self.tail + other.head
        sources = [source for source, _ in border]
        again = _find_shifted(sources, find_changed_lines(sources, [line for _, line in border]))
        self.shifted |= {n + line for line in other.shifted} | {n - len(self.tail) + line for line in again}
        self.head, self.tail = (self.head + other.head)[: 2 * WINDOW], (self.tail + other.tail)[-2 * WINDOW :]
        self.seen.add(other.seen)
        if self.retokenized is None:
            self.retokenized = other.retokenized
        elif other.retokenized is not None:
            self.retokenized.add(other.retokenized)


def _find_shifted(sources: Sequence[str], changed: Sequence[Changed]) -> set[int]:
    """Changed lines that share less than half of their words with their source line, and clearly more with a neighbor.

    Likeness is the number of shared distinct words over the larger of the two sets. Lines count from 1.
    """
    shifted = set()
    words: dict[int, Words] = {}  # of the few source lines beside an unlike one
    for at, source, line_words in changed:
        own = likeness(line_words, source)
        if len(line_words) >= SHORTEST and own < UNLIKE:
            near = range(max(0, at - WINDOW), min(len(sources), at + WINDOW + 1))
            words |= {other: frozenset(sources[other].split()) for other in near if other not in words}
            best = max(likeness(line_words, words[other]) for other in near)
            if best >= ALIKE and best >= own + MARGIN:
                shifted.add(at + 1)
    return shifted


def stretches(lines: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of every stretch of lines that are near each other."""
    ends: list[tuple[int, int]] = []
    for line in sorted(lines):
        near = bool(ends) and line - ends[-1][1] <= GAP
        ends.append((ends.pop()[0] if near else line, line))
    return ends


def likeness(first: Words, second: Words) -> float:
    """Distinct words that two lines share, over those of the one that has more."""
    return len(first & second) / max(len(first), len(second), 1)


# Where lines are missing from a text, or stand in it besides, whose number is not that of its source.


def explain_gap(sources: Sequence[str], lines: Sequence[str], n_lines: int) -> str | None:
    """Say which lines are missing or too many, if all others fit the source well; None: they do not.

    Args:
        sources: The source lines.
        lines: The text's lines; those beyond the number of source lines may be left out.
        n_lines: How many the text has.

    Lines are laid beside source lines, in order, so that their likeness (shared distinct words over the larger of the
    two sets), summed over all lines, less ``JUMP`` for each stretch that is left out, is largest. That of a line which
    was left out is taken to be ``UNLIKE``. Of large texts one stretch is looked for.
    """
    n_off, n_shorter = abs(n_lines - len(sources)), min(n_lines, len(sources))
    if not n_off or n_off >= n_shorter:
        return None
    missing = n_lines < len(sources)
    longer, shorter = ([*map(_words, texts)] for texts in ((sources, lines) if missing else (lines, sources)))
    align = _align if n_off * n_shorter <= MOST_PAIRS else _align_at_one_gap
    places = align(longer, shorter, n_off)
    beside = [
        likeness(words, longer[place]) for words, place in zip(shorter, places, strict=True) if place < len(longer)
    ]
    sums, width = [*accumulate(beside, initial=0.0)], min(TOGETHER, len(beside))
    least = min(end - start for start, end in zip(sums, sums[width:], strict=False))
    if sums[-1] < ALIKE * len(beside) or least < UNLIKE * width:
        return None
    gaps = [(a + 2, b) for a, b in pairwise([-1, *places, n_shorter + n_off]) if b > a + 1]
    gaps_named = [str(first) if first == last else f"{first}-{last}" for first, last in gaps]
    named = f"{'line' if n_off == 1 else 'lines'} {', '.join(gaps_named[:MOST_NAMED])}"
    named += ", ..." if len(gaps) > MOST_NAMED else ""
    seem, them = ("seems", "it") if n_off == 1 else ("seem", "them")
    if missing:
        return f"{named} of the source {seem} to be missing here; with {them}, the other lines fit"
    return f"{named} {seem} to be too many; without {them}, the other lines fit"


def _align(longer: Sequence[Words], shorter: Sequence[Words], n_off: int) -> list[int]:
    """The place in the longer text of each line of the shorter one."""
    best, ways = [0.0, *[-inf] * n_off], list[list[int]]()
    for at, words in enumerate(shorter):
        row, way, top = list[float](), list[int](), 0
        for off, stay in enumerate(best):
            jump = best[top] - JUMP
            way.append(top if jump > stay else off)
            row.append(max(jump, stay) + (likeness(words, longer[at + off]) if at + off < len(longer) else UNLIKE))
            top = off if stay > best[top] else top
        best = row
        ways.append(way)
    off = max(range(n_off + 1), key=lambda off: best[off] - JUMP * (off < n_off))
    places = []
    for at in reversed(range(len(ways))):
        places.append(at + off)
        off = ways[at][off]
    return places[::-1]


def _align_at_one_gap(longer: Sequence[Words], shorter: Sequence[Words], n_off: int) -> list[int]:
    """The same where one stretch alone is left out."""
    before, behind = (
        [*accumulate((likeness(a, b) for a, b in zip(shorter, texts, strict=False)), initial=0.0)]
        for texts in (longer, longer[n_off:])
    )
    sums = [so_far + behind[-1] - behind[min(at, len(behind) - 1)] for at, so_far in enumerate(before)]
    at = max(range(len(sums)), key=sums.__getitem__)
    return [*range(at), *range(at + n_off, len(shorter) + n_off)]


def _words(line: str) -> Words:
    return frozenset(line.split())
