"""Where a choice that two scorers make differently changes a rank or a digit."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.metrics.score import Score
from errorbar.reporting.model import Block, Cell, Prose, Section, Shown, Table
from errorbar.reporting.sections.figures import DASH, estimate_cell, f_name, listed, percent, plural, slug
from errorbar.reporting.sections.ranking import ranked, ranks
from errorbar.studies.model import CorpusStudy, Study


def choices(study: Study) -> Section | None:
    """Each other spec beside the main one, or None where there is no other."""
    if not isinstance(study, CorpusStudy) or not study.scores or not study.others:
        return None
    blocks: list[Block] = []
    sentences = []
    for spec, scores in study.others.items():
        table, sentence = _compare(study, spec, scores)
        sentences.append(sentence)
        blocks.append(table)
    return Section("choices", "What the choices change", [Prose([*_opening(study), *sentences]), *blocks])


def _opening(study: CorpusStudy) -> list[str]:
    if len(study.annotators) < 2:
        return []
    return [
        "With several annotators a scorer chooses one for each sentence. The official scorers take the one that gives "
        "the best F over the corpus so far, so the result depends on the order of sentences (choose=running); "
        "choose=sentence takes the best for each sentence alone."
    ]


def _compare(study: CorpusStudy, spec: str, scores: Sequence[Score]) -> tuple[Table, str]:
    main = {score.system: score for score in study.scores}
    names = [study.scores[k].system for k in ranked(study)]
    other = {score.system: score for score in scores}
    pairs = [(main[name], other[name]) for name in names if name in other]
    before, after = [one.f.value for one, _ in pairs], [two.f.value for _, two in pairs]
    old, new = ranks(before), ranks(after)
    rows: list[list[Cell]] = []
    for (one, two), was, now in zip(pairs, old, new, strict=True):
        apart = None if one.f.value is None or two.f.value is None else two.f.value - one.f.value
        change = Shown(DASH if apart is None else f"{100 * apart:+.2f}", apart)
        cells = [estimate_cell(e) for e in (two.precision, two.recall, two.f)]
        rows.append([one.system, estimate_cell(one.f), _rank(was), *cells, _rank(now), change])
    base = study.scores[0].metric
    same = scores[0].beta == study.scores[0].beta
    f_new = f"{'new ' if same else ''}{f_name(scores[0].beta)}"
    columns = ["system", f_name(study.scores[0].beta), "rank", "new P", "new R", f_new, "new rank", "change"]
    digits = [one.system for one, two in pairs if percent(one.f.value) != percent(two.f.value)]
    moved = [one.system for (one, _), rank, then in zip(pairs, old, new, strict=True) if rank != then]
    sizes = [abs(b - a) for a, b in zip(before, after, strict=True) if a is not None and b is not None]
    if not digits:
        sentence = f"{spec} in place of {base} changes no digit of F that is shown, and no rank."
    else:
        what = f"{plural(len(digits), 'system')} of {len(pairs)}"
        size = f", by up to {percent(max(sizes))} points" if sizes else ""
        what_rank = f"and the rank of {listed(moved)}" if moved else "and no rank"
        sentence = f"{spec} in place of {base} changes F of {what}{size}, {what_rank}."
    title = f"{base} against {spec}, in percent"
    notes = [f"new: under {spec}", "rank: 1 is the highest F; equal values share it"]
    return Table(f"choice-{slug(spec)}", title, columns, rows, 1, notes), sentence


def _rank(rank: int | None) -> Shown:
    return Shown(DASH if rank is None else str(rank), rank)
