"""Agreement of raters: coefficients as functions of label counts that any resample can be put into."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
