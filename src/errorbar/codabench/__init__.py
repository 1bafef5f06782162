"""A shared task as a competition that Codabench hosts, which scores with the same code as ``errorbar task``."""

from __future__ import annotations

COMMANDS = {
    "task bundle": ("Write a competition that Codabench takes as it is.", "errorbar.codabench.command:write_bundle"),
}
"""The commands that the entry point ``errorbar.commands`` adds: the one-line help of each, and where it is."""
