"""What the published tables are recomputed from: corpora, and where they are asked for, detectors and native text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.datasets import path
from errorbar.formats.nucle_project import add_documents
from errorbar.formats.reference import read_corpus

_FOLDERS = {
    "conll2014": "conll14",
    "conll2014-systems": "conll14_systems/official_submissions",
    "bryant-ng2015": "bn2015_10gec",
}
TEN_ANNOTATORS = tuple(f"A{k}" for k in range(1, 11))


NO_DETECTOR = "not run: it takes trained detectors (--models)"


@dataclass(frozen=True, slots=True)
class Sources:
    """Finds files of corpora: in a folder that holds those of ``_FOLDERS``, or in the cache of ``errorbar data``.

    Attributes:
        data: The folder; None: the cache.
        models: Folder of trained detectors; None: tables that need one say so.
        texts: Native text, of which a part is trained on; without any, tables that need it say so.
        treebanks: Other native text, to choose prepositions in.
        tell: Is told what begins where something takes its time.
        made: What was made of them, which takes its time and is needed more than once.
    """

    data: Path | None = None
    models: Path | None = None
    texts: tuple[str, ...] = ()
    treebanks: tuple[str, ...] = ()
    tell: Callable[[str], object] = lambda _: None
    made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def file(self, corpus: str, name: str) -> Path:
        """The path of a file of a corpus."""
        found = (path(corpus) if self.data is None else self.data / _FOLDERS[corpus]) / name
        if not found.is_file():
            fix = f"errorbar data fetch {corpus}, or name a folder that has it: --data DIR"
            raise InputError(Problem("no-corpus", f"the corpus '{corpus}' is not here", Place(str(found)), fix=fix))
        return found

    def conll2014(self, *names: str) -> Corpus:
        """References of the CoNLL-2014 test set."""
        return read_corpus([self.file("conll2014", name) for name in names])

    def ten_annotators(self, problems: Problems | None = None, *, essays: bool = False) -> Corpus:
        """The test set as ten annotators saw it; two of the files hold a repeated edit each, which is dropped.

        ``essays``: with the essay of each sentence.
        """
        files = [self.file("bryant-ng2015", f"{name}.m2") for name in TEN_ANNOTATORS]
        noted = problems or Problems(lenient=True)
        corpus = read_corpus(files, noted)
        if essays:
            add_documents(corpus, str(self.file("conll2014", "noalt/official-2014.0.sgml")), noted)
        return corpus

    def system(self, name: str) -> Hypothesis:
        """What a team of CoNLL-2014 submitted."""
        text = self.file("conll2014-systems", name).read_bytes().decode()
        return Hypothesis(name, text.removesuffix("\n").split("\n"))
