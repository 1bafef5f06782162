"""Published tables, recomputed from the corpora, cell by cell."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
