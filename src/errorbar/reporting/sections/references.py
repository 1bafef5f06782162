"""References that were made for systems: what they change beside the annotators' references."""

from __future__ import annotations

from dataclasses import replace

from errorbar.api.corpus_results import CorpusStudy, Study
from errorbar.api.references import MOST_TURNED, ReferencesResult
from errorbar.reporting.blocks import Block, Prose, Section
from errorbar.reporting.sections.figures import count_noun

ABOUT = (
    "An editor changed each system's output, as little as possible, until it was right. Against that reference of its "
    "own a system gets every valid correction counted, also those that no annotator made. The change is that of the "
    "score beside the annotators' references, on the same sentences."
)


def references(study: Study) -> Section | None:
    """The section on own references, or None where there are none."""
    if not isinstance(study, CorpusStudy) or study.references is None:
        return None
    result = study.references
    turned = result.sentences()
    table, *others = result.tables()
    notes = [note for note in table.notes if note not in turned]
    table = replace(table, name="references-golds", notes=notes)
    others = [replace(other, name=f"references-{other.name}") for other in others]
    prose = [ABOUT, *turned[:MOST_TURNED]]
    if len(turned) > MOST_TURNED:
        prose.append(f"{len(turned) - MOST_TURNED:,} more pairs are in an order that depends on the references.")
    blocks: list[Block] = [Prose(prose), table, *others]
    return Section("references", "References made for the systems", blocks)


def references_sentence(result: ReferencesResult) -> str:
    """The sentence of the summary: whether own references change who is ahead of whom."""
    sentences = result.sentences()
    if not sentences:
        return "Against references of their own no two systems change places, as far as differences are significant."
    more = len(sentences) - 1
    return f"{sentences[0]} The order of {count_noun(more, 'more pair')} depends on it." if more else sentences[0]
