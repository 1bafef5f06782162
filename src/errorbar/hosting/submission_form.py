"""What a submission to a host is: one run, a file for each corpus, or of HOO data a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.formats.catalog import format_of, holds
from errorbar.formats.look import look
from errorbar.formats.token_labels import CORRECT
from errorbar.reporting.sections.figures import slug
from errorbar.tasks.config import TaskCorpus
from errorbar.tasks.task_data import FragmentData, TaskData

ENDINGS = {"text": ".txt", "essays": ".md", "labels": ".tsv", "folder": ""}
SAID = {
    "text": "a text of one corrected sentence per line, {n:,} lines",
    "essays": "the file of essays, all {n:,} of them, corrected",
    "labels": "a line for each token, the token, a tab and c or i, and a blank line behind each of {n:,} sentences",
    "folder": "a folder with a corrected text NAME.txt, or a file of edits, for each of {n:,} texts",
}


@dataclass(frozen=True, slots=True)
class Form:
    """How a submission for a corpus looks, and one that changes nothing.

    Attributes:
        kind: ``text``, ``essays``, ``labels`` or ``folder``.
        slug: The corpus' name as a part of names of files.
        n_units: Sentences, essays or texts.
        source: What teams get, by name.
        unchanged: A submission in which nothing is changed, by name.
    """

    kind: str
    slug: str
    n_units: int
    source: Mapping[str, bytes]
    unchanged: Mapping[str, bytes]

    @property
    def name(self) -> str:
        """What the file or folder is called."""
        return f"{self.slug}{ENDINGS[self.kind]}"

    @property
    def said(self) -> str:
        """What it is, in words."""
        return SAID[self.kind].format(n=self.n_units)


def submission_form(corpus: TaskCorpus, data: TaskData) -> Form:
    """The form of submissions for a corpus that has been read.

    Raises:
        UsageError: If texts of HOO data are missing.
    """
    name = slug(corpus.name)
    if isinstance(data, FragmentData):
        texts = {each.name: each.text for each in data.units}
        if lost := next((each for each, text in texts.items() if text is None), None):
            what = f"corpus '{corpus.name}': there is no source text of fragment {lost}, which teams would get"
            raise UsageError(Problem("bundle-no-text", what, fix="name their folder: source = ..."))
        source = {f"{each}.txt": str(text).encode() for each, text in texts.items()}
        return Form("folder", name, len(texts), source, {f"{name}/{each}": text for each, text in source.items()})
    lines = [sentence.text for sentence in data.units]
    kind = _kind(corpus)
    if corpus.source is not None:
        content = corpus.source.read_bytes()
        source = {corpus.source.name: content}
    else:
        content = _text(lines)
        source = {f"{name}.txt": content}
    if kind == "labels":
        tokens = [[*(f"{token}\t{CORRECT}" for token in sentence.tokens), ""] for sentence in data.units]
        content = _text([line for each in tokens for line in each])
    elif kind == "text":
        content = _text(lines)
    return Form(kind, name, len(lines), source, {f"{name}{ENDINGS[kind]}": content})


def check_names(forms: Mapping[str, Form]) -> None:
    """See that submissions for two corpora do not have one name."""
    seen: dict[str, str] = {}
    for corpus, form in forms.items():
        if form.slug in seen:
            what = f"corpora '{seen[form.slug]}' and '{corpus}' would both be called {form.slug} in a submission"
            raise UsageError(Problem("bundle-names", what, Place(), fix="rename one of them"))
        seen[form.slug] = corpus


def _kind(corpus: TaskCorpus) -> str:
    if corpus.gold and holds(str(corpus.gold[0])) == "labels":
        return "labels"
    essays = corpus.source is not None and format_of(look(corpus.source)).name == "multigec"
    return "essays" if essays else "text"


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
