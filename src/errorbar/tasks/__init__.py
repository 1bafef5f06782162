"""Shared tasks: teams, their runs, scores that are computed once, and what a team should check before sending."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
