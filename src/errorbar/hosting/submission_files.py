"""Finding a run in what somebody uploaded, who may be in error or mean harm: no link is followed."""

from __future__ import annotations

import os
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.hosting.submission_form import Form

LEAST_LIMIT, TIMES = (
    1 << 20,
    20,
)  # bytes that are always allowed, and how many times as large as the source a run may be
MOST_NAMED = 5
SPARE_FILES = 20  # of a folder, beside a file for each text
OF_SYSTEMS = ("__MACOSX", "metadata")  # what macOS packs along, and what the host itself writes there


def find_submission(folder: Path, form: Form) -> Path:
    """The file or folder of a run, regular, of the name that it must have, and of a size that can be read.

    Raises:
        InputError: If there is none.
    """
    inside = _entries(folder)
    found = next((each for each in inside if each.name == form.name), None)
    if found is None:
        raise InputError(_missing(inside, form))
    limit = max(LEAST_LIMIT, TIMES * sum(map(len, form.unchanged.values())))
    if form.kind != "folder":
        _check(found, found.name, limit)
        return folder / form.name
    if found.is_symlink() or not found.is_dir(follow_symlinks=False):
        what = "this is no folder"
        raise InputError(Problem("submission-not-a-file", what, Place(form.name), form.said))
    files = _entries(Path(found.path))
    if len(files) > 2 * form.n_units + SPARE_FILES:
        what = f"{len(files):,} files for {form.n_units:,} texts"
        raise InputError(Problem("submission-too-large", what, Place(form.name), form.said))
    for each in files:
        limit -= _check(each, f"{form.name}/{each.name}", limit)
    return folder / form.name


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(
                (each for each in found if each.name[0] != "." and each.name not in OF_SYSTEMS),
                key=lambda each: each.name,
            )
    except OSError as error:
        what = f"the submission cannot be read: {error.strerror}"
        raise InputError(Problem("submission-missing", what, Place(folder.name))) from None


def _check(entry: os.DirEntry[str], name: str, limit: int) -> int:
    """The size of a regular file that is not too large."""
    if entry.is_symlink() or not entry.is_file(follow_symlinks=False):
        what = "this is a link, a folder or a device"
        raise InputError(Problem("submission-not-a-file", what, Place(name), "a regular file", "zip the file itself"))
    size = entry.stat(follow_symlinks=False).st_size
    if size > limit:
        what = f"{size:,} bytes"
        raise InputError(Problem("submission-too-large", what, Place(name), f"at most {limit:,} bytes"))
    return size


def _missing(inside: list[os.DirEntry[str]], form: Form) -> Problem:
    """What is wrong where the file is missing, and how to mend what was probably meant."""
    what = f"there is no {form.name} in the submission"
    expected = f"{form.name}, {form.said}"
    named = ", ".join([each.name for each in inside[:MOST_NAMED]] + ["..."] * (len(inside) > MOST_NAMED))
    fix = "the zip is empty" if not inside else f"the zip holds {named}"
    for each in inside:
        if each.is_dir(follow_symlinks=False) and any(one.name == form.name for one in _entries(Path(each.path))):
            fix = f"it is in the folder {each.name}: zip {form.name} itself, not the folder that it is in"
            break
    else:
        kinds = [each for each in inside if form.kind == "folder" or each.is_file(follow_symlinks=False)]
        if form.kind != "folder" and len(kinds) == 1:
            fix = f"rename {kinds[0].name} to {form.name}"
            if kinds[0].name.endswith(".zip"):
                fix = f"{kinds[0].name} is a zip within the zip: upload that one"
        elif form.kind == "folder" and any(each.name.endswith((".txt", ".xml")) for each in inside):
            fix = f"put the files into a folder {form.name} and zip that"
    return Problem("submission-missing", what, Place(), expected, fix)
