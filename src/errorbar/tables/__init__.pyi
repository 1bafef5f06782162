"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.tables.plain import Plain as Plain
from errorbar.tables.plain import csv_lines as csv_lines
from errorbar.tables.plain import estimate_record as estimate_record
from errorbar.tables.result import Result as Result
from errorbar.tables.result import html_table as html_table
from errorbar.tables.table import Cell as Cell
from errorbar.tables.table import Column as Column
from errorbar.tables.table import Kind as Kind
from errorbar.tables.table import PValue as PValue
from errorbar.tables.table import Table as Table
from errorbar.tables.table import cell_text as cell_text
from errorbar.tables.table import p_text as p_text
from errorbar.tables.table import percent as percent
from errorbar.tables.writers import document_table as document_table
from errorbar.tables.writers import escape_latex as escape_latex
from errorbar.tables.writers import escape_markdown as escape_markdown
from errorbar.tables.writers import markdown_table as markdown_table
from errorbar.tables.writers import tables_text as tables_text

FORMATS: tuple[str, ...]
