"""Tables and texts for LaTeX: pdfLaTeX, LuaLaTeX and XeLaTeX compile them, with what every installation has.

Signs of formulas and Greek letters are set as mathematics, so that no font needs to have them. pdfLaTeX has no letters
of many scripts: a bare table says in a comment which, and a whole document shows their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import east_asian_width, name, normalize

from errorbar.core.errors import visible
from errorbar.tables.shown import Grid

LONG = 21.0
"""A cell is broken into lines in a document if it is wider, in units of the size of type."""
LINE = 142.0
"""Width of such lines, in points: 5 cm."""
WORD = 20
"""Longer words may be broken in a document."""
PIECE = 8
"""Most characters of their pieces."""
HEADING = 16.0
"""The same for a heading."""
SIZES = (("", 10.0, 6.0), ("footnotesize", 8.2, 4.0), ("scriptsize", 7.6, 3.0))
"""Sizes of type in a document, and half the space between columns, in points."""
PAGE = 660.0
"""Width of a table in a document in points: letter paper on its side, 2 cm to each edge, a little to spare."""
BREAK = "\u200b"
T1_ONLY = {*map(ord, 'ĄąĘęĮįŲų«»ÐðÞþĐđŊŋ„‚‹›"')}

_NAMED = zip(
    "~^\\<>|`", ["asciitilde", "asciicircum", "backslash", "less", "greater", "bar", "asciigrave"], strict=True
)
_MATHS = dict(
    zip(
        "≤≥≠≈±×→←√∞",
        ["leq", "geq", "neq", "approx", "pm", "times", "rightarrow", "leftarrow", "surd", "infty"],
        strict=True,
    )
)
_MATHS |= dict(zip("∅∩∪∝′", ["emptyset", "cap", "cup", "propto", "prime"], strict=True))
_COMMANDS = {ord(char): f"\\{char}" for char in "&%$#_{}"}
_COMMANDS |= {ord('"'): r"\symbol{34}", ord("−"): r"\ensuremath{-}", ord(BREAK): r"\allowbreak{}"}
_COMMANDS |= {ord(char): f"\\text{said}{{}}" for char, said in _NAMED}
_COMMANDS |= {ord(char): rf"\ensuremath{{\{said}}}" for char, said in _MATHS.items()}
_COMMANDS |= {0x2080 + digit: rf"\ensuremath{{_{digit}}}" for digit in range(10)}
_LATIN_LOOKS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
_GREEK_NAMES = {"lamda": "lambda", "final sigma": "varsigma"}


def _greek() -> Iterator[tuple[int, str]]:
    """Letters without marks; those that look as Latin ones have no command."""
    for char in "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω":
        if char in _LATIN_LOOKS:
            yield ord(char), rf"\ensuremath{{\mathrm{{{_LATIN_LOOKS[char]}}}}}"
        else:
            said = name(char).rpartition(" LETTER ")[2].lower()
            said = _GREEK_NAMES.get(said, said)
            yield ord(char), rf"\ensuremath{{\{said.capitalize() if char.isupper() else said}}}"


_COMMANDS |= dict(_greek())
_LATIN = {*range(0xA0, 0x180), *range(0x218, 0x21C)} - {*map(ord, "\xadĦħĸĿŀŉŦŧſ")}
_KNOWN = {*range(0x80), *_LATIN, *map(ord, "–—‘’‚“”„†‡•…‰‹›€™"), *_COMMANDS}
"""What pdfLaTeX sets, in the encoding T1."""
_LIGATURE = re.compile(r"([-,'])(?=\1)")
_AFTER = re.compile(r"(?<=[|,;:/=+_.])(?=\w)")


def escape_latex(text: str, *, document: bool = False) -> str:
    """Text that LaTeX sets as it is, on one line; in a document, long words may be broken.

    A bracket at the start of a line would be read as an option.
    """
    line = _line(text)
    if document:
        line = " ".join(_breakable(word) if len(word) > WORD else word for word in line.split(" "))
    line = _LIGATURE.sub(r"\1{}", line.translate(_COMMANDS))
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _line(text: str) -> str:
    return normalize("NFC", visible(" ".join(text.split())))


def _breakable(word: str) -> str:
    """A long word with breaks after signs, and where there is none for long, between letters."""
    parts = _AFTER.split(word)
    return BREAK.join(part[at : at + PIECE] for part in parts for at in range(0, len(part), PIECE))


def missing_letters(texts: Iterable[str]) -> list[str]:
    """Letters that pdfLaTeX cannot set, each once, in the order of their numbers."""
    return [chr(code) for code in sorted({ord(char) for text in texts for char in _line(text)} - _KNOWN)]


def placeholders(text: str) -> list[str]:
    """Lines for the head of a document: pdfLaTeX shows the number of each letter of a text that it cannot set."""
    numbers = [f"{ord(char):04X}" for char in missing_letters([text])]
    return [rf"\DeclareUnicodeCharacter{{{number}}}{{{{[U+{number}]\allowbreak}}}}" for number in numbers]


def latex_table(grid: Grid) -> str:
    """A bare ``tabular`` for the package booktabs; its notes, and what it needs, are comments."""
    head, *rows = [" & ".join(map(escape_latex, line)) + r" \\" for line in _lines(grid)]
    start = r"\begin{tabular}{" + "".join("l" if left else "r" for left in grid.left) + "}"
    notes = [f"% {visible(note)}" for note in grid.notes]
    lines = [start, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", *notes]
    return "\n".join([*_needs(_lines(grid)), *lines])


def _needs(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Comments on what the table's letters take."""
    texts = [text for line in lines for text in line]
    missing = missing_letters(texts)
    if missing:
        yield f"% pdfLaTeX cannot set {' '.join(missing)}: compile with LuaLaTeX or XeLaTeX, and a font that has them"
    if any(ord(char) in T1_ONLY for text in texts for char in _line(text)):
        yield r"% with pdfLaTeX: \usepackage[T1]{fontenc}"


