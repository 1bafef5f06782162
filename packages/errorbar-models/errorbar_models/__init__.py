"""Small models of errorbar's detectors and correctors: files in the folder ``models``, which errorbar finds itself."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"
FOLDER = Path(__file__).parent / "models"
