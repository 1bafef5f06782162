"""References that were made for systems: what they change beside the annotators' references."""

from __future__ import annotations

from dataclasses import replace

from errorbar.api.corpus_results import CorpusStudy, Study
from errorbar.api.references import MOST_TURNED, ReferencesResult
from errorbar.metrics.golds import OWN
from errorbar.reporting.blocks import Block, Prose, Section
from errorbar.reporting.sections.figures import count_noun, phrase_estimate

ABOUT = (
    "An editor changed each system's output, as little as possible, until it was right. Against that reference of its "
    "own a system gets every valid correction counted, also those that no annotator made. The change is that of the "
    "score beside the annotators' references, on the same sentences."
)
AHEAD = (
    "Who is ahead is tested here over texts, with these references; the tests of the leaderboard may be over other "
    "judges as well, and then find fewer differences."
)


def references(study: Study) -> Section | None:
    """The section on own references, or None where there are none."""
    if not isinstance(study, CorpusStudy) or study.references is None:
        return None
    result = study.references
    turned = result.sentences()
    table, *others = result.tables()
    n_told = min(len(turned), MOST_TURNED + 1)  # the sentences, and how many more there are, open the notes
    table = replace(table, name="references-golds", notes=table.notes[n_told:])
    others = [replace(other, name=f"references-{other.name}") for other in others]
    prose = [ABOUT, *turned[:MOST_TURNED]]
    if len(turned) > MOST_TURNED:
        prose.append(_further(len(turned) - MOST_TURNED))
    prose += [AHEAD] * bool(turned)
    blocks: list[Block] = [Prose(prose), table, *others]
    return Section("references", "References made for the systems", blocks)


def references_sentence(result: ReferencesResult) -> str:
    """The sentence of the summary: who is ahead under one gold alone, or the score of one system; empty: not known."""
    own, sentences = [score for score in result.scores if score.gold == OWN], result.sentences()
    if len(own) == 1:
        measure = result.metric.measures[result.metric.main]
        value = phrase_estimate(own[0].estimates[measure.name], measure.kind)
        return f"Against references of its own {own[0].system} scores {measure.title} {value}."
    if not any(pair.is_known for pair in result.pairs):
        return ""
    if not sentences:
        return "Against references of their own no two systems change places, as far as differences are significant."
    return f"{sentences[0]} {_further(len(sentences) - 1)}" if len(sentences) > 1 else sentences[0]


def _further(n: int) -> str:
    return f"For {count_noun(n, 'more pair')}, too, it depends on the references who is significantly ahead."
