"""Plain text inside LaTeX."""

from __future__ import annotations

from errorbar.core.visible import visible

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
