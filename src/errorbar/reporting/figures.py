"""The picture of a plan of judgments: half-widths by number of judges."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.api.plan_judging import JudgingPlan, Target
from errorbar.formats.saving import save_bytes
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.export import Picture, draw_spec

MOST_JUDGES = 10
TIMES = (0.5, 1, 2, 4)
"""Factors of the curves' numbers of documents and of the lines' costs: 1 is the first design of the plan."""
LEAST_TEXTS = 2
HEIGHT = 300


def plan_chart(plan: JudgingPlan, target: Target) -> Spec:
    """Half-width of a target by number of judges: curves of as many documents, dashed lines of equal cost."""
    first = plan.designs[0]
    factor = 100 if plan.measure.kind == "percent" else 1
    sizes = [max(2, round(first.n_texts * times)) for times in TIMES]
    costs = [first.n_texts * first.n_judges * times for times in TIMES]

    def half(n_texts: float, n_judges: int) -> float | None:
        return plan.half_width(target, n_texts, n_judges) if n_texts >= LEAST_TEXTS else None

    def row(series: str, n_texts: float, n_judges: int, width: float) -> vega.Row:
        own = {"series": series, "judges": n_judges, "half": factor * width}
        return {**own, "texts": f"{n_texts:,.0f}", "shown": f"{factor * width:.2f}"}

    judges = range(1, max(MOST_JUDGES, plan.n_judges) + 1)
    widths = [(n, m, width) for n in sizes for m in judges if (width := half(n, m)) is not None]
    top = max((width for *_, width in widths), default=1.0)
    curves = [row(f"{n:,} {plan.unit}s", n, m, width) for n, m, width in widths]
    equal = [
        row(_cost(plan, cost), cost / m, m, width)
        for cost in costs
        for m in judges
        if (width := half(cost / m, m)) is not None and width <= top
    ]
    top *= factor
    x = vega.number(
        "judges", title="judges", scale={"zero": False, "nice": False, "padding": 12}, axis={"tickMinStep": 1}
    )
    points = " (points)" if plan.measure.kind == "percent" else ""
    title = f"half-width of {target.name}{points}"
    y = vega.number("half", title=title, scale={"domain": [0, 1.05 * top], "clamp": True})
    tooltip = vega.tips(series="line", judges="judges", texts=f"{plan.unit}s", shown="half-width")
    names = _names(curves)
    color = vega.name("series", title=f"{plan.unit}s", scale={"domain": names}, legend=vega.LEGEND)
    lines = [[row for row in equal if row["series"] == name] for name in _names(equal)]
    visible = [end for line in lines if len(line) > 1 for end in line]
    last = list({end["series"]: end for end in visible}.values())
    label = {"align": "right", "dy": -6, "style": "letter"}
    dashed = {"style": "quiet", "fill": None, "strokeDash": [4, 3]}
    layers = [
        vega.layer(visible, "line", dashed, x=x, y=y, detail=vega.text("series")),
        vega.layer(last, "text", label, x=x, y=y, text=vega.text("series")),
        vega.layer(curves, "line", {"fill": None}, x=x, y=y, color=color),
        vega.layer(curves, "point", vega.POINT | {"size": 40}, x=x, y=y, color=color, tooltip=tooltip),
    ]
    return vega.finish(layers, height=HEIGHT)


def _names(rows: Sequence[vega.Row]) -> list[str]:
    return list(dict.fromkeys(str(row["series"]) for row in rows))


def _cost(plan: JudgingPlan, judgments: float) -> str:
    sentences = judgments * plan.sentences_per_text
    hours = plan.hours(sentences)
    return f"{sentences:,.0f} judgments" if hours is None else f"{hours:,.0f} hours"


def draw_plan(plan: JudgingPlan, path: str, picture: Picture) -> None:
    """Write the chart of the first system.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    save_bytes(draw_spec(plan_chart(plan, plan.targets[0]), picture), path)
