"""Shared tasks: teams, their runs, scores that are computed once, and what a team should check before sending."""
