"""What a report shows, in words, tables and charts: one module for each section."""

from errorbar.reporting.sections.assemble import build_report
from errorbar.reporting.sections.methods import left_out

__all__ = ["build_report", "left_out"]
