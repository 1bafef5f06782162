"""Rankings: systems from human comparisons, and how well metrics agree with them."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
