"""A grid of values, each written into its cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.vega import ROW, altair, finish, rows, tips

STEP = 52
FLAT = 7
"""Names up to this many characters stand upright above their column; longer ones are turned."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell.

    Attributes:
        row: Name of its row.
        column: Name of its column.
        value: What its color says; None: there is no value.
        text: What stands in it.
        detail: What the tooltip adds.
    """

    row: str
    column: str
    value: float | None
    text: str
    detail: str = ""


def heat_chart(
    cells: Sequence[HeatCell],
    *,
    row_title: str,
    column_title: str,
    value_title: str,
    domain: tuple[float, float],
) -> Spec:
    """Draw a grid, rows and columns in the order of the cells.

    Args:
        cells: What to draw.
        row_title: Of the rows.
        column_title: Of the columns.
        value_title: What the color means, with its unit.
        domain: The values at both ends of the color scale.
    """
    alt = altair()
    columns = list(dict.fromkeys(cell.column for cell in cells))
    data = [
        {"row": c.row, "column": c.column, "value": c.value, "text": c.text, "detail": c.detail or c.text}
        for c in cells
    ]
    bare = {"domain": False, "ticks": False}
    angle = 0 if max(map(len, columns), default=0) <= FLAT else -45
    above = alt.Axis(orient="top", labelAngle=angle, labelLimit=120, **bare)
    x = alt.X("column:N", title=column_title, sort=None, scale=alt.Scale(domain=columns), axis=above)
    names = list(dict.fromkeys(cell.row for cell in cells))
    y = alt.Y("row:N", title=row_title, sort=None, scale=alt.Scale(domain=names), axis=alt.Axis(**bare))
    place = {"x": x, "y": y, "tooltip": tips(alt, row=row_title, column=column_title, detail=value_title)}
    scale = alt.Scale(domain=list(domain), clamp=True)
    color = alt.Color("value:Q", title=value_title, scale=scale, legend=alt.Legend(orient="bottom"))
    known = rows(alt, [row for row in data if row["value"] is not None])
    unknown = rows(alt, [row for row in data if row["value"] is None])
    layers = [
        alt.Chart(known).mark_rect(style="cell").encode(color=color, **place),
        alt.Chart(unknown).mark_rect(style="gap").encode(**place),
        alt.Chart(rows(alt, data)).mark_text(style="figure").encode(text="text:N", **place),
    ]
    return finish(alt.layer(*layers), step=STEP, height=ROW * len(names))
