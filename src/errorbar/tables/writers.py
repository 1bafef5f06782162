"""Tables as text: for a terminal, in Markdown and LaTeX, and as each command prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import bidirectional, category, east_asian_width, name, normalize

from errorbar.core.problems import visible
from errorbar.tables.plain import csv_tables
from errorbar.tables.table import Grid, Table, format_table

LONGEST_CELL = 500
"""Characters of a cell of a text table, whose width every other row pays for; the other formats have all."""
_ISOLATE, _ISOLATED = "\u2068", "\u2069"
"""Around a cell that is written from right to left, so that the other columns of its row stay where they are."""
_NO_WIDTH = frozenset(("Mn", "Me", "Cf"))
_MARKUP = r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))"
_LIST = r"^(\s*)([-+]|\d+[.)])(\s)"


def tables_text(tables: Sequence[Table], style: str, *, styled: bool = False) -> str:
    """Tables in one of ``FORMATS`` but JSON, with an empty line between; styled: with bold and faint text."""
    if style == "csv":
        return csv_tables(tables).removesuffix("\n")
    grids = map(format_table, tables)
    if style == "markdown":
        return "\n\n".join(map(markdown_table, grids))
    if style == "latex":
        return "\n\n".join(map(latex_table, grids))
    return "\n\n".join(text_table(grid, styled=styled) for grid in grids)


def text_table(grid: Grid, *, styled: bool = False) -> str:
    """A table in columns, and its notes below an empty line; styled: headings are bold, notes faint."""
    head, *body = [
        [_cut_cell(name) for name in grid.columns],
        *([_cut_cell(cell.text) for cell in row] for row in grid.rows),
    ]
    widths = [max(map(_width, column)) for column in zip(head, *body, strict=True)]
    first, *lines = (" " + "  ".join(map(_pad, row, widths, grid.left)).rstrip() for row in (head, *body))
    rule = " " + "─" * (sum(widths) + 2 * (len(widths) - 1))
    notes = [f"\x1b[2m{visible(note)}\x1b[0m" if styled else visible(note) for note in grid.notes]
    return "\n".join([f"\x1b[1m{first}\x1b[0m" if styled else first, rule, *lines, *(["", *notes] if notes else [])])


def _cut_cell(text: str) -> str:
    seen = visible(text)
    seen = seen if len(seen) <= LONGEST_CELL else f"{seen[:LONGEST_CELL]}…"
    if not seen.isascii() and any(bidirectional(letter) in ("R", "AL") for letter in seen):
        return f"{_ISOLATE}{seen}{_ISOLATED}"
    return seen


def _pad(cell: str, width: int, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters take two, combining and invisible ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if category(c) in _NO_WIDTH else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, no HTML, no cell that ends early."""
    line = re.sub(_MARKUP, r"\\\1", visible(" ".join(text.split())))
    return (
        re.sub(_LIST, r"\1\\\2\3", line) if not line[:1].isdigit() else re.sub(r"^(\d+)([.)])(\s)", r"\1\\\2\3", line)
    )


def markdown_table(grid: Grid) -> str:
    """A table as GitHub and pandoc know it, its notes below as a list."""
    lines = [
        [escape_markdown(name) for name in grid.columns],
        ["---" if left else "---:" for left in grid.left],
        *([escape_markdown(cell.text) for cell in row] for row in grid.rows),
    ]
    notes = ["", *(f"- {escape_markdown(note)}" for note in grid.notes)] if grid.notes else []
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), *notes])


# Tables and texts for LaTeX: pdfLaTeX, LuaLaTeX and XeLaTeX compile them, with what every installation has.
#
# Signs of formulas and Greek letters are set as mathematics, so that no font needs to have them. pdfLaTeX has no
# letters of many scripts: a bare table says in a comment which, and a whole document shows their numbers.


