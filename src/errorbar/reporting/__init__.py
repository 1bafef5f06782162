"""One page that people look at: sections as plain data, and what they are turned into."""

from errorbar.reporting.blocks import Block, Chart, Code, Links, Prose, Report, Section, Sentences

__all__ = ["Block", "Chart", "Code", "Links", "Prose", "Report", "Section", "Sentences"]
