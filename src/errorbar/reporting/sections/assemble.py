"""Studies become a report: the sections that there is data for, in order, with names that are unique."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from errorbar.api.browse import Browse
from errorbar.api.corpus_results import CorpusStudy, CrowdStudy, HooStudy, Study
from errorbar.core.labels import join_words
from errorbar.reporting.blocks import Block, Chart, Fold, ItemList, Matrix, Prose, Report, Section, SentenceBrowser
from errorbar.reporting.export import MadeReport, today
from errorbar.reporting.sections.annotators import agreement, ceiling, pools, references
from errorbar.reporting.sections.crowd import crowd, detectors, models, sampling
from errorbar.reporting.sections.figures import main_measure, rank_systems
from errorbar.reporting.sections.leaderboard import attack, card_chart, choices, leaderboard, precision_recall
from errorbar.reporting.sections.methods import list_missing, methods
from errorbar.reporting.sections.summary import headline, summary, terms
from errorbar.reporting.sections.types import code_key, hoo, order_runs, types
from errorbar.tables.table import Table
from errorbar.version import __version__

MOST_SENTENCES, MOST_CHARACTERS = 5000, 2_000_000
"""Limits of a page, unless more is asked for: about 3 MB."""
SHOWN = 6  # systems whose sentences are shown at first: the best ones. The reader may choose others.


def sentences(study: Study) -> Section | None:
    """The sentence browser, or None where there are no sentences to look at."""
    if not isinstance(study, CorpusStudy | HooStudy) or study.browse is None or not study.browse.units:
        return None
    browse = study.browse
    title = "Sentences" if browse.unit == "sentence" else "Texts"
    with_edits = "with the edits of each annotator and each system, as the metric counts them."
    which, more = f"Every {browse.unit} {with_edits}", ""
    if browse.n_left_out:
        which = f"{len(browse.units):,} of {len(browse.units) + browse.n_left_out:,} {browse.unit}s {with_edits}"
        more = (
            " They are those with most edits that a system missed or made in vain, then those in which annotators "
            f"differ most. All other sections are of all {browse.unit}s. With the setting sentences=all a page has "
            "every one of them, with sentences=NUMBER so many."
        )
    about = [f"{which}{more}{_order_sentence(browse)}"]
    if isinstance(study, CorpusStudy):
        best = [study.scores[k].system for k in rank_systems(study)]
    else:
        best = [score.system for score in order_runs(study.scores)]
    first = [name for name in best if name in set(browse.systems)][:SHOWN]
    meanings = code_key({edit.type for unit in browse.units for edits in unit.annotators for edit in edits or ()})
    return Section(title.lower(), title, [Prose(about), SentenceBrowser(browse, first, meanings)])


def _order_sentence(browse: Browse) -> str:
    """The order of what stands first, as ``templates/pool.js`` sorts."""
    if len(browse.systems) > 1:
        return (
            " Those in which the best and the worst system differ most come first; where they differ alike, those in "
            "which the best corrects most."
        )
    return " First come those in which the system missed most or made most in vain." if browse.systems else ""


SECTIONS: tuple[Callable[[Study], Section | None], ...] = (
    leaderboard,
    precision_recall,
    types,
    references,
    ceiling,
    hoo,
    crowd,
    models,
    detectors,
    sampling,
    agreement,
    pools,
    choices,
    attack,
    sentences,
)


def limit_sentences(study: Study, most: int | None) -> Study:
    """The study with at most so many sentences to look at; None: with as many as a page has if nothing is said."""
    if not isinstance(study, CorpusStudy | HooStudy) or study.browse is None:
        return study
    limits = (MOST_SENTENCES, MOST_CHARACTERS) if most is None else (most, sys.maxsize)
    return replace(study, browse=study.browse.most_telling(*limits))


def study_sections(study: Study) -> list[Section]:
    """The sections that there is data for."""
    return [section for make in SECTIONS if (section := make(study))]


def build_report(
    studies: Sequence[Study],
    *,
    title: str,
    command: str,
    date: str = "",
    no_sentences: str = "",
    most_sentences: int | None = None,
    image: str = "",
    make_sections: Callable[[Study], Sequence[Section]] = study_sections,
) -> Report:
    """Make a report of studies; several kinds stand in one, each in its sections.

    ``command`` makes it again, ``date`` is as ``2026-11-21``, ``no_sentences`` says why they were left out; what is
    empty is not shown. ``most_sentences`` is how many can be looked at; None: the most telling ones, up to a limit.
    ``image`` is the address of the share card on the web.
    """
    studies = [limit_sentences(study, most_sentences) for study in studies]
    sections = [(study, section) for study in studies for section in make_sections(study)]
    if no_sentences:
        without = Section("sentences", "Sentences", [Prose([no_sentences])])
        sections += [(study, without) for study in studies if isinstance(study, CorpusStudy | HooStudy)]
    several = len({section.title for _, section in sections}) < len(sections)
    named = [
        replace(section, title=f"{section.title}: {study.name}") if several else section for study, section in sections
    ]
    taken: set[str] = set()
    unique = [_name_apart(section, taken) for section in (*named, methods(studies, command))]
    facts = _facts(studies[0]) if len(studies) == 1 else [_join_facts(study) for study in studies]
    return Report(
        *(title, summary(studies), unique, tuple(facts), __version__, date),
        headline=headline(studies),
        terms=terms(studies),
        card=next((chart for chart in map(card_chart, studies) if chart is not None), None),
        image=image,
    )


def make_report(
    studies: Sequence[Study],
    title: str,
    command: str,
    no_sentences: str,
    most_sentences: int | None = None,
    image: str = "",
) -> MadeReport:
    """The report of today with what is to be said of it; without a ``title`` it has the names of the data."""
    name = title or join_words(list(dict.fromkeys(study.name for study in studies)))
    report = build_report(
        studies,
        title=name,
        command=command,
        date=today(),
        no_sentences=no_sentences,
        most_sentences=most_sentences,
        image=image,
    )
    notes = dict.fromkeys(note for study in studies for note in study.notes)
    return MadeReport(report, studies, tuple(notes), tuple(list_missing(studies)))


def _facts(study: Study) -> list[tuple[str, str]]:
    if isinstance(study, CorpusStudy):
        facts: list[tuple[str, int | str | None]] = [
            *(("sentences", study.n_sentences), ("documents", study.n_documents)),
            *(("editors" if study.editors else "annotators", len(study.annotators)), ("systems", len(study.scores))),
            *([] if study.detectors is None else [("detectors", len(study.detectors.detectors))]),
            *(("metric", f"{score.metric} ({main_measure(score).title})") for score in study.scores[:1]),
        ]
    elif isinstance(study, HooStudy):
        facts = [("fragments", study.scores[0].n_units if study.scores else 0), ("runs", len(study.scores))]
        facts += [("metric", score.signature.spec) for score in study.scores[:1]]
    elif isinstance(study, CrowdStudy):
        facts = [("items", study.n_items), ("raters", study.n_raters), ("judgments", study.n_judgments)]
        facts.append(("systems", len(study.curves.systems)))
    else:
        facts = [("items", study.n_items), ("judged", study.n_judged)]
    known = [(name, f"{value:,}" if isinstance(value, int) else value) for name, value in facts if value is not None]
    return [("data", study.name), *known]


def _join_facts(study: Study) -> tuple[str, str]:
    """The facts of one of several studies, as one fact."""
    (_, name), *others = _facts(study)
    parts = []
    for label, value in others:
        singular = label.removesuffix("s") if value == "1" else label
        parts.append(f"{value} {singular}" if value[0].isdigit() else f"{label} {value}")
    return name, ", ".join(parts)


def _name_apart(section: Section, taken: set[str]) -> Section:
    """The section with names that nothing before it has: a number is added where needed."""

    def free(name: str) -> str:
        unique, number = name, 1
        while unique in taken:
            number += 1
            unique = f"{name}-{number}"
        taken.add(unique)
        return unique

    def block(part: Block) -> Block:
        if isinstance(part, Chart):
            return replace(part, name=free(part.name), table=replace(part.table, name=free(part.table.name)))
        if isinstance(part, ItemList):
            return replace(part, table=replace(part.table, name=free(part.table.name)))
        if isinstance(part, Fold) and isinstance(part.inside, Table):
            return replace(part, inside=replace(part.inside, name=free(part.inside.name)))
        return replace(part, name=free(part.name)) if isinstance(part, Table | Matrix) else part

    return replace(section, name=free(section.name), blocks=[block(part) for part in section.blocks])
