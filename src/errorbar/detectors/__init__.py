"""Detectors and correctors of errors in prepositions, articles and word forms: trained, and at work on a text."""

from __future__ import annotations

COMMANDS = {
    "train": ("Train detectors from plain text.", "errorbar.detectors.commands:train_models"),
    "correct": ("Correct a text by a corrector.", "errorbar.detectors.commands:correct_text"),
    "detect": ("Judge every preposition of a text by a detector.", "errorbar.detectors.commands:detect_errors"),
}
"""The commands that the entry point ``errorbar.commands`` adds: the one-line help of each, and where it is."""
