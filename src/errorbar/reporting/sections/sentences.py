"""The sentence browser."""

from __future__ import annotations

from errorbar.reporting.model import Prose, Section, Sentences
from errorbar.reporting.sections.hoo import by_f
from errorbar.reporting.sections.ranking import ranked
from errorbar.studies.model import CorpusStudy, HooStudy, Study

SHOWN = 6
"""Systems that are shown at first: the best ones. The reader may choose others."""


def sentences(study: Study) -> Section | None:
    """The browser, or None where there are no sentences to look at."""
    if not isinstance(study, CorpusStudy | HooStudy) or study.browse is None or not study.browse.units:
        return None
    browse = study.browse
    title = "Sentences" if browse.unit == "sentence" else "Texts"
    about = Prose([f"Every {browse.unit} with the edits of each annotator and each system, as the metric counts them."])
    if isinstance(study, CorpusStudy):
        best = [study.scores[k].system for k in ranked(study)]
    else:
        best = [score.system for score in by_f(list(study.scores))]
    first = [name for name in best if name in set(browse.systems)][:SHOWN]
    return Section(title.lower(), title, [about, Sentences(browse, first)])
