"""Public corpora: what there is, where it comes from, and a verified copy in a cache folder."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
