"""Metrics: one file each, a map over sentences and a fold over what it keeps."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
