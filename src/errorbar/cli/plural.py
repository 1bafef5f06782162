"""Counts with their noun; see ``errorbar.core.plural``."""

from errorbar.core.plural import counted as counted  # noqa: PLC0414 - a command takes it from here
