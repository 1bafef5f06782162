"""Types of the compiled reader of M2; see _m2.pyx."""

from errorbar.core.corpus import Sentence

Fields = tuple[tuple[str, ...], str, bool, str, str]

def take_sentences(
    lines: list[str], at: int, before: int, known: dict[str, tuple[str, Fields | None]], most: int
) -> tuple[list[Sentence], int]: ...
