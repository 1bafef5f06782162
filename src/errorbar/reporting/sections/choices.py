"""Where a choice that two scorers make differently changes a rank or a digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errorbar.metrics.base import Measure
from errorbar.metrics.scored import Score
from errorbar.reporting.blocks import Block, Prose, Section
from errorbar.reporting.sections.figures import listed, plural, slug, value_text
from errorbar.reporting.sections.ranking import main_measure, ranked, ranks
from errorbar.studies.model import CorpusStudy, Study
from errorbar.studies.score_result import measure_column
from errorbar.tables.table import Cell, Column, Table

OPENING = (
    "With several annotators a scorer chooses one for each sentence. The official scorers take the one that gives "
    "the best F over the corpus so far, so the result depends on the order of sentences (choose=running); "
    "choose=sentence takes the best for each sentence alone."
)


def choices(study: Study) -> Section | None:
    """Each other spec beside the main one, or None where there is no other."""
    if not isinstance(study, CorpusStudy) or not study.scores or not study.others:
        return None
    made = [_compare(study, spec, scores) for spec, scores in study.others.items()]
    opening = [OPENING] if len(study.annotators) > 1 else []
    blocks: list[Block] = [Prose([*opening, *(sentence for _, sentence in made)]), *(table for table, _ in made)]
    return Section("choices", "What the choices change", blocks)


def _compare(study: CorpusStudy, spec: str, scores: Sequence[Score]) -> tuple[Table, str]:
    main = {score.system: score for score in study.scores}
    other = {score.system: score for score in scores}
    names = [study.scores[k].system for k in ranked(study)]
    pairs = [(main[name], other[name]) for name in names if name in other]
    measure, theirs = main_measure(study.scores[0]), main_measure(scores[0])
    before, after = [one[one.main].value for one, _ in pairs], [two[two.main].value for _, two in pairs]
    apart = [None if a is None or b is None else b - a for a, b in zip(before, after, strict=True)]
    old, new = ranks(before, measure.sign), ranks(after, theirs.sign)
    rows: list[list[Cell]] = []
    for (one, two), was, now, change in zip(pairs, old, new, apart, strict=True):
        rows.append([one.system, one[one.main], was, *two.estimates.values(), now, change])
    base = study.scores[0].metric
    columns = [
        Column("system"),
        # Intervals of the main metric stand in the leaderboard.
        replace(measure_column(measure), interval="hidden"),
        Column("rank", "count"),
        *(_new(each, measure) for each in scores[0].measures),
        Column("new rank", "count"),
        Column("change", theirs.kind, signed=True),
    ]
    digits = [
        1 for a, b in zip(before, after, strict=True) if value_text(a, measure.kind) != value_text(b, theirs.kind)
    ]
    moved = [one.system for (one, _), rank, then in zip(pairs, old, new, strict=True) if rank != then]
    sizes = [abs(each) for each in apart if each is not None]
    name = measure.title.rstrip("0123456789.")
    if not digits:
        sentence = f"{spec} in place of {base} changes no digit of {name} that is shown, and no rank."
    else:
        what = f"{plural(len(digits), 'system')} of {len(pairs)}"
        most = max(sizes, default=None)
        size = "" if most is None else f", by up to {value_text(most, theirs.kind)} points"
        what_rank = f"and the rank of {listed(moved)}" if moved else "and no rank"
        sentence = f"{spec} in place of {base} changes {name} of {what}{size}, {what_rank}."
    title = f"{base} against {spec}, in percent"
    notes = [f"new: under {spec}", f"rank: 1 is the best {name}; equal values share it"]
    return Table(columns, rows, title, f"choice-{slug(spec)}", notes), sentence


def _new(measure: Measure, main: Measure) -> Column:
    """A column under the other metric; a title that the main metric does not have says enough."""
    title = measure.title if measure.name == main.name and measure.title != main.title else f"new {measure.title}"
    return Column(title, measure.kind, f"new_{measure.name}", interval="hidden")
