"""Where a choice that two scorers make differently changes a rank or a digit."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.metrics.score import Score
from errorbar.reporting.blocks import Block, Prose, Section
from errorbar.reporting.sections.figures import f_name, listed, plural, slug
from errorbar.tables.shown import percent
from errorbar.reporting.sections.ranking import ranked, ranks
from errorbar.studies.model import CorpusStudy, Study
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
    before, after = [one.f.value for one, _ in pairs], [two.f.value for _, two in pairs]
    apart = [None if a is None or b is None else b - a for a, b in zip(before, after, strict=True)]
    old, new = ranks(before), ranks(after)
    rows: list[list[Cell]] = []
    for (one, two), was, now, change in zip(pairs, old, new, apart, strict=True):
        rows.append([one.system, one.f, was, two.precision, two.recall, two.f, now, change])
    base = study.scores[0].metric
    same = scores[0].beta == study.scores[0].beta
    columns = [
        Column("system"),
        # Intervals of the main metric stand in the leaderboard.
        Column(f_name(study.scores[0].beta), "percent", "f", interval="hidden"),
        Column("rank", "count"),
        Column("new P", "percent", interval="hidden"),
        Column("new R", "percent", interval="hidden"),
        Column(f"{'new ' if same else ''}{f_name(scores[0].beta)}", "percent", "new_f", interval="hidden"),
        Column("new rank", "count"),
        Column("change", "percent", signed=True),
    ]
    digits = [one for one, two in pairs if percent(one.f.value) != percent(two.f.value)]
    moved = [one.system for (one, _), rank, then in zip(pairs, old, new, strict=True) if rank != then]
    sizes = [abs(each) for each in apart if each is not None]
    if not digits:
        sentence = f"{spec} in place of {base} changes no digit of F that is shown, and no rank."
    else:
        what = f"{plural(len(digits), 'system')} of {len(pairs)}"
        size = f", by up to {percent(max(sizes))} points" if sizes else ""
        what_rank = f"and the rank of {listed(moved)}" if moved else "and no rank"
        sentence = f"{spec} in place of {base} changes F of {what}{size}, {what_rank}."
    title = f"{base} against {spec}, in percent"
    notes = [f"new: under {spec}", "rank: 1 is the highest F; equal values share it"]
    return Table(columns, rows, title, f"choice-{slug(spec)}", notes), sentence
