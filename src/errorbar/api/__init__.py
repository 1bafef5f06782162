"""The public functions, one for each command, and everything that a report shows of some data."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
