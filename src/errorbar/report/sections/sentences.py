"""The sentence browser."""

from __future__ import annotations

from errorbar.report.model import Prose, Section, Sentences
from errorbar.studies.model import CorpusStudy, HooStudy, Study


def sentences(study: Study) -> Section | None:
    """The browser, or None where there are no sentences to look at."""
    if not isinstance(study, CorpusStudy | HooStudy) or study.browse is None or not study.browse.units:
        return None
    browse = study.browse
    title = "Sentences" if browse.unit == "sentence" else "Texts"
    about = Prose([f"Every {browse.unit} with the edits of each annotator and each system, as the metric counts them."])
    return Section(title.lower(), title, [about, Sentences(browse)])
