"""A grid of values, each written into its cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.reporting.charts.build import ROW, altair, finish, longest, rows
from errorbar.reporting.model import Spec

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
    row_names = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    data = [
        {"row": c.row, "column": c.column, "value": c.value, "text": c.text, "detail": c.detail or c.text}
        for c in cells
    ]
    angle = 0 if longest(columns) <= FLAT else -45
    x = alt.X(
        "column:N",
        title=column_title,
        sort=None,
        scale=alt.Scale(domain=columns),
        axis=alt.Axis(orient="top", labelAngle=angle, labelLimit=120, domain=False, ticks=False),
    )
    y = alt.Y(
        "row:N",
        title=row_title,
        sort=None,
        scale=alt.Scale(domain=row_names),
        axis=alt.Axis(domain=False, ticks=False),
    )
    tooltip = [
        alt.Tooltip("row:N", title=row_title),
        alt.Tooltip("column:N", title=column_title),
        alt.Tooltip("detail:N", title=value_title),
    ]
    known = rows(alt, [row for row in data if row["value"] is not None])
    unknown = rows(alt, [row for row in data if row["value"] is None])
    color = alt.Color(
        "value:Q",
        title=value_title,
        scale=alt.Scale(domain=list(domain), clamp=True),
        legend=alt.Legend(orient="bottom"),
    )
    layers = [
        alt.Chart(known).mark_rect(style="cell").encode(x=x, y=y, color=color, tooltip=tooltip),
        alt.Chart(unknown).mark_rect(style="gap").encode(x=x, y=y, tooltip=tooltip),
        alt.Chart(rows(alt, data)).mark_text(style="figure").encode(x=x, y=y, text="text:N", tooltip=tooltip),
    ]
    return finish(alt.layer(*layers), step=STEP, height=ROW * len(row_names))
