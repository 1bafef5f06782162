"""Stand-off edits and HOO files in one line each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from errorbar import Problems
from errorbar.core import Fragment, StandoffEdit, in_text_order
from errorbar.formats import HooFile, read_edits, read_gold


def standoff(
    start: int,
    end: int,
    *corrections: str,
    optional: bool = False,
    null_at: int = 0,
    kind: str = "",
    group: str = "",
) -> StandoffEdit:
    """An edit; more than one correction are alternatives, none are unknown."""
    return StandoffEdit("", start, end, "", corrections, optional, null_at, kind, group)


def fragment(*edits: StandoffEdit, text: str | None = None, name: str = "1") -> Fragment:
    """A fragment."""
    return Fragment(name, edits, text)


def parse(
    xml: str, *, text: str | None = None, lenient: bool = False, system: bool = False
) -> tuple[Fragment, Problems]:
    """Read edits from a string; what was found is raised in strict mode."""
    problems = Problems(lenient=lenient)
    found = read_edits(HooFile(Path("1.xml"), xml.encode()), "1", problems, text=text, system=system)
    problems.raise_errors()
    return found, problems


def edit_xml(attributes: str, original: str = "<empty/>", corrections: Sequence[str] | None = ("x",)) -> str:
    """One edit element; ``corrections`` are inner XML, None: the element is missing."""
    inner = "".join(f"<correction>{correction}</correction>" for correction in corrections or ())
    element = f"<corrections>{inner}</corrections>" if corrections is not None else ""
    return f"<edit {attributes}>{element}<original>{original}</original></edit>"


def edits_xml(*edits: str) -> str:
    """A whole file."""
    return f"<?xml version='1.0'?>\n<edits>\n{''.join(edits)}\n</edits>\n"


def read_real(data: Path, part: str) -> tuple[list[Fragment], Problems]:
    """The development (``develop``) or test set of HOO 2011, repaired."""
    problems = Problems(lenient=True)
    found = read_gold(str(data / "hoo2011" / part), problems, need_text=True)
    problems.raise_errors()
    return found, problems


def undo_standoff(text: str, edits: Iterable[StandoffEdit]) -> str:
    """Give back the source text that ``apply_standoff`` made ``text`` of."""
    parts: list[str] = []
    done = shift = 0
    for edit in in_text_order(edits):
        if not edit.corrections:
            continue
        start = edit.start + shift
        end = start + len(edit.corrections[0])
        assert start >= done
        assert text[start:end] == edit.corrections[0]
        parts += text[done:start], edit.original
        done, shift = end, shift + end - start - (edit.end - edit.start)
    return "".join([*parts, text[done:]])
