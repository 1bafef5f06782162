"""Studies become a report: the sections that there is data for, in order, with names that are unique."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from errorbar.reporting.charts.build import unchecked
from errorbar.reporting.model import Block, Chart, Prose, Report, Section, Table
from errorbar.reporting.sections.agreement import agreement
from errorbar.reporting.sections.ceiling import ceiling
from errorbar.reporting.sections.choices import choices
from errorbar.reporting.sections.crowd import crowd
from errorbar.reporting.sections.figures import f_name
from errorbar.reporting.sections.hoo import hoo
from errorbar.reporting.sections.leaderboard import leaderboard
from errorbar.reporting.sections.methods import methods
from errorbar.reporting.sections.precision_recall import precision_recall
from errorbar.reporting.sections.sampling import sampling
from errorbar.reporting.sections.sentences import sentences
from errorbar.reporting.sections.summary import summary
from errorbar.reporting.sections.types import types
from errorbar.studies.model import CorpusStudy, CrowdStudy, HooStudy, Study
from errorbar.version import __version__

SECTIONS: tuple[Callable[[Study], Section | None], ...] = (
    leaderboard,
    precision_recall,
    types,
    ceiling,
    hoo,
    crowd,
    sampling,
    agreement,
    choices,
    sentences,
)


def build_report(
    studies: Sequence[Study], *, title: str, command: str, date: str = "", no_sentences: str = ""
) -> Report:
    """Make a report.

    Args:
        studies: What was computed; several kinds stand in one report, each in its sections.
        title: Its title.
        command: The command line that makes it again; empty: none is shown.
        date: When it was made, as ``2026-11-21``; empty where it must be the same every time.
        no_sentences: Why the sentences were left out, for the report to say; empty where they were not.

    Raises:
        MissingExtraError: If the library of charts is not installed.
    """
    with unchecked():
        found = [(study, make(study)) for study in studies for make in SECTIONS]
    if no_sentences:
        without = Section("sentences", "Sentences", [Prose([no_sentences])])
        found += [(study, without) for study in studies if isinstance(study, CorpusStudy | HooStudy)]
    several = len({section.title for _, section in found if section}) < sum(section is not None for _, section in found)
    taken: set[str] = set()
    made = []
    for study, section in found:
        if section is not None:
            named = replace(section, title=f"{section.title}: {study.name}") if several else section
            made.append(_unique(named, taken))
    made.append(_unique(methods(studies, command), taken))
    facts = _facts(studies[0]) if len(studies) == 1 else [_in_one(study) for study in studies]
    return Report(title, summary(studies), made, tuple(facts), __version__, date)


def _facts(study: Study) -> list[tuple[str, str]]:
    if isinstance(study, CorpusStudy):
        documents = [] if study.n_documents is None else [("documents", f"{study.n_documents:,}")]
        metric = [("metric", f"{study.scores[0].metric} ({f_name(study.scores[0].beta)})")] if study.scores else []
        return [
            ("data", study.name),
            ("sentences", f"{study.n_sentences:,}"),
            *documents,
            ("annotators", f"{len(study.annotators):,}"),
            ("systems", f"{len(study.scores):,}"),
            *metric,
        ]
    if isinstance(study, HooStudy):
        n = study.scores[0].n_units if study.scores else 0
        spec = [("metric", study.scores[0].signature.spec)] if study.scores else []
        return [("data", study.name), ("fragments", f"{n:,}"), ("runs", f"{len(study.scores):,}"), *spec]
    if isinstance(study, CrowdStudy):
        return [
            ("data", study.name),
            ("items", f"{study.n_items:,}"),
            ("raters", f"{study.n_raters:,}"),
            ("judgments", f"{study.n_judgments:,}"),
            ("systems", f"{len(study.systems):,}"),
        ]
    return [("data", study.name), ("items", f"{study.n_items:,}"), ("judged", f"{study.n_judged:,}")]


def _in_one(study: Study) -> tuple[str, str]:
    """What is known of one of several studies, as one fact."""
    (_, name), *others = _facts(study)
    return name, ", ".join(_counted(value, what) for what, value in others)


def _counted(value: str, what: str) -> str:
    if not value[0].isdigit():
        return f"{what} {value}"
    return f"{value} {what.removesuffix('s') if value == '1' else what}"


def _unique(section: Section, taken: set[str]) -> Section:
    """The section with names that nothing before it has: a number is added where needed."""

    def free(name: str) -> str:
        made, number = name, 1
        while made in taken:
            number += 1
            made = f"{name}-{number}"
        taken.add(made)
        return made

    def block(one: Block) -> Block:
        if isinstance(one, Chart):
            return replace(one, name=free(one.name), table=replace(one.table, name=free(one.table.name)))
        return replace(one, name=free(one.name)) if isinstance(one, Table) else one

    return replace(section, name=free(section.name), blocks=[block(one) for one in section.blocks])
