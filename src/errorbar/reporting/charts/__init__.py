"""Charts as Vega-Lite specifications: data inside, colors outside (see theme)."""

from errorbar.reporting.charts.dots import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.heat import HeatCell, heat_chart
from errorbar.reporting.charts.lines import LinePoint, line_chart
from errorbar.reporting.charts.plane import PlanePoint, plane_chart

__all__ = [
    "Dot",
    "HeatCell",
    "LinePoint",
    "PlanePoint",
    "bar_chart",
    "dot_chart",
    "heat_chart",
    "line_chart",
    "plane_chart",
]
