"""Plain text and tables in LaTeX."""

from __future__ import annotations

from errorbar.core.errors import visible
from errorbar.tables.shown import Grid

WIDE = 8
"""Tables with more columns are set small in a document."""
LONG = 40
"""Characters of a text that is broken into lines in a document."""

_SPECIAL = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "≤": r"$\leq$",
    }
)


def escape_latex(text: str) -> str:
    """Text that LaTeX sets as it is, on one line; a bracket at the start of a line would be read as an option."""
    line = visible(" ".join(text.split())).translate(_SPECIAL)
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def latex_table(grid: Grid, *, document: bool = False) -> str:
    """A table for the packages booktabs and, in a document, longtable.

    Args:
        grid: The table.
        document: It stands in a whole document: it has a caption, breaks over pages, is set small where it is wide,
            and its notes are text. Otherwise it is a bare ``tabular``, its notes comments.
    """
    head = " & ".join(escape_latex(name) for name in grid.columns) + r" \\"
    rows = [" & ".join(escape_latex(cell.text) for cell in row) + r" \\" for row in grid.rows]
    if not document:
        start = r"\begin{tabular}{" + "".join("l" if left else "r" for left in grid.left) + "}"
        notes = [f"% {visible(note)}" for note in grid.notes]
        lines = [start, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", *notes]
        return "\n".join(lines)
    layout = "".join(_layout(grid, at) for at in range(len(grid.columns)))
    caption = rf"\caption{{{escape_latex(grid.title)}}}\label{{tab:{grid.name}}}\\"
    lines = [rf"\begin{{longtable}}{{{layout}}}", caption, r"\toprule", head, r"\midrule\endhead", *rows]
    lines += [r"\bottomrule", r"\end{longtable}"]
    if len(grid.columns) > WIDE:
        lines = [r"{\footnotesize", *lines, "}"]
    return "\n".join([*lines, *(f"{escape_latex(note)}\n" for note in grid.notes)])


def _layout(grid: Grid, at: int) -> str:
    """How a column is set: numbers to the right, long text in lines."""
    if not grid.left[at]:
        return "r"
    return "p{5cm}" if any(len(row[at].text) > LONG for row in grid.rows) else "l"