WORD = 20
"""Longer words may be broken in a document."""
PIECE = 8
"""Most characters of their pieces."""
CELL, HEADING = 40, 20
"""Longer texts of cells, and longer headings, are broken into lines in a document."""
MOST_ROWS = 30
"""A table of a document with more rows may be broken across pages."""
MOST_COLUMNS, MOST_WIDE = 12, 6
"""A table of a document with more columns comes in parts; the second: a longtable with broken headings or texts."""
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""As it is, or as wide as the page."""
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
_COMMANDS |= {ord(char): f"\\text{command}{{}}" for char, command in _NAMED}
_COMMANDS |= {ord(char): rf"\ensuremath{{\{command}}}" for char, command in _MATHS.items()}
_COMMANDS |= {0x2080 + digit: rf"\ensuremath{{_{digit}}}" for digit in range(10)}
_LATIN_LOOKS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
_GREEK_NAMES = {"lamda": "lambda", "final sigma": "varsigma"}


def _greek() -> Iterator[tuple[int, str]]:
    """Letters without marks; those that look as Latin ones have no command."""
    for char in "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω":
        if char in _LATIN_LOOKS:
            yield ord(char), rf"\ensuremath{{\mathrm{{{_LATIN_LOOKS[char]}}}}}"
        else:
            letter = name(char).rpartition(" LETTER ")[2].lower()
            letter = _GREEK_NAMES.get(letter, letter)
            yield ord(char), rf"\ensuremath{{\{letter.capitalize() if char.isupper() else letter}}}"


_COMMANDS |= dict(_greek())
_LATIN = {*range(0xA0, 0x180), *range(0x218, 0x21C)} - {*map(ord, "\xadĦħĸĿŀŉŦŧſ")}
_KNOWN = {*range(0x80), *_LATIN, *map(ord, "–—‘’‚“”„†‡•…‰‹›€™"), *_COMMANDS}
"""Characters that pdfLaTeX sets, in the encoding T1."""
_LIGATURE = r"([-,'])(?=\1)"
_AFTER = r"(?<=[|,;:/=+_.])(?=\w)"


def escape_latex(text: str, *, document: bool = False) -> str:
    """Text that LaTeX sets as it is, on one line; in a document, long words may be broken.

    A bracket at the start of a line would be read as an option.
    """
    line = _line(text)
    if document:
        line = " ".join(_breakable(word) if len(word) > WORD else word for word in line.split(" "))
    line = re.sub(_LIGATURE, r"\1{}", line.translate(_COMMANDS))
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _line(text: str) -> str:
    return normalize("NFC", visible(" ".join(text.split())))


def _breakable(word: str) -> str:
    """A long word with breaks after signs, and where there is none for long, between letters."""
    parts = re.split(_AFTER, word)
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
    """A table of a whole document with its caption, and its notes as text; its label must be that of no other table.

    One of many rows, or with long texts, is a longtable. One of many columns comes in parts; each has the first column.
    """
    n_columns = len(grid.columns)
    broken = {at for at in range(n_columns) if grid.left[at] and any(_length(row[at].text) > CELL for row in grid.rows)}
    wide = broken | {at for at in range(n_columns) if _length(grid.columns[at]) > HEADING}
    long = bool(broken) or len(grid.rows) > MOST_ROWS
    step = (MOST_WIDE if long and len(wide) > 2 else MOST_COLUMNS) - 1
    tables = []
    for first in range(1, max(2, n_columns), step):
        part = [0, *range(first, min(first + step, n_columns))]
        tables.append(_document_part(grid, part, broken, wide, label if first == 1 else "", long=long))
    notes = [escape_latex(note, document=True) for note in grid.notes]
    text = ["{\\footnotesize\\noindent", "\\\\\n".join(notes), "\\par}\\medskip"] if notes else []
    return "\n".join([*tables, *text])


def _document_part(grid: Grid, part: Sequence[int], broken: set[int], wide: set[int], label: str, *, long: bool) -> str:
    """Columns of a table; without a label as the continuation of another, whose number it has."""
    width = f"{min(5, 18 / max(1, len(wide.intersection(part)))):.3g}cm"
    lines = rf">{{\raggedright\arraybackslash}}p{{{width}}}"
    columns = "".join(lines if at in broken else "l" if grid.left[at] else "r" for at in part)
    names = (escape_latex(grid.columns[at], document=True) for at in part)
    heading = [
        rf"\parbox[b]{{{width}}}{{\raggedright {name}}}" if at in wide else name
        for at, name in zip(part, names, strict=True)
    ]
    cells = ([escape_latex(row[at].text, document=True) for at in part] for row in grid.rows)
    head, *rows = [" & ".join(line) + r" \\" for line in (heading, *cells)]
    head = f"\\toprule\n{head}\n\\midrule"
    title = escape_latex(grid.title, document=True)
    caption = rf"\caption{{{title}}}\label{{tab:{label}}}" if label else rf"\caption*{{{title}, continued}}"
    if not long:
        start = ["\\begin{table}[H]\n\\centering", caption, FITTED, rf"\begin{{tabular}}{{{columns}}}", head]
        return "\n".join([*start, *rows, "\\bottomrule\n\\end{tabular}}\n\\end{table}"])
    start = [rf"{{\footnotesize\setlength{{\tabcolsep}}{{3pt}}\begin{{longtable}}{{{columns}}}", rf"{caption}\\"]
    start += [rf"{head}\endfirsthead", rf"{head}\endhead"]
    number = [] if label else [r"\addtocounter{table}{-1}"]
    return "\n".join([*start, *rows, "\\bottomrule\n\\end{longtable}}", *number])


def _lines(grid: Grid) -> list[list[str]]:
    return [[*grid.columns], *([cell.text for cell in row] for row in grid.rows)]


def _length(text: str) -> int:
    """The number of characters that are set: pdfLaTeX sets the number of a letter that it does not have."""
    return sum(1 if ord(char) in _KNOWN else len("[U+0000]") for char in text)
