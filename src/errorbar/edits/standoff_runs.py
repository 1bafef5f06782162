"""A run as edits of every fragment: edit files as they are, corrected texts compared with the source."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.edits.standoff import extract_standoff
from errorbar.edits.standoff_likeness import why_no_correction
from errorbar.formats.hoo_folder import Run


def text_edits(fragment: Fragment, corrected: str, place: Place, problems: Problems) -> list[StandoffEdit]:
    """Find the edits that turn a fragment's text into a corrected text.

    Args:
        fragment: The fragment; without a text, an error is recorded.
        corrected: The corrected text.
        place: Where it is from, for messages.
        problems: Where problems are recorded: also a text that has little in common with the source.
    """
    if fragment.text is None:
        what = f"no source text of fragment {fragment.name}, so the edits of a corrected text cannot be found"
        problems.error("hoo-no-text", what, place, fix="--source FOLDER")
        return []
    reason = why_no_correction(fragment.text, corrected)
    if reason:
        what = f"fragment {fragment.name}: this text seems to be another one: {reason}"
        repair = "scored as it is"
        problems.repairable("hoo-not-a-correction", what, place, expected="a corrected version of it", repair=repair)
        if not problems.lenient:
            return []
    return extract_standoff(fragment.text, corrected, fragment.name)


def run_edits(
    run: Run, gold: Sequence[Fragment], problems: Problems, *, missing_as_empty: bool = False
) -> list[tuple[StandoffEdit, ...]]:
    """A run's edits of each gold fragment.

    Args:
        run: What was read.
        gold: The fragments.
        problems: Where fragments that the run lacks are recorded.
        missing_as_empty: Take a fragment that the run lacks for one without edits, and note it.
    """
    found: list[tuple[StandoffEdit, ...]] = []
    missing: list[str] = []
    for fragment in gold:
        if fragment.name in run.edits:
            found.append(run.edits[fragment.name].edits)
        elif fragment.name in run.texts:
            place = Place(f"{run.name}: {fragment.name}")
            found.append(tuple(text_edits(fragment, run.texts[fragment.name], place, problems)))
        else:
            missing.append(fragment.name)
            found.append(())
    if missing and missing_as_empty:
        what = f"no file for fragment {', '.join(missing)}"
        problems.note("hoo-missing", what, Place(run.name), fix="scored as if nothing were proposed there")
    elif missing:
        what = f"no file for fragment {', '.join(missing)}"
        problems.error("hoo-missing", what, Place(run.name), fix="add it, or use --missing-as-empty")
    return found
