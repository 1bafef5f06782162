"""Counts as bars from zero."""

from __future__ import annotations

from collections.abc import Mapping

from errorbar.reporting.charts.build import altair, finish, rows
from errorbar.reporting.model import Spec


def bar_chart(counts: Mapping[str, int], *, x_title: str, y_title: str) -> Spec:
    """Draw a bar for each count, in the order given, its number above it.

    Args:
        counts: Name of the bar to its count.
        x_title: What the bars are.
        y_title: What is counted.
    """
    alt = altair()
    data = [{"name": name, "count": count, "text": f"{count:,}"} for name, count in counts.items()]
    x = alt.X("name:N", title=x_title, sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("count:Q", title=y_title, scale=alt.Scale(zero=True))
    tooltip = [alt.Tooltip("name:N", title=x_title), alt.Tooltip("text:N", title=y_title)]
    base = alt.Chart(rows(alt, data)).encode(x=x, y=y, tooltip=tooltip)
    return finish(
        alt.layer(base.mark_bar(style="bar"), base.mark_text(style="figure", dy=-7).encode(text="text:N")), height=220
    )
