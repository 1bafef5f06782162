"""Where systems that nobody would want land under the metrics of the page."""

from __future__ import annotations

from dataclasses import replace

from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.sections.figures import axis, drawn, in_percent
from errorbar.studies.attack_result import Attacked, Landings, placed
from errorbar.studies.model import CorpusStudy, Study

MOST_SYSTEMS = 30
ABOUT = (
    "Attacks are systems that nobody would want, made of the corpus itself. Each is ranked alone among the systems of "
    "this page; where one ranks high, the metric can be satisfied without correcting well."
)


def attack(study: Study) -> Section | None:
    """A chart of the main metric, a table of each further one; None where no attack was made."""
    if not isinstance(study, CorpusStudy) or study.attacked is None:
        return None
    found = study.attacked
    main, *others = found.landings
    blocks: list[Block] = [Prose([ABOUT, *found.summaries()]), _chart(found, main)]
    for number, under in enumerate(others):
        table = found.table(under, f"attacks-{number + 2}", told=True)
        blocks.append(replace(table, notes=[*in_percent([under.measure]), *table.notes]))
    return Section("attacks", "Attacks on the metric", blocks)


def _chart(found: Attacked, under: Landings) -> Chart:
    kind, sign = under.measure.kind, under.measure.sign
    known = [each for each in under.systems if each.estimate.value is not None]
    systems = sorted(known, key=lambda each: -sign * (each.estimate.value or 0.0))
    rows = [(each, "") for each in systems[:MOST_SYSTEMS]]
    rows += [(each.attack, placed(each, under)) for each in under.best_first if each.rank is not None]
    rows.sort(key=lambda row: -sign * (row[0].estimate.value or 0.0))
    dots = [
        Dot(f"{each.name} (attack)" if place else each.name, *drawn(each.estimate, kind), note=place)
        for each, place in rows
    ]
    text = "Best first; behind an attack stands its place among the systems. An attack above systems is one that the "
    text += "metric prefers to their corrections."
    if len(systems) > MOST_SYSTEMS:
        text += f" The chart shows the best {MOST_SYSTEMS} of {len(systems)} systems."
    table = found.table(under, "attacks-table", told=True)
    table = replace(table, notes=[*in_percent([under.measure]), *table.notes])
    title = f"{under.measure.title} of attacks among the systems"
    return Chart("attacks-chart", title, text, dot_chart(dots, axis(under.measure), name_title="who"), table)