def document_table(grid: Grid, label: str) -> str:
    """A table of a whole document: one for longtable with a caption, set small where it is wide, and its notes as text.

    Its label must be that of no other table. One that is wider than the page comes in parts; each has the first column.
    """
    size, space, parts = _parts([_width(grid, at) for at in range(len(grid.columns))])
    tables = [_long_table(grid, part, label if not at else "") for at, part in enumerate(parts)]
    if size:
        tables = [f"{{\\{size}\\setlength{{\\tabcolsep}}{{{space:g}pt}}", *tables, "}"]
    notes = [escape_latex(note, document=True) for note in grid.notes]
    said = ["{\\footnotesize\\noindent", "\\\\\n".join(notes), "\\par}\\medskip"] if notes else []
    return "\n".join([*tables, *said])


def _long_table(grid: Grid, part: Sequence[int], label: str) -> str:
    """Columns of a table; without a label as the continuation of another, whose number it has."""
    first = [_heading(grid.columns[at]) for at in part]
    others = ([escape_latex(row[at].text, document=True) for at in part] for row in grid.rows)
    head, *rows = [" & ".join(line) + r" \\" for line in (first, *others)]
    title = escape_latex(grid.title, document=True)
    caption = rf"\caption{{{title}}}\label{{tab:{label}}}\\" if label else rf"\caption*{{{title}, continued}}\\"
    start = [rf"\begin{{longtable}}{{{''.join(_layout(grid, at) for at in part)}}}", caption]
    heads = [r"\toprule", head, r"\midrule\endfirsthead", r"\toprule", head, r"\midrule\endhead"]
    number = [] if label else [r"\addtocounter{table}{-1}"]
    return "\n".join([*start, *heads, *rows, r"\bottomrule", r"\end{longtable}", *number])


def _lines(grid: Grid) -> list[list[str]]:
    return [[*grid.columns], *([cell.text for cell in row] for row in grid.rows)]


def _heading(text: str) -> str:
    said = escape_latex(text, document=True)
    return rf"\parbox[b]{{{LINE:g}pt}}{{\raggedright {said}}}" if _ems(text) > HEADING else said


def _broken(grid: Grid, at: int) -> bool:
    """Whether the texts of a column are broken into lines."""
    return grid.left[at] and any(_ems(row[at].text) > LONG for row in grid.rows)


def _layout(grid: Grid, at: int) -> str:
    """How a column is set: numbers to the right, long text in lines."""
    if _broken(grid, at):
        return rf">{{\raggedright\arraybackslash}}p{{{LINE:g}pt}}"
    return "l" if grid.left[at] else "r"


def _width(grid: Grid, at: int) -> tuple[float, float]:
    """Widths of a column: what grows with the type, in units of its size, and what does not, in points."""
    long = _ems(grid.columns[at]) > HEADING
    texts = [*([] if long else [grid.columns[at]]), *(row[at].text for row in grid.rows)]
    return (0.0, LINE) if _broken(grid, at) else (max(map(_ems, texts), default=0.0), LINE if long else 0.0)


def _ems(text: str) -> float:
    """About how wide a text is set, in units of the size of type."""
    return sum(_em(char) for char in text)


def _em(char: str) -> float:
    if ord(char) not in _KNOWN:
        return 5.0 if east_asian_width(char) not in "WF" or ord(char) < 0x10000 else 5.5  # its number
    return 0.3 if char in " .,:;'|!iljt()[]" else 0.8 if char.isupper() or char in "mw%@&+<>=—" else 0.54


def _parts(widths: Sequence[tuple[float, float]]) -> tuple[str, float, list[list[int]]]:
    """Size of type, space and columns of each part of a table with columns of these widths."""
    for size, points, space in SIZES:
        full = [points * ems + fixed + 2 * space for ems, fixed in widths]
        if sum(full) <= PAGE:
            return size, space, [[*range(len(full))]]
    parts: list[list[int]] = []
    for at in range(1, len(full)):
        if not parts or full[0] + sum(full[each] for each in parts[-1][1:]) + full[at] > PAGE:
            parts.append([0])
        parts[-1].append(at)
    return size, space, parts
