"""Charts as Vega-Lite specifications: data inside, colors outside (see theme)."""

from errorbar.report.charts.bars import bar_chart
from errorbar.report.charts.dots import Dot, dot_chart
from errorbar.report.charts.heat import HeatCell, heat_chart
from errorbar.report.charts.lines import LinePoint, line_chart
from errorbar.report.charts.plane import PlanePoint, plane_chart

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
