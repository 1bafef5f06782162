"""The English pipeline of errorbar: tags, lemmas and dependencies without a download. ``spacy.load("errorbar_en")``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import load_model_from_path

__version__ = "0.1.0"


def load(**overrides: Any) -> Language:  # noqa: ANN401 - spaCy's own arguments
    """The pipeline.

    Args:
        overrides: What ``spacy.load`` takes: ``disable``, ``exclude``, ``config`` and so on.
    """
    return load_model_from_path(Path(__file__).parent / "model", **overrides)
