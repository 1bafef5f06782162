"""Published tables, recomputed from the corpora, cell by cell."""

from errorbar.reproduce.cells import Cell, Outcome
from errorbar.reproduce.sources import Sources
from errorbar.reproduce.studies import STUDIES, reproduce

__all__ = ["STUDIES", "Cell", "Outcome", "Sources", "reproduce"]
