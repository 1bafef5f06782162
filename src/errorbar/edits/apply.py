"""Edits -> text: what an annotator's sentence reads like once corrected."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.corpus import Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.validate import check_span


def apply_edits(
    tokens: Sequence[str],
    edits: Sequence[Edit],
    *,
    alternative: int = 0,
    optional: bool = True,
    problems: Problems | None = None,
    place: Place = Place(),  # noqa: B008 - frozen
) -> list[str]:
    """Apply one annotator's edits to a sentence.

    Conventions
        Edits of type ``Um`` (unclear meaning) and edits whose correction is unknown leave the text as it is.
        Edits are applied in text order; several insertions at one point in the order given, and before the edit
        that replaces the token there.

    Args:
        tokens: Source tokens.
        edits: One annotator's edits.
        alternative: Which alternative to apply, counted from 0; an edit that has fewer gives its first.
        optional: Apply optional edits too; otherwise their spans stay as they are.
        problems: Where overlapping edits and spans outside the sentence are recorded; in lenient mode such an
            edit is skipped. None: refuse them at once.
        place: Where the sentence is, for messages.

    Returns:
        The corrected tokens.

    Raises:
        InputError: If edits overlap or lie outside the sentence, and ``problems`` is None.
    """
    notebook = Problems() if problems is None else problems
    corrected: list[str] = []
    done = 0
    last: Edit | None = None
    for edit in sorted(edits, key=lambda e: e.span):  # a stable sort: equal insertions keep their order
        if not edit.applicable or (edit.optional and not optional):
            continue
        if not check_span(edit.start, edit.end, len(tokens), place, notebook):
            continue
        if edit.start < done or (last is not None and edit.span == last.span and not edit.is_insertion):
            rival = f" the edit {last.start} {last.end}" if last is not None else " another edit"
            what = f"the edit {edit.start} {edit.end} overlaps{rival} of the same annotator: both cannot be applied"
            notebook.repairable("apply-overlap", what, place, repair="the later one is not applied")
            continue
        corrected += tokens[done : edit.start]
        corrected += edit.replacements[alternative if 0 <= alternative < len(edit.replacements) else 0].split()
        done = edit.end
        last = edit
    if problems is None:
        notebook.raise_errors()
    corrected += tokens[done:]
    return corrected


def corrected_text(
    sentence: Sentence,
    annotator: str,
    problems: Problems,
    *,
    alternative: int = 0,
    optional: bool = True,
    file: str = "",
) -> str:
    """One annotator's version of a sentence, tokens joined by one space; the source where they did not look.

    ``file`` is the one the sentence is from, for messages; else as ``apply_edits``.
    """
    edits = sentence.annotations.get(annotator, ())
    if not edits:
        return " ".join(sentence.tokens)
    place = Place(file, sentence.line)
    return " ".join(
        apply_edits(sentence.tokens, edits, alternative=alternative, optional=optional, problems=problems, place=place)
    )
