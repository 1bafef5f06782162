"""What a report was asked for, as a receipt has it: arguments of ``errorbar.report``, files under their names there.

Only arguments that can change a number are kept, and only these are taken from a receipt: whoever wrote it, it can say
nothing that the public function does not take, and every file that it names is one of its own list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from errorbar.core.errors import InputError, Place, Problem, shortened
from errorbar.core.spec import split_spec
from errorbar.formats.catalog import RAW, is_hoo
from errorbar.formats.reference import NamedFile, expand_files
from errorbar.receipts.receipt_files import DataFiles

PATTERNS = ("gold",)
SEVERAL = ("gold", "systems", "judgments", "judged")
SINGLE = ("source", "documents", "sample_key")
PLAIN = (
    *("metric", "beta", "unmarked", "lenient", "force", "retokenize"),
    *("column", "items", "labels", "error", "ok", "unknown", "type"),
    *("judges", "adjust", "swaps", "ci_method", "resamples", "confidence", "seed", "ceiling_ci", "browse", "attacks"),
)
"""Arguments of a report by what they are: files, one file, values."""
DRAWS = ("resamples", "swaps", "ceiling_ci")
MOST_DRAWN = 1_000_000
"""Of each of these, so that a receipt cannot keep a computer busy for years."""
KNOWN_PIPELINES = re.compile(r"(errorbar_en|en_core_web_(sm|md|lg|trf))")
"""spaCy pipelines that a receipt may name: another package or folder runs what its maker put there."""


def broken(what: str, file: str, expected: str = "", fix: str = "get it again, or make it anew") -> InputError:
    """The error for a receipt that is not as errorbar writes it."""
    return InputError(Problem("receipt-broken", what, Place(file), expected, fix))


def report_arguments(given: Mapping[str, Any], files: DataFiles) -> dict[str, object]:
    """The arguments of a report as a receipt has them; every file that they name is added to ``files``."""
    found: dict[str, object] = {}
    for name in SEVERAL:
        paths = _listed(given.get(name))
        if paths:
            every = expand_files(paths) if name in PATTERNS else [NamedFile.parse(path) for path in paths]
            found[name] = [_reference(file, paths, files) for file in every]
            if name == "gold" and given.get("source") is None:
                for file in every:
                    add_texts(file.path, files.add(file.path), files)
    for name in SINGLE:
        if given.get(name) is not None:
            found[name] = _reference(NamedFile(str(given[name]), ""), [str(given[name])], files)
    plain = {name: given[name] for name in PLAIN if given.get(name) is not None}
    return found | {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _listed(given: object) -> list[str]:
    """Paths of what may be one or several."""
    if given is None:
        return []
    return [str(each) for each in given] if isinstance(given, list | tuple) else [str(given)]


def _reference(file: NamedFile, said: Sequence[str], files: DataFiles) -> dict[str, str]:
    """A file, with its name in tables where the user gave it one, or where that of the receipt is another."""
    place = files.add(file.path)
    other = not place.startswith("<") and Path(place).name != Path(file.path).name
    given = file.name and (other or f"{file.name}={file.path}" in said)
    return {**({"name": file.name} if given else {}), "file": place}


def add_texts(path: str, name: str, files: DataFiles) -> None:
    """Add the source texts of HOO data, which stand in ``Raw`` beside the edits."""
    if not Path(path).exists() or not is_hoo(path):
        return
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    raw = next((each for each in (folder / RAW, folder.parent / RAW) if each.is_dir()), None)
    if raw is not None and not (Path(path).is_dir() and raw.parent == folder):  # else it was added with the folder
        files.add_beside(path, name, raw)


def read_arguments(said: Mapping[str, Any], names: Iterable[str], stage: Path, receipt: str) -> dict[str, Any]:
    """Arguments for ``errorbar.report`` from those of a receipt, whose files stand in a folder.

    Raises:
        InputError: If there is another argument, or a file that is not in the receipt's list.
    """
    unknown = [name for name in said if name not in {*SEVERAL, *SINGLE, *PLAIN}]
    if unknown:
        raise broken(f"'{unknown[0]}' is no argument of a report", receipt)
    known = set(names)
    made: dict[str, Any] = {name: said[name] for name in PLAIN if name in said}
    for name in DRAWS:
        if isinstance(number := made.get(name), int) and number > MOST_DRAWN:
            raise broken(f"'{name}' is more than the {MOST_DRAWN:,} that are drawn for a stranger", receipt)
    for name in SEVERAL:
        if name in said:
            references = said[name] if isinstance(said[name], list) else [said[name]]
            made[name] = [staged_path(each, known, stage, receipt) for each in references]
    made |= {name: staged_path(said[name], known, stage, receipt) for name in SINGLE if name in said}
    check_specs(made.get("metric") or [], receipt)
    return made


def staged_path(reference: object, known: set[str], stage: Path, receipt: str) -> str:
    """The place of a file that a receipt names, or of a folder of such files; ``name=`` before it where it says so."""
    if not isinstance(reference, dict) or not isinstance(reference.get("file"), str):
        raise broken("a file is not named as one", receipt, 'e.g. {"file": "gold.m2"}')
    name = reference["file"]
    if name not in known and not any(each.startswith(f"{name}/") for each in known):
        raise broken(f"the file '{name}' is not in the receipt's own list", receipt)
    called = reference.get("name")
    if called is None:
        return str(stage / name)
    argument = f"{called}={stage / name}"
    if not isinstance(called, str) or NamedFile.parse(argument) != NamedFile(str(stage / name), called):
        raise broken(f"the file '{name}' is called {shortened(repr(called))}, which is no name", receipt)
    return argument


def check_specs(specs: object, receipt: str) -> None:
    """Refuse a metric whose pipeline is none of those known."""
    for spec in specs if isinstance(specs, list) else [specs]:
        if not isinstance(spec, str):
            raise broken("a metric is no text", receipt)
        pipeline = split_spec(spec)[1].get("pipeline", "errorbar_en")
        if not KNOWN_PIPELINES.fullmatch(pipeline):
            what = f"the receipt names the pipeline '{pipeline}', and a pipeline runs what its maker put there"
            fix = "run the command yourself if you trust it"
            raise InputError(Problem("receipt-pipeline", what, Place(receipt), "errorbar_en or en_core_web_*", fix))
