"""Text pairs -> edits, edits -> text, and matching hypothesis edits with a reference."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
