"""The data of a task as files that can be moved: references for who scores, sources and development data for teams."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from errorbar.core.problems import InputError, Place, Problem, UsageError, visible_json
from errorbar.formats.hoo import list_gold
from errorbar.formats.token_labels import CORRECT
from errorbar.reporting.sections.figures import slug
from errorbar.tasks.config import Task, TaskCorpus
from errorbar.tasks.running import FragmentData, TaskData, submission_kind

ENDINGS = {"text": ".txt", "essays": ".md", "labels": ".tsv", "folder": ""}
DESCRIPTIONS = {
    "text": "a text of one corrected sentence per line, {n:,} lines",
    "essays": "the file of essays, all {n:,} of them, corrected",
    "labels": "a line for each token, the token, a tab and c or i, and a blank line behind each of {n:,} sentences",
    "folder": "a folder with a corrected text NAME.txt, or a file of edits, for each of {n:,} texts",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a submission for a corpus, and a submission that changes nothing."""

    kind: str  # ``text``, ``essays``, ``labels`` or ``folder``
    slug: str  # the corpus' name as a part of names of files
    n_units: int  # sentences, essays or texts
    source: Mapping[str, bytes]  # what teams get, by name
    unchanged: Mapping[str, bytes]  # a submission in which nothing is changed, by name

    @property
    def name(self) -> str:
        """The name of the file or folder."""
        return f"{self.slug}{ENDINGS[self.kind]}"

    @property
    def description(self) -> str:
        """Its description in words."""
        return DESCRIPTIONS[self.kind].format(n=self.n_units)


def submission_form(corpus: TaskCorpus, data: TaskData) -> Form:
    """The form of submissions for a corpus that has been read.

    Raises:
        UsageError: If texts of HOO data are missing.
    """
    name = slug(corpus.name)
    if isinstance(data, FragmentData):
        texts = {fragment.name: fragment.text for fragment in data.units}
        if lost := next((fragment for fragment, text in texts.items() if text is None), None):
            message = f"corpus '{corpus.name}': there is no source text of fragment {lost}, which teams would get"
            raise UsageError(Problem("bundle-no-text", message, fix="name their folder: source = ..."))
        source = {f"{fragment}.txt": str(text).encode() for fragment, text in texts.items()}
        return Form("folder", name, len(texts), source, {f"{name}/{file}": text for file, text in source.items()})
    lines = [sentence.text for sentence in data.units]
    kind = submission_kind(corpus)
    if corpus.source is not None:
        content = corpus.source.read_bytes()
        source = {corpus.source.name: content}
    else:
        content = _text(lines)
        source = {f"{name}.txt": content}
    if kind == "labels":
        tokens = [[*(f"{token}\t{CORRECT}" for token in sentence.tokens), ""] for sentence in data.units]
        content = _text([line for sentence in tokens for line in sentence])
    elif kind == "text":
        content = _text(lines)
    return Form(kind, name, len(lines), source, {f"{name}{ENDINGS[kind]}": content})


def check_names(forms: Mapping[str, Form]) -> None:
    """Refuse one name for the submissions of two corpora."""
    seen: dict[str, str] = {}
    for corpus, form in forms.items():
        if form.slug in seen:
            message = f"corpora '{seen[form.slug]}' and '{corpus}' would both be called {form.slug} in a submission"
            raise UsageError(Problem("bundle-names", message, Place(), fix="rename one of them"))
        seen[form.slug] = corpus


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say
MODE = 0o100644 << 16  # a regular file that everybody may read
UNIX = 3


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Files by name as a zip: sorted, all of one day, without folders' own entries."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, MODE, UNIX
            archive.writestr(entry, files[name])
    return content.getvalue()


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


FILE = "task.toml"
LISTS = ("gold", "annotators", "alternatives")
TomlValue = str | bool | list[str]


def reference_files(task: Task, corpus: TaskCorpus) -> dict[str, bytes]:
    """The files that score runs for a corpus: a task file of it alone, and all that this names."""
    values, files = _corpus(corpus, "")
    files[FILE] = _task_file(task, [values])
    return files


def kit_files(task: Task, forms: Mapping[str, Form]) -> dict[str, bytes]:
    """The files for teams: sources of test data, all of the development data; ``forms`` are of the corpora meant."""
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
        message = "this is no regular file, which a bundle could hold"
        raise UsageError(Problem("bundle-file", message, Place(str(path)), fix="save it to a file, and name that"))
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(Problem("cannot-open", message, Place(str(path)))) from None


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
