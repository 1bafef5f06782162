"""The nouns: sentences, edits, estimates, specs. Imports nothing of ours but the version."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
