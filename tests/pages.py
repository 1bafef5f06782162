"""Record again what pages show of the output of commands: ``python -m tests.pages docs/cli.md docs/how-do-i.md``.

The commands are typed as tests/test_docs.py types them, and left out where it leaves them out. An output is written
anew only where the page no longer fits it, and stays abbreviated where that still tells which lines are meant; of an
abbreviation that no longer fits, the whole output is written, for its author to shorten.
"""

from __future__ import annotations

import re
import sys
from difflib import SequenceMatcher
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GAPS = ("...", "…")
"""Lines that stand for lines left out."""


def shown(text: str) -> str:
    """An output as a page shows it: no blanks at the end of a line, no empty lines around."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def fits(page: str, printed: str) -> bool:
    """Whether what a page shows is what was printed: abbreviated, or nothing at all."""
    pattern = re.sub(r"\\\.\\\.\\\.(?=\\?\n|$)|…", "(?s:.*)", re.escape(shown(page)))
    return not pattern or re.fullmatch(pattern, shown(printed)) is not None


def renewed(page: str, printed: list[str]) -> str:
    """What a page shows, with the text of the likeliest output: of one stream, or of both in either order."""
    words = page.split()
    likeliest = max(map(shown, printed), key=lambda text: SequenceMatcher(None, words, text.split()).ratio())
    short = _abbreviated(shown(page).splitlines(), likeliest.splitlines())
    return short if fits(short, likeliest) else likeliest


def _abbreviated(old: list[str], new: list[str]) -> str:
    """The new lines, left out where the old are: as many at the start and at the end, and the likeliest between."""
    pieces: list[list[str]] = [[]]
    gaps = []
    for line in old:
        if line.strip() in GAPS:
            gaps.append(line)
            pieces.append([])
        else:
            pieces[-1].append(line)
    lines: list[str] = []
    start = 0
    for number, piece in enumerate(pieces):
        places = range(start, max(start, len(new) - len(piece)) + 1)
        if number == len(gaps):
            at = places[-1] if gaps else 0
            taken = new[at : at + len(piece)] if gaps else new
        else:
            at = start if number == 0 else max(places, key=lambda k: _alike(piece, new[k : k + len(piece)]))
            taken = new[at : at + len(piece)]
        kept = zip(piece, taken, strict=False) if len(piece) == len(taken) else ()
        lines += [line if "…" in line and fits(line, text) else text for line, text in kept] or taken
        lines += gaps[number : number + 1]
        start = at + len(piece)
    return "\n".join(lines)


def _alike(piece: list[str], lines: list[str]) -> float:
    return sum(SequenceMatcher(None, a, b).ratio() for a, b in zip(piece, lines, strict=False))


def main(*names: str) -> int:
    """Record pages again."""
    pages = [Path(name).resolve() for name in names]
    docs = ROOT / "docs"
    known = [str(page.relative_to(docs if page.is_relative_to(docs) else ROOT)) for page in pages]
    tests = [f"(commands_of_a_page and [{name})" for name in known if name != "how-do-i.md"]
    tests += ["a_task_is_done"] * ("how-do-i.md" in known)
    return pytest.main([str(ROOT / "tests/test_docs.py"), "-q", "-m", "", "--record-pages", "-k", " or ".join(tests)])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
