"""The data of a task as files that can be moved: references for who scores, sources and development data for teams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem, UsageError, visible_json
from errorbar.formats.hoo_folder import list_gold
from errorbar.hosting.archive import below
from errorbar.hosting.submission_form import Form
from errorbar.tasks.config import Task, TaskCorpus

FILE = "task.toml"
LISTS = ("gold", "annotators", "alternatives")
TomlValue = str | bool | list[str]


def reference_files(task: Task, corpus: TaskCorpus) -> dict[str, bytes]:
    """What it takes to score runs for a corpus: a task file of it alone, and all that this names."""
    values, files = _corpus(corpus, "")
    files[FILE] = _task_file(task, [values])
    return files


def kit_files(task: Task, forms: Mapping[str, Form]) -> dict[str, bytes]:
    """What teams get: the sources of test data, and all of the development data; ``forms`` are of the corpora meant."""
    tables: list[Mapping[str, TomlValue]] = []
    files: dict[str, bytes] = {}
    for corpus in task.corpora:
        if corpus.name not in forms:
            continue
        form = forms[corpus.name]
        values: dict[str, TomlValue] = {"name": corpus.name, "role": corpus.role, "kind": corpus.kind}
        own: dict[str, bytes] = {}
        if corpus.role == "dev" and corpus.gold:
            values, own = _corpus(corpus, f"{form.slug}/")
        if "source" not in values and not (own and corpus.kind == "hoo"):  # whose texts stand beside their edits
            source = below(f"{form.slug}/source", form.source)
            values["source"] = f"{form.slug}/source" if corpus.kind == "hoo" else next(iter(source))
            own |= source
        values["missing_as_empty"] = corpus.missing_as_empty
        tables.append(values)
        files |= own
    files[FILE] = _task_file(task, tables)
    return files


def read_bytes(path: Path) -> bytes:
    """The content of a regular file."""
    if path.exists() and not path.is_file():
        what = "this is no regular file, which a bundle could hold"
        raise UsageError(Problem("bundle-file", what, Place(str(path)), fix="save it to a file, and name that"))
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise InputError(Problem("cannot-open", what, Place(str(path)))) from None


def _task_file(task: Task, corpora: Iterable[Mapping[str, TomlValue]]) -> bytes:
    lines = _toml_lines("[task]", {"name": task.name, "metrics": list(task.metrics)})
    for values in corpora:
        lines += ["", *_toml_lines("[[corpus]]", values)]
    return ("\n".join(lines) + "\n").encode()


def _toml_lines(header: str, values: Mapping[str, TomlValue]) -> list[str]:
    """A table; empty texts and lists, and ``False``, are left out. TOML writes the others as JSON does."""
    written = {key: visible_json(json.dumps(value, ensure_ascii=False)) for key, value in values.items() if value}
    return [header, *(f"{key} = {text}" for key, text in written.items())]


def _corpus(corpus: TaskCorpus, folder: str) -> tuple[dict[str, TomlValue], dict[str, bytes]]:
    """The table of a corpus whose files are in a folder, and these files.

    The names of files stay, since annotators are called by them.
    """
    values: dict[str, TomlValue] = {"name": corpus.name, "role": corpus.role, "kind": corpus.kind}
    files: dict[str, bytes] = {}

    def take(key: str, paths: Sequence[Path]) -> list[str]:
        names = [f"{folder}{key}/{path.name}" for path in paths]
        files.update({name: read_bytes(path) for name, path in zip(names, paths, strict=True)})
        return names

    if corpus.kind == "hoo":
        source = None if corpus.source is None else str(corpus.source)
        for fragment in list_gold(str(corpus.gold[0]), source=source):
            for part, file in (("Gold", fragment.edits), ("Raw", fragment.text)):
                if file is not None:
                    files[f"{folder}gold/{part}/{file.path.name}"] = read_bytes(file.path)
        values["gold"] = [f"{folder}gold"]
    else:
        values |= {key: take(key, getattr(corpus, key)) for key in LISTS}
        for key, path in (("source", corpus.source), ("documents", corpus.documents)):
            if path is not None:
                (values[key],) = take(key, [path])
        if corpus.unmarked != "auto":
            values["unmarked"] = corpus.unmarked
    values |= {"lenient": corpus.lenient, "missing_as_empty": corpus.missing_as_empty}
    return values, files
