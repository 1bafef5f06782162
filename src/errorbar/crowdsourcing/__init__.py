"""Crowds: from many judgments to answers, from gold items to what a rater is worth, and what to ask next."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
