"""Runs as edits of every fragment: edit files as they are, corrected texts compared with the source."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.edits.standoff import extract_standoff
from errorbar.edits.standoff_likeness import why_no_correction
from errorbar.formats.hoo_folder import CorrectedText, Run

Edits = tuple[StandoffEdit, ...]


def text_edits(fragment: Fragment, corrected: CorrectedText, problems: Problems) -> list[StandoffEdit]:
    """Find the edits that turn a fragment's text into a corrected text.

    Args:
        fragment: The fragment; without a text, an error is recorded.
        corrected: The corrected text.
        problems: Where problems are recorded: also a text that has little in common with the source.
    """
    place = Place(corrected.file)
    if fragment.text is None:
        what = f"no source text of fragment {fragment.name}, so the edits of a corrected text cannot be found"
        problems.error("hoo-no-text", what, place, fix="--source FOLDER")
        return []
    reason = why_no_correction(fragment.text, corrected.text)
    if reason:
        what = f"fragment {fragment.name}: this text seems to be another one: {reason}"
        repair = "scored as it is"
        problems.repairable("hoo-not-a-correction", what, place, expected="a corrected version of it", repair=repair)
        if not problems.lenient:
            return []
    return extract_standoff(fragment.text, corrected.text, fragment.name)


def run_edits(run: Run, gold: Sequence[Fragment], problems: Problems, *, missing_as_empty: bool = False) -> list[Edits]:
    """A run's edits of each gold fragment.

    Args:
        run: What was read.
        gold: The fragments.
        problems: Where fragments that the run lacks are recorded.
        missing_as_empty: Take a fragment that the run lacks for one without edits, and note it.
    """
    found = present_edits(run, gold, problems)
    say_missing(run.name, [each.name for each in gold if each.name not in found], problems, as_empty=missing_as_empty)
    return [found.get(fragment.name, ()) for fragment in gold]


def present_edits(run: Run, gold: Sequence[Fragment], problems: Problems) -> dict[str, Edits]:
    """As ``run_edits``, by name, without the fragments that the run lacks."""
    found: dict[str, Edits] = {}
    for fragment in gold:
        name = fragment.name
        if name in run.edits:
            found[name] = run.edits[name].edits
        elif name in run.texts:
            found[name] = tuple(text_edits(fragment, run.texts[name], problems))
    return found


def say_missing(run: str, missing: Sequence[str], problems: Problems, *, as_empty: bool) -> None:
    """Record the fragments that a run lacks, if there are any.

    Args:
        run: The run's name.
        missing: Names of the fragments.
        problems: Where they are recorded.
        as_empty: It is no error: they are taken for fragments without edits.
    """
    what = f"no file for fragment {', '.join(missing)}"
    if missing and as_empty:
        problems.note("hoo-missing", what, Place(run), fix="scored as if nothing were proposed there")
    elif missing:
        problems.error("hoo-missing", what, Place(run), fix="add it, or use --missing-as-empty")
