"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.reproduce.cells import Cell as Cell
from errorbar.reproduce.cells import Number as Number
from errorbar.reproduce.cells import Outcome as Outcome
from errorbar.reproduce.cells import Reproduction as Reproduction
from errorbar.reproduce.cells import Sources as Sources
from errorbar.reproduce.cells import cell_table as cell_table
from errorbar.reproduce.cells import read_published as read_published
from errorbar.reproduce.studies import STUDIES as STUDIES
from errorbar.reproduce.studies import reproduce as reproduce
from errorbar.reproduce.studies import reproduce_paper as reproduce_paper
