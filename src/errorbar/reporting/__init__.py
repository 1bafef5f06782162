"""One page that people look at: sections as plain data, and what they are turned into."""

from errorbar.reporting.model import Block, Chart, Code, Links, Prose, Report, Section, Sentences, Shown, Table

__all__ = ["Block", "Chart", "Code", "Links", "Prose", "Report", "Section", "Sentences", "Shown", "Table"]
