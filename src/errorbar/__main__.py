"""``python -m errorbar``: the command line."""

from errorbar.cli.main import run

run()
